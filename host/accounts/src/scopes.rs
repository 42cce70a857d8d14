//! The scopes a client may get: those it requests, limited to those of the account (AUTH-8).

use base::{
    language::Language,
    scopes::{Scope, Scopes},
};

/// Scopes that a client can be granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    /// Scopes that the user can select one by one.
    pub(crate) scopes: Vec<Scope>,
    /// Whether all of it is to look at only.
    pub(crate) is_read_only: bool,
}

impl Offer {
    /// Limits `requested` scopes to those of the account, `own`. A client that requests none gets all but the
    /// operator's.
    pub(crate) fn limited_to(requested: Option<&[Scope]>, own: &[Scope]) -> Self {
        let has = |it: &Scope| own.contains(it);
        let narrows = |all: &[Scope]| all.contains(&Scope::ReadOnly) && all.len() > 1;
        // Alone it is everything that can be looked at.
        let has_all = has(&Scope::All) || own == [Scope::ReadOnly];
        let everything = || {
            let of_own = own.iter().filter(|it| **it != Scope::Operator);
            let of_own = of_own.filter(|it| **it != Scope::ReadOnly || own.len() == 1);
            of_own.cloned().collect::<Vec<_>>()
        };
        let is_read_only = own.contains(&Scope::ReadOnly) || requested.is_some_and(narrows);
        let mut scopes = Vec::new();
        for scope in requested.unwrap_or(&[Scope::All]) {
            let given = match scope {
                Scope::All if has(&Scope::All) => vec![Scope::All],
                Scope::All => everything(),
                Scope::ReadOnly if requested.is_some_and(|it| it.len() == 1) => {
                    vec![Scope::ReadOnly]
                }
                Scope::ReadOnly => Vec::new(),
                Scope::Operator => own.iter().filter(|it| *it == scope).cloned().collect(),
                // The call itself checks whether the account has the tool.
                Scope::Tool(_) => {
                    let is_some = |it: &Scope| matches!(it, Scope::Component(_) | Scope::Server(_));
                    let may = has_all || has(scope) || own.iter().any(is_some);
                    may.then(|| scope.clone()).into_iter().collect()
                }
                Scope::Component(_) | Scope::Server(_) => {
                    (has_all || has(scope)).then(|| scope.clone()).into_iter().collect()
                }
            };
            for scope in given {
                if !scopes.contains(&scope) {
                    scopes.push(scope);
                }
            }
        }
        Self { scopes, is_read_only }
    }

    /// Keeps only the `chosen` scopes.
    pub(crate) fn only(mut self, chosen: &[String], is_read_only: bool) -> Self {
        self.scopes.retain(|it| chosen.contains(&it.to_string()));
        self.is_read_only |= is_read_only;
        self
    }

    /// The scopes as texts. Empty when nothing is left, because `read-only` alone would be more.
    pub(crate) fn texts(&self) -> Vec<String> {
        let mut texts: Vec<_> = self.scopes.iter().map(Scope::to_string).collect();
        let read_only = Scope::ReadOnly.to_string();
        if self.is_read_only && !texts.is_empty() && !texts.contains(&read_only) {
            texts.push(read_only);
        }
        texts
    }
}

/// The scopes in `texts`; those that are none were never given.
pub(crate) fn read(texts: &[String]) -> Vec<Scope> {
    texts.iter().filter_map(|it| it.parse().ok()).collect()
}

/// The effective scopes of a token.
pub(crate) struct Brought {
    /// The scopes as granted.
    pub(crate) held: Vec<String>,
    /// The scopes as components see them. A tool is listed by name only if the user has it by name or has everything,
    /// because clients choose names freely and a component may trust them.
    pub(crate) visible: Vec<String>,
    /// The scopes for access checks.
    pub(crate) reach: Scopes,
}

impl Brought {
    /// Limits the scopes `given` to a client to those of the user, `own`.
    pub(crate) fn limited_to(given: &[String], own: &[String]) -> Self {
        let (given, own) = (read(given), read(own));
        let held = Offer::limited_to(Some(&given), &own).texts();
        let mut visible = read(&held);
        let is_own = |it: &Scope| own.contains(&Scope::All) || own.contains(it);
        visible.retain(|it| !matches!(it, Scope::Tool(_)) || is_own(it));
        let visible = visible.iter().map(Scope::to_string).collect();
        let reach: Scopes = read(&held).into_iter().collect();
        Self { held, visible, reach: reach.intersect(own.into_iter().collect()) }
    }
}

/// Describes a scope in a sentence.
pub(crate) fn sentence(scope: &Scope, language: Language) -> String {
    match scope {
        Scope::All => language
            .pick("このサーバーのすべてのツールを使う", "Use every tool of this server")
            .to_owned(),
        Scope::ReadOnly => language
            .pick("すべてを見る（何も変えない）", "Look at everything, and change nothing")
            .to_owned(),
        Scope::Component(name) => language
            .pick(format!("「{name}」のすべてを使う"), format!("Use everything of “{name}”")),
        Scope::Tool(name) => language
            .pick(format!("ツール「{name}」を使う"), format!("Use the tool “{name}”")),
        Scope::Server(name) => language.pick(
            format!("別のサーバー「{name}」のすべてを使う"),
            format!("Use everything of the other server “{name}”"),
        ),
        Scope::Operator => language
            .pick(
                "このサーバーそのものを管理する：部品の追加と削除、ほかの人のアカウント、監査ログ",
                "Look after this server itself: add and remove what it runs, other people's accounts, the audit log",
            )
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(requested: Option<&[&str]>, own: &[&str]) -> Vec<String> {
        let of = |it: &[&str]| -> Vec<Scope> { it.iter().map(|it| it.parse().unwrap()).collect() };
        Offer::limited_to(requested.map(of).as_deref(), &of(own)).texts()
    }

    #[test]
    fn offers_only_scopes_of_the_account() {
        assert_eq!(offered(None, &["*", "operator"]), ["*"]);
        assert_eq!(offered(Some(&["*", "operator"]), &["*"]), ["*"]);
        assert_eq!(offered(Some(&["operator"]), &["*", "operator"]), ["operator"]);
        assert_eq!(offered(Some(&["*"]), &["component:a", "tool:b"]), ["component:a", "tool:b"]);
        assert_eq!(offered(Some(&["component:b"]), &["component:a"]), [""; 0]);
        assert_eq!(offered(Some(&["tool:x"]), &["component:a"]), ["tool:x"], "it may be a's");
        assert_eq!(offered(Some(&["tool:x"]), &["tool:y"]), [""; 0]);
        assert_eq!(offered(None, &["read-only"]), ["read-only"]);
        assert_eq!(offered(None, &["*", "read-only"]), ["*", "read-only"]);
        assert_eq!(offered(Some(&["tool:x"]), &["read-only"]), ["tool:x", "read-only"]);
        assert_eq!(offered(Some(&["tool:x", "read-only"]), &["*"]), ["tool:x", "read-only"]);
        assert_eq!(offered(Some(&["read-only"]), &["component:a"]), ["read-only"]);
        assert_eq!(offered(None, &["operator"]), [""; 0]);
        assert_eq!(offered(None, &[]), [""; 0]);
    }

    #[test]
    fn names_only_granted_scopes_the_account_has() {
        let texts = |it: &[&str]| it.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        let visible =
            |given: &[&str], own: &[&str]| Brought::limited_to(&texts(given), &texts(own)).visible;
        assert_eq!(visible(&["tool:x"], &["component:a"]), [""; 0]);
        assert_eq!(visible(&["tool:x", "component:a"], &["component:a"]), ["component:a"]);
        assert_eq!(visible(&["tool:x"], &["component:a", "tool:x"]), ["tool:x"]);
        assert_eq!(visible(&["tool:x"], &["*"]), ["tool:x"]);
        assert_eq!(visible(&["tool:x"], &["read-only"]), ["read-only"]);
        let brought = Brought::limited_to(&texts(&["tool:x"]), &texts(&["component:a"]));
        assert_eq!(brought.held, ["tool:x"], "its client has it all the same");
        let owner = base::toolsets::Owner::Component("a");
        assert!(brought.reach.may_call(owner, "x", false));
    }

    #[test]
    fn narrowing_scope_never_widens_when_others_are_removed() {
        let all = [Scope::Tool("x".to_owned()), Scope::ReadOnly];
        let left =
            Offer::limited_to(Some(&all), &[Scope::All]).only(&["read-only".to_owned()], true);
        assert_eq!(left.texts(), [""; 0]);
    }
}
