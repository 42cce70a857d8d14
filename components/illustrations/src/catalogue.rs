//! Where illustrations come from: the sources that are asked for a card or a theme, one after another.

mod builtin;
pub mod matching;

use toolkit::{Stop, dialogue::Name};

use crate::{picture::Picture, refusals};

pub use builtin::Builtin;

/// Names that are suggested where nothing fits (ILL-4).
const NEAR_MAX: usize = 5;
/// Characters that a name may have; a longer one is not looked for.
const NAME_CHARS_MAX: usize = 100;

/// A place that has illustrations.
///
/// Names are as a person writes them: each source finds its cards by the rule of [`toolkit::names`] (CIN-13).
pub trait Source {
    /// The card that best fits `name`, or none.
    ///
    /// # Errors
    /// Where the source cannot say.
    fn card(&self, name: &str) -> Result<Option<Picture>, Stop>;

    /// At least one and up to `limit` cards of the theme that best fits `name`, best known first; or none.
    ///
    /// # Errors
    /// Where the source cannot say.
    fn theme(&self, name: &str, limit: usize) -> Result<Option<Vec<Picture>>, Stop>;

    /// Names of cards that come near, best first, each with how near (see [`toolkit::names::nearness`]).
    ///
    /// # Errors
    /// Where the source cannot say.
    fn near_cards(&self, name: &str) -> Result<Vec<(f64, String)>, Stop>;

    /// Names of themes that come near, best first, each with how near.
    ///
    /// # Errors
    /// Where the source cannot say.
    fn near_themes(&self, name: &str) -> Result<Vec<(f64, String)>, Stop>;

    /// What people may call its cards and themes, as far as it knows without asking elsewhere.
    ///
    /// # Errors
    /// Where the source cannot say.
    fn names(&self) -> Result<Vec<Name>, Stop> {
        Ok(Vec::new())
    }
}

/// What people may call the cards and themes of all sources.
///
/// # Errors
/// Where the operator's settings do not fit, or a source cannot say; a sentence.
pub fn names() -> Result<Vec<Name>, String> {
    let told = |stop: Stop| format!("{stop:?}");
    let mut names = Vec::new();
    for source in sources().map_err(told)? {
        names.extend(source.names().map_err(told)?);
    }
    Ok(names)
}

/// The sources, in the order in which they are asked.
///
/// # Errors
/// Where the operator's settings do not fit.
pub fn sources() -> Result<Vec<Box<dyn Source>>, Stop> {
    Ok(crate::sources::chosen()?)
}

/// The card that `name` means.
///
/// # Errors
/// `card_not_found` with close names, or where a source cannot say.
pub fn card(name: &str) -> Result<Picture, Stop> {
    let sources = sources()?;
    if is_name(name) {
        for source in &sources {
            if let Some(found) = source.card(name)? {
                return Ok(found);
            }
        }
    }
    Err(refusals::card_not_found(name, &near(&sources, name, |source| source.near_cards(name))?))
}

/// Up to `limit` cards of the theme that `name` means.
///
/// # Errors
/// `theme_not_found` with close names, or where a source cannot say.
pub fn theme(name: &str, limit: usize) -> Result<Vec<Picture>, Stop> {
    let sources = sources()?;
    if is_name(name) {
        for source in &sources {
            if let Some(found) = source.theme(name, limit)?.filter(|it| !it.is_empty()) {
                return Ok(found);
            }
        }
    }
    Err(refusals::theme_not_found(name, &near(&sources, name, |source| source.near_themes(name))?))
}

/// Whether it can be one: what is longer than any name would only be compared for long.
fn is_name(name: &str) -> bool {
    !name.trim().is_empty() && name.chars().nth(NAME_CHARS_MAX).is_none()
}

fn near(
    sources: &[Box<dyn Source>],
    name: &str,
    ask: impl Fn(&dyn Source) -> Result<Vec<(f64, String)>, Stop>,
) -> Result<Vec<String>, Stop> {
    if !is_name(name) {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    for source in sources {
        all.extend(ask(source.as_ref())?);
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut names = Vec::<String>::new();
    for (_, name) in all {
        if names.len() < NEAR_MAX && !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(names)
}
