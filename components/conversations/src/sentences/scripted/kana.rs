//! The rules of しりとり for the first kana of the next word.

use language::scan;

/// Pairs of small and large kana.
const SMALL: &str = "ぁあぃいぅうぇえぉおっつゃやゅゆょよゎわゕかゖけ";
/// Pairs of kana with and without marks.
const MARKED: &str = "がかぎきぐくげけごこざさじしずすぜせぞそだたぢちづつでてどとばはびひぶふべへぼほぱはぴひぷふぺへぽほゔう";
/// The kana of each vowel.
const VOWELS: [(char, &str); 5] = [
    ('あ', "あかさたなはまやらわがざだばぱ"),
    ('い', "いきしちにひみりぎじぢびぴ"),
    ('う', "うくすつぬふむゆるぐずづぶぷゔ"),
    ('え', "えけせてねへめれげぜでべぺ"),
    ('お', "おこそとのほもよろをごぞどぼぽ"),
];

/// Converts katakana to hiragana.
pub(super) fn hiragana(text: &str) -> String {
    text.chars().map(scan::hiragana).collect()
}

/// Whether it is hiragana only, apart from long vowel marks.
pub(super) fn is_kana(text: &str) -> bool {
    text.chars().all(|it| matches!(it, '\u{3041}'..='\u{3096}' | 'ー'))
}

/// Returns the second kana of the pair in `table` that begins with `kana`.
fn paired(table: &str, kana: char) -> Option<char> {
    let mut chars = table.chars();
    while let (Some(first), Some(second)) = (chars.next(), chars.next()) {
        if first == kana {
            return Some(second);
        }
    }
    None
}

/// Returns the kana with which the word after `word` may begin, the usual one first. A small kana counts as the large
/// one, a long vowel mark as the kana before it or as the vowel, and marks may be left out.
pub(super) fn next_kana(word: &str) -> Vec<char> {
    let mut chars = word.chars().rev();
    let last = chars.next();
    let is_drawn = last == Some('ー');
    let Some(last) = (if is_drawn { chars.find(|it| *it != 'ー') } else { last }) else {
        return Vec::new();
    };
    let large = paired(SMALL, last).unwrap_or(last);
    let mut next_kana = vec![large];
    if is_drawn {
        next_kana.extend(VOWELS.iter().find(|it| it.1.contains(large)).map(|it| it.0));
    }
    let plain: Vec<_> = next_kana.iter().filter_map(|it| paired(MARKED, *it)).collect();
    next_kana.extend(plain);
    next_kana.dedup();
    next_kana
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_next_kana_after_small_long_and_marked_kana() {
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
            assert_eq!(next_kana(word).iter().collect::<String>(), expected, "{word}");
        }
        assert_eq!(hiragana("ラッパとゴリラー桜"), "らっぱとごりらー桜");
        assert!(is_kana("すきー") && !is_kana("桜") && !is_kana("a"));
    }
}
