//! Who sends a request, what they may reach, and how often they may ask.

use std::{net::IpAddr, sync::Arc, time::SystemTime};

use http::{Extensions, HeaderMap, header};

use crate::shares::{Share, Shares};
use base::{caller::Caller, config::Config};

pub mod fresh;
mod gateway;
mod rate;
mod refusal;
mod tokens;

pub use gateway::{Gateway, NoEntry};
pub use rate::{Rate, Strangers};
pub use refusal::{Shape, forbidden, insufficient_scope, refusal, too_many, unauthorized};
pub use tokens::Tokens;

/// Whoever can tell from a request who sends it.
///
/// One thing more that can (an OAuth authorization server's signed tokens, say) is one variant
/// more, and its metadata one parameter more in what [`unauthorized`] says. Nothing behind the
/// guard changes with it: handlers read the [`Principal`] that it found.
pub enum Authority {
    /// Nobody needs to say who they are: this machine alone can ask.
    Open,
    /// The tokens of the configuration.
    Tokens(Tokens),
}

/// Somebody who is known.
pub struct Principal {
    /// As components see them.
    pub caller: Caller,
    /// How often they may ask.
    pub rate: Option<Rate>,
    /// How much they may send at once.
    pub share: Share,
    /// Until when they are let in.
    pub expires: Option<SystemTime>,
}

/// Who sent a request with these headers, as far as the guard found out.
pub fn caller_of(headers: &HeaderMap, extensions: &Extensions) -> Caller {
    let language = headers.get(header::ACCEPT_LANGUAGE).and_then(|it| it.to_str().ok());
    let known = extensions.get::<Arc<Principal>>();
    known.map_or_else(Caller::anonymous, |it| it.caller.clone()).speaking(language)
}

/// Where a request comes from that tries a password.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// The rate of a request whose sender is not known.
#[derive(Clone)]
pub struct StrangersRate {
    strangers: Arc<Strangers>,
    peer: IpAddr,
}

impl StrangersRate {
    pub fn new(strangers: Arc<Strangers>, peer: IpAddr) -> Self {
        Self { strangers, peer }
    }
}

/// Counts one request more in a request that has been let in with these; the milliseconds to wait
/// where that is too much.
pub fn take_one_more(extensions: &Extensions) -> Result<(), u64> {
    if let Some(principal) = extensions.get::<Arc<Principal>>() {
        return principal.rate.as_ref().map_or(Ok(()), Rate::take);
    }
    let strangers = extensions.get::<StrangersRate>();
    strangers.map_or(Ok(()), |it| it.strangers.take(it.peer))
}

/// Mark of a request that came without a token where that is allowed: it is told little.
#[derive(Clone, Copy)]
pub struct Stranger;

/// Why it is not known who sends a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unauthorized {
    /// Nothing was sent.
    Missing,
    /// What was sent cannot be read.
    Malformed,
    /// Nobody has this token.
    Unknown,
    /// The token was somebody's.
    Expired,
}

impl Authority {
    /// What `config`, which has been checked, decides.
    pub fn of(config: &Config, shares: &Shares) -> Self {
        match config.tokens.is_empty() {
            true => Self::Open,
            false => Self::Tokens(Tokens::new(config, shares)),
        }
    }

    /// Whether anybody may come in without saying who they are.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Open)
    }

    /// Who sends a request with these headers; nobody in particular where all are the same.
    pub fn principal(&self, headers: &HeaderMap) -> Result<Option<Arc<Principal>>, Unauthorized> {
        match self {
            Self::Open => Ok(None),
            Self::Tokens(tokens) => tokens.principal(bearer(headers)?).map(Some),
        }
    }
}

/// What `Authorization: Bearer` brings (RFC 6750, 2.1).
fn bearer(headers: &HeaderMap) -> Result<&str, Unauthorized> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let value = values.next().ok_or(Unauthorized::Missing)?;
    if values.next().is_some() {
        return Err(Unauthorized::Malformed);
    }
    let value = value.to_str().map_err(|_| Unauthorized::Malformed)?;
    match value.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => match token.trim() {
            "" => Err(Unauthorized::Malformed),
            token => Ok(token),
        },
        None if value.eq_ignore_ascii_case("bearer") => Err(Unauthorized::Malformed),
        // Another scheme is none of ours: as if nothing had been sent.
        _ => Err(Unauthorized::Missing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &[&str]) -> Result<String, Unauthorized> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, value.parse().unwrap());
        }
        bearer(&headers).map(str::to_owned)
    }

    #[test]
    fn one_bearer_token_is_read_and_anything_else_is_none_or_malformed() {
        assert_eq!(read(&["Bearer abc"]).as_deref(), Ok("abc"));
        assert_eq!(read(&["bEARER  abc"]).as_deref(), Ok("abc"));
        assert_eq!(read(&[]), Err(Unauthorized::Missing));
        assert_eq!(read(&["Basic dTpw"]), Err(Unauthorized::Missing));
        assert_eq!(read(&["Bearer"]), Err(Unauthorized::Malformed));
        assert_eq!(read(&["Bearer  "]), Err(Unauthorized::Malformed));
        assert_eq!(read(&["Bearer abc", "Bearer abc"]), Err(Unauthorized::Malformed));
    }
}
