//! Running our programs and those of others side by side, for the tests of all programs.

#![allow(dead_code, reason = "each test program uses some of these")]

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

pub use broadloom_testing::noise;
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::Signal;
use tempfile::TempDir;

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
}

/// Runs a program with redirections of a shell's.
pub fn redirected(place: &Place, program: &str, args: &str, redirection: &str) -> Said {
    let script = format!("exec '{program}' {args} {redirection}");
    place.tool("sh", &["-c", &script], b"something")
}

/// Asserts that each of these command lines of a program fails where its standard output is closed,
/// cannot be written, or is full.
pub fn assert_output_is_needed(place: &Place, program: &str, command_lines: &[&str]) {
    for args in command_lines {
        let said = redirected(place, program, args, ">&-");
        assert_eq!(said.code, Some(1), "{args}: {}", said.stderr);
        assert!(said.stderr.contains("Bad file descriptor"), "{args}: {}", said.stderr);
        // A standard output that is open, but not for writing.
        let said = redirected(place, program, args, "1</dev/null");
        assert_eq!(said.code, Some(1), "{args}: {}", said.stderr);
        let said = redirected(place, program, args, ">/dev/full");
        assert_eq!(said.code, Some(1), "{args}: {}", said.stderr);
        assert!(said.stderr.contains("No space left on device"), "{args}: {}", said.stderr);
    }
}

/// Asserts that a program which prints a help says so where the help cannot be written, and that a
/// reader that has left ends the program as it ends others.
pub fn assert_help_is_written(program: &str, command_lines: &[&[&str]]) {
    for args in command_lines {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = Command::new(program).args(*args).stdout(full).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{program} {args:?}");
        assert!(stderr.contains("write error: No space left on device"), "{args:?}: {stderr}");
        let script =
            format!("trap - PIPE; '{program}' {} | true; exit ${{PIPESTATUS[0]}}", args.join(" "));
        let said = run(Command::new("bash").args(["-c", &script]), b"");
        let died = 128 + Signal::PIPE.as_raw();
        assert!(said.code == Some(0) || said.code == Some(died), "{args:?}: {:?}", said.code);
        assert_eq!(said.stderr, "");
    }
}

/// Asserts that the page of a command is one that `man` shows: it has the title, the sections, and
/// no other requests of roff than pages need.
pub fn assert_manual_page(command: &str, page: &str) {
    let title = format!(".TH {command} 1 ");
    assert!(page.lines().any(|line| line.starts_with(&title)), "{command}: {page}");
    for section in [".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH OPTIONS"] {
        assert!(page.lines().any(|line| line == section), "{command}: {section}");
    }
    // A request of roff starts with a dot.
    for line in page.lines().filter(|line| line.starts_with(['.', '\''])) {
        let request = line.split_whitespace().next().unwrap();
        let known = [".TH", ".SH", ".TP", ".IP", ".br", ".RE", ".RS", ".ie", ".el", ".PP", ".sp"];
        assert!(known.contains(&request), "{command}: {line}");
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
