//! A remote source whose listings and pictures are cached.
//!
//! Cache of remote listings and pictures in the component's database.
//!
//! A failing cache counts as empty. Errors are never cached.

use output::text::is_blank;
use serde::{Deserialize, Deserializer, Serialize, de};
use toolkit::{
    Stop, arguments,
    clock::now_s,
    log,
    sql::{self, Statement},
};
use url::Url;

use super::{
    Found, Source,
    client::{self, HttpClient, Reply, clipped},
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
        if let Some(kept) = listing(&key) {
            return Ok(kept);
        }
        let listing = ask()?;
        keep_listing(&key, &listing, self.catalogue.cache_s());
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
        if let Some((mime_type, bytes)) = picture(&card.image) {
            return Ok(Picture { name: card.name.clone(), mime_type, bytes });
        }
        let no_address = |_| failed("a picture's address is not an http or https URL");
        let url = Url::parse(&card.image).map_err(no_address)?;
        let limit_s = self.catalogue.limit_s();
        let (mime_type, bytes) = client::picture(&self.client, &url, limit_s)?;
        keep_picture(&card.image, mime_type, &bytes);
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
            keep_listing(&key, &listing, self.catalogue.cache_s());
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

/// How long a picture is cached, in seconds: catalogues want theirs to be fetched once.
const PICTURE_S: i64 = 30 * 86_400;
/// Maximum size of a cached request, in bytes.
const ASKED_BYTES_MAX: usize = 4_096;
/// Maximum size of a cached answer, in bytes.
const ANSWER_BYTES_MAX: usize = 256 << 10;
/// Maximum number of cached answers.
const ANSWERS_MAX: i64 = 500;
/// Maximum size of all cached pictures together, in bytes.
const PICTURES_BYTES_MAX: i64 = 128 << 20;
/// Size of a piece of a picture that fits into a row, in bytes.
const PIECE_BYTES: usize = 768 << 10;
/// Maximum number of pieces of a picture.
const PIECES_MAX: i64 = 8;

/// Returns the cached listing for a request, unless it has expired.
pub fn listing(request: &str) -> Option<Listing> {
    let read = || -> Result<Option<(String,)>, sql::Error> {
        let select =
            "SELECT answer FROM answers WHERE asked = $1 AND until_s > $2 AND until_s <= $3";
        let now = now_s();
        let [rows] = sql::query([toolkit::sql!(select, request, now, now + PICTURE_S)])?;
        rows.first::<(String,)>()
    };
    let answer = read().unwrap_or_else(log_error);
    answer.and_then(|(text,)| serde_json::from_str(&text).ok())
}

/// Caches a listing for `cache_s` seconds, and deletes expired and excess ones.
fn keep_listing(request: &str, listing: &Listing, cache_s: i64) {
    let Ok(text) = serde_json::to_string(listing) else { return };
    if text.len() > ANSWER_BYTES_MAX || request.len() > ASKED_BYTES_MAX {
        return;
    }
    let now = now_s();
    let batch = [
        toolkit::sql!("DELETE FROM answers WHERE until_s <= $1 OR asked = $2", now, request),
        toolkit::sql!(
            "DELETE FROM answers WHERE asked IN (SELECT asked FROM answers \
             ORDER BY until_s DESC, asked LIMIT $1 OFFSET $2)",
            ANSWERS_MAX,
            ANSWERS_MAX - 1
        ),
        toolkit::sql!(
            "INSERT INTO answers (asked, until_s, bytes, answer) VALUES ($1, $2, $3, $4)",
            request,
            now + cache_s.clamp(0, PICTURE_S),
            length(text.len()),
            text
        ),
    ];
    if let Err(error) = sql::transact_all(&batch) {
        log_error(error)
    }
}

/// Returns the cached picture of a URL, with its media type.
pub fn picture(url: &str) -> Option<(String, Vec<u8>)> {
    let read = || -> Result<Option<(String, Vec<u8>)>, sql::Error> {
        let now = now_s();
        let [kept, pieces] = sql::query([
            toolkit::sql!(
                "SELECT mime_type, bytes FROM pictures WHERE url = $1 AND until_s > $2 \
                 AND until_s <= $3",
                url,
                now,
                now + PICTURE_S
            ),
            toolkit::sql!(
                "SELECT content FROM pieces WHERE url = $1 ORDER BY number LIMIT $2",
                url,
                PIECES_MAX
            ),
        ])?;
        let Some((mime_type, bytes)) = kept.first::<(String, i64)>()? else { return Ok(None) };
        let pieces = pieces.read::<(Piece,)>()?;
        let content = pieces.into_iter().flat_map(|it| it.0.0).collect::<Vec<_>>();
        // Incomplete pictures are fetched again.
        Ok((length(content.len()) == bytes).then_some((mime_type, content)))
    };
    read().unwrap_or_else(log_error)
}

/// Caches a picture; the oldest ones make room for it.
fn keep_picture(url: &str, mime_type: &str, content: &[u8]) {
    if url.len() > ASKED_BYTES_MAX {
        return;
    }
    let (now, bytes) = (now_s(), length(content.len()));
    let mut batch: Vec<Statement> = vec![
        toolkit::sql!("DELETE FROM pictures WHERE until_s <= $1 OR url = $2", now, url),
        toolkit::sql!(
            "DELETE FROM pictures WHERE url IN (SELECT url FROM (SELECT url, \
             SUM(bytes) OVER (ORDER BY until_s DESC, url) AS total FROM pictures) AS kept \
             WHERE total > $1)",
            PICTURES_BYTES_MAX - bytes
        ),
        toolkit::sql!("DELETE FROM pieces WHERE url NOT IN (SELECT url FROM pictures)"),
        toolkit::sql!(
            "INSERT INTO pictures (url, until_s, bytes, mime_type) VALUES ($1, $2, $3, $4)",
            url,
            now + PICTURE_S,
            bytes,
            mime_type
        ),
    ];
    for (number, piece) in (0_i64..).zip(content.chunks(PIECE_BYTES)) {
        let insert = "INSERT INTO pieces (url, number, content) VALUES ($1, $2, $3)";
        batch.push(toolkit::sql!(insert, url, number, piece.to_vec()));
    }
    if let Err(error) = sql::transact_all(&batch) {
        log_error(error)
    }
}

/// A piece of a picture in a row.
struct Piece(Vec<u8>);

impl<'de> Deserialize<'de> for Piece {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Bytes;

        impl de::Visitor<'_> for Bytes {
            type Value = Piece;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_byte_buf<E: de::Error>(self, bytes: Vec<u8>) -> Result<Piece, E> {
                Ok(Piece(bytes))
            }
        }

        from.deserialize_byte_buf(Bytes)
    }
}

/// Logs a cache error for the operator.
fn log_error<T: Default>(error: sql::Error) -> T {
    log::warning(&format!("what a source answers is not remembered: {error:?}"));
    T::default()
}

fn length(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

// A catalogue on the web in our own format, see the README of this component.

/// How long an answer is cached, in seconds.
const HOLDS_S: i64 = 600;
/// Maximum number of cards of an answer.
const CARDS_MAX: usize = 100;
/// Maximum number of suggestions taken from an answer.
const SUGGESTIONS_MAX: usize = 5;
/// Maximum number of characters of a name.
const NAME_CHARS_MAX: usize = 200;

/// A catalogue under a base address.
#[derive(Clone, Debug)]
pub struct Web {
    base: Url,
    /// Further origins of its pictures.
    image_origins: Vec<Url>,
}

/// The catalogue's answer.
#[derive(Deserialize)]
struct Answer {
    cards: Vec<Card>,
    #[serde(default)]
    suggestions: Vec<String>,
}

#[derive(Deserialize)]
struct Card {
    name: String,
    image: String,
}

impl Web {
    /// Creates the catalogue at `base`, whose pictures are there or at one of these origins.
    pub fn new(base: Url, image_origins: Vec<Url>) -> Self {
        Self { base, image_origins }
    }

    /// Appends segments and parameters to the base address.
    fn url(&self, segments: &[&str], parameters: &[(&str, &str)]) -> Result<Url, SourceError> {
        let mut url = self.base.clone();
        let no_base = |()| failed("the catalogue's base address takes no path");
        url.path_segments_mut().map_err(no_base)?.pop_if_empty().extend(segments);
        url.query_pairs_mut().extend_pairs(parameters);
        Ok(url)
    }

    fn ask(
        &self,
        client: &impl HttpClient,
        url: &Url,
        cards_max: usize,
    ) -> Result<Listing, SourceError> {
        let reply = client::fetch(client, url, &[404], None)?;
        let answer = match (reply.status, read(&reply)) {
            // A 404 may have suggestions.
            (404, read) => {
                let suggestions = read.map(|it| it.suggestions).unwrap_or_default();
                Answer { cards: Vec::new(), suggestions }
            }
            (_, read) => read?,
        };
        if answer.cards.len() > CARDS_MAX {
            return Err(failed(format!("the catalogue lists more than {CARDS_MAX} cards at once")));
        }
        let cards = answer.cards.iter().take(cards_max).enumerate();
        let cards = cards.map(|(at, it)| self.listed(url, at, it)).collect::<Result<_, _>>()?;
        let suggestions = answer.suggestions.into_iter().take(SUGGESTIONS_MAX);
        let suggestions = suggestions.filter(|it| is_name(it)).collect();
        Ok(Listing { cards, suggestions })
    }

    fn listed(&self, from: &Url, at: usize, card: &Card) -> Result<ListedCard, SourceError> {
        if !is_name(&card.name) {
            return Err(failed(format!("the catalogue's /cards/{at}/name is no name")));
        }
        let image = address(from, &card.image)
            .map_err(|_| failed(format!("the catalogue's /cards/{at}/image is no address")))?;
        let is_near = image.origin() == self.base.origin()
            || self.image_origins.iter().any(|it| it.origin() == image.origin());
        if !is_near {
            let host = clipped(image.host_str().unwrap_or_default());
            return Err(failed(format!(
                "the catalogue's /cards/{at}/image is at {host}, which the setting image_origins does not name"
            )));
        }
        Ok(ListedCard { name: card.name.clone(), image: image.into() })
    }
}

impl Catalogue for Web {
    fn cache_key(&self) -> String {
        format!("http {}", self.base)
    }

    fn cache_s(&self) -> i64 {
        HOLDS_S
    }

    fn card(&self, client: &impl HttpClient, name: &str) -> Result<Listing, SourceError> {
        self.ask(client, &self.url(&["cards"], &[("name", name)])?, 1)
    }

    fn theme(
        &self,
        client: &impl HttpClient,
        name: &str,
        limit: usize,
    ) -> Result<Listing, SourceError> {
        // URLs drop these two as path segments.
        if matches!(name.trim(), "." | "..") {
            return Ok(Listing::default());
        }
        let count = limit.to_string();
        self.ask(client, &self.url(&["themes", name], &[("limit", &count)])?, limit)
    }
}

fn read(reply: &Reply) -> Result<Answer, SourceError> {
    if !reply.body.trim_ascii_start().starts_with(b"{") {
        return Err(failed("the catalogue's answer cannot be read: it is no JSON object"));
    }
    arguments::parse(&String::from_utf8_lossy(&reply.body)).map_err(|fault| {
        let why = clipped(&fault.to_string());
        failed(format!("the catalogue's answer cannot be read: {why}"))
    })
}

fn is_name(name: &str) -> bool {
    !is_blank(name)
        && name.chars().nth(NAME_CHARS_MAX).is_none()
        && !name.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::{super::client::tests::Scripted, *};

    fn web() -> Web {
        let url = |text| Url::parse(text).unwrap();
        Web::new(url("https://cards.example/v1/"), vec![url("https://images.example")])
    }

    #[test]
    fn builds_addresses_of_the_format() {
        let client = Scripted::of(&[(404, ""), (200, r#"{"cards":[]}"#)]);
        web().card(&client, "青 眼&x").unwrap();
        web().theme(&client, "a/../b?", 5).unwrap();
        assert_eq!(
            *client.requests.borrow(),
            [
                "https://cards.example/v1/cards?name=%E9%9D%92+%E7%9C%BC%26x",
                "https://cards.example/v1/themes/a%2F..%2Fb%3F?limit=5",
            ]
        );
    }

    #[test]
    fn allows_pictures_at_own_or_named_origins() {
        for (image, url) in [
            ("/i/a.png", Some("https://cards.example/i/a.png")),
            ("a.png", Some("https://cards.example/v1/a.png")),
            ("https://images.example/a", Some("https://images.example/a")),
            ("https://images.example:444/a", None),
            ("http://cards.example/a", None),
            ("http://169.254.169.254/latest", None),
            ("file:///etc/passwd", None),
            ("data:image/png;base64,AA", None),
        ] {
            let body = format!(r#"{{"cards":[{{"name":"a","image":"{image}"}}]}}"#);
            let got = web().card(&Scripted::of(&[(200, &body)]), "a");
            let got = got.ok().map(|it| it.cards[0].image.clone());
            assert_eq!(got.as_deref(), url, "{image}");
        }
    }

    #[test]
    fn reports_invalid_answers_and_reads_suggestions_of_404() {
        for body in [
            "",
            "[]",
            "<html>",
            "{}",
            r#"{"cards":[{"name":7}]}"#,
            r#"{"cards":[{"name":" ","image":"a"}]}"#,
        ] {
            let got = web().card(&Scripted::of(&[(200, body)]), "a");
            assert!(matches!(got, Err(SourceError::Failed { .. })), "{body}");
        }
        let near = r#"{"cards":[],"suggestions":["青眼"]}"#;
        let got = web().card(&Scripted::of(&[(404, near)]), "a").unwrap();
        assert_eq!(got, Listing { cards: vec![], suggestions: vec!["青眼".into()] });
        assert_eq!(web().card(&Scripted::of(&[(404, "<html>")]), "a"), Ok(Listing::default()));
    }
}
