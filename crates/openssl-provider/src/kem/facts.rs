//! libcrypto's names and numbers of KEMs.

use std::ffi::{CStr, c_uint};

use broadloom::public_key::{Kem, MlKemSet};

/// What libcrypto calls a KEM, and the numbers that it has for it.
pub struct Facts {
    /// The name.
    pub name: &'static CStr,
    /// The name and all others, with colons between.
    pub names: &'static CStr,
    /// The group of TLS 1.3 (draft-ietf-tls-mlkem, draft-ietf-tls-ecdhe-mlkem): its number and its
    /// name.
    pub group: (c_uint, &'static CStr),
    /// The number of bits: that in the name of ML-KEM.
    pub bits: u16,
    /// The bits of security, of ML-KEM.
    pub security_bits: u16,
    /// The category of security (FIPS 203, table 3), of ML-KEM.
    pub category: u16,
}

impl Facts {
    const fn new(
        set: MlKemSet,
        name: &'static CStr,
        names: &'static CStr,
        group: (c_uint, &'static CStr),
    ) -> Facts {
        let (bits, security_bits, category) = match set {
            MlKemSet::MlKem512 => (512, 128, 1),
            MlKemSet::MlKem768 => (768, 192, 3),
            MlKemSet::MlKem1024 => (1024, 256, 5),
        };
        Facts { name, names, group, bits, security_bits, category }
    }

    /// A hybrid has one name, which is that of its group, too.
    const fn of_hybrid(number: c_uint, name: &'static CStr) -> Facts {
        Facts::new(MlKemSet::MlKem768, name, name, (number, name))
    }
}

/// Those of [`Kem::ALL`].
static ALL: [Facts; Kem::ALL.len()] = [
    Facts::new(
        MlKemSet::MlKem512,
        c"ML-KEM-512",
        c"ML-KEM-512:MLKEM512:id-alg-ml-kem-512:2.16.840.1.101.3.4.4.1",
        (0x0200, c"MLKEM512"),
    ),
    Facts::new(
        MlKemSet::MlKem768,
        c"ML-KEM-768",
        c"ML-KEM-768:MLKEM768:id-alg-ml-kem-768:2.16.840.1.101.3.4.4.2",
        (0x0201, c"MLKEM768"),
    ),
    Facts::new(
        MlKemSet::MlKem1024,
        c"ML-KEM-1024",
        c"ML-KEM-1024:MLKEM1024:id-alg-ml-kem-1024:2.16.840.1.101.3.4.4.3",
        (0x0202, c"MLKEM1024"),
    ),
    Facts::of_hybrid(0x11ec, c"X25519MLKEM768"),
    Facts::of_hybrid(0x11eb, c"SecP256r1MLKEM768"),
];

/// Returns the place of a KEM in [`Kem::ALL`].
pub const fn place(kem: Kem) -> usize {
    match kem {
        Kem::MlKem(set) => set as usize,
        Kem::Hybrid(kem) => MlKemSet::ALL.len() + kem as usize,
    }
}

/// Returns what libcrypto says of a KEM.
pub fn facts(kem: Kem) -> &'static Facts {
    &ALL[place(kem)]
}

/// Returns libcrypto's name of a KEM as a text.
pub fn name(kem: Kem) -> &'static str {
    facts(kem).name.to_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_names_are_those_of_the_list() {
        for (at, kem) in Kem::ALL.into_iter().enumerate() {
            assert_eq!(place(kem), at);
            let names = facts(kem).names.to_str().expect("names are ASCII");
            assert_eq!(names.split(':').next(), Some(name(kem)));
            assert!(name(kem).ends_with(&facts(kem).bits.to_string()), "{}", name(kem));
        }
    }
}
