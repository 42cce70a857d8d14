//! Addresses, taken apart: the most specific part that is known is what is meant.

use crate::names::folded;

use super::Hit;

/// Places of one name that are held against what stands around it in the address.
pub(super) const SAME_NAME_MAX: usize = 64;
/// Parts of an address that are looked up at most.
const PARTS_MAX: usize = 32;
/// Words of an address that has no commas.
const WORDS_MAX: usize = 8;
/// Characters that a part of a written address has at least.
const CHARS_MIN: usize = 2;

/// How the bigger parts of a Japanese address end.
const BOUNDS: [char; 8] = ['都', '道', '府', '県', '市', '区', '町', '村'];

/// A part of an address, to be looked up.
#[derive(Debug)]
pub(super) struct Part {
    /// The part's name, folded.
    pub(super) name: String,
    /// What the address says that it lies in, folded: 大阪市の北区 is not the one of Tokyo.
    within: Within,
    /// Whether nothing more specific stands in the address.
    pub(super) is_all: bool,
}

#[derive(Debug)]
enum Within {
    /// Each of them stands in the place's address in the language of the place.
    Local(Vec<String>),
    /// It stands in the place's address in either language, or is where all places lie.
    Area(Option<String>),
    /// It surely stands there, as no comma says that it is an area.
    Surely(String),
}

/// What to look up, most specific first.
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
        parts.extend(inner(&name));
        let ways = [Some((*word).to_owned()), turned(word), without_number(word)];
        for (index, name) in ways.into_iter().enumerate().filter_map(|(at, it)| Some((at, it?))) {
            // The whole text as it stands has been looked up.
            if words.len() > 1 || index > 0 {
                let within = Within::Area(area.clone());
                parts.push(Part { name: folded(&name), within, is_all: index < 2 });
            }
        }
        if words.len() == 1 {
            parts.extend(spaced(word));
        }
        if at > 0 {
            parts[first..].iter_mut().for_each(|it| it.is_all = false);
        }
    }
    parts.truncate(PARTS_MAX);
    parts
}

/// Where the rest of an address says first that something lies, folded, without a postcode.
fn area_of(rest: &[&str]) -> Option<String> {
    let plain = |it: &&str| !it.chars().any(|c| c.is_ascii_digit());
    let first = rest.first().map(|it| it.split_whitespace().filter(plain).collect::<Vec<_>>());
    first.map(|it| folded(&it.join(" "))).filter(|it| !it.is_empty())
}

/// `10 Landstrasse`: `Landstrasse 10`.
fn turned(word: &str) -> Option<String> {
    let (number, street) = word.trim().split_once(char::is_whitespace)?;
    let is_street = street.chars().any(char::is_alphabetic);
    (is_number(number) && is_street).then(|| format!("{street} {number}"))
}

/// `Landstrasse 10`, `10 Landstrasse`: `Landstrasse`.
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

/// `10`, `10a`, `10-12`, `10/3`.
fn is_number(word: &str) -> bool {
    let digits = word.chars().take_while(char::is_ascii_digit).count();
    let rest = word.chars().skip(digits).count();
    (1..=5).contains(&digits) && rest <= 5
}

/// `Vaduz Liechtenstein`, `Landstrasse 10 Schaan`, `Schaan Landstrasse 10`: a name among words, the others
/// say where it lies; the longest name first.
fn spaced(text: &str) -> Vec<Part> {
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

/// 新宿駅西口, `Shinjuku Station West Exit`: the station.
fn entrance(word: &str) -> Option<Part> {
    let ends = ["駅", "station"].iter().filter_map(|it| Some(word.find(it)? + it.len()));
    let end = ends.min().filter(|it| *it < word.len())?;
    Some(Part { name: word[..end].to_owned(), within: Within::Local(Vec::new()), is_all: true })
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

/// The first place that lies where the address says. One whose address is not known may lie anywhere;
/// and what there is one of, as a station, need not lie in what is written behind it, as its exit.
pub(super) fn fitting(found: Vec<Hit>, part: &Part, area: &str) -> Option<Hit> {
    let fits = |hit: &Hit| {
        let (place, address) = (&hit.place, &hit.place.address);
        match &part.within {
            Within::Local(areas) => {
                let whole = folded(&address.local) + &folded(&place.name.local);
                address.local.is_empty() || areas.iter().all(|it| whole.contains(it.as_str()))
            }
            Within::Area(None) => true,
            Within::Area(Some(it)) => {
                // 千代田区 says nothing of whether it is Chiyoda City.
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

/// Whether a place's address has this area in it, or all places lie there.
fn lies_in(hit: &Hit, within: &str, area: &str) -> bool {
    let address = &hit.place.address;
    [&address.local, &address.en].iter().any(|it| folded(it).contains(within))
        || area.lines().any(|it| folded(it) == within)
}
