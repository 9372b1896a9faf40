//! A small server of restic's REST protocol, whose answers can be spoiled.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// The user and the password that the server wants, in Base64.
const LOGIN: &str = "Basic dXNlcjpwQHNz";

/// What an answer has wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// It is that the server is at fault.
    Fault,
    /// It breaks off in the middle.
    Cut,
    /// It does not come.
    Stall,
    /// It is right, but of a file only half was written, or half is read.
    Half,
    /// It tells half the length of a file that is whole.
    Lie,
}

type Spoil = Box<dyn FnMut(&str, &str) -> Option<Trouble> + Send>;

#[derive(Default)]
struct ServerState {
    files: BTreeMap<String, Vec<u8>>,
    spoil: Option<Spoil>,
    /// Requests in all.
    requests: usize,
}

/// A server at a port of this machine, until the test ends.
#[derive(Clone)]
pub struct Server {
    state: Arc<Mutex<ServerState>>,
    port: u16,
}

struct Request {
    method: String,
    path: String,
    login: String,
    accept: String,
    range: Option<(usize, usize)>,
    body: Vec<u8>,
}

impl Server {
    pub fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = Server { state: Arc::default(), port };
        let shared = server.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (server, stream) = (shared.clone(), stream.unwrap());
                thread::spawn(move || server.serve(&stream));
            }
        });
        server
    }

    pub fn url(&self, login: &str) -> String {
        format!("rest:http://{login}127.0.0.1:{}/path/", self.port)
    }

    pub fn spoil(&self, spoil: impl FnMut(&str, &str) -> Option<Trouble> + Send + 'static) {
        self.state.lock().unwrap().spoil = Some(Box::new(spoil));
    }

    pub fn heal(&self) {
        self.state.lock().unwrap().spoil = None;
    }

    pub fn requests(&self) -> usize {
        self.state.lock().unwrap().requests
    }

    /// Answers the requests of a connection.
    fn serve(&self, stream: &TcpStream) {
        let mut reader = BufReader::new(stream);
        while let Some(request) = read(&mut reader) {
            let mut state = self.state.lock().unwrap();
            state.requests += 1;
            let ServerState { files, spoil, .. } = &mut *state;
            let trouble = spoil.as_mut().and_then(|spoil| spoil(&request.method, &request.path));
            if trouble == Some(Trouble::Stall) {
                drop(state);
                // The client gives up, and closes the connection.
                let _ = reader.read(&mut [0]);
                return;
            }
            let half = trouble == Some(Trouble::Half);
            let (status, mut body, range) = match trouble {
                Some(Trouble::Fault) => (503, b"overloaded".to_vec(), None),
                _ => answer(files, &request, half),
            };
            drop(state);
            if half && request.method == "GET" {
                body.truncate(body.len() / 2);
            }
            if trouble == Some(Trouble::Lie) {
                body.truncate(body.len() / 2);
            }
            let mut head = format!("HTTP/1.1 {status} x\r\nContent-Length: {}\r\n", body.len());
            if let Some(range) = range {
                head += &format!("Content-Range: bytes {range}\r\n");
            }
            let mut stream = stream;
            if request.method == "HEAD" {
                body.clear();
            }
            let shown = match trouble {
                Some(Trouble::Cut) => body.len() / 2,
                _ => body.len(),
            };
            let sent = stream.write_all(&[head.as_bytes(), b"\r\n", &body[..shown]].concat());
            if sent.is_err() || trouble == Some(Trouble::Cut) {
                return;
            }
        }
    }
}

fn read(reader: &mut BufReader<&TcpStream>) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (mut login, mut accept, mut range, mut length) = Default::default();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match &*name.to_lowercase() {
            "authorization" => login = value.to_owned(),
            "accept" => accept = value.to_owned(),
            "content-length" => length = value.parse().unwrap(),
            "range" => {
                let (start, end) = value.strip_prefix("bytes=").unwrap().split_once('-').unwrap();
                range = Some((start.parse().unwrap(), end.parse::<usize>().unwrap() + 1));
            }
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { method, path, login, accept, range, body })
}

/// Status, body and range of an answer.
fn answer(
    files: &mut BTreeMap<String, Vec<u8>>,
    request: &Request,
    half: bool,
) -> (u16, Vec<u8>, Option<String>) {
    let plain = |status| (status, Vec::new(), None);
    if request.login != LOGIN {
        return plain(401);
    }
    let Some(path) = request.path.strip_prefix("/path/") else { return plain(404) };
    match &*request.method {
        "POST" if path == "?create=true" => plain(200),
        "GET" if path.ends_with('/') => {
            let measured = request.accept == "application/vnd.x.restic.rest.v2";
            let names = files.iter().filter_map(|(name, content)| {
                let name = name.strip_prefix(path)?;
                Some(match measured {
                    true => format!("{{\"name\":\"{name}\",\"size\":{}}}", content.len()),
                    false => format!("\"{name}\""),
                })
            });
            (200, format!("[{}]", names.collect::<Vec<_>>().join(",")).into_bytes(), None)
        }
        "POST" if files.contains_key(path) => plain(403),
        "POST" => {
            let kept = if half { request.body.len() / 2 } else { request.body.len() };
            files.insert(path.to_owned(), request.body[..kept].to_vec());
            plain(200)
        }
        "DELETE" => plain(if files.remove(path).is_some() { 200 } else { 404 }),
        "GET" | "HEAD" => match (files.get(path), request.range) {
            (None, _) => plain(404),
            (Some(content), None) => (200, content.clone(), None),
            (Some(content), Some((start, end))) => match content.get(start..end) {
                Some(part) => {
                    let range = format!("{start}-{}/{}", end - 1, content.len());
                    (206, part.to_vec(), Some(range))
                }
                None => (416, Vec::new(), Some(format!("*/{}", content.len()))),
            },
        },
        _ => plain(405),
    }
}
