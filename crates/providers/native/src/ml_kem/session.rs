//! Sessions of ML-KEM: a parameter set, and what is done.

use broadloom_engine::provider::{AnyKey, Asymmetric, ProviderError, ProviderSession};
use broadloom_engine::{
    Algorithm, Direction, JobError, MlKemPrivateKey as GivenKey, MlKemSet, PrivateKey,
    PublicKeyAlgorithm, Transform,
};
use broadloom_lanes::{Cpu, Planner, public};
use broadloom_public_key::{MlKemLanes, MlKemPrivateKey};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::MlKem;
use crate::drawn::missing;
use crate::kind::{Opened, instruction_set, laned, refused};
use crate::kinds::Numbered;

/// A session of ML-KEM.
pub(crate) struct MlKemSession {
    pub set: MlKemSet,
    pub work: Work,
    kernel: String,
}

/// What is done, with the key for it.
pub(crate) enum Work {
    Generate,
    Encapsulate,
    Decapsulate(Box<MlKemPrivateKey>),
}

/// Opens a session of ML-KEM.
pub(crate) fn open(transform: &Transform, cpu: &Cpu) -> Opened {
    let Algorithm::PublicKey(PublicKeyAlgorithm::MlKem(set)) = transform.algorithm() else {
        return Err(ProviderError::new("the algorithm is not ML-KEM"));
    };
    let work = match (transform.direction(), transform.asymmetric()) {
        (Direction::Generate, _) => Work::Generate,
        (Direction::Encapsulate, _) => Work::Encapsulate,
        (_, Some(Asymmetric { key: AnyKey::Private(PrivateKey::MlKem(key)), .. })) => {
            Work::Decapsulate(Box::new(private_key(key, cpu)?))
        }
        _ => return Err(ProviderError::new("the key is none of ML-KEM")),
    };
    Ok(Box::new(MlKemSession { set, work, kernel: laned(MlKemLanes::kernel_info(cpu)) }))
}

/// Expands a key if only its seed is known, and checks it otherwise.
pub(crate) fn private_key(key: &GivenKey, cpu: &Cpu) -> Result<MlKemPrivateKey, ProviderError> {
    let set = key.set();
    let Some(seed) = key.seed() else {
        return MlKemPrivateKey::new(set, key.expanded().unwrap_or_default()).map_err(refused);
    };
    let mut made = Zeroizing::new(vec![0; set.private_key_len()]);
    made[..seed.len()].copy_from_slice(seed);
    let loan = MlKemLanes::generate(set, &mut made[..]).map_err(refused)?;
    Planner::<MlKemLanes>::new(cpu).process_each([loan]);
    // Only whether they are equal is public.
    if key.expanded().is_some_and(|expanded| !public(expanded.ct_eq(&made))) {
        return Err(ProviderError::new("the seed is not that of the decapsulation key beside it"));
    }
    MlKemPrivateKey::generated(set, &made).map_err(refused)
}

impl MlKemSession {
    /// Returns the bytes of output of a job, and the room that the lanes need for it.
    pub fn output_len(&self) -> usize {
        match self.work {
            Work::Generate => self.set.private_key_len(),
            Work::Encapsulate => self.set.ciphertext_len() + MlKemSet::SECRET_LEN,
            Work::Decapsulate(_) => MlKemSet::SECRET_LEN,
        }
    }

    /// Returns the random bytes that a job with so many bytes of data needs.
    ///
    /// # Errors
    /// A length that the work does not take.
    pub fn missing(&self, len: usize) -> Result<usize, JobError> {
        match self.work {
            Work::Generate => missing(len, 0, MlKemSet::SEED_LEN),
            Work::Encapsulate => missing(len, self.set.public_key_len(), MlKemSet::RANDOMNESS_LEN),
            Work::Decapsulate(_) => missing(len, self.set.ciphertext_len(), 0),
        }
    }
}

impl ProviderSession for MlKemSession {
    fn kernel(&self) -> String {
        self.kernel.clone()
    }

    fn instruction_set(&self) -> String {
        instruction_set(&self.kernel)
    }

    fn class(&self) -> u8 {
        MlKem::CLASS
    }

    fn bound(&self, _: usize) -> usize {
        self.output_len()
    }
}
