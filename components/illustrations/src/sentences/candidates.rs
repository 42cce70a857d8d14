//! Finds candidates for unknown names of cards, by the words around them.

use language::{
    name_pieces::{is_hiragana, is_name_char},
    scan::marks,
    utterance::{Piece, Token},
    words::Word,
};

use super::{sentence::Sentence, themes, words};

/// English texts before a card's name.
const NAME_BEFORE: &str = "illustration of|illustrations of|picture of|pictures of|image of|images of|artwork of|artwork for|illustration for|card art for|card art of|art of|art for|card with an|card with a|card with the|card with|card of the|card of a|card of|card called|card named|the card|thumbnail of|thumbnail featuring|featuring";
const NAME_STOPS: &str = ".|,|?|!|\n| please| for | in | on | and | with | as | titled | that | card| theme| pls| thanks| by | from | is | vs | vs. | versus ";
const NAME_BEHIND: &str = " illustration| card art| card| artwork| picture| art";
const NAME_LEADS: &str = "draw me |draw us |draw |paint me |paint |make me |make us |make |add |throw in |put in |include |also |all the |all of the |all |every |some |more |show me |show |find |get |fetch |see |display |the |a |an |of |me |for |want |need |like |give me |look up |to |please |this |my |can i |pull up |what does the |what do the |what does |how does the |does the |is the |is there a |do you have a ";

impl Sentence {
    /// Returns candidates for names, which may contain a theme.
    pub(super) fn candidates(&self) -> Vec<Piece> {
        let mut names = self.capitalized_names();
        names.extend(self.described());
        const BEHIND: &[char] = &[
            'の', 'と', 'を', '、', 'が', 'で', 'は', '対', 'も', 'や', ' ', '?', '!', '。', ',',
            'に', 'っ', '(', 'v', '×', 'x', '・',
        ];
        names.extend(self.unknown_pieces(&['の', '・', '=']).into_iter().filter(|name| {
            // `猫のカード`: a single character is a name before a word for cards.
            let is_card = ["のカード", "の絵", "のイラスト", "の画像"]
                .iter()
                .any(|mark| self.is_at(mark, name.to));
            let is_long = name.to - name.from >= 2 || is_card;
            let is_word = |word: &Token| {
                word.from == name.to
                    && [
                        words::CARD,
                        words::THEME,
                        words::THUMBNAIL,
                        words::VERSUS,
                        Word::SHOW,
                        Word::WANT,
                    ]
                    .contains(&word.word)
            };
            let next = self.chars.get(name.to);
            let is_over =
                next.is_none_or(|it| BEHIND.contains(it)) || self.tokens.iter().any(is_word);
            // `並べた`, `強い`: verbs and adjectives are no names.
            let stem =
                name.text.chars().take_while(|it| matches!(it, '\u{4e00}'..='\u{9fff}')).count();
            let tail: String = name.text.chars().skip(stem).collect();
            let is_kana = !tail.is_empty() && tail.chars().all(is_hiragana);
            const VERBS: &str = "た|たい|て|る|れ|い|いの|りた|んだ|ない|く|きた";
            let is_verb =
                (1..=2).contains(&stem) && is_kana && marks(VERBS).any(|it| tail.ends_with(it));
            is_long
                && is_over
                && !is_verb
                && name.text.chars().any(is_name_char)
                && !name.text.is_ascii()
        }));
        names.extend(self.in_kana());
        names
    }

    /// Returns a hiragana name before a word for cards: `ほたるの絵`.
    fn in_kana(&self) -> Option<Piece> {
        const CARDS: &str = "のカード|の絵|のイラスト|の画像|ちゃん";
        let end = marks(CARDS).filter_map(|it| self.find(it, 2)).min()?;
        let is_kana = |it: &char| matches!(it, '\u{3041}'..='\u{3096}' | 'ー');
        let length = self.chars[..end].iter().rev().take_while(|it| is_kana(it)).count();
        if length == 0 {
            return None;
        }
        let before = &self.chars[..end - length];
        let length = length + before.iter().rev().take_while(|it| matches!(it, '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}' | '0'..='9')).count();
        let from = end - length;
        let is_begin = from == 0 || matches!(self.chars[from - 1], '、' | '。' | ' ' | '!' | '?');
        let is_new = (from..end).any(|it| !self.is_known(it));
        (is_begin && is_new && length > 1).then(|| self.piece(from, end))
    }

    /// Returns a name in an English description: `a picture of argo`, `argo the star ship illustration`.
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
        // The last lead before the name, unless the name is within a description.
        let begins: Vec<_> = ends.filter(|it| it.0 == from || it.1 > 4).collect();
        if let Some((at, length)) = begins.into_iter().max_by_key(|it| it.0 + it.1) {
            from = at + length;
        }
        while let Some(lead) = marks(NAME_LEADS).find(|it| self.is_at(it, from)) {
            from += lead.len();
        }
        // A capitalized name begins at its capital.
        let capital =
            self.capitalized_names().into_iter().find(|it| from < it.from && it.to <= end);
        from = capital.map_or(from, |it| it.from);
        (from < end && is_new(from, end) && self.lower[from..end].iter().all(char::is_ascii))
            .then(|| self.piece(from, end))
    }

    /// Whether `name` contains `theme` and more.
    pub(super) fn is_more(&self, name: &Piece, theme: &Piece) -> bool {
        let is_in = name.from <= theme.from && theme.to <= name.to;
        // Lower-case words before a theme belong to it: `a fan of four azure cards`.
        let is_lower = name.text.is_ascii() && name.text.chars().all(|it| !it.is_uppercase());
        // `蒼晶から紅蓮` has two themes.
        let is_second = (name.from..theme.from).any(|at| {
            themes::theme(&self.lower, at)
                .is_some_and(|it| at + it.1 + 2 == theme.from && self.is_at("から", at + it.1))
        });
        let begin = if is_lower || is_second { theme.from } else { name.from };
        // `雪月花から桜` picks from the theme.
        let end = if self.is_at("から", theme.to) { theme.to } else { name.to };
        let outside = (begin..theme.from).chain(theme.to..end);
        // `blue and red cards` has two themes, and no name.
        let others: Vec<_> = match is_lower {
            true => (theme.to..end)
                .filter(|at| self.chars[at - 1] == ' ')
                .filter_map(|at| Some((at, at + themes::theme(&self.lower, at)?.1)))
                .collect(),
            false => Vec::new(),
        };
        let is_name = |at: usize| {
            let sign = self.chars[at];
            let is_other = others.iter().any(|it| (it.0..it.1).contains(&at));
            is_name_char(sign) && !"系色的風".contains(sign) && !self.is_known(at) && !is_other
        };
        is_in && outside.into_iter().any(is_name)
    }
}
