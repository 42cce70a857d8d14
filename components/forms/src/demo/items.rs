//! People, projects and categories: the operator's, or else ours. Countries, prefectures and cities, from the lists in
//! `data/` (whose NOTICE.md says where from).

use std::collections::HashSet;

use serde_json::{Map, Value};
use toolkit::{Problem, Stop, settings, unavailable};

const COUNTRIES: &str = include_str!("../../data/countries.tsv");
const PREFECTURES: &str = include_str!("../../data/prefectures.tsv");
const CITIES: &str = include_str!("../../data/cities.tsv");

/// Entries that an operator's list may have.
const ITEMS_MAX: usize = 10_000;
/// Characters that an entry's name may have.
const NAME_CHARS_MAX: usize = 200;
/// Problems of one list that are reported.
const PROBLEMS_MAX: usize = 20;

/// A list that an operator may replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Items {
    /// People, at `users`.
    Users,
    /// Projects, at `projects`.
    Projects,
    /// Categories, at `categories`.
    Categories,
}

impl Items {
    /// All lists of the demo.
    pub const ALL: [Self; 3] = [Self::Users, Self::Projects, Self::Categories];

    /// The setting that replaces it.
    pub const fn setting(self) -> &'static str {
        match self {
            Self::Users => "users",
            Self::Projects => "projects",
            Self::Categories => "categories",
        }
    }

    /// The operator's list, or ours where they have none.
    pub(super) fn read(self) -> Result<Vec<Map<String, Value>>, Stop> {
        let Some(text) = settings::raw(self.setting()) else { return Ok(self.ours()) };
        self.checked(&text).map_err(|problems| {
            let first = problems.into_iter().next();
            let (at, what) = first.map(|it| (it.pointer, it.message)).unwrap_or_default();
            unavailable(format!("setting {}: {at} {what}", self.setting()), None)
        })
    }

    /// The bundled entries, where the operator has no list.
    pub(super) fn ours(self) -> Vec<Map<String, Value>> {
        let json = |text| serde_json::from_str(text).unwrap_or_default();
        match self {
            Self::Users => {
                let names = ["id", "name", "kana", "latin", "email", "department"];
                include_str!("../../data/users.tsv").lines().map(|it| row(it, names)).collect()
            }
            Self::Projects => json(include_str!("../../data/projects.json")),
            Self::Categories => json(include_str!("../../data/categories.json")),
        }
    }

    /// The list in `text`, or what is wrong with it.
    ///
    /// # Errors
    /// Each entry that cannot be one of a list, the first ones of them.
    pub fn checked(self, text: &str) -> Result<Vec<Map<String, Value>>, Vec<Problem>> {
        let at = |rest: &str| format!("/{}{rest}", self.setting());
        let wrong = |what: &str| Err(vec![Problem::at(at(""), what)]);
        let Ok(Value::Array(entries)) = serde_json::from_str(text) else {
            return wrong("must be a list of objects with id and name");
        };
        if entries.len() > ITEMS_MAX {
            return wrong(&format!("has {} entries; {ITEMS_MAX} is most", entries.len()));
        }
        let (mut items, mut problems, mut ids) = (Vec::new(), Vec::new(), HashSet::new());
        for (index, entry) in entries.into_iter().enumerate() {
            if problems.len() == PROBLEMS_MAX {
                break;
            }
            match entry_of(entry) {
                Ok((id, item)) if ids.insert(id.clone()) => items.push(item),
                Ok(_) => problems.push(Problem::at(at(&format!("/{index}/id")), "is there twice")),
                Err((member, what)) => {
                    problems.push(Problem::at(at(&format!("/{index}{member}")), what));
                }
            }
        }
        if problems.is_empty() { Ok(items) } else { Err(problems) }
    }
}

/// What is wrong with the operator's lists.
pub fn problems() -> Vec<Problem> {
    let set = Items::ALL.into_iter().filter_map(|it| Some((it, settings::raw(it.setting())?)));
    set.filter_map(|(it, text)| it.checked(&text).err()).flatten().collect()
}

/// Where in an entry something is wrong, and what.
type Fault = (&'static str, &'static str);

/// An entry by its id.
fn entry_of(entry: Value) -> Result<(String, Map<String, Value>), Fault> {
    let Value::Object(entry) = entry else { return Err(("", "must be an object")) };
    let id = match entry.get("id") {
        Some(Value::String(id)) if !id.is_empty() => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        _ => return Err(("/id", "must be a text or a number")),
    };
    let name = entry.get("name").and_then(Value::as_str).map(|it| it.chars().count());
    if !name.is_some_and(|it| (1..=NAME_CHARS_MAX).contains(&it)) {
        return Err(("/name", "must be a text of 1 to 200 characters"));
    }
    Ok((id, entry))
}

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
fn row<const N: usize>(line: &str, names: [&str; N]) -> Map<String, Value> {
    let cells = line.split('\t').map(Value::from);
    names.into_iter().map(str::to_owned).zip(cells).collect()
}
