//! A remote source whose listings and pictures are cached.

use serde::{Deserialize, Serialize};
use toolkit::{Stop, log};
use url::Url;

use super::{
    Found, Source, cache,
    client::{self, HttpClient},
};
use crate::{
    matching,
    picture::Picture,
    refusals::{SourceError, failed},
};

/// Maximum size of the pictures of a theme together, in bytes: twice what fits into an answer.
pub const THEME_BYTES_MAX: usize = 6 << 20;
/// Nearness of names that the source itself suggests.
const SUGGESTED: f64 = 1.0;

/// A listed card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedCard {
    /// The card's name.
    pub name: String,
    /// URL of its picture.
    pub image: String,
}

/// A catalogue's answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// Found cards, best first.
    pub cards: Vec<ListedCard>,
    /// Similar names, best first.
    pub suggestions: Vec<String>,
}

/// A catalogue with an HTTP API.
pub trait Catalogue {
    /// Returns the cache key of its answers.
    fn cache_key(&self) -> String;

    /// How long its answers are cached, in seconds.
    fn cache_s(&self) -> i64;

    /// Default retry delay at its rate limit, in seconds.
    fn limit_s(&self) -> Option<u32> {
        None
    }

    /// Finds the card of that name.
    ///
    /// # Errors
    /// When the catalogue fails.
    fn card(&self, client: &impl HttpClient, name: &str) -> Result<Listing, SourceError>;

    /// Finds up to `limit` cards of that theme.
    ///
    /// # Errors
    /// When the catalogue fails.
    fn theme(
        &self,
        client: &impl HttpClient,
        name: &str,
        limit: usize,
    ) -> Result<Listing, SourceError>;
}

/// A remote catalogue with its cache.
#[derive(Debug)]
pub struct RemoteSource<L, C> {
    catalogue: L,
    client: C,
}

impl<L: Catalogue, C: HttpClient> RemoteSource<L, C> {
    /// Creates the source from `catalogue` and its client.
    pub fn new(catalogue: L, client: C) -> Self {
        Self { catalogue, client }
    }

    /// Returns a listing, from the cache where possible.
    fn listed(
        &self,
        key: &str,
        ask: impl FnOnce() -> Result<Listing, SourceError>,
    ) -> Result<Listing, SourceError> {
        let key = format!("{} {key}", self.catalogue.cache_key());
        if let Some(kept) = cache::listing(&key) {
            return Ok(kept);
        }
        let listing = ask()?;
        cache::keep_listing(&key, &listing, self.catalogue.cache_s());
        Ok(listing)
    }

    fn find_card(&self, name: &str) -> Result<Listing, SourceError> {
        let key = format!("card {name:?}");
        self.listed(&key, || self.catalogue.card(&self.client, name))
    }

    fn find_theme(&self, name: &str, limit: usize) -> Result<Listing, SourceError> {
        let key = format!("theme {limit} {name:?}");
        self.listed(&key, || self.catalogue.theme(&self.client, name, limit))
    }

    fn picture(&self, card: &ListedCard) -> Result<Picture, SourceError> {
        if let Some((mime_type, bytes)) = cache::picture(&card.image) {
            return Ok(Picture { name: card.name.clone(), mime_type, bytes });
        }
        let no_address = |_| failed("a picture's address is not an http or https URL");
        let url = Url::parse(&card.image).map_err(no_address)?;
        let limit_s = self.catalogue.limit_s();
        let (mime_type, bytes) = client::picture(&self.client, &url, limit_s)?;
        cache::keep_picture(&card.image, mime_type, &bytes);
        Ok(Picture { name: card.name.clone(), mime_type: mime_type.to_owned(), bytes })
    }

    /// Fetches the pictures of cards. Broken ones are logged and left out; it fails only where none is left.
    fn pictures(&self, cards: &[ListedCard], limit: usize) -> Result<Vec<Picture>, SourceError> {
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
                // A source at its limit gets no more requests; the pictures so far are returned.
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

impl<L: Catalogue, C: HttpClient> Source for RemoteSource<L, C> {
    fn card(&self, name: &str) -> Result<Option<Found<Picture>>, Stop> {
        match self.find_card(name)?.cards.first() {
            Some(card) => {
                let is_whole = matching::is_one_of(name, &[&card.name]);
                Ok(Some(Found { value: self.picture(card)?, is_whole }))
            }
            None => Ok(None),
        }
    }

    fn theme(&self, name: &str, limit: usize) -> Result<Option<Found<Vec<Picture>>>, Stop> {
        let listing = self.find_theme(name, limit)?;
        if listing.cards.is_empty() {
            // Cached, so that the search for similar names sends no request.
            let key = format!("{} theme 1 {name:?}", self.catalogue.cache_key());
            cache::keep_listing(&key, &listing, self.catalogue.cache_s());
            return Ok(None);
        }
        // Remote catalogues return no names of themes: a result counts as a whole match.
        Ok(Some(Found { value: self.pictures(&listing.cards, limit)?, is_whole: true }))
    }

    fn near_cards(&self, name: &str) -> Result<Vec<(f64, String)>, Stop> {
        Ok(suggested(self.find_card(name)?))
    }

    fn near_themes(&self, name: &str) -> Result<Vec<(f64, String)>, Stop> {
        // The cached listing answers this.
        Ok(suggested(self.find_theme(name, 1)?))
    }
}

fn suggested(listing: Listing) -> Vec<(f64, String)> {
    listing.suggestions.into_iter().map(|it| (SUGGESTED, it)).collect()
}

/// Resolves the address `text` against `base`.
///
/// # Errors
/// When the result is no http or https URL.
pub fn address(base: &Url, text: &str) -> Result<Url, SourceError> {
    let url = base.join(text).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.has_host()
    });
    url.ok_or_else(|| failed("a picture's address is not an http or https URL"))
}
