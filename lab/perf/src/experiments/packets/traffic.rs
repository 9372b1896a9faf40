//! The packets that are measured: how long they are, and which flows they belong to.

use std::fmt;
use std::str::FromStr;

use crate::error::PerfError;

/// The longest frame that can be asked for, in bytes: a record of TLS.
const LONGEST: usize = 1 << 14;

/// The simple IMIX: of twelve packets seven have 64 bytes, four 594, and one 1518.
const IMIX: [usize; 12] = [64, 64, 64, 64, 64, 64, 64, 594, 594, 594, 594, 1518];

/// How long frames are, before they are protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frames {
    /// All of one length in bytes.
    Bytes(usize),
    /// The mix of lengths that routers are measured with.
    Imix,
}

impl fmt::Display for Frames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Frames::Bytes(len) => fmt::Display::fmt(len, f),
            Frames::Imix => f.write_str("imix"),
        }
    }
}

impl FromStr for Frames {
    type Err = PerfError;

    fn from_str(text: &str) -> Result<Self, PerfError> {
        let wrong = || PerfError::Name {
            what: "frame",
            name: text.to_owned(),
            valid: format!("imix, and lengths from 40 to {LONGEST} bytes"),
        };
        if text == "imix" {
            return Ok(Frames::Imix);
        }
        let len: usize = text.parse().map_err(|_| wrong())?;
        if (40..=LONGEST).contains(&len) { Ok(Frames::Bytes(len)) } else { Err(wrong()) }
    }
}

/// A packet before it is protected: how long it is, and the number of its flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parcel {
    /// Bytes.
    pub len: usize,
    /// The flow, counted from 0.
    pub flow: usize,
}

/// Draws `count` packets of `flows` flows, the same ones in every run: lengths are mixed, and flows
/// come in random order.
pub fn draw(frames: Frames, flows: usize, count: usize) -> Vec<Parcel> {
    let mut random = fastrand::Rng::with_seed(0x7061_636b);
    let mut lens: Vec<usize> = match frames {
        Frames::Bytes(len) => vec![len; count],
        Frames::Imix => IMIX.iter().copied().cycle().take(count).collect(),
    };
    random.shuffle(&mut lens);
    let mut order: Vec<usize> = match flows <= count {
        true => (0..flows).cycle().take(count).collect(),
        false => (0..count).map(|_| random.usize(..flows)).collect(),
    };
    random.shuffle(&mut order);
    lens.into_iter().zip(order).map(|(len, flow)| Parcel { len, flow }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_print_as_they_are_read() {
        for text in ["imix", "64", "9000"] {
            assert_eq!(text.parse::<Frames>().unwrap().to_string(), text);
        }
        for text in ["", "39", "16385", "mix"] {
            let error = text.parse::<Frames>().unwrap_err().to_string();
            assert!(error.contains("40 to 16384 bytes"), "{error}");
        }
    }

    #[test]
    fn a_mix_has_its_proportions_and_every_flow_its_packets() {
        let parcels = draw(Frames::Imix, 64, 1200);
        let with = |len| parcels.iter().filter(|parcel| parcel.len == len).count();
        assert_eq!([64, 594, 1518].map(with), [700, 400, 100]);
        for flow in 0..64 {
            let own = parcels.iter().filter(|parcel| parcel.flow == flow).count();
            assert!((18..=19).contains(&own), "flow {flow} has {own} packets");
        }
        assert!(draw(Frames::Bytes(64), 1_000_000, 256).iter().any(|one| one.flow > 500_000));
    }
}
