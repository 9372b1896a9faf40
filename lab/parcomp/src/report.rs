//! The outputs: a table for people, comma-separated values for spreadsheets.

use std::fmt::Write;

use crate::args::Args;

/// What was measured.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Bytes of the uncompressed data.
    pub uncompressed: u64,
    /// Bytes of the compressed data.
    pub compressed: u64,
    /// Chunks.
    pub chunks: u64,
    /// Attempts at chunks beyond the first, each for want of room.
    pub overflows: u64,
    /// Every iteration.
    pub iterations: Vec<Taken>,
    /// The cores that threads were pinned to in turn.
    pub cores: Vec<usize>,
    /// log2 of the window's bytes.
    pub window: u8,
    /// The provider, its kernel, and further notes.
    pub who: Vec<(&'static str, String)>,
    /// Where there is the emulation of a device, whether it kept up, in words.
    pub emulation: Option<String>,
}

/// What one iteration took.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Taken {
    /// Seconds from its beginning to its end.
    pub elapsed: f64,
    /// The same in cycles of the time-stamp counter.
    pub cycles: u64,
    /// Seconds of all cores, user and system, without the threads that stand for a device.
    pub cpu: f64,
    /// Seconds of the threads that stand for a device, where there is one.
    pub device: Option<f64>,
}

impl Outcome {
    /// Compressed over uncompressed bytes; 0 where there are none.
    pub fn ratio(&self) -> f64 {
        match self.uncompressed {
            0 => 0.0,
            uncompressed => self.compressed as f64 / uncompressed as f64,
        }
    }

    /// Seconds that an iteration took, as a mean.
    pub fn elapsed(&self) -> f64 {
        self.mean(|taken| taken.elapsed)
    }

    /// Seconds of CPU time of an iteration, as a mean.
    pub fn cpu(&self) -> f64 {
        self.mean(|taken| taken.cpu)
    }

    /// Uncompressed megabits a second.
    pub fn mbps(&self) -> f64 {
        mbps(self.uncompressed, self.elapsed())
    }

    fn mean(&self, of: impl Fn(&Taken) -> f64) -> f64 {
        self.iterations.iter().map(of).sum::<f64>() / self.iterations.len() as f64
    }
}

/// Megabits a second.
fn mbps(bytes: u64, seconds: f64) -> f64 {
    bytes as f64 * 8.0 / 1e6 / seconds
}

/// The outputs, a line each. `mhz` is the rate of the time-stamp counter, which is told with the
/// rest of what `-v` asks for.
pub fn table(args: &Args, outcome: &Outcome, mhz: Option<f64>) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        writeln!(text, "{name:<20}{value}").expect("a string takes any text");
    };
    if let Some(mhz) = mhz {
        for (name, value) in &outcome.who {
            line(name, value.clone());
        }
        line("direction", direction(args).to_owned());
        line("level", args.level.to_string());
        let Outcome { chunks, overflows, .. } = outcome;
        line("chunk", format!("{} KB, {chunks} of them, {overflows} overflows", args.chunk));
        line("window", format!("{} bytes", 1u32 << outcome.window));
        line("Huffman codes", codes(args).to_owned());
        line("threads", threads(args));
        line("cores", cores(&outcome.cores));
        line("jobs outstanding", format!("{} for each thread", args.jobs));
        line(
            "counter",
            format!(
                "{mhz:.1} MHz, {}",
                if args.frequency.is_some() { "given" } else { "measured" }
            ),
        );
        for (number, taken) in outcome.iterations.iter().enumerate() {
            line(
                &format!("iteration {}", number + 1),
                format!(
                    "{:.6} s, {} cycles, {:.3} cycles/byte, CPU {:.6} s",
                    taken.elapsed,
                    taken.cycles,
                    taken.cycles as f64 / outcome.uncompressed.max(1) as f64,
                    taken.cpu,
                ),
            );
        }
    }
    line("uncompressed", format!("{} bytes", outcome.uncompressed));
    line("compressed", format!("{} bytes", outcome.compressed));
    line(
        "compression ratio",
        format!("{:.2} % (compressed / uncompressed)", 100.0 * outcome.ratio()),
    );
    let of = match outcome.iterations.len() {
        1 => String::new(),
        more => {
            let least =
                outcome.iterations.iter().map(|taken| taken.elapsed).fold(f64::INFINITY, f64::min);
            format!(" (mean of {more} iterations; least {least:.6} s)")
        }
    };
    line("elapsed time", format!("{:.6} s{of}", outcome.elapsed()));
    line("throughput", format!("{:.1} Mbps", outcome.mbps()));
    let devices: Option<Vec<f64>> = outcome.iterations.iter().map(|taken| taken.device).collect();
    let without = devices.map_or_else(String::new, |devices| {
        let mean = devices.iter().sum::<f64>() / devices.len() as f64;
        format!(", without the {mean:.6} s of the threads that stand for the device")
    });
    line("CPU time", format!("{:.6} s (user and system{without})", outcome.cpu()));
    if let Some(emulation) = &outcome.emulation {
        line("emulation", emulation.clone());
    }
    text
}

/// The names of the values of [`csv`].
const COLUMNS: [&str; 19] = [
    "provider",
    "direction",
    "level",
    "chunk_kb",
    "threads",
    "jobs",
    "window",
    "huffman",
    "cores",
    "iterations",
    "input",
    "uncompressed_bytes",
    "compressed_bytes",
    "ratio",
    "elapsed_s",
    "throughput_mbps",
    "cpu_s",
    "cycles",
    "mhz",
];

/// The inputs and outputs as comma-separated values (RFC 4180, lines end with a newline alone), in
/// a line of their own behind one of names where that is asked for.
pub fn csv(args: &Args, outcome: &Outcome, mhz: f64, header: bool) -> String {
    let cycles = outcome.iterations.iter().map(|taken| taken.cycles as f64).sum::<f64>();
    let provider =
        if args.provider.qat { "qat".to_owned() } else { args.provider.spec.to_string() };
    let cores: Vec<String> = outcome.cores.iter().map(ToString::to_string).collect();
    let values: [String; COLUMNS.len()] = [
        provider,
        direction(args).to_owned(),
        args.level.to_string(),
        args.chunk.to_string(),
        args.threads.to_string(),
        args.jobs.to_string(),
        (outcome.window - 8).to_string(),
        codes(args).to_owned(),
        cores.join(" "),
        outcome.iterations.len().to_string(),
        args.input.to_string_lossy().into_owned(),
        outcome.uncompressed.to_string(),
        outcome.compressed.to_string(),
        format!("{:.6}", outcome.ratio()),
        format!("{:.6}", outcome.elapsed()),
        format!("{:.1}", outcome.mbps()),
        format!("{:.6}", outcome.cpu()),
        format!("{:.0}", cycles / outcome.iterations.len() as f64),
        format!("{mhz:.1}"),
    ];
    let mut text = String::new();
    if header {
        text += &COLUMNS.join(",");
        text.push('\n');
    }
    let fields: Vec<String> = values.into_iter().map(field).collect();
    text + &fields.join(",") + "\n"
}

/// A value as a field: quoted where it must be.
fn field(value: String) -> String {
    match value.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", value.replace('"', "\"\"")),
        false => value,
    }
}

fn direction(args: &Args) -> &'static str {
    if args.decompress { "decompress" } else { "compress" }
}

fn codes(args: &Args) -> &'static str {
    if args.static_codes { "static" } else { "dynamic" }
}

fn threads(args: &Args) -> String {
    match args.threads {
        0 => "the calling one alone".to_owned(),
        threads => threads.to_string(),
    }
}

fn cores(cores: &[usize]) -> String {
    match cores {
        [] => "wherever the system puts threads".to_owned(),
        cores => {
            let names: Vec<String> = cores.iter().map(ToString::to_string).collect();
            format!("{}, in turn", names.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn args(line: &str) -> Args {
        let words = std::iter::once("parcomp").chain(line.split_whitespace());
        Args::try_parse_from(words).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    fn outcome(iterations: &[(f64, u64, f64)]) -> Outcome {
        let taken = |&(elapsed, cycles, cpu)| Taken { elapsed, cycles, cpu, device: None };
        Outcome {
            uncompressed: 1_000_000,
            compressed: 385_000,
            chunks: 16,
            overflows: 0,
            iterations: iterations.iter().map(taken).collect(),
            cores: vec![0, 2],
            window: 13,
            who: vec![("provider", "zlib".to_owned())],
            emulation: None,
        }
    }

    #[test]
    fn figures_are_those_of_the_source() {
        let outcome = outcome(&[(0.5, 1_000, 0.75), (1.5, 3_000, 1.25)]);
        assert_eq!(outcome.ratio(), 0.385);
        assert_eq!((outcome.elapsed(), outcome.cpu(), outcome.mbps()), (1.0, 1.0, 8.0));
        assert_eq!(Outcome { uncompressed: 0, compressed: 0, ..outcome }.ratio(), 0.0);
    }

    #[test]
    fn a_line_for_each_output() {
        let text = table(&args("-pzlib -ix"), &outcome(&[(0.5, 1_000, 0.75)]), None);
        assert_eq!(
            text,
            "uncompressed        1000000 bytes\n\
             compressed          385000 bytes\n\
             compression ratio   38.50 % (compressed / uncompressed)\n\
             elapsed time        0.500000 s\n\
             throughput          16.0 Mbps\n\
             CPU time            0.750000 s (user and system)\n"
        );
    }

    #[test]
    fn verbose_tells_who_and_how() {
        let outcome = outcome(&[(0.5, 1_000_000, 0.75), (1.5, 3_000_000, 1.25)]);
        let text = table(&args("-pzlib -ix -v -t2 -j4 -s -n2"), &outcome, Some(2694.0));
        for line in [
            "provider            zlib\n",
            "window              8192 bytes\n",
            "Huffman codes       static\n",
            "threads             2\n",
            "cores               0, 2, in turn\n",
            "jobs outstanding    4 for each thread\n",
            "counter             2694.0 MHz, measured\n",
            "iteration 2         1.500000 s, 3000000 cycles, 3.000 cycles/byte, CPU 1.250000 s\n",
            "elapsed time        1.000000 s (mean of 2 iterations; least 0.500000 s)\n",
        ] {
            assert!(text.contains(line), "{line}{text}");
        }
    }

    #[test]
    fn the_time_of_what_stands_for_a_device_is_told_apart() {
        let mut outcome = outcome(&[(0.5, 1_000, 0.75)]);
        outcome.iterations[0].device = Some(2.0);
        outcome.emulation = Some("it kept up".to_owned());
        let text = table(&args("-ix"), &outcome, None);
        let line = "CPU time            0.750000 s (user and system, without the 2.000000 s of the threads \
                    that stand for the device)\n\
                    emulation           it kept up\n";
        assert!(text.ends_with(line), "{text}");
    }

    #[test]
    fn values_have_names_and_are_quoted() {
        let outcome = outcome(&[(0.5, 1_000, 0.75), (1.5, 3_000, 1.25)]);
        let text = csv(&args("-pzlib -ia,\"b -d -w5"), &outcome, 2694.04, true);
        let (names, values) = text.split_once('\n').expect("two lines");
        assert_eq!(names.split(',').count(), COLUMNS.len());
        assert_eq!(
            values,
            "zlib,decompress,1,64,0,1,5,dynamic,0 2,2,\"a,\"\"b\",1000000,385000,0.385000,1.000000,8.0,\
             1.000000,2000,2694.0\n"
        );
        assert_eq!(csv(&args("-pzlib -ia,\"b -d -w5"), &outcome, 2694.04, false), values);
        assert!(csv(&args("-ix"), &outcome, 1.0, false).starts_with("qat,compress,"));
    }
}
