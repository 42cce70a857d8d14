//! Finds the card or theme that a name means: the sources are asked one after another.

use output::text::is_blank;
use toolkit::{Stop, dialogue::Name};

use crate::{
    catalogue::{Found, Source},
    picture::Picture,
    refusals, sources,
};

/// Names that are suggested where nothing fits (ILL-4).
const NEAR_MAX: usize = 5;
/// Characters that a name may have; a longer one is not looked for.
const NAME_CHARS_MAX: usize = 100;

/// What people may call the cards and themes of all sources.
///
/// # Errors
/// Where the operator's settings do not fit, or a source cannot say; a sentence.
pub fn names() -> Result<Vec<Name>, String> {
    let text = |stop: Stop| format!("{stop:?}");
    let mut names = Vec::new();
    for source in sources::chosen().map_err(|it| text(it.into()))? {
        names.extend(source.names().map_err(text)?);
    }
    Ok(names)
}

/// The card that `name` means.
///
/// # Errors
/// `card_not_found` with close names, or where a source cannot say.
pub fn card(name: &str) -> Result<Picture, Stop> {
    let sources = sources::chosen()?;
    if is_name(name)
        && let Some(found) = first(&sources, |source| source.card(name))?
    {
        return Ok(found);
    }
    Err(refusals::card_not_found(name, &near(&sources, name, |source| source.near_cards(name))?))
}

/// Up to `limit` cards of the theme that `name` means.
///
/// # Errors
/// `theme_not_found` with close names, or where a source cannot say.
pub fn theme(name: &str, limit: usize) -> Result<Vec<Picture>, Stop> {
    let sources = sources::chosen()?;
    let has_some = |it: &Found<Vec<Picture>>| !it.it.is_empty();
    if is_name(name)
        && let Some(found) =
            first(&sources, |source| Ok(source.theme(name, limit)?.filter(has_some)))?
    {
        return Ok(found);
    }
    Err(refusals::theme_not_found(name, &near(&sources, name, |source| source.near_themes(name))?))
}

/// What the first source has that knows the name as a whole; else what the first has that comes near it.
/// A source that cannot say is passed over where one before it has something near.
fn first<T>(
    sources: &[Box<dyn Source>],
    ask: impl Fn(&dyn Source) -> Result<Option<Found<T>>, Stop>,
) -> Result<Option<T>, Stop> {
    let mut near = None;
    for source in sources {
        match ask(source.as_ref()) {
            Ok(Some(found)) if found.is_whole => return Ok(Some(found.it)),
            Ok(found) => near = near.or(found.map(|it| it.it)),
            Err(stop) if near.is_none() => return Err(stop),
            Err(_) => {}
        }
    }
    Ok(near)
}

/// Whether it can be one: what is longer than any name would only be compared for long.
fn is_name(name: &str) -> bool {
    !is_blank(name) && name.chars().nth(NAME_CHARS_MAX).is_none()
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
