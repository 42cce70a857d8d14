//! The pictures as resources: an output names a picture by its URI, and there its bytes are, drawn or
//! fetched anew. Nothing is kept for that, so no URI goes out of date.

use toolkit::{
    Stop, User,
    resources::{Contents, Page, Resources, Template, fits},
};

use crate::{
    finding,
    tools::ComposeThumbnail,
    uris::{CARD, THUMBNAIL},
};

/// Serves the pictures of cards and thumbnails as resources.
pub struct Pictures;

impl Resources for Pictures {
    fn templates() -> Vec<Template> {
        vec![
            Template::new(CARD, "card_image")
                .title("カードイラスト / A card's illustration")
                .description("The picture of a card, by the card's name."),
            Template::new(THUMBNAIL, "thumbnail")
                .title("サムネイル / A thumbnail")
                .description("A thumbnail, by the arguments of compose_thumbnail: one card a line.")
                .mime_type("image/png"),
        ]
    }

    fn list(_: Option<&str>) -> Result<Page, Stop> {
        Ok(Vec::new().into())
    }

    fn read(uri: &str, _: &User) -> Result<Option<Vec<Contents>>, Stop> {
        let picture = if let Some([name]) = fits(CARD, uri) {
            finding::card(&name)?
        } else if let Some(arguments) = fits(THUMBNAIL, uri) {
            ComposeThumbnail::of(arguments)?.made()?.picture
        } else {
            return Ok(None);
        };
        Ok(Some(vec![Contents::blob(uri, &picture.mime_type, picture.bytes)]))
    }
}
