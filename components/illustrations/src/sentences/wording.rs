//! Parses the details of a request for a picture: title, subtitle, positions, exclusions, background.

use language::{
    scan::marks,
    utterance::{MASK, Piece},
};

use super::{cards::TITLE_MAX, sentence::Sentence};

/// Texts before a quoted title.
const TITLE_BEFORE: &str = "it |name it |call it |reads |reading |should read |should say |say |text |words |headline |heading |キャッチコピーは|題は|題を|題字は|タイトルは|タイトルを|タイトル|題名は|文字は|見出しは|テキストは|文字で|titled |title |\
     title: |called |saying |says |that says |title of |with the title |text |caption |\
     with the text ";
const TITLE_BEHIND: &str = "というタイトル|ってタイトル|のタイトル|という題|と入れ|と書|って入れ|って書|という文字|\
     の文字|をタイトル|という見出し|と題し|を入れ| as the title| as title| on it| written on";

/// Texts before a subtitle.
const SUBTITLE: &str = "サブは|サブに|sub: |副題は|副題|サブタイトルは|サブタイトル|subtitle |subtitle: |subtitled |tagline |with the subtitle ";

/// Texts before a quoted subtitle.
const SMALL_BEFORE: &str = "small text|smaller text|small print|small letters|smaller letters|小さく|小さめに|下に|下の行に|その下は|smaller|in small|below it|below|underneath|underneath it|under it|under that";
const SMALL_BEHIND: &str = "を小さ|って小さ|と小さ|を下に|in small|in smaller|smaller|underneath|below|as a subtitle|as the subtitle|as subtitle|as a tagline|under it|のサブタイトル|というサブタイトル|を副題|をサブ";

/// Returns the subtitle.
pub(super) fn subtitle(utterance: &Sentence) -> Option<Piece> {
    let is_before = |piece: &&Piece| {
        let before: String = utterance.lower[..piece.from - 1].iter().collect();
        let before = before.trim_end_matches(['は', 'を', 'に', 'で', ' ', ':', '、', ',']);
        let is_named = marks(SUBTITLE)
            .any(|mark| before.ends_with(mark.trim_end_matches(['は', 'を', ' ', ':'])));
        let behind: String = utterance.lower[piece.to..].iter().skip(1).collect();
        let behind = behind.trim_start();
        is_named
            || marks(SMALL_BEFORE).any(|it| before.ends_with(it))
            || marks(SMALL_BEHIND).any(|it| behind.starts_with(it))
    };
    let quoted = utterance.quoted.iter().find(is_before).cloned();
    // `subtitle Round 2` and `サブタイトルは第三回` end at the next comma.
    let japanese = || {
        const ENDS: &str = "にして|でお願い|で作|としてください|として|と入れ|って入れ|と書|って書|がいい|でよろしく|を追加|を入れ|です|、|。|\n";
        let mark = marks("副題は|副題を|サブタイトルは|サブタイトルを|サブタイトル:|副題:")
            .find(|it| utterance.find(it, 0).is_some())?;
        let from = utterance.find(mark, 0)? + mark.chars().count();
        let end = marks(ENDS).filter_map(|it| utterance.find(it, from)).min();
        let mut end = end.unwrap_or(utterance.chars.len());
        if end == utterance.chars.len() && utterance.chars[..end].last() == Some(&'で') {
            end -= 1;
        }
        let is_none = marks("なし|いらな|不要|消|外").any(|it| utterance.is_at(it, from));
        let is_quoted = utterance.lower[from..end].contains(&MASK);
        (from < end && end - from <= TITLE_MAX && !is_none && !is_quoted)
            .then(|| utterance.piece(from, end))
    };
    let bare = || {
        let mark = ["subtitle", "tagline", "subtitled"].into_iter().find(|mark| {
            (0..utterance.lower.len())
                .any(|at| utterance.is_at(mark, at) && utterance.is_word(at, mark))
        })?;
        let mut from = utterance.find(mark, 0)? + mark.len();
        while utterance.lower.get(from).is_some_and(|it| matches!(it, ' ' | ':')) {
            from += 1;
        }
        // `change the subtitle to round 4`
        if utterance.says("change|set|switch|update") && utterance.is_at("to ", from) {
            from += "to ".len();
        }
        let length = utterance.chars[from..]
            .iter()
            .take_while(|it| !matches!(it, ',' | '.' | '\n' | '"' | '\''))
            .count();
        let is_one = |it: &str| utterance.is_at(it, from);
        if marks("is |as |of |to |in |line").any(is_one) {
            return None;
        }
        (length > 0 && length <= TITLE_MAX).then(|| utterance.piece(from, from + length))
    };
    // `サブタイトルもつけて、「月の章」で`: the only quoted text is the subtitle.
    let only = || {
        let says = |it: &str| utterance.find(it, 0).is_some();
        let [only] = &utterance.quoted[..] else { return None };
        let before: String = utterance.lower[..only.from - 1].iter().collect();
        let line = marks("サブタイトル|副題|subtitle|tagline").find(|it| says(it))?;
        let text = utterance.lower.iter().collect::<String>().replace(line, "");
        let is_title = marks("タイトル|題名|title|headline").any(|it| text.contains(it));
        (!is_title && before.contains(line)).then(|| only.clone())
    };
    quoted.or_else(japanese).or_else(bare).or_else(only)
}

/// Returns the title, and all other quoted texts.
pub(super) fn title(utterance: &Sentence) -> (Option<String>, Vec<Piece>) {
    let is_title = |piece: &Piece| {
        let before: String = utterance.lower[..piece.from - 1].iter().collect();
        let before = before.trim_end_matches(['は', 'を', 'に', ' ', ':']);
        let is_before = marks(TITLE_BEFORE)
            .any(|mark| before.ends_with(mark.trim_end_matches(['は', 'を', ' ', ':'])));
        is_before || marks(TITLE_BEHIND).any(|mark| utterance.is_at(mark, piece.to + 1))
    };
    let line = subtitle(utterance);
    let quoted = utterance.quoted.iter().filter(|it| line.as_ref() != Some(it)).cloned();
    let (titles, others): (Vec<_>, Vec<_>) = quoted.partition(|it| is_title(it));
    let titles =
        titles.into_iter().next().map(|it| it.text.chars().take(TITLE_MAX).collect::<String>());
    let titles = titles.or_else(|| bare(utterance).map(|it| it.text));
    // A title that follows a colon or comes at the end needs no quotation marks.
    (titles, others)
}

/// Returns a title without quotation marks: `タイトルは頂上決戦で`, `title FINAL BATTLE`.
pub(super) fn bare(utterance: &Sentence) -> Option<Piece> {
    const ENGLISH: &str = "should be called|make the title|make the headline|with the caption|with the words|with the text|with text|with the title|with title|titled|entitled|that says|that reads|it says|it reads|should say|should read|saying|reading|title should be|title is|change the title to|title to|call it|name it|call this one|title it|big letters|large letters|bold letters|caption|headline|heading|called|title|text";
    const JAPANESE: &str = "題名:|文字:|見出し:|テキスト:|タイトルは|タイトルを|タイトル:|タイトル「|タイトル |題名は|題名を|文字は|文字を|見出しは|見出しを|題は|文言は|テキストは";
    const ENDS: &str = "にして|に変えて|に変更|でお願い|でよろしく|でサムネ|で作|でつく|としてください|として|と入れ|って入れ|と書|って書|がいい|で。|で、|です|だよ|にしたい|に直して|、|。|\n";
    for mark in marks(JAPANESE) {
        // `サブタイトルは` names the subtitle.
        let is_own = |at: &usize| {
            utterance.is_at(mark, *at) && !utterance.lower[..*at].ends_with(&['サ', 'ブ'])
        };
        let Some(at) = (0..utterance.lower.len()).find(is_own) else { continue };
        let from = at + mark.chars().count();
        let end = marks(ENDS)
            .filter_map(|it| utterance.find(it, from))
            .min()
            .unwrap_or(utterance.chars.len());
        let last = utterance.chars[..end].last();
        let end =
            if end == utterance.chars.len() && matches!(last, Some('で')) { end - 1 } else { end };
        let has_quote =
            (from..end).any(|it| matches!(utterance.chars[it], '「' | '『' | '"' | '“'));
        let is_none = marks("なし|いらな|いらん|不要|要らな|入れない|入れなく|消し|けし|外し|変えず|変えない|そのまま|同じ|あと|おまかせ|大きく|小さく|太く|細く|もっと|中央|真ん中|上に|下に|左に|右に|目立|赤く|白く|黒く|青く|見やすく|大きめ|小さめ")
            .any(|it| utterance.is_at(it, from));
        // `タイトル 入れて` has no title yet.
        let is_verb = mark.ends_with(' ')
            && marks("つけ|付け|入れ|変え|かえ|お願|何|ください|案|って")
                .any(|it| utterance.is_at(it, from));
        let is_none = is_none || is_verb;
        if from < end && !has_quote && end - from <= TITLE_MAX && !is_none {
            return Some(utterance.piece(from, end));
        }
    }
    let marked = marks(ENGLISH).filter_map(|mark| english(utterance, mark));
    marked.min_by_key(|it| it.0).map(|it| it.1).or_else(|| put(utterance))
}

/// Returns the text for a picture mentioned before: `put Ice or Fire? on it`.
fn put(utterance: &Sentence) -> Option<Piece> {
    const ENDS: &str = " on it| across it| on top of it| over it";
    let end = marks(ENDS).filter_map(|it| utterance.find(it, 1)).min()?;
    let before: String = utterance.lower[..end].iter().collect();
    let mark = ["put ", "write "].iter().find(|it| before.contains(**it))?;
    let from = before[..before.rfind(mark)? + mark.len()].chars().count();
    let piece = (from < end && end - from <= TITLE_MAX).then(|| utterance.piece(from, end))?;
    let begins = piece.text.starts_with(|it: char| it.is_ascii_uppercase());
    let spotted = utterance.spotted(false);
    (begins && !spotted.iter().any(|it| from <= it.piece.from && it.piece.to <= end))
        .then_some(piece)
}

/// Returns the title after `mark`, and the mark's range.
fn english(utterance: &Sentence, mark: &str) -> Option<((usize, usize), Piece)> {
    const STOPS: &str = " with | using | featuring | for | and use | instead| please| on it| across it| at the top| at the bottom| on top| in big| in large| as the | and make | and put | but | and a subtitle| and the subtitle| over ";
    let is_alone = |at: &usize| utterance.is_at(mark, *at) && utterance.is_word(*at, mark);
    let at = (0..utterance.lower.len()).find(is_alone)?;
    let mut from = at + mark.len();
    // `without a title` and `no text` have none.
    let before: String = utterance.lower[..at].iter().collect();
    let before = before.trim_end();
    if marks("no|without|without a|without any|any|drop the|remove the|lose the|the same|same|sub")
        .any(|it| before == it || before.ends_with(&format!(" {it}")))
    {
        return None;
    }
    while utterance.lower.get(from).is_some_and(|it| matches!(it, ' ' | ':')) {
        from += 1;
    }
    let is_end = |it: &char| matches!(it, '.' | ',' | '\n' | '"' | '“' | '「' | ';');
    let length = utterance.chars[from..].iter().take_while(|it| !is_end(it)).count();
    let text: String = utterance.chars[from..from + length].iter().collect();
    let lower = text.to_lowercase();
    let end = marks(STOPS).filter_map(|it| lower.find(it)).filter(|it| *it > 0).min();
    let text = end.filter(|_| text.is_ascii()).map_or(text.as_str(), |it| &text[..it]).trim_end();
    // A word that only continues the sentence is no title.
    let is_loose =
        ["called", "text", "title", "reading", "caption", "heading", "headline", "it says"]
            .contains(&mark);
    let begins = text.starts_with(|it: char| it.is_ascii_uppercase() || it.is_ascii_digit());
    let is_marked = utterance.chars.get(at + mark.len()) == Some(&':') || end.is_none();
    const SMALL: &str =
        "is|to|of|on|in|should|at|for|from|be|as|and|or|the|a|it|that|which|please|with|using|by";
    // `make the title bigger` describes its look.
    const LOOKS: &str = "bigger|larger|smaller|bolder|thinner|wider|brighter|darker|lighter|big|large|small|bold|italic|centered|centred|in the middle|higher|lower|much bigger|a bit bigger|a bit smaller|a little bigger|a little smaller|more visible|more readable";
    let looks = lower.trim_end_matches([' ', '!', '?']).trim_end_matches(" please");
    if marks(LOOKS).any(|it| looks == it) && !text.starts_with(|it: char| it.is_uppercase()) {
        return None;
    }
    let first = lower.split(' ').next().unwrap_or_default();
    let goes_on = is_loose && !begins && (!is_marked || marks(SMALL).any(|it| it == first));
    let is_titled = !text.is_empty()
        && !goes_on
        && (mark != "called" || begins)
        && text.chars().count() <= TITLE_MAX
        && utterance.chars.get(from) != Some(&'\'');
    let to = from + text.chars().count();
    // The mark whose title begins first counts; the longer one where one contains another.
    is_titled.then(|| ((at, usize::MAX - mark.len()), utterance.piece(from, to)))
}

/// The position of a card in the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Left,
    Between,
    Right,
}

/// Returns the position for the card at `piece`.
pub(super) fn place(utterance: &Sentence, piece: &Piece) -> Option<Place> {
    let before: String = utterance.lower[..piece.from].iter().collect();
    let before = before.trim_end_matches([' ', ':', 'に', 'は', 'が', 'を', '「', '"']);
    let before = before.strip_suffix(" the").unwrap_or(before);
    let behind: String = utterance.lower[piece.to..].iter().collect();
    let behind = behind.trim_start_matches([' ', 'は', 'を', 'が', '」', '"']);
    let sides = [("左側", "left", "左"), ("右側", "right", "右")];
    for (side, place) in sides.into_iter().zip([Place::Left, Place::Right]) {
        let behind_it =
            [side.1.to_owned(), format!("on the {}", side.1), format!("to the {}", side.1)];
        let is_behind = behind_it.iter().any(|it| behind.starts_with(it))
            || behind.starts_with(side.2) && !behind.starts_with("左右");
        let is_before = [side.0, side.1, side.2].iter().any(|it| before.ends_with(it))
            && !before.ends_with("左右");
        // `nox left, soleil right`: the position belongs to the name before it.
        let is_apart =
            utterance.lower[..piece.from].iter().rev().find(|it| **it != ' ') == Some(&',');
        if is_behind || is_before && !is_apart {
            return Some(place);
        }
    }
    None
}

/// Whether the picture is to have no text.
pub(super) fn has_no_text(utterance: &Sentence) -> bool {
    /// `I don't like the title, remove it`.
    const BACK: &str = "remove it|drop it|lose it|delete it|get rid of it|take it off|take it out|take it away|leave it out";
    const NONE: &str = "delete the title|take off the title|get rid of the title|文字なし|文字無し|文字は無し|文字はなし|文字はいら|文字いら|文字は不要|文字不要|文字は入れな|文字入れな|文字は要ら|文字を入れな|タイトルなし|タイトル無し|タイトルはなし|タイトルはいら|タイトルいら|タイトルは不要|タイトルは入れな|タイトルは要ら|タイトルも文字もいら|テキストなし|no text|without text|without any text|no writing|no words|no title|without a title|without title|no caption|no lettering|no letters|don't need a title|don't need any text|don't put any text|don't write anything|text-free|textless|leave off the title|remove the title|drop the title|lose the title|remove the text|drop the text|lose the text|タイトルを消|タイトル消|タイトルを外|タイトル外|文字を消|文字消";
    (0..utterance.lower.len()).any(|at| {
        // Phrases about the subtitle do not apply to the title.
        let is_small = utterance.lower[..at].ends_with(&['サ', 'ブ']);
        !is_small && marks(NONE).any(|it| utterance.is_at(it, at))
    }) || utterance.find_word("title", 0).is_some()
        && utterance.says(BACK)
        && utterance.spotted(true).is_empty()
}

/// Whether the picture is to have no subtitle.
pub(super) fn has_no_subtitle(utterance: &Sentence) -> bool {
    const NAMES: &str = "サブタイトル|副題|subtitle|tagline";
    const BEHIND: &str = "なし|無し|はなし|は無し|はいら|いらな|は要ら|は不要|不要|を消|は消|消して|を外|は外|外して|を取|は取";
    const BEFORE: &str = "no|without|without a|without the|remove the|drop the|lose the|delete the|take out the|take off the|leave out the|leave off the|don't need a|don't want a|don't want the";
    marks(NAMES).any(|name| {
        let Some(at) = utterance.find(name, 0) else { return false };
        let before: String = utterance.lower[..at].iter().collect();
        let before = before.trim_end();
        let is_apart = |it: &str| it.is_empty() || it.ends_with([' ', ',']);
        let behind = at + name.chars().count();
        match name.is_ascii() {
            true => marks(BEFORE).any(|it| before.strip_suffix(it).is_some_and(is_apart)),
            false => marks(BEHIND).any(|it| utterance.is_at(it, behind)),
        }
    })
}

/// Whether the card at `piece` is excluded, alone or in a list with `others`.
pub(super) fn is_excluded(utterance: &Sentence, piece: &Piece, others: &[Piece]) -> bool {
    const BEHIND: &str = "抜き|を抜|は抜|以外|を除|は除|なし|無し|はなし|はいら|いらない|は要ら|要らない|はもういら|はもういい|はいいや|はいいです|は結構です|は不要|を外|は外|外し|は消|を消|は入れな|を入れな|じゃない|はやめ|をやめ|は出さな|is not|isn't| out| excluded";
    const BEFORE: &str = "except|except for|without|minus|but not|and not|not|excluding|other than|apart from|aside from|aren't|isn't|are neither|leave out|leaving out|skip|besides|bar|but no|no|lose|drop|remove|take out|take away|ditch|don't want|dont want|do not want|don't want any|don't like|no more|forget|instead of|rather than|get rid of|leave off|all but|everything but|every card but|cut";
    let behind: String = utterance.lower[piece.to..].iter().take(12).collect();
    let behind = behind.trim_start_matches(['」', '"']);
    const NOUNS: [&str; 7] = ["だけ", "いカード", "のカード", "カード", "のやつ", "やつ", "の"];
    let behind = NOUNS.iter().find_map(|it| behind.strip_prefix(it)).unwrap_or(behind);
    let behind = &["やっぱり", "やっぱ", "やはり"]
        .iter()
        .fold(behind.to_owned(), |it, word| it.replacen(word, "", 1));
    let before: String = utterance.lower[..piece.from].iter().collect();
    let before = before.trim_end();
    let before = before.strip_suffix(" the").unwrap_or(before);
    // `don't forget the red ones`.
    let is_kept = before
        .strip_suffix(" forget")
        .is_some_and(|it| ["don't", "dont", "do not", "never"].iter().any(|not| it.ends_with(not)));
    let is_behind = marks(BEHIND).any(|it| behind.starts_with(it));
    let is_before = before.is_ascii()
        && !is_kept
        && marks(BEFORE).any(|it| before == it || before.ends_with(&format!(" {it}")));
    if is_behind || is_before {
        return true;
    }
    // `the train and the fortress`, `ルナとミミ以外`: a list is excluded as a whole.
    const JOINTS: &str = "and|and the|or|or the|,|, the|nor|nor the|&|と|や|、|も";
    let gap = |from: usize, to: usize| {
        let gap = utterance.lower.get(from..to).map(|it| it.iter().collect::<String>());
        gap.is_some_and(|it| marks(JOINTS).any(|joint| joint == it.trim()))
    };
    let at = others.iter().position(|it| it == piece);
    let Some(at) = at else { return false };
    let is_ascii = utterance.lower[piece.from].is_ascii();
    match is_ascii {
        true => {
            let before = at.checked_sub(1).and_then(|it| others.get(it));
            before.is_some_and(|before| {
                gap(before.to, piece.from) && is_excluded(utterance, before, &others[..at])
            })
        }
        false => {
            let next = others.get(at + 1);
            next.is_some_and(|next| {
                gap(piece.to, next.from) && is_excluded(utterance, next, &others[at + 1..])
            })
        }
    }
}

/// Whether a colour is that of the background.
pub(super) fn is_ground(utterance: &Sentence, piece: &Piece) -> bool {
    const REACH: usize = 14;
    const WORDS: &str = "背景|バック|background|backdrop|backing";
    let text = |from: usize, to: usize| utterance.lower[from..to].iter().collect::<String>();
    let before = text(piece.from.saturating_sub(REACH), piece.from);
    let behind = text(piece.to, utterance.lower.len().min(piece.to + REACH));
    // No other part of the sentence begins between the two.
    let is_near = |it: &str| !it.contains([',', '、', '。', '.', '!', '?', '\n']);
    let is_palette = [" colours", " colors", " palette", " tones"];
    let is_coloured = is_palette.iter().any(|it| behind.starts_with(it))
        && text(0, piece.from).trim_end().ends_with(" in");
    // `in the colours of the golden dynasty`.
    let lead = text(0, piece.from);
    let lead = lead.trim_end().trim_end_matches(" the").trim_end_matches(" theme");
    let is_coloured = is_coloured
        || ["colours of", "colors of", "palette of", "scheme of", "tones of"]
            .iter()
            .any(|it| lead.ends_with(it));
    let is_before =
        marks(WORDS).any(|it| before.rfind(it).is_some_and(|at| is_near(&before[at + it.len()..])));
    let is_behind = marks(WORDS).any(|mark| {
        behind.find(mark).is_some_and(|at| {
            let between = behind[..at].trim();
            is_near(between)
                && !between.contains("card")
                && !between.contains("カード")
                && (between.is_ascii() && between.split(' ').count() <= 2
                    || between.chars().count() <= 6)
        })
    });
    is_coloured || is_before || is_behind
}

/// Whether all cards of a theme are requested.
pub(super) fn is_whole(utterance: &Sentence, is_thumbnail: bool) -> bool {
    const ALL: &str = "全部|全て|すべて|ぜんぶ|全員|全カード|勢揃い|勢ぞろい|all |every |whole |entire |everything |complete set";
    const WHOLE: &str = "一覧|どんなカード|何のカード|入ってる|入って|which cards|what cards|list";
    let says = |words: &'static str| marks(words).any(|it| utterance.find(it, 0).is_some());
    says(ALL) || !is_thumbnail && says(WHOLE)
}

/// Whether it asks for the number of cards.
pub(super) fn how_many(utterance: &Sentence) -> bool {
    const MANY: &str = "何枚|なんまい|何種類|枚数|how many|number of";
    marks(MANY).any(|it| utterance.find(it, 0).is_some())
}

/// Returns phrases for unsupported looks of a picture.
pub(super) fn looks(utterance: &Sentence) -> Vec<Piece> {
    const LOOKS: &str = "in black and white|black and white|black-and-white|b&w|monochrome|greyscale|grayscale|sepia|in colour|in color|白黒|モノクロ|セピア|カラーで";
    let found = marks(LOOKS).filter_map(|mark| {
        let at = utterance.find(mark, 0)?;
        Some(utterance.piece(at, at + mark.chars().count()))
    });
    found.collect()
}

/// Whether the words around a name mark it as a theme.
pub(super) fn is_theme(utterance: &Sentence, piece: &Piece, is_said: bool) -> bool {
    const BEHIND: &str = "テーマ|のテーマ|系|シリーズ|のシリーズ|デッキ|のデッキ|というテーマ|」テーマ|\
         アーキタイプ| theme| archetype| deck|\" theme| themed|-themed| cards| series|\
         」のテーマ|」シリーズ|」系|」というテーマ|」デッキ|」というアーキタイプ|\
         というアーキタイプ|\" archetype";
    let is_behind = marks(BEHIND).any(|it| utterance.is_at(it, piece.to));
    is_behind || is_said && !is_card(utterance, piece)
}

/// Whether the words around a name mark it as a card.
pub(super) fn is_card(utterance: &Sentence, piece: &Piece) -> bool {
    const BEHIND: &str = "というカード|」というカード|のカード1枚|カードの|カードのイラスト| card|\" card|\
         's card|というモンスター|」というモンスター";
    const BEFORE: &str = "カード名は|カード「|カード名「|card called |card named |the card |card \"|card: |\
         カード、|カード『|called \"|named \"";
    let before: String = utterance.chars[..piece.from].iter().collect::<String>().to_lowercase();
    marks(BEHIND).any(|it| utterance.is_at(it, piece.to) && !utterance.is_at(" cards", piece.to))
        || marks(BEFORE).any(|it| before.ends_with(it))
}

pub(super) fn is_plural(utterance: &Sentence) -> bool {
    marks("cards|illustrations|artworks|いくつか|何枚か|数枚|たくさん|全部|まとめて|一覧|カードたち|monsters")
    .any(|it| utterance.find(it, 0).is_some())
}
