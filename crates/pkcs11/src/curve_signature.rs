//! The two forms of signatures of ECDSA: two numbers side by side, which PKCS #11 has, and DER,
//! which the engine has.

use broadloom::public_key::Curve;
use der::asn1::{AnyRef, UintRef};
use der::{Decode, Encode, Reader, SliceReader, Tag, Tagged};

/// Two numbers of a coordinate's length each, from DER.
pub fn from_der(curve: Curve, signature: &[u8]) -> Option<Vec<u8>> {
    let mut reader = SliceReader::new(signature).ok()?;
    let both = AnyRef::decode(&mut reader).ok().filter(|_| reader.is_finished())?;
    let mut inner = SliceReader::new(both.value()).ok()?;
    let mut plain = Vec::new();
    for _ in 0..2 {
        let number = UintRef::decode(&mut inner).ok()?;
        let zeros = curve.coordinate_len().checked_sub(number.as_bytes().len())?;
        plain.resize(plain.len() + zeros, 0);
        plain.extend_from_slice(number.as_bytes());
    }
    (Tagged::tag(&both) == Tag::Sequence && inner.is_finished()).then_some(plain)
}

/// DER, from two numbers of a coordinate's length each.
pub fn to_der(curve: Curve, signature: &[u8]) -> Option<Vec<u8>> {
    let mut both = Vec::new();
    for number in signature.chunks(curve.coordinate_len()) {
        both.extend(UintRef::new(number).ok()?.to_der().ok()?);
    }
    AnyRef::new(Tag::Sequence, &both).ok()?.to_der().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_come_from_each_other() {
        let mut plain = vec![0; 64];
        (plain[0], plain[31], plain[63]) = (0x80, 1, 2);
        let der = to_der(Curve::P256, &plain).expect("two numbers");
        assert_eq!(&der[..5], [0x30, 38, 2, 33, 0]);
        assert_eq!(&der[37..], [2, 1, 2]);
        assert_eq!(from_der(Curve::P256, &der), Some(plain));
        assert_eq!(from_der(Curve::P256, &der[..39]), None);
        assert_eq!(from_der(Curve::P256, &[&der[..], &[0]].concat()), None);
    }
}
