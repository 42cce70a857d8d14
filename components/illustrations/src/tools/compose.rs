//! `compose_thumbnail`: chosen cards and a title as one picture for a video (ILL-43).

use output::{illustrations::Thumbnail, text::is_blank};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User, invalid};

use crate::{
    compose::{self, Plan, Style},
    finding,
    picture::Picture,
    uris,
};

/// Cards that one picture has room for.
const CARDS_MAX: usize = 5;
/// Characters that a line of text may have.
const LINE_CHARS_MAX: usize = 60;

/// 選んだカードのイラストとタイトルから、対戦動画用のサムネイル画像（1280×720のPNG）を作成します
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ComposeThumbnail {
    /// 使うカードの名前（1〜5枚、左から順）
    cards: Vec<String>,
    /// 任意。画像に大きく載せるタイトル（60文字まで）
    title: Option<String>,
    /// 任意。タイトルに添える一行（60文字まで）
    subtitle: Option<String>,
    /// 任意。構図：versus（対戦）、spread（横並び）、spotlight（主役）。指定がなければ枚数で決まる
    style: Option<Style>,
    /// 任意。背景の色合いにするテーマ名。指定がなければ最初のカードから決まる
    theme: Option<String>,
}

impl Tool for ComposeThumbnail {
    const NAME: &str = "compose_thumbnail";
    const TITLE: Text = Text { ja: "サムネイル作成", en: "Compose a thumbnail" };
    const ENGLISH: English = English {
        description: "Composes a thumbnail for a video of a match (a PNG of 1280×720) of chosen cards' illustrations and a title.",
        arguments: &[
            ("cards", "The names of the cards to use (1 to 5, from left to right)"),
            ("title", "Optional. The title, big on the picture (at most 60 characters)"),
            ("subtitle", "Optional. A line beside the title (at most 60 characters)"),
            (
                "style",
                "Optional. The layout: versus, spread or spotlight. By the number of cards where it is not said",
            ),
            (
                "theme",
                "Optional. The theme whose colours the background has. By the first card where it is not said",
            ),
        ],
    };
    const LABELS: &[(&str, Text)] = &[("style", Text { ja: "構図", en: "Layout" })];
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    const VIEW: Option<&str> = Some("thumbnail");
    const INPUT_SCHEMA: Option<&str> = Some(include_str!("compose/input.json"));
    type Output = Thumbnail;

    fn call(self, user: &User) -> Result<Thumbnail, Stop> {
        let (theme, style) = (self.theme.clone().unwrap_or_default(), self.style);
        let Made { picture, cards, subtitle, missing } = self.made()?;
        user.show(cards.join("\n"));
        if !missing.is_empty() {
            let missing = missing.iter().collect::<String>();
            user.show(format!("〓: {missing} (not in the font / フォントにない文字)"));
        }
        let (title, mime_type) = (picture.name.clone(), picture.mime_type.clone());
        let style = style.map(Style::name).unwrap_or_default();
        let uri = uris::thumbnail(&cards, &title, &subtitle, style, &theme);
        user.show_content(picture.content(&uri));
        let (width, height, data) = (compose::WIDTH, compose::HEIGHT, String::new());
        Ok(Thumbnail { mime_type, uri, data, title, width, height, cards })
    }
}

/// A thumbnail, and what it was made of.
pub struct Made {
    /// Name by its title.
    pub picture: Picture,
    /// The names of the cards on it.
    cards: Vec<String>,
    subtitle: String,
    /// Letters that the font does not have.
    missing: Vec<char>,
}

impl ComposeThumbnail {
    /// The arguments as texts, as a URI has them: one card a line, and nothing where it is empty.
    ///
    /// # Errors
    /// Where the style is none.
    pub fn of([cards, title, subtitle, style, theme]: [String; 5]) -> Result<Self, Stop> {
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

    /// The thumbnail.
    ///
    /// # Errors
    /// Where an argument does not fit, or a card or a theme is not there.
    pub fn made(self) -> Result<Made, Stop> {
        if !(1..=CARDS_MAX).contains(&self.cards.len()) {
            return Err(invalid("/cards", format!("must have 1 to {CARDS_MAX} names")));
        }
        let title = line("/title", self.title.as_deref())?;
        let subtitle = line("/subtitle", self.subtitle.as_deref())?;
        let cards = self.cards.iter().map(|it| finding::card(it)).collect::<Result<Vec<_>, _>>()?;
        let names = cards.iter().map(|it| it.name.clone()).collect();
        let plan = Plan {
            cards,
            title: title.clone(),
            subtitle: subtitle.clone(),
            style: self.style,
            // Some models leave nothing out, and write nothing there instead.
            theme: self.theme.filter(|it| !is_blank(it)),
        };
        let composed = compose::compose(&plan)?;
        let picture =
            Picture { name: title, mime_type: "image/png".to_owned(), bytes: composed.png };
        Ok(Made { picture, cards: names, subtitle, missing: composed.missing })
    }
}

/// A line of text on the picture: what cannot be drawn, such as line breaks, is a space.
fn line(pointer: &str, text: Option<&str>) -> Result<String, Stop> {
    let text = text.filter(|it| !is_blank(it)).unwrap_or_default();
    if text.chars().nth(LINE_CHARS_MAX).is_some() {
        return Err(invalid(pointer, format!("must have at most {LINE_CHARS_MAX} characters")));
    }
    let plain = text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect::<String>();
    Ok(plain.split_whitespace().collect::<Vec<_>>().join(" "))
}
