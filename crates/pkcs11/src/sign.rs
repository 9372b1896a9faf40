//! Signatures and MACs, made and verified.

use std::sync::Arc;

use broadloom::algorithm::AesSize;
use broadloom::data::Bytes;
use broadloom::public_key::{Curve, Padding, PrivateKey, PublicKey, Scheme};
use broadloom::{Data, HashAlgorithm, Job, MacAlgorithm, Stream};
use cryptoki_sys::*;
use zeroize::Zeroizing;

use crate::curve_signature;
use crate::digest::digest;
use crate::key::Key;
use crate::mechanism::{What, find};
use crate::memory::{Outcome, Output, append};
use crate::module::{Module, status};
use crate::object::{Object, Opened, Purpose};
use crate::parameter::{Given, Signature};
use crate::pieces::{self, MOST_KEPT};
use crate::session::{After, unless_asked};

/// A signature or a MAC of a session, made or verified.
pub struct Signing {
    object: Arc<Object>,
    how: How,
    verifies: bool,
    /// Under what a signature of SLH-DSA or ML-DSA holds; empty for all others.
    context: Vec<u8>,
    /// Bytes of a signature.
    len: usize,
    /// What has come in pieces.
    input: Input,
    /// `true` if the user has to log in once more first (`CKA_ALWAYS_AUTHENTICATE`).
    pub awaits_login: bool,
}

#[derive(Clone, Copy)]
enum How {
    Mac(MacAlgorithm),
    /// A message that the scheme hashes; of a curve, the signature has another form.
    Message(Scheme, Option<Curve>),
    /// A message that is hashed here, because the scheme takes digests alone.
    Hashed(Scheme),
    /// A digest of this length.
    Digest(Scheme, usize),
    /// What is hashed by the caller, for a curve.
    CurveDigest(Curve),
    /// A message that cannot be hashed before.
    Whole(Scheme),
    /// Bytes that are padded by PKCS #1 v1.5.
    Padded,
    /// A number.
    Raw,
}

enum Input {
    Nothing,
    /// To be hashed or authenticated.
    Streamed(Stream),
    Kept(Zeroizing<Vec<u8>>),
}

impl Signing {
    /// Begins to sign or to verify.
    ///
    /// # Errors
    /// `CKR_MECHANISM_INVALID`, `CKR_MECHANISM_PARAM_INVALID`, `CKR_KEY_SIZE_RANGE`,
    /// `CKR_KEY_TYPE_INCONSISTENT`.
    pub fn new(
        module: &Module,
        object: Arc<Object>,
        given: &Given<'_>,
        verifies: bool,
    ) -> Outcome<Signing> {
        let (modulus, curve) = match object.key()? {
            Key::Private(PrivateKey::Rsa(key)) => (key.public().size().modulus_len(), None),
            Key::Public(PublicKey::Rsa(key)) => (key.size().modulus_len(), None),
            Key::Private(PrivateKey::Ec(key)) => (0, Some(key.curve())),
            Key::Public(PublicKey::Ec(key)) => (0, Some(key.curve())),
            _ => (0, None),
        };
        let what = find(given.id)?;
        let is_general =
            matches!(what, What::Hmac { general, .. } | What::Cmac { general } if general);
        let has_parameter = matches!(
            what,
            What::RsaPss
                | What::RsaPssOf(_)
                | What::Eddsa
                | What::SlhDsa
                | What::SlhDsaOfDigest
                | What::SlhDsaOf(_)
                | What::MlDsa
                | What::MlDsaOfDigest
                | What::MlDsaOf(_)
        );
        if !is_general && !has_parameter {
            given.none()?;
        }
        let tag_len = |most| if is_general { given.tag_len(most) } else { Ok(most) };
        let of_curve = || curve.ok_or(CKR_KEY_TYPE_INCONSISTENT);
        let mut context = Vec::new();
        let mut under = |parameters: Signature, scheme: Scheme| {
            context = parameters.context;
            // Whoever verifies need not know whether a signature is hedged.
            if parameters.is_hedged && !verifies { scheme.hedged() } else { scheme }
        };
        let (how, len) = match what {
            What::Hmac { hash, .. } => {
                (How::Mac(MacAlgorithm::Hmac(hash)), tag_len(hash.digest_len())?)
            }
            What::Cmac { .. } => {
                let size = match object.key()? {
                    Key::Secret(key) => AesSize::ALL.into_iter().find(|s| s.key_len() == key.len()),
                    _ => None,
                };
                (How::Mac(MacAlgorithm::AesCmac(size.ok_or(CKR_KEY_SIZE_RANGE)?)), tag_len(16)?)
            }
            What::RsaPkcs => (How::Padded, modulus),
            What::RsaRaw => (How::Raw, modulus),
            What::RsaPkcsOf(hash) => (How::Message(Scheme::new(hash), None), modulus),
            What::RsaPss => {
                let (hash, salt_len) = given.pss()?;
                let scheme = Scheme::new(hash).padding(Padding::Pss { salt_len }).prehashed();
                (How::Digest(scheme, hash.digest_len()), modulus)
            }
            What::RsaPssOf(hash) => {
                let (other, salt_len) = given.pss()?;
                if other != hash {
                    return Err(CKR_MECHANISM_PARAM_INVALID);
                }
                let scheme = Scheme::new(hash).padding(Padding::Pss { salt_len });
                (How::Message(scheme, None), modulus)
            }
            What::Ecdsa => {
                let curve = of_curve()?;
                (How::CurveDigest(curve), 2 * curve.coordinate_len())
            }
            What::EcdsaOf(hash) => {
                let curve = of_curve()?;
                (How::Message(Scheme::new(hash), Some(curve)), 2 * curve.coordinate_len())
            }
            What::Eddsa => {
                given.plain_eddsa()?;
                (How::Whole(Scheme::default()), 64)
            }
            What::SlhDsa
            | What::SlhDsaOfDigest
            | What::SlhDsaOf(_)
            | What::MlDsa
            | What::MlDsaOfDigest
            | What::MlDsaOf(_) => {
                // The mechanism takes keys of one of the two types.
                let len = match object.key()? {
                    Key::Private(PrivateKey::SlhDsa(key)) => key.set().signature_len(),
                    Key::Public(PublicKey::SlhDsa(key)) => key.set().signature_len(),
                    Key::Private(PrivateKey::MlDsa(key)) => key.set().signature_len(),
                    Key::Public(PublicKey::MlDsa(key)) => key.set().signature_len(),
                    _ => return Err(CKR_KEY_TYPE_INCONSISTENT),
                };
                let how = match what {
                    What::SlhDsaOf(hash) | What::MlDsaOf(hash) => {
                        let scheme = Scheme::new(hash).prehashed();
                        How::Hashed(under(given.signature()?, scheme))
                    }
                    What::SlhDsaOfDigest | What::MlDsaOfDigest => {
                        let (parameters, hash) = given.digest_signature()?;
                        let scheme = under(parameters, Scheme::new(hash).prehashed());
                        How::Digest(scheme, hash.digest_len())
                    }
                    _ => How::Whole(under(given.signature()?, Scheme::default())),
                };
                (how, len)
            }
            _ => return Err(CKR_MECHANISM_INVALID),
        };
        let awaits_login = object.attributes.is(CKA_ALWAYS_AUTHENTICATE);
        let input = Input::Nothing;
        let signing = Signing { object, how, verifies, context, len, input, awaits_login };
        // What the key cannot do is found out now, and not by the first signature.
        signing.session(module)?;
        Ok(signing)
    }

    /// The engine's session, as of the operation's beginning.
    fn session(&self, module: &Module) -> Outcome<Opened> {
        let purpose = match self.how {
            How::Mac(algorithm) => {
                Purpose::Mac { algorithm, tag_len: self.len, verifies: self.verifies }
            }
            How::Padded | How::Raw if self.verifies => Purpose::Encrypt(Scheme::bare()),
            How::Padded | How::Raw => Purpose::Decrypt(Scheme::bare()),
            How::Message(scheme, _)
            | How::Hashed(scheme)
            | How::Digest(scheme, _)
            | How::Whole(scheme) => self.signs_with(scheme),
            How::CurveDigest(_) => self.signs_with(Scheme::new(HashAlgorithm::Sha256).prehashed()),
        };
        self.object.open_under(&module.registry, purpose, &self.context)
    }

    fn signs_with(&self, scheme: Scheme) -> Purpose {
        if self.verifies { Purpose::Verify(scheme) } else { Purpose::Sign(scheme) }
    }

    /// Takes a piece of the message.
    pub fn update(&mut self, module: &Module, data: &[u8]) -> (After, Outcome) {
        let result = self.take(module, data);
        (if result.is_ok() { After::GoesOn } else { After::Ends }, result)
    }

    fn take(&mut self, module: &Module, data: &[u8]) -> Outcome {
        if self.awaits_login {
            return Err(CKR_USER_NOT_LOGGED_IN);
        }
        if let Input::Nothing = self.input {
            self.input = match self.how {
                How::Mac(_) => Input::Streamed(pieces::begin(&self.session(module)?)?),
                How::Message(scheme, _) | How::Hashed(scheme) => {
                    Input::Streamed(module.begin(scheme.hash())?)
                }
                _ => Input::Kept(Zeroizing::default()),
            };
        }
        match &mut self.input {
            Input::Streamed(stream) => module.update(stream, data)?,
            Input::Kept(kept) if kept.len() + data.len() > MOST_KEPT => {
                return Err(CKR_DATA_LEN_RANGE);
            }
            Input::Kept(kept) => append(kept, data),
            Input::Nothing => {}
        }
        Ok(())
    }

    /// Signs a whole message.
    pub fn sign(&mut self, module: &Module, data: &[u8], mut output: Output) -> (After, Outcome) {
        let given = self.begun().and_then(|()| output.ask(self.len)).and_then(|goes_on| {
            if !goes_on {
                return Ok(false);
            }
            output.give(&self.signature(module, data)?)
        });
        unless_asked(given)
    }

    /// Signs what has come in pieces.
    pub fn sign_final(&mut self, module: &Module, mut output: Output) -> (After, Outcome) {
        let given = output.ask(self.len).and_then(|goes_on| {
            if !goes_on {
                return Ok(false);
            }
            if self.awaits_login {
                return Err(CKR_USER_NOT_LOGGED_IN);
            }
            let signature = match std::mem::replace(&mut self.input, Input::Nothing) {
                Input::Streamed(stream) => {
                    let made = module.finish(stream)?;
                    match self.how {
                        How::Message(scheme, curve) => {
                            self.of_digest(module, scheme.prehashed(), curve, &made)?
                        }
                        How::Hashed(scheme) => self.of_digest(module, scheme, None, &made)?,
                        _ => made,
                    }
                }
                Input::Kept(kept) => self.signature(module, &kept)?,
                Input::Nothing => self.signature(module, &[])?,
            };
            output.give(&signature)
        });
        unless_asked(given)
    }

    /// # Errors
    /// `CKR_OPERATION_ACTIVE`: pieces have come, and a final call is due.
    fn begun(&self) -> Outcome {
        match self.input {
            Input::Nothing => Ok(()),
            _ => Err(CKR_OPERATION_ACTIVE),
        }
    }

    fn signature(&self, module: &Module, data: &[u8]) -> Outcome<Zeroizing<Vec<u8>>> {
        if self.awaits_login {
            return Err(CKR_USER_NOT_LOGGED_IN);
        }
        match self.how {
            How::Mac(_) => module.compute(&self.session(module)?, data.to_vec()),
            How::Padded | How::Raw => module.compute(&self.session(module)?, self.block(data)?),
            How::CurveDigest(curve) => {
                let (scheme, digest) = curve_digest(curve, data)?;
                self.of_digest(module, scheme, Some(curve), &digest)
            }
            How::Message(scheme, curve) => self.of_digest(module, scheme, curve, data),
            How::Hashed(scheme) => {
                self.of_digest(module, scheme, None, &digest(module, scheme.hash(), data)?)
            }
            How::Digest(scheme, len) => {
                if data.len() != len {
                    return Err(CKR_DATA_LEN_RANGE);
                }
                self.of_digest(module, scheme, None, data)
            }
            How::Whole(scheme) => self.of_digest(module, scheme, None, data),
        }
    }

    /// A signature by a scheme, of a message or a digest.
    fn of_digest(
        &self,
        module: &Module,
        scheme: Scheme,
        curve: Option<Curve>,
        data: &[u8],
    ) -> Outcome<Zeroizing<Vec<u8>>> {
        let purpose = self.signs_with(scheme);
        let session = self.object.open_under(&module.registry, purpose, &self.context)?;
        let signature = module.compute(&session, data.to_vec())?;
        match curve {
            Some(curve) => {
                let plain = curve_signature::from_der(curve, &signature);
                plain.map(Zeroizing::new).ok_or(CKR_GENERAL_ERROR)
            }
            None => Ok(signature),
        }
    }

    /// The number that RSA works on.
    fn block(&self, data: &[u8]) -> Outcome<Vec<u8>> {
        let len = self.len;
        match self.how {
            // RFC 8017, 9.2: 0, 1, at least eight bytes 0xff, 0, and the bytes.
            How::Padded => {
                let fill = len.checked_sub(3 + data.len()).filter(|&fill| fill >= 8);
                let fill = vec![0xff; fill.ok_or(CKR_DATA_LEN_RANGE)?];
                Ok([&[0, 1], fill.as_slice(), &[0], data].concat())
            }
            _ => {
                let zeros = len.checked_sub(data.len()).ok_or(CKR_DATA_LEN_RANGE)?;
                Ok([vec![0; zeros].as_slice(), data].concat())
            }
        }
    }

    /// Verifies a signature of a whole message.
    pub fn verify(&mut self, module: &Module, data: &[u8], signature: &[u8]) -> (After, Outcome) {
        let result = self
            .begun()
            .and_then(|()| self.check_len(signature))
            .and_then(|()| self.check(module, data, signature));
        (After::Ends, result)
    }

    /// Checks that a signature has the length of signatures.
    ///
    /// # Errors
    /// `CKR_SIGNATURE_LEN_RANGE`.
    pub fn check_len(&self, signature: &[u8]) -> Outcome {
        if signature.len() == self.len { Ok(()) } else { Err(CKR_SIGNATURE_LEN_RANGE) }
    }

    /// Verifies a signature of what has come in pieces.
    pub fn verify_final(&mut self, module: &Module, signature: &[u8]) -> (After, Outcome) {
        let mut check = || {
            self.check_len(signature)?;
            match std::mem::replace(&mut self.input, Input::Nothing) {
                Input::Streamed(stream) => match self.how {
                    How::Message(scheme, curve) => {
                        let digest = module.finish(stream)?;
                        self.check_digest(module, scheme.prehashed(), curve, &digest, signature)
                    }
                    How::Hashed(scheme) => {
                        let digest = module.finish(stream)?;
                        self.check_digest(module, scheme, None, &digest, signature)
                    }
                    _ => module.verify(stream, signature),
                },
                Input::Kept(kept) => self.check(module, &kept, signature),
                Input::Nothing => self.check(module, &[], signature),
            }
        };
        (After::Ends, check())
    }

    fn check(&self, module: &Module, data: &[u8], signature: &[u8]) -> Outcome {
        match self.how {
            How::Mac(_) => {
                let data = Data::Read(Bytes::Owned(data.to_vec()));
                let job = Job::new(self.session(module)?.session, data).expect_tag(signature);
                status(&module.run(job, None))
            }
            How::Padded | How::Raw => {
                let block = self.block(data)?;
                let found = module.compute(&self.session(module)?, signature.to_vec());
                let found = found.map_err(|error| match error {
                    CKR_DATA_INVALID => CKR_SIGNATURE_INVALID,
                    other => other,
                })?;
                if *found == block { Ok(()) } else { Err(CKR_SIGNATURE_INVALID) }
            }
            How::CurveDigest(curve) => {
                let (scheme, digest) = curve_digest(curve, data)?;
                self.check_digest(module, scheme, Some(curve), &digest, signature)
            }
            How::Message(scheme, curve) => {
                self.check_digest(module, scheme, curve, data, signature)
            }
            How::Hashed(scheme) => {
                let digest = digest(module, scheme.hash(), data)?;
                self.check_digest(module, scheme, None, &digest, signature)
            }
            How::Digest(scheme, len) if data.len() == len => {
                self.check_digest(module, scheme, None, data, signature)
            }
            How::Digest(..) => Err(CKR_DATA_LEN_RANGE),
            How::Whole(scheme) => self.check_digest(module, scheme, None, data, signature),
        }
    }

    fn check_digest(
        &self,
        module: &Module,
        scheme: Scheme,
        curve: Option<Curve>,
        data: &[u8],
        signature: &[u8],
    ) -> Outcome {
        let purpose = Purpose::Verify(scheme);
        let opened = self.object.open_under(&module.registry, purpose, &self.context)?;
        let signature = match curve {
            Some(curve) => {
                curve_signature::to_der(curve, signature).ok_or(CKR_SIGNATURE_INVALID)?
            }
            None => signature.to_vec(),
        };
        let data = Data::Read(Bytes::Owned(data.to_vec()));
        status(&module.run(Job::new(opened.session, data).signature(signature), None))
    }
}

/// A digest by the caller, of any length, as the engine takes it: as many bytes as a hash has. The
/// number that ECDSA works on stays the same (FIPS 186-5, 6.4.1).
fn curve_digest(curve: Curve, data: &[u8]) -> Outcome<(Scheme, Vec<u8>)> {
    // The number has as many bits as the order of the curve.
    let bits = curve.order_bits();
    let data = if bits.is_multiple_of(8) { &data[..data.len().min(bits / 8)] } else { data };
    let hashes = [HashAlgorithm::Sha256, HashAlgorithm::Sha384, HashAlgorithm::Sha512];
    let fits = |hash: &HashAlgorithm| match hash.digest_len() {
        // Zeros before a number are no part of it, if they are not cut off in place of others.
        len if len <= bits / 8 => data.len() <= len,
        len => data.len() == len,
    };
    let hash = hashes.into_iter().find(fits).filter(|_| !data.is_empty());
    let hash = hash.ok_or(CKR_DATA_LEN_RANGE)?;
    let mut digest = vec![0; hash.digest_len() - data.len()];
    digest.extend_from_slice(data);
    Ok((Scheme::new(hash).prehashed(), digest))
}
