//! The one clock of a device and its drivers.

use std::time::Instant;

/// Nanoseconds since the device was made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock(Instant);

impl Clock {
    pub(crate) fn start() -> Self {
        Clock(Instant::now())
    }

    #[inline]
    pub(crate) fn now(self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }

    /// Spends so many nanoseconds, as the host does where it waits for a device's register, or
    /// handles an interrupt.
    #[inline]
    pub(crate) fn spend(self, nanoseconds: u64) {
        if nanoseconds > 0 {
            let end = self.now() + nanoseconds;
            while self.now() < end {
                std::hint::spin_loop();
            }
        }
    }
}
