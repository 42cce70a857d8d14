//! A form asked for in rounds of questions, for clients that put questions to their user (FORM-11).
//!
//! A question is a flat form of MCP's. Each round asks all that can be asked with what is known; what
//! is shown, searched for or chosen by earlier answers comes in later rounds. What comes back is held
//! against the form as everywhere else; what is wrong is asked again, with the reason.

mod choosing;
mod progress;
mod property;
#[cfg(test)]
mod tests;

use output::form::{Field, Form, Kind, Language, Today, Values};
use serde_json::Value;
use toolkit::{
    Stop, User, caller,
    question::{Answer, AnswerAction, Ask, Question},
    refused,
};

use crate::{clock, refusals};
use progress::{Progress, Step};

/// Rounds that a form may take; the host allows a few more.
const ROUNDS_MAX: usize = 12;
/// Fields that are asked for in questions.
const FIELDS_MAX: usize = 100;
/// Bytes of a definition's options that are sent along with questions.
const OPTIONS_BYTES_MAX: usize = 48 << 10;

/// How a person answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Answered {
    /// They filled it in: the submission, as it was checked.
    Filled(Values),
    /// They do not want to.
    Declined,
    /// They closed the question.
    Cancelled,
}

/// What asking needs to know beside the answers.
struct Asking<'a> {
    form: &'a Form,
    today: Today,
    language: Language,
    /// What is at a URL.
    lookup: &'a dyn Fn(&str) -> Result<Value, String>,
}

/// Whether the form can be asked for in questions: without files and secrets, which MCP keeps out of
/// them, neither too big nor in too many rounds.
#[must_use]
pub fn fits(form: &Form) -> bool {
    let asked = || form.fields.iter().filter(|it| is_asked(it));
    let is_plain = |it: &Field| !matches!(it.kind, Kind::File(_)) && !it.is_secret();
    let options = asked().flat_map(|it| match &it.kind {
        Kind::Select(it) | Kind::Radio(it) | Kind::Multiselect(it, _) => it.as_slice(),
        _ => &[],
    });
    let bytes: usize = options.map(|it| it.label.len() + it.value.to_string().len()).sum();
    asked().all(is_plain)
        && asked().count() <= FIELDS_MAX
        && bytes <= OPTIONS_BYTES_MAX
        && rounds(form) <= ROUNDS_MAX
}

/// Puts the form in questions, as many rounds as it takes. `lookup` fetches what is at a URL.
///
/// # Errors
/// Stops to ask; with a refusal where it cannot be asked to the end.
pub fn ask(
    form: &Form,
    user: &User,
    lookup: impl Fn(&str) -> Result<Value, String>,
) -> Result<Answered, Stop> {
    let today = clock::today(None)?;
    let asking = Asking { form, today, language: refusals::language(), lookup: &lookup };
    let mut progress = user.remembered::<Progress>().unwrap_or_default();
    loop {
        let round = match progress.step(&asking) {
            Step::Ask(round) => round,
            Step::Filled(values) => return Ok(Answered::Filled(values)),
            Step::Stuck(why) => return Err(stuck(&why)),
        };
        // What is remembered is what was known before the question: it is the same when its answer
        // comes, and so is the question.
        user.remember(&progress);
        let form = Ask::Form(round.schema.to_string());
        let answer = user.put(Question::new(&round.key, &round.message, form))?;
        match answer.action {
            AnswerAction::Accept => progress.take(&asking, &round, &content(answer)),
            AnswerAction::Decline => return Ok(Answered::Declined),
            AnswerAction::Cancel => return Ok(Answered::Cancelled),
        }
    }
}

fn content(answer: &Answer) -> Values {
    answer.content.as_deref().and_then(|it| serde_json::from_str(it).ok()).unwrap_or_default()
}

/// Why questions do not lead to the end, and what does.
fn stuck(why: &str) -> Stop {
    let page = caller::page();
    let instead = match &page {
        None => refusals::say(
            "フォームを画面で開けるクライアントから、もう一度お試しください。",
            "Try again from a client that can show the form.",
        )
        .to_owned(),
        Some(page) => {
            let head = refusals::say(
                "このフォームは次の画面から入力できます:",
                "The form can be filled in on this page:",
            );
            format!("{head} {page}")
        }
    };
    refused("cannot_ask", 409, format!("{why} {instead}"))
}

fn is_asked(field: &Field) -> bool {
    field.is_input() && !matches!(field.kind, Kind::Hidden(_))
}

/// Whether words are asked for first, and then what was found.
fn is_search(kind: &Kind) -> bool {
    matches!(kind, Kind::Autocomplete(_) | Kind::MultiAutocomplete(..))
}

/// The rounds that a form takes at least: the longest way along what fields ask of each other.
fn rounds(form: &Form) -> usize {
    let mut rounds = vec![0; form.fields.len()];
    let position = |name: &str| form.fields.iter().position(|it| it.name == name);
    let all = form.fields.iter().enumerate();
    let needed: Vec<(usize, usize, Vec<usize>)> = all
        .map(|(at, it)| {
            let own = usize::from(is_asked(it)) + usize::from(is_search(&it.kind));
            (at, own, it.needed().into_iter().filter_map(position).collect())
        })
        .collect();
    // Without circles, nothing changes any more once it is as deep as it gets; beyond the limit it
    // does not matter how deep it is.
    for _ in 0..=ROUNDS_MAX {
        for (at, own, needed) in &needed {
            rounds[*at] = own + needed.iter().map(|it| rounds[*it]).max().unwrap_or(0);
        }
    }
    rounds.into_iter().max().unwrap_or(0)
}
