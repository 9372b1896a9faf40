//! OpenSSL 3: algorithms fetched once, contexts made once and reused, the fast way through EVP.

use std::ffi::{CStr, CString};
use std::ops::Range;

use broadloom_engine::{AesSize, Direction, HashAlgorithm};
use broadloom_openssl::evp::{
    Cipher, CipherContext, Digest, DigestContext, EvpError, InOut, Libcrypto, Mac, MacContext,
};

use super::Absent;
use crate::contender::Contender;
use crate::direct::Direct;
use crate::error::PerfError;
use crate::names::{Peer, Provider};
use crate::workset::{Outputs, Workset};

/// libcrypto, opened.
pub struct Api(&'static Libcrypto);

impl Api {
    /// Opens version 3 of libcrypto.
    ///
    /// # Errors
    /// It is not installed, or lacks a function of 3.0.
    pub fn load() -> Result<Api, Absent> {
        match Libcrypto::get() {
            Ok(library) => Ok(Api(library)),
            Err(error) => Err(Absent::because(Peer::OpenSsl, error)),
        }
    }

    /// The library's own name for its version, such as `OpenSSL 3.0.2 15 Mar 2022`.
    pub fn version(&self) -> String {
        self.0.version().to_owned()
    }
}

/// What is made once: a context for all buffers, or one for each key.
enum Kind {
    Digest(DigestContext),
    Mac(Vec<MacContext>),
    Cipher(Vec<CipherContext>),
}

/// OpenSSL at work on a set of buffers.
pub struct OpenSsl<'a> {
    kind: Kind,
    api: &'a Api,
    workset: &'a Workset,
    outputs: Outputs,
}

impl<'a> OpenSsl<'a> {
    /// Fetches the algorithm, and makes a context for every key.
    ///
    /// # Errors
    /// OpenSSL refuses; it may be configured without the algorithm.
    pub fn new(
        api: &'a Api,
        workset: &'a Workset,
        direction: Direction,
    ) -> Result<OpenSsl<'a>, PerfError> {
        let direct = Direct::try_from(workset.algorithm())?;
        let kind = kind(api.0, direct, workset, direction).map_err(failed)?;
        Ok(OpenSsl { kind, api, workset, outputs: Outputs::new(workset) })
    }
}

fn kind(
    library: &'static Libcrypto,
    direct: Direct,
    workset: &Workset,
    direction: Direction,
) -> Result<Kind, EvpError> {
    let keys = (0..workset.len()).map(|index| workset.key(index));
    Ok(match direct {
        Direct::Digest(hash) => {
            Kind::Digest(DigestContext::new(&Digest::fetch(library, &hash_name(hash))?)?)
        }
        Direct::Hmac(hash) => {
            let hmac = Mac::fetch(library, c"HMAC")?;
            let name = hash_name(hash);
            let contexts = keys.map(|key| MacContext::hmac(&hmac, &name, key));
            Kind::Mac(contexts.collect::<Result<_, _>>()?)
        }
        Direct::AesCbc(size) => {
            let cipher = Cipher::fetch(library, cipher_name(size))?;
            let encrypt = direction != Direction::Decrypt;
            let contexts = keys.map(|key| CipherContext::new(&cipher, key, encrypt));
            Kind::Cipher(contexts.collect::<Result<_, _>>()?)
        }
    })
}

fn failed(error: EvpError) -> PerfError {
    PerfError::Peer { provider: Provider::OpenSsl, call: error.call }
}

fn hash_name(hash: HashAlgorithm) -> CString {
    CString::new(hash.name().to_ascii_uppercase()).expect("names have no zero byte")
}

fn cipher_name(size: AesSize) -> &'static CStr {
    match size {
        AesSize::Aes128 => c"AES-128-CBC",
        AesSize::Aes192 => c"AES-192-CBC",
        AesSize::Aes256 => c"AES-256-CBC",
    }
}

impl OpenSsl<'_> {
    fn process(&mut self, range: Range<usize>) -> Result<(), EvpError> {
        let (workset, outputs) = (self.workset, &mut self.outputs);
        match &mut self.kind {
            Kind::Digest(context) => {
                for index in range {
                    context.restart()?;
                    context.update(workset.buffer(index))?;
                    context.finish(outputs.get_mut(index))?;
                }
            }
            Kind::Mac(contexts) => {
                for index in range {
                    let context = &mut contexts[index];
                    context.restart()?;
                    context.update(workset.buffer(index))?;
                    context.finish(outputs.get_mut(index))?;
                }
            }
            Kind::Cipher(contexts) => {
                for index in range {
                    let context = &mut contexts[index];
                    context.restart(workset.iv(index))?;
                    let text = InOut::apart(workset.buffer(index), outputs.get_mut(index));
                    context.update(text)?;
                }
            }
        }
        Ok(())
    }
}

impl Contender for OpenSsl<'_> {
    fn provider(&self) -> Provider {
        Provider::OpenSsl
    }

    fn kernel(&self) -> String {
        let version = self.api.0.short_version();
        format!("evp {}", version.rsplit(' ').next().unwrap_or(version))
    }

    fn burst(&mut self, range: Range<usize>) -> Result<(), PerfError> {
        self.process(range).map_err(failed)
    }

    /// OpenSSL completes each buffer at once.
    fn submit(&mut self, range: Range<usize>) -> Result<(), PerfError> {
        self.burst(range)
    }

    fn flush(&mut self) -> Result<(), PerfError> {
        Ok(())
    }

    fn output(&self, index: usize) -> &[u8] {
        self.outputs.get(index)
    }

    fn clear(&mut self) {
        self.outputs.clear();
    }
}
