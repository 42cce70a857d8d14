//! The tokens of the configuration: which digests they have, and whose they are.

use std::{sync::Arc, time::SystemTime};

use sha2::{Digest, Sha256};
use subtle::{ConditionallySelectable, ConstantTimeEq};

use super::{Principal, Rate, Unauthorized};
use crate::shares::Shares;
use base::scopes::Scope;
use base::{caller::Caller, config::Config};

/// Everybody who has a token.
pub struct Tokens {
    known: Vec<Known>,
}

struct Known {
    digest: [u8; 32],
    principal: Arc<Principal>,
}

impl Tokens {
    /// Those of `config`, which has been checked: what is wrong is left out.
    pub(super) fn new(config: &Config, shares: &Shares) -> Self {
        let known = config.tokens.iter().filter_map(|(name, token)| {
            let scopes = token.scopes.iter().map(|it| it.parse::<Scope>());
            let scopes = scopes.collect::<Result<Vec<_>, _>>().ok()?;
            let expires = token.expiry().transpose().ok()?.map(SystemTime::from);
            let rate = token.rate.as_ref().or(config.rate.as_ref());
            let principal = Principal {
                caller: Caller::known(name, &token.scopes, scopes.into_iter().collect())
                    .reading(token.language.as_ref()),
                rate: rate.map(Rate::new),
                share: shares.of_caller(),
                expires,
            };
            Some(Known { digest: token.digest()?, principal: Arc::new(principal) })
        });
        Self { known: known.collect() }
    }

    /// Whose `token` is.
    ///
    /// All are compared, whole, whichever it is: the time that it takes says nothing.
    pub(super) fn principal(&self, token: &str) -> Result<Arc<Principal>, Unauthorized> {
        let digest: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        let mut found = u32::MAX;
        for (at, known) in (0_u32..).zip(&self.known) {
            found.conditional_assign(&at, known.digest.ct_eq(&digest));
        }
        let known = self.known.get(found as usize).ok_or(Unauthorized::Unknown)?;
        match known.principal.expires {
            Some(expires) if expires <= SystemTime::now() => Err(Unauthorized::Expired),
            _ => Ok(known.principal.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{config::TokenConfig, grants::secret::Secret};
    use store::digest::digest;

    fn token(token: &str, expires: Option<&str>) -> TokenConfig {
        TokenConfig {
            sha256: Secret::new(digest(token.as_bytes())),
            scopes: vec!["*".to_owned()],
            expires: expires.map(str::to_owned),
            language: None,
            rate: None,
        }
    }

    #[test]
    fn a_token_is_known_by_its_digest_until_it_expires() {
        let mut config = Config::defaults();
        config.tokens.insert("ann".to_owned(), token("mdg_a", None));
        config.tokens.insert("ben".to_owned(), token("mdg_b", Some("2999-01-01T00:00:00Z")));
        config.tokens.insert("old".to_owned(), token("mdg_c", Some("2020-01-01T00:00:00Z")));
        let tokens = Tokens::new(&config, &Shares::new(1, 1));
        let name = |it: &str| tokens.principal(it).map(|it| it.caller.principal.to_string());
        assert_eq!(name("mdg_a").as_deref(), Ok("ann"));
        assert_eq!(name("mdg_b").as_deref(), Ok("ben"));
        assert_eq!(name("mdg_c"), Err(Unauthorized::Expired));
        assert_eq!(name("mdg_d"), Err(Unauthorized::Unknown));
        assert_eq!(name(&digest(b"mdg_a")), Err(Unauthorized::Unknown), "a digest opens nothing");
    }

    #[test]
    fn a_digest_is_64_hexadecimal_digits_in_either_case() {
        let read = |text: &str| {
            TokenConfig { sha256: Secret::new(text), ..token("", None) }.digest().is_some()
        };
        assert!(read(&"0aF9".repeat(16)));
        assert!(!read(&"0aF9".repeat(15)) && !read(&"0aG9".repeat(16)) && !read(""));
        assert!(!read(&"窓口".repeat(11)));
    }
}
