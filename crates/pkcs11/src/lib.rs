//! Broadloom as a PKCS #11 module: `libbroadloom-pkcs11.so`.
//!
//! Programs load the module by its path and call it through [`C_GetFunctionList`] or
//! [`C_GetInterface`]. `README.md` is the guide.
//!
//! A call of PKCS #11 takes one message. So there is company only between threads: operations of
//! all sessions and threads meet in one place, and share the lanes of the engine.
//!
//! The module translates between PKCS #11 and the engine. What is more than that is a token: who is
//! logged in, attributes and what they permit, objects in files.

// The names are those of the standard. What callers have to keep is told once, in `functions`.
#![allow(non_snake_case, clippy::missing_safety_doc)]

mod attribute;
mod cipher;
mod config;
mod curve_signature;
mod digest;
mod functions;
mod generate;
mod kem;
mod key;
mod mechanism;
mod meeting;
mod memory;
mod module;
mod object;
mod parameter;
mod parameter_set;
mod pieces;
mod random;
mod seed;
mod session;
mod sign;
mod slot;
mod store;
mod sync;
mod work;
mod wrap;

pub use functions::{C_GetFunctionList, C_GetInterface, C_GetInterfaceList};
