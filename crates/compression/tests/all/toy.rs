//! A provider for tests that stores, at once or as a device whose responses come in any order, and
//! that errs as often as it is told to.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use broadloom_compression::Settings;
use broadloom_compression::format::Format;
use broadloom_engine::provider::{
    AnyQueue, CompressionParts, DeviceQueue, Operation, Progress, Provider, ProviderError,
    ProviderSession, Queue,
};
use broadloom_engine::{
    Algorithm, Compression, CompressionAlgorithm, Data, DeviceFault, Direction, Ending, JobError,
    Session, Transform,
};
use broadloom_zlib::Zlib;

/// The provider. Of so many chunks it fails one, or writes a wrong byte into it; 0: none.
#[derive(Clone, Default)]
pub struct Toy {
    pub is_device: bool,
    pub fails_every: u64,
    pub corrupts_every: u64,
    /// Chunks that were begun, at all queues.
    pub begun: Arc<AtomicU64>,
}

impl Toy {
    pub fn session(&self, format: Format) -> Session {
        session(self.clone(), format)
    }
}

/// A session of a provider for a format, at level 1.
pub fn session(provider: impl Provider + 'static, format: Format) -> Session {
    let how = Settings::compression_for(format, Compression::default());
    let transform = Transform::compress(CompressionAlgorithm::Deflate, how).expect("it is right");
    Session::open(Arc::new(provider), &transform).expect("it can")
}

/// zlib, the same on every machine.
pub fn zlib() -> Zlib {
    Zlib::load(&[("library", "zlib-rs")]).expect("it is built in")
}

/// A session of zlib that decompresses.
pub fn decompressing() -> Session {
    let checksum = broadloom_engine::Checksum::None;
    let transform =
        Transform::decompress(CompressionAlgorithm::Deflate, checksum).expect("it is right");
    Session::open(Arc::new(zlib()), &transform).expect("it can")
}

struct Stored(Ending);

impl Provider for Toy {
    fn name(&self) -> &str {
        "toy"
    }

    fn description(&self) -> String {
        "for tests".to_owned()
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        algorithm == Algorithm::Compression(CompressionAlgorithm::Deflate)
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        match (transform.direction(), transform.compression()) {
            (Direction::Compress, Some(how)) => Ok(Box::new(Stored(how.ending))),
            _ => Err(ProviderError::new("it only compresses")),
        }
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        Ok(match self.is_device {
            true => AnyQueue::device(Rings { toy: self.clone(), random: 1, slots: Vec::new() }),
            false => AnyQueue::local(self.clone()),
        })
    }
}

impl ProviderSession for Stored {
    fn kernel(&self) -> String {
        "bytes".to_owned()
    }
}

impl Queue for Toy {
    fn batch(&mut self, _: u8) -> usize {
        1
    }

    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        for operation in operations {
            operation.attempt(|CompressionParts { session: Stored(ending), input, output }| {
                let progress = store(input, output, *ending);
                let number =
                    if progress.full { 0 } else { self.begun.fetch_add(1, Ordering::Relaxed) + 1 };
                let strikes = |every: u64| every > 0 && number > 0 && number.is_multiple_of(every);
                if strikes(self.corrupts_every) {
                    output[progress.produced - 1] ^= 1;
                }
                match strikes(self.fails_every) {
                    true => Err(JobError::Device(DeviceFault::Reset)),
                    false => Ok(progress),
                }
            });
        }
    }
}

/// Stored blocks, as far as there is room.
fn store(input: &[u8], output: &mut [u8], ending: Ending) -> Progress {
    let mut progress = Progress::default();
    loop {
        let rest = &input[progress.consumed..];
        let room = (output.len() - progress.produced).saturating_sub(5);
        let len = rest.len().min(room).min(65535);
        let is_last = len == rest.len();
        if (len == 0 && !is_last) || output.len() - progress.produced < 5 {
            return Progress { full: true, ..progress };
        }
        let block = &mut output[progress.produced..][..5 + len];
        block[0] = u8::from(is_last && ending == Ending::Final);
        block[1..3].copy_from_slice(&(len as u16).to_le_bytes());
        block[3..5].copy_from_slice(&(!(len as u16)).to_le_bytes());
        block[5..].copy_from_slice(&rest[..len]);
        progress.consumed += len;
        progress.produced += 5 + len;
        if is_last {
            return progress;
        }
    }
}

/// A ring of five requests that are answered in any order, and only after some looks.
struct Rings {
    toy: Toy,
    random: u64,
    slots: Vec<(u64, Option<Data<'static>>)>,
}

impl Rings {
    fn random(&mut self, below: usize) -> usize {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) as usize % below
    }

    fn take(&mut self, ticket: u64) -> Option<Data<'static>> {
        let place = self.slots.iter().position(|slot| slot.0 == ticket).expect("it was submitted");
        self.slots.remove(place).1
    }
}

impl DeviceQueue for Rings {
    fn submit(&mut self, ticket: u64, operation: &mut Operation<'_>) -> bool {
        let has_room = self.slots.len() < 5;
        if has_room {
            self.slots.push((ticket, operation.lend()));
        }
        has_room
    }

    fn doorbell(&mut self) {}

    fn poll(&mut self) -> Option<u64> {
        if self.slots.is_empty() || self.random(3) > 0 {
            return None;
        }
        let which = self.random(self.slots.len());
        Some(self.slots[which].0)
    }

    fn finish(&mut self, ticket: u64, operation: &mut Operation<'_>) {
        if let Some(data) = self.take(ticket) {
            operation.restore(data);
        }
        self.toy.run(&mut [operation]);
    }

    fn wait(&mut self, _: Duration) {}

    fn abandon(&mut self, ticket: u64, operation: &mut Operation<'_>) {
        if let Some(data) = self.take(ticket) {
            operation.restore(data);
        }
    }
}
