//! `broadloom snapshot` with restic beside it: each reads, checks and adds to what the other wrote.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use broadloom_testing::{has_version, is_present};
use serde_json::Value;

use crate::common::{self, Place, Said, noise, run, text};

/// Returns `true` if restic is there: it tells its version by a command of its own.
pub fn has_restic() -> bool {
    has_version("restic", "version")
}

/// A place with a password, and the environment that names the repository.
pub fn place() -> Place {
    let place = Place::new();
    place.write("password", "correct horse \n");
    place
}

/// Makes the repository of a place. `snapshot init` made its files, where a key had a thirty-second
/// of scrypt's usual memory. With all of the memory, each command that opens a repository spends
/// half a second on the password.
pub fn init(place: &Place) {
    const KEY: &[u8] = include_bytes!("../repository/key");
    let name = common::sha256(KEY);
    place.write(format!("repository/keys/{name}"), KEY);
    place.write("repository/config", include_bytes!("../repository/config"));
    for kind in ["data", "index", "locks", "snapshots"] {
        fs::create_dir(place.path().join("repository").join(kind)).unwrap();
    }
}

pub fn with_environment<'c>(place: &Place, command: &'c mut Command) -> &'c mut Command {
    command
        .current_dir(place.path())
        .env("RESTIC_REPOSITORY", "repository")
        .env("RESTIC_PASSWORD_FILE", "password")
        .env("RESTIC_CACHE_DIR", place.path().join("cache"))
        .env_remove("RESTIC_PASSWORD")
        .env("TZ", "UTC")
}

pub fn ours(place: &Place, args: &[&str]) -> Said {
    ours_with(place, args, b"")
}

pub fn ours_with(place: &Place, args: &[&str], stdin: &[u8]) -> Said {
    run(with_environment(place, place.command("snapshot").args(args)), stdin)
}

pub fn restic(place: &Place, args: &[&str]) -> Said {
    let mut restic = Command::new("restic");
    run(with_environment(place, restic.args(args)), b"")
}

/// The last line of JSON.
pub fn json(said: &Said) -> Value {
    let line = said.text().lines().last().unwrap_or_else(|| panic!("{}", said.stderr));
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

pub fn well(said: Said) -> Said {
    assert_eq!(said.code, Some(0), "{}{}", said.text(), said.stderr);
    said
}

/// Files of all kinds.
fn make_tree(place: &Place) {
    place.write("tree/empty", b"");
    place.write("tree/text", text(400_000, 1));
    place.write("tree/d/large", noise(5_000_000, 2));
    place.write("tree/d/again", noise(5_000_000, 2));
    place.write("tree/d/e/one", b"1");
    let at = |name: &str| place.path().join("tree").join(name);
    fs::create_dir(at("void")).unwrap();
    symlink("text", at("link")).unwrap();
    symlink("/nowhere/at all", at("d/dangling")).unwrap();
    fs::hard_link(at("d/e/one"), at("hard")).unwrap();
    let strange = OsStr::from_bytes(b"strange \xff\n\"\\ \xc3\xbc <&>");
    fs::write(at("d").join(strange), b"strange").unwrap();
    symlink(OsStr::from_bytes(b"to \xfe"), at("d/strange link")).unwrap();
    let sparse = File::create(at("sparse")).unwrap();
    sparse.set_len(3 << 20).unwrap();
    sparse.write_all_at(b"end", (3 << 20) - 3).unwrap();
    fs::set_permissions(at("text"), Permissions::from_mode(0o4750)).unwrap();
    fs::set_permissions(at("d/e"), Permissions::from_mode(0o1700)).unwrap();
    run(Command::new("mkfifo").arg(at("pipe")), b"").good();
    let mut set = Command::new("python3");
    let script = "import os, sys; os.setxattr(sys.argv[1], 'user.colour', b'red\\0\\xff')";
    run(set.args(["-c", script]).arg(at("text")), b"").good();
    run(Command::new("touch").args(["-d", "2001-02-03 04:05:06.789"]).arg(at("d/e")), b"").good();
    run(Command::new("touch").args(["-hd", "2002-02-02"]).arg(at("link")), b"").good();
}

/// All of a tree: names, types, modes, owners, times, links and a sum of the content.
pub fn listing(root: &Path) -> String {
    const SCRIPT: &str = "\
import hashlib, os, stat, sys
root = os.fsencode(sys.argv[1])
first = {}
for path, dirs, files in os.walk(root):
    dirs.sort()
    for name in sorted(dirs + files) + [b'.']:
        full = os.path.join(path, name)
        it = os.lstat(full)
        parts = [full[len(root):], oct(it.st_mode), it.st_uid, it.st_gid, it.st_mtime_ns]
        if stat.S_ISLNK(it.st_mode):
            parts.append(os.readlink(full))
        if stat.S_ISREG(it.st_mode):
            parts.append(hashlib.sha256(open(full, 'rb').read()).hexdigest())
            parts.append(first.setdefault(it.st_ino, full[len(root):]))
            parts.append([(n, os.getxattr(full, n)) for n in os.listxattr(full)])
        print(*parts)
";
    run(Command::new("python3").args(["-c", SCRIPT]).arg(root), b"").good().to_owned()
}

/// Returns the path of a snapshot of `tree` below the target of a restore.
fn inside(place: &Place, target: &str) -> std::path::PathBuf {
    place.path().join(target).join("tree")
}

#[test]
fn restic_reads_what_we_write() {
    let place = place();
    make_tree(&place);
    well(ours(&place, &["init"]));
    assert_eq!(ours(&place, &["init"]).code, Some(1));
    let summary = json(&well(ours(&place, &["backup", "--json", "--tag", "x,y", "tree"])));
    assert_eq!((&summary["files_new"], &summary["dirs_new"]), (&8.into(), &4.into()));
    let expected = listing(&place.path().join("tree"));
    well(ours(&place, &["restore", "latest", "--target", "back", "--sparse"]));
    assert_eq!(listing(&inside(&place, "back")), expected);
    let sparse = fs::metadata(inside(&place, "back").join("sparse")).unwrap();
    assert!(sparse.blocks() * 512 < sparse.len() / 2, "it has {} blocks", sparse.blocks());
    well(ours(&place, &["check", "--read-data"]));
    if !has_restic() {
        return;
    }
    let checked = well(restic(&place, &["check", "--read-data"]));
    assert!(checked.text().contains("no errors were found"), "{}", checked.text());
    well(restic(&place, &["restore", "latest", "--target", "theirs"]));
    // restic 0.14 loses what is not UTF-8 in where a link leads.
    let known = |listing: String| {
        let lines = listing.lines().filter(|line| !line.contains("strange link"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(known(listing(&inside(&place, "theirs"))), known(expected));
    let listed: Value = json(&well(restic(&place, &["snapshots", "--json"])));
    let mine: Value = json(&well(ours(&place, &["list", "--json"])));
    for key in ["id", "short_id", "time", "tree", "paths", "hostname", "username", "tags"] {
        assert_eq!(listed[0][key], mine[0][key], "{key}");
    }
    let paths = |said: Said| {
        let text = String::from_utf8_lossy(&said.stdout).into_owned();
        let paths = text.lines().filter(|line| line.starts_with("/tree"));
        paths.filter(|line| !line.contains("strange")).map(str::to_owned).collect::<Vec<_>>()
    };
    let theirs = paths(well(restic(&place, &["ls", "latest"])));
    assert_eq!(paths(well(ours(&place, &["ls", "latest"]))), theirs);
    assert!(theirs.len() > 12);
}

#[test]
fn we_read_and_continue_what_restic_writes() {
    let place = place();
    make_tree(&place);
    if !has_restic() {
        return;
    }
    well(restic(&place, &["init", "--repository-version", "2"]));
    well(restic(&place, &["backup", "tree"]));
    let expected = listing(&place.path().join("tree"));
    well(ours(&place, &["check", "--read-data"]));
    well(ours(&place, &["restore", "latest", "--target", "back"]));
    let known = |listing: String| {
        let lines = listing.lines().filter(|line| !line.contains("strange link"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(known(listing(&inside(&place, "back"))), known(expected));
    // Nothing changed: nothing is read, and the trees are restic's, bit for bit, but for the link.
    fs::remove_file(place.path().join("tree/d/strange link")).unwrap();
    well(restic(&place, &["backup", "tree"]));
    let summary = json(&well(ours(&place, &["backup", "--json", "tree"])));
    let counts = ["files_unmodified", "files_new", "files_changed", "data_blobs", "tree_blobs"];
    assert_eq!(counts.map(|key| summary[key].as_u64().unwrap()), [8, 0, 0, 0, 0]);
    let trees = json(&well(restic(&place, &["snapshots", "--json"])));
    assert_eq!(trees[1]["tree"], trees[2]["tree"]);
    assert_eq!(trees[2]["parent"], trees[1]["id"]);
    // The same without a parent: the cuts and the trees are restic's too.
    let forced = json(&well(ours(&place, &["backup", "--json", "--force", "tree"])));
    let counts = ["files_new", "data_blobs", "tree_blobs"];
    assert_eq!(counts.map(|key| forced[key].as_u64().unwrap()), [8, 0, 0]);
    place.write("tree/d/new", b"new");
    fs::remove_file(place.path().join("tree/empty")).unwrap();
    let summary = json(&well(ours(&place, &["backup", "--json", "tree"])));
    assert_eq!((&summary["files_new"], &summary["dirs_changed"]), (&1.into(), &2.into()));
    // restic finds its parent among ours.
    let theirs = json(&well(restic(&place, &["backup", "--json", "tree"])));
    assert_eq!((&theirs["files_unmodified"], &theirs["data_blobs"]), (&8.into(), &0.into()));
    let all = json(&well(restic(&place, &["snapshots", "--json"])));
    let id = |at: usize| all[at]["short_id"].as_str().unwrap().to_owned();
    let (first, last) = (id(0), id(4));
    let changes = |said: Said| {
        let letters = ["+", "-", "M", "U", "T"];
        let is_change = |line: &&str| letters.iter().any(|it| line.starts_with(&format!("{it}  ")));
        said.text().lines().filter(is_change).map(str::to_owned).collect::<Vec<_>>()
    };
    let mine = changes(well(ours(&place, &["diff", &first, &last])));
    assert_eq!(mine, changes(well(restic(&place, &["diff", &first, &last]))));
    assert_eq!(mine.len(), 3, "{mine:?}");
    for mode in ["restore-size", "files-by-contents", "raw-data"] {
        let args = ["stats", "--json", "--mode", mode, "latest"];
        let (mine, theirs) = (json(&well(ours(&place, &args))), json(&well(restic(&place, &args))));
        assert_eq!(mine["total_size"], theirs["total_size"], "{mode}");
    }
    well(restic(&place, &["check", "--read-data"]));
    well(restic(&place, &["prune"]));
    well(ours(&place, &["check", "--read-data"]));
}

#[test]
fn policies_keep_what_restic_keeps() {
    let place = place();
    place.write("a", "a");
    init(&place);
    for (at, tags) in [
        ("2022-12-30 10:00:00", "a"),
        ("2022-12-31 23:30:00", "a,b"),
        ("2023-01-01 00:30:00", ""),
        ("2023-01-01 00:45:00", "b"),
        ("2023-01-02 00:00:00", ""),
        ("2023-01-08 12:00:00", "a"),
        ("2023-02-01 12:00:00", ""),
    ] {
        let args = ["backup", "-q", "--time", at, "--tag", tags, "--host", "h", "a"];
        well(ours(&place, &args));
    }
    if !has_restic() {
        return;
    }
    for policy in [
        &["--keep-last", "2"][..],
        &["--keep-hourly", "3"],
        &["--keep-daily", "4", "--keep-tag", "a,b"],
        &["--keep-weekly", "3"],
        &["--keep-monthly", "2", "--keep-last", "1"],
        &["--keep-yearly", "5"],
        &["--keep-within", "1m2d"],
    ] {
        let args = [&["forget", "--dry-run", "--json"], policy].concat();
        let kept = |said: Said| {
            let line = said.text().lines().find(|line| line.starts_with('[')).unwrap().to_owned();
            let groups: Value = serde_json::from_str(&line).unwrap();
            let keep = groups[0]["keep"].as_array().unwrap().iter();
            keep.map(|kept| kept["time"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let mine = kept(well(ours(&place, &args)));
        assert_eq!(mine, kept(well(restic(&place, &args))), "{policy:?}");
    }
    let said = well(ours(&place, &["forget", "--keep-last", "2"]));
    assert!(said.text().contains("5 snapshots removed"), "{}", said.text());
    let left = json(&well(restic(&place, &["snapshots", "--json"])));
    assert_eq!(left.as_array().unwrap().len(), 2);
}

#[test]
fn locks_are_those_of_restic() {
    let place = place();
    place.write("a", "a");
    init(&place);
    // A backup that waits for its input holds its lock.
    let mut backup = place.command("snapshot");
    let backup = with_environment(&place, &mut backup).args(["backup", "--stdin", "-q"]);
    let mut backup = backup.stdin(Stdio::piped()).spawn().unwrap();
    // Not those that are still written, whose names are longer.
    let is_lock = |name: &String| name.len() == 64;
    let locked = || place.names("repository/locks").into_iter().filter(is_lock).count();
    while locked() == 0 {
        assert_eq!(backup.try_wait().unwrap(), None);
        std::thread::yield_now();
    }
    let refused = ours(&place, &["forget", "--keep-last", "1"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("is locked by a reader or writer"), "{}", refused.stderr);
    well(ours(&place, &["backup", "a"]));
    if has_restic() {
        well(restic(&place, &["backup", "a"]));
        let refused = restic(&place, &["check"]);
        assert!(refused.code == Some(1) && refused.stderr.contains("locked"), "{}", refused.stderr);
    }
    // A signal removes the lock.
    run(Command::new("kill").args(["-TERM", &backup.id().to_string()]), b"").good();
    assert_eq!(backup.wait().unwrap().code(), None);
    assert_eq!(locked(), 0);
    // The lock of a process that is gone stops nobody, and goes with `unlock`.
    let mut backup = place.command("snapshot");
    let backup = with_environment(&place, &mut backup).args(["backup", "--stdin", "-q"]);
    let mut backup = backup.stdin(Stdio::piped()).spawn().unwrap();
    while locked() == 0 {
        assert_eq!(backup.try_wait().unwrap(), None);
        std::thread::yield_now();
    }
    backup.kill().unwrap();
    backup.wait().unwrap();
    assert_eq!(locked(), 1);
    well(ours(&place, &["forget", "--keep-last", "1"]));
    let said = well(ours(&place, &["unlock"]));
    assert_eq!(said.text(), "1 lock removed\n");
}

#[test]
fn streams_patterns_and_lists() {
    let place = place();
    make_tree(&place);
    place.write("cached/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n");
    place.write("cached/junk", "junk");
    init(&place);
    let stream = noise(3_000_000, 9);
    let args = ["backup", "--stdin", "--stdin-filename", "dump", "-q"];
    well(ours_with(&place, &args, &stream));
    assert!(well(ours(&place, &["cat", "latest", "/dump"])).stdout == stream);
    let args =
        ["backup", "-q", "--exclude", "large", "-e", "/**/e", "--exclude-caches", "tree", "cached"];
    well(ours(&place, &args));
    let said = well(ours(&place, &["ls", "-q", "latest"]));
    let names = ["/cached/CACHEDIR.TAG", "/tree/d/again", "/tree/link"];
    assert!(names.iter().all(|name| said.text().contains(name)), "{}", said.text());
    for name in ["large", "/e/", "junk"] {
        assert!(!said.text().contains(name), "{name}: {}", said.text());
    }
    let said = well(ours(&place, &["find", "-q", "[dx]ump", "aga*n"]));
    assert_eq!(said.text(), "/tree/d/again\n/dump\n");
    let said = well(ours(&place, &["ls", "-q", "-l", "latest:/tree/text"]));
    assert!(said.text().starts_with("urwxr-x---") && said.text().ends_with("/tree/text\n"));
    well(ours(&place, &["restore", "latest:/tree/d", "-t", "part", "-i", "/again", "-i", "x"]));
    assert_eq!(place.names("part"), ["again"]);
    assert!(place.read("part/again") == noise(5_000_000, 2));
    let dry = json(&well(ours(&place, &["backup", "-n", "--json", "--force", "tree"])));
    assert_eq!((&dry["dry_run"], &dry["files_new"]), (&true.into(), &8.into()));
    assert_eq!(json(&well(ours(&place, &["list", "--json"]))).as_array().unwrap().len(), 2);
    let config = json(&well(ours(&place, &["cat", "config"])));
    assert_eq!(config["version"], 2);
}

#[test]
fn what_is_wrong_is_said() {
    let place = place();
    place.write("a", "a");
    place.write("wrong", "wrong");
    place.write("none", "\n");
    let said = |args: &[&str]| {
        let said = ours(&place, args);
        (said.code, said.stderr)
    };
    let (code, text) = said(&["list"]);
    assert!(code == Some(1) && text.contains("there is no repository"), "{text}");
    well(ours(&place, &["init"]));
    let (code, text) = said(&["list", "--password-file", "wrong"]);
    assert!(code == Some(1) && text.contains("password is wrong"), "{text}");
    let (code, text) = said(&["list", "--password-file", "none"]);
    assert!(code == Some(1) && text.contains("the password: it is empty"), "{text}");
    well(ours(&place, &["list", "--password-command", "cat password"]));
    place.write("garbage/config", "garbage");
    let (code, text) = said(&["list", "--repo", "garbage"]);
    assert!(code == Some(1) && text.contains("it has no key in \"keys\""), "{text}");
    let (code, text) = said(&["list", "--repo", "sftp:host:/x"]);
    assert!(code == Some(1) && text.contains("no such place is known"), "{text}");
    let (code, text) = said(&["list", "--repo", "rest:http://me:secret@/x"]);
    assert!(code == Some(1) && text.contains("it names no host"), "{text}");
    assert!(!text.contains("secret"), "{text}");
    let (code, text) = said(&["list", "--limit-upload", "fast"]);
    assert!(code == Some(2) && text.contains("a rate in KiB a second is 0 to"), "{text}");
    well(ours(&place, &["list", "--limit-download", "1000", "--limit-upload", "1000"]));
    let (code, text) = said(&["backup", "missing"]);
    assert!(code == Some(1) && text.contains("missing: No such file"), "{text}");
    let (code, text) = said(&["backup", "--memory", "64M", "a"]);
    let least = "64 MiB of memory are too few for a backup; valid: 80 MiB or more";
    assert!(code == Some(1) && text.contains(least), "{text}");
    well(ours(&place, &["backup", "--dry-run", "--memory", "80M", "a"]));
    let (code, text) = said(&["backup", "-e", "[", "a"]);
    assert!(code == Some(1) && text.contains("has no end"), "{text}");
    let (code, text) = said(&["restore", "abc", "-t", "x"]);
    assert!(code == Some(1) && text.contains("no snapshot is \"abc\""), "{text}");
    let (code, text) = said(&["check", "--read-data-subset", "3/2"]);
    assert!(code == Some(2) && text.contains("N from 1 to T"), "{text}");
    // A file that cannot be read: the others are saved, and the exit status tells.
    let (code, text) = said(&["backup", "a", "/proc/self/mem"]);
    assert!(code == Some(3) && text.contains("/proc/self/mem: "), "{text}");
    let listed = well(ours(&place, &["ls", "-q", "latest"]));
    assert_eq!(listed.text(), "/a\n/proc\n/proc/self\n");
}

/// Returns how often the program is killed. `BROADLOOM_KILLS=100` asks for more.
fn kills() -> u32 {
    std::env::var("BROADLOOM_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(3)
}

/// Runs one of the commands that are killed.
fn to_be_killed<'c>(place: &Place, name: &str, command: &'c mut Command) -> &'c mut Command {
    let args: &[&str] = match name {
        "backup" => &["backup", "--force", "-q", "tree"],
        "forget" => &["forget", "-q", "--keep-last", "2"],
        _ => &["restore", "latest", "-q", "--target", "back"],
    };
    let command = with_environment(place, command.args(args));
    command.stdout(Stdio::null()).stderr(Stdio::null())
}

/// Whether each file that a restore has left under a name of the snapshot is whole, and how many
/// there are.
fn whole(place: &Place) -> usize {
    let Ok(entries) = fs::read_dir(inside(place, "back")) else { return 0 };
    let mut files = 0;
    for entry in entries {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if place.path().join("tree").join(&name).exists() {
            let (made, right) = (format!("back/tree/{name}"), format!("tree/{name}"));
            assert!(place.read(made) == place.read(right), "{name} is not whole");
            files += 1;
        } else {
            assert!(name.starts_with('.'), "{name} was in no snapshot");
        }
    }
    files
}

#[test]
fn nothing_saved_is_lost_by_a_kill() {
    const COMMANDS: [&str; 3] = ["backup", "forget", "restore"];
    let place = place();
    for number in 0..40 {
        place.write(format!("tree/{number}"), noise(700_000, number));
    }
    init(&place);
    // What each command takes undisturbed, so that kills fall into all of it.
    let times = COMMANDS.map(|name| {
        let mut command = place.command("snapshot");
        let began = std::time::Instant::now();
        assert!(to_be_killed(&place, name, &mut command).status().unwrap().success());
        began.elapsed()
    });
    assert_eq!(whole(&place), 40);
    fs::remove_dir_all(place.path().join("back")).unwrap();
    let (mut saved, mut killed, kills) = (1, [0; COMMANDS.len()], kills());
    for kill in 0..kills {
        // Something new each time, so that packs, an index and a snapshot are written.
        place.write(format!("tree/new{kill}"), noise(20_000_000, 1000 + u64::from(kill)));
        for (at, name) in COMMANDS.into_iter().enumerate() {
            if name == "forget" {
                // It has something to remove.
                for _ in 0..2 {
                    well(ours(&place, &["backup", "-q", "tree"]));
                    saved += 1;
                }
            }
            let mut command = place.command("snapshot");
            let mut child = to_be_killed(&place, name, &mut command).spawn().unwrap();
            std::thread::sleep(times[at] * (2 * kill + 1) / (2 * kills));
            child.kill().unwrap();
            let ended = child.wait().unwrap();
            killed[at] += u32::from(ended.code().is_none());
            match (name, ended.success()) {
                ("backup", true) => saved += 1,
                ("forget", true) => assert_eq!(count(&place), 2),
                ("restore", true) => assert!(whole(&place) >= 40),
                ("restore", false) => {
                    whole(&place);
                    // What is there stands in nobody's way.
                    assert!(
                        to_be_killed(&place, name, &mut place.command("snapshot"))
                            .status()
                            .unwrap()
                            .success()
                    );
                    assert!(whole(&place) >= 40);
                }
                _ => {}
            }
            let least = if name == "backup" { saved } else { 2 };
            saved = count(&place);
            assert!(saved >= least, "after {name}, {least} were saved, and {saved} are left");
            let _ = fs::remove_dir_all(place.path().join("back"));
        }
        let _ = fs::remove_file(place.path().join(format!("tree/new{kill}")));
        if has_restic() {
            let checked = restic(&place, &["check", "--read-data"]);
            let unlock = checked.stderr.contains("locked");
            let checked = if unlock {
                well(restic(&place, &["unlock"]));
                restic(&place, &["check", "--read-data"])
            } else {
                checked
            };
            well(checked);
        } else {
            well(ours(&place, &["check", "--read-data"]));
        }
    }
    let mut out = std::io::stderr();
    let died = COMMANDS.iter().zip(killed).map(|(name, died)| format!("{died} of {name}"));
    let died = died.collect::<Vec<_>>().join(", ");
    writeln!(out, "{kills} kills each, before the end {died}: nothing was lost").unwrap();
}

/// Counts the snapshots.
pub fn count(place: &Place) -> usize {
    json(&well(ours(place, &["list", "--json"]))).as_array().unwrap().len()
}

#[test]
fn two_writers_at_once_lose_nothing() {
    let place = place();
    for number in 0..6 {
        place.write(format!("tree/{number}"), noise(3_000_000, number));
    }
    init(&place);
    if !has_restic() {
        return;
    }
    let args = ["backup", "--force", "-q", "tree"];
    for round in 0..3 {
        place.write("tree/new", noise(4_000_000, 100 + round));
        let mut other = Command::new("restic");
        let other = with_environment(&place, other.args(args)).spawn();
        well(ours(&place, &args));
        assert!(other.unwrap().wait().unwrap().success());
    }
    well(restic(&place, &["check", "--read-data"]));
    well(ours(&place, &["check", "--read-data"]));
    // Two snapshots of each round, with one tree.
    let all = json(&well(ours(&place, &["list", "--json"])));
    let trees: Vec<&str> =
        all.as_array().unwrap().iter().map(|one| one["tree"].as_str().unwrap()).collect();
    assert_eq!(trees.len(), 6);
    assert!(trees.chunks(2).all(|pair| pair[0] == pair[1]), "{trees:?}");
    let expected = listing(&place.path().join("tree"));
    for at in [4, 5] {
        let (id, target) = (all[at]["short_id"].as_str().unwrap(), format!("back{at}"));
        well(ours(&place, &["restore", id, "--target", &target]));
        assert_eq!(listing(&inside(&place, &target)), expected);
    }
    // A backup of restic that waits for its input: we may add, but not remove.
    let mut other = Command::new("restic");
    let other = with_environment(&place, other.args(["backup", "--stdin", "-q"]));
    let mut other = other.stdin(Stdio::piped()).spawn().unwrap();
    // More than a pipe holds: it reads, so it has its lock, and looks for no other any more.
    let input = noise(1 << 20, 200);
    other.stdin.as_mut().unwrap().write_all(&input).unwrap();
    assert!(!place.names("repository/locks").is_empty());
    let refused = ours(&place, &["forget", "--keep-last", "1"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("is locked by a reader or writer"), "{}", refused.stderr);
    well(ours(&place, &["backup", "-q", "tree"]));
    drop(other.stdin.take());
    assert!(other.wait().unwrap().success());
    let all = json(&well(ours(&place, &["list", "--json"])));
    let all = all.as_array().unwrap();
    assert_eq!(all.len(), 8);
    let theirs = all.iter().find(|one| one["paths"][0] == "/stdin").unwrap();
    let id = theirs["short_id"].as_str().unwrap();
    assert_eq!(well(ours(&place, &["cat", id, "/stdin"])).stdout, input);
    well(restic(&place, &["check", "--read-data"]));
}

#[test]
fn a_flipped_bit_is_named() {
    let place = place();
    place.write("tree/a", noise(100_000, 1));
    init(&place);
    well(ours(&place, &["backup", "-q", "tree"]));
    let mut files = Vec::new();
    for kind in ["keys", "snapshots", "index"] {
        let names = place.names(&format!("repository/{kind}"));
        files.extend(names.into_iter().map(|name| format!("{kind}/{name}")));
    }
    for first in place.names("repository/data") {
        let names = place.names(&format!("repository/data/{first}"));
        files.extend(names.into_iter().map(|name| format!("data/{first}/{name}")));
    }
    assert_eq!(files.len(), 5);
    for file in files {
        let path = place.path().join("repository").join(&file);
        let right = fs::read(&path).unwrap();
        let mut wrong = right.clone();
        let at = right.len() * 2 / 3;
        wrong[at] ^= 4;
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        fs::write(&path, wrong).unwrap();
        let said = ours(&place, &["check", "--read-data"]);
        assert_eq!(said.code, Some(1), "{file}");
        let text = format!("{}{}", said.text(), said.stderr);
        assert!(text.contains(&file), "{file}: {text}");
        fs::write(&path, right).unwrap();
    }
    well(ours(&place, &["check", "--read-data"]));
}

#[test]
fn another_provider_gives_chunks_the_same_names() {
    let place = place();
    make_tree(&place);
    init(&place);
    well(ours(&place, &["backup", "tree"]));
    let absent = ["backup", "tree", "--provider", "gpu:device=abacus"];
    let said = ours(&place, &absent);
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.contains("gpu is absent: "), "{}", said.stderr);
    let backed = well(ours(&place, &[&absent[..], &["--fallback"]].concat()));
    assert!(backed.stderr.contains("; all blobs are hashed by the fallback"), "{}", backed.stderr);
    let said = ours(&place, &["backup", "tree", "--fallback"]);
    assert_eq!(said.code, Some(2), "{}", said.stderr);

    let gpu = |options: &str, more: &[&str]| {
        let name = format!("gpu:device=any:timeout=600s{options}");
        let args = ["backup", "tree", "--force", "--json", "--provider", &name];
        ours(&place, &[&args[..], more].concat())
    };
    let whole = gpu("", &[]);
    if whole.code == Some(1) && whole.stderr.contains("gpu is absent: ") {
        assert!(!is_present("snapshots with a device", false, &whole.stderr));
        return;
    }
    let lost = gpu(":faults=loss=1", &["--fallback"]);
    assert!(lost.stderr.contains(" blobs were hashed by the fallback: "), "{}", lost.stderr);
    assert!(!whole.stderr.contains("fallback"), "{}", whole.stderr);
    for said in [whole, lost] {
        let summary = json(&well(said));
        assert_eq!((&summary["data_blobs"], &summary["tree_blobs"]), (&0.into(), &0.into()));
        assert!(summary["total_bytes_processed"].as_u64() > Some(10_000_000));
    }
    let failed = gpu(":faults=loss=1", &[]);
    assert_eq!(failed.code, Some(1));
    assert!(failed.stderr.contains("the device"), "{}", failed.stderr);
}
