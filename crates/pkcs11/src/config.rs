//! The configuration: a file of lines `name = value`, and one environment variable.

use std::env;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// How the module behaves. The guide describes each setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Where the tokens are.
    pub directory: PathBuf,
    /// How many slots there are.
    pub slots: u64,
    /// How long an operation waits for others, at most.
    pub wait: Duration,
    /// Hashes, MACs and CBC encryptions of so many bytes and more meet others; public-key
    /// operations always do.
    pub meets_from: usize,
}

/// An environment variable that names the configuration file.
const FILE: &str = "BROADLOOM_PKCS11_CONF";
/// An environment variable that names the directory of the tokens, before any file.
const DIRECTORY: &str = "BROADLOOM_PKCS11_DIR";

impl Config {
    /// The configuration of this process.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn load() -> Result<Config, String> {
        let home = env::var_os("HOME").map(PathBuf::from);
        let mut config = Config {
            directory: env::var_os("XDG_DATA_HOME")
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
                .or_else(|| Some(home.as_ref()?.join(".local/share")))
                .unwrap_or_else(|| "/var/lib".into())
                .join("broadloom/pkcs11"),
            slots: 1,
            wait: Duration::from_micros(50),
            meets_from: 4096,
        };
        let (path, must_exist) = match env::var_os(FILE) {
            Some(path) => (PathBuf::from(path), true),
            None => {
                let own = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
                let own = own.or_else(|| Some(home?.join(".config")));
                let own = own.map(|path| path.join("broadloom/pkcs11.conf"));
                let own = own.filter(|path| path.exists());
                (own.unwrap_or_else(|| "/etc/broadloom/pkcs11.conf".into()), false)
            }
        };
        match fs::read_to_string(&path) {
            Ok(text) => config
                .read(&text)
                .map_err(|(line, error)| format!("{}:{line}: {error}", path.display()))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !must_exist => {}
            Err(error) => return Err(format!("{}: {error}", path.display())),
        }
        if let Some(directory) = env::var_os(DIRECTORY) {
            config.directory = directory.into();
        }
        match config.directory.is_absolute() {
            true => Ok(config),
            false => Err(format!(
                "the directory {} is relative; an absolute path is needed",
                config.directory.display()
            )),
        }
    }

    /// Reads settings from lines. An error comes with the number of its line.
    fn read(&mut self, text: &str) -> Result<(), (usize, String)> {
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                self.set(line).map_err(|error| (number + 1, error))?;
            }
        }
        Ok(())
    }

    fn set(&mut self, line: &str) -> Result<(), String> {
        let (name, value) =
            line.split_once('=')
                .map(|(name, value)| (name.trim(), value.trim()))
                .ok_or_else(|| format!("{line:?} is no line of the form `name = value`"))?;
        let number = |min: u64, max: u64| match value.parse() {
            Ok(number) if (min..=max).contains(&number) => Ok(number),
            _ => Err(format!("{name} is {value:?}; valid: {min} to {max}")),
        };
        match name {
            "directory" => self.directory = value.into(),
            "slots" => self.slots = number(1, 64)?,
            "wait-microseconds" => self.wait = Duration::from_micros(number(0, 1_000_000)?),
            "meet-bytes" => self.meets_from = number(0, 1 << 40)? as usize,
            _ => {
                return Err(format!(
                    "{name:?} is no setting; valid: directory, slots, wait-microseconds, meet-bytes"
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_and_wrong_ones_are_named() {
        let mut config = Config {
            directory: "/a".into(),
            slots: 1,
            wait: Duration::from_micros(50),
            meets_from: 1,
        };
        let text = "# tokens\n\ndirectory = /b c\nslots=3\nwait-microseconds = 0\nmeet-bytes = 64";
        assert_eq!(config.read(text), Ok(()));
        let wanted =
            Config { directory: "/b c".into(), slots: 3, wait: Duration::ZERO, meets_from: 64 };
        assert_eq!(config, wanted);
        let error = |text| config.clone().read(text).expect_err("it is wrong");
        assert_eq!(error("\nslots = 0"), (2, "slots is \"0\"; valid: 1 to 64".to_owned()));
        let (_, unknown) = error("wait = 1");
        assert!(unknown.contains("\"wait\" is no setting; valid: directory"), "{unknown}");
        assert!(error("slots").1.contains("of the form"));
    }
}
