//! Converts kana to Roman letters, and unifies their spellings.

/// Kana in rows of five, each with its consonant.
const ROWS: [(&str, &str); 13] = [
    ("あいうえお", ""),
    ("かきくけこ", "k"),
    ("がぎぐげご", "g"),
    ("さしすせそ", "s"),
    ("ざじずぜぞ", "z"),
    ("たちつてと", "t"),
    ("だぢづでど", "d"),
    ("なにぬねの", "n"),
    ("はひふへほ", "h"),
    ("ばびぶべぼ", "b"),
    ("ぱぴぷぺぽ", "p"),
    ("まみむめも", "m"),
    ("らりるれろ", "r"),
];
/// Kana outside the rows. The one that doubles a consonant is left out, as doubled letters are.
const OTHERS: [(char, &str); 10] = [
    ('や', "ya"),
    ('ゆ', "yu"),
    ('よ', "yo"),
    ('わ', "wa"),
    ('ゐ', "i"),
    ('ゑ', "e"),
    ('を', "o"),
    ('ん', "n"),
    ('ゔ', "bu"),
    ('っ', ""),
];
/// Small kana that change the vowel of the one before.
const SMALL: [(char, &str); 9] = [
    ('ゃ', "ya"),
    ('ゅ', "yu"),
    ('ょ', "yo"),
    ('ぁ', "a"),
    ('ぃ', "i"),
    ('ぅ', "u"),
    ('ぇ', "e"),
    ('ぉ', "o"),
    ('ゎ', "wa"),
];
/// Alternative spellings of a sound, with the unified one.
const SPELLINGS: [(&str, &str); 20] = [
    ("tch", "ch"),
    ("sh", "sy"),
    ("ch", "ty"),
    ("ts", "t"),
    ("dz", "z"),
    ("j", "zy"),
    ("syi", "si"),
    ("tyi", "ti"),
    ("zyi", "zi"),
    ("sye", "se"),
    ("tye", "te"),
    ("zye", "ze"),
    ("f", "h"),
    ("v", "b"),
    ("l", "r"),
    ("mb", "nb"),
    ("mp", "np"),
    ("mm", "nm"),
    ("wo", "o"),
    ("ou", "o"),
];

/// Converts folded kana to Roman letters; other characters stay.
pub(super) fn of_kana(kana: &[char]) -> String {
    let mut roman = String::new();
    for letter in kana {
        if let Some((_, vowel)) = SMALL.iter().find(|it| it.0 == *letter) {
            // しゃ is sya, ふぁ is ha, てぃ is ti; a leading small kana stands for itself.
            let stem = roman.trim_end_matches(['i', 'u', 'e', 'o']).len();
            roman.truncate(stem.max(roman.len().saturating_sub(1)));
            roman.push_str(vowel);
            continue;
        }
        if let Some((_, other)) = OTHERS.iter().find(|it| it.0 == *letter) {
            roman.push_str(other);
            continue;
        }
        let row = ROWS.iter().find_map(|(row, consonant)| {
            Some((consonant, row.chars().position(|it| it == *letter)?))
        });
        match row {
            Some((consonant, vowel)) => {
                roman.push_str(consonant);
                roman.push_str(["a", "i", "u", "e", "o"][vowel]);
            }
            None => roman.push(*letter),
        }
    }
    spelled(&roman)
}

/// Unifies lowercase Roman letters: Hepburn and Kunrei, long vowels and doubled letters shortened.
pub(super) fn spelled(roman: &str) -> String {
    let mut text = roman.to_owned();
    for (way, one) in SPELLINGS {
        if text.contains(way) {
            text = text.replace(way, one);
        }
    }
    let letters: Vec<char> = text.chars().collect();
    let mut spelled = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let next = letters.get(at + 1);
        let is_long = *letter == 'h'
            && spelled.ends_with('o')
            && next.is_none_or(|it| !matches!(it, 'a' | 'i' | 'u' | 'e' | 'o' | 'y'));
        if !is_long && !spelled.ends_with(*letter) {
            spelled.push(*letter);
        }
    }
    spelled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_of_writing_a_title_in_roman_letters_is_one() {
        for (kana, ways) in [
            ("ごじら", &["gojira", "gozira"][..]),
            (
                "とうきょうものがたり",
                &["toukyoumonogatari", "tokyomonogatari", "tokyoomonogatari"][..],
            ),
            ("しちにんのさむらい", &["shichininnosamurai", "sitininnosamurai"][..]),
            ("らしょうもん", &["rashomon", "rashoumon", "rasyomon", "rashohmon"][..]),
            ("しんぶんきしゃ", &["shimbunkisha", "shinbunkisya"][..]),
            ("まっちゃ", &["matcha", "mattya"][..]),
            ("ふぁいと", &["faito"][..]),
            ("じゃずめん", &["jazumen", "zyazumen", "jyazumen"][..]),
            ("てぃふぁに", &["tifani"][..]),
        ] {
            let letters: Vec<char> = kana.chars().collect();
            for way in ways {
                assert_eq!(spelled(way), of_kana(&letters), "{kana}: {way}");
            }
        }
    }
}
