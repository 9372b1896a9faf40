//! Records of TLS, against the RFCs' traces, RustCrypto and rustls.

pub mod peer;
pub mod reference;
mod v12;
mod v12_rustls;
mod v13;
mod v13_rustls;
