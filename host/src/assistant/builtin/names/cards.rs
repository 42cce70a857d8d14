//! Names of cards: what no table knows and stands where a card's name does.

use super::is_name_char;
use crate::assistant::builtin::{
    heard::{Heard, Piece, Token, marks},
    words::Word,
};

/// Before and behind a card's name in English.
const NAME_BEFORE: &str = "illustration of|illustrations of|picture of|pictures of|image of|images of|artwork of|artwork for|illustration for|card art for|card art of|art of|art for|card called|card named|the card|thumbnail of|thumbnail featuring|featuring";
const NAME_STOPS: &str = ".|,|?|!|\n| please| for | in | on | and | with | as | titled | that | card| theme| pls| thanks| by | from | is | vs | vs. | versus ";
const NAME_BEHIND: &str = " illustration| card art| card| artwork| picture| art";
const NAME_LEADS: &str = "show me |show |find |get |fetch |see |display |the |a |an |of |me |for |want |need |like |give me |look up |to |please |this |my |can i |pull up ";

impl Heard {
    /// What may be the name of a card, a theme among it or not.
    pub(super) fn candidates(&self) -> Vec<Piece> {
        let mut names = self.capitals();
        names.extend(self.described());
        const BEHIND: &[char] = &[
            'の', 'と', 'を', '、', 'が', 'で', 'は', '対', 'も', 'や', ' ', '?', '!', '。', ',',
            'に', '(', 'v', '×', 'x', '・',
        ];
        names.extend(self.stretches(&['の', '・', '=']).into_iter().filter(|it| {
            let is_long = it.to - it.from >= 2;
            let is_word = |word: &Token| {
                word.from == it.to
                    && matches!(
                        word.word,
                        Word::Card | Word::Theme | Word::Thumbnail | Word::Versus
                    )
            };
            let next = self.chars.get(it.to);
            let is_over =
                next.is_none_or(|it| BEHIND.contains(it)) || self.tokens.iter().any(is_word);
            is_long && is_over && it.text.chars().any(is_name_char) && !it.text.is_ascii()
        }));
        names
    }

    /// A card's name as English describes it: `a picture of argo`, `argo the star ship illustration`.
    fn described(&self) -> Option<Piece> {
        let is_new = |from: usize, to: usize| {
            (from..to).any(|it| !self.is_known(it) && self.lower[it].is_ascii_alphanumeric())
        };
        for before in marks(NAME_BEFORE) {
            let Some(at) = self.find(before, 0) else { continue };
            let mut from = at + before.len() + 1;
            from += if self.is_at("the ", from) { 4 } else { 0 };
            let to = marks(NAME_STOPS)
                .filter_map(|it| self.find(it, from))
                .min()
                .unwrap_or(self.chars.len());
            if from < to && is_new(from, to) {
                return Some(self.piece(from, to));
            }
        }
        let end = marks(NAME_BEHIND).filter_map(|it| self.find(it, 1)).min()?;
        let mut from = self.chars[..end]
            .iter()
            .rposition(|it| matches!(it, '.' | ',' | '!' | '?' | ':' | '\n'))
            .map_or(0, |it| it + 1);
        from += usize::from(self.lower.get(from) == Some(&' '));
        let ends = marks(NAME_LEADS).filter_map(|lead| {
            (from..end).rev().find(|at| self.is_at(lead, *at)).map(|at| (at, lead.len()))
        });
        // The last lead before the name, as long as the name is not within a description of it.
        let begins: Vec<_> = ends.filter(|it| it.0 == from || it.1 > 4).collect();
        if let Some((at, length)) = begins.into_iter().max_by_key(|it| it.0 + it.1) {
            from = at + length;
        }
        while let Some(lead) = marks(NAME_LEADS).find(|it| self.is_at(it, from)) {
            from += lead.len();
        }
        // A name with a capital begins there.
        let capital = self.capitals().into_iter().find(|it| from < it.from && it.to <= end);
        from = capital.map_or(from, |it| it.from);
        (from < end && is_new(from, end) && self.lower[from..end].iter().all(char::is_ascii))
            .then(|| self.piece(from, end))
    }

    /// Whether `name` has `theme` in it, and more than that.
    pub(super) fn is_more(&self, name: &Piece, theme: &Piece) -> bool {
        let is_in = name.from <= theme.from && theme.to <= name.to;
        let outside = (name.from..theme.from).chain(theme.to..name.to);
        let is_name = |at: usize| {
            let it = self.chars[at];
            is_name_char(it) && !"系色的風".contains(it) && !self.is_known(at)
        };
        is_in && outside.into_iter().any(is_name)
    }
}
