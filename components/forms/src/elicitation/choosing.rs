//! What there is to choose among, and what was chosen.

use output::form::{Choice, Field, Kind, Values, choices, text_of};
use serde_json::Value;

use super::{Asking, is_search, property};

/// Choices that one question offers; of more, some words pick.
pub(super) const CHOICES_MAX: usize = 300;
/// Stands among what was found for a search by other words.
pub(super) const AGAIN: &str = "↻";

/// What a field offers.
pub(super) enum Offered {
    /// It is not chosen but written.
    Anything,
    /// What it depends on is empty.
    Nothing,
    /// One or several of these.
    These(Vec<Choice>),
}

/// What `field` offers, now that `values` are known and, of a search, what is typed.
pub(super) fn offered(
    asking: &Asking<'_>,
    field: &Field,
    values: &Values,
    typed: Option<&str>,
) -> Result<Offered, String> {
    if let Kind::Select(it) | Kind::Radio(it) | Kind::Multiselect(it, _) = &field.kind {
        return Ok(Offered::These(it.clone()));
    }
    let Some(lookup) = field.lookup() else { return Ok(Offered::Anything) };
    let parent = lookup.depends_on.as_ref();
    let value = parent.and_then(|(name, _)| match asking.form.field(name).map(|it| &it.kind) {
        Some(Kind::Hidden(value)) => Some(value),
        _ => values.get(name),
    });
    if parent.is_some() && value.is_none() {
        return Ok(Offered::Nothing);
    }
    let words = typed.filter(|_| is_search(&field.kind)).unwrap_or_default();
    let found = (asking.lookup)(&lookup.url(words, value)).and_then(|it| choices(lookup, &it));
    found.map(Offered::These).map_err(|why| cannot_load(asking, field, &why))
}

/// What was chosen, and whether it is to be searched for by other words.
pub(super) fn chosen(
    field: &Field,
    choices: &[Choice],
    given: Option<&Value>,
) -> (Option<Value>, bool) {
    let value = |value: &Value| {
        let text = Some(value).filter(|it| !it.is_array()).map(text_of);
        let choice = choices.iter().find(|it| Some(text_of(&it.value)) == text);
        // What was not offered stays as it is: the check says what is wrong with it.
        choice.map_or_else(|| value.clone(), |it| it.value.clone())
    };
    let is_again = |it: &Value| it.as_str() == Some(AGAIN);
    match given {
        Some(Value::Array(several)) if property::is_several(&field.kind) => {
            let values: Vec<Value> = several.iter().filter(|it| !is_again(it)).map(value).collect();
            (Some(values.into()), several.iter().any(is_again))
        }
        Some(it) if is_again(it) => (None, true),
        given => (given.map(value), false),
    }
}

fn cannot_load(asking: &Asking<'_>, field: &Field, why: &str) -> String {
    let label = &field.label;
    asking.language.of(
        format!("{label}の選択肢を読み込めませんでした。"),
        format!("The options of {label} could not be loaded ({why})."),
    )
}
