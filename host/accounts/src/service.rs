//! Accounts and grants: every rule about them in one place.

mod grants;
mod people;

use std::{
    io,
    sync::Arc,
    time::{Duration, SystemTime},
};

use base::{
    config::{AccountsConfig, tokens::name_problem},
    scopes::{Scope, Scopes},
};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use store::{
    clock::{Clock, rfc3339},
    database::postgres::Server,
    seal::Seal,
};
use telemetry::audit::{self, Arguments, Audit, By, Line, Name};
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::{
    attempts::Attempts,
    clients::{self, Documents, Problem},
    passkeys::Passkeys,
    scopes::Brought,
    secret::{Kind, Secret, number},
    state::{Account, Change, Client, Grant, Kept, Link, State, Store},
};

pub(crate) use grants::{AuthorizationRequest, Redeemed, Refreshed, Tokens};
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

// Operations of the operator on accounts.

const ACCOUNTS_MAX: usize = 256;
const SCOPES_MAX: usize = 64;
/// Lifetime of a link in seconds.
const LINK_S: u64 = 24 * 60 * 60;

type Result<T, E = AccountError> = std::result::Result<T, E>;

/// Why an operator's command on accounts is not obeyed.
#[derive(Debug)]
pub enum AccountError {
    /// The name, or a scope, cannot be one.
    Wrong(String),
    /// There is one of that name.
    Exists,
    /// There is none of that name, or no such device of theirs.
    Unknown,
    /// There are too many.
    Full,
    /// The disk does not take it.
    Disk(io::Error),
}

impl From<io::Error> for AccountError {
    fn from(error: io::Error) -> Self {
        Self::Disk(error)
    }
}

impl Accounts {
    /// Lists all accounts with their devices. Nothing in it is secret.
    pub fn list(&self) -> Value {
        let now_s = self.now_s();
        self.0.store.look(|state| {
            let account = |account: &Arc<Account>| {
                let link = account.link.as_ref().map(|it| it.kept.expires_s);
                let link = link.filter(|it| *it > now_s).map(rfc3339);
                json!({
                    "name": account.name,
                    "scopes": account.scopes,
                    "created": rfc3339(account.created_s),
                    "password": account.password.is_some(),
                    "passkeys": account.passkeys.len(),
                    "link_expires": link,
                    "devices": self.devices(state, &account.id, now_s),
                })
            };
            json!({ "accounts": state.accounts.values().map(account).collect::<Vec<_>>() })
        })
    }

    fn devices(&self, state: &State, account: &str, now_s: u64) -> Vec<Value> {
        let counts = state.grants_of(account).filter(|it| it.code.is_used && it.expires_s > now_s);
        let device = |grant: &Arc<Grant>| {
            json!({
                "id": grant.id,
                "client": grant.client_name,
                "client_id": grant.client_id,
                "returns_to": clients::host_of(&grant.code.redirect_uri),
                "scopes": grant.scopes,
                "since": rfc3339(grant.created_s),
                "last_used": rfc3339(self.0.store.used_s(grant)),
            })
        };
        counts.map(device).collect()
    }

    /// A new account of that name, and the link with which its person chooses how to sign in.
    pub fn create<'a>(
        &'a self,
        name: &'a str,
        scopes: Vec<String>,
    ) -> BoxFuture<'a, Result<String>> {
        Box::pin(async move {
            if let Some(what) = name_problem(name) {
                return Err(AccountError::Wrong(what.replace("of a token", "of an account")));
            }
            check_scopes(&scopes)?;
            let id = number()?;
            let (link, url) = self.new_link(&id, false)?;
            let created_s = self.now_s();
            let account = Account {
                id,
                name: name.to_owned(),
                scopes,
                password: None,
                passkeys: Vec::new(),
                link: Some(link),
                sessions: Vec::new(),
                created_s,
            };
            let decide = move |state: &State| match state.named(&account.name) {
                Some(_) => (Vec::new(), Err(AccountError::Exists)),
                None if state.accounts.len() >= ACCOUNTS_MAX => {
                    (Vec::new(), Err(AccountError::Full))
                }
                None => (vec![Change::Account(account)], Ok(())),
            };
            self.0.store.change(decide).await??;
            self.note(OPERATOR, "accounts/create", name, "done");
            Ok(url)
        })
    }

    /// Creates a new link for an account and invalidates the earlier one. With `is_anew`, using it also removes all
    /// passkeys, the password and all grants.
    pub fn link<'a>(&'a self, name: &'a str, is_anew: bool) -> BoxFuture<'a, Result<String>> {
        Box::pin(async move {
            let id = self.0.store.look(|it| it.named(name).map(|it| it.id.clone()));
            let (link, url) = self.new_link(&id.ok_or(AccountError::Unknown)?, is_anew)?;
            self.change_account(name, move |it| it.link = Some(link)).await?;
            self.note(OPERATOR, "accounts/link", name, "done");
            Ok(url)
        })
    }

    /// Other scopes for the account of that name; tokens that were given out reach no further from now on.
    pub fn rescope<'a>(&'a self, name: &'a str, scopes: Vec<String>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            check_scopes(&scopes)?;
            self.change_account(name, move |it| it.scopes = scopes).await?;
            self.note(OPERATOR, "accounts/scopes", name, "done");
            Ok(())
        })
    }

    async fn change_account(
        &self,
        name: &str,
        change: impl FnOnce(&mut Account) + Send + 'static,
    ) -> Result<()> {
        let name = name.to_owned();
        let decide = move |state: &State| match state.named(&name) {
            None => (Vec::new(), Err(AccountError::Unknown)),
            Some(known) => {
                let mut account = Account::clone(known);
                change(&mut account);
                (vec![Change::Account(account)], Ok(()))
            }
        };
        self.0.store.change(decide).await?
    }

    /// Takes the account of that name away, with everything that its person gave to clients.
    pub fn remove<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let wanted = name.to_owned();
            let decide = move |state: &State| {
                let Some(account) = state.named(&wanted) else { return (Vec::new(), false) };
                let grants = state.grants_of(&account.id).map(|it| Change::NoGrant(it.id.clone()));
                let account = Change::NoAccount(account.id.clone());
                (grants.chain([account]).collect(), true)
            };
            if !self.0.store.change(decide).await? {
                return Err(AccountError::Unknown);
            }
            self.note(OPERATOR, "accounts/remove", name, "done");
            Ok(())
        })
    }

    /// Ends what a device of the account of that name was given.
    pub fn end_device<'a>(&'a self, name: &'a str, device: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let account = self.0.store.look(|it| it.named(name).map(|it| it.id.clone()));
            let account = account.ok_or(AccountError::Unknown)?;
            if !self.end_grant(&account, device).await? {
                return Err(AccountError::Unknown);
            }
            self.note(OPERATOR, "accounts/end-device", name, "done");
            Ok(())
        })
    }

    async fn end_grant(&self, account: &str, grant: &str) -> io::Result<bool> {
        let (account, grant) = (account.to_owned(), grant.to_owned());
        let decide = move |state: &State| {
            let is_there = state.grants.get(&grant).is_some_and(|it| it.account == account);
            (is_there.then_some(Change::NoGrant(grant)).into_iter().collect(), is_there)
        };
        self.0.store.change(decide).await
    }

    fn new_link(&self, account: &str, is_anew: bool) -> io::Result<(Link, String)> {
        let secret = Secret::fresh(Kind::Link, account)?;
        let url = format!("{}/account/link/{}", self.0.issuer, secret.text);
        let kept = Kept { digest: secret.digest, expires_s: self.now_s() + LINK_S };
        Ok((Link { kept, is_anew }, url))
    }
}

fn check_scopes(scopes: &[String]) -> Result<()> {
    if scopes.is_empty() || scopes.len() > SCOPES_MAX {
        return Err(AccountError::Wrong(format!("an account has 1 to {SCOPES_MAX} scopes")));
    }
    let wrong = scopes.iter().find_map(|it| it.parse::<Scope>().err());
    wrong.map_or(Ok(()), |it| Err(AccountError::Wrong(it.to_string())))
}
