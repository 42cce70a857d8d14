//! What a sentence says of the cards that it names: a title for the picture, themes, single cards.

use super::TITLE_MAX;
use crate::assistant::builtin::heard::{Heard, Piece, marks};

/// Around a title in quotation marks: before it, behind it.
const TITLE_BEFORE: &str = "タイトルは|タイトルを|タイトル|題名は|文字は|見出しは|テキストは|文字で|titled |title |\
     title: |called |saying |says |that says |title of |with the title |text |caption |\
     with the text ";
const TITLE_BEHIND: &str = "というタイトル|ってタイトル|のタイトル|という題|と入れ|と書|って入れ|って書|という文字|\
     の文字|をタイトル|という見出し|と題し|を入れ| as the title| as title| on it| written on";

/// The title on the picture, and what else is in quotation marks.
pub(super) fn title(heard: &Heard) -> (Option<String>, Vec<Piece>) {
    let is_title = |it: &Piece| {
        let before: String = heard.lower[..it.from - 1].iter().collect();
        let is_before = marks(TITLE_BEFORE).any(|mark| {
            before
                .trim_end_matches(['は', 'を', ' '])
                .ends_with(mark.trim_end_matches(['は', 'を', ' ']))
        });
        is_before || marks(TITLE_BEHIND).any(|mark| heard.is_at(mark, it.to + 1))
    };
    let (titles, others): (Vec<_>, Vec<_>) =
        heard.quoted.iter().cloned().partition(|it| is_title(it));
    let titles =
        titles.into_iter().next().map(|it| it.text.chars().take(TITLE_MAX).collect::<String>());
    let bare = || {
        let from = [" titled ", " that says ", " saying ", " with the title "]
            .iter()
            .find_map(|it| heard.find(it, 0).map(|at| at + it.len()))?;
        let text: String =
            heard.chars[from..].iter().take_while(|it| !matches!(it, '.' | ',' | '\n')).collect();
        let text = text.trim().to_owned();
        (!text.is_empty() && !text.contains('「') && !text.contains('"')).then_some(text)
    };
    (titles.or_else(bare), others)
}

/// Whether the words around a name say that it is a theme's.
pub(super) fn is_theme(heard: &Heard, piece: &Piece, is_said: bool) -> bool {
    const BEHIND: &str = "テーマ|のテーマ|系|シリーズ|のシリーズ|デッキ|のデッキ|というテーマ|」テーマ|\
         アーキタイプ| theme| archetype| deck|\" theme| themed|-themed| cards| series|\
         」のテーマ|」シリーズ|」系|」というテーマ|」デッキ|」というアーキタイプ|\
         というアーキタイプ|\" archetype";
    let is_behind = marks(BEHIND).any(|it| heard.is_at(it, piece.to));
    is_behind || is_said && !is_card(heard, piece)
}

/// Whether the words around a name say that it is a card's.
pub(super) fn is_card(heard: &Heard, piece: &Piece) -> bool {
    const BEHIND: &str = "というカード|」というカード|のカード1枚|カードの|カードのイラスト| card|\" card|\
         's card|というモンスター|」というモンスター";
    const BEFORE: &str = "カード名は|カード「|カード名「|card called |card named |the card |card \"|card: |\
         カード、|カード『|called \"|named \"";
    let before: String = heard.chars[..piece.from].iter().collect::<String>().to_lowercase();
    marks(BEHIND).any(|it| heard.is_at(it, piece.to) && !heard.is_at(" cards", piece.to))
        || marks(BEFORE).any(|it| before.ends_with(it))
}

pub(super) fn is_plural(heard: &Heard) -> bool {
    [
        "cards",
        "illustrations",
        "artworks",
        "いくつか",
        "何枚か",
        "数枚",
        "たくさん",
        "全部",
        "まとめて",
        "一覧",
        "カードたち",
        "monsters",
    ]
    .iter()
    .any(|it| heard.find(it, 0).is_some())
}
