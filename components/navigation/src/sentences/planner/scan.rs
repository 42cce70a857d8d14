//! Finds the phrases of the grammar in a sentence: from left to right, the longest at each place.

use std::sync::LazyLock;

use language::{
    Date,
    clock::{Time, clock},
    scan::{Lexicon, normal},
};

use super::{
    grammar::{Constraint, Means, PHRASES},
    when,
};

/// A phrase that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) means: Means,
    /// Where it begins and ends, in characters.
    pub(super) from: usize,
    pub(super) to: usize,
    /// Whether it is written in ASCII, as English is.
    pub(super) is_ascii: bool,
}

static CONSTRAINTS: LazyLock<Lexicon<Means>> = LazyLock::new(|| Lexicon::new(PHRASES));

/// What `text` says on the day `today`, phrase by phrase; it is written as `normal` has it.
pub(super) fn tokens(text: &[char], today: Date) -> Vec<Token> {
    let (mut tokens, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let phrase = CONSTRAINTS.at(text, at);
        // `the 3rd` of several is no day of the month.
        let pick = phrase.filter(|it| matches!(it.0, Means::Constraint(Constraint::Pick(_))));
        let day = || when::day(text, at, today);
        let time = || clock(text, at).map(|it| (of_time(it.0), it.1));
        match pick.or_else(day).or_else(time).or(phrase) {
            Some((means, length)) => {
                let (from, to) = (at, at + length);
                tokens.push(Token { means, from, to, is_ascii: text[at].is_ascii() });
                at = to;
            }
            None => at += 1,
        }
    }
    tokens
}

fn of_time(it: Time) -> Means {
    match it {
        Time::At { hour, minute } => Means::Clock { hour, minute },
        Time::In { minutes } => Means::In { minutes },
    }
}

/// Where phrases that are known stand in `sentence`, in characters.
pub(in crate::sentences) fn spans(sentence: &str, today: Date) -> Vec<(usize, usize)> {
    tokens(&normal(sentence), today).into_iter().map(|it| (it.from, it.to)).collect()
}
