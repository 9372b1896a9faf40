//! The lines of checksum lists, as `broadloom hash --check` reads them.

#[path = "../../crates/cli/src/hash/checklist.rs"]
mod checklist;
#[path = "../../crates/cli/src/hash/escape.rs"]
mod escape;
#[allow(dead_code, reason = "the command uses more of it")]
#[path = "../../crates/cli/src/hash/line.rs"]
mod line;

use checklist::LineParser;
use line::LineFormat;

/// Reads all lines of a list. The first byte says of which algorithm. What was read from a line is
/// written in every form, and read back.
pub fn check(bytes: &[u8]) {
    let Some((first, list)) = bytes.split_first() else { return };
    let all = [("MD5", 16), ("SHA1", 20), ("SHA256", 32), ("HMAC-SHA256", 32), ("SHA512", 64)];
    let (tag, len) = all[usize::from(*first) % all.len()];
    let parser = || LineParser::new(tag.to_owned(), len);
    let mut whole = parser();
    for line in list.split(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if LineParser::is_blank(line) {
            continue;
        }
        let Some(entry) = whole.parse(line) else { continue };
        assert_eq!(entry.digest.as_bytes().len(), len);
        for (tagged, binary) in [(false, false), (false, true), (true, false)] {
            let format = LineFormat {
                unnamed: false,
                tag: tagged.then(|| tag.to_owned()),
                binary,
                zero: false,
                terminal: false,
            };
            let mut written = Vec::new();
            format.file(&entry.digest, &entry.name, &mut written);
            let line = written.strip_suffix(b"\n").expect("a line has an end");
            assert!(!line.contains(&b'\n'), "a name cannot end a line");
            // An empty name is read only in the tagged form.
            if entry.name.is_empty() && !tagged {
                continue;
            }
            let again = parser().parse(line).expect("what is written can be read");
            assert_eq!(again.name, entry.name);
            assert!(again.digest.matches(&entry.digest));
        }
    }
}
