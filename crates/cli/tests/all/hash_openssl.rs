//! `broadloom hash` with SM3, SHA-3 and SHAKE: OpenSSL and Python's hashlib print the same, and
//! lists are read both ways.

use broadloom_testing::has;

use crate::common::{Place, noise};

/// The algorithms, what `openssl dgst` takes for them, hashlib's name, and bytes of output.
const ALGORITHMS: [(&str, &[&str], &str, usize); 7] = [
    ("sm3", &["-sm3"], "sm3", 32),
    ("sha3-224", &["-sha3-224"], "sha3_224", 28),
    ("sha3-256", &["-sha3-256"], "sha3_256", 32),
    ("sha3-384", &["-sha3-384"], "sha3_384", 48),
    ("sha3-512", &["-sha3-512"], "sha3_512", 64),
    ("shake128", &["-shake128", "-xoflen", "32"], "shake_128", 32),
    ("shake256", &["-shake256", "-xoflen", "64"], "shake_256", 64),
];

/// Lengths about the blocks of all sponges, those of a piece that is read at once, and of several.
const LENGTHS: [usize; 14] =
    [0, 1, 71, 72, 103, 104, 135, 136, 143, 144, 167, 168, 16_384, 1_000_003];

#[test]
fn openssl_prints_the_same_and_each_reads_what_the_other_writes() {
    if !has("openssl") {
        return;
    }
    let (place, names) = Place::of_lengths(&LENGTHS);
    for (algorithm, options, _, _) in ALGORITHMS {
        let names = || names.iter().map(String::as_str);
        // With -r, OpenSSL writes lines as the coreutils do for files read in binary mode.
        let args: Vec<_> = ["dgst", "-r"].into_iter().chain(options.iter().copied()).collect();
        let args: Vec<_> = args.into_iter().chain(names()).collect();
        let theirs = place.tool("openssl", &args, b"");
        let args: Vec<_> = ["-a", algorithm, "-b"].into_iter().chain(names()).collect();
        assert_eq!(place.hash(&args).good(), theirs.good(), "{algorithm}");

        // Without, lines with the algorithm in front.
        let args = ["dgst"].into_iter().chain(options.iter().copied()).chain(names());
        let tagged = place.tool("openssl", &args.collect::<Vec<_>>(), b"");
        for (list, content) in [("list", theirs.good()), ("tagged", tagged.good())] {
            place.write(list, content);
            let said = place.hash(&["-a", algorithm, "-c", "--strict", list]);
            let all_good: String = names().map(|name| format!("{name}: OK\n")).collect();
            assert_eq!(said.good(), all_good, "{algorithm}, {list}");
        }
        let args: Vec<_> = ["-a", algorithm, "--tag"].into_iter().chain(names()).collect();
        let ours = place.hash(&args).good().replace(" (", "(").replace(") = ", ")= ");
        assert_eq!(ours, tagged.good(), "{algorithm}");

        place.write("1 bytes", "other");
        let said = place.hash(&["-a", algorithm, "-c", "--quiet", "list"]);
        assert_eq!((said.code, said.text()), (Some(1), "1 bytes: FAILED\n"));
        place.write("1 bytes", noise(1, 1));
    }
}

/// Python reads a list of ours and checks it, and we check a list of its.
#[test]
fn hashlib_prints_the_same_and_each_reads_what_the_other_writes() {
    const SCRIPT: &str = "\
import hashlib, sys
name, length, ours, theirs = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
def digest(path):
    function = hashlib.new(name)
    function.update(open(path, 'rb').read())
    return function.hexdigest(length) if name.startswith('shake') else function.hexdigest()
lines = [line.rstrip('\\n').split('  ', 1) for line in open(ours)]
assert lines and all(digest(path) == value for value, path in lines), name
open(theirs, 'w').writelines(f'{digest(path)}  {path}\\n' for _, path in lines)
";
    if !has("python3") {
        return;
    }
    let (place, names) = Place::of_lengths(&LENGTHS);
    for (algorithm, _, hashlib, len) in ALGORITHMS {
        let args: Vec<_> =
            ["-a", algorithm].into_iter().chain(names.iter().map(String::as_str)).collect();
        place.write("ours", place.hash(&args).good());
        let len = len.to_string();
        place.tool("python3", &["-c", SCRIPT, hashlib, &len, "ours", "theirs"], b"").good();
        assert_eq!(place.read("theirs"), place.read("ours"), "{algorithm}");
        let said = place.hash(&["-a", algorithm, "-c", "--strict", "--status", "theirs"]);
        assert_eq!(said.good(), "", "{algorithm}");
    }
}

/// Standard input and FIFOs are read in larger pieces; chunks begin anywhere; several threads work.
#[test]
fn all_ways_to_read_give_the_same() {
    let place = Place::new();
    let data = noise(3_000_001, 7);
    place.write("file", &data);
    for (algorithm, ..) in ALGORITHMS {
        let expected = place.hash(&["-a", algorithm, "file"]).good().replace("  file", "  -");
        assert_eq!(place.hash_with(&["-a", algorithm], &data).good(), expected, "{algorithm}");
        let chunk = |chunk: &[&str], data: &[u8]| {
            let args: Vec<_> = ["-a", algorithm].iter().chain(chunk).copied().collect();
            place.hash_with(&args, data).good().to_owned()
        };
        let of_file = chunk(&["--chunk", "100001", "file"], b"");
        assert_eq!(chunk(&["--chunk", "100001", "-"], &data).replace(" -\n", " file\n"), of_file);
        assert_eq!(chunk(&["--chunk", "100001", "--threads", "3", "file"], b""), of_file);
        for (line, part) in of_file.lines().zip(data.chunks(100_001)) {
            let alone = place.hash_with(&["-a", algorithm], part);
            assert_eq!(line.split(' ').next(), alone.good().split(' ').next(), "{algorithm}");
        }
    }
}

/// HMAC over SM3 and SHA-3 is that of OpenSSL; over SHAKE there is none.
#[test]
fn keys_are_for_sm3_and_sha3_and_refused_for_shake() {
    let place = Place::new();
    place.write("key", "a key");
    place.write("file", noise(1000, 1));
    if has("openssl") {
        for (algorithm, options, ..) in &ALGORITHMS[..5] {
            let args = ["dgst", options[0], "-hmac", "a key", "file"];
            let theirs = place.tool("openssl", &args, b"");
            let args = ["-a", algorithm, "--hmac-key-file", "key", "--tag", "file"];
            let ours = place.hash(&args).good().replace(" (", "(").replace(") = ", ")= ");
            assert_eq!(ours, theirs.good(), "{algorithm}");
        }
    }
    let said = place.hash(&["-a", "shake128", "--hmac-key-file", "key", "file"]);
    assert_eq!((said.code, said.text()), (Some(2), ""));
    assert!(said.stderr.contains("no HMAC over SHAKE-128"), "{}", said.stderr);
}
