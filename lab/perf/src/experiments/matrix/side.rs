//! Sides of a matrix: providers as they were asked for, and libraries without the engine.

use std::sync::Arc;

use broadloom::error::SpecError;
use broadloom::gpu::Gpu;
use broadloom::provider::ProviderSpec;
use broadloom_emulated::Emulated;
use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Algorithm, Direction, Kem, PublicKeyAlgorithm, Session, Transform, TransformError,
};
use broadloom_lanes::{Cpu, Isa};

use super::case::Case;
use super::material::Material;
use crate::error::PerfError;
use crate::measure::keys;
use crate::measure::limit::Allowed;
use crate::measure::peers::{Absent, Bare, Found};
use crate::measure::workset::Workset;
use crate::names::Peer;
use crate::registry::registry_on;
use crate::report::row::{BARE, Row, features};

/// The options that rows have keys for.
const KEYS: [&str; 4] = ["contexts", "queue-pairs", "without", "isa"];

/// A provider at work, or a library without the engine around it.
pub enum Side {
    /// A provider.
    Engine(Engine),
    /// A library's own calls.
    Bare(Library),
}

/// A provider at work.
pub struct Engine {
    provider: Arc<dyn Provider>,
    /// As the command line has it.
    spec: ProviderSpec,
    /// The instruction set that the lanes are held to.
    isa: Isa,
}

/// A library that is called without the engine.
pub struct Library {
    found: Found,
    /// The instruction set that the lanes beside it are held to.
    isa: Isa,
}

/// The values of an option in a spec.
fn values<'a>(spec: &'a ProviderSpec, name: &str) -> impl Iterator<Item = &'a str> {
    let given = spec.options.iter().filter(move |(option, _)| option == name);
    given.map(|(_, value)| value.as_str())
}

impl Side {
    /// Opens a provider. One whose library is not there comes back as the reason, in a line.
    ///
    /// # Errors
    /// The provider does not have one of the options, or not with this value.
    pub fn open(spec: &ProviderSpec, cpu: &Cpu) -> Result<Result<Side, String>, PerfError> {
        let provider = match registry_on(cpu).open_provider(spec) {
            Ok(provider) => provider,
            Err(absent @ SpecError::Absent { .. }) => return Ok(Err(absent.to_string())),
            Err(error) => {
                return Err(PerfError::Spec { spec: spec.to_string(), reason: error.to_string() });
            }
        };
        let isa =
            values(spec, "isa").next().and_then(|name| name.parse().ok()).unwrap_or(cpu.isa());
        Ok(Ok(Side::Engine(Engine { provider, spec: spec.clone(), isa })))
    }

    /// Finds a library whose own calls are measured. One that is not there comes back as the
    /// reason, in a line.
    ///
    /// # Errors
    /// This program was built without it.
    pub fn find(peer: Peer, cpu: &Cpu) -> Result<Result<Side, String>, PerfError> {
        Ok(match Found::find(peer)? {
            Ok(found) => Ok(Side::Bare(Library { found, isa: cpu.isa() })),
            Err(absent) => Err(absent.to_string()),
        })
    }

    /// As the command line has it, such as `openssl:contexts=per-job`; or `openssl (bare)`.
    pub fn name(&self) -> String {
        match self {
            Side::Engine(engine) => engine.spec.to_string(),
            Side::Bare(library) => format!("{} ({BARE})", library.found.peer()),
        }
    }

    /// The provider or the library in words.
    pub fn description(&self) -> String {
        match self {
            Side::Engine(engine) => format!("{}: {}", engine.spec, engine.provider.description()),
            Side::Bare(Library { found, .. }) => {
                format!("{}: {}, {}", self.name(), found.version(), found.calls())
            }
        }
    }

    /// Why a side takes no part in an operation, in a line; `None` if it does.
    pub fn lacks(&self, algorithm: Algorithm, direction: Direction) -> Option<String> {
        match self {
            Side::Engine(engine) => {
                let lacking = || format!("{} does not have {algorithm}", self.name());
                (!engine.provider.supports(algorithm)).then(lacking)
            }
            Side::Bare(Library { found, .. }) => found
                .lacks(algorithm, direction)
                .map(|reason| self.absent(algorithm, direction, &reason)),
        }
    }

    /// Why a library takes no part in an operation, in a line.
    fn absent(&self, algorithm: Algorithm, direction: Direction, reason: &str) -> String {
        format!("{} takes no part in {algorithm} {direction}: {reason}", self.name())
    }

    /// Returns what its limits may count on, or nothing if a device does the work.
    pub fn allowed(&self) -> Option<Allowed> {
        match self {
            Side::Bare(_) => Some(Allowed::by_machine()),
            Side::Engine(Engine { spec, isa, .. }) => match spec.name.as_str() {
                "native" => Some(Allowed::of(*isa, values(spec, "without").next().is_some())),
                Emulated::NAME | Gpu::NAME => None,
                _ => Some(Allowed::by_machine()),
            },
        }
    }

    /// A row with the keys that tell it from those of another side.
    pub fn row(&self) -> Row {
        match self {
            Side::Engine(engine) => engine.row(),
            Side::Bare(library) => Row {
                provider: library.found.peer().to_string(),
                isa: library.isa.to_string(),
                interface: Some(BARE.to_owned()),
                ..Row::default()
            },
        }
    }

    /// Opens a session with the first of a set's keys.
    ///
    /// # Errors
    /// The provider cannot; or the side is a library, which has no sessions.
    pub fn session(&self, workset: &Workset, direction: Direction) -> Result<Session, PerfError> {
        let algorithm = workset.algorithm();
        let error = |reason| PerfError::Session { side: self.name(), algorithm, direction, reason };
        let Side::Engine(engine) = self else {
            return Err(error("bare calls have no sessions".to_owned()));
        };
        let transform = match algorithm {
            Algorithm::PublicKey(algorithm) => public_key(algorithm, direction),
            _ => Transform::new(algorithm, direction, workset.key(0), workset.mac_key(0)).build(),
        };
        let transform = transform.map_err(|refused| error(refused.to_string()))?;
        Session::open(Arc::clone(&engine.provider), &transform)
            .map_err(|refused| error(refused.to_string()))
    }

    /// Sets a library up for work on the material; `None` comes back for a provider.
    ///
    /// # Errors
    /// The library takes no part with such buffers, or fails.
    pub fn seat<'a>(
        &'a self,
        material: &'a Material,
    ) -> Result<Option<Box<dyn Bare + 'a>>, PerfError> {
        let Side::Bare(library) = self else { return Ok(None) };
        let (algorithm, direction) = (material.plain().algorithm(), material.direction());
        match library.found.seat(material.for_library())? {
            Ok(bare) => Ok(Some(bare)),
            Err(Absent { reason, .. }) => {
                Err(PerfError::Session { side: self.name(), algorithm, direction, reason })
            }
        }
    }

    /// The queue pairs that a provider was opened for, where that was asked for.
    pub fn queue_pairs(&self) -> Option<usize> {
        match self {
            Side::Engine(Engine { spec, .. }) => values(spec, "queue-pairs").next()?.parse().ok(),
            Side::Bare(_) => None,
        }
    }

    /// Why a side takes no part in a case, in a line; `None` if it does.
    ///
    /// # Errors
    /// The library fails.
    pub fn refuses(&self, case: &Case, material: &Material) -> Result<Option<String>, PerfError> {
        let Side::Bare(library) = self else {
            let few = self.queue_pairs().is_some_and(|pairs| pairs < case.cores);
            let line = || {
                let (name, cores) = (self.name(), case.cores);
                format!("{name} takes no part on {cores} cores: each needs a queue pair of its own")
            };
            return Ok(few.then(line));
        };
        let absent = |reason: &str| self.absent(case.algorithm, case.direction, reason);
        if !case.pace.is_synchronous() {
            return Ok(Some(absent("its bare calls leave nothing outstanding")));
        }
        let seat = library.found.seat(material.for_library())?;
        Ok(seat.err().map(|refused| absent(&refused.reason)))
    }
}

/// The transform of a public-key algorithm, with the key pair for measuring.
fn public_key(
    algorithm: PublicKeyAlgorithm,
    direction: Direction,
) -> Result<Transform, TransformError> {
    if let (Direction::Decapsulate, Some(kem)) = (direction, Kem::of(algorithm)) {
        let transform = Transform::decapsulate_bytes(kem, &keys::kem(kem).0);
        return Ok(transform.expect("the key was generated"));
    }
    let scheme = keys::scheme(algorithm);
    match (direction, keys::pair(algorithm)) {
        (Direction::Sign, Some((private, _))) => Transform::sign(&private, scheme),
        (Direction::Agree, Some((private, _))) => Transform::agree(&private),
        (Direction::Generate, _) => Transform::generate_key(algorithm),
        (Direction::Encapsulate, _) => Transform::encapsulate(algorithm),
        (Direction::Verify, Some((_, Some(public)))) => Transform::verify(&public, scheme),
        _ => Err(TransformError::NoKeyPair { algorithm }),
    }
}

impl Engine {
    fn row(&self) -> Row {
        let spec = &self.spec;
        let mut others: Vec<&(String, String)> = spec.options.iter().collect();
        others.retain(|(name, _)| !KEYS.contains(&name.as_str()));
        others.sort();
        let others: Vec<String> =
            others.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let contexts = || values(spec, "contexts").next().unwrap_or("per-queue-pair").to_owned();
        Row {
            provider: spec.name.clone(),
            contexts: (spec.name == "openssl").then(contexts),
            queue_pairs: values(spec, "queue-pairs").next().and_then(|pairs| pairs.parse().ok()),
            without: features(values(spec, "without")),
            options: (!others.is_empty()).then(|| others.join(":")),
            isa: self.isa.to_string(),
            interface: Some("engine".to_owned()),
            ..Row::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(spec: &str) -> Result<Result<Side, String>, PerfError> {
        Side::open(&spec.parse().unwrap(), &Cpu::detect())
    }

    #[test]
    fn every_option_is_in_the_row() {
        let native = open("native:without=sha:without=aes:isa=portable").unwrap().unwrap();
        let row = native.row();
        assert_eq!((row.side(), row.isa.as_str()), ("native (without aes,sha)".into(), "portable"));
        assert_eq!((row.without.as_deref(), row.options), (Some("aes,sha"), None));
        assert_eq!(native.name(), "native:without=sha:without=aes:isa=portable");
        let device = open("emulated:silicon=1:preset=instant").unwrap().unwrap();
        assert_eq!(device.row().options.as_deref(), Some("preset=instant:silicon=1"));
        for (spec, contexts, pairs) in [
            ("openssl", "per-queue-pair", None),
            ("openssl:contexts=per-job", "per-job", None),
            ("openssl:queue-pairs=4", "per-queue-pair", Some(4)),
        ] {
            match open(spec).unwrap() {
                Ok(side) => {
                    let row = side.row();
                    assert_eq!((row.contexts.as_deref(), row.queue_pairs), (Some(contexts), pairs));
                }
                Err(absent) => assert!(absent.starts_with("openssl is absent: "), "{absent}"),
            }
        }
    }

    #[test]
    fn limits_count_on_what_a_side_may_use() {
        let allowed = |spec: &str| open(spec).unwrap().unwrap().allowed();
        assert_eq!(allowed("native"), Some(Allowed::by_machine()));
        assert_eq!(allowed("native:isa=portable"), Some(Allowed::of(Isa::Portable, false)));
        assert!(!allowed("native:without=sha").unwrap().hardware);
        assert_eq!(allowed("emulated"), None);
    }

    #[test]
    fn a_library_is_told_from_the_provider_of_its_name() {
        let found = Side::find(Peer::OpenSsl, &Cpu::detect()).unwrap();
        let (Ok(library), Ok(provider)) = (found, open("openssl").unwrap()) else { return };
        assert_eq!((library.name(), library.row().side()), twice("openssl (bare)"));
        assert_eq!(provider.row().interface.as_deref(), Some("engine"));
        assert_eq!(library.row().provider, provider.row().provider);
        let lacks = |name: &str, direction| library.lacks(name.parse().unwrap(), direction);
        assert_eq!(lacks("hmac-sha1", Direction::Generate), None);
        let verify = lacks("hmac-sha1", Direction::Verify).unwrap();
        assert!(
            verify.starts_with("openssl (bare) takes no part in hmac-sha1 verify: "),
            "{verify}"
        );
        assert!(lacks("kasumi-f8", Direction::Encrypt).is_some());
    }

    fn twice(text: &str) -> (String, String) {
        (text.to_owned(), text.to_owned())
    }

    #[test]
    fn wrong_options_are_errors_and_not_absence() {
        for (spec, text) in [
            ("native:contexts=per-job", "contexts"),
            ("native:isa=mmx", "mmx"),
            ("native:without=flags", "flags"),
        ] {
            let error = open(spec).err().unwrap().to_string();
            assert!(error.contains(spec) && error.contains(text), "{error}");
        }
    }
}
