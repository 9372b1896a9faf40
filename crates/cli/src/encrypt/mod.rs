//! `broadloom encrypt`, `broadloom decrypt` and `broadloom keygen`: what age does, on all cores.

mod args;
mod craft;
mod keys;
mod output;
mod passphrase;
mod range;

use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::available_parallelism;

use broadloom::encryption::age::{Decryptor, Encryptor, Recipient, WORK_FACTOR};
use broadloom::encryption::openssl::{ITERATIONS, Mode, OpenSsl};
use broadloom::{Registry, registry_on};
use broadloom_lanes::Cpu;
use broadloom_program::message::{USAGE, complain};
use broadloom_program::signals;

use crate::compress::Gzip;
use crate::files::{Manner, Verbosity, Worker};
use args::{Cipher, CommonArgs, Container};
use craft::{Encryption, How};
use passphrase::Origin;

pub use args::{DecryptArgs, EncryptArgs, KeygenArgs};
pub use keys::keygen;

/// Encrypts what the arguments ask for.
pub fn encrypt(args: EncryptArgs, cpu: &Cpu) -> ExitCode {
    let program = "broadloom encrypt";
    match encryption(&args, cpu) {
        Ok(encryption) => run(program, encryption, args.common, false),
        Err((error, status)) => fail(program, &error, status),
    }
}

/// Decrypts what the arguments ask for.
pub fn decrypt(args: DecryptArgs, cpu: &Cpu) -> ExitCode {
    let program = "broadloom decrypt";
    match decryption(&args, cpu) {
        Ok(decryption) => run(program, decryption, args.common, args.test),
        Err((error, status)) => fail(program, &error, status),
    }
}

fn fail(program: &str, error: &str, status: u8) -> ExitCode {
    complain(program, error);
    ExitCode::from(status)
}

/// A message, and the exit status that goes with it.
type Wrong = (String, u8);

fn usage(text: impl Into<String>) -> Wrong {
    (text.into(), USAGE)
}

fn encryption(args: &EncryptArgs, cpu: &Cpu) -> Result<Encryption, Wrong> {
    let common = &args.common;
    check(common)?;
    let (registry, threads) = (Arc::new(registry_on(cpu)), threads(common));
    let for_keys = !args.recipient.is_empty()
        || !args.recipients_file.is_empty()
        || !common.identity.is_empty();
    let origin = Origin::of(common);
    let how = match (common.format, origin) {
        (Container::Openssl, _) if for_keys || args.armor => {
            return Err(usage("--format openssl takes a passphrase, and neither keys nor --armor"));
        }
        (Container::Openssl, origin) => {
            let origin = origin.unwrap_or(Origin::Terminal);
            How::Encrypt(openssl(registry, common, origin, true)?)
        }
        (Container::Age, Some(_)) if for_keys => {
            let text = "a file is for a passphrase or for keys: valid: -p, or -r, -R and -i";
            return Err(usage(text));
        }
        (Container::Age, Some(origin)) => {
            let passphrase = origin.read(true);
            let passphrase = passphrase.map_err(|error| (format!("the passphrase: {error}"), 1))?;
            How::Seal(Encryptor::to_passphrase(registry, passphrase, WORK_FACTOR))
        }
        (Container::Age, None) => {
            let recipients = recipients(args, &registry)?;
            if recipients.is_empty() {
                return Err(usage("for whom? valid: -r RECIPIENT, -R FILE, -i IDENTITY or -p"));
            }
            How::Seal(Encryptor::to_recipients(registry, recipients).armor(args.armor))
        }
    };
    let how = match how {
        How::Seal(age) => How::Seal(age.armor(args.armor)),
        how => how,
    };
    let gzip = args.compress.map(|level| Gzip::new(level, threads.get(), cpu)).transpose();
    let gzip = gzip.map_err(usage)?;
    Ok(Encryption { how, threads, armor: args.armor, gzip, range: None })
}

fn decryption(args: &DecryptArgs, cpu: &Cpu) -> Result<Encryption, Wrong> {
    let common = &args.common;
    check(common)?;
    if args.range.is_some() && !(common.stdout || common.output.is_some()) {
        return Err(usage("--range gives a part of a file: it needs -c or -o OUTPUT"));
    }
    if args.range.is_some() && common.format == Container::Openssl {
        return Err(usage("--range is of use for --format age only, not openssl"));
    }
    let (registry, threads) = (Arc::new(registry_on(cpu)), threads(common));
    let origin = Origin::of(common).unwrap_or(Origin::Terminal);
    let how = match common.format {
        Container::Openssl if !common.identity.is_empty() => {
            return Err(usage("--format openssl takes a passphrase, not an identity"));
        }
        Container::Openssl => How::Decrypt(openssl(registry, common, origin, false)?),
        Container::Age => {
            let mut identities = Vec::new();
            for path in &common.identity {
                let read = keys::identities(path, &registry, origin.clone());
                identities.extend(read.map_err(|error| (error, 1))?);
            }
            How::Open(Decryptor::new(registry, identities).asking(origin.ask()))
        }
    };
    Ok(Encryption { how, threads, armor: false, gzip: None, range: args.range })
}

fn openssl(
    registry: Arc<Registry>,
    common: &CommonArgs,
    origin: Origin,
    new: bool,
) -> Result<OpenSsl, Wrong> {
    let mode = match common.cipher.unwrap_or(Cipher::Cbc) {
        Cipher::Cbc => Mode::Cbc,
        Cipher::Ctr => Mode::Ctr,
    };
    let passphrase = origin.read(new);
    let passphrase = passphrase.map_err(|error| (format!("the passphrase: {error}"), 1))?;
    let iterations = common.iterations.unwrap_or(ITERATIONS);
    Ok(OpenSsl::new(registry, mode, passphrase).iterations(iterations))
}

/// The recipients of a command line.
fn recipients(args: &EncryptArgs, registry: &Arc<Registry>) -> Result<Vec<Recipient>, Wrong> {
    let mut all = Vec::new();
    for (index, text) in args.recipient.iter().enumerate() {
        // An identity that is given by mistake is not to be printed.
        let number = index + 1;
        let parsed = text.parse();
        all.push(parsed.map_err(|error| usage(format!("recipient {number} {error}")))?);
    }
    for path in &args.recipients_file {
        all.extend(keys::recipients(path).map_err(|error| (error, 1))?);
    }
    for path in &args.common.identity {
        let identities = keys::identities(path, registry, Origin::Terminal);
        let identities = identities.map_err(|error| (error, 1))?;
        all.extend(identities.iter().map(|identity| identity.recipient()));
    }
    Ok(all)
}

fn check(args: &CommonArgs) -> Result<(), Wrong> {
    if args.format == Container::Age && (args.cipher.is_some() || args.iterations.is_some()) {
        return Err(usage("--cipher and --iterations are of use for --format openssl only"));
    }
    if args.output.is_some() && args.files.len() > 1 {
        let text = format!("-o takes one file, not {}", args.files.len());
        return Err(usage(text));
    }
    Ok(())
}

fn threads(args: &CommonArgs) -> NonZeroUsize {
    let default = || available_parallelism().unwrap_or(NonZeroUsize::MIN);
    args.threads.map_or_else(default, |threads| threads.0)
}

fn run(program: &'static str, encryption: Encryption, args: CommonArgs, test: bool) -> ExitCode {
    // Without signals nothing is removed that should be: then rather nothing is begun.
    if let Err(error) = signals::watch() {
        return fail(program, &format!("signals cannot be watched: {error}"), 1);
    }
    let _offered = match args.metrics.offer(program) {
        Ok(offered) => offered,
        Err(error) => return fail(program, &error, 1),
    };
    let to_stdout = args.output.as_deref() == Some(Path::new("-"));
    let manner = Manner {
        stdout: args.stdout || to_stdout,
        test,
        force: args.force,
        keep: args.keep,
        recursive: args.recursive,
        verbosity: Verbosity::of(args.quiet, args.verbose),
        progress: args.progress,
        synchronous: args.synchronous,
    };
    let worker = Worker::new(program, manner, encryption, &args.files);
    if args.format == Container::Openssl {
        let text =
            "openssl's format does not authenticate: nobody notices where a file was changed";
        worker.report.note("warning", text);
    }
    match args.output.filter(|_| !to_stdout) {
        Some(path) => output::run(worker, args.files.first().map(Path::new), &path),
        None => worker.run(args.files),
    }
}
