//! The registry of the laboratory.

use broadloom::Registry;
use broadloom_lanes::Cpu;

/// Returns a registry with every provider that users have, `native` with the kernels for `cpu`, and
/// with the two that only measurements need: `ipsec-mb` and `emulated`.
pub fn registry_on(cpu: &Cpu) -> Registry {
    let mut registry = broadloom::registry_on(cpu);
    registry.add_factory(broadloom_ipsec_mb::factory());
    registry.add_factory(broadloom_emulated::factory());
    registry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_for_measurements_are_asked_only_by_name() {
        let registry = registry_on(&Cpu::detect());
        let names: Vec<&str> = registry.names().collect();
        assert!(names.ends_with(&["gpu", "ipsec-mb", "emulated"]), "{names:?}");
        let by_default: Vec<&str> = registry.default_providers().map(|one| one.name()).collect();
        assert!(!by_default.contains(&"emulated") && !by_default.contains(&"ipsec-mb"));
        assert_eq!(by_default.first(), Some(&"native"));
    }
}
