//! The two curves y^2 + xy = x^3 + ax^2 + b over 283 bits (FIPS 186-4, D.1.3.4; SEC 2, 3.5).

use super::element::ElementWords;
use super::order::BinaryOrder;

/// A curve over a binary field of 283 bits.
///
/// ```
/// assert_eq!(broadloom_public_key::BinaryCurve::K283.name(), "k283");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryCurve {
    /// The Koblitz curve, `sect283k1` in SEC 2.
    K283,
    /// The curve that was drawn at random, `sect283r1` in SEC 2.
    B283,
}

/// What a curve consists of.
pub(crate) struct Parameters {
    /// `true` if `a` is one; else it is zero.
    pub a: bool,
    pub b: ElementWords,
    /// The base point.
    pub x: ElementWords,
    pub y: ElementWords,
    /// The order of the base point.
    pub order: BinaryOrder,
}

impl BinaryCurve {
    /// Both of them.
    pub const ALL: [BinaryCurve; 2] = [BinaryCurve::K283, BinaryCurve::B283];

    /// Returns the name: `k283`.
    pub const fn name(self) -> &'static str {
        match self {
            BinaryCurve::K283 => "k283",
            BinaryCurve::B283 => "b283",
        }
    }

    pub(crate) const fn parameters(self) -> &'static Parameters {
        match self {
            BinaryCurve::K283 => &K283,
            BinaryCurve::B283 => &B283,
        }
    }
}

static K283: Parameters = Parameters {
    a: false,
    b: [1, 0, 0, 0, 0],
    x: hex(b"0503213f78ca44883f1a3b8162f188e553cd265f23c1567a16876913b0c2ac2458492836"),
    y: hex(b"01ccda380f1c9e318d90f95d07e5426fe87e45c0e8184698e45962364e34116177dd2259"),
    order: BinaryOrder::new(hex(
        b"01ffffffffffffffffffffffffffffffffffe9ae2ed07577265dff7f94451e061e163c61",
    )),
};

static B283: Parameters = Parameters {
    a: true,
    b: hex(b"027b680ac8b8596da5a4af8a19a0303fca97fd7645309fa2a581485af6263e313b79a2f5"),
    x: hex(b"05f939258db7dd90e1934f8c70b0dfec2eed25b8557eac9c80e2e198f8cdbecd86b12053"),
    y: hex(b"03676854fe24141cb98fe6d4b20d02b4516ff702350eddb0826779c813f0df45be8112f4"),
    order: BinaryOrder::new(hex(
        b"03ffffffffffffffffffffffffffffffffffef90399660fc938a90165b042a7cefadb307",
    )),
};

/// Returns the number of 72 hexadecimal digits.
const fn hex(digits: &[u8; 72]) -> ElementWords {
    let (mut words, mut i) = ([0; 5], 0);
    while i < 72 {
        let digit = digits[i];
        let value = if digit >= b'a' { digit - b'a' + 10 } else { digit - b'0' };
        let place = 4 * (71 - i);
        words[place / 64] |= (value as u64) << (place % 64);
        i += 1;
    }
    words
}
