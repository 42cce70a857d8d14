//! Folds names for comparison: ignores case, width, kind of kana, long vowels, spaces and punctuation.

use unicode_normalization::UnicodeNormalization;

/// Maximum number of characters of a folded name.
pub const CHARS_MAX: usize = 200;

/// Folded suffixes of stations.
const STATION: [&str; 5] = ["station", "駅", "えき", "eki", "sta"];
/// Beginnings of such a suffix; `e` and `s` alone end too many other names.
const BEGUN: [&str; 6] = ["え", "ek", "st", "stat", "stati", "statio"];
/// Folded suffixes of towns and quarters that people omit.
const AREA: [&str; 9] = ["市", "区", "町", "村", "都", "府", "県", "city", "ward"];

/// `ﾄｳｷｮｳ 駅`, `とうきょう駅` and `トウキョウ駅` are one; so are `Ōmori`, `Oomori` and `omori`,
/// `Shimbashi` and `Shinbashi`, `虎ノ門` and `虎の門`, `霞ヶ関` and `霞が関`, `1丁目` and `一丁目`.
pub fn folded(name: &str) -> String {
    let plain = name.chars().take(CHARS_MAX).nfkc().flat_map(char::to_lowercase).map(simpler);
    // Removes accents from letters, but not marks from kana: `が` is not `か`.
    let plain = plain.collect::<String>();
    let mut letters = Vec::with_capacity(plain.len());
    for c in plain.chars() {
        let latin = (c as u32) < 0x250;
        let base = if latin { std::iter::once(c).nfd().next().unwrap_or(c) } else { c };
        if base.is_alphanumeric() {
            letters.push(base);
        }
    }
    let spoken = short_vowels(&letters);
    joined(&spoken)
}

/// Removes the beginning of a station's suffix, for text that is still being typed: `とうきょうえ`, `tokyo st`.
pub fn without_begun_station(folded: &str) -> Option<&str> {
    without(folded, &BEGUN)
}

/// Removes a station's suffix from a folded name.
pub fn without_station(folded: &str) -> Option<&str> {
    without(folded, &STATION)
}

/// Removes a town's or a quarter's suffix from a folded name.
pub fn without_area(folded: &str) -> Option<&str> {
    without(folded, &AREA)
}

fn without<'f>(folded: &'f str, endings: &[&str]) -> Option<&'f str> {
    endings.iter().find_map(|it| folded.strip_suffix(it)).filter(|it| !it.is_empty())
}

/// Replaces katakana by hiragana, old characters by new ones, and numerals by digits.
fn simpler(c: char) -> char {
    match c {
        'ァ'..='ヶ' => char::from_u32(c as u32 - 0x60).unwrap_or(c),
        '澤' => '沢',
        '濱' => '浜',
        '邊' | '邉' => '辺',
        '櫻' => '桜',
        '國' => '国',
        '學' => '学',
        '廣' => '広',
        '驛' => '駅',
        '溪' => '渓',
        '龍' => '竜',
        '〇' => '0',
        '一' => '1',
        '二' => '2',
        '三' => '3',
        '四' => '4',
        '五' => '5',
        '六' => '6',
        '七' => '7',
        '八' => '8',
        '九' => '9',
        other => other,
    }
}

/// Shortens long vowels: `ou`, `oo`, `oh` and `o`; `おう`, `おお`, `おー` and `お`.
fn short_vowels(letters: &[char]) -> Vec<char> {
    let mut out = Vec::<char>::with_capacity(letters.len());
    for (at, &c) in letters.iter().enumerate() {
        let last = out.last().copied().unwrap_or(' ');
        let next = letters.get(at + 1).copied();
        let is_long = match c {
            'ー' => true,
            'う' => ends_in(last, O_ROW) || ends_in(last, U_ROW),
            'お' => ends_in(last, O_ROW),
            'o' | 'u' if last == 'o' => true,
            'u' => last == 'u',
            // `Ohmori` but not `Ohashi`.
            'h' => last == 'o' && next.is_none_or(|it| it.is_ascii_alphabetic() && !is_vowel(it)),
            _ => false,
        };
        if is_long {
            continue;
        }
        let is_nasal = c == 'm' && next.is_some_and(|it| matches!(it, 'b' | 'p' | 'm'));
        out.push(if is_nasal { 'n' } else { c });
    }
    out
}

/// Removes connecting kana between two kanji: `の`, `が`, `ヶ`, `つ`.
fn joined(letters: &[char]) -> String {
    let is_word = |at: Option<usize>| {
        let c = at.and_then(|at| letters.get(at));
        c.is_some_and(|c| ('\u{4e00}'..='\u{9fff}').contains(c) || c.is_ascii_digit())
    };
    let keep = |(at, c): (usize, &char)| {
        let is_spoken = matches!(c, 'の' | 'が' | 'け' | 'ゖ' | 'ヵ' | 'つ' | 'っ');
        let between = is_word(at.checked_sub(1)) && is_word(Some(at + 1));
        (!(is_spoken && between)).then_some(*c)
    };
    letters.iter().enumerate().filter_map(keep).collect()
}

const O_ROW: &str = "おぉこごそぞとどのほぼぽもよょろを";
const U_ROW: &str = "うぅくぐすずつづぬふぶぷむゆゅる";

fn ends_in(c: char, row: &str) -> bool {
    row.contains(c)
}

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{folded, without_area, without_begun_station, without_station};

    fn are_one(names: &[&str]) {
        for name in names {
            assert_eq!(folded(name), folded(names[0]), "{name} and {}", names[0]);
        }
    }

    #[test]
    fn folds_spellings_of_one_name() {
        are_one(&["とうきょう駅", "ﾄｳｷｮｳ駅", "トウキョウ 駅", "トーキョー駅"]);
        are_one(&["Ōmori", "Oomori", "Ohmori", "OMORI", "ōmori"]);
        are_one(&[
            "Tōkyō Station",
            "tokyo-station",
            "Toukyou  Station",
            "Ｔｏｋｙｏ　Ｓｔａｔｉｏｎ",
        ]);
        are_one(&["Shimbashi", "Shinbashi"]);
        are_one(&["虎ノ門", "虎の門", "虎門"]);
        are_one(&["霞ヶ関", "霞が関", "霞ケ関"]);
        are_one(&["三ツ沢", "三つ沢", "三沢"]);
        are_one(&["丸の内1丁目", "丸ノ内一丁目", "丸の内１丁目"]);
        are_one(&["三溪園", "三渓園"]);
        are_one(&["Hämeenlinna", "hameenlinna"]);
    }

    #[test]
    fn different_names_stay_different() {
        assert_ne!(folded("大橋"), folded("大井"));
        assert_ne!(folded("かがみ"), folded("かかみ"));
        assert_ne!(folded("Ohashi"), folded("Oashi"));
        assert_ne!(folded("Haneda"), folded("Hanedo"));
        assert_ne!(folded("つきじ"), folded("きじ"));
    }

    #[test]
    fn stations_and_towns_lose_their_endings() {
        assert_eq!(without_station(&folded("東京駅")), Some("東京"));
        assert_eq!(without_station(&folded("Tokyo Sta.")), Some("tokyo"));
        assert_eq!(without_station(&folded("とうきょうえき")), Some("ときょ"));
        assert_eq!(without_station(&folded("東京")), None);
        assert_eq!(without_station("駅"), None);
        assert_eq!(without_begun_station(&folded("とうきょうえ")), Some("ときょ"));
        assert_eq!(without_begun_station(&folded("Tokyo st")), Some("tokyo"));
        assert_eq!(without_begun_station("え"), None);
        assert_eq!(without_area(&folded("横浜市")), Some("横浜"));
        assert_eq!(without_area(&folded("Chiyoda City")), Some("chiyoda"));
    }

    proptest! {
        #[test]
        fn folding_is_bounded_for_any_text(name in "\\PC{0,300}") {
            let once = folded(&name);
            prop_assert!(once.chars().all(char::is_alphanumeric));
        }

        #[test]
        fn case_and_spaces_never_matter(name in "[a-zA-Z ]{0,40}") {
            let loud = name.to_uppercase().replace(' ', "　");
            prop_assert_eq!(folded(&name), folded(&loud));
        }
    }
}
