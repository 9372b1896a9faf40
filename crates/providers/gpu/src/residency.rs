//! Data that stay in the device's memory: who may have how much of it, where data are that jobs
//! name, and how data get there and are wiped.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};

use zeroize::Zeroize;

use crate::cl::{ClError, Launch, Shared};
use crate::device::Device;
use crate::kernels::KernelId;
use crate::lower::{ALIGNMENT, aligned};
use crate::provider::Gpu;
use crate::signal::Signal;

/// The most work items that copy or wipe.
const ITEMS: usize = 1 << 14;

/// Why data do not stay on the device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResidencyError {
    /// The provider was opened for data of the host alone.
    #[error("no data stay on the device with residency=host; valid: bytes, such as residency=1G")]
    Off,
    /// There is not so much room.
    #[error(
        "{len} bytes do not fit: {free} are free in one piece of the residency of {room} bytes"
    )]
    NoRoom {
        /// Bytes of the data.
        len: usize,
        /// Bytes of the longest free piece.
        free: usize,
        /// Bytes of all.
        room: usize,
    },
    /// The device failed.
    #[error("the device keeps no data: {0}")]
    Device(String),
}

/// Data that the device has a copy of. Jobs over any part of them need no transfer, at every
/// provider handle of the same device. See [`Gpu::keep`]. A clone is the same data.
///
/// When the last clone is dropped and no batch uses the data any more, the device's copy is wiped.
#[derive(Clone)]
pub struct Resident(Arc<Region>);

impl Deref for Resident {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0.data
    }
}

impl AsRef<[u8]> for Resident {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for Resident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resident").field("len", &self.len()).finish_non_exhaustive()
    }
}

/// A part of the shared memory, with the host's own copy.
pub(crate) struct Region {
    data: Vec<u8>,
    /// Bytes of the shared memory.
    place: Range<usize>,
    device: Arc<Device>,
}

impl Drop for Region {
    fn drop(&mut self) {
        self.device.residents.forget();
        let words = self.place.start / 4..self.place.end / 4;
        // Memory that could not be wiped is not given out again.
        if self.device.move_words(KernelId::Wipe, words, &[]).is_ok() {
            self.device.residents.space().release(self.place.clone());
        }
    }
}

/// What stays on a device.
#[derive(Default)]
pub(crate) struct Residents {
    space: Mutex<Space>,
    regions: RwLock<Vec<Known>>,
}

/// Addresses of the host's copy of a region.
struct Known {
    addresses: Range<usize>,
    region: Weak<Region>,
}

/// The shared memory, and which parts of it are free.
#[derive(Default)]
struct Space {
    shared: Option<Arc<Shared>>,
    /// In order, and not next to each other.
    free: Vec<Range<usize>>,
}

impl Space {
    /// Takes so many bytes from the first free piece that has them.
    fn take(&mut self, len: usize) -> Option<Range<usize>> {
        let index = self.free.iter().position(|piece| piece.len() >= len)?;
        let piece = &mut self.free[index];
        let taken = piece.start..piece.start + len;
        piece.start = taken.end;
        if piece.start == piece.end {
            self.free.remove(index);
        }
        Some(taken)
    }

    /// Takes back what was taken.
    fn release(&mut self, place: Range<usize>) {
        let mut index = self.free.partition_point(|piece| piece.start < place.start);
        self.free.insert(index, place);
        index = index.saturating_sub(1);
        for _ in 0..2 {
            if self.free.get(index + 1).is_some_and(|next| next.start == self.free[index].end) {
                self.free[index].end = self.free.remove(index + 1).end;
            } else {
                index += 1;
            }
        }
    }
}

impl Residents {
    fn space(&self) -> MutexGuard<'_, Space> {
        self.space.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The shared memory, once something stays in it.
    pub fn shared(&self) -> Option<Arc<Shared>> {
        self.space().shared.clone()
    }

    /// The region that has a text, and the byte of the shared memory at which the text begins.
    pub fn find(&self, text: &[u8]) -> Option<(Arc<Region>, usize)> {
        let regions = self.regions.read().unwrap_or_else(PoisonError::into_inner);
        let start = text.as_ptr().addr();
        let end = start + text.len();
        let known = regions.iter().find(|known| {
            known.addresses.start <= start && end <= known.addresses.end && start < end
        })?;
        let region = known.region.upgrade()?;
        let at = region.place.start + (start - known.addresses.start);
        Some((region, at))
    }

    fn learn(&self, region: &Arc<Region>) {
        let start = region.data.as_ptr().addr();
        let addresses = start..start + region.data.len();
        let known = Known { addresses, region: Arc::downgrade(region) };
        self.regions.write().unwrap_or_else(PoisonError::into_inner).push(known);
    }

    /// Forgets regions that nobody has any more.
    fn forget(&self) {
        let mut regions = self.regions.write().unwrap_or_else(PoisonError::into_inner);
        regions.retain(|known| known.region.strong_count() > 0);
    }
}

impl Gpu {
    /// Copies data to the device's memory, where they stay until the last clone of the result is
    /// dropped.
    ///
    /// Jobs that hash parts of the result by SHA-1 or SHA-2, or authenticate them by HMAC
    /// over these, transfer nothing but the last block of each, if parts begin at multiples of
    /// eight bytes. All other jobs over them are done as jobs over other data.
    ///
    /// The host keeps the data too: for those last blocks, for other algorithms, and for fallbacks.
    ///
    /// ```no_run
    /// use std::sync::Arc;
    /// use broadloom_engine::{HashAlgorithm, Job, Processor, Session, Transform};
    /// use broadloom_gpu::Gpu;
    ///
    /// let gpu = Gpu::load(&[("residency", "1G")])?;
    /// let session =
    ///     Session::open(Arc::new(gpu.clone()), &Transform::hash(HashAlgorithm::Sha256))?;
    /// let data = gpu.keep(vec![7; 64 << 20])?;
    /// let mut jobs: Vec<_> = data.chunks(4096).map(|part| Job::new(&session, part)).collect();
    /// Processor::new().process_many(&mut jobs);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The provider was opened without the option `residency`, there is not so much room, or the
    /// device fails.
    pub fn keep(&self, data: Vec<u8>) -> Result<Resident, ResidencyError> {
        let device = &self.device;
        let room = device.options.residency.min(device.largest()) / ALIGNMENT * ALIGNMENT;
        if room == 0 {
            return Err(ResidencyError::Off);
        }
        let place = {
            let mut space = device.residents.space();
            if space.shared.is_none() {
                let shared = device.shared(room);
                let shared = shared.map_err(|error| ResidencyError::Device(error.to_string()))?;
                space.shared = Some(Arc::new(shared));
                space.free.push(0..room);
            }
            let free = space.free.iter().map(Range::len).max().unwrap_or_default();
            let len = data.len();
            space.take(aligned(len).max(ALIGNMENT)).ok_or(ResidencyError::NoRoom {
                len,
                free,
                room,
            })?
        };
        // From here on the region wipes and gives back its place.
        let words = place.start / 4..place.end / 4;
        let region = Arc::new(Region { data, place, device: Arc::clone(device) });
        device.move_words(KernelId::Keep, words, &region.data).map_err(ResidencyError::Device)?;
        device.residents.learn(&region);
        Ok(Resident(region))
    }

    /// Bytes of data that may stay on the device: what the option `residency` says.
    pub fn residency(&self) -> usize {
        self.device.options.residency
    }
}

impl Device {
    /// Has a kernel bring data to words of the shared memory, or wipe these, and waits for it.
    fn move_words(
        self: &Arc<Self>,
        kernel: KernelId,
        words: Range<usize>,
        data: &[u8],
    ) -> Result<(), String> {
        let failed = |error: ClError| error.to_string();
        let Some(shared) = self.residents.shared() else { return Ok(()) };
        if self.is_lost() {
            return Err("it is lost".to_owned());
        }
        let mut slot = self.slot().map_err(failed)?;
        slot.prepare(self, kernel).map_err(failed)?;
        let signal = Arc::new(Signal::new());
        let mut at = words.start;
        while at < words.end {
            let Some(mut stream) = slot.stream.take() else { return Err("no stream".to_owned()) };
            // The task is behind the data.
            let room = stream.capacity().0 / ALIGNMENT - 1;
            let end = words.end.min(at + room * ALIGNMENT / 4);
            let first = (4 * (at - words.start)).min(data.len());
            let own = &data[first..(first + 4 * (end - at)).min(data.len())];
            let tasks = aligned(own.len());
            let input = stream.input();
            input[..own.len()].copy_from_slice(own);
            let task = [0, at as u32, (end - at) as u32];
            for (place, word) in input[tasks..].chunks_exact_mut(4).zip(task) {
                place.copy_from_slice(&word.to_ne_bytes());
            }
            let uploaded = tasks + ALIGNMENT;
            let prepared = slot.kernel(kernel).ok_or("the kernel is not there")?;
            let (tasks, count) = ((tasks / 4) as u32, (end - at).min(ITEMS) as u32);
            let items = count as usize;
            let launch = Launch { kernel: prepared, tasks, count, items, shared: Some(&shared) };
            let (mut stream, times) =
                self.complete(stream, uploaded, &[launch], ALIGNMENT, &signal)?;
            stream.input()[..uploaded].zeroize();
            self.counters.change(|statistics| {
                statistics.uploaded += uploaded as u64;
                statistics.upload_time += times.upload;
                statistics.kernel_time += times.kernels;
            });
            slot.stream = Some(stream);
            at = end;
        }
        self.keep(slot);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_the_space_join_when_they_come_back() {
        let mut space = Space::default();
        space.free.push(0..1000);
        let taken: Vec<_> = [100, 200, 300, 400].map(|len| space.take(len)).to_vec();
        assert_eq!(taken, [Some(0..100), Some(100..300), Some(300..600), Some(600..1000)]);
        assert_eq!((space.take(1), space.free.len()), (None, 0));
        space.release(100..300);
        space.release(600..1000);
        assert_eq!(space.free, [100..300, 600..1000]);
        assert_eq!(space.take(250), Some(600..850));
        space.release(300..600);
        assert_eq!(space.free, [100..600, 850..1000]);
        space.release(600..850);
        space.release(0..100);
        assert_eq!((space.free.len(), &space.free[0]), (1, &(0..1000)));
    }
}
