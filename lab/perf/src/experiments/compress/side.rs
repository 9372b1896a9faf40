//! What is timed: sides, whose passes take turns.

use std::time::{Duration, Instant};

use super::check::Checker;
use super::device::Device;
use crate::error::PerfError;
use crate::measure::pairing::minimum_and_median;
use crate::measure::sys::clock::Clock;
use crate::measure::sys::cpu_time;
use crate::report::pass::Pass;
use crate::report::row::{Row, hundredths};

/// Somebody at work.
pub trait Side {
    /// Does everything once, and says how many bytes there were compressed, where something was.
    ///
    /// # Errors
    /// It cannot.
    fn pass(&mut self) -> Result<Option<u64>, PerfError>;

    /// The device that it has work for it.
    fn device(&self) -> Option<&Device> {
        None
    }

    /// Looks whether the last pass made what it should.
    ///
    /// # Errors
    /// It did not.
    fn check(&self, checker: &mut Checker) -> Result<(), PerfError> {
        let _ = checker;
        Ok(())
    }
}

/// A side, and the keys of its row that say what was asked for.
pub struct Entry<'b> {
    /// The row, with a pass that has its figure and its input's bytes.
    pub row: Row,
    /// The side.
    pub side: Box<dyn Side + 'b>,
}

/// For how long sides are timed.
#[derive(Debug, Clone, Copy)]
pub struct Turns {
    /// Passes of each side at least.
    pub least: usize,
    /// Passes of each side at most.
    pub most: usize,
    /// For each side: passes go on until it is spent.
    pub budget: Duration,
}

/// What the passes of a side took.
#[derive(Default)]
struct Taken {
    elapsed: Vec<u64>,
    cpu: Vec<u64>,
    compressed: Option<u64>,
    responses: u64,
    late: u64,
    hits: u64,
    misses: u64,
}

/// Times sides in turn, and makes rows of what they took. Before the clock starts a device prepares
/// its results; what every pass makes is checked, outside of its time.
///
/// # Errors
/// A side fails, or makes something else than it should.
pub fn measure(
    mut entries: Vec<Entry<'_>>,
    turns: Turns,
    clock: &Clock,
    checker: &mut Checker,
) -> Result<Vec<Row>, PerfError> {
    for Entry { side, .. } in &mut entries {
        if let Some(device) = side.device().cloned().filter(Device::prepares) {
            device.prepare(|| side.pass())?;
        }
    }
    let mut taken: Vec<Taken> = entries.iter().map(|_| Taken::default()).collect();
    let mut spent = Duration::ZERO;
    let budget = turns.budget * entries.len() as u32;
    for round in 0..turns.most {
        if round >= turns.least && spent >= budget {
            break;
        }
        for (entry, taken) in entries.iter_mut().zip(&mut taken) {
            spent += taken.time(entry.side.as_mut())?;
            entry.side.check(checker)?;
        }
    }
    let rows = entries.into_iter().zip(taken);
    Ok(rows
        .map(|(entry, taken)| taken.row(entry.row, entry.side.device().is_some(), clock))
        .collect())
}

impl Taken {
    /// Times a pass, and says how long it took.
    fn time(&mut self, side: &mut dyn Side) -> Result<Duration, PerfError> {
        let device = side.device().cloned();
        // The device's time is a part of the process's, so it is taken within.
        let cpu = cpu_time::of_process();
        let before = device.as_ref().map(Device::snapshot);
        let wall = Instant::now();
        let compressed = side.pass()?;
        let elapsed = wall.elapsed();
        let after = device.as_ref().map(Device::snapshot);
        let mut cpu = cpu_time::of_process().saturating_sub(cpu);
        if let (Some(before), Some(after)) = (before, after) {
            cpu = cpu.saturating_sub(after.cpu.saturating_sub(before.cpu));
            self.responses += after.responses - before.responses;
            self.late += after.late - before.late;
            self.hits += after.prepared_hits - before.prepared_hits;
            self.misses += after.prepared_misses - before.prepared_misses;
        }
        self.elapsed.push(elapsed.as_nanos() as u64);
        self.cpu.push(cpu.as_nanos() as u64);
        self.compressed = compressed;
        Ok(elapsed)
    }

    fn row(mut self, row: Row, device: bool, clock: &Clock) -> Row {
        let seconds = |times: &mut [u64]| {
            let (least, median) = minimum_and_median(times);
            (least / 1e9, median / 1e9)
        };
        let passes = self.elapsed.len();
        let (elapsed_s, elapsed_s_median) = seconds(&mut self.elapsed);
        let (cpu_s, cpu_s_median) = seconds(&mut self.cpu);
        let pass = row.pass.unwrap_or_default();
        let input = pass.input_bytes as f64;
        let buffers = (input / row.buffer_bytes.max(1.0)).max(1.0);
        let cycles = |seconds: f64| Some(hundredths(seconds * clock.hertz() / buffers));
        let pass = Pass {
            output_bytes: self.compressed,
            ratio: self.compressed.map(|bytes| bytes as f64 / input),
            elapsed_s,
            elapsed_s_median,
            cpu_s,
            cpu_s_median,
            passes,
            prepared: device.then_some(self.hits > self.misses),
            responses: device.then_some(self.responses),
            late: device.then_some(self.late),
            ..pass
        };
        Row {
            cycles_per_buffer: cycles(elapsed_s),
            cycles_per_buffer_median: cycles(elapsed_s_median),
            gbps: Some(hundredths(input * 8.0 / elapsed_s.max(1e-9) / 1e9)),
            pass: Some(pass),
            ..row
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts its passes, and takes a while for each.
    struct Sleeper<'c>(&'c std::cell::Cell<usize>);

    impl Side for Sleeper<'_> {
        fn pass(&mut self) -> Result<Option<u64>, PerfError> {
            self.0.set(self.0.get() + 1);
            std::thread::sleep(Duration::from_millis(2));
            Ok(Some(250))
        }
    }

    fn run(turns: Turns) -> (Vec<Row>, [usize; 2]) {
        let counts = [std::cell::Cell::new(0), std::cell::Cell::new(0)];
        let entry = |count| {
            let pass = Pass { input_bytes: 1000, ..Pass::default() };
            let row = Row { buffer_bytes: 100.0, pass: Some(pass), ..Row::default() };
            Entry { row, side: Box::new(Sleeper(count)) }
        };
        let rows = {
            let entries = counts.iter().map(entry).collect();
            measure(entries, turns, &Clock::calibrate(), &mut Checker::new()).unwrap()
        };
        (rows, [counts[0].get(), counts[1].get()])
    }

    #[test]
    fn sides_take_turns_for_as_long_as_they_may() {
        let (rows, counts) = run(Turns { least: 3, most: 9, budget: Duration::ZERO });
        assert_eq!(counts, [3, 3]);
        let pass = rows[0].pass.as_ref().unwrap();
        assert_eq!((pass.passes, pass.ratio, pass.prepared), (3, Some(0.25), None));
        assert!(pass.elapsed_s >= 0.002 && pass.elapsed_s <= pass.elapsed_s_median);
        assert!(pass.cpu_s <= pass.cpu_s_median && rows[0].gbps.unwrap() >= 0.0);
        let (_, counts) = run(Turns { least: 1, most: 2, budget: Duration::from_secs(60) });
        assert_eq!(counts, [2, 2]);
    }
}
