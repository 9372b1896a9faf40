//! `broadloom top`, and the counters that programs offer it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use broadloom_metrics::page::{Options, Page, serve_from};
use serde_json::Value;

use crate::common::{Place, Said, noise, run};

#[path = "../../../metrics/tests/support/sample.rs"]
mod sample;

const BROADLOOM: &str = env!("CARGO_BIN_EXE_broadloom");

/// A page for which a second passes with each snapshot.
fn page(options: Options) -> Page {
    let second = AtomicU32::new(10);
    let source = move || sample::at(f64::from(second.fetch_add(1, Ordering::Relaxed)));
    serve_from("127.0.0.1:0", options, source).unwrap()
}

/// Runs `broadloom top --once` with an interval that is soon over.
fn once(place: &Place, args: &[&str]) -> Said {
    let mut command = place.command("top");
    command.env("XDG_RUNTIME_DIR", place.path()).env_remove("BROADLOOM_METRICS_TOKEN");
    run(command.args(["--once", "--interval", "0.1"]).args(args), b"")
}

#[test]
fn one_interval_is_printed_as_json_and_as_text() {
    let place = Place::new();
    let page = page(Options::default());
    let url = page.url();
    let said = once(&place, &["--json", &url]);
    let told: Value = serde_json::from_str(said.good()).unwrap();
    assert_eq!((&told["schema"], &told["pid"]), (&"broadloom-top/1".into(), &4321.into()));
    let (before, after) = (sample::work_at(10.0), sample::work_at(11.0));
    assert_eq!(told["seconds"], 1.0);
    assert_eq!(told["operations_per_second"], (after.operations - before.operations) as f64);
    assert_eq!(told["bytes_per_second"], (after.bytes - before.bytes) as f64);
    assert!(told["occupancy"].as_f64().is_some_and(|share| share > 0.5 && share < 1.0), "{told}");
    assert!(told["wait_seconds"]["p99"].is_f64() && told["work_seconds"]["p50"].is_f64(), "{told}");
    let rows = told["rows"].as_array().unwrap();
    assert_eq!((told["by"].as_str(), rows.len()), (Some("algorithm"), 7));
    let sum: f64 = rows.iter().map(|row| row["operations_per_second"].as_f64().unwrap()).sum();
    assert_eq!(told["operations_per_second"], sum);
    // A filter and another key.
    let only = ["--only", "algorithm=aes-128-gcm", "--only", "size=1K"];
    let said = once(&place, &[&["--json", "--by", "queue", &url][..], &only].concat());
    let told: Value = serde_json::from_str(said.good()).unwrap();
    let values: Vec<_> = told["rows"].as_array().unwrap().iter().map(|row| &row["value"]).collect();
    assert_eq!(values, ["worker-0", "worker-1"]);
    assert_eq!(told["only"][1]["value"], "1K");
    let said = once(&place, &[&url]);
    for part in ["gateway, process 4321", "operations a second", "wait p50 p90 p99", "hmac-sha1"] {
        assert!(said.good().contains(part), "{part}: {}", said.text());
    }
}

#[test]
fn the_token_of_a_page_comes_from_its_url_or_the_environment() {
    let place = Place::new();
    let token = "an-honest-token-of-mine";
    let page = page(Options { token: Some(token.parse().unwrap()), ..Options::default() });
    let bare = format!("http://{}", page.address());
    once(&place, &[&page.url()]).good();
    let said = once(&place, &[&bare]);
    assert_eq!((said.code, said.text()), (Some(1), ""));
    assert!(said.stderr.contains("BROADLOOM_METRICS_TOKEN"), "{}", said.stderr);
    let mut command = place.command("top");
    command.args(["--once", "-i", "0.1", &bare]).env("BROADLOOM_METRICS_TOKEN", token);
    run(&mut command, b"").good();
}

#[test]
fn wrong_targets_are_named() {
    let place = Place::new();
    place.write("file", "text");
    // The port of tcpmux. One that was free a moment ago could be another test's by now.
    let closed = "http://127.0.0.1:1/";
    let page = page(Options::default());
    let elsewhere = format!("http://{}/elsewhere/", page.address());
    let own = std::process::id().to_string();
    for (target, code, text) in [
        (&["--interval", "0"][..], 2, "an interval is 0.1 to 3600 seconds"),
        (&["--by", "colour"], 2, "algorithm, direction, provider, kernel, core, queue"),
        (&["--only", "size"], 2, "a filter is KEY=VALUE"),
        (&["4000000000"], 1, "there is no process 4000000000"),
        (&["99999999999999999999"], 1, "there is no process 99999999999999999999"),
        (&[own.as_str()], 1, "does not offer its counters: there is no socket"),
        (&["absent"], 1, "there is no socket absent: name the number of a process"),
        (&["file"], 1, "nobody listens at file"),
        (&["https://localhost/"], 1, "a page is reached by http://HOST:PORT/"),
        (&[closed], 1, "nobody answers at http://127.0.0.1:"),
        (&[elsewhere.as_str()], 1, "there is no page of Broadloom's; a page is reached by http"),
        (&[""], 1, "an empty text names no program: name the number of a process"),
        (&[], 1, "no program offers its counters: name a process"),
    ] {
        let said = once(&place, target);
        assert_eq!((said.code, said.text()), (Some(code), ""), "{target:?}");
        assert!(said.stderr.contains(text), "{target:?}: {}", said.stderr);
    }
    let said = run(place.command("top").arg("--json"), b"");
    assert_eq!(said.code, Some(2), "{}", said.stderr);
}

/// A program that compresses what it gets on standard input, and offers its counters.
struct Compressing {
    child: Child,
    url: String,
    stderr: BufReader<std::process::ChildStderr>,
}

fn compressing(place: &Place, address: &str) -> Compressing {
    let mut command = place.command("compress");
    command.args(["--metrics-addr", address]).env("XDG_RUNTIME_DIR", place.path());
    command.env_remove("BROADLOOM_METRICS_TOKEN");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    let url = line.trim_end().strip_prefix("broadloom compress: metrics at ").expect(&line);
    Compressing { child, url: url.to_owned(), stderr }
}

impl Compressing {
    /// Gives it 4 MiB to compress.
    fn feed(&mut self) {
        self.child.stdin.as_mut().unwrap().write_all(&noise(4 << 20, 1)).unwrap();
    }

    /// Ends its input, and asserts that it went well and has said nothing more.
    fn end(mut self) {
        drop(self.child.stdin.take());
        let mut rest = String::new();
        self.stderr.read_to_string(&mut rest).unwrap();
        assert_eq!((self.child.wait().unwrap().code(), rest.as_str()), (Some(0), ""));
    }
}

#[test]
fn a_program_with_a_page_is_found_without_being_named() {
    let place = Place::new();
    let mut program = compressing(&place, "127.0.0.1:0");
    program.feed();
    // What it has read, it soon has compressed.
    let told = loop {
        let said = once(&place, &["--json"]);
        let told: Value = serde_json::from_str(said.good()).unwrap();
        if told["rows"].as_array().is_some_and(|rows| !rows.is_empty()) {
            break told;
        }
        program.feed();
    };
    assert_eq!((&told["program"], &told["pid"]), (&"broadloom".into(), &program.child.id().into()));
    assert_eq!(told["rows"][0]["value"], "deflate", "{told}");
    once(&place, &[&program.child.id().to_string()]).good();
    once(&place, &[&program.url]).good();
    let other = compressing(&place, "127.0.0.1:0");
    let said = once(&place, &[]);
    assert_eq!(said.code, Some(1));
    for pid in [program.child.id(), other.child.id()] {
        assert!(said.stderr.contains(&format!("\n  {pid}  broadloom")), "{}", said.stderr);
    }
    program.end();
    other.end();
    assert_eq!(place.names("broadloom"), [""; 0], "sockets go with their programs");
}

#[test]
fn a_page_for_others_has_a_token_and_a_wrong_address_is_an_error() {
    let place = Place::new();
    let program = compressing(&place, "0.0.0.0:0");
    let (url, token) = program.url.split_once("/?token=").expect("it has a token");
    assert_eq!(token.len(), 32);
    let address = url.strip_prefix("http://").unwrap().to_owned();
    let mut stream = TcpStream::connect(&address).unwrap();
    let head = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
    place.write("file", "data");
    for (wrong, text) in [
        (address.as_str(), "Address already in use"),
        ("nonsense", "cannot serve a page at \"nonsense\""),
        ("127.0.0.1", "cannot serve a page at \"127.0.0.1\""),
    ] {
        let said = run(place.command("compress").args(["--metrics-addr", wrong, "file"]), b"");
        assert_eq!(said.code, Some(1), "{}", said.stderr);
        assert!(said.stderr.contains(text), "{wrong}: {}", said.stderr);
    }
    let mut command = place.command("compress");
    command.args(["--metrics-addr", "127.0.0.1:0", "file"]).env("BROADLOOM_METRICS_TOKEN", "short");
    let said = run(&mut command, b"");
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    assert!(
        said.stderr.contains("BROADLOOM_METRICS_TOKEN: a token is 16 to 256"),
        "{}",
        said.stderr
    );
    assert!(place.names(".").contains(&"file".to_owned()), "the file is as it was");
    program.end();
}

/// Makes a terminal of 80 x 24 for a program, presses keys as soon as it shows a figure, and prints
/// what it writes.
const TERMINAL: &str = "\
import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
written, keys = b'', sys.argv[1].encode()
try:
    while data := os.read(fd, 65536):
        written += data
        if b'hmac-sha1' in written and keys:
            os.write(fd, keys)
            keys = b''
except OSError:
    pass
sys.stdout.buffer.write(written)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))";

fn on_terminal(keys: &str, term: &str, url: &str) -> Said {
    let mut python = Command::new("python3");
    python.args(["-c", TERMINAL, keys, BROADLOOM, "top", "-i", "0.1", url]);
    run(python.env("TERM", term).env("NO_COLOR", "1"), b"")
}

#[test]
fn the_view_comes_and_goes_with_keys() {
    let page = page(Options::default());
    for keys in ["q", "\x03", "\r\x7f2spq"] {
        let said = on_terminal(keys, "xterm", &page.url());
        let text = String::from_utf8_lossy(&said.stdout).into_owned();
        assert_eq!(said.code, Some(0), "{keys:?}: {text}");
        assert!(text.contains("\x1b[?1049h") && text.contains("\x1b[?1049l"), "{text:?}");
        // The colours of ECMA-48, which NO_COLOR forbids.
        assert!(!text.contains("\x1b[38") && !text.contains("\x1b[3\u{31}m"), "{text:?}");
    }
}

#[test]
fn terminals_that_cannot_show_it_are_refused() {
    let page = page(Options::default());
    for term in ["dumb", ""] {
        let said = on_terminal("q", term, &page.url());
        assert_eq!(said.code, Some(1));
        assert!(said.text().contains("--once prints the figures"), "{}", said.text());
        assert!(!said.text().contains("\x1b[?1049h"), "{}", said.text());
    }
    let place = Place::new();
    let said = run(place.command("top").arg(page.url()).env("TERM", "xterm"), b"");
    assert_eq!((said.code, said.text()), (Some(1), ""));
    assert!(said.stderr.contains("no terminal; --once prints"), "{}", said.stderr);
}
