//! Who compresses: the provider that is asked for, or the fastest of those that are there.

use std::sync::Arc;

use broadloom::compression::format::Format;
use broadloom::compression::{Settings, choose, choose_for_decompression};
use broadloom::{
    Checksum, Compression, CompressionAlgorithm, Direction, Provider, ProviderSpec, Registry, Session,
    Transform, TransformError, add_provider, provider,
};
use broadloom_lanes::Cpu;

use super::options::Coding;

/// Who is asked to compress where nobody is asked for, in this order.
const COMPRESS: [&str; 3] = ["isal", "libdeflate", "zlib"];

/// Who is asked to decompress.
const DECOMPRESS: [&str; 3] = ["libdeflate", "isal", "zlib"];

/// What is compressed is DEFLATE, whatever the format.
const DEFLATE: CompressionAlgorithm = CompressionAlgorithm::Deflate;

/// Less than so many bytes are not worth a measurement, which takes as long as some megabytes do.
const WORTH_MEASURING: u64 = 4 << 20;

/// A session, and whose it is.
pub struct Chosen {
    /// The session, with another to fall back to where that is allowed.
    pub session: Session,
    /// Who works, and why, in words.
    pub description: String,
}

/// What a session is opened for.
#[derive(Debug, Clone, Copy)]
pub enum Work {
    /// To compress.
    Compress(Compression),
    /// To decompress.
    Decompress,
}

impl Work {
    fn transform(self) -> Result<Transform, TransformError> {
        match self {
            Work::Compress(how) => Transform::compress(DEFLATE, how),
            Work::Decompress => Transform::decompress(DEFLATE, Checksum::Crc32),
        }
    }

    fn order(self) -> [&'static str; 3] {
        match self {
            Work::Compress(_) => COMPRESS,
            Work::Decompress => DECOMPRESS,
        }
    }
}

/// Opens a session at the provider that is asked for, or else at the fastest. `total` is the number of bytes
/// that there will be to work on, where that is known.
///
/// # Errors
/// Nobody can, or not the one that was asked for, in words.
pub fn open(coding: &Coding, work: Work, total: Option<u64>, cpu: &Cpu) -> Result<Chosen, String> {
    match &coding.provider {
        Some(spec) => wanted(spec, coding, work, cpu),
        None if total.is_some_and(|total| total < WORTH_MEASURING) => first(work, cpu),
        None => fastest(work, cpu),
    }
}

/// Opens a session to decompress what another provider has compressed, and see whether it did well.
///
/// # Errors
/// Nobody can, in words.
pub fn open_to_verify(cpu: &Cpu) -> Result<Session, String> {
    Ok(first(Work::Decompress, cpu)?.session)
}

fn wanted(spec: &ProviderSpec, coding: &Coding, work: Work, cpu: &Cpu) -> Result<Chosen, String> {
    let transform = work.transform().map_err(|error| error.to_string())?;
    let mut registry = Registry::new();
    if !coding.fallback {
        registry.add(provider(spec, cpu).map_err(|error| error.to_string())?);
        let session = registry.open_at(&spec.name, &transform).map_err(|error| {
            refused_format(&registry, coding, work, cpu).unwrap_or_else(|| error.to_string())
        })?;
        return Ok(Chosen { description: description(&registry, &session), session });
    }
    add_provider(&mut registry, spec, cpu).map_err(|error| error.to_string())?;
    add(&mut registry, work.order().into_iter().filter(|name| *name != spec.name), cpu)?;
    let session =
        registry.open_or_fall_back(&spec.name, &transform).map_err(|error| error.to_string())?;
    let description = description(&registry, &session);
    let others = registry.providers().iter().filter(|other| other.name() != session.provider());
    let other = others.map(|other| Session::open(Arc::clone(other), &transform)).find_map(Result::ok);
    let session = match other {
        Some(other) => session.falling_back_to(other).map_err(|error| error.to_string())?,
        None => session,
    };
    Ok(Chosen { session, description })
}

/// Why the only provider of a registry is refused, if that is for the format: which ones it writes, and who
/// writes this one at the same level.
fn refused_format(registry: &Registry, coding: &Coding, work: Work, cpu: &Cpu) -> Option<String> {
    let (Work::Compress(how), Some(format), [wanted]) = (work, coding.format, registry.providers())
    else {
        return None;
    };
    let writes = |provider: &Arc<dyn Provider>, format| {
        let transform = Transform::compress(DEFLATE, Settings::compression_for(format, how));
        transform.is_ok_and(|transform| Session::open(Arc::clone(provider), &transform).is_ok())
    };
    let written = Format::ALL.into_iter().filter(|&format| writes(wanted, format)).map(Format::name);
    let written: Vec<_> = written.collect();
    let mut all = Registry::new();
    add(&mut all, COMPRESS.into_iter(), cpu).ok()?;
    let able = all.providers().iter().filter(|provider| writes(provider, format));
    let able: Vec<_> = able.map(|provider| provider.name()).collect();
    (!written.is_empty() && !able.is_empty()).then(|| {
        let (name, written, able) = (wanted.name(), written.join(", "), able.join(", "));
        let level = how.level;
        format!("{name} cannot write {format}; it writes {written}; at level {level} {able} can write {format}")
    })
}

/// The first that can. The others need not be there, and are not looked for.
fn first(work: Work, cpu: &Cpu) -> Result<Chosen, String> {
    let transform = work.transform().map_err(|error| error.to_string())?;
    let mut registry = Registry::new();
    let mut refusal = None;
    for name in work.order() {
        add(&mut registry, [name].into_iter(), cpu)?;
        match registry.open(&transform) {
            Ok(session) => {
                return Ok(Chosen { description: description(&registry, &session), session });
            }
            Err(error) => refusal = Some(error.to_string()),
        }
    }
    Err(refusal.unwrap_or_else(|| "there is no provider".to_owned()))
}

fn fastest(work: Work, cpu: &Cpu) -> Result<Chosen, String> {
    let mut registry = Registry::new();
    add(&mut registry, work.order().into_iter(), cpu)?;
    let choice = match work {
        Work::Compress(how) => choose(&registry, DEFLATE, how),
        Work::Decompress => choose_for_decompression(&registry, DEFLATE, Checksum::Crc32),
    };
    let choice = choice.map_err(|error| error.to_string())?;
    let description = format!("{}, {}", description(&registry, &choice.session), choice.reason);
    Ok(Chosen { session: choice.session, description })
}

/// Adds providers, and those that are not there as absent.
fn add<'n>(
    registry: &mut Registry,
    names: impl Iterator<Item = &'n str>,
    cpu: &Cpu,
) -> Result<(), String> {
    for name in names {
        let spec = ProviderSpec::without_options(name);
        add_provider(registry, &spec, cpu).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Whose a session is, in words.
fn description(registry: &Registry, session: &Session) -> String {
    let name = session.provider();
    let what = match registry.provider(name) {
        Ok(provider) => provider.description(),
        Err(error) => error.to_string(),
    };
    let does = if session.direction() == Direction::Compress { "compresses" } else { "decompresses" };
    format!("{name} {does} ({what}; {})", session.kernel())
}
