//! Files that are removed, replaced or made: nothing is lost, and nobody gains access.

use std::fs::{self, File, FileTimes, Permissions};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use broadloom_testing::has;
use rustix::fs::{CWD, Mode, XattrFlags, getxattr, mkfifoat, removexattr, setxattr};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, geteuid, kill_process};

use crate::common::{Place, Said, noise, run, text};

/// A user and a group that own nothing.
const NOBODY: u32 = 65_534;
const GROUP: u32 = 54_321;

const ACL: &str = "system.posix_acl_access";
const DEFAULT_ACL: &str = "system.posix_acl_default";

/// A gzip file of no bytes that says that it was made of `name`.
fn named(name: &str) -> Vec<u8> {
    let header = [0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3];
    [&header[..], name.as_bytes(), &[0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]].concat()
}

fn mode(place: &Place, name: &str) -> u32 {
    fs::metadata(place.path().join(name)).unwrap().mode() & 0o7777
}

fn set_mode(place: &Place, name: &str, mode: u32) {
    fs::set_permissions(place.path().join(name), Permissions::from_mode(mode)).unwrap();
}

/// The exit status for a reason: what is left as it is because another file is there is a warning,
/// as it is of gzip.
fn status(stderr: &str) -> Option<i32> {
    Some(if stderr.contains("is there already") { 2 } else { 1 })
}

/// Asserts that it failed for that reason, with the directory as it was.
fn assert_kept(place: &Place, said: &Said, stderr: &str, names: &[&str]) {
    assert_eq!((said.code, said.stderr.as_str()), (status(stderr), stderr));
    assert_eq!(place.names("."), names);
}

/// Returns `true` if the tests run as root, who may do what these need.
fn is_root(test: &str) -> bool {
    broadloom_testing::is_present(test, geteuid().is_root(), "it needs root")
}

/// A directory that belongs to nobody, and is open to all.
fn place_of_nobody() -> Place {
    let place = Place::new();
    chown(place.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    fs::set_permissions(place.path(), Permissions::from_mode(0o755)).unwrap();
    place
}

/// Runs `broadloom` as nobody.
fn as_nobody(place: &Place, args: &[&str], group: u32) -> Said {
    // Its own place may be closed to nobody.
    let tools = tempfile::TempDir::new().unwrap();
    fs::set_permissions(tools.path(), Permissions::from_mode(0o755)).unwrap();
    let tool = tools.path().join("broadloom");
    // Were this process to write the program, children of other tests could inherit its descriptor,
    // and a program that somebody may still write to cannot run.
    let mut copy = Command::new("cp");
    copy.args(["--preserve=mode", env!("CARGO_BIN_EXE_broadloom")]).arg(&tool);
    run(&mut copy, b"").good();
    run(Command::new(tool).args(args).current_dir(place.path()).uid(NOBODY).gid(group), b"")
}

/// A run that is killed when the test ends, even by a panic.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a command on the sparse file `a`, which takes longer to compress than to change; gives it
/// once it is at work.
fn at_work(place: &Place, args: &[&str], len: u64) -> Child {
    File::create(place.path().join("a")).unwrap().set_len(len).unwrap();
    let mut command = place.command("compress");
    command.args(["-9", "-p", "1", "--provider", "zlib"]).args(args).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    while temporaries(place).is_empty() {
        assert_eq!(child.try_wait().unwrap(), None);
        thread::sleep(Duration::from_millis(1));
    }
    child
}

fn end(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// Starts `broadloom compress a` under strace; gives it once it stands still behind the system call
/// of that number and name (of those on a path, where one is given), with its process.
fn stopped_behind(
    place: &Place,
    (call, path, number): (&str, Option<&str>, usize),
) -> (Child, Pid) {
    let inject = format!("inject={call}:signal=STOP:when={number}");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qqq", "-o", "trace", "-e", &inject]);
    strace.args(path.into_iter().flat_map(|path| ["-P", path]));
    strace.args([env!("CARGO_BIN_EXE_broadloom"), "compress", "a"]);
    let mut child = strace.current_dir(place.path()).stderr(Stdio::piped()).spawn().unwrap();
    loop {
        let trace = fs::read_to_string(place.path().join("trace")).unwrap_or_default();
        let stops = trace.lines().find(|line| line.ends_with("--- stopped by SIGSTOP ---"));
        if let Some((pid, _)) = stops.and_then(|line| line.split_once(' ')) {
            return (child, Pid::from_raw(pid.parse().unwrap()).unwrap());
        }
        assert_eq!(child.try_wait().unwrap(), None, "{trace}");
        thread::sleep(Duration::from_millis(1));
    }
}

fn temporaries(place: &Place) -> Vec<String> {
    let mut names = place.names(".");
    names.retain(|name| name.starts_with(".broadloom-"));
    names
}

#[test]
fn a_file_is_never_replaced_by_what_is_made_of_it() {
    let place = Place::new();
    for force in ["-f", "-k", "-fk", "-q"] {
        place.write("a.gz", named("a.gz"));
        let said = place.decompress(&["-N", force, "a.gz"], b"");
        let expected = "broadloom decompress: a.gz: a.gz is the same file: not replaced (-c writes \
                        elsewhere)\n";
        assert_kept(&place, &said, expected, &["a.gz"]);
        assert_eq!(place.read("a.gz"), named("a.gz"));
    }
}

#[test]
fn hard_and_symbolic_links_are_the_same_file() {
    for link in ["hard", "symbolic"] {
        let make = |place: &Place, to: &str, at: &str| {
            let path = |name| place.path().join(name);
            match link {
                "hard" => fs::hard_link(path(to), path(at)).unwrap(),
                _ => symlink(to, path(at)).unwrap(),
            }
        };
        let place = Place::new();
        place.write("a", "data");
        make(&place, "a", "a.gz");
        for args in [&["-f", "a"][..], &["-fk", "a"]] {
            let said = place.compress(args, b"");
            let expected = "broadloom compress: a: a.gz is the same file: not replaced (-c \
                            writes elsewhere)\n";
            assert_kept(&place, &said, expected, &["a", "a.gz"]);
            assert_eq!(place.read("a.gz"), b"data", "{link}");
        }
        // The other way round: the link is what is named.
        let place = Place::new();
        place.write("b.gz", named("other"));
        make(&place, "b.gz", "b");
        let said = place.decompress(&["-f", "b.gz"], b"");
        let expected =
            "broadloom decompress: b.gz: b is the same file: not replaced (-c writes elsewhere)\n";
        assert_kept(&place, &said, expected, &["b", "b.gz"]);
        let said = place.compress(&["-f", "b"], b"");
        let expected =
            "broadloom compress: b: b.gz is the same file: not replaced (-c writes elsewhere)\n";
        assert_kept(&place, &said, expected, &["b", "b.gz"]);
        // The index is made in a place of its own.
        let place = Place::new();
        place.write("c", "data");
        make(&place, "c", "c.gz.gzi");
        let said = place.compress(&["-f", "--format", "bgzf", "--index", "c"], b"");
        let expected = "broadloom compress: c: c.gz.gzi is the same file: not replaced (-c writes \
                        elsewhere)\n";
        assert_kept(&place, &said, expected, &["c", "c.gz.gzi"]);
        assert_eq!(place.read("c"), b"data", "{link}");
    }
}

#[test]
fn a_file_is_not_appended_to_itself() {
    let place = Place::new();
    place.write("a", noise(100_000, 1));
    let program = env!("CARGO_BIN_EXE_broadloom");
    for arguments in ["-c a", "-c - <a"] {
        let script = format!("exec '{program}' compress {arguments} >>a");
        let said = place.tool("sh", &["-c", &script], b"");
        assert_eq!(said.code, Some(1), "{arguments}");
        assert!(said.stderr.contains("standard output is the same file"), "{}", said.stderr);
        assert!(place.read("a") == noise(100_000, 1), "{arguments}");
    }
}

/// Runs `broadloom man`, which makes or replaces `broadloom.1` and more.
fn man(place: &Place) {
    run(place.command("man").arg("."), b"").good();
}

#[test]
fn a_file_that_is_replaced_keeps_its_mode() {
    let place = Place::new();
    for (bits, new) in [(0o600, false), (0o640, false), (0o666, false), (0o644, true)] {
        if new {
            fs::remove_file(place.path().join("broadloom.1")).unwrap();
        } else {
            place.write("broadloom.1", "old");
            set_mode(&place, "broadloom.1", bits);
        }
        // A shell sets the umask, which new files depend on.
        let program = env!("CARGO_BIN_EXE_broadloom");
        let script = format!("umask 022; exec '{program}' man .");
        place.tool("sh", &["-c", &script], b"").good();
        assert_eq!(mode(&place, "broadloom.1"), bits, "new: {new}");
        assert_ne!(place.read("broadloom.1"), b"old");
    }
}

#[test]
fn a_file_that_is_replaced_keeps_its_owner() {
    if !is_root("a_file_that_is_replaced_keeps_its_owner") {
        return;
    }
    let place = Place::new();
    place.write("broadloom.1", "old");
    chown(place.path().join("broadloom.1"), Some(NOBODY), Some(GROUP)).unwrap();
    set_mode(&place, "broadloom.1", 0o640);
    man(&place);
    let now = fs::metadata(place.path().join("broadloom.1")).unwrap();
    assert_eq!((now.uid(), now.gid(), now.mode() & 0o7777), (NOBODY, GROUP, 0o640));
}

#[test]
fn what_replaces_a_file_grants_no_more_than_either() {
    let place = Place::new();
    for (source, replaced, expected) in [
        (0o644, 0o600, 0o600),
        (0o600, 0o644, 0o600),
        (0o640, 0o604, 0o600),
        (0o644, 0o644, 0o644),
        (0o755, 0o644, 0o644),
    ] {
        for format in ["gzip", "bgzf"] {
            let index = if format == "bgzf" { &["--index"][..] } else { &[] };
            place.write("a", "data");
            set_mode(&place, "a", source);
            for name in ["a.gz", "a.gz.gzi"] {
                place.write(name, "old");
                set_mode(&place, name, replaced);
            }
            place.compress(&[&["-f", "--format", format, "a"], index].concat(), b"").good();
            assert_eq!(mode(&place, "a.gz"), expected, "{source:o} for {replaced:o}");
            if !index.is_empty() {
                assert_eq!(mode(&place, "a.gz.gzi"), expected, "{source:o} for {replaced:o}");
            }
            place.write("a", "old");
            set_mode(&place, "a", replaced);
            set_mode(&place, "a.gz", source);
            place.decompress(&["-f", "a.gz"], b"").good();
            assert_eq!(mode(&place, "a"), expected, "{source:o} for {replaced:o}");
        }
    }
}

#[test]
fn a_file_that_changes_in_place_is_not_lost() {
    // Each change leaves the length as it is.
    type Change = fn(&Path);
    let write: Change = |path| {
        File::options().write(true).open(path).unwrap().write_all_at(b"new", 1000).unwrap();
    };
    let write_in_secret: Change = |path| {
        let file = File::options().write(true).open(path).unwrap();
        let modified = file.metadata().unwrap().modified().unwrap();
        file.write_all_at(b"new", 1000).unwrap();
        file.set_times(FileTimes::new().set_modified(modified)).unwrap();
    };
    let exchange: Change = |path| {
        fs::rename(path, path.with_file_name("b")).unwrap();
        fs::write(path, "another").unwrap();
    };
    for (change, names) in [(write, &["a"][..]), (write_in_secret, &["a"]), (exchange, &["a", "b"])]
    {
        for args in [&["a"][..], &["-f", "a"]] {
            let place = Place::new();
            let child = at_work(&place, args, 256 << 20);
            change(&place.path().join("a"));
            let (code, stderr) = end(child);
            let expected = "broadloom compress: a: file changed while it was read: it";
            assert_eq!(code, Some(1), "{stderr}");
            assert!(stderr.starts_with(expected), "{stderr}");
            assert_eq!(place.names("."), names);
        }
    }
}

#[test]
fn the_disk_holds_the_new_file_before_the_old_one_goes() {
    if !has("strace") {
        return;
    }
    let place = Place::new();
    for name in ["a", "b", "c"] {
        place.write(name, "data");
    }
    // Of one file: the file, and after it has its name the directory. Of several: all at once.
    for (files, syncs) in
        [(&["a"][..], ["fsync", "fsync"]), (&["a", "b", "c"], ["syncfs", "fsync"])]
    {
        for (command, suffix) in [("compress", ""), ("decompress", ".gz")] {
            let names: Vec<String> = files.iter().map(|file| format!("{file}{suffix}")).collect();
            let mut run = vec![env!("CARGO_BIN_EXE_broadloom"), command];
            run.extend(names.iter().map(String::as_str));
            let trace =
                place.trace("fsync,syncfs,rename,renameat2,link,linkat,unlink,unlinkat", &run);
            let calls: Vec<&str> = trace
                .lines()
                .filter_map(|line| line.split_whitespace().nth(1)?.split('(').next())
                .collect();
            let at = |name: &str, from: usize| {
                let place = calls[from..].iter().position(|call| call.starts_with(name));
                from + place.unwrap_or_else(|| panic!("no {name} behind {from} in {trace}"))
            };
            let first = at(syncs[0], 0);
            let named = calls.iter().position(|call| {
                call.starts_with("rename") || *call == "linkat" || *call == "link"
            });
            let named = named.unwrap_or_else(|| panic!("no name in {trace}"));
            let second = at(syncs[1], named);
            let gone = at("unlink", named);
            assert!(first < named && named < second, "{trace}");
            let source = format!("\"{}\"", names[0]);
            let lines: Vec<&str> = trace.lines().collect();
            let gone_source =
                lines.iter().position(|line| line.contains("unlink") && line.contains(&source));
            assert!(gone_source.is_some_and(|gone| gone > second), "{gone}: {trace}");
        }
    }
}

#[test]
fn a_name_that_changes_is_neither_followed_nor_waited_for() {
    // Between the look at a name and the opening, a link or a pipe may take the file's place.
    if !has("strace") {
        return;
    }
    let place = Place::new();
    place.write("a", "data");
    for (args, follows) in [
        (&["compress", "a"][..], false),
        (&["decompress", "a.gz"], false),
        (&["compress", "-fk", "a"], true),
    ] {
        let name = args.last().unwrap();
        let program = [env!("CARGO_BIN_EXE_broadloom")];
        let trace = place.trace("open,openat", &[&program, args].concat());
        let opened = format!("\"{name}\", ");
        let line = trace.lines().find(|line| line.contains(&opened));
        let line = line.unwrap_or_else(|| panic!("{args:?} opens nothing in {trace}"));
        assert!(line.contains("O_NONBLOCK"), "{args:?}: {line}");
        assert_eq!(line.contains("O_NOFOLLOW"), !follows, "{args:?}: {line}");
    }
}

#[test]
fn what_takes_the_place_of_a_file_is_not_taken_for_it() {
    if !has("strace") {
        return;
    }
    let place = Place::new();
    place.write("a", "data");
    let calls =
        place.trace("statx,open,openat", &[env!("CARGO_BIN_EXE_broadloom"), "compress", "a"]);
    let on_file = calls.lines().filter(|line| line.contains("\"a\", "));
    let looks = on_file.take_while(|line| line.contains("statx(")).count();
    assert_ne!(looks, 0, "{calls}");
    // After the last look at the name, and after the opening.
    let (looked, opened) = (("statx", Some("a"), looks), ("openat", Some("a"), 1));
    type Make = fn(&Path);
    let link: Make = |path| symlink("target", path).unwrap();
    let pipe: Make = |path| mkfifoat(CWD, path, Mode::from_raw_mode(0o600)).unwrap();
    let file: Make = |path| fs::write(path, "another").unwrap();
    for (moment, make, stderr) in [
        (looked, link, "is a symbolic link: ignored (-f follows it, -c leaves it)"),
        (looked, pipe, "is neither a directory nor a regular file: ignored (-c reads it)"),
        (opened, file, "its name stands for another file by now"),
    ] {
        let place = Place::new();
        place.write("a", "data");
        place.write("target", "target");
        let (child, pid) = stopped_behind(&place, moment);
        fs::rename(place.path().join("a"), place.path().join("moved")).unwrap();
        make(&place.path().join("a"));
        kill_process(pid, Signal::CONT).unwrap();
        let (_, said) = end(child);
        // strace tells how it reads the name.
        let said = said.lines().find(|line| !line.starts_with("strace: "));
        assert_eq!(said, Some(format!("broadloom compress: a: {stderr}").as_str()));
        assert_eq!(place.names("."), ["a", "moved", "target", "trace"]);
    }
}

#[test]
fn a_file_that_changes_before_it_goes_stays() {
    if !has("strace") {
        return;
    }
    let changed = "file changed while it was read: it had 4 bytes, and then 9";
    let complete = format!("a.gz is complete, but this file stays: {changed}");
    // The disk holds the new file, which has no name yet; then it holds its name, and nothing is
    // left to be done but to remove the old one.
    for (sync, stderr, names) in
        [(1, changed, &["a", "trace"][..]), (2, &complete, &["a", "a.gz", "trace"])]
    {
        let place = Place::new();
        place.write("a", "data");
        let (child, pid) = stopped_behind(&place, ("fsync", None, sync));
        assert_eq!(place.path().join("a.gz").exists(), sync == 2);
        place.write("a", "more data");
        kill_process(pid, Signal::CONT).unwrap();
        assert_eq!(end(child), (Some(1), format!("broadloom compress: a: {stderr}\n")));
        assert_eq!(place.names("."), names);
        assert_eq!(place.read("a"), b"more data");
    }
}

#[test]
fn many_files_are_replaced_as_if_one_by_one() {
    let place = Place::new();
    for number in 0..300 {
        place.write(format!("d/{number:03}"), text(number * 10, number as u64));
    }
    // One is damaged, one is there already: the others do not suffer.
    place.compress(&["-r", "d"], b"").good();
    let broken = place.read("d/150.gz");
    place.write("d/150.gz", &broken[..broken.len() - 3]);
    place.write("d/200", "old");
    let said = place.decompress(&["-r", "d", "missing"], b"");
    assert_eq!(said.code, Some(1));
    let lines: Vec<&str> = said.stderr.lines().collect();
    let [broken, there, missing] = lines[..] else { panic!("{lines:?}") };
    assert!(broken.starts_with("broadloom decompress: d/150.gz: at byte "), "{broken}");
    assert!(there.starts_with("broadloom decompress: d/200.gz: d/200 is there already"), "{there}");
    assert_eq!(missing, "broadloom decompress: missing: No such file or directory");
    let mut expected: Vec<String> = (0..300).map(|number| format!("{number:03}")).collect();
    expected[150] += ".gz";
    expected.insert(201, "200.gz".to_owned());
    assert_eq!(place.names("d"), expected);
    assert!((0..300).filter(|number| ![150, 200].contains(number)).all(|number| {
        place.read(format!("d/{number:03}")) == text(number * 10, number as u64)
    }));
}

#[test]
fn files_of_a_run_may_follow_from_each_other() {
    let place = Place::new();
    let no_file = |name: &str| format!("broadloom compress: {name}: No such file or directory\n");
    place.write("a", "x");
    let said = place.compress(&["a", "a"], b"");
    assert_kept(&place, &said, &no_file("a"), &["a.gz"]);
    place.decompress(&["a.gz", "-f", "a.gz"], b"");
    assert_eq!(place.names("."), ["a"]);
    place.compress(&["-f", "a", "a.gz"], b"").good();
    assert_eq!(place.names("."), ["a.gz.gz"]);
    place.decompress(&["a.gz.gz", "a.gz"], b"").good();
    assert_eq!((place.names("."), place.read("a")), (vec!["a".to_owned()], b"x".to_vec()));
    // A directory whose files have gone, and one inside it.
    place.write("d/e/f", "x");
    let said = place.compress(&["-rv", "d", "d", "d/e"], b"");
    assert_eq!((said.code, place.names("d/e")), (Some(0), vec!["f.gz".to_owned()]));
    fs::remove_dir_all(place.path().join("d")).unwrap();
    // Two names of one file.
    fs::hard_link(place.path().join("a"), place.path().join("b")).unwrap();
    place.compress(&["-f", "a", "b"], b"").good();
    assert_eq!(place.names("."), ["a.gz", "b.gz"]);
    // Two files that become one.
    place.write("c", "one");
    place.compress(&["c"], b"").good();
    place.write("c", "two");
    place.compress(&["-S", ".bgz", "c"], b"").good();
    let said = place.decompress(&["c.bgz", "c.gz"], b"");
    let expected = "broadloom decompress: c.gz: c is there already: not overwritten (-f does)\n";
    assert_kept(&place, &said, expected, &["a.gz", "b.gz", "c", "c.gz"]);
    assert_eq!(place.read("c"), b"two");
}

#[test]
fn an_index_appears_with_its_file_or_not_at_all() {
    const INDEXED: [&str; 4] = ["--format", "bgzf", "--index", "a"];
    let args = ["-9", "-p", "1", "--provider", "zlib"];
    // What takes the place of one while the other is made.
    for (taken, stderr) in [
        ("a.gz", "a.gz is there already: not overwritten (-f does)"),
        ("a.gz.gzi", "a.gz.gzi is there already: not overwritten (-f does)"),
    ] {
        let place = Place::new();
        let child = at_work(&place, &INDEXED, 256 << 20);
        place.write(taken, "other");
        let (code, said) = end(child);
        assert_eq!((code, said), (status(stderr), format!("broadloom compress: a: {stderr}\n")));
        assert_eq!(
            (place.names("."), place.read(taken)),
            (vec!["a".into(), taken.into()], b"other".into())
        );
        // And what is there before.
        let said = place.compress(&[&args[..], &INDEXED].concat(), b"");
        assert_kept(&place, &said, &format!("broadloom compress: a: {stderr}\n"), &["a", taken]);
        place.write("a", "data");
        place.compress(&[&["-f"][..], &INDEXED].concat(), b"").good();
        assert_eq!(place.names("."), ["a.gz", "a.gz.gzi"]);
    }
    for taken in ["a.gz", "a.gz.gzi"] {
        let place = Place::new();
        place.write("a", "data");
        fs::create_dir(place.path().join(taken)).unwrap();
        let said = place.compress(&[&["-f"][..], &INDEXED].concat(), b"");
        let expected = format!("broadloom compress: a: {taken} is a directory: not overwritten\n");
        assert_kept(&place, &said, &expected, &["a", taken]);
    }
}

#[test]
fn another_users_file_grants_what_it_granted() {
    if !is_root("another_users_file_grants_what_it_granted") {
        return;
    }
    for (group, from, to) in [
        // Nobody is no member of the group: the new file has another.
        (0, 0o644, 0o644),
        (0, 0o755, 0o755),
        (0, 0o664, 0o644),
        (0, 0o604, 0o600),
        (0, 0o606, 0o600),
        // And a member.
        (GROUP, 0o640, 0o640),
        (GROUP, 0o660, 0o660),
        (GROUP, 0o644, 0o644),
    ] {
        let place = place_of_nobody();
        place.write("a", "data");
        chown(place.path().join("a"), Some(0), Some(group)).unwrap();
        set_mode(&place, "a", from);
        as_nobody(&place, &["compress", "a"], GROUP).good();
        assert_eq!(place.names("."), ["a.gz"]);
        let made = fs::metadata(place.path().join("a.gz")).unwrap();
        assert_eq!((made.uid(), made.gid()), (NOBODY, GROUP));
        assert_eq!(mode(&place, "a.gz"), to, "{from:o} of group {group}");
    }
}

/// An ACL: what the owner, nobody, the group and others may do, and the most for all in between.
fn acl(owner: u16, nobody: u16, group: u16, mask: u16, others: u16) -> Vec<u8> {
    let entries = [
        (0x01, owner, u32::MAX),
        (0x02, nobody, NOBODY),
        (0x04, group, u32::MAX),
        (0x10, mask, u32::MAX),
        (0x20, others, u32::MAX),
    ];
    let entry = |(tag, bits, id): (u16, u16, u32)| {
        [&tag.to_le_bytes()[..], &bits.to_le_bytes(), &id.to_le_bytes()].concat()
    };
    [2u32.to_le_bytes().to_vec(), entries.map(entry).concat()].concat()
}

/// Sets an ACL; says if the file system has none.
fn set_acl(place: &Place, name: &str, which: &str, acl: &[u8]) -> bool {
    match setxattr(place.path().join(name), which, acl, XattrFlags::empty()) {
        Err(Errno::OPNOTSUPP) => {
            println!("tests of ACLs cannot run: {} has none", place.path().display());
            false
        }
        set => set.map(|()| true).unwrap(),
    }
}

fn acl_of(place: &Place, name: &str) -> Option<Vec<u8>> {
    let mut buffer = vec![0; 1000];
    match getxattr(place.path().join(name), ACL, &mut buffer[..]) {
        Err(Errno::NODATA) => None,
        len => Some(buffer[..len.unwrap()].to_vec()),
    }
}

#[test]
fn an_acl_is_kept() {
    let place = Place::new();
    let acl = acl(6, 6, 0, 6, 0);
    place.write("a", "data");
    if !set_acl(&place, "a", ACL, &acl) {
        return;
    }
    assert_eq!(mode(&place, "a"), 0o660, "the group's bits are those of the mask");
    place.compress(&["a"], b"").good();
    assert_eq!((acl_of(&place, "a.gz"), mode(&place, "a.gz")), (Some(acl.clone()), 0o660));
    place.decompress(&["a.gz"], b"").good();
    assert_eq!(acl_of(&place, "a"), Some(acl.clone()));
    // What is written over keeps its own.
    fs::rename(place.path().join("a"), place.path().join("broadloom.1")).unwrap();
    man(&place);
    assert_ne!(place.read("broadloom.1"), b"data");
    assert_eq!((acl_of(&place, "broadloom.1"), mode(&place, "broadloom.1")), (Some(acl), 0o660));
}

#[test]
fn what_replaces_a_file_with_an_acl_grants_the_group_nothing() {
    let place = Place::new();
    place.write("a", "data");
    set_mode(&place, "a", 0o664);
    place.write("a.gz", "old");
    // The user `nobody` had access, and the group had none.
    if !set_acl(&place, "a.gz", ACL, &acl(6, 6, 0, 6, 0)) {
        return;
    }
    assert_eq!(mode(&place, "a.gz"), 0o660, "the group's bits are those of the mask");
    place.compress(&["-f", "a"], b"").good();
    assert_eq!((acl_of(&place, "a.gz"), mode(&place, "a.gz")), (None, 0o600));
}

#[test]
fn an_acl_of_the_directory_grants_nothing_of_a_file_without_one() {
    let place = Place::new();
    if !set_acl(&place, ".", DEFAULT_ACL, &acl(7, 7, 7, 7, 0)) {
        return;
    }
    place.write("a", "data");
    removexattr(place.path().join("a"), ACL).unwrap();
    set_mode(&place, "a", 0o640);
    place.compress(&["a"], b"").good();
    assert_eq!((acl_of(&place, "a.gz"), mode(&place, "a.gz")), (None, 0o640));
    // A new file that is made of no other has what the directory gives.
    place.write("in", "data");
    man(&place);
    assert_eq!(acl_of(&place, "broadloom.1"), acl_of(&place, "in"));
    assert!(acl_of(&place, "in").is_some());
}

#[test]
fn an_acl_that_cannot_be_kept_leaves_the_owner_alone() {
    if !is_root("an_acl_that_cannot_be_kept_leaves_the_owner_alone") {
        return;
    }
    let place = place_of_nobody();
    place.write("a", "data");
    if !set_acl(&place, "a", ACL, &acl(6, 4, 0, 6, 4)) {
        return;
    }
    as_nobody(&place, &["compress", "a"], GROUP).good();
    assert_eq!((acl_of(&place, "a.gz"), mode(&place, "a.gz")), (None, 0o600));
}

#[test]
fn what_a_killed_run_left_goes_with_the_next() {
    let place = Place::new();
    let mut killed = at_work(&place, &["a"], 1 << 40);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(temporaries(&place).len(), 1, "nobody can remove it as it dies");
    let left = temporaries(&place);
    let mut living = place.command("compress");
    let mut living = Killed(living.args(["-9", "a"]).stderr(Stdio::null()).spawn().unwrap());
    while temporaries(&place).iter().all(|name| left.contains(name)) {
        assert_eq!(living.0.try_wait().unwrap(), None);
        thread::sleep(Duration::from_millis(1));
    }
    assert!(temporaries(&place).iter().all(|name| !left.contains(name)), "it removed {left:?}");
    // A run that is at work keeps its own, and only files with such names go.
    let kept = [".broadloom-linked", ".broadloom-x.gz", ".broadloom-12345", "b"];
    for name in kept {
        place.write(name, "data");
    }
    let linked = place.path().join(".broadloom-linked");
    fs::hard_link(&linked, place.path().join("link")).unwrap();
    let before = temporaries(&place);
    place.compress(&["b"], b"").good();
    assert_eq!(temporaries(&place), before, "all of them are somebody's");
    drop(living);
    // Every tool that makes files looks.
    man(&place);
    let names = [".broadloom-12345", ".broadloom-linked", ".broadloom-x.gz"];
    assert_eq!(temporaries(&place), names);
}

#[test]
fn temporary_files_are_input_only_by_name() {
    let place = Place::new();
    for name in ["d/.broadloom-abc123", "d/a", ".broadloom-abc456", ".broadloom-def456"] {
        place.write(name, "data");
    }
    place.compress(&["-r", "d"], b"").good();
    assert_eq!(place.names("d"), ["a.gz"]);
    place.compress(&[".broadloom-abc456", ".broadloom-def456"], b"").good();
    assert_eq!(place.names("."), [".broadloom-abc456.gz", ".broadloom-def456.gz", "d"]);
}
