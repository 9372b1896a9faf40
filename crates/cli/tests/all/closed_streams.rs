//! Standard streams that are closed, or open the wrong way: an error and exit status 1, as of gzip
//! and sha256sum.

use std::fs::{self, File};
use std::process::Stdio;

use crate::common::{Place, assert_output_is_needed, redirected};

const BROADLOOM: &str = env!("CARGO_BIN_EXE_broadloom");

fn place() -> Place {
    let place = Place::new();
    place.write("f", "data");
    place.compress(&["-k", "f"], b"").good();
    place.write("sums", place.hash(&["f"]).stdout);
    place
}

/// Everything that writes to standard output.
const WRITES: [&str; 14] = [
    "hash f",
    "hash --chunk 1 f",
    "hash --check sums",
    "compress -c f",
    "compress",
    "compress -d <f.gz",
    "decompress -c f.gz",
    "decompress -l f.gz",
    "info",
    "info --json",
    "--help",
    "--version",
    "hash --help",
    "compress -h",
];

/// Everything that reads standard input.
const READS: [&str; 9] = [
    "hash",
    "hash -",
    "hash --chunk 1K",
    "hash --check",
    "compress",
    "compress -c -",
    "decompress",
    "decompress -t",
    "decompress -l",
];

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let place = place();
    assert_output_is_needed(&place, BROADLOOM, &WRITES);
    assert_eq!(place.names("."), ["f", "f.gz", "sums"]);
}

#[test]
fn input_from_a_closed_stream_is_an_error() {
    let place = place();
    for args in READS {
        for redirection in ["<&-", "0>/dev/null"] {
            let said = redirected(&place, BROADLOOM, args, redirection);
            let told = (said.code, said.stdout.len());
            assert_eq!(told, (Some(1), 0), "{args} {redirection}: {}", said.stderr);
            let expected =
                if args == "hash --check" { "read error" } else { "Bad file descriptor" };
            assert!(said.stderr.contains(expected), "{args} {redirection}: {}", said.stderr);
        }
    }
}

#[test]
fn streams_that_are_not_used_may_be_closed() {
    let place = place();
    fs::remove_file(place.path().join("f.gz")).unwrap();
    for (args, redirection) in [
        ("hash f", "<&-"),
        ("compress f", "<&- >&-"),
        ("decompress -t f.gz", "<&- >&- 2>&-"),
        ("decompress f.gz", "<&- >&- 2>&-"),
        ("hash --check --status sums", ">&-"),
    ] {
        let said = redirected(&place, BROADLOOM, args, redirection);
        assert_eq!(said.code, Some(0), "{args} {redirection}: {}", said.stderr);
    }
    assert_eq!(
        (place.names("."), place.read("f")),
        (vec!["f".into(), "sums".into()], b"data".into())
    );
}

#[test]
fn a_null_device_is_no_closed_stream() {
    // Some callers open it for both ways, as Rust's start-up code does in the place of closed
    // streams.
    let place = place();
    let null = || Stdio::from(File::options().read(true).write(true).open("/dev/null").unwrap());
    for args in
        [&["hash", "f"][..], &["hash"], &["compress", "-c", "f"], &["compress"], &["--help"]]
    {
        let mut command = place.command(args[0]);
        command.args(&args[1..]).stdin(null()).stdout(null()).stderr(Stdio::piped());
        let output = command.output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), stderr.as_str()), (Some(0), ""), "{args:?}");
    }
}
