//! Keys as the lanes have them, on each curve.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use broadloom_engine::provider::ProviderError;
use broadloom_engine::{Curve, EcPublicKey};
use broadloom_lanes::Loan;
use broadloom_public_key::{
    BinaryCurve, BinaryPrivateKey, BinaryPublicKey, CurveInputError, CurveLanes, CurveOutcome,
    P256PrivateKey, P256PublicKey, P384PrivateKey, P384PublicKey, P521PrivateKey, P521PublicKey,
    Secp256k1PrivateKey, Secp256k1PublicKey,
};

use crate::kind::refused;

/// The key, and with it what is done.
pub(crate) enum Key {
    Sign(Private),
    Verify(Public),
    Agree(Private),
}

/// Defines keys, and loans of the lanes with them. Each line names a curve over a prime field, what
/// the lanes call its keys, and what makes their loans.
macro_rules! keys {
    ($($curve:ident: $private:ident $public:ident $sign:ident $verify:ident $agree:ident;)+) => {
        /// A private key or a nonce, as the lanes have it.
        pub(crate) enum Private {
            $($curve($private),)+
            Binary(BinaryPrivateKey),
        }

        /// A public key, as the lanes have it.
        pub(crate) enum Public {
            $($curve(Box<Verifier<$public>>),)+
            Binary(BinaryPublicKey),
        }

        $(impl Prepare for $public {
            fn prepare(&mut self) {
                $public::prepare(self);
            }
        })+

        impl Private {
            pub fn new(curve: Curve, scalar: &[u8]) -> Result<Self, ProviderError> {
                Ok(match curve {
                    $(Curve::$curve => {
                        Private::$curve($private::new(exactly(scalar)?).map_err(refused)?)
                    })+
                    Curve::K283 => Private::binary(BinaryCurve::K283, scalar)?,
                    Curve::B283 => Private::binary(BinaryCurve::B283, scalar)?,
                })
            }
        }

        impl Public {
            pub fn new(key: &EcPublicKey) -> Result<Self, ProviderError> {
                let point = &key.point()[1..];
                Ok(match key.curve() {
                    $(Curve::$curve => {
                        let key = $public::new(exactly(point)?).map_err(refused)?;
                        Public::$curve(Box::new(Verifier::new(key)))
                    })+
                    Curve::K283 => Public::binary(BinaryCurve::K283, point)?,
                    Curve::B283 => Public::binary(BinaryCurve::B283, point)?,
                })
            }
        }

        /// Makes the loan for an operation whose numbers have `len` bytes each; `None` where the
        /// key is none on a prime field, or where a nonce is missing.
        pub(crate) fn prime_loan<'v>(
            (key, nonce): (&'v Key, &'v Option<Private>),
            (buffer, len): (&'v mut [u8], usize),
            outcome: &'v mut CurveOutcome,
        ) -> Option<Result<Loan<'v, CurveLanes>, CurveInputError>> {
            Some(match (key, nonce) {
                $(
                    (Key::Sign(Private::$curve(key)), Some(Private::$curve(nonce))) => {
                        CurveLanes::$sign(key, nonce, &mut buffer[..2 * len], outcome)
                    }
                    (Key::Verify(Public::$curve(verifier)), _) => {
                        CurveLanes::$verify(verifier.key(), &mut buffer[..3 * len], outcome)
                    }
                    (Key::Agree(Private::$curve(key)), _) => {
                        CurveLanes::$agree(key, &mut buffer[..2 * len], outcome)
                    }
                )+
                _ => return None,
            })
        }
    };
}

keys! {
    P256: P256PrivateKey P256PublicKey p256_sign p256_verify p256_agree;
    P384: P384PrivateKey P384PublicKey p384_sign p384_verify p384_agree;
    P521: P521PrivateKey P521PublicKey p521_sign p521_verify p521_agree;
    Secp256k1: Secp256k1PrivateKey Secp256k1PublicKey secp256k1_sign secp256k1_verify
        secp256k1_agree;
}

impl Private {
    fn binary(curve: BinaryCurve, scalar: &[u8]) -> Result<Self, ProviderError> {
        let key = BinaryPrivateKey::new(curve, exactly(scalar)?);
        Ok(Private::Binary(key.map_err(refused)?))
    }
}

impl Public {
    fn binary(curve: BinaryCurve, point: &[u8]) -> Result<Self, ProviderError> {
        let key = BinaryPublicKey::new(curve, exactly(point)?);
        Ok(Public::Binary(key.map_err(refused)?))
    }
}

/// A public key that can be prepared for many verifications.
pub(crate) trait Prepare: Clone {
    fn prepare(&mut self);
}

/// A public key that is prepared once that pays.
pub(crate) struct Verifier<K> {
    key: K,
    /// Verifications so far, up to [`MANY`].
    uses: AtomicU32,
    prepared: OnceLock<K>,
}

/// A key is prepared for its verification of this number: so many are about what that costs.
const MANY: u32 = 8;

impl<K: Prepare> Verifier<K> {
    fn new(key: K) -> Self {
        Verifier { key, uses: AtomicU32::new(0), prepared: OnceLock::new() }
    }

    /// The key for one more verification.
    pub fn key(&self) -> &K {
        if let Some(key) = self.prepared.get() {
            return key;
        }
        // One thread alone meets the number, and the others go on with what there is.
        if self.uses.load(Relaxed) < MANY && self.uses.fetch_add(1, Relaxed) + 1 == MANY {
            let mut key = self.key.clone();
            key.prepare();
            return self.prepared.get_or_init(|| key);
        }
        &self.key
    }
}

/// As many bytes as the lanes take.
fn exactly<const LEN: usize>(bytes: &[u8]) -> Result<&[u8; LEN], ProviderError> {
    let len = bytes.len();
    bytes.try_into().map_err(|_| ProviderError::new(format!("{len} bytes of a key, not {LEN}")))
}
