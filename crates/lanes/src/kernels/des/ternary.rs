//! The eight S-boxes of DES (FIPS 46-3, appendix 1) as logic with three inputs, for registers that
//! have it.
//!
//! A search program found the circuits from the standard's tables. It tried all functions of three
//! known signals, and all functions of three signals of which one is such a function; otherwise it
//! selected between two halves of the table, output after output in any order. Inputs and outputs
//! are in the standard's order, the most significant first. The tests of `sboxes` compare every
//! circuit with its table.

use crate::bits::Bits;

/// Computes S1 with 27 gates.
#[inline(always)]
pub(crate) fn s1<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a5.ternary::<0x36>(a2, a0);
    let t1 = a5.ternary::<0xe1>(a2, a0);
    let t2 = a4.ternary::<0xca>(t0, t1);
    let t3 = a4.ternary::<0x08>(a0, a1);
    let t4 = t0.ternary::<0x6b>(a5, t3);
    let t5 = a3.ternary::<0xca>(t2, t4);
    let t6 = t1.ternary::<0x94>(a4, a3);
    let t7 = t6.ternary::<0x9d>(a3, a0);
    let t8 = t5.ternary::<0xca>(t6, t7);
    let t9 = a1.ternary::<0xca>(t5, t8);
    let t10 = t6.ternary::<0x5b>(t7, a1);
    let t11 = t1.ternary::<0x6a>(a3, t10);
    let t12 = t1.ternary::<0x89>(t4, t11);
    let t13 = a0.ternary::<0xbc>(a3, a4);
    let t14 = a1.ternary::<0xc6>(t6, t13);
    let t15 = a2.ternary::<0xac>(t12, t14);
    let t16 = t8.ternary::<0x39>(t4, a4);
    let t17 = t13.ternary::<0x87>(t11, t5);
    let t18 = a5.ternary::<0xca>(t16, t17);
    let t19 = t13.ternary::<0x78>(t2, a4);
    let t20 = t15.ternary::<0xa6>(t11, t19);
    let t21 = a1.ternary::<0xca>(t18, t20);
    let t22 = t13.ternary::<0xc1>(t6, t12);
    let t23 = t16.ternary::<0x86>(t20, t22);
    let t24 = t9.ternary::<0xe8>(t19, t11);
    let t25 = a2.ternary::<0x8e>(t18, t24);
    let t26 = a1.ternary::<0xca>(t23, t25);
    [t15, t26, t9, t21]
}

/// Computes S2 with 25 gates.
#[inline(always)]
pub(crate) fn s2<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a5.ternary::<0x6b>(a2, a1);
    let t1 = t0.ternary::<0x1e>(a4, a1);
    let t2 = a3.ternary::<0xca>(t0, t1);
    let t3 = a5.ternary::<0xda>(a4, a2);
    let t4 = t2.ternary::<0x68>(a1, t3);
    let t5 = t1.ternary::<0x85>(a5, t4);
    let t6 = a0.ternary::<0xac>(t2, t5);
    let t7 = a4.ternary::<0xa6>(a1, t6);
    let t8 = a5.ternary::<0xd7>(a1, t5);
    let t9 = a3.ternary::<0x96>(a0, t8);
    let t10 = a0.ternary::<0x67>(t5, a5);
    let t11 = t9.ternary::<0x4b>(t0, t10);
    let t12 = a4.ternary::<0xac>(t9, t11);
    let t13 = t5.ternary::<0x63>(t0, a1);
    let t14 = t3.ternary::<0x92>(a2, a1);
    let t15 = t9.ternary::<0xca>(t13, t14);
    let t16 = t11.ternary::<0xd6>(t15, t2);
    let t17 = a0.ternary::<0x92>(t4, t16);
    let t18 = a4.ternary::<0xca>(t15, t17);
    let t19 = a0.ternary::<0xd8>(a2, t12);
    let t20 = t13.ternary::<0xdb>(t7, t19);
    let t21 = t13.ternary::<0x46>(t7, t4);
    let t22 = t17.ternary::<0x12>(t14, a2);
    let t23 = t16.ternary::<0xca>(t21, t22);
    let t24 = t11.ternary::<0xca>(t20, t23);
    [t7, t12, t24, t18]
}

/// Computes S3 with 25 gates.
#[inline(always)]
pub(crate) fn s3<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a5.ternary::<0x69>(a4, a2);
    let t1 = a5.ternary::<0xcb>(a4, a2);
    let t2 = a1.ternary::<0xca>(t0, t1);
    let t3 = a5.ternary::<0xd6>(a2, t0);
    let t4 = a2.ternary::<0x86>(a1, t3);
    let t5 = a0.ternary::<0xca>(t2, t4);
    let t6 = a1.ternary::<0x01>(a5, t3);
    let t7 = a0.ternary::<0x36>(t2, t6);
    let t8 = a3.ternary::<0xac>(t5, t7);
    let t9 = a4.ternary::<0xa6>(a3, a1);
    let t10 = t3.ternary::<0x96>(t1, t9);
    let t11 = t3.ternary::<0x19>(t0, a1);
    let t12 = t11.ternary::<0xad>(t4, a5);
    let t13 = a3.ternary::<0xca>(t11, t12);
    let t14 = a0.ternary::<0xac>(t10, t13);
    let t15 = a5.ternary::<0x73>(a3, t2);
    let t16 = t10.ternary::<0x96>(a0, t15);
    let t17 = t14.ternary::<0xe7>(a0, a5);
    let t18 = t16.ternary::<0x1b>(t1, t17);
    let t19 = a2.ternary::<0xca>(t16, t18);
    let t20 = t9.ternary::<0x8d>(a4, t19);
    let t21 = t5.ternary::<0xd6>(t16, t20);
    let t22 = a3.ternary::<0x3e>(t21, t1);
    let t23 = t16.ternary::<0x68>(a1, t22);
    let t24 = t4.ternary::<0xac>(t21, t23);
    [t8, t19, t24, t14]
}

/// Computes S4 with 21 gates.
#[inline(always)]
pub(crate) fn s4<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a4.ternary::<0x87>(a3, a1);
    let t1 = a4.ternary::<0x1c>(a3, a1);
    let t2 = a0.ternary::<0xca>(t0, t1);
    let t3 = a0.ternary::<0x3e>(a1, a4);
    let t4 = t2.ternary::<0x6e>(t1, t3);
    let t5 = a2.ternary::<0xac>(t2, t4);
    let t6 = a0.ternary::<0x1d>(a2, a1);
    let t7 = a3.ternary::<0xda>(a1, t6);
    let t8 = a2.ternary::<0xd0>(t1, a1);
    let t9 = t0.ternary::<0x98>(t3, t8);
    let t10 = a4.ternary::<0xca>(t7, t9);
    let t11 = a5.ternary::<0xac>(t5, t10);
    let t12 = t10.ternary::<0x72>(t5, a5);
    let t13 = t9.ternary::<0x94>(t7, a1);
    let t14 = a2.ternary::<0xd6>(a1, a0);
    let t15 = t0.ternary::<0xca>(t13, t14);
    let t16 = t14.ternary::<0x4b>(a4, a3);
    let t17 = t16.ternary::<0x78>(t5, t3);
    let t18 = t4.ternary::<0xa8>(t16, t17);
    let t19 = a5.ternary::<0xca>(t15, t18);
    let t20 = t18.ternary::<0xb1>(t15, a5);
    [t11, t12, t19, t20]
}

/// Computes S5 with 27 gates.
#[inline(always)]
pub(crate) fn s5<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a2.ternary::<0x10>(a0, a4);
    let t1 = a5.ternary::<0xb6>(a3, t0);
    let t2 = a2.ternary::<0x25>(t1, a5);
    let t3 = a3.ternary::<0x9e>(a4, t2);
    let t4 = a0.ternary::<0xac>(t1, t3);
    let t5 = a2.ternary::<0xa6>(a4, t4);
    let t6 = a5.ternary::<0x68>(a0, a2);
    let t7 = a3.ternary::<0x36>(t5, t6);
    let t8 = a1.ternary::<0xac>(t5, t7);
    let t9 = t6.ternary::<0x49>(t8, t1);
    let t10 = t2.ternary::<0x6b>(t5, t9);
    let t11 = t7.ternary::<0x16>(t3, a1);
    let t12 = a3.ternary::<0xca>(t10, t11);
    let t13 = a4.ternary::<0x94>(a2, a1);
    let t14 = t6.ternary::<0xb6>(a4, a1);
    let t15 = a3.ternary::<0xca>(t13, t14);
    let t16 = a0.ternary::<0xac>(t12, t15);
    let t17 = a5.ternary::<0x72>(t12, t5);
    let t18 = t15.ternary::<0xc6>(t4, t17);
    let t19 = a2.ternary::<0x53>(t17, t4);
    let t20 = t11.ternary::<0x7a>(t10, t19);
    let t21 = a1.ternary::<0xca>(t18, t20);
    let t22 = a1.ternary::<0xe2>(t21, a0);
    let t23 = t8.ternary::<0x96>(t16, t22);
    let t24 = a2.ternary::<0x7b>(t17, t9);
    let t25 = t23.ternary::<0xc6>(t21, t24);
    let t26 = a4.ternary::<0xca>(t23, t25);
    [t26, t8, t16, t21]
}

/// Computes S6 with 28 gates.
#[inline(always)]
pub(crate) fn s6<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a5.ternary::<0x69>(a4, a1);
    let t1 = a2.ternary::<0x9a>(a4, t0);
    let t2 = a1.ternary::<0x98>(a4, t1);
    let t3 = a2.ternary::<0xa3>(t1, t2);
    let t4 = a0.ternary::<0xac>(t1, t3);
    let t5 = a5.ternary::<0x18>(a1, a0);
    let t6 = t1.ternary::<0x67>(a1, a0);
    let t7 = t3.ternary::<0xc2>(t5, t6);
    let t8 = a4.ternary::<0x9a>(t1, t7);
    let t9 = a3.ternary::<0xac>(t4, t8);
    let t10 = t2.ternary::<0x69>(a3, a0);
    let t11 = t10.ternary::<0x69>(t7, a2);
    let t12 = t0.ternary::<0xac>(t10, t11);
    let t13 = t4.ternary::<0x95>(a3, a2);
    let t14 = t6.ternary::<0xa4>(a3, a2);
    let t15 = t11.ternary::<0xca>(t13, t14);
    let t16 = a4.ternary::<0xac>(t12, t15);
    let t17 = t2.ternary::<0x95>(t8, t12);
    let t18 = a1.ternary::<0x4e>(t1, t17);
    let t19 = t5.ternary::<0x3e>(a3, a2);
    let t20 = t15.ternary::<0x92>(t6, a3);
    let t21 = t7.ternary::<0xca>(t19, t20);
    let t22 = a5.ternary::<0xac>(t18, t21);
    let t23 = t8.ternary::<0x09>(t22, a0);
    let t24 = t17.ternary::<0x96>(a4, t23);
    let t25 = t9.ternary::<0x36>(t7, a4);
    let t26 = t4.ternary::<0x96>(t12, t25);
    let t27 = t18.ternary::<0xac>(t24, t26);
    [t22, t9, t16, t27]
}

/// Computes S7 with 29 gates.
#[inline(always)]
pub(crate) fn s7<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a5.ternary::<0x9a>(a1, a0);
    let t1 = a5.ternary::<0x76>(a1, a0);
    let t2 = a2.ternary::<0xca>(t0, t1);
    let t3 = a5.ternary::<0x4e>(a2, a1);
    let t4 = a2.ternary::<0x26>(t0, t3);
    let t5 = a3.ternary::<0xca>(t2, t4);
    let t6 = a0.ternary::<0x6b>(t0, a5);
    let t7 = a3.ternary::<0xc6>(t4, t6);
    let t8 = a4.ternary::<0xac>(t5, t7);
    let t9 = a1.ternary::<0xd4>(t7, a4);
    let t10 = a2.ternary::<0x1a>(t4, t9);
    let t11 = a2.ternary::<0x97>(a4, a1);
    let t12 = t9.ternary::<0x6a>(t7, t11);
    let t13 = a0.ternary::<0xca>(t10, t12);
    let t14 = t8.ternary::<0xb3>(t0, a3);
    let t15 = t11.ternary::<0x3a>(t5, t0);
    let t16 = t7.ternary::<0xca>(t14, t15);
    let t17 = a5.ternary::<0xac>(t13, t16);
    let t18 = a3.ternary::<0x25>(t10, a4);
    let t19 = t7.ternary::<0xa6>(a0, t18);
    let t20 = t17.ternary::<0x29>(t15, t7);
    let t21 = t18.ternary::<0x86>(t17, t2);
    let t22 = t5.ternary::<0xca>(t20, t21);
    let t23 = a1.ternary::<0xac>(t19, t22);
    let t24 = a1.ternary::<0xa9>(t18, t7);
    let t25 = t20.ternary::<0x5b>(t10, t24);
    let t26 = t23.ternary::<0xeb>(a0, t21);
    let t27 = t13.ternary::<0x4a>(t25, t26);
    let t28 = a4.ternary::<0xca>(t25, t27);
    [t28, t23, t17, t8]
}

/// Computes S8 with 28 gates.
#[inline(always)]
pub(crate) fn s8<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a4.ternary::<0xa6>(a2, a1);
    let t1 = a4.ternary::<0x2d>(a2, a1);
    let t2 = a0.ternary::<0xca>(t0, t1);
    let t3 = a0.ternary::<0xb6>(t1, a2);
    let t4 = t1.ternary::<0xa6>(t0, t3);
    let t5 = a3.ternary::<0xca>(t2, t4);
    let t6 = t0.ternary::<0x5e>(a4, a3);
    let t7 = a2.ternary::<0x96>(t1, a0);
    let t8 = t5.ternary::<0xd6>(a3, t7);
    let t9 = t3.ternary::<0xac>(t6, t8);
    let t10 = a5.ternary::<0xac>(t5, t9);
    let t11 = a3.ternary::<0x4b>(t0, a1);
    let t12 = a5.ternary::<0x63>(t9, t11);
    let t13 = a2.ternary::<0x3d>(t3, a1);
    let t14 = t12.ternary::<0x78>(a5, t13);
    let t15 = t5.ternary::<0xca>(t12, t14);
    let t16 = t8.ternary::<0x6c>(a4, a5);
    let t17 = t0.ternary::<0xd2>(a3, t16);
    let t18 = t11.ternary::<0x96>(t7, t4);
    let t19 = t18.ternary::<0x47>(t1, t0);
    let t20 = a5.ternary::<0xac>(t18, t19);
    let t21 = a0.ternary::<0xac>(t17, t20);
    let t22 = t5.ternary::<0x7e>(a1, t1);
    let t23 = t8.ternary::<0x96>(a5, t22);
    let t24 = t18.ternary::<0x17>(t5, a2);
    let t25 = t6.ternary::<0xe8>(t1, a2);
    let t26 = t23.ternary::<0xca>(t24, t25);
    let t27 = a0.ternary::<0xac>(t23, t26);
    [t10, t27, t21, t15]
}
