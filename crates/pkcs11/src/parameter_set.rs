//! Parameter sets of SLH-DSA, ML-DSA and ML-KEM, by the numbers that PKCS #11 3.2 has for
//! `CKA_PARAMETER_SET`.

use broadloom::public_key::{MlDsaSet, MlKemSet, SlhDsaSet};
use cryptoki_sys::*;

use crate::attribute::Attributes;
use crate::memory::Outcome;

const ML_DSA: [(CK_ULONG, MlDsaSet); 3] = [
    (CKP_ML_DSA_44, MlDsaSet::MlDsa44),
    (CKP_ML_DSA_65, MlDsaSet::MlDsa65),
    (CKP_ML_DSA_87, MlDsaSet::MlDsa87),
];

const ML_KEM: [(CK_ULONG, MlKemSet); 3] = [
    (CKP_ML_KEM_512, MlKemSet::MlKem512),
    (CKP_ML_KEM_768, MlKemSet::MlKem768),
    (CKP_ML_KEM_1024, MlKemSet::MlKem1024),
];

const SLH_DSA: [(CK_ULONG, SlhDsaSet); 12] = [
    (CKP_SLH_DSA_SHA2_128S, SlhDsaSet::Sha2_128s),
    (CKP_SLH_DSA_SHAKE_128S, SlhDsaSet::Shake128s),
    (CKP_SLH_DSA_SHA2_128F, SlhDsaSet::Sha2_128f),
    (CKP_SLH_DSA_SHAKE_128F, SlhDsaSet::Shake128f),
    (CKP_SLH_DSA_SHA2_192S, SlhDsaSet::Sha2_192s),
    (CKP_SLH_DSA_SHAKE_192S, SlhDsaSet::Shake192s),
    (CKP_SLH_DSA_SHA2_192F, SlhDsaSet::Sha2_192f),
    (CKP_SLH_DSA_SHAKE_192F, SlhDsaSet::Shake192f),
    (CKP_SLH_DSA_SHA2_256S, SlhDsaSet::Sha2_256s),
    (CKP_SLH_DSA_SHAKE_256S, SlhDsaSet::Shake256s),
    (CKP_SLH_DSA_SHA2_256F, SlhDsaSet::Sha2_256f),
    (CKP_SLH_DSA_SHAKE_256F, SlhDsaSet::Shake256f),
];

/// A family whose sets have numbers. All families use the same numbers: the type of a key says
/// which family is meant.
pub trait ParameterSet: Copy + PartialEq + 'static {
    /// The sets with their numbers.
    const NUMBERS: &'static [(CK_ULONG, Self)];
}

impl ParameterSet for MlDsaSet {
    const NUMBERS: &'static [(CK_ULONG, MlDsaSet)] = &ML_DSA;
}

impl ParameterSet for MlKemSet {
    const NUMBERS: &'static [(CK_ULONG, MlKemSet)] = &ML_KEM;
}

impl ParameterSet for SlhDsaSet {
    const NUMBERS: &'static [(CK_ULONG, SlhDsaSet)] = &SLH_DSA;
}

/// Returns the set that the attributes name.
///
/// # Errors
/// `CKR_TEMPLATE_INCOMPLETE` without `CKA_PARAMETER_SET`; `CKR_PARAMETER_SET_NOT_SUPPORTED` for a
/// number that no set has.
pub fn of_attributes<S: ParameterSet>(attributes: &Attributes) -> Outcome<S> {
    let number = attributes.ulong(CKA_PARAMETER_SET).ok_or(CKR_TEMPLATE_INCOMPLETE)?;
    let found = S::NUMBERS.iter().find(|(other, _)| *other == number);
    found.map(|(_, set)| *set).ok_or(CKR_PARAMETER_SET_NOT_SUPPORTED)
}

/// Returns the number of a set.
///
/// # Panics
/// If the table lacks the set.
pub fn number<S: ParameterSet>(set: S) -> CK_ULONG {
    let found = S::NUMBERS.iter().find(|(_, other)| *other == set);
    found.expect("the table has every set").0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attribute::ulong;

    #[test]
    fn every_set_has_a_number_of_its_own() {
        fn check<S: ParameterSet>(all: &[S]) {
            assert_eq!(S::NUMBERS.len(), all.len());
            for (place, &set) in all.iter().enumerate() {
                let mut attributes = Attributes::default();
                attributes.set(CKA_PARAMETER_SET, ulong(number(set)));
                assert!(of_attributes::<S>(&attributes) == Ok(set), "set {place}");
            }
        }
        check(&MlDsaSet::ALL);
        check(&MlKemSet::ALL);
        check(&SlhDsaSet::ALL);
    }

    #[test]
    fn numbers_that_no_set_has_are_refused() {
        let mut attributes = Attributes::default();
        let none = of_attributes::<MlKemSet>(&attributes);
        assert_eq!(none, Err(CKR_TEMPLATE_INCOMPLETE));
        for number in [0, 4] {
            attributes.set(CKA_PARAMETER_SET, ulong(number));
            let none = of_attributes::<MlKemSet>(&attributes);
            assert_eq!(none, Err(CKR_PARAMETER_SET_NOT_SUPPORTED));
            let none = of_attributes::<MlDsaSet>(&attributes);
            assert_eq!(none, Err(CKR_PARAMETER_SET_NOT_SUPPORTED));
        }
        assert_eq!(of_attributes::<SlhDsaSet>(&attributes), Ok(SlhDsaSet::Shake128f));
    }
}
