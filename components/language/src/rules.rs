//! What a sentence asks for: the first rule of a table whose signs are all there, and none of those that bar it.

/// How surely something is meant, in hundredths.
pub type Percent = u8;

/// One rule: all of `all`, none of `none`.
#[derive(Debug)]
pub struct Rule<G: 'static, S: 'static> {
    /// What is asked for.
    pub goal: G,
    /// How surely it is, whatever other families read in the sentence.
    pub sure: Percent,
    /// Signs that have to be there.
    pub all: &'static [S],
    /// Signs that bar it.
    pub none: &'static [S],
}

/// A rule of a table.
pub const fn rule<G, S>(
    sure: Percent,
    goal: G,
    all: &'static [S],
    none: &'static [S],
) -> Rule<G, S> {
    Rule { goal, sure, all, none }
}

/// The goal of the first of `rules` that fits, where `has` says which signs are there.
pub fn goal<G: Copy, S: Copy>(
    rules: &[Rule<G, S>],
    has: impl Fn(S) -> bool,
) -> Option<(G, Percent)> {
    let fits =
        |it: &&Rule<G, S>| it.all.iter().all(|it| has(*it)) && !it.none.iter().any(|it| has(*it));
    rules.iter().find(fits).map(|it| (it.goal, it.sure))
}
