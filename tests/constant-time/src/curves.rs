//! Elliptic curves: private keys, nonces and the numbers of commitments are secret.

use broadloom_lanes::{Cpu, Loan, Planner};
use broadloom_public_key::{
    CurveInputError, CurveLanes, CurveOutcome, Ed25519PrivateKey, P256PrivateKey, P384PrivateKey,
    P521PrivateKey, Secp256k1PrivateKey, X25519Key,
};

use crate::check::Checks;
use crate::observer::watch;
use crate::secrets::{disclose, made_from_secrets, public, secret_array};

pub fn check(checks: &mut Checks) {
    checks.kernel("curves x25519", |cpu| [1, 5, 8].iter().all(|count| x25519(cpu, *count)));
    checks.kernel("curves x25519 public", |cpu| {
        [1, 5, 8].iter().all(|count| x25519_public(cpu, *count))
    });
    checks
        .kernel("curves p256 public", |cpu| [1, 5, 8].iter().all(|count| p256_public(cpu, *count)));
    checks
        .kernel("curves p384 public", |cpu| [1, 5, 8].iter().all(|count| p384_public(cpu, *count)));
    checks
        .kernel("curves p521 public", |cpu| [1, 5, 8].iter().all(|count| p521_public(cpu, *count)));
    checks.kernel("curves ed25519", |cpu| [1, 5, 8].iter().all(|count| ed25519(cpu, *count)));
    checks.kernel("curves p256 sign", |cpu| [1, 5, 8].iter().all(|count| p256_sign(cpu, *count)));
    checks.kernel("curves p256 agree", |cpu| [1, 5, 8].iter().all(|count| p256_agree(cpu, *count)));
    checks.kernel("curves p384 sign", |cpu| [1, 5, 8].iter().all(|count| p384_sign(cpu, *count)));
    checks.kernel("curves p384 agree", |cpu| [1, 5, 8].iter().all(|count| p384_agree(cpu, *count)));
    checks.kernel("curves p521 sign", |cpu| [1, 5, 8].iter().all(|count| p521_sign(cpu, *count)));
    checks.kernel("curves p521 agree", |cpu| [1, 5, 8].iter().all(|count| p521_agree(cpu, *count)));
    checks
        .kernel("curves secp256k1 sign", |cpu| [1, 5, 8].iter().all(|count| k1_sign(cpu, *count)));
    checks.kernel("curves secp256k1 agree", |cpu| {
        [1, 5, 8].iter().all(|count| k1_agree(cpu, *count))
    });
}

/// Returns a secret scalar of P-256: below the order, as its first byte is zero.
fn scalar256(seed: usize) -> P256PrivateKey {
    let mut bytes = secret_array::<32>(seed);
    bytes[0] = 0;
    P256PrivateKey::new(&bytes).expect("it is below the order")
}

/// Returns a secret scalar of P-384: below the order, as its first byte is zero.
fn scalar384(seed: usize) -> P384PrivateKey {
    let mut bytes = secret_array::<48>(seed);
    bytes[0] = 0;
    P384PrivateKey::new(&bytes).expect("it is below the order")
}

/// Returns a secret scalar of P-521: below the order, as its first byte is zero.
fn scalar521(seed: usize) -> P521PrivateKey {
    let mut bytes = secret_array::<66>(seed);
    bytes[0] = 0;
    P521PrivateKey::new(&bytes).expect("it is below the order")
}

/// Returns a secret scalar of secp256k1: below the order, as its first byte is zero.
fn scalar_k1(seed: usize) -> Secp256k1PrivateKey {
    let mut bytes = secret_array::<32>(seed);
    bytes[0] = 0;
    Secp256k1PrivateKey::new(&bytes).expect("it is below the order")
}

/// A loan, or the reason why there is none.
type Lent<'a> = Result<Loan<'a, CurveLanes>, CurveInputError>;

/// Makes signatures of numbers of so many bytes. Returns `true` if secrets reached all of them.
fn sign<K>(
    cpu: &Cpu,
    count: usize,
    len: usize,
    scalar: fn(usize) -> K,
    loan: impl for<'a> Fn(&'a K, &'a K, &'a mut Vec<u8>, &'a mut CurveOutcome) -> Lent<'a>,
) -> bool {
    let mut planner = Planner::<CurveLanes>::new(cpu);
    let mut buffers: Vec<Vec<u8>> = (0..count).map(|i| public(i, 2 * len)).collect();
    let mut outcomes = vec![CurveOutcome::default(); count];
    watch(|| {
        let keys: Vec<_> = (0..count).map(|i| (scalar(i), scalar(i + 10))).collect();
        let all = keys.iter().zip(&mut buffers).zip(&mut outcomes);
        planner.process_each(all.map(|(((key, nonce), buffer), outcome)| {
            loan(key, nonce, buffer, outcome).expect("two numbers")
        }));
    });
    assert!(outcomes.iter().all(|outcome| outcome.check().is_ok()), "good nonces");
    buffers.iter_mut().all(|buffer| made_from_secrets(buffer))
}

fn p256_sign(cpu: &Cpu, count: usize) -> bool {
    sign(cpu, count, 32, scalar256, |key, nonce, buffer, outcome| {
        CurveLanes::p256_sign(key, nonce, buffer, outcome)
    })
}

fn p384_sign(cpu: &Cpu, count: usize) -> bool {
    sign(cpu, count, 48, scalar384, |key, nonce, buffer, outcome| {
        CurveLanes::p384_sign(key, nonce, buffer, outcome)
    })
}

fn p521_sign(cpu: &Cpu, count: usize) -> bool {
    sign(cpu, count, 66, scalar521, |key, nonce, buffer, outcome| {
        CurveLanes::p521_sign(key, nonce, buffer, outcome)
    })
}

fn k1_sign(cpu: &Cpu, count: usize) -> bool {
    sign(cpu, count, 32, scalar_k1, |key, nonce, buffer, outcome| {
        CurveLanes::secp256k1_sign(key, nonce, buffer, outcome)
    })
}

/// The base point of P-256, as the other side's.
const BASE256: &str = "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296\
                       4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5";

/// The base point of P-384.
const BASE384: &str = "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b98\
                       59f741e082542a385502f25dbf55296c3a545e3872760ab7\
                       3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147c\
                       e9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f";

/// The base point of P-521.
const BASE521: &str = "00c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3d\
                       baa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66\
                       011839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e66\
                       2c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650";

/// The base point of secp256k1.
const BASE_K1: &str = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798\
                       483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8";

/// Agrees on secrets with the other side's point. Returns `true` if private keys reached all of
/// them.
fn agree<K>(
    cpu: &Cpu,
    count: usize,
    point: &str,
    scalar: fn(usize) -> K,
    loan: impl for<'a> Fn(&'a K, &'a mut Vec<u8>, &'a mut CurveOutcome) -> Lent<'a>,
) -> bool {
    let mut planner = Planner::<CurveLanes>::new(cpu);
    let byte = |at| u8::from_str_radix(&point[at..at + 2], 16).expect("hexadecimal digits");
    let point: Vec<u8> = (0..point.len()).step_by(2).map(byte).collect();
    let secret = point.len() / 2;
    let mut buffers = vec![point; count];
    let mut outcomes = vec![CurveOutcome::default(); count];
    watch(|| {
        let keys: Vec<_> = (0..count).map(scalar).collect();
        let all = keys.iter().zip(&mut buffers).zip(&mut outcomes);
        planner.process_each(
            all.map(|((key, buffer), outcome)| loan(key, buffer, outcome).expect("a point")),
        );
    });
    assert!(outcomes.iter().all(|outcome| outcome.check().is_ok()), "points on the curve");
    buffers.iter_mut().all(|buffer| made_from_secrets(&mut buffer[..secret]))
}

fn p256_agree(cpu: &Cpu, count: usize) -> bool {
    agree(cpu, count, BASE256, scalar256, |key, buffer, outcome| {
        CurveLanes::p256_agree(key, buffer, outcome)
    })
}

fn p384_agree(cpu: &Cpu, count: usize) -> bool {
    agree(cpu, count, BASE384, scalar384, |key, buffer, outcome| {
        CurveLanes::p384_agree(key, buffer, outcome)
    })
}

fn p521_agree(cpu: &Cpu, count: usize) -> bool {
    agree(cpu, count, BASE521, scalar521, |key, buffer, outcome| {
        CurveLanes::p521_agree(key, buffer, outcome)
    })
}

/// Computes public keys of so many bytes. Returns `true` if private keys reached all of them.
fn public_keys<K>(
    cpu: &Cpu,
    count: usize,
    len: usize,
    key: fn(usize) -> K,
    loan: impl for<'a> Fn(&'a K, &'a mut Vec<u8>, &'a mut CurveOutcome) -> Lent<'a>,
) -> bool {
    let mut planner = Planner::<CurveLanes>::new(cpu);
    let mut buffers = vec![vec![0; len]; count];
    let mut outcomes = vec![CurveOutcome::default(); count];
    watch(|| {
        let keys: Vec<_> = (0..count).map(key).collect();
        let all = keys.iter().zip(&mut buffers).zip(&mut outcomes);
        planner.process_each(
            all.map(|((key, buffer), outcome)| loan(key, buffer, outcome).expect("a key's length")),
        );
    });
    assert!(outcomes.iter().all(|outcome| outcome.check().is_ok()), "there is always one");
    buffers.iter_mut().all(|buffer| made_from_secrets(buffer))
}

fn x25519_public(cpu: &Cpu, count: usize) -> bool {
    let key = |seed| X25519Key::new(&secret_array(seed + 3));
    public_keys(cpu, count, 32, key, |key, buffer, outcome| {
        CurveLanes::x25519_public(key, buffer, outcome)
    })
}

fn p256_public(cpu: &Cpu, count: usize) -> bool {
    public_keys(cpu, count, 64, scalar256, |key, buffer, outcome| {
        CurveLanes::p256_public(key, buffer, outcome)
    })
}

fn p384_public(cpu: &Cpu, count: usize) -> bool {
    public_keys(cpu, count, 96, scalar384, |key, buffer, outcome| {
        CurveLanes::p384_public(key, buffer, outcome)
    })
}

fn p521_public(cpu: &Cpu, count: usize) -> bool {
    public_keys(cpu, count, 132, scalar521, |key, buffer, outcome| {
        CurveLanes::p521_public(key, buffer, outcome)
    })
}

fn k1_agree(cpu: &Cpu, count: usize) -> bool {
    agree(cpu, count, BASE_K1, scalar_k1, |key, buffer, outcome| {
        CurveLanes::secp256k1_agree(key, buffer, outcome)
    })
}

/// Shared secrets. Says whether private keys reached all of them.
fn x25519(cpu: &Cpu, count: usize) -> bool {
    let mut planner = Planner::<CurveLanes>::new(cpu);
    let mut points: Vec<Vec<u8>> = (0..count).map(|i| public(i, 32)).collect();
    let mut outcomes = vec![CurveOutcome::default(); count];
    watch(|| {
        let keys: Vec<_> = (0..count).map(|i| X25519Key::new(&secret_array(i + 3))).collect();
        let all = keys.iter().zip(&mut points).zip(&mut outcomes);
        planner.process_each(all.map(|((key, point), outcome)| {
            CurveLanes::x25519(key, point, outcome).expect("32 bytes")
        }));
    });
    assert!(outcomes.iter().all(|outcome| outcome.check().is_ok()), "no point of small order");
    points.iter_mut().all(|point| made_from_secrets(point))
}

/// Keys, commitments and responses. Says whether secrets reached all of them.
fn ed25519(cpu: &Cpu, count: usize) -> bool {
    let mut planner = Planner::<CurveLanes>::new(cpu);
    let mut buffers: Vec<Vec<u8>> =
        (0..count).map(|i| secret_array::<64>(2 * i + 1).to_vec()).collect();
    let mut outcomes = vec![CurveOutcome::default(); count];
    let mut responses = Vec::new();
    watch(|| {
        let keys: Vec<_> =
            (0..count).map(|i| Ed25519PrivateKey::new(&secret_array(i + 5))).collect();
        planner.process_each(buffers.iter_mut().zip(&mut outcomes).map(|(buffer, outcome)| {
            CurveLanes::ed25519_commit(buffer, outcome).expect("64 bytes")
        }));
        responses = keys
            .iter()
            .zip(&buffers)
            .map(|(key, buffer)| {
                let number = buffer[32..].try_into().expect("32 bytes");
                let mut public = *key.public();
                disclose(&mut public);
                key.respond(number, &[public[0]; 64])
            })
            .collect();
    });
    assert!(outcomes.iter().all(|outcome| outcome.check().is_ok()), "there is always one");
    let all = buffers.iter_mut().map(Vec::as_mut_slice);
    all.chain(responses.iter_mut().map(|response| &mut response[..])).all(made_from_secrets)
}
