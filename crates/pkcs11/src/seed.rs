//! Private keys of ML-KEM and ML-DSA that are made of a seed.

use broadloom::Transform;
use broadloom::public_key::{MlDsaSet, MlKemSet, PublicKeyAlgorithm};
use cryptoki_sys::*;
use zeroize::Zeroizing;

use crate::attribute::Attributes;
use crate::memory::Outcome;
use crate::module::Module;
use crate::object::open;
use crate::parameter_set::{self, ParameterSet};

/// A parameter set whose keys are made of seeds.
pub trait Seeded: ParameterSet {
    /// Bytes of a seed.
    const SEED_LEN: usize;

    /// The algorithm that makes the keys.
    fn algorithm(self) -> PublicKeyAlgorithm;

    /// The private and the public key, of what the engine makes of a seed.
    fn keys_of(self, made: &[u8]) -> (&[u8], &[u8]);
}

impl Seeded for MlKemSet {
    /// `d`, then `z` (FIPS 203, algorithm 16).
    const SEED_LEN: usize = MlKemSet::SEED_LEN;

    fn algorithm(self) -> PublicKeyAlgorithm {
        PublicKeyAlgorithm::MlKem(self)
    }

    fn keys_of(self, made: &[u8]) -> (&[u8], &[u8]) {
        (made, self.public_of(made))
    }
}

impl Seeded for MlDsaSet {
    const SEED_LEN: usize = MlDsaSet::SEED_LEN;

    fn algorithm(self) -> PublicKeyAlgorithm {
        PublicKeyAlgorithm::MlDsa(self)
    }

    fn keys_of(self, made: &[u8]) -> (&[u8], &[u8]) {
        made.split_at(self.private_key_len())
    }
}

/// Makes the private and the public key of a seed.
///
/// # Errors
/// `CKR_ATTRIBUTE_VALUE_INVALID` for a seed of another length; `CKR_MECHANISM_INVALID` where no
/// provider has the algorithm.
pub fn keys_of<S: Seeded>(
    module: &Module,
    set: S,
    seed: &[u8],
) -> Outcome<(Zeroizing<Vec<u8>>, Vec<u8>)> {
    if seed.len() != S::SEED_LEN {
        return Err(CKR_ATTRIBUTE_VALUE_INVALID);
    }
    let transform = Transform::generate_key(set.algorithm()).map_err(|_| CKR_GENERAL_ERROR)?;
    let made = module.compute(&open(&module.registry, &transform)?, seed.to_vec())?;
    let (private, public) = set.keys_of(&made);
    Ok((Zeroizing::new(private.to_vec()), public.to_vec()))
}

/// Sets the value of a private key of which the attributes have the seed alone.
///
/// # Errors
/// As [`parameter_set::of_attributes`] and [`keys_of`].
pub fn expand(module: &Module, attributes: &mut Attributes) -> Outcome {
    let is_private = attributes.class() == Some(CKO_PRIVATE_KEY);
    if !is_private || attributes.get(CKA_VALUE).is_some() {
        return Ok(());
    }
    match attributes.ulong(CKA_KEY_TYPE) {
        Some(CKK_ML_KEM) => expand_with::<MlKemSet>(module, attributes),
        Some(CKK_ML_DSA) => expand_with::<MlDsaSet>(module, attributes),
        _ => Ok(()),
    }
}

fn expand_with<S: Seeded>(module: &Module, attributes: &mut Attributes) -> Outcome {
    let set: S = parameter_set::of_attributes(attributes)?;
    let (value, _) = keys_of(module, set, attributes.need(CKA_SEED)?)?;
    attributes.set(CKA_VALUE, value);
    Ok(())
}
