//! Many files, large files, directories, threads; and how little memory they take.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::common::{self, Place, noise};

fn mkfifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).unwrap();
}

#[test]
fn directories_are_walked_in_the_order_of_names() {
    let place = Place::new();
    for name in ["d/b", "d/a/z", "d/a/y", "d/a.txt", "d/c/deep/er/file", "d/B", "d/e\nf"] {
        place.write(name, name);
    }
    fs::create_dir(place.path().join("d/empty")).unwrap();
    symlink("b", place.path().join("d/link")).unwrap();
    symlink("..", place.path().join("d/up")).unwrap();
    mkfifo(&place.path().join("d/fifo"));
    let expected = ["d/B", "d/a/y", "d/a/z", "d/a.txt", "d/b", "d/c/deep/er/file", "d/e\nf"];
    let theirs = place.tool("sha256sum", &expected, b"");
    for threads in ["1", "3"] {
        let said = place.hash(&["-r", "--threads", threads, "d"]);
        assert_eq!(said.good(), theirs.good());
    }
    // Names are put together as they were given.
    let said = place.hash(&["-r", "./d/a/", "d/b", "d/c"]);
    let theirs = place.tool("sha256sum", &["./d/a/y", "./d/a/z", "d/b", "d/c/deep/er/file"], b"");
    assert_eq!(said.good(), theirs.good());
    // What is named is followed.
    symlink("d/a", place.path().join("to a")).unwrap();
    let said = place.hash(&["-r", "to a", "d/link", "-"]);
    let theirs = place.tool("sha256sum", &["to a/y", "to a/z", "d/link", "-"], b"");
    assert_eq!(said.good(), theirs.good());
    // An empty directory holds nothing, a missing one is an error.
    let mut args = vec!["d/empty"; 30_000];
    args.extend(["-r", "missing", "d/b"]);
    let said = place.hash(&args);
    assert_eq!((said.code, said.text().lines().count()), (Some(1), 1));
    assert_eq!(said.stderr, "broadloom hash: missing: No such file or directory\n");
}

#[test]
fn chunks_of_directories() {
    let place = Place::new();
    place.write("d/a", noise(10_000, 1));
    place.write("d/b", "");
    let said = place.hash(&["-r", "--chunk", "4096", "d"]);
    let names: Vec<&str> = said.good().lines().map(|line| &line[65..]).collect();
    assert_eq!(names, ["0 4096 d/a", "4096 4096 d/a", "8192 1808 d/a", "0 0 d/b"]);
}

#[test]
fn threads_change_nothing_but_the_time() {
    let place = Place::new();
    let mut args: Vec<String> = Vec::new();
    for index in 0..400_usize {
        let name = format!("f{index}");
        let len = match index % 10 {
            0 => 300_000 + index,
            1 => 0,
            2 => 32768,
            3 => 65536,
            _ => index * 37,
        };
        place.write(&name, noise(len, index as u64));
        args.push(name);
        if index % 50 == 7 {
            args.push(format!("missing {index}"));
        }
    }
    let theirs = place.same(&args, b"");
    for threads in ["1", "2", "4", "16", "64"] {
        let mut all = vec!["--threads".to_owned(), threads.to_owned()];
        all.extend(args.iter().cloned());
        assert_eq!(place.hash(&all), theirs, "{threads} threads");
    }
}

#[test]
fn few_open_files_are_enough() {
    let place = Place::new();
    let mut names = Vec::new();
    for index in 0..100 {
        let name = format!("f{index}");
        place.write(&name, noise(150_000, index));
        names.push(name);
    }
    let theirs = place.tool("sha256sum", &names, b"");
    for threads in ["1", "4", "256"] {
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -n 40; exec \"$@\"", "sh"]);
        command.arg(env!("CARGO_BIN_EXE_broadloom")).args(["hash", "--threads", threads]);
        let said = common::run(command.args(&names).current_dir(place.path()), b"");
        assert_eq!(said.good(), theirs.good());
    }
}

#[test]
fn fifos_are_read_one_after_the_other() {
    let place = Place::new();
    let content = noise(1_000_000, 1);
    place.write("before", "x");
    place.write("after", "y");
    for name in ["one", "two"] {
        mkfifo(&place.path().join(name));
    }
    for chunk in [&[][..], &["--chunk", "64K"]] {
        let mut command = place.hash_command();
        command.args(chunk).args(["before", "one", "two", "after"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // The writer opens the second only when the first is done.
        fs::write(place.path().join("one"), &content).unwrap();
        fs::write(place.path().join("two"), &content).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty());
        let digest = |name: &str| {
            let lines = String::from_utf8(output.stdout.clone()).unwrap();
            let lines = lines.lines().filter(|line| line.ends_with(name));
            lines.map(|line| line[..64].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(digest("one"), digest("two"));
        if chunk.is_empty() {
            let whole = place.tool::<&str>("sha256sum", &[], &content);
            assert_eq!(digest("one"), [&whole.good()[..64]]);
        } else {
            assert_eq!(digest("one").len(), content.len().div_ceil(65536));
        }
    }
}

/// A run that is held up by a FIFO at the end of its arguments, once all else is done.
struct HeldUp<'p> {
    place: &'p Place,
    child: Child,
    stdout: BufReader<ChildStdout>,
}

impl HeldUp<'_> {
    const FIFO: &'static str = "the last";

    fn start<'p>(place: &'p Place, args: &[&str]) -> HeldUp<'p> {
        mkfifo(&place.path().join(Self::FIFO));
        let mut command = place.hash_command();
        let mut child = command.args(args).arg(Self::FIFO).stdout(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        HeldUp { place, child, stdout }
    }

    /// Reads so many lines.
    fn lines(&mut self, count: usize) -> Vec<String> {
        self.stdout.by_ref().lines().take(count).map(Result::unwrap).collect()
    }

    /// The most memory that the process had so far, in KiB.
    fn peak_memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        peak.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// Lets it go on to its end.
    fn end(mut self) {
        drop(File::options().write(true).open(self.place.path().join(Self::FIFO)).unwrap());
        let rest: Vec<String> = self.stdout.by_ref().lines().map(Result::unwrap).collect();
        assert_eq!(rest.len(), 1);
        assert!(self.child.wait().unwrap().success());
    }
}

/// What a run of so many threads may take, in KiB.
fn memory_allowed(threads: u64) -> u64 {
    (64 + threads) * 1024
}

#[test]
fn a_large_file_takes_little_memory() {
    let place = Place::new();
    File::create(place.path().join("large")).unwrap().set_len(1 << 30).unwrap();
    File::create(place.path().join("middling")).unwrap().set_len(1 << 28).unwrap();
    for (args, lines) in [
        (&["large"][..], 1),
        (&["--chunk", "4K", "middling"], 1 << 16),
        (&["--chunk", "64K", "--threads", "4", "middling"], 1 << 12),
    ] {
        let mut run = HeldUp::start(&place, args);
        let last = run.lines(lines).pop().unwrap();
        let peak = run.peak_memory();
        assert!(peak < memory_allowed(4), "{args:?}: {peak} KiB");
        if lines == 1 {
            // A gibibyte of zeros, as sha256sum sees it.
            let known = "49bc20df15e412a64472421e13fe86ff1c5165e18b2afccf160d4dc19fe68a14";
            assert_eq!(last, format!("{known}  large"));
        }
        run.end();
        fs::remove_file(place.path().join(HeldUp::FIFO)).unwrap();
    }
}

#[test]
fn many_small_files_take_little_memory() {
    let place = Place::new();
    let mut names = Vec::new();
    for index in 0..20_000 {
        let name = format!("d/{}/file with a rather long name, as some are {index}", index % 3);
        place.write(&name, format!("{index}"));
        names.push(name);
    }
    for threads in [1, 4] {
        let mut run = HeldUp::start(&place, &["-r", "--threads", &threads.to_string(), "d"]);
        let lines = run.lines(names.len());
        assert_eq!(lines.len(), names.len());
        let peak = run.peak_memory();
        assert!(peak < memory_allowed(threads), "{threads} threads: {peak} KiB");
        run.end();
        fs::remove_file(place.path().join(HeldUp::FIFO)).unwrap();
    }
}

#[test]
fn a_slow_file_holds_the_others_up_but_loses_none() {
    let place = Place::new();
    mkfifo(&place.path().join("slow"));
    place.write("x", "x");
    let count = 50_000;
    for threads in ["1", "3"] {
        let mut command = place.hash_command();
        command.args(["--threads", threads, "slow"]).args(vec!["x"; count]);
        let child = command.stdout(Stdio::piped()).spawn().unwrap();
        fs::write(place.path().join("slow"), "y").unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let lines: Vec<&[u8]> = output.stdout.split_inclusive(|&byte| byte == b'\n').collect();
        assert_eq!(lines.len(), count + 1);
        assert!(lines[0].ends_with(b"  slow\n"));
        assert!(lines[1..].iter().all(|line| line == &lines[1] && line.ends_with(b"  x\n")));
    }
}
