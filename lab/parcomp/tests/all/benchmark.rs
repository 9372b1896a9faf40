//! The paper's command line, its outputs, its file format.

use std::collections::HashMap;

use broadloom::algorithm::Checksum;
use broadloom::compression::format::Format;
use broadloom::compression::{Decompressor, decompress};
use broadloom::workers::allowed_cores;
use broadloom::{CompressionAlgorithm, Transform};
use broadloom_testing::has;

use crate::support::{Place, Said, noise, text};

/// A place with a file `in` of some 300 KB.
fn place() -> (Place, Vec<u8>) {
    let place = Place::new();
    let data = [text(250_000, 1), noise(50_000, 2)].concat();
    place.write("in", &data);
    (place, data)
}

/// What Broadloom makes of a compressed file.
fn decompressed(file: &[u8]) -> Vec<u8> {
    let transform = Transform::decompress(CompressionAlgorithm::Deflate, Checksum::None).unwrap();
    let session = broadloom::registry().open(&transform).unwrap();
    let settings =
        decompress::Settings { format: Some(Format::Parcomp), ..decompress::Settings::default() };
    let mut data = Vec::new();
    Decompressor::new(session, settings).unwrap().decompress(file, &mut data).unwrap();
    data
}

/// The values of a run, by the names of their columns.
fn values(said: &Said) -> HashMap<String, String> {
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let lines: Vec<&str> = said.text().lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    let [names, values] = [lines[0], lines[1]].map(|line| line.split(',').map(str::to_owned));
    names.zip(values).collect()
}

/// The chunks of a compressed file, each without its length.
fn chunks(file: &[u8]) -> Vec<&[u8]> {
    let mut rest = file;
    let mut chunks = Vec::new();
    while let Some((len, behind)) = rest.split_first_chunk::<4>() {
        let (chunk, behind) = behind.split_at(u32::from_le_bytes(*len) as usize);
        chunks.push(chunk);
        rest = behind;
    }
    assert!(rest.is_empty());
    chunks
}

#[test]
fn every_provider_compresses_and_brings_it_back() {
    let (place, data) = place();
    for provider in ["zlib", "libdeflate", "qat", "emulated:preset=instant"] {
        for threads in ["-t0", "-t1", "-t3"] {
            let provider = format!("-p{provider}");
            let run = |args: &[&str]| {
                let said = place.parcomp(&[&[provider.as_str(), threads], args].concat());
                assert_eq!(said.code, Some(0), "{provider} {threads}: {}", said.stderr);
            };
            run(&["-iin", "-oout", "-j4"]);
            run(&["-iout", "-oback", "-d", "-j4"]);
            assert!(place.read("back") == data, "{provider} {threads}");
            // Broadloom and Python read the same file.
            let out = place.read("out");
            assert_eq!(chunks(&out).len(), data.len().div_ceil(65536), "{provider} {threads}");
            assert!(decompressed(&out) == data, "{provider} {threads}");
        }
    }
    if !has("python3") {
        return;
    }
    let script =
        "import sys, zlib\nsys.stdout.buffer.write(zlib.decompress(sys.stdin.buffer.read(), -15))";
    let out = place.read("out");
    let decoded: Vec<Vec<u8>> = chunks(&out)
        .iter()
        .map(|chunk| place.tool("python3", &["-c", script], chunk).stdout)
        .collect();
    assert!(decoded.concat() == data);
}

#[test]
fn outputs_are_told_line_by_line() {
    let (place, data) = place();
    let said = place.parcomp(&["-pzlib", "-iin", "-oout"]);
    let names: Vec<&str> = said.good().lines().map(|line| line[..20].trim_end()).collect();
    assert_eq!(
        names,
        [
            "uncompressed",
            "compressed",
            "compression ratio",
            "elapsed time",
            "throughput",
            "CPU time"
        ]
    );
    let compressed = place.read("out").len();
    assert!(said.text().contains(&format!("uncompressed        {} bytes\n", data.len())));
    assert!(said.text().contains(&format!("compressed          {compressed} bytes\n")));
    let ratio = 100.0 * compressed as f64 / data.len() as f64;
    assert!(said.text().contains(&format!("compression ratio   {ratio:.2} %")));
    // The ratio is the same the other way.
    let back = place.parcomp(&["-pzlib", "-iout", "-d"]);
    assert!(back.good().contains(&format!("compression ratio   {ratio:.2} %")));
    for verbose in ["-v", "-g"] {
        let said = place.parcomp(&["-pzlib", "-iin", verbose, "-n3", "-f2000"]);
        for name in ["provider ", "kernel ", "threads ", "cores ", "iteration 3 "] {
            assert!(
                said.good().lines().any(|line| line.starts_with(name)),
                "{name}: {}",
                said.text()
            );
        }
        assert!(said.text().contains("counter             2000.0 MHz, given"), "{}", said.text());
        assert!(said.text().contains("(mean of 3 iterations; least "), "{}", said.text());
    }
}

#[test]
fn values_are_separated_by_commas() {
    let (place, data) = place();
    let line =
        ["-pzlib", "-iin", "-oout", "-c16", "-l6", "-t2", "-j3", "-w7", "-n2", "-f1000", "-x2"];
    let found = values(&place.parcomp(&line));
    let expected = [
        ("provider", "zlib"),
        ("direction", "compress"),
        ("level", "6"),
        ("chunk_kb", "16"),
        ("threads", "2"),
        ("jobs", "3"),
        ("window", "7"),
        ("huffman", "dynamic"),
        ("iterations", "2"),
        ("input", "in"),
        ("mhz", "1000.0"),
    ];
    for (name, value) in expected {
        assert_eq!(found[name], value, "{name}");
    }
    let number = |name: &str| found[name].parse::<f64>().unwrap();
    assert_eq!(number("uncompressed_bytes"), data.len() as f64);
    assert_eq!(number("compressed_bytes"), place.read("out").len() as f64);
    let near = |one: f64, other: f64| (one / other - 1.0).abs() < 0.01;
    assert!(near(number("ratio"), number("compressed_bytes") / number("uncompressed_bytes")));
    // The source's definitions: cycles over the frequency given, bits over that.
    assert!(near(number("elapsed_s"), number("cycles") / 1e9), "{found:?}");
    assert!(near(number("throughput_mbps"), data.len() as f64 * 8.0 / 1e6 / number("elapsed_s")));
    assert_eq!(found.len(), 19);
    let data_alone = place.parcomp(&["-pzlib", "-iin", "-x1", "-f1000"]);
    assert_eq!(data_alone.good().lines().count(), 1);
    assert!(data_alone.text().starts_with("zlib,compress,1,64,0,1,7,dynamic,"));
}

#[test]
fn chunks_levels_windows_and_codes_are_what_was_asked_for() {
    let (place, data) = place();
    let out = |args: &[&str]| {
        let said = place.parcomp(&[&["-pzlib", "-iin", "-oout"], args].concat());
        assert_eq!(said.code, Some(0), "{args:?}: {}", said.stderr);
        place.read("out")
    };
    assert_eq!(chunks(&out(&["-c16"])).len(), data.len().div_ceil(16 << 10));
    assert_eq!(chunks(&out(&["-c1000000"])).len(), 1);
    // With more threads than chunks, chunks are shortened.
    assert!(chunks(&out(&["-c1000000", "-t3"])).len() > 1);
    assert!(out(&["-l9"]).len() < out(&["-l1"]).len());
    assert!(out(&["-w1"]).len() > out(&["-w7"]).len());
    let fixed = out(&["-s", "-l6"]);
    // The type of the first block, in the second and third bit.
    assert_eq!(chunks(&fixed)[0][0] >> 1 & 3, 1, "static codes");
    // At level 1 some versions of zlib choose static codes themselves.
    let free = out(&["-l6"]);
    assert_eq!(chunks(&free)[0][0] >> 1 & 3, 2, "dynamic codes");
    assert!(fixed.len() > free.len());
}

#[test]
fn masks_pin_threads() {
    let (place, data) = place();
    let allowed = allowed_cores().unwrap();
    let first = allowed[0];
    let masks = [format!("-y{:x}", 1u128 << first), format!("-a{}", 1u128 << first)];
    for mask in masks.iter().map(String::as_str) {
        for threads in ["-t0", "-t2"] {
            let said = place.parcomp(&["-pzlib", "-iin", "-oout", mask, threads, "-x2", "-f1000"]);
            assert_eq!(said.stderr, "", "{mask} {threads}");
            assert_eq!(values(&said)["cores"], first.to_string(), "{mask} {threads}");
            let back = place.parcomp(&["-pzlib", "-iout", "-oback", "-d", mask, threads]);
            assert_eq!((back.code, place.read("back") == data), (Some(0), true));
        }
    }
    // One more core than there are.
    let all: Vec<String> = allowed.iter().map(ToString::to_string).collect();
    let mask = allowed.iter().fold(1u128 << 127, |mask, core| mask | 1 << core);
    let said = place.parcomp(&["-pzlib", "-iin", &format!("-y{mask:x}"), "-t2", "-x2", "-f1000"]);
    assert_eq!(values(&said)["cores"], all.join(" "));
    let (more, there) = (all.len() + 1, all.len());
    assert_eq!(
        said.stderr,
        format!(
            "parcomp: of the {more} cores in the mask this process may run on {there}: used are \
             {}\n",
            all.join(", ")
        )
    );
    let said = place.parcomp(&["-pzlib", "-iin", "-y80000000000000000000000000000000", "-t1"]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("core 127 is not one of those that this process may run on: ["));
}

#[test]
fn an_emulation_says_that_it_is_one() {
    let (place, data) = place();
    let said = place.parcomp(&["-iin", "-oout", "-j8"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(
        said.stderr.starts_with("parcomp: there is no device: this is an emulation"),
        "{}",
        said.stderr
    );
    assert!(said.stderr.contains("preset 8955"), "{}", said.stderr);
    let chunks = data.len().div_ceil(65536);
    let prepared = format!("{chunks} of {chunks} results were prepared before the clock started");
    assert!(said.text().contains(&prepared), "{}", said.text());
    assert!(said.text().contains("of the threads that stand for the device"), "{}", said.text());
    // Preparing is not timed, and not counted with what is.
    let said = place.parcomp(&["-pqat:prepare=1", "-iin", "-l12", "-w7", "-n2"]);
    let timed = 2 * chunks;
    assert!(
        said.text().contains(&format!(" of {timed} responses were late, by ")),
        "{}",
        said.text()
    );
    // In CSV there is no place for it, but on standard error there is.
    let said = place.parcomp(&["-pemulated", "-iin", "-x1", "-f1000"]);
    assert_eq!((said.code, said.text().lines().count()), (Some(0), 1));
    assert!(said.text().starts_with("emulated,compress,1,64,0,1,5,dynamic,"), "{}", said.text());
    assert!(said.stderr.contains("the modelled device"), "{}", said.stderr);
    assert!(!said.stderr.contains("prepared before"), "{}", said.stderr);
}

#[test]
fn prepared_results_are_those_of_their_own_chunks() {
    let place = Place::new();
    let data = text(40 * 65_536 + 777, 1);
    place.write("in", &data);
    let out = |provider: &str, jobs: &str| {
        let said = place.parcomp(&[provider, "-iin", "-oout", jobs, "-n2"]);
        assert_eq!(said.code, Some(0), "{provider} {jobs}: {}", said.stderr);
        place.read("out")
    };
    let computed = out("-pemulated:preset=instant", "-j1");
    for jobs in ["-j1", "-j24"] {
        assert!(out("-pqat:preset=instant", jobs) == computed, "{jobs}");
        place.parcomp(&["-pqat:preset=instant", "-iout", "-oback", "-d", jobs]);
        assert!(place.read("back") == data, "{jobs}");
    }
}

#[test]
fn help_tells_options_and_what_times_include() {
    let place = Place::new();
    let said = place.parcomp(&["-h"]);
    for option in "pcldvxtfnyahjwsio".chars() {
        assert!(said.good().contains(&format!("  -{option}")), "-{option}");
    }
    assert!(said.text().contains("-g"), "{}", said.text());
    // Lines are broken wherever they are too long.
    let flowing = said.text().split_whitespace().collect::<Vec<_>>().join(" ");
    for text in ["2^(8 + N) bytes", "It does not cover reading and", "0 for the calling thread"] {
        assert!(flowing.contains(text), "{text}");
    }
}

#[test]
fn wrong_command_lines_name_what_is_right() {
    let (place, _) = place();
    for (args, valid) in [
        (&["-iin", "-t33"][..], "a number of threads is 0 to 32"),
        (&["-iin", "-j257"], "a number of outstanding jobs is 1 to 256"),
        (&["-iin", "-l99"], "a level is 0 to 12: isal has 0 to 3, zlib 0 to 9, libdeflate 0 to 12"),
        (&["-iin", "-oin", "-pzlib"], "parcomp: in: this is the input file"),
        (&["-iin", "-o./in", "-pzlib"], "parcomp: ./in: this is the input file"),
        (&["-iin", "-s", "-l12"], "no provider can compute it for the emulated device: "),
        (&["-iin", "-ppat"], "valid: qat, emulated, zlib, libdeflate, isal"),
        (&["-iin", "-pzlib", "-l10"], "0 to 9"),
        (&["-iin", "-plibdeflate", "-l13"], "0 to 12"),
        (&["-iin", "-plibdeflate", "-s"], "libdeflate"),
        (&["-iin", "-pqat:speed=11"], "speed"),
        (&["-oout"], "-i <inputFile>"),
    ] {
        let said = place.parcomp(args);
        assert_eq!((said.code, said.text()), (Some(2), ""), "{args:?}");
        assert!(said.stderr.contains(valid), "{args:?}: {}", said.stderr);
        assert!(!said.stderr.contains(" {"), "{args:?}: {}", said.stderr);
        assert_eq!(place.names("."), ["in"], "{args:?}");
    }
}

#[test]
fn errors_name_the_file_and_leave_nothing() {
    let (place, _) = place();
    place.parcomp(&["-pzlib", "-iin", "-oout"]).good();
    let whole = place.read("out");
    place.write("cut", &whole[..whole.len() - 10]);
    place.write("empty", b"");
    for (args, start) in [
        (&["-imissing"][..], "parcomp: missing: No such file or directory"),
        (&["-i/"], "parcomp: /: Is a directory"),
        (&["-i\u{1b}[2J"], "parcomp: ''$'\\033''[2J': No such file or directory"),
        (&["-icut", "-d"], "parcomp: cut: at byte "),
        (&["-iin", "-d"], "parcomp: in: at byte "),
        (&["-iin", "-ono/such"], "parcomp: no/such: No such file or directory\n"),
    ] {
        let args = if args.len() == 1 || args[1] == "-d" {
            [args, &["-oback"]].concat()
        } else {
            args.to_vec()
        };
        let said = place.parcomp(&[&["-pzlib"], &args[..]].concat());
        assert_eq!((said.code, said.text()), (Some(1), ""), "{args:?}");
        assert!(said.stderr.starts_with(start), "{args:?}: {}", said.stderr);
        assert_eq!(place.names("."), ["cut", "empty", "in", "out"], "{args:?}");
    }
    // Nothing at all is something.
    place.parcomp(&["-pzlib", "-iempty", "-onothing"]).good();
    assert_eq!(place.read("nothing"), b"");
    place.parcomp(&["-pzlib", "-d", "-inothing", "-oback"]).good();
    assert_eq!(place.read("back"), b"");
}

#[test]
fn nothing_is_written_without_an_output() {
    let (place, _) = place();
    place.parcomp(&["-pzlib", "-iin"]).good();
    assert_eq!(place.names("."), ["in"]);
    // A file that is there is replaced: runs are repeated.
    place.write("out", "old");
    place.parcomp(&["-pzlib", "-iin", "-oout"]).good();
    assert_ne!(place.read("out"), b"old");
    place.parcomp(&["-pzlib", "-iin", "-o/dev/null"]).good();
    assert_eq!(place.names("."), ["in", "out"]);
}

#[test]
fn help_is_there_by_both_names() {
    let place = Place::new();
    for args in [&["--help"][..], &["-h"], &["--version"], &["-V"]] {
        let said = place.parcomp(args);
        assert!(said.good().contains("parcomp"), "{args:?}: {}", said.text());
    }
    assert!(place.parcomp(&["--help"]).good().contains("-p <providerName>"));
}
