//! `broadloom hash --chunk`: a digest for each chunk.

use crate::common::{self, Place, Said, noise, sha256};

/// Returns what should be printed for a file of this content.
fn lines(name: &str, content: &[u8], chunk: usize) -> String {
    if content.is_empty() {
        return format!("{} 0 0 {name}\n", sha256(b""));
    }
    let line = |(index, data): (usize, &[u8])| {
        format!("{} {} {} {name}\n", sha256(data), index * chunk, data.len())
    };
    content.chunks(chunk).enumerate().map(line).collect()
}

#[test]
fn files_are_cut_into_chunks() {
    let place = Place::new();
    let content = noise(700_001, 1);
    let lens = [0, 1, 511, 512, 513, 4095, 4096, 4097, 65536, 262_144, 524_288, 700_001];
    for len in lens {
        place.write(format!("{len}"), &content[..len]);
    }
    let names: Vec<String> = lens.iter().map(usize::to_string).collect();
    for (size, chunk) in [
        ("1000", 1000),
        ("4096", 4096),
        ("4K", 4096),
        ("33000", 33_000),
        ("64K", 65536),
        ("256KiB", 262_144),
        ("300001", 300_001),
        ("1M", 1 << 20),
        ("1T", 1 << 40),
    ] {
        let expected: String =
            lens.iter().map(|&len| lines(&len.to_string(), &content[..len], chunk)).collect();
        for threads in ["1", "3"] {
            let mut args = vec!["--threads", threads, "--chunk", size];
            args.extend(names.iter().map(String::as_str));
            assert_eq!(place.hash(&args).good(), expected, "{size}, {threads} threads");
        }
    }
}

#[test]
fn tiny_chunks() {
    let place = Place::new();
    let content = noise(1000, 2);
    place.write("file", &content);
    for chunk in [1, 3, 64] {
        let size = chunk.to_string();
        let expected = lines("file", &content, chunk);
        assert_eq!(place.hash(&["--chunk", &size, "file"]).good(), expected);
        let piped = place.hash_with(&["--chunk", &size], &content);
        assert_eq!(piped.good(), lines("-", &content, chunk));
    }
}

#[test]
fn standard_input_is_cut_into_chunks() {
    let place = Place::new();
    let content = noise(1_500_000, 3);
    for len in [0, 1, 4096, 524_288, 1_048_576, 1_500_000] {
        for chunk in [4096, 5000, 524_288, 600_000, 1 << 20, 1 << 30] {
            let said = place.hash_with(&["--chunk", &chunk.to_string()], &content[..len]);
            assert_eq!(said.good(), lines("-", &content[..len], chunk), "{len} by {chunk}");
        }
    }
}

#[test]
fn standard_input_keeps_its_place_among_files() {
    let place = Place::new();
    let (one, two, piped) = (noise(200_000, 1), noise(100_000, 2), noise(900_000, 3));
    place.write("one", &one);
    place.write("two", &two);
    let expected = lines("one", &one, 4096)
        + &lines("-", &piped, 4096)
        + &lines("two", &two, 4096)
        + &lines("-", b"", 4096);
    for threads in ["1", "4"] {
        let args = ["--chunk", "4096", "--threads", threads, "one", "-", "two", "-"];
        assert_eq!(place.hash_with(&args, &piped).good(), expected);
    }
}

#[test]
fn names_are_escaped_and_lines_end_with_nul_on_request() {
    let place = Place::new();
    place.write("a\nb", "x");
    let digest = sha256(b"x");
    assert_eq!(place.hash(&["--chunk", "4K", "a\nb"]).good(), format!("\\{digest} 0 1 a\\nb\n"));
    let said = place.hash(&["--chunk", "4K", "-z", "a\nb"]);
    assert_eq!(said.good(), format!("{digest} 0 1 a\nb\0"));
}

#[test]
fn chunks_of_hmacs_and_of_other_algorithms() {
    let place = Place::new();
    let content = noise(10_000, 4);
    place.write("file", &content);
    place.write("key", "secret");
    for (algorithm, _) in common::TOOLS {
        for key in [&[][..], &["--hmac-key-file", "key"]] {
            let hash = |args: &[&str], stdin: &[u8]| {
                let mut all = vec!["-a", algorithm];
                all.extend(key);
                all.extend(args);
                place.hash_with(&all, stdin)
            };
            let chunked = hash(&["--chunk", "4096", "file"], b"");
            let digests = chunked.good().lines().map(|line| line.split(' ').next().unwrap());
            for (digest, chunk) in digests.zip(content.chunks(4096)) {
                assert_eq!(hash(&[], chunk).good(), format!("{digest}  -\n"));
            }
            assert_eq!(chunked.text().lines().count(), 3);
        }
    }
}

#[test]
fn what_cannot_be_read_is_reported_once() {
    let place = Place::new();
    place.write("file", "x");
    place.write("dir/file", "y");
    let Said { stdout, stderr, code } =
        place.hash(&["--chunk", "4096", "missing", "file", "dir", "/proc/self/mem"]);
    assert_eq!(code, Some(1));
    assert_eq!(stdout, lines("file", b"x", 4096).as_bytes());
    assert_eq!(
        stderr,
        "broadloom hash: missing: No such file or directory\n\
         broadloom hash: dir: Is a directory\n\
         broadloom hash: /proc/self/mem: Input/output error\n"
    );
}

#[test]
fn files_without_a_true_size_are_cut_too() {
    let place = Place::new();
    let content = std::fs::read("/proc/version").unwrap();
    let said = place.hash(&["--chunk", "16", "/proc/version"]);
    assert_eq!(said.good(), lines("/proc/version", &content, 16));
}
