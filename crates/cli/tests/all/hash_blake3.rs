//! `broadloom hash -a blake3`: b3sum prints the same, and lists are read both ways.

use broadloom_testing::has;

use crate::common::{Place, Said, noise};

/// Lengths about blocks, chunks and levels of the tree, those of a piece that is read at once, and
/// of several.
const LENGTHS: [usize; 15] =
    [0, 1, 63, 64, 65, 1023, 1024, 1025, 3072, 3073, 16_384, 65_537, 700_000, 1_048_576, 3_000_001];

const KEY: &[u8; 32] = b"thirty-two bytes for keyed hash.";
const CONTEXT: &str = "example.com 2026-11-26 tests of key derivation";

/// The options of each mode, and what is on standard input.
const MODES: [(&[&str], &[u8]); 5] = [
    (&[], b""),
    (&["--keyed"], KEY),
    (&["--derive-key", CONTEXT], b""),
    (&["--length", "1"], b""),
    (&["--length", "200"], b""),
];

fn hash(place: &Place, options: &[&str], names: &[String], stdin: &[u8]) -> Said {
    let names = names.iter().map(String::as_str);
    let args: Vec<_> = ["-a", "blake3"].iter().chain(options).copied().chain(names).collect();
    place.hash_with(&args, stdin)
}

#[test]
fn b3sum_prints_the_same_and_each_reads_what_the_other_writes() {
    if !has("b3sum") {
        return;
    }
    let (place, names) = Place::of_lengths(&LENGTHS);
    for (options, stdin) in MODES {
        for more in [&[][..], &["--no-names"]] {
            let options = [options, more].concat();
            let args: Vec<_> =
                options.iter().copied().chain(names.iter().map(String::as_str)).collect();
            let theirs = place.tool("b3sum", &args, stdin);
            let ours = hash(&place, &options, &names, stdin);
            assert_eq!(ours.good(), theirs.good(), "{options:?}");
        }
        let list = hash(&place, options, &names, stdin).good().to_owned();
        let all_good: String = names.iter().map(|name| format!("{name}: OK\n")).collect();
        place.write("list", &list);
        let check = [options, &["-c", "--strict"]].concat();
        assert_eq!(hash(&place, &check, &["list".to_owned()], stdin).good(), all_good);
        // b3sum checks plain digests of the usual length only.
        if options.is_empty() {
            assert_eq!(place.tool("b3sum", &["--check", "list"], b"").good(), all_good);
        }
    }
}

/// Standard input and FIFOs are read in larger pieces; chunks begin anywhere; several threads work.
#[test]
fn all_ways_to_read_give_the_same() {
    let place = Place::new();
    let data = noise(3_000_001, 7);
    place.write("file", &data);
    let file = ["file".to_owned()];
    let expected = blake3::hash(&data).to_hex().to_string();
    for options in [&["--no-names"][..], &["--no-names", "--threads", "3"]] {
        assert_eq!(hash(&place, options, &file, b"").good().trim_end(), expected);
        assert_eq!(hash(&place, options, &[], &data).good().trim_end(), expected);
    }
    let chunks = hash(&place, &["--chunk", "100001"], &file, b"");
    for (line, part) in chunks.good().lines().zip(data.chunks(100_001)) {
        assert_eq!(line.split(' ').next(), Some(&*blake3::hash(part).to_hex()));
    }
}

#[test]
fn what_is_wrong_is_named() {
    let place = Place::new();
    place.write("file", "content");
    let file = ["file".to_owned()];
    for (options, names, stdin, code, message) in [
        (&["--keyed"][..], &file[..], &b"short"[..], 1, "the key has 5 bytes; expected 32"),
        (&["--keyed"], &file, &[1; 33], 1, "the key has more than 32 bytes"),
        (&["--keyed"], &[], KEY, 1, "name the files"),
        (&["--length", "0"], &file, b"", 2, "0"),
        (&["--keyed", "--derive-key", "c"], &file, b"", 2, "cannot be used with"),
    ] {
        let said = hash(&place, options, names, stdin);
        assert_eq!((said.code, said.text()), (Some(code), ""), "{options:?}");
        assert!(said.stderr.contains(message), "{}", said.stderr);
    }
    for option in ["--keyed", "--length=20", "--derive-key=c"] {
        let said = place.hash_with(&["-a", "sha256", option, "file"], KEY);
        assert_eq!((said.code, said.text()), (Some(2), ""));
        let name = option.split('=').next().expect("it has a name");
        let expected = format!("{name}: sha256 has no such mode; blake3 has it: -a blake3");
        assert!(said.stderr.contains(&expected), "{}", said.stderr);
    }
    place.write("key", KEY);
    let said = hash(&place, &["--hmac-key-file", "key"], &file, b"");
    assert_eq!((said.code, said.text()), (Some(2), ""));
    assert!(said.stderr.contains("no HMAC over BLAKE3"), "{}", said.stderr);
}
