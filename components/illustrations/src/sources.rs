//! Where illustrations come from: the bundled cards, and what the operator names, which is a folder, a catalogue on
//! the web or a public card API. A name is looked for in one source after another.

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
use remote::Elsewhere;
use settings::Kind;

/// Names that are suggested where nothing fits (ILL-4).
const NEAR_MAX: usize = 5;
/// Characters that a name may have; a longer one is not looked for.
const NAME_CHARS_MAX: usize = 100;

/// What a source has for a name.
#[derive(Clone, Debug)]
pub struct Found<T> {
    /// The pictures.
    pub value: T,
    /// Whether the name is one of its names, as a whole.
    pub is_whole: bool,
}

/// A place that has illustrations.
///
/// Names are as a person writes them: each source that has its names here finds them by [`find`](crate::matching::find).
pub trait Source {
    /// The card that `name` means, or none.
    ///
    /// # Errors
    /// Where the source cannot say.
    fn card(&self, name: &str) -> Result<Option<Found<Picture>>, Stop>;

    /// At least one and up to `limit` cards of the theme that `name` means, best known first; or none.
    ///
    /// # Errors
    /// Where the source cannot say.
    fn theme(&self, name: &str, limit: usize) -> Result<Option<Found<Vec<Picture>>>, Stop>;

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

/// The sources that the operator named, in their order.
///
/// # Errors
/// When a setting does not fit.
pub fn chosen() -> Result<Vec<Box<dyn Source>>, Unfit> {
    settings::kinds()?.into_iter().map(source).collect()
}

fn source(kind: Kind) -> Result<Box<dyn Source>, Unfit> {
    Ok(match kind {
        Kind::Builtin => Box::new(Builtin),
        Kind::Folder => Box::new(folder::Folder::new(settings::folder()?.into())),
        Kind::Http => {
            let catalogue = web::Web::new(settings::catalogue_url()?, settings::image_origins()?);
            Box::new(Elsewhere::new(catalogue, client::Network))
        }
        Kind::Ygoprodeck => {
            let api = ygoprodeck::Ygoprodeck::new(
                settings::ygoprodeck_url()?,
                settings::ygoprodeck_images()?,
                settings::language()?,
            );
            let paced = client::Paced::new(ygoprodeck::NAME, ygoprodeck::INTERVAL_MS);
            Box::new(Elsewhere::new(api, paced))
        }
    })
}

/// What people may call the cards and themes of all sources.
///
/// # Errors
/// Where the operator's settings do not fit, or a source cannot say; a sentence.
pub fn names() -> Result<Vec<Name>, String> {
    let text = |stop: Stop| format!("{stop:?}");
    let mut names = Vec::new();
    for source in chosen().map_err(|it| text(it.into()))? {
        names.extend(source.names().map_err(text)?);
    }
    Ok(names)
}

/// The card that `name` means.
///
/// # Errors
/// `card_not_found` with close names, or where a source cannot say.
pub fn card(name: &str) -> Result<Picture, Stop> {
    let sources = chosen()?;
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
    let sources = chosen()?;
    let has_some = |it: &Found<Vec<Picture>>| !it.value.is_empty();
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
            Ok(Some(found)) if found.is_whole => return Ok(Some(found.value)),
            Ok(found) => near = near.or(found.map(|it| it.value)),
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
