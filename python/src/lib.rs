//! The native half of the Python package `broadloom`: it translates between Python's objects and
//! the engine, and computes nothing itself.
//!
//! A call goes through three modules. [`buffers`] takes what Python hands in and makes slices of
//! it, [`windows`] brings jobs over these slices to their end without the GIL, and [`results`]
//! makes what Python gets back.

mod age;
mod arguments;
mod arrow;
mod buffers;
mod compression;
mod engine;
mod error;
mod files;
mod hasher;
mod hashing;
mod many;
mod memory;
mod packets;
mod process;
mod queues;
mod repository;
mod results;
mod session;
mod signals;
mod stream;
mod windows;

use pyo3::prelude::*;

/// The module `broadloom._broadloom`. Users import `broadloom`.
#[pymodule]
mod _broadloom {
    use pyo3::prelude::*;

    /// Adds what is not exported below: the version of the package, and the exception for panics.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::error::define_internal_error(module.py())?;
        module.add("InternalError", module.py().get_type::<crate::error::InternalError>())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    #[pymodule_export]
    use crate::age::{age_decrypt, age_encrypt, age_keygen};
    #[pymodule_export]
    use crate::arrow::array::{Array, ChunkedArray};
    #[pymodule_export]
    use crate::arrow::columns::{decrypt_column, encrypt_column, hash_column, hmac_column};
    #[pymodule_export]
    use crate::error::InvalidTag;
    #[pymodule_export]
    use crate::files::{hash_chunks, hash_files};
    #[pymodule_export]
    use crate::hasher::Hasher;
    #[pymodule_export]
    use crate::many::aead::{open_many, seal_many};
    #[pymodule_export]
    use crate::many::compress::{compress, compress_many, decompress, decompress_many};
    #[pymodule_export]
    use crate::many::hash::{hash_many, hmac_many};
    #[pymodule_export]
    use crate::many::kem::kem_many;
    #[pymodule_export]
    use crate::many::keys::generate_keys;
    #[pymodule_export]
    use crate::many::sign::{sign_many, verify_many};
    #[pymodule_export]
    use crate::packets::{
        Flow, PacketError, packets_esp, packets_quic, packets_quic_initial, packets_records,
        packets_srtp, packets_wireguard,
    };
    #[pymodule_export]
    use crate::queues::{QueuePair, Workers};
    #[pymodule_export]
    use crate::repository::Repository;
    #[pymodule_export]
    use crate::session::{Job, Session};
    #[pymodule_export]
    use crate::stream::Coder;
}
