//! Encryption and decryption.

use std::sync::Arc;

use broadloom::algorithm::AesSize;
use broadloom::data::Buffer;
use broadloom::public_key::{Padding, PrivateKey, PublicKey, Scheme};
use broadloom::{AeadAlgorithm, CipherAlgorithm, Data, Job};
use cryptoki_sys::*;
use subtle::{Choice, ConstantTimeEq, ConstantTimeLess};
use zeroize::Zeroizing;

use crate::key::Key;
use crate::mechanism::{Mode, What, find};
use crate::memory::{Outcome, Output, append};
use crate::module::{Module, status};
use crate::object::{Object, Opened, Purpose};
use crate::parameter::{Aead, Given};
use crate::session::{After, unless_asked, unless_failed};

const BLOCK: usize = 16;

/// The most that is kept of a message that is processed as a whole.
const MOST_KEPT: usize = 1 << 30;

/// An encryption or a decryption of a session.
pub struct Ciphering {
    how: How,
    opened: Opened,
    encrypts: bool,
    /// What has come in pieces and was not processed.
    pending: Zeroizing<Vec<u8>>,
    begun: bool,
    /// `true` if the user has to log in once more first (`CKA_ALWAYS_AUTHENTICATE`).
    pub awaits_login: bool,
}

enum How {
    Ecb,
    /// The last block of ciphertext, or the initialization vector.
    Cbc {
        chain: [u8; BLOCK],
        pads: bool,
    },
    /// The first counter block, how many of its bits count, and how many bytes were processed.
    Counter {
        first: [u8; BLOCK],
        bits: u32,
        done: u64,
    },
    Aead(Aead),
    /// A modulus of so many bytes, and whether the data are numbers.
    Rsa {
        len: usize,
        raw: bool,
    },
}

impl Ciphering {
    /// Begins to encrypt or to decrypt.
    ///
    /// # Errors
    /// `CKR_MECHANISM_INVALID`, `CKR_MECHANISM_PARAM_INVALID`, `CKR_KEY_SIZE_RANGE`,
    /// `CKR_KEY_TYPE_INCONSISTENT`.
    pub fn new(
        module: &Module,
        object: &Arc<Object>,
        given: &Given<'_>,
        encrypts: bool,
    ) -> Outcome<Ciphering> {
        let (how, purpose) = match find(given.id)? {
            What::Cipher(mode) => cipher(object, given, mode, encrypts)?,
            What::RsaPkcs => rsa(object, given, Scheme::default(), encrypts)?,
            What::RsaRaw => rsa(object, given, Scheme::bare(), encrypts)?,
            What::RsaOaep => {
                let scheme = Scheme::new(given.oaep()?).padding(Padding::Oaep);
                rsa(object, given, scheme, encrypts)?
            }
            _ => return Err(CKR_MECHANISM_INVALID),
        };
        Ok(Ciphering {
            how,
            opened: object.open(&module.registry, purpose)?,
            encrypts,
            pending: Zeroizing::default(),
            begun: false,
            awaits_login: object.attributes.is(CKA_ALWAYS_AUTHENTICATE),
        })
    }

    /// A length that the mode does not take.
    fn wrong_len(&self) -> CK_RV {
        if self.encrypts { CKR_DATA_LEN_RANGE } else { CKR_ENCRYPTED_DATA_LEN_RANGE }
    }

    /// # Errors
    /// `CKR_USER_NOT_LOGGED_IN`.
    fn may(&self) -> Outcome {
        if self.awaits_login { Err(CKR_USER_NOT_LOGGED_IN) } else { Ok(()) }
    }

    /// Processes a whole message.
    pub fn whole(&mut self, module: &Module, data: Vec<u8>, output: Output) -> (After, Outcome) {
        let data = Zeroizing::new(data);
        if self.begun {
            return (After::Ends, Err(CKR_OPERATION_ACTIVE));
        }
        unless_asked(self.process(module, &data, output))
    }

    fn process(&mut self, module: &Module, data: &[u8], mut output: Output) -> Outcome<bool> {
        let len = data.len();
        let pads = matches!(self.how, How::Cbc { pads: true, .. });
        let needed = match &self.how {
            How::Cbc { pads: true, .. } if self.encrypts => len / BLOCK * BLOCK + BLOCK,
            How::Ecb | How::Cbc { .. } if !len.is_multiple_of(BLOCK) || pads && len == 0 => {
                return Err(self.wrong_len());
            }
            How::Aead(aead) if self.encrypts => len + aead.tag_len,
            How::Aead(aead) => len.checked_sub(aead.tag_len).ok_or(CKR_ENCRYPTED_DATA_LEN_RANGE)?,
            How::Rsa { len, .. } => *len,
            How::Ecb | How::Cbc { .. } | How::Counter { .. } => len,
        };
        // How long the plaintext is under a padding is known only afterwards.
        let is_known = self.encrypts || matches!(self.how, How::Rsa { raw: true, .. });
        let is_known = is_known || !pads && !matches!(self.how, How::Rsa { .. });
        if output.is_query() || is_known {
            let goes_on = output.ask(needed)?;
            if !goes_on {
                return Ok(false);
            }
        }
        self.may()?;
        output.give(&self.run_whole(module, data)?)
    }

    fn run_whole(&mut self, module: &Module, data: &[u8]) -> Outcome<Zeroizing<Vec<u8>>> {
        match &self.how {
            How::Aead(aead) => self.aead(module, aead, data),
            How::Rsa { len, raw } => self.rsa(module, *len, *raw, data),
            How::Cbc { pads: true, .. } if self.encrypts => self.blocks(module, &padded(data)),
            How::Cbc { pads: true, .. } => unpadded(self.blocks(module, data)?),
            How::Ecb | How::Cbc { .. } => self.blocks(module, data),
            How::Counter { .. } => self.counter(module, data),
        }
    }

    /// Whole blocks of ECB or CBC. The chain goes on with the next.
    fn blocks(&mut self, module: &Module, data: &[u8]) -> Outcome<Zeroizing<Vec<u8>>> {
        if data.is_empty() {
            return Ok(Zeroizing::default());
        }
        let last = |bytes: &[u8]| bytes.last_chunk::<BLOCK>().copied().unwrap_or_default();
        let nonce = match &self.how {
            How::Cbc { chain, .. } => chain.as_slice(),
            _ => &[],
        };
        let done = self.in_place(module, data.to_vec(), nonce)?;
        let next = if self.encrypts { last(&done) } else { last(data) };
        if let How::Cbc { chain, .. } = &mut self.how {
            *chain = next;
        }
        Ok(done)
    }

    fn counter(&mut self, module: &Module, data: &[u8]) -> Outcome<Zeroizing<Vec<u8>>> {
        let How::Counter { first, bits, done } = self.how else { return Err(CKR_GENERAL_ERROR) };
        let end = done.checked_add(data.len() as u64).ok_or(CKR_DATA_LEN_RANGE)?;
        // A counter of some of the bits must not reach those beside it.
        let start = u128::from_be_bytes(first);
        let blocks = u128::from(end.div_ceil(BLOCK as u64));
        if let Some(all) = 1u128.checked_shl(bits)
            && (start & (all - 1)) + blocks > all
        {
            return Err(CKR_DATA_LEN_RANGE);
        }
        let block = start.wrapping_add(u128::from(done / BLOCK as u64));
        // Bytes of the first block whose key stream was used before.
        let used = (done % BLOCK as u64) as usize;
        let text = [&[0; BLOCK][..used], data].concat();
        let text = self.in_place(module, text, &block.to_be_bytes())?;
        if let How::Counter { done, .. } = &mut self.how {
            *done = end;
        }
        Ok(Zeroizing::new(text[used..].to_vec()))
    }

    fn in_place(
        &self,
        module: &Module,
        data: Vec<u8>,
        nonce: &[u8],
    ) -> Outcome<Zeroizing<Vec<u8>>> {
        let job = module.run(Job::new(self.opened.session.clone(), data).nonce(nonce), None);
        let result = status(&job);
        let text = taken(job.into_parts().0);
        result.map(|()| text)
    }

    fn aead(&self, module: &Module, aead: &Aead, data: &[u8]) -> Outcome<Zeroizing<Vec<u8>>> {
        let text_len = if self.encrypts { data.len() } else { data.len() - aead.tag_len };
        let (text, tag) = data.split_at(text_len);
        let job = Job::new(self.opened.session.clone(), text.to_vec()).nonce(&aead.nonce);
        let job = job.associated(aead.associated.clone());
        let job = if self.encrypts { job } else { job.expect_tag(tag) };
        let job = module.run(job, None);
        let result = status(&job).map_err(|error| match error {
            CKR_SIGNATURE_INVALID => CKR_ENCRYPTED_DATA_INVALID,
            other => other,
        });
        let tag = job.tag().map(<[u8]>::to_vec).unwrap_or_default();
        let mut text = taken(job.into_parts().0);
        result?;
        append(&mut text, &tag);
        Ok(text)
    }

    fn rsa(
        &self,
        module: &Module,
        len: usize,
        raw: bool,
        data: &[u8],
    ) -> Outcome<Zeroizing<Vec<u8>>> {
        if !self.encrypts && data.len() != len {
            return Err(CKR_ENCRYPTED_DATA_LEN_RANGE);
        }
        let zeros = len.checked_sub(data.len()).ok_or(CKR_DATA_LEN_RANGE)?;
        let zeros = vec![0; if raw { zeros } else { 0 }];
        let output = module.compute(&self.opened, [zeros.as_slice(), data].concat());
        output.map_err(|error| match error {
            CKR_DATA_INVALID if !self.encrypts => CKR_ENCRYPTED_DATA_INVALID,
            other => other,
        })
    }

    /// Takes a piece of the message, and gives what can be processed of it.
    pub fn update(&mut self, module: &Module, data: Vec<u8>, output: Output) -> (After, Outcome) {
        let data = Zeroizing::new(data);
        unless_failed(self.next(module, &data, output))
    }

    fn next(&mut self, module: &Module, data: &[u8], mut output: Output) -> Outcome {
        let total = self.pending.len() + data.len();
        let ready = match self.how {
            // The last block has the padding.
            How::Cbc { pads: true, .. } if !self.encrypts => {
                total.saturating_sub(1) / BLOCK * BLOCK
            }
            How::Ecb | How::Cbc { .. } => total / BLOCK * BLOCK,
            How::Counter { .. } => total,
            How::Aead(_) | How::Rsa { .. } => 0,
        };
        if !output.ask(ready)? {
            return Ok(());
        }
        self.may()?;
        self.begun = true;
        if total > MOST_KEPT {
            return Err(self.wrong_len());
        }
        append(&mut self.pending, data);
        if ready == 0 {
            return Ok(());
        }
        let all = std::mem::take(&mut self.pending);
        append(&mut self.pending, &all[ready..]);
        let done = match self.how {
            How::Counter { .. } => self.counter(module, &all[..ready])?,
            _ => self.blocks(module, &all[..ready])?,
        };
        output.give(&done).map(drop)
    }

    /// Processes what is left.
    pub fn finish(&mut self, module: &Module, mut output: Output) -> (After, Outcome) {
        let pending = self.pending.clone();
        let given = match self.how {
            How::Ecb | How::Cbc { pads: false, .. } if !pending.is_empty() => Err(self.wrong_len()),
            How::Ecb | How::Cbc { pads: false, .. } | How::Counter { .. } => output.ask(0),
            _ => self.process(module, &pending, output),
        };
        unless_asked(given)
    }
}

/// The bytes that a job owned.
fn taken(data: Data<'static>) -> Zeroizing<Vec<u8>> {
    match data {
        Data::InPlace(Buffer::Owned(text)) => Zeroizing::new(text),
        _ => Zeroizing::default(),
    }
}

fn cipher(
    object: &Object,
    given: &Given<'_>,
    mode: Mode,
    encrypts: bool,
) -> Outcome<(How, Purpose)> {
    let Key::Secret(key) = object.key()? else { return Err(CKR_KEY_TYPE_INCONSISTENT) };
    let size = || {
        let size = AesSize::ALL.into_iter().find(|size| size.key_len() == key.len());
        size.ok_or(CKR_KEY_SIZE_RANGE)
    };
    let (how, algorithm) = match mode {
        Mode::Ecb => {
            given.none()?;
            (How::Ecb, CipherAlgorithm::AesEcb(size()?))
        }
        Mode::Cbc | Mode::CbcPad => {
            let how = How::Cbc { chain: given.iv()?, pads: mode == Mode::CbcPad };
            (how, CipherAlgorithm::AesCbc(size()?))
        }
        Mode::Ctr => {
            let (first, bits) = given.counter()?;
            (How::Counter { first, bits, done: 0 }, CipherAlgorithm::AesCtr(size()?))
        }
        Mode::Gcm | Mode::ChaChaPoly => {
            let (aead, algorithm) = match mode {
                Mode::Gcm => (given.gcm()?, AeadAlgorithm::AesGcm(size()?)),
                _ => (given.chacha_poly()?, AeadAlgorithm::ChaCha20Poly1305),
            };
            let tag_len = aead.tag_len;
            return Ok((How::Aead(aead), Purpose::Aead { algorithm, tag_len, seals: encrypts }));
        }
    };
    Ok((how, Purpose::Cipher { algorithm, encrypts }))
}

fn rsa(
    object: &Object,
    given: &Given<'_>,
    scheme: Scheme,
    encrypts: bool,
) -> Outcome<(How, Purpose)> {
    if scheme.of_rsa() != Padding::Oaep {
        given.none()?;
    }
    let len = match object.key()? {
        Key::Private(PrivateKey::Rsa(key)) => key.public().size().modulus_len(),
        Key::Public(PublicKey::Rsa(key)) => key.size().modulus_len(),
        _ => return Err(CKR_KEY_TYPE_INCONSISTENT),
    };
    let how = How::Rsa { len, raw: scheme.of_rsa() == Padding::None };
    Ok((how, if encrypts { Purpose::Encrypt(scheme) } else { Purpose::Decrypt(scheme) }))
}

/// With the padding of PKCS #7: as many bytes as are missing, each their number.
fn padded(data: &[u8]) -> Zeroizing<Vec<u8>> {
    let missing = BLOCK - data.len() % BLOCK;
    Zeroizing::new([data, &[missing as u8; BLOCK][..missing]].concat())
}

/// Without it. No branch depends on the bytes, but for the outcome.
fn unpadded(mut text: Zeroizing<Vec<u8>>) -> Outcome<Zeroizing<Vec<u8>>> {
    let block = text.last_chunk::<BLOCK>().ok_or(CKR_ENCRYPTED_DATA_INVALID)?;
    let count = block[BLOCK - 1];
    let mut is_right = !count.ct_eq(&0) & count.ct_lt(&(BLOCK as u8 + 1));
    for (place, byte) in block.iter().rev().enumerate() {
        let is_padding = (place as u8).ct_lt(&count);
        is_right &= !is_padding | byte.ct_eq(&count);
    }
    if !outcome(is_right) {
        return Err(CKR_ENCRYPTED_DATA_INVALID);
    }
    let len = text.len() - usize::from(count);
    text.truncate(len);
    Ok(text)
}

fn outcome(choice: Choice) -> bool {
    choice.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paddings_come_off_and_wrong_ones_are_refused() {
        for len in 0..40 {
            let text = vec![7; len];
            assert_eq!(unpadded(padded(&text)).as_deref(), Ok(&text), "{len}");
        }
        for wrong in [[0; 16], [17; 16], [16; 16].map(|byte| byte - 1), [0xff; 16]] {
            let mut block = wrong;
            block[0] = 99;
            block[1] ^= u8::from(wrong[15] == 15);
            let refused = unpadded(Zeroizing::new(block.to_vec()));
            assert_eq!(refused.err(), Some(CKR_ENCRYPTED_DATA_INVALID), "{wrong:?}");
        }
    }
}
