//! Random bytes that jobs need and do not bring.

use broadloom_engine::JobError;
use broadloom_engine::provider::Operation;
use broadloom_schemes::random;
use zeroize::Zeroize;

/// Random bytes for the operations of one call, which are drawn with one call of the system.
pub(crate) struct Drawn {
    bytes: Vec<u8>,
    taken: usize,
    result: Result<(), JobError>,
}

impl Drawn {
    pub fn new() -> Drawn {
        Drawn { bytes: Vec::new(), taken: 0, result: Ok(()) }
    }

    /// Draws the bytes that operations need and do not bring: `missing` says how many they are, of
    /// an operation's session and the length of its data.
    pub fn draw_for<'s, 'a: 's, S: 'static>(
        &mut self,
        operations: impl Iterator<Item = &'s mut Operation<'a>>,
        missing: fn(&S, usize) -> Result<usize, JobError>,
    ) {
        let missing = operations.filter_map(|operation| {
            let parts = operation.public_key::<S>()?;
            missing(parts.session, parts.input.len()).ok()
        });
        self.draw(missing.sum());
    }

    /// Draws `len` bytes. If the system gives none, each attempt to take some fails.
    fn draw(&mut self, len: usize) {
        self.bytes.resize(len, 0);
        self.taken = 0;
        self.result = random::fill(&mut self.bytes);
    }

    /// Returns the next `len` bytes.
    ///
    /// # Errors
    /// The system's error, if it gave no random bytes.
    ///
    /// # Panics
    /// If fewer were drawn.
    pub fn take(&mut self, len: usize) -> Result<&[u8], JobError> {
        self.result?;
        let start = self.taken;
        self.taken += len;
        Ok(&self.bytes[start..self.taken])
    }

    /// Overwrites the bytes with zeros.
    pub fn wipe(&mut self) {
        self.bytes.zeroize();
    }
}

/// Returns the random bytes that a job with `len` bytes of data lacks, if these are `without`
/// bytes, and perhaps `random` bytes of randomness behind them.
///
/// # Errors
/// Another length than these two.
pub(crate) fn missing(len: usize, without: usize, random: usize) -> Result<usize, JobError> {
    match len.checked_sub(without) {
        Some(given) if given == random => Ok(0),
        Some(0) => Ok(random),
        _ if random == 0 => Err(JobError::InputLength { len, min: without, max: without }),
        _ => Err(JobError::EitherLength { len, without, with: without + random }),
    }
}
