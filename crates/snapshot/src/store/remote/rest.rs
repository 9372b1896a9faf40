//! A repository at a server that speaks restic's REST protocol, such as rest-server or rclone.

use std::env;
use std::fmt::Display;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use base64ct::{Base64, Encoding};
use serde::Deserialize;
use ureq::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use zeroize::Zeroizing;

use super::super::address::masked;
use super::super::{File, Kind, Limits, Notice, Options, Store, StoreError};
use super::http::{Answer, Client};
use super::{CONNECTIONS, WAITS, notify};
use crate::id::Id;

/// The second version of the protocol, whose lists have lengths.
const LISTS: &str = "application/vnd.x.restic.rest.v2";

/// A REST server.
pub struct Rest {
    client: Client,
    /// The repository's URL, with `/` at its end and without a password.
    base: String,
    authorization: Option<HeaderValue>,
    notice: Option<Notice>,
}

/// A file in a list.
#[derive(Deserialize)]
#[serde(untagged)]
enum Listed {
    /// In the second version of the protocol.
    Measured {
        /// The file's name.
        name: String,
        /// Its length.
        size: u64,
    },
    /// In the first version, which has no lengths.
    Named(String),
}

impl Rest {
    /// The repository at a URL. User and password are the URL's, or without these
    /// `RESTIC_REST_USERNAME` and `RESTIC_REST_PASSWORD` of the environment.
    ///
    /// # Errors
    /// If the URL is none, or the password has characters that no header takes.
    pub fn new(url: &str, options: &Options) -> Result<Rest, StoreError> {
        let wrong = |reason: &str| StoreError::Address(format!("{:?}: {reason}", masked(url)));
        let split = url.split_once("://");
        let (scheme, rest) = split.ok_or_else(|| wrong("no URL; valid: http://HOST/PATH"))?;
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (login, host) = match authority.rsplit_once('@') {
            Some((login, host)) => (Some(login), host),
            None => (None, authority),
        };
        let login = match login {
            Some(login) => {
                let (user, password) = login.split_once(':').unwrap_or((login, ""));
                let parts = (decoded(user), decoded(password));
                let (Some(user), Some(password)) = parts else {
                    return Err(wrong("user or password has a % that begins no character"));
                };
                Some((user, password))
            }
            None => from_environment(),
        };
        let base = format!("{scheme}://{host}/{path}");
        let base = format!("{}/", base.trim_end_matches('/'));
        if base.parse::<ureq::http::Uri>().is_err() {
            return Err(wrong("no URL; valid: http://HOST/PATH"));
        }
        let authorization = login.map(|(user, password)| {
            let login = Zeroizing::new([&user[..], b":", &password[..]].concat());
            let encoded = Zeroizing::new(Base64::encode_string(&login));
            let text = Zeroizing::new(format!("Basic {}", &*encoded));
            let mut value = HeaderValue::from_str(&text)
                .expect("the characters of Base64 are those of headers");
            value.set_sensitive(true);
            value
        });
        let client = Client::new(Arc::new(Limits::new(options)), options.patience);
        Ok(Rest { client, base, authorization, notice: options.notice.clone() })
    }

    /// Sends a request; only success is an answer.
    fn ask(
        &self,
        method: Method,
        path: &str,
        headers: &[(header::HeaderName, String)],
        body: Option<&[u8]>,
        range: &Range<u64>,
    ) -> Result<Response<Vec<u8>>, StoreError> {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.base));
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        let request = request.body(()).map_err(|error| StoreError::Refused(error.to_string()))?;
        let answer = self.client.send(request, body)?;
        if answer.status().is_success() {
            return Ok(answer);
        }
        let (parts, body) = answer.into_parts();
        let answer = Answer::new(parts.status, &parts.headers, body);
        match parts.status {
            StatusCode::FORBIDDEN | StatusCode::CONFLICT => {
                Err(StoreError::Refused(answer.to_string()))
            }
            _ => Err(answer.error(range.start, range.end - range.start)),
        }
    }

    /// Whether a file is there although the server refused to write it: after a try whose answer
    /// was lost, since servers refuse to write a file again.
    fn refused(&self, file: File, content: &[u8], text: String) -> Result<(), StoreError> {
        match self.get(file, None) {
            Ok(there) if there == content => Ok(()),
            Ok(_) if file == File::Config => Err(StoreError::Exists),
            Ok(there) => {
                self.remove(file)?;
                let got = there.len();
                Err(StoreError::Passing(format!("the server had {got} other bytes there")))
            }
            Err(error @ (StoreError::Passing(_) | StoreError::Short { .. })) => {
                Err(StoreError::Passing(error.to_string()))
            }
            Err(_) => Err(StoreError::Refused(text)),
        }
    }

    /// The length of a file.
    fn length(&self, path: &str) -> Result<u64, StoreError> {
        let answer = self.ask(Method::HEAD, path, &[], None, &(0..0))?;
        length(answer.headers())
            .ok_or_else(|| StoreError::Refused("the server tells no length of it".to_owned()))
    }
}

/// The path of a file: unlike in a directory, packs lie side by side.
fn path(file: File) -> String {
    match file {
        File::Config => "config".to_owned(),
        File::Named(kind, id) => format!("{}/{id}", kind.directory()),
    }
}

fn length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

type Secret = Zeroizing<Vec<u8>>;

fn from_environment() -> Option<(Secret, Secret)> {
    let get = |name| env::var(name).ok().filter(|value| !value.is_empty());
    let user = get("RESTIC_REST_USERNAME")?;
    let password = get("RESTIC_REST_PASSWORD").unwrap_or_default();
    Some((user.into_bytes().into(), password.into_bytes().into()))
}

/// A part of a URL, with `%XX` as the character that it stands for.
fn decoded(text: &str) -> Option<Secret> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(text.len()));
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                (digit()? << 4 | digit()?) as u8
            }
            byte => byte,
        });
    }
    Some(bytes)
}

impl Store for Rest {
    fn create(&self) -> Result<(), StoreError> {
        self.ask(Method::POST, "?create=true", &[], Some(&[]), &(0..0)).map(drop)
    }

    fn put(&self, file: File, content: &[u8]) -> Result<(), StoreError> {
        let (path, wanted) = (path(file), content.len() as u64);
        let kind = [(header::CONTENT_TYPE, "application/octet-stream".to_owned())];
        match self.ask(Method::POST, &path, &kind, Some(content), &(0..0)) {
            Ok(_) => {}
            Err(StoreError::Refused(text)) => return self.refused(file, content, text),
            Err(error) => return Err(error),
        }
        // A server that lost the end of a transfer is not believed. Nor is what says the length:
        // what stands between may tell another one than the file has.
        let got = match self.length(&path) {
            Ok(got) if got == wanted => return Ok(()),
            Err(StoreError::NotFound) => 0,
            Ok(_) | Err(StoreError::Refused(_)) => match self.get(file, None) {
                Ok(there) if there == content => return Ok(()),
                Ok(there) => {
                    self.remove(file)?;
                    there.len() as u64
                }
                Err(StoreError::NotFound) => 0,
                Err(error @ StoreError::Short { .. }) => {
                    return Err(StoreError::Passing(error.to_string()));
                }
                Err(error) => return Err(error),
            },
            Err(error) => return Err(error),
        };
        Err(StoreError::Passing(StoreError::Short { wanted, got }.to_string()))
    }

    fn get(&self, file: File, range: Option<Range<u64>>) -> Result<Vec<u8>, StoreError> {
        let path = path(file);
        let Some(range) = range else {
            let answer = self.ask(Method::GET, &path, &[], None, &(0..0))?;
            let wanted = length(answer.headers());
            let content = answer.into_body();
            return match (wanted, content.len() as u64) {
                (Some(wanted), got) if got != wanted => Err(StoreError::Short { wanted, got }),
                _ => Ok(content),
            };
        };
        let wanted = range.end - range.start;
        if wanted == 0 {
            return Ok(Vec::new());
        }
        let bytes = [(header::RANGE, format!("bytes={}-{}", range.start, range.end - 1))];
        let answer = self.ask(Method::GET, &path, &bytes, None, &range)?;
        if answer.status() != StatusCode::PARTIAL_CONTENT {
            let text = format!("the server answers {}, and not with the range", answer.status());
            return Err(StoreError::Refused(text));
        }
        match answer.body().len() as u64 {
            got if got != wanted => Err(StoreError::Short { wanted, got }),
            _ => Ok(answer.into_body()),
        }
    }

    fn list(&self, kind: Kind) -> Result<Vec<(Id, u64)>, StoreError> {
        let accept = [(header::ACCEPT, LISTS.to_owned())];
        let path = format!("{}/", kind.directory());
        let answer = match self.ask(Method::GET, &path, &accept, None, &(0..0)) {
            // A repository that is not there yet.
            Err(StoreError::NotFound) => return Ok(Vec::new()),
            answer => answer?,
        };
        let listed: Vec<Listed> = serde_json::from_slice(answer.body())
            .map_err(|error| StoreError::Passing(format!("the list is damaged: {error}")))?;
        let mut files = Vec::with_capacity(listed.len());
        for file in listed {
            let (name, size) = match file {
                Listed::Measured { name, size } => (name, Some(size)),
                Listed::Named(name) => (name, None),
            };
            let Ok(id) = name.parse() else { continue };
            let size = match size {
                Some(size) => size,
                None => match self.length(&format!("{path}{name}")) {
                    // Another process has removed it.
                    Err(StoreError::NotFound) => continue,
                    size => size?,
                },
            };
            files.push((id, size));
        }
        Ok(files)
    }

    fn remove(&self, file: File) -> Result<(), StoreError> {
        self.ask(Method::DELETE, &path(file), &[], None, &(0..0)).map(drop)
    }

    fn waits(&self) -> &[Duration] {
        &WAITS
    }

    fn failed(&self, what: &dyn Display, error: &StoreError, wait: Duration) {
        notify(self.notice.as_ref(), what, error, wait);
    }

    fn connections(&self) -> usize {
        CONNECTIONS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_and_passwords_leave_the_url() {
        let rest = Rest::new("http://user:p%40ss@host:8000/a/b/", &Options::default()).unwrap();
        assert_eq!(rest.base, "http://host:8000/a/b/");
        let value = rest.authorization.unwrap();
        assert_eq!(value, format!("Basic {}", Base64::encode_string(b"user:p@ss")));
        assert!(value.is_sensitive());
        assert_eq!(Rest::new("https://host", &Options::default()).unwrap().base, "https://host/");
        let wrong = Rest::new("http://user:se%zzcret@host/", &Options::default());
        let Err(error) = wrong else { panic!("it is a URL") };
        assert!(!error.to_string().contains("cret") && error.to_string().contains("user"));
    }
}
