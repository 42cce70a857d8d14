//! Card illustrations: one card's, a theme's, and a thumbnail composed of them (ILL-1 to ILL-6).

use output::illustrations::Illustration;
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User, refused};

toolkit::export_tools!(GetCardIllustration);

/// 指定されたカード名の公式イラストを取得します
#[derive(Deserialize, JsonSchema)]
pub struct GetCardIllustration {
    /// 取得したいカードの名前
    pub card_name: String,
}

impl Tool for GetCardIllustration {
    const NAME: &str = "get_card_illustration";
    const TITLE: Text =
        Text { ja: "カードイラスト取得", en: "Fetch a card's illustration" };
    const ENGLISH: English = English {
        description: "Fetches the illustration of a card.",
        arguments: &[("card_name", "The card's name")],
    };
    const HINTS: Hints = Hints::READ_ONLY;
    type Output = Illustration;

    fn call(self, _user: &User) -> Result<Illustration, Stop> {
        let message = format!("There is no card {:?}.", self.card_name);
        Err(refused("card_not_found", 404, message))
    }
}
