//! The program `openssl speed`, and what it prints.

use std::process::{Command, Stdio};

use broadloom_engine::{Algorithm, Curve, Direction, PublicKeyAlgorithm};

/// The provider in its rows.
pub(super) const NAME: &str = "openssl-speed";

/// Signatures made and verified a second on some curves: an algorithm, a direction and a rate each.
///
/// # Errors
/// The program is not there, or fails, or prints something else: the reason.
pub(super) fn run(
    curves: &[Curve],
    quick: bool,
) -> Result<Vec<(Algorithm, Direction, f64)>, String> {
    let seconds = if quick { "1" } else { "3" };
    let names = curves.iter().map(|curve| format!("ecdsa{}", curve.name()));
    let output = Command::new("openssl")
        .args(["speed", "-mr", "-seconds", seconds])
        .args(names)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("the program openssl: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().last().unwrap_or_default();
        return Err(format!("the program openssl ended with {}: {last}", output.status));
    }
    parse(&String::from_utf8_lossy(&output.stdout), curves)
}

/// Reads lines such as `+F4:8:283:2319.35:1167.64`: the number of a curve, its bits, signatures and
/// verifications a second. They come in the order in which curves were asked for if their numbers
/// ascend, which those of the program's table do.
fn parse(text: &str, curves: &[Curve]) -> Result<Vec<(Algorithm, Direction, f64)>, String> {
    let lines: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("+F4:")).collect();
    let unexpected = || format!("openssl speed printed something else than expected: {text:?}");
    if lines.len() != curves.len() {
        return Err(unexpected());
    }
    let mut figures = Vec::new();
    for (line, curve) in lines.iter().zip(curves) {
        let fields: Vec<&str> = line.split(':').collect();
        let [_, _, sign, verify] = fields[..] else { return Err(unexpected()) };
        for (direction, rate) in [(Direction::Sign, sign), (Direction::Verify, verify)] {
            let rate = rate.parse().ok().filter(|rate: &f64| *rate > 0.0).ok_or_else(unexpected)?;
            figures.push((
                Algorithm::PublicKey(PublicKeyAlgorithm::Ecdsa(*curve)),
                direction,
                rate,
            ));
        }
    }
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_lines_are_read_and_others_refused() {
        let text = "+DTP:283:sign:ecdsa:1\n+R5:719:283:0.31\n\
                    +F4:8:283:2319.354839:1167.647059\n+F4:13:283:2163.636364:1102.040816\n";
        let curves = [Curve::K283, Curve::B283];
        let figures = parse(text, &curves).unwrap();
        let rates: Vec<_> = figures
            .iter()
            .map(|(algorithm, direction, rate)| format!("{algorithm} {direction} {rate:.0}"))
            .collect();
        assert_eq!(
            rates,
            [
                "ecdsa-k283 sign 2319",
                "ecdsa-k283 verify 1168",
                "ecdsa-b283 sign 2164",
                "ecdsa-b283 verify 1102"
            ]
        );
        for wrong in ["", "+F4:8:283:2319.3:1167.6\n", "+F4:8:283:x:1\n+F4:13:283:1:1\n"] {
            assert!(parse(wrong, &curves).is_err(), "{wrong}");
        }
    }
}
