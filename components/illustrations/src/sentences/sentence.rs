//! A sentence about cards, with its known themes and cards and its unknown names.

use std::{cell::LazyCell, ops::Deref};

use language::{
    Date,
    coverage::{Used, unused},
    scan::marks,
    utterance::{Piece, Token, Utterance},
    words::Word,
};

use super::{
    VOCABULARY, conditions,
    rules::Goal,
    themes::{self, Theme},
    wording::is_excluded,
    words,
};

/// A sentence about cards.
#[derive(Clone, Debug)]
pub(super) struct Sentence(Utterance);

impl Deref for Sentence {
    type Target = Utterance;

    fn deref(&self) -> &Utterance {
        &self.0
    }
}

/// Completes a short answer to which cards are meant by a word for cards, so that colours count: `緑で`, `blue`.
pub(super) fn complete_answer(answer: &Sentence, today: Date) -> Option<Sentence> {
    const CHARS_MAX: usize = 24;
    const OTHERS: &[Word] = &[
        words::CARD,
        words::THEME,
        Word::THEIRS,
        Word::THEIR_ACTION,
        Word::NOT,
        Word::NO_DOING,
        Word::ELSEWHERE,
        Word::CANCEL,
        Word::HELP,
        Word::GREETING,
        Word::THANKS,
        Word::PRICE,
    ];
    const LEADS: &str = "えーと、|えっと、|うーん、|じゃあ、|じゃあ|では、|um, |hmm, ";
    const TAILS: &str = "をお願いします|でお願いします|でお願い|がいいです|がいいな|がいい|にして|でいい|です|かな|で| please";
    let text = answer.text();
    let is_other = answer.has(OTHERS)
        || answer.asks()
        || !answer.when.spans.is_empty()
        || !answer.numbers.counts.is_empty();
    if is_other || text.chars().count() > CHARS_MAX {
        return None;
    }
    let text = text.trim().trim_end_matches(['。', '.', '!']);
    let text = marks(LEADS).find_map(|it| text.strip_prefix(it)).unwrap_or(text);
    let text = marks(TAILS).find_map(|it| text.strip_suffix(it)).unwrap_or(text);
    Some(match text.is_ascii() {
        true => Sentence::parse(&format!("{text} cards"), today),
        false => Sentence::parse(&format!("{text}のカード"), today),
    })
}

/// Completes a request to add a colour by a word for cards: `赤も一枚`, `青いのも`, `a green one too`.
pub(super) fn complete_addition(utterance: &Sentence, today: Date) -> Option<Sentence> {
    let text = utterance.text();
    let text = match text.is_ascii() {
        true => text.replacen(" one ", " card ", 1).replacen(" ones ", " cards ", 1),
        // `青いのも`, `赤も` and `赤に変えて`.
        false => {
            let joints = ["に変", "にかえ", "のも", "も"];
            let (at, joint) = joints.iter().find_map(|it| Some((text.find(it)?, *it)))?;
            let (head, tail) = (&text[..at], &text[at + joint.len()..]);
            let card = if head.ends_with('い') { "カード" } else { "のカード" };
            format!("{head}{card}{}{tail}", joint.trim_start_matches('の'))
        }
    };
    let added = Sentence::parse(&text, today);
    (!added.themes().is_empty()).then_some(added)
}

impl Sentence {
    /// Parses `text` with the vocabulary of cards.
    pub(super) fn parse(text: &str, today: Date) -> Self {
        let mut utterance = Self(Utterance::parse(text, today, &VOCABULARY));
        let cards = utterance.spotted(false).into_iter().map(|it| (it.piece.from, it.piece.to));
        // `Starfarer Route` is a theme, no route.
        let names: Vec<_> = cards.chain(utterance.theme_ranges()).collect();
        utterance.0.claim(&names);
        utterance
    }

    /// Returns the words that neither `goal` nor `names` use.
    pub(super) fn unused_words(&self, goal: Option<Goal>, names: Vec<String>) -> Vec<String> {
        unused(self, &Used { names, conditions: conditions(goal), spans: self.theme_ranges() })
    }

    /// Returns the ranges of themes.
    pub(super) fn theme_ranges(&self) -> Vec<(usize, usize)> {
        self.themes().into_iter().map(|it| (it.1.from, it.1.to)).collect()
    }

    /// Returns the Japanese names of excluded themes: `雪月花以外のテーマ`.
    pub(super) fn left_out(&self) -> Vec<String> {
        let themes = self.themes();
        let others: Vec<_> = themes.iter().map(|it| it.1.clone()).collect();
        let left_out = themes.iter().filter(|it| is_excluded(self, &it.1, &others));
        left_out.map(|it| it.0.japanese.to_owned()).collect()
    }

    /// Whether it is about all themes except the named ones: `雪月花以外のテーマ`, but not `without the snow theme`.
    pub(super) fn is_of_others(&self) -> bool {
        let (themes, left_out) = (self.themes(), self.left_out().len());
        let is_in_name = |token: &Token| {
            themes.iter().any(|theme| {
                let gap = self.lower.get(theme.1.to..token.from);
                theme.1.from < token.to && gap.is_none_or(|it| matches!(it, [] | [' ' | 'の']))
            })
        };
        let mut words = self.tokens.iter().filter(|it| it.word == words::THEME);
        left_out > 0 && left_out == themes.len() && words.any(|it| !is_in_name(it))
    }

    /// Returns known themes in order, with their ranges.
    pub(super) fn themes(&self) -> Vec<(Theme, Piece)> {
        self.themes_where(self.is_drawn())
    }

    /// Returns known themes of a sentence about shown cards, where a colour alone counts.
    pub(super) fn themes_with_colours(&self) -> Vec<(Theme, Piece)> {
        self.themes_where(true)
    }

    fn themes_where(&self, is_drawn: bool) -> Vec<(Theme, Piece)> {
        let lower: Vec<char> =
            self.chars.iter().filter_map(|it| it.to_lowercase().next()).collect();
        let (mut found, mut at) = (Vec::<(Theme, Piece)>::new(), 0);
        let (names, cards) =
            (LazyCell::new(|| self.candidates()), LazyCell::new(|| self.spotted(false)));
        while at < lower.len() {
            // `面白い` is no colour.
            let is_kanji = |it: char| matches!(it, '\u{4e00}'..='\u{9fff}');
            let is_within = at > 0 && is_kanji(lower[at - 1]) && is_kanji(lower[at]);
            let theme = themes::theme(&lower, at).filter(|it| it.0.is_name || !is_within);
            let colour = || is_drawn.then(|| themes::colour(&lower, at))?.map(|it| (it, 1));
            let Some((theme, length)) = theme.or_else(colour) else {
                at += 1;
                continue;
            };
            // `ブルーアイズ` is a name, no colour; `深淵魔導師ノクス` is a card, no theme.
            let piece = self.piece(at, at + length);
            let is_card = cards.iter().any(|card| {
                card.piece.from <= at && piece.to <= card.piece.to && card.piece.text != piece.text
            });
            if is_card || names.iter().any(|it| self.is_more(it, &piece)) {
                at += length;
                continue;
            }
            if !found.iter().any(|it| it.0.japanese == theme.japanese) {
                found.push((theme, self.piece(at, at + length)));
            }
            at += length;
        }
        found
    }

    /// Returns unknown names of cards and themes.
    pub(super) fn unknown_names(&self) -> Vec<Piece> {
        let themes = self.themes();
        let mut names = self.candidates();
        names.retain(|it| !themes.iter().any(|theme| theme.1.from < it.to && it.from < theme.1.to));
        names.sort_by_key(|it| (it.from, it.from.wrapping_sub(it.to)));
        names.dedup_by(|next, it| next.from < it.to);
        names
    }

    /// Whether it is about cards or pictures, so that a colour alone counts.
    fn is_drawn(&self) -> bool {
        self.has(&[words::CARD, words::THUMBNAIL, words::THEME, words::COMPOSE])
            || ["背景", "っぽく", "っぽい感じ"].iter().any(|it| self.find(it, 0).is_some())
            || self.counts_colours()
    }

    /// Whether it counts several colours: `金と緑を一枚ずつ`.
    fn counts_colours(&self) -> bool {
        const SEVERAL: usize = 2;
        let colours = (0..self.lower.len()).filter(|at| themes::colour(&self.lower, *at).is_some());
        self.find("枚", 0).is_some() && colours.count() >= SEVERAL
    }
}
