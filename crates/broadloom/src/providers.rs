//! The registry of the providers that this build has.

use broadloom_engine::Registry;
use broadloom_engine::provider::Factory;
use broadloom_lanes::Cpu;

/// A registry with every provider that this build has, on the best kernels that this CPU has.
///
/// A provider is opened when it is first asked for: no library is loaded before that.
pub fn registry() -> Registry {
    registry_on(&Cpu::detect())
}

/// A registry with every provider that this build has; `native` with the kernels for a CPU.
pub fn registry_on(cpu: &Cpu) -> Registry {
    let mut registry = Registry::new();
    factories(cpu).for_each(|factory| registry.add_factory(factory));
    registry
}

/// The factories of the providers that this build has, in the order in which a registry asks them.
fn factories(cpu: &Cpu) -> impl Iterator<Item = Factory> {
    // Without the feature `native` nothing asks for the CPU.
    let _ = cpu;
    [
        #[cfg(feature = "native")]
        broadloom_native::factory(cpu),
        #[cfg(feature = "openssl")]
        broadloom_openssl::factory(),
        #[cfg(feature = "isal")]
        broadloom_isal::factory(),
        #[cfg(feature = "libdeflate")]
        broadloom_libdeflate::factory(),
        #[cfg(feature = "zlib")]
        broadloom_zlib::factory(),
        #[cfg(feature = "lz4")]
        broadloom_lz4::factory(),
        #[cfg(feature = "gpu")]
        broadloom_gpu::factory(),
    ]
    .into_iter()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use broadloom_engine::{HashAlgorithm, SpecError, Transform};

    use super::*;

    const ALL: [&str; 7] = ["native", "openssl", "isal", "libdeflate", "zlib", "lz4", "gpu"];

    #[test]
    fn all_providers_are_known_and_native_is_asked_first() {
        let registry = registry();
        assert!(registry.names().eq(ALL));
        let session = registry.open(&Transform::hash(HashAlgorithm::Md5)).expect("native has MD5");
        assert_eq!(session.provider(), "native");
        assert_eq!(registry.providers().count() + registry.absent().count(), ALL.len());
    }

    #[test]
    fn every_factory_says_what_its_provider_is() {
        for factory in registry().factories() {
            assert!(factory.summary().len() > 10, "{factory:?}");
            let open = registry().provider(factory.name()).ok().map(|open| open.by_name_only());
            if let Some(by_name_only) = open {
                assert_eq!(by_name_only, factory.is_by_name_only(), "{factory:?}");
            }
        }
    }

    #[test]
    fn unknown_providers_are_told_which_there_are() {
        let error = registry().parse("gzip").unwrap_err().to_string();
        let valid = "native, openssl, isal, libdeflate, zlib, lz4, gpu";
        assert_eq!(error, format!("no provider is called \"gzip\"; valid: {valid}"));
    }

    #[test]
    fn a_provider_with_other_options_takes_the_place_of_the_one_before() {
        let mut registry = registry();
        registry
            .configure(&"native:isa=portable".parse().expect("it is a spec"))
            .expect("every machine has portable kernels");
        assert!(registry.names().eq(ALL));
        let session = registry
            .open_at("native", &Transform::hash(HashAlgorithm::Md5))
            .expect("native has MD5");
        assert!(session.kernel().starts_with("portable"), "{}", session.kernel());
    }

    #[test]
    fn wrong_options_are_refused_and_the_registry_stays_as_it_was() {
        let mut registry = registry();
        let wrong = "native:speed=11".parse().expect("it has the form");
        assert!(matches!(registry.configure(&wrong), Err(SpecError::Option(_))));
        assert!(registry.open_at("native", &Transform::hash(HashAlgorithm::Md5)).is_ok());
    }

    #[test]
    fn an_open_provider_takes_no_options() {
        let mut registry = Registry::new();
        registry.add(Arc::new(broadloom_native::Native::new(Cpu::detect())));
        let spec = "native:isa=portable".parse().expect("it is a spec");
        assert!(matches!(registry.open_provider(&spec), Err(SpecError::Option(_))));
        let plain = "native".parse().expect("it is a spec");
        assert_eq!(registry.open_provider(&plain).expect("it is open").name(), "native");
    }
}
