//! Finds films by inexact titles (CIN-12, CIN-13).
//!
//! Compares spelling, reading, the English title, and Roman letters derived from the kana. A better kind of match
//! excludes worse ones: a whole title excludes partial ones, and a partial title excludes similar ones.
//!
//! Converts kana to Roman letters, and unifies their spellings.

use toolkit::names::{ALIKE_MIN, likeness};

pub use toolkit::names::{NEAR_MIN, fold, nearness};

/// Characters of a name that are compared.
const NAME_CHARS_MAX: usize = 128;
/// Longest query for similar matches, in characters.
const NEAR_CHARS_MAX: usize = 40;
/// Maximum difference in similarity from the best listed match.
const NEAR_ENOUGH: f64 = 0.1;
/// Maximum kana of one kanji's reading.
const READ_AS_MAX: usize = 4;

/// Kind of a match, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// Similar.
    Near,
    /// Within a word.
    Inner,
    /// The query contains a title.
    Within,
    /// Part of a title.
    Part,
    /// A whole title.
    Whole,
}

/// A match and its quality.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    way: Way,
    /// From 0 to 1, higher is better.
    share: f64,
    /// The matching name, folded.
    name: String,
}

/// The names of a film.
#[derive(Clone, Copy, Debug, Default)]
pub struct Names<'a> {
    /// As on the poster.
    pub title: &'a str,
    /// Its reading in kana.
    pub reading: Option<&'a str>,
    /// English title.
    pub english: Option<&'a str>,
}

impl<'a> Names<'a> {
    /// All names of the film.
    pub fn all(self) -> impl Iterator<Item = &'a str> {
        [Some(self.title), self.reading, self.english].into_iter().flatten()
    }
}

/// A query.
#[derive(Clone, Debug)]
pub struct Query {
    folded: Vec<char>,
    words: Vec<String>,
    /// Roman letters, if the query is Latin or kana.
    roman: Option<String>,
}

impl Query {
    /// Prepares a query.
    pub fn new(text: &str) -> Self {
        let folded: Vec<char> = fold(text).chars().collect();
        let roman = if folded.is_empty() {
            None
        } else if is_latin(&folded) {
            Some(spelled(&folded.iter().collect::<String>()))
        } else {
            folded.iter().all(|it| is_kana(*it)).then(|| of_kana(&folded))
        };
        Self { folded, words: words(text), roman }
    }

    /// Matches a film's names.
    pub fn hit(&self, names: Names<'_>) -> Option<Hit> {
        if self.folded.is_empty() {
            return None;
        }
        let hits = names.all().filter_map(|name| {
            let folded: Vec<char> = fold(name).chars().take(NAME_CHARS_MAX).collect();
            if folded.is_empty() {
                return None;
            }
            let hit =
                if is_latin(&folded) { self.by_words(name) } else { self.in_letters(&folded) };
            let is_read = |it: &char| is_kana(*it) || it.is_ascii_alphanumeric();
            let is_said = !is_latin(&folded) && folded.iter().all(is_read);
            better(hit, if is_said { self.in_roman(&folded) } else { None })
        });
        let hit = hits.reduce(|one, other| if other.beats(&one) { other } else { one });
        better(hit, self.half_written(names)).or_else(|| self.resembling(names))
    }

    /// Matches a name of similar length and spelling, if the query is too short for [`edits`].
    fn resembling(&self, names: Names<'_>) -> Option<Hit> {
        let length = self.folded.len();
        if length < 2 || edits(length) > 0 {
            return None;
        }
        let query: String = self.folded.iter().collect();
        let alike = names.all().filter_map(|name| {
            let name = fold(name);
            let is_as_long = name.chars().count().abs_diff(length) <= 1;
            let share = is_as_long.then(|| likeness(&query, &name))?;
            (share >= ALIKE_MIN).then_some(Hit { way: Way::Near, share, name })
        });
        alike.reduce(|one, other| if other.beats(&one) { other } else { one })
    }

    /// Matches a name of kana and kanji, which has no spaces.
    fn in_letters(&self, name: &[char]) -> Option<Hit> {
        let (query, owned) = (self.folded.as_slice(), || name.iter().collect());
        let share = share(query.len(), name.len());
        if query == name {
            return Some(Hit { way: Way::Whole, share, name: owned() });
        }
        let is_sound = query.len() > 1 || !query.iter().all(|it| is_kana(*it));
        if is_sound && name.windows(query.len()).any(|it| it == query) {
            return Some(Hit { way: Way::Part, share, name: owned() });
        }
        let is_name = name.len() > 2 || name.len() == 2 && !name.iter().all(|it| is_kana(*it));
        if is_name && query.windows(name.len()).any(|it| it == name) {
            return Some(Hit { way: Way::Within, share, name: owned() });
        }
        let runs = (0..name.len()).flat_map(|from| {
            let to = name.len().min(from + query.len() + edits(query.len()));
            (from + 1..=to).map(move |to| &name[from..to])
        });
        self.near(query, runs.map(<[char]>::to_vec), name)
    }

    /// Matches a Latin name word by word.
    fn by_words(&self, name: &str) -> Option<Hit> {
        let named = words(&name.chars().take(NAME_CHARS_MAX).collect::<String>());
        let (query, whole) = (self.words.concat(), named.concat());
        let share = share(self.folded.len(), whole.len());
        let hit = |way| Some(Hit { way, share, name: whole.clone() });
        if !is_latin(&self.folded) {
            let holds = whole.len() > 3 && query.contains(&whole);
            return if holds { hit(Way::Within) } else { None };
        }
        if query == whole {
            return hit(Way::Whole);
        }
        let begins = |from: usize| query.len() > 2 && named[from..].concat().starts_with(&query);
        if has_run(&named, &self.words) || (0..named.len()).any(begins) {
            return hit(Way::Part);
        }
        if has_run(&self.words, &named) && (whole.len() > 3 || named.len() > 1) {
            return hit(Way::Within);
        }
        if query.len() > 3 && whole.contains(&query) {
            return hit(Way::Inner);
        }
        let runs =
            (0..named.len()).flat_map(|from| (from + 1..=named.len()).map(move |to| (from, to)));
        let runs = runs.map(|(from, to)| named[from..to].concat().chars().collect());
        self.near(&query.chars().collect::<Vec<_>>(), runs, &whole.chars().collect::<Vec<_>>())
    }

    /// Matches a kana name by pronunciation. A query in kana has to be equal; one in Roman letters may be similar.
    fn in_roman(&self, name: &[char]) -> Option<Hit> {
        let query = self.roman.as_ref().filter(|it| it.len() > 2)?;
        let whole = of_kana(name);
        let share = share(query.len(), whole.len());
        let owned = || name.iter().collect();
        if *query == whole {
            return Some(Hit { way: Way::Whole, share, name: owned() });
        }
        let letters: Vec<char> = query.chars().collect();
        let longest = letters.len() + edits(letters.len());
        let mut runs = Vec::new();
        for from in 0..name.len() {
            for to in from + 1..=name.len() {
                let run = of_kana(&name[from..to]);
                if run.len() > longest {
                    break;
                }
                if run == *query && letters.len() > 3 {
                    return Some(Hit { way: Way::Part, share, name: owned() });
                }
                if run.len() + edits(letters.len()) >= letters.len() {
                    runs.push(run.chars().collect());
                }
            }
        }
        if !is_latin(&self.folded) {
            return None;
        }
        if whole.len() > 5 && query.contains(&whole) {
            return Some(Hit { way: Way::Within, share, name: owned() });
        }
        self.near(&letters, runs.into_iter(), name)
    }

    /// Matches a title written partly in kanji and partly in kana: each of its kanji may stand for some
    /// kana of the reading.
    fn half_written(&self, names: Names<'_>) -> Option<Hit> {
        let reading: Vec<char> = fold(names.reading?).chars().take(NAME_CHARS_MAX).collect();
        let title = fold(names.title);
        let of_title = |it: &char| title.contains(*it);
        if self.folded.iter().all(|it| is_kana(*it)) || !self.folded.iter().any(|it| is_kana(*it)) {
            return None;
        }
        let mut reached = vec![false; reading.len() + 1];
        reached[0] = true;
        for letter in &self.folded {
            let mut next = vec![false; reading.len() + 1];
            for at in (0..reading.len()).filter(|it| reached[*it]) {
                if is_kana(*letter) {
                    next[at + 1] |= reading[at] == *letter;
                } else if of_title(letter) {
                    let to = reading.len().min(at + READ_AS_MAX);
                    next[at + 1..=to].iter_mut().for_each(|it| *it = true);
                }
            }
            reached = next;
        }
        reached[reading.len()].then(|| Hit { way: Way::Whole, share: 1.0, name: title.clone() })
    }

    /// Finds the most similar run of a name, if it is similar enough.
    fn near(
        &self,
        query: &[char],
        runs: impl Iterator<Item = Vec<char>>,
        name: &[char],
    ) -> Option<Hit> {
        let most = edits(query.len());
        if most == 0 || self.folded.len() > NEAR_CHARS_MAX {
            return None;
        }
        let fewest = runs.filter_map(|it| distance(query, &it, most)).min()?;
        let share = 1.0 - f64::from(fewest) / f64::from(u16::try_from(query.len()).ok()?);
        Some(Hit { way: Way::Near, share, name: name.iter().collect() })
    }
}

impl Hit {
    fn beats(&self, other: &Self) -> bool {
        (self.way, self.share) > (other.way, other.share)
    }
}

fn better(one: Option<Hit>, other: Option<Hit>) -> Option<Hit> {
    match (one, other) {
        (Some(one), Some(other)) if other.beats(&one) => Some(other),
        (one, other) => one.or(other),
    }
}

/// Returns the best kind of match, best first.
pub fn best<T>(mut found: Vec<(Hit, T)>) -> Vec<T> {
    found.sort_by(|one, other| other.0.share.total_cmp(&one.0.share));
    let Some(way) = found.iter().map(|it| it.0.way).max() else { return Vec::new() };
    found.retain(|it| it.0.way == way);
    let nearest = found.first().map_or(0.0, |it| it.0.share);
    let named: Vec<String> = found.iter().map(|it| it.0.name.clone()).collect();
    found.retain(|(hit, _)| match way {
        Way::Near => hit.share + NEAR_ENOUGH >= nearest,
        // A title contained in a longer matching title.
        Way::Within => !named.iter().any(|it| it.len() > hit.name.len() && it.contains(&hit.name)),
        _ => true,
    });
    found.into_iter().map(|it| it.1).collect()
}

/// Permitted wrong letters by length.
fn edits(letters: usize) -> usize {
    match letters {
        0..=3 => 0,
        4..=6 => 1,
        7..=10 => 2,
        _ => 3,
    }
}

/// Edit distance with transpositions; `None` above `most`.
fn distance(one: &[char], other: &[char], most: usize) -> Option<u8> {
    if one.len().abs_diff(other.len()) > most {
        return None;
    }
    let mut before = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.iter().enumerate() {
        let mut row = vec![at + 1];
        for (to, found) in other.iter().enumerate() {
            let changed = last[to] + usize::from(letter != found);
            let mut least = changed.min(last[to + 1] + 1).min(row[to] + 1);
            if at > 0 && to > 0 && one[at - 1] == *found && *letter == other[to - 1] {
                let swapped: usize = before[to - 1];
                least = least.min(swapped + 1);
            }
            row.push(least);
        }
        if row.iter().all(|it| *it > most) {
            return None;
        }
        before = std::mem::replace(&mut last, row);
    }
    let distance = *last.last()?;
    (distance <= most).then(|| u8::try_from(distance).ok()).flatten()
}

/// Folded words of a Latin text.
fn words(text: &str) -> Vec<String> {
    let parts = text.split(|it: char| !it.is_alphanumeric() && !matches!(it, '\'' | '’'));
    parts.map(fold).filter(|it| !it.is_empty()).collect()
}

fn has_run(words: &[String], run: &[String]) -> bool {
    !run.is_empty() && words.windows(run.len()).any(|it| it == run)
}

fn is_latin(letters: &[char]) -> bool {
    letters.iter().all(char::is_ascii_alphanumeric)
}

/// Whether `letter` is folded kana.
fn is_kana(letter: char) -> bool {
    matches!(letter, 'ぁ'..='ゖ')
}

fn share(one: usize, other: usize) -> f64 {
    let (one, other) = (one.min(NAME_CHARS_MAX), other.min(NAME_CHARS_MAX));
    one.min(other) as f64 / one.max(other).max(1) as f64
}

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
fn of_kana(kana: &[char]) -> String {
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
fn spelled(roman: &str) -> String {
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
    use crate::{catalog::Catalog, import::DEMO};

    /// Films of the demo and some others.
    fn found(query: &str) -> Vec<String> {
        let demo = Catalog::read(DEMO).unwrap();
        let mut films: Vec<(String, Option<String>, Option<String>)> =
            demo.movies.into_iter().map(|it| (it.title, it.reading, it.title_en)).collect();
        for (title, reading, english) in [
            ("もののけ姫", Some("もののけひめ"), Some("Princess Mononoke")),
            ("シン・ゴジラ", None, Some("Shin Godzilla")),
            ("スター・ウォーズ", None, Some("Star Wars")),
            ("新聞記者", Some("しんぶんきしゃ"), Some("The Journalist")),
            ("アメリ", None, Some("Amélie")),
            ("ドライブ・マイ・カー", None, Some("Drive My Car")),
            ("乱", Some("らん"), Some("Ran")),
            ("おおかみこどもの雨と雪", Some("おおかみこどものあめとゆき"), Some("Wolf Children")),
        ] {
            films.push((title.into(), reading.map(Into::into), english.map(Into::into)));
        }
        let query = Query::new(query);
        let hit = |film: &(String, Option<String>, Option<String>)| {
            let names =
                Names { title: &film.0, reading: film.1.as_deref(), english: film.2.as_deref() };
            Some((query.hit(names)?, film.0.clone()))
        };
        best(films.iter().filter_map(hit).collect())
    }

    #[test]
    fn ignores_kana_width_case_marks_and_accents() {
        assert_eq!(fold("ﾄﾄﾛ"), fold("とトろ"));
        assert_eq!(fold("ＡＫＩＲＡ"), "akira");
        assert_eq!(fold("スター・ウォーズ"), fold("すたうぉず"));
        assert_eq!(fold("君の 名は。"), "君の名は");
        assert_eq!(fold("Amélie Tōkyō"), "amelietokyo");
    }

    #[test]
    fn whole_title_excludes_other_films() {
        for (query, title) in [
            ("AKIRA", "AKIRA"),
            ("ａｋｉｒａ", "AKIRA"),
            ("アキラ", "AKIRA"),
            ("gojira", "ゴジラ"),
            ("gozira", "ゴジラ"),
            ("ゴジラ", "ゴジラ"),
            ("Godzilla", "ゴジラ"),
            ("シン・ゴジラ", "シン・ゴジラ"),
            ("shin gojira", "シン・ゴジラ"),
            ("ﾄﾄﾛ", "となりのトトロ"),
            ("totoro", "となりのトトロ"),
            ("Tonari no Totoro", "となりのトトロ"),
            ("samurai", "七人の侍"),
            ("shichinin no samurai", "七人の侍"),
            ("sitininnosamurai", "七人の侍"),
            ("七人のさむらい", "七人の侍"),
            ("君のなは", "君の名は。"),
            ("kimi no na ha", "君の名は。"),
            ("tokyo monogatari", "東京物語"),
            ("Tōkyō Monogatari", "東京物語"),
            ("toukyou monogatari", "東京物語"),
            ("とーきょーものがたり", "東京物語"),
            ("shimbun kisha", "新聞記者"),
            ("shinbunkisha", "新聞記者"),
            ("amelie", "アメリ"),
            ("doraibu mai kaa", "ドライブ・マイ・カー"),
            ("ookami kodomo no ame to yuki", "おおかみこどもの雨と雪"),
            ("乱", "乱"),
            ("Ran", "乱"),
            ("千と千尋", "千と千尋の神隠し"),
            ("chihiro", "千と千尋の神隠し"),
            ("Mononoke", "もののけ姫"),
            ("映画「君の名は。」を観たい", "君の名は。"),
            ("映画AKIRAを観たい", "AKIRA"),
            ("I want to see Your Name tonight", "君の名は。"),
        ] {
            assert_eq!(found(query), [title], "{query}");
        }
    }

    #[test]
    fn typo_finds_the_nearest_title() {
        for (query, title) in [
            ("kimi no na wa", "君の名は。"),
            ("きみのなわ", "君の名は。"),
            ("yuor name", "君の名は。"),
            ("七人の待", "七人の侍"),
            ("Seven Samurais", "七人の侍"),
            ("shichinin no samrai", "七人の侍"),
            ("せんとちひろの神かくし", "千と千尋の神隠し"),
            ("spirted away", "千と千尋の神隠し"),
            ("ととろう", "となりのトトロ"),
            ("tororo", "となりのトトロ"),
            ("My Neighbour Totoro", "となりのトトロ"),
            ("rashmon", "羅生門"),
            ("ラショーモン", "羅生門"),
            ("ゴヂラ", "ゴジラ"),
            ("Godzila", "ゴジラ"),
            ("この世の片隅に", "この世界の片隅に"),
            ("生きろ", "生きる"),
            ("いきろ", "生きる"),
            ("ゴジロ", "ゴジラ"),
            ("アキロ", "AKIRA"),
            ("君の縄", "君の名は。"),
        ] {
            assert_eq!(found(query).first().map(String::as_str), Some(title), "{query}");
        }
    }

    #[test]
    fn partial_title_finds_all_films() {
        assert_eq!(
            found("my"),
            ["ドライブ・マイ・カー", "となりのトトロ"],
            "the greater part first"
        );
        assert_eq!(found("かみ"), ["おおかみこどもの雨と雪", "千と千尋の神隠し"]);
        for nothing in ["の", "no"] {
            assert!(found(nothing).is_empty(), "{nothing} says nothing");
        }
    }

    #[test]
    fn unrelated_query_finds_nothing() {
        for query in [
            "スパイダーマン",
            "ハリー・ポッター",
            "Frozen",
            "zzzz",
            "Interstellar",
            "存在しない映画",
            "12345",
            "string",
            "。",
            "ゴリラ",
            "羅城門",
            "とうふ",
            "Run",
            "",
        ] {
            assert_eq!(found(query), Vec::<String>::new(), "{query}");
        }
    }

    #[test]
    fn longest_query_is_fast() {
        let long = "ば".repeat(100);
        let name = "は".repeat(5_000);
        let names = Names { title: &name, reading: Some(&name), english: None };
        assert!(Query::new(&long).hit(names).is_none());
        assert!(Query::new(&"ba".repeat(50)).hit(names).is_none());
    }

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
