//! Examples with the bundled cards that the host tries before it serves the component.

use serde_json::json;
use toolkit::{Example, Tool, example};

use crate::tools::{ComposeThumbnail, GetCardIllustration, GetThemeIllustrations};

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
