//! Finds the phrases of the grammar in a sentence, from left to right, the longest at each position.

use std::sync::LazyLock;

use language::{
    Date,
    clock::{Time, clock, moved},
    scan::{Lexicon, normal},
};

use super::{
    constraints::Unsupported,
    grammar::{Constraint, Means, PHRASES},
    when,
};

/// A found phrase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) means: Means,
    /// Its range in characters.
    pub(super) from: usize,
    pub(super) to: usize,
    /// Whether it is ASCII, as English is.
    pub(super) is_ascii: bool,
}

static CONSTRAINTS: LazyLock<Lexicon<Means>> = LazyLock::new(|| Lexicon::new(PHRASES));

/// Returns the phrases of the normalized `text` on the day `today`.
pub(super) fn tokens(text: &[char], today: Date) -> Vec<Token> {
    let (mut tokens, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let phrase = CONSTRAINTS.at(text, at).map(|(means, length)| {
            let turned = means == Means::Refuse && becomes_wish(&text[at..], length);
            (if turned { Means::Want } else { means }, length)
        });
        // `the 3rd` of several routes is no date.
        let pick = phrase.filter(|it| matches!(it.0, Means::Constraint(Constraint::Pick(_))));
        let day = || when::day(text, at, today);
        let time = || clock(text, at).map(|it| (time_means(it.0), it.1));
        let shift = || moved(text, at).map(|it| (Means::Shift { minutes: it.0 }, it.1));
        let road = || {
            let length = road(text, at).filter(|road| phrase.is_none_or(|it| it.1 < *road))?;
            Some((Means::Constraint(Constraint::Unsupported(Unsupported::Road)), length))
        };
        match road().or(pick).or_else(day).or_else(shift).or_else(time).or(phrase) {
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

/// Whether the no of `length` characters turns to a wish by what follows: `使いたくなった`.
fn becomes_wish(text: &[char], length: usize) -> bool {
    text[..length].ends_with(&['た', 'く', 'な'])
        && text.get(length).is_some_and(|it| "っりる".contains(*it))
}

/// Returns the number of characters of a numbered road at `at`: `246号線`, `route 246`, and `246を通` by its verb.
fn road(text: &[char], at: usize) -> Option<usize> {
    const HEADS: [&str; 5] = ["ルート", "route ", "highway ", "road ", "r"];
    const BEHIND: [&str; 6] = ["号線", "号", "を通", "を避け", "は避け", "経由"];
    const BEFORE: [&str; 4] = ["via ", "avoid ", "avoiding ", "take "];
    /// Suffixes of other numbered things: `3号室`.
    const NO_ROAD: [char; 6] = ['室', '館', '車', '棟', '店', '艇'];
    let is_at = |word: &str, at: usize| {
        let length = word.chars().count();
        text.get(at..at + length).is_some_and(|it| it.iter().copied().eq(word.chars()))
    };
    let is_begin = at.checked_sub(1).is_none_or(|it| !text[it].is_ascii_alphanumeric());
    let head = HEADS.iter().find(|it| is_at(it, at)).map_or(0, |it| it.chars().count());
    let from = at + head;
    let digits = text[from..].iter().take_while(|it| it.is_ascii_digit()).count();
    let to = from + digits;
    if !is_begin || !(1..=3).contains(&digits) {
        return None;
    }
    let behind = BEHIND.iter().find(|it| is_at(it, to));
    let is_numbered = |it: &&&str| it.starts_with('号');
    let mark = behind.filter(is_numbered).map_or(0, |it| it.chars().count());
    if mark > 0 {
        return text
            .get(to + mark)
            .is_none_or(|it| !NO_ROAD.contains(it))
            .then_some(to + mark - at);
    }
    let is_end = text.get(to).is_none_or(|it| !it.is_ascii_alphanumeric());
    // `route 2` is the second found route.
    let is_before = BEFORE.iter().any(|it| at >= it.len() && is_at(it, at - it.len()));
    let is_named = head > 0 || digits == 3 && (behind.is_some() || is_before);
    (is_end && digits > 1 && is_named).then_some(to - at)
}

fn time_means(time: Time) -> Means {
    match time {
        Time::At { hour, minute } => Means::Clock { hour, minute },
        Time::In { minutes } => Means::In { minutes },
    }
}

/// Returns the ranges of known phrases in `sentence`, in characters.
pub(in crate::sentences) fn spans(sentence: &str, today: Date) -> Vec<(usize, usize)> {
    tokens(&normal(sentence), today).into_iter().map(|it| (it.from, it.to)).collect()
}
