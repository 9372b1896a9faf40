//! Rows as comma-separated values: a column for every key of the schema.

use std::io::{self, Write};

use serde_json::Value;

use super::row::{KEYS, Row};

/// Writes a line of the keys and a line for every row; what a row does not have is empty.
///
/// # Errors
/// Of `out`.
pub fn write(rows: &[Row], out: impl Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(KEYS)?;
    for row in rows {
        let value = serde_json::to_value(row)?;
        csv.write_record(KEYS.map(|key| cell(&value[key])))?;
    }
    csv.flush()
}

/// A value without the quotes that JSON puts around text.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples;

    #[test]
    fn what_is_written_can_be_read_whatever_the_text() {
        let odd =
            Row { kernel: "a \"kernel\", of\ntwo lines".to_owned(), ..samples::row("native", 64, 90.0) };
        let mut text = Vec::new();
        write(&[odd.clone(), samples::openssl("per-job", 32, 500.0)], &mut text).unwrap();
        let mut reader = csv::Reader::from_reader(text.as_slice());
        assert_eq!(reader.headers().unwrap(), KEYS.to_vec());
        let lines: Vec<_> = reader.records().map(Result::unwrap).collect();
        let column = |key| KEYS.iter().position(|k| *k == key).unwrap();
        assert_eq!(lines[0][column("kernel")], odd.kernel);
        assert_eq!(lines[0][column("cycles_per_buffer")], *"90.0");
        assert_eq!(lines[0][column("contexts")], *"");
        assert_eq!(lines[1][column("contexts")], *"per-job");
        assert_eq!(lines[1][column("size")], *"32");
    }

    #[test]
    fn no_rows_are_a_line_of_keys() {
        let mut text = Vec::new();
        write(&[], &mut text).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), KEYS.join(",") + "\n");
    }
}
