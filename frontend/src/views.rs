//! The views: thin layers over plain state.

pub(crate) mod approvals;
pub(crate) mod apps;
pub(crate) mod cards;
pub(crate) mod chat;
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
pub(crate) mod sign_in;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    fn sources(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
        entries.flat_map(|it| if it.is_dir() { sources(&it) } else { vec![it] }).collect()
    }

    /// Some browsers ignore a table row drawn as anything else unless it declares its role.
    #[test]
    fn card_tables_declare_their_roles() {
        let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
        let sources = sources.into_iter().map(|it| (fs::read_to_string(&it).unwrap(), it));
        let sources: Vec<_> = sources.collect();
        let of_cards = || sources.iter().filter(|it| it.0.contains(" is-cards\">"));
        let folders: Vec<_> = of_cards().filter_map(|it| it.1.parent()).collect();
        // Cells may be drawn by shared code of their module.
        let shares = |it: &&(String, PathBuf)| folders.contains(&&*it.1.with_extension(""));
        let mut without = Vec::new();
        for (source, path) in of_cards().chain(sources.iter().filter(shares)) {
            for tag in ["<table", "<thead", "<tbody", "<tr", "<th", "<td"] {
                let own = source.split(tag).skip(1).filter(|it| it.starts_with([' ', '>']));
                let has_none = own.filter(|it| !it.starts_with(" role=\"")).count();
                without.extend((has_none > 0).then(|| format!("{}: {tag}", path.display())));
            }
        }
        assert_eq!(without, [""; 0]);
    }
}
