//! The option `--metrics-addr`: a page that shows what the program does while it runs.

use std::env::{self, VarError};

use broadloom_metrics::page::{Options, Page, Token, serve_from};
use broadloom_metrics::{Listening, Snapshot, listen, start};
use clap::Args;

use crate::message::{complain, reason};

/// The environment's name for the token of a page.
pub const TOKEN: &str = "BROADLOOM_METRICS_TOKEN";

/// What a program offers of its counters.
#[derive(Args, Debug, Default, Clone)]
pub struct MetricsArgs {
    /// Serve a page at ADDR (such as 127.0.0.1:9090, or with port 0 any that is free) that shows
    /// what the program does, and its metrics for Prometheus; `broadloom top` finds the program,
    /// too. If other machines reach ADDR, requests need a token: BROADLOOM_METRICS_TOKEN, or one
    /// that is made and printed
    #[arg(long, global = true, value_name = "ADDR")]
    metrics_addr: Option<String>,
}

/// Counters that are offered until this is dropped.
#[derive(Debug)]
#[must_use = "counters are offered until this is dropped"]
pub struct Offered {
    _page: Page,
    _socket: Option<Listening>,
}

impl MetricsArgs {
    /// Offers the counters if the option was given, and prints the URL of the page on standard
    /// error. A program whose socket cannot be made says so, and goes on without it.
    ///
    /// # Errors
    /// A message, if the page cannot be served.
    pub fn offer(&self, program: &str) -> Result<Option<Offered>, String> {
        let Some(address) = &self.metrics_addr else { return Ok(None) };
        let token = match env::var(TOKEN) {
            Ok(token) => Some(token.parse::<Token>().map_err(|error| format!("{TOKEN}: {error}"))?),
            Err(VarError::NotPresent) => None,
            Err(VarError::NotUnicode(_)) => return Err(format!("{TOKEN} is not UTF-8")),
        };
        let options = Options { token, ..Options::default() };
        start();
        let page = serve_from(address, options, Snapshot::now).map_err(|error| {
            format!("--metrics-addr: cannot serve a page at {address:?}: {}", reason(&error))
        })?;
        complain(program, &format!("metrics at {}", page.url()));
        let socket = listen();
        if let Err(error) = &socket {
            complain(program, &format!("`broadloom top` needs the page's URL: {}", reason(error)));
        }
        Ok(Some(Offered { _page: page, _socket: socket.ok() }))
    }
}
