//! A file that is there whole or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use super::row::Report;
use crate::error::PerfError;

/// A JSON file to be: written beside its place, then renamed.
///
/// Made before anything is measured, so that a path that cannot be written costs no run.
#[derive(Debug)]
pub struct JsonFile {
    path: PathBuf,
    beside: NamedTempFile,
}

impl JsonFile {
    /// Opens a temporary file in the folder of `path`.
    ///
    /// # Errors
    /// The folder does not exist or cannot be written, or `path` is a folder.
    pub fn create(path: &Path) -> Result<JsonFile, PerfError> {
        let error = |source| PerfError::Write { path: path.to_owned(), source };
        if path.is_dir() {
            return Err(error(std::io::ErrorKind::IsADirectory.into()));
        }
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut builder = Builder::new();
        builder.prefix(".broadloom-perf");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // What any new file gets; the process's own mask still applies.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let beside = builder.tempfile_in(folder).map_err(error)?;
        Ok(JsonFile { path: path.to_owned(), beside })
    }

    /// Writes the report and puts the file in its place.
    ///
    /// # Errors
    /// The disk is full, or the place was taken by something that cannot be replaced.
    pub fn finish(mut self, report: &Report) -> Result<(), PerfError> {
        let path = self.path;
        let mut write = || -> std::io::Result<()> {
            serde_json::to_writer_pretty(&mut self.beside, report)?;
            self.beside.write_all(b"\n")?;
            self.beside.as_file().sync_all()
        };
        let written = write();
        written
            .and_then(|()| self.beside.persist(&path).map(drop).map_err(|error| error.error))
            .map_err(|source| PerfError::Write { path, source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::row::{Row, SCHEMA};
    use crate::sys::machine::Machine;

    fn report() -> Report {
        let machine = Machine {
            cpu: "a CPU".to_owned(),
            arch: "x86_64",
            os: "linux".to_owned(),
            cores: 2,
            tsc_mhz: 2500.0,
        };
        let row = Row {
            algorithm: "hmac-sha1".to_owned(),
            direction: "generate",
            workload: Some("1"),
            size: None,
            mode: "burst",
            burst: 64,
            cores: 1,
            provider: "native",
            kernel: "avx2 x8".to_owned(),
            order: "out-of-order",
            isa: "avx2",
            cache: "warm",
            cycles_per_buffer: 100.5,
            cycles_per_buffer_median: 110.0,
            gbps: 1.25,
            limit_cycles_per_buffer: Some(90.0),
            limit_by: None,
            buffer_bytes: 330.0,
            kernel_cycles_per_buffer: None,
        };
        let sized =
            Row { workload: None, size: Some(512), limit_cycles_per_buffer: None, ..row.clone() };
        Report { schema: SCHEMA, machine, rows: vec![row, sized] }
    }

    #[test]
    fn the_json_has_the_keys_that_the_schema_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.json");
        JsonFile::create(&path).unwrap().finish(&report()).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["schema"], "broadloom-perf/1");
        assert!(json["machine"].is_object());
        let row = &json["rows"][0];
        for key in ["algorithm", "direction", "workload", "provider", "kernel"] {
            assert!(row[key].is_string(), "{key}");
        }
        for key in [
            "burst",
            "cores",
            "cycles_per_buffer",
            "cycles_per_buffer_median",
            "gbps",
            "limit_cycles_per_buffer",
            "buffer_bytes",
        ] {
            assert!(row[key].is_number(), "{key}");
        }
        assert!(row.get("size").is_none());
        let sized = &json["rows"][1];
        assert_eq!(sized["size"], 512);
        assert!(sized.get("workload").is_none() && sized.get("limit_cycles_per_buffer").is_none());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing left beside");
    }

    #[test]
    fn an_older_file_is_replaced_only_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.json");
        std::fs::write(&path, "old").unwrap();
        let file = JsonFile::create(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        drop(file);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        JsonFile::create(&path).unwrap().finish(&report()).unwrap();
        assert!(std::fs::read_to_string(&path).unwrap().starts_with('{'));
    }

    #[test]
    fn a_place_that_cannot_be_written_is_named_at_once() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().join("none/out.json"), folder.path().to_owned()] {
            let error = JsonFile::create(&path).unwrap_err().to_string();
            assert!(error.contains(&path.display().to_string()), "{error}");
        }
    }
}
