//! P-256 (SP 800-186, 3.2.1.3).

use super::curve::{Curve, Multiples, read};
use crate::kernels::curves::element::Prime;
use crate::kernels::curves::montgomery::Montgomery;
use crate::kernels::curves::scalar::Odd;

/// The prime of P-256.
#[derive(Clone, Copy)]
pub struct Prime256;

impl Odd<4> for Prime256 {
    const WORDS: [u64; 4] = [u64::MAX, u64::MAX >> 32, 0, 0xffff_ffff_0000_0001];
}

impl Prime for Prime256 {
    /// Five limbs have 52 bits, and ten have 26.
    #[inline(always)]
    fn bits(limbs: usize) -> u32 {
        (Prime256::ALL_BITS / limbs) as u32
    }
}

impl Montgomery for Prime256 {
    const ALL_BITS: usize = 260;
    const POWERS: &'static [(i64, usize)] = &[(1, 256), (-1, 224), (1, 192), (1, 96), (-1, 0)];
}

/// The order of the base point of P-256.
#[derive(Clone, Copy)]
pub struct Order256;

impl Odd<4> for Order256 {
    const WORDS: [u64; 4] =
        [0xf3b9_cac2_fc63_2551, 0xbce6_faad_a717_9e84, u64::MAX, 0xffff_ffff_0000_0000];
}

/// P-256.
#[derive(Clone, Copy)]
pub struct P256;

/// Digits of a number.
const DIGITS: usize = 52;

static TABLE: [Multiples<4>; DIGITS] = read(include_bytes!("p256.bin"));

impl Curve<4> for P256 {
    const NAME: &'static str = "P256";
    type Scalar = [u8; 32];
    type Coordinates = [u8; 64];
    type Prime = Prime256;
    type Order = Order256;
    const A_IS_ZERO: bool = false;
    const B: [u64; 4] = [
        0x3bce_3c3e_27d2_604b,
        0x651d_06b0_cc53_b0f6,
        0xb3eb_bd55_7698_86bc,
        0x5ac6_35d8_aa3a_93e7,
    ];
    const BASE: [[u64; 4]; 2] = [
        [
            0xf4a1_3945_d898_c296,
            0x7703_7d81_2deb_33a0,
            0xf8bc_e6e5_63a4_40f2,
            0x6b17_d1f2_e12c_4247,
        ],
        [
            0xcbb6_4068_37bf_51f5,
            0x2bce_3357_6b31_5ece,
            0x8ee7_eb4a_7c0f_9e16,
            0x4fe3_42e2_fe1a_7f9b,
        ],
    ];
    const DIGITS: usize = DIGITS;
    const TABLE: &'static [Multiples<4>] = &TABLE;
}
