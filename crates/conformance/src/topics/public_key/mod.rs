//! Public-key algorithms: keys that other programs made, round trips, refusals, and the vectors of
//! project Wycheproof and of the standards.

mod acvp;
mod acvp_signatures;
mod agreement;
mod encryption;
mod hybrid;
mod kem;
mod ml_dsa;
mod ml_kem;
mod signatures;
mod slh_dsa;
mod wycheproof;

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Algorithm, Job, JobError, PrivateKey, Processor, PublicKey, Session, Transform,
};

pub use acvp::acvp_ml_kem;
pub use acvp_signatures::acvp_ml_dsa;
pub use agreement::agreement;
pub use encryption::{bare_rsa, encryption};
pub use hybrid::{fresh_hybrids, hybrids, wrong_hybrids};
pub use ml_dsa::{fresh_ml_dsa, ml_dsa, wrong_ml_dsa};
pub use ml_kem::{fresh_ml_kem, ml_kem, wrong_ml_kem};
pub use signatures::{
    hedged_signatures, known_signatures, signatures, wrong_signatures,
    wrong_signatures_of_equal_value,
};
pub use slh_dsa::{hashed_slh_dsa, slh_dsa, wrong_slh_dsa};
pub use wycheproof::wycheproof;

/// A key pair that OpenSSL made.
struct Pair {
    name: &'static str,
    private: PrivateKey,
    /// Of X25519 there is no public key to verify with.
    public: Option<PublicKey>,
}

/// Reads a key pair of the folder `vectors/keys`.
macro_rules! pair {
    ($name:literal) => {
        pair!(
            $name,
            PublicKey::from_pem(include_str!(concat!("../../../vectors/keys/", $name, ".pub.pem")))
                .ok()
        )
    };
    ($name:literal, $public:expr) => {
        Pair {
            name: $name,
            private: PrivateKey::from_pem(include_str!(concat!(
                "../../../vectors/keys/",
                $name,
                ".pem"
            )))
            .expect("OpenSSL made it"),
            public: $public,
        }
    };
}

/// All key pairs.
fn pairs() -> Vec<Pair> {
    vec![
        pair!("rsa-1024"),
        pair!("rsa-2048"),
        pair!("rsa-2048-e3"),
        pair!("rsa-3072"),
        pair!("rsa-4096"),
        pair!("p256"),
        pair!("p256.sec1"),
        pair!("p384"),
        pair!("p521"),
        pair!("p521.sec1"),
        pair!("secp256k1"),
        pair!("k283"),
        pair!("b283"),
        pair!("ed25519"),
        pair!("x25519", None),
    ]
}

/// The key pairs whose signatures a provider makes.
fn signing(provider: &Arc<dyn Provider>) -> Vec<(Pair, PublicKey)> {
    let supported = |pair: &Pair| {
        let algorithm = pair.private.signature_algorithm();
        algorithm.is_some_and(|algorithm| provider.supports(Algorithm::PublicKey(algorithm)))
    };
    let pairs = pairs().into_iter().filter(supported);
    pairs.filter_map(|pair| pair.public.clone().map(|public| (pair, public))).collect()
}

/// The key pairs of RSA, where a provider has it.
fn rsa(provider: &Arc<dyn Provider>) -> Vec<(Pair, PublicKey)> {
    let is_rsa = |pair: &Pair| matches!(pair.private, PrivateKey::Rsa(_));
    signing(provider).into_iter().filter(|(pair, _)| is_rsa(pair)).collect()
}

fn open(provider: &Arc<dyn Provider>, transform: &Transform) -> Session {
    Session::open(Arc::clone(provider), transform)
        .unwrap_or_else(|error| panic!("{transform:?}: {error}"))
}

/// One job's output.
fn output(session: &Session, data: &[u8]) -> Result<Vec<u8>, JobError> {
    let mut jobs = [Job::new(session, data)];
    Processor::new().process_many(&mut jobs);
    let [mut job] = jobs;
    job.status().expect("it is complete").map(|()| job.take_output())
}

/// Whether a signature verifies.
fn verified(session: &Session, data: &[u8], signature: &[u8]) -> Result<(), JobError> {
    let mut jobs = [Job::new(session, data).signature(signature)];
    Processor::new().process_many(&mut jobs);
    jobs[0].status().expect("it is complete")
}

/// A message of so many bytes.
fn message(len: usize) -> Vec<u8> {
    (0..len).map(|index| (index * 7 + len) as u8).collect()
}
