//! How wide a text may be.

use std::io::IsTerminal;
use std::os::fd::AsFd;

use rustix::termios::tcgetwinsize;

/// Columns where there is no terminal, and where one does not tell how many it has.
const USUAL: u16 = 80;

/// Fewer columns than this are not believed.
const LEAST: u16 = 10;

/// The columns of text on a stream: as many as `COLUMNS` in the environment says, or the terminal
/// has.
pub fn columns(stream: &(impl AsFd + IsTerminal)) -> u16 {
    let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let has = || if stream.is_terminal() { tcgetwinsize(stream).ok() } else { None };
    let columns = asked.or_else(|| has().map(|size| size.ws_col));
    columns.filter(|&columns| columns >= LEAST).unwrap_or(USUAL)
}

/// A line as lines of at most so many columns, broken between words; all but the first are
/// indented.
pub fn wrapped(line: &str, columns: u16) -> String {
    const INDENT: &str = "    ";
    let (mut text, mut width) = (String::new(), 0);
    for word in line.split(' ') {
        let len = word.chars().count();
        if width > INDENT.len() && width + 1 + len > usize::from(columns) {
            text = text + "\n" + INDENT;
            width = INDENT.len();
        } else if !text.is_empty() {
            text.push(' ');
            width += 1;
        }
        text += word;
        width += len;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("one two three", 80), "one two three");
        assert_eq!(wrapped("one two three four", 9), "one two\n    three\n    four");
        assert_eq!(
            wrapped("incomprehensibilities are long", 10),
            "incomprehensibilities\n    are\n    long"
        );
        assert_eq!(wrapped("", 10), "");
    }
}
