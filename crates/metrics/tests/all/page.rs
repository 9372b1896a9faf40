//! The page, asked over HTTP as browsers, Prometheus and strangers ask.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use broadloom_metrics::Snapshot;
use broadloom_metrics::change::Change;
use broadloom_metrics::page::{Options, Page, serve_from};

use crate::sample;

/// Serves snapshots of a program for which a second passes with each of them.
fn page_with(address: &str, options: Options) -> Page {
    let seconds = AtomicU64::new(10);
    let source = move || sample::at(seconds.fetch_add(1, Ordering::Relaxed) as f64);
    serve_from(address, options, source).unwrap()
}

fn page() -> Page {
    page_with("127.0.0.1:0", Options::default())
}

/// An answer: its status, its head in small letters, and its body.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    /// The value of a header.
    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

fn connect(page: &Page) -> TcpStream {
    let address = SocketAddr::new([127, 0, 0, 1].into(), page.address().port());
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream
}

/// Sends a request head, and reads the answer until the server closes the connection.
fn send(page: &Page, head: &str) -> Answer {
    let mut stream = connect(page);
    stream.write_all(head.as_bytes()).unwrap();
    let mut text = Vec::new();
    stream.read_to_end(&mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").expect("an answer has a head");
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head: head.to_owned(), body: body.to_owned() }
}

fn get_as(page: &Page, path: &str, host: &str) -> Answer {
    send(page, &format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"))
}

fn get(page: &Page, path: &str) -> Answer {
    get_as(page, path, "localhost")
}

#[test]
fn the_document_stands_alone_and_runs_only_its_own_script() {
    let page = page();
    let answer = get(&page, "/");
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, Some("text/html; charset=utf-8"))
    );
    let policy = answer.header("content-security-policy").unwrap();
    let nonce = policy.split("script-src 'nonce-").nth(1).unwrap().split('\'').next().unwrap();
    assert_eq!(nonce.len(), 32);
    assert!(policy.starts_with("default-src 'none';"), "{policy}");
    assert_eq!(answer.body.matches(&format!("nonce=\"{nonce}\"")).count(), 2);
    assert_ne!(policy, get(&page, "/").header("content-security-policy").unwrap());
    // The name of a namespace is no address that a browser asks.
    let body = answer.body.replace("http://www.w3.org/2000/svg", "");
    for foreign in ["http:", "https:", "src=", "@import", "url(", "innerHTML", "NONCE"] {
        assert!(!body.contains(foreign), "{foreign}");
    }
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(answer.header(name), Some(value));
    }
}

#[test]
fn snapshots_are_json_and_open_metrics() {
    let page = page();
    let answer = get(&page, "/snapshot.json");
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    let snapshot: Snapshot = serde_json::from_str(&answer.body).unwrap();
    let sent = sample::at(10.0);
    assert_eq!((snapshot.uptime, snapshot.series), (sent.uptime, sent.series));
    let accept = "Accept: application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.4";
    let head = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
    let answer = send(&page, &format!("{head}{accept}\r\n\r\n"));
    let kind = answer.header("content-type").unwrap();
    assert_eq!(answer.status, 200);
    assert!(kind.starts_with("application/openmetrics-text; version=1.0.0"), "{kind}");
    assert!(answer.body.contains("algorithm=\"hmac-sha1\""), "{}", answer.body);
    assert!(answer.body.ends_with("# EOF\n"), "{}", answer.body);
    // Others get the format that all of them read.
    let answer = get(&page, "/metrics");
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    assert_eq!((answer.status, answer.header("content-type")), (200, Some(kind)));
    assert!(answer.body.contains("algorithm=\"hmac-sha1\""), "{}", answer.body);
    assert!(!answer.body.contains("# EOF"), "{}", answer.body);
}

/// Reads the snapshot of the next event.
fn next_event(lines: &mut impl BufRead) -> Snapshot {
    let mut line = String::new();
    loop {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0, "the stream goes on");
        if let Some(data) = line.strip_prefix("data: ") {
            return serde_json::from_str(data).unwrap();
        }
    }
}

fn events(page: &Page) -> BufReader<TcpStream> {
    let mut stream = connect(page);
    stream.write_all(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    BufReader::new(stream)
}

#[test]
fn events_bring_a_snapshot_at_once_and_go_on() {
    let options = Options { period: Duration::from_millis(5), ..Options::default() };
    let page = page_with("127.0.0.1:0", options);
    let mut events = events(&page);
    let mut before = next_event(&mut events);
    assert_eq!(before.series, sample::at(10.0).series);
    for _ in 0..5 {
        let after = next_event(&mut events);
        let change = Change::between(&before, &after).unwrap();
        assert!(change.seconds >= 1.0 && change.work(&[]).operations > 0);
        before = after;
    }
}

#[test]
fn a_reader_that_does_not_read_hinders_nobody() {
    let options = Options { period: Duration::from_millis(1), ..Options::default() };
    let page = page_with("127.0.0.1:0", options);
    let slow = events(&page);
    let mut other = events(&page);
    // Far more than the buffers of a connection hold.
    let first = next_event(&mut other).uptime;
    while next_event(&mut other).uptime < first + 3000.0 {}
    assert_eq!(get(&page, "/").status, 200);
    drop(slow);
}

#[test]
fn only_names_of_this_machine_and_addresses_are_hosts() {
    let page = page();
    let nodename = rustix::system::uname().nodename().to_str().unwrap().to_owned();
    for host in ["localhost", "LOCALHOST:8080", "127.0.0.1", "[::1]:90", "10.1.2.3:1", &nodename] {
        assert_eq!(get_as(&page, "/", host).status, 200, "{host}");
    }
    for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "[::1", ""]
    {
        let answer = get_as(&page, "/snapshot.json", host);
        assert!(matches!(answer.status, 400 | 421), "{host:?}: {}", answer.status);
        assert!(!answer.body.contains("hmac"), "{}", answer.body);
    }
    let evil = get_as(&page, "/", "evil.example");
    assert_eq!(evil.status, 421);
    assert!(evil.body.contains("\"evil.example\"") && evil.body.contains("localhost"));
    let none = send(&page, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert_eq!(none.status, 400);
    let two =
        "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
    assert_eq!(send(&page, two).status, 400);
    let whole = "GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assert_eq!(send(&page, whole).status, 421);
    let hosts = vec!["Metrics.lan".to_owned()];
    let page = page_with("127.0.0.1:0", Options { hosts, ..Options::default() });
    assert_eq!(get_as(&page, "/", "metrics.lan:9090").status, 200);
}

#[test]
fn other_methods_and_paths_are_refused() {
    let page = page();
    let post =
        "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    let answer = send(&page, post);
    assert_eq!((answer.status, answer.header("allow")), (405, Some("GET, HEAD")));
    let answer = get(&page, "/metric");
    assert_eq!(answer.status, 404);
    assert!(answer.body.contains("/snapshot.json"), "{}", answer.body);
    let head = "HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let answer = send(&page, head);
    assert_eq!((answer.status, answer.body.as_str()), (200, ""));
    let long = format!("/{}", "x".repeat(64 << 10));
    assert!(matches!(get(&page, &long).status, 414 | 431));
}

#[test]
fn a_token_is_needed_where_there_is_one() {
    let token = "correct-horse-battery";
    let options = Options { token: Some(token.parse().unwrap()), ..Options::default() };
    let page = page_with("127.0.0.1:0", options);
    assert!(page.url().ends_with(&format!("/?token={token}")), "{}", page.url());
    for path in ["/", "/snapshot.json", "/events", "/metrics", "/other"] {
        let answer = get(&page, path);
        assert_eq!((answer.status, answer.header("www-authenticate")), (401, Some("Bearer")));
    }
    for wrong in ["", "correct-horse-batterz", "correct-horse-battery1", "correct"] {
        assert_eq!(get(&page, &format!("/?token={wrong}")).status, 401, "{wrong}");
    }
    assert_eq!(get(&page, &format!("/?a=b&token={token}")).status, 200);
    let with = |header: &str| {
        let head = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
        send(&page, &format!("{head}Authorization: {header}\r\n\r\n")).status
    };
    assert_eq!(with(&format!("Bearer {token}")), 200);
    assert_eq!(with(&format!("bearer {token}")), 200);
    assert_eq!(with(&format!("Basic {token}")), 401);
    assert_eq!(with("Bearer"), 401);
}

#[test]
fn an_address_that_others_reach_gets_a_token() {
    for address in ["0.0.0.0:0", "[::]:0"] {
        let page = page_with(address, Options::default());
        let token = page.token().expect("a token was made").reveal().to_owned();
        assert_eq!(token.len(), 32);
        let local: IpAddr = if address.starts_with('[') {
            [0u16, 0, 0, 0, 0, 0, 0, 1].into()
        } else {
            [127, 0, 0, 1].into()
        };
        let local = SocketAddr::new(local, page.address().port());
        assert_eq!(page.url(), format!("http://{local}/?token={token}"));
        assert_eq!(get(&page, "/").status, 401);
        assert_eq!(get(&page, &format!("/?token={token}")).status, 200);
        let other = page_with(address, Options::default());
        assert_ne!(other.token().unwrap().reveal(), token);
        assert!(!format!("{page:?} {:?}", page.token()).contains(&token));
    }
    assert!(page().token().is_none());
}

#[test]
fn connections_are_bounded() {
    const MOST: usize = 64;
    let page = page();
    let mut open: Vec<TcpStream> = (0..MOST).map(|_| connect(&page)).collect();
    // Each of them is answered, so each has been accepted.
    for stream in &mut open {
        stream.write_all(b"HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let mut start = [0; 12];
        stream.read_exact(&mut start).unwrap();
        assert_eq!(&start, b"HTTP/1.1 200");
    }
    let mut text = String::new();
    connect(&page).read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 503 "), "{text}");
    drop(open);
    // The server sees that they have gone while it accepts others.
    while connect_status(&page) == 503 {}
    assert_eq!(get(&page, "/").status, 200);
}

/// The status of a request on a connection that may be turned away before it is read.
fn connect_status(page: &Page) -> u16 {
    let mut stream = connect(page);
    let head = b"HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let mut text = Vec::new();
    let sent = stream.write_all(head).and_then(|()| stream.read_to_end(&mut text));
    match (sent, text.get(9..12)) {
        (_, Some(status)) => str::from_utf8(status).unwrap().parse().unwrap(),
        // It was closed with the request unread.
        _ => 503,
    }
}

#[test]
fn a_dropped_page_ends_at_once_whoever_reads() {
    let page = page();
    let address = page.address();
    let mut events = events(&page);
    next_event(&mut events);
    drop(page);
    let mut rest = Vec::new();
    let _ = events.read_to_end(&mut rest);
    assert!(TcpStream::connect(address).is_err(), "nobody listens");
}

#[test]
fn an_address_in_use_is_an_error() {
    let page = page();
    let again = serve_from(page.address(), Options::default(), || sample::at(1.0));
    assert_eq!(again.unwrap_err().kind(), std::io::ErrorKind::AddrInUse);
    for wrong in ["short", "with space in the middle", "a/b/c/d/e/f/g/h/i/j", &"x".repeat(257)] {
        let error = wrong.parse::<broadloom_metrics::page::Token>().unwrap_err();
        assert!(error.to_string().contains("16 to 256"), "{error}");
    }
}
