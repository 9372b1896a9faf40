//! The Unix socket: what listens there, who may, and what is left behind.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::Command;
use std::thread;

use broadloom_engine::Processor;
use broadloom_metrics::{Snapshot, listen, listen_at, processes, read, socket_of};

use crate::common::{hash, labelled, session};

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().expect("there is room")
}

#[test]
fn a_connection_gives_one_line_of_json() {
    let directory = directory();
    let path = directory.path().join("here.sock");
    let listening = listen_at(&path).expect("it can");
    assert_eq!(listening.path(), path);
    hash(&mut Processor::new(), &session("socket"), &[5, 6]);
    let mut text = String::new();
    UnixStream::connect(&path).expect("it listens").read_to_string(&mut text).expect("text");
    assert_eq!(text.matches('\n').count(), 1);
    assert!(text.ends_with('\n'));
    let snapshot: Snapshot = serde_json::from_str(&text).expect("a snapshot");
    assert_eq!(labelled(&snapshot, "socket")[0].operations, 2);
    let again = read(path.as_path()).expect("a snapshot");
    assert_eq!(labelled(&again, "socket"), labelled(&snapshot, "socket"));
    assert!(again.time >= snapshot.time);
    drop(listening);
    assert!(!path.exists(), "the socket is removed");
    let error = read(path.as_path()).expect_err("nobody listens");
    let expected = format!("cannot connect to {}: ", path.display());
    assert!(error.to_string().starts_with(&expected), "{error}");
}

#[test]
fn many_clients_are_answered_and_one_that_goes_away_harms_nobody() {
    let directory = directory();
    let path = directory.path().join("many.sock");
    let _listening = listen_at(&path).expect("it can");
    for _ in 0..5 {
        drop(UnixStream::connect(&path).expect("it listens"));
        UnixStream::connect(&path).expect("it listens").write_all(b"GET /").ok();
    }
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| read(path.as_path()).expect("a snapshot"));
        }
    });
}

#[test]
fn a_socket_that_was_left_behind_is_replaced_and_one_in_use_is_not() {
    let directory = directory();
    let path = directory.path().join("left.sock");
    // Dropping a listener does not remove its socket.
    drop(UnixListener::bind(&path).expect("it can"));
    let listening = listen_at(&path).expect("nobody listens any more");
    let error = listen_at(&path).expect_err("somebody listens");
    assert_eq!(error.kind(), ErrorKind::AddrInUse);
    assert!(error.to_string().starts_with(&format!("cannot listen at {}: ", path.display())));
    drop(listening);
    fs::write(&path, "a file").expect("it can");
    assert!(listen_at(&path).is_err());
    assert_eq!(fs::read_to_string(&path).expect("it is there"), "a file");
}

#[test]
fn what_is_no_snapshot_is_refused() {
    let directory = directory();
    let path = directory.path().join("other.sock");
    let listener = UnixListener::bind(&path).expect("it can");
    for answer in ["", "{\"program\": 7}\n", "hello\n"] {
        let server = thread::spawn({
            let listener = listener.try_clone().expect("it can");
            move || listener.accept().expect("a client").0.write_all(answer.as_bytes())
        });
        let error = read(path.as_path()).expect_err("it is no snapshot").to_string();
        assert!(error.starts_with(&format!("cannot understand {}: ", path.display())), "{error}");
        server.join().expect("it works").expect("it writes");
    }
}

/// What the environment says is the same for all tests: a process of its own looks at it.
#[test]
fn a_process_listens_where_its_user_looks() {
    const CHILD: &str = "BROADLOOM_TEST_LISTENS";
    if std::env::var_os(CHILD).is_some() {
        return listens_where_its_user_looks();
    }
    let directory = directory();
    let test = "socket::a_process_listens_where_its_user_looks";
    let output = Command::new(std::env::current_exe().expect("it runs"))
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, "1")
        .env("XDG_RUNTIME_DIR", directory.path())
        .output()
        .expect("it runs");
    let words = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && words.contains("1 passed"), "{words}");
}

fn listens_where_its_user_looks() {
    let root = std::env::var("XDG_RUNTIME_DIR").expect("it is set");
    let directory = Path::new(&root).join("broadloom");
    assert!(processes().expect("there is no directory yet").is_empty());
    let listening = listen().expect("it can");
    let pid = std::process::id();
    assert_eq!(listening.path(), directory.join(format!("{pid}.sock")));
    assert_eq!(socket_of(pid), listening.path());
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&directory), 0o700);
    assert!(fs::metadata(listening.path()).expect("it is there").file_type().is_socket());
    assert_eq!(read(pid).expect("it listens").pid, pid);
    assert_eq!(listen().expect_err("it listens already").kind(), ErrorKind::AddrInUse);
    // Somebody who is gone, and files of others.
    let left = directory.join("4000000.sock");
    drop(UnixListener::bind(&left).expect("it can"));
    fs::write(directory.join("notes"), "").expect("it can");
    assert_eq!(processes().expect("it can"), [pid]);
    assert!(!left.exists(), "what a process left behind is removed");
    assert!(directory.join("notes").exists());
    drop(listening);
    assert!(processes().expect("it can").is_empty());
    // Others could put their sockets there.
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).expect("it can");
    let error = listen().expect_err("others may look in").to_string();
    assert!(error.contains("must be a directory of user") && error.contains("755"), "{error}");
}
