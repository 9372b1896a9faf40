//! `broadloom-perf grid`.

use std::process::Command;

use serde_json::Value;

use crate::support::{Place, Said, run};

const PROGRAM: &str = env!("CARGO_BIN_EXE_broadloom-perf");

/// One cell: SHA-256 of 64 bytes, alone, beside OpenSSL.
const CELL: &str = "grid --quick --algorithm sha256 --size 64 --burst 1 --call process-many --peer \
    openssl --json cell.json --csv cell.csv --report cell.html";

fn grid(place: &Place, args: &[&str]) -> Said {
    let args = CELL.split_whitespace().chain(args.iter().copied());
    run(Command::new(PROGRAM).args(args).current_dir(place.path()), b"")
}

#[test]
fn a_cell_with_a_planted_delay_turns_red() {
    let place = Place::new();
    // A device that takes a millisecond for each request, in place of the lanes.
    let said = grid(&place, &["--provider", "emulated:request-time=1ms"]);
    assert!(said.good().contains("the worst cells"), "{}", said.text());
    let page = String::from_utf8(place.read("cell.html")).unwrap();
    assert!(page.contains("<td class=\"number heat far-behind\""), "{page}");
    let table = String::from_utf8(place.read("cell.csv")).unwrap();
    assert!(table.lines().next().unwrap().contains(",peer_call"), "{table}");
    let report: Value = serde_json::from_slice(&place.read("cell.json")).unwrap();
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    let cycles = |row: &Value| row["cycles_per_buffer"].as_f64().unwrap();
    assert!(cycles(&rows[0]) > 2.0 * cycles(&rows[1]), "{rows:?}");
    assert_eq!((&rows[1]["interface"], &rows[1]["peer_call"]), (&"bare".into(), &"evp".into()));
    assert_eq!((&rows[0]["call"], &rows[0]["size"]), (&"process-many".into(), &64.into()));
}

#[test]
fn every_peer_is_called_by_its_fastest_call() {
    let place = Place::new();
    let args = "grid --quick --algorithm aes-128-gcm,hmac-sha1,aes-128-cbc --direction \
        seal,generate,encrypt --size 64 --burst 4 --call process-many,stream --peer ipsec-mb \
        --json -";
    let said =
        run(Command::new(PROGRAM).args(args.split_whitespace()).current_dir(place.path()), b"");
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let report: Value = serde_json::from_str(said.text()).unwrap();
    let rows = report["rows"].as_array().unwrap().iter().filter(|row| row["interface"] == "bare");
    let made = |row: &Value| ["algorithm", "call", "peer_call"].map(|key| row[key].clone());
    let made: Vec<[Value; 3]> = rows.map(made).collect();
    for (algorithm, together, one_by_one) in [
        ("aes-128-gcm", "direct", "direct"),
        ("hmac-sha1", "burst", "job"),
        ("aes-128-cbc", "burst", "job"),
    ] {
        for (call, expected) in [("process-many", together), ("stream", one_by_one)] {
            let row = [algorithm, call, expected].map(Value::from);
            assert!(made.contains(&row), "{row:?} is not one of {made:?}");
        }
    }
}

#[test]
fn wrong_values_are_refused_with_the_right_ones() {
    let place = Place::new();
    for (args, text) in [
        (["--call", "queue"], "queue-pair, process-many, stream"),
        (["--burst", "2000"], "1 to 1024"),
        (["--provider", "nothing"], "native"),
    ] {
        let said = run(Command::new(PROGRAM).arg("grid").args(args).current_dir(place.path()), b"");
        assert!(said.code != Some(0) && said.stderr.contains(text), "{}", said.text());
    }
}
