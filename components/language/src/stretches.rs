//! What may be a name at all: stretches that no table knows, and runs of words with capitals.

use crate::{
    scan::marks,
    utterance::{MASK, Piece, Token, Utterance},
    words::Word,
};

/// Words that have a capital and are no names.
const NO_NAMES: &str = "Japanese|English|What's|Who's|Where's|How's|When's|It's|That's|There's|Here's|Let's|Isn't|Don't|Is|Are|Do|Does|VS|Vs|vs|V.S.|I|I'd|I'm|I've|I'll|OK|SF|PM|AM|ID|A|The";

impl Utterance {
    /// Stretches that no table knows, put together over one of `joints` between two of them.
    pub fn stretches(&self, joints: &[char]) -> Vec<Piece> {
        let kinds = (self.vocabulary.kinds)(&self.lower);
        let kind = |at: usize| kinds.iter().any(|it| it.0 <= at && at < it.1);
        let particle = |sign: char| {
            "のとはにをでがもへや、。,!?! 　・~〜ー".contains(sign) && sign != 'ー' && sign != '・'
        };
        let is_mixed = self.chars.iter().any(|it| is_hiragana(*it));
        let is_free = |at: usize| {
            let it = self.chars[at];
            let is_quoting = it == 'っ' && self.is_at("って", at)
                || it == 'て' && at > 0 && self.is_at("って", at - 1);
            if is_quoting || self.lower[at] == MASK || "「」『』“”【】《》()".contains(it)
            {
                return false;
            }
            // `となりの…` begins with what elsewhere is a particle.
            let is_led = at > 1 && self.chars[at - 1] == 'の' && self.is_known(at - 2);
            let begins =
                at == 0 || is_led || matches!(self.chars[at - 1], '、' | '。' | ' ' | '!' | '?');
            if begins && it == 'と' && self.chars.get(at + 1).is_some_and(|it| is_hiragana(*it)) {
                return !self.is_known(at);
            }
            !it.is_ascii() && !particle(it) && !self.is_known(at) && !kind(at)
                || it.is_ascii_alphanumeric() && !self.is_known(at) && !kind(at) && is_mixed
        };
        let mut stretches: Vec<Piece> = Vec::new();
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
            stretches.push(self.piece(at, to));
            at = to.max(at + 1);
        }
        stretches
    }

    /// Runs of English words that begin with a capital, small words between them allowed; the first word
    /// of a sentence counts only where no table knows it.
    pub fn capitals(&self) -> Vec<Piece> {
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
            let it = &words[index];
            let word = text(it);
            let is_upper =
                self.chars[it.0].is_ascii_uppercase() && !marks(NO_NAMES).any(|it| it == word);
            let before = self.chars[..it.0].iter().rev().find(|it| **it != ' ');
            let begins = before.is_none_or(|it| matches!(it, '.' | '!' | '?' | '\n' | ':'));
            let is_known = (it.0..it.1).all(|at| self.is_known(at));
            // `anything that is NOT anime` only says it louder.
            let is_no = |token: &Token| token.word == Word::NOT && (token.from, token.to) == *it;
            is_upper
                && !self.tokens.iter().any(is_no)
                && !is_taken(it)
                && it.1 - it.0 > 1
                && !(begins && (is_known || self.numbers.spans.iter().any(|span| span.0 == it.0)))
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
                // `Leafy of the Verdant`: small words lead to the next capital.
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

    /// What is to be left out: `ランチ以外`, `except lunch`.
    pub fn excluded(&self) -> Option<Piece> {
        const BEHIND: &str = "以外|を除いて|を除く|を除き";
        const BEFORE: &str = "except for|except|other than|apart from|aside from|besides|anything but|excluding|but not|but no";
        const ENDS: &[char] = &['、', '。', ',', '.', '?', '!', ' ', '　', 'は', 'を', 'で', 'に'];
        for mark in marks(BEHIND) {
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
            // `besides, …` leaves nothing out.
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

    /// Words of letters and digits, by where they begin and end.
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

    /// Whether a run is more than a word that is known, or that merely begins a sentence.
    fn may_be_name(&self, it: &Piece) -> bool {
        let before = self.chars[..it.from].iter().rev().find(|it| **it != ' ');
        let begins = before.is_none_or(|it| matches!(it, '.' | '!' | '?' | '\n'));
        // One word that merely begins a sentence is a name where it stands before what names have.
        let is_head = |token: &Token| {
            token.from == it.to + 1
                && (self.is_noun(token.word) || self.vocabulary.heads.contains(&token.word))
        };
        // And where there is nothing else.
        let is_alone = !self.chars[..it.from]
            .iter()
            .chain(&self.chars[it.to..])
            .any(|it| it.is_alphanumeric());
        let is_named = is_alone
            || it.text.contains(' ')
            || self.tokens.iter().any(is_head)
            || self.is_at(" and ", it.to);
        let is_known = |token: &Token| {
            (self.is_noun(token.word) || token.word == Word::SHOW)
                && token.from == it.from
                && token.to == it.to
        };
        (!begins || is_named) && !self.tokens.iter().any(is_known)
    }
}

/// Whether a sign is hiragana.
pub fn is_hiragana(it: char) -> bool {
    matches!(it, '\u{3041}'..='\u{3096}')
}

/// What is neither hiragana nor a mark: what names are written in.
pub fn is_name_char(it: char) -> bool {
    matches!(it, '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}') || it.is_ascii_alphanumeric()
}

/// The longest of `names`.
pub fn longest(names: Vec<Piece>) -> Option<String> {
    names.into_iter().max_by_key(|it| it.to - it.from).map(|it| it.text)
}
