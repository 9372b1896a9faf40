//! OpenSSL 3: algorithms fetched once, contexts made once and reused, the fast way through EVP.

use std::ffi::CString;
use std::ops::Range;

use broadloom_engine::{
    AeadAlgorithm, Algorithm, CipherAlgorithm, Direction, MacAlgorithm, PublicKeyAlgorithm,
};
use broadloom_openssl::evp::{
    Cipher, CipherContext, Digest, DigestContext, EvpError, InOut, Key, KeyContext, KeyUse,
    Libcrypto, Mac, MacContext, RsaPadding,
};

use super::buffers::{Buffers, Message};
use super::{Absent, Bare};
use crate::error::PerfError;
use crate::measure::contender::Contender;
use crate::measure::keys;
use crate::names::{Peer, Provider};

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

    /// Why an algorithm is not measured in a direction; `None` if it is.
    pub fn lacks(&self, algorithm: Algorithm, direction: Direction) -> Option<String> {
        match Method::of(self.0, algorithm, direction) {
            Ok(Ok(_)) => None,
            Ok(Err(error)) => Some(format!("{} failed: it does not have {algorithm}", error.call)),
            Err(reason) => Some(reason.to_owned()),
        }
    }
}

/// How an algorithm is asked for.
enum Method {
    Digest(Digest),
    Hmac(Mac, CString),
    Cmac(Mac, CString),
    Cipher(Cipher),
    Aead(Cipher),
    PublicKey(PublicKeyAlgorithm, Digest),
}

impl Method {
    /// Fetches what an algorithm needs. The outer error is a reason why it is not measured.
    fn of(
        library: &'static Libcrypto,
        algorithm: Algorithm,
        direction: Direction,
    ) -> Result<Result<Method, EvpError>, &'static str> {
        // Names of libcrypto do not depend on upper and lower case.
        let own = |name: &dyn ToString| CString::new(name.to_string()).expect("a name has no NUL");
        let cipher = |name: &str| Cipher::fetch(library, &own(&name));
        Ok(match algorithm {
            Algorithm::PublicKey(algorithm) => match (algorithm, direction) {
                (
                    PublicKeyAlgorithm::Rsa(_)
                    | PublicKeyAlgorithm::Ecdsa(_)
                    | PublicKeyAlgorithm::Ed25519,
                    Direction::Sign | Direction::Verify,
                ) => {
                    let digest = Digest::fetch(library, &own(&keys::scheme(algorithm).hash()));
                    digest.map(|digest| Method::PublicKey(algorithm, digest))
                }
                _ => return Err("its bare calls are measured at signatures alone"),
            },
            _ if direction == Direction::Verify => return Err("it makes tags, and compares none"),
            Algorithm::Hash(hash) if hash.is_extendable() => {
                Digest::fetch_extendable(library, &own(&hash)).map(Method::Digest)
            }
            Algorithm::Hash(hash) => Digest::fetch(library, &own(&hash)).map(Method::Digest),
            Algorithm::Mac(MacAlgorithm::Hmac(hash)) => {
                Mac::fetch(library, c"HMAC").map(|mac| Method::Hmac(mac, own(&hash)))
            }
            Algorithm::Mac(MacAlgorithm::AesCmac(size)) => {
                let name = format!("aes-{}-cbc", 8 * size.key_len());
                Mac::fetch(library, c"CMAC").map(|mac| Method::Cmac(mac, own(&name)))
            }
            Algorithm::Cipher(CipherAlgorithm::TripleDesCbc) => {
                cipher("des-ede3-cbc").map(Method::Cipher)
            }
            Algorithm::Cipher(
                CipherAlgorithm::AesCbc(_)
                | CipherAlgorithm::AesCtr(_)
                | CipherAlgorithm::AesCfb(_)
                | CipherAlgorithm::AesOfb(_),
            ) => cipher(&algorithm.to_string()).map(Method::Cipher),
            Algorithm::Aead(AeadAlgorithm::AesGcm(_) | AeadAlgorithm::ChaCha20Poly1305) => {
                cipher(&algorithm.to_string()).map(Method::Aead)
            }
            Algorithm::Chain(..) => return Err("a chain is measured as its two halves"),
            _ => return Err("its bare calls are not measured for this algorithm"),
        })
    }
}

/// What is made once: a context for all buffers, or one for each key.
enum Kind {
    Digest(DigestContext),
    Mac(Vec<MacContext>),
    Cipher(Vec<CipherContext>),
    Aead(Vec<CipherContext>),
    /// Signatures of digests of so many bytes, by RSA or ECDSA.
    Digests(Box<(DigestContext, KeyContext)>, Direction, usize),
    /// Signatures of messages, by Ed25519.
    Messages(Key, Direction),
}

/// OpenSSL at work on a set of buffers.
pub struct OpenSsl<'a> {
    kind: Kind,
    api: &'a Api,
    buffers: Buffers<'a>,
}

impl<'a> OpenSsl<'a> {
    /// Fetches the algorithm, and makes a context for every key.
    ///
    /// Returns the reason as an [`Absent`] where the algorithm is not measured.
    ///
    /// # Errors
    /// OpenSSL refuses; it may be configured without the algorithm.
    pub fn new(
        api: &'a Api,
        buffers: Buffers<'a>,
    ) -> Result<Result<OpenSsl<'a>, Absent>, PerfError> {
        let method = match Method::of(api.0, buffers.algorithm(), buffers.direction()) {
            Ok(method) => method.map_err(failed)?,
            Err(reason) => return Ok(Err(Absent::because(Peer::OpenSsl, reason))),
        };
        let kind = kind(api.0, &method, &buffers).map_err(failed)?;
        Ok(Ok(OpenSsl { kind, api, buffers }))
    }
}

fn kind(
    library: &'static Libcrypto,
    method: &Method,
    buffers: &Buffers<'_>,
) -> Result<Kind, EvpError> {
    let keys = buffers.keys().iter();
    let direction = buffers.direction();
    let with_cipher = |cipher| {
        let contexts = buffers.keys_and_directions().map(move |(key, direction)| {
            let encrypts = !matches!(direction, Direction::Decrypt | Direction::Open);
            CipherContext::new(cipher, key, encrypts)
        });
        contexts.collect::<Result<Vec<_>, _>>()
    };
    Ok(match method {
        Method::Digest(digest) => {
            Kind::Digest(DigestContext::new(digest)?.with_len(buffers.output_len()))
        }
        Method::Hmac(mac, hash) => {
            Kind::Mac(keys.map(|key| MacContext::hmac(mac, hash, key)).collect::<Result<_, _>>()?)
        }
        Method::Cmac(mac, cipher) => {
            Kind::Mac(keys.map(|key| MacContext::cmac(mac, cipher, key)).collect::<Result<_, _>>()?)
        }
        Method::Cipher(cipher) => Kind::Cipher(with_cipher(cipher)?),
        Method::Aead(cipher) => Kind::Aead(with_cipher(cipher)?),
        Method::PublicKey(algorithm, digest) => {
            let (key, what) = match (direction, keys::pair(*algorithm)) {
                (Direction::Verify, Some((_, Some(public)))) => {
                    (Key::public(library, &public.to_der())?, KeyUse::Verify)
                }
                _ => (Key::private(library, buffers.keys()[0])?, KeyUse::Sign),
            };
            match algorithm {
                PublicKeyAlgorithm::Ed25519 => Kind::Messages(key, direction),
                _ => {
                    let is_rsa = matches!(algorithm, PublicKeyAlgorithm::Rsa(_));
                    let padding = is_rsa.then_some((RsaPadding::Pkcs1v15, digest));
                    let started = KeyContext::new(&key, what, padding)?;
                    let both = Box::new((DigestContext::new(digest)?, started));
                    Kind::Digests(both, direction, keys::scheme(*algorithm).hash().digest_len())
                }
            }
        }
    })
}

fn failed(error: EvpError) -> PerfError {
    PerfError::Peer { provider: Provider::OpenSsl, call: error.call }
}

impl OpenSsl<'_> {
    fn process(&mut self, range: Range<usize>) -> Result<(), EvpError> {
        let OpenSsl { kind, buffers, .. } = self;
        for index in range {
            let key = buffers.key_of(index);
            let message = buffers.message(index);
            match kind {
                Kind::Digest(context) => {
                    context.restart()?;
                    context.update(message.input)?;
                    context.finish(message.output)?;
                }
                Kind::Mac(contexts) => {
                    let context = &mut contexts[key];
                    context.restart()?;
                    context.update(message.input)?;
                    context.finish(message.output)?;
                }
                Kind::Cipher(contexts) => {
                    let context = &mut contexts[key];
                    context.restart(message.nonce)?;
                    context.update(text(message.in_place, message.input, message.output))?;
                }
                Kind::Aead(contexts) => aead(&mut contexts[key], message)?,
                Kind::Digests(contexts, direction, len) => {
                    let (hash, context) = &mut **contexts;
                    let digest = &mut [0; LONGEST_DIGEST][..*len];
                    hash.restart()?;
                    hash.update(message.input)?;
                    hash.finish(digest)?;
                    match direction {
                        Direction::Verify => is_right(context.verify(digest, message.expected))?,
                        _ => drop(context.sign(digest, message.output)?),
                    }
                }
                Kind::Messages(key, Direction::Verify) => {
                    is_right(key.verify_message(message.input, message.expected)?)?;
                }
                Kind::Messages(key, _) => {
                    let room = message.output.first_chunk_mut().ok_or(WRONG)?;
                    key.sign_message(message.input, room)?;
                }
            }
        }
        Ok(())
    }
}

/// Bytes of the longest digest that is signed: SHA-512's.
const LONGEST_DIGEST: usize = 64;

/// A signature that was right does not verify.
const WRONG: EvpError = EvpError { call: "EVP_PKEY_verify", code: 0 };

fn is_right(verified: bool) -> Result<(), EvpError> {
    if verified { Ok(()) } else { Err(WRONG) }
}

/// A text in place, or from one place to another.
#[inline]
fn text<'m>(in_place: bool, input: &'m [u8], output: &'m mut [u8]) -> InOut<'m> {
    if in_place { output.into() } else { InOut::apart(input, output) }
}

/// Seals a message; or opens it, where there is a tag to check.
#[inline]
fn aead(context: &mut CipherContext, message: Message<'_>) -> Result<(), EvpError> {
    context.restart(message.nonce)?;
    if !message.expected.is_empty() {
        context.set_tag(message.expected)?;
    }
    if !message.associated.is_empty() {
        context.associate(message.associated)?;
    }
    context.update(text(message.in_place, message.input, message.output))?;
    context.finish()?;
    match message.expected.is_empty() {
        true => context.tag(message.tag),
        false => Ok(()),
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
        self.buffers.output(index)
    }

    fn clear(&mut self) {
        self.buffers.clear();
    }
}

impl Bare for OpenSsl<'_> {
    fn call(&self, _: bool) -> &'static str {
        "evp"
    }

    fn buffers(&self) -> &Buffers<'_> {
        &self.buffers
    }

    fn restore(&mut self) {
        self.buffers.restore();
    }
}
