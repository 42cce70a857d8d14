//! Addresses, taken apart: the most specific part that somebody knows is what is meant.

use crate::names::folded;

use super::Hit;

/// Places of one name that are held against what stands around it in the address.
pub(super) const SAME_NAME_MAX: usize = 12;
/// Parts of an address that are looked up at most.
const PARTS_MAX: usize = 32;
/// Characters that a part of a written address has at least.
const CHARS_MIN: usize = 2;

/// How the bigger parts of a Japanese address end.
const BOUNDS: [char; 8] = ['都', '道', '府', '県', '市', '区', '町', '村'];

/// A part of an address, to be looked up.
#[derive(Debug)]
pub(super) struct Part {
    /// Folded.
    pub(super) name: String,
    /// What the address says that it lies in, folded: 大阪市の北区 is not the one of Tokyo.
    within: Within,
}

#[derive(Debug)]
enum Within {
    /// Each of them stands in the place's address in the language of the place.
    Local(Vec<String>),
    /// It stands in the place's English address.
    English(String),
}

/// What to look up, most specific first.
pub(super) fn parts(text: &str) -> Vec<Part> {
    let text = text.chars().take(crate::names::CHARS_MAX).collect::<String>();
    let words = text.split([',', '、', '，', '\n']).map(folded).collect::<Vec<_>>();
    let mut parts = Vec::new();
    // `Marunouchi, Chiyoda City, Tokyo`: from the left; a number alone is no place.
    let is_place = |it: &&String| it.chars().any(char::is_alphabetic) && !is_country(it);
    let last = words.iter().rfind(is_place).cloned().unwrap_or_default();
    for word in words.iter().filter(is_place) {
        parts.extend(entrance(word));
        parts.extend(inner(word));
        if words.len() > 1 {
            let within = if *word == last { String::new() } else { last.clone() };
            parts.push(Part { name: word.clone(), within: Within::English(within) });
        }
    }
    parts.truncate(PARTS_MAX);
    parts
}

/// 新宿駅西口, `Shinjuku Station West Exit`: the station.
fn entrance(word: &str) -> Option<Part> {
    let ends = ["駅", "station"].iter().filter_map(|it| Some(word.find(it)? + it.len()));
    let end = ends.min().filter(|it| *it < word.len())?;
    Some(Part { name: word[..end].to_owned(), within: Within::Local(Vec::new()) })
}

fn is_country(folded: &str) -> bool {
    matches!(folded, "日本" | "japan")
}

/// 東京都千代田区丸の内1丁目9番1号: 丸の内, and whatever of it is known; then 千代田区, 東京都.
fn inner(word: &str) -> Vec<Part> {
    let name = word.strip_prefix("日本").unwrap_or(word);
    let name = name.trim_start_matches(|c: char| c.is_ascii_digit());
    let ends = name.char_indices().filter(|(_, c)| BOUNDS.contains(c));
    let bounds = ends.map(|(at, c)| at + c.len_utf8()).collect::<Vec<_>>();
    let mut parts = Vec::new();
    // Every beginning of what follows a bound, longest first: 丸の内1丁目, …, 丸の内. A bound may be
    // part of a name, as in 町田, so what follows the others is tried too.
    for at in (0..bounds.len()).rev() {
        shortened(&name[bounds[at]..], &areas(name, &bounds[..=at]), &mut parts);
    }
    // The ward, the town, the prefecture: 横浜市西区, then 西区, then 横浜市.
    for (at, end) in bounds.iter().enumerate().rev() {
        for first in 0..=at {
            let start = if first == 0 { 0 } else { bounds[first - 1] };
            let within = Within::Local(areas(name, &bounds[..first]));
            parts.push(Part { name: name[start..*end].to_owned(), within });
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
        let name = name[..*end].to_owned();
        if name.chars().any(char::is_alphabetic) {
            parts.push(Part { name, within: Within::Local(areas.to_vec()) });
        }
    }
}

/// The first place that lies where the address says. One whose address is not known may lie anywhere.
pub(super) fn fitting(found: Vec<Hit>, part: &Part) -> Option<Hit> {
    found.into_iter().find(|hit| {
        let (place, address) = (&hit.place, &hit.place.address);
        match &part.within {
            Within::Local(areas) => {
                let whole = folded(&address.local) + &folded(&place.name.local);
                address.local.is_empty() || areas.iter().all(|it| whole.contains(it.as_str()))
            }
            Within::English(area) => {
                address.en.is_empty() || folded(&address.en).contains(area.as_str())
            }
        }
    })
}
