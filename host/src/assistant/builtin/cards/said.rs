//! What a sentence says of the cards that it names: a title for the picture, themes, single cards.

use super::TITLE_MAX;
use crate::assistant::builtin::heard::{Heard, Piece, marks};

/// Around a title in quotation marks: before it, behind it.
const TITLE_BEFORE: &str = "headline |heading |キャッチコピーは|タイトルは|タイトルを|タイトル|題名は|文字は|見出しは|テキストは|文字で|titled |title |\
     title: |called |saying |says |that says |title of |with the title |text |caption |\
     with the text ";
const TITLE_BEHIND: &str = "というタイトル|ってタイトル|のタイトル|という題|と入れ|と書|って入れ|って書|という文字|\
     の文字|をタイトル|という見出し|と題し|を入れ| as the title| as title| on it| written on";

/// Before a line that goes with the title.
const SUBTITLE: &str = "副題は|副題|サブタイトルは|サブタイトル|subtitle |subtitle: |subtitled |tagline |with the subtitle ";

/// The line that goes with the title, in quotation marks.
pub(super) fn subtitle(heard: &Heard) -> Option<Piece> {
    let is_before = |it: &&Piece| {
        let before: String = heard.lower[..it.from - 1].iter().collect();
        let before = before.trim_end_matches(['は', 'を', ' ', ':']);
        marks(SUBTITLE).any(|mark| before.ends_with(mark.trim_end_matches(['は', 'を', ' ', ':'])))
    };
    let quoted = heard.quoted.iter().find(is_before).cloned();
    // `subtitle Round 2` goes to the next comma.
    let bare = || {
        let mark = ["subtitle ", "tagline ", "subtitled "]
            .into_iter()
            .find(|it| heard.find(it, 1).is_some())?;
        let from = heard.find(mark, 1)? + mark.len();
        let length = heard.chars[from..]
            .iter()
            .take_while(|it| !matches!(it, ',' | '.' | '\n' | '"' | '\''))
            .count();
        (length > 0 && length <= TITLE_MAX).then(|| heard.piece(from, from + length))
    };
    quoted.or_else(bare)
}

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
    let line = subtitle(heard);
    let quoted = heard.quoted.iter().filter(|it| line.as_ref() != Some(it)).cloned();
    let (titles, others): (Vec<_>, Vec<_>) = quoted.partition(|it| is_title(it));
    let titles =
        titles.into_iter().next().map(|it| it.text.chars().take(TITLE_MAX).collect::<String>());
    let titles = titles.or_else(|| bare(heard).map(|it| it.text));
    // A title that follows a colon or comes at the end needs no quotation marks.
    (titles, others)
}

/// A title without quotation marks, and where it stands: `タイトルは頂上決戦で`, `title FINAL BATTLE`.
pub(super) fn bare(heard: &Heard) -> Option<Piece> {
    const ENGLISH: &str = " caption | with the caption | with the words | with the text | headline | heading | titled | entitled | that says | saying | with the title | with title | title: | title is | title should be | called | title ";
    const JAPANESE: &str = "タイトルは|タイトルを|タイトル:|タイトル「|題名は|題名を|文字は|文字を|見出しは|見出しを|題は|文言は|テキストは";
    const ENDS: &str = "にして|に変えて|に変更|でお願い|でよろしく|でサムネ|で作|でつく|としてください|として|と入れ|って入れ|と書|って書|がいい|で。|で、|です|だよ|にしたい|に直して|、|。|\n";
    for mark in marks(JAPANESE) {
        let Some(at) = heard.find(mark, 0) else { continue };
        let from = at + mark.chars().count();
        let end =
            marks(ENDS).filter_map(|it| heard.find(it, from)).min().unwrap_or(heard.chars.len());
        let last = heard.chars[..end].last();
        let end =
            if end == heard.chars.len() && matches!(last, Some('で')) { end - 1 } else { end };
        let has_quote = (from..end).any(|it| matches!(heard.chars[it], '「' | '『' | '"' | '“'));
        if from < end && !has_quote && end - from <= TITLE_MAX && !heard.is_at("なし", from) {
            return Some(heard.piece(from, end));
        }
    }
    for mark in marks(ENGLISH) {
        let Some(at) = heard.find(mark, 0) else { continue };
        let from = at + mark.chars().count();
        let length = heard.chars[from..]
            .iter()
            .take_while(|it| !matches!(it, '.' | ',' | '\n' | '"' | '“' | '「'))
            .count();
        // `title "…"` has its own marks, and `without a title` has none.
        let text: String = heard.chars[from..from + length].iter().collect();
        let stops = [" with ", " using ", " featuring ", " for ", " and use "];
        let lower = text.to_ascii_lowercase();
        let end = stops.iter().filter_map(|it| lower.find(it)).filter(|it| *it > 0).min();
        let text =
            end.filter(|_| text.is_ascii()).map_or(text.as_str(), |it| &text[..it]).to_owned();
        let is_name = mark != " called " || text.starts_with(|it: char| it.is_ascii_uppercase());
        if !text.trim().is_empty()
            && is_name
            && length <= TITLE_MAX
            && heard.chars.get(from) != Some(&'\'')
        {
            let trimmed = text
                .trim_end()
                .trim_end_matches(" please")
                .trim_end_matches(" on it")
                .trim_end()
                .chars()
                .count();
            return Some(heard.piece(from, from + trimmed));
        }
    }
    None
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
