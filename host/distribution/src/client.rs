//! HTTP client of one registry, with limits on redirects, time and size. Credentials go to the registry and its token
//! endpoint only (DIST-3, DIST-4).

use std::{collections::HashMap, path::Path, time::Duration};

use base::{
    call::causes,
    config::{Config, RegistryConfig, registries::is_loopback},
    grants::{
        hosts::{self, Hosts},
        http::Scheme,
        secret::Secret,
    },
    limits::Limits,
    source::read_text,
};
use bytes::Bytes;
use reqwest::{
    Certificate, Method, RequestBuilder, Response, StatusCode, Url,
    header::{
        ACCEPT, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION,
        WWW_AUTHENTICATE,
    },
};
use sandbox::capability::http::Outgoing;
use serde::Deserialize;
use serde_json::Value;
use tokio::{sync::Mutex, time::Instant};

use crate::{
    Error, Result,
    credentials::{self, Credentials},
    reference::{Digest, Reference},
};

/// Redirects that one request follows.
const REDIRECTS_MAX: usize = 5;
/// Bytes of an answer that gives a token.
const TOKEN_BYTES_MAX: u64 = 64 << 10;
/// Bytes of an error response that are read.
const ERROR_BYTES_MAX: u64 = 16 << 10;
/// Bytes of a file of authorities' certificates.
const CA_BYTES_MAX: u64 = 1 << 20;
/// Maximum length of a shown registry message, in characters.
const MESSAGE_MAX: usize = 300;

/// Access to the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Access {
    /// Read.
    Pull,
    /// Read and write.
    Push,
}

/// HTTP client of one repository, with its credentials.
pub(crate) struct Client {
    host: String,
    repository: String,
    own: Url,
    config: RegistryConfig,
    pub(crate) base: std::path::PathBuf,
    outgoing: Outgoing,
    until: Instant,
    /// The header for each access.
    authorizations: Mutex<HashMap<Access, Secret>>,
}

/// A request, as it can be made more than once.
struct Ask<'a> {
    method: Method,
    url: Url,
    headers: &'a [(&'static str, &'a str)],
    body: Option<Bytes>,
}

/// Authentication scheme that a registry requires.
#[derive(Debug, PartialEq, Eq)]
enum Challenge {
    Basic,
    Bearer { realm: String, service: Option<String> },
}

/// The certificates of authorities that the configuration names for a registry. A path counts from `base`.
///
/// # Errors
/// If the file is unreadable or has none.
pub fn authorities(registry: &RegistryConfig, base: &Path) -> Result<Vec<Certificate>> {
    let Some(file) = &registry.ca else { return Ok(Vec::new()) };
    let file = base.join(file);
    let text = read_text(&file, CA_BYTES_MAX).map_err(Error::file(&file))?;
    let found = Certificate::from_pem_bundle(text.as_bytes()).unwrap_or_default();
    match found.is_empty() {
        false => Ok(found),
        true => Err(Error(format!(
            "ca = {}: it has no certificate as PEM (-----BEGIN CERTIFICATE-----)",
            file.display()
        ))),
    }
}

impl Client {
    /// A way to the repository of `reference`.
    ///
    /// # Errors
    /// If its host is invalid.
    pub(crate) fn for_repository(reference: &Reference, config: &Config) -> Result<Self> {
        let repository = reference.repository.clone();
        Ok(Self { repository, ..Self::new(&reference.host, config)? })
    }

    /// A way to the registry at `host`, and to no repository.
    ///
    /// # Errors
    /// If `host` is invalid.
    pub(crate) fn new(host: &str, config: &Config) -> Result<Self> {
        let registry = config.registries.get(host).cloned().unwrap_or_default();
        let fallback = if is_loopback(host) { Scheme::Http } else { Scheme::Https };
        let scheme = registry.scheme.unwrap_or(fallback);
        let own = Url::parse(&format!("{scheme}://{host}/"));
        let limits = Limits { http_connect_ms: registry.timeout_ms, ..Limits::default() };
        Ok(Self {
            own: own.map_err(|_| Error::reference(host))?,
            host: host.to_owned(),
            repository: String::new(),
            until: Instant::now() + registry.total(),
            outgoing: Outgoing::new(Hosts::default(), &limits)
                .trusting(authorities(&registry, &config.base)?),
            config: registry,
            base: config.base.clone(),
            authorizations: Mutex::default(),
        })
    }

    /// The address of `path` there.
    pub(crate) fn url(&self, path: &str) -> Url {
        let mut url = self.own.clone();
        url.set_path(path);
        url
    }

    /// The address of `path` in the repository.
    pub(crate) fn url_for(&self, path: &str) -> Url {
        self.url(&format!("v2/{}/{path}", self.repository))
    }

    /// Whether `url` is at the registry itself.
    pub(crate) fn is_own(&self, url: &Url) -> bool {
        url.origin() == self.own.origin()
    }

    /// Sends a `GET` request and follows redirects.
    pub(crate) async fn get(&self, url: Url, accept: &str) -> Result<Response> {
        let headers = [(ACCEPT.as_str(), accept)];
        let ask = Ask { method: Method::GET, url, headers: &headers, body: None };
        let mut response = self.authorized(&ask, Access::Pull).await?;
        let mut redirects = 0;
        while response.status().is_redirection() {
            redirects += 1;
            let from = response.url().clone();
            if redirects > REDIRECTS_MAX {
                return Err(refused(&from, format!("more than {REDIRECTS_MAX} redirects")));
            }
            let to = response.headers().get(LOCATION).and_then(|it| it.to_str().ok());
            let to = leads(&from, to).map_err(|what| refused(&from, what))?;
            // Nothing that the registry was asked with goes along.
            let ask = Ask { method: Method::GET, url: to, headers: &headers, body: None };
            response = self.send(&ask, None).await?;
        }
        Ok(response)
    }

    /// Sends what changes something there. Redirects are not followed.
    pub(crate) async fn change(
        &self,
        method: Method,
        url: Url,
        headers: &[(&'static str, &str)],
        body: Bytes,
    ) -> Result<Response> {
        let ask = Ask { method, url, headers, body: Some(body) };
        let response = self.authorized(&ask, Access::Push).await?;
        match response.status().is_redirection() {
            true => Err(refused(&ask.url, "it redirects, which is followed for reading only")),
            false => Ok(response),
        }
    }

    /// Sends it, and once more with what the registry asks for.
    async fn authorized(&self, ask: &Ask<'_>, to: Access) -> Result<Response> {
        let authorization = self.authorizations.lock().await.get(&to).cloned();
        let response = self.send(ask, authorization.as_ref()).await?;
        if response.status() != StatusCode::UNAUTHORIZED || !self.is_own(&ask.url) {
            return Ok(response);
        }
        let unsaid = "it does not say by which of Bearer and Basic it is to be asked";
        let challenge = challenge(response.headers()).ok_or_else(|| refused(&ask.url, unsaid))?;
        let found = credentials::find(&self.host, &self.config, &self.base).await?;
        let authorization = match (challenge, found) {
            (Challenge::Basic, Some(Credentials::Password(name, secret))) => {
                self.check_secure(&self.own)?;
                basic(&name, &secret)
            }
            (Challenge::Basic, _) => return Err(self.nothing_to_ask_with()),
            (Challenge::Bearer { realm, service }, found) => {
                self.token(&realm, service.as_deref(), to, found).await?
            }
        };
        self.authorizations.lock().await.insert(to, authorization.clone());
        let response = self.send(ask, Some(&authorization)).await?;
        match response.status() {
            StatusCode::UNAUTHORIZED => Err(self.nothing_to_ask_with()),
            _ => Ok(response),
        }
    }

    fn nothing_to_ask_with(&self) -> Error {
        let host = &self.host;
        Error(format!(
            "{host} wants to know who asks, and what is known here does not do: username and password, or credential_helper, under [registries.{host:?}], or `docker login {host}`"
        ))
    }

    /// A token of the registry's token service (Docker's and OCI's distribution flow).
    async fn token(
        &self,
        realm: &str,
        service: Option<&str>,
        access: Access,
        found: Option<Credentials>,
    ) -> Result<Secret> {
        let url = self.realm(realm, found.is_some())?;
        let actions = if access == Access::Push { "pull,push" } else { "pull" };
        let scope = format!("repository:{}:{actions}", self.repository);
        let service = service.map(|it| ("service", it));
        let fields: Vec<_> = service.into_iter().chain([("scope", &*scope)]).collect();
        let mut with_query = url.clone();
        with_query.query_pairs_mut().extend_pairs(&fields);
        let response = match found {
            None => {
                let ask = Ask { method: Method::GET, url: with_query, headers: &[], body: None };
                self.send(&ask, None).await?
            }
            Some(Credentials::Password(name, secret)) => {
                let ask = Ask { method: Method::GET, url: with_query, headers: &[], body: None };
                self.send(&ask, Some(&basic(&name, &secret))).await?
            }
            Some(Credentials::Refresh(secret)) => {
                let mut form = Url::parse("form:").map_err(|_| self.nothing_to_ask_with())?;
                let known = [
                    ("grant_type", "refresh_token"),
                    ("client_id", "madoguchi"),
                    ("refresh_token", secret.expose()),
                ];
                form.query_pairs_mut().extend_pairs(known).extend_pairs(&fields);
                let body = form.query().unwrap_or_default().to_owned();
                let headers = [(CONTENT_TYPE.as_str(), "application/x-www-form-urlencoded")];
                let ask = Ask {
                    method: Method::POST,
                    url: url.clone(),
                    headers: &headers,
                    body: Some(body.into()),
                };
                self.send(&ask, None).await?
            }
        };
        match response.status() {
            StatusCode::OK => {}
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                return Err(self.nothing_to_ask_with());
            }
            status => return Err(refused(&url, format!("it gives no token: status {status}"))),
        }
        #[derive(Deserialize)]
        struct Given {
            token: Option<Secret>,
            access_token: Option<Secret>,
        }
        let bytes = self.body(response, TOKEN_BYTES_MAX).await?;
        let given: Option<Given> = serde_json::from_slice(&bytes).ok();
        let token = given.and_then(|it| it.token.or(it.access_token));
        let is_fit = |secret: &Secret| {
            !secret.expose().is_empty() && secret.expose().bytes().all(|it| it.is_ascii_graphic())
        };
        match token.filter(is_fit) {
            Some(token) => Ok(Secret::new(format!("Bearer {}", token.expose()))),
            None => Err(refused(&url, "it gives no token")),
        }
    }

    /// Token endpoint. Credentials go only to the registry itself or to the configured realm.
    fn realm(&self, realm: &str, is_secret: bool) -> Result<Url> {
        let wrong = || refused(&self.own, "it names no address that gives tokens");
        let url = Url::parse(realm).map_err(|_| wrong())?;
        if Scheme::from_url(&url).is_none() || !url.username().is_empty() {
            return Err(wrong());
        }
        let named = self.config.realm.as_ref().and_then(|it| Url::parse(it).ok());
        let is_named = self.is_own(&url) || named.is_some_and(|it| it.origin() == url.origin());
        let origin = url.origin().ascii_serialization();
        if is_secret && !is_named {
            return Err(Error(format!(
                "{host} sends on to {origin} for a token, and what {host} is asked with goes to no other place unless you say so: realm = {origin:?} under [registries.{host:?}]",
                host = self.host,
            )));
        }
        if url.scheme() == "http" && !is_named {
            let what = format!("it sends on to {origin} for a token, over plain http");
            return Err(refused(&self.own, what));
        }
        if is_secret {
            self.check_secure(&url)?;
        }
        Ok(url)
    }

    /// Allows credentials over plain http only on loopback, or as configured.
    fn check_secure(&self, url: &Url) -> Result<()> {
        let authority = url.host_str().unwrap_or_default();
        let is_said = self.config.scheme == Some(Scheme::Http);
        match url.scheme() == "https" || is_loopback(authority) || is_said {
            true => Ok(()),
            false => Err(refused(url, "nothing secret goes there over plain http")),
        }
    }

    async fn send(&self, ask: &Ask<'_>, authorization: Option<&Secret>) -> Result<Response> {
        let Ask { method, url, headers, body } = ask;
        let may_be_private = self.may_be_private(url);
        if !may_be_private && hosts::of_url(url).is_some_and(hosts::is_private) {
            let what = format!(
                "it is an address of this machine or its network; private = true under [registries.{:?}] lets it be",
                self.host
            );
            return Err(refused(url, what));
        }
        let failed = |it: reqwest::Error| refused(url, causes(&it.without_url()));
        let web = self.outgoing.reach(may_be_private).await.map_err(failed)?;
        let mut request: RequestBuilder = web.client.request(method.clone(), url.clone());
        for (name, value) in *headers {
            request = request.header(*name, *value);
        }
        if let Some(authorization) = authorization {
            let value = HeaderValue::from_str(authorization.expose());
            let mut value = value.map_err(|_| self.nothing_to_ask_with())?;
            // Marked so that request logs do not show it.
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        // Uploads have no idle limit, only the total one.
        let patience = match body {
            Some(body) if !body.is_empty() => self.config.total(),
            _ => self.config.timeout(),
        };
        if let Some(body) = body {
            request = request.header(CONTENT_LENGTH, body.len()).body(body.clone());
        }
        let sent = self.in_time(url, patience, request.send()).await?;
        sent.map_err(|error| match web.has_roots || url.scheme() == "http" {
            true => failed(error),
            false => refused(
                url,
                format!(
                    "{}; this machine has no root certificates (ca-certificates, or SSL_CERT_FILE)",
                    causes(&error.without_url())
                ),
            ),
        })
    }

    /// Whether `url` may be private: a loopback registry, or as configured.
    fn may_be_private(&self, url: &Url) -> bool {
        self.config.private || (is_loopback(&self.host) && self.is_own(url))
    }

    async fn in_time<T>(
        &self,
        url: &Url,
        patience: Duration,
        what: impl Future<Output = T>,
    ) -> Result<T> {
        let until = self.until.min(Instant::now() + patience);
        tokio::time::timeout_at(until, what).await.map_err(|_| {
            let limit = if until == self.until { "total_ms" } else { "timeout_ms" };
            let what = format!(
                "no answer in time; {limit} under [registries.{:?}] is how long it may take",
                self.host
            );
            refused(url, what)
        })
    }

    /// The next piece of a body.
    pub(crate) async fn piece(&self, response: &mut Response) -> Result<Option<Bytes>> {
        let url = response.url().clone();
        let piece = self.in_time(&url, self.config.timeout(), response.chunk()).await?;
        piece.map_err(|error| {
            refused(&url, format!("its answer breaks off: {}", causes(&error.without_url())))
        })
    }

    /// Reads a body of at most `bytes_max` bytes.
    pub(crate) async fn body(&self, mut response: Response, bytes_max: u64) -> Result<Vec<u8>> {
        let url = response.url().clone();
        let too_much = || refused(&url, format!("it answers with more than {bytes_max} bytes"));
        if response.content_length().is_some_and(|it| it > bytes_max) {
            return Err(too_much());
        }
        let mut bytes = Vec::new();
        while let Some(piece) = self.piece(&mut response).await? {
            if (bytes.len() + piece.len()) as u64 > bytes_max {
                return Err(too_much());
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }

    /// Reads a body with this exact size and digest.
    pub(crate) async fn blob(
        &self,
        mut response: Response,
        digest: &Digest,
        size: u64,
    ) -> Result<Vec<u8>> {
        let url = response.url().clone();
        let length = response.content_length().filter(|it| *it != size);
        if let Some(length) = length {
            let what = format!("it has {length} bytes, and its manifest says {size}");
            return Err(refused(&url, what));
        }
        let mut bytes = Vec::new();
        while let Some(piece) = self.piece(&mut response).await? {
            if (bytes.len() + piece.len()) as u64 > size {
                let what = format!("it has more bytes than the {size} that its manifest says");
                return Err(refused(&url, what));
            }
            bytes.extend_from_slice(&piece);
        }
        if bytes.len() as u64 != size {
            let what = format!("it has {} bytes, and its manifest says {size}", bytes.len());
            return Err(refused(&url, what));
        }
        let found = Digest::of_bytes(&bytes);
        match found == *digest {
            true => Ok(bytes),
            false => Err(refused(&url, digest_mismatch(digest, &found))),
        }
    }

    /// Checks the response status.
    pub(crate) async fn good(&self, response: Response, status: StatusCode) -> Result<Response> {
        if response.status() == status { Ok(response) } else { Err(self.failed(response).await) }
    }

    /// The error of a failed response, with the registry's message.
    pub(crate) async fn failed(&self, response: Response) -> Error {
        let (url, status) = (response.url().clone(), response.status());
        let bytes = self.body(response, ERROR_BYTES_MAX).await.unwrap_or_default();
        let answer: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let first = &answer["errors"][0];
        let both = [&first["code"], &first["message"]].into_iter().filter_map(Value::as_str);
        let both = both.collect::<Vec<_>>().join(": ");
        let plain = both.chars().map(|it| if it.is_control() { ' ' } else { it });
        let message: String = plain.take(MESSAGE_MAX).collect();
        let more = if message.is_empty() { String::new() } else { format!(" ({message})") };
        refused(&url, format!("status {status}{more}"))
    }
}

fn basic(name: &str, secret: &Secret) -> Secret {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    Secret::new(format!("Basic {}", STANDARD.encode(format!("{name}:{}", secret.expose()))))
}

/// The address without what may be secret in it.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.to_string()
}

pub(crate) fn refused(url: &Url, what: impl Into<String>) -> Error {
    Error(format!("{}: {}", shown(url), what.into()))
}

/// Describes a digest mismatch.
pub(crate) fn digest_mismatch(wanted: impl std::fmt::Display, found: &Digest) -> String {
    format!("its bytes are not those of {wanted}: they have {found}")
}

/// Target of a redirect. Never from https to http.
fn leads(from: &Url, location: Option<&str>) -> Result<Url, String> {
    let to = location.and_then(|it| from.join(it).ok());
    let to = to.ok_or_else(|| "it redirects to no address".to_owned())?;
    match (from.scheme(), to.scheme()) {
        (_, "https") | ("http", "http") => Ok(to),
        _ => Err(format!("it redirects to {}, and https leads to https only", shown(&to))),
    }
}

/// Authentication scheme of a response. Tokens are preferred.
fn challenge(headers: &HeaderMap) -> Option<Challenge> {
    let all = headers.get_all(WWW_AUTHENTICATE).iter().filter_map(|it| it.to_str().ok());
    let all: Vec<_> = all.filter_map(one_challenge).collect();
    let is_bearer = |it: &&Challenge| matches!(it, Challenge::Bearer { .. });
    let at = all.iter().position(|it| is_bearer(&it)).unwrap_or(0);
    all.into_iter().nth(at)
}

fn one_challenge(text: &str) -> Option<Challenge> {
    let (scheme, mut rest) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    if scheme.eq_ignore_ascii_case("basic") {
        return Some(Challenge::Basic);
    }
    if !scheme.eq_ignore_ascii_case("bearer") {
        return None;
    }
    let (mut realm, mut service) = (None, None);
    while let Some((name, after)) = rest.split_once('=') {
        let name = name.trim_matches([' ', ',']);
        let (value, left) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            None => after.split_once(',').unwrap_or((after, "")),
        };
        match name.to_ascii_lowercase().as_str() {
            "realm" => realm = Some(value.to_owned()),
            "service" => service = Some(value.to_owned()),
            _ => {}
        }
        rest = left;
    }
    Some(Challenge::Bearer { realm: realm?, service })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_authentication_challenge() {
        let of = |lines: &[&'static str]| {
            let headers = lines.iter().map(|it| (WWW_AUTHENTICATE, it.parse().unwrap()));
            let mut all = HeaderMap::new();
            headers.for_each(|(name, value)| _ = all.append(name, value));
            challenge(&all)
        };
        let bearer = |realm: &str, service: Option<&str>| {
            Some(Challenge::Bearer { realm: realm.to_owned(), service: service.map(str::to_owned) })
        };
        let line = r#"Bearer realm="https://id.example/token?a=b,c",service="registry", scope="x""#;
        assert_eq!(of(&[line]), bearer("https://id.example/token?a=b,c", Some("registry")));
        assert_eq!(of(&["Basic realm=\"x\"", "bearer realm=https://a"]), bearer("https://a", None));
        assert_eq!(of(&["BASIC realm=\"x\""]), Some(Challenge::Basic));
        for wrong in ["Bearer", "Bearer realm=\"x", "Bearer service=\"x\"", "Digest realm=\"x\""] {
            assert_eq!(of(&[wrong]), None, "{wrong}");
        }
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn redirects_from_https_lead_only_to_https() {
        let from = Url::parse("https://registry.example/v2/echo/blobs/x").unwrap();
        let to = |location| leads(&from, location).map(String::from);
        assert_eq!(to(Some("/y")).unwrap(), "https://registry.example/y");
        assert_eq!(to(Some("//cdn.example/y?z")).unwrap(), "https://cdn.example/y?z");
        for wrong in
            [Some("http://registry.example/y"), Some("file:///etc/passwd"), Some("ftp://x/"), None]
        {
            assert!(to(wrong).is_err(), "{wrong:?}");
        }
        let plain = Url::parse("http://127.0.0.1:5000/").unwrap();
        assert!(leads(&plain, Some("http://127.0.0.1:5001/")).is_ok());
        assert!(leads(&plain, Some("data:,x")).is_err());
    }

    #[test]
    fn shows_address_without_query_and_password() {
        let url = Url::parse("https://ann:s3cret@cdn.example/a?token=s3cret#x").unwrap();
        assert_eq!(shown(&url), "https://cdn.example/a");
    }
}
