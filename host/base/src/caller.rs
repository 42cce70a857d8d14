//! The caller of a tool, as far as a component may know, and how many slots each may take.

use std::{collections::HashMap, net::IpAddr, sync::Arc};

use parking_lot::Mutex;

use crate::{
    language::{Language, LanguageTag, accepted},
    scopes::Scopes,
    toolsets::{Hints, Owner, Toolset},
};

/// The first bits of an address, so many of one of IPv4 and so many of one of IPv6.
pub fn network(address: IpAddr, v4_bits: u32, v6_bits: u32) -> u128 {
    match address.to_canonical() {
        IpAddr::V4(it) => u128::from(it.to_bits() >> (32 - v4_bits)),
        IpAddr::V6(it) => it.to_bits() >> (128 - v6_bits),
    }
}

/// The caller of one invocation.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The caller's name, from the configuration or an identity provider.
    pub principal: Arc<str>,
    /// Scopes as the configuration writes them.
    pub scopes: Arc<[String]>,
    /// Their language as a BCP 47 tag.
    pub locale: Option<Arc<str>>,
    /// Their client's capabilities: a JSON object.
    pub client_capabilities: Arc<str>,
    /// Scopes for access checks. `None` where none are needed.
    pub reach: Option<Arc<Scopes>>,
    /// The caller's toolset. `None` for all tools.
    pub toolset: Option<Arc<Toolset>>,
}

impl Caller {
    /// The caller where no token is needed.
    pub fn anonymous() -> Self {
        Self {
            principal: "anonymous".into(),
            scopes: Arc::new([]),
            locale: None,
            client_capabilities: "{}".into(),
            reach: None,
            toolset: None,
        }
    }

    /// The client that started this process to speak with it alone.
    pub fn stdio() -> Self {
        Self { principal: "stdio".into(), ..Self::anonymous() }
    }

    /// The component of that name, in a job of its own. No token can have that name: theirs have no colon.
    pub fn component(name: &str) -> Self {
        Self { principal: format!("madoguchi:component:{name}").into(), ..Self::anonymous() }
    }

    /// An agent that a component plays, as the tools that its assistant picks see it.
    pub fn agent(agent_id: &str) -> Self {
        Self { principal: format!("madoguchi:agent:{agent_id}").into(), ..Self::anonymous() }
    }

    /// An authenticated caller, limited to `reach`.
    pub fn named(name: &str, scopes: &[String], reach: Scopes) -> Self {
        Self {
            principal: name.into(),
            scopes: scopes.into(),
            reach: Some(Arc::new(reach)),
            ..Self::anonymous()
        }
    }

    /// The name under which resources of the caller are counted. `None` where callers are not identified.
    pub fn share(&self) -> Option<Arc<str>> {
        self.reach.is_some().then(|| self.principal.clone())
    }

    /// Whether the caller is anonymous.
    pub fn is_anonymous(&self) -> bool {
        &*self.principal == "anonymous"
    }

    /// Whether nothing is out of their reach.
    pub fn is_free(&self) -> bool {
        self.reach.as_ref().is_none_or(|it| it.is_free())
    }

    /// Whether they may see and call `tool`, which is `owner`'s and does that to the world: their scopes let them,
    /// and their toolset has it.
    pub fn may_call(&self, owner: Owner<'_>, tool: &str, hints: Hints) -> bool {
        self.knows_of(owner, tool, hints)
            && self.reach.as_ref().is_none_or(|it| it.may_call(owner, tool, hints.read_only))
    }

    /// Whether their toolset has that tool. One that it has not is for them as if there were none.
    pub fn knows_of(&self, owner: Owner<'_>, tool: &str, hints: Hints) -> bool {
        self.toolset.as_ref().is_none_or(|it| it.has(owner, tool, hints))
    }

    /// Limits the caller to `toolset`. `None` keeps the earlier one.
    pub fn offered(mut self, toolset: Option<&Arc<Toolset>>) -> Self {
        self.toolset = toolset.cloned().or(self.toolset);
        self
    }

    /// Whether their scopes let them use the prompts, resources and look-ups of `owner`. Whether their toolset shows
    /// them, the catalog knows.
    pub fn may_use(&self, owner: Owner<'_>) -> bool {
        self.reach.as_ref().is_none_or(|it| it.may_use(owner))
    }

    /// Whether they look after the server itself.
    pub fn is_operator(&self) -> bool {
        self.reach.as_ref().is_some_and(|it| it.operator)
    }

    /// Whether they may leave something here.
    pub fn may_upload(&self) -> bool {
        self.reach.as_ref().is_none_or(|it| !it.read_only)
    }

    /// The language of lists: English for readers of any language but Japanese. Requests without a language get
    /// Japanese, the language of the specifications.
    pub fn language(&self) -> Language {
        Language::detect(Some(self.locale.as_deref().unwrap_or("ja")), "")
    }

    /// Sets the language from an `Accept-Language` header.
    pub fn speaking(mut self, accept_language: Option<&str>) -> Self {
        self.locale = accept_language.and_then(accepted).map(Into::into).or(self.locale);
        self
    }

    /// Sets the language, unless the request has one.
    pub fn reading(mut self, language: Option<&LanguageTag>) -> Self {
        self.locale = self.locale.or_else(|| language.map(|it| it.0.clone()));
        self
    }
}

/// The slots and their holders. Clones share them.
#[derive(Clone, Debug)]
pub struct Quota {
    all_max: usize,
    caller_max: usize,
    taken: Arc<Mutex<Taken>>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    /// Slots by known caller.
    each: HashMap<Arc<str>, usize>,
}

/// Why there is no place.
#[derive(Debug, PartialEq, Eq)]
pub enum TooMany {
    /// All slots are taken.
    All,
    /// The caller has as many as they may.
    Own,
}

/// One slot, released on drop.
#[derive(Debug)]
pub struct Place {
    quota: Quota,
    owner: Option<Arc<str>>,
}

impl Quota {
    /// `all_max` places, of which one caller has at most `caller_max`.
    pub fn new(all_max: usize, caller_max: usize) -> Self {
        Self { all_max, caller_max, taken: Arc::default() }
    }

    /// `all_max` places, of which one caller has at most half.
    pub fn halved(all_max: usize) -> Self {
        Self::new(all_max, all_max.div_ceil(2))
    }

    /// Takes a slot for `caller`. Unknown callers share all slots.
    ///
    /// # Errors
    /// If there is none.
    pub fn take(&self, caller: &Caller) -> Result<Place, TooMany> {
        self.take_of(caller.share())
    }

    /// Takes a slot for `owner`.
    pub fn take_of(&self, owner: Option<Arc<str>>) -> Result<Place, TooMany> {
        let mut taken = self.taken.lock();
        let own = owner.as_ref().and_then(|it| taken.each.get(it)).copied().unwrap_or(0);
        if own >= self.caller_max && owner.is_some() {
            return Err(TooMany::Own);
        }
        if taken.all >= self.all_max {
            return Err(TooMany::All);
        }
        taken.all += 1;
        if let Some(owner) = &owner {
            taken.each.insert(owner.clone(), own + 1);
        }
        drop(taken);
        Ok(Place { quota: self.clone(), owner })
    }

    /// Number of taken slots.
    pub fn taken(&self) -> usize {
        self.taken.lock().all
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.quota.taken.lock();
        taken.all -= 1;
        let Some(owner) = &self.owner else { return };
        match taken.each.get_mut(owner) {
            Some(own) if *own > 1 => *own -= 1,
            _ => _ = taken.each.remove(owner),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scopes::Scopes;

    #[test]
    fn takes_language_from_accept_language() {
        let locale = |header| Caller::anonymous().speaking(header).locale;
        assert_eq!(locale(Some("ja-JP,ja;q=0.9,en;q=0.8")).as_deref(), Some("ja-JP"));
        assert_eq!(locale(Some("de-DE, de;q=0.9, en;q=0.8, ja;q=0.7")).as_deref(), Some("de-DE"));
        let japanese = locale(Some("zh-CN,zh;q=0.9,ja;q=0.8,en;q=0.7"));
        assert_eq!(japanese.as_deref(), Some("ja"), "no text is in Chinese");
        assert_eq!(locale(Some("*")), None);
        assert_eq!(locale(None), None);
        let japanese = LanguageTag::try_from("ja".to_owned()).unwrap();
        let reader = || Caller::anonymous().reading(Some(&japanese));
        assert_eq!(reader().speaking(None).locale.as_deref(), Some("ja"));
        assert_eq!(reader().speaking(Some("en")).locale.as_deref(), Some("en"));
        assert!(LanguageTag::try_from("日本語".to_owned()).unwrap_err().contains("no language"));
    }

    #[test]
    fn limits_known_callers_each_and_unknown_ones_together() {
        let named = |name| Caller::named(name, &[], Scopes::default());
        let quota = Quota::halved(5);
        let ann: Vec<_> = (0..3).map(|_| quota.take(&named("ann")).unwrap()).collect();
        assert_eq!(quota.take(&named("ann")).unwrap_err(), TooMany::Own);
        let rest: Vec<_> = (0..2).map(|_| quota.take(&Caller::anonymous()).unwrap()).collect();
        assert_eq!(quota.take(&named("ben")).unwrap_err(), TooMany::All);
        assert_eq!(quota.take(&Caller::anonymous()).unwrap_err(), TooMany::All);
        drop((ann, rest));
        assert_eq!(quota.taken(), 0);
        assert!(quota.taken.lock().each.is_empty(), "nothing is kept of who is gone");
        let all: Vec<_> = (0..5).map(|_| quota.take(&Caller::anonymous()).unwrap()).collect();
        assert_eq!((all.len(), quota.taken()), (5, 5));
    }
}
