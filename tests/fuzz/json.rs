//! JSON as text that may be invalid: duplicate keys, malformed numbers, deep nesting.

use proptest::sample::Index;

/// A JSON value that may have duplicate names.
#[derive(Clone, Debug)]
pub(crate) enum Json {
    /// Verbatim text.
    Raw(String),
    Object(Vec<(String, Json)>),
    Array(Vec<Json>),
}

/// A change of one entry of one object.
#[derive(Clone, Debug)]
pub(crate) enum Twist {
    Remove,
    Double,
    Rename(&'static str),
    Replace(String),
    Add(&'static str, String),
}

/// An object of these entries.
pub(crate) fn object<const N: usize>(entries: [(&str, Json); N]) -> Json {
    Json::Object(entries.into_iter().map(|(name, it)| (name.to_owned(), it)).collect())
}

/// Text as it stands.
pub(crate) fn raw(text: impl Into<String>) -> Json {
    Json::Raw(text.into())
}

/// A value that is a string.
pub(crate) fn string(text: &str) -> Json {
    Json::Raw(serde_json::Value::from(text).to_string())
}

impl Json {
    /// Serializes it.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Raw(text) => text.clone(),
            Self::Array(items) => {
                let items: Vec<_> = items.iter().map(Self::text).collect();
                format!("[{}]", items.join(","))
            }
            Self::Object(entries) => {
                let entry = |(name, value): &(String, Self)| {
                    format!("{}:{}", serde_json::Value::from(&**name), value.text())
                };
                let entries: Vec<_> = entries.iter().map(entry).collect();
                format!("{{{}}}", entries.join(","))
            }
        }
    }

    fn objects(&mut self) -> usize {
        match self {
            Self::Raw(_) => 0,
            Self::Array(items) => items.iter_mut().map(Self::objects).sum(),
            Self::Object(entries) => {
                1 + entries.iter_mut().map(|(_, it)| it.objects()).sum::<usize>()
            }
        }
    }

    fn entries(&mut self, nth: &mut usize) -> Option<&mut Vec<(String, Self)>> {
        match self {
            Self::Raw(_) => None,
            Self::Array(items) => items.iter_mut().find_map(|it| it.entries(nth)),
            Self::Object(entries) => {
                if *nth == 0 {
                    return Some(entries);
                }
                *nth -= 1;
                entries.iter_mut().find_map(|(_, it)| it.entries(nth))
            }
        }
    }

    /// Changes one entry of one of its objects.
    pub(crate) fn twist(&mut self, object: Index, entry: Index, twist: &Twist) {
        let objects = self.objects();
        if objects == 0 {
            return;
        }
        let mut nth = object.index(objects);
        let Some(entries) = self.entries(&mut nth) else { return };
        if let Twist::Add(name, value) = twist {
            entries.push(((*name).to_owned(), raw(value.clone())));
        }
        if entries.is_empty() {
            return;
        }
        let at = entry.index(entries.len());
        match twist {
            Twist::Remove => _ = entries.remove(at),
            Twist::Double => entries.push(entries[at].clone()),
            Twist::Rename(name) => entries[at].0 = (*name).to_owned(),
            Twist::Replace(value) => entries[at].1 = raw(value.clone()),
            Twist::Add(..) => {}
        }
    }
}
