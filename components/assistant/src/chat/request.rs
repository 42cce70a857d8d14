//! Parses the body of a request; errors name the field (ILL-41, ILL-42).

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use output::text::is_blank;
use serde_json::Value;

use super::Refusal;
use crate::{Image, Language, Message, Part};

/// Maximum bytes of a field's name in an error.
const POSITION_BYTES_MAX: usize = 200;
/// Maximum characters of a message. Form values are sent in it (FORM-5):
/// `output::form::VALUES_BYTES_MAX`, plus indentation.
const MESSAGE_MAX: usize = 600_000;
/// Maximum entries of the history, and how many of the last are used.
const HISTORY_MAX: usize = 1_000;
const HISTORY_USED: usize = 20;
/// Maximum parts of an entry, and pictures of a message.
const PARTS_MAX: usize = 64;
/// Members that belong to the host's API: approvals of pending calls.
const HOST_ONLY: [&str; 3] = ["approvals", "answers", "trusts"];
/// Picture types that all providers accept.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/// The body of `POST /api/chat`.
#[derive(Debug, Default)]
pub(super) struct ChatInput {
    pub(super) message: String,
    pub(super) images: Vec<Image>,
    /// The earlier messages that are used.
    pub(super) history: Vec<Message>,
    pub(super) assistant: Option<String>,
    pub(super) turn: Option<String>,
    pub(super) chooses: bool,
    pub(super) selected: Option<Vec<Image>>,
}

/// Parses fields, with errors in `language`.
struct Reader {
    language: Language,
}

impl ChatInput {
    pub(super) fn read(body: &[u8], language: Language) -> Result<Self, Refusal> {
        let reader = Reader { language };
        let text = std::str::from_utf8(body);
        let fields: Value = text
            .map_err(|_| "it is not UTF-8".to_owned())
            .and_then(|it| toolkit::arguments::parse(it).map_err(|it| it.message))
            .map_err(|why| Refusal::invalid(format!("JSON: {why}"), language))?;
        let Value::Object(mut fields) = fields else {
            return Err(reader.wrong("body", "JSONオブジェクト", "a JSON object"));
        };
        if let Some(name) = HOST_ONLY.into_iter().find(|it| fields.contains_key(*it)) {
            return Err(Refusal::host_only(name, language));
        }
        let mut take = |name: &str| fields.remove(name).filter(|it| !it.is_null());
        let mut input = Self {
            turn: reader.text("turn", take("turn"))?,
            assistant: reader.text("assistant", take("assistant"))?,
            chooses: reader.flag("choose", take("choose"))?,
            selected: take("selectedImages")
                .map(|it| reader.images("selectedImages", it))
                .transpose()?,
            ..Self::default()
        };
        input.message = reader.message(take("message"), input.resumes())?;
        if let Some(images) = take("images") {
            input.images = reader.images("images", images)?;
        }
        if let Some(history) = take("history") {
            input.history = reader.history(history, &input.message)?;
        }
        Ok(input)
    }

    /// Whether the request answers pending calls, so that it needs no message.
    fn resumes(&self) -> bool {
        self.turn.is_some()
    }
}

impl Reader {
    /// Returns an error: `place` must be what the two texts say.
    fn wrong(&self, place: &str, japanese: &str, english: &str) -> Refusal {
        let end = place.floor_char_boundary(POSITION_BYTES_MAX);
        let place = if end < place.len() { format!("{}…", &place[..end]) } else { place.into() };
        let details = self.language.pick(
            format!("{place}は{japanese}にしてください"),
            format!("{place} must be {english}"),
        );
        Refusal::invalid(details, self.language)
    }

    fn message(&self, message: Option<Value>, may_be_missing: bool) -> Result<String, Refusal> {
        let language = self.language;
        let missing = |japanese: &str, english: &str| {
            Refusal::no_message(language.pick(japanese, english), language)
        };
        let text = match message {
            None => String::new(),
            Some(Value::String(text)) if is_blank(&text) => String::new(),
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(_) => {
                return Err(missing("messageは文字列にしてください", "message must be a string"));
            }
        };
        if text.chars().nth(MESSAGE_MAX).is_some() {
            let most = format!("{MESSAGE_MAX}文字までの文字列");
            let english = format!("a string of at most {MESSAGE_MAX} characters");
            return Err(self.wrong("message", &most, &english));
        }
        match text.is_empty() && !may_be_missing {
            false => Ok(text),
            true => Err(missing(
                "1文字以上の文字列が必要です。空にできるのは、turnがあるときだけです",
                "A string of one character or more; it may be empty only where there is a turn",
            )),
        }
    }

    fn text(&self, name: &str, value: Option<Value>) -> Result<Option<String>, Refusal> {
        match value {
            None => Ok(None),
            Some(Value::String(it)) if (1..=128).contains(&it.len()) => Ok(Some(it)),
            Some(_) => Err(self.wrong(name, "1〜128バイトの文字列", "a string of 1 to 128 bytes")),
        }
    }

    fn flag(&self, name: &str, value: Option<Value>) -> Result<bool, Refusal> {
        match value {
            None => Ok(false),
            Some(Value::Bool(it)) => Ok(it),
            Some(_) => Err(self.wrong(name, "trueかfalse", "true or false")),
        }
    }

    fn list(&self, place: &str, value: Value, most: usize) -> Result<Vec<Value>, Refusal> {
        match value {
            Value::Array(it) if it.len() <= most => Ok(it),
            _ => {
                let english = format!("a list of at most {most} entries");
                Err(self.wrong(place, &format!("{most}件までの配列"), &english))
            }
        }
    }

    fn images(&self, name: &str, value: Value) -> Result<Vec<Image>, Refusal> {
        let list = self.list(name, value, PARTS_MAX)?;
        let each = |(at, mut it): (usize, Value)| self.image(&format!("{name}[{at}]"), &mut it);
        list.into_iter().enumerate().map(each).collect()
    }

    fn image(&self, place: &str, value: &mut Value) -> Result<Image, Refusal> {
        let kind = value["mimeType"].as_str().filter(|it| PICTURES.contains(it));
        let Some(mime_type) = kind.map(str::to_owned) else {
            let kinds = PICTURES.join(", ");
            let place = format!("{place}.mimeType");
            let japanese = format!("次のいずれか（{kinds}）");
            return Err(self.wrong(&place, &japanese, &format!("one of {kinds}")));
        };
        let image = match value.get_mut("data").map(Value::take) {
            Some(Value::String(data)) if BASE64.decode(&data).is_ok_and(|it| !it.is_empty()) => {
                Image::read(&mime_type, data)
            }
            _ => None,
        };
        let place = format!("{place}.data");
        image.ok_or_else(|| self.wrong(&place, "base64の文字列", "a string of base64"))
    }

    fn history(&self, value: Value, message: &str) -> Result<Vec<Message>, Refusal> {
        let list = self.list("history", value, HISTORY_MAX)?;
        let unused = list.len().saturating_sub(HISTORY_USED + 1);
        let each = |(at, it): (usize, Value)| self.entry(&format!("history[{at}]"), it);
        // Unused entries are not validated.
        let entries = list.into_iter().enumerate().skip(unused).map(each);
        let mut history = entries.collect::<Result<Vec<_>, _>>()?;
        // Some clients repeat the message in the history.
        history.pop_if(|it| it.is_user && it.parts == [Part::text(message)]);
        history.drain(..history.len().saturating_sub(HISTORY_USED));
        Ok(history)
    }

    fn entry(&self, place: &str, mut value: Value) -> Result<Message, Refusal> {
        let is_user = match value["role"].as_str() {
            Some("user") => true,
            Some("model") => false,
            _ => {
                let place = format!("{place}.role");
                return Err(self.wrong(&place, "\"user\"か\"model\"", "\"user\" or \"model\""));
            }
        };
        let place = format!("{place}.parts");
        let parts = value.get_mut("parts").map(Value::take).unwrap_or_default();
        let parts = self.list(&place, parts, PARTS_MAX)?.into_iter().enumerate();
        let parts = parts.map(|(at, it)| self.part(&format!("{place}[{at}]"), it));
        Ok(Message { is_user, parts: parts.collect::<Result<_, _>>()? })
    }

    fn part(&self, place: &str, mut value: Value) -> Result<Part, Refusal> {
        let signature = value["thoughtSignature"].as_str().map(str::to_owned);
        let data = value.get_mut("inlineData").map(Value::take);
        let part = match (value["text"].as_str(), data) {
            (Some(text), None) => Part::text(text),
            (None, Some(mut data)) => {
                Part::image(self.image(&format!("{place}.inlineData"), &mut data)?)
            }
            _ => {
                let what = "{text} か {inlineData: {mimeType, data}}";
                let english = "{text} or {inlineData: {mimeType, data}}";
                return Err(self.wrong(place, what, english));
            }
        };
        Ok(Part { signature, ..part })
    }
}
