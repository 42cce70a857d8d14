//! A catalogue on the web in our own format, see the README of this component.

use output::text::is_blank;
use serde::Deserialize;
use toolkit::arguments;
use url::Url;

use super::{
    client::{self, HttpClient, Reply, clipped},
    remote::{Catalogue, ListedCard, Listing, address},
};
use crate::refusals::{SourceError, failed};

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
