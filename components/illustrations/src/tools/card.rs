//! `get_card_illustration`: one card's picture (ILL-1).

use output::illustrations::Illustration;
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User};

use crate::{finding, uris};

/// 指定されたカード名の公式イラストを取得します
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetCardIllustration {
    /// 取得したいカードの名前
    card_name: String,
}

impl Tool for GetCardIllustration {
    const NAME: &str = "get_card_illustration";
    const TITLE: Text =
        Text { ja: "カードイラスト取得", en: "Fetch a card's illustration" };
    const ENGLISH: English = English {
        description: "Fetches the illustration of the card with the given name.",
        arguments: &[("card_name", "The name of the card")],
    };
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    const VIEW: Option<&str> = Some("illustration");
    type Output = Illustration;

    fn call(self, user: &User) -> Result<Illustration, Stop> {
        let picture = finding::card(&self.card_name)?;
        user.show(picture.name.clone());
        user.tell("illustrations/cardName", &picture.name);
        let (uri, mime_type) = (uris::card(&picture.name), picture.mime_type.clone());
        user.show_content(picture.content(&uri));
        Ok(Illustration { mime_type, uri, ..Illustration::default() })
    }
}
