//! Accounts and grants: every rule about them in one place.

use futures::future::BoxFuture;
use std::{
    io,
    sync::Arc,
    time::{Duration, SystemTime},
};

use base::{config::AccountsConfig, scopes::Scopes};
use serde_json::{Value, json};
use store::{clock::Clock, database::postgres::Server, seal::Seal};
use telemetry::audit::{self, Arguments, Audit, By, Line, Name};
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::{
    attempts::Attempts,
    clients::{self, Documents, Problem},
    passkeys::Passkeys,
    scopes::Brought,
    secret::{Kind, Secret},
    state::{Client, State, Store},
};

mod grants;
mod operator;
mod people;

pub(crate) use grants::{AuthorizationRequest, Redeemed, Refreshed, Tokens};
pub use operator::AccountError;
pub(crate) use people::{Session, SignInWith};

/// Name of the operator in the audit log. No account can have it.
const OPERATOR: &str = "operator";

/// People's accounts. A clone is another handle on the same ones.
#[derive(Clone)]
pub struct Accounts(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    store: Arc<Store>,
    config: AccountsConfig,
    pub(crate) issuer: String,
    /// This server's own page as a client.
    page: Arc<Client>,
    pub(crate) resource: String,
    /// Path prefix of the server's public address.
    pub(crate) prefix: String,
    seal: Seal,
    clock: Clock,
    audit: Audit,
    pub(crate) attempts: Attempts,
    pub(crate) passkeys: Option<Passkeys>,
    pub(crate) documents: Documents,
}

/// The holder of an access token, and the holder's scopes.
pub struct Holder {
    /// The caller's name: `account:` and the person's.
    pub principal: String,
    /// Scopes of the token as texts.
    pub held: Vec<String>,
    /// Scopes as components see them.
    pub visible: Vec<String>,
    /// Scopes for access checks, limited to the user's current ones.
    pub reach: Scopes,
    /// Expiry of the token.
    pub expires: SystemTime,
    /// Cancelled when the person or the operator takes it back.
    pub ended: CancellationToken,
}

/// Why a token does not let its bearer in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotHeld {
    /// The token is unknown or revoked.
    Unknown,
    /// The token has expired.
    Expired,
}

/// The error for a failed write. The same request may succeed later.
pub(crate) fn unavailable(error: &io::Error) -> Problem {
    tracing::error!("accounts: {error}");
    ("temporarily_unavailable", "this cannot be kept now; try again later".to_owned())
}

impl Accounts {
    /// Opens the accounts of the server at `issuer`, stored on `server` or in the data folder.
    ///
    /// # Errors
    /// If they cannot be read or created.
    pub fn open<'a>(
        (config, issuer): (&'a base::config::Config, String),
        (seal, server): (&'a Seal, Option<&'a Server>),
        clock: &'a Clock,
        audit: &'a Audit,
    ) -> BoxFuture<'a, io::Result<Self>> {
        Box::pin(async move {
            // No component has a name with a dot before it.
            let store = Store::open(server, &config.data.join("databases/.accounts.db")).await?;
            let url = Url::parse(&issuer).map_err(io::Error::other)?;
            Ok(Self(Arc::new(Inner {
                store,
                config: config.accounts.clone(),
                resource: format!("{issuer}/mcp"),
                prefix: url.path().trim_end_matches('/').to_owned(),
                passkeys: Passkeys::for_issuer(&url, server),
                page: Arc::new(clients::page(&issuer)),
                issuer,
                seal: seal.derive("accounts"),
                clock: clock.clone(),
                audit: audit.clone(),
                attempts: Attempts::new(&config.live_nodes),
                documents: Documents::new(config.accounts.private_documents),
            })))
        })
    }

    /// Flushes pending writes.
    pub async fn close(&self) {
        self.0.store.close().await;
    }

    pub(crate) fn may_register(&self) -> bool {
        self.0.config.registration
    }

    pub(crate) fn now_s(&self) -> u64 {
        self.0.clock.now().as_secs()
    }

    /// The metadata of the authorization server (RFC 8414).
    pub fn metadata(&self) -> Value {
        let issuer = &self.0.issuer;
        let mut metadata = json!({
            "issuer": issuer,
            "authorization_endpoint": format!("{issuer}/oauth/authorize"),
            "token_endpoint": format!("{issuer}/oauth/token"),
            "revocation_endpoint": format!("{issuer}/oauth/revoke"),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
            "client_id_metadata_document_supported": true,
            "ui_locales_supported": ["en", "ja"],
        });
        if self.may_register() {
            metadata["registration_endpoint"] = json!(format!("{issuer}/oauth/register"));
        }
        metadata
    }

    /// Writes an audit line: actor, method, object and outcome.
    pub(crate) fn note(&self, who: &str, method: &'static str, what: &str, outcome: &'static str) {
        let principal = match who {
            "" => "anonymous".into(),
            OPERATOR => OPERATOR.into(),
            name => format!("account:{name}").into(),
        };
        self.0.audit.write(Line {
            time: SystemTime::now(),
            call: 0,
            principal,
            surface: "accounts",
            era: None,
            round: 1,
            method,
            name: Name::Name(what.to_owned()),
            by: By::default(),
            on_behalf: None,
            arguments: Arguments::digest_long(String::new()),
            outcome: outcome.into(),
            trap: None,
            duration: Duration::ZERO,
            kind: match outcome {
                "refused" => audit::Kind::Refused,
                _ => audit::Kind::Ran,
            },
        });
    }

    /// Name of an account, if it exists.
    fn name_of(&self, account: &str) -> String {
        let name = |state: &State| state.accounts.get(account).map(|it| it.name.clone());
        self.0.store.look(name).unwrap_or_default()
    }

    /// Whether other nodes may have given out a token that is not known here.
    pub fn is_shared(&self) -> bool {
        self.0.store.is_shared()
    }

    /// Takes in what other nodes have changed until now.
    pub fn look(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.0.store.read_remote_changes().await;
        })
    }

    /// Returns the holder of the access token `text`, from local state.
    ///
    /// # Errors
    /// Why the token is not accepted.
    pub fn holder(&self, text: &str) -> Result<Holder, NotHeld> {
        let secret = Secret::read(Kind::Access, text).ok_or(NotHeld::Unknown)?;
        let now_s = self.now_s();
        let held = self.0.store.look(|state| {
            let grant = state.grants.get(&secret.id).ok_or(NotHeld::Unknown)?;
            let access = grant.access.iter().find(|it| secret.has(&it.digest));
            let access = access.filter(|_| grant.resource == self.0.resource);
            let access = access.ok_or(NotHeld::Unknown)?;
            let account = state.accounts.get(&grant.account).ok_or(NotHeld::Unknown)?;
            if access.expires_s <= now_s {
                return Err(NotHeld::Expired);
            }
            let brought = Brought::limited_to(&access.scopes, &account.scopes);
            let latest = grant.access.last().map(|it| &*it.digest);
            let latest = latest.filter(|it| *it == access.digest);
            // Subscribed before the account can change, so that open streams end then.
            let ended = self.0.store.using(&secret.id, latest, now_s).ok_or(NotHeld::Unknown)?;
            Ok((account.name.clone(), brought, access.expires_s - now_s, ended))
        });
        let (name, Brought { held, visible, reach }, left_s, ended) = held?;
        let expires = SystemTime::now() + Duration::from_secs(left_s);
        Ok(Holder { principal: format!("account:{name}"), held, visible, reach, expires, ended })
    }
}

fn outcome(is_done: bool) -> &'static str {
    if is_done { "done" } else { "refused" }
}
