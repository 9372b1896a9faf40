//! Where snapshots come from: the socket of a process, or the page that it serves.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use broadloom_metrics::{Snapshot, processes, read, socket_of};
use broadloom_program::quote::{shown, visible};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use ureq::Agent;
use ureq::http::Uri;

/// The longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// The most bytes of a snapshot.
const MOST: u64 = 64 << 20;

/// Where the snapshots of a program come from.
#[derive(Debug, Clone)]
pub enum SnapshotSource {
    /// A process of the same user.
    Process(u32),
    /// A Unix socket.
    Socket(PathBuf),
    /// The address of a snapshot over HTTP.
    Page(Box<PageAddress>),
}

/// The address of a snapshot over HTTP, and the token that the page asks for.
#[derive(Clone)]
pub struct PageAddress {
    uri: Uri,
    token: Option<String>,
}

/// Leaves out the token.
impl fmt::Debug for PageAddress {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.uri.fmt(f)
    }
}

impl SnapshotSource {
    /// Finds what the command line names. Without a name, it is the only program that has a socket.
    ///
    /// # Errors
    /// What is wrong, and what would be right.
    pub fn find(target: Option<&str>, token: Option<String>) -> Result<SnapshotSource, String> {
        match target {
            None => only_one(),
            Some("") => Err(format!("an empty text names no program: {NAME_ONE}")),
            Some(url) if url.contains("://") => page(url, token),
            Some(pid) if !pid.is_empty() && pid.bytes().all(|byte| byte.is_ascii_digit()) => {
                process(pid)
            }
            Some(path) => Ok(SnapshotSource::Socket(PathBuf::from(path))),
        }
    }

    /// Reads a snapshot.
    ///
    /// # Errors
    /// Whom it asked, and why there is no answer.
    pub fn read(&self) -> Result<Snapshot, String> {
        match self {
            SnapshotSource::Process(pid) => {
                read(*pid).map_err(|error| socket_trouble(&socket_of(*pid), &error))
            }
            SnapshotSource::Socket(path) => {
                read(path.as_path()).map_err(|error| socket_trouble(path, &error))
            }
            SnapshotSource::Page(page) => page.read(),
        }
    }
}

/// Finds the only program of this user that offers its counters.
fn only_one() -> Result<SnapshotSource, String> {
    let pids = processes().map_err(|error| error.to_string())?;
    match pids[..] {
        [pid] => Ok(SnapshotSource::Process(pid)),
        [] => Err("no program offers its counters: name a process, a socket, or the URL of a page"
            .to_owned()),
        _ => {
            let lines = pids.iter().map(|&pid| match read(pid) {
                Ok(snapshot) => format!("\n  {pid}  {}", visible(&snapshot.program)),
                Err(_) => format!("\n  {pid}"),
            });
            Err(format!(
                "several programs offer their counters, name one:{}",
                lines.collect::<String>()
            ))
        }
    }
}

/// Finds a process that offers its counters.
fn process(text: &str) -> Result<SnapshotSource, String> {
    let unknown = || format!("there is no process {text}");
    let pid: u32 = text.parse().map_err(|_| unknown())?;
    let id = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or_else(unknown)?;
    match test_kill_process(id) {
        Err(Errno::SRCH) => return Err(unknown()),
        Err(Errno::PERM) => {
            return Err(format!("process {pid} belongs to another user, {ONLY_THEIRS}"));
        }
        _ => {}
    }
    match socket_of(pid).exists() {
        true => Ok(SnapshotSource::Process(pid)),
        false => {
            let socket = shown(&socket_of(pid));
            Err(format!("process {pid} does not offer its counters: there is no socket {socket}"))
        }
    }
}

/// Says what names a program.
const NAME_ONE: &str = "name the number of a process, the path of a socket, or the URL of a page \
    (http://HOST:PORT/)";

/// Names those who can read the counters of somebody's program.
const ONLY_THEIRS: &str = "and only that user can read its counters";

/// Says why a socket gives no snapshot.
fn socket_trouble(path: &Path, error: &io::Error) -> String {
    let socket = shown(path);
    match error.kind() {
        ErrorKind::NotFound => format!("there is no socket {socket}: {NAME_ONE}"),
        ErrorKind::PermissionDenied => {
            format!("socket {socket} belongs to another user, {ONLY_THEIRS}")
        }
        ErrorKind::ConnectionRefused => {
            format!("nobody listens at {socket}: the program has ended, or the file is no socket")
        }
        ErrorKind::WouldBlock | ErrorKind::TimedOut => {
            format!("socket {socket} does not answer within {} s", PATIENCE.as_secs())
        }
        ErrorKind::InvalidData | ErrorKind::UnexpectedEof => format!("socket {socket}: {NOT_OURS}"),
        _ => error.to_string(),
    }
}

/// Finds the page of a URL. A path that names no file of the page stands for its snapshot.
fn page(url: &str, token: Option<String>) -> Result<SnapshotSource, String> {
    let wrong = |why: &str| format!("URL {}: {why}", visible(url));
    let uri: Uri = url.parse().map_err(|error| wrong(&format!("{error}")))?;
    let Some(authority) = uri.authority() else { return Err(wrong("it names no host")) };
    if uri.scheme_str() != Some("http") {
        return Err(wrong(REACHED));
    }
    let names_port = authority.as_str().rsplit('@').next() != Some(authority.host());
    if names_port && authority.port_u16().is_none() {
        return Err(wrong("a port is a number from 0 to 65535"));
    }
    let given = uri.query().into_iter().flat_map(|query| query.split('&'));
    let given = given.filter_map(|part| part.strip_prefix("token=")).next();
    let path = uri.path().trim_end_matches('/');
    let path = path.strip_suffix("/snapshot.json").unwrap_or(path);
    let snapshot = format!("http://{authority}{path}/snapshot.json");
    let uri = snapshot.parse().map_err(|error| wrong(&format!("{error}")))?;
    let token = given.map(str::to_owned).or(token);
    Ok(SnapshotSource::Page(Box::new(PageAddress { uri, token })))
}

impl PageAddress {
    fn read(&self) -> Result<Snapshot, String> {
        let agent: Agent = Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .max_redirects(0)
            .http_status_as_error(false)
            .proxy(None)
            .build()
            .into();
        let mut request = agent.get(&self.uri);
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        let failed = |error: &dyn fmt::Display| format!("{}: {error}", self.uri);
        let mut response = request.call().map_err(|error| match error {
            ureq::Error::Io(error) => format!("nobody answers at {}: {error}", self.uri),
            error => failed(&error),
        })?;
        match response.status().as_u16() {
            200 => {}
            404 => {
                let told = format!("there is no page of Broadloom's; {REACHED}");
                return Err(failed(&told));
            }
            401 => {
                return Err(failed(
                    &"the page asks for its token: give the URL that the program \
                                    printed, or set BROADLOOM_METRICS_TOKEN",
                ));
            }
            status => return Err(failed(&format_args!("it answers with status {status}"))),
        }
        let text = response.body_mut().with_config().limit(MOST).read_to_string();
        let text = text.map_err(|error| failed(&error))?;
        serde_json::from_str(&text).map_err(|error| failed(&format_args!("{NOT_OURS} ({error})")))
    }
}

/// Says how a page is reached.
const REACHED: &str = "a page is reached by http://HOST:PORT/";

/// Names an answer that is no snapshot.
const NOT_OURS: &str = "the answer is no snapshot of Broadloom's counters";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_become_addresses_of_snapshots() {
        let address = |url: &str, token: Option<&str>| {
            let found = SnapshotSource::find(Some(url), token.map(str::to_owned)).unwrap();
            let SnapshotSource::Page(page) = found else { panic!("{found:?} is no page") };
            (page.uri.to_string(), page.token)
        };
        let local = "http://127.0.0.1:9090/snapshot.json".to_owned();
        for url in [
            "http://127.0.0.1:9090",
            "http://127.0.0.1:9090/",
            "http://127.0.0.1:9090/snapshot.json",
        ] {
            assert_eq!(address(url, None), (local.clone(), None));
        }
        let below = "http://[::1]/proxy/snapshot.json".to_owned();
        assert_eq!(address("http://[::1]/proxy/", None), (below, None));
        let token = Some("from-url".to_owned());
        let with = "http://127.0.0.1:9090/?a=b&token=from-url";
        assert_eq!(address(with, Some("other")), (local.clone(), token));
        let token = Some("other".to_owned());
        assert_eq!(address("http://127.0.0.1:9090/", Some("other")), (local, token));
        for (url, why) in [
            ("https://127.0.0.1/", "a page is reached by http://HOST:PORT/"),
            ("unix://socket", "a page is reached by http://HOST:PORT/"),
            ("http://", "URL http://:"),
            ("http://127.0.0.1:99999/", "a port is a number from 0 to 65535"),
        ] {
            let error = SnapshotSource::find(Some(url), None).unwrap_err();
            assert!(error.contains(why) && error.contains(url), "{error}");
        }
        let page = SnapshotSource::find(Some(with), None).unwrap();
        assert!(!format!("{page:?}").contains("from-url"), "a token is not shown");
    }

    #[test]
    fn troubles_of_sockets_name_the_socket_and_the_cause() {
        for (kind, words) in [
            (ErrorKind::NotFound, "there is no socket /run/a.sock: name the number"),
            (ErrorKind::PermissionDenied, "/run/a.sock belongs to another user"),
            (ErrorKind::ConnectionRefused, "nobody listens at /run/a.sock"),
            (ErrorKind::WouldBlock, "/run/a.sock does not answer within 5 s"),
            (ErrorKind::InvalidData, "/run/a.sock: the answer is no snapshot"),
        ] {
            let told = socket_trouble(Path::new("/run/a.sock"), &kind.into());
            assert!(told.contains(words), "{told}");
        }
    }
}
