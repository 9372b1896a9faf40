//! The server: a thread with an event loop of its own, and as many connections as it permits.

use std::cell::RefCell;
use std::convert::Infallible;
use std::future::ready;
use std::io;
use std::net::TcpListener as StdListener;
use std::rc::Rc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::Bytes;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::mpsc::{self, Sender};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task::LocalSet;
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::access::Access;
use super::answer::{Body, answer};
use super::stream::{Events, event};
use crate::Snapshot;

/// The most connections at a time. A browser opens up to six for a page.
pub const CONNECTIONS: usize = 64;

/// The longest wait for the head of a request.
const PATIENCE: Duration = Duration::from_secs(10);

/// The most bytes of the head of a request.
const HEAD: usize = 16 << 10;

/// What the server answers with, on its thread alone.
pub struct Server {
    access: Access,
    /// The time between two events.
    period: Duration,
    source: Box<dyn Fn() -> Snapshot + Send>,
    /// Those who read events.
    readers: RefCell<Vec<Sender<Bytes>>>,
}

impl Server {
    /// Makes a server that lets in what `access` says, and takes snapshots from `source`.
    pub fn new(access: Access, period: Duration, source: Box<dyn Fn() -> Snapshot + Send>) -> Self {
        Server { access, period, source, readers: RefCell::default() }
    }

    /// Returns what requests must have.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Takes a snapshot.
    pub fn snapshot(&self) -> Snapshot {
        (self.source)()
    }

    /// Returns a snapshot as JSON, on one line.
    pub fn snapshot_json(&self) -> String {
        serde_json::to_string(&self.snapshot()).expect("a snapshot has no keys but texts")
    }

    /// Returns the body of an answer with a snapshot now and one in each period.
    pub fn events(&self) -> Body {
        // A reader that is slow misses events, so that none pile up.
        let (sender, events) = mpsc::channel(1);
        let first = sender.try_send(event(&self.snapshot_json()));
        if first.is_ok() {
            self.readers.borrow_mut().push(sender);
        }
        Events(events).boxed()
    }

    /// Sends a snapshot to those who read events. Nothing is counted while nobody reads.
    fn send_events(&self) {
        self.readers.borrow_mut().retain(|reader| !reader.is_closed());
        if self.readers.borrow().is_empty() {
            return;
        }
        let event = event(&self.snapshot_json());
        for reader in self.readers.borrow().iter() {
            // It is full if the reader is slow.
            let _ = reader.try_send(event.clone());
        }
    }
}

/// Starts a thread that serves until `stopped` ends.
///
/// # Errors
/// If the system gives no thread or no event loop.
pub fn start(
    listener: StdListener,
    server: Server,
    stopped: oneshot::Receiver<()>,
) -> io::Result<JoinHandle<()>> {
    let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
    let listener = {
        let _inside = runtime.enter();
        TcpListener::from_std(listener)?
    };
    let serve = move || {
        let tasks = LocalSet::new();
        let server = Rc::new(server);
        tasks.spawn_local(send_regularly(Rc::clone(&server)));
        tasks.spawn_local(accept(listener, server));
        // Whether the sender says so or is dropped, the page is over.
        let _ = tasks.block_on(&runtime, stopped);
    };
    thread::Builder::new().name("metrics page".to_owned()).spawn(serve)
}

async fn send_regularly(server: Rc<Server>) {
    let mut period = interval(server.period);
    period.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        period.tick().await;
        server.send_events();
    }
}

/// Accepts connections for ever.
async fn accept(listener: TcpListener, server: Rc<Server>) {
    let permits = std::sync::Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        match listener.accept().await {
            Ok((stream, _)) => match permits.clone().try_acquire_owned() {
                Ok(permit) => {
                    tokio::task::spawn_local(converse(stream, Rc::clone(&server), permit));
                }
                Err(_) => turn_away(&stream),
            },
            // No descriptors are left, or the peer has gone: others may have more luck.
            Err(_) => sleep(Duration::from_millis(100)).await,
        }
    }
}

/// Answers the requests of a connection.
async fn converse(stream: TcpStream, server: Rc<Server>, permit: OwnedSemaphorePermit) {
    let service = service_fn(|request| ready(Ok::<_, Infallible>(answer(&server, &request))));
    // An error is the peer's, who has left or does not speak HTTP.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_buf_size(HEAD)
        .serve_connection(TokioIo::new(stream), service)
        .await;
    drop(permit);
}

/// Answers a connection for which there is no room.
fn turn_away(stream: &TcpStream) {
    let text =
        b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    // A peer that has gone already needs no answer.
    let _ = stream.try_write(text);
}
