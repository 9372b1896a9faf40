//! The tests of `broadloom-packets`, in one program.

mod dtls;
mod esp;
mod failures;
mod quic;
mod secrets;
mod srtp;
mod support;
mod tls;
mod tshark;
mod wireguard;
mod workers;
