//! The program's own tables with what the operator changes in them.

use super::ConfigError;

/// The table `name` of the program's own file, with those entries changed that the operator's names.
pub(super) fn merged<T: serde::de::DeserializeOwned>(
    [ours, theirs]: [&toml::Table; 2],
    name: &str,
) -> Result<T, ConfigError> {
    let table = |it: &toml::Table| it.get(name).and_then(|it| it.as_table()).cloned();
    let mut merged = table(ours).unwrap_or_default();
    change(&mut merged, table(theirs).unwrap_or_default());
    let unworkable = |it: toml::de::Error| ConfigError::Unworkable {
        table: name.to_owned(),
        what: it.message().to_owned(),
    };
    toml::Value::Table(merged).try_into().map_err(unworkable)
}

/// Takes over what `other` says, tables within tables.
fn change(table: &mut toml::Table, other: toml::Table) {
    for (name, value) in other {
        match (table.get_mut(&name), value) {
            (Some(toml::Value::Table(own)), toml::Value::Table(value))
                if !(is_place(own) && is_place(&value)) =>
            {
                change(own, value);
            }
            (_, value) => _ = table.insert(name, value),
        }
    }
}

/// Whether it says where one value comes from: then the operator's stands instead of ours, not beside
/// it.
fn is_place(table: &toml::Table) -> bool {
    let is_one = |name: &&str| table.get(*name).is_some_and(toml::Value::is_str);
    table.len() == 1 && ["environment", "file", "value"].iter().any(is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_the_operators_stands_instead_of_ours_and_the_rest_stays() {
        let table = |text: &str| -> toml::Table { toml::from_str(text).unwrap() };
        let mut own = table("[a]\nkey = { environment = 'KEY' }\nmodel = 'm'\n[a.more]\nx = 1");
        change(&mut own, table("[a]\nkey = { value = 'k' }\n[a.more]\ny = 2"));
        let expected = table("[a]\nkey = { value = 'k' }\nmodel = 'm'\n[a.more]\nx = 1\ny = 2");
        assert_eq!(own, expected);
    }
}
