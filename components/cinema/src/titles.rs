//! Finds films by titles that are not quite right (CIN-12, CIN-13).

use strsim::jaro_winkler;
use unicode_normalization::UnicodeNormalization;

/// How alike two titles must at least be.
const ALIKE_MIN: f64 = 0.45;

/// How near a title must at least come to be suggested. 「ゴリラ」 has 0.40 of 「ゴジラ」; what shares
/// only stray letters with every title of the demo, such as `string`, has up to 0.36.
pub const NEAR_MIN: f64 = 0.38;

/// What a part of a title that is alike counts, against a whole title that is.
const PART: f64 = 0.8;

/// A title as it is compared: NFKC, lower case, hiragana, and nothing but letters and digits.
#[must_use]
pub fn fold(title: &str) -> String {
    let letters = title.nfkc().flat_map(char::to_lowercase);
    letters.filter(|it| it.is_alphanumeric() && !matches!(it, 'ー' | '〜')).map(hiragana).collect()
}

/// Katakana as hiragana; of two letters that sound alike, the usual one.
fn hiragana(letter: char) -> char {
    let letter = match letter {
        'ァ'..='ヶ' => char::from_u32(u32::from(letter) - 0x60).unwrap_or(letter),
        _ => letter,
    };
    match letter {
        'ぢ' => 'じ',
        'づ' => 'ず',
        _ => letter,
    }
}

/// How well something with these `names` fits a folded query, or none if it does not.
///
/// Above 2 the query is part of a name, above 1 a name is part of the query, else they are alike.
#[must_use]
pub fn fit<'a>(query: &str, names: impl IntoIterator<Item = &'a str>) -> Option<f64> {
    let best = names.into_iter().map(|it| score(query, &fold(it))).fold(0.0, f64::max);
    (best >= ALIKE_MIN).then_some(best)
}

/// How near something with these `names` comes to a folded query, however far that is.
#[must_use]
pub fn nearness<'a>(query: &str, names: impl IntoIterator<Item = &'a str>) -> f64 {
    names.into_iter().map(|it| score(query, &fold(it))).fold(0.0, f64::max)
}

fn score(query: &str, name: &str) -> f64 {
    let (query_length, name_length) = (query.chars().count(), name.chars().count());
    if query_length == 0 || name_length == 0 {
        return 0.0;
    }
    #[allow(clippy::cast_precision_loss, reason = "titles are short")]
    let share = query_length.min(name_length) as f64 / query_length.max(name_length) as f64;
    if name.contains(query) {
        return 2.0 + share;
    }
    if name_length > 1 && query.contains(name) {
        return 1.0 + share;
    }
    alike(query, name)
}

/// From 0 to 1: the mean of shared pairs of letters and Jaro-Winkler, or the best part's pairs.
fn alike(query: &str, name: &str) -> f64 {
    let whole = f64::midpoint(shared_pairs(&chars(query), &chars(name)), jaro_winkler(query, name));
    let (query, name) = (chars(query), chars(name));
    if query.len() < 3 || name.len() <= query.len() {
        return whole;
    }
    let parts = name.windows(query.len()).map(|it| shared_pairs(&query, it));
    whole.max(PART * parts.fold(0.0, f64::max))
}

fn chars(text: &str) -> Vec<char> {
    text.chars().collect()
}

/// Dice's coefficient of the pairs of neighbouring letters.
fn shared_pairs(one: &[char], other: &[char]) -> f64 {
    if one.len() < 2 || other.len() < 2 {
        return 0.0;
    }
    let mut left: Vec<&[char]> = other.windows(2).collect();
    let mut shared = 0_u16;
    for pair in one.windows(2) {
        if let Some(found) = left.iter().position(|it| *it == pair) {
            left.swap_remove(found);
            shared += 1;
        }
    }
    #[allow(clippy::cast_precision_loss, reason = "titles are short")]
    let pairs = (one.len() + other.len() - 2) as f64;
    2.0 * f64::from(shared) / pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        catalog::{Catalog, Film},
        import::DEMO,
    };

    const NAMES: [&str; 3] = ["君の名は。", "きみのなは", "Your Name."];

    fn fits(query: &str, names: &[&str]) -> bool {
        fit(&fold(query), names.iter().copied()).is_some()
    }

    #[test]
    fn kana_width_case_and_marks_make_no_difference() {
        assert_eq!(fold("ﾄﾄﾛ"), fold("とトろ"));
        assert_eq!(fold("ＡＫＩＲＡ"), "akira");
        assert_eq!(fold("スター・ウォーズ"), fold("すたうぉず"));
        assert_eq!(fold("君の 名は。"), "君の名は");
    }

    #[test]
    fn a_typo_finds_the_film_by_its_reading() {
        assert!(fits("きみのなわ", &NAMES));
        assert!(fits("キミノナハ", &NAMES));
        assert!(fits("yuor name", &NAMES));
        assert!(fits("七人の待", &["七人の侍", "しちにんのさむらい"]));
        assert!(fits("tororo", &["となりのトトロ", "My Neighbor Totoro"]));
    }

    #[test]
    fn a_part_of_the_title_finds_the_film() {
        assert!(fits("名は", &NAMES));
        assert!(fits("映画「君の名は。」を観たい", &NAMES));
    }

    #[test]
    fn another_film_is_not_found() {
        for query in ["zzzz", "スパイダーマン", "Star Wars", "存在しない映画", "12345"]
        {
            assert!(!fits(query, &NAMES), "{query}");
        }
        assert!(!fits("。", &NAMES));
    }

    #[test]
    fn what_contains_the_query_comes_before_what_is_alike() {
        let part = fit(&fold("東京"), ["東京物語"]).unwrap();
        let like = fit(&fold("東京物が"), ["東京物語"]).unwrap();
        assert!(part > like);
    }

    #[test]
    fn mistyped_titles_find_the_films_of_the_demo_and_foreign_ones_do_not() {
        let demo = Catalog::read(DEMO).unwrap();
        let best = |query: &str| {
            let names =
                |it: &Film| [Some(it.title.clone()), it.reading.clone(), it.title_en.clone()];
            let fit = |it: &Film| {
                let names: Vec<_> = names(it).into_iter().flatten().collect();
                Some((fit(&fold(query), names.iter().map(String::as_str))?, it.movie_id.clone()))
            };
            let mut found: Vec<_> = demo.movies.iter().filter_map(fit).collect();
            found.sort_by(|a, b| b.0.total_cmp(&a.0));
            found.into_iter().next().map(|it| it.1)
        };
        for (query, movie_id) in [
            ("きみのなわ", "kiminonawa"),
            ("千と千尋", "sen-to-chihiro"),
            ("せんとちひろの神かくし", "sen-to-chihiro"),
            ("トトロ", "tonari-no-totoro"),
            ("ととろう", "tonari-no-totoro"),
            ("七人の待", "shichinin-no-samurai"),
            ("Seven Samurais", "shichinin-no-samurai"),
            ("ラショーモン", "rashomon"),
            ("rashmon", "rashomon"),
            ("ゴヂラ", "godzilla"),
            ("spirted away", "sen-to-chihiro"),
            ("この世の片隅に", "kono-sekai-no-katasumi-ni"),
        ] {
            assert_eq!(best(query).as_deref(), Some(movie_id), "{query}");
        }
        for query in
            ["スパイダーマン", "Star Wars", "ハリー・ポッター", "Frozen", "zzzz", "Interstellar"]
        {
            assert_eq!(best(query), None, "{query}");
        }
    }
}
