//! The pictures as resources: an output names a picture by its URI, and there its bytes are, drawn or
//! fetched anew. Nothing is kept for that, so no URI goes out of date.

use toolkit::{
    Stop, User,
    resources::{Contents, Page, Resources, Template, filled, fits},
};

use crate::{catalogue, tools::ComposeThumbnail};

const CARD: &str = "card://{card_name}/image";
const THUMBNAIL: &str = "thumbnail://compose{?cards,title,subtitle,style,theme}";

/// Where the picture of a card is.
#[must_use]
pub fn card_uri(name: &str) -> String {
    filled(CARD, [name])
}

/// Where the thumbnail of these arguments is.
#[must_use]
pub fn thumbnail_uri(
    cards: &[String],
    title: &str,
    subtitle: &str,
    style: &str,
    theme: &str,
) -> String {
    filled(THUMBNAIL, [&cards.join("\n"), title, subtitle, style, theme])
}

/// The pictures.
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
            catalogue::card(&name)?
        } else if let Some(arguments) = fits(THUMBNAIL, uri) {
            ComposeThumbnail::of(arguments)?.made()?.picture
        } else {
            return Ok(None);
        };
        Ok(Some(vec![Contents::blob(uri, &picture.mime_type, picture.bytes)]))
    }
}
