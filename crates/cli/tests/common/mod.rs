//! Running our programs and those of others side by side.

#![allow(dead_code, reason = "each test binary uses some of these")]

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::pipe::{PipeFlags, pipe_with};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

#[path = "../../../compression/tests/all/decompress/tools.rs"]
pub mod tools;

/// The algorithms, and the tool of the coreutils for each.
pub const TOOLS: [(&str, &str); 6] = [
    ("md5", "md5sum"),
    ("sha1", "sha1sum"),
    ("sha224", "sha224sum"),
    ("sha256", "sha256sum"),
    ("sha384", "sha384sum"),
    ("sha512", "sha512sum"),
];

/// What a program said.
#[derive(Debug, PartialEq)]
pub struct Said {
    pub stdout: Vec<u8>,
    pub stderr: String,
    pub code: Option<i32>,
}

impl Said {
    pub fn text(&self) -> &str {
        str::from_utf8(&self.stdout).unwrap()
    }

    /// Asserts success and silence on standard error, and gives the output as text.
    pub fn good(&self) -> &str {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""));
        self.text()
    }
}

/// A directory to run in.
pub struct Place {
    dir: TempDir,
}

impl Place {
    pub fn new() -> Place {
        Place { dir: TempDir::new().unwrap() }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn write(&self, name: impl AsRef<OsStr>, content: impl AsRef<[u8]>) {
        let path = self.path().join(Path::new(&name));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn read(&self, name: impl AsRef<OsStr>) -> Vec<u8> {
        let path = self.path().join(Path::new(&name));
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The names of all files and directories in a directory, in order.
    pub fn names(&self, directory: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path().join(directory)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A command of `broadloom`, in this directory.
    pub fn command(&self, name: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_broadloom"));
        command.arg(name).current_dir(self.path());
        command
    }

    /// Runs `broadloom compress`.
    pub fn compress(&self, args: &[&str], stdin: &[u8]) -> Said {
        run(self.command("compress").args(args), stdin)
    }

    /// Runs `broadloom decompress`.
    pub fn decompress(&self, args: &[&str], stdin: &[u8]) -> Said {
        run(self.command("decompress").args(args), stdin)
    }

    /// Runs `parcomp`.
    pub fn parcomp(&self, args: &[&str]) -> Said {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parcomp"));
        run(command.args(args).current_dir(self.path()), b"")
    }

    /// The command `broadloom hash`, in this directory.
    pub fn hash_command(&self) -> Command {
        self.command("hash")
    }

    /// Runs `broadloom hash`.
    pub fn hash<S: AsRef<OsStr>>(&self, args: &[S]) -> Said {
        self.hash_with(args, b"")
    }

    /// Runs `broadloom hash` with something on standard input.
    pub fn hash_with<S: AsRef<OsStr>>(&self, args: &[S], stdin: &[u8]) -> Said {
        run(self.hash_command().args(args), stdin)
    }

    /// Runs a tool of the coreutils.
    pub fn tool<S: AsRef<OsStr>>(&self, tool: &str, args: &[S], stdin: &[u8]) -> Said {
        let mut command = Command::new(tool);
        run(command.args(args).current_dir(self.path()).env("LC_ALL", "C.UTF-8"), stdin)
    }

    /// Runs a command that must go well under strace, and gives the system calls of these names
    /// that it and its children made.
    pub fn trace<S: AsRef<OsStr>>(&self, calls: &str, command: &[S]) -> String {
        let mut strace = Command::new("strace");
        strace.args(["-f", "-qq", "-y", "-o", "trace", "-e", &format!("trace={calls}")]);
        run(strace.args(command).current_dir(self.path()), b"").good();
        String::from_utf8(self.read("trace")).unwrap()
    }

    /// Asserts that `broadloom hash` says, with the same arguments, just what `sha256sum` says;
    /// gives it.
    pub fn same<S: AsRef<OsStr>>(&self, args: &[S], stdin: &[u8]) -> Said {
        self.same_as(("sha256", "sha256sum"), args, stdin)
    }

    /// The same of another algorithm.
    pub fn same_as<S: AsRef<OsStr>>(
        &self,
        (algorithm, tool): (&str, &str),
        args: &[S],
        stdin: &[u8],
    ) -> Said {
        let mut theirs = self.tool(tool, args, stdin);
        theirs.stderr = theirs.stderr.replace(&format!("{tool}: "), "broadloom hash: ");
        let mut all: Vec<OsString> = vec!["-a".into(), algorithm.into()];
        all.extend(args.iter().map(|arg| arg.as_ref().to_owned()));
        let ours = self.hash_with(&all, stdin);
        for (line, (ours, theirs)) in ours.stderr.lines().zip(theirs.stderr.lines()).enumerate() {
            assert_eq!(ours, theirs, "line {line} of standard error");
        }
        assert_eq!(String::from_utf8_lossy(&ours.stdout), String::from_utf8_lossy(&theirs.stdout));
        assert_eq!(ours, theirs);
        ours
    }
}

/// Runs a program to its end.
pub fn run(command: &mut Command, stdin: &[u8]) -> Said {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?} must be there for the tests: {error}"));
    let mut pipe = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    let writer = thread::spawn(move || {
        // Not all programs read what they are given.
        let _ = pipe.write_all(&stdin);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Said {
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code(),
    }
}

/// Runs a program whose standard input and output do not block. The writer and the reader at their
/// other ends are slow.
pub fn run_unblocked(mut command: Command, stdin: &[u8]) -> Said {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
    let (out_read, out_write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
    fcntl_setfl(&read, OFlags::NONBLOCK).unwrap();
    fcntl_setfl(&out_write, OFlags::NONBLOCK).unwrap();
    command.stdin(File::from(read)).stdout(File::from(out_write)).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    // It holds its ends of the pipes.
    drop(command);
    let stdin = stdin.to_vec();
    let writer = thread::spawn(move || {
        let mut file = File::from(write);
        // Not all programs read what they are given.
        let _ = stdin.chunks(100_000).try_for_each(|piece| {
            thread::sleep(Duration::from_millis(5));
            file.write_all(piece)
        });
    });
    thread::sleep(Duration::from_millis(100));
    let mut stdout = Vec::new();
    File::from(out_read).read_to_end(&mut stdout).unwrap();
    writer.join().unwrap();
    let output = child.wait_with_output().unwrap();
    Said { stdout, stderr: String::from_utf8(output.stderr).unwrap(), code: output.status.code() }
}

/// A command with a terminal of so many columns for all of its streams, which Python makes. What it
/// writes comes back as the standard output.
pub fn terminal(columns: usize, command: &[&str]) -> Command {
    const SCRIPT: &str = "\
import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    size = struct.pack('HHHH', 24, int(sys.argv[1]), 0, 0)
    fcntl.ioctl(0, termios.TIOCSWINSZ, size)
    os.execvp(sys.argv[2], sys.argv[2:])
try:
    while True:
        data = os.read(fd, 65536)
        if not data:
            break
        os.write(1, data)
except OSError:
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))";
    let mut python = Command::new("python3");
    python.args(["-c", SCRIPT, &columns.to_string()]).args(command);
    python
}

/// Text that compresses well, but not to nothing.
pub fn text(len: usize, seed: u64) -> Vec<u8> {
    const WORDS: [&str; 16] = [
        "lane ",
        "kernel ",
        "job ",
        "manager ",
        "submit ",
        "flush ",
        "session ",
        "queue ",
        "burst ",
        "chunk ",
        "segment ",
        "poll ",
        "doorbell ",
        "ring ",
        "of the ",
        "and\n",
    ];
    let words = noise(len / 4 + 1, seed);
    let mut text: Vec<u8> =
        words.iter().flat_map(|&byte| WORDS[usize::from(byte & 15)].bytes()).collect();
    text.truncate(len);
    text
}

/// A SHA-256 in hex.
pub fn sha256(data: &[u8]) -> String {
    Sha256::digest(data).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Bytes that repeat only after a long while: the same for the same seed.
pub fn noise(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..len).map(|_| next()).collect()
}
