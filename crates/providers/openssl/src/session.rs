//! Sessions: contexts with their keys.

use broadloom_engine::provider::{Buffers, Parts, ProviderError, ProviderSession, Text};
use broadloom_engine::{
    AeadAlgorithm, Algorithm, CipherAlgorithm, Direction, JobError, MAX_TAG, MacAlgorithm,
    Transform,
};

use zeroize::Zeroizing;

use crate::aead::{Aead, Mode};
use crate::algorithms::{
    Algorithms, CMAC, HMAC, KMAC128, KMAC256, aead_name, cipher_name, digest_name,
};
use crate::cbc::{Cbc, CbcContext};
use crate::contexts::{Contexts, Duplicate};
use crate::des_ctr::{DesCtr, KeyStream};
use crate::direct::Direct;
use crate::evp::{CipherContext, DigestContext, EvpError, InOut, Libcrypto, MacContext};
use crate::hash::Hash;
use crate::mac::{Gmac, Mac};
use crate::options::{ContextMode, Options};
use crate::public_key::PublicKey;
use crate::slots::{Number, Numbers};

/// The longest key that libcrypto's HMAC takes, in bytes.
const MAX_HMAC_KEY: usize = i32::MAX as usize;

/// The keys that libcrypto's KMAC takes, in bytes.
const KMAC_KEYS: std::ops::RangeInclusive<usize> = 4..=512;

/// A session of the provider.
pub(crate) struct OpenSslSession {
    work: OpenSslWork,
    /// The tag that is made is not for the caller, but to be compared.
    pub verifies: bool,
    kernel: String,
}

enum OpenSslWork {
    Hash(Hash),
    Mac(Mac),
    Gmac(Gmac),
    AesCbc(Cbc<16>),
    DesCbc(Cbc<8>),
    Direct(Direct),
    DesCtr(DesCtr),
    Aead(Aead),
    PublicKey(Box<PublicKey>),
}

/// The parts of sessions.
pub(crate) struct Workshop<'p> {
    pub library: &'static Libcrypto,
    pub algorithms: &'p Algorithms,
    pub options: Options,
    pub numbers: &'p Numbers,
}

impl Workshop<'_> {
    pub(crate) fn open(&self, transform: &Transform) -> Result<OpenSslSession, ProviderError> {
        let (key, direction) = (transform.key(), transform.direction());
        let unknown = || Algorithms::unknown(transform.algorithm());
        let (work, name) = match transform.algorithm() {
            Algorithm::Hash(hash) => {
                let name = digest_name(hash);
                let context = DigestContext::new(self.algorithms.digest(hash)?);
                let context = context.map(|context| context.with_len(transform.tag_len()));
                let work = OpenSslWork::Hash(Hash { contexts: self.contexts(context)? });
                (work, name.to_string_lossy().into_owned())
            }
            Algorithm::Mac(MacAlgorithm::Hmac(hash)) => {
                if key.len() > MAX_HMAC_KEY {
                    let (len, max) = (key.len(), MAX_HMAC_KEY);
                    return Err(ProviderError::new(format!(
                        "a key of {len} bytes is too long for libcrypto's HMAC, which takes {max}"
                    )));
                }
                let (mac, name) = (self.algorithms.mac(HMAC)?, digest_name(hash));
                self.algorithms.digest(hash)?;
                let work = self.mac(MacContext::hmac(mac, &name, key))?;
                (work, format!("HMAC {}", name.to_string_lossy()))
            }
            Algorithm::Mac(kmac @ (MacAlgorithm::Kmac128 | MacAlgorithm::Kmac256)) => {
                if !KMAC_KEYS.contains(&key.len()) {
                    return Err(ProviderError::new(format!(
                        "libcrypto's KMAC takes keys of {} to {} bytes, not {}",
                        KMAC_KEYS.start(),
                        KMAC_KEYS.end(),
                        key.len()
                    )));
                }
                let name = if kmac == MacAlgorithm::Kmac128 { KMAC128 } else { KMAC256 };
                let len = transform.tag_len() as u32;
                let work = self.mac(MacContext::kmac(self.algorithms.mac(name)?, key, len))?;
                (work, name.to_string_lossy().into_owned())
            }
            Algorithm::Mac(MacAlgorithm::AesCmac(size)) => {
                let name = cipher_name(CipherAlgorithm::AesCbc(size)).ok_or_else(unknown)?;
                let mac = self.algorithms.mac(CMAC)?;
                self.algorithms.cipher(name)?;
                let work = self.mac(MacContext::cmac(mac, name, key))?;
                (work, format!("CMAC {}", name.to_string_lossy()))
            }
            Algorithm::Mac(MacAlgorithm::AesGmac(size)) => {
                let name = aead_name(AeadAlgorithm::AesGcm(size)).ok_or_else(unknown)?;
                let context = CipherContext::new(self.algorithms.cipher(name)?, key, true);
                let work = OpenSslWork::Gmac(Gmac { contexts: self.contexts(context)? });
                (work, name.to_string_lossy().into_owned())
            }
            Algorithm::Cipher(cipher) => {
                let name = cipher_name(cipher).ok_or_else(unknown)?;
                let encrypts = direction == Direction::Encrypt;
                let context = CipherContext::new(self.algorithms.cipher(name)?, key, encrypts);
                let again = self.options.again;
                let work = match cipher {
                    CipherAlgorithm::AesCbc(_) => {
                        let contexts = self.contexts(context.map(CbcContext::new))?;
                        OpenSslWork::AesCbc(Cbc { contexts, encrypts, again })
                    }
                    CipherAlgorithm::TripleDesCbc | CipherAlgorithm::DesCbc => {
                        let contexts = self.contexts(context.map(CbcContext::new))?;
                        OpenSslWork::DesCbc(Cbc { contexts, encrypts, again })
                    }
                    // Both directions add the same key stream.
                    CipherAlgorithm::TripleDesCtr | CipherAlgorithm::DesCtr => {
                        let context = CipherContext::new(self.algorithms.cipher(name)?, key, true);
                        let contexts = self.contexts(context)?;
                        let keys = again.keys && cipher == CipherAlgorithm::TripleDesCtr;
                        let again = keys.then(|| (name, Zeroizing::new(key.to_vec())));
                        OpenSslWork::DesCtr(DesCtr { contexts, again })
                    }
                    CipherAlgorithm::Rc4 => OpenSslWork::Direct(Direct {
                        contexts: self.contexts_per_job(context)?,
                        again,
                    }),
                    _ => OpenSslWork::Direct(Direct { contexts: self.contexts(context)?, again }),
                };
                let over =
                    if matches!(work, OpenSslWork::DesCtr(_)) { " over counters" } else { "" };
                (work, format!("{}{over}", name.to_string_lossy()))
            }
            Algorithm::Aead(aead) => {
                let name = aead_name(aead).ok_or_else(unknown)?;
                let seals = direction == Direction::Seal;
                let mode = match aead {
                    AeadAlgorithm::AesCcm(_) => Mode::Ccm,
                    _ => Mode::Streamed,
                };
                let cipher = self.algorithms.cipher(name)?;
                let context = CipherContext::with_tag_len(cipher, key, seals, transform.tag_len());
                let contexts = self.contexts(context)?;
                (
                    OpenSslWork::Aead(Aead { contexts, mode, seals }),
                    name.to_string_lossy().into_owned(),
                )
            }
            Algorithm::PublicKey(_) => {
                let work = OpenSslWork::PublicKey(Box::new(self.public_key(transform)?));
                (work, Workshop::public_key_name(transform))
            }
            Algorithm::Compression(_) => {
                return Err(ProviderError::new("libcrypto compresses nothing"));
            }
            Algorithm::Chain(..) => {
                return Err(ProviderError::new("chains are opened half by half"));
            }
            _ => return Err(unknown()),
        };
        Ok(OpenSslSession {
            work,
            verifies: direction == Direction::Verify && transform.tag_len() > 0,
            kernel: format!("{} {name}", self.library.short_version()),
        })
    }

    pub(crate) fn contexts<T: Duplicate>(
        &self,
        main: Result<T, EvpError>,
    ) -> Result<Contexts<T>, ProviderError> {
        let main = main.map_err(|error| self.failed(error))?;
        Ok(Contexts::new(main, &self.options, self.numbers))
    }

    /// For contexts that cannot begin again: a new one for every message, whatever the options say.
    fn contexts_per_job<T: Duplicate>(
        &self,
        main: Result<T, EvpError>,
    ) -> Result<Contexts<T>, ProviderError> {
        let options = Options { contexts: ContextMode::PerJob, ..self.options };
        Workshop { options, ..*self }.contexts(main)
    }

    fn mac(&self, main: Result<MacContext, EvpError>) -> Result<OpenSslWork, ProviderError> {
        let contexts = match self.library.restarts_macs() {
            true => self.contexts(main)?,
            false => self.contexts_per_job(main)?,
        };
        Ok(OpenSslWork::Mac(Mac { contexts }))
    }

    pub(crate) fn failed(&self, error: EvpError) -> ProviderError {
        ProviderError::new(format!("{}: {error}", self.library.short_version()))
    }
}

impl OpenSslSession {
    /// Does an operation's work; a digest or tag that is made goes to `made`, or to where the
    /// operation has it.
    // Not inlined: its parts would be moved about once more.
    #[inline(never)]
    pub(crate) fn run(
        parts: Parts<'_, OpenSslSession>,
        number: &mut Number,
        stream: &mut KeyStream,
        made: Option<&mut [u8; MAX_TAG]>,
    ) -> Result<(), JobError> {
        let Parts { session, text, nonce, associated, tag, tag_len, .. } = parts;
        match &session.work {
            OpenSslWork::AesCbc(cipher) => cipher.run(number, nonce, text),
            OpenSslWork::DesCbc(cipher) => cipher.run(number, nonce, text),
            OpenSslWork::Direct(cipher) => cipher.run(number, nonce, in_out(text)?),
            OpenSslWork::Aead(aead) => {
                aead.run(number, nonce, associated, in_out(text)?, &mut tag[..tag_len])
            }
            OpenSslWork::Mac(mac) => mac.run(number, text.input(), room(made, tag)),
            OpenSslWork::Hash(hash) => hash.run(number, text.input(), room(made, tag)),
            OpenSslWork::Gmac(gmac) => gmac.run(number, nonce, text.input(), room(made, tag)),
            OpenSslWork::DesCtr(cipher) => cipher.run(number, nonce, text, stream),
            // It has other parts.
            OpenSslWork::PublicKey(_) => Err(JobError::NotDone),
        }
    }

    /// The session's part for a public-key algorithm; `None` for anything else.
    pub(crate) fn public_key(&self) -> Option<&PublicKey> {
        match &self.work {
            OpenSslWork::PublicKey(work) => Some(work),
            _ => None,
        }
    }
}

/// Returns where a digest or a tag goes: to `made`, if there is any, or else to an operation's tag.
#[inline]
fn room<'t>(made: Option<&'t mut [u8; MAX_TAG]>, tag: &'t mut [u8]) -> &'t mut [u8; MAX_TAG] {
    match made {
        Some(made) => made,
        None => tag.first_chunk_mut().expect("an operation has room for the longest tag"),
    }
}

/// A text of the engine's as libcrypto takes it.
///
/// # Errors
/// It can only be read.
#[inline]
fn in_out(text: Text<'_>) -> Result<InOut<'_>, JobError> {
    match text {
        Text::Write(Buffers::InPlace(data)) => Ok(data.into()),
        Text::Write(Buffers::Apart(source, destination)) => Ok(InOut::apart(source, destination)),
        Text::Read(_) => Err(JobError::ReadOnly),
    }
}

impl ProviderSession for OpenSslSession {
    fn kernel(&self) -> String {
        self.kernel.clone()
    }

    /// The library and its version, with which a kernel's name begins.
    fn instruction_set(&self) -> String {
        self.kernel.split(' ').take(2).collect::<Vec<_>>().join(" ")
    }

    fn bound(&self, _: usize) -> usize {
        self.public_key().map_or(0, |work| work.output_len)
    }
}
