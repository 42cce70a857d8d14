//! The operator's settings: sources and their addresses.

use language::Language;
use toolkit::{
    Problem,
    settings::{self, Unfit},
};
use url::Url;

use super::folder;

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
pub fn folder() -> Result<String, Unfit> {
    let path = settings::get::<String>("folder")?.unwrap_or_else(|| "/cards".to_owned());
    let fits = path.starts_with('/') && !path.split('/').any(|it| it == "..");
    if fits { Ok(path) } else { Err(Unfit::new("folder", "must be a path from the root: /cards")) }
}

/// Reads `catalogue_url`: the address of the catalogue in our format.
///
/// # Errors
/// When it is missing or no base address.
pub fn catalogue_url() -> Result<Url, Unfit> {
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
    match folder() {
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
