//! Addresses of repositories, as restic writes them, and plain URLs.

use std::borrow::Cow;
use std::path::PathBuf;

use super::StoreError;

/// What an address can be, for messages.
const VALID: &str = "valid: a directory, s3:HOST/BUCKET/PATH, s3://BUCKET/PATH, gs:BUCKET:/PATH, \
    azure:CONTAINER:/PATH, rest:URL";
/// The begin of restic's addresses that nothing here reads.
const FOREIGN: [&str; 4] = ["sftp:", "b2:", "swift:", "rclone:"];

/// Where a repository lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Address {
    /// In a directory.
    Directory(PathBuf),
    /// In S3, or at a server that speaks S3.
    S3 {
        /// `https://HOST`; without it, Amazon's, or what the environment says.
        endpoint: Option<String>,
        /// The bucket.
        bucket: String,
        /// The path in the bucket, without `/` at its ends.
        path: String,
    },
    /// In Google Cloud Storage.
    Google {
        /// The bucket.
        bucket: String,
        /// The path in the bucket.
        path: String,
    },
    /// In Azure Blob Storage.
    Azure {
        /// The container.
        container: String,
        /// The path in the container.
        path: String,
    },
    /// At a server that speaks restic's REST protocol: a URL.
    Rest(String),
}

impl Address {
    /// Reads an address.
    pub(super) fn parse(address: &str) -> Result<Address, StoreError> {
        let wrong = |reason: &str| {
            Err(StoreError::Address(format!("{:?}: {reason}; {VALID}", masked(address))))
        };
        if address.is_empty() {
            return Err(StoreError::Address("the address of the repository is empty".to_owned()));
        }
        if let Some(path) = address.strip_prefix("local:") {
            return Ok(Address::Directory(path.into()));
        }
        if let Some(rest) = address.strip_prefix("s3:") {
            return s3(rest).or_else(|reason| wrong(&reason));
        }
        if let Some((bucket, path)) = bucket(address, "gs://", "gs:") {
            return match bucket.is_empty() {
                true => wrong("it names no bucket"),
                false => Ok(Address::Google { bucket, path }),
            };
        }
        if let Some((container, path)) = bucket(address, "az://", "azure:") {
            return match container.is_empty() {
                true => wrong("it names no container"),
                false => Ok(Address::Azure { container, path }),
            };
        }
        let url = address.strip_prefix("rest:").unwrap_or(address);
        if url.starts_with("http://") || url.starts_with("https://") {
            let host = url.split_once("://").map_or("", |(_, rest)| rest);
            let authority = host.split('/').next().unwrap_or_default();
            return match authority.rsplit('@').next().unwrap_or_default().is_empty() {
                true => wrong("it names no host"),
                false => Ok(Address::Rest(url.to_owned())),
            };
        }
        if url.len() != address.len() {
            return wrong("what follows rest: is no URL");
        }
        if address.contains("://") || FOREIGN.iter().any(|begin| address.starts_with(begin)) {
            return wrong("no such place is known");
        }
        Ok(Address::Directory(address.into()))
    }
}

/// Reads what follows `s3:`: a host and a bucket, or with `//` a bucket alone, which are taken as
/// they stand; or a URL, whose path is decoded as in restic.
fn s3(rest: &str) -> Result<Address, String> {
    let nothing = || "it names no bucket".to_owned();
    let (endpoint, place) = match rest.strip_prefix("//") {
        // restic takes the first name for a host. A name with a dot or a port is none of a bucket,
        // as long as another one follows.
        Some(rest) => match rest.split_once('/') {
            Some((host, place)) if host.contains(['.', ':']) && !trimmed(place).is_empty() => {
                (Some(format!("https://{host}")), place.to_owned())
            }
            _ => (None, rest.to_owned()),
        },
        None => {
            let (scheme, rest, is_url) = match rest.split_once("://") {
                Some((scheme @ ("http" | "https"), rest)) => (scheme, rest, true),
                Some(_) => return Err(nothing()),
                None => ("https", rest, false),
            };
            let rest = if is_url { without_query(rest) } else { rest };
            let (host, place) = rest.split_once('/').ok_or_else(nothing)?;
            // Keys come from elsewhere: a name and a password before the host count for nothing.
            let host = host.rsplit('@').next().filter(|_| is_url).unwrap_or(host);
            if host.is_empty() {
                return Err(nothing());
            }
            let place = if is_url { decoded(place)? } else { place.to_owned() };
            (Some(format!("{scheme}://{host}")), place)
        }
    };
    let place = trimmed(&place);
    let (bucket, path) = place.split_once('/').unwrap_or((place, ""));
    let (bucket, path) = (bucket.to_owned(), cleaned(path));
    (!bucket.is_empty()).then_some(Address::S3 { endpoint, bucket, path }).ok_or_else(nothing)
}

/// Returns the part of a URL before its query and its fragment.
fn without_query(url: &str) -> &str {
    url.split(['#', '?']).next().unwrap_or_default()
}

/// The path of a URL, in which `%20` stands for a space.
fn decoded(path: &str) -> Result<String, String> {
    let mut parts = path.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.bytes().all(|d| d.is_ascii_hexdigit()));
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.ok_or("its path has a % without two digits behind it; valid: %25")?);
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).map_err(|_| "its path is not UTF-8 when it is decoded".to_owned())
}

/// A path without empty names, `.`, and names that a `..` behind them takes back.
fn cleaned(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/').filter(|name| !matches!(*name, "" | ".")) {
        match (name, names.last()) {
            ("..", Some(last)) if *last != ".." => {
                names.pop();
            }
            _ => names.push(name),
        }
    }
    names.join("/")
}

/// Bucket and path of a URL, or of restic's form with a colon between them.
fn bucket(address: &str, url: &str, restic: &str) -> Option<(String, String)> {
    let (bucket, path) = match address.strip_prefix(url) {
        Some(rest) => rest.split_once('/').unwrap_or((rest, "")),
        None => {
            let rest = address.strip_prefix(restic)?;
            rest.split_once(':').unwrap_or((rest, ""))
        }
    };
    // No bucket and no container has a slash in its name.
    let bucket = if bucket.contains('/') { "" } else { bucket };
    Some((bucket.to_owned(), cleaned(path)))
}

fn trimmed(path: &str) -> &str {
    path.trim_matches('/')
}

/// An address without the password in it.
pub(super) fn masked(address: &str) -> Cow<'_, str> {
    let masked = || {
        let (scheme, rest) = address.split_once("://")?;
        let authority = rest.split('/').next()?;
        let (login, _) = authority.rsplit_once('@')?;
        let (user, _) = login.split_once(':')?;
        Some(format!("{scheme}://{user}:***{}", &rest[login.len()..]))
    };
    masked().map_or(Cow::Borrowed(address), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s3(endpoint: Option<&str>, bucket: &str, path: &str) -> Address {
        let endpoint = endpoint.map(str::to_owned);
        Address::S3 { endpoint, bucket: bucket.to_owned(), path: path.to_owned() }
    }

    fn google(bucket: &str, path: &str) -> Address {
        Address::Google { bucket: bucket.to_owned(), path: path.to_owned() }
    }

    fn azure(container: &str, path: &str) -> Address {
        Address::Azure { container: container.to_owned(), path: path.to_owned() }
    }

    #[test]
    fn addresses_are_those_of_restic_and_plain_urls() {
        let amazon = Some("https://s3.amazonaws.com");
        let rest = |url: &str| Address::Rest(url.to_owned());
        let directory = |path: &str| Address::Directory(path.into());
        for (text, address) in [
            ("s3:s3.amazonaws.com/bucket/path", s3(amazon, "bucket", "path")),
            ("s3://s3.amazonaws.com/bucket/a/b/", s3(amazon, "bucket", "a/b")),
            ("s3:https://host:9000/bucket", s3(Some("https://host:9000"), "bucket", "")),
            ("s3:http://localhost:9000/bucket/p", s3(Some("http://localhost:9000"), "bucket", "p")),
            ("s3://bucket/path", s3(None, "bucket", "path")),
            // A URL is decoded, and has neither its query nor its fragment, as in restic.
            (
                "s3:https://host/bucket/my%20home%2fx",
                s3(Some("https://host"), "bucket", "my home/x"),
            ),
            ("s3:http://host/bucket/a%23b%3Fc", s3(Some("http://host"), "bucket", "a#b?c")),
            ("s3:https://host/bucket/a?b/c#d", s3(Some("https://host"), "bucket", "a")),
            ("s3:https://host/bucket/a#b?c/d", s3(Some("https://host"), "bucket", "a")),
            ("s3:https://me:secret@host/bucket", s3(Some("https://host"), "bucket", "")),
            ("s3:https://host/bucket/a+b%C3%BC", s3(Some("https://host"), "bucket", "a+bü")),
            // Other addresses are taken as they stand, as in restic.
            ("s3:host/bucket/my%20home", s3(Some("https://host"), "bucket", "my%20home")),
            ("s3:host/bucket/a#b?c", s3(Some("https://host"), "bucket", "a#b?c")),
            ("s3://host.example/bucket/a%3F?", s3(Some("https://host.example"), "bucket", "a%3F?")),
            ("s3:host/bucket//a/./b/../c", s3(Some("https://host"), "bucket", "a/c")),
            ("gs:bucket:/a%20b#c?d", google("bucket", "a%20b#c?d")),
            ("s3://bucket", s3(None, "bucket", "")),
            ("s3://with.dots", s3(None, "with.dots", "")),
            ("gs:bucket:/path", google("bucket", "path")),
            ("gs:bucket:/", google("bucket", "")),
            ("gs://bucket/a/b", google("bucket", "a/b")),
            ("azure:container:/path", azure("container", "path")),
            ("az://container/path/", azure("container", "path")),
            ("rest:http://user:pass@host:8000/a/", rest("http://user:pass@host:8000/a/")),
            ("rest:https://host", rest("https://host")),
            ("https://host/path", rest("https://host/path")),
            ("local:s3:odd", directory("s3:odd")),
            ("/backup", directory("/backup")),
            ("backup/here", directory("backup/here")),
        ] {
            assert_eq!(Address::parse(text).unwrap(), address, "{text}");
        }
    }

    #[test]
    fn addresses_of_nothing_are_refused_without_their_password() {
        for text in [
            "",
            "s3:bucket",
            "s3:",
            "s3://",
            "s3:ftp://host/bucket",
            "s3:/bucket",
            "s3:https://host?/bucket",
            "s3:https://host/bucket/50%",
            "s3:https://host/bucket/%zz",
            "s3:https://host/bucket/%ff",
            "gs:",
            "gs:/",
            "gs:://x",
            "azure:",
            "az://",
            "rest:",
            "rest:host/x",
            "rest:http://",
            "http:///x",
            "http://user:secret@/x",
            "sftp:host:/x",
            "b2:bucket:x",
            "ftp://host/x",
            "file:///x",
        ] {
            let error = Address::parse(text).unwrap_err().to_string();
            assert!(error.contains("valid: ") || text.is_empty(), "{text}: {error}");
            assert!(!error.contains("secret"), "{text}: {error}");
        }
        assert_eq!(masked("rest:http://user:secret@host/x"), "rest:http://user:***@host/x");
        assert_eq!(masked("rest:http://host/x@y:z"), "rest:http://host/x@y:z");
    }
}
