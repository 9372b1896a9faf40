//! Which requests are answered.

use std::net::IpAddr;

use hyper::header::{AUTHORIZATION, HOST};
use hyper::{HeaderMap, Request, StatusCode, Uri};

use super::token::Token;

/// What a request must have.
pub struct Access {
    token: Option<Token>,
    /// Names of the machine, in small letters.
    hosts: Vec<String>,
}

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The status of the answer.
    pub status: StatusCode,
    /// The reason, a line of text.
    pub reason: String,
}

impl Access {
    /// Lets in requests for these names of the machine, and for those that it has anyway. With a
    /// token, requests must have it.
    pub fn new(token: Option<Token>, mut hosts: Vec<String>) -> Self {
        hosts.push("localhost".to_owned());
        hosts.extend(name_of_machine());
        hosts.iter_mut().for_each(|host| host.make_ascii_lowercase());
        Access { token, hosts }
    }

    /// Checks a request.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn check<B>(&self, request: &Request<B>) -> Result<(), Refusal> {
        self.check_host(request.headers(), request.uri())?;
        match &self.token {
            Some(token) if !has_token(request, token) => Err(Refusal {
                status: StatusCode::UNAUTHORIZED,
                reason: "the page needs its token: open the URL that the program printed"
                    .to_owned(),
            }),
            _ => Ok(()),
        }
    }

    fn check_host(&self, headers: &HeaderMap, uri: &Uri) -> Result<(), Refusal> {
        let mut named = headers.get_all(HOST).iter();
        let host = match (uri.authority(), named.next(), named.next()) {
            (Some(authority), ..) => Some(authority.as_str()),
            (None, Some(host), None) => host.to_str().ok(),
            _ => None,
        };
        match host {
            Some(host) if self.knows(host) => Ok(()),
            Some(host) => Err(Refusal {
                status: StatusCode::MISDIRECTED_REQUEST,
                reason: format!(
                    "this machine is not called {host:?}: use localhost or its address"
                ),
            }),
            None => Err(Refusal {
                status: StatusCode::BAD_REQUEST,
                reason: "a request names one host".to_owned(),
            }),
        }
    }

    /// Returns `true` if a host, with or without a port, is this machine. Nobody can point an IP
    /// address elsewhere, so each address passes.
    fn knows(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<hyper::http::uri::Authority>() else { return false };
        let name = authority.host().to_ascii_lowercase();
        let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        let is_address = address.unwrap_or(&name).parse::<IpAddr>().is_ok();
        is_address || self.hosts.contains(&name)
    }
}

/// Returns `true` if a request has the token, in a header or in its URL.
fn has_token<B>(request: &Request<B>, token: &Token) -> bool {
    let header = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let bearer = header.and_then(|value| {
        let (scheme, given) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| given.trim())
    });
    let query = request.uri().query().unwrap_or_default();
    let given = query.split('&').find_map(|part| part.strip_prefix("token="));
    [bearer, given].into_iter().flatten().any(|given| token.is(given))
}

/// Returns the name that the system knows for this machine.
#[cfg(unix)]
fn name_of_machine() -> Option<String> {
    rustix::system::uname().nodename().to_str().ok().map(str::to_owned)
}

/// Returns nothing: the system is not asked.
#[cfg(not(unix))]
fn name_of_machine() -> Option<String> {
    None
}
