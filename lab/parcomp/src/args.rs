//! The command line of `parcomp`: that of the parallel compression benchmark in Intel's
//! *Programming Intel QuickAssist Technology Hardware Accelerators for Optimal Performance*.

use std::path::PathBuf;
use std::str::FromStr;

use broadloom::compression::CHUNKS;
use broadloom::provider::ProviderSpec;
use clap::{ArgAction, Parser};

use broadloom_program::number::{level, number};

use crate::mask::{Mask, decimal, hexadecimal};

/// Most threads, as the source has it.
const MAX_THREADS: u64 = 32;

/// Most jobs outstanding for each thread, as the source has it.
const MAX_JOBS: u64 = 256;

/// The largest chunk, in KB.
const MAX_CHUNK: u64 = (*CHUNKS.end() >> 10) as u64;

/// What follows the help.
const NOTES: &str = "\
Values follow their option at once or as the next argument: -icalgary.1G -l1, -i calgary.1G -l 1.

The elapsed time covers the compression of what is in memory: starting, joining and synchronising \
threads, opening the provider's sessions and queues, copying to and from its buffers. It does not \
cover reading and writing files, allocating the memory for both, and the command line. The CPU \
time is that of the process, user and system, over the same interval; for qat and emulated without \
the threads that stand for the device, which the machine with a device would not have.

`parcomp --man` alone prints a manual page.

Exit status: 0 if all went well, 1 on an error, 2 for a wrong command line.";

/// Parallel compression benchmark
///
/// Reads a file into memory, compresses it chunk by chunk, each on its own, and tells the ratio,
/// the elapsed time, the throughput and the CPU time. In the output each chunk is a deflate stream
/// behind its length, four bytes with the lowest first.
#[derive(Debug, Parser)]
#[command(
    name = "parcomp",
    version,
    disable_help_flag = true,
    args_override_self = true,
    after_help = NOTES
)]
pub struct Args {
    /// Provider: qat, zlib, libdeflate, isal or emulated, perhaps with options
    /// (zlib:library=zlib-rs). There is no device: qat is emulated:preset=8955:prepare=16G, the
    /// model of an 8955 chipset, whose results are computed before the clock starts so that only
    /// the modelled device's time is told
    #[arg(short, value_name = "providerName", default_value = "qat")]
    pub provider: ProviderName,

    /// Chunk size in KB (1024 bytes), 1 to 1048576. The last chunk of a file may be smaller; no
    /// state is kept between chunks
    #[arg(
        short,
        value_name = "chunkSizeInKB",
        default_value_t = 64,
        value_parser = number::<u64>("a chunk size in KB", 1..=MAX_CHUNK),
    )]
    pub chunk: u64,

    /// Compression level: isal has 0 to 3, zlib 0 to 9, libdeflate 0 to 12
    #[arg(
        short,
        value_name = "compressionLevel",
        default_value_t = 1,
        value_parser = level,
    )]
    pub level: u8,

    /// Decompress the input file, which parcomp has written [default: compress]
    #[arg(short)]
    pub decompress: bool,

    /// Tell more: who worked and how, cycles, every iteration
    #[arg(short, visible_short_alias = 'g')]
    pub verbose: bool,

    /// Print the inputs and outputs as comma-separated values alone: 1 for the data, 2 for a header
    /// as well
    #[arg(
        short = 'x',
        value_name = "numLines",
        value_parser = number::<u64>("a number of CSV lines", 1..=2)
    )]
    pub csv: Option<u64>,

    /// Threads, 0 to 32, which share the chunks of the file nearly equally; 0 for the calling
    /// thread alone
    #[arg(
        short,
        value_name = "numThreads",
        default_value_t = 0,
        value_parser = number::<u64>("a number of threads", 0..=MAX_THREADS),
    )]
    pub threads: u64,

    /// The rate of the CPU's time-stamp counter in MHz, with which its cycles become seconds
    /// [default: the system's clock tells seconds, and the rate is measured where it is told, which
    /// takes about 1 second]
    #[arg(short, value_name = "cpuFreqInMHz", value_parser = frequency)]
    pub frequency: Option<f64>,

    /// Iterations: the same is done so many times, and times are means
    #[arg(
        short = 'n',
        value_name = "numIterations",
        default_value_t = 1,
        value_parser = number::<u64>("a number of iterations", 1..=1_000_000),
    )]
    pub iterations: u64,

    /// The cores that threads are pinned to in turn, as a hexadecimal mask: -yf for the first four,
    /// or those of them that there are [default: those of 0xff]. With -t0 the calling thread is
    /// pinned to the first, if a mask is given
    #[arg(
        short = 'y',
        value_name = "coreAffinityInHex",
        value_parser = hexadecimal,
        conflicts_with = "decimal"
    )]
    pub hexadecimal: Option<Mask>,

    /// The same mask in decimal: -a15 for the first four
    #[arg(short = 'a', value_name = "coreAffinityInDec", value_parser = decimal)]
    pub decimal: Option<Mask>,

    /// Print help
    #[arg(short, long, action = ArgAction::Help)]
    pub help: Option<bool>,

    /// Jobs outstanding at any one time for each thread, 1 to 256; 1 is the same as synchronous
    /// calls
    #[arg(
        short,
        value_name = "maxOutstandingJobs",
        default_value_t = 1,
        value_parser = number::<u64>("a number of outstanding jobs", 1..=MAX_JOBS),
    )]
    pub jobs: u64,

    /// Deflate window, 0 to 7, as QuickAssist's API counts: 2^(8 + N) bytes, so that 5 is 8 KB and
    /// 7 is 32 KB [default: 5 for qat and emulated, 7 for others]
    #[arg(short, value_name = "windowSize", value_parser = number::<u64>("a window size", 0..=7))]
    pub window: Option<u64>,

    /// Static compression: the Huffman codes of the standard [default: dynamic, codes made for the
    /// data]
    #[arg(short = 's')]
    pub static_codes: bool,

    /// Input file
    #[arg(short, value_name = "inputFile")]
    pub input: PathBuf,

    /// Output file [default: none, what was made is dropped]
    #[arg(short, value_name = "outputFile")]
    pub output: Option<PathBuf>,
}

/// A provider as `-p` has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderName {
    /// It.
    pub spec: ProviderSpec,
    /// `true` if it was called `qat`.
    pub qat: bool,
}

impl ProviderName {
    /// Returns `true` if it stands for a device.
    pub fn is_device(&self) -> bool {
        self.spec.name == "emulated"
    }
}

/// The providers that `-p` takes.
const PROVIDERS: [&str; 5] = ["qat", "emulated", "zlib", "libdeflate", "isal"];

impl FromStr for ProviderName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, options) =
            text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        if !PROVIDERS.contains(&name) {
            return Err(format!("no provider is called {name:?}; valid: {}", PROVIDERS.join(", ")));
        }
        let qat = name == "qat";
        let mut spec = if qat { "emulated".to_owned() } else { name.to_owned() };
        if qat {
            let given = |option: &str| {
                let mut names = options
                    .unwrap_or_default()
                    .split(':')
                    .filter_map(|text| text.split('=').next());
                names.any(|name| name == option)
            };
            let missing = QAT.iter().filter(|(option, _)| !given(option));
            spec.extend(missing.map(|(option, value)| format!(":{option}={value}")));
        }
        spec.extend(options.map(|options| format!(":{options}")));
        let spec = spec.parse().map_err(|error: broadloom::error::SpecError| error.to_string())?;
        Ok(ProviderName { spec, qat })
    }
}

/// What the provider `qat` of the source is: the device that its figures were measured with, with
/// results that are there when the device would have had them, however slow this machine is.
const QAT: [(&str, &str); 2] = [("preset", "8955"), ("prepare", "16G")];

fn frequency(text: &str) -> Result<f64, String> {
    let valid = |mhz: &f64| (1.0..=100_000.0).contains(mhz);
    text.parse().ok().filter(valid).ok_or_else(|| "a frequency in MHz is 1 to 100000".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Args, String> {
        let words = std::iter::once("parcomp").chain(line.split_whitespace());
        Args::try_parse_from(words).map_err(|error| error.to_string())
    }

    fn parsed(line: &str) -> Args {
        parse(line).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    #[test]
    fn defaults_are_those_of_the_source() {
        let args = parsed("-ix");
        assert!(args.provider.qat);
        assert_eq!(args.provider.spec.to_string(), "emulated:preset=8955:prepare=16G");
        assert_eq!((args.chunk, args.level, args.jobs, args.iterations), (64, 1, 1, 1));
        assert_eq!((args.threads, args.csv, args.frequency, args.window), (0, None, None, None));
        assert_eq!((args.hexadecimal, args.decimal, args.output), (None, None, None));
        assert!(!args.decompress && !args.verbose && !args.static_codes);
    }

    #[test]
    fn the_command_lines_of_the_source_are_read() {
        let args = parsed("-pzlib -icalgary.1G -otest1 -l1 -c1000000 -yffff -t16");
        assert_eq!(args.provider.spec.to_string(), "zlib");
        assert_eq!(args.input, PathBuf::from("calgary.1G"));
        assert_eq!(args.output, Some(PathBuf::from("test1")));
        assert_eq!((args.level, args.chunk, args.threads), (1, 1_000_000, 16));
        assert_eq!(args.hexadecimal.expect("it is given").cores(), (0..16).collect::<Vec<_>>());
        let args = parsed("-pzlib -icalgary.1G -otest1 -l1 -c1000000 -j1 -t0");
        assert_eq!((args.jobs, args.threads), (1, 0));
        let args = parsed("-pqat -icalgary.1G -otest1 -l1 -c64 -j24 -t1");
        assert!(args.provider.qat);
        assert_eq!((args.chunk, args.jobs), (64, 24));
    }

    #[test]
    fn options_of_qat_take_the_place_of_its_defaults() {
        let spec = |line: &str| parsed(line).provider.spec.to_string();
        assert_eq!(spec("-ix -pqat:seed=7"), "emulated:preset=8955:prepare=16G:seed=7");
        assert_eq!(spec("-ix -pqat:prepare=off:seed=7"), "emulated:preset=8955:prepare=off:seed=7");
        assert_eq!(spec("-ix -pqat:preset=instant"), "emulated:prepare=16G:preset=instant");
        assert_eq!(spec("-ix -pemulated"), "emulated");
    }

    #[test]
    fn the_last_of_an_option_counts() {
        let args = parsed("-ix -pzlib -d -d -l1 -pisal -l2 -t4 -t2 -iy");
        assert_eq!((args.provider.spec.name.as_str(), args.level, args.threads), ("isal", 2, 2));
        assert_eq!((args.decompress, args.input), (true, "y".into()));
    }

    #[test]
    fn values_may_be_attached_or_not() {
        for line in [
            "-pisal -ix -oy -c8 -l0 -d -v -x2 -t3 -f2694.5 -n7 -a5 -j9 -w7 -s",
            "-p isal -i x -o y -c 8 -l 0 -d -v -x 2 -t 3 -f 2694.5 -n 7 -a 5 -j 9 -w 7 -s",
            "-p=isal -i=x -o=y -c=8 -l=0 -d -g -x=2 -t=3 -f=2694.5 -n=7 -a=5 -j=9 -w=7 -s",
            "-dsgpisal -ix -oy -c8 -l0 -x2 -t3 -f2694.5 -n7 -a5 -j9 -w7",
        ] {
            let args = parsed(line);
            assert_eq!(
                (args.provider.spec.name.as_str(), args.provider.qat),
                ("isal", false),
                "{line}"
            );
            assert_eq!((args.input, args.output), ("x".into(), Some("y".into())), "{line}");
            assert_eq!((args.chunk, args.level, args.csv), (8, 0, Some(2)), "{line}");
            assert_eq!(
                (args.threads, args.frequency, args.iterations),
                (3, Some(2694.5), 7),
                "{line}"
            );
            assert_eq!(args.decimal.expect(line).cores(), [0, 2], "{line}");
            assert_eq!((args.jobs, args.window), (9, Some(7)), "{line}");
            assert!(args.decompress && args.verbose && args.static_codes, "{line}");
        }
    }

    #[test]
    fn wrong_values_name_the_valid_range() {
        for (line, valid) in [
            ("-t33", "a number of threads is 0 to 32"),
            ("-t-1", "a number of threads is 0 to 32"),
            ("-tmany", "a number of threads is 0 to 32"),
            ("-j0", "a number of outstanding jobs is 1 to 256"),
            ("-j257", "a number of outstanding jobs is 1 to 256"),
            ("-c0", "a chunk size in KB is 1 to 1048576"),
            ("-c1048577", "a chunk size in KB is 1 to 1048576"),
            ("-l256", "a level is 0 to 12: isal has 0 to 3, zlib 0 to 9, libdeflate 0 to 12"),
            ("-x3", "a number of CSV lines is 1 to 2"),
            ("-x0", "a number of CSV lines is 1 to 2"),
            ("-f0", "a frequency in MHz is 1 to 100000"),
            ("-fNaN", "a frequency in MHz is 1 to 100000"),
            ("-n0", "a number of iterations is 1 to 1000000"),
            ("-w8", "a window size is 0 to 7"),
            ("-y0", "a mask has at least one core"),
            ("-yxyz", "hexadecimal"),
            ("-a0", "a mask has at least one core"),
            ("-aff", "decimal"),
            ("-yf -a15", "cannot be used with"),
            ("-ppat", "valid: qat, emulated, zlib, libdeflate, isal"),
            ("-pqat:fast", "NAME=VALUE"),
            ("-k", "unexpected argument '-k'"),
            ("other", "unexpected argument 'other'"),
        ] {
            let error = parse(&format!("-ix {line}")).expect_err(line);
            assert!(error.contains(valid), "{line}: {error}");
        }
        assert!(parse("-oy").expect_err("there is no input").contains("-i <inputFile>"));
    }
}
