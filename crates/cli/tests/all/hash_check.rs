//! `broadloom hash --check` reads the lists of the coreutils, says what they say, and they read
//! ours.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use proptest::prelude::*;
use proptest::sample::select;

use crate::common::{Place, TOOLS, noise};

/// The SHA-256 of "x".
const X: &str = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";
/// The SHA-256 of nothing that the tests hold.
const WRONG: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// A place with files that hold "x": `a`, `b c`, and one whose name has a newline and a backslash.
fn place() -> Place {
    let place = Place::new();
    for name in ["a", "b c", "n\\l\nx", "cr\rx", "back\\slash", "*a"] {
        place.write(name, "x");
    }
    place.write("dir/x", "x");
    place
}

/// Checks `list` with both, with each set of options.
fn same_with_all_options(place: &Place, list: impl AsRef<[u8]>) {
    place.write("list", list);
    for options in [
        &[][..],
        &["-w"],
        &["--quiet"],
        &["--status"],
        &["--strict"],
        &["--ignore-missing"],
        &["--ignore-missing", "--quiet"],
        &["--ignore-missing", "--status"],
        &["--strict", "--status"],
        &["--status", "-w"],
        &["-w", "--status"],
        &["-w", "--quiet"],
        &["--quiet", "-w"],
        &["--quiet", "--status"],
    ] {
        let mut args = vec!["-c"];
        args.extend(options);
        args.push("list");
        place.same(&args, b"");
    }
}

#[test]
fn both_read_what_the_other_writes() {
    let place = place();
    let names = ["a", "b c", "n\\l\nx", "cr\rx", "back\\slash", "*a", "\u{e9}"];
    place.write("\u{e9}", noise(70_000, 1));
    place.write(OsStr::from_bytes(b"\xff"), "y");
    let names: Vec<&OsStr> =
        names.iter().map(OsStr::new).chain([OsStr::from_bytes(b"\xff")]).collect();
    for (algorithm, tool) in TOOLS {
        for format in ["--text", "--binary", "--tag"] {
            let mut args: Vec<&OsStr> = vec![OsStr::new(format)];
            args.extend(&names);
            let list = place.same_as((algorithm, tool), &args, b"").stdout;
            place.write("list", &list);
            let said = place.same_as((algorithm, tool), &["-c", "list"], b"");
            assert_eq!(said.code, Some(0));
            place.same_as((algorithm, tool), &["-c"], &list);
        }
    }
}

#[test]
fn matches_mismatches_and_unreadable_files() {
    let place = place();
    same_with_all_options(&place, format!("{X}  a\n{X}  b c\n"));
    same_with_all_options(&place, format!("{WRONG}  a\n"));
    same_with_all_options(&place, format!("{WRONG}  a\n{WRONG}  b c\n{X}  a\n"));
    same_with_all_options(&place, format!("{X}  missing\n{X}  dir\n{X}  a\n"));
    same_with_all_options(&place, format!("{X}  missing\n{X}  gone too\n"));
    same_with_all_options(&place, format!("{X}  missing\n{WRONG}  a\nnonsense\nmore\n{X}  a\n"));
    same_with_all_options(&place, format!("{WRONG}  missing\n{X}  a\nnonsense\n"));
    same_with_all_options(&place, "nonsense\n");
    same_with_all_options(&place, "");
    same_with_all_options(&place, "# only a comment\n\n");
    same_with_all_options(&place, format!("\\{X}  n\\\\l\\nx\n\\{WRONG}  n\\\\l\\nx\n"));
}

#[test]
fn formats_of_lines() {
    let place = place();
    let upper = X.to_uppercase();
    for list in [
        format!("# comment\n\n\r\n{X}  a\r\n {upper} *a\n\t{X}  a"),
        format!("SHA256 (a) = {X}\nSHA256(a)= {X}\nSHA256 (a)={X}\nSHA256 (a) =  \t{X}\n"),
        format!("  SHA256 (a) = {X}\nSHA256  (a) = {X}\nSHA1 (a) = {X}\nSHA256 (a) = {X} \n"),
        format!("SHA256 (a) {X}\nSHA256 (a = {X}\nSHA256 \nSHA256 (\nSHA256\n{X}  a\n"),
        format!("SHA256 (a) = {upper}\nSHA256 (x) = {X}) = {X}\nSHA256 () = {X}\n"),
        format!("SHA256 (a) = {X}\n{X}  a\n{X} a\n{X} *a\n"),
        format!("{X} a\n{X}  a\n{X} *a\nSHA256 (a) = {X}\n"),
        format!("\\{X}  a\\nb\n\\{X}  a\\tb\n\\{X}  a\\\n\\{X}  cr\\rx\n\\{X}  back\\\\slash\n"),
        format!("\\\\{X}  a\n\\SHA256 (n\\\\l\\nx) = {X}\n\\SHA256 (a\\) = {X}\n{X}  a\n"),
        format!("{X}\n{X} \n{X}  a\n"),
        format!("{X}  a\n{X}  \n"),
        format!("{X}  \n{X}  a\n"),
        format!("{X}0  a\n{}  a\n{}g  a\n{X}\ta\n{X} \ta\n", &X[1..], &X[1..]),
        format!("{X}   a\n{X}  back\\slash\n"),
        format!("{X}  a\0"),
        format!("SHA256 (a) = {X}\0"),
    ] {
        same_with_all_options(&place, list);
    }
}

#[test]
fn a_list_of_several_names_and_no_newlines_is_not_taken_for_its_first() {
    let place = place();
    place.write("list", format!("{X}  a\0{X}  b c\0"));
    let said = place.hash(&["-c", "list"]);
    assert_eq!((said.code, said.text()), (Some(1), ""));
    assert!(said.stderr.contains("no properly formatted checksum lines found"), "{}", said.stderr);
}

#[test]
fn several_lists_and_lists_that_cannot_be_read() {
    let place = place();
    place.write("one", format!("{X}  a\nnonsense\n"));
    place.write("two words", format!("bad\n{X}  b c\n{WRONG}  a\n"));
    place.write("old", format!("{X} a\n"));
    place.write("none", "nonsense\n");
    for lists in [
        &["one", "two words"][..],
        &["one", "missing", "two words"],
        &["dir", "one"],
        &["none", "one"],
        &["one", "none"],
        &["old", "one"],
        &["one", "old"],
        &["missing"],
        &["dir"],
    ] {
        for option in ["-w", "--strict", "--status", "--ignore-missing"] {
            let mut args = vec!["-c", option];
            args.extend(lists);
            place.same(&args, b"");
        }
    }
}

#[test]
fn lists_on_standard_input_and_standard_input_in_lists() {
    let place = place();
    place.same(&["-c"], format!("{X}  a\n{WRONG}  b c\nnonsense\n").as_bytes());
    place.same(&["-c", "-w", "-"], format!("{X}  a\nnonsense\n").as_bytes());
    place.same(&["-c", "-w"], format!("{X}  -\n").as_bytes());
    place.same(&["-c", "-w"], format!("{X}  -\n{X}  a\n").as_bytes());
    place.write("list", format!("{X}  -\n{X}  a\n"));
    place.same(&["-c", "list"], b"x");
    place.same(&["-c", "list"], b"y");
}

#[test]
fn a_long_list_is_told_in_its_order() {
    let place = Place::new();
    let mut list = String::new();
    for index in 0..3000 {
        let name = format!("file {index}");
        if index % 7 != 3 {
            place.write(&name, if index % 5 == 0 { "y" } else { "x" });
        }
        list += &format!("{X}  {name}\n");
        if index % 100 == 50 {
            list += "nonsense\n";
        }
    }
    place.write("list", list);
    place.same(&["-c", "-w", "list"], b"");
    let one = place.hash(&["-c", "-w", "list"]);
    let four = place.hash(&["-c", "-w", "--threads", "4", "list"]);
    assert_eq!(one, four);
}

#[test]
fn hmacs_are_checked_with_their_key() {
    let place = place();
    place.write("key", "secret");
    place.write("other", "public");
    for format in ["--text", "--tag"] {
        let list = place.hash(&["--hmac-key-file", "key", format, "a", "b c"]);
        place.write("list", list.good());
        let said = place.hash(&["--hmac-key-file", "key", "-c", "list"]);
        assert_eq!(said.good(), "a: OK\nb c: OK\n");
        let said = place.hash(&["--hmac-key-file", "other", "-c", "list"]);
        assert_eq!((said.code, said.text()), (Some(1), "a: FAILED\nb c: FAILED\n"));
        assert_eq!(place.hash(&["-c", "list"]).code, Some(1));
    }
}

#[test]
fn a_list_of_one_endless_line_is_refused_in_little_memory() {
    let place = place();
    let mut list = noise(3_000_000, 1);
    list.retain(|&byte| byte != b'\n');
    list.extend(format!("\n{X}  a\n").as_bytes());
    place.write("list", list);
    let said = place.hash(&["-c", "-w", "list"]);
    assert_eq!((said.code, said.text()), (Some(0), "a: OK\n"));
    assert!(said.stderr.contains("list: 1: improperly formatted"), "{}", said.stderr);
    assert!(!said.stderr.contains("list: 2:"), "{}", said.stderr);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Lines put together from the parts that real ones have, rightly or wrongly.
    #[test]
    fn garbage_is_read_the_same(
        lines in proptest::collection::vec(
            proptest::collection::vec(
                select(&[
                    X, WRONG, "a", " ", "  ", " *", "\\", "\\n", "\t", "SHA256", "SHA256 (", ") = ",
                    "(", ")", "=", "b c", "#", "\r", "\u{e9}", "0", "dir", "missing",
                ][..]),
                0..7,
            ),
            1..12,
        ),
    ) {
        let place = place();
        let lines: Vec<String> = lines.into_iter().map(|parts| parts.concat()).collect();
        place.write("list", lines.join("\n"));
        place.same(&["-c", "-w", "list"], b"");
    }

    /// Any bytes at all, NUL aside: a name ends there for the coreutils.
    #[test]
    fn noise_is_read_the_same(bytes in proptest::collection::vec(1u8.., 0..400)) {
        let place = Place::new();
        place.write("list", bytes);
        place.same(&["-c", "-w", "list"], b"");
    }
}
