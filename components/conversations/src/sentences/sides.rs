//! Finds what each of two agents is to be or to say: `司会はworker-a、書記はworker-bで`, `worker-a for cats and worker-b for dogs`.

use language::{scan::marks, utterance::Piece};

use super::sentence::{Sentence, without_length};

/// What each agent is to be, as written.
#[derive(Debug)]
pub(super) struct Sides {
    pub(super) text: String,
    /// Whether the words for the topic are among them.
    pub(super) is_whole: bool,
}

/// Returns the sides of both `agents` in `utterance`.
pub(super) fn sides(utterance: &Sentence, agents: &[Piece]) -> Option<Sides> {
    let [one, other] = agents else { return None };
    let text = utterance.text();
    match text.is_ascii() {
        true => english(utterance, one, other),
        false => japanese(&text, one, other),
    }
}

/// Sides in the clauses of the sentence, where the second one follows a break: `worker-a should argue for cats and worker-b
/// for dogs`.
fn english(utterance: &Sentence, one: &Piece, other: &Piece) -> Option<Sides> {
    const BREAKS: &str = " and | while | but |, |; ";
    const WITH: &str = " with| to| against| from";
    let between: String = utterance.lower[one.to..other.from].iter().collect();
    let is_apart = marks(BREAKS).any(|it| between.ends_with(it) && between.len() > it.len() + 2)
        && !marks(WITH).any(|it| between.trim_end().ends_with(it));
    let behind: String = utterance.chars[one.from..].iter().collect();
    let said = without_length(&behind).0;
    let said = said.trim().trim_end_matches(['.', '!', '?']).trim_end_matches(" please");
    let rest = said.split_once(&other.text).map(|it| it.1.trim());
    // `worker-a, the planner, and worker-b talk` says nothing of the second.
    let is_said = rest.is_some_and(|it| it.contains(' ') || ["against", "for"].contains(&it));
    (is_apart && is_said).then(|| Sides { text: said.to_owned(), is_whole: true })
}

/// Sides in clauses of their own, by the agents' names or the ends of these: `aは賛成、bは反対`, `司会はworker-a`.
fn japanese(text: &str, one: &Piece, other: &Piece) -> Option<Sides> {
    let of = |agent: &Piece| {
        let short = agent.text.rsplit(['-', '_']).next().unwrap_or_default();
        [agent.text.as_str(), short].into_iter().find_map(|name| side(text, name))
    };
    let (first, second) = (of(one)?, of(other)?);
    Some(Sides { text: format!("{first}、{second}"), is_whole: false })
}

/// The clause that is about `name`.
fn side(text: &str, name: &str) -> Option<String> {
    const ENDS: &str = "です|でお願いします|でお願い|ということで|として|にして|で";
    text.split(['、', '。', '\n', '，']).find_map(|clause| {
        let clause = clause.trim();
        let at =
            clause.match_indices(name).map(|it| it.0).find(|at| is_apart(clause, *at, name))?;
        let (before, behind) = (&clause[..at], &clause[at + name.len()..]);
        // `司会はworker-aで始めて`: the name ends the side.
        let role =
            before.strip_suffix('は').or(before.strip_suffix("が")).filter(|it| !it.is_empty());
        if role.is_some_and(|it| it.chars().count() <= ROLE_MAX) {
            return Some(format!("{before}{name}"));
        }
        let said = behind.strip_prefix('は').or(behind.strip_prefix('が'))?;
        // `worker-bは犬派で議論させて`: the order ends the side.
        let said =
            marks(ORDERS).filter_map(|it| said.find(it)).min().map_or(said, |at| &said[..at]);
        let said = marks(ENDS).find_map(|it| said.strip_suffix(it)).unwrap_or(said).trim();
        (before.is_empty() && !said.is_empty()).then(|| format!("{name}は{said}"))
    })
}

/// What begins the order behind a side.
const ORDERS: &str =
    "で議論|で討論|で話|で会話|で対話|で会議|で相談|でやって|でしり|になって|として";
/// Longest role before a name, in characters.
const ROLE_MAX: usize = 12;

/// Whether `name` at `at` is a word of its own.
fn is_apart(clause: &str, at: usize, name: &str) -> bool {
    let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_');
    !clause[..at].ends_with(is_part) && !clause[at + name.len()..].starts_with(is_part)
}
