//! Kana as しりとり takes them: with which the next word may begin.

use language::scan;

/// Small kana and the large ones that they stand for.
const SMALL: &str = "ぁあぃいぅうぇえぉおっつゃやゅゆょよゎわゕかゖけ";
/// Kana with marks, and the plain ones below.
const MARKED: &str = "がかぎきぐくげけごこざさじしずすぜせぞそだたぢちづつでてどとばはびひぶふべへぼほぱはぴひぷふぺへぽほゔう";
/// The kana of each vowel.
const VOWELS: [(char, &str); 5] = [
    ('あ', "あかさたなはまやらわがざだばぱ"),
    ('い', "いきしちにひみりぎじぢびぴ"),
    ('う', "うくすつぬふむゆるぐずづぶぷゔ"),
    ('え', "えけせてねへめれげぜでべぺ"),
    ('お', "おこそとのほもよろをごぞどぼぽ"),
];

/// Katakana as hiragana, and nothing else changed.
pub(super) fn hiragana(text: &str) -> String {
    text.chars().map(scan::hiragana).collect()
}

/// Whether it is written in hiragana alone; a long vowel may be drawn.
pub(super) fn is_kana(text: &str) -> bool {
    text.chars().all(|it| matches!(it, '\u{3041}'..='\u{3096}' | 'ー'))
}

/// The second of a pair in `table` whose first is `it`.
fn second(table: &str, it: char) -> Option<char> {
    let mut chars = table.chars();
    while let (Some(first), Some(second)) = (chars.next(), chars.next()) {
        if first == it {
            return Some(second);
        }
    }
    None
}

/// With which kana the word after `word` may begin, the first being the one that is meant: a small kana
/// counts as the large one, a drawn vowel as the kana before it or as the vowel, and a mark may be left
/// out.
pub(super) fn nexts(word: &str) -> Vec<char> {
    let mut chars = word.chars().rev();
    let last = chars.next();
    let is_drawn = last == Some('ー');
    let Some(last) = (if is_drawn { chars.find(|it| *it != 'ー') } else { last }) else {
        return Vec::new();
    };
    let large = second(SMALL, last).unwrap_or(last);
    let mut nexts = vec![large];
    if is_drawn {
        nexts.extend(VOWELS.iter().find(|it| it.1.contains(large)).map(|it| it.0));
    }
    let plain: Vec<_> = nexts.iter().filter_map(|it| second(MARKED, *it)).collect();
    nexts.extend(plain);
    nexts.dedup();
    nexts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_kana_long_vowels_and_marks_are_read_as_players_do() {
        for (word, expected) in [
            ("りんご", "ごこ"),
            ("らっぱ", "ぱは"),
            ("だちょう", "う"),
            ("きんぎょ", "よ"),
            ("いしゃ", "や"),
            ("すきー", "きい"),
            ("れーだー", "だあた"),
            ("こーひー", "ひい"),
            ("うさぎ", "ぎき"),
            ("らいおん", "ん"),
            ("ー", ""),
            ("", ""),
        ] {
            assert_eq!(nexts(word).iter().collect::<String>(), expected, "{word}");
        }
        assert_eq!(hiragana("ラッパとゴリラー桜"), "らっぱとごりらー桜");
        assert!(is_kana("すきー") && !is_kana("桜") && !is_kana("a"));
    }
}
