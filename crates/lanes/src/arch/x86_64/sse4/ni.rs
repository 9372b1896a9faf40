//! AES by the x86 instructions on one block at once (AES-NI).

use core::arch::x86_64::__m128i;

use crate::arch::compile::{
    blocks_kernel, cbc_kernel, cfb_kernel, chain_kernel, ctr_kernel, ofb_lanes_kernel,
};

cbc_kernel!(
    /// AES-NI on up to eight lanes.
    AESNI, "aes-ni", __m128i, "aes,sse4.1"
);

ctr_kernel!(
    /// AES-NI, one block in a register.
    CTR, "aes-ni", 8 of __m128i, "aes,sse4.1", frame: natural
);

blocks_kernel!(
    /// AES-NI, one block in a register.
    BLOCKS, "aes-ni", 8 of __m128i, "aes,sse4.1", frame: natural
);

cfb_kernel!(
    /// AES-NI on up to eight lanes.
    CFB, "aes-ni", __m128i, "aes,sse4.1", BLOCKS
);

ofb_lanes_kernel!(
    /// AES-NI on up to eight lanes.
    OFB, "aes-ni", __m128i, "aes,sse4.1"
);

chain_kernel!(
    /// AES-NI on up to eight lanes.
    CHAIN, "aes-ni", __m128i, "aes,sse4.1"
);
