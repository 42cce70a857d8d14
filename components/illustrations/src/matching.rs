//! Finds the card or theme that a name means: by spelling, reading, romanisation, English words and typos, but never
//! by a stray word. A name that matches several cards equally matches none.

use toolkit::names::{NEAR_MIN, fold, nearness};

/// Nearness of things that match equally, above that of any that does not match.
const ALIKE: f64 = 4.0;
/// Maximum number of names compared per card or theme.
const NAMES_MAX: usize = 24;
/// Texts before a name that do not belong to it.
const BEFORE: &str = "the |a |an |card |picture of |illustration of |image of |カード|イラスト";
const BEHIND: &str = "\
    のカードのイラスト|のカードイラスト|のカードの絵|カードのイラスト|のイラスト|のカード|\
    というカード|カード|イラスト|の画像|の絵柄|の絵|のテーマ|テーマ|のデッキ|デッキ|シリーズ|\
    ちゃん|さん|くん|様|'s card| card| illustration| picture| image| artwork| theme| deck| series";
/// Quotation marks and spaces around a name.
const QUOTES: &[char] =
    &['「', '」', '『', '』', '"', '“', '”', '\'', '‘', '’', '【', '】', ' ', '　'];
/// English words that do not distinguish cards.
const GENERIC_WORDS: &[&str] =
    &["the", "of", "a", "an", "and", "under", "in", "to", "card", "cards", "with"];
/// English words that do not name a card alone.
const QUALITIES: &str = "\
    great|old|royal|golden|crimson|crystal|blue|white|snow|mossy|crowned|cursed|forbidden|green|\
    winged|antlered|ringed|star|stars|thousand|year|azure|verdant|abyssal|petal|dreams|spirits|\
    night|world|sea|sun|moon|readers|gears";

/// Returns the indices in `all` that `query` matches; one, if it is sure.
pub fn find(query: &str, all: &[Vec<&str>]) -> Vec<usize> {
    let query = Query::new(query);
    if query.folded.is_empty() {
        return Vec::new();
    }
    let ways: [Matcher; 7] =
        [is_whole, is_segment, has_words, is_part, is_mixed, contains_name, has_typos];
    for matcher in ways {
        let fits =
            |names: &Vec<&str>| names.iter().take(NAMES_MAX).any(|it| matcher(&query, it, names));
        let found: Vec<_> = (0..all.len()).filter(|it| fits(&all[*it])).collect();
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// Whether `query` is one of these names as a whole.
pub fn is_one_of(query: &str, names: &[&str]) -> bool {
    let query = Query::new(query);
    !query.folded.is_empty() && names.iter().any(|it| is_whole(&query, it, names))
}

/// A search, prepared for comparisons.
struct Query {
    folded: String,
    /// Its words, if it is English.
    words: Vec<String>,
    /// Its romanisation, if it has a reading.
    roman: String,
}

impl Query {
    fn new(query: &str) -> Self {
        let bare = bare(query);
        let folded = numerals(&fold(&bare));
        Self { words: words(&bare), roman: roman(&folded), folded }
    }
}

/// A way of matching a query against a name of a card with these names.
type Matcher = fn(&Query, &str, &[&str]) -> bool;

/// Returns the indices in `all` that `name` matches, and whether as a whole.
pub fn meant<'a, N: Iterator<Item = &'a str>>(
    name: &str,
    all: impl Iterator<Item = N>,
) -> (Vec<usize>, bool) {
    let names: Vec<Vec<&str>> = all.map(Iterator::collect).collect();
    let found = find(name, &names);
    let is_whole = found.iter().any(|it| is_one_of(name, &names[*it]));
    (found, is_whole)
}

/// Returns similar names with their nearness; those that match equally come first.
pub fn near<'a, N: Iterator<Item = &'a str>>(
    name: &str,
    alike: &[usize],
    all: impl Iterator<Item = (&'a String, N)>,
) -> Vec<(f64, String)> {
    let query = fold(name);
    let near = |(at, (name, names)): (usize, (&'a String, N))| {
        let near = if alike.contains(&at) { ALIKE } else { nearness(&query, names) };
        (near >= NEAR_MIN).then(|| (near, name.clone()))
    };
    let mut near: Vec<_> = all.enumerate().filter_map(near).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near
}

/// Removes the texts around a name.
fn bare(query: &str) -> String {
    let narrow = |sign: char| match sign {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(sign) - 0xfee0).unwrap_or(sign),
        it => it,
    };
    let text: String = query.trim_matches(QUOTES).chars().map(narrow).collect();
    let mut text = text.to_lowercase();
    loop {
        let before = text.len();
        for prefix in BEFORE.split('|') {
            text = text
                .strip_prefix(prefix)
                .filter(|it| !it.is_empty())
                .map_or(text.clone(), str::to_owned);
        }
        for suffix in BEHIND.split('|') {
            text = text
                .strip_suffix(suffix)
                .filter(|it| !it.is_empty())
                .map_or(text.clone(), str::to_owned);
        }
        text = text.trim_matches(QUOTES).to_owned();
        if text.len() == before {
            return text;
        }
    }
}

/// Replaces numbers by kanji: `1000年` becomes `千年`.
fn numerals(folded: &str) -> String {
    const DIGITS: [&str; 10] = ["〇", "一", "二", "三", "四", "五", "六", "七", "八", "九"];
    let mut text = folded.replace("1000", "千").replace("100", "百").replace("10", "十");
    if !text.is_ascii() {
        for (digit, kanji) in DIGITS.iter().enumerate() {
            text = text.replace(&digit.to_string(), kanji);
        }
    }
    text
}

/// Returns the English words of `text` that distinguish cards.
fn words(text: &str) -> Vec<String> {
    if !text.is_ascii() {
        return Vec::new();
    }
    let words = text.split(|it: char| !it.is_ascii_alphanumeric()).filter(|it| !it.is_empty());
    words
        .map(str::to_lowercase)
        .filter(|it| !GENERIC_WORDS.contains(&it.as_str()) && it != "s")
        .collect()
}

fn is_whole(query: &Query, name: &str, _: &[&str]) -> bool {
    let folded = numerals(&fold(name));
    let is_roman =
        !query.roman.is_empty() && query.folded.len() > 2 && roman(&folded) == query.roman;
    folded == query.folded || is_roman
}

/// Whether the query is a piece of the name between changes of script: `影猫` or `ルナ` of 影猫ルナ.
fn is_segment(query: &Query, name: &str, _: &[&str]) -> bool {
    if name.is_ascii() {
        let first = name.split(',').next().unwrap_or_default();
        return !query.words.is_empty() && words(first) == query.words;
    }
    let pieces = segments(name);
    let folds = |it: &&[char]| numerals(&fold(&it.iter().collect::<String>()));
    let chars: Vec<char> = name.chars().collect();
    let spans = pieces
        .iter()
        .enumerate()
        .flat_map(|(at, from)| pieces[at..].iter().map(|to| (from.0, to.1)).collect::<Vec<_>>());
    spans.into_iter().any(|(from, to)| {
        let piece = folds(&&chars[from..to]);
        // A single kana is no name.
        let is_name = piece.chars().count() > 1 || piece.chars().all(is_kanji);
        is_name && (piece == query.folded || query.roman.len() > 2 && roman(&piece) == query.roman)
    })
}

/// Whether every word of the query is in the English name.
fn has_words(query: &Query, name: &str, _: &[&str]) -> bool {
    let names = if name.is_ascii() { words(name) } else { Vec::new() };
    is_distinctive(&query.words) && query.words.iter().all(|it| names.contains(it))
}

fn is_distinctive(words: &[String]) -> bool {
    words.iter().any(|it| QUALITIES.split('|').all(|quality| it != quality)) || words.len() > 1
}

/// Whether the query is kanji within the name, or the beginning or end of a reading.
fn is_part(query: &Query, name: &str, _: &[&str]) -> bool {
    let folded = numerals(&fold(name));
    if query.folded.chars().all(is_kanji) {
        return folded.contains(&query.folded);
    }
    let is_read = query.folded.chars().all(is_kana) && query.folded.chars().count() > 2;
    let is_reading = folded.chars().all(is_kana);
    is_read && is_reading && (folded.starts_with(&query.folded) || folded.ends_with(&query.folded))
}

/// Whether the query mixes kanji of the name and kana of the reading: `千年さくら`.
fn is_mixed(query: &Query, name: &str, names: &[&str]) -> bool {
    let mut kanji = String::new();
    let mut kana = String::new();
    for sign in query.folded.chars() {
        match is_kana(sign) {
            true => kana.push(sign),
            false => kanji.push(sign),
        }
    }
    if kanji.is_empty() || kana.chars().count() < 2 || !kanji.chars().all(is_kanji) {
        return false;
    }
    let wanted: Vec<char> = roman(&kana).chars().collect();
    let most = usize::from(wanted.len() > 4);
    let is_read = names.iter().any(|name| {
        let read: Vec<char> = roman(&fold(name)).chars().collect();
        let sizes = wanted.len().saturating_sub(most)..=wanted.len() + most;
        sizes
            .into_iter()
            .any(|size| size > 0 && read.windows(size).any(|it| distance(it, &wanted) <= most))
    });
    is_read && numerals(&fold(name)).contains(&kanji)
}

/// Whether the query contains the whole name.
fn contains_name(query: &Query, name: &str, _: &[&str]) -> bool {
    let folded = numerals(&fold(name));
    let (length, is_kanji) = (folded.chars().count(), folded.chars().all(is_kanji));
    (length > 3 || length == 3 && is_kanji) && query.folded.contains(&folded)
}

/// Whether the query is the name, or a piece of it, with typos.
fn has_typos(query: &Query, name: &str, _: &[&str]) -> bool {
    if name.is_ascii() {
        let names = words(name);
        let near = |it: &String| names.iter().any(|name| is_slip(name, it));
        let first = words(name.split(',').next().unwrap_or_default()).concat();
        let is_first = query.roman.len() > 3 && is_slip(&roman_of_latin(&first), &query.roman);
        return is_distinctive(&query.words) && query.words.iter().all(near) || is_first;
    }
    let chars: Vec<char> = name.chars().collect();
    let pieces = segments(name).into_iter().map(|(from, to)| chars[from..to].iter().collect());
    let all = pieces.chain([name.to_owned()]);
    all.into_iter().map(|it: String| fold(&it)).any(|name| {
        let is_read = query.roman.len() > 3 && is_slip(&roman(&name), &query.roman);
        let is_long = name.chars().count() > 3 && query.folded.chars().count() > 3;
        is_read || is_long && is_slip(&name, &query.folded)
    })
}

/// Whether `other` is `name` with as many typos as its length allows.
fn is_slip(name: &str, other: &str) -> bool {
    let (name, other): (Vec<char>, Vec<char>) = (name.chars().collect(), other.chars().collect());
    let most = match name.len().min(other.len()) {
        0..4 => 0,
        4..9 => 1,
        9..14 => 2,
        _ => 3,
    };
    name.len().abs_diff(other.len()) <= most && distance(&name, &other) <= most
}

/// Returns the ranges of a name's pieces: kanji, katakana, hiragana, other letters.
fn segments(name: &str) -> Vec<(usize, usize)> {
    let kind = |sign: char| match sign {
        'ー' | '\u{30a1}'..='\u{30fa}' => 1,
        '\u{3041}'..='\u{3096}' => 2,
        sign if is_kanji(sign) => 3,
        _ => 4,
    };
    let mut pieces: Vec<(usize, usize)> = Vec::new();
    let mut last = 0;
    for (at, it) in name.chars().enumerate() {
        match pieces.last_mut() {
            Some(piece) if kind(it) == last => piece.1 = at + 1,
            _ => pieces.push((at, at + 1)),
        }
        last = kind(it);
    }
    pieces
}

fn is_kanji(sign: char) -> bool {
    matches!(sign, '\u{4e00}'..='\u{9fff}' | '々')
}

fn is_kana(sign: char) -> bool {
    matches!(sign, '\u{3041}'..='\u{3096}')
}

/// Romanises a folded name of kana and Latin letters; empty for others.
fn roman(folded: &str) -> String {
    let is_read = |it: char| is_kana(it) || it.is_ascii_alphanumeric();
    if !folded.chars().all(is_read) {
        return String::new();
    }
    if folded.is_ascii() {
        return roman_of_latin(folded);
    }
    let mut text = String::new();
    let mut is_doubled = false;
    for sign in folded.chars() {
        if let Some(small) = "ゃゅょぁぃぅぇぉ".find(sign).and(vowel(sign)) {
            // Replaces the vowel of the kana before.
            text.pop();
            if matches!(sign, 'ゃ' | 'ゅ' | 'ょ') && !text.ends_with(['h', 'j']) {
                text.push('y');
            }
            text.push(small);
            continue;
        }
        if sign == 'っ' {
            is_doubled = true;
            continue;
        }
        let sound = SOUNDS.iter().find(|row| row.0.contains(sign));
        let sound = sound.and_then(|row| {
            let at = row.0.chars().position(|kana| kana == sign)?;
            row.1.split(' ').nth(at)
        });
        let sound = sound.unwrap_or_default();
        if is_doubled {
            text.extend(sound.chars().next());
            is_doubled = false;
        }
        text.push_str(sound);
    }
    roman_of_latin(&text)
}

/// Normalises different romanisations.
fn roman_of_latin(text: &str) -> String {
    let pairs = [
        ("ou", "o"),
        ("oo", "o"),
        ("uu", "u"),
        ("aa", "a"),
        ("ee", "e"),
        ("ii", "i"),
        ("l", "r"),
        ("si", "shi"),
        ("tu", "tsu"),
        ("ti", "chi"),
        ("hu", "fu"),
        ("zi", "ji"),
        ("sy", "sh"),
        ("zy", "j"),
        ("ty", "ch"),
        ("th", "t"),
        ("c", "k"),
        ("kh", "ch"),
        ("x", "kusu"),
    ];
    pairs.iter().fold(text.to_lowercase(), |text, (from, to)| text.replace(from, to))
}

fn vowel(small: char) -> Option<char> {
    Some(match small {
        'ゃ' | 'ぁ' => 'a',
        'ぃ' => 'i',
        'ゅ' | 'ぅ' => 'u',
        'ぇ' => 'e',
        'ょ' | 'ぉ' => 'o',
        _ => return None,
    })
}

/// Kana and their romanisations.
const SOUNDS: &[(&str, &str)] = &[
    ("あいうえお", "a i u e o"),
    ("かきくけこ", "ka ki ku ke ko"),
    ("がぎぐげご", "ga gi gu ge go"),
    ("さしすせそ", "sa shi su se so"),
    ("ざじずぜぞ", "za ji zu ze zo"),
    ("たちつてと", "ta chi tsu te to"),
    ("だぢづでど", "da ji zu de do"),
    ("なにぬねの", "na ni nu ne no"),
    ("はひふへほ", "ha hi fu he ho"),
    ("ばびぶべぼ", "ba bi bu be bo"),
    ("ぱぴぷぺぽ", "pa pi pu pe po"),
    ("まみむめも", "ma mi mu me mo"),
    ("やゆよ", "ya yu yo"),
    ("らりるれろ", "ra ri ru re ro"),
    ("わゐゑをん", "wa i e o n"),
    ("ゔ", "vu"),
];

/// Returns the edit distance: insertions, deletions, substitutions and swaps of neighbours.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut rows = vec![vec![0; other.len() + 1]; one.len() + 1];
    for (at, row) in rows.iter_mut().enumerate() {
        row[0] = at;
    }
    for (at, cell) in rows[0].iter_mut().enumerate() {
        *cell = at;
    }
    for a in 1..=one.len() {
        for b in 1..=other.len() {
            let change = rows[a - 1][b - 1] + usize::from(one[a - 1] != other[b - 1]);
            let mut least = change.min(rows[a - 1][b] + 1).min(rows[a][b - 1] + 1);
            if a > 1 && b > 1 && one[a - 1] == other[b - 2] && one[a - 2] == other[b - 1] {
                least = least.min(rows[a - 2][b - 2] + 1);
            }
            rows[a][b] = least;
        }
    }
    rows[one.len()][other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::themes;

    fn found(query: &str) -> Vec<&'static str> {
        let cards: Vec<_> = themes().iter().flat_map(|it| &it.cards).collect();
        let names: Vec<Vec<&str>> = cards.iter().map(|it| it.names().collect()).collect();
        find(query, &names).into_iter().map(|it| cards[it].id.as_str()).collect()
    }

    #[test]
    fn finds_card_by_each_kind_of_name() {
        for (query, id) in [
            ("黄金王ソレイユ", "soleil"),
            ("ソレイユ", "soleil"),
            ("ソレーユ", "soleil"),
            ("それいゆ", "soleil"),
            ("soreiyu", "soleil"),
            ("Soleil", "soleil"),
            ("soliel", "soleil"),
            ("アズール", "azure"),
            ("アジュール", "azure"),
            ("Azure", "azure"),
            ("ajuru", "azure"),
            ("1000年桜", "sakura"),
            ("千年さくら", "sakura"),
            ("せんねんざくら", "sakura"),
            ("sennenzakura", "sakura"),
            ("Thousand Year Cherry", "sakura"),
            ("千年桜", "sakura"),
            ("ﾙﾅ", "luna"),
            ("影猫", "luna"),
            ("猫", "luna"),
            ("the shadow cat", "luna"),
            ("runa", "luna"),
            ("whale", "barena"),
            ("the whale card", "barena"),
            ("phoenix", "phoenix"),
            ("phenix", "phoenix"),
            ("Old Ord", "oak"),
            ("ミミちゃん", "mimi"),
            ("firefly owl", "mimi"),
            ("かぐや", "kaguya"),
            ("Kagura", "kaguya"),
            ("「雪兎ユキ」のイラスト", "yuki"),
            ("ユキ", "yuki"),
            ("羅針盤", "compass"),
            ("ぼるかの", "volcano"),
            ("ｖｏｌｃａｎｏ ｅｎｇｉｎｅ", "volcano"),
            ("リーフィ", "leafy"),
            ("Leafy of the Verdant", "leafy"),
            ("soleil the golden king", "soleil"),
            ("ノクス", "nox"),
            ("ゆきうさぎ", "yuki"),
            ("そうしょうりゅうあじゅる", "azure"),
            ("ボルカノ", "volcano"),
            ("volcano", "volcano"),
            ("ファルコのカード", "falco"),
            ("狐", "kohana"),
            ("星海船アルゴー", "argo"),
            ("blaze express", "blaze"),
            ("ブレイズ", "blaze"),
            ("シルバ", "silva"),
        ] {
            assert_eq!(found(query), [id], "{query}");
        }
    }

    #[test]
    fn finds_no_card_by_a_stray_word() {
        for query in [
            "battle",
            "FINAL BATTLE",
            "the",
            "a",
            "of",
            "Blue-Eyes White Dragon",
            "ブラック・マジシャン",
            "Dark Magician",
            "zzzz",
            "great",
            "とら",
            "頂上決戦",
            "春が来る",
            "ん",
            "の",
            "竜神",
            "white",
            "今日の映画",
            "サムネイル",
            "東京駅",
            "Your Name",
            "ゴジラ",
            "トトロ",
            "AKIRA",
            "",
            "。",
        ] {
            assert_eq!(found(query), [""; 0], "{query}");
        }
        for query in ["竜", "dragon", "星", "王"] {
            assert!(found(query).len() > 1, "{query} is said of several");
        }
    }

    #[test]
    fn finds_every_card_by_all_its_names() {
        for card in themes().iter().flat_map(|it| &it.cards) {
            for name in card.names() {
                assert_eq!(found(name), [card.id.as_str()], "{name}");
            }
        }
    }
}
