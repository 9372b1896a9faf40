//! Profiles of the tools for Amazon's services: `~/.aws/credentials` and `~/.aws/config`.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use configparser::ini::{Ini, IniDefault};
use zeroize::Zeroizing;

use super::super::StoreError;

/// Credentials and settings of a profile.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Profile {
    pub(super) key_id: String,
    pub(super) secret: Zeroizing<String>,
    pub(super) token: Option<String>,
    pub(super) region: Option<String>,
    pub(super) endpoint: Option<String>,
}

/// A variable that is set and not empty.
pub(super) fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

impl Profile {
    /// The profile that `AWS_PROFILE` names, or the default one if it is there.
    pub(super) fn from_environment() -> Result<Option<Profile>, StoreError> {
        let named = variable("AWS_PROFILE").or_else(|| variable("AWS_DEFAULT_PROFILE"));
        let place = |name, file: &str| {
            let given = variable(name).map(PathBuf::from);
            given.or_else(|| Some(env::home_dir()?.join(".aws").join(file)))
        };
        let credentials = place("AWS_SHARED_CREDENTIALS_FILE", "credentials");
        let config = place("AWS_CONFIG_FILE", "config");
        let (Some(credentials), Some(config)) = (credentials, config) else { return Ok(None) };
        Profile::load(named.as_deref(), &credentials, &config)
    }

    /// The profile of a name; without a name, the default one if it is there.
    fn load(
        named: Option<&str>,
        credentials: &Path,
        config: &Path,
    ) -> Result<Option<Profile>, StoreError> {
        let name = named.unwrap_or("default");
        let (secrets, settings) = (read(credentials)?, read(config)?);
        let section = match name {
            "default" => "default".to_owned(),
            name => format!("profile {name}"),
        };
        let get = |key: &str| {
            let value = secrets.get(name, key).or_else(|| settings.get(&section, key));
            value.filter(|value| !value.is_empty())
        };
        let pair = (get("aws_access_key_id"), get("aws_secret_access_key"));
        let (Some(key_id), Some(secret)) = pair else {
            return match named {
                None => Ok(None),
                Some(name) => Err(StoreError::Address(format!(
                    "AWS_PROFILE: neither {} nor {} has aws_access_key_id and \
                     aws_secret_access_key for the profile {name:?}; valid: a profile with both, \
                     or variables as `aws configure export-credentials --format env` prints them",
                    credentials.display(),
                    config.display(),
                ))),
            };
        };
        Ok(Some(Profile {
            key_id,
            secret: secret.into(),
            token: get("aws_session_token"),
            region: get("region"),
            endpoint: get("endpoint_url"),
        }))
    }
}

/// A file of profiles; one that is not there has none.
fn read(path: &Path) -> Result<Ini, StoreError> {
    let failed =
        |error: &dyn std::fmt::Display| StoreError::Address(format!("{}: {error}", path.display()));
    let mut defaults = IniDefault::default();
    defaults.case_sensitive = true;
    defaults.delimiters = vec!['='];
    defaults.inline_comment_symbols = Some(Vec::new());
    let mut ini = Ini::new_from_defaults(defaults);
    match std::fs::read_to_string(path) {
        Ok(text) => ini.read(text).map(drop).map_err(|error| failed(&error))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(&error)),
    }
    Ok(ini)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_read_as_amazons_tools_write_them() {
        let place = tempfile::tempdir().unwrap();
        let (credentials, config) = (place.path().join("credentials"), place.path().join("config"));
        assert_eq!(Profile::load(None, &credentials, &config).unwrap(), None);
        std::fs::write(
            &credentials,
            "# a comment\n[default]\naws_access_key_id = ID\naws_secret_access_key=a#b;c:d/e+f==\n\
             \n[Other]\naws_access_key_id=OTHER\naws_secret_access_key=S\naws_session_token = T\n",
        )
        .unwrap();
        std::fs::write(
            &config,
            "[default]\nregion = eu-west-1\ns3 =\n  max_concurrent_requests = 20\n\
             [profile Other]\nendpoint_url = http://localhost:9000\n[profile sso]\nsso_session=x\n",
        )
        .unwrap();
        let default = Profile::load(None, &credentials, &config).unwrap().unwrap();
        assert_eq!((&*default.key_id, &**default.secret), ("ID", "a#b;c:d/e+f=="));
        assert_eq!((default.region.as_deref(), default.token), (Some("eu-west-1"), None));
        let other = Profile::load(Some("Other"), &credentials, &config).unwrap().unwrap();
        assert_eq!((&*other.key_id, other.token.as_deref()), ("OTHER", Some("T")));
        assert_eq!(other.endpoint.as_deref(), Some("http://localhost:9000"));
        for name in ["sso", "other", "none"] {
            let error = Profile::load(Some(name), &credentials, &config).unwrap_err().to_string();
            assert!(error.contains(&format!("{name:?}")) && error.contains("valid: "), "{error}");
        }
        std::fs::write(&config, "[profile").unwrap();
        let error = Profile::load(None, &credentials, &config).unwrap_err().to_string();
        assert!(error.contains(config.to_str().unwrap()), "{error}");
    }
}
