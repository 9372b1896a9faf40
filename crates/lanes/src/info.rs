//! What users learn of a kernel.

/// The kernels of one algorithm on one CPU.
///
/// ```
/// for info in broadloom_lanes::kernels(&broadloom_lanes::Cpu::detect()) {
///     println!("{}: {} ({})", info.algorithm, info.kernel, info.reason);
///     assert!(info.lanes > 0);
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// The name of the algorithm, or of the family whose algorithms share the kernel; an HMAC has
    /// the kernels of its hash.
    pub algorithm: &'static str,
    /// The kernel for many buffers.
    pub kernel: &'static str,
    /// Buffers that it advances together.
    pub lanes: usize,
    /// The kernel for few buffers.
    pub single: &'static str,
    /// With so many buffers or fewer, the kernel for few is used.
    pub few: usize,
    /// Why these.
    pub reason: &'static str,
}

impl KernelInfo {
    /// Returns the same kernel under the name of one of the algorithms that share it.
    pub(crate) fn named(self, algorithm: &'static str) -> KernelInfo {
        KernelInfo { algorithm, ..self }
    }
}
