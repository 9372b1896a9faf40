//! The lines that `broadloom hash` prints.

use std::borrow::Cow;

use broadloom_hashing::digest::Digest;
use broadloom_program::quote::quote;

use super::escape;

/// How results are written.
pub struct LineFormat {
    /// The algorithm's name in front, as the BSD tools write it: `SHA256 (name) = …`.
    pub tag: Option<String>,
    /// Lines have no names.
    pub unnamed: bool,
    /// `*` before the name in place of a space.
    pub binary: bool,
    /// Lines end with NUL, and names are not escaped.
    pub zero: bool,
    /// Lines go to a terminal, which obeys control characters.
    pub terminal: bool,
}

impl LineFormat {
    /// Appends the line of a whole file, byte for byte what `sha256sum` and its sisters print.
    pub fn file(&self, digest: &Digest, name: &[u8], out: &mut Vec<u8>) {
        if self.unnamed {
            digest.write_hex(out);
            return self.end(out);
        }
        let name = self.name(name);
        name.begin(out);
        if let Some(tag) = &self.tag {
            out.extend(tag.as_bytes());
            out.extend(b" (");
            out.extend(&*name.text);
            out.extend(b") = ");
            digest.write_hex(out);
        } else {
            digest.write_hex(out);
            out.extend(if self.binary { b" *" } else { b"  " });
            out.extend(&*name.text);
        }
        self.end(out);
    }

    /// Appends the line of one chunk: digest, offset, length and name, a space between each.
    pub fn chunk(&self, digest: &Digest, offset: u64, len: u64, name: &[u8], out: &mut Vec<u8>) {
        let name = self.name(name);
        name.begin(out);
        digest.write_hex(out);
        out.extend(format!(" {offset} {len} ").as_bytes());
        out.extend(&*name.text);
        self.end(out);
    }

    fn name<'n>(&self, name: &'n [u8]) -> Name<'n> {
        Name::new(name, !self.zero && escape::needs_escape(name), self.terminal)
    }

    fn end(&self, out: &mut Vec<u8>) {
        out.push(if self.zero { 0 } else { b'\n' });
    }
}

/// Appends the verdict on a file of a checksum list. Only a newline in the name has it escaped
/// here.
pub fn verdict(name: &[u8], verdict: &str, terminal: bool, out: &mut Vec<u8>) {
    let name = Name::new(name, name.contains(&b'\n'), terminal);
    name.begin(out);
    out.extend(&*name.text);
    out.extend(b": ");
    out.extend(verdict.as_bytes());
    out.push(b'\n');
}

/// A name as a line has it.
struct Name<'n> {
    text: Cow<'n, [u8]>,
    /// The line begins with a backslash, which says that the name is escaped.
    escaped: bool,
}

impl<'n> Name<'n> {
    /// Escapes a name, or quotes it as a message does where a terminal would obey its bytes.
    fn new(name: &'n [u8], escaped: bool, terminal: bool) -> Self {
        let text = if escaped { Cow::Owned(escape::escaped(name)) } else { Cow::Borrowed(name) };
        if terminal && is_obeyed(&text) {
            return Name { text: Cow::Owned(quote(name).into_bytes()), escaped: false };
        }
        Name { text, escaped }
    }

    fn begin(&self, out: &mut Vec<u8>) {
        if self.escaped {
            out.push(b'\\');
        }
    }
}

/// Returns `true` if a text has control characters, or bytes that a terminal may take for such.
fn is_obeyed(text: &[u8]) -> bool {
    std::str::from_utf8(text).map_or(true, |text| text.chars().any(char::is_control))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(name: &[u8], terminal: bool) -> Vec<u8> {
        let mut out = Vec::new();
        verdict(name, "OK", terminal, &mut out);
        out
    }

    #[test]
    fn a_terminal_gets_no_control_character() {
        let names: [(&[u8], &str); 7] = [
            (b"plain name", "plain name"),
            ("\u{e9}".as_bytes(), "\u{e9}"),
            (b"a\x1b[2Jb", "'a'$'\\033''[2Jb'"),
            ("a\u{9b}2Jb".as_bytes(), "'a'$'\\302\\233''2Jb'"),
            (b"a\x9b2J", "'a'$'\\233''2J'"),
            (b"a\rb\x7f", "'a'$'\\r''b'$'\\177'"),
            (b"a\nb", "\\a\\nb"),
        ];
        for (name, shown) in names {
            assert_eq!(told(name, true), format!("{shown}: OK\n").into_bytes());
            let format = |terminal| LineFormat {
                tag: None,
                unnamed: false,
                binary: false,
                zero: true,
                terminal,
            };
            let mut line = Vec::new();
            format(true).file(&Digest::new(&[1]), name, &mut line);
            assert_eq!(line.pop(), Some(0));
            assert!(std::str::from_utf8(&line).is_ok_and(|line| !line.contains(char::is_control)));
            line.clear();
            format(false).file(&Digest::new(&[1]), name, &mut line);
            assert_eq!(line, [b"01  ", name, b"\0"].concat());
        }
        assert_eq!(told(b"a\x1b[2Jb", false), b"a\x1b[2Jb: OK\n");
    }
}
