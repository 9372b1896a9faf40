//! The eight S-boxes of DES (FIPS 46-3, appendix 1) as logic.
//!
//! The circuits are ours: a program searched for them, starting at the standard's tables, by trying all
//! functions of two, three and four known signals and else selecting between two halves of the table.
//! Inputs and outputs are in the standard's order, the most significant first; the tests below hold
//! every circuit against its table.

use crate::bits::Bits;

/// What S-box `BOX` (0 to 7) gives for six bits.
#[inline(always)]
pub(super) fn substitute<B: Bits, const BOX: usize>(input: [B; 6]) -> [B; 4] {
    match BOX {
        0 => s1(input),
        1 => s2(input),
        2 => s3(input),
        3 => s4(input),
        4 => s5(input),
        5 => s6(input),
        6 => s7(input),
        7 => s8(input),
        _ => unreachable!("DES has eight S-boxes"),
    }
}

/// S1: 63 gates.
#[inline(always)]
fn s1<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a0.and_not(a3);
    let t1 = a1.or(a0);
    let t2 = a1.xor(a0);
    let t3 = a3.and_not(a4);
    let t4 = a4.xor(a0);
    let t5 = t4.and(t1);
    let t6 = a4.and(a2);
    let t7 = t2.xor(t6);
    let t8 = t7.and(a0);
    let t9 = a2.and(t8);
    let t10 = t5.xor(t9);
    let t11 = t10.xor(t4);
    let t12 = t0.or(t11);
    let t13 = t10.xor(t7);
    let t14 = a3.or(t10);
    let t15 = a3.xor(a2);
    let t16 = t7.xor(t14);
    let t17 = t14.or(t6);
    let t18 = a1.and_not(t6);
    let t19 = t17.xor(t12);
    let t20 = t15.xor(t13);
    let t21 = t20.and_not(t19);
    let t22 = t21.and_not(a4);
    let t23 = t3.xor(t22);
    let t24 = a1.and(t20);
    let t25 = t12.xor(t24);
    let t26 = t16.xor(a1);
    let t27 = t26.xor(t15);
    let t28 = t15.or(a0);
    let t29 = t28.and_not(a5);
    let t30 = a5.and(t25);
    let t31 = t16.xor(t30);
    let t32 = t31.or(t0);
    let t33 = t27.xor(t31);
    let t34 = a0.or(t33);
    let t35 = t32.xor(t5);
    let t36 = t35.xor(t22);
    let t37 = t34.and_not(t16);
    let t38 = t37.xor(t32);
    let t39 = t32.xor(t18);
    let t40 = t39.xor(t21);
    let t41 = a5.and(t38);
    let t42 = t23.xor(t41);
    let t43 = a2.and(t42);
    let t44 = t26.or(t39);
    let t45 = t44.xor(a2);
    let t46 = t45.xor(t29);
    let t47 = t39.or(t36);
    let t48 = t27.xor(t47);
    let t49 = a5.or(t48);
    let t50 = t40.xor(t49);
    let t51 = t49.and_not(a2);
    let t52 = t51.xor(t25);
    let t53 = t52.xor(t34);
    let t54 = t36.and_not(t53);
    let t55 = t13.or(t53);
    let t56 = t46.xor(t55);
    let t57 = t56.xor(t13);
    let t58 = t54.xor(t57);
    let t59 = t58.xor(t43);
    [t56.not(), t50.not(), t59.not(), t31]
}

/// S2: 56 gates.
#[inline(always)]
fn s2<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a5.xor(a4);
    let t1 = a4.and_not(t0);
    let t2 = a4.xor(a1);
    let t3 = t0.xor(a0);
    let t4 = a0.and_not(t2);
    let t5 = t1.and(a0);
    let t6 = a0.and_not(t1);
    let t7 = a1.and_not(t6);
    let t8 = t7.and_not(a5);
    let t9 = t3.xor(t7);
    let t10 = t5.xor(t8);
    let t11 = a4.and_not(t6);
    let t12 = t11.or(a1);
    let t13 = t4.xor(a4);
    let t14 = a2.or(t10);
    let t15 = t9.xor(t14);
    let t16 = t14.and_not(t6);
    let t17 = a5.and_not(t3);
    let t18 = t2.or(t15);
    let t19 = t18.xor(t17);
    let t20 = t19.and_not(a2);
    let t21 = t20.xor(t2);
    let t22 = t12.and_not(t4);
    let t23 = a3.and(t12);
    let t24 = t15.xor(t23);
    let t25 = t24.or(t8);
    let t26 = t25.xor(t4);
    let t27 = a5.or(a3);
    let t28 = t27.or(t4);
    let t29 = t28.and_not(t3);
    let t30 = t22.and(t3);
    let t31 = a3.and_not(t30);
    let t32 = t26.xor(t31);
    let t33 = t32.xor(t20);
    let t34 = t32.or(t1);
    let t35 = t20.xor(t22);
    let t36 = t16.xor(t35);
    let t37 = a5.and_not(t36);
    let t38 = t13.xor(t37);
    let t39 = t34.xor(t21);
    let t40 = t36.and(t39);
    let t41 = t24.and_not(t38);
    let t42 = t40.xor(t29);
    let t43 = t24.or(t42);
    let t44 = t41.and_not(t19);
    let t45 = t39.xor(t41);
    let t46 = t45.or(t31);
    let t47 = t44.xor(t46);
    let t48 = t46.xor(t39);
    let t49 = a1.and_not(t47);
    let t50 = t48.xor(t49);
    let t51 = t50.xor(t43);
    [t24.not(), t45.not(), t51.not(), t33.not()]
}

/// S3: 56 gates.
#[inline(always)]
fn s3<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a4.and(a3);
    let t1 = a5.or(t0);
    let t2 = t1.xor(a0);
    let t3 = a3.and_not(a5);
    let t4 = a5.xor(a2);
    let t5 = a4.xor(a2);
    let t6 = t5.xor(t3);
    let t7 = t6.xor(a3);
    let t8 = t7.or(t4);
    let t9 = t7.or(a4);
    let t10 = t9.xor(t1);
    let t11 = a1.and(t8);
    let t12 = t6.xor(t11);
    let t13 = a1.and_not(t8);
    let t14 = t10.xor(t13);
    let t15 = a0.or(t14);
    let t16 = t12.xor(t15);
    let t17 = t7.or(a1);
    let t18 = t17.xor(t2);
    let t19 = t17.and_not(t6);
    let t20 = t17.xor(a0);
    let t21 = t16.and_not(a0);
    let t22 = t18.and_not(a3);
    let t23 = a0.and_not(t22);
    let t24 = t21.and(t18);
    let t25 = t24.xor(t7);
    let t26 = t20.xor(t21);
    let t27 = a1.and_not(t21);
    let t28 = a4.and(t25);
    let t29 = t14.and_not(t27);
    let t30 = t27.xor(t28);
    let t31 = t30.and_not(a2);
    let t32 = a2.and_not(a1);
    let t33 = t32.xor(t19);
    let t34 = t33.xor(t23);
    let t35 = a1.and_not(t23);
    let t36 = a1.and_not(a4);
    let t37 = t18.xor(t36);
    let t38 = t37.xor(t31);
    let t39 = t38.and_not(t32);
    let t40 = t35.xor(t26);
    let t41 = t34.xor(t12);
    let t42 = t20.and(t41);
    let t43 = a4.and(t42);
    let t44 = t34.xor(t43);
    let t45 = a4.and(t40);
    let t46 = t41.and_not(t26);
    let t47 = t46.xor(t45);
    let t48 = t29.xor(t34);
    let t49 = a4.and_not(t48);
    let t50 = t39.or(t41);
    let t51 = t50.xor(t49);
    let t52 = a3.and(t47);
    let t53 = t51.xor(t52);
    [t44.not(), t38, t53.not(), t16]
}

/// S4: 43 gates.
#[inline(always)]
fn s4<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a2.xor(a0);
    let t1 = t0.or(a0);
    let t2 = a1.and(a0);
    let t3 = t0.xor(a1);
    let t4 = a3.xor(a2);
    let t5 = t1.xor(a3);
    let t6 = t5.or(t2);
    let t7 = a4.and(t6);
    let t8 = t4.and(t1);
    let t9 = t5.xor(a4);
    let t10 = t5.or(a4);
    let t11 = t10.and_not(t4);
    let t12 = t11.xor(t1);
    let t13 = t3.xor(t10);
    let t14 = t9.xor(t0);
    let t15 = t14.xor(t8);
    let t16 = a1.and_not(t8);
    let t17 = t0.xor(t16);
    let t18 = t7.and(t17);
    let t19 = t17.xor(t7);
    let t20 = t19.and(t12);
    let t21 = t13.xor(t20);
    let t22 = t21.and(t15);
    let t23 = a1.and_not(t11);
    let t24 = t23.or(t18);
    let t25 = a2.and(t24);
    let t26 = t11.and_not(t19);
    let t27 = t9.xor(t26);
    let t28 = t27.xor(t25);
    let t29 = t28.and(a1);
    let t30 = t3.and_not(t29);
    let t31 = t30.xor(t22);
    let t32 = t21.or(a5);
    let t33 = t32.xor(t19);
    let t34 = a5.and(t21);
    let t35 = t19.xor(t34);
    let t36 = a5.and(t31);
    let t37 = t28.xor(t36);
    let t38 = t31.or(a5);
    let t39 = t38.xor(t28);
    [t33, t35.not(), t39.not(), t37.not()]
}

/// S5: 60 gates.
#[inline(always)]
fn s5<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a0.and_not(a2);
    let t1 = a2.and_not(a0);
    let t2 = a4.or(t0);
    let t3 = t2.xor(a0);
    let t4 = t3.or(t1);
    let t5 = a5.and(a4);
    let t6 = t0.xor(a5);
    let t7 = a5.xor(a1);
    let t8 = t7.xor(t1);
    let t9 = t7.and_not(t0);
    let t10 = t8.xor(t2);
    let t11 = t10.and_not(t7);
    let t12 = t6.and_not(t8);
    let t13 = t12.or(a0);
    let t14 = t6.and(a0);
    let t15 = t13.xor(t8);
    let t16 = t5.xor(t15);
    let t17 = a4.and_not(t15);
    let t18 = a2.and_not(t16);
    let t19 = t16.and_not(a3);
    let t20 = a3.and_not(t17);
    let t21 = t4.xor(t19);
    let t22 = t19.or(t13);
    let t23 = t22.and_not(t11);
    let t24 = t9.xor(t21);
    let t25 = a4.or(t23);
    let t26 = t21.and_not(a1);
    let t27 = t6.and(a4);
    let t28 = t27.xor(t13);
    let t29 = a1.and_not(t28);
    let t30 = t12.and_not(a4);
    let t31 = t30.xor(t6);
    let t32 = t14.xor(t30);
    let t33 = t32.xor(t29);
    let t34 = t27.xor(t14);
    let t35 = t33.and_not(t27);
    let t36 = t31.xor(t35);
    let t37 = t12.and_not(t33);
    let t38 = t36.xor(t20);
    let t39 = t36.xor(a3);
    let t40 = t39.xor(t18);
    let t41 = t38.xor(t26);
    let t42 = t38.and_not(t24);
    let t43 = t40.xor(t42);
    let t44 = t43.xor(t25);
    let t45 = t37.or(t44);
    let t46 = t43.and_not(t26);
    let t47 = t37.xor(t26);
    let t48 = t46.xor(t33);
    let t49 = a2.and_not(t48);
    let t50 = t45.and_not(a4);
    let t51 = t47.xor(t50);
    let t52 = t33.or(a4);
    let t53 = t34.xor(t52);
    let t54 = t53.xor(t49);
    let t55 = t51.and_not(a3);
    let t56 = t54.xor(t55);
    let t57 = a3.or(t33);
    let t58 = t10.xor(t57);
    [t44, t58, t41.not(), t56]
}

/// S6: 60 gates.
#[inline(always)]
fn s6<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a3.and(a1);
    let t1 = a2.xor(a1);
    let t2 = a4.xor(a0);
    let t3 = a0.and_not(t2);
    let t4 = t3.xor(a1);
    let t5 = a2.and_not(t4);
    let t6 = t2.xor(t5);
    let t7 = t0.xor(t5);
    let t8 = t6.and(a2);
    let t9 = t8.xor(t4);
    let t10 = a3.and(t9);
    let t11 = t6.xor(t10);
    let t12 = t11.and_not(t6);
    let t13 = t9.xor(a4);
    let t14 = t12.xor(t13);
    let t15 = t13.and_not(a3);
    let t16 = a5.and_not(t10);
    let t17 = t1.xor(t16);
    let t18 = a0.or(t14);
    let t19 = t15.xor(t18);
    let t20 = a5.and(t19);
    let t21 = t11.xor(t20);
    let t22 = t7.and_not(a5);
    let t23 = a3.xor(t22);
    let t24 = a4.or(t23);
    let t25 = t23.or(t17);
    let t26 = t24.and_not(a3);
    let t27 = t17.xor(t24);
    let t28 = t26.xor(t9);
    let t29 = t18.and_not(t26);
    let t30 = t27.or(t22);
    let t31 = t29.and_not(t30);
    let t32 = a1.and(t31);
    let t33 = t25.and_not(a1);
    let t34 = t27.or(t19);
    let t35 = t34.xor(t6);
    let t36 = t25.xor(t34);
    let t37 = a2.and(t36);
    let t38 = t19.xor(t37);
    let t39 = a0.or(t38);
    let t40 = t27.xor(t39);
    let t41 = t40.xor(t14);
    let t42 = t35.and_not(a4);
    let t43 = t19.xor(a5);
    let t44 = t43.xor(t33);
    let t45 = a4.and(t44);
    let t46 = t45.xor(t13);
    let t47 = t41.xor(t45);
    let t48 = a5.and_not(t42);
    let t49 = t46.xor(t7);
    let t50 = t28.xor(t48);
    let t51 = t50.xor(t32);
    let t52 = t50.xor(t8);
    let t53 = t52.or(t7);
    let t54 = a5.and(t53);
    let t55 = t49.xor(t54);
    let t56 = a0.and_not(t55);
    let t57 = t47.xor(t56);
    [t51.not(), t40.not(), t57, t21]
}

/// S7: 56 gates.
#[inline(always)]
fn s7<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a3.xor(a0);
    let t1 = t0.xor(a4);
    let t2 = a3.and_not(a4);
    let t3 = t2.xor(a1);
    let t4 = a3.and_not(t3);
    let t5 = a2.xor(a1);
    let t6 = t5.or(t3);
    let t7 = a2.or(t3);
    let t8 = t7.and_not(a4);
    let t9 = a3.and(t6);
    let t10 = t1.xor(t7);
    let t11 = t10.xor(a2);
    let t12 = a0.and(t11);
    let t13 = t12.or(t2);
    let t14 = t13.and_not(a1);
    let t15 = t2.xor(t12);
    let t16 = t15.xor(t7);
    let t17 = t15.xor(t14);
    let t18 = t17.xor(a3);
    let t19 = t18.xor(t8);
    let t20 = t19.xor(t11);
    let t21 = t4.xor(t20);
    let t22 = t19.and_not(t12);
    let t23 = t21.xor(a1);
    let t24 = t23.and(t16);
    let t25 = t22.xor(t24);
    let t26 = t24.and_not(a5);
    let t27 = t21.xor(t26);
    let t28 = t27.and_not(a0);
    let t29 = a5.and_not(t16);
    let t30 = t19.xor(t29);
    let t31 = t30.xor(t28);
    let t32 = t31.xor(t1);
    let t33 = a5.and_not(t17);
    let t34 = t10.xor(t33);
    let t35 = t33.and_not(a0);
    let t36 = t35.or(t0);
    let t37 = a4.or(a2);
    let t38 = t37.xor(t14);
    let t39 = a4.and_not(t38);
    let t40 = a5.and(t38);
    let t41 = t25.xor(t40);
    let t42 = a0.and_not(t41);
    let t43 = t25.xor(a5);
    let t44 = t43.xor(t42);
    let t45 = a2.or(t44);
    let t46 = t42.or(t10);
    let t47 = t36.xor(t45);
    let t48 = t10.or(t47);
    let t49 = t41.xor(t48);
    let t50 = t32.xor(t49);
    let t51 = t50.xor(t9);
    let t52 = t39.xor(t46);
    let t53 = a5.and_not(t52);
    let t54 = t51.xor(t53);
    [t31, t54.not(), t49, t34]
}

/// S8: 56 gates.
#[inline(always)]
fn s8<B: Bits>([a0, a1, a2, a3, a4, a5]: [B; 6]) -> [B; 4] {
    let t0 = a2.xor(a1);
    let t1 = a3.xor(a2);
    let t2 = a4.and(t1);
    let t3 = a3.and_not(a0);
    let t4 = a0.and_not(t0);
    let t5 = a2.or(t4);
    let t6 = t3.xor(t5);
    let t7 = t5.xor(a4);
    let t8 = a0.and_not(a3);
    let t9 = t8.xor(t2);
    let t10 = a1.or(t9);
    let t11 = t7.and_not(a1);
    let t12 = t7.or(a1);
    let t13 = t12.and_not(t8);
    let t14 = t0.xor(t8);
    let t15 = t7.xor(t0);
    let t16 = t7.xor(t13);
    let t17 = t13.and(a4);
    let t18 = t16.and_not(a3);
    let t19 = t17.xor(t6);
    let t20 = t19.xor(t10);
    let t21 = a4.and_not(t6);
    let t22 = t14.xor(t21);
    let t23 = a0.and_not(t21);
    let t24 = t23.xor(t18);
    let t25 = a5.and(t24);
    let t26 = t25.or(a4);
    let t27 = t22.xor(t25);
    let t28 = t27.xor(a2);
    let t29 = t28.and_not(t2);
    let t30 = t28.and_not(t17);
    let t31 = t15.or(t17);
    let t32 = t31.xor(t28);
    let t33 = t11.xor(t30);
    let t34 = a3.and_not(t33);
    let t35 = t29.xor(t34);
    let t36 = t32.or(t30);
    let t37 = t36.xor(t34);
    let t38 = a0.or(t37);
    let t39 = t32.xor(t38);
    let t40 = t34.or(a1);
    let t41 = t40.xor(t15);
    let t42 = t22.or(t41);
    let t43 = a5.or(t39);
    let t44 = t20.xor(t43);
    let t45 = t20.and_not(t26);
    let t46 = a1.or(t45);
    let t47 = a5.and(t35);
    let t48 = t20.xor(t47);
    let t49 = t35.xor(a5);
    let t50 = t26.xor(t49);
    let t51 = t50.xor(t46);
    let t52 = t51.xor(t42);
    [t44.not(), t52.not(), t27, t48.not()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables of the standard: four rows of sixteen each.
    const TABLES: [[u8; 64]; 8] = [
        [
            14, 4, 13, 1, 2, 15, 11, 8, 3, 10, 6, 12, 5, 9, 0, 7, 0, 15, 7, 4, 14, 2, 13, 1, 10, 6, 12,
            11, 9, 5, 3, 8, 4, 1, 14, 8, 13, 6, 2, 11, 15, 12, 9, 7, 3, 10, 5, 0, 15, 12, 8, 2, 4, 9, 1,
            7, 5, 11, 3, 14, 10, 0, 6, 13,
        ],
        [
            15, 1, 8, 14, 6, 11, 3, 4, 9, 7, 2, 13, 12, 0, 5, 10, 3, 13, 4, 7, 15, 2, 8, 14, 12, 0, 1,
            10, 6, 9, 11, 5, 0, 14, 7, 11, 10, 4, 13, 1, 5, 8, 12, 6, 9, 3, 2, 15, 13, 8, 10, 1, 3, 15,
            4, 2, 11, 6, 7, 12, 0, 5, 14, 9,
        ],
        [
            10, 0, 9, 14, 6, 3, 15, 5, 1, 13, 12, 7, 11, 4, 2, 8, 13, 7, 0, 9, 3, 4, 6, 10, 2, 8, 5, 14,
            12, 11, 15, 1, 13, 6, 4, 9, 8, 15, 3, 0, 11, 1, 2, 12, 5, 10, 14, 7, 1, 10, 13, 0, 6, 9, 8,
            7, 4, 15, 14, 3, 11, 5, 2, 12,
        ],
        [
            7, 13, 14, 3, 0, 6, 9, 10, 1, 2, 8, 5, 11, 12, 4, 15, 13, 8, 11, 5, 6, 15, 0, 3, 4, 7, 2,
            12, 1, 10, 14, 9, 10, 6, 9, 0, 12, 11, 7, 13, 15, 1, 3, 14, 5, 2, 8, 4, 3, 15, 0, 6, 10, 1,
            13, 8, 9, 4, 5, 11, 12, 7, 2, 14,
        ],
        [
            2, 12, 4, 1, 7, 10, 11, 6, 8, 5, 3, 15, 13, 0, 14, 9, 14, 11, 2, 12, 4, 7, 13, 1, 5, 0, 15,
            10, 3, 9, 8, 6, 4, 2, 1, 11, 10, 13, 7, 8, 15, 9, 12, 5, 6, 3, 0, 14, 11, 8, 12, 7, 1, 14,
            2, 13, 6, 15, 0, 9, 10, 4, 5, 3,
        ],
        [
            12, 1, 10, 15, 9, 2, 6, 8, 0, 13, 3, 4, 14, 7, 5, 11, 10, 15, 4, 2, 7, 12, 9, 5, 6, 1, 13,
            14, 0, 11, 3, 8, 9, 14, 15, 5, 2, 8, 12, 3, 7, 0, 4, 10, 1, 13, 11, 6, 4, 3, 2, 12, 9, 5,
            15, 10, 11, 14, 1, 7, 6, 0, 8, 13,
        ],
        [
            4, 11, 2, 14, 15, 0, 8, 13, 3, 12, 9, 7, 5, 10, 6, 1, 13, 0, 11, 7, 4, 9, 1, 10, 14, 3, 5,
            12, 2, 15, 8, 6, 1, 4, 11, 13, 12, 3, 7, 14, 10, 15, 6, 8, 0, 5, 9, 2, 6, 11, 13, 8, 1, 4,
            10, 7, 9, 5, 0, 15, 14, 2, 3, 12,
        ],
        [
            13, 2, 8, 4, 6, 15, 11, 1, 10, 9, 3, 14, 5, 0, 12, 7, 1, 15, 13, 8, 10, 3, 7, 4, 12, 5, 6,
            11, 0, 14, 9, 2, 7, 11, 4, 1, 9, 12, 14, 2, 0, 6, 10, 13, 15, 3, 5, 8, 2, 1, 14, 7, 4, 10,
            8, 13, 15, 12, 9, 0, 3, 5, 6, 11,
        ],
    ];

    /// All 64 inputs at once, one in each lane.
    fn check<const BOX: usize>() {
        let input = core::array::from_fn(|bit| {
            (0..64u64).fold(0, |lanes, lane| lanes | (lane >> (5 - bit) & 1) << lane)
        });
        let output = substitute::<u64, BOX>(input);
        for lane in 0..64 {
            let [row, column] = [lane >> 5 << 1 | lane & 1, lane >> 1 & 15];
            let value = output.iter().fold(0, |value, bit| value << 1 | bit >> lane & 1);
            assert_eq!(value, u64::from(TABLES[BOX][16 * row + column]), "S{} of {lane}", BOX + 1);
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
