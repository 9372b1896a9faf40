//! `broadloom compress` and `decompress` on files: what is made, what is kept, what is refused.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use broadloom_testing::has;
use rustix::process::{Pid, Signal, kill_process};

use crate::common::{Place, Said, noise, run, text};

/// The formats, and their suffixes.
const FORMATS: [(&str, &str); 6] = [
    ("gzip", ".gz"),
    ("bgzf", ".gz"),
    ("zlib", ".zz"),
    ("raw", ".deflate"),
    ("parcomp", ".parcomp"),
    ("zip", ".zip"),
];

#[test]
fn every_format_replaces_files_and_brings_them_back() {
    let place = Place::new();
    for (format, suffix) in FORMATS {
        for (data, threads) in
            [(Vec::new(), "1"), (text(300_000, 1), "3"), (noise(100_000, 2), "2")]
        {
            place.write("a", &data);
            let compressed = format!("a{suffix}");
            place.compress(&["--format", format, "-p", threads, "a"], b"").good();
            assert_eq!(place.names("."), [compressed.as_str()], "{format}");
            place.decompress(&["-p", threads, &compressed], b"").good();
            assert_eq!(place.names("."), ["a"], "{format}");
            assert!(place.read("a") == data, "{format}, {} bytes", data.len());
        }
    }
}

#[test]
fn mode_and_times_are_kept() {
    let place = Place::new();
    place.write("a", text(10_000, 1));
    let path = place.path().join("a");
    let time = UNIX_EPOCH + Duration::from_secs(1_234_567_890);
    let times =
        fs::FileTimes::new().set_modified(time).set_accessed(time - Duration::from_secs(100));
    File::options().write(true).open(&path).unwrap().set_times(times).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
    let before = fs::metadata(&path).unwrap();
    for (run, name) in [("compress", "a.gz"), ("decompress", "a")] {
        let arguments = if run == "compress" { ["a"] } else { ["a.gz"] };
        match run {
            "compress" => place.compress(&arguments, b"").good(),
            _ => place.decompress(&arguments, b"").good(),
        };
        let after = fs::metadata(place.path().join(name)).unwrap();
        assert_eq!(after.mode() & 0o7777, 0o640, "{name}");
        assert_eq!(
            (after.mtime(), after.mtime_nsec()),
            (before.mtime(), before.mtime_nsec()),
            "{name}"
        );
        assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()), "{name}");
    }
}

#[test]
fn a_mode_that_cannot_be_kept_is_not_lost_unasked() {
    let place = Place::new();
    place.write("a", "x");
    let mode = |name: &str| fs::metadata(place.path().join(name)).unwrap().mode() & 0o7777;
    for special in [0o4755, 0o2755, 0o1644] {
        fs::set_permissions(place.path().join("a"), Permissions::from_mode(special)).unwrap();
        for args in [&["a"][..], &["-k", "a"]] {
            let said = place.compress(args, b"");
            let left = special & 0o777;
            assert_eq!(
                said.stderr,
                format!(
                    "broadloom compress: a: has mode {special:o}, and what is made of it would \
                     have {left:o}: ignored (-f makes it, -c leaves it)\n"
                )
            );
            assert_eq!((said.code, place.names(".")), (Some(2), vec!["a".to_owned()]));
        }
        assert_eq!(mode("a"), special);
        place.compress(&["-f", "a"], b"").good();
        assert_eq!(mode("a.gz"), special & 0o777);
        place.decompress(&["a.gz"], b"").good();
    }
}

#[test]
fn names_and_times_are_stored_and_restored() {
    let place = Place::new();
    place.write("original", text(1000, 1));
    let time = UNIX_EPOCH + Duration::from_secs(1_234_567_890);
    File::options()
        .write(true)
        .open(place.path().join("original"))
        .unwrap()
        .set_modified(time)
        .unwrap();
    place.compress(&["-k", "original"], b"").good();
    assert_eq!(
        place
            .tool("gzip", &["-lN", "original.gz"], b"")
            .good()
            .lines()
            .nth(1)
            .map(|line| { line.split_whitespace().last().unwrap().to_owned() }),
        Some("original".to_owned())
    );
    fs::rename(place.path().join("original.gz"), place.path().join("other.gz")).unwrap();
    fs::remove_file(place.path().join("original")).unwrap();
    let later = SystemTime::now();
    File::options()
        .write(true)
        .open(place.path().join("other.gz"))
        .unwrap()
        .set_modified(later)
        .unwrap();
    // Without being asked for, neither is restored.
    place.decompress(&["-k", "other.gz"], b"").good();
    assert_eq!(place.names("."), ["other", "other.gz"]);
    place.decompress(&["-N", "other.gz"], b"").good();
    assert_eq!(place.names("."), ["original", "other"]);
    assert_eq!(fs::metadata(place.path().join("original")).unwrap().modified().unwrap(), time);
    // gzip -n and ours store nothing.
    place.compress(&["-n", "other"], b"").good();
    let header = place.read("other.gz");
    assert_eq!((header[3] & 0x08, &header[4..8]), (0, &[0; 4][..]));
}

#[test]
fn a_stored_name_cannot_lead_out_of_the_directory() {
    let place = Place::new();
    let header = |name: &str| {
        let mut bytes = vec![0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3];
        bytes.extend(name.as_bytes());
        // An empty final block, the CRC-32 of nothing and its length.
        bytes.extend([0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        bytes
    };
    fs::create_dir(place.path().join("d")).unwrap();
    for (name, made) in
        [("../out", "out"), ("/tmp/abs", "abs"), ("..", "a"), ("x/", "a"), ("", "a")]
    {
        place.write("d/a.gz", header(name));
        place.decompress(&["-N", "d/a.gz"], b"").good();
        assert_eq!(place.names("d"), [made], "{name}");
        assert_eq!(place.names("."), ["d"], "{name}");
        fs::remove_file(place.path().join("d").join(made)).unwrap();
    }
}

#[test]
fn keep_and_stdout_keep_the_file() {
    let place = Place::new();
    let data = text(100_000, 3);
    place.write("a", &data);
    place.compress(&["--keep", "a"], b"").good();
    assert_eq!(place.names("."), ["a", "a.gz"]);
    let said = place.decompress(&["-c", "a.gz"], b"");
    assert!((said.code, said.stderr.as_str()) == (Some(0), "") && said.stdout == data);
    let said = place.compress(&["-dc", "a.gz", "a.gz"], b"");
    assert!(said.stdout == [&data[..], &data].concat());
    let both = place.compress(&["-c", "a", "-"], b"and this");
    assert_eq!(place.names("."), ["a", "a.gz"]);
    let said = place.tool("gzip", &["-dc"], &both.stdout);
    assert!(said.stdout == [&data[..], b"and this"].concat());
}

#[test]
fn streams_without_ends_of_their_own_are_not_put_together() {
    let place = Place::new();
    place.write("a", "one");
    place.write("b", "two");
    for format in ["zlib", "raw"] {
        let said = place.compress(&["--format", format, "-c", "a", "b"], b"");
        assert_eq!(said.code, Some(1));
        assert!(
            said.stderr.contains(&format!("b: standard output has a {format} stream")),
            "{}",
            said.stderr
        );
        let alone = place.compress(&["--format", format, "-c", "a"], b"");
        assert_eq!((alone.code, alone.stdout), (Some(0), said.stdout));
    }
}

#[test]
fn a_file_that_is_there_stays() {
    let place = Place::new();
    place.write("a", "new");
    place.write("a.gz", "old");
    let said = place.compress(&["a"], b"y\n");
    assert_eq!(said.code, Some(2));
    assert_eq!(
        said.stderr,
        "broadloom compress: a: a.gz is there already: not overwritten (-f does)\n"
    );
    assert_eq!((place.read("a"), place.read("a.gz")), (b"new".to_vec(), b"old".to_vec()));
    place.compress(&["-f", "a"], b"").good();
    assert_eq!(place.names("."), ["a.gz"]);
    place.write("a", "old");
    let said = place.decompress(&["a.gz"], b"");
    assert_eq!((said.code, place.read("a")), (Some(2), b"old".to_vec()));
    place.decompress(&["-f", "a.gz"], b"").good();
    assert_eq!((place.names("."), place.read("a")), (vec!["a".to_owned()], b"new".to_vec()));
    // A directory is never overwritten.
    fs::create_dir(place.path().join("a.gz")).unwrap();
    let said = place.compress(&["-f", "a"], b"");
    assert_eq!(said.stderr, "broadloom compress: a: a.gz is a directory: not overwritten\n");
    assert_eq!((said.code, place.names(".")), (Some(1), vec!["a".to_owned(), "a.gz".to_owned()]));
}

#[test]
fn what_cannot_be_replaced_is_passed_over_with_a_word() {
    let place = Place::new();
    place.write("a", "x");
    place.write("d/b", "x");
    place.write("twice", "x");
    fs::hard_link(place.path().join("twice"), place.path().join("d/c")).unwrap();
    symlink("a", place.path().join("link")).unwrap();
    let said = place.compress(&["link", "d", "twice", "/dev/null", "nothing"], b"");
    assert_eq!(said.code, Some(1));
    let expected = [
        "link: is a symbolic link: ignored",
        "d: is a directory: ignored",
        "twice: has 1 other link: ignored",
        "/dev/null: is neither a directory nor a regular file: ignored",
        "nothing: No such file or directory",
    ];
    for (line, expected) in said.stderr.lines().zip(expected) {
        assert!(line.starts_with(&format!("broadloom compress: {expected}")), "{line}");
    }
    assert_eq!(said.stderr.lines().count(), expected.len());
    assert_eq!(place.names("."), ["a", "d", "link", "twice"]);
    place.compress(&["-f", "link", "twice"], b"").good();
    assert_eq!(place.names("."), ["a", "d", "link.gz", "twice.gz"]);
    let said = place.decompress(&["a"], b"");
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("a: unknown suffix: ignored"), "{}", said.stderr);
}

#[test]
fn a_suffix_is_not_added_twice() {
    let place = Place::new();
    place.write("a", "x");
    place.compress(&["a"], b"").good();
    let said = place.compress(&["a.gz"], b"");
    assert_eq!(said.code, Some(0));
    assert_eq!(said.stderr, "broadloom compress: a.gz: has the suffix .gz already: unchanged\n");
    place.compress(&["-q", "a.gz"], b"").good();
    place.compress(&["-f", "a.gz"], b"").good();
    assert_eq!(place.names("."), ["a.gz.gz"]);
}

#[test]
fn suffixes_can_be_chosen_and_left_away() {
    let place = Place::new();
    place.write("a", "x");
    place.compress(&["-S", ".pack", "a"], b"").good();
    assert_eq!(place.names("."), ["a.pack"]);
    place.decompress(&["-S.pack", "a"], b"").good();
    assert_eq!(place.names("."), ["a"]);
    place.compress(&["a"], b"").good();
    place.decompress(&["a"], b"").good();
    place.write("b.tgz", place.compress(&["-c", "a"], b"").stdout);
    place.decompress(&["b.tgz"], b"").good();
    assert_eq!(place.names("."), ["a", "b.tar"]);
    let said = place.compress(&["-S", "", "a"], b"");
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("is no suffix: valid is"), "{}", said.stderr);
}

#[test]
fn directories_are_walked() {
    let place = Place::new();
    for name in ["d/a", "d/b.gz", "d/e/f", "d/e/g"] {
        place.write(name, text(1000, 1));
    }
    symlink("../d", place.path().join("d/loop")).unwrap();
    place.compress(&["-r", "d"], b"").good();
    assert_eq!(place.names("d"), ["a.gz", "b.gz", "e", "loop"]);
    assert_eq!(place.names("d/e"), ["f.gz", "g.gz"]);
    place.write("d/other", "x");
    fs::remove_file(place.path().join("d/b.gz")).unwrap();
    place.decompress(&["-r", "d"], b"").good();
    assert_eq!(place.names("d"), ["a", "e", "loop", "other"]);
    assert_eq!(place.names("d/e"), ["f", "g"]);
}

#[test]
fn the_others_are_worked_on_where_one_fails() {
    let place = Place::new();
    for name in ["a", "b", "c"] {
        place.write(name, text(200_000, 5));
    }
    place.compress(&["--chunk", "64K", "a", "b", "c"], b"").good();
    let mut broken = place.read("b.gz");
    let middle = broken.len() / 2;
    broken.truncate(middle);
    place.write("b.gz", broken);
    let said = place.decompress(&["a.gz", "b.gz", "missing", "c.gz"], b"");
    assert_eq!(said.code, Some(1));
    assert_eq!(place.names("."), ["a", "b.gz", "c"]);
    let lines: Vec<&str> = said.stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("broadloom decompress: b.gz: at byte "), "{lines:?}");
    assert_eq!(lines[1], "broadloom decompress: missing: No such file or directory");
}

#[test]
fn a_test_says_nothing_and_makes_nothing() {
    let place = Place::new();
    place.write("a", text(100_000, 1));
    place.compress(&["a"], b"").good();
    place.compress(&["-t", "a.gz"], b"").good();
    let said = place.decompress(&["-tv", "a.gz"], b"");
    assert_eq!((said.code, said.stdout.len()), (Some(0), 0));
    assert!(said.stderr.ends_with("a.gz:\tOK\n"), "{}", said.stderr);
    assert_eq!(place.names("."), ["a.gz"]);
    let mut broken = place.read("a.gz");
    let last = broken.len() - 6;
    broken[last] ^= 1;
    place.write("b.gz", broken);
    let said = place.decompress(&["-t", "a.gz", "b.gz"], b"");
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.starts_with("broadloom decompress: b.gz: at byte "), "{}", said.stderr);
    assert!(said.stderr.contains("CRC-32"), "{}", said.stderr);
}

#[test]
fn a_listing_has_sizes_ratios_and_names() {
    let place = Place::new();
    place.write("a", text(100_000, 1));
    place.compress(&["a"], b"").good();
    let size = place.read("a.gz").len();
    let said = place.compress(&["-l", "a.gz"], b"");
    let lines: Vec<&str> = said.good().lines().collect();
    assert_eq!(lines[0], "         compressed        uncompressed  ratio uncompressed_name");
    let fields: Vec<&str> = lines[1].split_whitespace().collect();
    // Header, name and trailer are left out.
    let streams = size - 10 - 2 - 8;
    let saved = format!("{:.1}%", 100.0 * (1.0 - streams as f64 / 100_000.0));
    assert_eq!(fields, [size.to_string().as_str(), "100000", &saved, "a"]);
    place.write("z", "x");
    place.compress(&["--format", "zlib", "z"], b"").good();
    let said = place.decompress(&["-l", "a.gz", "z.zz"], b"");
    assert!(said.good().lines().last().unwrap().ends_with("(totals)"));
    let said = place.decompress(&["-lv", "a.gz", "z.zz"], b"");
    let methods: Vec<&str> =
        said.text().lines().skip(1).map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(methods[..2], ["defla", "defla"]);
    let said = place.decompress(&["-l"], &place.read("a.gz"));
    assert!(said.good().lines().last().unwrap().ends_with(" stdout"));
    let said = place.decompress(&["-l", "a.gz", "missing"], b"");
    assert_eq!((said.code, said.text().lines().count()), (Some(1), 2));
}

/// The share saved, in each line but the first.
fn shares(said: &Said) -> Vec<String> {
    let lines = said.good().lines().skip(1);
    lines
        .map(|line| {
            line.split_whitespace().find(|word| word.ends_with('%')).expect(line).to_owned()
        })
        .collect()
}

#[test]
fn shares_and_times_are_those_of_gzip() {
    let place = Place::new();
    place.write("two", "hi");
    place.write("empty", "");
    place.write("a", text(5000, 1));
    place.write("noise", noise(5000, 2));
    let time = UNIX_EPOCH + Duration::from_secs(1_234_567_890);
    for name in ["two", "empty", "a", "noise"] {
        File::options()
            .write(true)
            .open(place.path().join(name))
            .unwrap()
            .set_modified(time)
            .unwrap();
        place.tool("gzip", &[name], b"").good();
        let file = format!("{name}.gz");
        let theirs = place.tool("gzip", &["-l", &file], b"");
        assert_eq!(place.decompress(&["-l", &file], b""), theirs, "{name}");
        // And told by -v, to both.
        let ours = place.decompress(&["-vk", &file], b"").stderr;
        let theirs = place.tool("gzip", &["-dvkf", &file], b"").stderr;
        assert_eq!(ours.lines().last(), theirs.lines().last());
    }
    // What is stored without a name, and was modified since.
    let bare = place.tool("gzip", &["-nc", "a"], b"").stdout;
    place.write("bare.gz", bare);
    assert_eq!(
        shares(&place.decompress(&["-l", "bare.gz"], b"")),
        shares(&place.tool("gzip", &["-l", "bare.gz"], b""))
    );
    let later = File::options().write(true).open(place.path().join("two.gz")).unwrap();
    later.set_modified(time + Duration::from_secs(86_400 * 40)).unwrap();
    let two = place.read("two.gz");
    fs::rename(place.path().join("noise.gz"), place.path().join("other.gz")).unwrap();
    for zone in ["UTC0", "America/New_York"] {
        let zone = format!("TZ={zone}");
        for option in ["-lv", "-lvN", "-lvn", "-lqv", "-lvq"] {
            for name in ["two.gz", "empty.gz", "a.gz", "other.gz", "bare.gz", "-"] {
                let run = |program: &[&str]| {
                    let args = [&[zone.as_str()], program, &[option, name]].concat();
                    place.tool("env", &args, &two)
                };
                let ours = run(&[env!("CARGO_BIN_EXE_broadloom"), "decompress"]);
                assert_eq!(ours.good(), run(&["gzip"]).good(), "{zone} {option} {name}");
            }
        }
    }
    // Of a file on standard input, the time is that of the file.
    let from_file = |command: &mut Command| {
        let file = File::open(place.path().join("two.gz")).unwrap();
        let said = command.arg("-lv").stdin(file).output().unwrap();
        String::from_utf8(said.stdout).unwrap()
    };
    let ours = from_file(&mut place.command("decompress"));
    assert_eq!(ours, from_file(&mut Command::new("gzip")));
}

#[test]
fn the_time_of_a_file_on_standard_input_is_stored_as_gzip_does() {
    let place = Place::new();
    place.write("a", "x");
    let time = UNIX_EPOCH + Duration::from_secs(1_234_567_890);
    File::options().write(true).open(place.path().join("a")).unwrap().set_modified(time).unwrap();
    let header = |command: &mut Command, args: &[&str], input: Stdio| {
        let said = command.args(args).current_dir(place.path()).stdin(input).output().unwrap();
        assert!(said.status.success(), "{said:?}");
        // Flags, and the time.
        said.stdout[3..8].to_vec()
    };
    let file = || Stdio::from(File::open(place.path().join("a")).unwrap());
    let stored = [&[0][..], &1_234_567_890_u32.to_le_bytes()].concat();
    for (args, expected) in
        [(&["-c"][..], &stored[..]), (&["-cn"], &[0; 5]), (&["-c", "-"], &stored)]
    {
        let ours = header(&mut place.command("compress"), args, file());
        assert_eq!(ours, header(&mut Command::new("gzip"), args, file()), "{args:?}");
        assert_eq!(ours, expected, "{args:?}");
    }
    // A pipe, with a name or without, has no time.
    let pipe = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(writer);
        Stdio::from(reader)
    };
    for args in [&["-c"][..], &["-c", "/dev/stdin"]] {
        let ours = header(&mut place.command("compress"), args, pipe());
        assert_eq!(ours[1..], [0; 4], "{args:?}");
        assert_eq!(ours, header(&mut Command::new("gzip"), args, pipe()), "{args:?}");
    }
    let said = place.command("compress").arg("-K").stdin(file()).output().unwrap();
    let field = [b"UT\x05\x00\x01", &stored[1..]].concat();
    assert!(said.stdout.windows(field.len()).any(|window| window == field), "{said:?}");
}

#[test]
fn a_quiet_listing_is_gzips_without_title_and_totals() {
    let place = Place::new();
    for name in ["a", "b"] {
        place.write(name, text(1000, 1));
        run(Command::new("gzip").arg(name).current_dir(place.path()), b"").good();
    }
    let theirs =
        run(Command::new("gzip").args(["-lq", "a.gz", "b.gz"]).current_dir(place.path()), b"");
    assert_eq!(theirs.good().lines().count(), 2);
    assert_eq!(place.decompress(&["-lq", "a.gz", "b.gz"], b"").good(), theirs.good());
}

#[test]
fn names_that_are_no_text_are_printed_as_they_are() {
    let place = Place::new();
    let name = OsStr::from_bytes(b"a\xff\x1b[1m");
    place.write(name, "x");
    place.compress(&["-r", "."], b"").good();
    let said = place.decompress(&["-lr", "."], b"");
    assert!(said.stdout.ends_with(b" ./a\xff\x1b[1m\n"), "{said:?}");
}

#[test]
fn a_listing_says_what_a_test_says_of_the_end_and_of_the_limit() {
    let place = Place::new();
    place.write("a", text(100_000, 1));
    place.compress(&["--format", "bgzf", "-k", "a"], b"").good();
    let whole = place.read("a.gz");
    place.write("cut.gz", &whole[..whole.len() - 28]);
    place.write("more.gz", [&whole[..], b"more"].concat());
    for (args, file, text, code) in [
        (
            &["--limit", "99999"][..],
            "a.gz",
            "the data go on behind 99999 bytes, which is the limit",
            1,
        ),
        (&[], "cut.gz", "the empty block with which bgzf ends is missing", 1),
        (&[], "more.gz", "decompression OK, trailing garbage ignored", 2),
    ] {
        for task in ["-l", "-t"] {
            let said = place.decompress(&[&[task, file], args].concat(), b"");
            assert_eq!(said.code, Some(code), "{task} {file}");
            assert!(said.stderr.contains(text), "{task} {file}: {}", said.stderr);
        }
    }
    place.decompress(&["-l", "--limit", "100000", "a.gz"], b"").good();
    place.decompress(&["-l", "--format", "gzip", "cut.gz"], b"").good();
    let said = place.decompress(&["-lf", "more.gz"], b"");
    assert_eq!((said.code, said.text().lines().count()), (Some(2), 2));
}

#[test]
fn verbose_tells_what_was_done() {
    let place = Place::new();
    place.write("a", text(100_000, 1));
    let said = place.compress(&["-v", "a"], b"");
    assert_eq!(said.code, Some(0));
    assert!(said.stderr.ends_with("% -- replaced with a.gz\n"), "{}", said.stderr);
    let said = place.decompress(&["-vk", "a.gz"], b"");
    assert!(said.stderr.ends_with("% -- created a\n"), "{}", said.stderr);
}

#[test]
fn an_index_is_the_one_of_bgzip() {
    let place = Place::new();
    place.write("a", text(500_000, 1));
    place.compress(&["--format", "bgzf", "--index", "-k", "a"], b"").good();
    assert_eq!(place.names("."), ["a", "a.gz", "a.gz.gzi"]);
    if !has("bgzip") {
        return;
    }
    let index = place.read("a.gz.gzi");
    place.tool("bgzip", &["-r", "a.gz"], b"").good();
    assert_eq!(place.read("a.gz.gzi"), index);
    let said = place.tool("bgzip", &["-b", "300000", "-s", "1000", "a.gz"], b"");
    assert!(said.stdout == place.read("a")[300_000..301_000]);
}

#[test]
fn nothing_is_left_where_nothing_can_be_made() {
    // Nobody can make a file in /proc, whatever they may do elsewhere.
    let place = Place::new();
    let said = place.compress(&["-k", "/proc/version"], b"");
    assert_eq!(said.code, Some(1));
    let expected = "broadloom compress: /proc/version: /proc/version.gz cannot be made: ";
    let reason = said.stderr.strip_prefix(expected).expect(&said.stderr);
    // The system's words alone: neither its number nor the name of a temporary file.
    assert!(reason.trim_end().chars().all(|c| c.is_alphabetic() || c == ' '), "{reason}");
}

#[test]
fn a_signal_leaves_nothing() {
    let limits = [Signal::XCPU, Signal::VTALARM, Signal::PROF, Signal::ALARM];
    let people = [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT, Signal::USR1, Signal::USR2];
    for signal in people.into_iter().chain(limits) {
        let place = Place::new();
        // Sparse: it takes no room, and hours to compress.
        File::create(place.path().join("a")).unwrap().set_len(1 << 40).unwrap();
        // Whoever runs the tests may ignore signals, as `nohup` does, and a child would go on
        // ignoring them. Nor is a picture of the memory wanted, which some signals leave.
        let script = format!(
            "ulimit -c 0; exec env --default-signal '{}' compress a",
            env!("CARGO_BIN_EXE_broadloom")
        );
        let mut command = Command::new("sh");
        command.args(["-c", &script]);
        let mut child = command.current_dir(place.path()).stderr(Stdio::null()).spawn().unwrap();
        while !place.names(".").iter().any(|name| name.starts_with(".broadloom-")) {
            assert_eq!(child.try_wait().unwrap(), None);
            std::thread::sleep(Duration::from_millis(5));
        }
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(signal.as_raw()));
        assert_eq!(place.names("."), ["a"]);
    }
}

#[test]
fn a_limit_of_file_sizes_is_an_error_and_leaves_nothing() {
    let place = Place::new();
    place.write("a", noise(1_000_000, 1));
    let script = format!("ulimit -f 10; exec '{}' compress a", env!("CARGO_BIN_EXE_broadloom"));
    let said = place.tool("sh", &["-c", &script], b"");
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    assert!(
        said.stderr.starts_with("broadloom compress: a: writing failed behind "),
        "{}",
        said.stderr
    );
    assert!(said.stderr.contains("File too large"), "{}", said.stderr);
    assert_eq!(place.names("."), ["a"]);
}

#[test]
fn a_file_that_changes_while_it_is_read_is_left_as_it_is() {
    // Sparse: they take no room, but longer to compress than it takes to change them, although the
    // machine may be busy.
    for (before, now) in [(1 << 40, 1_000_000), (512 << 20, 600 << 20)] {
        let place = Place::new();
        let path = place.path().join("a");
        File::create(&path).unwrap().set_len(before).unwrap();
        let mut command = place.command("compress");
        command.args(["-9", "-p", "1", "--provider", "zlib", "a"]).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        while !place.names(".").iter().any(|name| name.starts_with(".broadloom-")) {
            assert_eq!(child.try_wait().unwrap(), None);
            std::thread::sleep(Duration::from_millis(1));
        }
        File::options().write(true).open(&path).unwrap().set_len(now).unwrap();
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        let expected = format!(
            "broadloom compress: a: file changed while it was read: it had {before} bytes, and \
             then {now}\n"
        );
        assert_eq!((output.status.code(), stderr), (Some(1), expected));
        assert_eq!(place.names("."), ["a"]);
        assert_eq!(fs::metadata(&path).unwrap().len(), now);
    }
}

#[test]
fn an_ignored_signal_stays_ignored() {
    let place = Place::new();
    File::create(place.path().join("a")).unwrap().set_len(1 << 40).unwrap();
    let program = env!("CARGO_BIN_EXE_broadloom");
    let mut command = Command::new("sh");
    let script = format!("trap '' HUP; exec '{program}' compress a");
    let mut child = command.args(["-c", &script]).current_dir(place.path()).spawn().unwrap();
    while !place.names(".").iter().any(|name| name.starts_with(".broadloom-")) {
        assert_eq!(child.try_wait().unwrap(), None);
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::HUP).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(Signal::TERM.as_raw()));
    assert_eq!(place.names("."), ["a"]);
}

#[test]
fn options_are_taken_as_gzip_takes_them() {
    let place = Place::new();
    let data = text(1000, 1);
    place.write("a", &data);
    // As tar -I 'broadloom compress -9' calls it to extract.
    place.compress(&["-9", "a"], b"").good();
    place.compress(&["-9", "-t", "a.gz"], b"").good();
    place.compress(&["--best", "-l", "a.gz"], b"").good();
    place.compress(&["-9", "--chunk", "64K", "--verify", "-d", "a.gz"], b"").good();
    // Short for one name only.
    place.compress(&["--keep", "--fas", "a"], b"").good();
    assert!(place.compress(&["--decomp", "--std", "a.gz"], b"").good().as_bytes() == data);
    let said = place.compress(&["--re", "--s", "a"], b"");
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    for name in ["compress", "decompress"] {
        let said = run(place.command(name).arg("--version"), b"");
        assert!(said.good().contains(env!("CARGO_PKG_VERSION")), "{name}");
    }
}

#[test]
fn wrong_command_lines_name_what_is_wrong() {
    let place = Place::new();
    place.write("a", "x");
    for (args, said) in [
        (&["-p", "0", "a"][..], "a number of threads is 1 to 256"),
        (&["-p", "x", "a"], "a number of threads is 1 to 256"),
        (
            &["--level", "256", "a"],
            "a level is 0 to 12: isal has 0 to 3, zlib 0 to 9, libdeflate 0 to 12",
        ),
        (
            &["--level", "x", "a"],
            "a level is 0 to 12: isal has 0 to 3, zlib 0 to 9, libdeflate 0 to 12",
        ),
        (&["--format", "rar", "a"], "valid: parcomp, gzip, bgzf, zlib, raw, zip, lz4, zstd"),
        (&["-zK", "a"], "cannot be used with"),
        (&["-z", "--format", "raw", "a"], "cannot be used with"),
        (&["-b", "0", "a"], "a block size in KiB is 1 to 1048576"),
        (&["-b", "64K", "a"], "a block size in KiB is 1 to 1048576"),
        (&["-13", "a"], "level 13 is of use for --format zstd only: a level is 0 to 12"),
        (&["-19", "a"], "a level is 0 to 12"),
        (&["-20", "a"], "invalid value '20'"),
        (&["--format", "zstd", "-20", "a"], "--format zstd has 1 to 19"),
        (&["--format", "zstd", "-0", "a"], "level 0 of zstd; valid: 1 to 19"),
        (&["--format", "lz4", "-9", "a"], "level 9 of lz4; valid: 1 to 1"),
        (&["--format", "lz4", "--chunk", "8M", "a"], "valid: 1024 to 4194304"),
        (&["--format", "lz4", "--long", "a"], "--long is of use for --format zstd only, not lz4"),
        (&["--long", "a"], "--long is of use for --format zstd only, not gzip"),
        (&["--format", "zstd", "--long=9", "a"], "as a power of two, is 10 to 31"),
        (&["--block-checksums", "a"], "--block-checksums is of use for --format lz4 only"),
        (&["--memory", "1G", "a"], "--memory is of use to decompress only"),
        (&["--format", "zstd", "--provider", "zlib", "a"], "--provider is of use for DEFLATE only"),
        (&["--format", "lz4", "--jobs", "2", "a"], "--jobs is of use for DEFLATE only"),
        (&["--format", "lz4", "--members", "a"], "--members is of use for --format gzip only"),
        (&["--provider", "fast", "a"], "no provider is called \"fast\"; valid: "),
        (&["--chunk", "0", "a"], "expected a number of bytes above 0"),
        (&["--chunk", "1", "a"], "valid: 1024 to "),
        (&["--format", "bgzf", "--chunk", "64K", "a"], "valid: 1024 to 65280"),
        (&["--jobs", "0", "a"], "a number of jobs is 1 to 256"),
        (&["--limit", "1M", "a"], "--limit is of use to decompress only"),
        (&["--index", "a"], "--index is of use for --format bgzf only"),
        (&["--format", "bgzf", "--index"], "--index is written beside a file"),
        (&["--format", "bgzf", "--index", "a", "-"], "--index is written beside a file"),
        (&["-tl", "a"], "cannot be used with"),
        (&["--fallback", "a"], "--provider"),
        (&["--provider", "zlib", "--level", "10", "a"], "valid: 0 to 9"),
    ] {
        let result = place.compress(args, b"");
        assert_eq!(result.code, Some(2), "{args:?}: {}", result.stderr);
        assert!(result.stderr.contains(said), "{args:?}: {}", result.stderr);
        assert_eq!(place.names("."), ["a"]);
    }
    let result = place.decompress(&["-13", "a"], b"");
    assert_eq!(result.code, Some(2));
}
