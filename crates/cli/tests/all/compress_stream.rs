//! Three gigabytes through a pipe, compressed and decompressed again, in little memory.

use std::fs;
use std::io::{Read, Write};
use std::process::{Child, Stdio};

use crate::common::{Place, text};

/// Bytes that go through.
const TOTAL: u64 = 3 << 30;

/// Most bytes of memory that each of the two programs may ever have had.
const MOST: u64 = 256 << 20;

/// The most memory that a program has had so far, in bytes.
fn peak(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it is still running");
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().unwrap();
    kilobytes << 10
}

#[test]
fn three_gigabytes_pass_in_a_fixed_window() {
    let place = Place::new();
    // Long, so that no two chunks are the same, and compressible, so that it does not take long.
    let block = [text(3 << 18, 1), vec![b' '; 1 << 18]].concat();
    let mut compress = place
        .command("compress")
        .args(["-1", "-p", "2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut decompress = place
        .command("decompress")
        .args(["-p", "2"])
        .stdin(compress.stdout.take().unwrap())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = compress.stdin.take().unwrap();
    let mut output = decompress.stdout.take().unwrap();
    std::thread::scope(|scope| {
        let block = &block;
        scope.spawn(|| {
            let mut piece = vec![0; block.len()];
            let mut passed = 0;
            loop {
                let mut len = 0;
                while len < piece.len() {
                    match output.read(&mut piece[len..]).unwrap() {
                        0 => break,
                        more => len += more,
                    }
                }
                if len == 0 {
                    break;
                }
                assert!(piece[..len] == block[..len], "behind {passed} bytes");
                passed += len as u64;
            }
            assert_eq!(passed, TOTAL);
        });
        for _ in 0..TOTAL / block.len() as u64 {
            input.write_all(block).unwrap();
        }
        // Both have seen almost everything, and wait for the rest.
        for (name, child) in [("compress", &compress), ("decompress", &decompress)] {
            let peak = peak(child);
            assert!(peak < MOST, "{name} took {} MiB", peak >> 20);
        }
        drop(input);
    });
    assert!(compress.wait().unwrap().success() && decompress.wait().unwrap().success());
}
