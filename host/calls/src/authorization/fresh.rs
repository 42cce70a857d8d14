//! Generates tokens, which are shown once and not stored.

use std::io;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jiff::{Timestamp, civil::Date, tz::TimeZone};

use base::scopes::{PREFIX, Scope};
use store::{digest::digest, seal::random};

/// Hours that a token may be valid for: a hundred years.
const HOURS_MAX: i64 = 100 * 366 * 24;

/// A token and what the configuration is to say of it.
pub struct FreshToken {
    /// The token itself; only its digest is kept.
    pub token: String,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
    /// The lines of the configuration that grant it.
    pub configuration: String,
}

impl FreshToken {
    /// Creates a token for `name` with these scopes and expiry.
    pub fn new(name: &str, scopes: &[Scope], expires: Option<Timestamp>) -> io::Result<Self> {
        // 256 bits: it cannot be guessed, and a plain SHA-256 of it reveals nothing.
        let token = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(random()?));
        let sha256 = digest(token.as_bytes());
        let scopes: Vec<_> = scopes.iter().map(|it| format!("\"{it}\"")).collect();
        let mut configuration =
            format!("[tokens.{name}]\nsha256 = \"{sha256}\"\nscopes = [{}]\n", scopes.join(", "));
        if let Some(expires) = expires {
            configuration += &format!("expires = \"{expires}\"\n");
        }
        Ok(Self { token, sha256, configuration })
    }
}

/// Parses an expiry: `90d`, `12h` or `2w` from `now`, a date, or a date with time.
pub fn expiry(text: &str, now: Timestamp) -> Result<Timestamp, String> {
    let right = || "90d, 12h, 2w, 2027-01-31 or 2027-01-31T00:00:00Z is right".to_owned();
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at);
    }
    if let Ok(date) = text.parse::<Date>() {
        return date.to_zoned(TimeZone::UTC).map(|it| it.timestamp()).map_err(|_| right());
    }
    let hours = match text.chars().next_back() {
        Some('h') => 1,
        Some('d') => 24,
        Some('w') => 7 * 24,
        _ => return Err(right()),
    };
    let number: i64 = text[..text.len() - 1].parse().map_err(|_| right())?;
    let hours = number.checked_mul(hours).filter(|it| (1..=HOURS_MAX).contains(it));
    let at = hours.and_then(|it| Timestamp::from_second(now.as_second() + it * 60 * 60).ok());
    at.ok_or_else(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_token_is_unique_and_only_its_digest_is_configured() {
        let make = || FreshToken::new("ci", &[Scope::All, Scope::ReadOnly], None).unwrap();
        let (one, other) = (make(), make());
        assert_ne!(one.token, other.token);
        assert_eq!((&one.token[..4], one.token.len()), (PREFIX, 4 + 43));
        assert_eq!(one.sha256, digest(one.token.as_bytes()));
        let lines =
            format!("[tokens.ci]\nsha256 = \"{}\"\nscopes = [\"*\", \"read-only\"]\n", one.sha256);
        assert_eq!(one.configuration, lines);
    }

    #[test]
    fn expiry_is_a_duration_or_a_date() {
        let now: Timestamp = "2026-11-21T12:00:00Z".parse().unwrap();
        for (text, at) in [
            ("90d", "2027-02-19T12:00:00Z"),
            ("1h", "2026-11-21T13:00:00Z"),
            ("2w", "2026-12-05T12:00:00Z"),
            ("2027-01-31", "2027-01-31T00:00:00Z"),
            ("2027-01-31T09:00:00+09:00", "2027-01-31T00:00:00Z"),
        ] {
            assert_eq!(expiry(text, now).map(|it| it.to_string()).as_deref(), Ok(at), "{text}");
        }
        for text in ["", "d", "0d", "-1d", "soon", "1y", "窓", "99999999999999d", "9999999w"] {
            assert!(expiry(text, now).is_err(), "{text}");
        }
    }
}
