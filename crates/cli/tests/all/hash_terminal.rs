//! What `broadloom hash` shows on a terminal, which `script` stands for.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use crate::common::{Place, run};

/// Runs a line of shell on a terminal of so many columns, where `$hash` is the program; gives what
/// the terminal got.
fn on_terminal(place: &Place, columns: u32, line: &str) -> String {
    let line = format!("stty cols {columns} rows 24; {line}");
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    command.current_dir(place.path()).env("SHELL", "/bin/sh").env("TERM", "xterm");
    command.env("hash", concat!(env!("CARGO_BIN_EXE_broadloom"), " hash"));
    let said = run(&mut command, b"");
    assert_eq!(said.stderr, "");
    said.text().replace("\r\n", "\n")
}

/// What the terminal got, line by line as they were drawn, without the sequences that move the
/// cursor.
fn drawn(text: &str) -> Vec<String> {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| {
        let end = part.find(|c: char| c.is_ascii_alphabetic()).map_or(part.len(), |at| at + 1);
        &part[end..]
    });
    let plain: String = std::iter::once(first).chain(rest).collect();
    plain.split(['\r', '\n']).map(str::to_owned).collect()
}

#[test]
fn a_terminal_gets_no_control_characters_of_names() {
    let place = Place::new();
    let names: [&[u8]; 4] = [b"a\x1b[2Jb", b"\x9b2J", b"\xc2\x9b2J", b"bell\x07"];
    for name in names {
        place.write(OsStr::from_bytes(name), "x");
    }
    let list = run(place.hash_command().args(names.map(OsStr::from_bytes)), b"");
    assert_eq!(list.code, Some(0));
    // A pipe gets the bytes, as from sha256sum.
    assert!(names.iter().all(|name| list.stdout.windows(name.len()).any(|bytes| bytes == *name)));
    place.write("list", &list.stdout);
    for line in ["$hash --check list", "$hash *J* bell*", "$hash --zero *J*", "$hash --tag *J*"] {
        let shown = on_terminal(&place, 80, line);
        assert!(shown.contains("'a'$'\\033''[2Jb'"), "{line}: {shown:?}");
        let shown = shown.replace(['\n', '\0'], "");
        assert!(!shown.contains(char::is_control), "{line}: {shown:?}");
    }
    let shown = on_terminal(&place, 80, "$hash --check list");
    assert_eq!(
        shown,
        "'a'$'\\033''[2Jb': OK\n''$'\\233''2J': OK\n''$'\\302\\233''2J': OK\n'bell'$'\\a': OK\n"
    );
    // Other names are as they were: escaped where the coreutils escape them.
    place.write("new\nline", "x");
    let shown = on_terminal(&place, 200, "$hash new*; $hash new* | $hash --check");
    let digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";
    assert_eq!(shown, format!("\\{digest}  new\\nline\n\\new\\nline: OK\n"));
}

#[test]
fn a_long_run_shows_its_progress_on_a_terminal_of_any_width() {
    let place = Place::new();
    File::create(place.path().join("big")).unwrap().set_len(2 << 30).unwrap();
    for (columns, expected) in [(100, "GiB of 2.00 GiB, "), (40, " left"), (20, "%")] {
        let shown = on_terminal(&place, columns, "$hash -a md5 big >result");
        let lines = drawn(&shown);
        assert!(lines.iter().any(|line| line.contains(expected)), "{columns}: {shown:?}");
        assert!(lines.iter().any(|line| line.contains('\u{2591}')), "{columns}: {shown:?}");
        let widest = lines.iter().map(|line| line.chars().count()).max();
        assert!(widest <= Some(columns as usize), "{columns}: {shown:?}");
        assert_eq!(place.read("result"), b"a981130cf2b7e09f4686dc273cf7187e  big\n");
    }
}

#[test]
fn a_slow_reader_of_a_pipe_sees_how_much_was_hashed() {
    let place = Place::new();
    // So slowly that the program shows something although the machine is slow to start it.
    let slowly = "(head -c 300000 /dev/zero; sleep 1; head -c 300000 /dev/zero; sleep 3)";
    let shown = on_terminal(&place, 40, &format!("{slowly} | $hash >result"));
    let lines = drawn(&shown);
    assert!(lines.iter().any(|line| line.contains(" KiB, ")), "{shown:?}");
    assert!(lines.iter().all(|line| line.chars().count() <= 40), "{shown:?}");
    // Where standard error is no terminal, nothing is written to it.
    let shown = on_terminal(&place, 40, &format!("{slowly} | $hash 2>errors >result"));
    assert_eq!((shown.as_str(), place.read("errors")), ("", Vec::new()));
}
