//! OAuth clients: registered dynamically (RFC 7591) or described by a document at their id (client ID metadata). All of
//! them are public clients without a secret.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use base::{
    clean::is_clean,
    grants::hosts::{Hosts, is_loopback_host, is_private, of_url},
    limits::Limits,
};
use parking_lot::Mutex;
use reqwest::{StatusCode, header::ACCEPT};
use sandbox::capability::http::{Outgoing, body_within};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use url::Url;

use crate::state::Client;

/// Redirect URIs that a client may have, and bytes that one, a name and a document's address may have.
const REDIRECTS_MAX: usize = 10;
const URI_BYTES_MAX: usize = 1_024;
const NAME_CHARS_MAX: usize = 80;
/// Prefix of ids of registered clients.
const PREFIX: &str = "client_";
/// The client that this server's own page is.
pub(crate) const PAGE: &str = "madoguchi-page";
/// Schemes of well-known programs that lack the required dot (RFC 8252, 7.1).
const SCHEMES: [&str; 4] = ["cursor", "vscode", "vscode-insiders", "windsurf"];

/// Why a client is rejected: a code of RFC 7591 or 6749, and what to fix.
pub(crate) type Problem = (&'static str, String);

/// Parses the metadata of a client from its registration or its document.
///
/// # Errors
/// What is invalid.
pub(crate) fn read(id: String, body: &Value, registered_s: Option<u64>) -> Result<Client, Problem> {
    let wrong = |what: &str| ("invalid_client_metadata", what.to_owned());
    let texts = |name: &str| match &body[name] {
        Value::Null => Ok(None),
        Value::Array(all) => {
            let all: Option<Vec<_>> = all.iter().map(|it| it.as_str().map(str::to_owned)).collect();
            all.map(Some).ok_or_else(|| wrong(&format!("{name} is a list of texts")))
        }
        _ => Err(wrong(&format!("{name} is a list of texts"))),
    };
    let mut redirect_uris = texts("redirect_uris")?.unwrap_or_default();
    if redirect_uris.is_empty() || redirect_uris.len() > REDIRECTS_MAX {
        let what = format!("redirect_uris has 1 to {REDIRECTS_MAX} addresses");
        return Err(("invalid_redirect_uri", what));
    }
    // Invalid ones are skipped; the response lists those accepted.
    let problem = redirect_uris.iter().find_map(|it| redirect_problem(it));
    redirect_uris.retain(|it| redirect_problem(it).is_none());
    if let Some(what) = problem.filter(|_| redirect_uris.is_empty()) {
        return Err(("invalid_redirect_uri", what.to_owned()));
    }
    for (name, right) in [
        ("grant_types", &["authorization_code", "refresh_token"][..]),
        ("response_types", &["code"][..]),
    ] {
        if let Some(all) = texts(name)?
            && !all.iter().any(|it| *it == right[0])
        {
            return Err(wrong(&format!("{name} must have {:?}", right[0])));
        }
    }
    let name = match &body["client_name"] {
        Value::Null => host_of(&redirect_uris[0]),
        Value::String(name) => name.trim().to_owned(),
        _ => return Err(wrong("client_name is a text")),
    };
    let is_name = (1..=NAME_CHARS_MAX).contains(&name.chars().count())
        && is_clean(&name)
        && !name.contains(char::is_control);
    if !is_name {
        let what = format!("client_name has 1 to {NAME_CHARS_MAX} characters that can be seen");
        return Err(wrong(&what));
    }
    Ok(Client { id, name, redirect_uris, registered_s })
}

/// This server's own page, which people open at `issuer`.
pub(crate) fn page(issuer: &str) -> Client {
    Client {
        id: PAGE.to_owned(),
        name: "Madoguchi".to_owned(),
        redirect_uris: vec![format!("{issuer}/")],
        registered_s: None,
    }
}

/// The number of a new client.
pub(crate) fn number() -> std::io::Result<String> {
    Ok(format!("{PREFIX}{}", crate::secret::number()?))
}

/// The response to a client registration.
pub(crate) fn registered(client: &Client) -> Value {
    json!({
        "client_id": client.id,
        "client_id_issued_at": client.registered_s,
        "client_name": client.name,
        "redirect_uris": client.redirect_uris,
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    })
}

/// Why a client cannot be sent back to `uri`.
fn redirect_problem(uri: &str) -> Option<&'static str> {
    if uri.len() > URI_BYTES_MAX || uri.contains(|it: char| !it.is_ascii_graphic() || it == '\\') {
        return Some("a redirect URI has 1 to 1024 characters of ASCII, without spaces");
    }
    let Ok(url) = Url::parse(uri) else {
        return Some("a redirect URI is a whole URL, such as https://client.example/callback");
    };
    if url.fragment().is_some() || !url.username().is_empty() || url.password().is_some() {
        return Some("a redirect URI has no fragment and no credentials");
    }
    match url.scheme() {
        "https" if url.host_str().is_some_and(|it| !it.is_empty()) => None,
        "http" if is_loopback(&url) => None,
        "http" => Some(
            "a redirect URI over plain http is of the client's own machine: http://127.0.0.1/callback",
        ),
        scheme if scheme.contains('.') || SCHEMES.contains(&scheme) => None,
        _ => Some(
            "the scheme of a program's redirect URI is a name of its maker's, turned around, such as com.example.app",
        ),
    }
}

/// Whether `url` is of the machine on which it is opened.
fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(is_loopback_host)
}

/// Whether a client that has `registered` may be sent back to `uri`: the very same, but for the port of its own
/// machine (RFC 8252, 7.3).
pub(crate) fn may_return(registered: &[String], uri: &str) -> bool {
    if registered.iter().any(|it| it == uri) {
        return true;
    }
    if redirect_problem(uri).is_some() {
        return false;
    }
    let apart = |text: &str| {
        let url = Url::parse(text).ok().filter(|it| it.scheme() == "http" && is_loopback(it))?;
        // Compared as written, so that different addresses stay different.
        let rest = text.get("http://".len()..)?;
        let path = rest.find(['/', '?']).map_or("", |it| &rest[it..]).to_owned();
        Some((url.host_str()?.to_owned(), path))
    };
    let Some(asked) = apart(uri) else { return false };
    registered.iter().any(|it| apart(it).as_ref() == Some(&asked))
}

/// The host of a redirect URI, as shown to users.
pub(crate) fn host_of(uri: &str) -> String {
    let url = Url::parse(uri).ok();
    let host = url.as_ref().and_then(|it| it.host_str()).filter(|_| uri.starts_with("http"));
    match (host, &url) {
        (Some(host), _) => host.to_owned(),
        (None, Some(url)) => format!("{}:", url.scheme()),
        (None, None) => String::new(),
    }
}

/// Whether what people are sent back to is on their own machine: a program, whichever listens there.
pub(crate) fn is_own_machine(uri: &str) -> bool {
    Url::parse(uri).is_ok_and(|it| it.scheme() != "https")
}

/// Whether what people are sent back to listens at a port of their own machine.
pub(crate) fn is_own_port(uri: &str) -> bool {
    Url::parse(uri).is_ok_and(|it| it.scheme() == "http" && is_loopback(&it))
}

/// Whether a client's number is the address of its document.
pub(crate) fn is_document(client_id: &str) -> bool {
    client_id.contains("://")
}

/// The address of a client's document, where it can be one; `is_private` is whether this machine's network counts.
///
/// # Errors
/// What is invalid.
pub(crate) fn document_url(client_id: &str, may_be_private: bool) -> Result<Url, Problem> {
    let wrong = |what: &str| Err(("invalid_client", what.to_owned()));
    let Ok(url) = Url::parse(client_id) else { return wrong("client_id is no URL") };
    let is_local_http = url.scheme() == "http" && may_be_private && is_loopback(&url);
    if url.scheme() != "https" && !is_local_http {
        return wrong("a client's document is at an https address");
    }
    if client_id.len() > URI_BYTES_MAX || url.as_str() != client_id {
        return wrong("client_id is not written as a URL is, or too long");
    }
    if url.path() == "/"
        || url.query().is_some()
        || url.fragment().is_some()
        || !url.username().is_empty()
        || url.password().is_some()
    {
        return wrong(
            "the address of a client's document has a path, and no query, fragment or credentials",
        );
    }
    let is_inward = is_loopback(&url) || of_url(&url).is_some_and(is_private);
    if is_inward && !may_be_private {
        return wrong("the address of a client's document is of a private network");
    }
    Ok(url)
}

// Client ID metadata documents. They are fetched from public addresses only, without redirects, within limits of time
// and size, and cached.

/// Bytes that a document may have.
const BYTES_MAX: usize = 16 << 10;
/// Time limit of a fetch.
const TIME_MAX: Duration = Duration::from_secs(5);
/// How long a document is cached, and how many are.
const KEPT_FOR: Duration = Duration::from_secs(300);
const KEPT_MAX: usize = 256;
/// Documents that are fetched at a time.
const AT_ONCE: usize = 8;

/// Documents, and the way to them.
pub(crate) struct Documents {
    may_be_private: bool,
    outgoing: Outgoing,
    kept: Mutex<HashMap<String, (Instant, Arc<Client>)>>,
    places: Semaphore,
}

impl Documents {
    pub(crate) fn new(may_be_private: bool) -> Self {
        Self {
            may_be_private,
            outgoing: Outgoing::new(Hosts::default(), &Limits::default()),
            kept: Mutex::default(),
            places: Semaphore::new(AT_ONCE),
        }
    }

    /// Whether `client_id` can be the address of a document.
    pub(crate) fn check(&self, client_id: &str) -> Result<Url, Problem> {
        document_url(client_id, self.may_be_private)
    }

    /// Returns the client whose document is at `client_id`.
    ///
    /// # Errors
    /// Why there is none, or none that is taken.
    pub(crate) async fn get(&self, client_id: &str) -> Result<Arc<Client>, Problem> {
        let url = self.check(client_id)?;
        let kept = self.kept.lock().get(client_id).filter(|it| it.0 > Instant::now()).cloned();
        if let Some((_, client)) = kept {
            return Ok(client);
        }
        let wrong = |what: &str| ("invalid_client", format!("the client's document {what}"));
        let Ok(_place) = self.places.try_acquire() else {
            return Err((
                "temporarily_unavailable",
                "too many documents are fetched now".to_owned(),
            ));
        };
        let fetched = tokio::time::timeout(TIME_MAX, self.fetch(url)).await;
        let document = fetched.unwrap_or(Err("did not come in time")).map_err(wrong)?;
        if document["client_id"] != client_id {
            return Err(wrong("is of another client_id than its address"));
        }
        if !needs_no_secret(&document) {
            return Err(wrong(
                "must have \"none\" as token_endpoint_auth_method, or among token_endpoint_auth_methods_supported, and no secret",
            ));
        }
        let client = read(client_id.to_owned(), &document, None).map_err(|(_, what)| {
            ("invalid_client", format!("the client's document is not right: {what}"))
        })?;
        let client = Arc::new(client);
        let mut kept = self.kept.lock();
        if kept.len() >= KEPT_MAX {
            kept.retain(|_, it| it.0 > Instant::now());
        }
        if kept.len() < KEPT_MAX {
            kept.insert(client_id.to_owned(), (Instant::now() + KEPT_FOR, client.clone()));
        }
        Ok(client)
    }

    async fn fetch(&self, url: Url) -> Result<Value, &'static str> {
        let failed = |_: reqwest::Error| "cannot be fetched";
        let web = self.outgoing.reach(self.may_be_private).await.map_err(failed)?;
        let request = web.client.get(url).header(ACCEPT, "application/json");
        let response = request.send().await.map_err(failed)?;
        if response.status() != StatusCode::OK {
            return Err("must be answered with status 200 at its very address");
        }
        let bytes = body_within(response, BYTES_MAX).await.map_err(failed)?;
        match serde_json::from_slice(&bytes.ok_or("is too large")?) {
            Ok(it @ Value::Object(_)) => Ok(it),
            _ => Err("is no JSON object"),
        }
    }
}

/// Whether the client may authenticate without a secret: by its method, or by one of those it supports.
fn needs_no_secret(document: &Value) -> bool {
    let preferred = &document["token_endpoint_auth_method"];
    let others = document["token_endpoint_auth_methods_supported"].as_array();
    let has_none = others.is_some_and(|it| it.iter().any(|it| it == "none"));
    document["client_secret"].is_null() && (preferred.is_null() || preferred == "none" || has_none)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn accepts_only_registered_redirect_uris() {
        let own = ["https://a.example/cb", "http://127.0.0.1/cb", "com.example.app:/cb"];
        let own = own.map(str::to_owned);
        for right in [
            "https://a.example/cb",
            "http://127.0.0.1/cb",
            "http://127.0.0.1:3000/cb",
            "com.example.app:/cb",
        ] {
            assert!(may_return(&own, right), "{right}");
        }
        for wrong in [
            "",
            "https://a.example/cb/",
            "https://a.example/cb?x",
            "https://a.example/cb#x",
            "https://a.example:444/cb",
            "https://a.example.evil.example/cb",
            "https://a.example@evil.example/cb",
            "https://evil.example/?u=https://a.example/cb",
            "HTTPS://a.example/cb",
            "http://a.example/cb",
            "http://127.0.0.1:3000/other",
            "http://127.0.0.1:3000/x/../cb",
            "http://127.0.0.1:3000/cb?x=1",
            "http://127.0.0.1:3000@evil.example/cb",
            "http://user@127.0.0.1:3000/cb",
            "http://127.0.0.1.evil.example:3000/cb",
            "http://localhost:3000/cb",
            "http://127.0.0.1:3000\\@evil.example/cb",
            "https://127.0.0.1:3000/cb",
            "com.example.app:/other",
        ] {
            assert!(!may_return(&own, wrong), "{wrong}");
        }
    }

    #[test]
    fn redirect_uris_are_web_loopback_or_program() {
        for right in [
            "https://a.example/cb",
            "http://localhost:1/cb",
            "http://[::1]/",
            "cursor://x/cb",
            "a.b:/c",
        ] {
            assert_eq!(redirect_problem(right), None, "{right}");
        }
        for wrong in [
            "http://a.example/cb",
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc",
            "https://a.example/#x",
            "https://u:p@a.example/",
            "callback",
            "https://a.example/ x",
            "blob:https://a.example/x",
        ] {
            assert!(redirect_problem(wrong).is_some(), "{wrong}");
        }
    }

    #[test]
    fn client_document_url_is_public_https() {
        assert!(document_url("https://a.example/client.json", false).is_ok());
        assert!(document_url("http://127.0.0.1:1/client.json", true).is_ok());
        for wrong in [
            "http://a.example/client.json",
            "http://127.0.0.1:1/client.json",
            "https://127.0.0.1/c",
            "https://localhost/c",
            "https://10.0.0.1/c",
            "https://[::1]/c",
            "https://169.254.169.254/c",
            "https://a.example",
            "https://a.example/",
            "https://a.example/c?x",
            "https://a.example/c#x",
            "https://u@a.example/c",
            "https://a.example/b/../c",
            "HTTPS://a.example/c",
            "https://A.example/c",
            "ftp://a.example/c",
            "https://0x7f.1/c",
            "https://2130706433/c",
        ] {
            assert!(document_url(wrong, false).is_err(), "{wrong}");
        }
        assert!(document_url("http://a.example/client.json", true).is_err());
    }

    #[test]
    fn skips_only_the_invalid_redirect_uri() {
        let uris = ["warp://mcp/cb", "http://localhost:1/cb", "http://a.example/cb"];
        let client = read("x".to_owned(), &json!({ "redirect_uris": uris }), None).unwrap();
        assert_eq!(client.redirect_uris, ["http://localhost:1/cb"]);
        assert_eq!(client.name, "localhost", "it is called after one that it has");
        assert!(!may_return(&client.redirect_uris, "warp://mcp/cb"));
    }

    #[test]
    fn bounds_client_metadata() {
        let read =
            |body: Value| read("x".to_owned(), &body, None).map(|it| it.name).map_err(|it| it.0);
        let right = json!({ "client_name": "Claude", "redirect_uris": ["https://a.example/cb"] });
        assert_eq!(read(right), Ok("Claude".to_owned()));
        assert_eq!(
            read(json!({ "redirect_uris": ["https://a.example/cb"] })),
            Ok("a.example".to_owned())
        );
        for (body, error) in [
            (json!({}), "invalid_redirect_uri"),
            (json!({ "redirect_uris": [] }), "invalid_redirect_uri"),
            (json!({ "redirect_uris": "https://a.example/cb" }), "invalid_client_metadata"),
            (json!({ "redirect_uris": ["javascript:x"] }), "invalid_redirect_uri"),
            (json!({ "redirect_uris": vec!["https://a.example/cb"; 11] }), "invalid_redirect_uri"),
            (
                json!({ "redirect_uris": ["https://a.example/"], "client_name": 7 }),
                "invalid_client_metadata",
            ),
            (
                json!({ "redirect_uris": ["https://a.example/"], "client_name": "" }),
                "invalid_client_metadata",
            ),
            (
                json!({ "redirect_uris": ["https://a.example/"], "client_name": "a\u{202e}b" }),
                "invalid_client_metadata",
            ),
            (
                json!({ "redirect_uris": ["https://a.example/"], "client_name": "x".repeat(81) }),
                "invalid_client_metadata",
            ),
            (
                json!({ "redirect_uris": ["https://a.example/"], "grant_types": ["password"] }),
                "invalid_client_metadata",
            ),
        ] {
            assert_eq!(read(body.clone()), Err(error), "{body}");
        }
    }

    #[test]
    fn client_preferring_key_may_omit_it() {
        let one = "token_endpoint_auth_method";
        let all = "token_endpoint_auth_methods_supported";
        for right in [
            json!({}),
            json!({ one: "none" }),
            json!({ one: "private_key_jwt", all: ["none", "private_key_jwt"] }),
        ] {
            assert!(needs_no_secret(&right), "{right}");
        }
        for wrong in [
            json!({ one: "private_key_jwt" }),
            json!({ one: "private_key_jwt", all: ["private_key_jwt"] }),
            json!({ one: "client_secret_post", all: "none" }),
            json!({ one: "none", "client_secret": "s" }),
        ] {
            assert!(!needs_no_secret(&wrong), "{wrong}");
        }
    }
}
