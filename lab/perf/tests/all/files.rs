//! Where `broadloom-perf` leaves its files.

use broadloom_testing::is_present;
use std::fs;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
use rustix::process::{Pid, Signal, geteuid, kill_process};
use serde_json::Value;

use crate::support::{Place, Said, run, text};

const PROGRAM: &str = env!("CARGO_BIN_EXE_broadloom-perf");

/// A matrix that takes a moment.
const SMALL: [&str; 5] = ["matrix", "--quick", "--algorithm=md5", "--size=64", "--provider=native"];

/// A command of `broadloom-perf`, in this directory.
fn command(place: &Place) -> Command {
    let mut command = Command::new(PROGRAM);
    command.current_dir(place.path());
    command
}

fn perf(place: &Place, args: &[&str]) -> Said {
    run(command(place).args(SMALL).args(args).env_remove("BROADLOOM_ISA"), b"")
}

/// Returns `true` if it is the JSON of a run.
fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<Value>(bytes).is_ok_and(|report| report["rows"].is_array())
}

#[test]
fn links_stay_links_and_pipes_pipes() {
    let place = Place::new();
    let path = |name: &str| place.path().join(name);
    place.write("folder/a", "old");
    symlink("folder/a", path("link")).unwrap();
    symlink("folder/b", path("new")).unwrap();
    mknodat(CWD, path("pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    let reader = thread::spawn({
        let pipe = path("pipe");
        move || fs::read(pipe).unwrap()
    });
    perf(&place, &["--json=link", "--csv=new", "--report=pipe"]).good();
    assert!(is_json(&place.read("folder/a")));
    assert!(place.read("folder/b").starts_with(b"kind,"));
    assert!(reader.join().unwrap().starts_with(b"<!DOCTYPE html>"));
    assert!(fs::symlink_metadata(path("pipe")).unwrap().file_type().is_fifo());
    assert!(path("link").is_symlink() && path("new").is_symlink());
    assert_eq!(place.names("."), ["folder", "link", "new", "pipe"]);
}

#[test]
fn a_device_is_written_to_and_stays_one() {
    let place = Place::new();
    let device = place.path().join("full");
    // The machine's own device, unless this process could replace it: root makes another one.
    if !geteuid().is_root() {
        symlink("/dev/full", &device).unwrap();
    } else if mknodat(CWD, &device, FileType::CharacterDevice, Mode::RWXU, makedev(1, 7)).is_err()
        || fs::OpenOptions::new().write(true).open(&device).is_err()
    {
        let test = "a_device_is_written_to_and_stays_one";
        assert!(!is_present(test, false, "root can make no device here"));
        return;
    }
    let said = perf(&place, &["--json=full", "--csv=rows"]);
    let message = "broadloom-perf: cannot write full: No space left on device\n";
    assert_eq!((said.code, said.stderr.as_str()), (Some(1), message));
    assert!(fs::metadata(&device).unwrap().file_type().is_char_device());
    assert!(place.read("rows").starts_with(b"kind,"), "the other file is there all the same");
    assert_eq!(place.names("."), ["full", "rows"]);
}

#[test]
fn a_dash_is_standard_output_and_the_tables_make_room() {
    let place = Place::new();
    let said = perf(&place, &["--json=-"]);
    assert!(said.code == Some(0) && is_json(&said.stdout), "{said:?}");
    assert!(said.stderr.contains("md5 digest"), "{}", said.stderr);
    let said = perf(&place, &["--csv=-", "--json=rows"]);
    assert!(said.code == Some(0) && said.stdout.starts_with(b"kind,"), "{said:?}");
    assert!(is_json(&place.read("rows")));
    assert_eq!(place.names("."), ["rows"]);
}

#[test]
fn a_reader_that_leaves_costs_the_tables_and_not_the_files() {
    let place = Place::new();
    let left = |args: &[&str]| {
        let mut command = command(&place);
        let mut child = command
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut told = String::new();
        child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        (child.wait().unwrap(), told)
    };
    let with = |args: &[&'static str]| left(&[&SMALL[..], args].concat());
    let good = (ExitStatus::from_raw(0), String::new());
    assert_eq!(with(&["--json=rows"]), good);
    assert!(is_json(&place.read("rows")));
    let (status, told) = with(&[]);
    assert_eq!((status.signal(), told), (Some(Signal::PIPE.as_raw()), String::new()));
    assert_eq!(with(&["--json=-"]).0.signal(), Some(Signal::PIPE.as_raw()));
    let workloads =
        ["workloads", "--quick", "--size=64", "--algorithm=sha1", "--alone", "--json=more"];
    assert_eq!(left(&workloads), good);
    assert!(is_json(&place.read("more")));
}

#[test]
fn a_signal_leaves_nothing() {
    let place = Place::new();
    for signal in [Signal::INT, Signal::TERM] {
        // Whoever runs the tests may ignore signals, as `nohup` does, and a child would go on
        // ignoring them.
        let mut command = Command::new("env");
        command.args(["--default-signal", PROGRAM, "matrix"]);
        command.args(["--json=rows", "--report=page", "--size=1:1:200", "--provider=native"]);
        let mut child = command.current_dir(place.path()).stdout(Stdio::null()).spawn().unwrap();
        while place.names(".").len() < 2 {
            assert_eq!(child.try_wait().unwrap(), None, "it is at work for longer than this");
            thread::sleep(Duration::from_millis(2));
        }
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(signal.as_raw()));
        assert!(place.names(".").is_empty(), "{:?}", place.names("."));
    }
}

#[test]
fn outputs_do_not_replace_inputs() {
    let place = Place::new();
    place.write("in", text(10_000, 1));
    fs::hard_link(place.path().join("in"), place.path().join("hard")).unwrap();
    symlink("in", place.path().join("soft")).unwrap();
    for output in ["in", "hard", "soft"] {
        for option in ["--json", "--csv", "--report"] {
            let args = ["compress", "--quick", "--figure=3", "--input=in", option, output];
            let said = run(command(&place).args(args), b"");
            let message = format!("broadloom-perf: {output} is the file in, which is read: ");
            assert_eq!(said.code, Some(2));
            assert!(said.stderr.starts_with(&message), "{}", said.stderr);
        }
        assert!(place.read("in") == text(10_000, 1), "{output}");
    }
    assert_eq!(place.names("."), ["hard", "in", "soft"]);
    perf(&place, &["--json=rows"]).good();
    let rows = place.read("rows");
    let said = perf(&place, &["--baseline=rows", "--json=./rows"]);
    assert_eq!((said.code, place.read("rows") == rows), (Some(2), true), "{}", said.stderr);
}

#[test]
fn files_that_are_replaced_keep_their_modes() {
    let place = Place::new();
    for (bits, new) in [(0o600, false), (0o640, false), (0o666, false), (0o644, true)] {
        let names = ["rows.json", "rows.csv", "page"];
        for path in names.map(|name| place.path().join(name)) {
            if new {
                fs::remove_file(path).unwrap();
            } else {
                fs::write(&path, "old").unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(bits)).unwrap();
            }
        }
        // A shell sets the umask, which new files depend on.
        let files = "--json=rows.json --csv=rows.csv --report=page";
        let script = format!("umask 022; exec '{PROGRAM}' {} {files}", SMALL.join(" "));
        place.tool("sh", &["-c", &script], b"").good();
        for name in names {
            let mode = fs::metadata(place.path().join(name)).unwrap().mode() & 0o7777;
            assert_eq!(mode, bits, "{name}, new: {new}");
            assert_ne!(place.read(name), b"old", "{name}");
        }
    }
}
