//! `broadloom encrypt` and `decrypt`: files, pipes, and what age and openssl make of them.

use std::fs::{self, File, Permissions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use broadloom_testing::has;

use crate::common::{Place, Said, noise, run, run_unblocked, text};

/// Lengths around the ends of chunks (64 KiB), of groups of chunks and of small files.
const LENGTHS: [usize; 8] = [0, 1, 65535, 65536, 65537, 524_288, 1_048_577, 3_000_000];

/// A place with a key in `key` and its recipient.
fn keyed() -> (Place, String) {
    let place = Place::new();
    let said = run(place.command("keygen").args(["-o", "key"]), b"");
    assert_eq!((said.code, said.text()), (Some(0), ""));
    let recipient = said.stderr.strip_prefix("Public key: ").expect("it is named").trim();
    (place, recipient.to_owned())
}

fn encrypt(place: &Place, args: &[&str], stdin: &[u8]) -> Said {
    run(place.command("encrypt").args(args), stdin)
}

fn decrypt(place: &Place, args: &[&str], stdin: &[u8]) -> Said {
    run(place.command("decrypt").args(args), stdin)
}

/// Asserts an error of one line.
fn refused(said: &Said, code: i32, text: &str) {
    assert_eq!((said.code, said.stderr.lines().count()), (Some(code), 1), "{}", said.stderr);
    assert!(said.stderr.contains(text), "{}", said.stderr);
}

#[test]
fn keys_are_those_of_age_keygen() {
    let (place, recipient) = keyed();
    let key = String::from_utf8(place.read("key")).expect("it is text");
    let lines: Vec<&str> = key.lines().collect();
    assert!(lines[0].starts_with("# created: 20"), "{key}");
    assert_eq!(lines[1], format!("# public key: {recipient}"));
    assert!(lines[2].starts_with("AGE-SECRET-KEY-1") && lines.len() == 3);
    let mode = fs::metadata(place.path().join("key")).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let again = run(place.command("keygen").args(["-o", "key"]), b"");
    refused(&again, 1, "key: File exists");
    let public = run(place.command("keygen").args(["-y", "key"]), b"");
    assert_eq!(public.good(), format!("{recipient}\n"));
    let public = run(place.command("keygen").arg("-y"), &place.read("key"));
    assert_eq!(public.good(), format!("{recipient}\n"));
    if has("age-keygen") {
        assert_eq!(place.tool("age-keygen", &["-y", "key"], b"").good(), format!("{recipient}\n"));
    }
}

#[test]
fn files_are_replaced_and_come_back() {
    let (place, recipient) = keyed();
    for len in LENGTHS {
        let data = noise(len, 1);
        place.write("a", &data);
        fs::set_permissions(place.path().join("a"), Permissions::from_mode(0o640)).expect("ours");
        assert_eq!(encrypt(&place, &["-r", &recipient, "a"], b"").good(), "");
        assert_eq!(place.names("."), ["a.age", "key"]);
        let file = place.read("a.age");
        let chunks = len.div_ceil(65536).max(1);
        assert!(file.starts_with(b"age-encryption.org/v1\n-> X25519 "));
        assert!(file.len() >= len + 16 * chunks && file.len() < len + 16 * chunks + 300);
        let mode = fs::metadata(place.path().join("a.age")).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        assert_eq!(decrypt(&place, &["-i", "key", "a.age"], b"").good(), "");
        assert!(place.read("a") == data, "{len} bytes");
        assert_eq!(place.names("."), ["a", "key"]);
    }
}

#[test]
fn many_files_are_worked_on_side_by_side() {
    let (place, recipient) = keyed();
    place.write("recipients", format!("# the others\n\n{recipient}\n"));
    let name = |number: usize| format!("d/{}/{number}", number % 7);
    for number in 0..200 {
        place.write(name(number), noise(number * 100, number as u64));
    }
    place.write("d/large", noise(2_500_000, 9));
    let args = ["-R", "recipients", "--recursive", "--threads", "3", "d"];
    assert_eq!(encrypt(&place, &args, b"").good(), "");
    assert_eq!(place.names("d/0").iter().filter(|name| !name.ends_with(".age")).count(), 0);
    // What has the suffix is not encrypted again.
    assert_eq!(encrypt(&place, &args, b"").good(), "");
    let tested = decrypt(&place, &["-i", "key", "--recursive", "-t", "-v", "d"], b"");
    assert_eq!(tested.stderr.matches(":\tOK").count(), 201, "{}", tested.stderr);
    assert_eq!(decrypt(&place, &["-i", "key", "--recursive", "d"], b"").good(), "");
    for number in 0..200 {
        assert!(place.read(name(number)) == noise(number * 100, number as u64), "{number}");
    }
    assert!(place.read("d/large") == noise(2_500_000, 9));
}

#[test]
fn pipes_and_outputs_give_the_same() {
    let (place, recipient) = keyed();
    let data = text(1_500_000, 3);
    place.write("a", &data);
    place.write("there", "old");
    for threads in ["1", "2", "5"] {
        let piped = encrypt(&place, &["-r", &recipient, "--threads", threads], &data);
        assert_eq!((piped.code, piped.stderr.as_str()), (Some(0), ""));
        let back = decrypt(&place, &["-i", "key", "--threads", threads], &piped.stdout);
        assert!(back.stdout == data);
    }
    assert_eq!(encrypt(&place, &["-i", "key", "-o", "there", "a"], b"").good(), "");
    assert_eq!(encrypt(&place, &["-i", "key", "-o", "piped"], &data).good(), "");
    assert_eq!(encrypt(&place, &["-i", "key", "-a", "-o", "text", "a"], b"").good(), "");
    assert!(place.read("text").starts_with(b"-----BEGIN AGE ENCRYPTED FILE-----\n"));
    for file in ["there", "piped", "text"] {
        assert!(decrypt(&place, &["-i", "key", "-c", file], b"").stdout == data, "{file}");
        assert_eq!(decrypt(&place, &["-i", "key", "-o", "back", file], b"").good(), "");
        assert!(place.read("back") == data, "{file}");
    }
    assert!(place.path().join("a").exists(), "-o keeps the file");
    refused(&encrypt(&place, &["-i", "key", "-o", "a", "a"], b""), 1, "a: is the same file");
    refused(&encrypt(&place, &["-i", "key", "-o", "x", "a", "key"], b""), 2, "-o takes one file");
}

/// Returns the system calls of `broadloom encrypt` that wait for the disk, as strace sees them.
fn syncs(place: &Place, args: &[&str]) -> Vec<String> {
    let command = [&[env!("CARGO_BIN_EXE_broadloom"), "encrypt"], args].concat();
    let calls = place.trace("fsync,fdatasync,syncfs", &command);
    calls.lines().filter(|line| line.contains("sync")).map(str::to_owned).collect()
}

#[test]
fn the_disk_is_waited_for_where_a_file_goes_or_is_asked_for() {
    if !has("strace") {
        return;
    }
    let (place, recipient) = keyed();
    place.write("a", "data");
    let syncs = |args: &[&str]| syncs(&place, &[&["-r", &recipient], args].concat());
    // The source stays, and nothing is replaced: nothing could be lost.
    assert_eq!(syncs(&["-k", "a"]), Vec::<String>::new());
    assert_eq!(syncs(&["-o", "out", "a"]), Vec::<String>::new());
    // What was there before would be lost.
    assert!(!syncs(&["-o", "out", "a"]).is_empty());
    assert!(!syncs(&["-k", "-f", "a"]).is_empty());
    fs::remove_file(place.path().join("out")).expect("it is there");
    let calls = syncs(&["-o", "out", "--synchronous", "a"]);
    assert!(calls.len() >= 2, "the file and its directory: {calls:?}");
    fs::remove_file(place.path().join("a.age")).expect("it is there");
    let calls = syncs(&["a"]);
    assert!(calls.len() >= 2, "the file and its directory: {calls:?}");
    assert_eq!(place.names("."), ["a.age", "key", "out", "trace"]);
}

#[test]
fn the_disk_gets_a_file_that_replaces_another_while_it_is_made() {
    if !has("strace") {
        return;
    }
    let (place, recipient) = keyed();
    place.write("out", "old");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qqq", "-o", "trace", "-e", "trace=fdatasync"]);
    strace.arg(env!("CARGO_BIN_EXE_broadloom")).args(["encrypt", "-r", &recipient, "-o", "out"]);
    let mut child = strace.current_dir(place.path()).stdin(Stdio::piped()).spawn().expect("it is");
    let mut stdin = child.stdin.take().expect("a pipe");
    let data = noise(24 << 20, 1);
    stdin.write_all(&data).expect("it is read");
    // The rest is not there yet: the disk does not wait for it.
    let deadline = Instant::now() + Duration::from_secs(60);
    while !String::from_utf8_lossy(&place.read("trace")).contains("fdatasync(") {
        assert!(Instant::now() < deadline, "the disk gets nothing before the end");
        thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(place.read("out"), b"old");
    stdin.write_all(b"the end").expect("it is read");
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
    let said = decrypt(&place, &["-i", "key", "-c", "out"], b"");
    assert!(said.code == Some(0) && said.stdout == [&data, &b"the end"[..]].concat());
}

#[test]
fn streams_that_do_not_block_are_waited_for() {
    let (place, recipient) = keyed();
    let data = noise(3_000_000, 1);
    let mut command = place.command("encrypt");
    command.args(["-r", &recipient]);
    let encrypted = run_unblocked(command, &data);
    assert_eq!((encrypted.code, encrypted.stderr.as_str()), (Some(0), ""));
    let mut command = place.command("decrypt");
    command.args(["-i", "key"]);
    let said = run_unblocked(command, &encrypted.stdout);
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
    assert!(said.stdout == data, "{} bytes", said.stdout.len());
}

#[test]
fn passphrases_come_from_files_commands_and_terminals() {
    let place = Place::new();
    place.write("pass", "the warp and the weft\nmore\n");
    place.write("a", "text");
    let closed = encrypt(&place, &["--passphrase-file", "pass", "-c", "a"], b"");
    assert_eq!((closed.code, closed.stderr.as_str()), (Some(0), ""));
    place.write("a.age", &closed.stdout);
    for (option, value) in [
        ("--passphrase-file", "pass"),
        ("--passphrase-command", "echo the warp and the weft; echo other"),
    ] {
        let said = decrypt(&place, &[option, value, "-c", "a.age"], b"");
        assert_eq!(said.good(), "text");
    }
    let wrong = decrypt(&place, &["--passphrase-command", "echo x", "-c", "a.age"], b"");
    refused(&wrong, 1, "a.age: no passphrase fits: the file is for a passphrase");
    let failed = decrypt(&place, &["--passphrase-command", "false", "-c", "a.age"], b"");
    refused(&failed, 1, "the command failed");
    place.write("empty", "\n");
    refused(&encrypt(&place, &["--passphrase-file", "empty", "a"], b""), 1, "it is empty");
    // Without a terminal nobody can be asked.
    let mut alone = Command::new("setsid");
    let program = env!("CARGO_BIN_EXE_broadloom");
    alone.args(["-w", program, "decrypt", "-c", "a.age"]).current_dir(place.path());
    refused(&run(&mut alone, b""), 1, "there is no terminal to ask for it");
    let shell = format!("{program} encrypt -p -k -o b a && {program} decrypt -o back b");
    let said = typed(&place, &["sh", "-c", &shell], b"pqx\x7f\npq\npq\n");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(!said.text().contains("pq"), "what is typed is not shown: {}", said.text());
    assert_eq!(place.read("back"), b"text");
}

/// Runs a command on a terminal where this is typed, a line whenever the command asks.
fn typed(place: &Place, command: &[&str], keys: &[u8]) -> Said {
    const SCRIPT: &str = "\
import os, pty, sys
lines = sys.stdin.buffer.read().split(b'\\n')
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
out = b''
asked = 0
try:
    while True:
        data = os.read(fd, 65536)
        if not data:
            break
        out += data
        while asked < out.count(b': ') and asked < len(lines):
            os.write(fd, lines[asked] + b'\\n')
            asked += 1
except OSError:
    pass
os.write(1, out)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))";
    let mut python = Command::new("python3");
    run(python.args(["-c", SCRIPT]).args(command).current_dir(place.path()), keys)
}

#[test]
fn age_reads_ours_and_we_read_ages() {
    if !has("age") {
        return;
    }
    let (place, recipient) = keyed();
    let other = run(place.command("keygen").args(["-o", "other"]), b"");
    let other = other.stderr.trim_start_matches("Public key: ").trim().to_owned();
    for len in LENGTHS {
        let data = noise(len, 4);
        place.write("a", &data);
        for armor in [None, Some("-a")] {
            let mut args = vec!["-r", &other, "-r", &recipient, "-o", "ours", "a"];
            args.extend(armor);
            assert_eq!(encrypt(&place, &args, b"").good(), "");
            let theirs = place.tool("age", &["-d", "-i", "key", "ours"], b"");
            assert!(theirs.code == Some(0) && theirs.stdout == data, "{len}: {}", theirs.stderr);
            let mut args = vec!["-r", &recipient, "-r", &other, "-o", "theirs"];
            args.extend(armor);
            args.push("a");
            assert_eq!(place.tool("age", &args, b"").code, Some(0));
            let ours = decrypt(&place, &["-i", "key", "-c", "theirs"], b"");
            assert!(ours.code == Some(0) && ours.stdout == data, "{len}: {}", ours.stderr);
        }
    }
}

#[test]
fn openssl_reads_ours_and_we_read_openssls() {
    let place = Place::new();
    place.write("pass", "the warp\n");
    for len in LENGTHS {
        let data = noise(len, 5);
        place.write("a", &data);
        for cipher in ["aes-256-cbc", "aes-256-ctr"] {
            let ours = ["--format", "openssl", "--cipher", cipher, "--passphrase-file", "pass"];
            let said = encrypt(&place, &[&ours[..], &["-q", "-o", "ours", "a"]].concat(), b"");
            assert_eq!(said.good(), "");
            let dashed = format!("-{cipher}");
            let theirs = ["enc", &dashed, "-pbkdf2", "-pass", "file:pass"];
            let read = [&theirs[..], &["-d", "-in", "ours", "-out", "back"]].concat();
            let said = place.tool("openssl", &read, b"");
            assert_eq!((said.code, place.read("back") == data), (Some(0), true), "{said:?}");
            let write = [&theirs[..], &["-in", "a", "-out", "theirs"]].concat();
            assert_eq!(place.tool("openssl", &write, b"").code, Some(0));
            let said = decrypt(&place, &[&ours[..], &["-q", "-c", "theirs"]].concat(), b"");
            assert!(said.code == Some(0) && said.stdout == data, "{cipher}, {len} bytes");
        }
    }
    place.write("small", "text");
    let args = ["--format", "openssl", "--passphrase-file", "pass", "small"];
    let said = encrypt(&place, &args, b"");
    assert_eq!(said.code, Some(0));
    assert!(said.stderr.contains("openssl's format does not authenticate"), "{}", said.stderr);
    assert_eq!(
        decrypt(&place, &["-q", args[0], args[1], args[2], args[3], "small.enc"], b"").good(),
        ""
    );
    assert_eq!(place.read("small"), b"text");
    let mut iterated = args.to_vec();
    iterated.extend(["--iterations", "7", "-q", "-o", "iterated"]);
    assert_eq!(encrypt(&place, &iterated, b"").good(), "");
    let read = ["enc", "-d", "-aes-256-cbc", "-pbkdf2", "-iter", "7", "-pass", "file:pass"];
    let said = place.tool("openssl", &[&read[..], &["-in", "iterated"]].concat(), b"");
    assert_eq!((said.code, said.stdout), (Some(0), b"text".to_vec()));
}

#[test]
fn damage_leaves_no_file_and_writes_nothing_unauthenticated() {
    let (place, recipient) = keyed();
    let data = noise(1_000_000, 6);
    place.write("a", &data);
    encrypt(&place, &["-r", &recipient, "-k", "a"], b"").good();
    let good = place.read("a.age");
    fs::remove_file(place.path().join("a")).expect("it is there");
    let start = good.len() - 1_000_000 - 16 * 16;
    let chunk = |number: usize| start + number * 65552;
    let mut flipped = good.clone();
    flipped[chunk(3) + 77] ^= 1;
    let swapped = [
        &good[..chunk(1)],
        &good[chunk(2)..chunk(3)],
        &good[chunk(1)..chunk(2)],
        &good[chunk(3)..],
    ]
    .concat();
    let mut header = good.clone();
    header[60] ^= 2;
    let whole = 65536;
    for (damaged, written, said) in [
        (flipped, 3 * whole, format!("at byte {}: the chunk does not authenticate", chunk(3))),
        (swapped, whole, format!("at byte {}: the chunk does not authenticate", chunk(1))),
        (
            good[..chunk(5)].to_vec(),
            5 * whole,
            format!("at byte {}: the input ends here", chunk(5)),
        ),
        (
            good[..chunk(5) + 9].to_vec(),
            5 * whole,
            format!("at byte {}: the input ends", chunk(5) + 9),
        ),
        ([&good[..], b"x"].concat(), 15 * whole, format!("at byte {}: the chunk", chunk(15))),
        (good[..50].to_vec(), 0, "at byte 50: the input ends within the header".to_owned()),
        (header, 0, "a.age: ".to_owned()),
        (noise(5000, 1), 0, "not an age file".to_owned()),
        (Vec::new(), 0, "at byte 0: the input ends within the header".to_owned()),
    ] {
        place.write("a.age", &damaged);
        let failed = decrypt(&place, &["-i", "key", "a.age"], b"");
        refused(&failed, 1, &said);
        assert_eq!(place.names("."), ["a.age", "key"]);
        let piped = decrypt(&place, &["-i", "key"], &damaged);
        assert_eq!(piped.code, Some(1));
        assert!(piped.stdout == data[..written], "{}: {} bytes", said, piped.stdout.len());
    }
    run(place.command("keygen").args(["-o", "stranger"]), b"");
    place.write("a.age", &good);
    let stranger = decrypt(&place, &["-i", "stranger", "a.age"], b"");
    refused(&stranger, 1, "no passphrase fits: the file is for 1 other X25519 key");
}

#[test]
fn wrong_command_lines_are_refused() {
    let (place, recipient) = keyed();
    place.write("a", "text");
    let key = String::from_utf8(place.read("key")).expect("it is text");
    let secret = key.lines().last().expect("it has lines");
    for (args, code, said) in [
        (&["a"][..], 2, "for whom? valid: -r RECIPIENT, -R FILE, -i IDENTITY or -p"),
        (&["-r", "age1x", "a"], 2, "recipient 1 is no recipient"),
        (&["-r", secret, "a"], 2, "recipient 1 is an identity, which is secret"),
        (&["-R", "a", "a"], 1, "a: line 1 is no recipient"),
        (&["-i", "a", "a"], 1, "a: line 1 is no identity"),
        (&["-r", &recipient, "--passphrase-file", "a", "a"], 2, "for a passphrase or for keys"),
        (&["-r", &recipient, "--cipher", "aes-256-ctr", "a"], 2, "--format openssl only"),
        (&["--format", "openssl", "-r", &recipient, "a"], 2, "takes a passphrase"),
        (&["-r", &recipient, "--threads", "0", "a"], 2, "a number of threads is 1 to 256"),
        (&["-r", &recipient, "nothing"], 1, "nothing: No such file or directory"),
    ] {
        let refused = encrypt(&place, args, b"");
        assert_eq!(refused.code, Some(code), "{args:?}: {}", refused.stderr);
        assert!(refused.stderr.contains(said), "{args:?}: {}", refused.stderr);
        assert!(!refused.stderr.contains(secret), "{}", refused.stderr);
    }
    for (args, said) in [
        (&["--range", "0-4", "a.age"][..], "--range gives a part of a file: it needs -c or -o"),
        (&["--range", "4", "-c", "a.age"], "a range is FIRST-LAST"),
        (&["--range", "4-0", "-c", "a.age"], "byte 0, the last, is before byte 4"),
    ] {
        let refused = decrypt(&place, args, b"");
        assert_eq!(refused.code, Some(2), "{args:?}: {}", refused.stderr);
        assert!(refused.stderr.contains(said), "{args:?}: {}", refused.stderr);
    }
    assert_eq!(place.names("."), ["a", "key"]);
    encrypt(&place, &["-r", &recipient, "-k", "a"], b"").good();
    let there = encrypt(&place, &["-r", &recipient, "a"], b"");
    refused(&there, 2, "a.age is there already: not overwritten (-f does)");
    assert_eq!(encrypt(&place, &["-r", &recipient, "-f", "a"], b"").good(), "");
    assert_eq!(place.names("."), ["a.age", "key"]);
}

#[test]
fn hints_name_options_that_there_are() {
    let (place, recipient) = keyed();
    place.write("a", "text");
    place.write("d/b", "text");
    let directory = "d: is a directory: ignored (--recursive takes the files in it)";
    refused(&decrypt(&place, &["-i", "key", "d"], b""), 2, directory);
    refused(&encrypt(&place, &["-r", &recipient, "d"], b""), 2, directory);
    let suffix = "a: unknown suffix: ignored (-o names the new file, -c needs none)";
    refused(&decrypt(&place, &["-i", "key", "a"], b""), 2, suffix);
    // What they name is there.
    encrypt(&place, &["-r", &recipient, "--recursive", "d"], b"").good();
    fs::rename(place.path().join("d/b.age"), place.path().join("bare")).expect("it is there");
    assert_eq!(decrypt(&place, &["-i", "key", "-o", "back", "bare"], b"").good(), "");
    assert_eq!(decrypt(&place, &["-i", "key", "-c", "bare"], b"").good(), "text");
    assert_eq!(place.read("back"), b"text");
    let gzips = place.compress(&["d"], b"");
    refused(&gzips, 2, "d: is a directory: ignored (-r takes the files in it)");
}

#[test]
fn a_cut_file_of_openssl_says_where_it_ends() {
    let place = Place::new();
    place.write("pass", "the warp\n");
    let args = ["--format", "openssl", "--passphrase-file", "pass", "-q", "-c", "a.enc"];
    for (content, said) in [
        ("Salted__", "a.enc: at byte 8: the input ends within the 16 bytes of \"Salted__\""),
        ("", "a.enc: at byte 0: the input ends within the 16 bytes of \"Salted__\""),
        ("Salted__12345678", "a.enc: at byte 16: the input ends before its first block"),
        ("Sal", "a.enc: at byte 3: the input ends within the 16 bytes of \"Salted__\""),
        ("Sold", "a.enc: the file begins with \"Sold\", not with \"Salted__\""),
    ] {
        place.write("a.enc", content);
        refused(&decrypt(&place, &args, b""), 1, said);
    }
}

#[test]
fn ranges_are_parts_of_the_whole() {
    let (place, recipient) = keyed();
    let data = noise(300_000, 8);
    place.write("a", &data);
    encrypt(&place, &["-r", &recipient, "a"], b"").good();
    let part = |range: &str| decrypt(&place, &["-i", "key", "-c", "--range", range, "a.age"], b"");
    for (range, expected) in [
        ("0-0", &data[..1]),
        ("65530-65545", &data[65530..65546]),
        ("100000-", &data[100_000..]),
        ("-70000", &data[230_000..]),
        ("0-", &data[..]),
        ("299999-400000", &data[299_999..]),
    ] {
        let said = part(range);
        assert!(said.code == Some(0) && said.stdout == expected, "{range}: {}", said.stderr);
    }
    refused(&part("300001-"), 1, "the range begins at byte 300001, and the plaintext has 300000");
    assert_eq!(
        decrypt(&place, &["-i", "key", "-o", "b", "--range", "5-9", "a.age"], b"").good(),
        ""
    );
    assert_eq!(place.read("b"), &data[5..10]);
    let piped = decrypt(&place, &["-i", "key", "-c", "--range", "5-9"], &place.read("a.age"));
    refused(&piped, 1, "--range needs a file");
}

#[test]
fn what_is_compressed_before_is_gzip_inside() {
    let (place, recipient) = keyed();
    let data = text(2_000_000, 2);
    place.write("a", &data);
    for level in ["--compress", "--compress=1"] {
        assert_eq!(encrypt(&place, &["-r", &recipient, level, "-k", "a"], b"").good(), "");
        assert!(place.read("a.gz.age").len() < data.len() / 2);
        assert_eq!(decrypt(&place, &["-i", "key", "a.gz.age"], b"").good(), "");
        let back = run(place.command("decompress").args(["-c", "a.gz"]), b"");
        assert!(back.stdout == data);
        fs::remove_file(place.path().join("a.gz")).expect("it is there");
    }
    let piped = encrypt(&place, &["-r", &recipient, "--compress"], &data);
    let back = decrypt(&place, &["-i", "key"], &piped.stdout);
    assert!(run(place.command("decompress").arg("-c"), &back.stdout).stdout == data);
}

#[test]
fn an_identity_file_may_be_encrypted_itself() {
    let (place, recipient) = keyed();
    place.write("pass", "the warp\n");
    place.write("a", "text");
    encrypt(&place, &["--passphrase-file", "pass", "-o", "locked", "key"], b"").good();
    encrypt(&place, &["-r", &recipient, "a"], b"").good();
    let args = ["--passphrase-file", "pass", "-i", "locked", "-c", "a.age"];
    assert_eq!(decrypt(&place, &args, b"").good(), "text");
}

/// The bytes of a file at some places: the file is sparse, and longer than memory should be.
#[test]
fn five_gigabytes_take_little_memory() {
    let (place, recipient) = keyed();
    let len = 5u64 << 30;
    let path = place.path().join("huge");
    let mut file = File::create(&path).expect("it can be made");
    file.set_len(len).expect("it is sparse");
    for offset in [0, 1 << 31, len - 4] {
        file.seek(SeekFrom::Start(offset)).expect("it is there");
        file.write_all(b"mark").expect("it can be written");
    }
    // Out through a pipe and in again: nothing of it reaches the disk.
    let mut closing = place.command("encrypt");
    closing.args(["-r", &recipient, "-c", "huge"]).stdout(Stdio::piped());
    let mut closing = closing.spawn().expect("it runs");
    let mut opening = place.command("decrypt");
    opening.args(["-i", "key"]).stdin(closing.stdout.take().expect("a pipe"));
    let mut opening = opening.stdout(Stdio::piped()).spawn().expect("it runs");
    let mut back = opening.stdout.take().expect("a pipe");
    let (mut at, mut marks, mut buffer) = (0u64, Vec::new(), vec![0; 1 << 20]);
    let mut peak = 0;
    loop {
        let read = back.read(&mut buffer).expect("it can be read");
        if read == 0 {
            break;
        }
        let marked = buffer[..read].iter().enumerate().filter(|(_, byte)| **byte == b'm');
        marks.extend(marked.map(|(place, _)| at + place as u64));
        at += read as u64;
        if at % (256 << 20) < (1 << 20) {
            peak = peak.max(resident(closing.id())).max(resident(opening.id()));
        }
    }
    assert!(closing.wait().expect("it ran").success() && opening.wait().expect("it ran").success());
    assert_eq!((at, marks), (len, vec![0, 1 << 31, len - 4]));
    assert!(peak < 100 << 10, "{peak} KiB resident");
}

/// The most KiB that a process had in memory; 0 once it is gone.
fn resident(process: u32) -> u64 {
    let status = fs::read_to_string(Path::new("/proc").join(process.to_string()).join("status"));
    let status = status.unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
