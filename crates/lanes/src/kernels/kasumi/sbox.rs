//! S7 and S9 as logic (TS 35.202, 4.5): the equations of the standard, with common terms computed
//! once. Constant terms are left out; `cipher` adds them elsewhere.
//!
//! The equations of S9 are quadratic, those of S7 cubic, and none has more than 14 terms. A search
//! over the orders in which common sums and products can be extracted found these circuits: 94
//! gates and 86.

use crate::bits::Bits;

/// Computes S9 without its constant, 167; the lowest bits first.
#[inline(always)]
pub(crate) fn s9<B: Bits>([x0, x1, x2, x3, x4, x5, x6, x7, x8]: [B; 9]) -> [B; 9] {
    let t0 = x0.xor(x7);
    let t1 = x2.xor(x6);
    let t2 = x0.xor(x1);
    let t3 = x5.xor(x7);
    let t4 = x8.and(t3);
    let y0 = x3.xor(t4).xor(x2.and(t0)).xor(x4.and(x8)).xor(x5.and(t1)).xor(x7.and(t2));
    let t5 = x3.xor(x7);
    let t6 = x3.xor(x8);
    let t7 = x0.xor(t6);
    let t8 = x1.and_not(t0);
    let y1 = x6.xor(t8).xor(x2.and(t5)).xor(x4.and(t2)).xor(x5.and(t7));
    let t9 = x2.xor(x3);
    let t10 = t3.xor(t9);
    let y2 = x1.xor(x8).xor(x0.and(t6)).xor(x4.and(t5)).xor(x5.and(t0)).xor(x6.and(t10));
    let t11 = x3.xor(x6);
    let t12 = x2.xor(x7);
    let t13 = x1.xor(t0);
    let t14 = x0.xor(x5);
    let y3 = t14.xor(x0.and(t11)).xor(x1.and(t1)).xor(x4.and(t12)).xor(x8.and(t13));
    let t15 = x1.xor(t3);
    let t16 = x8.and(t9);
    let y4 = x4.xor(t16).xor(x0.and(t15)).xor(x1.and(t6)).xor(x6.and(t5));
    let t17 = x8.xor(t13);
    let y5 = x2.xor(t4).xor(x3.and(x7)).xor(x4.and(t15)).xor(x6.and(t17));
    let t18 = x4.xor(t1);
    let t19 = x1.xor(t18);
    let t20 = x1.xor(x3);
    let t21 = x3.and(t1);
    let y6 = t0.xor(t4).xor(t21).xor(x4.and(x6)).xor(x5.and(t19)).xor(x8.and(t20));
    let t22 = x6.xor(t13);
    let t23 = x4.xor(x7);
    let y7 = t6.xor(t21).xor(x0.and(t20)).xor(x2.and(t22)).xor(x5.and(t23));
    let t24 = t1.xor(t14);
    let y8 = t12.xor(t16).xor(x1.and(t24)).xor(x2.and(x5)).xor(x4.and(t11));
    [y0, y1, y2, y3, y4, y5, y6, y7, y8]
}

/// Computes S7 without its constant, 54; the lowest bits first.
#[inline(always)]
pub(crate) fn s7<B: Bits>([x0, x1, x2, x3, x4, x5, x6]: [B; 7]) -> [B; 7] {
    let t0 = x3.xor(x6);
    let t1 = x4.and(x5);
    let t2 = x2.and(x5);
    let t3 = x4.xor(t2);
    let t4 = x3.and(x6);
    let t5 = x5.xor(t4);
    let t6 = x1.and(t0);
    let t7 = x1.and(x4);
    let t8 = x0.and(t7);
    let t9 = t6.xor(t8);
    let t10 = x1.and(x5);
    let t11 = x2.and(x4);
    let t12 = t10.xor(t11);
    let t13 = x0.xor(t12);
    let t14 = x6.and_not(t13);
    let y0 = t3.xor(t5).xor(t9).xor(t14).xor(t0.and(t1));
    let t15 = x0.xor(t2);
    let t16 = x0.and(x5);
    let t17 = x0.and(x4);
    let t18 = x0.and(x2);
    let t19 = t18.xor(t1);
    let t20 = x6.and_not(t19);
    let y1 = t11.xor(t17).xor(t20).xor(t5).xor(x1.and(t15)).xor(x3.and(t16));
    let t21 = t16.xor(t7);
    let t22 = t0.xor(t21);
    let t23 = x1.and(x6);
    let t24 = t0.xor(t23);
    let t25 = x0.and_not(t24);
    let y2 = t10.xor(t25).xor(x2.and(t22)).xor(x3.and(t17)).xor(x4.and(x6));
    let t26 = t4.xor(t18);
    let t27 = t16.xor(t26);
    let t28 = x1.and_not(t27);
    let y3 = t21.xor(t28).xor(x2.and(x6)).xor(x3.and(t3)).xor(x5.and(t7));
    let t29 = x0.and(t4);
    let t30 = x3.and_not(t12);
    let y4 = t21.xor(t26).xor(t29).xor(t30).xor(t9).xor(x4.and(t16)).xor(x5.and(x6));
    let t31 = x2.and_not(t6);
    let t32 = t2.and_not(x6);
    let y5 = t16.xor(t19).xor(t23).xor(t29).xor(t31).xor(t32).xor(x0.and(x3)).xor(x4.and(t26));
    let t33 = x1.xor(t4);
    let t34 = x6.and_not(t21);
    let y6 = t10.xor(t17).xor(t34).xor(x0.and(t6)).xor(x2.and(t33)).xor(x3.and(x5));
    [y0, y1, y2, y3, y4, y5, y6]
}
