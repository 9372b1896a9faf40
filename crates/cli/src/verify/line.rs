//! Lines of lists: the name of a signature file, two spaces, the name of a file.

use crate::hash::escape;

/// A line of a list.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name of the signature file.
    pub signature: Vec<u8>,
    /// The name of the file.
    pub name: Vec<u8>,
}

/// Returns `true` if a line (without its end) is a comment or empty.
pub fn is_blank(line: &[u8]) -> bool {
    line.is_empty() || line[0] == b'#'
}

/// Reads a line without its end; `None` where it is no signature line.
pub fn parse(line: &[u8]) -> Option<Entry> {
    let (line, is_escaped) = match line.strip_prefix(b"\\") {
        Some(rest) => (rest, true),
        None => (line, false),
    };
    let at = line.windows(2).position(|pair| pair == b"  ")?;
    let (signature, name) = (&line[..at], &line[at + 2..]);
    if signature.is_empty() || name.is_empty() || line.contains(&0) {
        return None;
    }
    let text = |text: &[u8]| if is_escaped { escape::unescape(text) } else { Some(text.to_vec()) };
    Some(Entry { signature: text(signature)?, name: text(name)? })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parts(line: &str) -> Option<(String, String)> {
        let entry = parse(line.as_bytes())?;
        let text = |bytes| String::from_utf8(bytes).expect("the line was text");
        Some((text(entry.signature), text(entry.name)))
    }

    #[test]
    fn names_are_cut_at_the_first_two_spaces() {
        let pair = |signature: &str, name: &str| Some((signature.to_owned(), name.to_owned()));
        assert_eq!(parts("a.sig  a"), pair("a.sig", "a"));
        assert_eq!(parts("a b.sig  a b  c"), pair("a b.sig", "a b  c"));
        assert_eq!(parts("\\a\\n.sig  a\\n\\\\b"), pair("a\n.sig", "a\n\\b"));
        assert_eq!(parts("a\\n.sig  a"), pair("a\\n.sig", "a"));
        for wrong in ["", "a", "a.sig a", "a.sig  ", "  a", "\\a\\t  b", "a\0  b", "a.sig\ta"] {
            assert_eq!(parts(wrong), None, "{wrong:?}");
        }
        assert!(is_blank(b"") && is_blank(b"# a  b") && !is_blank(b"a  b"));
    }

    proptest! {
        #[test]
        fn any_line_is_read_or_refused(line: Vec<u8>) {
            parse(&line);
        }

        #[test]
        fn escaped_names_are_read_back(
            signature in "[a\n\r\\\\]{1,9}",
            name in "[b \n\r\\\\]{1,9}",
        ) {
            let escaped = |name: &str| escape::escaped(name.as_bytes());
            let line = [b"\\", &escaped(&signature)[..], b"  ", &escaped(&name)].concat();
            let entry = parse(&line).expect("it has the form");
            prop_assert_eq!(entry.signature, signature.into_bytes());
            prop_assert_eq!(entry.name, name.into_bytes());
        }
    }
}
