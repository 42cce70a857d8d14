//! A source on the web: what it lists is remembered, and each picture is fetched once and kept.

use serde::{Deserialize, Serialize};
use toolkit::{Stop, log};
use url::Url;

use super::{
    Found, Source, cache,
    client::{self, Carrier},
};
use crate::{
    matching,
    picture::Picture,
    refusals::{SourceError, failed},
};

/// Bytes that the pictures of one theme may have together: what fits into one answer, twice.
pub const THEME_BYTES_MAX: usize = 6 << 20;
/// How near a name is that the source itself suggests.
const SUGGESTED: f64 = 1.0;

/// A card as a catalogue lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// The card's name.
    pub name: String,
    /// Where its picture is: an address of the web.
    pub image: String,
}

/// What a catalogue has for a question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// Best first; none where nothing fits.
    pub cards: Vec<Listed>,
    /// Names that come near, best first.
    pub suggestions: Vec<String>,
}

/// A catalogue that is asked over HTTP.
pub trait Catalogue {
    /// Whose answers they are: another catalogue's, or those from elsewhere, are others.
    fn whose(&self) -> String;

    /// How long its answers hold, in seconds.
    fn holds_s(&self) -> i64;

    /// How long a limit holds where it does not say, in seconds.
    fn limit_s(&self) -> Option<u32> {
        None
    }

    /// The card of that name.
    ///
    /// # Errors
    /// Where it cannot say.
    fn card(&self, carrier: &impl Carrier, name: &str) -> Result<Listing, SourceError>;

    /// Up to `limit` cards of that theme.
    ///
    /// # Errors
    /// Where it cannot say.
    fn theme(
        &self,
        carrier: &impl Carrier,
        name: &str,
        limit: usize,
    ) -> Result<Listing, SourceError>;
}

/// A catalogue elsewhere, with what is remembered of it.
#[derive(Debug)]
pub struct Elsewhere<L, C> {
    catalogue: L,
    carrier: C,
}

impl<L: Catalogue, C: Carrier> Elsewhere<L, C> {
    /// Asks `catalogue` by `carrier`.
    pub fn new(catalogue: L, carrier: C) -> Self {
        Self { catalogue, carrier }
    }

    /// What it lists, from memory where that still holds.
    fn listed(
        &self,
        asked: &str,
        ask: impl FnOnce() -> Result<Listing, SourceError>,
    ) -> Result<Listing, SourceError> {
        let asked = format!("{} {asked}", self.catalogue.whose());
        if let Some(kept) = cache::listing(&asked) {
            return Ok(kept);
        }
        let listing = ask()?;
        cache::keep_listing(&asked, &listing, self.catalogue.holds_s());
        Ok(listing)
    }

    fn one(&self, name: &str) -> Result<Listing, SourceError> {
        let asked = format!("card {name:?}");
        self.listed(&asked, || self.catalogue.card(&self.carrier, name))
    }

    fn many(&self, name: &str, limit: usize) -> Result<Listing, SourceError> {
        let asked = format!("theme {limit} {name:?}");
        self.listed(&asked, || self.catalogue.theme(&self.carrier, name, limit))
    }

    fn picture(&self, card: &Listed) -> Result<Picture, SourceError> {
        if let Some((mime_type, bytes)) = cache::picture(&card.image) {
            return Ok(Picture { name: card.name.clone(), mime_type, bytes });
        }
        let no_address = |_| failed("a picture's address is not an http or https URL");
        let url = Url::parse(&card.image).map_err(no_address)?;
        let limit_s = self.catalogue.limit_s();
        let (mime_type, bytes) = client::picture(&self.carrier, &url, limit_s)?;
        cache::keep_picture(&card.image, mime_type, &bytes);
        Ok(Picture { name: card.name.clone(), mime_type: mime_type.to_owned(), bytes })
    }

    /// The pictures of those whose pictures can be had. One that is broken is reported in the log and
    /// left out; only where none is left is there no answer.
    fn pictures(&self, cards: &[Listed], limit: usize) -> Result<Vec<Picture>, SourceError> {
        let (mut pictures, mut bytes, mut last) = (Vec::new(), 0, None);
        for card in cards.iter().take(limit) {
            match self.picture(card) {
                Ok(picture) if bytes + picture.bytes.len() <= THEME_BYTES_MAX => {
                    bytes += picture.bytes.len();
                    pictures.push(picture);
                }
                Ok(_) => log::warning(&format!(
                    "the picture of {:?} is left out: together they have more than {} MiB",
                    card.name,
                    THEME_BYTES_MAX >> 20
                )),
                Err(error @ SourceError::Failed { .. }) => {
                    log::warning(&format!("no picture of {:?}: {error:?}", card.name));
                    last = Some(error);
                }
                // A source that refuses more requests gets no more, and what is there is given.
                Err(error) => {
                    last = Some(error);
                    break;
                }
            }
        }
        match last {
            Some(error) if pictures.is_empty() => Err(error),
            _ => Ok(pictures),
        }
    }
}

impl<L: Catalogue, C: Carrier> Source for Elsewhere<L, C> {
    fn card(&self, name: &str) -> Result<Option<Found<Picture>>, Stop> {
        match self.one(name)?.cards.first() {
            Some(card) => {
                let is_whole = matching::is_one_of(name, &[&card.name]);
                Ok(Some(Found { value: self.picture(card)?, is_whole }))
            }
            None => Ok(None),
        }
    }

    fn theme(&self, name: &str, limit: usize) -> Result<Option<Found<Vec<Picture>>>, Stop> {
        let listing = self.many(name, limit)?;
        if listing.cards.is_empty() {
            // So that a second look for what comes near sends no request.
            let asked = format!("{} theme 1 {name:?}", self.catalogue.whose());
            cache::keep_listing(&asked, &listing, self.catalogue.holds_s());
            return Ok(None);
        }
        // A catalogue elsewhere says no names of themes: what it finds is what was asked for.
        Ok(Some(Found { value: self.pictures(&listing.cards, limit)?, is_whole: true }))
    }

    fn near_cards(&self, name: &str) -> Result<Vec<(f64, String)>, Stop> {
        Ok(suggested(self.one(name)?))
    }

    fn near_themes(&self, name: &str) -> Result<Vec<(f64, String)>, Stop> {
        // What was remembered a moment ago answers it.
        Ok(suggested(self.many(name, 1)?))
    }
}

fn suggested(listing: Listing) -> Vec<(f64, String)> {
    listing.suggestions.into_iter().map(|it| (SUGGESTED, it)).collect()
}

/// The address `text` is at, seen from `base`.
///
/// # Errors
/// When it is none of the web's.
pub fn address(base: &Url, text: &str) -> Result<Url, SourceError> {
    let url = base.join(text).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.has_host()
    });
    url.ok_or_else(|| failed("a picture's address is not an http or https URL"))
}
