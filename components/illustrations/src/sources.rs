//! Sources of illustrations, searched one after another: the bundled cards, and those that the operator names: a
//! folder, a catalogue on the web or a public card API. Their settings, as the operator has them.

pub mod client;
pub mod folder;
pub mod remote;
pub mod ygoprodeck;

use language::Language;
use output::text::is_blank;
use remote::RemoteSource;
use toolkit::{
    Problem, Stop,
    dialogue::Name,
    settings::{self, Unfit},
};
use url::Url;

use crate::{
    cards::{self, Card, themes},
    matching,
    picture::Picture,
    refusals,
};

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
    kinds()?.into_iter().map(source).collect()
}

fn source(kind: Kind) -> Result<Box<dyn Source>, Unfit> {
    Ok(match kind {
        Kind::Builtin => Box::new(Builtin),
        Kind::Folder => Box::new(folder::Folder::new(folder_path()?.into())),
        Kind::Http => {
            let catalogue = remote::Web::new(catalogue_url()?, image_origins()?);
            Box::new(RemoteSource::new(catalogue, client::Network))
        }
        Kind::Ygoprodeck => {
            let api =
                ygoprodeck::Ygoprodeck::new(ygoprodeck_url()?, ygoprodeck_images()?, language()?);
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
        Ok(Some(Found { value: cards[only].picture(), is_whole }))
    }

    fn theme(&self, name: &str, limit: usize) -> Result<Option<Found<Vec<Picture>>>, Stop> {
        let (found, is_whole) = cards::meant(name);
        let [only] = found[..] else { return Ok(None) };
        let found = themes()[only].cards.iter().take(limit).map(Card::picture).collect();
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

/// Maximum number of sources.
const KINDS_MAX: usize = 4;
/// Maximum number of picture origins.
const ORIGINS_MAX: usize = 16;
/// Maximum number of characters of the contact address.
const CONTACT_CHARS_MAX: usize = 100;

/// A kind of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The bundled cards.
    Builtin,
    /// A folder of the operator.
    Folder,
    /// A catalogue on the web in our own format.
    Http,
    /// The public API of YGOPRODeck.
    Ygoprodeck,
}

impl Kind {
    fn read(name: &str) -> Option<Self> {
        Some(match name {
            "builtin" => Self::Builtin,
            "folder" => Self::Folder,
            "http" => Self::Http,
            "ygoprodeck" => Self::Ygoprodeck,
            _ => return None,
        })
    }
}

/// Reads `sources`: names in the order of the search, separated by commas.
///
/// # Errors
/// When one is unknown, named twice, or none is named.
pub fn kinds() -> Result<Vec<Kind>, Unfit> {
    let Some(text) = settings::get::<String>("sources")? else { return Ok(vec![Kind::Builtin]) };
    read_kinds(&text).ok_or_else(|| {
        Unfit::new(
            "sources",
            "must be names with commas between them, each once: builtin, folder, http, ygoprodeck",
        )
    })
}

fn read_kinds(text: &str) -> Option<Vec<Kind>> {
    let mut kinds = Vec::new();
    for name in text.split(',') {
        let kind = Kind::read(name.trim())?;
        if kinds.contains(&kind) || kinds.len() == KINDS_MAX {
            return None;
        }
        kinds.push(kind);
    }
    Some(kinds)
}

/// Reads `folder`: the path of the granted folder.
///
/// # Errors
/// When it is no absolute path.
fn folder_path() -> Result<String, Unfit> {
    let path = settings::get::<String>("folder")?.unwrap_or_else(|| "/cards".to_owned());
    let fits = path.starts_with('/') && !path.split('/').any(|it| it == "..");
    if fits { Ok(path) } else { Err(Unfit::new("folder", "must be a path from the root: /cards")) }
}

/// Reads `catalogue_url`: the address of the catalogue in our format.
///
/// # Errors
/// When it is missing or no base address.
fn catalogue_url() -> Result<Url, Unfit> {
    url("catalogue_url", None)
}

/// Reads `image_origins`: further origins of that catalogue's pictures, separated by commas.
///
/// # Errors
/// When one is no address.
pub fn image_origins() -> Result<Vec<Url>, Unfit> {
    let Some(text) = settings::get::<String>("image_origins")? else { return Ok(Vec::new()) };
    let origins = text.split(',').map(|it| read_url(it.trim())).collect::<Option<Vec<_>>>();
    origins.filter(|it| it.len() <= ORIGINS_MAX).ok_or_else(|| {
        Unfit::new(
            "image_origins",
            "must be up to 16 origins with commas between them: https://host",
        )
    })
}

/// Reads `ygoprodeck_url`: the address of the API.
///
/// # Errors
/// When it is no base address.
pub fn ygoprodeck_url() -> Result<Url, Unfit> {
    url("ygoprodeck_url", Some("https://db.ygoprodeck.com"))
}

/// Reads `ygoprodeck_images`: the address of the API's pictures.
///
/// # Errors
/// When it is no address.
pub fn ygoprodeck_images() -> Result<Url, Unfit> {
    url("ygoprodeck_images", Some("https://images.ygoprodeck.com"))
}

/// Reads `language`: the language of shown names, `ja` or `en`.
///
/// # Errors
/// When it is another.
pub fn language() -> Result<Language, Unfit> {
    match settings::get::<String>("language")?.as_deref() {
        None | Some("ja") => Ok(Language::Japanese),
        Some("en") => Ok(Language::English),
        Some(_) => Err(Unfit::new("language", "must be ja or en")),
    }
}

/// Returns the user agent: this program, and the operator's `contact`, if set.
pub fn user_agent() -> String {
    const NAME: &str = concat!("madoguchi/", env!("CARGO_PKG_VERSION"), " (illustrations");
    match contact() {
        Ok(Some(contact)) => format!("{NAME}; {contact})"),
        _ => format!("{NAME})"),
    }
}

fn contact() -> Result<Option<String>, Unfit> {
    let contact = settings::get::<String>("contact")?;
    let is_plain = |text: &String| {
        text.len() <= CONTACT_CHARS_MAX
            && text.chars().all(|it| it.is_ascii_graphic() && !matches!(it, '(' | ')'))
    };
    if contact.as_ref().is_none_or(is_plain) {
        return Ok(contact);
    }
    Err(Unfit::new("contact", "must be an address of ASCII letters: https://… or a mail address"))
}

fn url(name: &str, standing_in: Option<&str>) -> Result<Url, Unfit> {
    let set = settings::get::<String>(name)?;
    let Some(text) = set.as_deref().or(standing_in) else {
        return Err(Unfit::new(name, "is missing: the source that is set needs it"));
    };
    let problem = "must be a base address, https://host or https://host/path, without ? and #";
    read_url(text.trim()).ok_or_else(|| Unfit::new(name, problem))
}

fn read_url(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    // A password in an address would appear in every error.
    let plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    (matches!(url.scheme(), "http" | "https") && url.has_host() && plain).then_some(url)
}

/// Checks all settings and the folder's catalogue before the component serves.
///
/// # Errors
/// The problems for the operator to fix.
pub fn configure() -> Result<(), Vec<Problem>> {
    let mut problems: Vec<Problem> = Vec::new();
    let mut note = |error: Option<Unfit>| problems.extend(error.map(Problem::from));
    let kinds = kinds().unwrap_or_else(|error| {
        note(Some(error));
        Vec::new()
    });
    note(image_origins().err());
    note(ygoprodeck_url().err());
    note(ygoprodeck_images().err());
    note(language().err());
    note(contact().err());
    if kinds.contains(&Kind::Http) || settings::raw("catalogue_url").is_some() {
        note(catalogue_url().err());
    }
    match folder_path() {
        Err(error) => note(Some(error)),
        Ok(path) if kinds.contains(&Kind::Folder) => {
            if let Err(wrong) = folder::Folder::new(path.into()).check() {
                let problem = |it: String| Problem::at("/folder", it);
                problems.extend(wrong.into_iter().map(problem));
            }
        }
        Ok(_) => {}
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_sources_once_each_in_order() {
        assert_eq!(read_kinds("folder, builtin"), Some(vec![Kind::Folder, Kind::Builtin]));
        for text in ["", "folder,", "folder,folder", "ftp"] {
            assert_eq!(read_kinds(text), None, "{text}");
        }
    }

    #[test]
    fn base_address_is_http_without_user_or_query() {
        assert!(read_url("http://127.0.0.1:5000/v1").is_some());
        for text in ["", "a.example", "file:///etc", "https://a.example?key=1", "https://u:p@a.b"] {
            assert_eq!(read_url(text), None, "{text}");
        }
    }
}
