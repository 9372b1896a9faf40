//! `broadloom compress` and `decompress` with `--format lz4` and `zstd`, beside `lz4` and `zstd`.

use std::fs;

use crate::common::{Place, Said, noise, text};
use broadloom_testing::has;

/// The formats, which are the names of their tools, and the suffixes.
const FORMATS: [(&str, &str); 2] = [("lz4", "lz4"), ("zstd", "zst")];

fn assert_data(said: &Said, data: &[u8], what: &str) {
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""), "{what}");
    assert!(said.stdout == data, "{what}: {} of {} bytes", said.stdout.len(), data.len());
}

#[test]
fn files_get_and_lose_their_suffixes() {
    for (format, suffix) in FORMATS {
        let place = Place::new();
        let data = text(3_000_000, 1);
        place.write("d/a", &data);
        place.write("d/e/b", "weft");
        place.compress(&["--format", format, "-r", "d"], b"").good();
        assert_eq!(place.names("d"), [format!("a.{suffix}"), "e".to_owned()]);
        assert_eq!(place.names("d/e"), [format!("b.{suffix}")]);
        // What has the suffix already is not compressed again.
        let said = place.compress(&["--format", format, "-r", "d"], b"");
        assert_eq!(place.names("d/e"), [format!("b.{suffix}")], "{}", said.stderr);
        place.decompress(&["-t", "-r", "d"], b"").good();
        place.decompress(&["-r", "d"], b"").good();
        assert!(place.read("d/a") == data && place.read("d/e/b") == b"weft");
        place.compress(&["--format", format, "-k", "-S", ".x", "d/a"], b"").good();
        place.decompress(&["-S", ".x", "-c", "d/a.x"], b"");
        assert_eq!(place.names("d"), ["a", "a.x", "e"]);
    }
    let place = Place::new();
    place.write("s.tar", text(1000, 1));
    for (format, short) in [("lz4", "s.tlz4"), ("zstd", "s.tzst")] {
        let packed = place.compress(&["--format", format, "-c", "s.tar"], b"");
        place.write(short, &packed.stdout);
        place.decompress(&["-f", short], b"").good();
        assert!(place.read("s.tar") == text(1000, 1));
    }
}

#[test]
fn the_tools_and_this_one_read_each_other_in_pipes() {
    for (format, _) in FORMATS {
        if !has(format) {
            continue;
        }
        let place = Place::new();
        for data in [Vec::new(), b"x".to_vec(), noise(300_000, 3), text(3_000_000, 2)] {
            for threads in ["1", "3"] {
                let ours = place.compress(&["--format", format, "-p", threads], &data);
                assert_data(&place.tool(format, &["-dc"], &ours.stdout), &data, format);
                let theirs = place.tool(format, &["-c"], &data).stdout;
                assert_data(&place.decompress(&["-p", threads], &theirs), &data, format);
                assert_data(&place.compress(&["-d", "-p", threads], &theirs), &data, format);
                // Frames stand behind one another.
                let both = [ours.stdout, theirs].concat();
                let twice = data.repeat(2);
                assert_data(&place.decompress(&["--format", format], &both), &twice, format);
            }
        }
    }
}

#[test]
fn every_option_of_compression_comes_back() {
    let place = Place::new();
    let data = text(2_500_000, 3);
    for args in [
        &["--format", "lz4", "-1", "--block-checksums", "--verify"][..],
        &["--format", "lz4", "--fast", "--chunk", "64K", "-R"],
        &["--format", "zstd", "-19"],
        &["--format", "zstd", "-1", "-b", "128", "-i"],
        &["--format", "zstd", "--level", "12", "--verify", "-R"],
        &["--format", "zstd", "--long", "-5"],
        &["--format", "zstd", "--long=22", "-p", "1"],
    ] {
        let said = place.compress(args, &data);
        assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""), "{args:?}");
        assert!(said.stdout.len() < data.len());
        assert_data(&place.decompress(&[], &said.stdout), &data, &format!("{args:?}"));
    }
    let smaller = place.compress(&["--format", "zstd", "-19"], &data).stdout.len();
    assert!(smaller < place.compress(&["--format", "zstd", "-1"], &data).stdout.len());
}

#[test]
fn files_are_listed_with_their_method() {
    let place = Place::new();
    place.write("a", text(3_000_000, 1));
    for (format, suffix) in FORMATS {
        place.compress(&["--format", format, "-k", "a"], b"").good();
        let len = place.read(format!("a.{suffix}")).len();
        let listed = place.decompress(&["-lv", &format!("a.{suffix}")], b"");
        let line = listed.good().lines().nth(1).expect("a line follows the title").to_owned();
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!((words[0], words[1]), (format, "--------"), "{line}");
        assert_eq!(words[5..7], [len.to_string().as_str(), "3000000"], "{line}");
        assert_eq!(words.last(), Some(&"a"), "{line}");
    }
    let said = place.decompress(&["-l", "a.lz4", "a.zst"], b"");
    assert!(said.good().ends_with("(totals)\n"));
}

#[test]
fn damaged_files_leave_nothing_behind() {
    for (format, suffix) in FORMATS {
        let place = Place::new();
        let name = format!("a.{suffix}");
        let mut file = place.compress(&["--format", format], &text(300_000, 1)).stdout;
        let middle = file.len() / 2;
        file[middle] ^= 0x10;
        place.write(&name, &file);
        for args in [&["-t"][..], &[]] {
            let said = place.decompress(&[args, &[&name]].concat(), b"");
            assert_eq!(said.code, Some(1), "{}", said.stderr);
            let start = format!("broadloom decompress: {name}: at byte ");
            assert!(said.stderr.starts_with(&start), "{}", said.stderr);
            assert_eq!(place.names("."), [name.as_str()]);
        }
        let said = place.decompress(&[], &file[..middle]);
        assert_eq!(said.code, Some(1));
        let wanted = format!("at byte {middle}: the input ends within a block");
        assert!(said.stderr.contains(&wanted), "{}", said.stderr);
    }
}

#[test]
fn what_follows_is_ignored_with_a_warning_or_copied_by_force() {
    for (format, suffix) in FORMATS {
        let place = Place::new();
        let data = text(1000, 1);
        let mut file = place.compress(&["--format", format], &data).stdout;
        let len = file.len();
        file.extend(b"garbage");
        let name = format!("a.{suffix}");
        place.write(&name, &file);
        let said = place.decompress(&["-c", &name], b"");
        assert!(said.code == Some(2) && said.stdout == data);
        let wanted = format!("trailing garbage ignored (from byte {len} on)");
        assert!(said.stderr.contains(&wanted), "{}", said.stderr);
        let said = place.decompress(&["-cf"], &file);
        assert_data(&said, &[data, b"garbage".to_vec()].concat(), format);
    }
}

#[test]
fn a_long_window_is_refused_with_the_way_out() {
    let place = Place::new();
    // The frame has no data, and asks for 512 MiB.
    let file = [0x28, 0xb5, 0x2f, 0xfd, 0, 19 << 3, 1, 0, 0];
    for args in [&["-t"][..], &["-l"], &["-c"], &["-c", "--long"], &["-c", "--memory=511M"]] {
        let said = place.decompress(args, &file);
        assert_eq!(said.code, Some(1), "{args:?}");
        let wanted = "the frame needs a window of 536870912 bytes; at most ";
        assert!(said.stderr.contains(wanted), "{args:?}: {}", said.stderr);
        let way_out = "allowed: --long=29 or --memory=536870912 allows it\n";
        assert!(said.stderr.ends_with(way_out), "{args:?}: {}", said.stderr);
    }
    for args in [&["-c", "--long=29"], &["-c", "--memory=512M"]] {
        assert_data(&place.decompress(args, &file), b"", &format!("{args:?}"));
    }
    let said = place.decompress(&["-c", "--limit", "1M"], &{
        place.compress(&["--format", "zstd"], &vec![0; 3 << 20]).stdout
    });
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.contains("behind 1048576 bytes, which is the limit"), "{}", said.stderr);
}

#[test]
fn other_data_of_a_format_that_was_asked_for_are_refused() {
    let place = Place::new();
    let zstd = place.compress(&["--format", "zstd"], b"warp").stdout;
    let said = place.decompress(&["--format", "lz4"], &zstd);
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.contains("a frame of zstd, and lz4 was asked for"), "{}", said.stderr);
    let gzip = place.compress(&[], b"warp").stdout;
    let said = place.decompress(&["--format", "zstd"], &gzip);
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.contains("as no frame of LZ4 or zstd does"), "{}", said.stderr);
    let said = place.decompress(&["--format", "gzip"], &zstd);
    assert_eq!(said.code, Some(1));
}

#[test]
fn attributes_of_files_are_kept() {
    let place = Place::new();
    place.write("a", "warp");
    let path = place.path().join("a");
    let before = fs::metadata(&path).expect("it is there").modified().expect("it has a time");
    place.compress(&["--format", "zstd", "a"], b"").good();
    let made = fs::metadata(place.path().join("a.zst")).expect("it was made");
    assert_eq!(made.modified().expect("it has a time"), before);
}
