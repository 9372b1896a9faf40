//! A Unix socket that gives whoever connects a snapshot, as one line of JSON.

use std::fs::{self, DirBuilder};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::{env, process};

use crate::Snapshot;

/// How long a client or a program may take for its side.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes of a snapshot, at most: a reader takes no more from a socket.
const MOST: u64 = 256 << 20;
/// What the names of sockets end in.
const ENDING: &str = "sock";

/// A socket at which this process gives snapshots. Dropping it closes and removes the socket.
#[derive(Debug)]
pub struct Listening {
    path: PathBuf,
    pid: u32,
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Listening {
    /// Returns where the socket is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // In a child of a fork there is no thread, and the socket is the parent's.
        if self.pid != process::id() {
            return;
        }
        self.ends.store(true, Ordering::Relaxed);
        // The thread waits for a connection.
        let woken = UnixStream::connect(&self.path).is_ok();
        let _ = fs::remove_file(&self.path);
        if let Some(thread) = self.thread.take().filter(|_| woken) {
            let _ = thread.join();
        }
    }
}

/// Listens at the [socket](socket_of) of this process, until the value is dropped. Each connection
/// gets one [`Snapshot`] as a line of JSON, and is closed.
///
/// Only the user who runs the program can connect. If the program ends without dropping the value,
/// the socket stays, and [`processes`] removes it when it next looks.
///
/// # Errors
/// The directory cannot be made or is not safe, or the process listens already.
pub fn listen() -> io::Result<Listening> {
    let directory = directory();
    make_directory(&directory)?;
    listen_at(&directory.join(name(process::id())))
}

/// Listens at a path instead, in a directory that decides who can connect.
///
/// # Errors
/// Another process listens there, the path names something other than a socket, or it cannot be
/// made.
pub fn listen_at(path: &Path) -> io::Result<Listening> {
    broadloom_engine::metrics::start();
    remove_if_stale(path)?;
    let listener = UnixListener::bind(path).map_err(|error| about("listen at", path, error))?;
    let ends = Arc::new(AtomicBool::new(false));
    let thread = thread::Builder::new().name("broadloom-metrics".to_owned()).spawn({
        let ends = Arc::clone(&ends);
        move || serve(&listener, &ends)
    });
    let thread = thread.inspect_err(|_| {
        let _ = fs::remove_file(path);
    })?;
    Ok(Listening { path: path.to_owned(), pid: process::id(), ends, thread: Some(thread) })
}

fn serve(listener: &UnixListener, ends: &AtomicBool) {
    loop {
        let connection = listener.accept();
        if ends.load(Ordering::Relaxed) {
            return;
        }
        match connection {
            // A client that goes away, or does not read, has only itself to blame.
            Ok((stream, _)) => drop(answer(stream)),
            // No descriptor is free, most likely: soon one may be.
            Err(_) => thread::sleep(Duration::from_millis(100)),
        }
    }
}

fn answer(mut stream: UnixStream) -> io::Result<()> {
    stream.set_write_timeout(Some(TIMEOUT))?;
    let mut line = Snapshot::now().to_json()?;
    line.push('\n');
    stream.write_all(line.as_bytes())
}

/// A program whose snapshots can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The process with this number, of the same user.
    Process(u32),
    /// The program that listens at this path.
    Path(PathBuf),
}

impl From<u32> for Source {
    fn from(pid: u32) -> Self {
        Source::Process(pid)
    }
}

impl From<&Path> for Source {
    fn from(path: &Path) -> Self {
        Source::Path(path.to_owned())
    }
}

/// Reads a snapshot of another program: of a process by its number, or from a socket by its path.
///
/// ```no_run
/// let snapshot = broadloom_metrics::read(1234)?;
/// println!("{} has {} queues", snapshot.program, snapshot.queues.len());
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Nobody listens there, or what comes is no snapshot.
pub fn read(source: impl Into<Source>) -> io::Result<Snapshot> {
    let path = match source.into() {
        Source::Process(pid) => socket_of(pid),
        Source::Path(path) => path,
    };
    let stream = UnixStream::connect(&path).map_err(|error| about("connect to", &path, error))?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    let mut line = Vec::new();
    let mut reader = BufReader::new(stream).take(MOST);
    reader.read_until(b'\n', &mut line).map_err(|error| about("read from", &path, error))?;
    serde_json::from_slice(&line).map_err(|error| about("understand", &path, error.into()))
}

/// Returns where the process with a number listens, if it does: `PID.sock` in the directory
/// `broadloom` of `$XDG_RUNTIME_DIR`, or in `/tmp/broadloom-UID` if that variable is not set.
pub fn socket_of(pid: u32) -> PathBuf {
    directory().join(name(pid))
}

/// Returns the numbers of the processes of this user that listen, in order. Sockets that
/// processes left behind when they ended are removed.
///
/// # Errors
/// The directory of the sockets cannot be read.
pub fn processes() -> io::Result<Vec<u32>> {
    let directory = directory();
    let entries = match fs::read_dir(&directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(about("read", &directory, error)),
    };
    let mut pids = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let pid = stem.filter(|_| path.extension().is_some_and(|ending| ending == ENDING));
        let Some(pid) = pid.and_then(|pid| pid.parse().ok()) else { continue };
        if is_stale(&path) {
            // If it cannot be removed, it is still not one of those that listen.
            let _ = fs::remove_file(&path);
        } else {
            pids.push(pid);
        }
    }
    pids.sort_unstable();
    Ok(pids)
}

fn name(pid: u32) -> String {
    format!("{pid}.{ENDING}")
}

fn directory() -> PathBuf {
    match env::var_os("XDG_RUNTIME_DIR").filter(|directory| !directory.is_empty()) {
        Some(directory) => Path::new(&directory).join("broadloom"),
        None => PathBuf::from(format!("/tmp/broadloom-{}", user())),
    }
}

fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Makes the directory of the sockets, or checks that it is safe: others could have made one of its
/// name in `/tmp`.
fn make_directory(directory: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(directory) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            return Err(about("make", directory, error));
        }
        _ => {}
    }
    let found = fs::symlink_metadata(directory)?;
    let (mode, owner, user) = (found.mode() & 0o777, found.uid(), user());
    if !found.is_dir() || owner != user || mode & 0o077 != 0 {
        let message = format!(
            "{} must be a directory of user {user} with mode 700; it belongs to user {owner}, and \
             its mode is {mode:o}",
            directory.display()
        );
        return Err(io::Error::new(ErrorKind::PermissionDenied, message));
    }
    Ok(())
}

/// Returns `true` if a socket is there at which nobody listens.
fn is_stale(path: &Path) -> bool {
    // Connecting to a file that is no socket is refused, too.
    let is_socket = fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket());
    let refused = |error: io::Error| error.kind() == ErrorKind::ConnectionRefused;
    is_socket && UnixStream::connect(path).err().is_some_and(refused)
}

fn remove_if_stale(path: &Path) -> io::Result<()> {
    match is_stale(path) {
        true => fs::remove_file(path).map_err(|error| about("remove", path, error)),
        false => Ok(()),
    }
}

/// Returns an error that says what could not be done with which path.
fn about(what: &str, path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot {what} {}: {error}", path.display()))
}
