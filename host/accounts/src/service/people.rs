//! Operations of users: sign-up links, signing in and out, and devices.

use std::{io, sync::Arc};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use http::{HeaderMap, header};
use serde_json::Value;

use super::{AccountError, Accounts, outcome};
use crate::{
    secret::{self, Kind, Secret, is_same},
    state::{Account, Change, Kept, Passkey, State},
};

const SESSIONS_MAX: usize = 8;
const PASSKEYS_MAX: usize = 8;
/// Lifetime of a session in seconds.
const SESSION_S: u64 = 12 * 60 * 60;

/// A signed-in user.
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) account: Arc<Account>,
    digest: String,
}

impl Session {
    /// Whether it has not ended meanwhile.
    pub(super) fn is_open(&self, state: &State) -> bool {
        let account = state.accounts.get(&self.account.id);
        account.is_some_and(|it| it.sessions.iter().any(|it| it.digest == self.digest))
    }
}

/// A new sign-in method.
pub(crate) enum SignInWith {
    /// A password with this hash.
    Password(String),
    Passkey(Passkey),
}

impl SignInWith {
    /// Whether `account` is still signed in to so.
    fn opens(&self, account: &Account) -> bool {
        match self {
            Self::Password(hash) => account.password.as_ref() == Some(hash),
            Self::Passkey(passkey) => account.passkeys.iter().any(|it| it.id == passkey.id),
        }
    }
}

/// The account of a link, as using the link would leave it.
fn linked(state: &State, secret: &Secret, now_s: u64) -> Option<Account> {
    let account = state.accounts.get(&secret.id)?;
    let link = account.link.as_ref().filter(|it| it.kept.expires_s > now_s)?;
    if !secret.has(&link.kept.digest) {
        return None;
    }
    let mut account = Account::clone(account);
    if link.is_anew {
        account.password = None;
        account.passkeys.clear();
    }
    Some(account)
}

impl Accounts {
    /// The account of the link `text`, as using the link would leave it.
    pub(crate) fn linked(&self, text: &str) -> Option<Account> {
        let secret = Secret::read(Kind::Link, text)?;
        let now_s = self.now_s();
        self.0.store.look(|state| linked(state, &secret, now_s))
    }

    /// Uses a link: sets the password or adds the passkey, and ends all other sessions. A link created anew also
    /// removes earlier sign-in methods and grants. Returns the session cookie, or `None` for an invalid link.
    pub(crate) async fn use_link(&self, text: &str, by: SignInWith) -> io::Result<Option<String>> {
        let Some(secret) = Secret::read(Kind::Link, text) else { return Ok(None) };
        let session = Secret::fresh(Kind::Session, &secret.id)?;
        let now_s = self.now_s();
        let kept = Kept { digest: session.digest.clone(), expires_s: now_s + SESSION_S };
        let decide = move |state: &State| {
            let Some(mut account) = linked(state, &secret, now_s) else {
                return (Vec::new(), None);
            };
            match by {
                SignInWith::Password(hash) => account.password = Some(hash),
                SignInWith::Passkey(passkey) => {
                    let others = state.accounts.values().filter(|it| it.id != account.id);
                    let mut all = others.flat_map(|it| &it.passkeys).chain(&account.passkeys);
                    if all.any(|it| it.id == passkey.id) || account.passkeys.len() >= PASSKEYS_MAX {
                        return (Vec::new(), None);
                    }
                    account.passkeys.push(passkey);
                }
            }
            let is_anew = account.link.take().is_some_and(|it| it.is_anew);
            let gone = state.grants_of(&account.id).filter(|_| is_anew);
            let mut changes: Vec<_> = gone.map(|it| Change::NoGrant(it.id.clone())).collect();
            account.sessions = vec![kept];
            let name = account.name.clone();
            changes.push(Change::Account(account));
            (changes, Some(name))
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

    /// Signs in with name and password. Returns the session cookie, or `None` if they are wrong.
    pub(crate) async fn sign_in(&self, name: &str, password: String) -> io::Result<Option<String>> {
        let account = self.0.store.look(|it| it.named(name).cloned());
        let hash = account.as_ref().and_then(|it| it.password.clone());
        let fits = secret::password_fits(password, hash.clone()).await;
        // A name that is none may be a password that was typed in the wrong place.
        let who = account.as_ref().map(|it| it.name.clone()).unwrap_or_default();
        self.note(&who, "accounts/sign-in", "password", outcome(fits));
        match account.zip(hash).filter(|_| fits) {
            Some((account, hash)) => {
                self.begin_session(&account.id, SignInWith::Password(hash)).await
            }
            None => Ok(None),
        }
    }

    /// Signs in with a passkey.
    pub(crate) async fn sign_in_with_passkey(&self, sent: &[u8]) -> io::Result<Option<String>> {
        let find = |account: &str, id: &str| {
            self.0.store.look(|state| {
                let account = state.accounts.get(account)?;
                account.passkeys.iter().find(|it| it.id == id).cloned()
            })
        };
        let signed_in = match &self.0.passkeys {
            Some(passkeys) => passkeys.sign_in(sent, find).await,
            None => None,
        };
        let who = signed_in.as_ref().map(|it| self.name_of(&it.account));
        self.note(
            &who.unwrap_or_default(),
            "accounts/sign-in",
            "passkey",
            outcome(signed_in.is_some()),
        );
        match signed_in {
            Some(it) => self.begin_session(&it.account, SignInWith::Passkey(it.passkey)).await,
            None => Ok(None),
        }
    }

    /// Starts a session. `None` if the sign-in method was removed meanwhile.
    async fn begin_session(&self, account: &str, by: SignInWith) -> io::Result<Option<String>> {
        let session = Secret::fresh(Kind::Session, account)?;
        let now_s = self.now_s();
        let kept = Kept { digest: session.digest.clone(), expires_s: now_s + SESSION_S };
        let account = account.to_owned();
        let decide = move |state: &State| {
            let account = state.accounts.get(&account).filter(|it| by.opens(it));
            let Some(account) = account else { return (Vec::new(), false) };
            let mut account = Account::clone(account);
            account.sessions.retain(|it| it.expires_s > now_s);
            account.sessions.push(kept);
            let surplus = account.sessions.len().saturating_sub(SESSIONS_MAX);
            account.sessions.drain(..surplus);
            if let SignInWith::Passkey(used) = by {
                account
                    .passkeys
                    .iter_mut()
                    .filter(|it| it.id == used.id)
                    .for_each(|it| *it = used.clone());
            }
            (vec![Change::Account(account)], true)
        };
        let is_there = self.0.store.change(decide).await?;
        Ok(is_there.then(|| self.cookie(&session.text, SESSION_S)))
    }

    /// Returns the session of these headers.
    pub(crate) fn session(&self, headers: &HeaderMap) -> Option<Session> {
        let name = self.cookie_name();
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|it| it.to_str().ok());
        let mut cookies = cookies.flat_map(|it| it.split(';')).filter_map(|cookie| {
            let (key, value) = cookie.trim().split_once('=')?;
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
        let ended = self.change_account(&session.account.name, move |account| {
            account.sessions.retain(|it| !everywhere && it.digest != digest);
        });
        match ended.await {
            Err(AccountError::Disk(error)) => Err(error),
            _ => {
                self.note(&session.account.name, "accounts/sign-out", "session", "done");
                Ok(())
            }
        }
    }

    /// Devices of the signed-in user.
    pub(crate) fn devices_of(&self, session: &Session) -> Vec<Value> {
        let now_s = self.now_s();
        self.0.store.look(|state| self.devices(state, &session.account.id, now_s))
    }

    /// Ends what one of them was given.
    pub(crate) async fn end_session_device(
        &self,
        session: &Session,
        device: &str,
    ) -> io::Result<bool> {
        let is_ended = self.end_grant(&session.account.id, device).await?;
        self.note(&session.account.name, "accounts/end-device", "device", outcome(is_ended));
        Ok(is_ended)
    }

    /// Removes a passkey of the signed-in user, unless it is the last sign-in method, and ends other sessions.
    /// Returns whether it did.
    pub(crate) async fn end_session_passkey(
        &self,
        session: &Session,
        passkey: &str,
    ) -> io::Result<bool> {
        let (id, digest) = (session.account.id.clone(), session.digest.clone());
        let passkey = passkey.to_owned();
        let decide = move |state: &State| {
            let account = state.accounts.get(&id).filter(|account| {
                account.passkeys.iter().any(|it| it.id == passkey) && account.may_lose_passkey()
            });
            let Some(account) = account else { return (Vec::new(), false) };
            let mut account = Account::clone(account);
            account.passkeys.retain(|it| it.id != passkey);
            account.sessions.retain(|it| it.digest == digest);
            (vec![Change::Account(account)], true)
        };
        let is_ended = self.0.store.change(decide).await?;
        self.note(&session.account.name, "accounts/end-passkey", "passkey", outcome(is_ended));
        Ok(is_ended)
    }

    /// The tag that binds a form with `content` to this session.
    pub(crate) fn form_tag(&self, session: &Session, content: &str) -> String {
        let text = format!("form {} {content}", session.digest);
        URL_SAFE_NO_PAD.encode(self.0.seal.tag(text.as_bytes()))
    }

    pub(crate) fn is_form(&self, session: &Session, content: &str, tag: &str) -> bool {
        is_same(&self.form_tag(session, content), tag)
    }

    fn is_secure(&self) -> bool {
        self.0.issuer.starts_with("https:")
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revoked_meanwhile_denies_sign_in() {
        let passkey = |id: &str| Passkey {
            id: id.to_owned(),
            key: String::new(),
            state: String::new(),
            transports: 0,
            created_s: 0,
        };
        let kept = |digest: &str| Kept { digest: digest.to_owned(), expires_s: 9 };
        let account = Account {
            id: "1".to_owned(),
            name: "ann".to_owned(),
            scopes: Vec::new(),
            password: Some("new".to_owned()),
            passkeys: vec![passkey("b")],
            link: None,
            sessions: vec![kept("now")],
            created_s: 0,
        };
        let opens = |it: SignInWith| it.opens(&account);
        assert!(opens(SignInWith::Password("new".to_owned())));
        assert!(!opens(SignInWith::Password("old".to_owned())));
        assert!(
            opens(SignInWith::Passkey(passkey("b"))) && !opens(SignInWith::Passkey(passkey("a")))
        );
        let session = |digest: &str| Session {
            account: Arc::new(account.clone()),
            digest: digest.to_owned(),
        };
        let mut state = State::default();
        assert!(!session("now").is_open(&state), "the account is gone");
        state.accounts.insert("1".to_owned(), Arc::new(account.clone()));
        assert!(session("now").is_open(&state) && !session("before").is_open(&state));
    }
}
