//! `broadloom hash` prints what the coreutils print.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use proptest::prelude::*;
use proptest::sample::select;
use rustix::process::Signal;

use crate::common::{Place, TOOLS, noise, run, run_unblocked};

/// Names that lines or messages must treat with care.
const NAMES: [&[u8]; 14] = [
    b"plain",
    b"with space",
    b" leading",
    b"new\nline",
    b"\n",
    b"carriage\rreturn",
    b"back\\slash",
    b"all\\of\nthem\r",
    b"\xff\xfe",
    b"caf\xc3\xa9",
    b"*star",
    b"\\n",
    b"#comment",
    b"quo'te\"s",
];

#[test]
fn every_algorithm_prints_the_same() {
    let place = Place::new();
    for (index, name) in NAMES.iter().enumerate() {
        place.write(OsStr::from_bytes(name), noise(index * 1000, 1));
    }
    let names: Vec<_> = NAMES.iter().map(|name| OsStr::from_bytes(name)).collect();
    for tool in TOOLS {
        let said = place.same_as(tool, &names, b"");
        assert_eq!(said.code, Some(0));
    }
}

#[test]
fn names_are_written_the_same_in_every_format() {
    let place = Place::new();
    let mut args: Vec<OsString> = vec![OsString::new()];
    for name in NAMES {
        let name = OsStr::from_bytes(name);
        place.write(name, "x");
        args.push(name.to_owned());
    }
    for options in
        [&["--tag"][..], &["-z"], &["--zero"], &["-b"], &["--binary"], &["-t"], &["--text"]]
    {
        let mut all: Vec<OsString> = options.iter().map(OsString::from).collect();
        all.extend(args[1..].iter().cloned());
        place.same(&all, b"");
    }
    args[0] = "--tag".into();
    args.insert(1, "-z".into());
    place.same(&args, b"");
    place.same(&["--tag", "-b", "plain"], b"");
    place.same(&["-t", "-b", "plain"], b"");
    place.same(&["-b", "-t", "plain"], b"");
}

#[test]
fn leading_dashes_are_names_after_two_dashes() {
    let place = Place::new();
    place.write("-c", "x");
    place.write("--tag", "y");
    place.same(&["--", "-c", "--tag"], b"");
}

#[test]
fn standard_input_is_read_where_it_is_asked_for() {
    let place = Place::new();
    place.write("file", "of the file");
    for stdin in [&b""[..], b"short", &noise(1_000_000, 3)] {
        place.same::<&str>(&[], stdin);
        place.same(&["-"], stdin);
        place.same(&["file", "-", "file"], stdin);
        place.same(&["-", "file", "-"], stdin);
        place.same(&["--tag"], stdin);
        place.same(&["-b"], stdin);
    }
}

#[test]
fn streams_that_do_not_block_are_waited_for() {
    let place = Place::new();
    let data = noise(1_000_000, 1);
    place.write("data", &data);
    // The lines are more than a pipe holds.
    for (command, args) in [("hash", &["--chunk", "64"][..]), ("chunks", &["--size", "64"])] {
        let usual = run(place.command(command).args(args), &data);
        assert_eq!((usual.code, usual.stderr.as_str()), (Some(0), ""));
        let mut unblocked = place.command(command);
        unblocked.args(args);
        assert_eq!(run_unblocked(unblocked, &data), usual, "{command}");
    }
    // A list that is checked.
    let list = place.hash(&["data"]).stdout.repeat(10_000);
    let mut check = place.hash_command();
    check.arg("--check");
    let said = run_unblocked(check, &list);
    assert_eq!(said.good().lines().count(), 10_000);
}

#[test]
fn lengths_around_blocks_and_pieces() {
    let place = Place::new();
    let content = noise(600_000, 5);
    let mut names = Vec::new();
    for near in [0, 64, 128, 4096, 32768, 65536, 131_072, 524_288] {
        for len in [near - 1, near, near + 1, near + 55, near + 56, near + 111, near + 112] {
            if let Ok(len) = usize::try_from(len) {
                let name = format!("{len}");
                place.write(&name, &content[..len]);
                names.push(name);
            }
        }
    }
    for tool in TOOLS {
        place.same_as(tool, &names, b"");
    }
    for name in ["0", "65", "131072", "131073", "524287", "524400"] {
        let stdin = std::fs::read(place.path().join(name)).unwrap();
        place.same(&["-"], &stdin);
    }
}

#[test]
fn what_cannot_be_read_is_reported_and_the_rest_is_done() {
    let place = Place::new();
    place.write("a", "a");
    place.write("b", "b");
    place.write("dir/c", "c");
    symlink("nowhere", place.path().join("dangling")).unwrap();
    symlink("loop", place.path().join("loop")).unwrap();
    let said = place.same(&["a", "missing", "dir", "a/below", "dangling", "loop", "b", ""], b"");
    assert_eq!(said.code, Some(1));
    assert_eq!(said.text().lines().count(), 2);
    // Opens, but cannot be read.
    place.same(&["a", "/proc/self/mem", "b"], b"");
}

#[test]
fn files_without_a_true_size_are_read_to_their_end() {
    let place = Place::new();
    let said = place.same(
        &["/proc/version", "/proc/cpuinfo", "/sys/kernel/mm/transparent_hugepage/enabled"],
        b"",
    );
    assert_eq!(
        said.stdout.iter().filter(|&&byte| byte == b'\n').count() + said.stderr.lines().count(),
        3
    );
    assert!(said.text().contains("  /proc/version\n"));
    let said = place.same(&["/dev/null"], b"");
    assert_eq!(said.code, Some(0));
}

#[test]
fn a_directory_on_standard_input_is_an_error() {
    let place = Place::new();
    let mut command = place.hash_command();
    let output =
        command.stdin(File::open(place.path()).unwrap()).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stderr, b"broadloom hash: -: Is a directory\n");
}

#[test]
fn messages_quote_names_the_same() {
    let place = Place::new();
    let mut names: Vec<String> = (1..128u8).map(|c| format!("a{}b", char::from(c))).collect();
    names.extend((1..128u8).map(|c| format!("{}", char::from(c))));
    // With both a quote and what cannot be shown, the coreutils put an empty '' in front.
    names.extend((32..127u8).map(|c| format!("it's{}", char::from(c))));
    names.retain(|name| !matches!(name.as_str(), "/" | "-" | "."));
    let mut args = vec!["--".to_owned()];
    args.extend(names);
    let said = place.same(&args, b"");
    assert_eq!(said.stderr.lines().count(), args.len() - 1);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn messages_quote_any_name_the_same(
        names in proptest::collection::vec(
            proptest::collection::vec(
                select(&b"ab1 \"\\$\n\r\t\x01\x7f\xff\xc3\xa9#~{}=:!*"[..]), 1..8)
            .prop_union(proptest::collection::vec(select(&b"ab1' \"\\$#~{}=:!*"[..]), 1..8)),
            1..40,
        ),
    ) {
        let mut args = vec![OsStr::new("--")];
        args.extend(names.iter().map(|name| OsStr::from_bytes(name)));
        Place::new().same(&args, b"");
    }
}

#[test]
fn hmacs_are_those_of_independent_code() {
    use hmac::{Hmac, KeyInit, Mac};

    let place = Place::new();
    let message = noise(100_000, 9);
    place.write("short", "message");
    place.write("long", &message);
    place.write("empty", "");
    for key in [&b"k"[..], b"with newline\n", &noise(64, 1), &noise(65, 2), &noise(1000, 3)] {
        place.write("key", key);
        let hex = |message: &[u8]| {
            let mut mac = <Hmac<sha2::Sha256> as KeyInit>::new_from_slice(key).unwrap();
            mac.update(message);
            let bytes = mac.finalize().into_bytes();
            bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        };
        let (short, long, empty) = (hex(b"message"), hex(&message), hex(b""));
        let said = place.hash(&["--hmac-key-file", "key", "short", "long", "empty"]);
        assert_eq!(said.good(), format!("{short}  short\n{long}  long\n{empty}  empty\n"));
        let said = place.hash_with(&["--hmac-key-file", "key"], &message);
        assert_eq!(said.good(), format!("{long}  -\n"));
        let said = place.hash(&["--hmac-key-file", "key", "--tag", "short"]);
        assert_eq!(said.good(), format!("HMAC-SHA256 (short) = {short}\n"));
    }
}

#[test]
fn hmac_sha512_of_a_known_answer() {
    // RFC 4231, test case 2.
    let place = Place::new();
    place.write("key", "Jefe");
    let said = place
        .hash_with(&["-a", "sha512", "--hmac-key-file", "key"], b"what do ya want for nothing?");
    assert_eq!(
        said.good(),
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6\
         fdcaeab1a34d4a6b4b636e070a38bce737  -\n"
    );
}

#[test]
fn keys_that_cannot_be_meant_are_refused() {
    let place = Place::new();
    place.write("empty", "");
    place.write("huge", vec![1; 65537]);
    for (key, reason) in [
        ("missing", "missing: No such file or directory"),
        ("empty", "empty: the key file is empty; expected 1 to 65536 bytes"),
        ("huge", "huge: the key file is too long; expected 1 to 65536 bytes"),
        (".", ".: Is a directory"),
    ] {
        let said = place.hash(&["--hmac-key-file", key, "empty"]);
        assert_eq!(said.stdout, b"");
        assert_eq!(said.stderr, format!("broadloom hash: {reason}\n"));
        assert_eq!(said.code, Some(1));
    }
}

#[test]
fn options_given_twice_or_in_part_are_taken_as_theirs_are() {
    let place = Place::new();
    place.write("file", "x");
    let list = place.same(&["--tag", "--ta", "-z", "--zero", "file"], b"").stdout;
    place.same(&["-c", "--check", "--strict", "--stri", "--ign"], &list);
    place.same(&["--che", "--sta", "--stri"], &list);
    let said =
        place.hash(&["-a", "md5", "--threads", "9", "--algo", "sha1", "--threads", "2", "file"]);
    assert_eq!(said.good(), place.tool("sha1sum", &["file"], b"").good());
    assert!(place.hash(&["--version"]).good().contains(env!("CARGO_PKG_VERSION")));
}

#[test]
fn wrong_command_lines_are_refused() {
    let place = Place::new();
    for args in [
        &["--bogus"][..],
        &["-a", "sha3"],
        &["--threads", "0"],
        &["--threads", "257"],
        &["--threads", "two"],
        &["--chunk", "0"],
        &["--chunk", "4X"],
        &["--tag", "--text"],
        &["--check", "--tag"],
        &["--check", "--zero"],
        &["--check", "--binary"],
        &["--check", "--text"],
        &["--check", "--recursive"],
        &["--check", "--chunk", "4096"],
        &["--tag", "--chunk", "4096"],
        &["--quiet"],
        &["--status"],
        &["--warn"],
        &["--strict"],
        &["--ignore-missing"],
    ] {
        let said = place.hash(args);
        assert_eq!((said.code, said.text()), (Some(2), ""), "{args:?}");
        let named = args.iter().any(|arg| said.stderr.contains(arg));
        assert!(named, "{args:?}: {}", said.stderr);
    }
}

#[test]
fn an_unknown_instruction_set_is_refused() {
    let place = Place::new();
    let said = run(place.hash_command().env("BROADLOOM_ISA", "sse9"), b"");
    assert_eq!((said.code, said.text()), (Some(2), ""));
    assert!(
        said.stderr.contains("BROADLOOM_ISA") && said.stderr.contains("sse9"),
        "{}",
        said.stderr
    );
}

#[test]
fn an_empty_instruction_set_asks_for_none() {
    let place = Place::new();
    place.write("file", noise(50_000, 1));
    let usual = place.hash(&["file"]);
    let empty = run(place.hash_command().arg("file").env("BROADLOOM_ISA", ""), b"");
    assert_eq!(empty.good(), usual.good());
}

#[test]
fn algorithms_are_named_in_any_case() {
    let place = Place::new();
    place.write("file", noise(50_000, 1));
    for (lower, others) in [
        ("md5", ["MD5", "Md5"]),
        ("sha1", ["SHA1", "Sha1"]),
        ("sha256", ["SHA256", "sHa256"]),
        ("sha512", ["SHA512", "Sha512"]),
    ] {
        let expected = place.hash(&["-a", lower, "--tag", "file"]);
        for name in others {
            assert_eq!(place.hash(&["-a", name, "--tag", "file"]).good(), expected.good());
        }
    }
    let said = place.hash(&["-a", "SHA-3", "file"]);
    assert_eq!((said.code, said.text()), (Some(2), ""));
    assert!(said.stderr.contains("SHA-3") && said.stderr.contains("sha256"), "{}", said.stderr);
}

#[test]
fn the_portable_instruction_set_gives_the_same() {
    let place = Place::new();
    place.write("file", noise(50_000, 1));
    let usual = place.hash(&["file"]);
    let portable = run(place.hash_command().arg("file").env("BROADLOOM_ISA", "portable"), b"");
    assert_eq!(portable.good(), usual.good());
}

#[test]
fn an_output_that_cannot_be_written_is_an_error() {
    let place = Place::new();
    place.write("file", "x");
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output =
        place.hash_command().arg("file").stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stderr, b"broadloom hash: write error: No space left on device\n");
}

#[test]
fn a_reader_that_leaves_ends_the_run_as_it_ends_sha256sum() {
    let place = Place::new();
    place.write("file", "x");
    for threads in ["1", "4"] {
        let mut command = place.hash_command();
        command.args(["--threads", threads]).args(vec!["file"; 50_000]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let signal = output.status.signal();
        assert_eq!((signal, output.stderr), (Some(Signal::PIPE.as_raw()), Vec::new()));
    }
}
