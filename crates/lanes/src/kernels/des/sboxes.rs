//! The eight S-boxes of DES (FIPS 46-3, appendix 1) as logic with two inputs. `ternary` has logic
//! with three.
//!
//! A search program found the circuits from the standard's tables. It tried all functions of two,
//! three and four known signals, and otherwise selected between two halves of the table. Inputs and
//! outputs are in the standard's order, the most significant first. The tests below compare every
//! circuit with its table.

use super::ternary;
use crate::bits::Bits;

/// Returns the output of S-box `BOX` (0 to 7) for six bits.
#[inline(always)]
pub(crate) fn substitute<B: Bits, const BOX: usize>(input: [B; 6]) -> [B; 4] {
    match B::TERNARY {
        true => by_number!(ternary, BOX, input),
        false => by_number!(self, BOX, input),
    }
}

/// S-box `$number` of the circuits in a module.
macro_rules! by_number {
    ($circuits:ident, $number:expr, $input:expr) => {
        match $number {
            0 => $circuits::s1($input),
            1 => $circuits::s2($input),
            2 => $circuits::s3($input),
            3 => $circuits::s4($input),
            4 => $circuits::s5($input),
            5 => $circuits::s6($input),
            6 => $circuits::s7($input),
            7 => $circuits::s8($input),
            _ => unreachable!("DES has eight S-boxes"),
        }
    };
}
use by_number;

/// Computes S1 with 60 gates.
#[inline(always)]
fn s1<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a4.xor(a1);
    let t1 = a3.and(a2);
    let t2 = a3.xor(a0);
    let t3 = t1.or(t2);
    let t4 = t3.and_not(a4);
    let t5 = a2.xor(t4);
    let t6 = t5.xor(t2);
    let t7 = t6.or(t1);
    let t8 = t7.xor(t2);
    let t9 = a1.and_not(t8);
    let t10 = t7.xor(t9);
    let t11 = t1.and_not(t9);
    let t12 = t9.and(a0);
    let t13 = t0.or(t12);
    let t14 = t13.and_not(t6);
    let t15 = t12.xor(t11);
    let t16 = a4.and_not(t6);
    let t17 = a1.or(t16);
    let t18 = t5.xor(t17);
    let t19 = t16.xor(t5);
    let t20 = t18.and_not(t16);
    let t21 = t20.xor(t15);
    let t22 = a3.and(t21);
    let t23 = t15.and_not(a4);
    let t24 = t10.xor(t23);
    let t25 = t15.xor(a3);
    let t26 = a5.and_not(t14);
    let t27 = a5.or(t24);
    let t28 = t18.xor(t27);
    let t29 = t28.xor(t11);
    let t30 = a2.and_not(t29);
    let t31 = t30.or(t23);
    let t32 = t19.xor(t31);
    let t33 = t31.xor(t24);
    let t34 = t0.xor(t30);
    let t35 = a0.and(t32);
    let t36 = t34.xor(t35);
    let t37 = t25.and_not(t32);
    let t38 = t0.and_not(t32);
    let t39 = t38.xor(t22);
    let t40 = a5.and_not(t37);
    let t41 = t36.xor(t40);
    let t42 = a5.and(t39);
    let t43 = t36.and(t28);
    let t44 = t43.xor(t32);
    let t45 = a2.and(t44);
    let t46 = t36.xor(t32);
    let t47 = t46.xor(t26);
    let t48 = t47.and(t2);
    let t49 = t48.xor(t45);
    let t50 = a4.and_not(t28);
    let t51 = t50.and_not(a3);
    let t52 = t49.and_not(a4);
    let t53 = t47.xor(t52);
    let t54 = t33.xor(t52);
    let t55 = t54.xor(t51);
    let t56 = t55.xor(t42);
    [t41.not(), t53.not(), t28.not(), t56]
}

/// Computes S2 with 55 gates.
#[inline(always)]
fn s2<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a3.xor(a0);
    let t1 = a0.and_not(a5);
    let t2 = t0.and_not(t1);
    let t3 = t1.or(a5);
    let t4 = a4.and_not(t1);
    let t5 = a3.and(t4);
    let t6 = t0.and_not(t4);
    let t7 = t4.and(a0);
    let t8 = t4.xor(a2);
    let t9 = a4.xor(a0);
    let t10 = t9.xor(a5);
    let t11 = t10.xor(t5);
    let t12 = t8.xor(t11);
    let t13 = a1.and_not(t6);
    let t14 = t11.xor(t13);
    let t15 = t3.and_not(t11);
    let t16 = t15.xor(t0);
    let t17 = a1.or(t16);
    let t18 = t12.xor(t17);
    let t19 = t2.or(t12);
    let t20 = a1.and_not(t3);
    let t21 = t7.xor(t20);
    let t22 = t3.xor(a2);
    let t23 = a2.or(t21);
    let t24 = t14.xor(t23);
    let t25 = t2.or(t14);
    let t26 = t2.or(t22);
    let t27 = t22.and(t10);
    let t28 = t27.xor(t18);
    let t29 = t15.or(t24);
    let t30 = t19.xor(t29);
    let t31 = t29.and_not(a4);
    let t32 = t22.xor(t31);
    let t33 = t18.and(t25);
    let t34 = t26.xor(t33);
    let t35 = t25.and(a5);
    let t36 = a2.and_not(t35);
    let t37 = t30.xor(t36);
    let t38 = a4.and_not(a2);
    let t39 = a5.and_not(t38);
    let t40 = t37.and_not(a1);
    let t41 = t34.xor(t40);
    let t42 = a1.and_not(a4);
    let t43 = t39.xor(t42);
    let t44 = a4.and_not(t24);
    let t45 = t24.and_not(t43);
    let t46 = t18.xor(t45);
    let t47 = t44.and_not(a0);
    let t48 = t28.xor(t47);
    let t49 = t48.and_not(a1);
    let t50 = t32.xor(t49);
    [t24.not(), t46.not(), t41.not(), t50.not()]
}

/// Computes S3 with 55 gates.
#[inline(always)]
fn s3<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a3.xor(a2);
    let t1 = a2.xor(a1);
    let t2 = a1.and_not(t1);
    let t3 = t1.xor(a5);
    let t4 = t3.and(a1);
    let t5 = t4.xor(t0);
    let t6 = a5.and_not(t2);
    let t7 = a3.or(t6);
    let t8 = a0.xor(t7);
    let t9 = t0.and_not(a4);
    let t10 = t9.xor(a2);
    let t11 = t3.xor(t9);
    let t12 = a4.or(t5);
    let t13 = t8.xor(t12);
    let t14 = a0.and(t13);
    let t15 = t11.xor(t14);
    let t16 = t10.xor(t3);
    let t17 = t10.or(t3);
    let t18 = t3.and_not(t15);
    let t19 = t18.xor(a1);
    let t20 = t19.and_not(t5);
    let t21 = t19.and_not(t2);
    let t22 = a3.or(t21);
    let t23 = a1.or(t17);
    let t24 = a1.and_not(a4);
    let t25 = t6.xor(a4);
    let t26 = t25.xor(t20);
    let t27 = t26.xor(t22);
    let t28 = t20.and_not(a2);
    let t29 = t28.or(t25);
    let t30 = t28.xor(t23);
    let t31 = t8.and(t30);
    let t32 = t27.xor(t31);
    let t33 = t32.and(t15);
    let t34 = t32.and(t4);
    let t35 = a0.or(t34);
    let t36 = t16.xor(t35);
    let t37 = t27.and_not(t33);
    let t38 = t37.xor(t6);
    let t39 = a2.and_not(t38);
    let t40 = t33.xor(t24);
    let t41 = t13.and_not(t33);
    let t42 = t17.and_not(t41);
    let t43 = t42.xor(t39);
    let t44 = a0.or(t43);
    let t45 = a5.and_not(t40);
    let t46 = t29.or(a0);
    let t47 = t46.and(t45);
    let t48 = t29.and_not(a3);
    let t49 = a3.and_not(t47);
    let t50 = t36.xor(t49);
    let t51 = t40.xor(t48);
    let t52 = t51.xor(t44);
    [t32.not(), t50, t52.not(), t15]
}

/// Computes S4 with 41 gates.
#[inline(always)]
fn s4<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a2.and(a1);
    let t1 = a2.xor(a0);
    let t2 = a0.and_not(t1);
    let t3 = t2.xor(a3);
    let t4 = t3.and(a3);
    let t5 = t3.xor(a1);
    let t6 = t3.and_not(a4);
    let t7 = t1.xor(t6);
    let t8 = t7.xor(a4);
    let t9 = t8.or(a0);
    let t10 = t9.or(a3);
    let t11 = t9.xor(t4);
    let t12 = a1.and(t11);
    let t13 = t7.xor(t12);
    let t14 = t10.and(t13);
    let t15 = t13.or(t8);
    let t16 = t14.and_not(a0);
    let t17 = t5.xor(t15);
    let t18 = t14.xor(t11);
    let t19 = t11.and_not(t16);
    let t20 = t19.and_not(a4);
    let t21 = t17.xor(a4);
    let t22 = t21.xor(t0);
    let t23 = t17.xor(t16);
    let t24 = t5.and(t1);
    let t25 = t24.xor(t18);
    let t26 = t25.xor(t20);
    let t27 = t1.and_not(t13);
    let t28 = t26.or(t27);
    let t29 = t22.xor(t28);
    let t30 = a5.and(t23);
    let t31 = t13.xor(t30);
    let t32 = t23.or(a5);
    let t33 = t32.xor(t13);
    let t34 = a5.and_not(t29);
    let t35 = t29.xor(a5);
    let t36 = t26.xor(t34);
    let t37 = t35.xor(t36);
    [t36, t37.not(), t33.not(), t31.not()]
}

/// Computes S5 with 58 gates.
#[inline(always)]
fn s5<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a0.and_not(a1);
    let t1 = a2.xor(a0);
    let t2 = a2.xor(a1);
    let t3 = a2.or(a0);
    let t4 = a1.and_not(a3);
    let t5 = t2.xor(a3);
    let t6 = t5.and_not(t3);
    let t7 = t5.xor(a5);
    let t8 = a5.and_not(a3);
    let t9 = t8.xor(t2);
    let t10 = t6.and_not(a5);
    let t11 = t4.xor(t9);
    let t12 = t11.and_not(t0);
    let t13 = t12.xor(t10);
    let t14 = t13.xor(t3);
    let t15 = t1.and(t11);
    let t16 = t4.or(a5);
    let t17 = t16.and_not(a2);
    let t18 = t15.xor(t17);
    let t19 = a5.xor(t17);
    let t20 = t1.and_not(a5);
    let t21 = a0.or(t19);
    let t22 = t14.xor(t20);
    let t23 = t21.and_not(t7);
    let t24 = t9.xor(t21);
    let t25 = t23.xor(t1);
    let t26 = t9.or(a3);
    let t27 = t26.xor(a2);
    let t28 = t27.xor(t6);
    let t29 = t28.xor(t20);
    let t30 = t13.and(t4);
    let t31 = t7.xor(t30);
    let t32 = t27.xor(t4);
    let t33 = t32.and(t1);
    let t34 = a0.and_not(t27);
    let t35 = t31.xor(t34);
    let t36 = a4.or(t13);
    let t37 = t24.xor(t36);
    let t38 = t35.xor(t37);
    let t39 = a4.and_not(t18);
    let t40 = t29.xor(t39);
    let t41 = a1.and(t40);
    let t42 = a4.and(t22);
    let t43 = t25.xor(t42);
    let t44 = t43.xor(t41);
    let t45 = t43.and_not(a1);
    let t46 = a4.or(t33);
    let t47 = t35.xor(t46);
    let t48 = a0.or(t44);
    let t49 = t38.xor(a0);
    let t50 = t49.and(a3);
    let t51 = a2.and_not(t50);
    let t52 = t38.xor(t51);
    let t53 = t45.xor(t51);
    let t54 = t53.xor(t48);
    let t55 = a4.and(t54);
    let t56 = t52.xor(t55);
    [t56, t47, t37.not(), t44]
}

/// Computes S6 with 57 gates.
#[inline(always)]
fn s6<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a5.and_not(a1);
    let t1 = a0.and_not(t0);
    let t2 = a4.xor(t1);
    let t3 = t2.xor(a5);
    let t4 = a0.and_not(t3);
    let t5 = a1.xor(t4);
    let t6 = a2.and_not(t5);
    let t7 = t2.xor(t6);
    let t8 = t5.or(t2);
    let t9 = a0.and_not(t4);
    let t10 = a5.and_not(t9);
    let t11 = t3.and_not(a2);
    let t12 = t7.and_not(t11);
    let t13 = t6.or(a4);
    let t14 = t13.and_not(t3);
    let t15 = a1.and_not(t12);
    let t16 = t14.xor(a0);
    let t17 = t8.and_not(t15);
    let t18 = t14.xor(t15);
    let t19 = t16.xor(a2);
    let t20 = t5.and(t19);
    let t21 = t10.xor(t20);
    let t22 = t5.and(a4);
    let t23 = a1.and_not(t6);
    let t24 = t6.or(a5);
    let t25 = t24.xor(t19);
    let t26 = t19.and(t7);
    let t27 = t26.or(t4);
    let t28 = a3.and_not(t2);
    let t29 = a3.and_not(t22);
    let t30 = a3.or(t23);
    let t31 = t25.xor(t30);
    let t32 = t21.xor(t29);
    let t33 = a5.and_not(t21);
    let t34 = t33.xor(t18);
    let t35 = a3.and(t18);
    let t36 = t32.and(a5);
    let t37 = t7.xor(t35);
    let t38 = t17.and_not(t37);
    let t39 = t32.xor(t38);
    let t40 = t39.and(a1);
    let t41 = t40.xor(t7);
    let t42 = a3.and_not(t36);
    let t43 = a3.and_not(t41);
    let t44 = t27.xor(t43);
    let t45 = t34.xor(t42);
    let t46 = t42.or(a4);
    let t47 = a4.and_not(t44);
    let t48 = t31.xor(t47);
    let t49 = t45.and(t48);
    let t50 = t28.xor(t49);
    let t51 = a5.and(t50);
    let t52 = t46.xor(t51);
    let t53 = a2.or(t52);
    let t54 = t45.xor(t53);
    [t54.not(), t48.not(), t39, t37]
}

/// Computes S7 with 53 gates.
#[inline(always)]
fn s7<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a5.and(a2);
    let t1 = a2.xor(a1);
    let t2 = t1.xor(a5);
    let t3 = a2.and(a1);
    let t4 = t3.xor(a4);
    let t5 = t1.and(a3);
    let t6 = a3.or(a1);
    let t7 = t4.xor(t6);
    let t8 = a4.and_not(t5);
    let t9 = t4.and(t5);
    let t10 = a1.xor(t9);
    let t11 = a5.and(t10);
    let t12 = t7.xor(t11);
    let t13 = a3.and_not(t12);
    let t14 = t13.or(t0);
    let t15 = t10.and(t14);
    let t16 = t13.or(t2);
    let t17 = t2.xor(a3);
    let t18 = t17.xor(t15);
    let t19 = t18.xor(t13);
    let t20 = t8.xor(t19);
    let t21 = t19.or(t17);
    let t22 = t21.xor(t4);
    let t23 = a0.and_not(t0);
    let t24 = a0.and_not(t18);
    let t25 = t12.xor(t24);
    let t26 = t25.or(a0);
    let t27 = t18.and_not(a0);
    let t28 = t26.xor(a4);
    let t29 = a3.and_not(t28);
    let t30 = t23.xor(t29);
    let t31 = a5.and(t30);
    let t32 = t20.xor(t17);
    let t33 = t31.or(t17);
    let t34 = t33.xor(t16);
    let t35 = t17.xor(t7);
    let t36 = t35.or(a4);
    let t37 = t34.and_not(a2);
    let t38 = a0.and(t36);
    let t39 = t20.xor(t38);
    let t40 = t39.xor(t7);
    let t41 = t27.xor(t40);
    let t42 = t41.xor(t20);
    let t43 = a2.and_not(t41);
    let t44 = t42.xor(t31);
    let t45 = t32.xor(t43);
    let t46 = a5.and_not(t45);
    let t47 = t39.xor(t46);
    let t48 = t44.and(t11);
    let t49 = a0.and_not(t48);
    let t50 = t22.xor(t49);
    let t51 = t50.xor(t37);
    [t44, t25.not(), t47, t51]
}

/// Computes S8 with 55 gates.
#[inline(always)]
fn s8<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a2.xor(a0);
    let t1 = t0.and(a0);
    let t2 = t1.or(a1);
    let t3 = a2.and_not(t2);
    let t4 = a4.xor(a1);
    let t5 = t2.and_not(a4);
    let t6 = t4.xor(t5);
    let t7 = t3.xor(t6);
    let t8 = t0.xor(t5);
    let t9 = t5.and_not(a0);
    let t10 = t4.xor(t9);
    let t11 = t4.xor(t2);
    let t12 = t0.and_not(t11);
    let t13 = a2.and(t4);
    let t14 = a3.or(t12);
    let t15 = t9.or(a3);
    let t16 = t7.xor(t14);
    let t17 = a3.or(t10);
    let t18 = t8.xor(t17);
    let t19 = t2.and_not(a5);
    let t20 = a5.or(a2);
    let t21 = t11.xor(a5);
    let t22 = t20.and(a4);
    let t23 = a3.and(t19);
    let t24 = t22.xor(t23);
    let t25 = a0.and_not(t24);
    let t26 = t19.and_not(t14);
    let t27 = a4.or(t26);
    let t28 = t27.xor(t14);
    let t29 = t16.and_not(t15);
    let t30 = t15.xor(t21);
    let t31 = t30.xor(t13);
    let t32 = t31.xor(t25);
    let t33 = t21.and_not(t29);
    let t34 = t21.or(a0);
    let t35 = t34.xor(t31);
    let t36 = t33.and_not(a0);
    let t37 = a5.and(t16);
    let t38 = a5.and_not(t16);
    let t39 = t38.or(a0);
    let t40 = a1.and_not(t39);
    let t41 = t35.xor(t40);
    let t42 = t18.xor(t37);
    let t43 = t42.xor(t16);
    let t44 = t28.or(t43);
    let t45 = a0.and(t44);
    let t46 = t40.xor(t45);
    let t47 = t43.xor(t25);
    let t48 = t18.or(t46);
    let t49 = t41.xor(t48);
    let t50 = t47.xor(t27);
    let t51 = t50.xor(t36);
    [t51.not(), t32.not(), t49, t42.not()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables of the standard: four rows of sixteen each.
    const TABLES: [[u8; 64]; 8] = [
        [
            14, 4, 13, 1, 2, 15, 11, 8, 3, 10, 6, 12, 5, 9, 0, 7, 0, 15, 7, 4, 14, 2, 13, 1, 10, 6,
            12, 11, 9, 5, 3, 8, 4, 1, 14, 8, 13, 6, 2, 11, 15, 12, 9, 7, 3, 10, 5, 0, 15, 12, 8, 2,
            4, 9, 1, 7, 5, 11, 3, 14, 10, 0, 6, 13,
        ],
        [
            15, 1, 8, 14, 6, 11, 3, 4, 9, 7, 2, 13, 12, 0, 5, 10, 3, 13, 4, 7, 15, 2, 8, 14, 12, 0,
            1, 10, 6, 9, 11, 5, 0, 14, 7, 11, 10, 4, 13, 1, 5, 8, 12, 6, 9, 3, 2, 15, 13, 8, 10, 1,
            3, 15, 4, 2, 11, 6, 7, 12, 0, 5, 14, 9,
        ],
        [
            10, 0, 9, 14, 6, 3, 15, 5, 1, 13, 12, 7, 11, 4, 2, 8, 13, 7, 0, 9, 3, 4, 6, 10, 2, 8,
            5, 14, 12, 11, 15, 1, 13, 6, 4, 9, 8, 15, 3, 0, 11, 1, 2, 12, 5, 10, 14, 7, 1, 10, 13,
            0, 6, 9, 8, 7, 4, 15, 14, 3, 11, 5, 2, 12,
        ],
        [
            7, 13, 14, 3, 0, 6, 9, 10, 1, 2, 8, 5, 11, 12, 4, 15, 13, 8, 11, 5, 6, 15, 0, 3, 4, 7,
            2, 12, 1, 10, 14, 9, 10, 6, 9, 0, 12, 11, 7, 13, 15, 1, 3, 14, 5, 2, 8, 4, 3, 15, 0, 6,
            10, 1, 13, 8, 9, 4, 5, 11, 12, 7, 2, 14,
        ],
        [
            2, 12, 4, 1, 7, 10, 11, 6, 8, 5, 3, 15, 13, 0, 14, 9, 14, 11, 2, 12, 4, 7, 13, 1, 5, 0,
            15, 10, 3, 9, 8, 6, 4, 2, 1, 11, 10, 13, 7, 8, 15, 9, 12, 5, 6, 3, 0, 14, 11, 8, 12, 7,
            1, 14, 2, 13, 6, 15, 0, 9, 10, 4, 5, 3,
        ],
        [
            12, 1, 10, 15, 9, 2, 6, 8, 0, 13, 3, 4, 14, 7, 5, 11, 10, 15, 4, 2, 7, 12, 9, 5, 6, 1,
            13, 14, 0, 11, 3, 8, 9, 14, 15, 5, 2, 8, 12, 3, 7, 0, 4, 10, 1, 13, 11, 6, 4, 3, 2, 12,
            9, 5, 15, 10, 11, 14, 1, 7, 6, 0, 8, 13,
        ],
        [
            4, 11, 2, 14, 15, 0, 8, 13, 3, 12, 9, 7, 5, 10, 6, 1, 13, 0, 11, 7, 4, 9, 1, 10, 14, 3,
            5, 12, 2, 15, 8, 6, 1, 4, 11, 13, 12, 3, 7, 14, 10, 15, 6, 8, 0, 5, 9, 2, 6, 11, 13, 8,
            1, 4, 10, 7, 9, 5, 0, 15, 14, 2, 3, 12,
        ],
        [
            13, 2, 8, 4, 6, 15, 11, 1, 10, 9, 3, 14, 5, 0, 12, 7, 1, 15, 13, 8, 10, 3, 7, 4, 12, 5,
            6, 11, 0, 14, 9, 2, 7, 11, 4, 1, 9, 12, 14, 2, 0, 6, 10, 13, 15, 3, 5, 8, 2, 1, 14, 7,
            4, 10, 8, 13, 15, 12, 9, 0, 3, 5, 6, 11,
        ],
    ];

    /// Checks all 64 inputs at once, one in each lane.
    fn check<const BOX: usize>() {
        let input = core::array::from_fn(|bit| {
            (0..64u64).fold(0, |lanes, lane| lanes | (lane >> (5 - bit) & 1) << lane)
        });
        for output in [substitute::<u64, BOX>(input), by_number!(ternary, BOX, input)] {
            for lane in 0..64 {
                let [row, column] = [lane >> 5 << 1 | lane & 1, lane >> 1 & 15];
                let value = output.iter().fold(0, |value, bit| value << 1 | bit >> lane & 1);
                assert_eq!(
                    value,
                    u64::from(TABLES[BOX][16 * row + column]),
                    "S{} of {lane}",
                    BOX + 1
                );
            }
        }
    }

    #[test]
    fn the_circuits_are_the_tables_of_the_standard() {
        check::<0>();
        check::<1>();
        check::<2>();
        check::<3>();
        check::<4>();
        check::<5>();
        check::<6>();
        check::<7>();
    }
}
