//! Crypto drivers of DPDK, measured by DPDK's own tool in processes of their own.
//!
//! The tool measures a burst again and again, as long as its list of bursts says. Each of these
//! readings is a pass, and a driver's figures are the shortest pass and the median, as for the
//! other sides. Its buffers and keys are its own, and its results are not compared.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::process::Command;
use std::str::FromStr;

use broadloom_engine::{Algorithm, CipherAlgorithm, Direction, HashAlgorithm, MacAlgorithm};
use broadloom_lanes::Cpu;

use super::case::Case;
use crate::error::PerfError;
use crate::measure::pairing::Figures;
use crate::measure::sys::clock::Clock;
use crate::measure::workload::Workload;
use crate::names::{Cache, Call, Kind, Order};
use crate::report::row::{DPDK, Row, hundredths};

const TOOL: &str = "dpdk-test-crypto-perf";

/// Passes of a run. The tool takes a list of at most 32.
const PASSES: usize = 20;

/// Buffers of a pass: at most so many, and no more than have so many bytes together, but so many
/// at least. A pass of triple DES takes a tenth of a second.
const BUFFERS: usize = 16_384;
const BYTES: usize = 4 << 20;
const FEW: usize = 512;

/// A crypto driver of DPDK, such as `crypto_openssl`; one that is not in DPDK's own folder with its
/// file: `crypto_broadloom=/usr/local/lib/dpdk/librte_crypto_broadloom.so`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Driver {
    name: String,
    file: Option<PathBuf>,
}

impl FromStr for Driver {
    type Err = PerfError;

    fn from_str(text: &str) -> Result<Driver, PerfError> {
        let (name, file) = match text.split_once('=') {
            Some((name, file)) => (name, Some(PathBuf::from(file))),
            None => (text, None),
        };
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if !name.starts_with("crypto_") || !name.chars().all(plain) || file == Some(PathBuf::new())
        {
            return Err(PerfError::Name {
                what: "driver",
                name: text.to_owned(),
                valid: "crypto_openssl, crypto_aesni_mb and so on, or NAME=FILE".to_owned(),
            });
        }
        Ok(Driver { name: name.to_owned(), file })
    }
}

impl fmt::Display for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// The options of the tool for an operation, or why there are none.
fn operation(algorithm: Algorithm, direction: Direction) -> Result<Vec<String>, &'static str> {
    const UNKNOWN: &str = "the tool is not asked for this algorithm";
    if direction.checks() && !matches!(algorithm, Algorithm::Cipher(_)) {
        return Err("the tool has no buffers whose tags are right");
    }
    let mut options = Vec::new();
    let mut add = |name: &str, value: &dyn fmt::Display| {
        options.extend([format!("--{name}"), value.to_string()]);
    };
    add(
        "optype",
        match algorithm {
            Algorithm::Cipher(_) => &"cipher-only",
            Algorithm::Mac(_) => &"auth-only",
            Algorithm::Aead(_) => &"aead",
            Algorithm::Chain(..) => &"cipher-then-auth",
            _ => return Err(UNKNOWN),
        },
    );
    if let Some(cipher) = algorithm.cipher() {
        add(
            "cipher-algo",
            match cipher {
                CipherAlgorithm::AesCbc(_) => &"aes-cbc",
                CipherAlgorithm::AesCtr(_) => &"aes-ctr",
                CipherAlgorithm::TripleDesCbc => &"3des-cbc",
                CipherAlgorithm::TripleDesCtr => &"3des-ctr",
                _ => return Err(UNKNOWN),
            },
        );
        add("cipher-op", &direction);
        add("cipher-key-sz", &cipher.key_len());
        add("cipher-iv-sz", &cipher.nonce_len());
    }
    if let Some(mac) = algorithm.mac() {
        let (name, key_len) = match mac {
            MacAlgorithm::Hmac(HashAlgorithm::Md5) => ("md5-hmac", 64),
            MacAlgorithm::Hmac(HashAlgorithm::Sha1) => ("sha1-hmac", 64),
            MacAlgorithm::Hmac(HashAlgorithm::Sha256) => ("sha2-256-hmac", 64),
            MacAlgorithm::Hmac(HashAlgorithm::Sha512) => ("sha2-512-hmac", 128),
            MacAlgorithm::AesCmac(size) => ("aes-cmac", size.key_len()),
            _ => return Err(UNKNOWN),
        };
        add("auth-algo", &name);
        add("auth-op", &"generate");
        add("auth-key-sz", &key_len);
        add("digest-sz", &algorithm.tag_len());
    }
    if let Algorithm::Aead(aead) = algorithm {
        add(
            "aead-algo",
            match aead.to_string() {
                name if name.ends_with("-gcm") => &"aes-gcm",
                _ => return Err(UNKNOWN),
            },
        );
        add("aead-op", &"encrypt");
        add("aead-key-sz", &aead.key_len());
        add("aead-iv-sz", &12);
        add("aead-aad-sz", &16);
        add("digest-sz", &algorithm.tag_len());
    }
    Ok(options)
}

/// The cores of lcores. The first one only waits for the others, but spins: on a core of its own,
/// where there is one.
fn lcores(pins: &[usize], cores: usize) -> String {
    let pin = |place: usize| pins.get(place).copied().unwrap_or(place);
    let workers = (0..cores).map(|place| format!("{}@{}", place + 1, pin(place)));
    let waits = pins.get(cores).copied().unwrap_or(pin(0));
    [format!("0@{waits}")].into_iter().chain(workers).collect::<Vec<_>>().join(",")
}

/// Reads a table of the tool: cycles per buffer, of which any core completes one, for each size and
/// pass.
fn passes(printed: &str) -> BTreeMap<usize, Vec<f64>> {
    // By size, then core: a figure for each pass.
    let mut read: BTreeMap<usize, BTreeMap<usize, Vec<f64>>> = BTreeMap::new();
    for line in printed.lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let &[lcore, size, .., cycles] = &fields[..] else { continue };
        if let (10, Ok(lcore), Ok(size), Ok(cycles)) =
            (fields.len(), lcore.parse(), size.parse(), cycles.parse())
        {
            read.entry(size).or_default().entry(lcore).or_default().push(cycles);
        }
    }
    let together = |by_core: BTreeMap<usize, Vec<f64>>| {
        let count = by_core.values().map(Vec::len).min().unwrap_or(0);
        let pass = |place: usize| 1.0 / by_core.values().map(|core| 1.0 / core[place]).sum::<f64>();
        (0..count).map(pass).collect()
    };
    read.into_iter().map(|(size, by_core)| (size, together(by_core))).collect()
}

/// Buffers of a pass, in whole bursts.
fn buffers(size: usize, burst: usize) -> usize {
    (BYTES / size.max(1)).clamp(FEW, BUFFERS).next_multiple_of(burst)
}

/// The line in which the tool says why it measured nothing: the first that complains, or the last.
fn complaint(printed: &str) -> &str {
    let complains = |line: &&str| {
        let line = line.to_ascii_lowercase();
        ["cannot", "error", "fail", "not support", "invalid"].iter().any(|word| line.contains(word))
    };
    let last = || printed.lines().rfind(|line| !line.trim().is_empty());
    printed.lines().find(complains).or_else(last).unwrap_or_default().trim()
}

/// The version that DPDK says of itself.
fn version(printed: &str) -> String {
    let after = printed.split("RTE Version: '").nth(1);
    after.and_then(|text| text.split('\'').next()).unwrap_or("DPDK").to_owned()
}

impl Driver {
    /// Why a case is not one for the tool.
    fn refuses(case: &Case) -> Option<&'static str> {
        if case.kind != Kind::Throughput || case.pace.call() != Call::QueuePair {
            return Some("the tool measures throughput through queue pairs");
        }
        (case.pace.outstanding().is_some() || case.cache != Cache::Warm)
            .then_some("the tool measures bursts of warm buffers")
    }

    /// Runs the tool for a case, and makes a row.
    ///
    /// # Errors
    /// Why there is none, in a line.
    pub fn measure(&self, case: &Case, pins: &[usize], clock: &Clock) -> Result<Row, String> {
        let (algorithm, direction) = (case.algorithm, case.direction);
        let absent = |reason: &str| {
            format!("{self} ({DPDK}) takes no part in {algorithm} {direction}: {reason}")
        };
        if let Some(reason) = Driver::refuses(case) {
            return Err(absent(reason));
        }
        let Workload::Size(size) = case.load else {
            return Err(absent("the tool measures buffers of one size"));
        };
        let operation = operation(algorithm, direction).map_err(absent)?;
        let burst = case.pace.burst();
        let mut command = Command::new(TOOL);
        // Without files in common with other processes of DPDK, which would lock them.
        command.args([
            "--no-huge",
            "--no-shconf",
            "--no-pci",
            "--no-telemetry",
            "-m",
            "1024",
            "-v",
        ]);
        command.arg("--lcores");
        command.arg(lcores(pins, case.cores));
        if let Some(file) = &self.file {
            command.arg("-d").arg(file);
        }
        command.args(["--vdev", &self.name, "--", "--devtype", &self.name]);
        command.args(["--ptest", "throughput", "--silent"]).args(operation);
        command.args(["--buffer-sz", &size.to_string()]);
        command.args(["--total-ops", &buffers(size, burst).to_string()]);
        command.args(["--burst-sz", &vec![burst.to_string(); PASSES].join(",")]);
        let output = command.output().map_err(|error| absent(&format!("{TOOL}: {error}")))?;
        let printed =
            [output.stdout, output.stderr].map(|out| String::from_utf8_lossy(&out).into_owned());
        let printed = printed.concat();
        let Some(mut figures) = passes(&printed).remove(&size).filter(|f| !f.is_empty()) else {
            return Err(absent(&format!("{TOOL} says {:?}", complaint(&printed))));
        };
        figures.sort_unstable_by(f64::total_cmp);
        let figures = Figures { minimum: figures[0], median: figures[figures.len() / 2] };
        Ok(self.row(case, size, figures, version(&printed), clock))
    }

    fn row(
        &self,
        case: &Case,
        size: usize,
        figures: Figures,
        kernel: String,
        clock: &Clock,
    ) -> Row {
        Row {
            kind: Some(Kind::Throughput),
            algorithm: case.algorithm.to_string(),
            direction: case.direction.to_string(),
            size: Some(size),
            mode: case.pace.mode().to_owned(),
            burst: case.pace.burst(),
            cores: case.cores,
            provider: self.name.clone(),
            call: Some(case.pace.call().to_string()),
            session: Some(case.sharing.to_string()),
            kernel,
            order: Order::OutOfOrder.to_string(),
            isa: Cpu::detect().isa().to_string(),
            cache: case.cache.to_string(),
            buffer_bytes: size as f64,
            interface: Some(DPDK.to_owned()),
            cycles_per_buffer: Some(hundredths(figures.minimum)),
            cycles_per_buffer_median: Some(hundredths(figures.median)),
            gbps: Some(hundredths(8.0 * size as f64 * clock.hertz() / figures.minimum / 1e9)),
            ..Row::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_is_a_name_and_perhaps_a_file() {
        let plain: Driver = "crypto_openssl".parse().unwrap();
        assert_eq!((plain.to_string().as_str(), plain.file), ("crypto_openssl", None));
        let own: Driver = "crypto_broadloom=/lib/x.so".parse().unwrap();
        assert_eq!(own.file, Some(PathBuf::from("/lib/x.so")));
        for wrong in ["openssl", "crypto_openssl=", "crypto_openssl --help", "crypto_Open"] {
            let error = wrong.parse::<Driver>().unwrap_err().to_string();
            assert!(error.contains(wrong) && error.contains("crypto_aesni_mb"), "{error}");
        }
    }

    #[test]
    fn operations_are_those_of_the_tool() {
        let options = |name: &str, direction| {
            operation(name.parse().unwrap(), direction).map(|options| options.join(" "))
        };
        assert_eq!(
            options("aes-128-cbc+hmac-sha1", Direction::Encrypt).unwrap(),
            "--optype cipher-then-auth --cipher-algo aes-cbc --cipher-op encrypt --cipher-key-sz \
             16 --cipher-iv-sz 16 --auth-algo sha1-hmac --auth-op generate --auth-key-sz 64 \
             --digest-sz 20"
        );
        assert_eq!(
            options("aes-256-gcm", Direction::Seal).unwrap(),
            "--optype aead --aead-algo aes-gcm --aead-op encrypt --aead-key-sz 32 --aead-iv-sz 12 \
             --aead-aad-sz 16 --digest-sz 16"
        );
        assert!(options("3des-ctr", Direction::Decrypt).unwrap().contains("3des-ctr"));
        assert!(options("aes-128-gcm", Direction::Open).unwrap_err().contains("tags"));
        assert!(options("sha256", Direction::Digest).is_err());
    }

    #[test]
    fn the_reason_is_the_first_complaint() {
        let printed = "EAL: Detected CPU lcores: 2\nEAL: Cannot create lock on 'config'\n\
            EAL: Unregistering with invalid input parameter\n";
        assert_eq!(complaint(printed), "EAL: Cannot create lock on 'config'");
        assert_eq!((complaint("one\nlast\n\n"), complaint("")), ("last", ""));
    }

    #[test]
    fn a_pass_of_long_buffers_has_fewer() {
        assert_eq!(
            [64, 1024, 8192, 1 << 20].map(|size| buffers(size, 32)),
            [16_384, 4096, 512, 512]
        );
        assert_eq!(buffers(64, 100), 16_400);
    }

    #[test]
    fn the_first_lcore_has_a_core_of_its_own_where_one_is_left() {
        assert_eq!(lcores(&[4, 6], 1), "0@6,1@4");
        assert_eq!(lcores(&[4, 6], 2), "0@4,1@4,2@6");
        assert_eq!(lcores(&[], 1), "0@0,1@0");
    }

    #[test]
    fn passes_of_several_cores_are_taken_together() {
        let line = |lcore: u8, size: u16, cycles: f64| {
            format!("  {lcore}  {size}  32  16384  16384  0  0  1.0  2.0  {cycles}\n")
        };
        let printed = "    lcore id    Buf Size  Burst Size\n".to_owned()
            + &line(1, 64, 100.0)
            + &line(2, 64, 300.0)
            + &line(1, 64, 50.0)
            + &line(2, 64, 50.0)
            + &line(1, 128, 70.0);
        assert_eq!(passes(&printed), BTreeMap::from([(64, vec![75.0, 25.0]), (128, vec![70.0])]));
        assert_eq!(version("EAL: RTE Version: 'DPDK 22.11.11'\n"), "DPDK 22.11.11");
    }
}
