//! Card illustrations and the thumbnails composed of them (ILL-1, ILL-2), as pictures.

use leptos::prelude::*;
use output::illustrations::{Illustration, Illustrations, Thumbnail};
use serde_json::Value;

use crate::browser;
use crate::cards::picture::{Kind, SHOTS_MAX, Shot};
use crate::part::{Part, part};
use crate::table::{Drawing, Family, Greeting, NONE, Outputs, View, counted, fits};
use crate::text::{Key, Lang};
use crate::views::cards::PictureGrid;

pub(super) static FAMILY: Family = Family {
    tools: ("illustrations", Key::CardsTools),
    views: &[
        View { pictures: Some(|value| vec![value]), ..View::new("illustration") },
        View {
            pictures: Some(|value| {
                let list = value.get("illustrations").and_then(Value::as_array);
                list.into_iter().flatten().take(SHOTS_MAX).collect()
            }),
            ..View::new("illustrations")
        },
        View { pictures: Some(|value| vec![value]), is_answer: true, ..View::new("thumbnail") },
    ],
    example: Some(("get_theme_illustrations", Key::ChatExCards)),
    greeting: Some(Greeting {
        assistant: "illustrations",
        title: Key::ChatWelcomePictures,
        hint: Key::ChatWelcomePicturesHint,
        examples: &[Key::ChatExCards, Key::ChatExCardsMore, Key::ChatExCardsTitle],
    }),
    outputs: &OUTPUTS,
    ..NONE
};

static OUTPUTS: Part<Outputs> = part!(illustrations: Outputs = &Outputs(&[
    Drawing {
        draw: |value, raw| card(&fits(&with_bytes(value, raw))?, raw),
        summary: |_| counted(Key::CardPictures, 1),
    },
    Drawing {
        draw: |value, raw| Some(cards(fits(&with_bytes(value, raw))?)),
        summary: |value| {
            counted(Key::CardPictures, fits::<Illustrations>(value)?.illustrations.len())
        },
    },
    Drawing {
        draw: |value, raw| thumbnail(fits(&with_bytes(value, raw))?),
        summary: |value| match fits::<Thumbnail>(value)?.title {
            title if title.is_empty() => Some((Key::PictureMade, Vec::new())),
            title => Some((Key::PictureMadeNamed, vec![title])),
        },
    },
]));

/// `value` with the bytes of the accompanying pictures, as `data` with their `uri`.
fn with_bytes(value: &Value, raw: &Value) -> Value {
    fn fill(value: &mut Value, pictures: &[(&str, &Value)]) {
        match value {
            Value::Array(all) => all.iter_mut().for_each(|it| fill(it, pictures)),
            Value::Object(fields) => {
                let uri = fields.get("uri").and_then(Value::as_str);
                let found = uri.and_then(|uri| pictures.iter().find(|it| it.0 == uri));
                if let Some((_, data)) = found {
                    fields.entry("data").or_insert_with(|| (*data).clone());
                }
                fields.values_mut().for_each(|it| fill(it, pictures));
            }
            _ => {}
        }
    }
    let content = raw.get("content").and_then(Value::as_array).into_iter().flatten();
    let named = content
        .filter_map(|it| Some((it.pointer("/_meta/madoguchi~1uri")?.as_str()?, it.get("data")?)));
    let pictures: Vec<_> = named.take(SHOTS_MAX).collect();
    let mut value = value.clone();
    if !pictures.is_empty() {
        fill(&mut value, &pictures);
    }
    value
}

/// Draws the illustration of one card; none if it is no picture.
fn card(card: &Illustration, raw: &Value) -> Option<AnyView> {
    let name = requested_name(raw).unwrap_or_default();
    let shot = shot(&card.mime_type, &card.data, &name)?;
    Some(any_view! { <PictureGrid shots=vec![shot]/> })
}

/// Draws the illustrations of a theme; invalid pictures are counted.
fn cards(cards: Illustrations) -> AnyView {
    let all = cards.illustrations.len();
    let shots = cards.illustrations.into_iter().take(SHOTS_MAX);
    let shots: Vec<Shot> =
        shots.filter_map(|it| shot(&it.mime_type, &it.data, &it.card_name)).collect();
    let left_out = all - shots.len();
    let omitted = (left_out > 0).then(|| {
        view! { <p class="hint">{move || Key::Truncated.fill(&[&left_out.to_string()])}</p> }
    });
    any_view! { <PictureGrid shots/>{omitted} }
}

/// Draws a composed thumbnail; none if it is no picture.
fn thumbnail(thumbnail: Thumbnail) -> Option<AnyView> {
    let Thumbnail { mime_type, data, title, width, height, cards, .. } = thumbnail;
    let lang = Lang::now();
    let name = lang.fill(Key::PictureMadeNamed, &[&title]);
    let name = if title.is_empty() { lang.say(Key::PictureMade).to_owned() } else { name };
    let shot = shot(&mime_type, &data, &name)?;
    let mut facts = vec![lang.fill(Key::PictureSize, &[&width.to_string(), &height.to_string()])];
    if !cards.is_empty() {
        let cards: Vec<String> = cards.into_iter().take(SHOTS_MAX).collect();
        facts.push(lang.fill(Key::PictureCards, &[&cards.join(lang.comma())]));
    }
    let shot = Shot { kind: Kind::Made, facts, ..shot };
    Some(any_view! { <PictureGrid shots=vec![shot]/> })
}

fn shot(mime: &str, data: &str, name: &str) -> Option<Shot> {
    Shot::from_result(browser::unique(), mime, data, name, browser::now_ms() as u64)
}

/// The requested card's name, which an illustration itself does not contain.
fn requested_name(raw: &Value) -> Option<String> {
    if let Some(name) = raw.pointer("/arguments/card_name").and_then(Value::as_str) {
        return Some(name.to_owned());
    }
    let texts = raw.get("content")?.as_array()?.iter().filter_map(|it| it.get("text")?.as_str());
    let mut names = texts.map(str::trim).filter(|it| !it.starts_with(['{', '[']));
    names.find(|it| !it.is_empty() && it.chars().count() <= 80).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn matches_pictures_to_output_by_uri() {
        let value = json!({ "illustrations": [{ "uri": "card://2" }, { "uri": "card://1" }] });
        let picture = |uri: &str, data: &str| {
            json!({ "type": "image", "mimeType": "image/png", "data": data,
                "_meta": { "madoguchi/uri": uri } })
        };
        let raw = json!({ "content": [picture("card://1", "YQ=="), picture("card://2", "Yg==")] });
        let filled = with_bytes(&value, &raw);
        assert_eq!(filled.pointer("/illustrations/0/data"), Some(&json!("Yg==")));
        assert_eq!(filled.pointer("/illustrations/1/data"), Some(&json!("YQ==")));
        assert_eq!(with_bytes(&value, &json!({})), value);
    }

    #[test]
    fn names_card_by_requested_name() {
        let raw = json!({ "arguments": { "card_name": "青い竜" } });
        assert_eq!(requested_name(&raw).as_deref(), Some("青い竜"));
        let raw = json!({ "content": [
            { "type": "text", "text": "{\"mimeType\":\"image/png\"}" },
            { "type": "text", "text": "青い竜" },
        ] });
        assert_eq!(requested_name(&raw).as_deref(), Some("青い竜"));
        assert_eq!(requested_name(&json!({})), None);
    }
}
