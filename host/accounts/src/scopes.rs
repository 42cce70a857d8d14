//! What a client may be given: what it asks for, as far as the person has it themselves (AUTH-8).

use base::{
    language::Language,
    scopes::{Scope, Scopes},
};

/// What a client can be given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    /// Each of these, or not.
    pub(crate) scopes: Vec<Scope>,
    /// Whether all of it is to look at only.
    pub(crate) is_read_only: bool,
}

impl Offer {
    /// Of `requested`, what the account has that has scopes `own`; of a client that says nothing, all of that but
    /// looking after the server.
    pub(crate) fn of(requested: Option<&[Scope]>, own: &[Scope]) -> Self {
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
                // Whether the tool is of what they have is seen when it is called.
                Scope::Tool(_) => {
                    let is_some = |it: &Scope| matches!(it, Scope::Component(_) | Scope::Server(_));
                    let may = has_all || has(scope) || own.iter().any(is_some);
                    may.then(|| scope.clone()).into_iter().collect()
                }
                Scope::Component(_) | Scope::Server(_) => {
                    (has_all || has(scope)).then(|| scope.clone()).into_iter().collect()
                }
            };
            for it in given {
                if !scopes.contains(&it) {
                    scopes.push(it);
                }
            }
        }
        Self { scopes, is_read_only }
    }

    /// The same without those that are not among `chosen`.
    pub(crate) fn only(mut self, chosen: &[String], is_read_only: bool) -> Self {
        self.scopes.retain(|it| chosen.contains(&it.to_string()));
        self.is_read_only |= is_read_only;
        self
    }

    /// As they are written; nothing where nothing is left, for `read-only` alone would be more.
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

/// What a token brings.
pub(crate) struct Brought {
    /// As it was given.
    pub(crate) held: Vec<String>,
    /// As components are told: a tool by its own name only where the person has it by that name, or has everything. A
    /// client names what it likes, and a component may take such a name for the operator's word.
    pub(crate) told: Vec<String>,
    /// To be asked.
    pub(crate) reach: Scopes,
}

impl Brought {
    /// What a client has that was given `given` by a person who has `own`.
    pub(crate) fn of(given: &[String], own: &[String]) -> Self {
        let (given, own) = (read(given), read(own));
        let held = Offer::of(Some(&given), &own).texts();
        let mut told = read(&held);
        let is_own = |it: &Scope| own.contains(&Scope::All) || own.contains(it);
        told.retain(|it| !matches!(it, Scope::Tool(_)) || is_own(it));
        let told = told.iter().map(Scope::to_string).collect();
        let reach: Scopes = read(&held).into_iter().collect();
        Self { held, told, reach: reach.within(own.into_iter().collect()) }
    }
}

/// What a scope lets a client do, in a sentence.
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
        Offer::of(requested.map(of).as_deref(), &of(own)).texts()
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
        let told = |given: &[&str], own: &[&str]| Brought::of(&texts(given), &texts(own)).told;
        assert_eq!(told(&["tool:x"], &["component:a"]), [""; 0]);
        assert_eq!(told(&["tool:x", "component:a"], &["component:a"]), ["component:a"]);
        assert_eq!(told(&["tool:x"], &["component:a", "tool:x"]), ["tool:x"]);
        assert_eq!(told(&["tool:x"], &["*"]), ["tool:x"]);
        assert_eq!(told(&["tool:x"], &["read-only"]), ["read-only"]);
        let brought = Brought::of(&texts(&["tool:x"]), &texts(&["component:a"]));
        assert_eq!(brought.held, ["tool:x"], "its client has it all the same");
        let owner = base::tool_set::Owner::Component("a");
        assert!(brought.reach.may_call(owner, "x", false));
    }

    #[test]
    fn narrowing_scope_never_widens_when_others_are_removed() {
        let all = [Scope::Tool("x".to_owned()), Scope::ReadOnly];
        let left = Offer::of(Some(&all), &[Scope::All]).only(&["read-only".to_owned()], true);
        assert_eq!(left.texts(), [""; 0]);
    }
}
