//! Sources of illustrations, searched one after another: the bundled cards, and those that the operator names: a
//! folder, a catalogue on the web or a public card API.

pub mod cache;
pub mod client;
pub mod file;
pub mod folder;
pub mod remote;
pub mod settings;
pub mod web;
pub mod ygoprodeck;

use output::text::is_blank;
use toolkit::{Stop, dialogue::Name, settings::Unfit};

use crate::{
    art,
    cards::{self, Card, themes},
    matching,
    picture::Picture,
    refusals,
};
use remote::RemoteSource;
use settings::Kind;

/// Maximum number of suggested names (ILL-4).
const NEAR_MAX: usize = 5;
/// Maximum number of characters of a name; longer ones are not searched.
const NAME_CHARS_MAX: usize = 100;

/// A search result of a source.
#[derive(Clone, Debug)]
pub struct Found<T> {
    /// The picture or pictures.
    pub value: T,
    /// Whether the name matches as a whole.
    pub is_whole: bool,
}

/// A source of illustrations.
///
/// Names are as people write them. Sources with local names search by [`find`](crate::matching::find).
pub trait Source {
    /// Finds the card that `name` means.
    ///
    /// # Errors
    /// When the source fails.
    fn card(&self, name: &str) -> Result<Option<Found<Picture>>, Stop>;

    /// Finds up to `limit` cards of the theme that `name` means, best known first; none or at least one.
    ///
    /// # Errors
    /// When the source fails.
    fn theme(&self, name: &str, limit: usize) -> Result<Option<Found<Vec<Picture>>>, Stop>;

    /// Returns similar names of cards, best first, with their nearness (see [`toolkit::names::nearness`]).
    ///
    /// # Errors
    /// When the source fails.
    fn near_cards(&self, name: &str) -> Result<Vec<(f64, String)>, Stop>;

    /// Returns similar names of themes, best first, with their nearness.
    ///
    /// # Errors
    /// When the source fails.
    fn near_themes(&self, name: &str) -> Result<Vec<(f64, String)>, Stop>;

    /// Returns the names of its cards and themes, as far as they are known locally.
    ///
    /// # Errors
    /// When the source fails.
    fn names(&self) -> Result<Vec<Name>, Stop> {
        Ok(Vec::new())
    }
}

/// Returns the configured sources, in order.
///
/// # Errors
/// When a setting is invalid.
pub fn configured() -> Result<Vec<Box<dyn Source>>, Unfit> {
    settings::kinds()?.into_iter().map(source).collect()
}

fn source(kind: Kind) -> Result<Box<dyn Source>, Unfit> {
    Ok(match kind {
        Kind::Builtin => Box::new(Builtin),
        Kind::Folder => Box::new(folder::Folder::new(settings::folder()?.into())),
        Kind::Http => {
            let catalogue = web::Web::new(settings::catalogue_url()?, settings::image_origins()?);
            Box::new(RemoteSource::new(catalogue, client::Network))
        }
        Kind::Ygoprodeck => {
            let api = ygoprodeck::Ygoprodeck::new(
                settings::ygoprodeck_url()?,
                settings::ygoprodeck_images()?,
                settings::language()?,
            );
            let client = client::RateLimited::new(ygoprodeck::NAME, ygoprodeck::INTERVAL_MS);
            Box::new(RemoteSource::new(api, client))
        }
    })
}

/// Returns the names of the cards and themes of all sources.
///
/// # Errors
/// A message for the operator, when a setting is invalid or a source fails.
pub fn names() -> Result<Vec<Name>, String> {
    let text = |stop: Stop| format!("{stop:?}");
    let mut names = Vec::new();
    for source in configured().map_err(|it| text(it.into()))? {
        names.extend(source.names().map_err(text)?);
    }
    Ok(names)
}

/// Finds the card that `name` means.
///
/// # Errors
/// `card_not_found` with similar names, or when a source fails.
pub fn card(name: &str) -> Result<Picture, Stop> {
    let sources = configured()?;
    if is_name(name)
        && let Some(found) = first(&sources, |source| source.card(name))?
    {
        return Ok(found);
    }
    Err(refusals::card_not_found(name, &near(&sources, name, |source| source.near_cards(name))?))
}

/// Finds up to `limit` cards of the theme that `name` means.
///
/// # Errors
/// `theme_not_found` with similar names, or when a source fails.
pub fn theme(name: &str, limit: usize) -> Result<Vec<Picture>, Stop> {
    let sources = configured()?;
    let has_some = |it: &Found<Vec<Picture>>| !it.value.is_empty();
    if is_name(name)
        && let Some(found) =
            first(&sources, |source| Ok(source.theme(name, limit)?.filter(has_some)))?
    {
        return Ok(found);
    }
    Err(refusals::theme_not_found(name, &near(&sources, name, |source| source.near_themes(name))?))
}

/// Returns the first result that matches as a whole, else the first similar one. A failing source is skipped where one
/// before it has a similar result.
fn first<T>(
    sources: &[Box<dyn Source>],
    ask: impl Fn(&dyn Source) -> Result<Option<Found<T>>, Stop>,
) -> Result<Option<T>, Stop> {
    let mut near = None;
    for source in sources {
        match ask(source.as_ref()) {
            Ok(Some(found)) if found.is_whole => return Ok(Some(found.value)),
            Ok(found) => near = near.or(found.map(|it| it.value)),
            Err(stop) if near.is_none() => return Err(stop),
            Err(_) => {}
        }
    }
    Ok(near)
}

/// Whether `name` is short enough to be a name.
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

/// The bundled cards.
#[derive(Clone, Copy, Debug)]
pub struct Builtin;

impl Source for Builtin {
    fn card(&self, name: &str) -> Result<Option<Found<Picture>>, Stop> {
        let cards = all_cards();
        let (found, is_whole) = matching::meant(name, cards.iter().map(|it| it.names()));
        let [only] = found[..] else { return Ok(None) };
        Ok(Some(Found { value: art::picture(cards[only]), is_whole }))
    }

    fn theme(&self, name: &str, limit: usize) -> Result<Option<Found<Vec<Picture>>>, Stop> {
        let (found, is_whole) = cards::meant(name);
        let [only] = found[..] else { return Ok(None) };
        let found = themes()[only].cards.iter().take(limit).map(art::picture).collect();
        Ok(Some(Found { value: found, is_whole }))
    }

    fn near_cards(&self, name: &str) -> Result<Vec<(f64, String)>, Stop> {
        let cards = all_cards();
        let (alike, _) = matching::meant(name, cards.iter().map(|it| it.names()));
        Ok(matching::near(name, &alike, cards.into_iter().map(|it| (&it.name, it.names()))))
    }

    fn near_themes(&self, name: &str) -> Result<Vec<(f64, String)>, Stop> {
        Ok(cards::near(name))
    }

    fn names(&self) -> Result<Vec<Name>, Stop> {
        Ok(cards::names())
    }
}

fn all_cards() -> Vec<&'static Card> {
    themes().iter().flat_map(|it| it.cards.iter()).collect()
}
