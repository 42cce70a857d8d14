//! Demo look-ups for forms: people, projects, categories, countries, prefectures, cities (FORM-50).
//!
//! Operators may replace the settings `users`, `projects` and `categories` by lists of objects with
//! `id`, `name` and any other members.

use std::collections::HashSet;

use serde_json::{Map, Value};
use toolkit::{
    Problem, Stop,
    endpoints::{Failure, Request, invalid},
    settings, unavailable,
};
use unicode_normalization::UnicodeNormalization;

/// Maximum entries of one answer.
const LIMIT_MAX: usize = 2_000;
/// Default number of people.
const USERS: usize = 20;

/// Answers `GET /api/demo/PATH`.
///
/// # Errors
/// If the path is unknown, the query is invalid, or the operator's list cannot be read.
pub fn get(request: &Request) -> Result<Value, Failure> {
    let path = request.path.strip_prefix("demo/").unwrap_or(&request.path);
    let query = Query::new(request.value("q").unwrap_or_default());
    let limit = |usual| limit(request, usual);
    match path.trim_end_matches('/') {
        "users/search" => Ok(query.pick(Items::Users.read()?, limit(USERS)?)),
        "projects/search" => Ok(query.pick(Items::Projects.read()?, limit(LIMIT_MAX)?)),
        "categories" => Ok(query.pick(Items::Categories.read()?, limit(LIMIT_MAX)?)),
        "countries" => Ok(query.pick(countries(), limit(LIMIT_MAX)?)),
        "prefectures" => {
            let country = request.value("country_code").unwrap_or("JP");
            Ok(query.pick(prefectures(country), limit(LIMIT_MAX)?))
        }
        "cities" => {
            let prefecture = request.required("prefecture_code")?;
            Ok(query.pick(cities(prefecture), limit(LIMIT_MAX)?))
        }
        _ => Err(Failure::NotFound),
    }
}

fn limit(request: &Request, usual: usize) -> Result<usize, Failure> {
    let wrong = "must be a whole number from 1 on";
    match request.value("limit").filter(|it| !it.is_empty()) {
        None => Ok(usual),
        Some(text) => match text.parse::<usize>() {
            Ok(limit @ 1..) => Ok(limit.min(LIMIT_MAX)),
            _ => Err(invalid("limit", wrong)),
        },
    }
}

// People, projects and categories are the operator's or built in. Countries, prefectures and cities
// come from the lists in `data/` (see NOTICE.md for their sources).
const COUNTRIES: &str = include_str!("../data/countries.tsv");
const PREFECTURES: &str = include_str!("../data/prefectures.tsv");
const CITIES: &str = include_str!("../data/cities.tsv");

/// Maximum entries of an operator's list.
const ITEMS_MAX: usize = 10_000;
/// Maximum characters of an entry's name.
const NAME_CHARS_MAX: usize = 200;
/// Maximum reported problems of one list.
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

    /// Setting that replaces it.
    pub const fn setting(self) -> &'static str {
        match self {
            Self::Users => "users",
            Self::Projects => "projects",
            Self::Categories => "categories",
        }
    }

    /// Returns the operator's list, or the built-in one.
    fn read(self) -> Result<Vec<Map<String, Value>>, Stop> {
        let Some(text) = settings::raw(self.setting()) else { return Ok(self.ours()) };
        self.checked(&text).map_err(|problems| {
            let first = problems.into_iter().next();
            let (at, what) = first.map(|it| (it.pointer, it.message)).unwrap_or_default();
            unavailable(format!("setting {}: {at} {what}", self.setting()), None)
        })
    }

    /// Returns the built-in entries.
    fn ours(self) -> Vec<Map<String, Value>> {
        let json = |text| serde_json::from_str(text).unwrap_or_default();
        match self {
            Self::Users => {
                let names = ["id", "name", "kana", "latin", "email", "department"];
                include_str!("../data/users.tsv").lines().map(|it| row(it, names)).collect()
            }
            Self::Projects => json(include_str!("../data/projects.json")),
            Self::Categories => json(include_str!("../data/categories.json")),
        }
    }

    /// Parses and validates a list.
    ///
    /// # Errors
    /// The first invalid entries.
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

/// Problems of the operator's lists.
pub fn problems() -> Vec<Problem> {
    let set = Items::ALL.into_iter().filter_map(|it| Some((it, settings::raw(it.setting())?)));
    set.filter_map(|(it, text)| it.checked(&text).err()).flatten().collect()
}

/// Member and text of a problem.
type Fault = (&'static str, &'static str);

/// Parses an entry with its id.
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
fn countries() -> Vec<Map<String, Value>> {
    COUNTRIES.lines().map(|it| row(it, ["code", "name", "name_en"])).collect()
}

/// Prefectures of Japan; other countries have none.
fn prefectures(country: &str) -> Vec<Map<String, Value>> {
    if !country.eq_ignore_ascii_case("JP") {
        return Vec::new();
    }
    PREFECTURES.lines().map(|it| row(it, ["code", "name", "kana"])).collect()
}

/// Municipalities of a prefecture, including wards of designated cities.
fn cities(prefecture: &str) -> Vec<Map<String, Value>> {
    if prefecture.len() != 2 {
        return Vec::new();
    }
    let here = CITIES.lines().filter(|it| it.starts_with(prefecture));
    here.map(|it| row(it, ["code", "name", "kana"])).collect()
}

/// Converts a line of a list to an object.
fn row<const N: usize>(line: &str, names: [&str; N]) -> Map<String, Value> {
    let cells = line.split('\t').map(Value::from);
    names.into_iter().map(str::to_owned).zip(cells).collect()
}

// Search by typed text: kana, kanji, romaji, half or full width.

/// Maximum words of a query.
const WORDS_MAX: usize = 16;

/// A normalized query.
struct Query {
    words: Vec<String>,
}

impl Query {
    fn new(typed: &str) -> Self {
        let words = fold(typed);
        Self { words: words.split_whitespace().take(WORDS_MAX).map(str::to_owned).collect() }
    }

    /// Entries that contain every word, those with a word's prefix first.
    fn pick(&self, entries: Vec<Map<String, Value>>, limit: usize) -> Value {
        let mut found: Vec<_> = entries
            .into_iter()
            .filter_map(|entry| Some((self.rank(&entry)?, Value::Object(entry))))
            .collect();
        found.sort_by_key(|it| it.0);
        found.into_iter().take(limit).map(|it| it.1).collect()
    }

    /// Rank of an entry, 0 is best; `None` without a match.
    fn rank(&self, entry: &Map<String, Value>) -> Option<u8> {
        if self.words.is_empty() {
            return Some(0);
        }
        let texts = entry.values().filter_map(Value::as_str);
        let texts: Vec<String> = texts.map(|it| fold(it).replace(' ', "")).collect();
        let stands = |word: &String| texts.iter().any(|it| it.contains(word.as_str()));
        if !self.words.iter().all(stands) {
            return None;
        }
        let begins = |word: &String| texts.iter().any(|it| it.starts_with(word.as_str()));
        Some(if self.words.iter().any(begins) { 0 } else { 1 })
    }
}

/// Normalizes text: NFKC, lower case, hiragana, and long vowels of romaji shortened.
fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for letter in text.nfkc().flat_map(char::to_lowercase) {
        let letter = match letter {
            // All katakana have the same distance from their hiragana.
            'ァ'..='ヶ' => char::from_u32(letter as u32 - 0x60).unwrap_or(letter),
            'ā' => 'a',
            'ī' => 'i',
            'ū' => 'u',
            'ē' => 'e',
            'ō' => 'o',
            it if it.is_whitespace() => ' ',
            it => it,
        };
        // Kouji and Koji, Oono and Ono are equal.
        let is_long =
            matches!((folded.chars().last(), letter), (Some('o'), 'u' | 'o') | (Some('u'), 'u'));
        if !is_long {
            folded.push(letter);
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::{Map, json};

    use super::*;

    #[test]
    fn folds_spelling_variants() {
        for (one, other) in [
            ("サトウ", "さとう"),
            ("ｻﾄｳ", "さとう"),
            ("ＳＡＴＯ", "sato"),
            ("Kōji", "kouji"),
            ("Ōno", "oono"),
            ("佐藤\u{3000}花子", "佐藤 花子"),
            ("ガ", "か\u{3099}"),
        ] {
            assert_eq!(fold(one), fold(other), "{one}");
        }
        assert_ne!(fold("か"), fold("が"));
        assert_ne!(fold("sato"), fold("saito"));
    }

    fn ids(found: &Value) -> Vec<&str> {
        found.as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect()
    }

    fn people(typed: &str) -> Vec<String> {
        let found = Query::new(typed).pick(Items::Users.ours(), 500);
        found.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect()
    }

    fn request(path: &str, query: &[(&str, &str)]) -> Request {
        let query = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Request { path: path.to_owned(), query: query.collect(), meta: "{}".to_owned() }
    }

    fn listed(path: &str, query: &[(&str, &str)]) -> Vec<Map<String, Value>> {
        let Ok(Value::Array(found)) = get(&request(path, query)) else {
            panic!("{path} is served")
        };
        found.into_iter().map(|it| it.as_object().unwrap().clone()).collect()
    }

    #[test]
    fn finds_person_in_any_script_and_width() {
        let expected = people("佐藤");
        assert_eq!(expected.len(), 5);
        assert!(expected.iter().all(|it| it.starts_with("佐藤")));
        for typed in ["さとう", "サトウ", "ｻﾄｳ", " さとう\u{3000}"] {
            assert_eq!(people(typed), expected, "{typed}");
        }
        // Satoru has the same prefix.
        for typed in ["Sato", "ＳＡＴＯ", "satou", "Satō", " sato "] {
            let found = people(typed);
            assert!(expected.iter().all(|it| found.contains(it)), "{typed}: {found:?}");
            assert!(found.iter().all(|it| it.contains("佐藤") || it.ends_with("悟")), "{found:?}");
        }
        let one = people(&expected[0]);
        assert!(one.contains(&expected[0]));
        assert_eq!(people(&expected[0].replace(' ', "")), one, "the space is nobody's duty");
        assert!(people("いない人").is_empty() && people("佐藤 鈴木").is_empty());
        assert_eq!(people("").len(), 200);
    }

    #[test]
    fn people_are_distinct_with_specified_members() {
        let people = Items::Users.ours();
        for name in ["id", "email", "name"] {
            let texts: HashSet<_> = people.iter().map(|it| it[name].as_str().unwrap()).collect();
            assert_eq!(texts.len(), 200, "{name}");
        }
        assert!(people.iter().all(|it| it["email"].as_str().unwrap().ends_with("@example.com")));
        assert!(people.iter().all(|it| !it["department"].as_str().unwrap().is_empty()));
        let first = Query::new("").pick(people, 3);
        assert_eq!(ids(&first), ["u001", "u002", "u003"]);
    }

    #[test]
    fn prefix_matches_come_first() {
        let entry =
            |id: &str, name: &str| json!({ "id": id, "name": name }).as_object().unwrap().clone();
        let entries = vec![entry("a", "new app"), entry("b", "App"), entry("c", "other")];
        assert_eq!(ids(&Query::new("app").pick(entries, 9)), ["b", "a"]);
    }

    #[test]
    fn lists_every_country_once_japan_first() {
        let countries = listed("demo/countries", &[]);
        assert_eq!(countries.len(), 249, "ISO 3166-1");
        let japan = json!({ "code": "JP", "name": "日本", "name_en": "Japan" });
        assert_eq!(Value::Object(countries[0].clone()), japan);
        let codes: HashSet<_> = countries.iter().map(|it| it["code"].as_str().unwrap()).collect();
        assert_eq!(codes.len(), 249);
        assert!(
            codes.iter().all(|it| it.len() == 2 && it.bytes().all(|it| it.is_ascii_uppercase()))
        );
        assert_eq!(
            listed("countries", &[("q", "ふらんす")])[0]["code"],
            "FR",
            "and they can be searched"
        );
    }

    #[test]
    fn only_japan_has_prefectures() {
        let prefectures = listed("prefectures", &[("country_code", "JP")]);
        assert_eq!(prefectures.len(), 47);
        let codes: Vec<_> = prefectures.iter().map(|it| it["code"].as_str().unwrap()).collect();
        let expected: Vec<_> = (1..=47).map(|it| format!("{it:02}")).collect();
        assert_eq!(codes, expected, "in the order of JIS X 0401");
        assert_eq!(prefectures[12]["name"], "東京都");
        assert!(listed("prefectures", &[("country_code", "FR")]).is_empty());
    }

    #[test]
    fn lists_every_municipality_in_its_prefecture() {
        let of = |code: &str| listed("cities", &[("prefecture_code", code)]);
        let all: Vec<_> = (1..=47).flat_map(|it| of(&format!("{it:02}"))).collect();
        let codes: Vec<_> = all.iter().map(|it| it["code"].as_str().unwrap()).collect();
        assert!(codes.is_sorted_by(|a, b| a < b), "in order, each once");
        let number = |it: &&str| it[2..].parse::<u32>().unwrap();
        // Ward codes end below 200, like Tokyo's 23; designated cities end in 0.
        let is_ward = |code: &&str| {
            number(code) < 200 && !code.starts_with("13") && {
                let name = all[codes.iter().position(|it| it == code).unwrap()]["name"].as_str();
                name.is_some_and(|it| it.ends_with('区'))
            }
        };
        let wards = codes.iter().copied().filter(is_ward).count();
        let northern = codes.iter().filter(|it| ("01695"..="01700").contains(*it)).count();
        assert_eq!((wards, northern), (171, 6));
        assert_eq!(codes.len() - wards - northern, 1_741, "1,718 市町村 and 23 特別区");
        let tokyo = of("13");
        assert_eq!((tokyo.len(), tokyo[0]["name"].as_str()), (62, Some("千代田区")));
        let names: Vec<_> =
            of("22").iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect();
        assert!(
            names.contains(&"浜松市浜名区".to_owned()) && !names.contains(&"浜松市北区".to_owned())
        );
        for nowhere in ["48", "1", "", "131", "x%"] {
            assert!(of(nowhere).is_empty(), "{nowhere}");
        }
    }

    #[test]
    fn invalid_query_explains_and_other_paths_fail() {
        let failure = |path: &str, query: &[(&str, &str)]| get(&request(path, query)).unwrap_err();
        let Failure::Invalid(problems) = failure("cities", &[]) else { panic!("of which?") };
        assert_eq!(problems[0].pointer, "/prefecture_code");
        for limit in ["0", "-1", "x", "1.5"] {
            let Failure::Invalid(problems) = failure("countries", &[("limit", limit)]) else {
                panic!("{limit} is no limit")
            };
            assert_eq!(problems[0].pointer, "/limit");
        }
        assert_eq!(listed("countries", &[("limit", "3")]).len(), 3);
        for path in ["demo", "demo/", "users", "cities/x", "demo/demo/countries", ""] {
            assert!(matches!(failure(path, &[]), Failure::NotFound), "{path}");
        }
    }

    #[test]
    fn uses_operators_list_or_locates_its_problem() {
        let list = json!([{ "id": 7, "name": "A", "room": "R1" }, { "id": "x", "name": "B" }]);
        let items = Items::Users.checked(&list.to_string()).unwrap();
        assert_eq!(items[0]["room"], "R1", "whatever a form is to show");
        for (list, pointer) in [
            (json!({}), "/users"),
            (json!(["A"]), "/users/0"),
            (json!([{ "id": "", "name": "A" }]), "/users/0/id"),
            (json!([{ "id": 1, "name": "A" }, { "id": 2 }]), "/users/1/name"),
            (json!([{ "id": 1, "name": "A" }, { "id": "1", "name": "B" }]), "/users/1/id"),
            (json!([{ "id": 1, "name": "あ".repeat(201) }]), "/users/0/name"),
        ] {
            let problems = Items::Users.checked(&list.to_string()).unwrap_err();
            assert_eq!(problems[0].pointer, pointer);
        }
        assert_eq!(Items::Users.checked("no JSON").unwrap_err()[0].pointer, "/users");
        let many = format!("[{}0]", "0,".repeat(10_000));
        assert!(Items::Users.checked(&many).unwrap_err()[0].message.contains("10000 is most"));
        for ours in [Items::Projects, Items::Categories] {
            let text = Value::from(ours.ours().into_iter().map(Value::Object).collect::<Vec<_>>());
            assert!(!ours.checked(&text.to_string()).unwrap().is_empty());
        }
    }
}
