//! Files of `lz4`, `zstd` and `pzstd` are read, and they read ours; so do the libraries.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use broadloom_compression::framed::{Settings, decompress as reading};

use super::{both, compress, decompress, decompress_with, noise, text};
use broadloom_testing::{has, has_version};

/// Returns what a tool makes of an input, through pipes.
fn piped(tool: &str, args: &[&str], input: &[u8]) -> Vec<u8> {
    let mut child = Command::new(tool)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it is here");
    let mut stdin = child.stdin.take().expect("it is piped");
    std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input).expect("it reads"));
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{tool} {args:?}");
        output.stdout
    })
}

fn inputs() -> [Vec<u8>; 5] {
    let mixed = [text(1 << 20), noise(1 << 18), vec![b'x'; 1 << 20], text(1 << 20)].concat();
    [Vec::new(), b"warp".to_vec(), text(100_000), noise(200_000), mixed]
}

fn ours() -> impl Iterator<Item = Settings> {
    let usual = both(|settings| settings);
    let small = both(|settings| Settings { chunk: Some(1 << 16), threads: 2, ..settings });
    usual.chain(small)
}

#[test]
fn the_libraries_read_ours() {
    for input in inputs() {
        for settings in ours() {
            let file = compress(settings.clone(), &input);
            let mut data = Vec::new();
            match settings.format.name() {
                "lz4" => {
                    let mut decoder = lz4::Decoder::new(&file[..]).expect("it is a frame");
                    decoder.read_to_end(&mut data).expect("it decodes");
                    decoder.finish().1.expect("the frame is whole");
                }
                _ => data = zstd::decode_all(&file[..]).expect("it decodes"),
            }
            assert!(data == input, "{settings:?}, {} bytes", input.len());
        }
    }
}

#[test]
fn the_tools_read_ours() {
    for input in inputs() {
        for settings in ours() {
            let tool = settings.format.name();
            if has(tool) {
                let file = compress(settings.clone(), &input);
                piped(tool, &["-t"], &file);
                assert!(piped(tool, &["-dc"], &file) == input, "{settings:?}");
            }
        }
    }
}

#[test]
fn files_of_lz4_are_read() {
    if !has("lz4") {
        return;
    }
    for args in [
        vec!["-1"],
        vec!["-9"],
        vec!["-B4"],
        vec!["-B5", "-BD"],
        vec!["-B7", "-BD", "-9"],
        vec!["-BX"],
        vec!["-B4", "-BX", "-BD"],
        vec!["--no-frame-crc"],
        vec!["--no-frame-crc", "-BD", "-B4"],
        vec!["-l"],
    ] {
        for input in inputs() {
            // The tool takes no empty input for a legacy frame.
            if args == ["-l"] && input.is_empty() {
                continue;
            }
            let file = piped("lz4", &[&args[..], &["-c"]].concat(), &input);
            assert!(decompress(&file) == Ok(input), "{args:?}");
        }
    }
    // Blocks of legacy frames stand for 8 MiB.
    let input = text(17 << 20);
    assert!(decompress(&piped("lz4", &["-lc"], &input)) == Ok(input));
}

#[test]
fn files_of_zstd_are_read() {
    if !has("zstd") {
        return;
    }
    for args in [
        vec!["-1"],
        vec!["-3", "-T2"],
        vec!["-19"],
        vec!["--fast=5"],
        vec!["--no-check"],
        vec!["--long=27"],
        vec!["-B1048576", "-T2"],
    ] {
        for input in inputs() {
            let file = piped("zstd", &[&args[..], &["-c"]].concat(), &input);
            assert!(decompress(&file) == Ok(input.clone()), "{args:?}");
            let len = format!("--stream-size={}", input.len());
            if !input.is_empty() {
                let file = piped("zstd", &[&args[..], &["-c", &len]].concat(), &input);
                assert!(decompress(&file) == Ok(input), "{args:?} {len}");
            }
        }
    }
}

#[test]
fn files_of_pzstd_are_read() {
    if has_version("pzstd", "--version") {
        for input in inputs() {
            let file = piped("pzstd", &["-3", "-c"], &input);
            assert!(decompress(&file) == Ok(input));
        }
    }
}

#[test]
fn a_long_window_is_read_where_it_is_allowed() {
    if !has("zstd") {
        return;
    }
    let input = text(1_000_000);
    let file = piped("zstd", &["--long=30", "-c"], &input);
    let error = decompress(&file).expect_err("its window is too long");
    assert_eq!(
        error,
        "at byte 0: the frame needs a window of 1073741824 bytes; at most 134217728 are allowed"
    );
    let settings = reading::Settings { window: 1 << 30, ..reading::Settings::default() };
    assert!(decompress_with(&settings, &file).expect("it is allowed").0 == input);
}
