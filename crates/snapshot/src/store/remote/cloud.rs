//! Stores of objects by their addresses, with the credentials that their own tools use.

use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::path::Path;
use object_store::{BackoffConfig, ObjectStore, RetryConfig};

use super::super::address::Address;
use super::super::{Limits, Options, StoreError};
use super::Objects;
use super::http::Client;
use super::profile::{Profile, variable};

/// The region of a bucket that nobody names.
const REGION: &str = "us-east-1";

/// Variables with credentials of S3 other than a key.
const ROLES: [&str; 3] = [
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
];

const NO_KEY_S3: &str = " (neither AWS_ACCESS_KEY_ID nor a profile has credentials, so this \
    machine was asked for its role)";
const NO_KEY_GOOGLE: &str = " (GOOGLE_APPLICATION_CREDENTIALS is not set, so this machine was \
    asked for its role)";
const NO_KEY_AZURE: &str =
    " (AZURE_ACCOUNT_KEY is not set, so this machine was asked for its identity)";

/// Opens a store of objects.
pub(super) fn open(address: &Address, options: &Options) -> Result<Objects, StoreError> {
    let client = Client::new(Arc::new(Limits::new(options)), options.patience);
    let (store, path, hint) = match address {
        Address::S3 { endpoint, bucket, path } => {
            let (store, hint) = s3(endpoint.as_deref(), bucket, client)?;
            (store, path, hint)
        }
        Address::Google { bucket, path } => {
            let (store, hint) = google(bucket, client)?;
            (store, path, hint)
        }
        Address::Azure { container, path } => {
            let (store, hint) = azure(container, client)?;
            (store, path, hint)
        }
        Address::Directory(_) | Address::Rest(_) => unreachable!("it is no store of objects"),
    };
    let prefix = Path::parse(path)
        .map_err(|error| StoreError::Address(format!("the path {path:?}: {error}")))?;
    Ok(Objects::new(store, prefix)?.telling(options.notice.clone(), hint))
}

type Opened = (Arc<dyn ObjectStore>, Option<&'static str>);

/// A few quick tries of one request, since a lost part of an object is sent again alone. Whole
/// operations are tried again above.
fn retries() -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig {
            init_backoff: Duration::from_millis(200),
            max_backoff: Duration::from_secs(1),
            base: 2.0,
        },
        max_retries: 2,
        retry_timeout: Duration::from_secs(60),
    }
}

fn refused(error: object_store::Error) -> StoreError {
    StoreError::Address(error.to_string())
}

fn s3(endpoint: Option<&str>, bucket: &str, client: Client) -> Result<Opened, StoreError> {
    let mut builder = AmazonS3Builder::from_env()
        .with_bucket_name(bucket)
        .with_retry(retries())
        .with_http_connector(client);
    let has = |builder: &AmazonS3Builder, key| {
        builder.get_config_value(&key).is_some_and(|value| !value.is_empty())
    };
    let mut hint = None;
    let has_role = ROLES.iter().any(|name| variable(name).is_some());
    if !has(&builder, AmazonS3ConfigKey::AccessKeyId) && !has_role {
        match Profile::from_environment()? {
            Some(profile) => {
                builder = builder
                    .with_access_key_id(profile.key_id)
                    .with_secret_access_key(profile.secret.as_str());
                if let Some(token) = profile.token {
                    builder = builder.with_token(token);
                }
                let region_is_set = has(&builder, AmazonS3ConfigKey::Region)
                    || has(&builder, AmazonS3ConfigKey::DefaultRegion);
                if let Some(region) = profile.region.filter(|_| !region_is_set) {
                    builder = builder.with_region(region);
                }
                let endpoint_is_set = has(&builder, AmazonS3ConfigKey::Endpoint);
                if let Some(endpoint) = profile.endpoint.filter(|_| !endpoint_is_set) {
                    builder = builder.with_endpoint(endpoint);
                }
            }
            None if has(&builder, AmazonS3ConfigKey::SkipSignature) => {}
            None => hint = Some(NO_KEY_S3),
        }
    }
    if let Some(endpoint) = endpoint {
        let host = endpoint.split_once("://").map_or(endpoint, |(_, host)| host);
        let own = amazon_region(host).map(str::to_owned);
        let known = own.clone().filter(|region| !region.is_empty());
        let region = known.or_else(|| {
            builder
                .get_config_value(&AmazonS3ConfigKey::Region)
                .or_else(|| builder.get_config_value(&AmazonS3ConfigKey::DefaultRegion))
        });
        let region = region.unwrap_or_else(|| REGION.to_owned());
        // Amazon's general host knows only buckets of its first region.
        let endpoint = match own.as_deref() {
            Some("") => format!("https://s3.{region}.amazonaws.com"),
            _ => endpoint.to_owned(),
        };
        builder = builder.with_region(region).with_endpoint(endpoint);
    }
    let endpoint = builder.get_config_value(&AmazonS3ConfigKey::Endpoint);
    if endpoint.is_some_and(|endpoint| endpoint.starts_with("http://")) {
        builder = builder.with_allow_http(true);
    }
    Ok((Arc::new(builder.build().map_err(refused)?), hint))
}

/// The region in the name of one of Amazon's hosts: empty for the host of all regions.
fn amazon_region(host: &str) -> Option<&str> {
    let name = host.strip_suffix(".amazonaws.com")?;
    match name {
        "s3" => Some(""),
        name => {
            let region = name.strip_prefix("s3.").or_else(|| name.strip_prefix("s3-"))?;
            Some(region.strip_prefix("dualstack.").unwrap_or(region))
        }
    }
}

fn google(bucket: &str, client: Client) -> Result<Opened, StoreError> {
    let mut builder = GoogleCloudStorageBuilder::from_env()
        .with_bucket_name(bucket)
        .with_retry(retries())
        .with_http_connector(client);
    let token = variable("GOOGLE_ACCESS_TOKEN");
    if let Some(token) = &token {
        builder = builder.with_config(GoogleConfigKey::BearerToken, token);
    }
    let keys = [
        GoogleConfigKey::ApplicationCredentials,
        GoogleConfigKey::ServiceAccount,
        GoogleConfigKey::ServiceAccountKey,
        GoogleConfigKey::BearerToken,
        GoogleConfigKey::SkipSignature,
    ];
    let known = keys.iter().any(|key| builder.get_config_value(key).is_some());
    let store = builder.build().map_err(refused)?;
    Ok((Arc::new(store), (!known).then_some(NO_KEY_GOOGLE)))
}

fn azure(container: &str, client: Client) -> Result<Opened, StoreError> {
    let mut builder = MicrosoftAzureBuilder::from_env()
        .with_container_name(container)
        .with_retry(retries())
        .with_http_connector(client);
    // The names that restic has for them.
    for (name, key) in [
        ("AZURE_ACCOUNT_NAME", AzureConfigKey::AccountName),
        ("AZURE_ACCOUNT_KEY", AzureConfigKey::AccessKey),
        ("AZURE_ACCOUNT_SAS", AzureConfigKey::SasKey),
    ] {
        if let Some(value) = variable(name) {
            builder = builder.with_config(key, value);
        }
    }
    let account = builder.get_config_value(&AzureConfigKey::AccountName);
    let emulated = builder.get_config_value(&AzureConfigKey::UseEmulator).is_some();
    if account.is_none() && !emulated {
        return Err(StoreError::Address(
            "which account of Azure? valid: its name in AZURE_ACCOUNT_NAME".to_owned(),
        ));
    }
    if let (Some(account), Some(suffix)) = (account, variable("AZURE_ENDPOINT_SUFFIX")) {
        builder = builder.with_endpoint(format!("https://{account}.blob.{suffix}"));
    }
    let endpoint = builder.get_config_value(&AzureConfigKey::Endpoint);
    if endpoint.is_some_and(|endpoint| endpoint.starts_with("http://")) {
        builder = builder.with_allow_http(true);
    }
    let keys = [
        AzureConfigKey::AccessKey,
        AzureConfigKey::SasKey,
        AzureConfigKey::ClientSecret,
        AzureConfigKey::Token,
        AzureConfigKey::FederatedTokenFile,
        AzureConfigKey::SkipSignature,
        AzureConfigKey::UseEmulator,
        AzureConfigKey::UseAzureCli,
    ];
    let known = keys.iter().any(|key| builder.get_config_value(key).is_some());
    let store = builder.build().map_err(refused)?;
    Ok((Arc::new(store), (!known).then_some(NO_KEY_AZURE)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_in_the_names_of_amazons_hosts() {
        for (host, region) in [
            ("s3.amazonaws.com", Some("")),
            ("s3.eu-central-1.amazonaws.com", Some("eu-central-1")),
            ("s3-us-west-2.amazonaws.com", Some("us-west-2")),
            ("s3.dualstack.eu-west-1.amazonaws.com", Some("eu-west-1")),
            ("localhost:9000", None),
            ("s3.example.com", None),
        ] {
            assert_eq!(amazon_region(host), region, "{host}");
        }
    }
}
