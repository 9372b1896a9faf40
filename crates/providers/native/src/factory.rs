//! How the provider is opened: its options, which hold it to a part of what the CPU has.

use std::sync::Arc;

use broadloom_engine::provider::{Factory, FactoryError};
use broadloom_lanes::Cpu;

use crate::Native;

/// Returns what a [`Registry`](broadloom_engine::Registry) opens the provider with. It has the
/// kernels for a CPU: [`Cpu::detect`], or one held to less. Its options hold it to even less.
pub fn factory(cpu: &Cpu) -> Factory {
    let cpu = cpu.clone();
    Factory::new(Native::NAME, "Broadloom's own lanes", move |options, _| {
        let (legacy, options): (Vec<_>, Vec<_>) =
            options.iter().copied().partition(|(name, _)| *name == "legacy");
        let native = Native::new(held_to(&cpu, &options)?);
        Ok(Arc::new(if is_yes(&legacy)? { native.with_legacy() } else { native }))
    })
    .with_options(&[
        ("isa", "an instruction set that the CPU has"),
        ("without", "a CPU feature to leave unused; may be repeated"),
        ("legacy", "yes or no: RC4, which is broken"),
    ])
}

/// Returns `true` if the option `legacy` is given, at most once, as `yes`.
fn is_yes(legacy: &[(&str, &str)]) -> Result<bool, FactoryError> {
    match legacy {
        [] | [(_, "no")] => Ok(false),
        [(_, "yes")] => Ok(true),
        [(_, value)] => {
            let message = format!("native:legacy={value}: valid: yes, no");
            Err(FactoryError::Option(message))
        }
        _ => Err(FactoryError::Option("native:legacy is given once".to_owned())),
    }
}

/// The CPU as the options ask for it.
fn held_to(cpu: &Cpu, options: &[(&str, &str)]) -> Result<Cpu, FactoryError> {
    // The instruction set first: it begins with all features again.
    let (isa, others): (Vec<_>, Vec<_>) =
        options.iter().copied().partition(|(name, _)| *name == "isa");
    if let Some((name, value)) = isa.get(1) {
        let message = format!("native:{name}={value}: an instruction set is given once");
        return Err(FactoryError::Option(message));
    }
    isa.into_iter().chain(others).try_fold(cpu.clone(), |cpu, (name, value)| {
        let held = match name {
            "isa" => value.parse().and_then(Cpu::with_isa),
            "without" => match cpu.features().iter().find(|known| known.feature.name() == value) {
                Some(known) => cpu.without(known.feature),
                None => {
                    let known: Vec<_> =
                        cpu.features().iter().map(|known| known.feature.name()).collect();
                    let known = known.join(", ");
                    let message =
                        format!("native:without={value}: no such feature; valid: {known}");
                    return Err(FactoryError::Option(message));
                }
            },
            _ => {
                let message = format!("native has no option {name:?}; valid: isa, without, legacy");
                return Err(FactoryError::Option(message));
            }
        };
        held.map_err(|error| FactoryError::Option(format!("native:{name}={value}: {error}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_hold_in_any_order() {
        let isa = Cpu::detect().isa();
        let Some(feature) = Cpu::detect().features().iter().rev().find_map(|feature| {
            let without = Cpu::detect().without(feature.feature).is_ok();
            (feature.usable && without).then_some(feature.feature)
        }) else {
            println!("this CPU has no feature to leave unused: nothing was tested");
            return;
        };
        let isa = ("isa", isa.name());
        for options in [[isa, ("without", feature.name())], [("without", feature.name()), isa]] {
            let cpu = held_to(&Cpu::detect(), &options).expect("they are right");
            let held =
                cpu.features().iter().find(|held| held.feature == feature).expect("it is known");
            assert!(!held.usable, "{options:?}");
        }
    }

    #[test]
    fn wrong_options_name_what_is_wrong() {
        let error =
            |options: &[(&str, &str)]| held_to(&Cpu::detect(), options).unwrap_err().to_string();
        assert_eq!(
            error(&[("speed", "11")]),
            "native has no option \"speed\"; valid: isa, without, legacy"
        );
        assert!(error(&[("isa", "mmx")]).contains("native:isa=mmx"));
        assert!(is_yes(&[("legacy", "1")]).unwrap_err().to_string().contains("valid: yes, no"));
        assert!(is_yes(&[("legacy", "yes"), ("legacy", "yes")]).is_err());
        assert!(error(&[("without", "flags")]).contains("native:without=flags"));
        assert_eq!(
            error(&[("isa", "portable"), ("isa", "portable")]),
            "native:isa=portable: an instruction set is given once"
        );
    }
}
