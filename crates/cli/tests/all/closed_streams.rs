//! Standard streams that are closed, or open the wrong way: an error and exit status 1, as of gzip
//! and sha256sum.

use std::fs::{self, File};
use std::process::Stdio;

use crate::common::{Place, Said};

const BROADLOOM: &str = env!("CARGO_BIN_EXE_broadloom");
const PARCOMP: &str = env!("CARGO_BIN_EXE_parcomp");

/// Runs a program with redirections of a shell's.
fn redirected(place: &Place, program: &str, args: &str, redirection: &str) -> Said {
    let script = format!("exec '{program}' {args} {redirection}");
    place.tool("sh", &["-c", &script], b"something")
}

fn place() -> Place {
    let place = Place::new();
    place.write("f", "data");
    place.compress(&["-k", "f"], b"").good();
    place.write("sums", place.hash(&["f"]).stdout);
    place
}

/// Everything that writes to standard output.
const WRITES: [(&str, &str); 19] = [
    (BROADLOOM, "hash f"),
    (BROADLOOM, "hash --chunk 1 f"),
    (BROADLOOM, "hash --check sums"),
    (BROADLOOM, "compress -c f"),
    (BROADLOOM, "compress"),
    (BROADLOOM, "compress -d <f.gz"),
    (BROADLOOM, "decompress -c f.gz"),
    (BROADLOOM, "decompress -l f.gz"),
    (BROADLOOM, "info"),
    (BROADLOOM, "info --json"),
    (BROADLOOM, "perf matrix --quick --algorithm=md5 --size=64 --provider=native"),
    (BROADLOOM, "perf matrix --quick --algorithm=md5 --size=64 --provider=native --json=-"),
    (BROADLOOM, "--help"),
    (BROADLOOM, "--version"),
    (BROADLOOM, "hash --help"),
    (BROADLOOM, "compress -h"),
    (PARCOMP, "-pzlib -if"),
    (PARCOMP, "-pzlib -if -x2"),
    (PARCOMP, "-h"),
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
fn output_to_a_closed_stream_is_an_error() {
    let place = place();
    for (program, args) in WRITES {
        let said = redirected(&place, program, args, ">&-");
        assert_eq!(said.code, Some(1), "{args}: {}", said.stderr);
        assert!(said.stderr.contains("Bad file descriptor"), "{args}: {}", said.stderr);
        // A standard output that is open, but not for writing.
        let said = redirected(&place, program, args, "1</dev/null");
        assert_eq!(said.code, Some(1), "{args}: {}", said.stderr);
    }
    assert_eq!(place.names("."), ["f", "f.gz", "sums"]);
}

#[test]
fn output_to_a_full_device_is_an_error() {
    let place = place();
    for (program, args) in WRITES {
        let said = redirected(&place, program, args, ">/dev/full");
        assert_eq!(said.code, Some(1), "{args}: {}", said.stderr);
        assert!(said.stderr.contains("No space left on device"), "{args}: {}", said.stderr);
    }
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
    let said = redirected(&place, PARCOMP, "-pzlib -if -oout", "<&-");
    assert_eq!(said.code, Some(0), "{}", said.stderr);
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
