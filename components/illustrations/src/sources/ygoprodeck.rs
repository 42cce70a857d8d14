//! The public card API of YGOPRODeck, version 7, by the rules of its guide (ILL-6).
//!
//! The guide (<https://ygoprodeck.com/api-guide/>) allows 20 requests a second and blocks clients that send more for
//! an hour. Answers are to be stored, and pictures to be fetched once and kept.

use std::collections::BTreeMap;

use language::Language;
use serde::Deserialize;
use toolkit::{
    arguments,
    names::{fit, fold},
};
use url::Url;

use super::{
    client::{self, HttpClient, clipped},
    remote::{Catalogue, ListedCard, Listing, address},
};
use crate::refusals::{SourceError, failed};

/// Name of the source, for its rate limit.
pub const NAME: &str = "ygoprodeck";
/// Interval between two requests: half the allowed rate.
pub const INTERVAL_MS: u32 = 100;
/// Duration of a block, in seconds.
const BLOCKED_S: u32 = 3_600;
/// How long an answer is cached, in seconds: cards change by the week.
const HOLDS_S: i64 = 86_400;
/// Maximum number of cards searched for the best name.
const FOUND_MAX: usize = 30;

/// The API's addresses and the language of shown names.
#[derive(Clone, Debug)]
pub struct Ygoprodeck {
    base: Url,
    images: Url,
    language: Language,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Card>,
}

#[derive(Clone, Deserialize)]
struct Card {
    name: String,
    archetype: Option<String>,
    card_images: Vec<Image>,
}

#[derive(Clone, Deserialize)]
struct Image {
    image_url_cropped: String,
}

impl Ygoprodeck {
    /// Creates the catalogue at `base`, whose pictures are at the origin of `images`.
    pub fn new(base: Url, images: Url, language: Language) -> Self {
        Self { base, images, language }
    }

    /// Returns the cards of a request; empty where nothing matches.
    fn ask(
        &self,
        client: &impl HttpClient,
        language: Language,
        parameters: &[(&str, &str)],
    ) -> Result<Vec<Card>, SourceError> {
        let mut url = self.base.clone();
        let no_base = |()| failed("the API's base address takes no path");
        url.path_segments_mut().map_err(no_base)?.pop_if_empty().extend([
            "api",
            "v7",
            "cardinfo.php",
        ]);
        url.query_pairs_mut().extend_pairs(parameters);
        if language == Language::Japanese {
            // The guide names fr, de, it and pt; `ja` exists for most cards as well.
            url.query_pairs_mut().append_pair("language", "ja");
        }
        let reply = client::fetch(client, &url, &[400], Some(BLOCKED_S))?;
        if reply.status == 400 {
            return no_match(&reply.body);
        }
        let answer = arguments::parse::<Answer>(&String::from_utf8_lossy(&reply.body));
        let answer = answer.map_err(|fault| {
            let why = clipped(&fault.to_string());
            failed(format!("the API's answer cannot be read: {why}"))
        })?;
        Ok(answer.data)
    }

    /// Returns the card named exactly `name`, or up to [`FOUND_MAX`] cards whose names contain it.
    fn named(
        &self,
        client: &impl HttpClient,
        language: Language,
        name: &str,
    ) -> Result<Vec<Card>, SourceError> {
        // The API would take it for several names.
        let name = name.replace('|', " ");
        let exact = self.ask(client, language, &[("name", &name)])?;
        if !exact.is_empty() {
            return Ok(exact);
        }
        self.containing(client, language, &name)
    }

    fn containing(
        &self,
        client: &impl HttpClient,
        language: Language,
        name: &str,
    ) -> Result<Vec<Card>, SourceError> {
        // The guide requires both or neither.
        let count = FOUND_MAX.to_string();
        self.ask(client, language, &[("fname", name), ("num", &count), ("offset", "0")])
    }

    fn archetype(
        &self,
        client: &impl HttpClient,
        name: &str,
        limit: usize,
    ) -> Result<Vec<Card>, SourceError> {
        let count = limit.to_string();
        let parameters = [("archetype", name), ("num", &count), ("offset", "0")];
        let cards = self.ask(client, self.language, &parameters)?;
        if cards.is_empty() && self.language == Language::Japanese {
            return self.ask(client, Language::English, &parameters);
        }
        Ok(cards)
    }

    fn listed(&self, card: &Card) -> Result<ListedCard, SourceError> {
        let first = card.card_images.first();
        let image = first.ok_or_else(|| failed("the API lists a card without a picture"))?;
        let image = address(&self.base, &image.image_url_cropped)?;
        if image.origin() != self.images.origin() {
            let host = clipped(image.host_str().unwrap_or_default());
            return Err(failed(format!(
                "the API's pictures are at {host}; the setting ygoprodeck_images must name their origin"
            )));
        }
        Ok(ListedCard { name: card.name.clone(), image: image.into() })
    }
}

impl Catalogue for Ygoprodeck {
    fn cache_key(&self) -> String {
        format!("{NAME} {} {:?}", self.base, self.language)
    }

    fn cache_s(&self) -> i64 {
        HOLDS_S
    }

    fn limit_s(&self) -> Option<u32> {
        Some(BLOCKED_S)
    }

    fn card(&self, client: &impl HttpClient, name: &str) -> Result<Listing, SourceError> {
        let cards = self.named(client, language_of(name), name)?;
        match best(&cards, name) {
            Some(card) => Ok(Listing { cards: vec![self.listed(card)?], suggestions: Vec::new() }),
            None => Ok(Listing::default()),
        }
    }

    fn theme(
        &self,
        client: &impl HttpClient,
        name: &str,
        limit: usize,
    ) -> Result<Listing, SourceError> {
        let mut cards = match language_of(name) {
            Language::English => self.archetype(client, name, limit)?,
            Language::Japanese => Vec::new(),
        };
        if cards.is_empty() {
            // Archetypes have English names: takes that of most cards whose names contain this.
            let found = self.containing(client, language_of(name), name)?;
            cards = match most(&found) {
                Some(archetype) => self.archetype(client, &archetype, limit)?,
                None => found,
            };
        }
        let cards = cards.iter().take(limit).map(|it| self.listed(it)).collect::<Result<_, _>>()?;
        Ok(Listing { cards, suggestions: Vec::new() })
    }
}

/// Reads a 400 of the API: nothing matches, or the request is wrong.
fn no_match(body: &[u8]) -> Result<Vec<Card>, SourceError> {
    #[derive(Deserialize)]
    struct Refusal {
        error: String,
    }
    match serde_json::from_slice::<Refusal>(body) {
        Ok(it) if it.error.starts_with("No card matching") => Ok(Vec::new()),
        Ok(it) => Err(failed(format!("the API refuses: {}", clipped(&it.error)))),
        Err(_) => Err(failed("the API answers with the HTTP status 400")),
    }
}

/// Returns the language of a name: Japanese, if it has a Japanese character.
fn language_of(name: &str) -> Language {
    let is_japanese = |it| matches!(it, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ff66}'..='\u{ff9d}');
    if name.chars().any(is_japanese) { Language::Japanese } else { Language::English }
}

/// Returns the best match by the rule for names (CIN-13), the first of equal ones.
fn best<'a>(cards: &'a [Card], name: &str) -> Option<&'a Card> {
    let query = fold(name);
    let mut best: Option<(f64, &Card)> = None;
    for card in cards {
        let fits = fit(&query, [card.name.as_str()]).unwrap_or(0.0);
        if best.is_none_or(|it| fits > it.0) {
            best = Some((fits, card));
        }
    }
    best.map(|it| it.1)
}

/// Returns the archetype of most cards, the first by name of equal ones.
fn most(cards: &[Card]) -> Option<String> {
    let mut counts = BTreeMap::<&str, usize>::new();
    for archetype in cards.iter().filter_map(|it| it.archetype.as_deref()) {
        *counts.entry(archetype).or_default() += 1;
    }
    let most = counts.values().copied().max()?;
    counts.into_iter().find(|it| it.1 == most).map(|it| it.0.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{super::client::tests::Scripted, *};

    const NONE: &str = r#"{"error":"No card matching your query was found in the database. Please see https://db.ygoprodeck.com/api-guide/ for syntax usage."}"#;

    fn api() -> Ygoprodeck {
        let url = |text| Url::parse(text).unwrap();
        Ygoprodeck::new(
            url("https://db.example"),
            url("https://images.example"),
            Language::Japanese,
        )
    }

    fn data(cards: &[(&str, Option<&str>)]) -> String {
        let cards = cards.iter().map(|(name, archetype)| {
            serde_json::json!({ "id": 1, "name": name, "archetype": archetype, "card_images": [
                { "id": 1, "image_url_cropped": "https://images.example/images/cards_cropped/1.jpg" },
            ] })
        });
        serde_json::json!({ "data": cards.collect::<Vec<_>>() }).to_string()
    }

    #[test]
    fn searches_japanese_name_exactly_then_in_part() {
        let found = data(&[("ブラック・マジシャン・ガール", None), ("ブラック・マジシャン", None)]);
        let client = Scripted::of(&[(400, NONE), (200, &found)]);
        let got = api().card(&client, "ブラック・マジシャン").unwrap();
        assert_eq!(got.cards[0].name, "ブラック・マジシャン");
        let requests = client.requests.borrow();
        assert!(requests[0].starts_with("https://db.example/api/v7/cardinfo.php?name=%E3"));
        assert!(requests[1].ends_with("&num=30&offset=0&language=ja"), "{requests:?}");
    }

    #[test]
    fn japanese_theme_becomes_most_common_archetype() {
        let found = data(&[("青眼の白龍", Some("Blue-Eyes")), ("青眼の祈り", None)]);
        let client = Scripted::of(&[(200, &found), (200, &found)]);
        let got = api().theme(&client, "青眼", 5).unwrap();
        assert_eq!(got.cards.len(), 2);
        assert!(client.requests.borrow()[1].contains("?archetype=Blue-Eyes&num=5&offset=0"));
    }

    #[test]
    fn no_match_is_empty_and_other_errors_are_reported() {
        let client = Scripted::of(&[(400, NONE), (400, NONE)]);
        assert_eq!(api().card(&client, "zzzz"), Ok(Listing::default()));
        for body in [r#"{"error":"You are using the wrong parameters"}"#, "<html>"] {
            let got = api().card(&Scripted::of(&[(400, body)]), "a");
            assert!(matches!(got, Err(SourceError::Failed { .. })), "{body}");
        }
        let got = api().card(&Scripted::of(&[(429, "")]), "a");
        assert_eq!(got, Err(SourceError::Limited { retry_after_s: 3_600 }));
    }

    #[test]
    fn takes_pictures_only_from_picture_host() {
        let elsewhere = data(&[("a", None)]).replace("images.example", "evil.example");
        let got = api().card(&Scripted::of(&[(200, &elsewhere)]), "a");
        assert!(
            matches!(got, Err(SourceError::Failed { message }) if message.contains("evil.example"))
        );
    }
}
