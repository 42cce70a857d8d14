//! What may be a name at all: stretches that no table knows, and runs of words with capitals.

use super::{is_hiragana, tables::GENRE_WORDS};
use crate::builtin::{
    heard::{Heard, MASK, Piece, Token, marks},
    words::Word,
};

/// Words that have a capital and are no names.
const NO_NAMES: &str = "Japanese|English|What's|Who's|Where's|How's|When's|It's|That's|There's|Here's|Let's|Isn't|Don't|Is|Are|Do|Does|VS|Vs|vs|V.S.|I|I'd|I'm|I've|I'll|OK|SF|PM|AM|ID|A|The";

impl Heard {
    /// Stretches that no table knows, put together over one of `joints` between two of them.
    pub(super) fn stretches(&self, joints: &[char]) -> Vec<Piece> {
        let genre = |at: usize| {
            (at.saturating_sub(8)..=at)
                .any(|from| GENRE_WORDS.at(&self.lower, from).is_some_and(|it| from + it.1 > at))
        };
        let particle = |it: char| {
            "のとはにをでがもへや、。,!?! 　・~〜ー".contains(it) && it != 'ー' && it != '・'
        };
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
            !it.is_ascii() && !particle(it) && !self.is_known(at) && !genre(at)
                || it.is_ascii_alphanumeric()
                    && !self.is_known(at)
                    && !genre(at)
                    && self.is_mixed(at)
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

    /// Whether a letter at `at` is in a Japanese sentence.
    fn is_mixed(&self, _at: usize) -> bool {
        self.chars.iter().any(|it| is_hiragana(*it))
    }

    /// Runs of English words that begin with a capital, small words between them allowed; the first word
    /// of a sentence counts only where no table knows it.
    pub(in crate::builtin) fn capitals(&self) -> Vec<Piece> {
        const SMALL: &str = "of|the|and|no|to|in|a|with|-";
        let words = self.words();
        let text = |it: &(usize, usize)| self.chars[it.0..it.1].iter().collect::<String>();
        let is_taken = |it: &(usize, usize)| {
            let lies = |span: &(usize, usize)| span.0 <= it.0 && it.1 <= span.1;
            self.when.spans.iter().any(lies)
                || self.numbers.ids.iter().any(|id| id.1 == text(it))
                || self.numbers.seats.contains(&text(it))
        };
        let is_capital = |index: usize| {
            let it = &words[index];
            let word = text(it);
            let is_upper =
                self.chars[it.0].is_ascii_uppercase() && !marks(NO_NAMES).any(|it| it == word);
            let before = self.chars[..it.0].iter().rev().find(|it| **it != ' ');
            let begins = before.is_none_or(|it| matches!(it, '.' | '!' | '?' | '\n' | ':'));
            let is_known = (it.0..it.1).all(|at| self.is_known(at));
            is_upper
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
                    .take_while(|it| {
                        marks(SMALL).any(|small| small == text(it)) && text(it) != "and"
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
        // One word that merely begins a sentence is a name where it stands before what names have.
        let heads = [
            Word::Card,
            Word::Theme,
            Word::Thumbnail,
            Word::Versus,
            Word::Showtimes,
            Word::Ticket,
            Word::Film,
            Word::Playing,
            Word::Seat,
        ];
        let before = self.chars[..it.from].iter().rev().find(|it| **it != ' ');
        let begins = before.is_none_or(|it| matches!(it, '.' | '!' | '?' | '\n'));
        let is_head = |token: &Token| token.from == it.to + 1 && heads.contains(&token.word);
        let is_named =
            it.text.contains(' ') || self.tokens.iter().any(is_head) || self.is_at(" and ", it.to);
        let known = [Word::Card, Word::Theme, Word::Film, Word::Show];
        let is_known = |token: &Token| {
            known.contains(&token.word) && token.from == it.from && token.to == it.to
        };
        (!begins || is_named) && !self.tokens.iter().any(is_known)
    }
}
