//! The page that `--metrics-addr` serves while a measurement runs.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::{Place, run};

const PROGRAM: &str = env!("CARGO_BIN_EXE_broadloom-perf");

/// A program that ends with the test, however that ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns what a server at an address such as `127.0.0.1:9090` answers to a request for a path.
fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    body.to_owned()
}

#[test]
fn a_measurement_is_watched_while_it_runs() {
    let place = Place::new();
    let mut command = Command::new(PROGRAM);
    // Longer than the test, which ends it.
    command.args(["matrix", "--algorithm=hmac-sha1", "--size=64:64:8192", "--provider=native"]);
    command.args(["--metrics-addr", "127.0.0.1:0"]).current_dir(place.path());
    command.env("XDG_RUNTIME_DIR", place.path()).env_remove("BROADLOOM_METRICS_TOKEN");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut running = Running(command.spawn().unwrap());
    let mut stderr = BufReader::new(running.0.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    let url = line.trim_end().strip_prefix("broadloom-perf: metrics at http://").expect(&line);
    let address = url.trim_end_matches('/');
    let operations = |text: &str| {
        let snapshot: Value = serde_json::from_str(text).unwrap();
        assert_eq!(snapshot["program"], "broadloom-perf");
        let series = snapshot["series"].as_array().unwrap().clone();
        let own = series.iter().filter(|one| one["algorithm"] == "hmac-sha1");
        own.map(|one| one["operations"].as_u64().unwrap()).sum::<u64>()
    };
    let first = loop {
        match operations(&get(address, "/snapshot.json")) {
            0 => assert!(running.0.try_wait().unwrap().is_none(), "it ended without operations"),
            some => break some,
        }
    };
    while operations(&get(address, "/snapshot.json")) <= first {
        assert!(running.0.try_wait().unwrap().is_none(), "it ended after {first} operations");
    }
    let text = get(address, "/metrics");
    assert!(text.contains("broadloom_operations_total{algorithm=\"hmac-sha1\""), "{text}");
}

#[test]
fn an_address_that_cannot_be_served_is_an_error_before_anything_is_measured() {
    let place = Place::new();
    let mut command = Command::new(PROGRAM);
    command.args(["matrix", "--quick", "--json=rows", "--metrics-addr=nonsense"]);
    let said = run(command.current_dir(place.path()), b"");
    assert_ne!(said.code, Some(0));
    assert!(said.stderr.contains("cannot serve a page at \"nonsense\""), "{}", said.stderr);
    assert_eq!(place.names("."), [""; 0], "no file is left");
}
