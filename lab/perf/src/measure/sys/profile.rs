//! Where a thread spends its time in the kernel: samples of its stack, taken by `perf_event`, with
//! the names that `/proc/kallsyms` gives.

use std::fs;

use perf_event::events::Software;
use perf_event::{Builder, SampleFlag, Sampler};
use perf_event_data::Record;

/// Samples a second.
const FREQUENCY: u64 = 3989;

/// Bytes of the buffer into which the kernel writes samples: some thousands of them.
const BUFFER: usize = 1 << 19;

/// The addresses of the kernel begin here. What is above the last page marks parts of a stack.
const KERNEL: std::ops::Range<u64> = 1 << 63..u64::MAX - 4095;

/// Takes samples of the thread that made it.
pub struct Profiler {
    sampler: Sampler,
    symbols: Symbols,
}

/// The functions of the kernel on the stack of a sample, the innermost first; none if the thread
/// was not in the kernel.
pub type Stack = Vec<String>;

impl Profiler {
    /// Prepares to sample the calling thread.
    ///
    /// # Errors
    /// The system does not allow it, or does not name its functions: the reason.
    pub fn new() -> Result<Profiler, String> {
        let symbols = Symbols::read()?;
        let open = || {
            Builder::new(Software::CPU_CLOCK)
                .sample_frequency(FREQUENCY)
                .sample(SampleFlag::IP | SampleFlag::CALLCHAIN)
                .include_kernel()
                .build()?
                .sampled(BUFFER)
        };
        let sampler = open().map_err(|error| format!("perf_event_open: {error}"))?;
        Ok(Profiler { sampler, symbols })
    }

    /// Runs some work on the thread that made the profiler, and returns the stacks that it was
    /// found with.
    ///
    /// # Errors
    /// The system does not sample after all: the reason.
    pub fn stacks(&mut self, work: impl FnOnce()) -> Result<Vec<Stack>, String> {
        let failed = |error: std::io::Error| format!("perf_event: {error}");
        self.sampler.enable().map_err(failed)?;
        work();
        self.sampler.disable().map_err(failed)?;
        let mut stacks = Vec::new();
        while let Some(record) = self.sampler.next_record() {
            let Ok(Record::Sample(sample)) = record.parse_record() else { continue };
            let chain = sample.callchain().unwrap_or_default();
            let kernel = chain.iter().filter(|address| KERNEL.contains(address));
            stacks.push(kernel.filter_map(|&address| self.symbols.name(address)).collect());
        }
        Ok(stacks)
    }
}

/// The functions of the kernel, by their addresses.
struct Symbols(Vec<(u64, String)>);

impl Symbols {
    fn read() -> Result<Symbols, String> {
        let path = "/proc/kallsyms";
        let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
        let symbols = Symbols::parse(&text);
        match symbols.0.is_empty() {
            true => Err(format!("{path} hides the addresses of the kernel's functions")),
            false => Ok(symbols),
        }
    }

    /// Reads lines of an address, a type and a name; addresses that are hidden are 0.
    fn parse(text: &str) -> Symbols {
        let symbol = |line: &str| {
            let mut words = line.split_ascii_whitespace();
            let address = u64::from_str_radix(words.next()?, 16).ok()?;
            let is_code = matches!(words.next()?, "t" | "T" | "w" | "W");
            (is_code && address > 0).then_some((address, words.next()?.to_owned()))
        };
        let mut symbols: Vec<_> = text.lines().filter_map(symbol).collect();
        symbols.sort_by_key(|(address, _)| *address);
        Symbols(symbols)
    }

    /// Returns the function that an address is in, without what the compiler has added to its name.
    fn name(&self, address: u64) -> Option<String> {
        let after = self.0.partition_point(|(start, _)| *start <= address);
        let (_, name) = self.0.get(after.checked_sub(1)?)?;
        Some(name.split('.').next().unwrap_or(name).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn an_address_is_in_the_function_that_begins_before_it() {
        let text = "ffffffff81000200 t two.isra.0\nffffffff81000100 T one\n\
                    ffffffff81000180 D data\n0000000000000000 T hidden\n";
        let symbols = Symbols::parse(text);
        let name = |address| symbols.name(address);
        assert_eq!(name(0xffff_ffff_8100_0100).as_deref(), Some("one"));
        assert_eq!(name(0xffff_ffff_8100_01ff).as_deref(), Some("one"));
        assert_eq!(name(0xffff_ffff_8100_0300).as_deref(), Some("two"));
        assert_eq!(name(0xffff_ffff_8100_0000), None);
    }

    #[test]
    fn work_in_the_kernel_and_outside_of_it_is_told_apart() {
        let Some(mut profiler) = broadloom_testing::present("the profile", Profiler::new()) else {
            return;
        };
        let begin = std::time::Instant::now();
        let stacks = profiler.stacks(|| {
            let mut null = fs::File::create("/dev/null").unwrap();
            while begin.elapsed().as_millis() < 100 {
                null.write_all(&[0]).unwrap();
            }
        });
        let stacks = stacks.unwrap();
        assert!(stacks.iter().any(|stack| stack.is_empty()), "{} stacks", stacks.len());
        let writes = |stack: &Stack| stack.iter().any(|name| name == "ksys_write");
        assert!(stacks.iter().any(writes), "{stacks:?}");
    }
}
