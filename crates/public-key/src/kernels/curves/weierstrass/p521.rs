//! P-521 (SP 800-186, 3.2.1.5).

use super::curve::{Curve, Multiples, read};
use crate::kernels::curves::element::Prime;
use crate::kernels::curves::montgomery::Montgomery;
use crate::kernels::curves::scalar::Odd;

/// The prime of P-521: 2^521 - 1.
#[derive(Clone, Copy)]
pub struct Prime521;

impl Odd<9> for Prime521 {
    const WORDS: [u64; 9] = [
        u64::MAX,
        u64::MAX,
        u64::MAX,
        u64::MAX,
        u64::MAX,
        u64::MAX,
        u64::MAX,
        u64::MAX,
        0x0000_0000_0000_01ff,
    ];
}

impl Prime for Prime521 {
    /// Eleven limbs have 48 bits, and 22 have 24.
    #[inline(always)]
    fn bits(limbs: usize) -> u32 {
        (Prime521::ALL_BITS / limbs) as u32
    }
}

impl Montgomery for Prime521 {
    const ALL_BITS: usize = 528;
    const POWERS: &'static [(i64, usize)] = &[(1, 521), (-1, 0)];
}

/// The order of the base point of P-521.
#[derive(Clone, Copy)]
pub struct Order521;

impl Odd<9> for Order521 {
    const WORDS: [u64; 9] = [
        0xbb6f_b71e_9138_6409,
        0x3bb5_c9b8_899c_47ae,
        0x7fcc_0148_f709_a5d0,
        0x5186_8783_bf2f_966b,
        0xffff_ffff_ffff_fffa,
        u64::MAX,
        u64::MAX,
        u64::MAX,
        0x0000_0000_0000_01ff,
    ];
}

/// P-521.
#[derive(Clone, Copy)]
pub struct P521;

/// Digits of a number.
const DIGITS: usize = 106;

static TABLE: [Multiples<9>; DIGITS] = read(include_bytes!("p521.bin"));

impl Curve<9> for P521 {
    const NAME: &'static str = "P521";
    type Scalar = [u8; 66];
    type Coordinates = [u8; 132];
    type Prime = Prime521;
    type Order = Order521;
    const A_IS_ZERO: bool = false;
    const B: [u64; 9] = [
        0xef45_1fd4_6b50_3f00,
        0x3573_df88_3d2c_34f1,
        0x1652_c0bd_3bb1_bf07,
        0x5619_3951_ec7e_937b,
        0xb8b4_8991_8ef1_09e1,
        0xa2da_725b_99b3_15f3,
        0x929a_21a0_b685_40ee,
        0x953e_b961_8e1c_9a1f,
        0x0000_0000_0000_0051,
    ];
    const BASE: [[u64; 9]; 2] = [
        [
            0xf97e_7e31_c2e5_bd66,
            0x3348_b3c1_856a_429b,
            0xfe1d_c127_a2ff_a8de,
            0xa14b_5e77_efe7_5928,
            0xf828_af60_6b4d_3dba,
            0x9c64_8139_053f_b521,
            0x9e3e_cb66_2395_b442,
            0x858e_06b7_0404_e9cd,
            0x0000_0000_0000_00c6,
        ],
        [
            0x88be_9476_9fd1_6650,
            0x353c_7086_a272_c240,
            0xc550_b901_3fad_0761,
            0x97ee_7299_5ef4_2640,
            0x17af_bd17_273e_662c,
            0x98f5_4449_579b_4468,
            0x5c8a_5fb4_2c7d_1bd9,
            0x3929_6a78_9a3b_c004,
            0x0000_0000_0000_0118,
        ],
    ];
    const DIGITS: usize = DIGITS;
    const TABLE: &'static [Multiples<9>] = &TABLE;
}
