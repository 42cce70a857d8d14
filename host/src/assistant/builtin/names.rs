//! Names in a sentence: films, kinds of films, themes and cards. What is known is data; what is not is
//! taken as it was written.

pub(super) use self::tables::is_nearly_theme;
use self::tables::{GENRE_WORDS, THEME_WORDS, Theme};
use super::heard::{Heard, Piece};

mod cards;
mod films;
mod runs;
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
        while at < lower.len() {
            let Some((theme, length)) = THEME_WORDS.at(&lower, at) else {
                at += 1;
                continue;
            };
            // `ブルーアイズ` is a name and no colour, and `深淵魔導師ノクス` a card's and no theme's.
            let piece = self.piece(at, at + length);
            if names.iter().any(|it| self.is_more(it, &piece)) {
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

    fn unknown_names(&self) -> Vec<Piece> {
        let themes = self.themes();
        let mut names = self.candidates();
        names.retain(|it| !themes.iter().any(|theme| theme.1.from < it.to && it.from < theme.1.to));
        names.sort_by_key(|it| (it.from, it.from.wrapping_sub(it.to)));
        names.dedup_by(|next, it| next.from < it.to);
        names
    }
}

/// What is neither hiragana nor a mark: what names are written in.
fn is_name_char(it: char) -> bool {
    matches!(it, '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}') || it.is_ascii_alphanumeric()
}

fn is_hiragana(it: char) -> bool {
    matches!(it, '\u{3041}'..='\u{3096}')
}
