//! Cards that are known by name, and where a sentence has them.

use language::{
    scan::hiragana,
    utterance::{MASK, Piece},
};

use super::{names::known, sentence::Sentence, themes::theme};

/// A card that is known.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Card {
    /// The theme that has it, in Japanese; empty where none does.
    pub(super) theme: &'static str,
    pub(super) japanese: &'static str,
    pub(super) english: &'static str,
    /// What names it anywhere.
    pub(super) names: Vec<String>,
    /// What is on it, which names it where a sentence is about cards.
    pub(super) motifs: Vec<String>,
}

/// A card that a sentence names, and where.
#[derive(Clone, Debug)]
pub(super) struct Spotted {
    pub(super) card: &'static Card,
    pub(super) piece: Piece,
    /// Where else it is named.
    pub(super) also: Vec<Piece>,
    /// Whether it is named, rather than what is on it.
    pub(super) is_name: bool,
}

/// The shortest name in kana that is one in hiragana as well: `るな` and `ゆき` are other words.
const KANA_MIN: usize = 3;

/// The card that bears this name as a whole.
pub(super) fn card_of(name: &str) -> Option<&'static Card> {
    let lower = name.trim().to_lowercase();
    known().cards.iter().find(|card| {
        let own = [card.japanese, card.english].iter().any(|it| it.to_lowercase() == lower);
        let called = card.english.to_lowercase().split(',').next() == Some(lower.as_str());
        own || called || card.names.contains(&lower)
    })
}

/// Every phrase for a card, the longest first, and whether it names it.
pub(super) fn phrases(cards: &'static [Card]) -> Vec<(&'static Card, String, bool)> {
    let mut phrases = Vec::new();
    for card in cards {
        let english = card.english.to_lowercase();
        let full = [card.japanese.to_lowercase(), english.replace(',', ""), english];
        phrases.extend(full.into_iter().chain(card.names.clone()).map(|it| (card, it, true)));
        phrases.extend(card.motifs.iter().map(|it| (card, it.clone(), false)));
    }
    // The longest counts.
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
    /// The cards that are named, in order; what is merely on a card counts `with_motifs`.
    pub(super) fn spotted(&self, with_motifs: bool) -> Vec<Spotted> {
        let mut spotted = Vec::<Spotted>::new();
        let mut at = 0;
        while at < self.lower.len() {
            if self.lower[at] == MASK {
                at += 1;
                continue;
            }
            let longest = known().phrases.iter().find(|(_, phrase, is_name)| {
                (with_motifs || *is_name) && self.bears(phrase, at, *is_name)
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
        self.whole(spotted)
    }

    /// Without those that are part of a longer name: `Volcano Dragon` and `Dark Luna` are others.
    fn whole(&self, spotted: Vec<Spotted>) -> Vec<Spotted> {
        let runs = self.capitals();
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
            // `ルナ・ノクス` are two, `ルナ・パーク` is another name.
            let is_joined =
                |joint: usize, next: usize| self.chars.get(joint) == Some(&'・') && !is_named(next);
            let before = card.piece.from.checked_sub(2).is_some_and(|at| is_joined(at + 1, at));
            before || is_joined(card.piece.to, card.piece.to + 1) || runs.iter().any(is_run)
        };
        spotted.into_iter().filter(|it| !is_larger(it)).collect()
    }

    /// Whether the character at `at` is in a theme's own name.
    fn in_theme(&self, at: usize) -> bool {
        (at.saturating_sub(24)..=at)
            .any(|from| theme(&self.lower, from).is_some_and(|it| from + it.1 > at))
    }

    /// Whether `phrase` stands at `at` as a name of its own.
    fn bears(&self, phrase: &str, at: usize, is_name: bool) -> bool {
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
            // `train's` is a train's, `cats` are cats.
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
        // What is on a card is a word of its own: neither `桜木町` nor `桜っぽい`.
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
