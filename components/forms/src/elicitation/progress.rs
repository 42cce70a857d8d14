//! Progress of the questions; pure, so that a repeated call has the same result.

use std::collections::{BTreeMap, BTreeSet};

use output::form::{Choice, Fault, Field, Kind, Values, Wrong, text_of};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{AskContext, CHOICES_MAX, Offered, ROUNDS_MAX, SEARCH_AGAIN, is_asked, is_search};
use crate::{elicitation, store::Filled};

/// Maximum characters of a search query.
const WORDS_CHARS_MAX: usize = 200;
/// Maximum bytes of the progress, which travels with each question, as do the answers.
const BYTES_MAX: usize = 64 << 10;

/// Progress of the questions. It travels with them, signed by the host.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Rounds so far.
    round: usize,
    /// Valid answers.
    values: Values,
    /// Fields that need no more questions.
    done: BTreeSet<String>,
    /// Search queries by field.
    typed: BTreeMap<String, String>,
    /// Choices before another search: values with labels.
    kept: BTreeMap<String, Vec<(Value, String)>>,
    /// Invalid answers, to be corrected.
    wrong: Values,
    /// Labels of looked-up values: lists of `{"value": …, "label": …}`.
    #[serde(default)]
    labels: Values,
    /// Errors of fields that are asked again.
    faults: BTreeMap<String, String>,
    /// Fields that others depend on.
    needed: BTreeSet<String>,
}

/// Next step.
pub(super) enum Step {
    /// Ask a question.
    Ask(Round),
    /// Done: the submission.
    Filled(Values),
    /// Failed, with the reason.
    Impossible(String),
}

/// A question to the client.
pub(super) struct Round {
    /// Unique key.
    pub(super) key: String,
    pub(super) message: String,
    /// Flat MCP form.
    pub(super) schema: Value,
    /// Meaning of its properties.
    asked: Vec<AskedPart>,
}

/// Meaning of one property.
struct AskedPart {
    /// Position of the field.
    at: usize,
    part: Part,
}

/// Part of a field.
pub(super) enum Part {
    /// Its value.
    Value,
    /// A search query.
    Words,
    /// Options to choose from.
    Choices(Vec<Choice>),
}

impl Progress {
    /// Decides on the next step.
    pub(super) fn step(&mut self, context: &AskContext<'_>) -> Step {
        // Each iteration asks, ends, or completes a field without a question.
        for _ in 0..=2 * context.form.fields.len() + 1 {
            let open = self.open(context);
            if open.is_empty() {
                match self.end(context) {
                    // Nothing is submitted unseen: a form without input is read and confirmed.
                    Some(Step::Filled(_)) if self.round == 0 => {
                        return Step::Ask(self.round(context, Vec::new()));
                    }
                    Some(step) => return step,
                    None => continue,
                }
            }
            let mut asked = Vec::new();
            for at in open {
                match self.part(context, at) {
                    Ok(Some(part)) => asked.push(AskedPart { at, part }),
                    Ok(None) => drop(self.done.insert(context.form.fields[at].name.clone())),
                    Err(why) => return Step::Impossible(why),
                }
            }
            if asked.is_empty() {
                continue;
            }
            if serde_json::to_string(self).is_ok_and(|it| it.len() > BYTES_MAX) {
                let big = (
                    "入力内容が質問には大きすぎます。",
                    "What was filled in is too big for questions.",
                );
                return Step::Impossible(context.language.of(big.0, big.1).to_owned());
            }
            if self.round == ROUNDS_MAX {
                return Step::Impossible(context.language.of(
                    format!("{ROUNDS_MAX}回の質問では入力が終わりませんでした。"),
                    format!("It was not filled in after {ROUNDS_MAX} questions."),
                ));
            }
            return Step::Ask(self.round(context, asked));
        }
        Step::Impossible(context.language.of("質問できません。", "It cannot be asked.").to_owned())
    }

    /// Fields that can be asked now: shown, and with all dependencies complete.
    fn open(&self, context: &AskContext<'_>) -> Vec<usize> {
        let fields = &context.form.fields;
        let shown = context.form.shown(&self.values);
        let mut settled: BTreeSet<&str> = BTreeSet::new();
        let is_free = |field: &Field, settled: &BTreeSet<&str>| {
            field.needed().into_iter().all(|name| settled.contains(name))
        };
        loop {
            let before = settled.len();
            for (it, is_shown) in fields.iter().zip(&shown) {
                let is_done = self.done.contains(&it.name) || !is_asked(it);
                if is_done || (!is_shown && is_free(it, &settled)) {
                    settled.insert(&it.name);
                }
            }
            if settled.len() == before {
                break;
            }
        }
        let is_open = |at: &usize| {
            let field = &fields[*at];
            shown[*at] && !settled.contains(field.name.as_str()) && is_free(field, &settled)
        };
        (0..fields.len()).filter(is_open).collect()
    }

    /// Part of a field to ask; `None` if there are no options.
    fn part(&mut self, context: &AskContext<'_>, at: usize) -> Result<Option<Part>, String> {
        let field = &context.form.fields[at];
        let typed = self.typed.get(&field.name).cloned();
        if is_search(&field.kind) && typed.is_none() {
            return Ok(Some(Part::Words));
        }
        let found = match elicitation::offered(context, field, &self.values, typed.as_deref())? {
            Offered::Anything => return Ok(Some(Part::Value)),
            Offered::Nothing => return Ok(None),
            Offered::These(found) => found,
        };
        let mut names = BTreeSet::from([SEARCH_AGAIN.to_owned()]);
        let kept = self.kept.get(&field.name).into_iter().flatten();
        let kept = kept.map(|(value, label)| Choice { value: value.clone(), label: label.clone() });
        let mut found: Vec<Choice> =
            kept.chain(found).filter(|it| names.insert(text_of(&it.value))).collect();
        if found.len() > CHOICES_MAX && !is_search(&field.kind) {
            let Some(words) = &typed else { return Ok(Some(Part::Words)) };
            let words = words.to_lowercase();
            found.retain(|it| it.label.to_lowercase().contains(&words));
        }
        found.truncate(CHOICES_MAX);
        if found.is_empty() && typed.is_some() {
            self.typed.remove(&field.name);
            let nothing = context.language.of("見つかりませんでした", "nothing was found");
            self.faults.insert(field.name.clone(), format!("{}: {nothing}", field.label));
            return Ok(Some(Part::Words));
        }
        Ok(Some(Part::Choices(found))
            .filter(|it| !matches!(it, Part::Choices(it) if it.is_empty())))
    }

    fn round(&self, context: &AskContext<'_>, asked: Vec<AskedPart>) -> Round {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for AskedPart { at, part } in &asked {
            let field = &context.form.fields[*at];
            let mut property = elicitation::property_for(field, part, context);
            let is_again = self.typed.contains_key(&field.name);
            if let (Part::Choices(_), true) = (part, is_again) {
                elicitation::add_search_again(&mut property, context.language);
            }
            self.prefill(field, part, &mut property);
            properties.insert(field.name.clone(), property);
            if field.is_needed() || self.needed.contains(&field.name) {
                required.push(field.name.as_str());
            }
        }
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        let mut message = context.form.title.clone();
        for line in context.form.description.iter().filter(|_| self.round == 0) {
            message = format!("{message}\n{line}");
        }
        if asked.is_empty() {
            message.extend(self.read(context));
        }
        let faults =
            asked.iter().filter_map(|it| self.faults.get(&context.form.fields[it.at].name));
        for fault in faults {
            message = format!("{message}\n・{fault}");
        }
        Round { key: format!("form-{}", self.round), message, schema, asked }
    }

    /// Lines of a form without input: headings with their texts.
    fn read(&self, context: &AskContext<'_>) -> Vec<String> {
        let fields = context.form.fields.iter().zip(context.form.shown(&self.values));
        let read = fields.filter(|(it, is_shown)| *is_shown && !it.is_input());
        let lines = read.flat_map(|(it, _)| [Some(&it.label), it.description.as_ref()]);
        lines.flatten().filter(|it| !it.is_empty()).map(|it| format!("\n{it}")).collect()
    }

    /// Prefills earlier answers.
    fn prefill(&self, field: &Field, part: &Part, property: &mut Value) {
        let kept = self.kept.get(&field.name).filter(|it| !it.is_empty());
        let default = match (part, kept) {
            (Part::Words, _) => return,
            (_, Some(kept)) => kept.iter().map(|(value, _)| text_of(value)).collect(),
            _ => match self.wrong.get(&field.name) {
                Some(before) => before.clone(),
                None => return,
            },
        };
        if elicitation::takes(property, &default) {
            property["default"] = default;
        }
    }

    /// Applies the answer to a question.
    pub(super) fn take(&mut self, context: &AskContext<'_>, round: &Round, content: &Values) {
        self.round += 1;
        for AskedPart { at, part } in &round.asked {
            let field = &context.form.fields[*at];
            let name = &field.name;
            self.faults.remove(name);
            self.wrong.remove(name);
            let given = content.get(name).filter(|it| !it.is_null());
            let value = match part {
                Part::Words => {
                    let words = given.and_then(Value::as_str).map_or("", str::trim);
                    if !words.is_empty() {
                        let words = words.chars().take(WORDS_CHARS_MAX).collect();
                        self.typed.insert(name.clone(), words);
                        continue;
                    }
                    self.chosen_so_far(field).or_else(|| field.default.clone())
                }
                Part::Choices(choices) => {
                    let (value, is_again) = elicitation::chosen(field, choices, given);
                    self.label(field, choices, value.as_ref());
                    if is_again {
                        self.search_again(name, choices, value.as_ref());
                        continue;
                    }
                    value
                }
                Part::Value => given.cloned(),
            };
            self.put(context, field, value, given);
        }
    }

    /// Stores a valid value, or marks the field to be asked again.
    fn put(
        &mut self,
        context: &AskContext<'_>,
        field: &Field,
        value: Option<Value>,
        given: Option<&Value>,
    ) {
        let name = &field.name;
        let fault = context.form.check_field(field, value.as_ref(), context.today);
        let fault = fault.or_else(|| {
            let is_missing = value.is_none() && self.needed.contains(name);
            let (field, label) = (name.clone(), field.label.clone());
            is_missing.then_some(Fault { field, label, wrong: Wrong::Missing })
        });
        if let Some(fault) = fault {
            self.faults.insert(name.clone(), fault.message(context.language));
            self.wrong.extend(given.map(|it| (name.clone(), it.clone())));
            return;
        }
        self.values.remove(name);
        self.values.extend(value.map(|it| (name.clone(), it)));
        self.done.insert(name.clone());
        self.kept.remove(name);
        self.typed.remove(name);
    }

    /// Choices before the last search, for a field with several.
    fn chosen_so_far(&self, field: &Field) -> Option<Value> {
        let kept = self.kept.get(&field.name).filter(|it| !it.is_empty())?;
        Some(kept.iter().map(|(value, _)| value.clone()).collect())
    }

    /// Stores the label of a looked-up value.
    fn label(&mut self, field: &Field, choices: &[Choice], value: Option<&Value>) {
        if field.lookup().is_none() {
            return;
        }
        let chosen = match value {
            Some(Value::Array(several)) => several.as_slice(),
            one => one.map_or(&[][..], std::slice::from_ref),
        };
        let label = |value: &Value| {
            let choice = choices.iter().find(|it| it.value == *value)?;
            Some(json!({ "value": choice.value, "label": choice.label }))
        };
        let labels: Vec<Value> = chosen.iter().filter_map(label).collect();
        self.labels.remove(&field.name);
        if !labels.is_empty() {
            self.labels.insert(field.name.clone(), labels.into());
        }
    }

    /// Labels of the looked-up `values`.
    pub(super) fn labels(&self, values: &Values) -> Values {
        let labels = self.labels.iter().filter(|(name, _)| values.contains_key(*name));
        labels.map(|(name, it)| (name.clone(), it.clone())).collect()
    }

    /// All answers so far as a draft, valid or not; null for those left empty.
    pub(super) fn draft(&self) -> Filled {
        let chosen = self.kept.iter().filter(|(_, it)| !it.is_empty()).map(|(name, kept)| {
            (name.clone(), kept.iter().map(|(value, _)| value.clone()).collect::<Value>())
        });
        let mut values: Values = self.done.iter().map(|it| (it.clone(), Value::Null)).collect();
        values.extend(self.values.clone());
        values.extend(chosen);
        values.extend(self.wrong.clone());
        let labels = self.labels(&values);
        Filled { values, labels }
    }

    fn search_again(&mut self, name: &str, choices: &[Choice], chosen: Option<&Value>) {
        self.typed.remove(name);
        let chosen = chosen.and_then(Value::as_array).into_iter().flatten();
        let label = |value: &Value| choices.iter().find(|it| it.value == *value);
        let kept = chosen.filter_map(|it| Some((it.clone(), label(it)?.label.clone())));
        self.kept.insert(name.to_owned(), kept.collect());
    }

    /// All fields are complete: returns the submission, or asks again.
    fn end(&mut self, context: &AskContext<'_>) -> Option<Step> {
        let faults = match context.form.check(&self.values, context.today) {
            Ok(submission) => return Some(Step::Filled(submission)),
            Err(faults) => faults,
        };
        let mut is_any = false;
        for fault in &faults {
            let message = fault.message(context.language);
            let Some(field) = context.form.field(&fault.field) else { continue };
            let parent = field.lookup().and_then(|it| it.depends_on.as_ref());
            let parent = parent.filter(|(name, _)| !self.values.contains_key(name));
            let parent = parent.and_then(|(name, _)| context.form.field(name));
            // There were no options, and there will not be any.
            let is_lookup = matches!(field.kind, Kind::CascadingSelect(_) | Kind::AsyncSelect(_));
            if is_lookup && parent.is_none() && fault.wrong == Wrong::Missing {
                let nothing = context.language.of("選択肢がありません。", "there are no options.");
                return Some(Step::Impossible(format!("{}: {nothing}", field.label)));
            }
            self.done.remove(&field.name);
            let again = parent.filter(|it| is_asked(it)).unwrap_or(field);
            self.done.remove(&again.name);
            self.needed.insert(again.name.clone());
            self.faults.insert(again.name.clone(), message);
            is_any = true;
        }
        let message = faults.first().map(|it| it.message(context.language)).unwrap_or_default();
        (!is_any).then_some(Step::Impossible(message))
    }
}
