//! What an element says of itself: keys and values, and the names among them.

use crate::network::Text;

/// A name longer than this is no name.
const NAME_MAX: usize = 200;
/// Other names of one place that are kept.
const ALIASES_MAX: usize = 8;
/// Keys of other names, and of how names are read.
const ALIASES: [&str; 18] = [
    "name:ja-Hira",
    "name:ja_kana",
    "name:ja",
    "name:ja-Latn",
    "name:ja_rm",
    "alt_name",
    "short_name",
    "official_name",
    "int_name",
    "loc_name",
    "name:fi",
    "name:sv",
    "name:de",
    "name:fr",
    "name:ca",
    "name:es",
    "name:zh",
    "name:ko",
];

/// The tags of one element.
pub(super) struct Tags<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Tags<'a> {
    pub(super) fn new(tags: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        Self(tags.collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of that key.
    pub(super) fn get(&self, key: &str) -> Option<&'a str> {
        self.0.iter().find(|(it, _)| *it == key).map(|(_, value)| *value)
    }

    /// Whether the key has that value.
    pub(super) fn is(&self, key: &str, value: &str) -> bool {
        self.get(key) == Some(value)
    }

    /// Its name; a name in Japanese stands in where there is none in the language of the place.
    pub(super) fn name(&self) -> Text {
        let local =
            self.get("name").or_else(|| self.get("name:ja")).or_else(|| self.get("name:en"));
        let en = self.get("name:en").or_else(|| self.get("name:ja-Latn"));
        Text { local: short(local.unwrap_or_default()), en: short(en.unwrap_or_default()) }
    }

    /// Its number on the signs, or numbers.
    pub(super) fn number(&self) -> String {
        short(self.get("ref").unwrap_or_default()).replace(';', " / ")
    }

    /// What else it is called.
    pub(super) fn aliases(&self) -> Vec<String> {
        let name = self.name();
        let mut aliases = Vec::<String>::new();
        let values = ALIASES.iter().filter_map(|key| self.get(key)).flat_map(|it| it.split(';'));
        for value in values.map(short) {
            let is_known = value == name.local || value == name.en || aliases.contains(&value);
            if !value.is_empty() && !is_known && aliases.len() < ALIASES_MAX {
                aliases.push(value);
            }
        }
        aliases
    }
}

fn short(name: &str) -> String {
    name.trim().chars().filter(|it| !it.is_control()).take(NAME_MAX).collect()
}
