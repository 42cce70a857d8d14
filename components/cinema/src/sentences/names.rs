//! Names in a sentence: films, kinds of films, themes and cards. What is known is data; what is not is
//! taken as it was written.

pub(super) use self::catalogue::{Card, Spotted, card_of};
pub(crate) use self::known::tell;
use self::tables::GENRE_WORDS;
pub(super) use self::tables::{
    Theme, cards_of, distance, is_nearly_theme, moods, samples, theme_names,
};
use super::{
    heard::{Heard, Piece},
    words::Word,
};

#[path = "../../../illustrations/src/sentences/candidates.rs"]
mod cards;
#[path = "../../../illustrations/src/sentences/catalogue.rs"]
mod catalogue;
#[path = "titles.rs"]
mod films;
#[path = "../../../illustrations/src/sentences/known.rs"]
mod known;
#[path = "../../../language/src/stretches.rs"]
mod runs;
#[path = "../../../illustrations/src/sentences/themes.rs"]
mod tables;

/// The names that a sentence has.
pub(super) trait Names {
    /// The kind of film, in Japanese and English.
    fn genre(&self) -> Option<(&'static str, &'static str)>;
    /// Themes that are known, in order, and where they stand.
    fn themes(&self) -> Vec<(Theme, Piece)>;
    /// The film's name: what is quoted, else what no table knows and stands where a film's name does.
    fn title(&self) -> Option<String>;
    /// Names of cards and themes that no table knows.
    fn unknown_names(&self) -> Vec<Piece>;
    /// Where kinds of films and themes stand.
    fn named(&self) -> Vec<(usize, usize)>;
    /// What is left of the sentence that may be a film's name: the longest stretch that no table knows.
    fn leftover(&self) -> Option<String>;
    /// What is to be left out: `アニメ以外`, `except anime`.
    fn excluded(&self) -> Option<Piece>;
}

impl Names for Heard {
    fn genre(&self) -> Option<(&'static str, &'static str)> {
        (0..self.lower.len()).find_map(|at| GENRE_WORDS.at(&self.lower, at)).map(|it| it.0)
    }

    fn themes(&self) -> Vec<(Theme, Piece)> {
        let lower: Vec<char> =
            self.chars.iter().filter_map(|it| it.to_lowercase().next()).collect();
        let (mut themes, mut at) = (Vec::<(Theme, Piece)>::new(), 0);
        let names = self.candidates();
        let cards = self.spotted(false);
        while at < lower.len() {
            // `面白い` is no colour.
            let is_kanji = |it: char| matches!(it, '\u{4e00}'..='\u{9fff}');
            let is_within = at > 0 && is_kanji(lower[at - 1]) && is_kanji(lower[at]);
            let found = tables::theme(&lower, at).filter(|it| it.0.is_name || !is_within);
            let colour = || self.is_drawn().then(|| tables::colour(&lower, at))?.map(|it| (it, 1));
            let Some((theme, length)) = found.or_else(colour) else {
                at += 1;
                continue;
            };
            // `ブルーアイズ` is a name and no colour, and `深淵魔導師ノクス` a card's and no theme's.
            let piece = self.piece(at, at + length);
            let is_card = cards.iter().any(|it| {
                it.piece.from <= at && piece.to <= it.piece.to && it.piece.text != piece.text
            });
            if is_card || names.iter().any(|it| self.is_more(it, &piece)) {
                at += length;
                continue;
            }
            if !themes.iter().any(|it| it.0.japanese == theme.japanese) {
                themes.push((theme, self.piece(at, at + length)));
            }
            at += length;
        }
        themes
    }

    fn title(&self) -> Option<String> {
        if let Some(quoted) = self.quoted.first() {
            return Some(quoted.text.clone());
        }
        let stretches = self.stretches(&['の', 'と', 'は', 'に', 'を', 'で']);
        let japanese =
            stretches.iter().filter(|it| self.is_title(it)).max_by_key(|it| it.to - it.from);
        japanese.map(|it| it.text.clone()).or_else(|| self.english_title())
    }

    fn named(&self) -> Vec<(usize, usize)> {
        let genres = (0..self.lower.len())
            .filter_map(|at| GENRE_WORDS.at(&self.lower, at).map(|it| (at, at + it.1)));
        genres.chain(self.themes().into_iter().map(|it| (it.1.from, it.1.to))).collect()
    }

    fn leftover(&self) -> Option<String> {
        if let Some(quoted) = self.quoted.first() {
            return Some(quoted.text.clone());
        }
        let unused = super::coverage::unused(self, super::rules::Goal::Look, &[]);
        let stem = |it: &String| {
            it.trim_end_matches(|it| matches!(it, '\u{3041}'..='\u{3096}')).to_owned()
        };
        let has_unused = |text: &str| unused.iter().any(|it| text.contains(&stem(it)));
        let japanese = self.stretches(&['の', 'と', 'は', 'に', 'を', 'で']);
        let japanese =
            japanese.into_iter().filter(|it| has_unused(&it.text) && !it.text.is_ascii());
        if let Some(it) = japanese.max_by_key(|it| it.to - it.from) {
            return Some(it.text);
        }
        if let Some(it) = unused.iter().find(|it| !it.is_ascii()) {
            return Some(stem(it));
        }
        let capital = self.capitals().into_iter().max_by_key(|it| it.to - it.from);
        let latin = || {
            let words: Vec<_> = unused.iter().filter(|it| it.is_ascii() && it.len() > 2).collect();
            let text = self.text();
            // What stands together may be one name; what is scattered is none.
            let name = (1..=words.len()).rev().map(|it| &words[..it]).find_map(|words| {
                let name = words.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(" ");
                text.to_lowercase().contains(&name.to_lowercase()).then_some(name)
            });
            name.unwrap_or_default()
        };
        capital.map(|it| it.text).or_else(|| Some(latin()).filter(|it| !it.is_empty()))
    }

    fn excluded(&self) -> Option<Piece> {
        const BEHIND: &str = "以外|を除いて|を除く|を除き";
        const BEFORE: &str =
            "except for|except|other than|apart from|anything but|excluding|but not|but no";
        const ENDS: &[char] = &['、', '。', ',', '.', '?', '!', ' ', '　', 'は', 'を', 'で', 'に'];
        for mark in super::heard::marks(BEHIND) {
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
        for mark in super::heard::marks(BEFORE) {
            let Some(at) =
                (0..self.lower.len()).find(|it| self.is_at(mark, *it) && self.is_word(*it, mark))
            else {
                continue;
            };
            let from = at + mark.chars().count() + 1;
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

    fn unknown_names(&self) -> Vec<Piece> {
        let themes = self.themes();
        let mut names = self.candidates();
        names.retain(|it| !themes.iter().any(|theme| theme.1.from < it.to && it.from < theme.1.to));
        names.sort_by_key(|it| (it.from, it.from.wrapping_sub(it.to)));
        names.dedup_by(|next, it| next.from < it.to);
        names
    }
}

impl Heard {
    /// Whether it is about cards and pictures, so that a colour by itself means something.
    fn is_drawn(&self) -> bool {
        self.has(&[Word::Card, Word::Thumbnail, Word::Theme, Word::Compose])
            || self.find("背景", 0).is_some()
    }
}

/// What is neither hiragana nor a mark: what names are written in.
fn is_name_char(it: char) -> bool {
    matches!(it, '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}') || it.is_ascii_alphanumeric()
}

fn is_hiragana(it: char) -> bool {
    matches!(it, '\u{3041}'..='\u{3096}')
}
