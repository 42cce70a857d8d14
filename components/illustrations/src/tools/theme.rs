//! `get_theme_illustrations`: pictures of a theme's cards (ILL-2, ILL-5).

use output::illustrations::{CardIllustration, Illustrations};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User, invalid};

use crate::{finding, uris};

/// Pictures, where the caller does not say how many (ILL-2).
const LIMIT: usize = 5;
/// The most pictures that one call fetches (ILL-4).
const LIMIT_MAX: f64 = 20.0;

/// 指定されたテーマ（アーキタイプ）に属するカードのイラストを複数取得します
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetThemeIllustrations {
    /// テーマ名（例: ブルーアイズ、ブラック・マジシャン）
    #[serde(alias = "theme_name")]
    theme: String,
    /// 取得するイラストの最大枚数（デフォルト: 5）
    limit: Option<f64>,
}

impl Tool for GetThemeIllustrations {
    const NAME: &str = "get_theme_illustrations";
    const TITLE: Text =
        Text { ja: "テーマイラスト取得", en: "Fetch a theme's illustrations" };
    const ENGLISH: English = English {
        description: "Fetches illustrations of several cards that belong to the given theme (archetype).",
        arguments: &[
            ("theme", "The name of the theme (for example: Blue-Eyes, Dark Magician)"),
            ("limit", "The most illustrations to fetch (default: 5)"),
        ],
    };
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    const VIEW: Option<&str> = Some("illustrations");
    const INPUT_SCHEMA: Option<&str> = Some(include_str!("theme/input.json"));
    type Output = Illustrations;

    fn call(self, user: &User) -> Result<Illustrations, Stop> {
        let pictures = finding::theme(&self.theme, limit(self.limit)?)?;
        let names: Vec<_> = pictures.iter().map(|it| it.name.as_str()).collect();
        user.show(names.join("\n"));
        let mut illustrations = Vec::with_capacity(pictures.len());
        for picture in pictures {
            let uri = uris::card(&picture.name);
            let (card_name, mime_type) = (picture.name.clone(), picture.mime_type.clone());
            user.show_content(picture.content(&uri));
            let data = String::new();
            illustrations.push(CardIllustration { card_name, mime_type, uri, data });
        }
        Ok(Illustrations { illustrations })
    }
}

/// An integer from 1 to 20, whatever was asked for; a number with a fraction is a mistake (ILL-4).
fn limit(asked: Option<f64>) -> Result<usize, Stop> {
    let Some(asked) = asked else { return Ok(LIMIT) };
    if asked.fract() != 0.0 {
        return Err(invalid("/limit", "must be an integer from 1 to 20"));
    }
    Ok(asked.clamp(1.0, LIMIT_MAX) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_an_integer_and_brought_between_1_and_20() {
        assert_eq!(limit(None).unwrap(), 5);
        for (asked, got) in [(0.0, 1), (-7.0, 1), (1.0, 1), (6.0, 6), (21.0, 20), (1e9, 20)] {
            assert_eq!(limit(Some(asked)).unwrap(), got, "{asked}");
        }
        for asked in [2.5, f64::NAN, f64::INFINITY] {
            assert!(matches!(limit(Some(asked)), Err(Stop::InvalidArguments(_))), "{asked}");
        }
    }
}
