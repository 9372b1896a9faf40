//! `broadloom compress` and `decompress` in pipes: with the tools of others on the other side, with
//! data that are damaged, with readers that leave.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use broadloom_testing::has;
use rustix::process::Signal;

use crate::common::{Place, Said, noise, run, text};

/// The formats.
const FORMATS: [&str; 5] = ["gzip", "bgzf", "zlib", "raw", "parcomp"];

/// The formats that have checksums.
const CHECKED: [&str; 3] = ["gzip", "bgzf", "zlib"];

/// Data of different kinds and lengths.
fn samples() -> Vec<Vec<u8>> {
    vec![
        Vec::new(),
        b"x".to_vec(),
        text(65_280, 1),
        text(65_537, 2),
        noise(200_000, 3),
        vec![0; 300_000],
        text(1_500_000, 4),
    ]
}

/// Runs Python, and gives what it writes; nothing where there is none.
fn python(place: &Place, script: &str, stdin: &[u8]) -> Option<Vec<u8>> {
    let script = format!("import sys, zlib\ndata = sys.stdin.buffer.read()\n{script}");
    has("python3").then(|| {
        let said = place.tool("python3", &["-c", &script], stdin);
        assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
        said.stdout
    })
}

fn compressed(place: &Place, format: &str, data: &[u8]) -> Vec<u8> {
    let said = place.compress(&["--format", format, "-1", "-p", "2"], data);
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""), "{format}");
    said.stdout
}

fn assert_data(said: &Said, data: &[u8], what: &str) {
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""), "{what}");
    assert!(said.stdout == data, "{what}: {} of {} bytes", said.stdout.len(), data.len());
}

#[test]
fn others_read_what_we_write() {
    let place = Place::new();
    let readers = [("gzip", ["-dc"]), ("zcat", ["-"]), ("pigz", ["-dc"])];
    let readers: Vec<_> = readers.into_iter().filter(|(tool, _)| has(tool)).collect();
    let (pigz, bgzip) = (has("pigz"), has("bgzip"));
    let by_python = |script, stdin: &[u8], data: &[u8]| {
        assert!(python(&place, script, stdin).is_none_or(|read| read == data), "python: {script}");
    };
    for data in samples() {
        for format in ["gzip", "bgzf"] {
            let ours = compressed(&place, format, &data);
            let what = format!("{format}, {} bytes", data.len());
            place.tool("gzip", &["-t"], &ours).good();
            for (tool, args) in &readers {
                assert_data(&place.tool(tool, args, &ours), &data, &format!("{tool}: {what}"));
            }
            by_python(PYTHON_GUNZIP, &ours, &data);
        }
        if bgzip {
            let bgzf = compressed(&place, "bgzf", &data);
            assert_data(&place.tool("bgzip", &["-dc"], &bgzf), &data, "bgzip");
        }
        let zlib = compressed(&place, "zlib", &data);
        by_python("sys.stdout.buffer.write(zlib.decompress(data))", &zlib, &data);
        if pigz {
            assert_data(&place.tool("pigz", &["-dc"], &zlib), &data, "pigz, zlib");
        }
        let raw = compressed(&place, "raw", &data);
        by_python("sys.stdout.buffer.write(zlib.decompress(data, -15))", &raw, &data);
        by_python(PYTHON_PARCOMP, &compressed(&place, "parcomp", &data), &data);
    }
}

const PYTHON_GUNZIP: &str = "import gzip\nsys.stdout.buffer.write(gzip.decompress(data))";

const PYTHON_PARCOMP: &str = "
at = 0
while at < len(data):
    end = at + 4 + int.from_bytes(data[at:at + 4], 'little')
    sys.stdout.buffer.write(zlib.decompress(data[at + 4:end], -15))
    at = end
";

#[test]
fn we_read_what_others_write() {
    let place = Place::new();
    for data in samples() {
        let raw = "c = zlib.compressobj(6, 8, -15)\nsys.stdout.buffer.write(c.compress(data) + c.flush())";
        let zlib = "sys.stdout.buffer.write(zlib.compress(data))";
        let tools: [(&str, &[&str]); 6] = [
            ("gzip", &["-c"]),
            ("gzip", &["-9c"]),
            ("pigz", &["-cp2"]),
            ("pigz", &["-cip2", "-b", "128"]),
            ("pigz", &["-cz"]),
            ("bgzip", &["-c"]),
        ];
        let made = tools.iter().filter(|(tool, _)| has(tool)).map(|(tool, args)| {
            (format!("{tool} {}", args.concat()), place.tool(tool, args, &data).stdout)
        });
        let made =
            made.chain(python(&place, zlib, &data).map(|stream| ("zlib".to_owned(), stream)));
        for (what, stream) in made {
            for threads in ["1", "3"] {
                let said = place.decompress(&["-p", threads], &stream);
                assert_data(
                    &said,
                    &data,
                    &format!("{what}, {} bytes, {threads} threads", data.len()),
                );
            }
        }
        if let Some(stream) = python(&place, raw, &data) {
            assert_data(&place.decompress(&["--format", "raw"], &stream), &data, "raw");
        }
    }
}

#[test]
fn members_of_all_kinds_follow_each_other() {
    let place = Place::new();
    let (one, two) = (text(200_000, 1), noise(70_000, 2));
    let ours = compressed(&place, "gzip", &one);
    let theirs = place.tool("gzip", &["-c"], &two).stdout;
    let blocks = compressed(&place, "bgzf", &one);
    let zeros = vec![0; 1000];
    let said = place.decompress(&[], &[&ours[..], &theirs, &ours, &blocks, &zeros].concat());
    assert_data(&said, &[&one[..], &two, &one, &one].concat(), "members");
}

#[test]
fn tabix_finds_its_way() {
    if !has("tabix") {
        return;
    }
    let place = Place::new();
    let lines: Vec<String> =
        (0..50_000).map(|line| format!("chr1\t{}\t{}\n", line * 10, line * 10 + 9)).collect();
    place.write("a.bed", lines.concat());
    place.compress(&["--format", "bgzf", "a.bed"], b"").good();
    place.tool("tabix", &["-p", "bed", "a.bed.gz"], b"").good();
    let found = place.tool("tabix", &["a.bed.gz", "chr1:400001-400009"], b"");
    assert_eq!(found.good(), "chr1\t400000\t400009\n");
}

#[test]
fn every_level_and_provider_comes_back() {
    let place = Place::new();
    let data = [text(150_000, 1), noise(30_000, 2)].concat();
    for (provider, levels) in
        [("zlib", 0..=9), ("zlib:library=zlib-rs", 0..=9), ("libdeflate", 0..=12)]
    {
        for level in levels {
            let level = level.to_string();
            let said =
                place.compress(&["--provider", provider, "--level", &level, "--verify"], &data);
            assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""), "{provider} {level}");
            let what = format!("{provider} {level}");
            assert_data(&place.tool("gzip", &["-dc"], &said.stdout), &data, &what);
            assert_data(&place.decompress(&["--provider", provider], &said.stdout), &data, &what);
        }
    }
    // Digits are levels, and the highest make less of text than the lowest.
    let zlib = |option: &str| place.compress(&["--provider", "zlib", option], &data).stdout.len();
    let sizes: Vec<usize> = (1..=9).map(|digit| zlib(&format!("-{digit}"))).collect();
    assert!(sizes[8] < sizes[0], "{sizes:?}");
    assert_eq!(
        [zlib("--best"), zlib("--fast"), zlib("-6"), zlib("-p1")],
        [sizes[8], sizes[0], sizes[5], sizes[5]]
    );
}

#[test]
fn output_is_the_same_for_any_number_of_threads() {
    let place = Place::new();
    let data = [text(700_000, 1), noise(100_000, 2)].concat();
    for format in FORMATS {
        let output = |threads: &str, jobs: &str| {
            let args =
                ["--format", format, "--provider", "zlib", "-1", "-p", threads, "--jobs", jobs];
            place.compress(&args, &data).stdout
        };
        let one = output("1", "1");
        assert!(output("4", "1") == one && output("2", "7") == one, "{format}");
        let args = ["--format", format, "-p", "4", "--jobs", "9"];
        assert_data(&place.decompress(&args, &one), &data, format);
    }
}

#[test]
fn a_provider_that_cannot_is_replaced_only_where_that_is_allowed() {
    let place = Place::new();
    let args = ["--format", "zlib", "--level", "12", "--provider", "zlib"];
    let said = place.compress(&args, b"data");
    assert_eq!((said.code, said.stdout.len()), (Some(2), 0));
    assert!(said.stderr.contains("zlib has no level 12; valid: 0 to 9"), "{}", said.stderr);
    let said = place.compress(&[&args[..], &["--fallback"]].concat(), b"data");
    assert_eq!(said.code, Some(0));
    assert!(said.stderr.contains("libdeflate takes the place of zlib: "), "{}", said.stderr);
    assert_data(&place.decompress(&[], &said.stdout), b"data", "zlib");
}

#[test]
fn who_compresses_does_not_depend_on_how_fast_it_is() {
    let place = Place::new();
    let data = text(300_000, 1);
    place.write("data", &data);
    let provider = |args: &[&str], stdin: &[u8]| {
        let said = place.compress(&[args, &["-v", "-c"]].concat(), stdin);
        let line = said.stderr.lines().next().unwrap_or_default().to_owned();
        assert_eq!(said.code, Some(0), "{line}");
        (line, said.stdout)
    };
    for (level, reason) in
        [("-9", "libdeflate makes the fewest bytes in the time"), ("-0", "level 0 stores")]
    {
        let (line, output) = provider(&[level], &data);
        assert!(line.starts_with("provider:\tlibdeflate compresses ("), "{line}");
        assert!(line.contains(reason) && !line.contains("MB/s"), "{line}");
        // Neither on how much there is, nor on whether that is known.
        assert_eq!(provider(&[level], b"x").0, line);
        assert_eq!(provider(&[level, "data"], b"").0, line);
        assert_eq!(provider(&[level], &data).1, output);
    }
    let (line, _) = provider(&["--provider", "fastest", "-9"], &data);
    assert!(line.contains("MB/s"), "{line}");
    let said = place.compress(&["--provider", "fast"], b"data");
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("lz4, gpu, fastest"), "{}", said.stderr);
}

/// Returns the offsets at which the blocks of BGZF or the chunks of parcomp begin, and the end.
fn boundaries(format: &str, data: &[u8]) -> Vec<usize> {
    let number = |at: usize, len: usize| {
        let bytes = &data[at..at + len];
        bytes.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte))
    };
    let mut at = vec![0];
    while let Some(&last) = at.last().filter(|&&last| last < data.len()) {
        at.push(match format {
            "bgzf" => last + number(last + 16, 2) + 1,
            "parcomp" => last + 4 + number(last, 4),
            _ => data.len(),
        });
    }
    at
}

/// Asserts that it failed and said where.
fn assert_refused(said: &Said, len: usize, what: &str) {
    assert_eq!(said.code, Some(1), "{what}: {}", said.stderr);
    let place = said.stderr.strip_prefix("broadloom decompress: stdin: at byte ");
    let offset = place
        .and_then(|rest| rest.split(':').next())
        .and_then(|offset| offset.parse::<usize>().ok());
    assert!(offset.is_some_and(|offset| offset <= len), "{what}: {}", said.stderr);
    assert_eq!(said.stderr.lines().count(), 1, "{what}: {}", said.stderr);
}

#[test]
fn what_is_cut_off_is_refused() {
    let place = Place::new();
    let data = text(150_000, 1);
    for format in FORMATS {
        let whole = compressed(&place, format, &data);
        let boundaries = boundaries(format, &whole);
        assert_eq!(boundaries.last(), Some(&whole.len()), "{format}");
        // parcomp ends wherever a chunk does.
        let ends = |cut: &usize| format == "parcomp" && boundaries.contains(cut);
        let edges =
            boundaries.iter().flat_map(|&at| [at, at + 1, at + 5, at + 19, at.saturating_sub(1)]);
        let spread = (0..12).map(|part| whole.len() * part / 12);
        for cut in edges.chain(spread).filter(|&cut| cut < whole.len()).filter(|cut| !ends(cut)) {
            if cut == 0 && format == "parcomp" {
                continue;
            }
            for threads in ["1", "2"] {
                let said = place.decompress(&["--format", format, "-p", threads], &whole[..cut]);
                assert_refused(&said, cut, &format!("{format} cut at {cut}"));
                assert!(data.starts_with(&said.stdout), "{format} cut at {cut}");
            }
        }
    }
}

#[test]
fn what_is_damaged_is_refused_or_does_not_matter() {
    let place = Place::new();
    let data = text(150_000, 1);
    for format in FORMATS {
        let whole = compressed(&place, format, &data);
        let start = 0..24;
        let spread = (1..20).map(|part| whole.len() * part / 20);
        let end = whole.len() - 34..whole.len();
        for at in start.chain(spread).chain(end) {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << (at % 8);
            let said = place.decompress(&["--format", format], &damaged);
            let what = format!("{format}, byte {at}");
            match said.code {
                Some(0) if CHECKED.contains(&format) => assert_data(&said, &data, &what),
                // What has no checksum may end early, and the rest is then taken for garbage.
                Some(0 | 2) if !CHECKED.contains(&format) => {}
                _ => assert_refused(&said, whole.len(), &what),
            }
        }
    }
}

#[test]
fn garbage_is_refused() {
    let place = Place::new();
    for input in [
        &b""[..],
        b"x",
        b"plain text",
        &noise(5000, 1),
        &[0; 5000],
        b"\x1f\x8b",
        b"\x1f\x8b\x08\xff",
    ] {
        assert_refused(&place.decompress(&[], input), input.len(), &format!("{input:?}"));
        place.write("a.gz", input);
        let said = place.decompress(&["a.gz"], b"");
        assert_eq!((said.code, place.names(".")), (Some(1), vec!["a.gz".to_owned()]), "{input:?}");
        assert!(said.stderr.starts_with("broadloom decompress: a.gz: at byte "), "{}", said.stderr);
    }
}

#[test]
fn garbage_behind_the_data_is_ignored_with_a_warning_as_gzip_does() {
    let place = Place::new();
    for format in ["gzip", "zlib", "raw"] {
        let sound = compressed(&place, format, b"data");
        let input = [&sound[..], b"garbage"].concat();
        for args in [&["--format", format][..], &["--format", format, "-q"]] {
            let said = place.decompress(args, &input);
            assert_eq!((said.code, &said.stdout[..]), (Some(2), &b"data"[..]), "{format}");
            let text = format!(
                "broadloom decompress: stdin: decompression OK, trailing garbage ignored (from \
                 byte {} on)\n",
                sound.len()
            );
            let quiet = args.contains(&"-q");
            assert_eq!(said.stderr, if quiet { "" } else { &text }, "{format}");
        }
    }
    let input = [&compressed(&place, "gzip", b"data")[..], b"garbage"].concat();
    for args in [&["-t"][..], &["-d"], &["-dq"], &["-df"], &["-tf"]] {
        let ours = place.compress(args, &input);
        let theirs = place.tool("gzip", args, &input);
        assert_eq!((ours.code, &ours.stdout), (theirs.code, &theirs.stdout), "{args:?}");
    }
    // The garbage is nowhere else: the file that has it goes by force only.
    place.write("a.gz", &input);
    let said = place.decompress(&["a.gz"], b"");
    assert!(said.stderr.contains("a.gz: decompression OK, trailing garbage"), "{}", said.stderr);
    assert_eq!((said.code, place.names(".")), (Some(2), vec!["a".to_owned(), "a.gz".to_owned()]));
    assert_eq!(place.read("a"), b"data");
    let said = place.decompress(&["-f", "a.gz"], b"");
    assert_eq!((said.code, place.names(".")), (Some(2), vec!["a".to_owned()]));
}

#[test]
fn what_is_not_compressed_is_copied_by_force_as_zcat_does() {
    let place = Place::new();
    let member = place.tool("gzip", &["-c"], b"data").stdout;
    let more: Vec<Vec<u8>> = [&b"plain"[..], b"\0\0\0", b"\x1f", &member]
        .map(|rest| [&member[..], rest].concat())
        .into();
    let plain = [&b""[..], b"x", b"plain", b"80 columns\n", b"x^2\n", b"\x1f", &text(100_000, 1)];
    for data in plain.into_iter().chain(more.iter().map(Vec::as_slice)) {
        let copied = place.tool("gzip", &["-dcf"], data).stdout;
        for args in [&["-cf"][..], &["-df"]] {
            assert_data(&place.decompress(args, data), &copied, &format!("{args:?} {data:?}"));
        }
        place.write("a", data);
        assert_data(
            &place.decompress(&["-dcf", "a"], b""),
            &copied,
            &format!("a file of {data:?}"),
        );
        place.decompress(&["-tf", "a"], b"").good();
    }
    // Into a file nothing is copied.
    place.write("a.gz", "plain");
    assert_eq!(place.decompress(&["-f", "a.gz"], b"").code, Some(1));
    // A zlib stream is one, though gzip knows none.
    assert_data(&place.decompress(&["-cf"], &compressed(&place, "zlib", b"data")), b"data", "zlib");
    assert_data(
        &place.decompress(&["-cf"], &compressed(&place, "gzip", b"data")),
        b"data",
        "compressed",
    );
}

#[test]
fn bgzf_without_its_end_may_be_cut_off() {
    let place = Place::new();
    let data = text(100_000, 1);
    let whole = compressed(&place, "bgzf", &data);
    let cut = &whole[..whole.len() - 28];
    let said = place.decompress(&[], cut);
    assert_refused(&said, cut.len(), "no end block");
    assert!(said.stderr.contains("--format gzip takes it as it is"), "{}", said.stderr);
    assert_data(&place.decompress(&["--format", "gzip"], cut), &data, "as gzip");
}

#[test]
fn a_limit_stops_bombs() {
    let place = Place::new();
    let data = vec![0; 30_000_000];
    let foreign = place.tool("gzip", &["-c"], &data).stdout;
    for input in [compressed(&place, "gzip", &data), foreign] {
        for limit in ["1", "1M", "29999999"] {
            let said = place.decompress(&["--limit", limit], &input);
            assert_refused(&said, input.len(), limit);
            assert!(said.stderr.contains("limit"), "{}", said.stderr);
            let most = if limit == "1M" { 1 << 20 } else { limit.parse().unwrap() };
            assert!(
                said.stdout.len() <= most,
                "{} bytes for a limit of {limit}",
                said.stdout.len()
            );
        }
        assert_data(&place.decompress(&["--limit", "30000000"], &input), &data, "just enough");
        assert_eq!(place.compress(&["-t", "--limit", "1M"], &input).code, Some(1));
    }
}

#[test]
fn readers_that_leave_are_not_complained_about() {
    for name in ["compress", "decompress"] {
        let place = Place::new();
        place.write("zeros", compressed(&place, "gzip", &vec![0; 20_000_000]));
        let input = if name == "compress" {
            File::open("/dev/urandom")
        } else {
            File::open(place.path().join("zeros"))
        };
        let mut command = place.command(name);
        let mut child = command
            .stdin(input.unwrap())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut some = [0; 1000];
        child.stdout.take().unwrap().read_exact(&mut some).unwrap();
        let output = child.wait_with_output().unwrap();
        // As gzip and all who do not handle the signal.
        let signal = output.status.signal();
        assert_eq!((signal, output.stderr), (Some(Signal::PIPE.as_raw()), Vec::new()), "{name}");
    }
}

#[test]
fn writing_that_fails_is_an_error() {
    let place = Place::new();
    place.write("a", noise(100_000, 1));
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = place
        .command("compress")
        .args(["-c", "a"])
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr.starts_with("broadloom compress: a: writing failed")
            && stderr.contains("No space left"),
        "{stderr}"
    );
}

/// Runs a command of `broadloom` with a terminal for all of its streams, which Python makes. What
/// it writes comes back as the standard output.
fn on_terminal(place: &Place, args: &[&str], typed: &[u8]) -> Said {
    let script =
        "import os, pty, sys\nsys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
    let mut command = Command::new("python3");
    command
        .args(["-c", script, env!("CARGO_BIN_EXE_broadloom")])
        .args(args)
        .current_dir(place.path());
    run(&mut command, typed)
}

#[test]
fn compressed_data_are_kept_from_terminals() {
    if !has("python3") {
        return;
    }
    let place = Place::new();
    place.write("a", "data");
    let said = on_terminal(&place, &["compress", "-c", "a"], b"");
    assert_eq!(said.code, Some(1));
    assert!(
        said.text().contains("compressed data are not written to a terminal"),
        "{}",
        said.text()
    );
    let said = on_terminal(&place, &["decompress"], b"");
    assert_eq!(said.code, Some(1));
    assert!(
        said.text().contains("compressed data are not read from a terminal"),
        "{}",
        said.text()
    );
    let said = on_terminal(&place, &["compress", "-cf", "--format", "parcomp", "a"], b"");
    assert_eq!(said.code, Some(0));
}

#[test]
fn names_cannot_command_a_terminal() {
    if !has("python3") {
        return;
    }
    let place = Place::new();
    place.write("a\x1b[31m", "x");
    place.compress(&["a\x1b[31m"], b"").good();
    fs::rename(place.path().join("a\x1b[31m.gz"), place.path().join("a.gz")).unwrap();
    let said = on_terminal(&place, &["decompress", "-lN", "a.gz"], b"");
    assert_eq!(said.code, Some(0));
    assert!(said.text().contains(" 'a'$'\\033''[31m'\r\n"), "{:?}", said.text());
    // For programs it is as it is.
    let said = place.decompress(&["-lN", "a.gz"], b"");
    assert!(said.good().ends_with(" a\x1b[31m\n"));
}

#[test]
fn somebody_at_a_terminal_is_asked() {
    if !has("python3") {
        return;
    }
    let place = Place::new();
    for (typed, code, data) in [(&b"n\n"[..], 2, &b"old"[..]), (b"y\n", 0, b"new")] {
        place.write("a", "new");
        place.write("a.gz", "old");
        let said =
            on_terminal(&place, &["compress", "-n", "--format", "raw", "-S", ".gz", "a"], typed);
        assert!(
            said.text().contains("a.gz is there already; overwrite it (y or n)? "),
            "{}",
            said.text()
        );
        assert_eq!(said.code, Some(code), "{}", said.text());
        let now = if code == 0 {
            place.decompress(&["-c", "--format", "raw", "a.gz"], b"").stdout
        } else {
            place.read("a.gz")
        };
        assert_eq!(now, data);
    }
}
