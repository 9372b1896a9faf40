//! P-384 (SP 800-186, 3.2.1.4).

use super::curve::{Curve, Multiples, read};
use crate::kernels::curves::element::Prime;
use crate::kernels::curves::montgomery::Montgomery;
use crate::kernels::curves::scalar::Odd;

/// The prime of P-384: 2^384 - 2^128 - 2^96 + 2^32 - 1.
#[derive(Clone, Copy)]
pub struct Prime384;

impl Odd<6> for Prime384 {
    const WORDS: [u64; 6] = [
        0x0000_0000_ffff_ffff,
        0xffff_ffff_0000_0000,
        0xffff_ffff_ffff_fffe,
        u64::MAX,
        u64::MAX,
        u64::MAX,
    ];
}

impl Prime for Prime384 {
    /// Seven limbs have 56 bits for integers, eight have 49 for products of 52 bits, and 14 have
    /// 28.
    #[inline(always)]
    fn bits(limbs: usize) -> u32 {
        (Prime384::ALL_BITS / limbs) as u32
    }
}

impl Montgomery for Prime384 {
    const ALL_BITS: usize = 392;
    const POWERS: &'static [(i64, usize)] = &[(1, 384), (-1, 128), (-1, 96), (1, 32), (-1, 0)];
}

/// The order of the base point of P-384.
#[derive(Clone, Copy)]
pub struct Order384;

impl Odd<6> for Order384 {
    const WORDS: [u64; 6] = [
        0xecec_196a_ccc5_2973,
        0x581a_0db2_48b0_a77a,
        0xc763_4d81_f437_2ddf,
        u64::MAX,
        u64::MAX,
        u64::MAX,
    ];
}

/// P-384.
#[derive(Clone, Copy)]
pub struct P384;

/// Digits of a number.
const DIGITS: usize = 78;

static TABLE: [Multiples<6>; DIGITS] = read(include_bytes!("p384.bin"));

impl Curve<6> for P384 {
    const NAME: &'static str = "P384";
    type Scalar = [u8; 48];
    type Coordinates = [u8; 96];
    type Prime = Prime384;
    type Order = Order384;
    const A_IS_ZERO: bool = false;
    const B: [u64; 6] = [
        0x2a85_c8ed_d3ec_2aef,
        0xc656_398d_8a2e_d19d,
        0x0314_088f_5013_875a,
        0x181d_9c6e_fe81_4112,
        0x988e_056b_e3f8_2d19,
        0xb331_2fa7_e23e_e7e4,
    ];
    const BASE: [[u64; 6]; 2] = [
        [
            0x3a54_5e38_7276_0ab7,
            0x5502_f25d_bf55_296c,
            0x59f7_41e0_8254_2a38,
            0x6e1d_3b62_8ba7_9b98,
            0x8eb1_c71e_f320_ad74,
            0xaa87_ca22_be8b_0537,
        ],
        [
            0x7a43_1d7c_90ea_0e5f,
            0x0a60_b1ce_1d7e_819d,
            0xe9da_3113_b5f0_b8c0,
            0xf8f4_1dbd_289a_147c,
            0x5d9e_98bf_9292_dc29,
            0x3617_de4a_9626_2c6f,
        ],
    ];
    const DIGITS: usize = DIGITS;
    const TABLE: &'static [Multiples<6>] = &TABLE;
}
