//! `broadloom verify-signatures` takes what OpenSSL and minisign sign, and refuses everything else.

use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use base64ct::{Base64, Encoding};
use broadloom_testing::has;
use rustix::process::Signal;

use crate::common::{Place, Said, noise, run};

const MESSAGE: &str = include_str!("../minisign/message.txt");
const SIGNATURE: &str = include_str!("../minisign/message.txt.minisig");
const LEGACY: &str = include_str!("../minisign/legacy.minisig");
const OTHER: &str = include_str!("../minisign/other.minisig");
const EMPTY: &str = include_str!("../minisign/empty.minisig");
const KEY: &str = include_str!("../minisign/release.pub");
const OTHER_KEY: &str = include_str!("../minisign/other.pub");

/// What OpenSSL 3.5 made: public keys of ML-DSA, and their signatures of a message (`openssl
/// pkeyutl -sign -rawin`).
const ML_DSA_MESSAGE: &str = include_str!("../ml_dsa/message.txt");
const ML_DSA: [(&str, &str, &[u8]); 3] = [
    ("44", include_str!("../ml_dsa/ml-dsa-44.pub.pem"), include_bytes!("../ml_dsa/ml-dsa-44.sig")),
    ("65", include_str!("../ml_dsa/ml-dsa-65.pub.pem"), include_bytes!("../ml_dsa/ml-dsa-65.sig")),
    ("87", include_str!("../ml_dsa/ml-dsa-87.pub.pem"), include_bytes!("../ml_dsa/ml-dsa-87.sig")),
];

/// What signify-openbsd made: a key, its signature of a message, and one that holds the message.
const SIGNIFY_KEY: &str = include_str!("../signify/release.pub");
const SIGNIFY_MESSAGE: &str = include_str!("../signify/message.txt");
const SIGNIFY_SIGNATURE: &str = include_str!("../signify/message.txt.sig");
const SIGNIFY_EMBEDDED: &str = include_str!("../signify/embedded.sig");

/// What OpenSSL 4.0 made of SLH-DSA: keys, and certificates as their signatures cover them.
const SLH_DSA: [(&str, &str, &[u8], &[u8]); 2] = [
    (
        "sha2",
        include_str!("../slh-dsa/sha2-128s.pub"),
        include_bytes!("../slh-dsa/sha2-128s.tbs"),
        include_bytes!("../slh-dsa/sha2-128s.tbs.sig"),
    ),
    (
        "shake",
        include_str!("../slh-dsa/shake-128s.pub"),
        include_bytes!("../slh-dsa/shake-128s.tbs"),
        include_bytes!("../slh-dsa/shake-128s.tbs.sig"),
    ),
];

fn verify(place: &Place, args: &[&str]) -> Said {
    verify_with(place, args, b"")
}

fn verify_with(place: &Place, args: &[&str], stdin: &[u8]) -> Said {
    run(place.command("verify-signatures").args(args), stdin)
}

/// Asserts the exit status, standard output and standard error, there without the program's name.
fn says(said: &Said, code: i32, stdout: &str, stderr: &str) {
    let errors = said.stderr.replace("broadloom verify-signatures: ", "");
    assert_eq!((said.code, said.text(), errors.as_str()), (Some(code), stdout, stderr));
}

/// A place with minisign's keys and `m`, which `m.minisig` signs.
fn signed() -> Place {
    let place = Place::new();
    place.write("k.pub", KEY);
    place.write("o.pub", OTHER_KEY);
    place.write("m", MESSAGE);
    place.write("m.minisig", SIGNATURE);
    place
}

/// Runs `openssl`, which is there.
fn openssl(place: &Place, args: &str) {
    let mut command = Command::new("openssl");
    let said = run(command.args(args.split(' ')).current_dir(place.path()), b"");
    assert_eq!(said.code, Some(0), "openssl {args}: {}", said.stderr);
}

/// Makes a key pair of OpenSSL, `NAME.pem` and `NAME.pub`.
fn key(place: &Place, name: &str, how: &str) {
    openssl(place, &format!("genpkey {how} -out {name}.pem"));
    openssl(place, &format!("pkey -in {name}.pem -pubout -out {name}.pub"));
}

#[test]
fn minisign_signatures_of_both_kinds() {
    let place = signed();
    place.write("old", MESSAGE);
    place.write("old.minisig", LEGACY);
    place.write("none", "");
    place.write("none.minisig", EMPTY);
    let files = ["-k", "k.pub", "m", "old", "none"];
    says(&verify(&place, &files), 0, "m: OK\nold: OK\nnone: OK\n", "");
    let line = KEY.lines().nth(1).unwrap();
    says(&verify(&place, &["-P", line, "m"]), 0, "m: OK\n", "");
    place.write("m", format!("{MESSAGE} "));
    place.write("old", format!("{MESSAGE} "));
    place.write("none", "x");
    let failed = "m: FAILED\nold: FAILED\nnone: FAILED\n";
    says(&verify(&place, &files), 1, failed, "WARNING: 3 signatures did NOT verify\n");
}

#[test]
fn a_key_is_chosen_by_its_number() {
    let place = signed();
    place.write("x", MESSAGE);
    place.write("x.minisig", OTHER);
    let both = ["-k", "k.pub", "-k", "o.pub", "-v", "m", "x"];
    says(
        &verify(&place, &both),
        0,
        "m: OK\nm: key: k.pub\nm: trusted comment: release 1.0 of message.txt\n\
         x: OK\nx: key: o.pub\nx: trusted comment: 'a'$'\\033''[2Jb'\n",
        "",
    );
    let said = verify(&place, &["-k", "k.pub", "x"]);
    assert_eq!((said.code, said.text()), (Some(1), "x: FAILED\n"));
    assert!(said.stderr.contains("x.minisig: it was made with the key "), "{}", said.stderr);
    // The number of one key in the signature of another.
    let line = |text: &'static str| text.lines().nth(1).unwrap();
    let blob = |text| Base64::decode_vec(line(text)).unwrap();
    let mixed = Base64::encode_string(&[&blob(SIGNATURE)[..10], &blob(OTHER)[10..]].concat());
    place.write("m.minisig", SIGNATURE.replace(line(SIGNATURE), &mixed));
    let said = verify(&place, &["-k", "k.pub", "-k", "o.pub", "m"]);
    assert_eq!((said.code, said.text()), (Some(1), "m: FAILED\n"));
}

#[test]
fn signatures_of_signify_are_read() {
    let place = signed();
    place.write("s.pub", SIGNIFY_KEY);
    place.write("s", SIGNIFY_MESSAGE);
    place.write("s.sig", SIGNIFY_SIGNATURE);
    let both = ["-k", "k.pub", "-k", "s.pub", "-v", "s", "m"];
    let comment = "m: trusted comment: release 1.0 of message.txt\n";
    let good = format!("s: OK\ns: key: s.pub\nm: OK\nm: key: k.pub\n{comment}");
    says(&verify(&place, &both), 0, &good, "");
    place.write("s", SIGNIFY_MESSAGE.replace("warp", "weft"));
    let bad = "WARNING: 1 signature did NOT verify\n";
    says(&verify(&place, &["-k", "s.pub", "s"]), 1, "s: FAILED\n", bad);
    place.write("s", SIGNIFY_MESSAGE);
    // minisign says in the comment of a key that it is its own. Such a key verifies nothing else.
    place.write("mini.pub", SIGNIFY_KEY.replace("broadloom release", "minisign"));
    for (key, text) in [
        ("k.pub", "it was made with the key 5FDAB988CE06666C, which is not given"),
        ("mini.pub", "it is of signify, and the key mini.pub of minisign, which verifies"),
    ] {
        let said = verify(&place, &["-k", key, "s"]);
        assert_eq!((said.code, said.text()), (Some(1), "s: FAILED\n"), "{key}");
        assert!(said.stderr.contains(&format!("s.sig: {text}")), "{}", said.stderr);
    }
    let line = SIGNIFY_KEY.lines().nth(1).unwrap();
    assert_eq!(verify(&place, &["-P", line, "s"]).code, Some(1));
    // One of minisign for the files themselves, without its trusted comment, is of the same form.
    place.write("m", MESSAGE);
    place.write("m.minisig", LEGACY.lines().take(2).collect::<Vec<_>>().join("\n"));
    let said = verify(&place, &["-k", "k.pub", "m"]);
    assert_eq!((said.code, said.text()), (Some(1), "m: FAILED\n"));
    assert!(said.stderr.contains("m.minisig: it is of signify, and the key k.pub of minisign"));
    place.write("s.sig", SIGNIFY_EMBEDDED);
    let said = verify(&place, &["-k", "s.pub", "s"]);
    assert_eq!((said.code, said.text()), (Some(1), "s: FAILED\n"));
    assert!(said.stderr.contains("holds its message (-e) is not read"), "{}", said.stderr);
}

#[test]
fn signatures_of_ml_dsa_are_those_of_openssl() {
    let place = Place::new();
    let mut args = Vec::new();
    for (set, key, signature) in ML_DSA {
        place.write(format!("{set}.pub"), key);
        place.write(set, ML_DSA_MESSAGE);
        place.write(format!("{set}.sig"), signature);
    }
    let keys = ML_DSA.map(|(set, ..)| format!("{set}.pub"));
    args.extend(keys.iter().flat_map(|key| ["-k", key]));
    args.extend(ML_DSA.map(|(set, ..)| set));
    says(&verify(&place, &args), 0, "44: OK\n65: OK\n87: OK\n", "");

    for (set, _, signature) in ML_DSA {
        let mut flipped = signature.to_vec();
        flipped[signature.len() / 2] ^= 1;
        place.write("wrong.sig", flipped);
        place.write("list", format!("wrong.sig  {set}\n{set}.sig  {set}\n"));
        let said = verify(&place, &["-k", &format!("{set}.pub"), "-c", "list"]);
        let text = format!("{set}: FAILED\n{set}: OK\n");
        assert_eq!((said.code, said.text()), (Some(1), text.as_str()), "{}", said.stderr);
        // Of another file it is none.
        place.write("other", "weft and warp\n");
        place.write("other.sig", signature);
        let said = verify(&place, &["-k", &format!("{set}.pub"), "other"]);
        assert_eq!((said.code, said.text()), (Some(1), "other: FAILED\n"));
        place.write("other.sig", &signature[1..]);
        let said = verify(&place, &["-k", &format!("{set}.pub"), "other"]);
        assert_eq!((said.code, said.text()), (Some(1), "other: FAILED\n"));
        let expected = format!("expected: {} bytes for ml-dsa-{set}", signature.len());
        assert!(said.stderr.contains(&expected), "{}", said.stderr);
    }
    let said = verify(&place, &["-k", "44.pub", "--max-message", "5", "44"]);
    assert_eq!((said.code, said.text()), (Some(1), "44: FAILED open or read\n"));
    assert!(said.stderr.contains("over no digest needs all of them"), "{}", said.stderr);
}

#[test]
fn trusted_comments_are_verified() {
    let place = signed();
    place.write("m.minisig", SIGNATURE.replace("release 1.0", "release 1.1"));
    says(
        &verify(&place, &["-k", "k.pub", "m"]),
        1,
        "m: FAILED\n",
        "m.minisig: the signature of the trusted comment did NOT verify\n\
         WARNING: 1 signature did NOT verify\n",
    );
}

#[test]
fn damaged_minisign_files_name_what_is_wrong() {
    let place = signed();
    let lines: Vec<&str> = SIGNATURE.lines().collect();
    let short = format!("{}\n{}", lines[0], &lines[1][1..]);
    for (text, reason) in [
        ("", "the signature file is empty"),
        (lines[0], "the file ends before the signature"),
        (&lines[..2].join("\n"), "the file ends before the trusted comment"),
        (&short, "a signature of minisign is 100 characters of base64"),
        (&format!("{SIGNATURE}x"), "there is more behind the last line"),
        (&"x".repeat(70_000), "the file has more than 65536 bytes and is no signature"),
        (lines[1], "these 100 bytes are no signature of any key that is given"),
    ] {
        place.write("m.minisig", text);
        let said = verify(&place, &["-k", "k.pub", "m"]);
        assert_eq!((said.code, said.text()), (Some(1), "m: FAILED\n"), "{text}");
        assert!(said.stderr.contains(&format!("m.minisig: {reason}")), "{}", said.stderr);
    }
}

#[test]
fn lists_are_read_and_quiet_options_are_those_of_sha256sum() {
    let place = signed();
    let list = "# a comment\n\nm.minisig  m\nnonsense\nm.minisig  k.pub\nm.minisig  gone\n";
    place.write("list", list);
    let check = |options: &[&str]| {
        let args = [&["-k", "k.pub", "-c", "list"], options].concat();
        verify(&place, &args)
    };
    let gone = "gone: No such file or directory\n";
    let lines = "m: OK\nk.pub: FAILED\ngone: FAILED open or read\n";
    let improper = "WARNING: 1 line is improperly formatted\n";
    let unread = "WARNING: 1 listed file could not be read\n";
    let bad = "WARNING: 1 signature did NOT verify\n";
    says(&check(&[]), 1, lines, &format!("{gone}{improper}{unread}{bad}"));
    says(&check(&["--quiet"]), 1, &lines[6..], &format!("{gone}{improper}{unread}{bad}"));
    says(&check(&["--status"]), 1, "", gone);
    let without = &lines[..lines.find("gone").unwrap()];
    says(&check(&["--ignore-missing"]), 1, without, &format!("{improper}{bad}"));
    let warned = check(&["-w"]);
    assert!(warned.stderr.contains("list: 4: improperly formatted signature line\n"));
    place.write("list", "m.minisig  m\nnonsense\n");
    says(&check(&[]), 0, "m: OK\n", improper);
    says(&check(&["--strict"]), 1, "m: OK\n", improper);
    place.write("list", "m.minisig  gone\n");
    says(&check(&["--ignore-missing"]), 1, "", "list: no file was verified\n");
    place.write("list", "nonsense\n");
    says(&check(&[]), 1, "", "list: no properly formatted signature lines found\n");
    let said = verify(&place, &["-k", "k.pub", "-c", "no list"]);
    says(&said, 1, "", "'no list': No such file or directory\n");
    let said = verify_with(&place, &["-k", "k.pub", "-c"], b"m.minisig  m\r\nm.minisig  -\n");
    says(&said, 0, "m: OK\n", improper);
}

#[test]
fn names_with_newlines_are_escaped() {
    let place = signed();
    place.write("n\nl\\", MESSAGE);
    place.write("n\nl\\.minisig", SIGNATURE);
    says(&verify(&place, &["-k", "k.pub", "n\nl\\"]), 0, "\\n\\nl\\\\: OK\n", "");
    place.write("list", "\\n\\nl\\\\.minisig  n\\nl\\\\\n");
    says(&verify(&place, &["-k", "k.pub", "-c", "list"]), 0, "\\n\\nl\\\\: OK\n", "");
}

#[test]
fn what_is_missing_is_named() {
    let place = signed();
    place.write("bare", "x");
    says(
        &verify(&place, &["-k", "k.pub", "bare", "m"]),
        1,
        "bare: FAILED open or read\nm: OK\n",
        "bare.minisig, bare.sig: No such file or directory\nWARNING: 1 file could not be read\n",
    );
    // A file without a signature is no missing file.
    let said = verify(&place, &["-k", "k.pub", "--ignore-missing", "bare", "nothing", "m"]);
    assert_eq!((said.code, said.text()), (Some(1), "bare: FAILED open or read\nm: OK\n"));
    let said = verify(&place, &["-k", "k.pub", "--ignore-missing", "nothing", "m"]);
    says(&said, 0, "m: OK\n", "");
    place.write("dir/x", "");
    place.write("dir.minisig", SIGNATURE);
    says(
        &verify(&place, &["-k", "k.pub", "dir"]),
        1,
        "dir: FAILED open or read\n",
        "dir: Is a directory\nWARNING: 1 file could not be read\n",
    );
    place.write("m.asc", SIGNATURE);
    says(&verify(&place, &["-k", "k.pub", "--suffix", ".asc", "m"]), 0, "m: OK\n", "");
}

#[test]
fn wrong_keys_and_wrong_command_lines() {
    let place = signed();
    place.write("text", "no key\n");
    place.write("bytes", [0xff; 9]);
    place.write("cut.pub", KEY.lines().next().unwrap());
    for (args, code, text) in [
        (&["m"][..], 2, "--key <FILE>"),
        (&["-k", "k.pub"], 2, "<PATH>..."),
        (&["-k", "k.pub", "--hash", "md5", "m"], 2, "possible values: sha224, sha256"),
        (&["-k", "k.pub", "--padding", "oaep", "m"], 2, "possible values: pkcs1, pss"),
        (&["-k", "k.pub", "--threads", "0", "m"], 2, "a number of threads is 1 to 256"),
        (&["-k", "k.pub", "--provider", "gzip", "m"], 2, "no provider is called"),
        (&["-k", "k.pub", "--strict", "m"], 2, "--check"),
        (&["-k", "k.pub", "--salt-length", "max", "m"], 2, "is of use for --padding pss only"),
        (
            &["-k", "k.pub", "--padding", "pss", "--salt-length", "long", "m"],
            2,
            "valid: a number of bytes, digest, max or auto",
        ),
        (&["-P", "RWS", "m"], 2, "a public key of minisign is 56 characters of base64"),
        (&["-k", "gone.pub", "m"], 1, "gone.pub: No such file or directory"),
        (&["-k", "text", "m"], 1, "text: the key cannot be read: there is no PEM block"),
        (&["-k", "bytes", "m"], 1, "bytes: it is neither PEM nor a public key file of minisign"),
        (&["-k", "cut.pub", "m"], 1, "cut.pub: the file ends before the public key"),
    ] {
        let said = verify(&place, args);
        assert_eq!((said.code, said.text()), (Some(code), ""), "{args:?}: {}", said.stderr);
        assert!(said.stderr.contains(text), "{args:?}: {}", said.stderr);
    }
}

#[test]
fn files_too_long_for_pure_ed25519_are_refused() {
    let place = signed();
    place.write("m.minisig", LEGACY);
    let args = |limit| ["-k", "k.pub", "--max-message", limit, "m"];
    says(&verify(&place, &args("28")), 0, "m: OK\n", "");
    let said = verify(&place, &args("27"));
    assert_eq!((said.code, said.text()), (Some(1), "m: FAILED open or read\n"));
    assert!(said.stderr.contains("m: it has more than 27 bytes"), "{}", said.stderr);
    // A hole of a tebibyte takes no memory.
    File::create(place.path().join("m")).unwrap().set_len(1 << 40).unwrap();
    let said = verify(&place, &["-k", "k.pub", "m"]);
    assert_eq!((said.code, said.text()), (Some(1), "m: FAILED open or read\n"));
}

#[test]
fn an_output_that_is_closed_or_whose_reader_has_left_ends_the_run() {
    let place = signed();
    let mut shell = Command::new("sh");
    let script =
        format!("exec {} verify-signatures -k k.pub m >&-", env!("CARGO_BIN_EXE_broadloom"));
    let said = run(shell.args(["-c", &script]).current_dir(place.path()), b"");
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.contains("write error: Bad file descriptor"), "{}", said.stderr);
    let mut command = place.command("verify-signatures");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = command.args(["-k", "k.pub", "m"]).stdout(writer).stdin(Stdio::null()).status();
    assert_eq!(status.unwrap().signal(), Some(Signal::PIPE.as_raw()), "as without a handler");
}

/// Keys of OpenSSL, and how it makes them.
const KEYS: [(&str, &str); 8] = [
    ("rsa", "-algorithm RSA -pkeyopt rsa_keygen_bits:2048"),
    ("p256", "-algorithm EC -pkeyopt ec_paramgen_curve:P-256"),
    ("p384", "-algorithm EC -pkeyopt ec_paramgen_curve:P-384"),
    ("p521", "-algorithm EC -pkeyopt ec_paramgen_curve:P-521"),
    ("secp256k1", "-algorithm EC -pkeyopt ec_paramgen_curve:secp256k1"),
    ("k283", "-algorithm EC -pkeyopt ec_paramgen_curve:sect283k1"),
    ("b283", "-algorithm EC -pkeyopt ec_paramgen_curve:sect283r1"),
    ("ed25519", "-algorithm ED25519"),
];

#[test]
fn what_openssl_signs_verifies_and_nothing_else() {
    if !has("openssl") {
        return;
    }
    let place = Place::new();
    let contents = [Vec::new(), b"x".to_vec(), noise(70_000, 1), noise(5 << 20, 2)];
    let mut files = Vec::new();
    for (name, how) in KEYS {
        key(&place, name, how);
        for (number, content) in contents.iter().enumerate() {
            let file = format!("{name}-{number}");
            place.write(&file, content);
            let sign = match name {
                "ed25519" => format!("pkeyutl -sign -rawin -inkey {name}.pem -in {file}"),
                _ => format!("dgst -sha256 -sign {name}.pem"),
            };
            match name {
                // OpenSSL 3.0 signs no empty file.
                "ed25519" if content.is_empty() => continue,
                "ed25519" => openssl(&place, &format!("{sign} -out {file}.sig")),
                _ => openssl(&place, &format!("{sign} -out {file}.sig {file}")),
            }
            files.push(file);
        }
    }
    let keys = KEYS.map(|(name, _)| format!("{name}.pub"));
    let mut args: Vec<&str> = keys.iter().flat_map(|key| ["-k", key]).collect();
    args.extend(files.iter().map(String::as_str));
    let good: String = files.iter().map(|file| format!("{file}: OK\n")).collect();
    says(&verify(&place, &args), 0, &good, "");
    args.extend(["--threads", "3"]);
    says(&verify(&place, &args), 0, &good, "");

    // Each file gets the signature of another; each signature is damaged in several ways.
    for file in &files {
        let right = place.read(format!("{file}.sig"));
        let mut flipped = right.clone();
        *flipped.last_mut().unwrap() ^= 1;
        let other = place.read(format!("{}-1.sig", file.split('-').next().unwrap()));
        let wrong = [flipped, right[1..].to_vec(), [&right[..], &[0]].concat(), other];
        for (number, wrong) in wrong.iter().enumerate() {
            if *wrong == right {
                continue;
            }
            place.write("wrong.sig", wrong);
            place.write("list", format!("wrong.sig  {file}\n{file}.sig  {file}\n"));
            let list: Vec<&str> =
                keys.iter().flat_map(|key| ["-k", key]).chain(["-c", "list"]).collect();
            let said = verify(&place, &list);
            let text = format!("{file}: FAILED\n{file}: OK\n");
            assert_eq!((said.code, said.text()), (Some(1), text.as_str()), "{number}");
        }
    }
}

#[test]
fn signatures_of_slh_dsa_are_over_the_file_itself() {
    let place = Place::new();
    for (name, key, message, signature) in SLH_DSA {
        place.write(format!("{name}.pub"), key);
        place.write(name, message);
        place.write(format!("{name}.sig"), signature);
    }
    // Signatures of both keys are equally long, so that each key is tried. A hash has no effect.
    let args = ["-k", "sha2.pub", "-k", "shake.pub", "-a", "sha512", "-v", "sha2", "shake"];
    let good = "sha2: OK\nsha2: key: sha2.pub\nshake: OK\nshake: key: shake.pub\n";
    says(&verify(&place, &args), 0, good, "");
    let bad = "WARNING: 1 signature did NOT verify\n";
    says(&verify(&place, &["-k", "shake.pub", "sha2"]), 1, "sha2: FAILED\n", bad);
    for (name, _, message, signature) in SLH_DSA {
        let mut flipped = signature.to_vec();
        flipped[5000] ^= 1;
        place.write("f", message);
        place.write("f.sig", flipped);
        let key = format!("{name}.pub");
        says(&verify(&place, &["-k", &key, "f"]), 1, "f: FAILED\n", bad);
        place.write("f", &message[1..]);
        place.write("f.sig", signature);
        says(&verify(&place, &["-k", &key, "f"]), 1, "f: FAILED\n", bad);
        place.write("f.sig", &signature[1..]);
        let said = verify(&place, &["-k", &key, "f"]);
        assert_eq!((said.code, said.text()), (Some(1), "f: FAILED\n"));
        let expected = format!("expected: 7856 bytes for slh-dsa-{name}-128s");
        assert!(said.stderr.contains(&expected), "{}", said.stderr);
        place.write("f.sig", signature);
        let said = verify(&place, &["-k", &key, "--max-message", "148", "f"]);
        assert_eq!((said.code, said.text()), (Some(1), "f: FAILED open or read\n"));
        assert!(said.stderr.contains("f: it has more than 148 bytes"), "{}", said.stderr);
    }
}

#[test]
fn paddings_hashes_and_several_keys_of_a_kind() {
    if !has("openssl") {
        return;
    }
    let place = Place::new();
    place.write("f", noise(1000, 3));
    for name in ["one", "two"] {
        key(&place, name, KEYS[0].1);
    }
    openssl(&place, "dgst -sha512 -sign two.pem -out f.sig f");
    let with = |options: &[&str]| {
        verify(&place, &[&["-k", "one.pub", "-k", "two.pub", "f"], options].concat())
    };
    says(&with(&["--hash", "SHA512", "-v"]), 0, "f: OK\nf: key: two.pub\n", "");
    let bad = "WARNING: 1 signature did NOT verify\n";
    says(&with(&[]), 1, "f: FAILED\n", bad);
    says(&with(&["--hash", "sha512", "--padding", "pss"]), 1, "f: FAILED\n", bad);
    let pss = "-sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest";
    openssl(&place, &format!("dgst -sha384 {pss} -sign one.pem -out f.sig f"));
    says(&with(&["--hash", "sha384", "--padding", "pss"]), 0, "f: OK\n", "");
    says(&with(&["--hash", "sha384"]), 1, "f: FAILED\n", bad);
    openssl(&place, "rsa -in one.pem -RSAPublicKey_out -out one.pkcs1");
    let said = verify(
        &place,
        &["-k", "one.pkcs1", "-a", "sha384", "--padding", "pss", "--provider", "openssl", "f"],
    );
    says(&said, 0, "f: OK\n", "");
    // A key of minisign verifies no bare signatures.
    place.write("k.pub", KEY);
    place.write("f.sig", [7; 64]);
    let said = verify(&place, &["-k", "k.pub", "f"]);
    assert_eq!((said.code, said.text()), (Some(1), "f: FAILED\n"));
    assert!(said.stderr.contains("expected: a minisign file for the key "), "{}", said.stderr);
}

#[test]
fn salts_of_other_lengths_are_taken_by_whoever_asks() {
    if !has("openssl") {
        return;
    }
    let place = Place::new();
    place.write("f", noise(1000, 3));
    place.write("g", noise(1000, 4));
    for name in ["one", "two"] {
        key(&place, name, KEYS[0].1);
    }
    let verify_with = |salt_length: &str, provider: &str| {
        let keys = ["-k", "one.pub", "-k", "two.pub", "--padding", "pss"];
        let options = ["--salt-length", salt_length, "--provider", provider, "f"];
        verify(&place, &[&keys[..], &options].concat())
    };
    let bad = "WARNING: 1 signature did NOT verify\n";
    // OpenSSL 3.0 makes the longest unless told.
    for (made, takes) in [
        ("", &["max", "222", "auto"][..]),
        (" -sigopt rsa_pss_saltlen:max", &["max", "222", "auto"]),
        (" -sigopt rsa_pss_saltlen:digest", &["digest", "32", "auto"]),
        (" -sigopt rsa_pss_saltlen:20", &["20", "auto"]),
        (" -sigopt rsa_pss_saltlen:0", &["0", "auto"]),
    ] {
        let pss = format!("-sigopt rsa_padding_mode:pss{made}");
        openssl(&place, &format!("dgst -sha256 {pss} -sign two.pem -out f.sig f"));
        for asked in ["digest", "max", "auto", "0", "20", "32", "222"] {
            for provider in ["native", "openssl"] {
                let said = verify_with(asked, provider);
                if takes.contains(&asked) {
                    says(&said, 0, "f: OK\n", "");
                    continue;
                }
                let len = match asked {
                    "digest" => "32",
                    "max" => "222",
                    len => len,
                };
                let hint = format!(
                    "f.sig: it is right for two.pub but for its salt, which has not {len} bytes: \
                     --salt-length auto takes any, max those of openssl dgst -sign\n{bad}"
                );
                says(&said, 1, "f: FAILED\n", &hint);
            }
        }
        // The signature of another file is not right with any salt.
        place.write("g.sig", place.read("f.sig"));
        for options in [&[][..], &["--salt-length", "auto"]] {
            let args = [&["-k", "two.pub", "--padding", "pss", "g"], options].concat();
            says(&verify(&place, &args), 1, "g: FAILED\n", bad);
        }
    }
    let args = ["-k", "one.pub", "--padding", "pss", "--salt-length", "223", "f"];
    let said = verify(&place, &args);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("do not fit into the modulus"), "{}", said.stderr);
}

#[test]
fn huge_files_are_hashed_in_little_memory() {
    if !has("openssl") {
        return;
    }
    let place = Place::new();
    key(&place, "p256", KEYS[1].1);
    File::create(place.path().join("f")).unwrap().set_len(64 << 20).unwrap();
    openssl(&place, "dgst -sha256 -sign p256.pem -out f.sig f");
    let mut shell = Command::new("sh");
    // 1 GiB of addresses: the limit of pure Ed25519 would not fit beside the program.
    let script = format!(
        "ulimit -v 1048576; exec {} verify-signatures -k p256.pub f",
        env!("CARGO_BIN_EXE_broadloom")
    );
    let said = run(shell.args(["-c", &script]).current_dir(place.path()), b"");
    says(&said, 0, "f: OK\n", "");
}
