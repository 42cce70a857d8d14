//! Rules for goals: the first rule matches whose signs are all present and none of whose excluded signs is.

/// Confidence in percent.
pub type Percent = u8;

/// A rule: all of `all`, none of `none`.
#[derive(Debug)]
pub struct Rule<G: 'static, S: 'static> {
    /// Goal of the rule.
    pub goal: G,
    /// Confidence, regardless of other families.
    pub confidence: Percent,
    /// Required signs.
    pub all: &'static [S],
    /// Excluded signs.
    pub none: &'static [S],
}

/// Creates a rule.
pub const fn rule<G, S>(
    confidence: Percent,
    goal: G,
    all: &'static [S],
    none: &'static [S],
) -> Rule<G, S> {
    Rule { goal, confidence, all, none }
}

/// Returns the goal of the first matching rule.
pub fn goal<G: Copy, S: Copy>(
    rules: &[Rule<G, S>],
    has: impl Fn(S) -> bool,
) -> Option<(G, Percent)> {
    let fits =
        |it: &&Rule<G, S>| it.all.iter().all(|it| has(*it)) && !it.none.iter().any(|it| has(*it));
    rules.iter().find(fits).map(|it| (it.goal, it.confidence))
}
