//! The views: thin skins over plain state.

pub(crate) mod approvals;
pub(crate) mod apps;
pub(crate) mod cards;
pub(crate) mod chat;
pub(crate) mod coded;
pub(crate) mod counter;
pub(crate) mod drop;
pub(crate) mod field;
pub(crate) mod finder;
pub(crate) mod form;
pub(crate) mod home;
pub(crate) mod map;
pub(crate) mod notice;
pub(crate) mod operator;
pub(crate) mod output;
pub(crate) mod part;
pub(crate) mod parts;
pub(crate) mod places;
pub(crate) mod preferences;
pub(crate) mod questions;
pub(crate) mod raw;
pub(crate) mod sign_in;
pub(crate) mod structured;
pub(crate) mod sure;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    fn sources(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
        entries.flat_map(|it| if it.is_dir() { sources(&it) } else { vec![it] }).collect()
    }

    /// Of a row that is drawn as anything else, some browsers tell nothing that it is.
    #[test]
    fn tables_that_are_cards_on_phones_say_their_roles() {
        let is_of_cards = |it: &String| it.contains(" is-cards\">");
        let mut without = Vec::new();
        for path in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
            let source = fs::read_to_string(&path).ok().filter(is_of_cards).unwrap_or_default();
            for tag in ["<table", "<thead", "<tbody", "<tr", "<th", "<td"] {
                let own = source.split(tag).skip(1).filter(|it| it.starts_with([' ', '>']));
                let has_none = own.filter(|it| !it.starts_with(" role=\"")).count();
                without.extend((has_none > 0).then(|| format!("{}: {tag}", path.display())));
            }
        }
        assert_eq!(without, [""; 0]);
    }
}
