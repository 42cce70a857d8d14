//! Finds candidates of names: pieces that no table knows, and runs of capitalized words.

use crate::{
    scan::marks,
    utterance::{MASK, Piece, Token, Utterance},
    words::Word,
};

/// Capitalized words that are no names.
const NO_NAMES: &str = "Japanese|English|What's|Who's|Where's|How's|When's|It's|That's|There's|Here's|Let's|Isn't|Don't|Is|Are|Do|Does|VS|Vs|vs|V.S.|I|I'd|I'm|I've|I'll|OK|SF|PM|AM|ID|A|The";

impl Utterance {
    /// Returns the unknown pieces, merged across one of `joints`.
    pub fn unknown_pieces(&self, joints: &[char]) -> Vec<Piece> {
        let kinds = (self.vocabulary.kinds)(&self.lower);
        let kind = |at: usize| kinds.iter().any(|it| it.0 <= at && at < it.1);
        let particle = |sign: char| {
            "のとはにをでがもへや、。,!?! 　・~〜ー".contains(sign) && sign != 'ー' && sign != '・'
        };
        let is_mixed = self.chars.iter().any(|it| is_hiragana(*it));
        let is_free = |at: usize| {
            let sign = self.chars[at];
            let is_quoting = sign == 'っ' && self.is_at("って", at)
                || sign == 'て' && at > 0 && self.is_at("って", at - 1);
            if is_quoting || self.lower[at] == MASK || "「」『』“”【】《》()".contains(sign)
            {
                return false;
            }
            // `となりの…` begins with what is a particle elsewhere.
            let is_led = at > 1 && self.chars[at - 1] == 'の' && self.is_known(at - 2);
            let begins =
                at == 0 || is_led || matches!(self.chars[at - 1], '、' | '。' | ' ' | '!' | '?');
            if begins && sign == 'と' && self.chars.get(at + 1).is_some_and(|it| is_hiragana(*it))
            {
                return !self.is_known(at);
            }
            !sign.is_ascii() && !particle(sign) && !self.is_known(at) && !kind(at)
                || sign.is_ascii_alphanumeric() && !self.is_known(at) && !kind(at) && is_mixed
        };
        let mut unknown_pieces: Vec<Piece> = Vec::new();
        let mut at = 0;
        while at < self.chars.len() {
            if !is_free(at) {
                at += 1;
                continue;
            }
            let mut to = at;
            while to < self.chars.len() {
                let is_joint = joints.contains(&self.chars[to])
                    && to + 1 < self.chars.len()
                    && is_free(to + 1);
                if !is_free(to) && !is_joint {
                    break;
                }
                to += 1;
            }
            unknown_pieces.push(self.piece(at, to));
            at = to.max(at + 1);
        }
        unknown_pieces
    }

    /// Returns runs of capitalized English words, with small words between them; a sentence's first word
    /// counts only if it is unknown.
    pub fn capitalized_names(&self) -> Vec<Piece> {
        const SMALL: &str = "of|the|and|no|to|in|a|with|-";
        let words = self.words();
        let text = |it: &(usize, usize)| self.chars[it.0..it.1].iter().collect::<String>();
        let is_taken = |place: &(usize, usize)| {
            let lies = |span: &(usize, usize)| span.0 <= place.0 && place.1 <= span.1;
            self.when.spans.iter().any(lies)
                || self.numbers.ids.iter().any(|id| id.1 == text(place))
                || self.numbers.marked.contains(&text(place))
        };
        let is_capital = |index: usize| {
            let span = &words[index];
            let word = text(span);
            let is_upper =
                self.chars[span.0].is_ascii_uppercase() && !marks(NO_NAMES).any(|it| it == word);
            let before = self.chars[..span.0].iter().rev().find(|it| **it != ' ');
            let begins = before.is_none_or(|it| matches!(it, '.' | '!' | '?' | '\n' | ':'));
            let is_known = (span.0..span.1).all(|at| self.is_known(at));
            // `anything that is NOT anime` is only emphasis.
            let is_no = |token: &Token| token.word == Word::NOT && (token.from, token.to) == *span;
            is_upper
                && !self.tokens.iter().any(is_no)
                && !is_taken(span)
                && span.1 - span.0 > 1
                && !(begins
                    && (is_known || self.numbers.spans.iter().any(|other| other.0 == span.0)))
        };
        let (mut runs, mut index) = (Vec::new(), 0);
        while index < words.len() {
            if !is_capital(index) {
                index += 1;
                continue;
            }
            let (begin, mut end, mut next) = (words[index].0, words[index].1, index + 1);
            while next < words.len() {
                let gap: String = self.chars[words[next - 1].1..words[next].0].iter().collect();
                // `Leafy of the Verdant`: small words continue to the next capital.
                let small = words[next..]
                    .iter()
                    .take(2)
                    .take_while(|span| {
                        marks(SMALL).any(|small| small == text(span)) && text(span) != "and"
                    })
                    .count();
                let is_small = small > 0 && next + small < words.len() && is_capital(next + small);
                if gap.trim() != "" && gap != ": " || !(is_capital(next) || is_small) {
                    break;
                }
                end = words[next].1;
                next += 1;
            }
            runs.push(self.piece(begin, end));
            index = next;
        }
        runs.retain(|it| self.may_be_name(it));
        runs
    }

    /// Returns what is to be excluded: `ランチ以外`, `except lunch`.
    pub fn excluded_name(&self) -> Option<Piece> {
        const BEHIND: &str = "以外|を除いて|を除く|を除き|はもう見た|は見たので|は見たから|はもう観た|は観たので|は観たから";
        const BEFORE: &str = "except for|except|other than|apart from|aside from|besides|anything but|excluding|but not|but no";
        const ENDS: &[char] = &['、', '。', ',', '.', '?', '!', ' ', '　', 'は', 'を', 'で', 'に'];
        /// What was seen is to be seen again: `AKIRAはもう見たけどもう一回`.
        const AGAIN: &str = "もう一回|もう一度|もう1回|もう1度|また見|また観|再度|何度でも";
        let is_again = marks(AGAIN).any(|it| self.find(it, 1).is_some());
        for mark in marks(BEHIND) {
            if is_again && mark.starts_with('は') {
                continue;
            }
            let Some(to) = self.find(mark, 1) else { continue };
            // `は` may belong to a title.
            let is_end = |at: &usize| {
                ENDS.contains(&self.chars[*at])
                    && (self.chars[*at] != 'は' || *at + 1 < to && to - *at > 2)
            };
            let from = (0..to).rev().find(is_end).map_or(0, |it| it + 1);
            if from < to {
                return Some(self.piece(from, to));
            }
        }
        for mark in marks(BEFORE) {
            // `besides, …` excludes nothing.
            let is_before = |at: &usize| self.chars.get(at + mark.len()) == Some(&' ');
            let Some(at) = self.find_word(mark, 0).filter(is_before) else {
                continue;
            };
            let from = at + mark.len() + 1;
            let rest = self.chars.get(from..).unwrap_or_default();
            let to = from
                + rest
                    .iter()
                    .take_while(|it| !matches!(it, ',' | '.' | '?' | '!' | '\n'))
                    .count()
                    .min(40);
            if from < to {
                return Some(self.piece(from, to));
            }
        }
        None
    }

    /// Spans of words of letters and digits.
    fn words(&self) -> Vec<(usize, usize)> {
        let mut words: Vec<(usize, usize)> = Vec::new();
        let mut at = 0;
        while at < self.chars.len() {
            let length = self.chars[at..]
                .iter()
                .take_while(|it| it.is_ascii_alphanumeric() || matches!(it, '\'' | '-'))
                .count();
            if length > 0 && self.lower[at] != MASK {
                words.push((at, at + length));
            }
            at += length.max(1);
        }
        words
    }

    /// Whether a run is more than a known word or a sentence's first word.
    fn may_be_name(&self, piece: &Piece) -> bool {
        let before = self.chars[..piece.from].iter().rev().find(|it| **it != ' ');
        let begins = before.is_none_or(|it| matches!(it, '.' | '!' | '?' | '\n'));
        // A sentence's first word is a name before a noun that has names.
        let is_head = |token: &Token| {
            token.from == piece.to + 1
                && (self.is_noun(token.word) || self.vocabulary.heads.contains(&token.word))
        };
        // It is also one if nothing else is in the sentence.
        let is_alone = !self.chars[..piece.from]
            .iter()
            .chain(&self.chars[piece.to..])
            .any(|it| it.is_alphanumeric());
        let is_named = is_alone
            || piece.text.contains(' ')
            || self.tokens.iter().any(is_head)
            || self.is_at(" and ", piece.to);
        let is_known = |token: &Token| {
            (self.is_noun(token.word) || token.word == Word::SHOW)
                && token.from == piece.from
                && token.to == piece.to
        };
        (!begins || is_named) && !self.tokens.iter().any(is_known)
    }
}

/// Whether a character is hiragana.
pub fn is_hiragana(sign: char) -> bool {
    matches!(sign, '\u{3041}'..='\u{3096}')
}

/// Whether a character may be part of a name: neither hiragana nor punctuation.
pub fn is_name_char(sign: char) -> bool {
    matches!(sign, '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}')
        || sign.is_ascii_alphanumeric()
}

/// Longest of `names`.
pub fn longest(names: Vec<Piece>) -> Option<String> {
    names.into_iter().max_by_key(|it| it.to - it.from).map(|it| it.text)
}
