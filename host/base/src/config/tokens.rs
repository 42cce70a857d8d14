//! Tokens and rates, as the operator writes them: `[tokens.NAME]`, `[rate]`.

use std::num::NonZeroU32;

use data_encoding::HEXLOWER_PERMISSIVE;
use serde::Deserialize;

use crate::{grants::secret::Secret, language::LanguageTag};

pub mod check;

/// How often a caller may ask: `[rate]` for all, `rate = { … }` in `[tokens.NAME]` for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateConfig {
    /// Requests in a second, over time.
    pub requests_per_s: NonZeroU32,
    /// Requests at once, before that counts; as many as in a second where this is not set.
    pub burst: Option<NonZeroU32>,
}

/// One token: `[tokens.NAME]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenConfig {
    /// The SHA-256 of the token, in hexadecimal.
    pub sha256: Secret,
    /// What its holder may do.
    #[serde(default)]
    pub scopes: Vec<String>,
    /// From when on it is worth nothing.
    #[serde(default)]
    pub expires: Option<String>,
    /// What its holder reads, where a request does not say it.
    #[serde(default)]
    pub language: Option<LanguageTag>,
    /// How often its holder may ask, where that is not as for all.
    #[serde(default)]
    pub rate: Option<RateConfig>,
    /// The toolset that its holder knows of, wherever they ask; all tools where this is not set.
    #[serde(default)]
    pub toolset: Option<String>,
}

impl TokenConfig {
    /// The digest as bytes; none where it is not one.
    pub fn digest(&self) -> Option<[u8; 32]> {
        let digest = HEXLOWER_PERMISSIVE.decode(self.sha256.expose().as_bytes());
        digest.ok()?.try_into().ok()
    }

    /// When it expires; none is never. An error where that is no date.
    pub fn expiry(&self) -> Option<Result<jiff::Timestamp, jiff::Error>> {
        self.expires.as_ref().map(|it| it.parse())
    }
}
