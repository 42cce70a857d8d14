//! Accounts and what their clients were given: every rule about them in one place, whoever asks.

use std::{
    io,
    net::IpAddr,
    sync::Arc,
    time::{Duration, SystemTime},
};

use base::{
    config::AccountsConfig, config::tokens::check::name_problem, scopes::Scope, scopes::Scopes,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use http::{HeaderMap, header};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use store::{clock::Clock, seal::Seal};
use telemetry::audit::{Arguments, Audit, By, Line, Name};
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::{
    attempts::Attempts,
    clients::{self, Documents, Problem},
    passkeys::Passkeys,
    password,
    scopes::reach,
    secret::{Kind, Secret, is_same, number},
    state::{Access, Account, Change, Client, Code, Grant, Kept, Passkey, State, Store},
};

/// How much there may be of what is kept.
const ACCOUNTS_MAX: usize = 256;
const CLIENTS_MAX: usize = 1_000;
const GRANTS_OF_ACCOUNT_MAX: usize = 32;
const SESSIONS_MAX: usize = 8;
const PASSKEYS_MAX: usize = 8;
const ACCESS_MAX: usize = 4;
const SCOPES_MAX: usize = 64;
/// For how many seconds it counts.
const LINK_S: u64 = 24 * 60 * 60;
const SESSION_S: u64 = 12 * 60 * 60;
const CODE_S: u64 = 60;
const GRANT_S: u64 = 30 * 24 * 60 * 60;
/// How long a client is kept that has registered itself and was never let in.
const UNUSED_CLIENT_S: u64 = 24 * 60 * 60;

/// People's accounts. A clone is another handle on the same ones.
#[derive(Clone)]
pub struct Accounts(Arc<Inner>);

struct Inner {
    store: Arc<Store>,
    config: AccountsConfig,
    issuer: String,
    resource: String,
    /// What stands before every path where people see the server.
    prefix: String,
    seal: Seal,
    clock: Clock,
    audit: Audit,
    attempts: Attempts,
    passkeys: Option<Passkeys>,
    documents: Documents,
}

/// Who holds an access token, and what it lets them do.
pub struct Holder {
    /// The caller's name: `account:` and the person's.
    pub principal: String,
    /// What the token brings, as scopes are written.
    pub scopes: Vec<String>,
    /// The same to be asked, within what the person may do now.
    pub reach: Scopes,
    /// Until when it counts.
    pub expires: SystemTime,
    /// Cancelled when the person or the operator takes it back.
    pub ended: CancellationToken,
}

/// Why a token lets nobody in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotHeld {
    /// It is none of ours, or was taken back.
    Unknown,
    /// It was one.
    Expired,
}

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

/// A person who is signed in.
pub(crate) struct Session {
    pub(crate) account: Arc<Account>,
    digest: String,
}

/// What a client asks a person for, when all of it was found right.
pub(crate) struct Asked {
    pub(crate) client: Arc<Client>,
    pub(crate) redirect_uri: String,
    pub(crate) challenge: String,
}

/// Tokens as a client gets them.
pub(crate) struct Tokens {
    pub(crate) access: String,
    pub(crate) refresh: String,
    pub(crate) expires_in: u64,
    pub(crate) scopes: Vec<String>,
}

/// The disk took nothing: the same may succeed later.
pub(crate) fn unavailable(error: &io::Error) -> Problem {
    tracing::error!("accounts: {error}");
    ("temporarily_unavailable", "this cannot be kept now; try again later".to_owned())
}

fn invalid_grant(what: &str) -> Problem {
    ("invalid_grant", what.to_owned())
}

impl Accounts {
    /// Those of a server with this configuration, which others reach at `issuer`; kept in `data`.
    ///
    /// # Errors
    /// Where they cannot be read or begun.
    pub async fn open(
        (config, issuer): (&base::config::Config, String),
        seal: &Seal,
        clock: &Clock,
        audit: &Audit,
    ) -> io::Result<Self> {
        // No component has a name with a dot before it.
        let store = Store::open(&config.data.join("databases/.accounts.db")).await?;
        let url = Url::parse(&issuer).map_err(io::Error::other)?;
        Ok(Self(Arc::new(Inner {
            store: Arc::new(store),
            config: config.accounts.clone(),
            resource: format!("{issuer}/mcp"),
            prefix: url.path().trim_end_matches('/').to_owned(),
            passkeys: Passkeys::of(&url),
            issuer,
            seal: seal.derive("accounts"),
            clock: clock.clone(),
            audit: audit.clone(),
            attempts: Attempts::new(),
            documents: Documents::new(config.accounts.private_documents),
        })))
    }

    /// Ends what is written.
    pub async fn close(&self) {
        self.0.store.close().await;
    }

    pub(crate) fn issuer(&self) -> &str {
        &self.0.issuer
    }

    pub(crate) fn resource(&self) -> &str {
        &self.0.resource
    }

    pub(crate) fn prefix(&self) -> &str {
        &self.0.prefix
    }

    pub(crate) fn attempts(&self) -> &Attempts {
        &self.0.attempts
    }

    pub(crate) fn passkeys(&self) -> Option<&Passkeys> {
        self.0.passkeys.as_ref()
    }

    pub(crate) fn documents(&self) -> &Documents {
        &self.0.documents
    }

    pub(crate) fn may_register(&self) -> bool {
        self.0.config.registration
    }

    pub(crate) fn now_s(&self) -> u64 {
        self.0.clock.now().as_secs()
    }

    /// The metadata of the authorization server (RFC 8414).
    pub fn metadata(&self) -> Value {
        let issuer = self.issuer();
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

    /// Writes down what happened: who did what, to what, and how it ended.
    pub(crate) fn note(&self, who: &str, method: &'static str, what: &str, outcome: &'static str) {
        let principal = match who {
            "" => "anonymous".into(),
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
            arguments: Arguments::of(String::new()),
            outcome: outcome.into(),
            duration: Duration::ZERO,
            is_refused: outcome == "refused",
        });
    }

    /// Who holds the access token `text`.
    ///
    /// # Errors
    /// Why it lets nobody in.
    pub fn holder(&self, text: &str) -> Result<Holder, NotHeld> {
        let secret = Secret::read(Kind::Access, text).ok_or(NotHeld::Unknown)?;
        let now_s = self.now_s();
        let held = self.0.store.look(|state| {
            let grant = state.grants.get(&secret.id).ok_or(NotHeld::Unknown)?;
            let access = grant.access.iter().find(|it| secret.has(&it.digest));
            let access = access.filter(|_| grant.resource == self.resource());
            let access = access.ok_or(NotHeld::Unknown)?;
            let account = state.accounts.get(&grant.account).ok_or(NotHeld::Unknown)?;
            if access.expires_s <= now_s {
                return Err(NotHeld::Expired);
            }
            let (scopes, reach) = reach(&access.scopes, &account.scopes);
            Ok((account.name.clone(), scopes, reach, access.expires_s - now_s))
        });
        let (name, scopes, reach, left_s) = held?;
        let ended = self.0.store.using(&secret.id, now_s);
        let expires = SystemTime::now() + Duration::from_secs(left_s);
        Ok(Holder { principal: format!("account:{name}"), scopes, reach, expires, ended })
    }

    // What the operator does.

    /// All accounts with their devices; nothing of it is secret.
    pub fn list(&self) -> Value {
        let now_s = self.now_s();
        self.0.store.look(|state| {
            let account = |it: &Arc<Account>| {
                json!({
                    "name": it.name,
                    "scopes": it.scopes,
                    "created": time(it.created_s),
                    "password": it.password.is_some(),
                    "passkeys": it.passkeys.len(),
                    "link_expires": it.link.as_ref().filter(|it| it.expires_s > now_s).map(|it| time(it.expires_s)),
                    "devices": self.devices(state, &it.id, now_s),
                })
            };
            json!({ "accounts": state.accounts.values().map(account).collect::<Vec<_>>() })
        })
    }

    fn devices(&self, state: &State, account: &str, now_s: u64) -> Vec<Value> {
        let counts = state.of(account).filter(|it| it.code.is_used && it.expires_s > now_s);
        let device = |it: &Arc<Grant>| {
            json!({
                "id": it.id,
                "client": it.client_name,
                "client_id": it.client_id,
                "returns_to": clients::host_of(&it.code.redirect_uri),
                "scopes": it.scopes,
                "since": time(it.created_s),
                "last_used": time(self.0.store.used_s(it)),
            })
        };
        counts.map(device).collect()
    }

    /// A new account of that name, and the link with which its person chooses how to sign in.
    ///
    /// # Errors
    /// See [`AccountError`].
    pub async fn create(&self, name: &str, scopes: Vec<String>) -> Result<String, AccountError> {
        if let Some(what) = name_problem(name) {
            return Err(AccountError::Wrong(what.replace("of a token", "of an account")));
        }
        check_scopes(&scopes)?;
        let id = number()?;
        let (link, url) = self.new_link(&id)?;
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
            None if state.accounts.len() >= ACCOUNTS_MAX => (Vec::new(), Err(AccountError::Full)),
            None => (vec![Change::Account(account)], Ok(())),
        };
        self.0.store.change(decide).await??;
        self.note(name, "accounts/create", name, "done");
        Ok(url)
    }

    /// A link anew for the account of that name; the one before is worth nothing.
    ///
    /// # Errors
    /// See [`AccountError`].
    pub async fn link(&self, name: &str) -> Result<String, AccountError> {
        let id = self.0.store.look(|it| it.named(name).map(|it| it.id.clone()));
        let (link, url) = self.new_link(&id.ok_or(AccountError::Unknown)?)?;
        self.change_account(name, move |it| it.link = Some(link)).await?;
        self.note(name, "accounts/link", name, "done");
        Ok(url)
    }

    /// Other scopes for the account of that name; tokens that were given out reach no further from now on.
    ///
    /// # Errors
    /// See [`AccountError`].
    pub async fn rescope(&self, name: &str, scopes: Vec<String>) -> Result<(), AccountError> {
        check_scopes(&scopes)?;
        self.change_account(name, move |it| it.scopes = scopes).await?;
        self.note(name, "accounts/scopes", name, "done");
        Ok(())
    }

    async fn change_account(
        &self,
        name: &str,
        change: impl FnOnce(&mut Account) + Send + 'static,
    ) -> Result<(), AccountError> {
        let name = name.to_owned();
        let decide = move |state: &State| match state.named(&name) {
            None => (Vec::new(), Err(AccountError::Unknown)),
            Some(it) => {
                let mut account = Account::clone(it);
                change(&mut account);
                (vec![Change::Account(account)], Ok(()))
            }
        };
        self.0.store.change(decide).await?
    }

    /// Takes the account of that name away, with everything that its person gave to clients.
    ///
    /// # Errors
    /// See [`AccountError`].
    pub async fn remove(&self, name: &str) -> Result<(), AccountError> {
        let wanted = name.to_owned();
        let decide = move |state: &State| {
            let Some(account) = state.named(&wanted) else { return (Vec::new(), false) };
            let grants = state.of(&account.id).map(|it| Change::NoGrant(it.id.clone()));
            let account = Change::NoAccount(account.id.clone());
            (grants.chain([account]).collect(), true)
        };
        if !self.0.store.change(decide).await? {
            return Err(AccountError::Unknown);
        }
        self.note(name, "accounts/remove", name, "done");
        Ok(())
    }

    /// Ends what a device of the account of that name was given.
    ///
    /// # Errors
    /// See [`AccountError`].
    pub async fn end_device(&self, name: &str, device: &str) -> Result<(), AccountError> {
        let account = self.0.store.look(|it| it.named(name).map(|it| it.id.clone()));
        let account = account.ok_or(AccountError::Unknown)?;
        if !self.end_grant(&account, device).await? {
            return Err(AccountError::Unknown);
        }
        self.note(name, "accounts/end-device", device, "done");
        Ok(())
    }

    async fn end_grant(&self, account: &str, grant: &str) -> io::Result<bool> {
        let (account, grant) = (account.to_owned(), grant.to_owned());
        let decide = move |state: &State| {
            let is_there = state.grants.get(&grant).is_some_and(|it| it.account == account);
            (is_there.then_some(Change::NoGrant(grant)).into_iter().collect(), is_there)
        };
        self.0.store.change(decide).await
    }

    fn new_link(&self, account: &str) -> io::Result<(Kept, String)> {
        let secret = Secret::fresh(Kind::Link, account)?;
        let url = format!("{}/account/link/{}", self.issuer(), secret.text);
        Ok((Kept { digest: secret.digest, expires_s: self.now_s() + LINK_S }, url))
    }

    // What people do.

    /// The account whose link `text` is.
    pub(crate) fn linked(&self, text: &str) -> Option<Arc<Account>> {
        let secret = Secret::read(Kind::Link, text)?;
        let now_s = self.now_s();
        self.0.store.look(|state| {
            let account = state.accounts.get(&secret.id)?;
            let link = account.link.as_ref().filter(|it| it.expires_s > now_s)?;
            secret.has(&link.digest).then(|| account.clone())
        })
    }

    /// Uses a link up: its account has this password, or this passkey beside those that it has, and nothing else is
    /// signed in with it. The cookie of the session that begins; none where the link is worth nothing.
    pub(crate) async fn use_link(&self, text: &str, by: SignInWith) -> io::Result<Option<String>> {
        let Some(secret) = Secret::read(Kind::Link, text) else { return Ok(None) };
        let session = Secret::fresh(Kind::Session, &secret.id)?;
        let now_s = self.now_s();
        let kept = Kept { digest: session.digest.clone(), expires_s: now_s + SESSION_S };
        let decide = move |state: &State| {
            let account = state.accounts.get(&secret.id).filter(|it| {
                let link = it.link.as_ref().filter(|it| it.expires_s > now_s);
                link.is_some_and(|it| secret.has(&it.digest))
            });
            let Some(account) = account else { return (Vec::new(), None) };
            let mut account = Account::clone(account);
            match by {
                SignInWith::Password(hash) => account.password = Some(hash),
                SignInWith::Passkey(passkey) => {
                    let mut all = state.accounts.values().flat_map(|it| &it.passkeys);
                    if all.any(|it| it.id == passkey.id) || account.passkeys.len() >= PASSKEYS_MAX {
                        return (Vec::new(), None);
                    }
                    account.passkeys.push(passkey);
                }
            }
            (account.link, account.sessions) = (None, vec![kept]);
            let name = account.name.clone();
            (vec![Change::Account(account)], Some(name))
        };
        let name = self.0.store.change(decide).await?;
        self.note(
            name.as_deref().unwrap_or_default(),
            "accounts/use-link",
            "link",
            outcome(name.is_some()),
        );
        Ok(name.map(|_| self.cookie(&session.text, SESSION_S)))
    }

    /// The cookie of a session that begins for the person of that name and password; none where they are not right.
    pub(crate) async fn sign_in(&self, name: &str, password: String) -> io::Result<Option<String>> {
        let account = self.0.store.look(|it| it.named(name).cloned());
        let hash = account.as_ref().and_then(|it| it.password.clone());
        let fits = password::fits(password, hash).await;
        // A name that is none may be a password that was typed in the wrong place.
        let who = account.as_ref().map(|it| it.name.clone()).unwrap_or_default();
        self.note(&who, "accounts/sign-in", "password", outcome(fits));
        match account.filter(|_| fits) {
            Some(account) => self.begin_session(&account.id, None).await,
            None => Ok(None),
        }
    }

    /// The same for who shows a passkey.
    pub(crate) async fn sign_in_with_passkey(&self, sent: &[u8]) -> io::Result<Option<String>> {
        let find = |account: &str, id: &str| {
            self.0.store.look(|state| {
                let account = state.accounts.get(account)?;
                account.passkeys.iter().find(|it| it.id == id).cloned()
            })
        };
        let signed_in = self.passkeys().and_then(|it| it.sign_in(sent, find));
        let who = signed_in.as_ref().and_then(|it| {
            self.0.store.look(|state| Some(state.accounts.get(&it.account)?.name.clone()))
        });
        self.note(
            &who.unwrap_or_default(),
            "accounts/sign-in",
            "passkey",
            outcome(signed_in.is_some()),
        );
        match signed_in {
            Some(it) => self.begin_session(&it.account, Some(it.passkey)).await,
            None => Ok(None),
        }
    }

    async fn begin_session(
        &self,
        account: &str,
        passkey: Option<Passkey>,
    ) -> io::Result<Option<String>> {
        let session = Secret::fresh(Kind::Session, account)?;
        let now_s = self.now_s();
        let kept = Kept { digest: session.digest.clone(), expires_s: now_s + SESSION_S };
        let account = account.to_owned();
        let decide = move |state: &State| {
            let Some(account) = state.accounts.get(&account) else { return (Vec::new(), false) };
            let mut account = Account::clone(account);
            account.sessions.retain(|it| it.expires_s > now_s);
            account.sessions.push(kept);
            let surplus = account.sessions.len().saturating_sub(SESSIONS_MAX);
            account.sessions.drain(..surplus);
            for known in &mut account.passkeys {
                if let Some(used) = passkey.as_ref().filter(|it| it.id == known.id) {
                    *known = used.clone();
                }
            }
            (vec![Change::Account(account)], true)
        };
        let is_there = self.0.store.change(decide).await?;
        Ok(is_there.then(|| self.cookie(&session.text, SESSION_S)))
    }

    /// Whose browser sends these headers, if they are signed in.
    pub(crate) fn session(&self, headers: &HeaderMap) -> Option<Session> {
        let name = self.cookie_name();
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|it| it.to_str().ok());
        let mut cookies = cookies.flat_map(|it| it.split(';')).filter_map(|it| {
            let (key, value) = it.trim().split_once('=')?;
            (key == name).then(|| Secret::read(Kind::Session, value)).flatten()
        });
        let now_s = self.now_s();
        cookies.find_map(|secret| {
            self.0.store.look(|state| {
                let account = state.accounts.get(&secret.id)?;
                let mut counts = account.sessions.iter().filter(|it| it.expires_s > now_s);
                let is_there = counts.any(|it| secret.has(&it.digest));
                is_there
                    .then(|| Session { account: account.clone(), digest: secret.digest.clone() })
            })
        })
    }

    /// Ends a session, or all of its person's.
    pub(crate) async fn sign_out(&self, session: &Session, everywhere: bool) -> io::Result<()> {
        let digest = session.digest.clone();
        let ended = self.change_account(&session.account.name, move |it| {
            it.sessions.retain(|it| !everywhere && it.digest != digest);
        });
        match ended.await {
            Err(AccountError::Disk(error)) => Err(error),
            _ => {
                self.note(&session.account.name, "accounts/sign-out", "session", "done");
                Ok(())
            }
        }
    }

    /// The devices of who is signed in.
    pub(crate) fn own_devices(&self, session: &Session) -> Vec<Value> {
        let now_s = self.now_s();
        self.0.store.look(|state| self.devices(state, &session.account.id, now_s))
    }

    /// Ends what one of them was given.
    pub(crate) async fn end_own_device(&self, session: &Session, device: &str) -> io::Result<bool> {
        let is_ended = self.end_grant(&session.account.id, device).await?;
        self.note(&session.account.name, "accounts/end-device", "device", outcome(is_ended));
        Ok(is_ended)
    }

    /// What shows that a form with `content` was made for this session, here.
    pub(crate) fn form_tag(&self, session: &Session, content: &str) -> String {
        let text = format!("form {} {content}", session.digest);
        URL_SAFE_NO_PAD.encode(self.0.seal.tag(text.as_bytes()))
    }

    pub(crate) fn is_form(&self, session: &Session, content: &str, tag: &str) -> bool {
        is_same(&self.form_tag(session, content), tag)
    }

    fn is_secure(&self) -> bool {
        self.issuer().starts_with("https:")
    }

    fn cookie_name(&self) -> &'static str {
        if self.is_secure() { "__Host-madoguchi" } else { "madoguchi_session" }
    }

    /// The cookie with a session's secret; with none, one that takes it away.
    pub(crate) fn cookie(&self, text: &str, max_age_s: u64) -> String {
        let secure = if self.is_secure() { "; Secure" } else { "" };
        let name = self.cookie_name();
        format!("{name}={text}; HttpOnly; SameSite=Lax; Path=/; Max-Age={max_age_s}{secure}")
    }

    // What clients do.

    /// A client that has registered itself.
    pub(crate) fn client(&self, id: &str) -> Option<Arc<Client>> {
        self.0.store.look(|it| it.clients.get(id).cloned())
    }

    /// Registers a client that says this of itself (RFC 7591).
    pub(crate) async fn register(&self, said: &Value, peer: IpAddr) -> Result<Client, Problem> {
        let now_s = self.now_s();
        let number = clients::number().map_err(|it| unavailable(&it))?;
        let client = clients::read(number, said, Some(now_s))?;
        let kept = client.clone();
        let decide = move |state: &State| {
            let is_used = |it: &Client| state.grants.values().any(|grant| grant.client_id == it.id);
            let mut unused: Vec<_> = state.clients.values().filter(|it| !is_used(it)).collect();
            unused.sort_by_key(|it| it.registered_s);
            let surplus = (state.clients.len() + 1).saturating_sub(CLIENTS_MAX);
            let is_old = |it: &Client| it.registered_s.unwrap_or(0) + UNUSED_CLIENT_S < now_s;
            let gone = unused.iter().enumerate().filter(|(at, it)| *at < surplus || is_old(it));
            let mut changes: Vec<_> = gone.map(|(_, it)| Change::NoClient(it.id.clone())).collect();
            if state.clients.len() - changes.len() >= CLIENTS_MAX {
                return (changes, false);
            }
            changes.push(Change::Client(kept));
            (changes, true)
        };
        let is_taken = self.0.store.change(decide).await.map_err(|it| unavailable(&it))?;
        self.note(
            "",
            "accounts/register-client",
            &format!("{} from {peer}", client.id),
            outcome(is_taken),
        );
        match is_taken {
            true => Ok(client),
            false => Err(("temporarily_unavailable", "there are too many clients".to_owned())),
        }
    }

    /// The code that a client gets which who is signed in gives `scopes`.
    pub(crate) async fn consent(
        &self,
        session: &Session,
        asked: Asked,
        scopes: Vec<String>,
    ) -> io::Result<String> {
        let id = number()?;
        let (code, now_s) = (Secret::fresh(Kind::Code, &id)?, self.now_s());
        let name = session.account.name.clone();
        let what = format!("{} {}", asked.client.id, scopes.join(" "));
        let grant = Grant {
            id,
            account: session.account.id.clone(),
            client_id: asked.client.id.clone(),
            client_name: asked.client.name.clone(),
            resource: self.resource().to_owned(),
            scopes,
            code: Code {
                digest: code.digest.clone(),
                challenge: asked.challenge,
                redirect_uri: asked.redirect_uri,
                expires_s: now_s + CODE_S,
                is_used: false,
            },
            family: String::new(),
            refresh: String::new(),
            access: Vec::new(),
            created_s: now_s,
            used_s: now_s,
            expires_s: now_s + CODE_S,
        };
        let service = self.clone();
        let decide = move |state: &State| {
            let gone = state.grants.values().filter(|it| it.expires_s <= now_s);
            let mut own: Vec<_> =
                state.of(&grant.account).filter(|it| it.expires_s > now_s).collect();
            own.sort_by_key(|it| service.0.store.used_s(it));
            let surplus = (own.len() + 1).saturating_sub(GRANTS_OF_ACCOUNT_MAX);
            let gone = gone.chain(own.into_iter().take(surplus));
            let mut changes: Vec<_> = gone.map(|it| Change::NoGrant(it.id.clone())).collect();
            changes.push(Change::Grant(grant));
            (changes, ())
        };
        self.0.store.change(decide).await?;
        self.note(&name, "accounts/consent", &what, "done");
        Ok(code.text)
    }

    /// The tokens for a code, which counts once: who brings it again ends what came of it.
    pub(crate) async fn redeem(&self, sent: Redeemed) -> Result<Tokens, Problem> {
        let read = Secret::read(Kind::Code, &sent.code);
        let code = read.ok_or_else(|| invalid_grant("the code is not one of this server"))?;
        let (now_s, fresh) = (self.now_s(), self.fresh(&code.id));
        let (access, refresh) = fresh.map_err(|it| unavailable(&it))?;
        let (kept, family) = (self.access(&access, Vec::new()), refresh.family.clone());
        let digest = refresh.digest.clone();
        let decide = move |state: &State| {
            let refused = |what: &str| (Vec::new(), Err((invalid_grant(what), None)));
            let grant = state.grants.get(&code.id).filter(|it| code.has(&it.code.digest));
            let Some(grant) = grant else { return refused("the code is not one of this server") };
            if grant.code.is_used {
                let why = invalid_grant("the code was used before: what came of it ends");
                return (vec![Change::NoGrant(code.id)], Err((why, Some(grant.clone()))));
            }
            if grant.client_id != sent.client_id {
                return refused("the code is another client's");
            }
            if grant.code.redirect_uri != sent.redirect_uri {
                return refused("redirect_uri is another one than the code was sent to");
            }
            let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(sent.verifier.as_bytes()));
            if !is_same(&grant.code.challenge, &challenge) {
                return refused("code_verifier does not fit code_challenge");
            }
            if grant.code.expires_s <= now_s {
                return refused("the code has expired");
            }
            let mut grant = Grant::clone(grant);
            grant.code.is_used = true;
            (grant.family, grant.refresh) = (family, digest);
            grant.access.push(Access { scopes: grant.scopes.clone(), ..kept });
            grant.expires_s = now_s + GRANT_S;
            let scopes = grant.scopes.clone();
            (vec![Change::Grant(grant)], Ok(scopes))
        };
        self.issue("accounts/redeem-code", decide, (access, refresh)).await
    }

    /// New tokens for a refresh token, which counts once: who brings one that was exchanged before ends them all.
    pub(crate) async fn refresh(&self, sent: Refreshed) -> Result<Tokens, Problem> {
        let unknown = "the refresh token is not one of this server";
        let read = Secret::read(Kind::Refresh, &sent.token);
        let token = read.ok_or_else(|| invalid_grant(unknown))?;
        let now_s = self.now_s();
        let fresh =
            self.fresh(&token.id).and_then(|(access, _)| Ok((access, token.next(Kind::Refresh)?)));
        let (access, refresh) = fresh.map_err(|it| unavailable(&it))?;
        let (kept, digest) = (self.access(&access, Vec::new()), refresh.digest.clone());
        let decide = move |state: &State| {
            let refused = |what: Problem| (Vec::new(), Err((what, None)));
            let grant = state.grants.get(&token.id).filter(|it| is_same(&it.family, &token.family));
            let Some(grant) = grant else { return refused(invalid_grant(unknown)) };
            if grant.client_id != sent.client_id {
                return refused(invalid_grant("the refresh token is another client's"));
            }
            if !token.has(&grant.refresh) {
                let why =
                    invalid_grant("the refresh token was exchanged before: all of its grant ends");
                return (vec![Change::NoGrant(token.id)], Err((why, Some(grant.clone()))));
            }
            if grant.expires_s <= now_s {
                return refused(invalid_grant("the refresh token has expired"));
            }
            let scopes = sent.scopes.unwrap_or_else(|| grant.scopes.clone());
            if !scopes.iter().all(|it| grant.scopes.contains(it)) || scopes.is_empty() {
                let what = "scope has what the person did not give".to_owned();
                return refused(("invalid_scope", what));
            }
            // Alone it is wider than with others beside it.
            let read_only = Scope::ReadOnly.to_string();
            let mut scopes = scopes;
            if grant.scopes.contains(&read_only) && !scopes.contains(&read_only) {
                scopes.push(read_only.clone());
            }
            if scopes == [read_only] && grant.scopes.len() > 1 {
                return refused((
                    "invalid_scope",
                    "scope names nothing that could be used".to_owned(),
                ));
            }
            let mut grant = Grant::clone(grant);
            grant.refresh = digest;
            grant.access.retain(|it| it.expires_s > now_s);
            grant.access.push(Access { scopes: scopes.clone(), ..kept });
            let surplus = grant.access.len().saturating_sub(ACCESS_MAX);
            grant.access.drain(..surplus);
            (grant.used_s, grant.expires_s) = (now_s, now_s + GRANT_S);
            (vec![Change::Grant(grant)], Ok(scopes))
        };
        self.issue("accounts/refresh", decide, (access, refresh)).await
    }

    fn fresh(&self, grant: &str) -> io::Result<(Secret, Secret)> {
        Ok((Secret::fresh(Kind::Access, grant)?, Secret::fresh(Kind::Refresh, grant)?))
    }

    fn access(&self, secret: &Secret, scopes: Vec<String>) -> Access {
        let expires_s = self.now_s() + self.0.config.access_token_s;
        Access { digest: secret.digest.clone(), expires_s, scopes }
    }

    /// Gives tokens out where `decide` finds nothing wrong; a grant that it ends was misused.
    async fn issue(
        &self,
        method: &'static str,
        decide: impl FnOnce(&State) -> (Vec<Change>, Decided) + Send + 'static,
        (access, refresh): (Secret, Secret),
    ) -> Result<Tokens, Problem> {
        let decided = self.0.store.change(decide).await.map_err(|it| unavailable(&it))?;
        let grant = self.0.store.look(|it| it.grants.get(&access.id).cloned());
        let ended = decided.as_ref().err().and_then(|it| it.1.clone());
        let of = ended.as_ref().or(grant.as_ref());
        let who = of.and_then(|it| {
            self.0.store.look(|state| Some(state.accounts.get(&it.account)?.name.clone()))
        });
        let client = of.map_or("unknown", |it| &it.client_id);
        self.note(&who.unwrap_or_default(), method, client, outcome(decided.is_ok()));
        if let Some(it) = &ended {
            tracing::warn!(
                client = it.client_id,
                "a code or refresh token came a second time: its grant has ended"
            );
        }
        let scopes = decided.map_err(|it| it.0)?;
        let expires_in = self.0.config.access_token_s;
        Ok(Tokens { access: access.text, refresh: refresh.text, expires_in, scopes })
    }

    /// Ends the grant whose access or refresh token `text` is (RFC 7009); one that is none is as good as ended.
    pub(crate) async fn revoke(&self, text: &str, client_id: &str) -> Result<(), Problem> {
        let kinds = [Kind::Access, Kind::Refresh];
        let Some(secret) = kinds.iter().find_map(|it| Secret::read(*it, text)) else {
            return Ok(());
        };
        let client_id = client_id.to_owned();
        let decide = move |state: &State| {
            let grant = state.grants.get(&secret.id).filter(|it| {
                is_same(&it.family, &secret.family)
                    || it.access.iter().any(|it| secret.has(&it.digest))
            });
            match grant {
                None => (Vec::new(), Ok(None)),
                Some(it) if it.client_id != client_id => (Vec::new(), Err(())),
                Some(it) => (vec![Change::NoGrant(secret.id)], Ok(Some(it.clone()))),
            }
        };
        let ended = self.0.store.change(decide).await.map_err(|it| unavailable(&it))?;
        let ended = ended.map_err(|()| invalid_grant("the token is another client's"))?;
        if let Some(it) = ended {
            let who =
                self.0.store.look(|state| Some(state.accounts.get(&it.account)?.name.clone()));
            self.note(&who.unwrap_or_default(), "accounts/revoke", &it.client_id, "done");
        }
        Ok(())
    }
}

/// The scopes of tokens that are given out; or why none are, and the grant that ends because of it.
type Decided = Result<Vec<String>, (Problem, Option<Arc<Grant>>)>;

/// How a person signs in from now on.
pub(crate) enum SignInWith {
    /// A password with this hash.
    Password(String),
    Passkey(Passkey),
}

/// What a client brings to have tokens for a code.
pub(crate) struct Redeemed {
    pub(crate) code: String,
    pub(crate) client_id: String,
    pub(crate) redirect_uri: String,
    pub(crate) verifier: String,
}

/// What a client brings to have tokens anew.
pub(crate) struct Refreshed {
    pub(crate) token: String,
    pub(crate) client_id: String,
    pub(crate) scopes: Option<Vec<String>>,
}

fn outcome(is_done: bool) -> &'static str {
    if is_done { "done" } else { "refused" }
}

fn check_scopes(scopes: &[String]) -> Result<(), AccountError> {
    if scopes.is_empty() || scopes.len() > SCOPES_MAX {
        return Err(AccountError::Wrong(format!("an account has 1 to {SCOPES_MAX} scopes")));
    }
    let wrong = scopes.iter().find_map(|it| it.parse::<Scope>().err());
    wrong.map_or(Ok(()), |it| Err(AccountError::Wrong(it.to_string())))
}

/// A time as people and programs read it.
fn time(seconds: u64) -> String {
    let at = jiff::Timestamp::from_second(i64::try_from(seconds).unwrap_or_default());
    at.map_or_else(|_| String::new(), |it| it.to_string())
}
