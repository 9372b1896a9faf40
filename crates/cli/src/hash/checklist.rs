//! Checksum lists: what `sha256sum` and its sisters write, read back.

use broadloom_hashing::digest::Digest;

use super::escape;

/// A line of a list.
#[derive(Clone)]
pub struct Entry {
    /// The name of the file, unescaped.
    pub name: Vec<u8>,
    /// What its digest should be.
    pub digest: Digest,
}

/// Whether the lists hold `digest name` (the oldest BSD form, one space and no marker) or
/// `digest  name`. The two must not mix: a name might begin with the marker.
#[derive(Clone, Copy, PartialEq)]
enum Spacing {
    Unknown,
    Marker,
    NoMarker,
}

/// Reads the lines of lists of one algorithm.
pub struct LineParser {
    tag: String,
    hex_len: usize,
    spacing: Spacing,
}

impl LineParser {
    /// For lines tagged `tag`, of digests of `digest_len` bytes.
    pub fn new(tag: String, digest_len: usize) -> Self {
        LineParser { tag, hex_len: 2 * digest_len, spacing: Spacing::Unknown }
    }

    /// Returns `true` if a line (without its end) is a comment or empty.
    pub fn is_blank(line: &[u8]) -> bool {
        line.is_empty() || line[0] == b'#'
    }

    /// Reads a line without its end; `None` where it is no checksum line.
    pub fn parse(&mut self, line: &[u8]) -> Option<Entry> {
        // A list made with --zero ends its lines with NUL; one of a single line can be told from
        // text.
        let line = skip_blanks(line.strip_suffix(b"\0").unwrap_or(line));
        let (line, escaped) = match line.strip_prefix(b"\\") {
            Some(rest) => (rest, true),
            None => (line, false),
        };
        let (name, digest) = match line.strip_prefix(self.tag.as_bytes()) {
            Some(rest) => self.tagged(rest)?,
            None => self.plain(line)?,
        };
        if name.contains(&0) {
            return None;
        }
        let name = if escaped { escape::unescape(name)? } else { name.to_vec() };
        Some(Entry { name, digest })
    }

    /// ` (name) = digest`: what follows the algorithm in the BSD form.
    fn tagged<'l>(&self, rest: &'l [u8]) -> Option<(&'l [u8], Digest)> {
        let rest = rest.strip_prefix(b" ").unwrap_or(rest).strip_prefix(b"(")?;
        let close = rest.iter().rposition(|&byte| byte == b')')?;
        let (name, rest) = (&rest[..close], &rest[close + 1..]);
        let hex = skip_blanks(skip_blanks(rest).strip_prefix(b"=")?);
        Some((name, self.digest(hex)?))
    }

    /// `digest  name`, `digest *name` or `digest name`.
    fn plain<'l>(&mut self, line: &'l [u8]) -> Option<(&'l [u8], Digest)> {
        let (hex, rest) = line.split_at_checked(self.hex_len)?;
        let rest = rest.strip_prefix(b" ").or_else(|| rest.strip_prefix(b"\t"))?;
        let digest = self.digest(hex)?;
        let (&first, after) = rest.split_first()?;
        if after.is_empty() || !matches!(first, b' ' | b'*') {
            if self.spacing == Spacing::Marker {
                return None;
            }
            self.spacing = Spacing::NoMarker;
        }
        if self.spacing == Spacing::NoMarker {
            return Some((rest, digest));
        }
        self.spacing = Spacing::Marker;
        Some((after, digest))
    }

    fn digest(&self, hex: &[u8]) -> Option<Digest> {
        if hex.len() == self.hex_len { Digest::from_hex(hex) } else { None }
    }
}

fn skip_blanks(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|byte| !matches!(byte, b' ' | b'\t')).unwrap_or(text.len());
    &text[start..]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::line::LineFormat;
    use super::*;

    fn parser() -> LineParser {
        LineParser::new("MD5".to_owned(), 16)
    }

    proptest! {
        #[test]
        fn any_line_is_read_or_refused(line: Vec<u8>) {
            parser().parse(&line);
        }

        #[test]
        fn a_line_like_a_real_one_is_read_or_refused(
            line in concat!(
                r"[ \t]?\\?(MD5 ?\(?)?[0-9a-fA-F]{30,34}[ \t*]{0,3}[a\\nr\)\x00]{0,5}",
                r"( = [0-9a-f]{31,33})?",
            ),
        ) {
            parser().parse(line.as_bytes());
        }

        #[test]
        fn what_is_printed_is_read_back(
            name in proptest::collection::vec(1u8.., 1..40),
            digest: [u8; 16],
            binary: bool,
            tag: bool,
        ) {
            let format = LineFormat {
                tag: tag.then(|| "MD5".to_owned()),
                unnamed: false,
                binary,
                zero: false,
                terminal: false,
            };
            let mut line = Vec::new();
            format.file(&Digest::new(&digest), &name, &mut line);
            let entry = parser().parse(line.strip_suffix(b"\n").unwrap()).unwrap();
            prop_assert_eq!(entry.name, name);
            prop_assert_eq!(entry.digest.as_bytes(), digest);
        }
    }
}
