//! Keys on elliptic curves.

use std::fmt;

use zeroize::Zeroizing;

use super::KeyError;
use super::rsa::without_zeros;
use crate::algorithm::Curve;

/// The private key of ECDSA or ECDH (SEC 1, 3.2).
#[derive(Clone)]
pub struct EcPrivateKey {
    curve: Curve,
    scalar: Zeroizing<Vec<u8>>,
}

impl EcPrivateKey {
    /// The key of a scalar in big-endian order, at most as long as a
    /// [coordinate](Curve::coordinate_len).
    ///
    /// # Errors
    /// A scalar that is zero, or not less than the order of the base point.
    pub fn new(curve: Curve, scalar: &[u8]) -> Result<EcPrivateKey, KeyError> {
        let len = curve.coordinate_len();
        let excess = scalar.len().saturating_sub(len);
        let (zeros, scalar) = scalar.split_at(excess);
        let mut padded = Zeroizing::new(vec![0; len]);
        padded[len - scalar.len()..].copy_from_slice(scalar);
        let is_zero = padded.iter().fold(0, |sum, byte| sum | byte) == 0;
        if is_zero || zeros.iter().any(|&byte| byte != 0) || !is_less(&padded, curve.order()) {
            return Err(KeyError::Scalar);
        }
        Ok(EcPrivateKey { curve, scalar: padded })
    }

    /// The curve.
    pub fn curve(&self) -> Curve {
        self.curve
    }

    /// The scalar in big-endian order, as long as a [coordinate](Curve::coordinate_len).
    pub fn scalar(&self) -> &[u8] {
        &self.scalar
    }
}

impl fmt::Debug for EcPrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a private key on {}", self.curve.name())
    }
}

/// Returns `true` if a number is less than another of the same length, both in big-endian order.
/// Without a branch on the bytes.
fn is_less(number: &[u8], other: &[u8]) -> bool {
    let pairs = number.iter().zip(other).rev();
    let borrow = pairs.fold(0u16, |borrow, (&one, &other)| {
        u16::from(one).wrapping_sub(other.into()).wrapping_sub(borrow) >> 15
    });
    borrow == 1
}

/// The public key of ECDSA: a point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EcPublicKey {
    curve: Curve,
    point: Vec<u8>,
}

impl EcPublicKey {
    /// The key of a point in uncompressed form (SEC 1, 2.3.3): a byte 4 and two coordinates.
    /// Whether the point is on the curve is checked when a session is opened.
    ///
    /// # Errors
    /// A point in another form.
    pub fn new(curve: Curve, point: &[u8]) -> Result<EcPublicKey, KeyError> {
        if point.len() != curve.point_len() || point[0] != 4 {
            return Err(KeyError::Point);
        }
        Ok(EcPublicKey { curve, point: point.to_vec() })
    }

    /// The key of a point's coordinates in big-endian order, each at most as long as a
    /// [coordinate](Curve::coordinate_len). Whether the point is on the curve is checked when a
    /// session is opened.
    ///
    /// # Errors
    /// A coordinate that is longer.
    pub fn of_coordinates(curve: Curve, x: &[u8], y: &[u8]) -> Result<EcPublicKey, KeyError> {
        let valid = curve.coordinate_len();
        let mut point = vec![0; curve.point_len()];
        point[0] = 4;
        for (place, number) in point[1..].chunks_exact_mut(valid).zip([x, y]) {
            let number = without_zeros(number);
            let len = number.len();
            let at = valid.checked_sub(len);
            let at = at.ok_or(KeyError::Length { what: "a coordinate", len, valid })?;
            place[at..].copy_from_slice(number);
        }
        Ok(EcPublicKey { curve, point })
    }

    /// The curve.
    pub fn curve(&self) -> Curve {
        self.curve
    }

    /// The point in uncompressed form.
    pub fn point(&self) -> &[u8] {
        &self.point
    }
}

/// 32 bytes that are secret: a private key of X25519 or Ed25519.
///
/// They lie in memory of their own: a value that is moved would leave its old bytes on the stack,
/// from where they get into whatever has a gap at that place.
#[derive(Clone)]
pub struct Secret(Zeroizing<Box<[u8]>>);

impl Secret {
    /// Returns the key of these bytes; any 32 are one. The bytes themselves stay on the caller's
    /// stack: [`from_slice`](Secret::from_slice) takes them from where they can be wiped.
    pub fn new(bytes: [u8; 32]) -> Secret {
        Secret(Zeroizing::new(Box::new(bytes)))
    }

    /// Returns the key of these bytes; any 32 are one.
    ///
    /// # Errors
    /// [`KeyError::Length`] for another number of bytes.
    pub fn from_slice(bytes: &[u8]) -> Result<Secret, KeyError> {
        KeyError::check_len("a key", bytes, 32)?;
        Ok(Secret(Zeroizing::new(bytes.into())))
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("32 secret bytes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_are_from_one_to_the_order() {
        for curve in Curve::ALL {
            let order = curve.order();
            let mut below = order.to_vec();
            *below.last_mut().expect("it has bytes") -= 1;
            let mut above = order.to_vec();
            *above.last_mut().expect("it has bytes") += 1;
            let is_taken = |scalar: &[u8]| EcPrivateKey::new(curve, scalar).is_ok();
            assert!(
                is_taken(&below) && is_taken(&[1]) && is_taken(&[&[0; 40], &below[..]].concat())
            );
            let len = order.len();
            for bad in [order, &above, &[], &vec![0; len], &vec![0xff; len], &vec![1; len + 4]] {
                assert!(!is_taken(bad), "{curve:?} {bad:x?}");
            }
        }
    }

    #[test]
    fn points_have_one_form() {
        let mut point = vec![7; Curve::P256.point_len()];
        assert_eq!(EcPublicKey::new(Curve::P256, &point), Err(KeyError::Point));
        point[0] = 4;
        assert_eq!(EcPublicKey::new(Curve::P256, &point).map(|key| key.point().len()), Ok(65));
        assert_eq!(EcPublicKey::new(Curve::K283, &point), Err(KeyError::Point));
    }

    #[test]
    fn coordinates_are_padded_to_the_length_of_the_curve() {
        let of = |x: &[u8], y: &[u8]| EcPublicKey::of_coordinates(Curve::K283, x, y);
        let key = of(&[0, 0, 5, 6], &[&[0], &[9; 36][..]].concat()).expect("both fit");
        assert_eq!((key.point().len(), key.point()[0]), (73, 4));
        assert_eq!(key.point()[33..37], [0, 0, 5, 6]);
        assert_eq!(key.point()[37..], [9; 36]);
        assert_eq!(EcPublicKey::new(Curve::K283, key.point()), Ok(key));
        let long = KeyError::Length { what: "a coordinate", len: 37, valid: 36 };
        assert_eq!(of(&[1], &[1; 37]), Err(long));
    }
}
