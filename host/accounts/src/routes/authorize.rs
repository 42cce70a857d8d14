//! The route `/oauth/authorize` checks an authorization request and asks the user for consent.

use std::sync::Arc;

use axum::{
    extract::{RawQuery, State},
    response::Response,
};
use base::scopes::Scope;
use http::StatusCode;
use url::Url;

use super::{
    Fields, Opened, Posted, check_resource, described, is_verifier, is_within, reader, see_other,
};
use crate::{
    clients::{self, Problem},
    pages::Reader,
    scopes::{Offer, read},
    service::{Accounts, AuthorizationRequest, Session},
    state::Client,
};

/// Bytes that a request and its state may have.
const REQUEST_BYTES_MAX: usize = 6 << 10;
const STATE_BYTES_MAX: usize = 2 << 10;
const SCOPES_MAX: usize = 64;
/// Scopes of OpenID Connect, and of a maker of clients, that many ask for by habit, and that bring nothing here.
const IGNORED: [&str; 6] = ["openid", "profile", "email", "address", "offline_access", "claudeai"];

/// Error parameters of a denied request.
const DENIED: [(&str, &str); 2] =
    [("error", "access_denied"), ("error_description", "the person does not want it")];

/// An authorization request whose client and redirect URI are known.
struct ClientRequest {
    client_id: String,
    /// `None` while its document is not fetched yet.
    client: Option<Arc<Client>>,
    redirect_uri: String,
    state: Option<String>,
    /// What the client requests, or why it is refused.
    wanted: Result<ScopeRequest, Problem>,
}

struct ScopeRequest {
    challenge: String,
    /// `None` without a `scope` parameter.
    scopes: Option<Vec<Scope>>,
}

/// Parses a request. Errors before client and redirect URI are known are shown to the user and redirected nowhere.
fn client_request(accounts: &Accounts, query: &str) -> Result<ClientRequest, Problem> {
    let wrong = |what: &str| ("invalid_request", what.to_owned());
    let fields = Fields::read(query.as_bytes()).filter(|_| query.len() <= REQUEST_BYTES_MAX);
    let fields = fields.ok_or_else(|| wrong("the request is too long"))?;
    if let Some(name) = fields.duplicate() {
        return Err(("invalid_request", format!("{name:?} is there twice")));
    }
    let client_id = fields.get("client_id").ok_or_else(|| wrong("client_id is missing"))?;
    let client = match clients::is_document(client_id) {
        true => accounts.0.documents.check(client_id).map(|_| None)?,
        false => {
            let unknown =
                || ("invalid_client", "there is no such client; it must register anew".to_owned());
            Some(accounts.client(client_id).ok_or_else(unknown)?)
        }
    };
    let redirect_uri =
        fields.get("redirect_uri").ok_or_else(|| wrong("redirect_uri is missing"))?;
    if let Some(client) = &client {
        check_redirect(client, redirect_uri)?;
    }
    Ok(ClientRequest {
        client_id: client_id.to_owned(),
        client,
        redirect_uri: redirect_uri.to_owned(),
        state: fields.get("state").filter(|it| it.len() <= STATE_BYTES_MAX).map(str::to_owned),
        wanted: wanted(accounts, &fields),
    })
}

/// The scopes that a request names, as far as they bring something here.
pub(super) fn named_scopes(fields: &Fields) -> Vec<&str> {
    let texts = fields.get("scope").unwrap_or_default().split(' ');
    texts.filter(|it| !it.is_empty() && !IGNORED.contains(it)).collect()
}

fn wanted(accounts: &Accounts, fields: &Fields) -> Result<ScopeRequest, Problem> {
    let wrong = |what: &str| Err(("invalid_request", what.to_owned()));
    match fields.get("response_type") {
        Some("code") => {}
        None => return wrong("response_type is missing"),
        Some(_) => return Err(("unsupported_response_type", "response_type is code".to_owned())),
    }
    if fields.get("response_mode").is_some_and(|it| it != "query") {
        return wrong("response_mode is query");
    }
    if fields.get("state").is_some_and(|it| it.len() > STATE_BYTES_MAX) {
        return wrong("state is too long");
    }
    let Some(challenge) = fields.get("code_challenge") else {
        return wrong("code_challenge is missing (PKCE)");
    };
    if fields.get("code_challenge_method") != Some("S256") {
        return wrong("code_challenge_method is S256");
    }
    if challenge.len() != 43 || !is_verifier(challenge) {
        return wrong("code_challenge is a SHA-256 in base64url: 43 characters");
    }
    if fields.get("request").is_some() || fields.get("request_uri").is_some() {
        return Err(("request_not_supported", "requests are not taken as objects".to_owned()));
    }
    check_resource(accounts, fields)?;
    let texts = named_scopes(fields);
    if texts.len() > SCOPES_MAX {
        return Err(("invalid_scope", format!("a request names {SCOPES_MAX} scopes at most")));
    }
    let mut scopes = Vec::new();
    for text in texts {
        let scope = text.parse::<Scope>().map_err(|it| ("invalid_scope", it.to_string()))?;
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    let scopes = (!scopes.is_empty()).then_some(scopes);
    Ok(ScopeRequest { challenge: challenge.to_owned(), scopes })
}

fn check_redirect(client: &Client, redirect_uri: &str) -> Result<(), Problem> {
    let may_return = match client.id == clients::PAGE {
        // No other port of this machine is this server's page.
        true => client.redirect_uris.iter().any(|it| it == redirect_uri),
        false => clients::may_return(&client.redirect_uris, redirect_uri),
    };
    match may_return {
        true => Ok(()),
        false => {
            Err(("invalid_request", "redirect_uri is none of those that the client has".to_owned()))
        }
    }
}

/// A request with a known client, and what the signed-in user could grant.
struct Ready {
    client: Arc<Client>,
    redirect_uri: String,
    state: Option<String>,
    challenge: String,
    offer: Offer,
}

/// Prepares the consent of a signed-in user, or returns the response that replaces it. Unless a page `was_shown` that
/// names the client and its target, only this server's own page and a port of the person's own machine may lead there,
/// because anyone can register a client or publish a document.
async fn ready(
    accounts: &Accounts,
    reader: &Reader,
    query: &str,
    (session, was_shown): (Option<&Session>, bool),
) -> Result<Ready, Box<Response>> {
    let shown = |(code, what): Problem| {
        let status = match code {
            "temporarily_unavailable" => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::BAD_REQUEST,
        };
        Box::new(reader.failed(status, code, &what))
    };
    let request = client_request(accounts, query).map_err(shown)?;
    let led = |(error, what): Problem| {
        let fields = [("error", error), ("error_description", &what)];
        let to = (&*request.redirect_uri, request.state.as_deref());
        Box::new(returned(accounts, to, &fields))
    };
    // A program that listens at a port of the person's own machine waits for the answer, and leads them to no page of
    // others. A scheme would open a program of anyone's choice.
    let is_own_port = clients::is_own_port(&request.redirect_uri);
    let Some(session) = session else {
        // No stranger is led elsewhere, and nothing is fetched for one.
        return Err(match request.wanted {
            Err(problem) if is_own_port && request.client.is_some() => led(problem),
            Err(problem) => shown(problem),
            Ok(_) => Box::new(reader.sign_in(&format!("/oauth/authorize?{query}"), false)),
        });
    };
    let client = match &request.client {
        Some(client) => client.clone(),
        None => {
            let client = accounts.0.documents.get(&request.client_id).await.map_err(shown)?;
            check_redirect(&client, &request.redirect_uri).map_err(shown)?;
            client
        }
    };
    let back = |problem: Problem| match client.id == clients::PAGE || was_shown || is_own_port {
        true => led(problem),
        false => shown(problem),
    };
    let wanted = request.wanted.map_err(back)?;
    let offer = Offer::limited_to(wanted.scopes.as_deref(), &read(&session.account.scopes));
    if offer.scopes.is_empty() {
        let what = "the account has nothing of what is asked for".to_owned();
        return Err(back(("invalid_scope", what)));
    }
    let (redirect_uri, state) = (request.redirect_uri.clone(), request.state.clone());
    Ok(Ready { client, redirect_uri, state, challenge: wanted.challenge, offer })
}

/// Sends the person back to the client with `fields`, the issuer (RFC 9207), and the client's own state.
fn returned(
    accounts: &Accounts,
    (redirect_uri, state): (&str, Option<&str>),
    fields: &[(&str, &str)],
) -> Response {
    let Ok(mut url) = Url::parse(redirect_uri) else { return see_other("/account", None) };
    url.query_pairs_mut()
        .extend_pairs(fields.iter().map(|(name, value)| match *name {
            "error_description" => (name, described(value)),
            _ => (name, (*value).to_owned()),
        }))
        .extend_pairs(state.map(|it| ("state", it)))
        .append_pair("iss", &accounts.0.issuer);
    see_other(url.as_str(), None)
}

/// Asks the user for consent. For this server's own page, signing in is enough.
pub(super) async fn ask((State(accounts), headers, RawQuery(query)): Opened) -> Response {
    let query = query.unwrap_or_default();
    let reader = reader(&accounts, &headers, &query).at("/oauth/authorize", &query);
    let session = accounts.session(&headers);
    match (ready(&accounts, &reader, &query, (session.as_ref(), false)).await, session) {
        (Ok(ready), Some(session)) if ready.client.id == clients::PAGE && is_within(&headers) => {
            let scopes = ready.offer.texts();
            allow(&accounts, &session, ready, scopes).await
        }
        (Ok(ready), Some(session)) => {
            consent(&accounts, &reader, &session, (&query, &ready), false)
        }
        (Ok(_), None) => reader.sign_in("/account", false),
        (Err(answer), _) => *answer,
    }
}

/// Sends the person back with a code for `scopes`.
async fn allow(
    accounts: &Accounts,
    session: &Session,
    ready: Ready,
    scopes: Vec<String>,
) -> Response {
    let (redirect_uri, state) = (ready.redirect_uri.clone(), ready.state);
    let to = (&*redirect_uri, state.as_deref());
    let asked = AuthorizationRequest {
        client: ready.client,
        redirect_uri: ready.redirect_uri,
        challenge: ready.challenge,
    };
    match accounts.consent(session, asked, scopes).await {
        Ok(Some(code)) => returned(accounts, to, &[("code", &code)]),
        Ok(None) => returned(accounts, to, &DENIED),
        Err(error) => {
            let (code, what) = crate::service::unavailable(&error);
            returned(accounts, to, &[("error", code), ("error_description", &what)])
        }
    }
}

fn consent(
    accounts: &Accounts,
    reader: &Reader,
    session: &Session,
    (query, ready): (&str, &Ready),
    is_empty: bool,
) -> Response {
    let tag = accounts.form_tag(session, query);
    let of = (&*ready.client, &*ready.redirect_uri);
    reader.consent(of, (&session.account.name, &ready.offer), (query, &tag), is_empty)
}

/// Applies the user's decision.
pub(super) async fn decide((State(accounts), headers, body): Posted) -> Response {
    let form = Fields::read(&body).unwrap_or_default();
    let query = form.get("request").unwrap_or_default().to_owned();
    let reader = reader(&accounts, &headers, &query);
    let session = accounts.session(&headers);
    let is_ours = session
        .as_ref()
        .is_some_and(|it| accounts.is_form(it, &query, form.get("tag").unwrap_or_default()));
    let Some(session) = session.filter(|_| is_ours) else {
        let what = reader.language.pick(
            "この画面は古くなっています。プログラムからもう一度接続してください。",
            "This page is out of date. Connect once more from your program.",
        );
        return reader.failed(StatusCode::FORBIDDEN, "", what);
    };
    let ready = match ready(&accounts, &reader, &query, (Some(&session), true)).await {
        Ok(ready) => ready,
        Err(answer) => return *answer,
    };
    if form.get("decision") != Some("allow") {
        accounts.note(&session.account.name, "accounts/consent", &ready.client.id, "refused");
        let to = (&*ready.redirect_uri, ready.state.as_deref());
        return returned(&accounts, to, &DENIED);
    }
    let chosen: Vec<_> = form.all("scope").map(str::to_owned).collect();
    let given = ready.offer.clone().only(&chosen, form.get("narrow").is_some()).texts();
    if given.is_empty() {
        return consent(&accounts, &reader, &session, (&query, &ready), true);
    }
    allow(&accounts, &session, ready, given).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignores_customary_openid_scopes() {
        let cases: [(&str, &[&str]); 4] = [
            (
                "scope=component:cinema+offline_access++read-only",
                &["component:cinema", "read-only"],
            ),
            ("scope=openid", &[]),
            ("scope=", &[]),
            ("state=a", &[]),
        ];
        for (query, scopes) in cases {
            let fields = Fields::read(query.as_bytes()).unwrap();
            assert_eq!(named_scopes(&fields), scopes, "{query}");
        }
    }
}
