//! File names as messages write them: as they are where a shell would read them so, else quoted so
//! that a shell reads them back. The same choices as the coreutils make in a UTF-8 locale.

use std::borrow::Cow;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The name of a file, as messages have it.
pub fn shown(path: &Path) -> String {
    quote(path.as_os_str().as_bytes())
}

/// The name, quoted for a shell where it must be.
pub fn quote(name: &[u8]) -> String {
    let mut pieces = Pieces::default();
    for chunk in name.utf8_chunks() {
        chunk.valid().chars().for_each(|c| pieces.char(c));
        chunk.invalid().iter().for_each(|&byte| pieces.byte(byte));
    }
    let lone_brace = matches!(name, b"{" | b"}");
    if !pieces.special && !lone_brace && !name.is_empty() {
        pieces.plain
    } else if pieces.quotes && pieces.double {
        format!("\"{}\"", pieces.plain)
    } else {
        format!("'{}'", pieces.single)
    }
}

/// A text on one line of a terminal. What would make the terminal do something, or show other text
/// in another order, is written as an escape: `\x1b`, `\u{202e}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => escaped.extend(c.escape_default()),
            c if c.is_ascii() && acts(c) => {
                write!(escaped, "\\x{:02x}", u32::from(c)).expect("a string takes any text");
            }
            c if acts(c) => escaped.extend(c.escape_unicode()),
            c => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}

/// Returns `true` for a character that a terminal obeys: a control character, the end of a line or
/// of a paragraph, and marks of the direction of writing.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2066}'..='\u{2069}')
}

/// A name written the possible ways, and which of them holds.
struct Pieces {
    plain: String,
    /// Inside single quotes.
    single: String,
    /// `single` is inside `$'…'` at its end.
    dollar: bool,
    /// Some character asks for quotes.
    special: bool,
    /// A single quote was seen.
    quotes: bool,
    /// Every character means itself inside double quotes.
    double: bool,
}

impl Default for Pieces {
    fn default() -> Self {
        Pieces {
            plain: String::new(),
            single: String::new(),
            dollar: false,
            special: false,
            quotes: false,
            double: true,
        }
    }
}

impl Pieces {
    fn char(&mut self, c: char) {
        if c.is_control() {
            return c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| self.byte(byte));
        }
        let first = self.plain.is_empty() && self.single.is_empty();
        self.plain.push(c);
        match c {
            '\'' => {
                self.special = true;
                self.quotes = true;
                self.dollar = false;
                self.single.push_str("'\\''");
                return;
            }
            ' ' | ':' => self.special = true,
            '#' | '~' if first => self.special = true,
            '#' | '~' | '{' | '}' => self.double = false,
            '!' | '"' | '$' | '&' | '(' | ')' | '*' | ';' | '<' | '=' | '>' | '?' | '[' | '\\'
            | '^' | '`' | '|' => {
                self.special = true;
                self.double = false;
            }
            _ => {}
        }
        if self.dollar {
            self.single.push_str("''");
            self.dollar = false;
        }
        self.single.push(c);
    }

    /// A byte that cannot be shown.
    fn byte(&mut self, byte: u8) {
        self.special = true;
        self.double = false;
        if !self.dollar {
            self.single.push_str("'$'");
            self.dollar = true;
        }
        self.single.push('\\');
        match byte {
            7 => self.single.push('a'),
            8 => self.single.push('b'),
            b'\t' => self.single.push('t'),
            b'\n' => self.single.push('n'),
            11 => self.single.push('v'),
            12 => self.single.push('f'),
            b'\r' => self.single.push('r'),
            _ => write!(self.single, "{byte:03o}").expect("a string takes any text"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_acts_on_a_terminal() {
        for (text, shown) in [
            ("", ""),
            ("a host \\ grün 日本", "a host \\ grün 日本"),
            ("\x1b]0;title\x07\x7f", "\\x1b]0;title\\x07\\x7f"),
            ("one\ntwo\r\t", "one\\ntwo\\r\\t"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("a\u{202e}b\u{2069}", "a\\u{202e}b\\u{2069}"),
            ("\u{200e}\u{2028}", "\\u{200e}\\u{2028}"),
        ] {
            assert_eq!(visible(text), shown);
        }
    }
}
