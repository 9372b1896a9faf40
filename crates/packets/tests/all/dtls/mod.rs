//! Records of DTLS, against RustCrypto.

mod cbc;
mod v12;
mod v13;
