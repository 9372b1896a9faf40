//! What is answered to each path.

use std::convert::Infallible;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header::{
    ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue,
    REFERRER_POLICY, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Method, Request, Response, StatusCode};

use super::access::Refusal;
use super::document::Document;
use super::server::Server;
use crate::{OPENMETRICS_TYPE, PROMETHEUS_TYPE};

/// The body of an answer.
pub type Body = BoxBody<Bytes, Infallible>;

const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";
const EVENTS: &str = "text/event-stream";

/// Answers a request.
pub fn answer<B>(server: &Server, request: &Request<B>) -> Response<Body> {
    let mut response = match server.access().check(request) {
        Ok(()) => route(server, request),
        Err(refusal) => refused(&refusal),
    };
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // The URL may contain the token.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    let resource_policy = HeaderName::from_static("cross-origin-resource-policy");
    headers.insert(resource_policy, HeaderValue::from_static("same-origin"));
    headers
        .entry(CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
    response
}

fn route<B>(server: &Server, request: &Request<B>) -> Response<Body> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "the page only answers GET\n");
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    match request.uri().path() {
        "/" => document(),
        "/snapshot.json" => of_kind(JSON, full(server.snapshot_json())),
        "/events" => of_kind(EVENTS, server.events()),
        "/metrics" => metrics(server, request),
        _ => {
            let paths = "there are /, /snapshot.json, /events and /metrics\n";
            text(StatusCode::NOT_FOUND, paths)
        }
    }
}

/// Answers with the text that a server of Prometheus asks for. One that reads OpenMetrics says so.
fn metrics<B>(server: &Server, request: &Request<B>) -> Response<Body> {
    let accepted = request.headers().get_all(ACCEPT).into_iter();
    let mut accepted = accepted.filter_map(|kinds| kinds.to_str().ok());
    let snapshot = server.snapshot();
    match accepted.any(|kinds| kinds.contains("application/openmetrics-text")) {
        true => of_kind(OPENMETRICS_TYPE, full(snapshot.to_openmetrics())),
        false => of_kind(PROMETHEUS_TYPE, full(snapshot.to_prometheus())),
    }
}

fn document() -> Response<Body> {
    match Document::new() {
        Ok(Document { text, policy }) => {
            let mut response = of_kind(HTML, full(text));
            response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
            response
        }
        Err(error) => text(StatusCode::INTERNAL_SERVER_ERROR, &format!("{error}\n")),
    }
}

fn refused(refusal: &Refusal) -> Response<Body> {
    let mut response = text(refusal.status, &format!("{}\n", refusal.reason));
    if refusal.status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

fn text(status: StatusCode, text: &str) -> Response<Body> {
    let mut response = of_kind(TEXT, full(text.to_owned()));
    *response.status_mut() = status;
    response
}

fn of_kind(kind: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

fn full(text: impl Into<Bytes>) -> Body {
    Full::new(text.into()).boxed()
}
