//! The person behind a call, who can be asked and shown something.

use std::{
    cell::RefCell,
    time::{Duration, SystemTime},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::{
    Content, Datetime, Problem, Stop,
    arguments::parse_with_schema,
    bindings::madoguchi::tool::types::{Answer, AnswerAction, Ask, Question},
    caller,
    definition::{input_schema, json},
    invalid, refused,
};

/// The person behind a call, with their answers so far. The same for tools, prompts and resources.
#[derive(Debug)]
pub struct User {
    pub(crate) answers: Vec<Answer>,
    /// State remembered by earlier rounds, or this one.
    state: RefCell<Option<String>>,
    meta: String,
    first_called_at: Datetime,
    shown: RefCell<Vec<Content>>,
    /// Entries for the result's `_meta`.
    written: RefCell<Map<String, Value>>,
}

/// Key by which the host reports that a question for later is unanswered.
const UNANSWERED: &str = "madoguchi/unanswered";

/// A form with nothing to fill in: sending it is the answer.
#[derive(Deserialize, JsonSchema)]
struct Consent {}

impl User {
    pub(crate) fn new(
        answers: Vec<Answer>,
        state: Option<String>,
        meta: String,
        first_called_at: Datetime,
    ) -> Self {
        caller::read_locale(&meta);
        let state = RefCell::new(state);
        let (shown, written) = <(RefCell<_>, RefCell<_>)>::default();
        Self { answers, state, meta, first_called_at, shown, written }
    }

    /// Asks the user to fill in the form `F`; stops until they have.
    ///
    /// `key` is unique within a tool.
    ///
    /// # Errors
    /// Stops to ask, and with `declined` if the user declines.
    pub fn ask<F: DeserializeOwned + JsonSchema>(
        &self,
        key: &str,
        message: &str,
    ) -> Result<F, Stop> {
        let form = || Question::new(key, message, Ask::Form(json(&input_schema::<F>())));
        read(accepted(self.put_lazily(key, form)?)?)
    }

    /// Continues once the user agrees to `message`; each message needs its own consent.
    ///
    /// # Errors
    /// The same as those of [`User::ask`].
    pub fn confirm(&self, message: &str) -> Result<(), Stop> {
        let key = format!("confirm-{:016x}", fnv1a(message.as_bytes()));
        self.ask(&key, message).map(|Consent {}| ())
    }

    /// Shows a text next to the output, in clients without views.
    pub fn show(&self, text: impl Into<String>) {
        self.show_content(Content::text(text));
    }

    /// Shows an image, a sound, a resource or a link next to the output.
    pub fn show_content(&self, content: Content) {
        self.shown.borrow_mut().push(content);
    }

    /// Adds an entry to the result's `_meta`, for the client rather than its model. Own names need a
    /// prefix: `forms/handle`.
    pub fn tell(&self, name: &str, value: impl Serialize) {
        let value = serde_json::to_value(value).unwrap_or_default();
        self.written.borrow_mut().insert(name.to_owned(), value);
    }

    /// Start of this call's first round; the same in every restart.
    #[must_use]
    pub fn first_called_at(&self) -> SystemTime {
        let Datetime { seconds, nanoseconds } = self.first_called_at;
        SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds)
    }

    /// Remembers something for later rounds: it travels with the next questions, signed by the host, and
    /// returns with their answers.
    pub fn remember(&self, what: impl Serialize) {
        *self.state.borrow_mut() = Some(json(&what));
    }

    /// Returns what an earlier round remembered; `None` in the first, or if it is no `T`.
    #[must_use]
    pub fn remembered<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.state.borrow().as_deref()?).ok()
    }

    /// The request's `_meta`, without entries of the host.
    #[must_use]
    pub fn request_meta(&self) -> Value {
        serde_json::from_str(&self.meta).unwrap_or_default()
    }

    /// Whether the caller accepts progress notifications ([`progress`](crate::progress)).
    #[must_use]
    pub fn wants_progress(&self) -> bool {
        !self.request_meta()["progressToken"].is_null()
    }

    /// Whether the user takes long to answer, so that the call should end now and say where it continues,
    /// before the caller gives up. Only after a question [`for later`](Question::for_later); if the user
    /// answers after all, the host calls again with the answer and ignores the output.
    #[must_use]
    pub fn is_unanswered(&self) -> bool {
        self.request_meta()[UNANSWERED] == true
    }

    /// Adds the remembered state to a stop that asks.
    pub(crate) fn stop(&self, mut stop: Stop) -> Stop {
        if let Stop::InputRequired(input) = &mut stop
            && input.state.is_none()
        {
            input.state = self.state.borrow().clone();
        }
        stop
    }

    pub(crate) fn shown(self) -> (Vec<Content>, Option<String>) {
        let written = self.written.into_inner();
        let meta = (!written.is_empty()).then(|| json(&written));
        (self.shown.into_inner(), meta)
    }
}

/// Returns the answer if the user gave one.
pub(crate) fn accepted(answer: &Answer) -> Result<&Answer, Stop> {
    match answer.action {
        AnswerAction::Accept => Ok(answer),
        AnswerAction::Decline => Err(refused("declined", 403, "The user declined.")),
        AnswerAction::Cancel => Err(refused("declined", 403, "The user closed the question.")),
    }
}

pub(crate) fn read<F: DeserializeOwned>(answer: &Answer) -> Result<F, Stop> {
    parse_with_schema(answer.content.as_deref().unwrap_or("{}"), None).map_err(
        |Problem { pointer, message }| {
            let field = pointer.trim_start_matches('/').replace('/', ".");
            let field = if field.is_empty() { "it" } else { &field };
            invalid("", format!("The answer to {:?} does not fit: {field} {message}.", answer.key))
        },
    )
}

/// FNV-1a hash; distinguishes messages without protecting them.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    struct Name {
        name: String,
    }

    pub(crate) fn with(answers: Vec<Answer>, state: Option<&str>) -> User {
        let began = Datetime { seconds: 0, nanoseconds: 0 };
        User::new(answers, state.map(str::to_owned), "{}".to_owned(), began)
    }

    pub(crate) fn answered(key: &str, action: AnswerAction, content: &str) -> User {
        let content = Some(content.to_owned());
        with(vec![Answer { key: key.to_owned(), action, content, meta: None }], None)
    }

    #[test]
    fn unanswered_question_stops_the_call() {
        let user = with(Vec::new(), None);
        let stop = user.ask::<Name>("name", "What is your name?").unwrap_err();
        let Stop::InputRequired(required) = stop else { panic!("not a question: {stop:?}") };
        assert_eq!(required.questions[0].key, "name");
    }

    #[test]
    fn answered_question_continues() {
        let user = answered("name", AnswerAction::Accept, r#"{"name":"Mitsuha"}"#);
        assert_eq!(user.ask::<Name>("name", "?").unwrap(), Name { name: "Mitsuha".into() });
    }

    #[test]
    fn declined_question_refuses_the_call() {
        let user = answered("name", AnswerAction::Decline, "{}");
        let stop = user.ask::<Name>("name", "?").unwrap_err();
        assert!(matches!(&stop, Stop::Refused(it) if it.code == "declined"), "{stop:?}");
    }

    #[test]
    fn consent_is_bound_to_its_message() {
        let Err(Stop::InputRequired(asked)) =
            answered("", AnswerAction::Accept, "{}").confirm("12 €?")
        else {
            panic!("was not asked")
        };
        let user = answered(&asked.questions[0].key, AnswerAction::Accept, "{}");
        assert!(user.confirm("12 €?").is_ok());
        assert!(matches!(user.confirm("15 €?"), Err(Stop::InputRequired(_))));
    }

    #[test]
    fn questions_carry_the_remembered_state() {
        let user = with(Vec::new(), Some("1"));
        assert_eq!(user.remembered(), Some(1));
        let state = |user: &User| {
            let stop = user.stop(user.ask::<Name>("name", "?").unwrap_err());
            let Stop::InputRequired(it) = stop else { panic!("not a question: {stop:?}") };
            it.state
        };
        assert_eq!(state(&user).as_deref(), Some("1"));
        user.remember("two");
        assert_eq!(state(&user).as_deref(), Some("\"two\""));
        assert_eq!(user.remembered::<u8>(), None);
    }
}
