//! Asks a form in rounds of questions, for clients with elicitation (FORM-11).
//!
//! A question is a flat MCP form. Each round asks everything possible; fields that depend on earlier
//! answers (shown, searched or chosen by them) follow in later rounds. Answers are validated like any
//! submission, and invalid ones are asked again with the reason.

mod progress;

use output::form::{
    Choice, Count, Day, Days, Field, Form, Kind, Language, Number, Text, Today, Values, choices,
    json_number, text_of,
};
use serde_json::{Map, Value, json};
use toolkit::{
    Stop, User,
    question::{Answer, AnswerAction, Ask, Question},
};

use crate::{clock, refusals, store::Filled};
pub use progress::Progress;
use progress::{Part, Step};

/// Maximum rounds. The official SDKs give up after ten requests for input; the tenth is left for the form's URL.
const ROUNDS_MAX: usize = 9;
/// Maximum fields asked by questions.
const FIELDS_MAX: usize = 100;
/// Maximum bytes of a definition's options in questions.
const OPTIONS_BYTES_MAX: usize = 48 << 10;

/// Result of the questions.
#[derive(Clone, Debug)]
pub enum AskResult {
    /// The validated submission.
    Filled(Filled),
    /// The person declined.
    Declined,
    /// The person closed the question.
    Cancelled,
    /// Questions cannot complete the form, with the reason.
    Impossible(String),
}

/// Inputs besides the answers.
struct AskContext<'a> {
    form: &'a Form,
    today: Today,
    language: Language,
    /// Fetches a look-up's URL.
    lookup: &'a dyn Fn(&str) -> Result<Value, String>,
}

/// Whether questions can ask the form: it has no files and no secrets, which MCP excludes, and is
/// neither too large nor needs too many rounds.
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

/// Asks the form from `progress` on. `lookup` fetches URLs; `remember` receives the progress before
/// each question, and `keep` the answers after it.
///
/// # Errors
/// Stops to ask, and the errors of `keep`.
pub fn ask(
    form: &Form,
    user: &User,
    mut progress: Progress,
    lookup: impl Fn(&str) -> Result<Value, String>,
    remember: impl Fn(&Progress),
    keep: impl Fn(Filled) -> Result<(), Stop>,
) -> Result<AskResult, Stop> {
    let (today, language) = (clock::today(None)?, refusals::language());
    let form = form.clone().on(clock::likely_day(language));
    let context = AskContext { form: &form, today, language, lookup: &lookup };
    loop {
        let round = match progress.step(&context) {
            Step::Ask(round) => round,
            Step::Filled(values) => {
                let labels = progress.labels(&values);
                return Ok(AskResult::Filled(Filled { values, labels }));
            }
            Step::Impossible(why) => return Ok(AskResult::Impossible(why)),
        };
        // Remembers the state before the question, so that the question is the same when its answer arrives.
        remember(&progress);
        let form = Ask::Form(round.schema.to_string());
        let answer = user.put(Question::new(&round.key, &round.message, form).for_later())?;
        match answer.action {
            AnswerAction::Accept => {
                progress.take(&context, &round, &content(answer));
                keep(progress.draft())?;
            }
            AnswerAction::Decline => return Ok(AskResult::Declined),
            AnswerAction::Cancel => return Ok(AskResult::Cancelled),
        }
    }
}

fn content(answer: &Answer) -> Values {
    answer.content.as_deref().and_then(|it| serde_json::from_str(it).ok()).unwrap_or_default()
}

fn is_asked(field: &Field) -> bool {
    field.is_input() && !matches!(field.kind, Kind::Hidden(_))
}

/// Whether a search query is asked before the found options.
fn is_search(kind: &Kind) -> bool {
    matches!(kind, Kind::Autocomplete(_) | Kind::MultiAutocomplete(..))
}

/// Minimum rounds: the longest chain of dependencies between fields.
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
    // Without cycles this reaches a fixed point; beyond the limit the exact depth does not matter.
    for _ in 0..=ROUNDS_MAX {
        for (at, own, needed) in &needed {
            rounds[*at] = own + needed.iter().map(|it| rounds[*it]).max().unwrap_or(0);
        }
    }
    rounds.into_iter().max().unwrap_or(0)
}

// Fields as properties of MCP's flat forms.

/// Maximum listed suggestions.
const SUGGESTIONS_MAX: usize = 3;

/// Whether its value is a list.
fn is_several(kind: &Kind) -> bool {
    matches!(kind, Kind::Multiselect(..) | Kind::MultiAutocomplete(..))
}

/// Property for this part of a field.
fn property_for(field: &Field, part: &Part, context: &AskContext<'_>) -> Value {
    let mut hints: Vec<String> = field.description.iter().cloned().collect();
    let mut property = match part {
        Part::Words => {
            hints.push(context.language.of("検索する言葉", "Words to search by").to_owned());
            if let Some(default) = field.default.as_ref().map(text_of) {
                let unless = context.language.of("空なら既定値", "left empty, it is");
                hints.push(format!("{unless}: {default}"));
            }
            json!({ "type": "string" })
        }
        Part::Choices(choices) => among(&field.kind, choices),
        Part::Value => plain(field, context, &mut hints),
    };
    property["title"] = field.label.clone().into();
    if !hints.is_empty() {
        property["description"] = hints.join(" / ").into();
    }
    let is_words = matches!(part, Part::Words);
    if let Some(default) = field.default.as_ref().filter(|_| !is_words) {
        let default = match part {
            Part::Choices(_) => texts(default),
            _ => default.clone(),
        };
        if takes(&property, &default) {
            property["default"] = default;
        }
    }
    property
}

/// Option values are sent as texts, because MCP has no others.
fn texts(value: &Value) -> Value {
    match value {
        Value::Array(values) => values.iter().map(text_of).collect(),
        value => text_of(value).into(),
    }
}

fn among(kind: &Kind, choices: &[Choice]) -> Value {
    let option = |it: &Choice| json!({ "const": text_of(&it.value), "title": it.label });
    let options: Vec<Value> = choices.iter().map(option).collect();
    let (Kind::Multiselect(_, count) | Kind::MultiAutocomplete(_, count)) = kind else {
        return json!({ "type": "string", "oneOf": options });
    };
    let mut property = json!({ "type": "array", "items": { "anyOf": options } });
    let Count { min, max } = count;
    for (name, limit) in [("minItems", min), ("maxItems", max)] {
        if let Some(limit) = limit.filter(|it| *it > 0 || name == "maxItems") {
            property[name] = limit.into();
        }
    }
    property
}

/// Adds the option to search again.
fn add_search_again(property: &mut Value, language: Language) {
    let title = language.of("別の言葉で検索する", "Search by other words");
    let again = json!({ "const": SEARCH_AGAIN, "title": format!("{SEARCH_AGAIN} {title}") });
    let is_several = property["type"] == "array";
    let options = match is_several {
        true => property.pointer_mut("/items/anyOf"),
        false => property.get_mut("oneOf"),
    };
    if let Some(Value::Array(options)) = options {
        options.push(again);
    }
    // Selectable alone, or in addition to the maximum.
    if let Some(members) = property.as_object_mut() {
        members.remove("minItems");
        members.remove("maxItems");
    }
}

fn plain(field: &Field, context: &AskContext<'_>, hints: &mut Vec<String>) -> Value {
    match &field.kind {
        Kind::Text(text) | Kind::Textarea { text, .. } => {
            words(text, field.required, context.language, hints)
        }
        Kind::Checkbox => {
            if field.required {
                let must = context.language.of("チェックが必要です", "must be checked");
                hints.push(must.to_owned());
            }
            json!({ "type": "boolean" })
        }
        Kind::Number(it) => number(*it, context.language, hints),
        Kind::Range { number: it, .. } => {
            let mut property = number(*it, context.language, hints);
            property["default"] = property["minimum"].clone();
            property
        }
        Kind::Date(limits) => {
            days(*limits, context, hints);
            json!({ "type": "string", "format": "date" })
        }
        Kind::Datetime(limits) => {
            let form = context.language.of("YYYY-MM-DDTHH:MMの形式", "as YYYY-MM-DDTHH:MM");
            hints.push(form.to_owned());
            days(*limits, context, hints);
            json!({ "type": "string" })
        }
        _ => json!({ "type": "string" }),
    }
}

fn words(text: &Text, is_required: bool, language: Language, hints: &mut Vec<String>) -> Value {
    let mut property = json!({ "type": "string" });
    match text.length.min {
        // An optional field may be left empty in spite of its minimum.
        Some(min) if !is_required => {
            hints.push(language.of(format!("{min}文字以上"), format!("at least {min} characters")))
        }
        Some(min) => property["minLength"] = min.into(),
        None => {}
    }
    if let Some(max) = text.length.max {
        property["maxLength"] = max.into();
    }
    if let Some(pattern) = &text.pattern {
        let usual = || language.of(format!("形式: {pattern}"), format!("form: {pattern}"));
        hints.push(text.pattern_error.clone().unwrap_or_else(usual));
    }
    if !text.suggestions.is_empty() {
        let some: Vec<_> =
            text.suggestions.iter().take(SUGGESTIONS_MAX).map(String::as_str).collect();
        let some = some.join(language.of("、", ", "));
        hints.push(language.of(format!("候補: {some}"), format!("for example: {some}")));
    }
    property
}

fn number(limits: Number, language: Language, hints: &mut Vec<String>) -> Value {
    let whole = |it: f64| it.fract() == 0.0 && it.abs() < 9e15;
    let is_whole = limits.step.is_some_and(whole) && limits.min.is_none_or(whole);
    let mut property = Map::new();
    property.insert("type".to_owned(), if is_whole { "integer" } else { "number" }.into());
    for (name, limit) in [("minimum", limits.min), ("maximum", limits.max)] {
        // Limits of integers are rounded.
        let limit = limit.map(|it| if is_whole { it.floor() } else { it });
        property.extend(limit.map(|it| (name.to_owned(), json_number(it))));
    }
    if let Some(step) = limits.step.filter(|it| *it != 1.0) {
        hints.push(language.of(format!("{step}刻み"), format!("in steps of {step}")));
    }
    property.into()
}

fn days(limits: Days, context: &AskContext<'_>, hints: &mut Vec<String>) {
    let language = context.language;
    if let Some(min) = limits.min.map(|it: Day| it.on(context.today.earliest)) {
        hints.push(language.of(format!("{min}以降"), format!("from {min}")));
    }
    if let Some(max) = limits.max.map(|it: Day| it.on(context.today.latest)) {
        hints.push(language.of(format!("{max}以前"), format!("until {max}")));
    }
}

/// Whether a property accepts a default: by its type and options.
fn takes(property: &Value, value: &Value) -> bool {
    let offers = |options: &Value, value: &Value| {
        let mut options = options.as_array().into_iter().flatten();
        options.any(|it| it["const"] == *value)
    };
    match property["type"].as_str() {
        Some("string") if property["oneOf"].is_array() => offers(&property["oneOf"], value),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64(),
        Some("number") => value.is_number(),
        Some("array") => {
            let options = &property["items"]["anyOf"];
            value.as_array().is_some_and(|it| it.iter().all(|it| offers(options, it)))
        }
        _ => false,
    }
}

// Options, and the chosen ones.

/// Maximum options of one question; more require a search.
const CHOICES_MAX: usize = 300;
/// Marks the option to search again.
const SEARCH_AGAIN: &str = "↻";

/// What a field offers.
enum Offered {
    /// Free input.
    Anything,
    /// Nothing, because its parent is empty.
    Nothing,
    /// These options.
    These(Vec<Choice>),
}

/// Options of `field` for the known `values` and the search query.
fn offered(
    context: &AskContext<'_>,
    field: &Field,
    values: &Values,
    typed: Option<&str>,
) -> Result<Offered, String> {
    if let Kind::Select(options) | Kind::Radio(options) | Kind::Multiselect(options, _) =
        &field.kind
    {
        return Ok(Offered::These(options.clone()));
    }
    let Some(lookup) = field.lookup() else { return Ok(Offered::Anything) };
    let parent = lookup.depends_on.as_ref();
    let value = parent.and_then(|(name, _)| match context.form.field(name).map(|it| &it.kind) {
        Some(Kind::Hidden(value)) => Some(value),
        _ => values.get(name),
    });
    if parent.is_some() && value.is_none() {
        return Ok(Offered::Nothing);
    }
    let words = typed.filter(|_| is_search(&field.kind)).unwrap_or_default();
    let found = (context.lookup)(&lookup.url(words, value)).and_then(|it| choices(lookup, &it));
    found.map(Offered::These).map_err(|why| cannot_load(context, field, &why))
}

/// Chosen values, and whether to search again.
fn chosen(field: &Field, choices: &[Choice], given: Option<&Value>) -> (Option<Value>, bool) {
    let value = |value: &Value| {
        let text = Some(value).filter(|it| !it.is_array()).map(text_of);
        let choice = choices.iter().find(|it| Some(text_of(&it.value)) == text);
        // A value that was not offered is kept for validation.
        choice.map_or_else(|| value.clone(), |it| it.value.clone())
    };
    let is_again = |it: &Value| it.as_str() == Some(SEARCH_AGAIN);
    match given {
        Some(Value::Array(several)) if is_several(&field.kind) => {
            let values: Vec<Value> = several.iter().filter(|it| !is_again(it)).map(value).collect();
            (Some(values.into()), several.iter().any(is_again))
        }
        Some(it) if is_again(it) => (None, true),
        given => (given.map(value), false),
    }
}

fn cannot_load(context: &AskContext<'_>, field: &Field, why: &str) -> String {
    let label = &field.label;
    context.language.of(
        format!("{label}の選択肢を読み込めませんでした。"),
        format!("The options of {label} could not be loaded ({why})."),
    )
}

#[cfg(test)]
mod tests;
