//! `broadloom chunks`: chunks are those of restic and of `broadloom hash --chunk`, and sums add up.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::common::{Place, Said, noise, run, sha256, text};

fn chunks(place: &Place, args: &[&str], stdin: &[u8]) -> Said {
    run(place.command("chunks").args(args), stdin)
}

/// The lengths of chunks, each of which follows the one before and has the digest of its bytes.
fn lengths(lines: &str, name: &str, content: &[u8]) -> Vec<usize> {
    let mut end = 0;
    let mut lengths = vec![];
    for line in lines.lines() {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        let [offset, length] = [words[1], words[2]].map(|word| word.parse::<usize>().unwrap());
        assert_eq!((offset, words[3]), (end, name), "{line}");
        end += length;
        assert_eq!(words[0], sha256(&content[offset..end]), "{line}");
        lengths.push(length);
    }
    assert_eq!(end, content.len());
    lengths
}

#[test]
fn chunks_of_equal_lengths_are_those_of_hash() {
    let place = Place::new();
    let content = noise(700_001, 1);
    for len in [1, 4095, 4096, 4097, 700_001] {
        place.write(format!("dir/{len}"), &content[..len]);
    }
    place.write("dir/empty", "");
    place.write("dir/a\nb", "x");
    for size in ["4096", "33000", "1M"] {
        let hashed = place.hash(&["--recursive", "--chunk", size, "dir"]);
        let expected: String = hashed
            .good()
            .lines()
            .filter(|line| !line.contains(" 0 0 "))
            .map(|l| format!("{l}\n"))
            .collect();
        for threads in ["1", "3"] {
            let said = chunks(&place, &["-r", "--threads", threads, "--size", size, "dir"], b"");
            assert_eq!(said.good(), expected);
        }
    }
    let said = chunks(&place, &["-z", "-s", "1K", "dir/a\nb", "-"], b"stdin");
    assert_eq!(said.good(), format!("{} 0 1 dir/a\nb\0{} 0 5 -\0", sha256(b"x"), sha256(b"stdin")));
    assert_eq!(chunks(&place, &[], b"").good(), "");
}

#[test]
fn the_content_decides_where_chunks_end() {
    let place = Place::new();
    let content = noise(3_000_000, 5);
    let changed = [b"some bytes in front", &content[..]].concat();
    place.write("file", &content);
    let options = ["--min=4K", "--average", "16384", "--max=64KiB"];
    let lines = |stdin: &[u8], more: &[&str]| {
        let said = chunks(&place, &[&options[..], more, &["-"]].concat(), stdin);
        (said.good().to_owned(), lengths(said.good(), "-", stdin))
    };
    let (said, found) = lines(&content, &[]);
    let (last, others) = found.split_last().unwrap();
    assert!(others.iter().all(|length| (4096..=65536).contains(length)), "{others:?}");
    assert!(found.len() > 80 && *last <= 65536);
    // A file gives the same as a pipe, and any number of threads.
    let named = chunks(&place, &[&options[..], &["--threads=5", "file"]].concat(), b"");
    assert_eq!(named.good(), said.replace(" -\n", " file\n"));
    // Another polynomial, or other sizes, cut elsewhere.
    assert_ne!(lines(&content, &["--polynomial", "25b468838dcb75"]).1, found);
    assert_ne!(lines(&content, &["--average=8K"]).1, found);
    // What is inserted in front moves few chunks.
    let (_, moved) = lines(&changed, &[]);
    assert_eq!(moved[moved.len() - 50..], found[found.len() - 50..]);
}

/// A repository that restic made names its data blobs by the digests of chunks.
#[test]
fn chunks_are_the_data_blobs_of_a_restic_repository() {
    let place = Place::new();
    let restic = |args: &[&str], stdin: &[u8]| {
        let mut command = Command::new("restic");
        command.args(["--no-cache", "--quiet", "--repo", "repository"]).args(args);
        let command = command.current_dir(place.path()).env("RESTIC_PASSWORD", "a password");
        run(command, stdin)
    };
    if !broadloom_testing::has_version("restic", "version") {
        return;
    }
    let mut content = noise(12 << 20, 9);
    content.extend(vec![0; 2 << 20]);
    content.extend(text(3 << 20, 4));
    content.extend_from_within(..5 << 20);

    assert_eq!(restic(&["init"], b"").code, Some(0));
    let saved = restic(&["backup", "--stdin", "--stdin-filename", "name"], &content);
    assert_eq!(saved.code, Some(0), "{}", saved.stderr);
    let json = |args: &[&str]| -> Value {
        let said = restic(args, b"");
        serde_json::from_slice(&said.stdout).unwrap_or_else(|error| panic!("{error}: {said:?}"))
    };
    let snapshots = json(&["snapshots", "--json"]);
    let tree = json(&["cat", "blob", snapshots[0]["tree"].as_str().unwrap()]);
    let blobs: Vec<&str> = tree["nodes"][0]["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|blob| blob.as_str().unwrap())
        .collect();
    let config = json(&["cat", "config"]);
    let polynomial = config["chunker_polynomial"].as_str().unwrap();

    let said = chunks(&place, &["--polynomial", polynomial], &content);
    let digests: Vec<&str> = said.good().lines().map(|line| &line[..64]).collect();
    assert_eq!(digests, blobs);
    assert!(blobs.len() > 10);
    lengths(said.good(), "-", &content);
}

#[test]
fn sums_tell_what_is_there_once() {
    let place = Place::new();
    let content = noise(40_000, 3);
    place.write("dir/a", &content);
    place.write("dir/b/copy", &content);
    place.write("dir/c", &content[..10_000]);
    place.write("empty", "");
    let args = ["--dedup", "--recursive", "--size=4K", "dir", "empty"];
    let said = chunks(&place, &args, b"");
    // Nine chunks of 4096 bytes and one of 3136; of 10,000 bytes the last 1808 are another chunk.
    let expected = [
        ("files", "4"),
        ("bytes", "90000"),
        ("chunks", "23"),
        ("smallest chunk", "1808"),
        ("average chunk", "3913"),
        ("largest chunk", "4096"),
        ("unique chunks", "11"),
        ("unique bytes", "41808"),
        ("ratio", "2.153"),
    ];
    let lines = expected.map(|(name, value)| format!("{name:15} {value}\n"));
    assert_eq!(said.good(), lines.concat());

    let said = chunks(&place, &[&["--json"], &args[..]].concat(), b"");
    let sums: Value = serde_json::from_str(said.good()).unwrap();
    assert_eq!(sums["cut"], json!({ "size": 4096 }));
    assert_eq!(
        (&sums["chunks"], &sums["unique_chunks"], &sums["unique_bytes"], &sums["ratio"]),
        (&23.into(), &11.into(), &41808.into(), &(90000.0 / 41808.0).into())
    );
    let said = chunks(&place, &["--dedup", "--json", "empty"], b"");
    let sums: Value = serde_json::from_str(said.good()).unwrap();
    assert_eq!((&sums["files"], &sums["ratio"]), (&1.into(), &1.0.into()));
    assert_eq!(sums["cut"]["polynomial"], "3da3358b4dc173");
    assert_eq!(
        chunks(&place, &["-d", "empty"], b"").good(),
        "files           1\nbytes           0\nchunks          0\n\
         unique chunks   0\nunique bytes    0\nratio           1.000\n"
    );
}

#[test]
fn each_chunk_is_a_line_of_json() {
    let place = Place::new();
    let said = chunks(&place, &["--json", "--size=2", "-"], b"abc");
    let lines: Vec<Value> =
        said.good().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let line = |data: &[u8], offset: u64| {
        let (sha256, length) = (sha256(data), data.len());
        json!({ "sha256": sha256, "offset": offset, "length": length, "name": "-" })
    };
    assert_eq!(lines, [line(b"ab", 0), line(b"c", 2)]);
}

#[test]
fn files_that_cannot_be_read_are_told_and_the_others_are_cut() {
    let place = Place::new();
    place.write("dir/file", "content");
    let said = chunks(&place, &["absent", "dir", "dir/file"], b"");
    assert_eq!(said.text(), format!("{} 0 7 dir/file\n", sha256(b"content")));
    assert_eq!(
        said.stderr,
        "broadloom chunks: absent: No such file or directory\n\
         broadloom chunks: dir: Is a directory\n"
    );
    assert_eq!(said.code, Some(1));
    let said = chunks(&place, &["--dedup", "absent", "dir/file"], b"");
    assert!(said.code == Some(1) && said.text().starts_with("files           1\n"), "{said:?}");
}

#[test]
fn a_reader_that_leaves_ends_the_run_as_it_ends_others() {
    let place = Place::new();
    place.write("file", "content");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = place.command("chunks");
    let child = command.arg("file").stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
    let output = child.wait_with_output().unwrap();
    let signal = output.status.signal();
    assert_eq!((signal, output.stderr), (Some(Signal::PIPE.as_raw()), Vec::new()));
}

#[test]
fn wrong_command_lines_are_told_what_would_be_right() {
    let place = Place::new();
    for (args, words) in [
        (&["--size=0"][..], "expected a number of bytes above 0"),
        (&["--size=65M"], "a chunk has at most 67108864 bytes (64M)"),
        (&["--size=1K", "--max=2K"], "cannot be used with"),
        (&["--polynomial=12xy"], "\"12xy\" is no polynomial: write its coefficients as hex"),
        (&["--polynomial=3da3358b4dc172"], "3da3358b4dc172 is reducible"),
        (&["--min=63"], "the least size of a chunk is 63 bytes: it is to be at least 64"),
        (&["--average=1000"], "the average size of a chunk is 1000 bytes: it is to be a power"),
        (&["--max=1K"], "the most bytes of a chunk are 1024: they are to be at least 524288"),
        (&["--json", "--zero"], "cannot be used with"),
        (&["--threads=0"], "a number of threads is 1 to 256"),
    ] {
        let said = chunks(&place, args, b"");
        assert_eq!((said.code, said.text()), (Some(2), ""), "{args:?}");
        assert!(said.stderr.contains(words), "{args:?}: {}", said.stderr);
    }
}
