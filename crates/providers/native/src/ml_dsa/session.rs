//! Sessions of ML-DSA: a parameter set, what is done, and what the messages are.

use broadloom_engine::provider::{AnyKey, Asymmetric, ProviderError, ProviderSession};
use broadloom_engine::{
    Algorithm, Direction, JobError, MlDsaPrivateKey as GivenKey, PrivateKey, PublicKey,
    PublicKeyAlgorithm, Scheme, Transform,
};
use broadloom_lanes::{Cpu, Planner, public};
use broadloom_public_key::{
    MlDsaLanes, MlDsaMessage, MlDsaPrivateKey, MlDsaPublicKey, MlDsaSet, PreHash,
};
use broadloom_schemes::prehash;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::MlDsa;
use crate::drawn::missing;
use crate::kind::{Opened, instruction_set, laned, refused};
use crate::kinds::Numbered;

/// Bytes of mu.
const MU_LEN: usize = 64;

/// A session of ML-DSA.
pub(crate) struct MlDsaSession {
    pub set: MlDsaSet,
    pub work: Work,
    given: Given,
    context: Vec<u8>,
    /// `true` if each signature has fresh randomness.
    is_hedged: bool,
    kernel: String,
}

/// What is done, with the key for it.
pub(crate) enum Work {
    Generate,
    Sign(Box<MlDsaPrivateKey>),
    Verify(Box<MlDsaPublicKey>),
}

/// What is signed.
enum Given {
    Message,
    Digest(PreHash),
    Mu,
}

/// Opens a session of ML-DSA.
pub(crate) fn open(transform: &Transform, cpu: &Cpu) -> Opened {
    let Algorithm::PublicKey(PublicKeyAlgorithm::MlDsa(set)) = transform.algorithm() else {
        return Err(ProviderError::new("the algorithm is not ML-DSA"));
    };
    let kernel = laned(MlDsaLanes::kernel_info(cpu));
    let Some(Asymmetric { key, scheme, context, .. }) = transform.asymmetric() else {
        if transform.direction() != Direction::Generate {
            return Err(ProviderError::new("ML-DSA needs a key to sign and to verify"));
        }
        let (work, given, context) = (Work::Generate, Given::Message, Vec::new());
        return Ok(Box::new(MlDsaSession { set, work, given, context, is_hedged: false, kernel }));
    };
    let work = match key {
        AnyKey::Private(PrivateKey::MlDsa(key)) => Work::Sign(Box::new(private_key(key, cpu)?)),
        AnyKey::Public(PublicKey::MlDsa(key)) => {
            let key = MlDsaPublicKey::new(key.set(), key.as_bytes()).map_err(refused)?;
            Work::Verify(Box::new(key))
        }
        _ => return Err(ProviderError::new("the key is none of ML-DSA")),
    };
    let (given, context, is_hedged) = (given(scheme)?, context.clone(), scheme.is_hedged());
    Ok(Box::new(MlDsaSession { set, work, given, context, is_hedged, kernel }))
}

/// Expands a key if only its seed is known, and checks it otherwise.
fn private_key(key: &GivenKey, cpu: &Cpu) -> Result<MlDsaPrivateKey, ProviderError> {
    let set = key.set();
    let Some(seed) = key.seed() else {
        return MlDsaPrivateKey::new(set, key.expanded().unwrap_or_default()).map_err(refused);
    };
    let mut made = Zeroizing::new(vec![0; set.private_key_len() + set.public_key_len()]);
    made[..seed.len()].copy_from_slice(seed);
    let loan = MlDsaLanes::generate(set, &mut made[..]).map_err(refused)?;
    Planner::<MlDsaLanes>::new(cpu).process_each([loan]);
    let made = &made[..set.private_key_len()];
    // Only whether they are equal is public.
    if key.expanded().is_some_and(|expanded| !public(expanded.ct_eq(made))) {
        return Err(ProviderError::new("the seed is not that of the private key beside it"));
    }
    MlDsaPrivateKey::generated(set, made).map_err(refused)
}

/// Returns what is signed by a scheme.
fn given(scheme: &Scheme) -> Result<Given, ProviderError> {
    if scheme.is_external_mu() {
        return Ok(Given::Mu);
    }
    Ok(prehash(scheme, "HashML-DSA")?.map_or(Given::Message, Given::Digest))
}

impl MlDsaSession {
    /// Returns the bytes of output of a job, and the room that the lanes need for it.
    pub fn output_len(&self) -> usize {
        match self.work {
            Work::Generate => self.set.private_key_len() + self.set.public_key_len(),
            Work::Sign(_) => self.set.signature_len(),
            Work::Verify(_) => 0,
        }
    }

    /// Returns the random bytes that a job with so many bytes of data needs.
    ///
    /// # Errors
    /// A length that key generation does not take.
    pub fn missing(&self, len: usize) -> Result<usize, JobError> {
        match self.work {
            Work::Generate => missing(len, 0, MlDsaSet::SEED_LEN),
            Work::Sign(_) if self.is_hedged => Ok(MlDsaSet::RANDOMNESS_LEN),
            Work::Sign(_) | Work::Verify(_) => Ok(0),
        }
    }

    /// Returns the message that the data are or stand for, under the session's context.
    ///
    /// # Errors
    /// A digest or a mu of another length than it has.
    pub fn message<'m>(&'m self, data: &'m [u8]) -> Result<MlDsaMessage<'m>, JobError> {
        let length = |valid| JobError::InputLength { len: data.len(), min: valid, max: valid };
        let message = match self.given {
            Given::Message => MlDsaMessage::new(data),
            Given::Digest(hash) => {
                MlDsaMessage::hashed(hash, data).map_err(|_| length(hash.digest_len()))?
            }
            Given::Mu => MlDsaMessage::external(data.try_into().map_err(|_| length(MU_LEN))?),
        };
        Ok(message.context(&self.context).expect("the engine refuses long context strings"))
    }
}

impl ProviderSession for MlDsaSession {
    fn kernel(&self) -> String {
        self.kernel.clone()
    }

    fn instruction_set(&self) -> String {
        instruction_set(&self.kernel)
    }

    fn class(&self) -> u8 {
        MlDsa::CLASS
    }

    fn bound(&self, _: usize) -> usize {
        self.output_len()
    }
}
