//! Who compresses: the provider that is asked for, or the first that can of those that are there.

use std::sync::Arc;

use broadloom::algorithm::Checksum;
use broadloom::compression::{Order, measure, measure_decompression};
use broadloom::error::TransformError;
use broadloom::provider::ProviderSpec;
use broadloom::{
    Compression, CompressionAlgorithm, Direction, Registry, Session, Transform, registry_on,
};
use broadloom_lanes::Cpu;

use super::options::Coding;
use super::wanted::Wanted;

/// What is compressed is DEFLATE, whatever the format.
const DEFLATE: CompressionAlgorithm = CompressionAlgorithm::Deflate;

/// A session, and whose it is.
pub struct Chosen {
    /// The session, with another to fall back to where that is allowed.
    pub session: Session,
    /// Who works, and why, in words.
    pub description: String,
}

/// What a session is opened for.
#[derive(Debug, Clone, Copy)]
pub enum Purpose {
    /// To compress.
    Compress(Compression),
    /// To decompress.
    Decompress,
}

impl Purpose {
    fn transform(self) -> Result<Transform, TransformError> {
        match self {
            Purpose::Compress(how) => Transform::compress(DEFLATE, how),
            Purpose::Decompress => Transform::decompress(DEFLATE, Checksum::Crc32),
        }
    }

    fn order(self) -> Order {
        match self {
            Purpose::Compress(how) => Order::of(DEFLATE, Some(how.level)),
            Purpose::Decompress => Order::of(DEFLATE, None),
        }
    }
}

/// Opens a session at the provider that is asked for, or else at the first that can.
///
/// # Errors
/// Nobody can, or not the one that was asked for, in words.
pub fn open(coding: &Coding, purpose: Purpose, cpu: &Cpu) -> Result<Chosen, String> {
    match &coding.provider {
        Some(Wanted::Named(spec)) => wanted(spec, coding, purpose, cpu),
        Some(Wanted::Fastest) => fastest(purpose, cpu),
        None => first(purpose, cpu),
    }
}

/// Opens a session to decompress what another provider has compressed, and see whether it did well.
///
/// # Errors
/// Nobody can, in words.
pub fn open_to_verify(cpu: &Cpu) -> Result<Session, String> {
    Ok(first(Purpose::Decompress, cpu)?.session)
}

fn wanted(
    spec: &ProviderSpec,
    coding: &Coding,
    purpose: Purpose,
    cpu: &Cpu,
) -> Result<Chosen, String> {
    let transform = purpose.transform().map_err(|error| error.to_string())?;
    let mut registry = Registry::new();
    if !coding.fallback {
        registry.add(registry_on(cpu).open_provider(spec).map_err(|error| error.to_string())?);
        let session =
            registry.open_at(&spec.name, &transform).map_err(|error| error.to_string())?;
        return Ok(Chosen { description: description(&registry, &session), session });
    }
    let others = purpose.order().providers.iter().filter(|name| **name != spec.name);
    add(&mut registry, [spec.name.as_str()].into_iter().chain(others.copied()), cpu);
    registry.configure(spec).map_err(|error| error.to_string())?;
    let session =
        registry.open_or_fall_back(&spec.name, &transform).map_err(|error| error.to_string())?;
    let description = description(&registry, &session);
    let others = registry.providers().filter(|other| other.name() != session.provider());
    let other =
        others.map(|other| Session::open(Arc::clone(other), &transform)).find_map(Result::ok);
    let session = match other {
        Some(other) => session.falling_back_to(other).map_err(|error| error.to_string())?,
        None => session,
    };
    Ok(Chosen { session, description })
}

/// The first that can. The others need not be there, and are not looked for.
fn first(purpose: Purpose, cpu: &Cpu) -> Result<Chosen, String> {
    let transform = purpose.transform().map_err(|error| error.to_string())?;
    let mut registry = Registry::new();
    let (mut refusal, order) = (None, purpose.order());
    for &name in order.providers {
        add(&mut registry, [name].into_iter(), cpu);
        match registry.open(&transform) {
            Ok(session) => {
                let why = order.why(session.provider());
                let description = format!("{}, {why}", description(&registry, &session));
                return Ok(Chosen { session, description });
            }
            Err(error) => refusal = Some(error.to_string()),
        }
    }
    Err(refusal.unwrap_or_else(|| "there is no provider".to_owned()))
}

fn fastest(purpose: Purpose, cpu: &Cpu) -> Result<Chosen, String> {
    let mut registry = Registry::new();
    add(&mut registry, purpose.order().providers.iter().copied(), cpu);
    let choice = match purpose {
        Purpose::Compress(how) => measure(&registry, DEFLATE, how),
        Purpose::Decompress => measure_decompression(&registry, DEFLATE, Checksum::Crc32),
    };
    let choice = choice.map_err(|error| error.to_string())?;
    let description = format!("{}, {}", description(&registry, &choice.session), choice.reason);
    Ok(Chosen { session: choice.session, description })
}

/// Adds providers, each to be opened when it is first needed.
fn add<'n>(registry: &mut Registry, names: impl Iterator<Item = &'n str>, cpu: &Cpu) {
    let all = registry_on(cpu);
    for name in names {
        let known = all.factories().find(|factory| factory.name() == name);
        known.into_iter().for_each(|factory| registry.add_factory(factory.clone()));
    }
}

/// Whose a session is, in words.
fn description(registry: &Registry, session: &Session) -> String {
    let name = session.provider();
    let what = match registry.provider(name) {
        Ok(provider) => provider.description(),
        Err(error) => error.to_string(),
    };
    let does =
        if session.direction() == Direction::Compress { "compresses" } else { "decompresses" };
    format!("{name} {does} ({what}; {})", session.kernel())
}
