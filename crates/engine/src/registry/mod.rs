//! The providers that a program has, and how a session finds its own.

mod error;
mod spec;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::provider::contract::Provider;
use crate::session::{Fallback, Session};
use crate::transform::Transform;

pub use error::{Absent, FactoryError, OpenError};
pub use spec::{ProviderSpec, SpecError};

/// The providers of a program, in the order in which they are asked.
///
/// A provider that a [`Factory`] describes is opened when it is first asked for, by name or because
/// those before it cannot do what is wanted. So no library is loaded that nobody needs.
///
/// ```
/// use broadloom_engine::{HashAlgorithm, OpenError, Registry, Transform};
///
/// let mut registry = Registry::new();
/// registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
/// let session = registry.open(&Transform::hash(HashAlgorithm::Sha512))?;
/// assert_eq!(session.provider(), "native");
///
/// let elsewhere = registry.open_at("openssl", &Transform::hash(HashAlgorithm::Sha512));
/// assert!(matches!(elsewhere, Err(OpenError::Unknown { .. })));
/// # Ok::<(), OpenError>(())
/// ```
#[derive(Default)]
pub struct Registry {
    entries: Vec<Entry>,
    fallbacks: AtomicU64,
}

/// A provider, open or not yet.
struct Entry {
    name: String,
    by_name_only: bool,
    /// How it is opened; nothing where an open provider was added, or an absent one.
    factory: Option<Factory>,
    /// The provider, or why it is absent.
    opened: OnceLock<Result<Arc<dyn Provider>, String>>,
}

impl Entry {
    /// The provider, which is opened if it is not open yet; or why it is absent.
    fn open(&self, registry: &Registry) -> Result<&Arc<dyn Provider>, &str> {
        let opened = self.opened.get_or_init(|| match &self.factory {
            Some(factory) => factory.open(&[], registry).map_err(|error| error.to_string()),
            None => Err("it was never opened".to_owned()),
        });
        opened.as_ref().map_err(String::as_str)
    }
}

/// A function that opens a provider with its options. The registry is the one that the provider
/// belongs to: a provider that computes with others takes [theirs](Registry::default_providers).
type Open =
    dyn Fn(&[(&str, &str)], &Registry) -> Result<Arc<dyn Provider>, FactoryError> + Send + Sync;

/// Describes a provider that is not open yet, and opens it: what the crate of each provider
/// exports.
///
/// Making a factory costs nothing: a library is loaded when the provider is opened.
///
/// ```
/// use std::sync::Arc;
/// use broadloom_engine::Registry;
/// use broadloom_engine::provider::{Factory, FactoryError};
///
/// let factory = Factory::new("board", "the accelerator on our own board", |options, _registry| {
///     Err(FactoryError::Absent("no board is plugged in".to_owned()))
/// });
/// let mut registry = Registry::new();
/// registry.add_factory(factory);
/// let error = registry.provider("board").err().expect("there is no board");
/// assert_eq!(error.to_string(), "board is absent: no board is plugged in");
/// ```
#[derive(Clone)]
#[must_use]
pub struct Factory {
    name: &'static str,
    summary: &'static str,
    options: &'static [(&'static str, &'static str)],
    by_name_only: bool,
    open: Arc<Open>,
}

impl Factory {
    /// A factory for the provider of this name: lower-case letters, digits and hyphens. The summary
    /// is one line that says what the provider is.
    pub fn new(
        name: &'static str,
        summary: &'static str,
        open: impl Fn(&[(&str, &str)], &Registry) -> Result<Arc<dyn Provider>, FactoryError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Factory { name, summary, options: &[], by_name_only: false, open: Arc::new(open) }
    }

    /// Names the options that the provider takes, each with its values in words.
    pub fn with_options(self, options: &'static [(&'static str, &'static str)]) -> Self {
        Factory { options, ..self }
    }

    /// Says that the provider is used only where it is asked for by name.
    pub fn by_name_only(self) -> Self {
        Factory { by_name_only: true, ..self }
    }

    /// The name of the provider.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Describes the provider in one line.
    pub fn summary(&self) -> &'static str {
        self.summary
    }

    /// The options of the provider: names, and their values in words.
    pub fn options(&self) -> &'static [(&'static str, &'static str)] {
        self.options
    }

    /// Returns `true` if the provider is used only where it is asked for by name.
    pub fn is_by_name_only(&self) -> bool {
        self.by_name_only
    }

    /// Opens the provider.
    ///
    /// # Errors
    /// An option is wrong, or the provider is absent.
    pub fn open(
        &self,
        options: &[(&str, &str)],
        registry: &Registry,
    ) -> Result<Arc<dyn Provider>, FactoryError> {
        (self.open)(options, registry)
    }
}

impl fmt::Debug for Factory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Factory").field("name", &self.name).field("summary", &self.summary).finish()
    }
}

impl Registry {
    /// A registry without providers.
    pub fn new() -> Self {
        Registry::default()
    }

    /// Adds an open provider, to be asked after those before it. One of the same name is replaced,
    /// and its place taken.
    pub fn add(&mut self, provider: Arc<dyn Provider>) {
        let (name, by_name_only) = (provider.name().to_owned(), provider.by_name_only());
        let opened = OnceLock::from(Ok(provider));
        self.place(Entry { name, by_name_only, factory: None, opened });
    }

    /// Adds a provider that is opened when it is first needed, to be asked after those before it.
    /// One of the same name is replaced, and its place taken.
    pub fn add_factory(&mut self, factory: Factory) {
        let (name, by_name_only) = (factory.name().to_owned(), factory.is_by_name_only());
        self.place(Entry { name, by_name_only, factory: Some(factory), opened: OnceLock::new() });
    }

    fn place(&mut self, entry: Entry) {
        match self.entries.iter_mut().find(|other| other.name == entry.name) {
            Some(other) => *other = entry,
            None => self.entries.push(entry),
        }
    }

    /// Opens a provider as a spec asks for it, in the place of the one of the same name. Where it
    /// is absent, the registry notes why.
    ///
    /// # Errors
    /// There is no such provider, or one of its options is wrong: the registry is as it was.
    pub fn configure(&mut self, spec: &ProviderSpec) -> Result<(), SpecError> {
        let opened = match self.open_provider(spec) {
            Ok(provider) => Ok(provider),
            Err(SpecError::Absent { reason, .. }) => Err(reason),
            Err(error) => return Err(error),
        };
        let entry = self.entries.iter_mut().find(|entry| entry.name == spec.name);
        entry.expect("a provider of that name was opened").opened = OnceLock::from(opened);
        Ok(())
    }

    /// Opens a provider as a spec asks for it, and leaves the registry as it is.
    ///
    /// # Errors
    /// There is no such provider, one of its options is wrong, or it is absent.
    pub fn open_provider(&self, spec: &ProviderSpec) -> Result<Arc<dyn Provider>, SpecError> {
        let Some(entry) = self.entries.iter().find(|entry| entry.name == spec.name) else {
            let valid = self.valid_names();
            return Err(SpecError::Unknown { name: spec.name.clone(), valid });
        };
        let absent =
            |reason: &str| SpecError::Absent { name: spec.name.clone(), reason: reason.to_owned() };
        match (&entry.factory, spec.borrowed_options().as_slice()) {
            (Some(factory), options) => factory.open(options, self).map_err(|error| match error {
                FactoryError::Option(reason) => SpecError::Option(reason),
                FactoryError::Absent(reason) => absent(&reason),
            }),
            (None, []) => entry.open(self).cloned().map_err(absent),
            (None, [(option, _), ..]) => Err(SpecError::Option(format!(
                "{} was opened by the program and takes no {option:?}",
                spec.name
            ))),
        }
    }

    /// Parses a [`ProviderSpec`], and looks whether there is a provider of that name.
    ///
    /// # Errors
    /// The spec has not the form, or there is no such provider.
    pub fn parse(&self, text: &str) -> Result<ProviderSpec, SpecError> {
        let spec: ProviderSpec = text.parse()?;
        match self.names().any(|name| name == spec.name) {
            true => Ok(spec),
            false => {
                let valid = self.valid_names();
                Err(SpecError::Unknown { name: spec.name, valid })
            }
        }
    }

    /// The names of all providers, open or not, in the order in which they are asked.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    /// The names of all providers, for a message.
    fn valid_names(&self) -> String {
        match self.names().collect::<Vec<_>>() {
            names if names.is_empty() => "none".to_owned(),
            names => names.join(", "),
        }
    }

    /// The factories of those providers that have one.
    pub fn factories(&self) -> impl Iterator<Item = &Factory> {
        self.entries.iter().filter_map(|entry| entry.factory.as_ref())
    }

    /// All providers, which are opened if they are not yet; absent ones are left out.
    pub fn providers(&self) -> impl Iterator<Item = &Arc<dyn Provider>> {
        self.entries.iter().filter_map(|entry| entry.open(self).ok())
    }

    /// The providers that are asked without being named, which are opened if they are not yet.
    pub fn default_providers(&self) -> impl Iterator<Item = &Arc<dyn Provider>> {
        let asked = self.entries.iter().filter(|entry| !entry.by_name_only);
        asked.filter_map(|entry| entry.open(self).ok())
    }

    /// The providers that are not there. All are opened that are not yet.
    pub fn absent(&self) -> impl Iterator<Item = Absent> {
        self.entries.iter().filter_map(|entry| {
            let reason = entry.open(self).err()?.to_owned();
            Some(Absent { name: entry.name.clone(), reason })
        })
    }

    /// Sessions that were opened at another provider than the one asked for.
    pub fn fallbacks(&self) -> u64 {
        self.fallbacks.load(Ordering::Relaxed)
    }

    /// A provider by its name, which is opened if it is not yet.
    ///
    /// # Errors
    /// [`OpenError::Unknown`], with the names of all providers, or [`OpenError::Absent`].
    pub fn provider(&self, name: &str) -> Result<&Arc<dyn Provider>, OpenError> {
        let Some(entry) = self.entries.iter().find(|entry| entry.name == name) else {
            return Err(OpenError::Unknown { name: name.to_owned(), valid: self.valid_names() });
        };
        entry.open(self).map_err(|reason| {
            OpenError::Absent(Absent { name: name.to_owned(), reason: reason.to_owned() })
        })
    }

    /// Opens a session at the first provider that can, those left out that are only used by name.
    ///
    /// # Errors
    /// [`OpenError::Nobody`] with every provider's reason.
    pub fn open(&self, transform: &Transform) -> Result<Session, OpenError> {
        self.first_able(transform, None)
    }

    /// Opens a session at this provider and no other.
    ///
    /// # Errors
    /// [`OpenError::Unknown`], [`OpenError::Absent`] or [`OpenError::Refused`].
    pub fn open_at(&self, provider: &str, transform: &Transform) -> Result<Session, OpenError> {
        let provider = self.provider(provider)?;
        Session::open(Arc::clone(provider), transform).map_err(|error| OpenError::Refused {
            provider: provider.name().to_owned(),
            algorithm: transform.algorithm(),
            reason: error.reason,
        })
    }

    /// Opens a session at this provider or, where it cannot, or is not there, at another. The
    /// session then says why ([`Session::fallback`]), and [`fallbacks`](Registry::fallbacks) counts
    /// it.
    ///
    /// # Errors
    /// [`OpenError::Nobody`] if no provider can.
    pub fn open_or_fall_back(
        &self,
        provider: &str,
        transform: &Transform,
    ) -> Result<Session, OpenError> {
        let reason = match self.open_at(provider, transform) {
            Ok(session) => return Ok(session),
            Err(OpenError::Refused { reason, .. }) => reason,
            Err(error) => error.to_string(),
        };
        let fallback = Fallback { wanted: provider.to_owned(), reason };
        let session = self.first_able(transform, Some(fallback))?;
        self.fallbacks.fetch_add(1, Ordering::Relaxed);
        Ok(session)
    }

    fn first_able(
        &self,
        transform: &Transform,
        fallback: Option<Fallback>,
    ) -> Result<Session, OpenError> {
        let mut reasons = Vec::new();
        for entry in self.entries.iter().filter(|entry| !entry.by_name_only) {
            let provider = match entry.open(self) {
                Ok(provider) => provider,
                Err(reason) => {
                    reasons.push(format!("{} is absent: {reason}", entry.name));
                    continue;
                }
            };
            match Session::open_with(Arc::clone(provider), transform, fallback.clone()) {
                Ok(session) => return Ok(session),
                Err(error) => reasons.push(format!("{}: {}", entry.name, error.reason)),
            }
        }
        if reasons.is_empty() {
            reasons.push("there are none that are asked without their name".to_owned());
        }
        let algorithm = transform.algorithm();
        Err(OpenError::Nobody { algorithm, reasons: reasons.join("; ") })
    }
}

impl fmt::Debug for Registry {
    /// The names, and nothing is opened for it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.names().collect();
        f.debug_struct("Registry").field("providers", &names).finish()
    }
}
