//! Sessions of the hybrids: which of them, and what is done.

use broadloom_engine::provider::{AnyKey, Asymmetric, ProviderError, ProviderSession};
use broadloom_engine::{
    Algorithm, Direction, HybridKem, JobError, MlKemSet, PublicKeyAlgorithm, Transform,
};
use broadloom_lanes::{Cpu, Loan};
use broadloom_public_key::{
    CurveInputError, CurveKeyError, CurveLanes, CurveOutcome, MlKemLanes, MlKemPrivateKey,
    MlKemPublicKey, P256PrivateKey, X25519Key,
};
use broadloom_schemes::random;
use zeroize::Zeroize;

use super::{Hybrid, MAX_POINT, MAX_TEXT};
use crate::drawn::{Drawn, missing};
use crate::kind::{Opened, instruction_set, laned, refused};
use crate::kinds::Numbered;
use crate::ml_kem::private_key;

/// A session of a hybrid.
pub(crate) struct HybridSession {
    kem: HybridKem,
    work: Work,
    kernel: String,
}

/// What is done, with the keys for it.
enum Work {
    Generate,
    Encapsulate,
    Decapsulate(Box<(MlKemPrivateKey, CurveKey)>),
}

/// A private key of the curve.
enum CurveKey {
    X25519(X25519Key),
    P256(P256PrivateKey),
}

/// What an operation needs beside its own buffers.
pub(super) struct Job {
    /// The other side's key of ML-KEM, checked.
    pub public: Option<MlKemPublicKey>,
    /// A ciphertext of ML-KEM, and the secret behind it.
    pub text: [u8; MAX_TEXT],
    /// The private key of a share that is made.
    scalar: Option<CurveKey>,
    share: Point,
    /// The other side's share, of which the lanes make the secret.
    shared: Point,
    /// Why it has no result, if so.
    pub refused: Option<JobError>,
}

/// A point that goes through the lanes, and whether something came out.
struct Point {
    bytes: [u8; MAX_POINT],
    outcome: CurveOutcome,
}

impl Default for Job {
    fn default() -> Self {
        let point = || Point { bytes: [0; _], outcome: CurveOutcome::default() };
        Job {
            public: None,
            text: [0; _],
            scalar: None,
            share: point(),
            shared: point(),
            refused: None,
        }
    }
}

impl Job {
    /// Overwrites what is secret with zeros.
    pub fn wipe(&mut self) {
        self.scalar = None;
        self.text.zeroize();
        self.share.bytes.zeroize();
        self.shared.bytes.zeroize();
    }
}

impl Point {
    /// Takes a point of the other side.
    ///
    /// # Errors
    /// [`JobError::PublicKey`] if it is not written in the one way that its curve has.
    fn take(&mut self, kem: HybridKem, point: &[u8]) -> Result<(), JobError> {
        let coordinates = match kem {
            HybridKem::X25519MlKem768 => point,
            HybridKem::P256MlKem768 => point.strip_prefix(&[4]).ok_or(JobError::PublicKey)?,
        };
        self.bytes[..coordinates.len()].copy_from_slice(coordinates);
        Ok(())
    }

    /// Writes the point as the other side takes it.
    ///
    /// # Errors
    /// [`JobError::NotDone`] if the lanes did not make it.
    fn put(&self, kem: HybridKem, place: &mut [u8]) -> Result<(), JobError> {
        self.outcome.check().map_err(|_| JobError::NotDone)?;
        let coordinates = match kem {
            HybridKem::X25519MlKem768 => place,
            HybridKem::P256MlKem768 => {
                place[0] = 4;
                &mut place[1..]
            }
        };
        coordinates.copy_from_slice(&self.bytes[..coordinates.len()]);
        Ok(())
    }
}

impl CurveKey {
    /// Takes a private key.
    ///
    /// # Errors
    /// A scalar of P-256 that is zero or not below the order.
    fn new(kem: HybridKem, bytes: &[u8]) -> Result<CurveKey, CurveKeyError> {
        let bytes = bytes.first_chunk().expect("a private key of a curve has 32 bytes");
        Ok(match kem {
            HybridKem::X25519MlKem768 => CurveKey::X25519(X25519Key::new(bytes)),
            HybridKem::P256MlKem768 => CurveKey::P256(P256PrivateKey::new(bytes)?),
        })
    }

    /// Lends a place for the key's point.
    fn share<'v>(&'v self, point: &'v mut Point) -> Result<Loan<'v, CurveLanes>, CurveInputError> {
        let Point { bytes, outcome } = point;
        match self {
            CurveKey::X25519(key) => CurveLanes::x25519_public(key, &mut bytes[..32], outcome),
            CurveKey::P256(key) => CurveLanes::p256_public(key, &mut bytes[..], outcome),
        }
    }

    /// Lends a point, of which the secret is made.
    fn agree<'v>(&'v self, point: &'v mut Point) -> Result<Loan<'v, CurveLanes>, CurveInputError> {
        let Point { bytes, outcome } = point;
        match self {
            CurveKey::X25519(key) => CurveLanes::x25519(key, &mut bytes[..32], outcome),
            CurveKey::P256(key) => CurveLanes::p256_agree(key, &mut bytes[..], outcome),
        }
    }
}

/// Opens a session of a hybrid.
pub(crate) fn open(transform: &Transform, cpu: &Cpu) -> Opened {
    let Algorithm::PublicKey(PublicKeyAlgorithm::Hybrid(kem)) = transform.algorithm() else {
        return Err(ProviderError::new("the algorithm is no hybrid"));
    };
    let work = match (transform.direction(), transform.asymmetric()) {
        (Direction::Generate, _) => Work::Generate,
        (Direction::Encapsulate, _) => Work::Encapsulate,
        (_, Some(Asymmetric { key: AnyKey::Hybrid(key), .. })) => {
            let curve = CurveKey::new(kem, key.scalar()).map_err(refused)?;
            Work::Decapsulate(Box::new((private_key(key.ml_kem(), cpu)?, curve)))
        }
        _ => return Err(ProviderError::new("the key is none of a hybrid")),
    };
    let kernels = [MlKemLanes::kernel_info(cpu), CurveLanes::kernel_info(cpu)];
    let kernel = kernels.map(laned).join(", ");
    Ok(Box::new(HybridSession { kem, work, kernel }))
}

impl HybridSession {
    /// Returns the bytes of output of a job.
    fn output_len(&self) -> usize {
        match self.work {
            Work::Generate => self.kem.pair_len(),
            Work::Encapsulate => self.kem.ciphertext_len() + HybridKem::SECRET_LEN,
            Work::Decapsulate(_) => HybridKem::SECRET_LEN,
        }
    }

    /// Returns the random bytes that a job with so many bytes of data needs.
    ///
    /// # Errors
    /// A length that the work does not take.
    pub fn missing(&self, len: usize) -> Result<usize, JobError> {
        match self.work {
            Work::Generate => missing(len, 0, HybridKem::SEED_LEN),
            Work::Encapsulate => missing(len, self.kem.public_key_len(), HybridKem::RANDOMNESS_LEN),
            Work::Decapsulate(_) => missing(len, self.kem.ciphertext_len(), 0),
        }
    }

    /// Puts an operation's input where the lanes take it from. What it does not bring, it takes
    /// from `drawn`.
    pub fn prepare(
        &self,
        input: &[u8],
        output: &mut [u8],
        job: &mut Job,
        drawn: &mut Drawn,
    ) -> Result<(), JobError> {
        let (kem, len) = (self.kem, self.missing(input.len())?);
        job.public = None;
        match self.work {
            Work::Generate => {
                let seed = if len == 0 { input } else { drawn.take(len)? };
                let (ml_kem, scalar) = kem.parts(seed, HybridKem::SCALAR_LEN);
                let private = &mut output[..HybridKem::PRIVATE_KEY_LEN];
                let (ml_kem_place, scalar_place) = kem.parts_mut(private, HybridKem::SCALAR_LEN);
                ml_kem_place[..ml_kem.len()].copy_from_slice(ml_kem);
                scalar_place.copy_from_slice(scalar);
                job.scalar = Some(self.scalar(scalar_place, len != 0)?);
            }
            Work::Encapsulate => {
                let (public, given) = input.split_at(kem.public_key_len());
                let (ml_kem, point) = kem.parts(public, kem.point_len());
                let key = MlKemPublicKey::new(HybridKem::SET, ml_kem);
                job.public = Some(key.map_err(|_| JobError::PublicKey)?);
                job.shared.take(kem, point)?;
                let randomness = if len == 0 { given } else { drawn.take(len)? };
                let (message, scalar) = kem.parts(randomness, HybridKem::SCALAR_LEN);
                job.text[..message.len()].copy_from_slice(message);
                let room = &mut job.share.bytes[..HybridKem::SCALAR_LEN];
                room.copy_from_slice(scalar);
                // The lanes write the share over it.
                job.scalar = Some(self.scalar(room, len != 0)?);
            }
            Work::Decapsulate(_) => {
                let (ciphertext, point) = kem.parts(input, kem.point_len());
                job.text[..ciphertext.len()].copy_from_slice(ciphertext);
                job.shared.take(kem, point)?;
            }
        }
        Ok(())
    }

    /// Returns a private key of the curve. One that was drawn, and is none, is drawn again in its
    /// place.
    ///
    /// # Errors
    /// [`JobError::Scalar`] if a private key that was given is none, and the system's error if it
    /// gives no random bytes.
    fn scalar(&self, bytes: &mut [u8], is_drawn: bool) -> Result<CurveKey, JobError> {
        loop {
            match CurveKey::new(self.kem, bytes) {
                Ok(key) => return Ok(key),
                Err(_) if is_drawn => random::fill(bytes)?,
                Err(_) => {
                    bytes.zeroize();
                    return Err(JobError::Scalar);
                }
            }
        }
    }

    /// Lends what goes through the lanes of ML-KEM.
    pub fn ml_kem<'v>(
        &'v self,
        public: Option<&'v MlKemPublicKey>,
        text: &'v mut [u8; MAX_TEXT],
        output: &'v mut [u8],
    ) -> Result<Loan<'v, MlKemLanes>, JobError> {
        let loan = match (&self.work, public) {
            (Work::Generate, _) => {
                let private = &mut output[..HybridKem::PRIVATE_KEY_LEN];
                let (key, _) = self.kem.parts_mut(private, HybridKem::SCALAR_LEN);
                MlKemLanes::generate(HybridKem::SET, key)
            }
            (Work::Encapsulate, Some(key)) => MlKemLanes::encapsulate(key, &mut text[..]),
            (Work::Encapsulate, None) => return Err(JobError::NotDone),
            (Work::Decapsulate(keys), _) => {
                MlKemLanes::decapsulate(&keys.0, &mut text[..HybridKem::SET.ciphertext_len()])
            }
        };
        loan.map_err(|_| JobError::NotDone)
    }

    /// Lends what goes through the lanes of curves: a share that is made, and the other side's
    /// share. What is not lent has no outcome.
    pub fn curves<'v>(&'v self, job: &'v mut Job) -> [Option<Loan<'v, CurveLanes>>; 2] {
        let Job { scalar, share, shared, .. } = job;
        (share.outcome, shared.outcome) = Default::default();
        match (&self.work, &*scalar) {
            (Work::Generate, Some(key)) => [key.share(share).ok(), None],
            (Work::Encapsulate, Some(key)) => [key.share(share).ok(), key.agree(shared).ok()],
            (Work::Decapsulate(keys), _) => [None, keys.1.agree(shared).ok()],
            (_, None) => [None, None],
        }
    }

    /// Makes the output of what came back from the lanes. Returns its length.
    pub fn result(&self, job: &Job, output: &mut [u8]) -> Result<usize, JobError> {
        job.refused.map_or(Ok(()), Err)?;
        if !matches!(self.work, Work::Generate) {
            job.shared.outcome.check().map_err(|_| JobError::PublicKey)?;
        }
        let (kem, len) = (self.kem, self.output_len());
        let ciphertext_len = HybridKem::SET.ciphertext_len();
        let output = &mut output[..len];
        let (secret, ml_kem_secret) = match self.work {
            Work::Generate => {
                let (private, public) = output.split_at_mut(HybridKem::PRIVATE_KEY_LEN);
                let (key, _) = kem.parts(private, HybridKem::SCALAR_LEN);
                let (ml_kem, point) = kem.parts_mut(public, kem.point_len());
                ml_kem.copy_from_slice(HybridKem::SET.public_of(key));
                job.share.put(kem, point)?;
                return Ok(len);
            }
            Work::Encapsulate => {
                let (ciphertext, secret) = output.split_at_mut(kem.ciphertext_len());
                let (ml_kem, point) = kem.parts_mut(ciphertext, kem.point_len());
                ml_kem.copy_from_slice(&job.text[..ciphertext_len]);
                job.share.put(kem, point)?;
                (secret, &job.text[ciphertext_len..])
            }
            Work::Decapsulate(_) => (output, &job.text[..MlKemSet::SECRET_LEN]),
        };
        let curve_len = HybridKem::SECRET_LEN - MlKemSet::SECRET_LEN;
        let (ml_kem, curve) = kem.parts_mut(secret, curve_len);
        ml_kem.copy_from_slice(ml_kem_secret);
        curve.copy_from_slice(&job.shared.bytes[..curve_len]);
        Ok(len)
    }
}

impl ProviderSession for HybridSession {
    fn kernel(&self) -> String {
        self.kernel.clone()
    }

    fn instruction_set(&self) -> String {
        instruction_set(&self.kernel)
    }

    fn class(&self) -> u8 {
        Hybrid::CLASS
    }

    fn bound(&self, _: usize) -> usize {
        self.output_len()
    }
}
