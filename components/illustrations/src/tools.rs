//! The tools, and the pictures of their outputs as resources. An output names a picture by its URI; reading that draws
//! or fetches the picture again. Nothing is stored, so URIs never expire.

use output::{
    illustrations::{CardIllustration, Illustration, Illustrations, Thumbnail},
    text::is_blank,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use toolkit::{
    Example, Hints, Stop, Text, Tool, User, example, invalid,
    resources::{Contents, Page, Resources, Template, filled, fits},
};

use crate::{
    compose::{self, Plan, Style},
    picture::Picture,
    sources,
};

toolkit::export_tools!(
    readings "readings.txt";
    GetCardIllustration,
    GetThemeIllustrations,
    ComposeThumbnail,
);

/// URI template of a card's picture.
const CARD: &str = "card://{card_name}/image";
/// URI template of a thumbnail.
const THUMBNAIL: &str = "thumbnail://compose{?cards,title,subtitle,style,theme}";

/// 指定されたカード名の公式イラストを取得します
/// en: Fetches the illustration of the card with the given name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetCardIllustration {
    /// 取得したいカードの名前
    /// en: The name of the card
    card_name: String,
}

impl Tool for GetCardIllustration {
    const NAME: &str = "get_card_illustration";
    const TITLE: Text =
        Text { ja: "カードイラスト取得", en: "Fetch a card's illustration" };
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    const VIEW: Option<&str> = Some("illustration");
    type Output = Illustration;

    fn call(self, user: &User) -> Result<Illustration, Stop> {
        let picture = sources::card(&self.card_name)?;
        user.show(picture.name.clone());
        user.tell("illustrations/cardName", &picture.name);
        let (uri, mime_type) = (card_uri(&picture.name), picture.mime_type.clone());
        user.show_content(picture.content(&uri));
        Ok(Illustration { mime_type, uri, ..Illustration::default() })
    }
}

/// Returns the URI of a card's picture.
fn card_uri(name: &str) -> String {
    filled(CARD, [name])
}

/// Default number of pictures (ILL-2).
const LIMIT: usize = 5;
/// Maximum number of pictures per call (ILL-4).
const LIMIT_MAX: f64 = 20.0;

/// 指定されたテーマ（アーキタイプ）に属するカードのイラストを複数取得します
/// en: Fetches illustrations of several cards that belong to the given theme (archetype).
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetThemeIllustrations {
    /// テーマ名（例: ブルーアイズ、ブラック・マジシャン）
    /// en: The name of the theme (for example: Blue-Eyes, Dark Magician)
    #[serde(alias = "theme_name")]
    theme: String,
    /// 取得するイラストの最大枚数（デフォルト: 5）
    /// en: The most illustrations to fetch (default: 5)
    limit: Option<f64>,
}

impl Tool for GetThemeIllustrations {
    const NAME: &str = "get_theme_illustrations";
    const TITLE: Text =
        Text { ja: "テーマイラスト取得", en: "Fetch a theme's illustrations" };
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    const VIEW: Option<&str> = Some("illustrations");
    const INPUT_SCHEMA: Option<&str> = Some(include_str!("tools/theme/input.json"));
    type Output = Illustrations;

    fn call(self, user: &User) -> Result<Illustrations, Stop> {
        let pictures = sources::theme(&self.theme, limit(self.limit)?)?;
        let names: Vec<_> = pictures.iter().map(|it| it.name.as_str()).collect();
        user.show(names.join("\n"));
        let mut illustrations = Vec::with_capacity(pictures.len());
        for picture in pictures {
            let uri = card_uri(&picture.name);
            let (card_name, mime_type) = (picture.name.clone(), picture.mime_type.clone());
            user.show_content(picture.content(&uri));
            let data = String::new();
            illustrations.push(CardIllustration { card_name, mime_type, uri, data });
        }
        Ok(Illustrations { illustrations })
    }
}

/// Clamps the requested limit to 1 to 20; fractions are refused (ILL-4).
fn limit(asked: Option<f64>) -> Result<usize, Stop> {
    let Some(asked) = asked else { return Ok(LIMIT) };
    if asked.fract() != 0.0 {
        return Err(invalid("/limit", "must be an integer from 1 to 20"));
    }
    Ok(asked.clamp(1.0, LIMIT_MAX) as usize)
}

/// Maximum number of cards on a picture.
const CARDS_MAX: usize = 5;
/// Maximum number of characters of a line of text.
const LINE_CHARS_MAX: usize = 60;

/// 選んだカードのイラストとタイトルから、対戦動画用のサムネイル画像（1280×720のPNG）を作成します
/// en: Composes a thumbnail for a video of a match (a PNG of 1280×720) of chosen cards' illustrations and a title.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ComposeThumbnail {
    /// 使うカードの名前（1〜5枚、左から順）
    /// en: The names of the cards to use (1 to 5, from left to right)
    cards: Vec<String>,
    /// 任意。画像に大きく載せるタイトル（60文字まで）
    /// en: Optional. The title, big on the picture (at most 60 characters)
    title: Option<String>,
    /// 任意。タイトルに添える一行（60文字まで）
    /// en: Optional. A line beside the title (at most 60 characters)
    subtitle: Option<String>,
    /// 任意。構図：versus（対戦）、spread（横並び）、spotlight（主役）。指定がなければ枚数で決まる
    /// en: Optional. The layout: versus, spread or spotlight. By the number of cards where it is not said
    style: Option<Style>,
    /// 任意。背景の色合いにするテーマ名。指定がなければ最初のカードから決まる
    /// en: Optional. The theme whose colours the background has. By the first card where it is not said
    theme: Option<String>,
}

impl Tool for ComposeThumbnail {
    const NAME: &str = "compose_thumbnail";
    const TITLE: Text = Text { ja: "サムネイル作成", en: "Compose a thumbnail" };
    const LABELS: &[(&str, Text)] = &[("style", Text { ja: "構図", en: "Layout" })];
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    const VIEW: Option<&str> = Some("thumbnail");
    const INPUT_SCHEMA: Option<&str> = Some(include_str!("tools/compose/input.json"));
    type Output = Thumbnail;

    fn call(self, user: &User) -> Result<Thumbnail, Stop> {
        let (theme, style) = (self.theme.clone().unwrap_or_default(), self.style);
        let Composition { picture, cards, subtitle, missing } = self.compose()?;
        user.show(cards.join("\n"));
        if !missing.is_empty() {
            let missing = missing.iter().collect::<String>();
            user.show(format!("〓: {missing} (not in the font / フォントにない文字)"));
        }
        let (title, mime_type) = (picture.name.clone(), picture.mime_type.clone());
        let style = style.map(Style::name).unwrap_or_default();
        let uri = filled(THUMBNAIL, [&cards.join("\n"), &title, &subtitle, style, &theme]);
        user.show_content(picture.content(&uri));
        let (width, height, data) = (compose::WIDTH, compose::HEIGHT, String::new());
        Ok(Thumbnail { mime_type, uri, data, title, width, height, cards })
    }
}

/// A thumbnail and its parts.
struct Composition {
    /// The picture, named by its title.
    picture: Picture,
    /// The names of the cards on it.
    cards: Vec<String>,
    subtitle: String,
    /// Characters that the font lacks.
    missing: Vec<char>,
}

impl ComposeThumbnail {
    /// Parses the arguments of a URI: one card per line, empty where absent.
    ///
    /// # Errors
    /// When the style is unknown.
    fn from_texts([cards, title, subtitle, style, theme]: [String; 5]) -> Result<Self, Stop> {
        let given = |it: String| (!it.is_empty()).then_some(it);
        let unknown = |_| invalid("", "style: must be versus, spread or spotlight");
        let style = given(style).map(|it| serde_json::from_value(it.into()).map_err(unknown));
        Ok(Self {
            cards: cards.lines().map(str::to_owned).collect(),
            title: given(title),
            subtitle: given(subtitle),
            style: style.transpose()?,
            theme: given(theme),
        })
    }

    /// Composes the thumbnail.
    ///
    /// # Errors
    /// When an argument is invalid, or a card or theme does not exist.
    fn compose(self) -> Result<Composition, Stop> {
        if !(1..=CARDS_MAX).contains(&self.cards.len()) {
            return Err(invalid("/cards", format!("must have 1 to {CARDS_MAX} names")));
        }
        let title = line("/title", self.title.as_deref())?;
        let subtitle = line("/subtitle", self.subtitle.as_deref())?;
        let cards = self.cards.iter().map(|it| sources::card(it)).collect::<Result<Vec<_>, _>>()?;
        let names = cards.iter().map(|it| it.name.clone()).collect();
        let plan = Plan {
            cards,
            title: title.clone(),
            subtitle: subtitle.clone(),
            style: self.style,
            // Some models fill in empty texts instead of leaving arguments out.
            theme: self.theme.filter(|it| !is_blank(it)),
        };
        let composed = compose::compose(&plan)?;
        let picture =
            Picture { name: title, mime_type: "image/png".to_owned(), bytes: composed.png };
        Ok(Composition { picture, cards: names, subtitle, missing: composed.missing })
    }
}

/// Checks a line of text; control characters such as line breaks become spaces.
fn line(pointer: &str, text: Option<&str>) -> Result<String, Stop> {
    let text = text.filter(|it| !is_blank(it)).unwrap_or_default();
    if text.chars().nth(LINE_CHARS_MAX).is_some() {
        return Err(invalid(pointer, format!("must have at most {LINE_CHARS_MAX} characters")));
    }
    let plain = text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect::<String>();
    Ok(plain.split_whitespace().collect::<Vec<_>>().join(" "))
}

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
            sources::card(&name)?
        } else if let Some(arguments) = fits(THUMBNAIL, uri) {
            ComposeThumbnail::from_texts(arguments)?.compose()?.picture
        } else {
            return Ok(None);
        };
        Ok(Some(vec![Contents::blob(uri, &picture.mime_type, picture.bytes)]))
    }
}

/// Returns the examples: a card, a theme, a thumbnail, and an unknown card.
pub fn examples() -> Vec<Example> {
    vec![
        example(
            "a card is found by its name (ILL-1)",
            GetCardIllustration::NAME,
            json!({ "card_name": "蒼晶竜アジュール" }),
        )
        .gives(json!({ "mimeType": "image/png" })),
        example(
            "a card that nobody knows is refused (ILL-4)",
            GetCardIllustration::NAME,
            json!({ "card_name": "zzzz" }),
        )
        .refuses("card_not_found"),
        example(
            "a theme is found by its colour, and by its other argument's name (ILL-2, ILL-5)",
            GetThemeIllustrations::NAME,
            json!({ "theme_name": "ブルー", "limit": 1 }),
        )
        .gives(json!({ "illustrations": [
            { "card_name": "蒼晶竜アジュール", "mimeType": "image/png" },
        ] })),
        example(
            "half a card is no limit (ILL-4)",
            GetThemeIllustrations::NAME,
            json!({ "theme": "青", "limit": 2.5 }),
        )
        .refuses_the_arguments(),
        example(
            "a card and a title make a thumbnail",
            ComposeThumbnail::NAME,
            json!({ "cards": ["雪兎ユキ"], "title": "雪月花" }),
        )
        .gives(json!({ "mimeType": "image/png", "width": 1280, "height": 720 })),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clamps_limit_and_refuses_fractions() {
        assert_eq!(limit(None).unwrap(), 5);
        for (asked, got) in [(0.0, 1), (-7.0, 1), (1.0, 1), (6.0, 6), (21.0, 20), (1e9, 20)] {
            assert_eq!(limit(Some(asked)).unwrap(), got, "{asked}");
        }
        for asked in [2.5, f64::NAN, f64::INFINITY] {
            assert!(matches!(limit(Some(asked)), Err(Stop::InvalidArguments(_))), "{asked}");
        }
    }
}
