//! The pictures of a conversation: made by the assistant, fetched by a tool, or attached by the person; how one is
//! shown and saved, and which of them are wanted (ILL-45).

use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::base64::is_base64;

/// A picture of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Picture {
    /// Under what the browser keeps its bytes over a reload; no other picture has the same.
    pub(crate) id: String,
    /// `image/png`, `image/jpeg`, `image/webp`, `image/gif`: anything else is not taken.
    pub(crate) mime: String,
    /// What it is called, where it has a name: a card's name, a file's.
    pub(crate) name: String,
    /// When it came, in milliseconds since 1970.
    pub(crate) at_ms: u64,
    /// Base64; none where it is no longer kept. Kept apart from the conversation.
    #[serde(skip)]
    pub(crate) data: Option<Arc<str>>,
}

/// Kinds of pictures that are shown and sent.
pub(crate) const KINDS: [&str; 4] = ["image/png", "image/jpeg", "image/webp", "image/gif"];
/// Characters of base64 of one picture.
const DATA_MAX: usize = 14 << 20;

impl Picture {
    /// A picture that came from outside; none where it is none.
    pub(crate) fn of(id: String, mime: &str, data: &str, name: &str, at_ms: u64) -> Option<Self> {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
        let is_data = !data.is_empty() && data.len() <= DATA_MAX && data.bytes().all(is_letter);
        (KINDS.contains(&mime) && is_data).then(|| Self {
            id,
            mime: mime.to_owned(),
            name: name.chars().filter(|it| !it.is_control()).take(120).collect(),
            at_ms,
            data: Some(data.into()),
        })
    }

    /// What an `img` can show; none where the bytes are no longer kept.
    pub(crate) fn url(&self) -> Option<String> {
        let data = self.data.as_ref()?;
        Some(format!("data:{};base64,{data}", self.mime))
    }

    /// How its file's name ends.
    pub(crate) fn ending(&self) -> &'static str {
        match self.mime.as_str() {
            "image/jpeg" => "jpg",
            "image/webp" => "webp",
            "image/gif" => "gif",
            _ => "png",
        }
    }
}

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
        let is_kind = KINDS.contains(&self.picture.mime.as_str());
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

/// A choice among `count` things.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Picked {
    count: usize,
    chosen: BTreeSet<usize>,
}

impl Picked {
    /// All of them: a reader who only wants to go on has nothing to do.
    pub(crate) fn all(count: usize) -> Self {
        Self { count, chosen: (0..count).collect() }
    }

    /// None of them.
    pub(crate) fn none(count: usize) -> Self {
        Self { count, chosen: BTreeSet::new() }
    }

    /// Takes one in, or out.
    pub(crate) fn turn(&mut self, index: usize) {
        if index < self.count && !self.chosen.remove(&index) {
            self.chosen.insert(index);
        }
    }

    pub(crate) fn has(&self, index: usize) -> bool {
        self.chosen.contains(&index)
    }

    /// How many are chosen, and of how many.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.chosen.len(), self.count)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.chosen.len() == self.count
    }

    /// The things themselves, in their own order.
    pub(crate) fn of<T>(&self, all: impl IntoIterator<Item = T>) -> Vec<T> {
        all.into_iter().enumerate().filter(|(it, _)| self.has(*it)).map(|it| it.1).collect()
    }
}

/// An `Arc` that is written down like what is in it.
#[derive(Debug, Default)]
pub(crate) struct Shared<T>(Arc<T>);

impl<T> Shared<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T: Clone> Shared<T> {
    /// To be changed; those who hold the one from before keep that.
    pub(crate) fn change(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        // A large result is compared only where it may be another.
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl<T: Eq> Eq for Shared<T> {}

impl<T: Serialize> Serialize for Shared<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(to)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Shared<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::deserialize(from).map(Self::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_pictures() {
        let of = |mime: &str, data: &str| Picture::of("1".to_owned(), mime, data, "青", 7);
        let picture = of("image/png", "aGk=").unwrap();
        assert_eq!(picture.url().as_deref(), Some("data:image/png;base64,aGk="));
        for (mime, data) in [
            ("image/svg+xml", "aGk="),
            ("text/html", "aGk="),
            ("image/png", ""),
            ("image/png", "<svg>"),
            ("image/png;a=\"", "aGk="),
        ] {
            assert_eq!(of(mime, data), None, "{mime} {data}");
        }
    }

    #[test]
    fn stores_picture_bytes_outside_the_chat() {
        let picture = Picture::of("1".to_owned(), "image/webp", "aGk=", "", 7).unwrap();
        let text = serde_json::to_string(&picture).unwrap();
        assert!(!text.contains("aGk="), "{text}");
        let back: Picture = serde_json::from_str(&text).unwrap();
        assert_eq!((back.data, back.mime.as_str()), (None, "image/webp"));
    }

    fn shot(name: &str, mime: &str, kind: Kind) -> Shot {
        let shot = Shot::of("1".to_owned(), mime, "aGk=", name, 7).unwrap();
        Shot { kind, ..shot }
    }

    #[test]
    fn names_generated_picture_by_its_time() {
        let stamp = stamp("2026-11-22T09:05:07");
        assert_eq!(stamp, "20261122-090507");
        let made = shot("青の対戦", "image/png", Kind::Made);
        assert_eq!(made.file_name(&stamp), "al-thumbnail-20261122-090507.png");
    }

    #[test]
    fn card_file_name_has_no_reserved_characters() {
        let name =
            |name: &str, mime: &str| shot(name, mime, Kind::Card).file_name("20261122-090507");
        assert_eq!(name("青眼の竜", "image/webp"), "青眼の竜.webp");
        assert_eq!(name("../../etc/passwd", "image/jpeg"), "etc passwd.jpg");
        assert_eq!(name("a:b?\u{7}c.PNG", "image/png"), "a b c.png");
        assert_eq!(name("...", "image/png"), "al-thumbnail-20261122-090507.png");
        assert_eq!(name("", "image/gif"), "al-thumbnail-20261122-090507.gif");
    }

    #[test]
    fn omits_what_is_no_picture() {
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

    #[test]
    fn toggling_a_pick_keeps_the_order() {
        let mut picked = Picked::none(3);
        for index in [2, 0, 9] {
            picked.turn(index);
        }
        assert_eq!(picked.counts(), (2, 3));
        assert_eq!(picked.of(["a", "b", "c"]), ["a", "c"]);
        picked.turn(2);
        assert!(picked.has(0) && !picked.has(2) && !picked.is_full() && !picked.is_empty());
    }

    #[test]
    fn picks_all_or_none() {
        assert!(Picked::all(2).is_full());
        assert!(Picked::none(2).is_empty());
        assert_eq!(Picked::all(2).of(["a", "b"]), ["a", "b"]);
    }
}
