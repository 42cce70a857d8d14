//! Cached digests of the tool lists given to the server's own page. They tell whether a list has changed without
//! building it.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use base::{caller::Caller, language::Language, scopes::Scopes, toolsets::Toolset};
use registry::Catalog;

/// Maximum number of cached digests, one per caller kind and language.
const KEPT_MAX: usize = 64;

/// Everything that a list depends on besides the catalog.
struct Kind {
    language: Language,
    reach: Option<Arc<Scopes>>,
    toolset: Option<Arc<Toolset>>,
}

impl Kind {
    fn of_caller(caller: &Caller) -> Self {
        Self {
            language: caller.language(),
            reach: caller.reach.clone(),
            toolset: caller.toolset.clone(),
        }
    }

    fn matches(&self, other: &Self) -> bool {
        let is_same_toolset = match (&self.toolset, &other.toolset) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        is_same_toolset && self.language == other.language && self.reach == other.reach
    }
}

/// The digests of one catalog's lists.
#[derive(Default)]
pub(super) struct Digests(Mutex<Kept>);

/// The catalog, and the digests of its lists.
type Kept = (Weak<Catalog>, Vec<(Kind, String)>);

impl Digests {
    /// The digest of the list that `caller`, on the server's own page, gets of `catalog`; `made` makes it where it is
    /// not known.
    pub(super) fn get_or_compute(
        &self,
        catalog: &Arc<Catalog>,
        caller: &Caller,
        made: impl FnOnce() -> String,
    ) -> String {
        let kind = Kind::of_caller(caller);
        let find = |kept: &Kept| {
            let is_current = kept.0.ptr_eq(&Arc::downgrade(catalog));
            let found = kept.1.iter().find(|(its, _)| is_current && its.matches(&kind));
            found.map(|(_, digest)| digest.clone())
        };
        if let Some(digest) = find(&self.0.lock()) {
            return digest;
        }
        let digest = made();
        let mut kept = self.0.lock();
        let (of, digests) = &mut *kept;
        if !of.ptr_eq(&Arc::downgrade(catalog)) {
            // The catalog itself is not kept alive, and no other takes its place in memory meanwhile.
            *of = Arc::downgrade(catalog);
            digests.clear();
        }
        if digests.len() >= KEPT_MAX {
            digests.remove(0);
        }
        digests.push((kind, digest.clone()));
        digest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computes_digest_once_per_catalog_language_and_rights() {
        let digests = Digests::default();
        let (one, other) = (Arc::new(Catalog::default()), Arc::new(Catalog::default()));
        let japanese = Caller::anonymous();
        let english = Caller::anonymous().speaking(Some("en"));
        let named = Caller::named("ann", &[], Scopes::default());
        let mut made = 0;
        let mut ask = |catalog: &Arc<Catalog>, caller: &Caller| {
            let digest = digests.get_or_compute(catalog, caller, || {
                made += 1;
                made.to_string()
            });
            (digest, made)
        };
        let expected = |digest: &str, made: u32| (digest.to_owned(), made);
        assert_eq!(ask(&one, &japanese), expected("1", 1));
        assert_eq!(ask(&one, &japanese), expected("1", 1), "it is known");
        assert_eq!(ask(&one, &english), expected("2", 2));
        assert_eq!(ask(&one, &named), expected("3", 3));
        assert_eq!(ask(&one, &japanese), expected("1", 3));
        assert_eq!(ask(&other, &japanese), expected("4", 4), "another catalog has other lists");
        assert_eq!(ask(&one, &japanese), expected("5", 5), "and the one before is forgotten");
    }

    #[test]
    fn unrelated_capabilities_do_not_change_the_digest() {
        let (digests, catalog) = (Digests::default(), Arc::new(Catalog::default()));
        let page = |capabilities: &str| {
            let caller =
                Caller { client_capabilities: Arc::from(capabilities), ..Caller::anonymous() };
            assert!(sandbox::definition::is_own_page(capabilities), "{capabilities}");
            digests.get_or_compute(&catalog, &caller, || capabilities.to_owned())
        };
        let plain = page(r#"{"extensions":{"madoguchi/views":{}}}"#);
        let detailed =
            page(r#"{"extensions":{"madoguchi/views":{}},"experimental":{"a":{"b":1}}}"#);
        assert_eq!(detailed, plain, "it is known");
        assert_eq!(digests.0.lock().1.len(), 1);
    }
}
