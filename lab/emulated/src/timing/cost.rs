//! How long public-key operations take, beside each other.

use broadloom_engine::{Curve, Direction, PublicKeyAlgorithm, RsaSize};

/// The time of an operation over that of an RSA-2048 private operation: the ratio of the products
/// of 64-bit words that each needs.
///
/// An RSA-2048 private operation needs 1.26 million of them: 1,229 Montgomery multiplications of 16
/// words for each of two primes. A public operation with the exponent 65,537 needs 17 of 32 words.
/// A point of P-256 is multiplied with 96 thousand, one of Curve25519 with 50 thousand; those of
/// the binary curves are taken to be like P-256, and those of longer numbers take the cube of the
/// ratio of lengths. To verify a signature is to multiply two points,
/// with the doublings in common.
///
/// `None` for what multiplies no numbers: the device has no engines for it.
pub(crate) fn cost(algorithm: PublicKeyAlgorithm, direction: Direction) -> Option<f64> {
    let point = match algorithm {
        PublicKeyAlgorithm::Rsa(size) => return Some(rsa(size, direction)),
        PublicKeyAlgorithm::Ecdsa(curve) | PublicKeyAlgorithm::Ecdh(curve) => {
            let long = match curve {
                Curve::P256 | Curve::Secp256k1 | Curve::K283 | Curve::B283 => 1.0_f64,
                Curve::P384 => 384.0 / 256.0,
                Curve::P521 => 521.0 / 256.0,
            };
            long.powi(3) / 13.0
        }
        PublicKeyAlgorithm::X25519 | PublicKeyAlgorithm::Ed25519 => 1.0 / 25.0,
        _ => return None,
    };
    Some(if direction == Direction::Verify { 1.5 * point } else { point })
}

fn rsa(size: RsaSize, direction: Direction) -> f64 {
    let long = size.modulus_len() as f64 / 256.0;
    match direction {
        Direction::Sign | Direction::Decrypt => long.powi(3),
        _ => long.powi(2) / 36.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_follow_the_counts_of_products() {
        let cost = |algorithm, direction| cost(algorithm, direction).expect("it multiplies");
        let private = |size| cost(PublicKeyAlgorithm::Rsa(size), Direction::Sign);
        let public = |size| cost(PublicKeyAlgorithm::Rsa(size), Direction::Verify);
        assert_eq!(private(RsaSize::Rsa2048), 1.0);
        assert_eq!(private(RsaSize::Rsa4096), 8.0);
        assert_eq!(private(RsaSize::Rsa1024), 0.125);
        // 17 of 2 * 32^2, over 2 * 1229 of 2 * 16^2.
        let counted = (17.0 * 2.0 * 32.0 * 32.0) / (2.0 * 1229.0 * 2.0 * 16.0 * 16.0);
        assert!((public(RsaSize::Rsa2048) / counted - 1.0).abs() < 0.02);
        assert_eq!(public(RsaSize::Rsa4096), 4.0 * public(RsaSize::Rsa2048));
        let p256 = PublicKeyAlgorithm::Ecdsa(Curve::P256);
        assert!(cost(p256, Direction::Verify) > cost(p256, Direction::Sign));
        assert!(cost(p256, Direction::Verify) < private(RsaSize::Rsa2048));
        let p384 = PublicKeyAlgorithm::Ecdsa(Curve::P384);
        assert_eq!(cost(p384, Direction::Sign), 3.375 * cost(p256, Direction::Sign));
    }
}
