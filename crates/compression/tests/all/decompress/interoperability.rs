//! Other people's tools read what is made here, and what they make is read here.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use broadloom_compression::decompress::{Settings, list};
use broadloom_compression::format::gzi::{Entry, Index};
use broadloom_compression::format::{Format, bgzf};
use broadloom_compression::inflate::Options;
use broadloom_testing::has;

use super::common::make::{block, foreign, text, whole};
use super::common::provider::decompressor;

/// Returns what a tool makes of an input.
fn pipe(command: &mut Command, input: &[u8]) -> Vec<u8> {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    let output = std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input).expect("it reads"));
        child.wait_with_output().expect("it ends")
    });
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {stderr}");
    assert_eq!(stderr, "", "{command:?} has nothing to remark");
    output.stdout
}

fn decompress(input: &[u8], format: Option<Format>) -> Vec<u8> {
    let mut output = Vec::new();
    let settings = Settings { format, threads: 2, ..Settings::default() };
    decompressor(settings).decompress_stream(input, &mut output).expect("it is sound");
    output
}

fn inputs() -> [Vec<u8>; 4] {
    [Vec::new(), b"x".to_vec(), text(1000), text(1_000_000)]
}

fn in_blocks(data: &[u8]) -> Vec<u8> {
    data.chunks(bgzf::MAX_DATA).map(block).chain([bgzf::END.to_vec()]).flatten().collect()
}

#[test]
fn gzip_and_pigz_read_and_are_read() {
    for tool in ["gzip", "pigz"].into_iter().filter(|tool| has(tool)) {
        for data in inputs() {
            let both = [whole(Format::Gzip, &data), foreign(&data), in_blocks(&data)].concat();
            let read = pipe(Command::new(tool).arg("-dc"), &both);
            assert!(read == [&data[..]; 3].concat(), "{tool}, {} bytes", data.len());
            pipe(Command::new(tool).arg("-t"), &both);
            for level in ["-1", "-6", "-9"] {
                let made = pipe(Command::new(tool).args(["-c", level]), &data);
                assert!(decompress(&made, None) == data, "{tool} {level}, {} bytes", data.len());
                let spliced = [&made[..], &whole(Format::Gzip, &data), &made].concat();
                assert!(decompress(&spliced, None) == [&data[..]; 3].concat());
            }
        }
    }
    if has("pigz") {
        let data = text(300_000);
        let made = pipe(Command::new("pigz").args(["-c", "-z", "-b", "32"]), &data);
        assert!(decompress(&made, None) == data);
        assert!(pipe(Command::new("pigz").arg("-dcz"), &whole(Format::Zlib, &data)) == data);
    }
}

#[test]
fn names_and_times_are_those_of_gzip() {
    if !has("gzip") {
        return;
    }
    let folder = own_folder();
    let path = folder.join("a name.txt");
    fs::write(&path, "text").expect("it can be written");
    let made = pipe(Command::new("gzip").arg("-cN").arg(&path), b"");
    let mut members = Vec::new();
    list(&made[..], Options::default(), |member| members.push(member)).expect("it is sound");
    assert_eq!(members[0].name.as_deref(), Some(&b"a name.txt"[..]));
    let modified = fs::metadata(&path).and_then(|data| data.modified()).expect("it has a time");
    let since = modified.duration_since(std::time::UNIX_EPOCH).expect("it is after 1970");
    assert_eq!(u64::from(members[0].mtime), since.as_secs());
    fs::remove_dir_all(folder).expect("it is ours");
}

#[test]
fn bgzip_reads_and_is_read() {
    if !has("bgzip") {
        return;
    }
    for data in inputs() {
        let blocks = in_blocks(&data);
        assert!(pipe(Command::new("bgzip").arg("-dc"), &blocks) == data);
        let made = pipe(Command::new("bgzip").arg("-c"), &data);
        for format in [None, Some(Format::Gzip), Some(Format::Bgzf)] {
            assert!(decompress(&made, format) == data, "{format:?}, {} bytes", data.len());
        }
    }
}

/// The index of a BGZF file.
fn index_of(blocks: &[u8]) -> Index {
    let mut index = Index::new();
    let mut uncompressed = 0;
    let each = |member: broadloom_compression::decompress::Listed| {
        if member.uncompressed > 0 {
            index.push(Entry { compressed: member.offset, uncompressed });
        }
        uncompressed += member.uncompressed;
    };
    let options = Options { format: Some(Format::Bgzf), ..Options::default() };
    list(blocks, options, each).expect("it is sound");
    index
}

#[test]
fn the_index_is_that_of_bgzip() {
    if !has("bgzip") {
        return;
    }
    let folder = own_folder();
    // Of no data at all, bgzip makes an index of 2^64 - 1 entries.
    for data in inputs().into_iter().filter(|data| !data.is_empty()) {
        let blocks = in_blocks(&data);
        let path = folder.join("data.gz");
        let gzi = folder.join("data.gz.gzi");
        fs::write(&path, &blocks).expect("it can be written");
        pipe(Command::new("bgzip").arg("-r").arg(&path), b"");
        let theirs = fs::read(&gzi).expect("it was written");
        let ours = index_of(&blocks);
        assert_eq!(Index::parse(&theirs).expect("it is sound"), ours);
        assert_eq!(ours.to_bytes(), theirs, "{} bytes", data.len());

        // And bgzip finds its way by ours.
        fs::write(&gzi, ours.to_bytes()).expect("it can be written");
        if data.len() > 500_000 {
            let piece =
                Command::new("bgzip").args(["-b", "400000", "-s", "1234"]).arg(&path).output();
            assert!(piece.expect("it starts").stdout == data[400_000..401_234]);
        }
        // By the index, a block is found without what comes before it.
        let at = ours.locate(data.len() as u64 / 2);
        let rest = decompress(&blocks[at.compressed as usize..], Some(Format::Bgzf));
        assert!(rest == data[at.uncompressed as usize..]);
    }
    fs::remove_dir_all(folder).expect("it is ours");
}

#[test]
fn tabix_finds_lines_in_blocks() {
    if !has("tabix") {
        return;
    }
    let folder = own_folder();
    let path = folder.join("features.gff.gz");
    let lines: String = (1..50_000)
        .map(|n| format!("chr1\ts\tgene\t{}\t{}\t.\t+\t.\tID=g{n}\n", n * 10, n * 10 + 5))
        .collect();
    fs::write(&path, in_blocks(lines.as_bytes())).expect("it can be written");
    pipe(Command::new("tabix").args(["-p", "gff"]).arg(&path), b"");
    let found = pipe(Command::new("tabix").arg(&path).arg("chr1:400001-400003"), b"");
    assert_eq!(
        String::from_utf8_lossy(&found),
        "chr1\ts\tgene\t400000\t400005\t.\t+\t.\tID=g40000\n"
    );
    fs::remove_dir_all(folder).expect("it is ours");
}

/// Has Python's zlib compress or decompress its standard input.
fn python(window: i32, compresses: bool, input: &[u8]) -> Vec<u8> {
    let step = match compresses {
        true => format!("c = zlib.compressobj(6, 8, {window}); r = c.compress(d) + c.flush()"),
        false => format!(
            "o = zlib.decompressobj({window}); r = o.decompress(d); assert o.eof and not o.unused_data"
        ),
    };
    let program = format!(
        "import sys, zlib; d = sys.stdin.buffer.read(); {step}; sys.stdout.buffer.write(r)"
    );
    pipe(Command::new("python3").args(["-c", &program]), input)
}

#[test]
fn pythons_zlib_reads_and_is_read() {
    if !has("python3") {
        return;
    }
    for data in inputs() {
        for (format, window) in [(Format::Zlib, 15), (Format::Raw, -15)] {
            assert!(python(window, false, &whole(format, &data)) == data);
            assert!(decompress(&python(window, true, &data), Some(format)) == data);
        }
        assert!(python(31, false, &foreign(&data)) == data);
        let made = [python(31, true, &data), whole(Format::Gzip, &data)].concat();
        assert!(decompress(&made, None) == [&data[..]; 2].concat());
        // Smaller windows.
        assert!(decompress(&python(9, true, &data), None) == data);
    }
}

/// A folder of this test's own.
fn own_folder() -> std::path::PathBuf {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("formats-{}-{number}", std::process::id());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("it can be made");
    folder
}
