//! A source in a folder of the operator, with pictures and a catalogue file.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use toolkit::{Stop, dialogue::Name, log};

use super::{
    Found, Source,
    file::{self, Card, File, Theme},
    remote::THEME_BYTES_MAX,
};
use crate::{
    matching::{meant, near},
    picture::{self, Picture},
    refusals::SourceError,
};

/// File name of the catalogue.
const CATALOGUE: &str = "catalogue.json";
/// Maximum size of the catalogue, in bytes.
const CATALOGUE_BYTES_MAX: usize = 1 << 20;
/// Maximum size of a picture, in bytes.
const PICTURE_BYTES_MAX: usize = 4 << 20;
/// Minimum number of characters of names that count in any sentence; fewer in katakana, which only names and
/// loanwords have.
const LONG_CHARS: usize = 4;
const LONG_KATAKANA: usize = 3;
/// Maximum number of pictures checked before the component serves.
const LOOKED_AT_MAX: usize = 200;
/// Number of bytes checked of each, which show type and size.
const HEAD_BYTES: u64 = 64 << 10;

/// A granted folder.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Creates the source for `path`, as the component sees it.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Checks catalogue and pictures. Missing or broken pictures are only logged.
    ///
    /// # Errors
    /// The problems of the catalogue, entry by entry.
    pub fn check(&self) -> Result<(), Vec<String>> {
        let file = self.file()?;
        for card in file.cards.iter().take(LOOKED_AT_MAX) {
            let looked = self.open(&card.image).and_then(|file| {
                let mut head = Vec::new();
                file.take(HEAD_BYTES).read_to_end(&mut head)?;
                Ok(head)
            });
            let wrong = match looked {
                Ok(head) => picture::mime_type(&head).err().map(|it| it.to_string()),
                Err(error) => Some(why(&error)),
            };
            if let Some(wrong) = wrong {
                log::warning(&format!("no picture of {:?} ({}): {wrong}", card.name, card.image));
            }
        }
        Ok(())
    }

    /// Reads the catalogue.
    fn file(&self) -> Result<File, Vec<String>> {
        let path = self.path.join(CATALOGUE);
        let described = |why: &str| format!("{} {why}", path.display());
        let bytes = read(&path, CATALOGUE_BYTES_MAX).map_err(|error| {
            let grant = format!(
                "[components.illustrations.folders] \"{}\" = \"…\" grants the folder",
                self.path.display()
            );
            vec![described(&format!("cannot be read: {}; {grant}", why(&error)))]
        })?;
        let text = std::str::from_utf8(&bytes).map_err(|_| vec![described("is no UTF-8 text")])?;
        file::read(text).map_err(|all| all.iter().map(|it| described(it)).collect())
    }

    fn catalogue(&self) -> Result<File, SourceError> {
        self.file().map_err(|all| SourceError::File { message: all.join("; ") })
    }

    fn open(&self, image: &str) -> io::Result<fs::File> {
        fs::File::open(self.path.join(image))
    }

    fn picture(&self, card: &Card) -> Result<Picture, SourceError> {
        let told = |why: &str| SourceError::File { message: format!("{} {why}", card.image) };
        let bytes = read(&self.path.join(&card.image), PICTURE_BYTES_MAX)
            .map_err(|error| told(&format!("cannot be read: {}", why(&error))))?;
        let mime_type =
            picture::mime_type(&bytes).map_err(|it| told(&format!("is broken: {it}")))?;
        Ok(Picture { name: card.name.clone(), mime_type: mime_type.to_owned(), bytes })
    }

    /// Reads the pictures of cards. Broken ones are logged and left out; it fails only where none is left.
    fn pictures<'a>(
        &self,
        cards: impl Iterator<Item = &'a Card>,
        limit: usize,
    ) -> Result<Vec<Picture>, SourceError> {
        let (mut pictures, mut bytes, mut last) = (Vec::new(), 0, None);
        for card in cards {
            if pictures.len() == limit {
                break;
            }
            match self.picture(card) {
                Ok(picture) if bytes + picture.bytes.len() <= THEME_BYTES_MAX => {
                    bytes += picture.bytes.len();
                    pictures.push(picture);
                }
                Ok(_) => log::warning(&format!("{} is left out: too much at once", card.image)),
                Err(error) => {
                    log::warning(&format!("no picture of {:?}: {error:?}", card.name));
                    last = Some(error);
                }
            }
        }
        match last {
            Some(error) if pictures.is_empty() => Err(error),
            _ => Ok(pictures),
        }
    }
}

impl Source for Folder {
    fn card(&self, name: &str) -> Result<Option<Found<Picture>>, Stop> {
        let file = self.catalogue()?;
        let (found, is_whole) = meant(name, file.cards.iter().map(Card::names));
        let [only] = found[..] else { return Ok(None) };
        Ok(Some(Found { value: self.picture(&file.cards[only])?, is_whole }))
    }

    fn theme(&self, name: &str, limit: usize) -> Result<Option<Found<Vec<Picture>>>, Stop> {
        let file = self.catalogue()?;
        let (found, is_whole) = meant(name, file.themes.iter().map(Theme::names));
        let [only] = found[..] else { return Ok(None) };
        let theme = &file.themes[only].name;
        let cards = file.cards.iter().filter(|it| it.themes.contains(theme));
        Ok(Some(Found { value: self.pictures(cards, limit)?, is_whole }))
    }

    fn near_cards(&self, name: &str) -> Result<Vec<(f64, String)>, Stop> {
        let file = self.catalogue()?;
        let (alike, _) = meant(name, file.cards.iter().map(Card::names));
        Ok(near(name, &alike, file.cards.iter().map(|it| (&it.name, it.names()))))
    }

    fn near_themes(&self, name: &str) -> Result<Vec<(f64, String)>, Stop> {
        let file = self.catalogue()?;
        let (alike, _) = meant(name, file.themes.iter().map(Theme::names));
        Ok(near(name, &alike, file.themes.iter().map(|it| (&it.name, it.names()))))
    }

    fn names(&self) -> Result<Vec<Name>, Stop> {
        let file = self.catalogue()?;
        let themes = file.themes.iter().map(|it| named("theme", it.names(), None));
        let cards = file.cards.iter().map(|it| named("card", it.names(), it.themes.first()));
        Ok(themes.chain(cards).collect())
    }
}

/// Returns the names of a card or a theme. Names as short as common words count only in sentences about cards.
fn named<'a>(
    kind: &str,
    mut names: impl Iterator<Item = &'a str>,
    within: Option<&String>,
) -> Name {
    let name = names.next().unwrap_or_default().to_owned();
    let others: Vec<_> = names.map(str::to_owned).collect();
    let english = others.iter().find(|it| it.is_ascii()).cloned();
    let is_long = |name: &String| {
        let is_katakana = name.chars().all(|it| matches!(it, '\u{30a1}'..='\u{30fa}' | 'ー'));
        name.chars().count() >= if is_katakana { LONG_KATAKANA } else { LONG_CHARS }
    };
    let (also, hints) = others.into_iter().partition(is_long);
    let (kind, within, moods) = (kind.to_owned(), within.cloned(), Vec::new());
    Name { kind, name, english, within, also, hints, moods }
}

/// Reads a file of at most `bytes_max` bytes.
fn read(path: &Path, bytes_max: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(bytes_max).unwrap_or(u64::MAX).saturating_add(1);
    fs::File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    if bytes.len() > bytes_max {
        let message = format!("it has more than {} MiB", bytes_max >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// Formats an error without the system's error number.
fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it is not there".to_owned(),
        io::ErrorKind::PermissionDenied => "it may not be read".to_owned(),
        _ => error.to_string(),
    }
}
