//! Operations of clients: register, exchange codes, refresh and revoke tokens.

use std::{collections::HashSet, io, mem, net::IpAddr, sync::Arc};

use base::scopes::Scope;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::{Accounts, Session, outcome, unavailable};
use crate::{
    clients::{self, Problem},
    secret::{Kind, Secret, is_same, number},
    state::{Access, Change, Client, Code, Grant, Previous, State},
};

const CLIENTS_MAX: usize = 1_000;
const GRANTS_OF_ACCOUNT_MAX: usize = 32;
/// Maximum number of grants of this server's own page per account, one per tab. They do not evict grants of other
/// clients.
const GRANTS_OF_PAGE_MAX: usize = 16;
/// Access tokens of one grant that count at a time.
const ACCESS_MAX: usize = 4;
/// Lifetimes of a code and of an unused grant, in seconds.
const CODE_S: u64 = 60;
const GRANT_S: u64 = 30 * 24 * 60 * 60;
/// Seconds in which an exchanged refresh token may be used again if its new tokens were not, because the response may
/// have been lost.
const LOST_S: u64 = 30;
/// Seconds after which a registered client without grants is removed.
const UNUSED_CLIENT_S: u64 = 24 * 60 * 60;

/// A validated authorization request.
pub(crate) struct AuthorizationRequest {
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

/// A request to exchange a code.
pub(crate) struct Redeemed {
    pub(crate) code: String,
    pub(crate) client_id: String,
    /// Clients of OAuth 2.1 need not say it again (10.2 there): the verifier shows that the code was theirs.
    pub(crate) redirect_uri: Option<String>,
    pub(crate) verifier: String,
}

/// A request to refresh tokens.
pub(crate) struct Refreshed {
    pub(crate) token: String,
    pub(crate) client_id: String,
    pub(crate) scopes: Option<Vec<String>>,
}

/// The scopes of tokens that are given out; or why none are, and the grant that ends because of it.
type Decided = Result<Vec<String>, (Problem, Option<Arc<Grant>>)>;

fn invalid_grant(what: &str) -> Problem {
    ("invalid_grant", what.to_owned())
}

/// Whether `token` was exchanged so lately for what `grant` has now that the answer may still have been on its way.
fn may_be_lost(grant: &Grant, token: &Secret, now_s: u64) -> bool {
    let previous = grant.previous.as_ref().filter(|it| token.has(&it.digest));
    previous.is_some_and(|it| now_s < it.at_s + LOST_S)
}

impl Accounts {
    /// A client that has registered itself, or this server's own page.
    pub(crate) fn client(&self, id: &str) -> Option<Arc<Client>> {
        if id == clients::PAGE {
            return Some(self.0.page.clone());
        }
        self.0.store.look(|it| it.clients.get(id).cloned())
    }

    /// Registers a client with this metadata (RFC 7591).
    pub(crate) async fn register(&self, metadata: &Value, peer: IpAddr) -> Result<Client, Problem> {
        let now_s = self.now_s();
        let number = clients::number().map_err(|it| unavailable(&it))?;
        let client = clients::read(number, metadata, Some(now_s))?;
        let kept = client.clone();
        let decide = move |state: &State| {
            let used: HashSet<_> = state.grants.values().map(|it| it.client_id.as_str()).collect();
            let unused = state.clients.values().filter(|it| !used.contains(it.id.as_str()));
            let mut unused: Vec<_> = unused.collect();
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

    /// Issues an authorization code for `scopes`. `None` if the user has signed out meanwhile.
    pub(crate) async fn consent(
        &self,
        session: &Session,
        asked: AuthorizationRequest,
        scopes: Vec<String>,
    ) -> io::Result<Option<String>> {
        let id = number()?;
        let (code, now_s) = (Secret::fresh(Kind::Code, &id)?, self.now_s());
        let name = session.account.name.clone();
        let what = format!("{} {}", asked.client.id, scopes.join(" "));
        let grant = Grant {
            id,
            account: session.account.id.clone(),
            client_id: asked.client.id.clone(),
            client_name: asked.client.name.clone(),
            resource: self.0.resource.to_owned(),
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
            previous: None,
            access: Vec::new(),
            created_s: now_s,
            used_s: now_s,
            expires_s: now_s + CODE_S,
        };
        let (service, session) = (self.clone(), session.clone());
        let decide = move |state: &State| {
            if !session.is_open(state) {
                return (Vec::new(), false);
            }
            let gone = state.grants.values().filter(|it| it.expires_s <= now_s);
            let is_page = |it: &Grant| it.client_id == clients::PAGE;
            let (of_page, most) = match is_page(&grant) {
                true => (true, GRANTS_OF_PAGE_MAX),
                false => (false, GRANTS_OF_ACCOUNT_MAX),
            };
            let own = state.grants_of(&grant.account).filter(|it| it.expires_s > now_s);
            let mut own: Vec<_> = own.filter(|it| is_page(it) == of_page).collect();
            own.sort_by_key(|it| service.0.store.used_s(it));
            let surplus = (own.len() + 1).saturating_sub(most);
            let gone = gone.chain(own.into_iter().take(surplus));
            let mut changes: Vec<_> = gone.map(|it| Change::NoGrant(it.id.clone())).collect();
            changes.push(Change::Grant(grant));
            (changes, true)
        };
        let is_given = self.0.store.change(decide).await?;
        self.note(&name, "accounts/consent", &what, outcome(is_given));
        Ok(is_given.then_some(code.text))
    }

    /// Exchanges a code, once. A second use ends the grant.
    pub(crate) async fn redeem(&self, sent: Redeemed) -> Result<Tokens, Problem> {
        let read = Secret::read(Kind::Code, &sent.code);
        let code = read.ok_or_else(|| invalid_grant("the code is not one of this server"))?;
        let (now_s, fresh) = (self.now_s(), self.fresh(&code.id));
        let (access, refresh) = fresh.map_err(|it| unavailable(&it))?;
        let (kept, family) = (self.access(&access), refresh.family.clone());
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
            if sent.redirect_uri.is_some_and(|it| it != grant.code.redirect_uri) {
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

    /// Exchanges a refresh token, once. A second use ends the grant, unless the first response may have been lost.
    pub(crate) async fn refresh(&self, sent: Refreshed) -> Result<Tokens, Problem> {
        let unknown = "the refresh token is not one of this server";
        let read = Secret::read(Kind::Refresh, &sent.token);
        let token = read.ok_or_else(|| invalid_grant(unknown))?;
        let now_s = self.now_s();
        let fresh =
            self.fresh(&token.id).and_then(|(access, _)| Ok((access, token.next(Kind::Refresh)?)));
        let (access, refresh) = fresh.map_err(|it| unavailable(&it))?;
        let (kept, digest) = (self.access(&access), refresh.digest.clone());
        let service = self.clone();
        let decide = move |state: &State| {
            let refused = |what: Problem| (Vec::new(), Err((what, None)));
            let grant = state.grants.get(&token.id).filter(|it| is_same(&it.family, &token.family));
            let Some(grant) = grant else { return refused(invalid_grant(unknown)) };
            if grant.client_id != sent.client_id {
                return refused(invalid_grant("the refresh token is another client's"));
            }
            let is_lost =
                may_be_lost(grant, &token, now_s) && !service.0.store.is_latest_shown(grant);
            if !token.has(&grant.refresh) && !is_lost {
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
            let exchanged = mem::replace(&mut grant.refresh, digest);
            if is_lost {
                // The lost one is no longer valid.
                grant.access.pop();
            } else {
                grant.previous = Some(Previous { digest: exchanged, at_s: now_s });
            }
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

    fn access(&self, secret: &Secret) -> Access {
        let expires_s = self.now_s() + self.0.config.access_token_s;
        Access { digest: secret.digest.clone(), expires_s, scopes: Vec::new() }
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
        let who = of.map(|it| self.name_of(&it.account));
        let client = of.map_or("unknown", |it| &it.client_id);
        self.note(&who.unwrap_or_default(), method, client, outcome(decided.is_ok()));
        if let Some(grant) = &ended {
            tracing::warn!(
                client = grant.client_id,
                "a code or refresh token came a second time: its grant has ended"
            );
        }
        let scopes = decided.map_err(|it| it.0)?;
        let expires_in = self.0.config.access_token_s;
        Ok(Tokens { access: access.text, refresh: refresh.text, expires_in, scopes })
    }

    /// Revokes the grant of an access or refresh token (RFC 7009). Unknown tokens count as revoked.
    pub(crate) async fn revoke(&self, text: &str, client_id: &str) -> Result<(), Problem> {
        let kinds = [Kind::Access, Kind::Refresh];
        let Some(secret) = kinds.iter().find_map(|it| Secret::read(*it, text)) else {
            return Ok(());
        };
        let client_id = client_id.to_owned();
        let decide = move |state: &State| {
            let grant = state.grants.get(&secret.id).filter(|grant| {
                is_same(&grant.family, &secret.family)
                    || grant.access.iter().any(|it| secret.has(&it.digest))
            });
            match grant {
                None => (Vec::new(), Ok(None)),
                Some(it) if it.client_id != client_id => (Vec::new(), Err(())),
                Some(it) => (vec![Change::NoGrant(secret.id)], Ok(Some(it.clone()))),
            }
        };
        let ended = self.0.store.change(decide).await.map_err(|it| unavailable(&it))?;
        let ended = ended.map_err(|()| invalid_grant("the token is another client's"))?;
        if let Some(grant) = ended {
            self.note(&self.name_of(&grant.account), "accounts/revoke", &grant.client_id, "done");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_answer_is_repeated_briefly_for_its_token() {
        let of = || Secret::fresh(Kind::Refresh, &number().unwrap()).unwrap();
        let (before, now) = (of(), of());
        let mut grant = Grant {
            id: String::new(),
            account: String::new(),
            client_id: String::new(),
            client_name: String::new(),
            resource: String::new(),
            scopes: Vec::new(),
            code: Code {
                digest: String::new(),
                challenge: String::new(),
                redirect_uri: String::new(),
                expires_s: 0,
                is_used: true,
            },
            family: before.family.clone(),
            refresh: now.digest.clone(),
            previous: None,
            access: Vec::new(),
            created_s: 0,
            used_s: 0,
            expires_s: 0,
        };
        assert!(!may_be_lost(&grant, &before, 100), "nothing was exchanged");
        grant.previous = Some(Previous { digest: before.digest.clone(), at_s: 100 });
        assert!(may_be_lost(&grant, &before, 100) && may_be_lost(&grant, &before, 129));
        assert!(!may_be_lost(&grant, &before, 130), "it would have arrived");
        assert!(!may_be_lost(&grant, &now, 100) && !may_be_lost(&grant, &of(), 100));
        // Reads entries written before this field existed.
        let mut written = serde_json::to_value(&grant).unwrap();
        written.as_object_mut().unwrap().remove("previous");
        assert!(serde_json::from_value::<Grant>(written).unwrap().previous.is_none());
    }
}
