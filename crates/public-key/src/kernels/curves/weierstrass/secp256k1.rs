//! secp256k1 (SEC 2, 2.4.1).

use super::curve::{Curve, Multiples, read};
use crate::kernels::curves::element::Prime;
use crate::kernels::curves::montgomery::Montgomery;
use crate::kernels::curves::scalar::Odd;

/// The prime of secp256k1: 2^256 - 2^32 - 977.
#[derive(Clone, Copy)]
pub struct PrimeK1;

impl Odd<4> for PrimeK1 {
    const WORDS: [u64; 4] = [0xffff_fffe_ffff_fc2f, u64::MAX, u64::MAX, u64::MAX];
}

impl Prime for PrimeK1 {
    /// Five limbs have 52 bits, and ten have 26.
    #[inline(always)]
    fn bits(limbs: usize) -> u32 {
        (PrimeK1::ALL_BITS / limbs) as u32
    }
}

impl Montgomery for PrimeK1 {
    const ALL_BITS: usize = 260;
    const POWERS: &'static [(i64, usize)] =
        &[(1, 256), (-1, 32), (-1, 10), (1, 5), (1, 4), (-1, 0)];
}

/// The order of the base point of secp256k1.
#[derive(Clone, Copy)]
pub struct OrderK1;

impl Odd<4> for OrderK1 {
    const WORDS: [u64; 4] =
        [0xbfd2_5e8c_d036_4141, 0xbaae_dce6_af48_a03b, 0xffff_ffff_ffff_fffe, u64::MAX];
}

/// secp256k1.
#[derive(Clone, Copy)]
pub struct Secp256k1;

/// Digits of a number.
const DIGITS: usize = 52;

static TABLE: [Multiples<4>; DIGITS] = read(include_bytes!("secp256k1.bin"));

impl Curve<4> for Secp256k1 {
    const NAME: &'static str = "Secp256k1";
    type Scalar = [u8; 32];
    type Coordinates = [u8; 64];
    type Prime = PrimeK1;
    type Order = OrderK1;
    const A_IS_ZERO: bool = true;
    const B: [u64; 4] = [7, 0, 0, 0];
    const BASE: [[u64; 4]; 2] = [
        [
            0x59f2_815b_16f8_1798,
            0x029b_fcdb_2dce_28d9,
            0x55a0_6295_ce87_0b07,
            0x79be_667e_f9dc_bbac,
        ],
        [
            0x9c47_d08f_fb10_d4b8,
            0xfd17_b448_a685_5419,
            0x5da4_fbfc_0e11_08a8,
            0x483a_da77_26a3_c465,
        ],
    ];
    const DIGITS: usize = DIGITS;
    const TABLE: &'static [Multiples<4>] = &TABLE;
}
