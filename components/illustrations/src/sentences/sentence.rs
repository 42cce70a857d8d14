//! A sentence about cards, with its known themes and cards and its unknown names. Picks shown cards by
//! their positions: `the 2nd and 4th`, `1枚目`, `the first three`.

use std::{cell::LazyCell, ops::Deref};

use language::{
    Date,
    clock::spelled,
    coverage::{Used, unused},
    scan::marks,
    utterance::{Piece, Token, Utterance},
    words::Word,
};

use super::{
    VOCABULARY,
    catalogue::{self, Theme},
    conditions,
    rules::{self, Goal},
    wording::is_excluded,
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
        rules::CARD,
        rules::THEME,
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
        let mut words = self.tokens.iter().filter(|it| it.word == rules::THEME);
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
            let theme = catalogue::theme(&lower, at).filter(|it| it.0.is_name || !is_within);
            let colour = || is_drawn.then(|| catalogue::colour(&lower, at))?.map(|it| (it, 1));
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
        self.has(&[rules::CARD, rules::THUMBNAIL, rules::THEME, rules::COMPOSE])
            || ["背景", "っぽく", "っぽい感じ"].iter().any(|it| self.find(it, 0).is_some())
            || self.counts_colours()
    }

    /// Whether it counts several colours: `金と緑を一枚ずつ`.
    fn counts_colours(&self) -> bool {
        const SEVERAL: usize = 2;
        let colours =
            (0..self.lower.len()).filter(|at| catalogue::colour(&self.lower, *at).is_some());
        self.find("枚", 0).is_some() && colours.count() >= SEVERAL
    }
}

/// Words for positions, by position.
const PLACES: [&str; 8] = [
    "first|1st",
    "second|2nd",
    "third|3rd",
    "fourth|4th",
    "fifth|5th",
    "sixth|6th",
    "seventh|7th",
    "eighth|8th",
];
/// Japanese suffixes of positions.
const PLACED: &str = "枚目|番目|つ目|個目|まいめ|ばんめ|つめ|番の|番を|番で|番と|番、|番だけ";
const NUMERALS: &str = "一二三四五六七八";
/// Phrases after and before a position that exclude it.
const OUT_BEHIND: &str = "以外|じゃないほう|じゃない方|ではないほう|ではない方|でないほう|でない方|抜き|を抜|抜いて|を除|除いて|を外|は外|外して|はずし|をはず|を消|は消|消して|いらない|要らない|なしで|をやめ|はやめ|はいいや|はもういい|は結構です";
const OUT_BEFORE: &str =
    "except|without|not|remove|drop|lose|skip|minus|leave out|take out|get rid of|all but";
/// Negations directly after a position, except in questions: `1枚目がいいんじゃない？` wants it.
const NOT_IT: &str = "じゃない|ではない";
/// Phrases after a position that exclude it by a pronoun.
const OUT_BACK: &str = "drop it|drop that|remove it|remove that|lose it|skip it|take it out|leave it out|get rid of it|don't want it|do without it";
/// Maximum distance between a position and its exclusion, in characters.
const REACH: usize = 16;

/// Returns those of `shown` that `utterance` picks by position, and the words that do so.
pub(super) fn pick(utterance: &Sentence, shown: &[String]) -> Option<(Vec<String>, Vec<String>)> {
    let length = shown.len();
    if length == 0 {
        return None;
    }
    if let Some((range, words)) = positions_from_end(utterance, length) {
        return Some((shown[range].to_vec(), words));
    }
    let mut places = positions(utterance);
    places.extend(last_position(utterance, length));
    places.sort_by_key(|it| it.1);
    if places.is_empty() || places.iter().any(|it| it.0 >= length) {
        return None;
    }
    let mut words: Vec<_> = places.iter().map(|it| utterance.piece(it.1, it.2).text).collect();
    let is_out = |it: &(usize, usize, usize)| is_left_out(utterance, it.1, it.2);
    let chosen: Vec<_> = match places.iter().any(is_out) {
        true => {
            let kept = (0..length).filter(|at| !places.iter().any(|it| it.0 == *at));
            let said = [OUT_BEHIND, OUT_BEFORE, OUT_BACK, NOT_IT].into_iter().flat_map(marks);
            words.extend(said.flat_map(|it| it.split(' ')).map(str::to_owned));
            kept.map(|at| shown[at].clone()).collect()
        }
        false => {
            let mut chosen = Vec::<String>::new();
            for (at, ..) in places {
                if !chosen.contains(&shown[at]) {
                    chosen.push(shown[at].clone());
                }
            }
            chosen
        }
    };
    (!chosen.is_empty()).then_some((chosen, words))
}

/// Returns the named positions, each with its range in the sentence.
fn positions(utterance: &Sentence) -> Vec<(usize, usize, usize)> {
    let mut found = Vec::new();
    for (place, words) in PLACES.iter().enumerate() {
        for word in marks(words) {
            let mut from = 0;
            while let Some(at) = utterance.find_word(word, from) {
                from = at + word.len();
                found.push((place, at, from));
            }
        }
    }
    for at in 0..utterance.lower.len() {
        // `3番見せて`; `一番` and `1番強い` are superlatives, and `3番線` has another number.
        let behind = utterance.lower.get(at + 2);
        let is_bare = match utterance.lower[at] {
            '1' => behind.is_none_or(|it| "はがもに見み。!? ".contains(*it)),
            digit => {
                digit.is_ascii_digit() && behind.is_none_or(|it| !"地線街号組ホ".contains(*it))
            }
        };
        let bare = Some("番").filter(|it| is_bare && utterance.is_at(it, at + 1));
        let mark = marks(PLACED).find(|it| utterance.is_at(it, at + 1)).or(bare);
        let Some(mark) = mark else { continue };
        let is_number = |it: char| it.is_ascii_digit() || NUMERALS.contains(it);
        let is_alone = at == 0 || !is_number(utterance.lower[at - 1]);
        let digit = utterance.lower[at].to_digit(10).map(|it| it as usize);
        let number = digit
            .or_else(|| NUMERALS.chars().position(|it| it == utterance.lower[at]).map(|it| it + 1));
        if let Some(number) = number.filter(|it| is_alone && (1..=PLACES.len()).contains(it)) {
            let mark = mark.trim_end_matches(['の', 'を', 'で', 'と', '、']);
            found.push((number - 1, at, at + 1 + mark.chars().count()));
        }
    }
    found
}

/// Phrases for the last position.
const LAST: &str = "last one|last card|last picture|最後のカード|最後の1枚|最後の一枚|最後のやつ|最後のだけ|最後のを|最後のは|さいごのカード|さいごのやつ|さいごのだけ|さいごのを";

/// Whether the last cards of a theme are requested: `the last one of the white theme`.
pub(super) fn takes_last(utterance: &Sentence) -> bool {
    utterance.says(LAST)
}

/// Returns the last position, if it is named: `the last one`, `最後のカード`.
fn last_position(utterance: &Sentence, length: usize) -> Option<(usize, usize, usize)> {
    let (at, size) = utterance.first(LAST, 0)?;
    Some((length - 1, at, at + size))
}

/// Returns several positions from an end: `the first three`, `最初の2枚`.
fn positions_from_end(
    utterance: &Sentence,
    length: usize,
) -> Option<(std::ops::Range<usize>, Vec<String>)> {
    const ENDS: [(bool, &str); 2] = [
        (true, "first |最初の|はじめの|初めの|上の|上から|先頭の"),
        (false, "last |最後の|終わりの|下の|下から"),
    ];
    for (is_first, leads) in ENDS {
        for lead in marks(leads) {
            let Some(at) = utterance.find(lead, 0) else { continue };
            let from = at + lead.chars().count();
            let rest: String = utterance.lower[from..].iter().collect();
            let word = rest.split([' ', ',', '.', '!', '?']).next().unwrap_or_default();
            let spelled = spelled(word).map(|it| it as usize);
            let digit = || {
                let first = rest.chars().next()?;
                let behind = rest.chars().nth(1);
                let is_counted = lead.is_ascii() || matches!(behind, Some('枚' | 'つ' | '個'));
                let is_place = marks(PLACED).any(|it| rest[first.len_utf8()..].starts_with(it));
                let number = first.to_digit(10).map(|it| it as usize);
                let kanji = || NUMERALS.chars().position(|it| it == first).map(|it| it + 1);
                number.or_else(kanji).filter(|_| is_counted && !is_place)
            };
            let Some(count) = spelled.or_else(digit).filter(|it| (2..=length).contains(it)) else {
                continue;
            };
            let lead = lead.trim_end().to_owned();
            let words = vec![lead, word.to_owned(), count.to_string()];
            let range = if is_first { 0..count } else { length - count..length };
            return Some((range, words));
        }
    }
    None
}

/// Whether `utterance` may exclude something.
pub(super) fn leaves_out(utterance: &Sentence) -> bool {
    [OUT_BEHIND, OUT_BEFORE, OUT_BACK, NOT_IT].into_iter().any(|it| utterance.says(it))
}

/// Whether the text from `from` to `to` is excluded.
fn is_left_out(utterance: &Sentence, from: usize, to: usize) -> bool {
    let near: String = utterance.lower[to..].iter().take(REACH).collect();
    let near = near.split(['、', '。', ',', '.']).next().unwrap_or_default();
    let before: String = utterance.lower[from.saturating_sub(REACH)..from].iter().collect();
    let before = before.rsplit([',', '.', ';', '、', '。']).next().unwrap_or_default();
    let is_ordered = marks(OUT_BEFORE).any(|mark| {
        before.match_indices(mark).any(|(at, _)| {
            let is_letter = |it: Option<char>| it.is_some_and(|it| it.is_ascii_alphanumeric());
            !is_letter(before[..at].chars().next_back())
                && !is_letter(before[at + mark.len()..].chars().next())
        })
    });
    let is_denied = || marks(NOT_IT).any(|it| near.starts_with(it)) && !near.ends_with(['?', '？']);
    is_ordered
        || utterance.says(OUT_BACK)
        || marks(OUT_BEHIND).any(|it| near.contains(it))
        || is_denied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_cards_by_position() {
        let shown: Vec<String> = ["A", "B", "C", "D", "E"].map(str::to_owned).to_vec();
        let today = Date::constant(2026, 11, 21);
        for (sentence, meant) in [
            ("1枚目でサムネ作って", "A"),
            ("２枚目を大きく見せて", "B"),
            ("3番見せて", "C"),
            ("２番", "B"),
            ("1番見せて", "A"),
            ("三枚目と5枚目でサムネイル", "CE"),
            ("3番目以外を並べて", "ABDE"),
            ("4枚目は外して", "ABCE"),
            ("最初の3枚で作って", "ABC"),
            ("最後の二枚だけ使って", "DE"),
            ("最後のカードでサムネイルにして", "E"),
            ("make a banner out of the 2nd and 4th", "BD"),
            ("a thumbnail with the first three", "ABC"),
            ("use the third and the first", "CA"),
            ("the last two please", "DE"),
            ("remove the fifth", "ABCD"),
            ("the third one is ugly, drop it", "ABDE"),
            ("I'd get rid of the second and the last one", "ACD"),
            ("四枚目はいいや", "ABCE"),
            ("1枚目じゃないほう", "BCDE"),
            ("2枚目ではないやつで", "ACDE"),
            ("1枚目がいいんじゃない？", "A"),
            ("2枚目でいいじゃない", "B"),
            ("2枚目は暗いから外して", "ACDE"),
            ("all of them except the second", "ACDE"),
        ] {
            let found = pick(&Sentence::parse(sentence, today), &shown).map(|it| it.0.concat());
            assert_eq!(found.as_deref(), Some(meant), "{sentence}");
        }
        for sentence in [
            "もう1枚見せて",
            "a thumbnail with two cards",
            "青いカードを3枚",
            "7枚目で",
            "一番いいやつ",
            "1番強いカード見せて",
            "3番線",
        ] {
            let found = pick(&Sentence::parse(sentence, today), &shown);
            assert_eq!(found, None, "{sentence}");
        }
    }
}
