//! Options that gzip and pigz have, beside gzip and pigz themselves.

use std::collections::HashMap;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use broadloom_testing::has;
use rustix::process::Signal;

use crate::common::{
    Place, Said, assert_help_is_written, noise, run, run_unblocked, terminal, text,
};

const BROADLOOM: &str = env!("CARGO_BIN_EXE_broadloom");

fn assert_data(said: &Said, data: &[u8], what: &str) {
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""), "{what}");
    assert!(said.stdout == data, "{what}: {} bytes of {}", said.stdout.len(), data.len());
}

#[test]
fn tar_works_with_both_commands() {
    if !has("tar") {
        return;
    }
    let frames = ["compress --format lz4", "compress --format zstd -5"];
    for program in [&["compress", "compress -9", "decompress", "compress -K"][..], &frames].concat()
    {
        let place = Place::new();
        place.write("d/a", text(100_000, 1));
        place.write("d/b", "x");
        let by = |program: &str| format!("{BROADLOOM} {program}");
        let packs = if program == "decompress" { "compress" } else { program };
        place.tool("tar", &["-I", &by(packs), "-cf", "d.tgz", "d"], b"").good();
        fs::rename(place.path().join("d"), place.path().join("before")).unwrap();
        place.tool("tar", &["-I", &by(program), "-xf", "d.tgz"], b"").good();
        for name in ["a", "b"] {
            assert!(place.read(format!("d/{name}")) == place.read(format!("before/{name}")));
        }
    }
}

#[test]
fn decompress_takes_what_gunzip_takes() {
    let place = Place::new();
    let data = text(10_000, 1);
    let member = place.compress(&[], &data).stdout;
    for args in [&["-d"][..], &["-9"], &["-d", "-1"], &["--best"], &["-11"], &["--uncompress"]] {
        assert_data(&place.decompress(args, &member), &data, &format!("{args:?}"));
        assert_data(&place.tool("pigz", &["-d"], &member), &data, "pigz");
    }
}

#[test]
fn levels_beyond_nine_are_levels_or_say_why_not() {
    let place = Place::new();
    let data = text(300_000, 1);
    let size = |args: &[&str]| {
        let member = place.compress(args, &data);
        assert_data(&place.decompress(&[], &member.stdout), &data, &format!("{args:?}"));
        member.stdout
    };
    for level in ["10", "11", "12"] {
        let digits = size(&[&format!("-{level}"), "--provider", "libdeflate"]);
        let named = size(&["--level", level, "--provider", "libdeflate"]);
        assert!(digits == named, "level {level}");
        assert!(digits != size(&["-1", "--provider", "libdeflate"]), "level {level}");
        for format in ["gzip", "zlib", "raw", "zip"] {
            let option = format!("-{level}");
            for provider in [&[][..], &["--provider", "libdeflate"]] {
                let args = [&[option.as_str(), "--format", format][..], provider].concat();
                let said = place.compress(&args, &data);
                let plain = if format == "raw" { &["--format", "raw"][..] } else { &[] };
                let back = place.decompress(plain, &said.stdout);
                assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""), "{args:?}");
                assert_data(&back, &data, &format!("{args:?}"));
            }
            let args = [&option, "--format", format, "--provider", "zlib"];
            let said = place.compress(&args, &data);
            let stderr = format!(
                "broadloom compress: zlib cannot open a session for deflate: zlib has no level \
                 {level}; valid: 0 to 9\n"
            );
            assert_eq!((said.code, said.stderr), (Some(2), stderr), "{args:?}");
        }
    }
}

#[test]
fn exit_statuses_are_those_of_gzip() {
    let cases: &[(&[&str], &[u8])] = &[
        (&["there"], b""),
        (&["-f", "there"], b""),
        (&["d"], b""),
        (&["twice"], b""),
        (&["special"], b""),
        (&["missing"], b""),
        (&["packed.gz"], b""),
        (&["-d", "garbage.gz"], b""),
        (&["-dq", "garbage.gz"], b""),
        (&["-dc", "garbage.gz"], b""),
        (&["-t", "garbage.gz", "packed.gz"], b""),
        (&["-d", "plain"], b""),
        (&["-d", "odd.gz"], b""),
        (&["-dc", "odd.gz"], b""),
        (&["-dcf", "odd.gz"], b""),
        (&["-d", "there", "odd.gz"], b""),
        (&["-a", "-k", "plain"], b""),
        (&["--synchronous", "-k", "plain"], b""),
        (&["--rsyncable", "plain"], b""),
        (&["-L"], b""),
        (&["-df"], b"plain"),
        (&["-d"], b"plain"),
        (&["--no-such-option"], b""),
    ];
    for (args, stdin) in cases {
        let made = || {
            let place = Place::new();
            for name in ["there", "plain", "special", "twice"] {
                place.write(name, "data");
            }
            place.write("there.gz", "other");
            place.write("odd.gz", "plain");
            place.write("d/a", "data");
            place.write("packed", "data");
            place.tool("gzip", &["packed"], b"").good();
            place.write("garbage.gz", [&place.read("packed.gz")[..], b"garbage"].concat());
            fs::hard_link(place.path().join("twice"), place.path().join("other")).unwrap();
            place.tool("chmod", &["u+s", "special"], b"").good();
            place
        };
        let (ours, theirs) = (made(), made());
        let (our, their) = (ours.compress(args, stdin), theirs.tool("gzip", args, stdin));
        // A command line that is wrong is told from a file that is: gzip has 1 for both.
        let code = if args == &["--no-such-option"] { Some(2) } else { their.code };
        assert_eq!(our.code, code, "{args:?}: {} {}", our.stderr, their.stderr);
        let is_compressed = |name: &String| name.ends_with(".gz");
        let mut names = theirs.names(".");
        if args == &["-d", "garbage.gz"] || args == &["-dq", "garbage.gz"] {
            // Here we keep what gzip removes: the garbage is nowhere else.
            names.push("garbage.gz".to_owned());
            names.sort();
        }
        assert_eq!(ours.names("."), names, "{args:?}: {} {}", our.stderr, their.stderr);
        for name in ours.names(".").iter().filter(|name| !is_compressed(name) && *name != "d") {
            assert_eq!(ours.read(name), theirs.read(name), "{args:?}: {name}");
        }
    }
}

#[test]
fn ascii_is_ignored_with_gzips_words() {
    let place = Place::new();
    let theirs = place.tool("gzip", &["-a"], b"data");
    for option in ["-a", "--ascii"] {
        let ours = place.compress(&[option], b"data");
        assert_eq!(ours.code, theirs.code);
        assert_eq!(ours.stderr, theirs.stderr.replace("gzip: ", "broadloom compress: "));
        assert_data(&place.decompress(&["-q", option], &ours.stdout), b"data", option);
    }
}

#[test]
fn the_license_is_told() {
    let place = Place::new();
    for option in ["-L", "--license"] {
        for said in [place.compress(&[option], b""), place.decompress(&[option], b"")] {
            assert!(
                said.good().contains("MIT") && said.text().contains("Apache"),
                "{}",
                said.text()
            );
        }
    }
}

#[test]
fn blocks_are_those_of_pigz() {
    let place = Place::new();
    let data = text(300_000, 1);
    let by_block = place.compress(&["-6", "-b", "64"], &data).stdout;
    assert!(by_block == place.compress(&["-6", "--chunk", "64K"], &data).stdout);
    assert!(by_block == place.compress(&["-6", "--blocksize", "64", "-i"], &data).stdout);
    assert!(by_block == place.compress(&["-6", "--chunk", "8K", "-b64"], &data).stdout);
    assert!(by_block != place.compress(&["-6"], &data).stdout);
    assert_data(&place.tool("gzip", &["-d"], &by_block), &data, "gzip");
    // Independent as pigz's are: damage in one block leaves the others, which a reader finds again.
    let pigz = place.tool("pigz", &["-i", "-b", "64"], &data).stdout;
    assert_data(&place.decompress(&[], &pigz), &data, "pigz");
}

/// The share of a file's bytes that rsync would find in an older one, in blocks of 700 bytes.
fn found_again(old: &[u8], new: &[u8]) -> f64 {
    const BLOCK: usize = 700;
    let blocks: HashMap<&[u8], ()> = old.chunks_exact(BLOCK).map(|block| (block, ())).collect();
    let (mut at, mut found) = (0, 0);
    while at + BLOCK <= new.len() {
        match blocks.contains_key(&new[at..at + BLOCK]) {
            true => (at, found) = (at + BLOCK, found + BLOCK),
            false => at += 1,
        }
    }
    found as f64 / new.len() as f64
}

#[test]
fn rsyncable_output_changes_where_the_input_does() {
    let place = Place::new();
    let before = text(6_000_000, 1);
    let mut after = before.clone();
    after.splice(1_000_000..1_000_000, *b"inserted");
    after.splice(0..0, *b"a new line at the beginning\n");
    for options in [&["-6"][..], &["-9", "-p", "1"], &["--format", "zlib"], &["-b", "64"]] {
        let compressed = |data: &[u8], options: &[&str]| {
            let said = place.compress(options, data);
            assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
            assert_data(&place.decompress(&[], &said.stdout), data, &format!("{options:?}"));
            said.stdout
        };
        for rsyncable in ["--rsyncable", "-R"] {
            let with = [options, &[rsyncable]].concat();
            let share = found_again(&compressed(&before, &with), &compressed(&after, &with));
            assert!(share > 0.85, "{with:?}: {share:.3} found again");
        }
        let share = found_again(&compressed(&before, options), &compressed(&after, options));
        assert!(share < 0.5, "{options:?}: {share:.3} found again without --rsyncable");
    }
}

/// The system calls of a run that sync anything, as strace sees them.
fn syncs(place: &Place, args: &[&str]) -> Vec<String> {
    let calls = place.trace("fsync,fdatasync,syncfs", &[&[BROADLOOM], args].concat());
    calls.lines().filter(|line| line.contains("sync")).map(str::to_owned).collect()
}

#[test]
fn synchronous_output_is_on_its_medium() {
    if !has("strace") {
        return;
    }
    let place = Place::new();
    place.write("a", text(10_000, 1));
    assert_eq!(syncs(&place, &["compress", "-k", "a"]), Vec::<String>::new());
    fs::remove_file(place.path().join("a.gz")).unwrap();
    for option in ["--synchronous", "-Y"] {
        let calls = syncs(&place, &["compress", "-k", option, "a"]);
        assert!(calls.len() >= 2, "the file and its directory: {calls:?}");
        fs::remove_file(place.path().join("a.gz")).unwrap();
    }
    let script = format!("exec '{BROADLOOM}' compress -c --synchronous a >out");
    let calls = place.trace("fsync", &["sh", "-c", &script]);
    assert!(calls.contains("/out>"), "{calls}");
    // A pipe has no medium, which is no error.
    let said = place.compress(&["-c", "--synchronous", "a"], b"");
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
}

#[test]
fn zlib_and_zip_are_those_of_pigz() {
    if !has("pigz") {
        return;
    }
    let place = Place::new();
    for data in [Vec::new(), b"x".to_vec(), text(1_500_000, 1), noise(700_000, 2)] {
        let what = format!("{} bytes", data.len());
        // A reader that tells formats apart would take gzip as well.
        for (short, long, start) in [("-z", "--zlib", &b"x"[..]), ("-K", "--zip", b"PK\x03\x04")] {
            for option in [short, long] {
                for threads in ["1", "2"] {
                    let ours = place.compress(&[option, "-p", threads], &data);
                    assert_eq!((ours.code, ours.stderr.as_str()), (Some(0), ""));
                    assert!(ours.stdout.starts_with(start), "{option}");
                    assert_data(&place.decompress(&[], &ours.stdout), &data, &what);
                    assert_data(&place.tool("pigz", &["-d"], &ours.stdout), &data, &what);
                }
            }
            let theirs = place.tool("pigz", &[short, "-c"], &data).stdout;
            assert_data(&place.decompress(&[], &theirs), &data, &format!("{what} of pigz {short}"));
            place.decompress(&["-t"], &theirs).good();
        }
    }
}

#[test]
fn others_read_our_zip_files() {
    let place = Place::new();
    let data = text(400_000, 1);
    let name = "d/a n\u{e4}me.txt";
    place.write(name, &data);
    place.tool("touch", &["-d", "2021-03-04 05:06:08", name], b"").good();
    place.tool("chmod", &["640", name], b"").good();
    place.compress(&["-K", "--verify", name], b"").good();
    assert_eq!(place.names("d"), ["a n\u{e4}me.txt.zip"]);
    let zip = format!("{name}.zip");
    if has("unzip") {
        place.tool("unzip", &["-tqq", &zip], b"").good();
        let said = place.tool("unzip", &["-p", &zip], b"");
        assert!(said.stdout == data, "{}", said.stderr);
        place.tool("unzip", &["-qq", "-d", "out", &zip], b"").good();
        assert!(place.read("out/a n\u{e4}me.txt") == data);
        let shown = place.tool("stat", &["-c", "%a %Y", "out/a n\u{e4}me.txt"], b"");
        let time = place.tool("date", &["-d", "2021-03-04 05:06:08", "+%s"], b"");
        assert_eq!(shown.good(), format!("640 {}", time.good()));
    }
    if has("python3") {
        let script = "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\n\
                      assert z.infolist()[0].date_time == (2021, 3, 4, 5, 6, 8)\n\
                      sys.stdout.buffer.write(z.namelist()[0].encode() + z.read(z.namelist()[0]))";
        let said = place.tool("python3", &["-c", script, &zip], b"");
        assert_data(&said, &[&name.as_bytes()[2..], &data].concat(), "zipfile");
    }
    // Without a name, an entry is called as pigz calls it.
    let unnamed = place.compress(&["-K"], b"x").stdout;
    place.write("stdin.zip", unnamed);
    if has("unzip") {
        assert!(place.tool("unzip", &["-Z1", "stdin.zip"], b"").good().starts_with('-'));
    }
}

#[test]
fn zip_files_of_others_are_read_or_refused_with_the_reason() {
    if !(has("zip") && has("python3")) {
        return;
    }
    let place = Place::new();
    let data = text(100_000, 1);
    place.write("a", &data);
    place.write("b", "b");
    for (args, file) in [
        (&["-q", "deflated.zip", "a"][..], "deflated.zip"),
        (&["-q", "-0", "stored.zip", "a"], "stored.zip"),
        (&["-q", "-fz", "large.zip", "a"], "large.zip"),
    ] {
        place.tool("zip", args, b"").good();
        assert_data(&place.decompress(&["-c", file], b""), &data, file);
        place.decompress(&["-t", file], b"").good();
        // Damage is found, wherever it is.
        let whole = place.read(file);
        for at in [33, 60, 5000] {
            let mut wrong = whole.clone();
            wrong[at.min(whole.len() / 2)] ^= 0x10;
            let said = place.decompress(&[], &wrong);
            let harmless = said.code == Some(0) && said.stdout == data;
            assert!(said.code == Some(1) || harmless, "{file}, byte {at}: {}", said.stderr);
        }
        for len in [3, 20, 35, 1000, whole.len() / 2] {
            assert_eq!(place.decompress(&[], &whole[..len]).code, Some(1), "{file}, {len} bytes");
        }
    }
    place.tool("zip", &["-q", "two.zip", "a", "b"], b"").good();
    let said = place.decompress(&["two.zip"], b"");
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("entries after the first ignored"), "{}", said.stderr);
    // The other entries are nowhere else.
    assert!(place.names(".").contains(&"two.zip".to_owned()) && place.read("two") == data);
    place.tool("zip", &["-q", "-P", "secret", "locked.zip", "a"], b"").good();
    let said = place.decompress(&["-c", "locked.zip"], b"");
    assert_eq!((said.code, said.stdout.len()), (Some(1), 0));
    assert!(said.stderr.contains("is encrypted"), "{}", said.stderr);
    for method in ["ZIP_BZIP2", "ZIP_LZMA"] {
        let script =
            format!("import zipfile\nzipfile.ZipFile('m.zip', 'w', zipfile.{method}).write('a')");
        place.tool("python3", &["-c", &script], b"").good();
        let said = place.decompress(&["-c", "m.zip"], b"");
        assert_eq!((said.code, said.stdout.len()), (Some(1), 0));
        assert!(said.stderr.contains("valid: 0 (stored) and 8 (deflate)"), "{}", said.stderr);
    }
    let said = place.decompress(&["-l", "deflated.zip"], b"");
    assert!(said.code == Some(1) && said.stderr.contains("unzip -l"), "{}", said.stderr);
    let said = place.decompress(&["--limit", "99999", "-c", "deflated.zip"], b"");
    assert!(said.code == Some(1) && said.stderr.contains("limit"), "{}", said.stderr);
    let said = place.compress(&["-cK", "a", "b"], b"");
    assert!(said.stderr.contains("has a zip stream already"), "{}", said.stderr);
}

#[test]
fn lzw_data_are_refused_with_the_way_out() {
    let place = Place::new();
    // `printf aaa | compress`, of ncompress.
    let input = b"\x1f\x9d\x90\x61\x02\x02";
    assert_eq!(place.tool("gzip", &["-d"], input).stdout, b"aaa");
    place.write("a.Z", input);
    for args in [&["a.Z"][..], &["-c", "a.Z"], &["-cf", "a.Z"], &["-t", "a.Z"], &["-l", "a.Z"]] {
        let said = place.decompress(args, b"");
        assert_eq!((said.code, said.stdout.len()), (Some(1), 0), "{args:?}");
        assert!(said.stderr.contains("valid is `uncompress` or `gzip -d`"), "{}", said.stderr);
        assert_eq!(place.names("."), ["a.Z"]);
    }
}

#[test]
fn streams_that_do_not_block_are_waited_for() {
    let place = Place::new();
    // More than the largest pipe holds, compressed too.
    let data = [text(1_000_000, 1), noise(2_000_000, 2)].concat();
    let compressed = run_unblocked(place.command("compress"), &data);
    assert_eq!((compressed.code, compressed.stderr.as_str()), (Some(0), ""));
    assert_data(&place.decompress(&[], &compressed.stdout), &data, "compress");
    let said = run_unblocked(place.command("decompress"), &compressed.stdout);
    assert_data(&said, &data, "decompress");
}

#[test]
fn help_that_cannot_be_written_is_an_error() {
    let all = [&["--help"][..], &["--version"], &["compress", "-L"], &["compress", "--help"]];
    assert_help_is_written(BROADLOOM, &all);
}

/// Runs Python with a script that has a terminal at its hands.
fn python(place: &Place, script: &str) -> Said {
    let mut command = Command::new("python3");
    run(command.args(["-c", script, BROADLOOM]).current_dir(place.path()), b"")
}

#[test]
fn a_job_in_the_background_does_not_hang_at_a_question() {
    if !has("python3") {
        return;
    }
    // The first is in the background from the start; the second is sent there while it asks, which
    // the other end of the terminal sees and tells. Either way it can be ended, or ends by itself.
    const SCRIPT: &str = "
import os, pty, select, signal, sys, time
asked, asking = os.pipe()
pid, fd = pty.fork()
if pid == 0:
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    for asks in (False, True):
        child = os.fork()
        if child == 0:
            os.setpgid(0, 0)
            if asks:
                os.tcsetpgrp(0, os.getpgrp())
            signal.signal(signal.SIGTTOU, signal.SIG_DFL)
            os.execv(sys.argv[1], [sys.argv[1], 'compress', 'a'])
        if asks:
            select.select([asked], [], [], 120)
            os.kill(child, signal.SIGTSTP)
            os.waitpid(child, os.WUNTRACED)
            os.tcsetpgrp(0, os.getpgrp())
            os.kill(child, signal.SIGTERM)
            os.kill(child, signal.SIGCONT)
        for _ in range(1200):
            done, status = os.waitpid(child, os.WNOHANG | os.WUNTRACED)
            if done:
                break
            time.sleep(0.1)
        print('ended', bool(done) and not os.WIFSTOPPED(status), flush=True)
        if not done or os.WIFSTOPPED(status):
            os.kill(child, signal.SIGKILL)
    os._exit(0)
shown = b''
try:
    while True:
        data = os.read(fd, 65536)
        if not data:
            break
        os.write(1, data)
        shown += data
        if b'(y or n)?' in shown and asking is not None:
            os.write(asking, b'y')
            asking = None
except OSError:
    pass
os.waitpid(pid, 0)";
    let place = Place::new();
    place.write("a", "new");
    place.write("a.gz", "old");
    let said = python(&place, SCRIPT);
    let ended = said.text().matches("ended True").count();
    assert_eq!(ended, 2, "{}", said.text());
    assert_eq!(said.text().matches("overwrite it (y or n)?").count(), 1, "{}", said.text());
    assert_eq!((place.read("a"), place.read("a.gz")), (b"new".to_vec(), b"old".to_vec()));
}

/// A text without what moves the cursor or colours it.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\x1b' {
            // An escape sequence: up to its letter.
            chars.by_ref().find(char::is_ascii_alphabetic);
        } else {
            plain.push(c);
        }
    }
    plain
}

#[test]
fn a_progress_bar_fits_its_terminal() {
    if !has("python3") {
        return;
    }
    let place = Place::new();
    File::create(place.path().join("a")).unwrap().set_len(400 << 20).unwrap();
    for columns in [12, 20, 30, 40, 55, 80, 120] {
        let script = format!(
            "'{BROADLOOM}' compress --progress -1 -p 1 -c a >out; '{BROADLOOM}' \
                              compress --progress -1 -p 1 <a >out"
        );
        let mut command = terminal(columns, &["sh", "-c", &script]);
        let said = run(command.current_dir(place.path()).env_remove("COLUMNS"), b"");
        assert_eq!(said.code, Some(0));
        let text = plain(said.text());
        let lines: Vec<&str> = text.split(['\r', '\n']).collect();
        assert!(lines.iter().any(|line| !line.trim().is_empty()), "{columns}: nothing was shown");
        for line in lines {
            assert!(line.trim_end().chars().count() <= columns, "{columns}: {line:?}");
        }
    }
}

#[test]
fn many_small_files_are_as_if_one_by_one() {
    let outcome = |threads: &str| {
        let place = Place::new();
        for number in 0..60usize {
            let len = (number * 7919) % 3000 + if number % 9 == 0 { 700_000 } else { 0 };
            place.write(format!("d/{:02}/{number:02}", number / 20), text(len, number as u64));
        }
        place.write("d/00/07.gz", "there");
        place.write("d/01/fifo.gz", "x");
        // Without times, which differ from one place to the next.
        let all = ["-n", "-v", "-r", "-p", threads, "--provider", "libdeflate", "d", "missing"];
        let packed = place.compress(&all, b"");
        place.write("d/02/45.gz", &place.read("d/02/45.gz")[..50]);
        let tested = place.decompress(&["-t", "-v", "-r", "-p", threads, "d"], b"");
        let unpacked = place.decompress(&["-v", "-r", "-p", threads, "d"], b"");
        let mut files: Vec<(String, Vec<u8>)> = Vec::new();
        for directory in ["d/00", "d/01", "d/02"] {
            for name in place.names(directory) {
                let path = format!("{directory}/{name}");
                files.push((path.clone(), place.read(&path)));
            }
        }
        let said = [packed, tested, unpacked].map(|said| {
            let lines = said.stderr.lines().filter(|line| !line.starts_with("provider:"));
            (said.code, lines.map(str::to_owned).collect::<Vec<_>>())
        });
        (said, files)
    };
    let alone = outcome("1");
    assert_eq!(alone.0.each_ref().map(|said| said.0), [Some(1), Some(1), Some(1)]);
    for threads in ["2", "5"] {
        assert!(outcome(threads) == alone, "{threads} threads: {:#?}", outcome(threads).0);
    }
}

#[test]
fn small_files_are_worked_on_side_by_side() {
    if !has("strace") {
        return;
    }
    let place = Place::new();
    for number in 0..200 {
        place.write(format!("d/{number:03}"), text(20_000, number));
    }
    for args in
        [&["compress", "-r", "-p", "2", "d"][..], &["decompress", "-t", "-r", "-p", "2", "d"]]
    {
        // Who reads is who codes: each file is read by one of them.
        let calls = place.trace("read", &[&[BROADLOOM], args].concat());
        let mut readers: HashMap<&str, usize> = HashMap::new();
        for line in calls.lines().filter(|line| line.contains("/d/")) {
            *readers.entry(line.split_whitespace().next().unwrap()).or_default() += 1;
        }
        assert_eq!(readers.len(), 2, "{args:?}: {readers:?}");
    }
}

#[test]
fn a_signal_in_many_small_files_leaves_each_as_it_was_or_replaced() {
    let place = Place::new();
    for number in 0..2000u64 {
        place.write(format!("d/{number:04}"), text(3000, number));
    }
    // Sparse, and the last: with hours of work to do, the run does not end before the signal.
    File::create(place.path().join("d/long")).unwrap().set_len(1 << 40).unwrap();
    let mut child = place.command("compress").args(["-r", "-p", "2", "-9", "d"]).spawn().unwrap();
    while !place.names("d").iter().any(|name| name.ends_with(".gz")) {
        assert_eq!(child.try_wait().unwrap(), None);
    }
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(Signal::TERM.as_raw()));
    let names = place.names("d");
    assert!(!names.iter().any(|name| name.starts_with('.')), "{names:?}");
    for number in 0..2000u64 {
        let name = format!("{number:04}");
        if names.contains(&format!("{name}.gz")) {
            let said = place.decompress(&["-c", &format!("d/{name}.gz")], b"");
            assert_data(&said, &text(3000, number), &name);
        } else {
            assert!(place.read(format!("d/{name}")) == text(3000, number), "{name}");
        }
    }
}
