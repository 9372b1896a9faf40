//! What `broadloom-perf pk` can be asked for.

use crate::names::named;
use crate::report::row::Row;

/// The provider in rows of the arithmetic that textbooks have.
pub(super) const TEXTBOOK: &str = "textbook";

/// A figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// Reduction by division against Montgomery's, narrow words against wide.
    Montgomery,
    /// Decryptions a second against operations outstanding at the modelled device.
    Outstanding,
    /// Signatures on binary curves, beside `openssl speed`.
    Curves,
}

use Topic::*;

named!(Topic, "figure", {
    Montgomery => "montgomery",
    Outstanding => "outstanding",
    Curves => "curves",
});

impl Topic {
    /// The title of its part of a report.
    pub const fn title(self) -> &'static str {
        match self {
            Montgomery => {
                "RSA's arithmetic: division against Montgomery, narrow words against wide"
            }
            Outstanding => "RSA-2048 at the modelled device: operations outstanding",
            Curves => "Signatures on binary curves",
        }
    }

    /// Returns what is asked, and how it is answered.
    pub const fn question(self) -> &'static str {
        match self {
            Montgomery => {
                "One exponentiation modulo a prime of an RSA key, as textbooks have it: each \
                 product is divided by the prime, or reduced by Montgomery's method, in words of \
                 32 or of 64 bits. The weblog at Sun found that Montgomery multiplication in \
                 assembly made RSA decryption 3 times as fast, and words of 64 bits in place of 32 \
                 made it 1.8 times as fast."
            }
            Outstanding => {
                "One thread keeps so many RSA-2048 decryptions at the modelled device, which has \
                 thirty engines for them; and at one core of this machine. Intel's paper promises \
                 about 41,000 a second with all engines busy. The device's results are prepared \
                 before the clock starts."
            }
            Curves => {
                "ECDSA over K-283 and B-283, many signatures at a time through the engine, beside \
                 OpenSSL's own functions and its program `openssl speed`, which the weblogs at Sun \
                 set an UltraSPARC T2 against."
            }
        }
    }

    /// Returns `true` if a row is of this figure.
    pub(super) fn has(self, row: &Row) -> bool {
        let of = match row.provider.as_str() {
            TEXTBOOK => Montgomery,
            _ if row.outstanding.is_some() => Outstanding,
            _ => Curves,
        };
        of == self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_and_wrong_ones_name_the_right_ones() {
        for topic in Topic::ALL {
            assert_eq!(topic.name().parse::<Topic>().unwrap(), topic);
        }
        let error = "rsa".parse::<Topic>().unwrap_err().to_string();
        assert_eq!(error, "unknown figure \"rsa\"; valid: montgomery, outstanding, curves");
    }
}
