//! What the operator set: which sources are asked, and where they are.

use language::Language;
use toolkit::{
    Problem,
    settings::{self, Unfit},
};
use url::Url;

use super::folder;

/// Sources that may be named.
const KINDS_MAX: usize = 4;
/// Origins of pictures that may be named.
const ORIGINS_MAX: usize = 16;
/// Characters of the address for complaints.
const CONTACT_CHARS_MAX: usize = 100;

/// A kind of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Cards of our own invention.
    Builtin,
    /// A folder of the operator's.
    Folder,
    /// A catalogue on the web, in our format.
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

/// The sources, in the order in which they are asked: `sources`, names with commas between them.
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

/// Where the granted folder is seen: `folder`.
///
/// # Errors
/// When it is no path from the root.
pub fn folder() -> Result<String, Unfit> {
    let path = settings::get::<String>("folder")?.unwrap_or_else(|| "/cards".to_owned());
    let fits = path.starts_with('/') && !path.split('/').any(|it| it == "..");
    if fits { Ok(path) } else { Err(Unfit::new("folder", "must be a path from the root: /cards")) }
}

/// Where the catalogue in our format is: `catalogue_url`.
///
/// # Errors
/// When it is missing, or no base address.
pub fn catalogue_url() -> Result<Url, Unfit> {
    url("catalogue_url", None)
}

/// Where that catalogue's pictures may be beside its own origin: `image_origins`, with commas.
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

/// Where the API is: `ygoprodeck_url`.
///
/// # Errors
/// When it is no base address.
pub fn ygoprodeck_url() -> Result<Url, Unfit> {
    url("ygoprodeck_url", Some("https://db.ygoprodeck.com"))
}

/// Where the API's pictures are: `ygoprodeck_images`.
///
/// # Errors
/// When it is no address.
pub fn ygoprodeck_images() -> Result<Url, Unfit> {
    url("ygoprodeck_images", Some("https://images.ygoprodeck.com"))
}

/// Which language's names are shown: `language`, `ja` or `en`.
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

/// Who asks: this program, and whom to write to, where the operator says (`contact`).
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
    // Who writes a password into an address would have it in every error.
    let plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    (matches!(url.scheme(), "http" | "https") && url.has_host() && plain).then_some(url)
}

/// Looks at all of them, and into the folder's catalogue, before the component serves.
///
/// # Errors
/// What the operator has to fix.
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
            if let Err(wrong) = folder::Folder::new(path.into()).look() {
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
    fn sources_are_named_once_each_and_in_order() {
        assert_eq!(read_kinds("folder, builtin"), Some(vec![Kind::Folder, Kind::Builtin]));
        for text in ["", "folder,", "folder,folder", "ftp"] {
            assert_eq!(read_kinds(text), None, "{text}");
        }
    }

    #[test]
    fn a_base_address_is_one_of_the_web_and_carries_nothing() {
        assert!(read_url("http://127.0.0.1:5000/v1").is_some());
        for text in ["", "a.example", "file:///etc", "https://a.example?key=1", "https://u:p@a.b"] {
            assert_eq!(read_url(text), None, "{text}");
        }
    }
}
