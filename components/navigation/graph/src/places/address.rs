//! Splits addresses into parts; the most specific known part is the result.

use crate::names::folded;

use super::Hit;

/// Maximum number of places of one name compared with the rest of the address.
pub(super) const SAME_NAME_MAX: usize = 64;
/// Maximum number of parts of an address.
const PARTS_MAX: usize = 32;
/// Maximum number of words of an address without commas.
const WORDS_MAX: usize = 8;
/// Minimum number of characters of a part.
const CHARS_MIN: usize = 2;

/// Last characters of the larger parts of a Japanese address.
const BOUNDS: [char; 8] = ['都', '道', '府', '県', '市', '区', '町', '村'];

/// A part of an address, to be looked up.
#[derive(Debug)]
pub(super) struct Part {
    /// The part's name, folded.
    pub(super) name: String,
    /// The area in the address, folded: 大阪市の北区 is not the one of Tokyo.
    within: Within,
    /// Whether it is the most specific part.
    pub(super) is_all: bool,
}

#[derive(Debug)]
enum Within {
    /// Each of them is in the place's address in the local language.
    Local(Vec<String>),
    /// It is in the place's address in either language, or is the area of all places.
    Area(Option<String>),
    /// It must be in the place's address, because no comma marks it as an area.
    Surely(String),
}

/// Returns the parts to look up, most specific first.
pub(super) fn parts(text: &str) -> Vec<Part> {
    let text = text.chars().take(crate::names::CHARS_MAX).collect::<String>();
    let words: Vec<&str> = text.split([',', '、', '，', '\n']).collect();
    // `Marunouchi, Chiyoda City, Tokyo`: from the left; a number alone is no place.
    let is_place = |part: &&str| {
        let text = folded(part);
        text.chars().any(char::is_alphabetic) && !is_country(&text)
    };
    let words: Vec<&str> = words.into_iter().filter(is_place).collect();
    let mut parts = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let (name, first) = (folded(word), parts.len());
        let area = area_of(&words[at + 1..]);
        parts.extend(entrance(&name));
        parts.extend(japanese_parts(&name));
        let ways = [Some((*word).to_owned()), swap_number(word), without_number(word)];
        for (index, name) in ways.into_iter().enumerate().filter_map(|(at, it)| Some((at, it?))) {
            // The whole text has been looked up already.
            if words.len() > 1 || index > 0 {
                let within = Within::Area(area.clone());
                parts.push(Part { name: folded(&name), within, is_all: index < 2 });
            }
        }
        if words.len() == 1 {
            parts.extend(space_separated_parts(word));
        }
        if at > 0 {
            parts[first..].iter_mut().for_each(|it| it.is_all = false);
        }
    }
    parts.truncate(PARTS_MAX);
    parts
}

/// Returns the first area in the rest of an address, folded and without a postcode.
fn area_of(rest: &[&str]) -> Option<String> {
    let plain = |it: &&str| !it.chars().any(|c| c.is_ascii_digit());
    let first = rest.first().map(|it| it.split_whitespace().filter(plain).collect::<Vec<_>>());
    first.map(|it| folded(&it.join(" "))).filter(|it| !it.is_empty())
}

/// Returns `Landstrasse 10` for `10 Landstrasse`.
fn swap_number(word: &str) -> Option<String> {
    let (number, street) = word.trim().split_once(char::is_whitespace)?;
    let is_street = street.chars().any(char::is_alphabetic);
    (is_number(number) && is_street).then(|| format!("{street} {number}"))
}

/// Returns `Landstrasse` for `Landstrasse 10` and `10 Landstrasse`.
fn without_number(word: &str) -> Option<String> {
    let word = word.trim();
    let (first, last) =
        (word.split_once(char::is_whitespace), word.rsplit_once(char::is_whitespace));
    let street = match (first, last) {
        (_, Some((street, number))) if is_number(number) => street,
        (Some((number, street)), _) if is_number(number) => street,
        _ => return None,
    };
    street.chars().any(char::is_alphabetic).then(|| street.to_owned())
}

/// Whether it is a house number: `10`, `10a`, `10-12`, `10/3`.
fn is_number(word: &str) -> bool {
    let digits = word.chars().take_while(char::is_ascii_digit).count();
    let rest = word.chars().skip(digits).count();
    (1..=5).contains(&digits) && rest <= 5
}

/// Splits `Vaduz Liechtenstein`, `Landstrasse 10 Schaan` or `Schaan Landstrasse 10` into a name and its area, the
/// longest name first.
fn space_separated_parts(text: &str) -> Vec<Part> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if !(2..=WORDS_MAX).contains(&words.len()) || !text.is_ascii() && text.chars().any(is_cjk) {
        return Vec::new();
    }
    let mut parts = Vec::new();
    for length in (1..words.len()).rev() {
        let (begin, end) = (words.split_at(length), words.split_at(words.len() - length));
        for (name, rest) in [begin, (end.1, end.0)] {
            let name = name.join(" ");
            if !name.chars().any(char::is_alphabetic) || rest.iter().any(|it| is_number(it)) {
                continue;
            }
            let Some(area) = area_of(&[&rest.join(" ")]) else { continue };
            for (name, is_all) in [(Some(name.clone()), true), (without_number(&name), false)] {
                let within = Within::Surely(area.clone());
                parts.extend(name.map(|it| Part { name: folded(&it), within, is_all }));
            }
        }
    }
    parts
}

fn is_cjk(sign: char) -> bool {
    ('\u{3040}'..='\u{9fff}').contains(&sign)
}

/// Returns the station of 新宿駅西口 or `Shinjuku Station West Exit`.
fn entrance(word: &str) -> Option<Part> {
    let ends = ["駅", "station"].iter().filter_map(|it| Some(word.find(it)? + it.len()));
    let end = ends.min().filter(|it| *it < word.len())?;
    Some(Part { name: word[..end].to_owned(), within: Within::Local(Vec::new()), is_all: true })
}

fn is_country(folded: &str) -> bool {
    matches!(folded, "日本" | "japan")
}

/// Splits 東京都千代田区丸の内1丁目9番1号 into the beginnings of 丸の内1丁目, then 千代田区 and 東京都.
fn japanese_parts(word: &str) -> Vec<Part> {
    let name = word.strip_prefix("日本").unwrap_or(word);
    let name = name.trim_start_matches(|c: char| c.is_ascii_digit());
    let ends = name.char_indices().filter(|(_, c)| BOUNDS.contains(c));
    let bounds = ends.map(|(at, c)| at + c.len_utf8()).collect::<Vec<_>>();
    let mut parts = Vec::new();
    // All beginnings of the text after a bound, longest first: 丸の内1丁目, …, 丸の内. A bound may be part of a name, as
    // in 町田, so the texts after the other bounds are tried too.
    for at in (0..bounds.len()).rev() {
        shortened(&name[bounds[at]..], &areas(name, &bounds[..=at]), &mut parts);
    }
    // The ward, the town, the prefecture: 横浜市西区, then 西区, then 横浜市.
    for (at, end) in bounds.iter().enumerate().rev() {
        for first in 0..=at {
            let start = if first == 0 { 0 } else { bounds[first - 1] };
            let within = Within::Local(areas(name, &bounds[..first]));
            let is_all = *end == name.len();
            parts.push(Part { name: name[start..*end].to_owned(), within, is_all });
        }
    }
    parts
}

/// 東京都千代田区: 東京都, 千代田区.
fn areas(name: &str, bounds: &[usize]) -> Vec<String> {
    let starts = std::iter::once(0).chain(bounds.iter().copied());
    starts.zip(bounds).map(|(start, end)| name[start..*end].to_owned()).collect()
}

/// Beginnings of a name, longest first.
fn shortened(name: &str, areas: &[String], parts: &mut Vec<Part>) {
    let ends = name.char_indices().map(|(at, c)| at + c.len_utf8()).collect::<Vec<_>>();
    for end in ends.iter().skip(CHARS_MIN - 1).rev() {
        let is_all = *end == name.len();
        let name = name[..*end].to_owned();
        if name.chars().any(char::is_alphabetic) {
            parts.push(Part { name, within: Within::Local(areas.to_vec()), is_all });
        }
    }
}

/// Returns the first place that lies in the area of the address. Places without an address match any area, and unique
/// places such as stations need not match.
pub(super) fn first_matching(found: Vec<Hit>, part: &Part, area: &str) -> Option<Hit> {
    let fits = |hit: &Hit| {
        let (place, address) = (&hit.place, &hit.place.address);
        match &part.within {
            Within::Local(areas) => {
                let whole = folded(&address.local) + &folded(&place.name.local);
                address.local.is_empty() || areas.iter().all(|it| whole.contains(it.as_str()))
            }
            Within::Area(None) => true,
            Within::Area(Some(it)) => {
                // 千代田区 and Chiyoda City cannot be compared.
                let is_alike = |text: &&String| {
                    !text.is_empty() && text.chars().any(is_cjk) == it.chars().any(is_cjk)
                };
                let is_unknown = ![&address.local, &address.en].iter().any(is_alike);
                is_unknown || lies_in(hit, it, area)
            }
            Within::Surely(it) => lies_in(hit, it, area),
        }
    };
    let is_one = |hit: &Hit| {
        use crate::network::PlaceKind::{Airport, Landmark, Station};
        matches!(part.within, Within::Area(_))
            && matches!(hit.place.kind, Station | Landmark | Airport)
    };
    let at = found.iter().position(fits).or_else(|| found.iter().position(is_one))?;
    found.into_iter().nth(at)
}

/// Whether a place's address contains this area, or all places lie there.
fn lies_in(hit: &Hit, within: &str, area: &str) -> bool {
    let address = &hit.place.address;
    [&address.local, &address.en].iter().any(|it| folded(it).contains(within))
        || area.lines().any(|it| folded(it) == within)
}
