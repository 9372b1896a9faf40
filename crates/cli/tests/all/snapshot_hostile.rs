//! `broadloom snapshot` among files, names and trees that somebody else left there.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::thread;

use serde_json::Value;

use crate::common::{Place, Said, run};
use crate::snapshot::{init, ours, place, well, with_environment};

/// Runs a command that may wait for ever where it is wrong: it is killed after a minute.
fn ours_soon(place: &Place, args: &[&str]) -> Said {
    let mut command = Command::new("timeout");
    command.args(["-s", "KILL", "60", env!("CARGO_BIN_EXE_broadloom"), "snapshot"]).args(args);
    run(with_environment(place, &mut command), b"")
}

/// The full IDs of all snapshots that are listed, oldest first.
fn ids(place: &Place) -> Vec<String> {
    let said = well(ours_soon(place, &["list", "--json"]));
    let all: Value = serde_json::from_str(said.text().lines().last().unwrap()).unwrap();
    let all = all.as_array().unwrap().iter();
    all.map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn bad_files_among_snapshots_stop_nobody() {
    let place = place();
    place.write("a", "a");
    init(&place);
    well(ours(&place, &["backup", "-q", "a"]));
    well(ours(&place, &["backup", "-q", "a"]));
    let all = ids(&place);
    assert_eq!(all.len(), 2);
    let below = |name: &str| place.path().join("repository/snapshots").join(name);
    // A snapshot under another name, what is none, a directory and a pipe.
    let (renamed, garbage) = ("00".repeat(32), "11".repeat(32));
    let (directory, pipe) = ("22".repeat(32), "33".repeat(32));
    fs::copy(below(&all[0]), below(&renamed)).unwrap();
    fs::write(below(&garbage), "garbage").unwrap();
    fs::create_dir(below(&directory)).unwrap();
    run(Command::new("mkfifo").arg(below(&pipe)), b"").good();
    let said = well(ours_soon(&place, &["list"]));
    assert!(said.text().contains("2 snapshots"), "{}", said.text());
    for bad in [&renamed, &garbage, &directory, &pipe] {
        let (named, left_out) = (format!("snapshots/{bad}"), "; it is left out");
        let mut lines = said.stderr.lines();
        let told = lines.any(|line| line.contains(&named) && line.ends_with(left_out));
        assert!(told, "{bad}: {}", said.stderr);
    }
    assert_eq!(ids(&place), all);
    // The bad files do not matter to a snapshot that is named.
    for args in [
        &["ls", &*all[0]][..],
        &["ls", &all[0][..8]],
        &["restore", &all[0], "--target", "back"],
        &["diff", &all[0], &all[1]],
        &["stats", &all[0]],
        &["cat", &all[0], "/a"],
        &["backup", "-q", "--parent", &all[0], "a"],
    ] {
        let said = well(ours_soon(&place, args));
        assert_eq!(said.stderr, "", "{args:?}");
    }
    well(ours_soon(&place, &["find", "a"]));
    let said = well(ours_soon(&place, &["backup", "a"]));
    assert!(said.text().contains("using parent snapshot"), "{}", said.text());
    assert!(said.stderr.contains("it cannot be the parent snapshot"), "{}", said.stderr);
    let said = well(ours_soon(&place, &["forget", "--keep-last", "1"]));
    assert!(said.text().contains("3 snapshots removed"), "{}", said.text());
    // One that is named and damaged is an error, but can be removed.
    let refused = ours_soon(&place, &["ls", &garbage]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("is damaged"), "{}", refused.stderr);
    well(ours_soon(&place, &["forget", &garbage, &renamed]));
    assert!(!below(&garbage).exists() && !below(&renamed).exists());
    assert_eq!(ids(&place).len(), 1);
}

#[test]
fn caches_are_not_looked_for_in_pipes_and_links() {
    const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n";
    let place = place();
    init(&place);
    for directory in ["pipe", "link", "directory", "short", "cache"] {
        place.write(format!("tree/{directory}/kept"), "kept");
    }
    let at = |name: &str| place.path().join("tree").join(name);
    run(Command::new("mkfifo").arg(at("pipe/CACHEDIR.TAG")), b"").good();
    place.write("tag", TAG);
    symlink(place.path().join("tag"), at("link/CACHEDIR.TAG")).unwrap();
    fs::create_dir(at("directory/CACHEDIR.TAG")).unwrap();
    fs::write(at("short/CACHEDIR.TAG"), &TAG[..20]).unwrap();
    fs::write(at("cache/CACHEDIR.TAG"), TAG).unwrap();
    well(ours_soon(&place, &["backup", "-q", "--exclude-caches", "tree"]));
    let listed = well(ours(&place, &["ls", "-q", "latest"]));
    let kept: Vec<&str> = listed.text().lines().filter(|line| line.ends_with("/kept")).collect();
    let expected = ["directory", "link", "pipe", "short"].map(|name| format!("/tree/{name}/kept"));
    assert_eq!(kept, expected);
}

/// What a terminal would obey.
const HOSTILE: &str = "\u{1b}]0;title\u{7}\u{9b}31m\u{202e}";

fn is_harmless(text: &str) -> bool {
    !text.contains(|c: char| c.is_control() && c != '\n') && !text.contains('\u{202e}')
}

#[test]
fn names_of_snapshots_do_nothing_to_a_terminal() {
    let place = place();
    place.write("a", "a");
    init(&place);
    let (long, tag) = (format!("{HOSTILE}{}", "h".repeat(70_000)), format!("tag{HOSTILE}"));
    well(ours(&place, &["backup", "-q", "--host", &long, "--tag", &tag, "a"]));
    well(ours(&place, &["backup", "-q", "--host", "plain", "a"]));
    for args in [&["list"][..], &["forget", "-n", "--keep-last", "1", "--group-by", "host,tags"]] {
        let said = well(ours(&place, args));
        assert!(is_harmless(said.text()), "{args:?}");
        assert!(said.text().contains("\\x1b]0;title\\x07\\u{9b}31m\\u{202e}hhh"), "{args:?}");
    }
    // A long name does not make the other lines long.
    let said = well(ours(&place, &["list"]));
    assert!(said.text().lines().any(|line| line.contains("plain") && line.len() < 300));
    // JSON has the very names.
    let said = well(ours(&place, &["list", "--json"]));
    let all: Value = serde_json::from_str(said.text().lines().last().unwrap()).unwrap();
    assert_eq!((&all[0]["hostname"], &all[0]["tags"][0]), (&long.into(), &tag.into()));
}

#[test]
fn the_words_of_a_server_do_nothing_to_a_terminal() {
    let place = place();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("rest:http://{}/", server.local_addr().unwrap());
    let thread = thread::spawn(move || {
        let (mut stream, _) = server.accept().unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            request.extend(byte);
        }
        let body = format!("no {HOSTILE} way");
        let head = format!("HTTP/1.1 403 x\r\nContent-Length: {}\r\n\r\n", body.len());
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    });
    let said = ours_soon(&place, &["list", "--repo", &address]);
    thread.join().unwrap();
    assert_eq!(said.code, Some(1));
    assert!(is_harmless(&said.stderr), "{:?}", said.stderr);
    assert!(said.stderr.contains("no \\x1b]0;title\\x07\\u{9b}31m"), "{}", said.stderr);
}
