//! Prompts: messages for people to begin with. A prompt is its arguments, as a tool is.
//!
//! ```
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use toolkit::{Stop, Text, User, prompt::{Messages, Prompt}};
//!
//! # toolkit::export_tools!(Nothing);
//! # /// 何もしない。
//! # /// en: Does nothing.
//! # #[derive(Deserialize, JsonSchema)]
//! # #[serde(deny_unknown_fields)]
//! # struct Nothing {}
//! # impl toolkit::Tool for Nothing {
//! #     const NAME: &str = "nothing";
//! #     const TITLE: Text = Text { ja: "無", en: "Nothing" };
//! #     type Output = ();
//! #     fn call(self, _: &User) -> Result<(), Stop> { Ok(()) }
//! # }
//! toolkit::export_prompts!(Plan);
//!
//! /// 旅行の計画を立ててもらう。
//! /// en: Has a journey planned.
//! #[derive(Deserialize, JsonSchema)]
//! #[serde(deny_unknown_fields)]
//! struct Plan {
//!     /// 行き先
//!     /// en: Where to
//!     place: String,
//!     /// 日数
//!     /// en: For how many days
//!     days: Option<u8>,
//! }
//!
//! impl Prompt for Plan {
//!     const NAME: &str = "plan";
//!     const TITLE: Text = Text { ja: "旅の計画", en: "Plan a journey" };
//!
//!     fn get(self, _: &User) -> Result<Messages, Stop> {
//!         let days = self.days.unwrap_or(3);
//!         Ok(Messages::new().user(format!("Plan {days} days in {}.", self.place)))
//!     }
//! }
//! # fn main() {}
//! ```

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{
    Content, English, Stop, Text, User, arguments,
    bindings::prompts::exports::madoguchi::tool::prompts::{
        Argument, Definition, Invocation, Message, Output, Role,
    },
    definition::{check_paths, described, input_schema, json, take_text, texts, with_more},
};

/// Messages for people to begin with; `self` is the arguments of one request.
///
/// The doc comment of the implementing struct describes the prompt, those of its fields the arguments, in Japanese and,
/// from a line on that begins with `en: `, in English. Fields of type `Option` or with a default are optional. People
/// fill in text, from which number and boolean fields are parsed.
pub trait Prompt: DeserializeOwned + JsonSchema {
    /// `[A-Za-z0-9_.-]`, at most 128 bytes.
    const NAME: &'static str;
    /// The title for people.
    const TITLE: Text;
    /// English that the doc comments do not have.
    const ENGLISH: English = English::NONE;
    /// Further entries of the definition's `_meta`: a JSON object.
    const META: Option<&'static str> = None;

    /// Returns the messages. Restarts each time `user` has answered. [Shown](User::show) content is dropped.
    ///
    /// # Errors
    /// See [`Stop`].
    fn get(self, user: &User) -> Result<Messages, Stop>;
}

/// Messages of a prompt, of the user and of the model, in order.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    description: Option<String>,
    messages: Vec<Message>,
}

impl Messages {
    /// A prompt without messages.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the description.
    #[must_use]
    pub fn about(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Appends a message of the user: a text, or any [`Content`].
    #[must_use]
    pub fn user(self, content: impl Into<Content>) -> Self {
        self.with(Role::User, content.into())
    }

    /// Appends a message of the model.
    #[must_use]
    pub fn assistant(self, content: impl Into<Content>) -> Self {
        self.with(Role::Assistant, content.into())
    }

    fn with(mut self, role: Role, content: Content) -> Self {
        self.messages.push(Message { role, content });
        self
    }
}

/// The prompt's entry in `prompts/list`.
#[must_use]
pub fn definition<P: Prompt>() -> Definition {
    let (mut schema, english) = described::<P>();
    let description = take_text(&mut schema, "description");
    let is_required = |name: &str| {
        let required = schema.get("required").and_then(Value::as_array);
        required.is_some_and(|it| it.iter().any(|it| it == name))
    };
    let argument = |(name, schema): (&String, &Value)| Argument {
        name: name.clone(),
        title: None,
        description: schema["description"].as_str().map(str::to_owned),
        required: is_required(name),
    };
    let whole = Value::Object(schema.clone());
    check_paths(P::NAME, "ENGLISH", P::ENGLISH.arguments.iter().map(|it| it.0), &whole);
    let properties = schema.get("properties").and_then(Value::as_object);
    let texts = texts(P::NAME, P::TITLE, english, P::ENGLISH);
    Definition {
        name: P::NAME.to_owned(),
        title: Some(P::TITLE.ja.to_owned()),
        description: Some(description),
        arguments: properties.into_iter().flatten().map(argument).collect(),
        meta: Some(json(&with_more(P::NAME, texts, P::META))),
    }
}

/// Runs one `prompts/get` of `P`.
///
/// # Errors
/// The prompt's stop, or invalid arguments.
pub fn run<P: Prompt>(invocation: Invocation) -> Result<Output, Stop> {
    let Invocation { arguments, answers, state, meta, first_called_at, .. } = invocation;
    let arguments = json(&typed(&input_schema::<P>(), arguments));
    let prompt = arguments::read::<P>(&arguments).map_err(Stop::InvalidArguments)?;
    let user = User::new(answers, state, meta, first_called_at);
    let Messages { description, messages } = prompt.get(&user).map_err(|it| user.stop(it))?;
    Ok(Output { description, messages, meta: None })
}

/// Converts the arguments to an object, parsing those whose schema is not text.
fn typed(schema: &Map<String, Value>, arguments: Vec<(String, String)>) -> Map<String, Value> {
    let is_text = |name: &str| match &schema["properties"][name]["type"] {
        Value::Array(types) => types.iter().any(|it| it == "string"),
        kind => kind.is_null() || kind == "string",
    };
    let value = |(name, text): (String, String)| {
        let read = (!is_text(&name)).then(|| serde_json::from_str(&text).ok()).flatten();
        (name, read.unwrap_or(Value::String(text)))
    };
    arguments.into_iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::Datetime;

    /// 計画を立ててもらう。
    /// en: Plans.
    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Plan {
        /// 行き先
        place: String,
        days: Option<u8>,
    }

    #[derive(Deserialize, JsonSchema)]
    struct Mood {
        mood: String,
    }

    impl Prompt for Plan {
        const NAME: &'static str = "plan";
        const TITLE: Text = Text { ja: "計画", en: "Plan" };
        const META: Option<&'static str> = Some(r#"{"plan/more": 1}"#);

        fn get(self, user: &User) -> Result<Messages, Stop> {
            let Mood { mood } = user.ask("mood", "In which mood?")?;
            let text = format!("{} {:?} {mood}", self.place, self.days);
            Ok(Messages::new().about("a plan").user(text).assistant(Content::text("Yes.")))
        }
    }

    fn invocation(arguments: &[(&str, &str)]) -> Invocation {
        let arguments = arguments.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        Invocation {
            name: "plan".to_owned(),
            arguments,
            answers: Vec::new(),
            state: None,
            first_called_at: Datetime { seconds: 0, nanoseconds: 0 },
            meta: "{}".to_owned(),
        }
    }

    #[test]
    fn fields_become_arguments() {
        let definition = definition::<Plan>();
        assert_eq!(definition.description.as_deref(), Some("計画を立ててもらう。"));
        let arguments = definition.arguments.iter();
        let arguments = arguments.map(|it| (it.name.as_str(), it.required)).collect::<Vec<_>>();
        assert_eq!(arguments, [("place", true), ("days", false)]);
        assert_eq!(definition.arguments[0].description.as_deref(), Some("行き先"));
        let meta: Value = serde_json::from_str(&definition.meta.unwrap()).unwrap();
        assert_eq!(
            (&meta["plan/more"], &meta["madoguchi/text"]["en"]["title"]),
            (&1.into(), &"Plan".into())
        );
    }

    #[test]
    fn prompt_asks_and_continues() {
        let stop = run::<Plan>(invocation(&[("place", "12"), ("days", "3")])).unwrap_err();
        assert!(matches!(stop, Stop::InputRequired(_)), "{stop:?}");
        let user = crate::user::tests::answered(
            "mood",
            crate::question::AnswerAction::Accept,
            r#"{"mood":"gay"}"#,
        );
        let answered = Invocation { answers: user.answers, ..invocation(&[("place", "12")]) };
        let output = run::<Plan>(answered).unwrap();
        let Content::Text(text) = &output.messages[0].content else { panic!("no text") };
        assert_eq!(text.text, "12 None gay");
        assert!(matches!(output.messages[1].role, Role::Assistant));
    }

    #[test]
    fn names_invalid_arguments() {
        let stop = run::<Plan>(invocation(&[("days", "many"), ("who", "me")])).unwrap_err();
        let Stop::InvalidArguments(problems) = stop else { panic!("they pass: {stop:?}") };
        let pointers = problems.iter().map(|it| it.pointer.as_str()).collect::<Vec<_>>();
        assert_eq!(pointers, ["/place", "/days", "/who"]);
    }
}
