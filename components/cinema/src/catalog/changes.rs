//! What one catalogue has that another has not, a line each: `+` is new, `-` is gone, `~` is other.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Catalog;

impl Catalog {
    /// What changes from this one to `new`.
    pub fn changes(&self, new: &Self) -> Vec<String> {
        let value = |it: &Self| serde_json::to_value(it).expect("a catalogue is JSON");
        let (old, new) = (value(self), value(new));
        let mut lines = Vec::new();
        for field in ["prices", "cleaning_minutes"] {
            field_line("cinema", field, &old[field], &new[field], &mut lines);
        }
        for (list, id) in [("screens", "screen_id"), ("movies", "movie_id")] {
            by_id(list, id, &old[list], &new[list], &mut lines);
        }
        programme(&old["programme"], &new["programme"], &mut lines);
        lines
    }
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn by_id(list: &str, id: &str, old: &Value, new: &Value, lines: &mut Vec<String>) {
    let find = |all: &Value, of: &Value| items(all).find(|it| it[id] == of[id]).cloned();
    let name = |it: &Value| format!("{list}/{}", it[id].as_str().unwrap_or_default());
    let called = |entry: &Value| {
        let called = entry["title"].as_str().or(entry["name"].as_str());
        called.unwrap_or_default().to_owned()
    };
    for gone in items(old).filter(|it| find(new, it).is_none()) {
        lines.push(format!("- {} {}", name(gone), called(gone)));
    }
    for item in items(new) {
        let Some(before) = find(old, item) else {
            lines.push(format!("+ {} {}", name(item), called(item)));
            continue;
        };
        let fields = before.as_object().into_iter().chain(item.as_object());
        let fields: std::collections::BTreeSet<_> = fields.flat_map(|it| it.keys()).collect();
        for field in fields {
            field_line(&name(item), field, &before[field], &item[field], lines);
        }
    }
    let order = |all: &Value| items(all).map(|it| it[id].clone()).collect::<Vec<_>>();
    let (mut before, mut after) = (order(old), order(new));
    before.retain(|it| after.contains(it));
    after.retain(|it| before.contains(it));
    if before != after {
        lines.push(format!("~ {list}: in another order"));
    }
}

fn field_line(name: &str, field: &str, old: &Value, new: &Value, lines: &mut Vec<String>) {
    if old != new {
        lines.push(format!("~ {name} {field}: {old} → {new}"));
    }
}

/// Entries have no names: one that is other is gone and new.
fn programme(old: &Value, new: &Value, lines: &mut Vec<String>) {
    let mut counts = BTreeMap::<String, i64>::new();
    for (all, step) in [(old, -1), (new, 1)] {
        for entry in items(all) {
            *counts.entry(entry.to_string()).or_default() += step;
        }
    }
    for (entry, count) in counts.into_iter().filter(|it| it.1 != 0) {
        let sign = if count > 0 { "+" } else { "-" };
        lines.push(format!("{sign} programme {entry}"));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalog::check::tests::small;

    fn changes(change: impl FnOnce(&mut Value)) -> Vec<String> {
        let mut new = small();
        change(&mut new);
        let read = |it: &Value| Catalog::read(&it.to_string()).unwrap();
        read(&small()).changes(&read(&new))
    }

    #[test]
    fn the_same_catalogue_has_no_changes() {
        assert_eq!(changes(|_| {}), Vec::<String>::new());
    }

    #[test]
    fn each_change_has_a_line() {
        let lines = changes(|catalog| {
            catalog["movies"][0]["title"] = json!("君");
            catalog["screens"][0]["rows"][0]["seats"] = json!("sss");
            catalog["prices"] = json!({ "currency": "JPY", "standard": 1 });
            catalog["programme"][0]["times"] = json!(["10:00"]);
        });
        assert_eq!(lines.len(), 5, "{lines:?}");
        assert!(lines[0].starts_with("~ cinema prices: null → {"), "{lines:?}");
        assert!(lines[1].starts_with("~ screens/s1 rows: ["), "{lines:?}");
        assert_eq!(lines[2], "~ movies/kimi title: \"君の名は。\" → \"君\"");
        assert!(lines[3].starts_with("- programme {") && lines[4].starts_with("+ programme {"));
    }

    #[test]
    fn what_comes_and_goes_is_named() {
        let lines = changes(|catalog| {
            let mut other = catalog["movies"][0].clone();
            other["movie_id"] = json!("other");
            catalog["movies"] = json!([other]);
            catalog["programme"][0]["movie_id"] = json!("other");
        });
        assert_eq!(lines[..2], ["- movies/kimi 君の名は。", "+ movies/other 君の名は。"]);
    }
}
