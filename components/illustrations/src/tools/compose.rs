//! `compose_thumbnail`: chosen cards and a title as one picture for a video (ILL-43).

use output::illustrations::Thumbnail;
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User, invalid};

use crate::{
    catalogue,
    compose::{self, Plan, Style},
    picture::Picture,
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
    #[schemars(length(min = 1, max = 5))]
    cards: Vec<String>,
    /// 任意。画像に大きく載せるタイトル（60文字まで）
    #[schemars(length(max = 60))]
    title: Option<String>,
    /// 任意。タイトルに添える一行（60文字まで）
    #[schemars(length(max = 60))]
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
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    const VIEW: Option<&str> = Some("thumbnail");
    type Output = Thumbnail;

    fn call(self, user: &User) -> Result<Thumbnail, Stop> {
        if !(1..=CARDS_MAX).contains(&self.cards.len()) {
            return Err(invalid("/cards", format!("must have 1 to {CARDS_MAX} names")));
        }
        let title = line("/title", self.title.as_deref())?;
        let subtitle = line("/subtitle", self.subtitle.as_deref())?;
        let cards =
            self.cards.iter().map(|it| catalogue::card(it)).collect::<Result<Vec<_>, _>>()?;
        let names: Vec<_> = cards.iter().map(|it| it.name.clone()).collect();
        let plan =
            Plan { cards, title: title.clone(), subtitle, style: self.style, theme: self.theme };
        let composed = compose::compose(&plan)?;
        user.show(names.join("\n"));
        if !composed.missing.is_empty() {
            let missing = composed.missing.iter().collect::<String>();
            user.show(format!("〓: {missing} (not in the font / フォントにない文字)"));
        }
        let picture =
            Picture { name: title.clone(), mime_type: "image/png".to_owned(), bytes: composed.png };
        user.show_content(picture.content());
        let (data, mime_type) = (picture.base64(), picture.mime_type);
        let (width, height) = (compose::WIDTH, compose::HEIGHT);
        Ok(Thumbnail { mime_type, data, title, width, height, cards: names })
    }
}

/// A line of text on the picture: what cannot be drawn, such as line breaks, is a space.
fn line(pointer: &str, text: Option<&str>) -> Result<String, Stop> {
    let text = text.unwrap_or_default();
    if text.chars().nth(LINE_CHARS_MAX).is_some() {
        return Err(invalid(pointer, format!("must have at most {LINE_CHARS_MAX} characters")));
    }
    let plain = text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect::<String>();
    Ok(plain.split_whitespace().collect::<Vec<_>>().join(" "))
}
