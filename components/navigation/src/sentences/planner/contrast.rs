//! Finds contrasts with and without a topic: `高速ありとなし`, `with tolls and without tolls`.

use std::collections::BTreeSet;

use language::scan::marks;

use super::{
    grammar::{Constraint, Means, Topic},
    parse::{polarity, wanted},
    scan::Token,
};

/// Returns the topics that are both wanted and refused.
pub(super) fn topics(text: &[char], tokens: &[Token]) -> BTreeSet<Topic> {
    let has = |topic| tokens.iter().any(|it| it.means == Means::Topic(topic));
    let is_contrast = has(Topic::LocalRoads);
    let (mut constraint_texts, mut carried) = (BTreeSet::new(), None);
    for (at, token) in tokens.iter().enumerate() {
        match token.means {
            Means::Topic(topic) => {
                let wanted = wanted(tokens, at, &mut carried);
                let (topic, wanted) = match topic {
                    Topic::Tolls | Topic::Ferries => (topic, wanted),
                    Topic::Highways => (topic, wanted.or(is_contrast.then_some(true))),
                    Topic::ByHighways => (Topic::Highways, Some(wanted != Some(false))),
                    Topic::LocalRoads => (Topic::Highways, Some(wanted == Some(false))),
                    Topic::Traffic | Topic::TrafficNews | Topic::RightTurns => continue,
                };
                let Some(wanted) = wanted else { continue };
                constraint_texts.insert((topic, wanted));
                if is_other_side(text, tokens, at, wanted) {
                    constraint_texts.insert((topic, !wanted));
                }
            }
            Means::Constraint(Constraint::Both) => {
                let is_topic = |it: &Token| match it.means {
                    Means::Topic(topic @ (Topic::Highways | Topic::Tolls | Topic::Ferries)) => {
                        Some(topic)
                    }
                    _ => None,
                };
                let topic = match token.is_ascii {
                    true => tokens[at..].iter().find_map(is_topic),
                    false => tokens[..at].iter().rev().find_map(is_topic),
                };
                constraint_texts.extend(topic.into_iter().flat_map(|it| [(it, true), (it, false)]));
            }
            _ => {}
        }
    }
    let is_both = |it: &(Topic, bool)| it.1 && constraint_texts.contains(&(it.0, false));
    constraint_texts.iter().filter(|it| is_both(it)).map(|it| it.0).collect()
}

/// Whether the words after the topic at `at` name its other side without the topic: `使わないルートと使うルート`,
/// `with the motorway and without`.
fn is_other_side(text: &[char], tokens: &[Token], at: usize, wanted: bool) -> bool {
    const JOINTS: &str = "と|か|や|・|/|対| and | or | vs|versus";
    let is_joined = |from: usize, to: usize| {
        let gap: String = text[from..to].iter().collect();
        gap.is_empty() || marks(JOINTS).any(|it| gap.contains(it))
    };
    let is_topic = |it: &Token| matches!(it.means, Means::Topic(_));
    let is_end = |it: &Token| matches!(it.means, Means::Stop | Means::Pause);
    let part = || tokens[at + 1..].iter().take_while(|it| !is_end(it));
    let sides = part().take_while(|it| !is_topic(it));
    let sides: Vec<_> = sides.filter_map(|it| Some((it, polarity(it)?))).collect();
    if tokens[at].is_ascii {
        // An English yes or no belongs to the topic after it, if there is one.
        let is_theirs = part().any(is_topic);
        let first = sides.first().filter(|it| is_joined(tokens[at].to, it.0.from));
        return !is_theirs && first.is_some() && sides.iter().all(|it| it.1) != wanted;
    }
    sides.windows(2).any(|it| it[0].1 != it[1].1 && is_joined(it[0].0.to, it[1].0.from))
}
