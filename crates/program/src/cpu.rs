//! The CPU that a program works on.

use broadloom_lanes::Cpu;

/// Returns the CPU, with the instruction set that `BROADLOOM_ISA` in the environment asks for.
///
/// # Errors
/// The text says what is wrong with `BROADLOOM_ISA`.
pub fn requested_cpu() -> Result<Cpu, String> {
    let request = std::env::var_os("BROADLOOM_ISA").map(|name| name.to_string_lossy().into_owned());
    let name = request.as_deref();
    Cpu::from_request(name)
        .map_err(|error| format!("BROADLOOM_ISA is {:?}: {error}", name.unwrap_or_default()))
}
