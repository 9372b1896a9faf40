//! How full lanes were.

/// How full lanes were: steps (blocks) of lanes that had a buffer, of the steps that the widest
/// kernel's lanes would have taken in the same calls.
///
/// ```
/// use broadloom_lanes::{Cpu, HashJob, Md5, Planner};
///
/// let mut planner = Planner::new(&Cpu::detect());
/// planner.process_many(&mut [0; 64].map(|byte| HashJob::<Md5, _>::digest([byte; 640], ())));
/// let occupancy = planner.occupancy();
/// assert!(occupancy.used > 0 && occupancy.used <= occupancy.offered);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Occupancy {
    /// Steps of lanes that had a buffer.
    pub used: u64,
    /// Steps of all lanes.
    pub offered: u64,
}

impl Occupancy {
    /// Counts a call of a kernel for `active` of `lanes` lanes.
    #[inline(always)]
    pub fn count(&mut self, active: usize, lanes: usize, steps: usize) {
        self.used += (active * steps) as u64;
        self.offered += (lanes * steps) as u64;
    }
}
