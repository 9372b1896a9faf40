//! intel-ipsec-mb by its fastest call for each algorithm (a direct call, a burst, or jobs), without
//! the library's checks.

use std::ops::Range;

use broadloom_engine::{Algorithm, Direction, Transform};
use broadloom_ipsec_mb::bare::{Jobs, Operation, Together, Way};
use broadloom_ipsec_mb::library::{self, CallError};

use super::buffers::Buffers;
use super::{Absent, Bare};
use crate::error::PerfError;
use crate::measure::contender::Contender;
use crate::names::{Peer, Provider};

/// libIPSec_MB, opened, of a version whose layout is known.
pub struct Api(library::Api);

impl Api {
    /// Opens libIPSec_MB.
    ///
    /// # Errors
    /// It is not installed, or its manager is laid out otherwise than is known.
    pub fn load() -> Result<Api, Absent> {
        library::Api::load().map(Api).map_err(|absent| Absent::because(Peer::IpsecMb, absent))
    }

    /// The library's own name for its version, such as `1.3.0`.
    pub fn version(&self) -> String {
        self.0.version()
    }
}

/// Why the library does not have an algorithm in a direction; `None` if it does.
pub fn lacks(algorithm: Algorithm, direction: Direction) -> Option<String> {
    Operation::lacks(algorithm, direction).map(str::to_owned)
}

/// intel-ipsec-mb at work on a set of buffers. Its job interface always gives jobs back in order.
pub struct IpsecMb<'a> {
    jobs: Jobs,
    operations: Vec<Operation>,
    /// How buffers that are known together are handed over.
    way: Way,
    api: &'a Api,
    buffers: Buffers<'a>,
}

impl<'a> IpsecMb<'a> {
    /// Makes a manager for the best instruction set the library finds, and expands every key.
    ///
    /// Returns the reason as an [`Absent`] where the library cannot do the work at all.
    ///
    /// # Errors
    /// The manager cannot be made.
    pub fn new(
        api: &'a Api,
        buffers: Buffers<'a>,
    ) -> Result<Result<IpsecMb<'a>, Absent>, PerfError> {
        let jobs = Jobs::new(api.0.manager().map_err(failed)?);
        let algorithm = buffers.algorithm();
        let expand = |(key, direction): (&[u8], Direction)| {
            let transform = Transform::new(algorithm, direction, key, &[]).build();
            let transform = transform.map_err(|error| error.to_string())?;
            Operation::new(&transform, jobs.table()).map_err(|error| error.to_string())
        };
        let operations: Vec<Operation> = match buffers.keys_and_directions().map(expand).collect() {
            Ok(operations) => operations,
            Err(reason) => return Ok(Err(Absent::because(Peer::IpsecMb, reason))),
        };
        let (nonce_len, associated_len) = buffers.nonce_and_associated_len();
        let check =
            |operation: &Operation| operation.check(buffers.longest(), nonce_len, associated_len);
        if let Some(error) = operations.first().and_then(|operation| check(operation).err()) {
            return Ok(Err(Absent::because(Peer::IpsecMb, error)));
        }
        let mut made = IpsecMb { jobs, operations, way: Way::Job, api, buffers };
        let places = made.buffers.places(0);
        // SAFETY: as in `submit`; no job is in flight yet.
        made.way = unsafe { made.jobs.fastest(&made.operations[0], places) };
        made.buffers.restore();
        Ok(Ok(made))
    }
}

impl IpsecMb<'_> {
    /// Processes buffers by the library's call for bursts.
    fn together(&mut self, together: Together, range: Range<usize>) -> Result<(), PerfError> {
        let IpsecMb { jobs, operations, buffers, .. } = self;
        let each = range.map(|index| {
            let operation = &operations[buffers.key_of(index)];
            (operation, buffers.places(index))
        });
        // SAFETY: as in `submit`, and the operations have one algorithm and one direction.
        unsafe { jobs.burst(together, each) }.map_err(failed)
    }
}

fn failed(error: CallError) -> PerfError {
    PerfError::Peer { provider: Provider::IpsecMb, call: error.call }
}

impl Contender for IpsecMb<'_> {
    fn provider(&self) -> Provider {
        Provider::IpsecMb
    }

    fn kernel(&self) -> String {
        format!("{} {}", self.api.version(), self.jobs.table().arch().to_lowercase())
    }

    fn burst(&mut self, range: Range<usize>) -> Result<(), PerfError> {
        match self.way {
            Way::Burst(together) => self.together(together, range.clone())?,
            Way::Job | Way::Direct => {
                self.submit(range.clone())?;
                self.flush()?;
            }
        }
        match self.buffers.are_authentic(range) {
            true => Ok(()),
            false => Err(PerfError::Peer { provider: Provider::IpsecMb, call: "a tag" }),
        }
    }

    fn submit(&mut self, range: Range<usize>) -> Result<(), PerfError> {
        for index in range {
            let places = self.buffers.places(index);
            let operation = &self.operations[self.buffers.key_of(index)];
            // SAFETY: the longest buffer passed the operation's check, no buffer is empty, and sets
            // of buffers have a cache line behind the last one; the places are those of sets that
            // outlive the manager, and nothing reads or writes them until all jobs are complete.
            unsafe {
                match self.way {
                    Way::Direct => self.jobs.direct(operation, &places),
                    _ => self.jobs.submit(operation, &places).map_err(failed)?,
                }
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), PerfError> {
        self.jobs.flush().map_err(failed)
    }

    fn output(&self, index: usize) -> &[u8] {
        self.buffers.output(index)
    }

    fn clear(&mut self) {
        self.buffers.clear();
    }
}

impl Bare for IpsecMb<'_> {
    fn call(&self, one_by_one: bool) -> &'static str {
        match self.way {
            Way::Burst(_) if one_by_one => Way::Job.name(),
            way => way.name(),
        }
    }

    fn buffers(&self) -> &Buffers<'_> {
        &self.buffers
    }

    fn restore(&mut self) {
        self.buffers.restore();
    }
}
