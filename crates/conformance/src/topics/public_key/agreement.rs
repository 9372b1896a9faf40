//! Agreement on secrets.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Algorithm, EcPrivateKey, JobError, PrivateKey, PublicKey, PublicKeyAlgorithm, Secret, Transform,
};

use super::{Pair, open, output, pairs};

/// Both sides of X25519 compute the same secret. On other curves, the private scalar 1 gives the x
/// coordinate of the other side's point. Points that are not on the curve are refused.
pub fn agreement(provider: &Arc<dyn Provider>) {
    if provider.supports(Algorithm::PublicKey(PublicKeyAlgorithm::X25519)) {
        x25519(provider);
    }
    for Pair { name, private, public, .. } in pairs() {
        let (PrivateKey::Ec(key), Some(PublicKey::Ec(public))) = (&private, public) else {
            continue;
        };
        let algorithm = Algorithm::PublicKey(PublicKeyAlgorithm::Ecdh(key.curve()));
        if !provider.supports(algorithm) {
            continue;
        }
        let one = EcPrivateKey::new(key.curve(), &[1]).expect("a scalar");
        let one = Transform::agree(&PrivateKey::Ec(one)).expect("it agrees");
        let (point, len) = (public.point(), key.curve().coordinate_len());
        let x = output(&open(provider, &one), point);
        assert_eq!(x.as_deref(), Ok(&point[1..=len]), "{name}");
        let agree = open(provider, &Transform::agree(&private).expect("it agrees"));
        let mut off = point.to_vec();
        off[2 * len] ^= 1;
        assert_eq!(output(&agree, &off), Err(JobError::PublicKey), "{name}");
        let (len, valid) = (point.len() - 1, point.len());
        let short = Err(JobError::InputLength { len, min: valid, max: valid });
        assert_eq!(output(&agree, &point[1..]), short, "{name}");
    }
}

fn x25519(provider: &Arc<dyn Provider>) {
    let session = |secret| {
        let key = PrivateKey::X25519(Secret::new(secret));
        open(provider, &Transform::agree(&key).expect("it agrees"))
    };
    let (one, other) = (session([7; 32]), session([8; 32]));
    let mut base = [0; 32];
    base[0] = 9;
    let [one_public, other_public] =
        [&one, &other].map(|session| output(session, &base).expect("the base point is valid"));
    let shared = output(&one, &other_public).expect("it is a public key");
    assert_eq!(output(&other, &one_public), Ok(shared.clone()));
    assert!(shared != one_public && shared != [0; 32]);
    assert_eq!(output(&one, &[0; 32]), Err(JobError::PublicKey), "a point of small order");
    let short = Err(JobError::InputLength { len: 31, min: 32, max: 32 });
    assert_eq!(output(&one, &[9; 31]), short);
}
