//! Encapsulation and decapsulation: in the lanes together with others, by the default provider, or
//! in the lanes alone.

use std::ptr;

use broadloom::public_key::Kem;
use broadloom::{Direction, Session};
use zeroize::Zeroizing;

use crate::held::{HeldKey, HeldType, Made, Theirs, in_words, keyless};
use crate::key::Purpose;
use crate::libcrypto::functions;
use crate::line::{Answer, Kind, alone, ask, is_worth_asking};

/// Does an operation in the lanes, if others are there to share them. `None` if it is alone.
fn in_lanes(session: &Session, data: &[u8]) -> Option<Made> {
    if !is_worth_asking(Kind::Kem) {
        return None;
    }
    match ask(Kind::Kem, session, data, None) {
        Answer::Alone => None,
        Answer::Done(made) => Some(made.map_err(in_words)),
    }
}

/// Encapsulates a secret for the owner of a key: the ciphertext, and behind it the secret. Whoever
/// gives the randomness of ML-KEM gets the same every time.
///
/// # Errors
/// The key is wrong, or not there.
pub fn encapsulate(kem: Kem, key: &HeldKey, randomness: Option<&[u8]>) -> Made {
    let Some(bytes) = key.bytes() else {
        return Err(format!("there is no public key of {}", key.of.name()));
    };
    let public = &bytes.public;
    let session = keyless(HeldType::Kem(kem), Direction::Encapsulate)?;
    if let Some(randomness) = randomness {
        let data = Zeroizing::new([public, randomness].concat());
        return alone(session, &data, None).map_err(in_words);
    }
    if let Some(made) = in_lanes(session, public) {
        return made;
    }
    match key.theirs() {
        Some(pkey) => encapsulate_by_default(kem, key, pkey),
        None => alone(session, public, None).map_err(in_words),
    }
}

fn encapsulate_by_default(kem: Kem, key: &HeldKey, pkey: &Theirs) -> Made {
    let (mut text_len, mut secret_len) = (kem.ciphertext_len(), kem.secret_len());
    let mut made = Zeroizing::new(vec![0; text_len + secret_len]);
    let (text, secret) = made.split_at_mut(text_len);
    let (text, secret) = (text.as_mut_ptr(), secret.as_mut_ptr());
    let functions = functions();
    let done = pkey.with_context(|context| {
        // SAFETY: the context is valid, and the places have so much room.
        unsafe {
            let encapsulate = functions.EVP_PKEY_encapsulate;
            (functions.EVP_PKEY_encapsulate_init)(context, ptr::null()) == 1
                && encapsulate(context, text, &mut text_len, secret, &mut secret_len) == 1
        }
    });
    by_libcrypto(key, done, made)
}

/// Decapsulates the secret of a ciphertext.
///
/// # Errors
/// The key is wrong or not there, or the ciphertext has a wrong length or point.
pub fn decapsulate(kem: Kem, key: &HeldKey, ciphertext: &[u8]) -> Made {
    if !key.is_private() {
        return Err(format!("there is no private key of {}", key.of.name()));
    }
    key.check_len("a ciphertext", ciphertext, kem.ciphertext_len())?;
    let session = || key.session(Purpose::Decapsulate);
    if is_worth_asking(Kind::Kem)
        && let Some(session) = session()
        && let Some(made) = in_lanes(&session, ciphertext)
    {
        return made;
    }
    if let Some(pkey) = key.theirs() {
        return decapsulate_by_default(kem, key, pkey, ciphertext);
    }
    match session() {
        Some(session) => alone(&session, ciphertext, None).map_err(in_words),
        None => Err(format!("the lanes refuse the private key of {}", key.of.name())),
    }
}

fn decapsulate_by_default(kem: Kem, key: &HeldKey, pkey: &Theirs, ciphertext: &[u8]) -> Made {
    let mut len = kem.secret_len();
    let mut made = Zeroizing::new(vec![0; len]);
    let functions = functions();
    let (secret, text) = (made.as_mut_ptr(), ciphertext.as_ptr());
    let done = pkey.with_context(|context| {
        // SAFETY: the context is valid, and the place has so much room.
        unsafe {
            let decapsulate = functions.EVP_PKEY_decapsulate;
            (functions.EVP_PKEY_decapsulate_init)(context, ptr::null()) == 1
                && decapsulate(context, secret, &mut len, text, ciphertext.len()) == 1
        }
    });
    by_libcrypto(key, done, made)
}

fn by_libcrypto(key: &HeldKey, is_done: bool, made: Zeroizing<Vec<u8>>) -> Made {
    let refused = || format!("libcrypto's default provider refuses {}", key.of.name());
    if is_done { Ok(made) } else { Err(refused()) }
}

/// Returns `true` if a secret that is encapsulated for the key is decapsulated with it.
pub fn is_pair(kem: Kem, key: &HeldKey) -> bool {
    let secrets = encapsulate(kem, key, None).and_then(|made| {
        let (ciphertext, secret) = made.split_at(kem.ciphertext_len());
        Ok((decapsulate(kem, key, ciphertext)?, Zeroizing::new(secret.to_vec())))
    });
    secrets.is_ok_and(|(one, other)| one == other)
}
