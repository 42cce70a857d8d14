//! The person behind a call, who can be asked and shown something.

use std::{
    cell::RefCell,
    time::{Duration, SystemTime},
};

use schemars::JsonSchema;
use serde::{Deserialize, de::DeserializeOwned};

use crate::{
    Content, Datetime, Stop,
    bindings::{
        exports::madoguchi::tool::tools::InputRequired,
        madoguchi::tool::types::{Answer, AnswerAction, Ask, Question, TextContent},
    },
    definition::{input_schema, json},
    invalid, refused,
};

/// The person behind a call, with what they have answered so far.
#[derive(Debug)]
pub struct User {
    answers: Vec<Answer>,
    first_called_at: Datetime,
    shown: RefCell<Vec<Content>>,
}

/// A form with nothing to fill in: sending it is the answer.
#[derive(Deserialize, JsonSchema)]
struct Consent {}

impl User {
    pub(crate) fn new(answers: Vec<Answer>, first_called_at: Datetime) -> Self {
        Self { answers, first_called_at, shown: RefCell::default() }
    }

    /// What the user fills into the form `F`, or a stop until they have.
    ///
    /// `key` tells the questions of one tool apart.
    ///
    /// # Errors
    /// Stops to ask, and with `declined` when the user does not want to answer.
    pub fn ask<F: DeserializeOwned + JsonSchema>(
        &self,
        key: &str,
        message: &str,
    ) -> Result<F, Stop> {
        let Some(answer) = self.answers.iter().find(|it| it.key == key) else {
            return Err(question(key, message, Ask::Form(json(&input_schema::<F>()))));
        };
        match answer.action {
            AnswerAction::Accept => read(answer),
            AnswerAction::Decline => Err(refused("declined", 403, "The user declined.")),
            AnswerAction::Cancel => Err(refused("declined", 403, "The user closed the question.")),
        }
    }

    /// Goes on only once the user agrees to `message`; to another message they agree anew.
    ///
    /// # Errors
    /// As [`User::ask`].
    pub fn confirm(&self, message: &str) -> Result<(), Stop> {
        let key = format!("confirm-{:016x}", fnv1a(message.as_bytes()));
        self.ask(&key, message).map(|Consent {}| ())
    }

    /// Shows a text beside the output, in chat clients that draw no view.
    pub fn show(&self, text: impl Into<String>) {
        let text = TextContent { text: text.into(), annotations: None, meta: None };
        self.shown.borrow_mut().push(Content::Text(text));
    }

    /// Shows an image, a sound, a resource or a link beside the output.
    pub fn show_content(&self, content: Content) {
        self.shown.borrow_mut().push(content);
    }

    /// When the first round of this call began; the same in every repeat.
    #[must_use]
    pub fn first_called_at(&self) -> SystemTime {
        let Datetime { seconds, nanoseconds } = self.first_called_at;
        SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds)
    }

    pub(crate) fn shown(self) -> Vec<Content> {
        self.shown.into_inner()
    }
}

fn question(key: &str, message: &str, ask: Ask) -> Stop {
    let question = Question { key: key.to_owned(), message: message.to_owned(), ask, meta: None };
    Stop::InputRequired(InputRequired { questions: vec![question], state: None })
}

fn read<F: DeserializeOwned>(answer: &Answer) -> Result<F, Stop> {
    serde_json::from_str(answer.content.as_deref().unwrap_or("{}")).map_err(|error| {
        invalid("", format!("The answer to `{}` does not fit: {error}", answer.key))
    })
}

/// Fowler, Noll and Vo's hash: tells messages apart, protects nothing.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    struct Name {
        name: String,
    }

    fn answered(key: &str, action: AnswerAction, content: &str) -> User {
        let content = Some(content.to_owned());
        let answer = Answer { key: key.to_owned(), action, content, meta: None };
        User::new(vec![answer], Datetime { seconds: 0, nanoseconds: 0 })
    }

    #[test]
    fn an_unanswered_question_stops_the_call() {
        let user = User::new(Vec::new(), Datetime { seconds: 0, nanoseconds: 0 });
        let stop = user.ask::<Name>("name", "What is your name?").unwrap_err();
        let Stop::InputRequired(required) = stop else { panic!("not a question: {stop:?}") };
        assert_eq!(required.questions[0].key, "name");
    }

    #[test]
    fn an_answered_question_goes_on() {
        let user = answered("name", AnswerAction::Accept, r#"{"name":"Mitsuha"}"#);
        assert_eq!(user.ask::<Name>("name", "?").unwrap(), Name { name: "Mitsuha".into() });
    }

    #[test]
    fn a_declined_question_refuses_the_call() {
        let user = answered("name", AnswerAction::Decline, "{}");
        let stop = user.ask::<Name>("name", "?").unwrap_err();
        assert!(matches!(&stop, Stop::Refused(it) if it.code == "declined"), "{stop:?}");
    }

    #[test]
    fn consent_to_one_message_is_none_to_another() {
        let Err(Stop::InputRequired(asked)) =
            answered("", AnswerAction::Accept, "{}").confirm("12 €?")
        else {
            panic!("was not asked")
        };
        let user = answered(&asked.questions[0].key, AnswerAction::Accept, "{}");
        assert!(user.confirm("12 €?").is_ok());
        assert!(matches!(user.confirm("15 €?"), Err(Stop::InputRequired(_))));
    }
}
