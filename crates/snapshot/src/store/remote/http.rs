//! Requests over HTTP, for stores of objects and for REST servers.

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use http_body_util::BodyExt;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
};
use ureq::http::{HeaderMap, Request, Response, StatusCode, header};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, SendBody};

use super::super::limit::Limited;
use super::super::{Limits, StoreError};

/// Longest time until a connection stands.
const CONNECT: Duration = Duration::from_secs(15);
/// Most bytes of an answer: far beyond any file of a repository.
const MOST: u64 = 1 << 30;
/// Most bytes that are set aside because a server says that it sends so many.
const RESERVED: u64 = 64 << 20;
/// Most characters of a server's words in an error.
const WORDS: usize = 300;
/// Words of stores for a bucket or a container that is not there.
const NO_BUCKET: [&str; 2] = ["NoSuchBucket", "ContainerNotFound"];

/// Sends requests and waits for their answers.
#[derive(Clone)]
pub(super) struct Client {
    agent: Agent,
    limits: Arc<Limits>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}

impl Client {
    pub(super) fn new(limits: Arc<Limits>, patience: Duration) -> Client {
        // Certificates that cannot be read are not trusted: a connection that needs one fails.
        let native = rustls_native_certs::load_native_certs().certs;
        let roots: Vec<Certificate<'static>> =
            native.iter().map(|root| Certificate::from_der(root).to_owned()).collect();
        let crypto = Arc::new(rustls::crypto::ring::default_provider());
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::Specific(Arc::new(roots)))
            .unversioned_rustls_crypto_provider(crypto)
            .build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .user_agent(concat!("broadloom/", env!("CARGO_PKG_VERSION")))
            .http_status_as_error(false)
            // A signature or a password is for one server alone.
            .max_redirects(0)
            .timeout_resolve(Some(CONNECT))
            .timeout_connect(Some(CONNECT))
            .timeout_per_read(Some(patience))
            .timeout_per_write(Some(patience))
            .build();
        Client { agent: config.into(), limits }
    }

    /// Sends a request, and reads the whole answer.
    pub(super) fn send(
        &self,
        request: Request<()>,
        body: Option<&[u8]>,
    ) -> Result<Response<Vec<u8>>, StoreError> {
        let host = request.uri().authority().map(ToString::to_string).unwrap_or_default();
        self.exchange(request, body).map_err(|error| network(&host, &error))
    }

    fn exchange(
        &self,
        request: Request<()>,
        body: Option<&[u8]>,
    ) -> Result<Response<Vec<u8>>, ureq::Error> {
        let answer = match body {
            None => self.agent.run(request)?,
            Some(bytes) => {
                let (mut parts, ()) = request.into_parts();
                parts.headers.insert(header::CONTENT_LENGTH, bytes.len().into());
                let limit = self.limits.upload.as_ref();
                let mut limited = Limited { inner: bytes, limit };
                self.agent.run(Request::from_parts(parts, SendBody::from_reader(&mut limited)))?
            }
        };
        let (parts, body) = answer.into_parts();
        let length = body.content_length().unwrap_or(0);
        let mut content = Vec::with_capacity(length.min(RESERVED) as usize);
        let inner = body.into_with_config().limit(MOST).reader();
        let limit = self.limits.download.as_ref();
        Limited { inner, limit }.read_to_end(&mut content)?;
        Ok(Response::from_parts(parts, content))
    }
}

/// An answer that further tries do not change.
#[derive(Debug, thiserror::Error)]
#[error("the server answers {status}{}", words(.body))]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    /// The length of the object, where a range was not in it.
    pub(super) length: Option<u64>,
    body: Vec<u8>,
}

/// A server's own words, after a colon.
fn words(body: &[u8]) -> String {
    match brief(&String::from_utf8_lossy(body)) {
        text if text.is_empty() => text,
        text => format!(": {text}"),
    }
}

/// A text on one line, without its end if it is long.
pub(super) fn brief(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(WORDS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

impl Answer {
    pub(super) fn new(status: StatusCode, headers: &HeaderMap, body: Vec<u8>) -> Answer {
        let length = headers.get(header::CONTENT_RANGE).and_then(|range| {
            let (_, length) = range.to_str().ok()?.rsplit_once('/')?;
            length.parse().ok()
        });
        Answer { status, length, body }
    }

    /// Returns `true` if the same request may succeed later.
    pub(super) fn passes(&self) -> bool {
        let slow = || has(&self.body, "RequestTimeout");
        match self.status {
            StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => true,
            // S3's word for a body that came too slowly.
            StatusCode::BAD_REQUEST => slow(),
            status => status.is_server_error(),
        }
    }

    /// The answer as an error of a store, where `start` is the begin of the range that was asked
    /// for.
    pub(super) fn error(&self, start: u64, wanted: u64) -> StoreError {
        match self.status {
            StatusCode::NOT_FOUND => StoreError::NotFound,
            StatusCode::RANGE_NOT_SATISFIABLE => {
                let got = self.length.map_or(0, |length| length.saturating_sub(start));
                StoreError::Short { wanted, got }
            }
            _ if self.passes() => StoreError::Passing(self.to_string()),
            _ => StoreError::Refused(self.to_string()),
        }
    }
}

/// Returns `true` if a server's words have one of them.
fn has(body: &[u8], word: &str) -> bool {
    body.windows(word.len()).any(|words| words == word.as_bytes())
}

/// A failure of the network; all but a wrong certificate or address may pass.
fn network(host: &str, error: &ureq::Error) -> StoreError {
    let passes = matches!(
        error,
        ureq::Error::Io(_)
            | ureq::Error::Timeout(_)
            | ureq::Error::Protocol(_)
            | ureq::Error::HostNotFound
            | ureq::Error::ConnectionFailed
            | ureq::Error::ConnectProxyFailed(_)
    );
    // An error of TLS comes in the clothes of an I/O error.
    let untrusted = matches!(error, ureq::Error::Io(error) if is_untrusted(error));
    let text = match error {
        ureq::Error::Io(error) => error.to_string(),
        error => error.to_string(),
    };
    let text = text.split(" (os error").next().unwrap_or_default();
    let text = format!("{host}: {text}");
    match passes && !untrusted {
        true => StoreError::Passing(text),
        false => StoreError::Refused(text),
    }
}

fn is_untrusted(error: &io::Error) -> bool {
    let tls = error.get_ref().and_then(|error| error.downcast_ref::<rustls::Error>());
    matches!(tls, Some(rustls::Error::InvalidCertificate(_)))
}

/// The same client for the crate `object_store`.
#[async_trait]
impl HttpService for Client {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        let client = self.clone();
        let sent = tokio::task::spawn_blocking(move || {
            let has_body = !body.is_empty() || parts.headers.contains_key(header::CONTENT_LENGTH);
            let request = Request::from_parts(parts, ());
            client.send(request, has_body.then_some(&body[..]))
        });
        let sent = sent.await.map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?;
        let (parts, body) = match sent {
            Ok(answer) => answer.into_parts(),
            Err(error) => {
                let kind = match error {
                    StoreError::Passing(_) => HttpErrorKind::Interrupted,
                    _ => HttpErrorKind::Unknown,
                };
                return Err(HttpError::new(kind, error));
            }
        };
        // The crate tells these apart by their words alone.
        let plain = match parts.status {
            StatusCode::BAD_REQUEST
            | StatusCode::METHOD_NOT_ALLOWED
            | StatusCode::RANGE_NOT_SATISFIABLE => true,
            StatusCode::NOT_FOUND => NO_BUCKET.iter().any(|word| has(&body, word)),
            status => status.is_redirection() && status != StatusCode::NOT_MODIFIED,
        };
        match plain {
            true => {
                let answer = Answer::new(parts.status, &parts.headers, body);
                Err(HttpError::new(HttpErrorKind::Unknown, answer))
            }
            false => Ok(Response::from_parts(parts, body.into())),
        }
    }
}

impl HttpConnector for Client {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}
