//! Parses the options of an item: in brackets, after a word of choosing, or in a row.

use language::{Language, name_pieces::is_hiragana, scan::marks};
use serde_json::{Value, json};

use super::{
    item::{YES_OR_NO, shaped},
    list,
    text::{Text, outside},
};

pub(super) const OPTION_MAX: usize = 40;
/// Phrases after options to choose from.
pub(super) const CHOSEN: &str = "から一つ|から1つ|からひとつ|から2つ|から3つ|から4つ|から5つ|から二つ|から三つ|から最大|から複数|からいくつ|から選|から、|の中から|のいずれか|のどれか|のどちらか|で選";

/// Whether `text` before a word of choosing ends with options: `高・中・低`.
pub(super) fn are_before(text: &str) -> bool {
    const SHOWN: &str =
        "プルダウン|ラジオ|ボタン|チェック|ボックス|リスト|メニュー|カレンダー|星|段階|複数|択|点";
    let last = text.rsplit(['、', ',', '。']).next().unwrap_or_default();
    last.contains(['・', '/']) && !marks(SHOWN).any(|it| last.ends_with(it))
}

/// Whether it counts options: `1つ以上`, `at least two`.
pub(super) fn is_count(text: &str) -> bool {
    Text::new(text).has("つ以上|つまで|個まで|個以上|枚まで|枚以上|点まで|名まで|人まで|mb|メガ|at least|at most|up to")
}

/// The table's options in one language.
pub(super) fn in_language(table: &Value, language: Language) -> Value {
    let options = table.as_array().into_iter().flatten();
    options.map(|it| json!({ "value": it[0], "label": language.pick(&it[1], &it[2]) })).collect()
}

/// Splits a list in brackets.
pub(super) fn parts(inner: &str) -> Vec<String> {
    /// Maximum characters of options with only spaces between them.
    const WORD_MAX: usize = 4;
    let inner = inner.replace(" or ", ",").replace("または", ",").replace(" and ", ",");
    let chars: Vec<char> = inner.chars().collect();
    let is_digit =
        |at: Option<usize>| at.and_then(|it| chars.get(it)).is_some_and(char::is_ascii_digit);
    let is_mark = |at: usize| match chars[at] {
        '・' | '、' | ',' | '|' | ';' => true,
        // `12/5か12/6`
        'か' | 'と' => is_digit(at.checked_sub(1)) && is_digit(Some(at + 1)),
        _ => false,
    };
    // A single slash separates two: `10/20`.
    let has_days = (0..chars.len()).any(is_mark);
    let is_part = |at: usize| match chars[at] {
        '/' => !(has_days && is_of_day(&chars, at)),
        _ => is_mark(at),
    };
    let ends: Vec<usize> = (0..chars.len()).filter(|at| is_part(*at)).collect();
    // `S M L XL`, `赤 青 緑`
    let words: Vec<_> = inner.split_whitespace().collect();
    let is_name = |word: &&str| {
        word.chars().count() <= WORD_MAX
            && word.chars().all(|it| it.is_alphabetic() && !it.is_lowercase())
    };
    if ends.is_empty() && words.len() > 2 && words.iter().all(is_name) {
        return words.into_iter().map(str::to_owned).collect();
    }
    let begins = [0].into_iter().chain(ends.iter().map(|it| it + 1));
    let parts = begins.zip(ends.iter().copied().chain([chars.len()]));
    let parts = parts.map(|(from, to)| chars[from..to].iter().collect::<String>());
    parts
        .filter(|it| !it.trim().is_empty())
        .map(|it| it.trim().trim_start_matches("or ").trim_start_matches("and ").to_owned())
        .collect()
}

/// Whether the slash at `at` is in a date: `12/5`, but not in `1/2/3`.
fn is_of_day(chars: &[char], at: usize) -> bool {
    let is_digit = |it: &&char| it.is_ascii_digit();
    let before = chars[..at].iter().rev().take_while(is_digit).count();
    let behind = chars[at + 1..].iter().take_while(is_digit).count();
    let number = |it: &[char]| it.iter().collect::<String>().parse::<u32>().unwrap_or_default();
    let (month, day) = (number(&chars[at - before..at]), number(&chars[at + 1..at + 1 + behind]));
    let ends = [at.checked_sub(before + 1), Some(at + 1 + behind)];
    let is_more = ends.into_iter().flatten().any(|it| chars.get(it) == Some(&'/'));
    (1..=12).contains(&month) && (1..=31).contains(&day) && !is_more
}

/// Parses a scale at the end of `text`, with its start: `優先度は高中低`, `サイズSML`.
fn scale(text: &Text) -> Option<(usize, Vec<String>)> {
    const SCALES: [&str; 8] =
        ["高中低", "大中小", "上中下", "強中弱", "松竹梅", "優良可", "春夏秋冬", "SML"];
    let end = text.chars.iter().rposition(|it| !matches!(it, 'で' | 'に' | 'の' | '。' | ' '))? + 1;
    SCALES.iter().find_map(|scale| {
        let is_of = |it: &&char| scale.contains(**it);
        let length = text.chars[..end].iter().rev().take_while(is_of).count();
        let signs = &text.chars[end - length..end];
        let is_word = signs.iter().any(|it| signs.iter().filter(|other| it == *other).count() > 1);
        (length >= scale.chars().count() && !is_word)
            .then(|| (end - length, signs.iter().map(char::to_string).collect()))
    })
}

/// Parses a range of an ordered set at the end of `text`, with its start: `size XS-XL`, `月〜金`.
fn stretch(text: &Text) -> Option<(usize, Vec<String>)> {
    const ORDERS: [&str; 5] = [
        "XXS|XS|S|M|L|XL|XXL|XXXL",
        "Mon|Tue|Wed|Thu|Fri|Sat|Sun",
        "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday",
        "月|火|水|木|金|土|日",
        "月曜|火曜|水曜|木曜|金曜|土曜|日曜",
    ];
    const JOINTS: &str = "-|–|~|〜|～|から|to|through";
    let end = text.chars.iter().rposition(|it| !matches!(it, 'で' | 'に' | 'の' | '。' | ' '))? + 1;
    let whole: String = text.chars[..end].iter().collect();
    let whole = whole.strip_suffix("まで").unwrap_or(&whole);
    let is_letter = |it: char| it.is_ascii_alphanumeric();
    // Ends with `name` as a whole word.
    let without = |text: &str, name: &str| {
        let at = text.len().checked_sub(name.len()).filter(|at| text.is_char_boundary(*at))?;
        let (rest, last) = text.split_at(at);
        let is_whole = !(name.starts_with(is_letter) && rest.ends_with(is_letter));
        (last.eq_ignore_ascii_case(name) && is_whole).then(|| rest.trim_end().to_owned())
    };
    ORDERS.iter().find_map(|order| {
        let names: Vec<&str> = marks(order).collect();
        let longest = |text: &str| {
            let ends =
                names.iter().enumerate().filter_map(|(at, it)| Some((at, without(text, it)?)));
            ends.min_by_key(|it| it.1.len())
        };
        let (last, rest) = longest(whole)?;
        let rest = marks(JOINTS).find_map(|it| rest.strip_suffix(it))?;
        let (first, rest) = longest(rest.trim_end())?;
        let rest = without(&rest, "from").unwrap_or(rest);
        let options = names.get(first..=last).filter(|it| it.len() > 1)?;
        Some((rest.chars().count(), options.iter().map(|it| (*it).to_owned()).collect()))
    })
}

/// Removes inline options, and returns them with whether they need no label: `low/medium/high`,
/// `箱根か熱海か日光`, `choice of S, M or L`.
pub(super) fn inline(text: &mut Text, is_several: bool) -> Option<(Vec<String>, bool)> {
    let fits = |options: &[String]| {
        options.len() > 1 && options.iter().all(|it| (1..=OPTION_MAX).contains(&it.chars().count()))
    };
    let clean = |text: &str| {
        let mut text = Text::new(text);
        text.strip("a|an|the|or|and|either", "please|のどれか|のいずれか|のどちらか|どちらか");
        unquote(&mut text);
        text.text()
    };
    let bare = text.text();
    if let Some(days) = weekdays(&bare) {
        *text = Text::new("");
        return Some((days, true));
    }
    if let Some((from, signs)) = scale(text).or_else(|| stretch(text)) {
        text.cut(from, text.len());
        return Some((signs, false));
    }
    let begins = |it: &&&str| is_several && text.is_at(it, 0);
    let several = ["from ", "out of ", "among "].iter().find(begins).map(|it| (0, it.len()));
    // `toppings at most 3 of ham, olives`: the number was removed before.
    let of = || text.find(" of ", 1).filter(|_| is_several && text.chars.contains(&','));
    let several = several.or_else(of);
    if let Some((from, to)) = several.or_else(|| list::choice(text)) {
        let options: Vec<_> =
            parts(&text.piece(to, text.len())).iter().map(|it| clean(it)).collect();
        if fits(&options) {
            text.cut(from, text.len());
            return Some((options, false));
        }
    }
    // `sizes S, M, L` of a dropdown: the label precedes the first.
    let whole = text.text();
    let of = whole.trim_start();
    let of = ["a ", "an ", "the "].iter().find_map(|it| of.strip_prefix(it)).unwrap_or(of);
    if let Some(list) = of.trim_start().strip_prefix("of ") {
        let mut options: Vec<_> = parts(list).iter().map(|it| clean(it)).collect();
        let is_single = options.iter().skip(1).all(|it| !it.contains(' '));
        let label = options.first().and_then(|it| it.rsplit_once(' ')).filter(|_| is_single);
        let label = label.map(|(label, option)| (label.to_owned(), option.to_owned()));
        if let Some((_, option)) = &label {
            options[0].clone_from(option);
        }
        if fits(&options) {
            *text = Text::new(&label.map_or_else(String::new, |it| it.0));
            return Some((options, false));
        }
    }
    // `アレルギーは卵・乳・小麦から複数`: the multiplicity was removed before.
    let whole = text.text();
    let rest = whole.trim_end().strip_suffix("から");
    if let Some(rest) = rest.filter(|it| is_several || are_before(it)) {
        *text = Text::new(&format!("{rest}から選"));
    }
    // `SMLから1つ`, `S・M・Lから選ぶ`.
    if let Some((from, _)) = text.find(CHOSEN, 1) {
        let begin = text.chars[..from]
            .iter()
            .rposition(|it| matches!(it, 'は' | 'を' | ':'))
            .map_or(0, |it| it + 1);
        let list = text.piece(begin, from);
        let is_letters =
            (2..=6).contains(&list.len()) && list.chars().all(|it| it.is_ascii_uppercase());
        // `サイズ S M L から`: separated by spaces, after the label.
        let words: Vec<&str> = list.split_whitespace().collect();
        let has_label = begin == 0;
        let is_spaced = words.len() > 2 + usize::from(has_label)
            && !list.contains(['・', '、', ',', '/', '|', ';', 'と', 'か']);
        if is_spaced {
            let label = if has_label { words[0] } else { "" };
            let options = words.iter().skip(usize::from(has_label)).map(|it| clean(it));
            let options: Vec<_> = options.collect();
            if fits(&options) {
                text.cut(begin + label.chars().count(), text.len());
                return Some((options, false));
            }
        }
        let cut = list.replace(['と', 'か'], "、");
        let is_cut = parts(&cut).iter().any(|it| it.len() == 3 && it.starts_with(is_hiragana));
        let options: Vec<_> = match is_letters {
            true => list.chars().map(String::from).collect(),
            false => parts(if is_cut { &list } else { &cut }).iter().map(|it| clean(it)).collect(),
        };
        if fits(&options) {
            text.cut(begin, text.len());
            return Some((options, false));
        }
    }
    // `dishes: curry, ramen, salad`.
    let colon = text.chars.iter().position(|it| *it == ':').filter(|it| *it > 0);
    if let Some(colon) = colon {
        let options: Vec<_> =
            parts(&text.piece(colon + 1, text.len())).iter().map(|it| clean(it)).collect();
        if fits(&options) {
            text.cut(colon, text.len());
            return Some((options, false));
        }
    }
    // `重要度は高・中・低`.
    let topic = text.chars.iter().skip(1).position(|it| *it == 'は').map(|it| it + 1);
    if let Some(topic) = topic.filter(|it| text.chars[*it..].contains(&'・')) {
        let list = text.piece(topic + 1, text.len());
        let options = parts(list.trim_end_matches(['の', 'で']));
        let options: Vec<_> = options.iter().map(|it| clean(it)).collect();
        if fits(&options) {
            text.cut(topic, text.len());
            return Some((options, false));
        }
    }
    // `出る・出ない`.
    if let Some((before, behind)) = text.text().split_once('・') {
        let options = vec![before.trim().to_owned(), behind.trim().to_owned()];
        if fits(&options) {
            *text = Text::new("");
            return Some((options, false));
        }
    }
    let is_outside = outside(&text.chars);
    let slash = |it: usize| text.chars[it] == '/' && is_outside[it] && !is_of_day(&text.chars, it);
    if (0..text.len()).any(slash) {
        let whole = text.text();
        let mut options: Vec<String> = whole.split('/').map(|it| it.trim().to_owned()).collect();
        // `priority low/medium/high`: the label precedes the first.
        let first = options[0].clone();
        let is_shared = first.is_ascii();
        let label = match (is_shared, first.rsplit_once([' ', 'は', 'を', ':'])) {
            (_, Some((label, option))) if !option.trim().is_empty() => {
                options[0] = option.trim().to_owned();
                label.to_owned()
            }
            _ => String::new(),
        };
        if fits(&options) {
            *text = Text::new(&label);
            return Some((options, false));
        }
    }
    let lower: String = text.lower.iter().collect();
    if let Some(or) = lower.find(" or ").filter(|_| lower.is_ascii()) {
        let is_question = shaped(YES_OR_NO, &lower);
        // `meat, fish or vegetarian` after `:`, or both sides of `pizza or sushi`.
        let begin = lower[..or].rfind(':').map_or(0, |it| it + 1);
        let options: Vec<_> =
            parts(&text.piece(begin, text.len())).iter().map(|it| clean(it)).collect();
        let is_short = options.iter().all(|it| it.split(' ').count() <= 3);
        if !is_question && is_short && fits(&options) {
            text.cut(begin.saturating_sub(1), text.len());
            return Some((options, false));
        }
    }
    // `行き先は箱根か熱海か日光`.
    let begin =
        text.chars.iter().position(|it| matches!(it, 'は' | ':' | '、')).map_or(0, |it| it + 1);
    let list = text.piece(begin, text.len());
    let trimmed = list.trim().trim_end_matches(['を', 'で', 'に', 'の']).trim_end_matches("か");
    let pieces: Vec<String> = trimmed.split('か').map(clean).collect();
    // `出るか出ないか`.
    if let [yes, no] = &pieces[..]
        && no.ends_with("ない")
        && yes.chars().next() == no.chars().next()
        && yes.chars().next().is_some_and(|it| !matches!(it, 'ぁ'..='ん'))
    {
        text.cut(begin.saturating_sub(1), text.len());
        return Some((pieces, false));
    }
    let is_word = |option: &String| {
        let is_number =
            option.chars().count() == 1 && "一二三四五六七八九十数何".contains(option.as_str());
        (1..=10).contains(&option.chars().count())
            && !is_number
            && !option.ends_with(['い', 'る', 'た', 'ど'])
            && !option.starts_with(['っ', 'な', 'ら', 'け'])
            && !option.contains("から")
    };
    if !list.is_ascii() && pieces.len() > 1 && pieces.iter().all(is_word) && fits(&pieces) {
        text.cut(begin.saturating_sub(1), text.len());
        return Some((pieces, false));
    }
    None
}

/// Parses a list of weekdays: `mon tue wed`, `月火水`.
fn weekdays(text: &str) -> Option<Vec<String>> {
    const DAYS: &str = "mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun|monday|tuesday|wednesday|thursday|friday|saturday|sunday";
    let days: Vec<String> = match text.is_ascii() {
        true => text.split(' ').map(str::to_owned).collect(),
        false => text.chars().map(String::from).collect(),
    };
    let is_day = |mark: &String| {
        marks(DAYS).any(|day| mark.eq_ignore_ascii_case(day))
            || "月火水木金土日".contains(mark.as_str())
    };
    (days.len() > 2 && days.iter().all(is_day)).then_some(days)
}

/// Removes quotation marks around a label.
pub(super) fn unquote(text: &mut Text) {
    const MARKS: &str = "'|\"|「|」|『|』|“|”";
    text.strip(MARKS, MARKS);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slash_of_a_date_separates_nothing() {
        for (inner, expected) in [
            ("12/5、12/6", &["12/5", "12/6"][..]),
            ("12/5 or 1/6", &["12/5", "1/6"]),
            ("10/20", &["10", "20"]),
            ("20/30/40", &["20", "30", "40"]),
            ("low/medium, high", &["low", "medium", "high"]),
            ("20/30、50", &["20", "30", "50"]),
        ] {
            assert_eq!(parts(inner), expected, "{inner}");
        }
    }
}
