//! What a thread computes of RSA beside the powers: hashes, paddings and blinds.

use std::collections::HashMap;

use broadloom_engine::{Direction, JobError, MAX_TAG};
use broadloom_lanes::Cpu;
use broadloom_public_key::{RsaBlind, RsaBlinding, RsaPrivateKey};
use zeroize::Zeroize;

use super::MAX_LEN;
use super::frame::RsaFrame;
use crate::hasher::Hasher;
use crate::random;

/// How often a blinding is used before a new one is made: the numbers of one follow from each
/// other.
const USES: u32 = 256;

/// Sessions whose blindings a thread keeps.
const MOST_BLINDINGS: usize = 256;

/// One thread's part of RSA beside the powers, for the [frames](RsaFrame) of any sessions.
pub struct RsaHost {
    hasher: Hasher,
    /// The blinding of each session, by its number, and its remaining uses.
    blindings: HashMap<u64, (RsaBlinding, u32)>,
}

impl RsaHost {
    /// Makes a host with the kernels of a CPU.
    pub fn new(cpu: &Cpu) -> RsaHost {
        RsaHost { hasher: Hasher::new(cpu), blindings: HashMap::new() }
    }

    /// Returns what hashes the messages: a caller that has many hashes them at once, with the
    /// [hash](RsaFrame::hashes) of their frame.
    pub fn hasher(&mut self) -> &mut Hasher {
        &mut self.hasher
    }

    /// Makes the number that is raised to the exponent of the key, of the data and of a signature
    /// to verify. It is big-endian, and as long as the [modulus](RsaFrame::len).
    ///
    /// # Errors
    /// What the job is told: its data have a wrong length.
    pub fn number(
        &mut self,
        frame: &RsaFrame,
        input: &[u8],
        signature: &[u8],
        number: &mut [u8],
    ) -> Result<(), JobError> {
        // A message that is to be verified is hashed when its signature is compared.
        let mut digest = match frame.direction() {
            Direction::Verify => [0; MAX_TAG],
            _ => self.digest(frame, input),
        };
        let made = self.number_of(frame, (input, signature), &digest, number);
        digest.zeroize();
        made
    }

    /// Does what [`number`](RsaHost::number) does, with the digest of the message, which stands at
    /// the beginning of its room. The digest does not matter if the frame hashes nothing.
    ///
    /// # Errors
    /// As those of [`number`](RsaHost::number).
    pub fn number_of(
        &mut self,
        frame: &RsaFrame,
        (input, signature): (&[u8], &[u8]),
        digest: &[u8; MAX_TAG],
        number: &mut [u8],
    ) -> Result<(), JobError> {
        frame.number((input, signature), digest, &mut self.hasher, number)
    }

    /// Makes the output of the number that came of it. Returns the output's length.
    ///
    /// # Errors
    /// What the job is told: the padding or the signature is wrong.
    pub fn result(
        &mut self,
        frame: &RsaFrame,
        input: &[u8],
        number: &[u8],
        output: &mut [u8],
    ) -> Result<usize, JobError> {
        let mut digest = match frame.direction() {
            Direction::Verify => self.digest(frame, input),
            _ => [0; MAX_TAG],
        };
        let made = self.result_of(frame, (number, input), &digest, output);
        digest.zeroize();
        made
    }

    /// Does what [`result`](RsaHost::result) does, with the digest of the message.
    ///
    /// # Errors
    /// As those of [`result`](RsaHost::result).
    pub fn result_of(
        &mut self,
        frame: &RsaFrame,
        (number, input): (&[u8], &[u8]),
        digest: &[u8; MAX_TAG],
        output: &mut [u8],
    ) -> Result<usize, JobError> {
        frame.result((number, input), digest, &mut self.hasher, output)
    }

    fn digest(&mut self, frame: &RsaFrame, message: &[u8]) -> [u8; MAX_TAG] {
        match frame.hashes() {
            Some(hash) => self.hasher.digest(hash, message),
            None => [0; MAX_TAG],
        }
    }

    /// Returns the next blind of a session, for one job.
    ///
    /// # Errors
    /// The system has no random bytes.
    pub fn blind(&mut self, frame: &RsaFrame, key: &RsaPrivateKey) -> Result<RsaBlind, JobError> {
        let missing = self.blindings.get(&frame.id).is_none_or(|(_, uses)| *uses == 0);
        if missing {
            if self.blindings.len() >= MOST_BLINDINGS {
                self.blindings.clear();
            }
            let mut bytes = [0; MAX_LEN];
            let bytes = &mut bytes[..key.size()];
            random::fill(bytes)?;
            let made = RsaBlinding::new(key, bytes);
            bytes.zeroize();
            let made = made.map_err(|_| JobError::NotDone)?;
            self.blindings.insert(frame.id, (made, USES));
        }
        match self.blindings.get_mut(&frame.id) {
            Some((blinding, uses)) => {
                *uses -= 1;
                Ok(blinding.next_blind())
            }
            None => Err(JobError::NotDone),
        }
    }
}
