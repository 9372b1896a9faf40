//! Rows as comma-separated values: a column for every key of the schema.

use std::io::{self, Write};

use serde_json::Value;

use super::pass;
use super::row::{KEYS, Row};

/// Writes a line of the keys and a line for every row; what a row does not have is empty. The keys
/// of passes are among them where there is one.
///
/// # Errors
/// Of `out`.
pub fn write(rows: &[Row], out: impl Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    let passes = rows.iter().any(|row| row.pass.is_some());
    let keys = || KEYS.iter().chain(pass::KEYS.iter().take_while(|_| passes));
    csv.write_record(keys())?;
    for row in rows {
        let value = serde_json::to_value(row)?;
        csv.write_record(keys().map(|key| cell(&value[key])))?;
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
        let odd = Row {
            kernel: "a \"kernel\", of\ntwo lines".to_owned(),
            ..samples::row("native", 64, 90.0)
        };
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
    fn passes_have_columns_of_their_own() {
        let pass = Row { pass: Some(samples::full_pass()), ..samples::row("emulated", 64, 1.0) };
        let mut text = Vec::new();
        write(&[samples::row("native", 64, 90.0), pass], &mut text).unwrap();
        let mut reader = csv::Reader::from_reader(text.as_slice());
        let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        assert_eq!(header.len(), KEYS.len() + pass::KEYS.len());
        let lines: Vec<_> = reader.records().map(Result::unwrap).collect();
        let ratio = header.iter().position(|key| key == "ratio").unwrap();
        assert_eq!((&lines[0][ratio], &lines[1][ratio]), ("", "0.25"));
    }

    #[test]
    fn no_rows_are_a_line_of_keys() {
        let mut text = Vec::new();
        write(&[], &mut text).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), KEYS.join(",") + "\n");
    }
}
