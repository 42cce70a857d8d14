//! A picture as it is shown, looked at closely and saved: what it is called, and what its file is.

use crate::base64::is_base64;
use crate::cards::picture::Picture;
use crate::cards::shared::Shared;

/// A picture in a grid or alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shot {
    pub(crate) picture: Shared<Picture>,
    pub(crate) kind: Kind,
    /// What is known of how it came to be: the sentence it was made from, who made it, its cards.
    pub(crate) facts: Vec<String>,
}

/// Where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The assistant or a tool has made it.
    Made,
    /// A tool fetched it.
    Card,
    /// The reader sent it.
    Sent,
}

/// Pictures of one grid drawn at most.
pub(crate) const SHOTS_MAX: usize = 60;
/// Characters of a file's name without its ending.
const NAME_MAX: usize = 60;

impl Shot {
    pub(crate) fn new(picture: Shared<Picture>, kind: Kind) -> Self {
        Self { picture, kind, facts: Vec::new() }
    }

    /// A picture out of a tool's result; none where it is none, or not in base64.
    pub(crate) fn of(id: String, mime: &str, data: &str, name: &str, at_ms: u64) -> Option<Self> {
        let picture = is_base64(data).then(|| Picture::of(id, mime, data, name, at_ms))??;
        Some(Self::new(Shared::new(picture), Kind::Card))
    }

    /// What an `img` can show; none where it is no longer kept, or never was a picture.
    pub(crate) fn url(&self) -> Option<String> {
        let data = self.picture.data.as_deref()?;
        let is_kind = crate::cards::picture::KINDS.contains(&self.picture.mime.as_str());
        (is_kind && is_base64(data)).then(|| self.picture.url()).flatten()
    }

    /// What its file is called: a card's name; of a picture that was made, when (ILL-46), as
    /// `stamp` writes it: `YYYYMMDD-HHMMSS`.
    pub(crate) fn file_name(&self, stamp: &str) -> String {
        let made = || format!("al-thumbnail-{stamp}");
        let stem = match self.kind {
            Kind::Made => made(),
            Kind::Card | Kind::Sent => plain(&self.picture.name).unwrap_or_else(made),
        };
        format!("{stem}.{}", self.picture.ending())
    }
}

/// A name that every system takes as a file's; none where nothing is left of it.
fn plain(name: &str) -> Option<String> {
    let is_taken = |it: char| it.is_control() || r#"\/:*?"<>|"#.contains(it);
    let name: String = name.chars().map(|it| if is_taken(it) { ' ' } else { it }).collect();
    let words: Vec<&str> = name.split_whitespace().collect();
    let name: String = words.join(" ").chars().take(NAME_MAX).collect();
    // An ending that is there already would be there twice.
    let endings = [".png", ".jpg", ".jpeg", ".webp", ".gif"];
    let lower = name.to_ascii_lowercase();
    let ending = endings.iter().find(|it| lower.ends_with(**it)).map_or(0, |it| it.len());
    let stem = name.get(..name.len() - ending)?.trim_matches(['.', ' ']);
    (!stem.is_empty()).then(|| stem.to_owned())
}

/// `YYYYMMDD-HHMMSS` of `YYYY-MM-DDTHH:MM:SS`.
pub(crate) fn stamp(time: &str) -> String {
    let digits: String = time.chars().filter(char::is_ascii_digit).take(14).collect();
    match digits.len() {
        14 => format!("{}-{}", &digits[..8], &digits[8..]),
        _ => digits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shot(name: &str, mime: &str, kind: Kind) -> Shot {
        let shot = Shot::of("1".to_owned(), mime, "aGk=", name, 7).unwrap();
        Shot { kind, ..shot }
    }

    #[test]
    fn a_picture_that_was_made_is_named_by_its_time() {
        let stamp = stamp("2026-11-22T09:05:07");
        assert_eq!(stamp, "20261122-090507");
        let made = shot("青の対戦", "image/png", Kind::Made);
        assert_eq!(made.file_name(&stamp), "al-thumbnail-20261122-090507.png");
    }

    #[test]
    fn card_is_named_by_itself_and_by_nothing_that_a_system_refuses() {
        let name =
            |name: &str, mime: &str| shot(name, mime, Kind::Card).file_name("20261122-090507");
        assert_eq!(name("青眼の竜", "image/webp"), "青眼の竜.webp");
        assert_eq!(name("../../etc/passwd", "image/jpeg"), "etc passwd.jpg");
        assert_eq!(name("a:b?\u{7}c.PNG", "image/png"), "a b c.png");
        assert_eq!(name("...", "image/png"), "al-thumbnail-20261122-090507.png");
        assert_eq!(name("", "image/gif"), "al-thumbnail-20261122-090507.gif");
    }

    #[test]
    fn what_is_no_picture_is_not_shown() {
        for (mime, data) in [
            ("image/svg+xml", "aGk="),
            ("image/png", "aGk"),
            ("image/png", "a=Gk"),
            ("text/html", "aGk="),
        ] {
            assert_eq!(Shot::of("1".to_owned(), mime, data, "", 7), None, "{mime} {data}");
        }
        assert!(shot("", "image/png", Kind::Sent).url().is_some());
    }
}
