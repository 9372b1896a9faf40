//! RSA: what the device is told of a key, and of a number that is raised to a power.

use broadloom_engine::provider::{ProviderError, PublicKeyParts};
use broadloom_engine::{JobError, Transform};
use broadloom_lanes::Cpu;
use broadloom_public_key::{RsaInputError, RsaModulus};
use broadloom_schemes::rsa::{RsaFrame, RsaHost, RsaKey};
use zeroize::Zeroizing;

use crate::kernels::{KERNELS, KernelId, RsaKernels};
use crate::lower::{ALIGNMENT, Entry, Room, TASK, aligned};
use crate::session::GpuSession;

/// The longest modulus, in words.
const MOST_WORDS: usize = 128;

/// Words before those of the modulus.
const HEADER: usize = 8;

/// A key, and how numbers are made of messages.
pub(crate) struct Rsa {
    frame: RsaFrame,
    key: RsaKey,
    kernels: &'static RsaKernels,
}

impl Rsa {
    /// The session's own part, and what kernels read of the key.
    ///
    /// # Errors
    /// The key breaks a rule, or there is no RSA with the hash.
    pub fn open(transform: &Transform) -> Result<(Rsa, Zeroizing<Vec<u32>>), ProviderError> {
        let frame = RsaFrame::new(transform, &Cpu::detect())?;
        let key = RsaKey::new(transform)?;
        let kernels = KernelId::rsa(8 * frame.len())
            .ok_or_else(|| ProviderError::new("the modulus has a length without kernels"))?;
        let words = words_of(&key);
        Ok((Rsa { frame, key, kernels }, words))
    }

    /// The most bytes of an output.
    pub fn bound(&self) -> usize {
        self.frame.bound()
    }

    /// Words of the modulus, and of each number.
    fn words(&self) -> usize {
        self.frame.len() / 4
    }

    /// Bytes of the input and of the output that a job takes at most.
    pub fn needs(&self, key: &[u32]) -> usize {
        let number = aligned(4 * self.words());
        let tasks = 4 * 4 * TASK + KERNELS * ALIGNMENT;
        aligned(4 * key.len()) + 3 * number + ALIGNMENT + tasks
    }

    /// Turns an operation into tasks of kernels.
    ///
    /// # Errors
    /// What the job is told, which does not go to the device.
    pub fn lower(
        &self,
        room: &mut Room<'_>,
        host: &mut RsaHost,
        parts: &PublicKeyParts<'_, GpuSession>,
        key: u32,
        entry: &mut Entry,
    ) -> Result<(), JobError> {
        let mut bytes = Zeroizing::new([0; 4 * MOST_WORDS]);
        let bytes = &mut bytes[..self.frame.len()];
        host.number(&self.frame, parts.input, parts.signature, bytes)?;
        let mut number = Zeroizing::new([0; MOST_WORDS]);
        let number = &mut number[..self.words()];
        for (word, bytes) in number.iter_mut().zip(bytes.rchunks_exact(4)) {
            *word = u32::from_be_bytes(bytes.try_into().expect("four bytes"));
        }
        if !is_below(number, &self.key.public().constants()) {
            return Err(self.frame.too_large(RsaInputError::TooLarge));
        }
        let number = room.put_words(number);
        let len = 4 * self.words();
        let [public, blinding, half, join] = *self.kernels;
        let RsaKey::Private(private) = &self.key else {
            let out = room.make_text(len, entry);
            room.task(public, &[number, key, out]);
            return Ok(());
        };
        let blind = host.blind(&self.frame, private)?;
        let power = room.put_limbs(blind.power());
        let inverse = room.put_limbs(blind.inverse());
        let blinded = room.make(len);
        let halves = room.make(len);
        let out = room.make_text(len + 4, entry);
        room.task(blinding, &[number, key, blinded, power]);
        for prime in [0, 1] {
            room.task(half, &[blinded, key, halves, prime]);
        }
        room.task(join, &[blinded, key, out, halves, inverse]);
        Ok(())
    }

    /// Makes the output of what the device has made. Returns the output's length.
    ///
    /// # Errors
    /// What the job is told.
    pub fn result(
        &self,
        host: &mut RsaHost,
        parts: PublicKeyParts<'_, GpuSession>,
        made: &[u8],
    ) -> Result<usize, JobError> {
        let (words, right) = made.split_at(self.frame.len());
        // A fault in the machine: the wrong result would give the primes away.
        if let RsaKey::Private(_) = self.key
            && right != 1_u32.to_ne_bytes()
        {
            return Err(JobError::Provider { code: 0 });
        }
        let mut number = Zeroizing::new([0; 4 * MOST_WORDS]);
        let number = &mut number[..self.frame.len()];
        for (bytes, word) in number.rchunks_exact_mut(4).zip(words.chunks_exact(4)) {
            let word = u32::from_ne_bytes(word.try_into().expect("four bytes"));
            bytes.copy_from_slice(&word.to_be_bytes());
        }
        host.result(&self.frame, parts.input, number, parts.output)
    }
}

/// The two words of each limb.
pub(crate) fn halves(limbs: &[u64]) -> impl Iterator<Item = u32> {
    limbs.iter().flat_map(|limb| [*limb as u32, (*limb >> 32) as u32])
}

/// A key as the kernels have it: see `rsa.cl`.
fn words_of(key: &RsaKey) -> Zeroizing<Vec<u32>> {
    let private = match key {
        RsaKey::Public(_) => None,
        RsaKey::Private(key) => Some(key.constants()),
    };
    let (modulus, exponent) = (key.public().constants(), key.public().exponent());
    // As long as it gets, so that no copy of it is left behind.
    let mut words = Zeroizing::new(Vec::with_capacity(HEADER + 12 * modulus.limbs.len()));
    words.extend([modulus.inverse as u32, 0, exponent as u32, (exponent >> 32) as u32]);
    words.extend(private.iter().flat_map(|key| key.primes.map(|prime| prime.inverse as u32)));
    words.resize(HEADER, 0);
    words.extend(halves(modulus.limbs).chain(halves(modulus.square)));
    if let Some(key) = private {
        words.extend(halves(key.coefficient));
        for (prime, exponent) in key.primes.iter().zip(key.exponents) {
            words.extend(halves(prime.limbs).chain(halves(prime.square)).chain(halves(exponent)));
        }
    }
    words
}

/// Returns `true` if a number is below a modulus of as many words.
fn is_below(number: &[u32], modulus: &RsaModulus<'_>) -> bool {
    let mut borrow = 0;
    for (word, of_modulus) in number.iter().zip(halves(modulus.limbs)) {
        borrow = (u64::from(*word).wrapping_sub(u64::from(of_modulus)).wrapping_sub(borrow)) >> 63;
    }
    borrow == 1
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use broadloom_engine::provider::{AnyQueue, Provider, ProviderSession};
    use broadloom_engine::{Algorithm, Job, PrivateKey, Processor, Session};

    use super::*;
    use crate::provider::Gpu;

    const KEY: &str = include_str!("../../../conformance/vectors/keys/rsa-1024.pem");

    /// A device that finds one bit of a key wrong, from a place in its words on.
    struct Faulty {
        gpu: Gpu,
        place: Option<usize>,
    }

    impl Provider for Faulty {
        fn name(&self) -> &str {
            "faulty"
        }

        fn description(&self) -> String {
            "a device with a fault".to_owned()
        }

        fn supports(&self, algorithm: Algorithm) -> bool {
            self.gpu.supports(algorithm)
        }

        fn open_session(
            &self,
            transform: &Transform,
        ) -> Result<Box<dyn ProviderSession>, ProviderError> {
            let mut session = GpuSession::open(transform)?;
            if let Some(place) = self.place {
                session.key[place] ^= 1 << 7;
            }
            Ok(Box::new(session))
        }

        fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
            self.gpu.open_queue()
        }
    }

    /// What became of a number.
    fn raised(gpu: &Gpu, place: Option<usize>) -> Option<Result<(), JobError>> {
        let key = PrivateKey::from_pem(KEY).expect("it is a key");
        let transform = Transform::rsa_private(&key).expect("it is RSA");
        let faulty = Faulty { gpu: gpu.clone(), place };
        let session = Session::open(Arc::new(faulty), &transform).expect("it has kernels");
        let mut jobs = [Job::new(&session, &[3; 128])];
        Processor::new().process_many(&mut jobs);
        jobs[0].status()
    }

    #[test]
    fn a_fault_in_either_half_or_in_joining_them_lets_nothing_out() {
        let gpu = Gpu::load(&[("device", "any")]);
        let Some(gpu) = broadloom_testing::present("faults of RSA on a device", gpu) else {
            return;
        };
        assert_eq!(raised(&gpu, None), Some(Ok(())));
        // Of 32 words of a modulus: what the coefficient and each half has.
        let coefficient = HEADER + 64;
        let halves = [coefficient + 16, coefficient + 64];
        for place in [coefficient, halves[0] + 16, halves[0] + 32, halves[1] + 16, halves[1] + 32] {
            let failed = Some(Err(JobError::Provider { code: 0 }));
            assert_eq!(raised(&gpu, Some(place)), failed, "word {place}");
        }
    }
}
