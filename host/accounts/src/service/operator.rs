//! Operations of the operator on accounts.

use futures::future::BoxFuture;
use std::{io, sync::Arc};

use base::{config::tokens::name_problem, scopes::Scope};
use serde_json::{Value, json};
use store::clock::rfc3339;

use super::{Accounts, OPERATOR};
use crate::{
    clients,
    secret::{Kind, Secret, number},
    state::{Account, Change, Grant, Kept, Link, State},
};

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

    pub(super) fn devices(&self, state: &State, account: &str, now_s: u64) -> Vec<Value> {
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

    pub(super) async fn change_account(
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

    pub(super) async fn end_grant(&self, account: &str, grant: &str) -> io::Result<bool> {
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
