//! A catalogue on the web in the format of our own, which the README of this component describes.

use output::text::is_blank;
use serde::Deserialize;
use toolkit::arguments;
use url::Url;

use super::{
    client::{self, Carrier, Reply, clipped},
    remote::{Catalogue, Listed, Listing, address},
};
use crate::refusals::{SourceError, failed};

/// How long an answer holds, in seconds.
const HOLDS_S: i64 = 600;
/// Cards that an answer may have.
const CARDS_MAX: usize = 100;
/// Names that are taken of those that an answer suggests.
const SUGGESTIONS_MAX: usize = 5;
/// Characters that a name may have.
const NAME_CHARS_MAX: usize = 200;

/// A catalogue under a base address.
#[derive(Clone, Debug)]
pub struct Web {
    base: Url,
    /// Origins beside its own where its pictures may be.
    image_origins: Vec<Url>,
}

/// What it answers.
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
    /// The catalogue at `base`, whose pictures are there or at one of these origins.
    pub fn new(base: Url, image_origins: Vec<Url>) -> Self {
        Self { base, image_origins }
    }

    /// These segments under the base address.
    fn url(&self, segments: &[&str], parameters: &[(&str, &str)]) -> Result<Url, SourceError> {
        let mut url = self.base.clone();
        let no_base = |()| failed("the catalogue's base address takes no path");
        url.path_segments_mut().map_err(no_base)?.pop_if_empty().extend(segments);
        url.query_pairs_mut().extend_pairs(parameters);
        Ok(url)
    }

    fn ask(
        &self,
        carrier: &impl Carrier,
        url: &Url,
        cards_max: usize,
    ) -> Result<Listing, SourceError> {
        let reply = client::asked(carrier, url, &[404], None)?;
        let answer = match (reply.status, read(&reply)) {
            // A 404 may say what comes near, and need not.
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

    fn listed(&self, from: &Url, at: usize, card: &Card) -> Result<Listed, SourceError> {
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
        Ok(Listed { name: card.name.clone(), image: image.into() })
    }
}

impl Catalogue for Web {
    fn whose(&self) -> String {
        format!("http {}", self.base)
    }

    fn holds_s(&self) -> i64 {
        HOLDS_S
    }

    fn card(&self, carrier: &impl Carrier, name: &str) -> Result<Listing, SourceError> {
        self.ask(carrier, &self.url(&["cards"], &[("name", name)])?, 1)
    }

    fn theme(
        &self,
        carrier: &impl Carrier,
        name: &str,
        limit: usize,
    ) -> Result<Listing, SourceError> {
        // A URL takes these two for steps in its path, and leaves them out.
        if matches!(name.trim(), "." | "..") {
            return Ok(Listing::default());
        }
        let count = limit.to_string();
        self.ask(carrier, &self.url(&["themes", name], &[("limit", &count)])?, limit)
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
    fn the_addresses_are_those_of_the_format() {
        let carrier = Scripted::of(&[(404, ""), (200, r#"{"cards":[]}"#)]);
        web().card(&carrier, "青 眼&x").unwrap();
        web().theme(&carrier, "a/../b?", 5).unwrap();
        assert_eq!(
            *carrier.asked.borrow(),
            [
                "https://cards.example/v1/cards?name=%E9%9D%92+%E7%9C%BC%26x",
                "https://cards.example/v1/themes/a%2F..%2Fb%3F?limit=5",
            ]
        );
    }

    #[test]
    fn pictures_are_at_its_own_origin_or_at_a_named_one() {
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
    fn what_is_not_of_the_format_is_told_and_a_404_may_suggest() {
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
