//! New keys as the engine has them.

use broadloom_engine::{
    Curve, EcPrivateKey, KeyError, PrivateKey, PublicKey, RsaNumbers, RsaPrivateKey, RsaSize,
};

use crate::evp::{EvpError, Key, Libcrypto, LibraryError};

/// Why there is no new key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// There is no libcrypto.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// libcrypto failed, or refused the public exponent.
    #[error(transparent)]
    Evp(#[from] EvpError),
    /// The engine refuses the key: the public exponent has more than 64 bits, for instance.
    #[error(transparent)]
    Key(#[from] KeyError),
}

/// A new key of RSA, by libcrypto, with a public exponent in big-endian order: 65537 is usual.
///
/// ```
/// use broadloom_engine::RsaSize;
///
/// # fn main() -> Result<(), broadloom_openssl::GenerateError> {
/// # if broadloom_openssl::evp::Libcrypto::get().is_err() { return Ok(()) }
/// let (private, public) = broadloom_openssl::generate_rsa(RsaSize::Rsa1024, &[1, 0, 1])?;
/// # assert_eq!(private.signature_algorithm(), Some(public.signature_algorithm()));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`GenerateError`].
pub fn generate_rsa(
    size: RsaSize,
    exponent: &[u8],
) -> Result<(PrivateKey, PublicKey), GenerateError> {
    let key = Key::generate_rsa(Libcrypto::get()?, 8 * size.modulus_len(), exponent)?;
    let numbers = RsaNumbers {
        n: &key.number(c"n")?,
        e: &key.number(c"e")?,
        d: &key.number(c"d")?,
        p: &key.number(c"rsa-factor1")?,
        q: &key.number(c"rsa-factor2")?,
        dp: &key.number(c"rsa-exponent1")?,
        dq: &key.number(c"rsa-exponent2")?,
        qinv: &key.number(c"rsa-coefficient1")?,
    };
    let private = RsaPrivateKey::new(&numbers)?;
    Ok((PrivateKey::Rsa(private), PublicKey::from_der(&key.public_der()?)?))
}

/// A new key on a curve, by libcrypto.
///
/// # Errors
/// [`GenerateError`].
pub fn generate_ec(curve: Curve) -> Result<(PrivateKey, PublicKey), GenerateError> {
    let name = match curve {
        Curve::P256 => c"P-256",
        Curve::P384 => c"P-384",
        Curve::P521 => c"P-521",
        Curve::Secp256k1 => c"secp256k1",
        Curve::K283 => c"sect283k1",
        Curve::B283 => c"sect283r1",
    };
    let key = Key::generate_ec(Libcrypto::get()?, name)?;
    let private = EcPrivateKey::new(curve, &key.number(c"priv")?)?;
    Ok((PrivateKey::Ec(private), PublicKey::from_der(&key.public_der()?)?))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use broadloom_engine::{Job, Processor, Registry, Scheme, Transform};

    use super::*;

    fn signs_what_verifies(private: &PrivateKey, public: &PublicKey) {
        let mut registry = Registry::new();
        registry.add_factory(crate::factory());
        let open = |transform| registry.open(&transform).expect("libcrypto is there");
        let sign = open(Transform::sign(private, Scheme::default()).expect("it signs"));
        let verify = open(Transform::verify(public, Scheme::default()).expect("it verifies"));
        let mut jobs = [Job::new(&sign, b"a message")];
        Processor::new().process_many(&mut jobs);
        let signature = jobs[0].take_output();
        let mut jobs = [b"a message", b"a massage"]
            .map(|text| Job::new(&verify, text).signature(signature.clone()));
        Processor::new().process_many(&mut jobs);
        assert_eq!([jobs[0].succeeded(), jobs[1].succeeded()], [true, false]);
    }

    #[test]
    fn new_keys_sign_and_verify() {
        let libcrypto = Libcrypto::get();
        let Some(_) = broadloom_testing::present("the generation of keys", libcrypto) else {
            return;
        };
        let (private, public) = generate_rsa(RsaSize::Rsa1024, &[1, 0, 1]).expect("a key");
        signs_what_verifies(&private, &public);
        let PublicKey::Rsa(rsa) = &public else { panic!("{public:?}") };
        assert_eq!((rsa.size(), rsa.exponent()), (RsaSize::Rsa1024, [1, 0, 1].as_slice()));
        for curve in Curve::ALL {
            let (private, public) = generate_ec(curve).expect("a key");
            signs_what_verifies(&private, &public);
        }
        assert!(matches!(generate_rsa(RsaSize::Rsa1024, &[2]), Err(GenerateError::Evp(_))));
    }
}
