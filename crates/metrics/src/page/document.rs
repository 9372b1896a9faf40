//! The page as one file. Its script and its style are part of it, and run only with the number that
//! the file and its policy share.

use hyper::header::HeaderValue;

/// The text of the page. `NONCE` stands for a number that is new for each answer.
const PAGE: [&str; 8] = [
    include_str!("assets/head.html"),
    include_str!("assets/style.css"),
    include_str!("assets/body.html"),
    include_str!("assets/history.js"),
    include_str!("assets/metrics.js"),
    include_str!("assets/charts.js"),
    include_str!("assets/page.js"),
    include_str!("assets/foot.html"),
];

/// The page, and the policy that goes with it.
pub struct Document {
    pub text: String,
    pub policy: HeaderValue,
}

impl Document {
    /// Makes the page with a number that nobody can guess.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn new() -> Result<Self, getrandom::Error> {
        let nonce = format!("{:016x}{:016x}", getrandom::u64()?, getrandom::u64()?);
        let text = PAGE.concat().replace("NONCE", &nonce);
        let policy = format!(
            "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; \
             connect-src 'self'; img-src 'self' blob: data:; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'"
        );
        let policy = HeaderValue::from_str(&policy).expect("the policy is ASCII");
        Ok(Document { text, policy })
    }
}
