//! Questions besides forms: pages to visit, a model's text, the client's folders, and several at once.

use serde::Deserialize;
use serde_json::{Value, json};

pub use crate::bindings::madoguchi::tool::types::{Answer, AnswerAction, Ask, Question};
use crate::{
    Stop, User,
    bindings::exports::madoguchi::tool::tools::InputRequired,
    user::{accepted, read},
};

/// The answer of the client's model.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sampled {
    /// Name of the model.
    #[serde(default)]
    pub model: String,
    /// Content in MCP's format: one part, or a list.
    pub content: Value,
    /// Why it ended: `endTurn`, `maxTokens` …
    pub stop_reason: Option<String>,
}

impl Sampled {
    /// First text of the answer; empty if there is none.
    #[must_use]
    pub fn text(&self) -> &str {
        let mut pieces = match &self.content {
            Value::Array(pieces) => pieces.iter(),
            piece => std::slice::from_ref(piece).iter(),
        };
        pieces.find_map(|it| it["text"].as_str()).unwrap_or_default()
    }
}

/// A folder or a file that the client works on.
#[derive(Clone, Debug, Deserialize)]
pub struct Root {
    /// A `file://` URI.
    pub uri: String,
    /// Name for people.
    pub name: Option<String>,
}

#[derive(Deserialize)]
struct Roots {
    roots: Vec<Root>,
}

impl Question {
    /// Creates a question; `key` is unique within a call.
    pub fn new(key: &str, message: &str, ask: Ask) -> Self {
        Self { key: key.to_owned(), message: message.to_owned(), ask, meta: None }
    }

    /// Permits an answer after the call has ended: see [`User::is_unanswered`](crate::User::is_unanswered).
    #[must_use]
    pub fn for_later(self) -> Self {
        Self { meta: Some(json!({ "madoguchi/later": true }).to_string()), ..self }
    }
}

impl User {
    /// Puts a question of the contract. Returns the answer as it is, even a refusal.
    ///
    /// # Errors
    /// Stops to ask.
    pub fn put(&self, question: Question) -> Result<&Answer, Stop> {
        let key = question.key.clone();
        self.put_lazily(&key, || question)
    }

    /// Returns the answer under `key`, or stops with the question, which is created only then.
    pub(crate) fn put_lazily(
        &self,
        key: &str,
        question: impl FnOnce() -> Question,
    ) -> Result<&Answer, Stop> {
        let answer = self.answers.iter().find(|it| it.key == key);
        answer.ok_or_else(|| {
            Stop::InputRequired(InputRequired { questions: vec![question()], state: None })
        })
    }

    /// Continues once the user has been sent to the page at `url`, and agreed.
    ///
    /// # Errors
    /// The same as those of [`User::ask`].
    pub fn visit(&self, key: &str, message: &str, url: &str) -> Result<(), Stop> {
        accepted(self.put(Question::new(key, message, Ask::Url(url.to_owned())))?).map(drop)
    }

    /// Asks the client's model to answer `prompt` in at most `tokens_max` tokens.
    ///
    /// # Errors
    /// The same as those of [`User::ask`].
    pub fn sample(&self, key: &str, prompt: &str, tokens_max: u32) -> Result<Sampled, Stop> {
        let message = json!({ "role": "user", "content": { "type": "text", "text": prompt } });
        self.sample_with(key, &json!({ "messages": [message], "maxTokens": tokens_max }))
    }

    /// Like [`User::sample`], with all parameters of `sampling/createMessage`.
    ///
    /// # Errors
    /// The same as those of [`User::ask`].
    pub fn sample_with(&self, key: &str, params: &Value) -> Result<Sampled, Stop> {
        let ask = Ask::Sampling(params.to_string());
        read(accepted(self.put(Question::new(key, "A model is to answer.", ask))?)?)
    }

    /// Folders that the client works on.
    ///
    /// # Errors
    /// The same as those of [`User::ask`].
    pub fn roots(&self, key: &str) -> Result<Vec<Root>, Stop> {
        let question = Question::new(key, "Which folders are open?", Ask::Roots);
        read(accepted(self.put(question)?)?).map(|it: Roots| it.roots)
    }
}

/// Several results that are required together; see [`together`].
pub trait Together {
    /// Type of all results.
    type All;
    /// Returns all results, or stops with every open question.
    ///
    /// # Errors
    /// The first error that is no question, otherwise all questions.
    fn together(self) -> Result<Self::All, Stop>;
}

/// Asks several questions at once, where one after the other would be a round each.
///
/// ```
/// # use toolkit::{Stop, User, question::together};
/// # #[derive(serde::Deserialize, schemars::JsonSchema)]
/// # struct Name { name: String }
/// fn greeting(user: &User) -> Result<String, Stop> {
///     let (Name { name }, greeting) = together((
///         user.ask("name", "What is your name?"),
///         user.sample("greeting", "Write a greeting of five words.", 50),
///     ))?;
///     Ok(format!("{name}! {}", greeting.text()))
/// }
/// ```
///
/// # Errors
/// The first stop that is no question; else one that asks all that is yet to be asked.
pub fn together<T: Together>(questions: T) -> Result<T::All, Stop> {
    questions.together()
}

macro_rules! together {
    ($($name:ident $result:ident),+) => {
        impl<$($name),+> Together for ($(Result<$name, Stop>,)+) {
            type All = ($($name,)+);

            fn together(self) -> Result<Self::All, Stop> {
                let ($($result,)+) = self;
                let mut asked = Vec::new();
                $(let $result = open($result, &mut asked)?;)+
                match ($($result,)+) {
                    ($(Some($result),)+) => Ok(($($result,)+)),
                    _ => {
                        let required = InputRequired { questions: asked, state: None };
                        Err(Stop::InputRequired(required))
                    }
                }
            }
        }
    };
}

together!(A a, B b);
together!(A a, B b, C c);
together!(A a, B b, C c, D d);

/// Returns a result that exists; collects its question otherwise.
fn open<T>(result: Result<T, Stop>, asked: &mut Vec<Question>) -> Result<Option<T>, Stop> {
    match result {
        Ok(it) => Ok(Some(it)),
        Err(Stop::InputRequired(it)) => {
            asked.extend(it.questions);
            Ok(None)
        }
        Err(stop) => Err(stop),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{refused, user::tests::answered};

    #[test]
    fn asks_several_questions_in_one_round() {
        let user = answered("a", AnswerAction::Accept, r#"{"roots":[{"uri":"file:///a"}]}"#);
        let asked = together((user.roots("a"), user.sample("b", "?", 9), user.roots("c")));
        let Err(Stop::InputRequired(asked)) = asked else { panic!("was not asked: {asked:?}") };
        let keys = asked.questions.iter().map(|it| it.key.as_str()).collect::<Vec<_>>();
        assert_eq!(keys, ["b", "c"]);
        let no = together((user.sample("b", "?", 9), Err::<(), _>(refused("no", 403, "No."))));
        assert!(matches!(no, Err(Stop::Refused(_))), "a refusal comes before questions");
    }

    #[test]
    fn returns_sampled_text_and_root_names() {
        let sampled = r#"{"role":"assistant","content":{"type":"text","text":"Hi"},"model":"m"}"#;
        let user = answered("s", AnswerAction::Accept, sampled);
        assert_eq!(user.sample("s", "?", 9).unwrap().text(), "Hi");
        let user = answered("r", AnswerAction::Accept, r#"{"roots":[{"uri":"file:///a"}]}"#);
        assert_eq!(user.roots("r").unwrap()[0].uri, "file:///a");
        let user = answered("r", AnswerAction::Accept, r#"{"roots":1}"#);
        assert!(matches!(user.roots("r"), Err(Stop::InvalidArguments(_))));
    }

    #[test]
    fn declined_page_refuses_the_call() {
        let user = answered("u", AnswerAction::Decline, "{}");
        assert!(matches!(user.visit("u", "?", "https://a.example"), Err(Stop::Refused(_))));
        let user = answered("u", AnswerAction::Accept, "{}");
        assert!(user.visit("u", "?", "https://a.example").is_ok());
    }
}
