//! Token introspection (RFC 7662): the only way to check an opaque token, and to notice that a token was revoked.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, SystemTime},
};

use serde_json::Value;
use tokio::sync::Semaphore;

use super::{
    fetch::{Form, Web},
    token::Claims,
};
use crate::authorization::Unauthorized;
use base::config::{Given, OauthConfig};

/// Questions to one provider at a time.
const AT_ONCE_MAX: usize = 16;
/// Maximum wait for the turn to ask.
const WAIT_MAX: Duration = Duration::from_secs(2);

/// A provider's endpoint for introspection.
pub(super) struct Introspection {
    issuer: String,
    endpoint: String,
    client_id: String,
    client_secret: Given,
    base: PathBuf,
    clock_skew: Duration,
    web: Arc<Web>,
    places: Semaphore,
}

impl Introspection {
    /// Introspection by the provider of `config`, if configured. Files are relative to `base`.
    pub(super) fn new(config: &OauthConfig, web: &Arc<Web>, base: PathBuf) -> Option<Self> {
        Some(Self {
            issuer: config.issuer.clone(),
            endpoint: config.introspection_endpoint.clone()?,
            client_id: config.client_id.clone()?,
            client_secret: config.client_secret.clone()?,
            base,
            clock_skew: Duration::from_secs(config.clock_skew_s),
            web: web.clone(),
            places: Semaphore::new(AT_ONCE_MAX),
        })
    }

    /// Introspects `token`. Returns its claims if active and for one of `audience`.
    pub(super) async fn ask(
        &self,
        token: &str,
        audience: &[String],
    ) -> Result<Claims, Unauthorized> {
        let unavailable = Unauthorized::Unavailable { retry_after_ms: 1_000 };
        let place = tokio::time::timeout(WAIT_MAX, self.places.acquire()).await;
        let Ok(Ok(_place)) = place else { return Err(unavailable) };
        // Read each time, because it may change; the disk may be slow.
        let (secret, base) = (self.client_secret.clone(), self.base.clone());
        let client_secret = tokio::task::spawn_blocking(move || secret.read(&base)).await;
        let client_secret =
            client_secret.unwrap_or_else(|it| Err(it.to_string())).map_err(|what| {
                tracing::error!("[oauth] {}: client_secret: {what}", self.issuer);
                unavailable
            })?;
        let form = Form {
            client_id: &self.client_id,
            client_secret: &client_secret,
            fields: &[("token", token), ("token_type_hint", "access_token")],
        };
        let answered = self.web.post(&self.endpoint, form).await.map_err(|error| {
            tracing::warn!("[oauth] {}: {error}", self.issuer);
            unavailable
        })?;
        let Value::Object(claims) = answered.object else { return Err(unavailable) };
        self.check(&claims, audience).map(|()| claims)
    }

    fn check(&self, claims: &Claims, audience: &[String]) -> Result<(), Unauthorized> {
        let invalid = |what| Err(Unauthorized::Invalid(what));
        if claims.get("active") != Some(&Value::Bool(true)) {
            return invalid("The token is not, or no longer, one of its issuer");
        }
        if claims.get("iss").is_some_and(|it| it.as_str() != Some(&self.issuer)) {
            return invalid("The token is of another issuer");
        }
        let is_valid_cookie =
            |it: &Value| it.as_str().is_some_and(|it| audience.iter().any(|own| own == it));
        let is_for_us = match claims.get("aud") {
            None => return invalid("The token does not say for which audience it is (aud)"),
            Some(Value::Array(all)) => all.iter().any(is_valid_cookie),
            Some(one) => is_valid_cookie(one),
        };
        if !is_for_us {
            return invalid("The token is for another audience than this server");
        }
        if claims.contains_key("cnf") {
            return invalid(
                "The token is bound to a key of its holder, and this server takes bearer tokens",
            );
        }
        let now = SystemTime::now();
        match seconds(claims, "exp") {
            Some(at) if at + self.clock_skew < now => return Err(Unauthorized::Expired),
            None if claims.contains_key("exp") => return invalid("The token cannot be read"),
            _ => {}
        }
        match seconds(claims, "nbf") {
            Some(at) if at > now + self.clock_skew => invalid("The token is not valid yet"),
            None if claims.contains_key("nbf") => invalid("The token cannot be read"),
            _ => Ok(()),
        }
    }
}

/// A claim as a time.
pub(super) fn seconds(claims: &Claims, name: &str) -> Option<SystemTime> {
    let at = claims.get(name)?;
    let at = at.as_u64().or_else(|| {
        // Some providers write a fraction.
        let whole = at.as_f64().filter(|it| (0.0..1e12).contains(it))?;
        Some(whole as u64)
    })?;
    // Later is as good as never.
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(at.min(1 << 36)))
}
