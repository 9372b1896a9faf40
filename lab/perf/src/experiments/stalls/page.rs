//! The page of a run of `broadloom-perf stalls`.

use std::io::{self, Write};

use maud::{Markup, html};

use super::tables;
use super::topic::Topic;
use crate::report::page::{self, Section, operations::FOOTER};
use crate::report::row::{Report, Row};

/// Writes the page.
///
/// # Errors
/// Of `out`.
pub fn write(report: &Report, out: impl Write) -> io::Result<()> {
    let sections = page::by_topic(&report.rows, Topic::ALL, Topic::has, |topic, rows| {
        Section::new(topic.name(), topic.title(), body(topic, rows)).called(topic.name())
    });
    page::write(report, &sections, FOOTER, out)
}

fn body(topic: Topic, rows: &[Row]) -> Markup {
    html! {
        p { (topic.question()) }
        (tables::table(rows).html(topic.title()))
        @for finding in tables::findings(topic, rows) { p { (finding) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{report, row};

    #[test]
    fn figures_that_were_measured_are_on_the_page() {
        let rc4 = Row { algorithm: "rc4".to_owned(), ..row("native", 1024, 1.0) };
        let mut text = Vec::new();
        write(&report(vec![rc4]), &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(Topic::Rc4.title()) && text.contains("<table"), "{text}");
        assert!(!text.contains(Topic::Kasumi.title()));
    }
}
