//! The token of a page that other machines can reach.

use std::fmt;
use std::io;
use std::str::FromStr;

use subtle::ConstantTimeEq;

/// The least characters of a token that somebody chose.
const LEAST: usize = 16;

/// The most characters of a token.
const MOST: usize = 256;

/// A secret that requests for the page must have.
#[derive(Clone)]
pub struct Token(String);

/// A text is no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenError;

impl Token {
    /// Makes a token of 128 random bits.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn generate() -> io::Result<Self> {
        let mut bits = [0; 16];
        getrandom::fill(&mut bits).map_err(io::Error::other)?;
        Ok(Token(bits.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Returns the token as text.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns `true` if a text is this token. Takes the same time for every text of its length.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        self.0.as_bytes().ct_eq(text.as_bytes()).into()
    }
}

/// Reads a token: 16 to 256 of the characters that need no escape in a URL.
impl FromStr for Token {
    type Err = TokenError;

    fn from_str(text: &str) -> Result<Self, TokenError> {
        let unreserved =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
        let is_token = (LEAST..=MOST).contains(&text.len()) && text.bytes().all(unreserved);
        is_token.then(|| Token(text.to_owned())).ok_or(TokenError)
    }
}

/// Leaves out the secret.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "a token is {LEAST} to {MOST} letters, digits and characters out of -._~")
    }
}

impl std::error::Error for TokenError {}
