//! What the jobs of a case work on: the same for every side and every thread.

use broadloom_engine::{
    Algorithm, Data, Direction, HybridKem, HybridPrivateKey, Job, Kem, MlDsaSet, MlKemSet,
    Processor, PublicKeyAlgorithm, Session,
};

use super::side::Side;
use crate::error::PerfError;
use crate::measure::peers::buffers::{Buffers, NONCE};
use crate::measure::workset::{ASSOCIATED, Copies, Workset, read_len};

/// Buffers, nonces, associated data and tags, for one direction of an algorithm.
pub struct Material {
    direction: Direction,
    plain: Workset,
    inputs: Copies,
    tags: Vec<Vec<u8>>,
    nonces: Vec<Vec<u8>>,
    associated: Vec<u8>,
    /// What checks signatures or opens ciphertexts that come out differently each time.
    verifier: Option<Session>,
}

/// What became of a buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// Its bytes; empty for a hash or a MAC, which leaves them alone.
    pub bytes: Vec<u8>,
    /// The digest or tag; empty where none is made.
    pub tag: Vec<u8>,
}

impl Material {
    /// Makes what is needed to go in a direction, starting from these plaintexts. If that takes
    /// ciphertexts or tags, `side` makes them.
    ///
    /// # Errors
    /// `side` does not have the algorithm, or fails.
    pub fn new(plain: Workset, direction: Direction, side: &Side) -> Result<Material, PerfError> {
        let algorithm = plain.algorithm();
        let mut material = Material {
            direction,
            inputs: plain.copies(),
            tags: vec![Vec::new(); plain.len()],
            nonces: (0..plain.len()).map(|index| nonce(algorithm, plain.nonce(index))).collect(),
            associated: match algorithm {
                Algorithm::Aead(_) => (0..ASSOCIATED as u8).collect(),
                _ => Vec::new(),
            },
            verifier: None,
            plain,
        };
        if direction == Direction::Sign && is_random(algorithm) {
            material.verifier = Some(side.session(&material.plain, Direction::Verify)?);
        }
        if direction == Direction::Encapsulate {
            material.verifier = Some(side.session(&material.plain, Direction::Decapsulate)?);
        }
        if direction == Direction::Decapsulate {
            let session = side.session(&material.plain, Direction::Encapsulate)?;
            let made = material.process(&session, side)?;
            for (buffer, made) in material.inputs.split_mut().into_iter().zip(made) {
                let len = read_len(algorithm, direction, buffer.len());
                buffer[..len].copy_from_slice(&made.bytes[..len]);
            }
        }
        if direction.checks() {
            let session = side.session(&material.plain, algorithm.directions()[0])?;
            let made = material.process(&session, side)?;
            for (index, buffer) in material.inputs.split_mut().into_iter().enumerate() {
                if !made[index].bytes.is_empty() && !is_public_key(algorithm) {
                    buffer.copy_from_slice(&made[index].bytes);
                }
            }
            material.tags = made
                .into_iter()
                .map(|made| if is_public_key(algorithm) { made.bytes } else { made.tag })
                .collect();
        }
        Ok(material)
    }

    /// The plaintexts, and the keys.
    pub fn plain(&self) -> &Workset {
        &self.plain
    }

    /// The direction.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// Number of buffers.
    pub fn len(&self) -> usize {
        self.plain.len()
    }

    /// Room for one thread's work, filled with the inputs.
    pub fn buffers(&self) -> Copies {
        self.inputs.clone()
    }

    /// The same for a library without the engine, which works in places of its own.
    pub fn for_library(&self) -> Buffers<'_> {
        Buffers::in_place(
            &self.plain,
            self.direction,
            &self.inputs,
            &self.nonces,
            &self.associated,
            &self.tags,
        )
    }

    /// A job for a buffer, which lies in `bytes`.
    pub fn job<'a>(&'a self, session: &'a Session, index: usize, bytes: &'a mut [u8]) -> Job<'a> {
        let len = read_len(self.plain.algorithm(), session.direction(), bytes.len());
        let bytes = &mut bytes[..len];
        let data = match self.plain.algorithm() {
            Algorithm::Hash(_) | Algorithm::Mac(_) | Algorithm::PublicKey(_) => Data::from(&*bytes),
            _ => Data::from(bytes),
        };
        let job = Job::new(session, data).nonce(&self.nonces[index]);
        if is_public_key(self.plain.algorithm()) {
            let signature = self.tags[index].as_slice();
            return if signature.is_empty() { job } else { job.signature(signature) };
        }
        let job = job.associated(self.associated.as_slice());
        if self.tags[index].is_empty() { job } else { job.expect_tag(&self.tags[index]) }
    }

    /// Makes a job ready to be processed (again) by a session: its input as it was at first.
    pub fn restore<'a>(
        &self,
        session: &'a Session,
        index: usize,
        job: &mut Job<'a, super::worker::Stamp>,
    ) {
        job.set_session(session);
        if !self.tags[index].is_empty() && !is_public_key(self.plain.algorithm()) {
            job.set_expected_tag(&self.tags[index]);
        }
        if let Data::InPlace(buffer) = job.data_mut() {
            buffer.as_mut_slice().copy_from_slice(self.inputs.get(index));
        }
    }

    /// Returns what a session makes of all buffers.
    fn process(&self, session: &Session, side: &Side) -> Result<Vec<Made>, PerfError> {
        let mut buffers = self.buffers();
        let buffers = buffers.split_mut().into_iter().enumerate();
        let mut jobs: Vec<Job<'_>> =
            buffers.map(|(index, bytes)| self.job(session, index, bytes)).collect();
        Processor::new().process_many(&mut jobs);
        let made = jobs.iter().enumerate().map(|(index, job)| self.made(index, job, side));
        made.collect()
    }

    /// Returns what a complete job made of its buffer.
    ///
    /// # Errors
    /// It failed, or what it deciphered is not the plaintext.
    pub fn made<T>(&self, index: usize, job: &Job<'_, T>, side: &Side) -> Result<Made, PerfError> {
        let direction = job.session().direction();
        if let Some(Err(source)) = job.status() {
            let (algorithm, len) = (self.plain.algorithm(), self.plain.buffer(index).len());
            return Err(PerfError::Job { side: side.name(), algorithm, direction, len, source });
        }
        let (bytes, tag) = (job.output().unwrap_or_default(), job.tag().unwrap_or_default());
        self.checked(index, direction, bytes, tag, side)
    }

    /// Returns what a peer made of a buffer of its own.
    ///
    /// # Errors
    /// What it deciphered is not the plaintext.
    pub fn made_by(
        &self,
        index: usize,
        buffers: &Buffers<'_>,
        side: &Side,
    ) -> Result<Made, PerfError> {
        let output = buffers.output(index);
        let (bytes, tag) = match self.plain.algorithm() {
            Algorithm::Hash(_) | Algorithm::Mac(_) => (&[][..], output),
            Algorithm::PublicKey(_) if self.direction == Direction::Verify => Default::default(),
            Algorithm::PublicKey(algorithm) => {
                (of_its_length(algorithm, self.direction, output), &[][..])
            }
            _ => (output, buffers.tag(index)),
        };
        self.checked(index, self.direction, bytes, tag, side)
    }

    /// Returns what was made, unless it was deciphered and is not the plaintext.
    fn checked(
        &self,
        index: usize,
        direction: Direction,
        bytes: &[u8],
        tag: &[u8],
        side: &Side,
    ) -> Result<Made, PerfError> {
        let (algorithm, len) = (self.plain.algorithm(), self.plain.buffer(index).len());
        let deciphered = matches!(direction, Direction::Decrypt | Direction::Open);
        if deciphered && bytes != self.plain.buffer(index) {
            return Err(PerfError::NotInverse { side: side.name(), algorithm, direction, len });
        }
        if let Algorithm::PublicKey(public_key) = algorithm
            && let Some(is_right) = self.is_right(public_key, direction, bytes)
        {
            return match is_right {
                true => Ok(Made { bytes: Vec::new(), tag: Vec::new() }),
                false => {
                    Err(PerfError::NotInverse { side: side.name(), algorithm, direction, len })
                }
            };
        }
        if let Some(verifier) = &self.verifier
            && direction == Direction::Sign
        {
            let mut jobs = [Job::new(verifier, self.plain.buffer(index)).signature(bytes)];
            Processor::new().process_many(&mut jobs);
            return match jobs[0].status() {
                Some(Err(source)) => {
                    Err(PerfError::Job { side: side.name(), algorithm, direction, len, source })
                }
                _ => Ok(Made { bytes: Vec::new(), tag: Vec::new() }),
            };
        }
        Ok(Made { bytes: bytes.to_vec(), tag: tag.to_vec() })
    }

    /// Returns whether a new key is sound, or whether a ciphertext has the secret behind it; `None`
    /// where results can be compared, or where nothing can open the ciphertext.
    fn is_right(
        &self,
        algorithm: PublicKeyAlgorithm,
        direction: Direction,
        bytes: &[u8],
    ) -> Option<bool> {
        if let (PublicKeyAlgorithm::MlDsa(set), Direction::Generate) = (algorithm, direction) {
            return Some(are_keys(set, bytes));
        }
        let kem = Kem::of(algorithm)?;
        match direction {
            Direction::Generate => Some(match kem {
                Kem::MlKem(set) => is_key(set, bytes),
                Kem::Hybrid(kem) => is_pair(kem, bytes),
            }),
            Direction::Encapsulate => {
                let verifier = self.verifier.as_ref()?;
                let (ciphertext, secret) = bytes.split_at_checked(kem.ciphertext_len())?;
                let mut jobs = [Job::new(verifier, ciphertext)];
                Processor::new().process_many(&mut jobs);
                Some(jobs[0].output() == Some(secret))
            }
            _ => None,
        }
    }
}

/// Returns `true` if a decapsulation key has the digest of its encapsulation key.
fn is_key(set: MlKemSet, bytes: &[u8]) -> bool {
    broadloom_public_key::MlKemPrivateKey::new(set, bytes).is_ok()
}

/// Returns `true` if a private key of ML-DSA is sound, and has the seed of the matrix that the
/// public key behind it has.
fn are_keys(set: MlDsaSet, bytes: &[u8]) -> bool {
    let Some((private, public)) = bytes.split_at_checked(set.private_key_len()) else {
        return false;
    };
    let is_sound = broadloom_public_key::MlDsaPrivateKey::new(set, private).is_ok();
    is_sound && public.len() == set.public_key_len() && private[..32] == public[..32]
}

/// Returns `true` if a pair of a hybrid has a private key, and behind it the encapsulation key of
/// that key.
fn is_pair(kem: HybridKem, bytes: &[u8]) -> bool {
    if bytes.len() != kem.pair_len() {
        return false;
    }
    let (private, public) = kem.keys_of(bytes);
    let own = HybridKem::SET.public_of(kem.parts(private, HybridKem::SCALAR_LEN).0);
    HybridPrivateKey::from_expanded(kem, private).is_ok()
        && kem.parts(public, kem.point_len()).0 == own
}

fn is_public_key(algorithm: Algorithm) -> bool {
    matches!(algorithm, Algorithm::PublicKey(_))
}

/// Returns `true` if signatures of the same message may differ.
fn is_random(algorithm: Algorithm) -> bool {
    matches!(
        algorithm,
        Algorithm::PublicKey(PublicKeyAlgorithm::Ecdsa(_) | PublicKeyAlgorithm::MlDsa(_))
    )
}

/// Returns what a peer made, from a room that may be longer: DER or the direction says how long it
/// is.
fn of_its_length(algorithm: PublicKeyAlgorithm, direction: Direction, room: &[u8]) -> &[u8] {
    let len = match algorithm {
        // On P-521, a byte says that the length is in the next one.
        PublicKeyAlgorithm::Ecdsa(_) if room[1] == 0x81 => 3 + usize::from(room[2]),
        PublicKeyAlgorithm::Ecdsa(_) => 2 + usize::from(room[1]),
        PublicKeyAlgorithm::Ed25519 => 64,
        PublicKeyAlgorithm::X25519 => 32,
        PublicKeyAlgorithm::MlDsa(set) if direction == Direction::Sign => set.signature_len(),
        _ => match (Kem::of(algorithm), direction) {
            (Some(kem), Direction::Encapsulate) => kem.ciphertext_len() + kem.secret_len(),
            (Some(kem), Direction::Decapsulate) => kem.secret_len(),
            _ => room.len(),
        },
    };
    &room[..len.min(room.len())]
}

/// A nonce of an algorithm, made of random bytes.
fn nonce(algorithm: Algorithm, random: &[u8]) -> Vec<u8> {
    let lens = algorithm.nonce_lens();
    let bytes = random[..NONCE.clamp(lens.min(), lens.max())].iter();
    bytes.enumerate().map(|(at, byte)| byte & algorithm.nonce_mask(at)).collect()
}
