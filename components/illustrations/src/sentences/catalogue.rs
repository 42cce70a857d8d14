//! Finds known cards in a sentence.

use language::{
    scan::hiragana,
    utterance::{MASK, Piece},
};

use super::{names::known_names, sentence::Sentence, themes::theme};

/// A known card.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Card {
    /// The Japanese name of its theme; empty without a theme.
    pub(super) theme: &'static str,
    pub(super) japanese: &'static str,
    pub(super) english: &'static str,
    /// Names that count in any sentence.
    pub(super) names: Vec<String>,
    /// Motifs, which count in sentences about cards.
    pub(super) motifs: Vec<String>,
}

/// A card in a sentence.
#[derive(Clone, Debug)]
pub(super) struct Spotted {
    pub(super) card: &'static Card,
    pub(super) piece: Piece,
    /// Further places where it is named.
    pub(super) also: Vec<Piece>,
    /// Whether it is named, rather than a motif of it.
    pub(super) is_name: bool,
}

/// Minimum length of a kana name that may be written in hiragana: `るな` and `ゆき` are other words.
const KANA_MIN: usize = 3;

/// Returns the card with exactly this name.
pub(super) fn card_of(name: &str) -> Option<&'static Card> {
    let lower = name.trim().to_lowercase();
    known_names().cards.iter().find(|card| {
        let own = [card.japanese, card.english].iter().any(|it| it.to_lowercase() == lower);
        let called = card.english.to_lowercase().split(',').next() == Some(lower.as_str());
        own || called || card.names.contains(&lower)
    })
}

/// Returns all phrases for cards, the longest first, and whether each is a name.
pub(super) fn phrases(cards: &'static [Card]) -> Vec<(&'static Card, String, bool)> {
    let mut phrases = Vec::new();
    for card in cards {
        let english = card.english.to_lowercase();
        let full = [card.japanese.to_lowercase(), english.replace(',', ""), english];
        phrases.extend(full.into_iter().chain(card.names.clone()).map(|it| (card, it, true)));
        phrases.extend(card.motifs.iter().map(|it| (card, it.clone(), false)));
    }
    // The longest match counts.
    phrases.sort_by_key(|it| std::cmp::Reverse(it.1.chars().count()));
    phrases
}

fn is_katakana(sign: &char) -> bool {
    matches!(sign, '\u{30a1}'..='\u{30fa}' | 'ー')
}

fn is_kanji(sign: &char) -> bool {
    matches!(sign, '\u{4e00}'..='\u{9fff}')
}

impl Sentence {
    /// Returns the named cards in order; motifs count `with_motifs`.
    pub(super) fn spotted(&self, with_motifs: bool) -> Vec<Spotted> {
        let mut spotted = Vec::<Spotted>::new();
        let mut at = 0;
        while at < self.lower.len() {
            if self.lower[at] == MASK {
                at += 1;
                continue;
            }
            let longest = known_names().phrases.iter().find(|(_, phrase, is_name)| {
                (with_motifs || *is_name) && self.has_name_at(phrase, at, *is_name)
            });
            let Some((card, phrase, is_name)) = longest else {
                at += 1;
                continue;
            };
            let to = at + phrase.chars().count();
            let piece = self.piece(at, to);
            match spotted.iter_mut().find(|it| it.card == *card) {
                Some(it) => it.also.push(piece),
                None => {
                    spotted.push(Spotted { card, piece, also: Vec::new(), is_name: *is_name });
                }
            }
            at = to;
        }
        self.without_partial(spotted)
    }

    /// Removes cards within longer names: `Volcano Dragon` and `Dark Luna` are other names.
    fn without_partial(&self, spotted: Vec<Spotted>) -> Vec<Spotted> {
        let runs = self.capitalized_names();
        let spans: Vec<_> = spotted.iter().map(|it| (it.piece.from, it.piece.to)).collect();
        let is_named = |at: usize| spans.iter().any(|it| (it.0..it.1).contains(&at));
        let is_larger = |card: &Spotted| {
            let is_run = |run: &Piece| {
                run.from <= card.piece.from
                    && card.piece.to <= run.to
                    && (run.from..run.to).any(|at| {
                        !(card.piece.from..card.piece.to).contains(&at)
                            && self.chars[at].is_ascii_alphanumeric()
                            && !self.chars[..at].ends_with(&['\''])
                            && !self.is_known(at)
                            && !is_named(at)
                            && !self.in_theme(at)
                    })
            };
            // `ルナ・ノクス` has two names, `ルナ・パーク` is another one.
            let is_joined =
                |joint: usize, next: usize| self.chars.get(joint) == Some(&'・') && !is_named(next);
            let before = card.piece.from.checked_sub(2).is_some_and(|at| is_joined(at + 1, at));
            before || is_joined(card.piece.to, card.piece.to + 1) || runs.iter().any(is_run)
        };
        spotted.into_iter().filter(|it| !is_larger(it)).collect()
    }

    /// Whether the character at `at` is within a theme's name.
    fn in_theme(&self, at: usize) -> bool {
        (at.saturating_sub(24)..=at)
            .any(|from| theme(&self.lower, from).is_some_and(|it| from + it.1 > at))
    }

    /// Whether `phrase` is at `at` as a whole name.
    fn has_name_at(&self, phrase: &str, at: usize, is_name: bool) -> bool {
        let mut length = 0;
        for sign in phrase.chars() {
            if self
                .lower
                .get(at + length)
                .is_none_or(|written| hiragana(*written) != hiragana(sign))
            {
                return false;
            }
            length += 1;
        }
        if length == 0 {
            return false;
        }
        let (from, to) = (at, at + length);
        let first = self.lower[from];
        let before = from.checked_sub(1).and_then(|it| self.lower.get(it));
        let after = self.lower.get(to);
        if phrase.is_ascii() {
            let is_letter = |it: Option<&char>| it.is_some_and(char::is_ascii_alphanumeric);
            // `train's` and `cats` count as `train` and `cat`.
            return !is_letter(before) && !is_letter(after);
        }
        let written = &self.lower[from..to];
        let is_hiragana = |it: &char| matches!(it, '\u{3041}'..='\u{3096}');
        let is_kana = phrase.chars().all(|it| is_katakana(&it));
        if is_kana && written.iter().all(is_hiragana) && (length < KANA_MIN || !is_name) {
            return false;
        }
        if is_katakana(&first) && before.is_some_and(is_katakana)
            || is_katakana(&written[length - 1]) && after.is_some_and(is_katakana)
        {
            return false;
        }
        // A motif is a whole word: neither `桜木町` nor `桜っぽい`.
        let rest: String = self.lower[to..].iter().take(3).collect();
        const LIKE: [&str; 6] = ["っぽ", "ぽい", "みたい", "風", "系", "ちゃ"];
        let is_like = LIKE.iter().any(|it| rest.starts_with(it)) && !rest.starts_with("ちゃん");
        // `黄金王朝` is no `黄金王`.
        let is_longer = is_kanji(&written[length - 1])
            && after.is_some_and(|it| is_kanji(it) && !"対戦絵版風系達等入".contains(*it));
        let is_within = is_kanji(&first) && before.is_some_and(is_kanji)
            || is_kanji(&written[length - 1]) && after.is_some_and(is_kanji);
        !is_longer && (is_name || !is_within && !is_like)
    }
}
