//! Requests to an identity provider: only to configured addresses, without redirects, within limits of time and size.
//! Token introspection (RFC 7662) is one: the only way to check an opaque token, and to notice that a token was revoked.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, SystemTime},
};

use reqwest::{
    StatusCode, Url,
    header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, HeaderMap},
};
use serde_json::Value;
use tokio::sync::Semaphore;

use super::token::Claims;
use crate::authorization::Unauthorized;
use base::{
    config::{Given, OauthConfig},
    failure::causes,
    grants::{hosts::Hosts, secret::Secret},
    limits::Limits,
};
use sandbox::capability::http::{Outgoing, body_within};

/// Bytes that an answer may have.
const BYTES_MAX: usize = 256 << 10;
/// Time limit of one request.
const TIME_MAX: Duration = Duration::from_secs(5);

/// A way to one provider.
pub(super) struct Web {
    config: OauthConfig,
    outgoing: Outgoing,
}

/// Why a provider could not be asked, for the operator's log.
#[derive(Debug, thiserror::Error)]
pub(super) enum FetchError {
    #[error("{0}: {1}")]
    Address(String, String),
    #[error("{0} was not answered within {limit} s", limit = TIME_MAX.as_secs())]
    Slow(Url),
    #[error("{0} answers with status {1}")]
    Status(Url, StatusCode),
    #[error("{0} redirects, which is not followed; name the address that it leads to")]
    Redirect(Url),
    #[error("{0} answers with more than {max} bytes", max = BYTES_MAX)]
    Large(Url),
    #[error("{0} does not answer with a JSON object")]
    NoObject(Url),
    #[error("{0} cannot be reached: {1}")]
    Failed(Url, String),
}

/// A response and its cache lifetime, if given.
pub(super) struct Fetched {
    pub(super) object: Value,
    pub(super) max_age: Option<Duration>,
}

/// A form for an endpoint with client authentication.
pub(super) struct Form<'a> {
    pub(super) client_id: &'a str,
    pub(super) client_secret: &'a Secret,
    pub(super) fields: &'a [(&'a str, &'a str)],
}

impl Web {
    pub(super) fn new(config: &OauthConfig) -> Self {
        let outgoing = Outgoing::new(Hosts::default(), &Limits::default());
        Self { config: config.clone(), outgoing }
    }

    /// The JSON object at `address`.
    pub(super) async fn get(&self, address: &str) -> Result<Fetched, FetchError> {
        self.bounded(address, None).await
    }

    /// The JSON object with which `address` answers to `form`.
    async fn post(&self, address: &str, form: Form<'_>) -> Result<Fetched, FetchError> {
        self.bounded(address, Some(form)).await
    }

    async fn bounded(&self, address: &str, form: Option<Form<'_>>) -> Result<Fetched, FetchError> {
        let allowed = self.config.address(address);
        let url = allowed.map_err(|what| FetchError::Address(address.to_owned(), what))?;
        let asked = tokio::time::timeout(TIME_MAX, self.ask(&url, form)).await;
        asked.unwrap_or(Err(FetchError::Slow(url)))
    }

    async fn ask(&self, url: &Url, form: Option<Form<'_>>) -> Result<Fetched, FetchError> {
        // Errors do not include the request.
        let failed =
            |error: reqwest::Error| FetchError::Failed(url.clone(), causes(&error.without_url()));
        let is_private = self.config.private || self.config.is_local();
        let web = self.outgoing.reach(is_private).await.map_err(failed)?;
        let request = match form {
            None => web.client.get(url.clone()),
            Some(form) => {
                let secret = encoded(form.client_secret.expose());
                let request = web.client.post(url.clone());
                // Both are encoded before they are put together (RFC 6749, 2.3.1).
                let request = request.basic_auth(encoded(form.client_id), Some(secret));
                let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
                request.body(pairs(form.fields))
            }
        };
        let response = request.header(ACCEPT, "application/json").send().await.map_err(failed)?;
        let status = response.status();
        if status.is_redirection() {
            return Err(FetchError::Redirect(url.clone()));
        }
        if status != StatusCode::OK {
            return Err(FetchError::Status(url.clone(), status));
        }
        let max_age = max_age(response.headers());
        let bytes = body_within(response, BYTES_MAX).await.map_err(failed)?;
        match serde_json::from_slice(&bytes.ok_or_else(|| FetchError::Large(url.clone()))?) {
            Ok(object @ Value::Object(_)) => Ok(Fetched { object, max_age }),
            _ => Err(FetchError::NoObject(url.clone())),
        }
    }
}

fn encoded(text: &str) -> String {
    pairs(&[("", text)]).trim_start_matches('=').to_owned()
}

/// The fields as the body of a form, `application/x-www-form-urlencoded`.
fn pairs(fields: &[(&str, &str)]) -> String {
    let Ok(mut url) = Url::parse("form:") else { return String::new() };
    url.query_pairs_mut().extend_pairs(fields);
    url.query().unwrap_or_default().to_owned()
}

fn max_age(headers: &HeaderMap) -> Option<Duration> {
    let values = headers.get_all(CACHE_CONTROL).iter().filter_map(|it| it.to_str().ok());
    let mut directives = values.flat_map(|it| it.split(',')).map(str::trim);
    let seconds =
        directives.find_map(|it| it.to_ascii_lowercase().strip_prefix("max-age=")?.parse().ok());
    seconds.map(Duration::from_secs)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_credentials_and_fields() {
        assert_eq!(encoded("a b:=&é"), "a+b%3A%3D%26%C3%A9");
        assert_eq!(encoded("=x"), "%3Dx");
        assert_eq!(pairs(&[("token", "a.b"), ("c", "d&e")]), "token=a.b&c=d%26e");
    }

    #[test]
    fn parses_cache_lifetime_of_a_response() {
        let of = |value: &'static str| {
            let headers = [(CACHE_CONTROL, value.parse().unwrap())].into_iter().collect();
            max_age(&headers).map(|it| it.as_secs())
        };
        assert_eq!(of("public, Max-Age=3600, must-revalidate"), Some(3600));
        assert_eq!(of("no-store"), None);
        assert_eq!(of("max-age=soon"), None);
    }

    #[tokio::test]
    async fn requests_no_disallowed_address() {
        let config = provider("https://id.example");
        let refused = Web::new(&config).get("https://169.254.169.254/keys").await;
        assert!(matches!(refused, Err(FetchError::Address(..))));
        let refused = Web::new(&config).get("http://127.0.0.1:1/keys").await;
        assert!(matches!(refused, Err(FetchError::Address(..))));
    }

    fn provider(issuer: &str) -> OauthConfig {
        serde_json::from_value(serde_json::json!({ "issuer": issuer })).unwrap()
    }
}
