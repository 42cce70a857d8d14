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
    Stop, User,
    question::{Answer, AnswerAction, Ask, Question},
};

use crate::{clock, refusals, store::Filled};
pub use progress::Progress;
use progress::Step;

/// Rounds of questions that a form may take. The official SDKs give a call up that asks for input more
/// than ten times; the tenth is left for the address of the form.
const ROUNDS_MAX: usize = 9;
/// Fields that are asked for in questions.
const FIELDS_MAX: usize = 100;
/// Bytes of a definition's options that are sent along with questions.
const OPTIONS_BYTES_MAX: usize = 48 << 10;

/// How a person answered.
#[derive(Clone, Debug)]
pub enum Answered {
    /// They filled it in: the submission, as it was checked.
    Filled(Filled),
    /// They do not want to.
    Declined,
    /// They closed the question.
    Cancelled,
    /// Questions do not lead to the end: why.
    Stuck(String),
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
pub fn fits(form: &Form) -> bool {
    let asked = || form.fields.iter().filter(|it| is_asked(it));
    let is_plain = |it: &Field| !matches!(it.kind, Kind::File(_)) && !it.is_secret();
    let options = asked().flat_map(|field| match &field.kind {
        Kind::Select(it) | Kind::Radio(it) | Kind::Multiselect(it, _) => it.as_slice(),
        _ => &[],
    });
    let bytes: usize = options.map(|it| it.label.len() + it.value.to_string().len()).sum();
    asked().all(is_plain)
        && asked().count() <= FIELDS_MAX
        && bytes <= OPTIONS_BYTES_MAX
        && rounds(form) <= ROUNDS_MAX
}

/// Puts the form in questions, as many rounds as it takes, from `progress` on. `lookup` fetches what is
/// at a URL; `remember` receives how far the questions have come before each of them, and `keep` what was
/// answered after each of them.
///
/// # Errors
/// Stops to ask, and as `keep` does.
pub fn ask(
    form: &Form,
    user: &User,
    mut progress: Progress,
    lookup: impl Fn(&str) -> Result<Value, String>,
    remember: impl Fn(&Progress),
    keep: impl Fn(Filled) -> Result<(), Stop>,
) -> Result<Answered, Stop> {
    let (today, language) = (clock::today(None)?, refusals::language());
    let form = form.clone().on(clock::likely_day(language));
    let asking = Asking { form: &form, today, language, lookup: &lookup };
    loop {
        let round = match progress.step(&asking) {
            Step::Ask(round) => round,
            Step::Filled(values) => {
                let labels = progress.labels(&values);
                return Ok(Answered::Filled(Filled { values, labels }));
            }
            Step::Stuck(why) => return Ok(Answered::Stuck(why)),
        };
        // What is remembered is what was known before the question: it is the same when its answer
        // comes, and so is the question.
        remember(&progress);
        let form = Ask::Form(round.schema.to_string());
        let answer = user.put(Question::new(&round.key, &round.message, form).for_later())?;
        match answer.action {
            AnswerAction::Accept => {
                progress.take(&asking, &round, &content(answer));
                keep(progress.draft())?;
            }
            AnswerAction::Decline => return Ok(Answered::Declined),
            AnswerAction::Cancel => return Ok(Answered::Cancelled),
        }
    }
}

fn content(answer: &Answer) -> Values {
    answer.content.as_deref().and_then(|it| serde_json::from_str(it).ok()).unwrap_or_default()
}

fn is_asked(field: &Field) -> bool {
    field.is_input() && !matches!(field.kind, Kind::Hidden(_))
}

/// Whether words are asked for first, and then what was found is offered.
fn is_search(kind: &Kind) -> bool {
    matches!(kind, Kind::Autocomplete(_) | Kind::MultiAutocomplete(..))
}

/// The rounds that a form takes at least: the longest way along what fields ask of each other.
fn rounds(form: &Form) -> usize {
    let mut rounds = vec![0; form.fields.len()];
    let position = |name: &str| form.fields.iter().position(|it| it.name == name);
    let all = form.fields.iter().enumerate();
    let needed: Vec<(usize, usize, Vec<usize>)> = all
        .map(|(at, field)| {
            let own = usize::from(is_asked(field)) + usize::from(is_search(&field.kind));
            (at, own, field.needed().into_iter().filter_map(position).collect())
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
