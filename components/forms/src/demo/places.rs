//! Countries, prefectures and cities, from the lists in `data/` (whose NOTICE.md says where from).

use serde_json::{Map, Value};

const COUNTRIES: &str = include_str!("../../data/countries.tsv");
const PREFECTURES: &str = include_str!("../../data/prefectures.tsv");
const CITIES: &str = include_str!("../../data/cities.tsv");

/// The countries of ISO 3166-1: Japan first, then by name.
pub(super) fn countries() -> Vec<Map<String, Value>> {
    COUNTRIES.lines().map(|it| row(it, ["code", "name", "name_en"])).collect()
}

/// The prefectures of Japan; other countries have none here.
pub(super) fn prefectures(country: &str) -> Vec<Map<String, Value>> {
    if !country.eq_ignore_ascii_case("JP") {
        return Vec::new();
    }
    PREFECTURES.lines().map(|it| row(it, ["code", "name", "kana"])).collect()
}

/// The municipalities of a prefecture, and the wards of its designated cities.
pub(super) fn cities(prefecture: &str) -> Vec<Map<String, Value>> {
    if prefecture.len() != 2 {
        return Vec::new();
    }
    let here = CITIES.lines().filter(|it| it.starts_with(prefecture));
    here.map(|it| row(it, ["code", "name", "kana"])).collect()
}

/// A line of such a list as an object.
pub(super) fn row<const N: usize>(line: &str, names: [&str; N]) -> Map<String, Value> {
    let cells = line.split('\t').map(Value::from);
    names.into_iter().map(str::to_owned).zip(cells).collect()
}
