//! Answers of REST servers and of S3 to the requests of a repository.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;
use std::time::Duration;

use broadloom_snapshot::Id;
use broadloom_snapshot::store::{self, File, Kind, Options, Store, StoreError};

/// What stands between the answers of an input.
const BETWEEN: &[u8] = b"\n\0\n";

/// What follows the answers of an input.
const LAST: &[u8] = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// The status lines of S3 that end a request. After others the same is asked again, and that takes
/// its time.
const LINES: [&str; 10] = [
    "200 OK",
    "206 Partial Content",
    "204 No Content",
    "301 Moved",
    "304 Not Modified",
    "400 Bad Request",
    "403 Forbidden",
    "404 Not Found",
    "412 Precondition Failed",
    "416 Range Not Satisfiable",
];

/// Longest time for a request to come.
const PATIENCE: Duration = Duration::from_millis(500);

/// A server that gives the fuzzer's answers, and the stores that ask it.
struct Server {
    answers: Arc<Mutex<VecDeque<Vec<u8>>>>,
    rest: Box<dyn Store>,
    s3: Box<dyn Store>,
}

static SERVER: LazyLock<Server> = LazyLock::new(|| {
    for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] {
        // SAFETY: no other thread of the program is there yet.
        unsafe { std::env::set_var(name, "fuzz") };
    }
    // The server is nobody's but this program's.
    for name in ["ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy"] {
        // SAFETY: as above.
        unsafe { std::env::remove_var(name) };
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it has one");
    let answers = Arc::<Mutex<VecDeque<Vec<u8>>>>::default();
    let of_thread = Arc::clone(&answers);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = of_thread.lock().expect("no panic").pop_front();
            // A client that hangs up early has seen enough.
            let _ = serve(stream, answer.as_deref().unwrap_or(LAST));
        }
    });
    let mut options = Options::default();
    options.patience = PATIENCE;
    let open = |address: String| store::open(&address, &options).expect("an address");
    Server {
        answers,
        rest: open(format!("rest:http://{address}/repository/")),
        s3: open(format!("s3:http://{address}/bucket/repository")),
    }
});

/// Reads a request to its end, and answers with these bytes.
fn serve(mut stream: TcpStream, answer: &[u8]) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let (mut request, mut piece) = (Vec::new(), [0; 4096]);
    while !is_whole(&request) {
        match stream.read(&mut piece)? {
            0 => return Ok(()),
            len => request.extend_from_slice(&piece[..len]),
        }
    }
    stream.write_all(answer)?;
    stream.shutdown(Shutdown::Write)
}

fn is_whole(request: &[u8]) -> bool {
    let Some(end) = request.windows(4).position(|window| window == b"\r\n\r\n") else {
        return false;
    };
    let head = String::from_utf8_lossy(&request[..end]).to_lowercase();
    let len =
        head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    request.len() >= end + 4 + len.unwrap_or(0)
}

/// Takes the first byte for what is asked, and the others for the answers, one after another.
pub fn check(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let server = &*SERVER;
    let is_s3 = kind % 2 == 1;
    *server.answers.lock().expect("no panic") = split(bytes)
        .into_iter()
        .map(|answer| if is_s3 { of_s3(answer) } else { answer.to_vec() })
        .collect();
    ask(if is_s3 { &*server.s3 } else { &*server.rest }, kind / 2);
}

/// The answers of an input.
fn split(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut answers = Vec::new();
    while let Some(at) = bytes.windows(BETWEEN.len()).position(|window| window == BETWEEN) {
        answers.push(&bytes[..at]);
        bytes = &bytes[at + BETWEEN.len()..];
    }
    answers.push(bytes);
    answers
}

/// An answer that is whole: a byte for the status, lines of headers up to an empty one, and the
/// body.
fn of_s3(bytes: &[u8]) -> Vec<u8> {
    let (status, rest) = bytes.split_first().unwrap_or((&0, bytes));
    let (head, body) = match rest.windows(2).position(|window| window == b"\n\n") {
        Some(at) => (&rest[..at], &rest[at + 2..]),
        None => (&rest[..0], rest),
    };
    let mut answer = format!("HTTP/1.1 {}\r\n", LINES[usize::from(*status) % LINES.len()]);
    for line in String::from_utf8_lossy(head).lines() {
        let Some((name, value)) = line.split_once(':') else { continue };
        let is_name = !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let tells_length = ["content-length", "transfer-encoding", "connection"];
        let is_value = value.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        if is_name && is_value && !tells_length.contains(&&*name.to_lowercase()) {
            answer += &format!("{name}:{value}\r\n");
        }
    }
    answer += &format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    [answer.as_bytes(), body].concat()
}

/// Asks, and looks at what the store makes of the answers.
fn ask(store: &dyn Store, kind: u8) {
    let pack = File::Named(Kind::Pack, Id([7; 32]));
    match kind % 6 {
        0 => drop(store.get(File::Config, None)),
        1 => match store.get(pack, Some(3..10)) {
            Ok(bytes) => assert_eq!(bytes.len(), 7),
            Err(StoreError::Short { wanted, got }) => assert!(wanted != got),
            Err(_) => {}
        },
        2 => drop(store.list(Kind::Snapshot)),
        3 => drop(store.put(pack, b"a pack")),
        4 => drop(store.create()),
        _ => drop(store.remove(pack)),
    }
}
