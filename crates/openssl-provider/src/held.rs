//! Keys that are held here, as bytes: of KEMs and of ML-DSA.
//!
//! The default provider has them since OpenSSL 3.5. With an older one, everything is done here.

mod facts;
mod key;
mod management;

pub use facts::HeldType;
pub use key::{HeldKey, Made, Theirs, default_has, in_words, is_here, keyless};
pub use management::functions_of;
