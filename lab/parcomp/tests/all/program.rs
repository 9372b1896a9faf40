//! Streams, files and the manual page.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use crate::support::{
    Place, assert_help_is_written, assert_manual_page, assert_output_is_needed, redirected, text,
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_parcomp");

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let place = Place::new();
    place.write("f", "data");
    assert_output_is_needed(&place, PROGRAM, &["-pzlib -if", "-pzlib -if -x2", "-h", "--man"]);
    assert_eq!(place.names("."), ["f"]);
    assert_help_is_written(PROGRAM, &[&["--help"], &["--version"]]);
    let said = redirected(&place, PROGRAM, "-pzlib -if -oout", "<&-");
    assert_eq!(said.code, Some(0), "{}", said.stderr);
}

#[test]
fn an_output_does_not_replace_the_input() {
    let place = Place::new();
    place.write("in", text(10_000, 1));
    fs::hard_link(place.path().join("in"), place.path().join("hard")).unwrap();
    symlink("in", place.path().join("soft")).unwrap();
    for output in ["in", "hard", "soft"] {
        let said = place.parcomp(&["-pzlib", "-iin", "-o", output]);
        let message = format!("parcomp: {output}: this is the input file in; ");
        assert_eq!(said.code, Some(2));
        assert!(said.stderr.starts_with(&message), "{}", said.stderr);
        assert!(place.read("in") == text(10_000, 1), "{output}");
    }
    assert_eq!(place.names("."), ["hard", "in", "soft"]);
}

#[test]
fn a_file_that_is_replaced_keeps_its_mode() {
    let place = Place::new();
    place.write("in", text(10_000, 1));
    let out = place.path().join("out");
    for (bits, new) in [(0o600, false), (0o640, false), (0o666, false), (0o644, true)] {
        if new {
            fs::remove_file(&out).unwrap();
        } else {
            fs::write(&out, "old").unwrap();
            fs::set_permissions(&out, fs::Permissions::from_mode(bits)).unwrap();
        }
        // A shell sets the umask, which new files depend on.
        let script = format!("umask 022; exec '{PROGRAM}' -pzlib -iin -oout");
        assert_eq!(place.tool("sh", &["-c", &script], b"").code, Some(0));
        assert_eq!(fs::metadata(&out).unwrap().mode() & 0o7777, bits, "new: {new}");
        assert_ne!(place.read("out"), b"old");
    }
}

#[test]
fn the_manual_page_is_well_formed() {
    let place = Place::new();
    let said = place.parcomp(&["--man"]);
    assert_manual_page("parcomp", said.good());
}
