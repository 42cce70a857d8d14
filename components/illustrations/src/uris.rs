//! The addresses of pictures, by which outputs name them.

use toolkit::resources::filled;

/// The template of a card's picture.
pub const CARD: &str = "card://{card_name}/image";
/// The template of a thumbnail's.
pub const THUMBNAIL: &str = "thumbnail://compose{?cards,title,subtitle,style,theme}";

/// Where the picture of a card is.
pub fn card(name: &str) -> String {
    filled(CARD, [name])
}

/// Where the thumbnail of these arguments is.
pub fn thumbnail(
    cards: &[String],
    title: &str,
    subtitle: &str,
    style: &str,
    theme: &str,
) -> String {
    filled(THUMBNAIL, [&cards.join("\n"), title, subtitle, style, theme])
}
