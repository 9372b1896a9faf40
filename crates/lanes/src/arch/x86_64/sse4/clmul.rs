//! GCM by AES-NI and PCLMULQDQ.

use core::arch::x86_64::__m128i;

use crate::arch::compile::gcm_kernel;

gcm_kernel!(
    /// AES-NI and PCLMULQDQ, one block in a register.
    CLMUL, "aes-ni", __m128i, "aes,sse4.1,pclmulqdq"
);
