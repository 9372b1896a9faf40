//! A page in the browser that shows what the program does while it runs.
//!
//! A small HTTP server runs on a thread of its own. It answers:
//!
//! | path | answer |
//! |---|---|
//! | `/` | the page: one file without any other host's |
//! | `/snapshot.json` | a [`Snapshot`] |
//! | `/events` | server-sent events, a snapshot each second |
//! | `/metrics` | text for Prometheus: OpenMetrics where the request accepts it |
//!
//! The page is made for its own machine. An address that other machines can reach needs a token,
//! which requests have as `Authorization: Bearer TOKEN` or `?token=TOKEN`. The server speaks plain
//! HTTP, so such an address belongs into a network whose members are trusted, or behind a proxy
//! that speaks TLS. On every address, the `Host` of a request must be an IP address or a name that
//! the server knows, so that no web site can have a visitor's browser read the page by a name that
//! the site has pointed to this address (DNS rebinding).

mod access;
mod answer;
mod document;
mod server;
mod stream;
mod token;

use std::fmt;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::Snapshot;
pub use token::{Token, TokenError};

/// How a page is served.
#[derive(Debug, Clone)]
pub struct Options {
    /// The token that requests must have. Without one, a page that other machines can reach gets a
    /// token by chance, and a page of this machine alone needs none.
    pub token: Option<Token>,
    /// Names of this machine that requests may have as their host, besides `localhost`, the name
    /// that the system knows, and IP addresses.
    pub hosts: Vec<String>,
    /// The time between two events of `/events`: a second, unless told otherwise.
    pub period: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Options { token: None, hosts: Vec::new(), period: Duration::from_secs(1) }
    }
}

/// A page that is served until this is dropped.
#[must_use = "the page is served until this is dropped"]
pub struct Page {
    address: SocketAddr,
    token: Option<Token>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Serves the page of this program at an address, such as `127.0.0.1:9090` or `localhost:0`; with
/// port 0, the system chooses a free port.
///
/// ```
/// let page = broadloom_metrics::page::serve("127.0.0.1:0")?;
/// println!("see {}", page.url());
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// If the address cannot be listened on, or if the system gives no thread.
pub fn serve(address: impl ToSocketAddrs) -> io::Result<Page> {
    broadloom_engine::metrics::start();
    serve_from(address, Options::default(), Snapshot::now)
}

/// Serves the page with options, and takes snapshots from `source`, which is called once in
/// each period while somebody reads events, and once for each request.
///
/// # Errors
/// If the address cannot be listened on, if the system gives no thread, or if it has no random
/// numbers for a token.
pub fn serve_from(
    address: impl ToSocketAddrs,
    options: Options,
    source: impl Fn() -> Snapshot + Send + 'static,
) -> io::Result<Page> {
    let listener = std::net::TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let token = match options.token {
        None if !address.ip().to_canonical().is_loopback() => Some(Token::generate()?),
        token => token,
    };
    let access = access::Access::new(token.clone(), options.hosts);
    let (stop, stopped) = oneshot::channel();
    let server = server::Server::new(access, options.period, Box::new(source));
    let thread = server::start(listener, server, stopped)?;
    Ok(Page { address, token, stop: Some(stop), thread: Some(thread) })
}

impl Page {
    /// Returns the address that the page is served at.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the token that requests must have, if they must have one.
    #[must_use]
    pub fn token(&self) -> Option<&Token> {
        self.token.as_ref()
    }

    /// Returns the URL of the page, with its token. An address that stands for all addresses of the
    /// machine is written as its loopback address.
    #[must_use]
    pub fn url(&self) -> String {
        let mut address = self.address;
        match address {
            SocketAddr::V4(v4) if v4.ip().is_unspecified() => {
                address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
            }
            SocketAddr::V6(v6) if v6.ip().is_unspecified() => {
                address.set_ip(std::net::Ipv6Addr::LOCALHOST.into());
            }
            _ => {}
        }
        let token = self.token.as_ref().map(|token| format!("?token={}", token.reveal()));
        format!("http://{address}/{}", token.unwrap_or_default())
    }
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Page").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Ends the connections and the thread.
impl Drop for Page {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A thread that has panicked has ended too.
            let _ = thread.join();
        }
    }
}
