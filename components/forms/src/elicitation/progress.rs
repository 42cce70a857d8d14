//! How far the questions have come: pure, so that it is the same in every repeat of a call.

use std::collections::{BTreeMap, BTreeSet};

use output::form::{Choice, Fault, Field, Kind, Values, Wrong, text_of};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{AGAIN, Asking, CHOICES_MAX, Offered, ROUNDS_MAX, is_asked, is_search};
use crate::{elicitation, store::Filled};

/// Characters of what is searched for.
const WORDS_CHARS_MAX: usize = 200;
/// Bytes of what is known so far: it goes out and comes back with each question, and so do the answers.
const BYTES_MAX: usize = 64 << 10;

/// What is known so far. It goes out with the questions, sealed by the host, and comes back.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Questions put so far.
    round: usize,
    /// What was answered and fits.
    values: Values,
    /// The fields that need not be asked for any more.
    done: BTreeSet<String>,
    /// What is searched for, by the fields' names.
    typed: BTreeMap<String, String>,
    /// What was chosen before a search by other words: the values, with what people read of them.
    kept: BTreeMap<String, Vec<(Value, String)>>,
    /// Answers that do not fit, to be corrected rather than written anew.
    wrong: Values,
    /// What people read of values that came from look-ups: lists of `{"value": …, "label": …}`.
    #[serde(default)]
    labels: Values,
    /// Why a field is asked for again.
    faults: BTreeMap<String, String>,
    /// Fields without which others cannot be answered.
    needed: BTreeSet<String>,
}

/// The next step of the questions.
pub(super) enum Step {
    /// A question to put next.
    Ask(Round),
    /// Nothing: this is the submission.
    Filled(Values),
    /// Nothing, and it is not filled in: why.
    Stuck(String),
}

/// One question to the client.
pub(super) struct Round {
    /// Tells it apart from those before it.
    pub(super) key: String,
    pub(super) message: String,
    /// MCP's flat form.
    pub(super) schema: Value,
    /// What its properties mean.
    asked: Vec<Asked>,
}

/// What one property of a question asks for.
struct Asked {
    /// The field's position.
    at: usize,
    part: Part,
}

/// What of a field is asked for.
pub(super) enum Part {
    /// Its value, as it is.
    Value,
    /// Words to search by.
    Words,
    /// What is to be chosen among.
    Choices(Vec<Choice>),
}

impl Progress {
    /// What comes next with what is known.
    pub(super) fn step(&mut self, asking: &Asking<'_>) -> Step {
        // Each turn either asks, ends, or has settled a field that there is nothing to ask for.
        for _ in 0..=2 * asking.form.fields.len() + 1 {
            let open = self.open(asking);
            if open.is_empty() {
                match self.end(asking) {
                    // Nothing is sent that its person has not seen: where there is nothing to fill in,
                    // they read it and agree.
                    Some(Step::Filled(_)) if self.round == 0 => {
                        return Step::Ask(self.round(asking, Vec::new()));
                    }
                    Some(step) => return step,
                    None => continue,
                }
            }
            let mut asked = Vec::new();
            for at in open {
                match self.part(asking, at) {
                    Ok(Some(part)) => asked.push(Asked { at, part }),
                    Ok(None) => drop(self.done.insert(asking.form.fields[at].name.clone())),
                    Err(why) => return Step::Stuck(why),
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
                return Step::Stuck(asking.language.of(big.0, big.1).to_owned());
            }
            if self.round == ROUNDS_MAX {
                return Step::Stuck(asking.language.of(
                    format!("{ROUNDS_MAX}回の質問では入力が終わりませんでした。"),
                    format!("It was not filled in after {ROUNDS_MAX} questions."),
                ));
            }
            return Step::Ask(self.round(asking, asked));
        }
        Step::Stuck(asking.language.of("質問できません。", "It cannot be asked.").to_owned())
    }

    /// The fields that can be asked for now: shown, and nothing that they need is open.
    fn open(&self, asking: &Asking<'_>) -> Vec<usize> {
        let fields = &asking.form.fields;
        let shown = asking.form.shown(&self.values);
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
            let it = &fields[*at];
            shown[*at] && !settled.contains(it.name.as_str()) && is_free(it, &settled)
        };
        (0..fields.len()).filter(is_open).collect()
    }

    /// What of a field is to be asked; none where there is nothing to choose among.
    fn part(&mut self, asking: &Asking<'_>, at: usize) -> Result<Option<Part>, String> {
        let field = &asking.form.fields[at];
        let typed = self.typed.get(&field.name).cloned();
        if is_search(&field.kind) && typed.is_none() {
            return Ok(Some(Part::Words));
        }
        let found = match elicitation::offered(asking, field, &self.values, typed.as_deref())? {
            Offered::Anything => return Ok(Some(Part::Value)),
            Offered::Nothing => return Ok(None),
            Offered::These(found) => found,
        };
        let mut names = BTreeSet::from([AGAIN.to_owned()]);
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
            let nothing = asking.language.of("見つかりませんでした", "nothing was found");
            self.faults.insert(field.name.clone(), format!("{}: {nothing}", field.label));
            return Ok(Some(Part::Words));
        }
        Ok(Some(Part::Choices(found))
            .filter(|it| !matches!(it, Part::Choices(it) if it.is_empty())))
    }

    fn round(&self, asking: &Asking<'_>, asked: Vec<Asked>) -> Round {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for Asked { at, part } in &asked {
            let field = &asking.form.fields[*at];
            let mut property = elicitation::of(field, part, asking);
            let is_again = self.typed.contains_key(&field.name);
            if let (Part::Choices(_), true) = (part, is_again) {
                elicitation::add_again(&mut property, asking.language);
            }
            self.prefill(field, part, &mut property);
            properties.insert(field.name.clone(), property);
            if field.is_needed() || self.needed.contains(&field.name) {
                required.push(field.name.as_str());
            }
        }
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        let mut message = asking.form.title.clone();
        for line in asking.form.description.iter().filter(|_| self.round == 0) {
            message = format!("{message}\n{line}");
        }
        if asked.is_empty() {
            message.extend(self.read(asking));
        }
        let faults = asked.iter().filter_map(|it| self.faults.get(&asking.form.fields[it.at].name));
        for fault in faults {
            message = format!("{message}\n・{fault}");
        }
        Round { key: format!("form-{}", self.round), message, schema, asked }
    }

    /// The lines of a form that has nothing to fill in: its headings, with what is below them.
    fn read(&self, asking: &Asking<'_>) -> Vec<String> {
        let fields = asking.form.fields.iter().zip(asking.form.shown(&self.values));
        let read = fields.filter(|(it, is_shown)| *is_shown && !it.is_input());
        let lines = read.flat_map(|(it, _)| [Some(&it.label), it.description.as_ref()]);
        lines.flatten().filter(|it| !it.is_empty()).map(|it| format!("\n{it}")).collect()
    }

    /// What was answered before goes back in, so that it need not be written anew.
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

    /// Takes the answer to a question.
    pub(super) fn take(&mut self, asking: &Asking<'_>, round: &Round, content: &Values) {
        self.round += 1;
        for Asked { at, part } in &round.asked {
            let field = &asking.form.fields[*at];
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
            self.put(asking, field, value, given);
        }
    }

    /// The value is right, or it is asked for again.
    fn put(
        &mut self,
        asking: &Asking<'_>,
        field: &Field,
        value: Option<Value>,
        given: Option<&Value>,
    ) {
        let name = &field.name;
        let fault = asking.form.check_field(field, value.as_ref(), asking.today);
        let fault = fault.or_else(|| {
            let is_missing = value.is_none() && self.needed.contains(name);
            let (field, label) = (name.clone(), field.label.clone());
            is_missing.then_some(Fault { field, label, wrong: Wrong::Missing })
        });
        if let Some(fault) = fault {
            self.faults.insert(name.clone(), fault.message(asking.language));
            self.wrong.extend(given.map(|it| (name.clone(), it.clone())));
            return;
        }
        self.values.remove(name);
        self.values.extend(value.map(|it| (name.clone(), it)));
        self.done.insert(name.clone());
        self.kept.remove(name);
        self.typed.remove(name);
    }

    /// What was chosen before the last search, of a field that takes several.
    fn chosen_so_far(&self, field: &Field) -> Option<Value> {
        let kept = self.kept.get(&field.name).filter(|it| !it.is_empty())?;
        Some(kept.iter().map(|(value, _)| value.clone()).collect())
    }

    /// Notes what people read of a value that came from a look-up.
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

    /// What people read of those of `values` that came from look-ups.
    pub(super) fn labels(&self, values: &Values) -> Values {
        let labels = self.labels.iter().filter(|(name, _)| values.contains_key(*name));
        labels.map(|(name, it)| (name.clone(), it.clone())).collect()
    }

    /// All that was answered so far, right or wrong, as a draft keeps it; null for what was left empty.
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

    /// Nothing is open any more: the submission, or else what is to be asked again.
    fn end(&mut self, asking: &Asking<'_>) -> Option<Step> {
        let faults = match asking.form.check(&self.values, asking.today) {
            Ok(submission) => return Some(Step::Filled(submission)),
            Err(faults) => faults,
        };
        let mut is_any = false;
        for fault in &faults {
            let message = fault.message(asking.language);
            let Some(field) = asking.form.field(&fault.field) else { continue };
            let parent = field.lookup().and_then(|it| it.depends_on.as_ref());
            let parent = parent.filter(|(name, _)| !self.values.contains_key(name));
            let parent = parent.and_then(|(name, _)| asking.form.field(name));
            // There was nothing to choose among, and there will not be anything the next time.
            let is_lookup = matches!(field.kind, Kind::CascadingSelect(_) | Kind::AsyncSelect(_));
            if is_lookup && parent.is_none() && fault.wrong == Wrong::Missing {
                let nothing = asking.language.of("選択肢がありません。", "there are no options.");
                return Some(Step::Stuck(format!("{}: {nothing}", field.label)));
            }
            self.done.remove(&field.name);
            let again = parent.filter(|it| is_asked(it)).unwrap_or(field);
            self.done.remove(&again.name);
            self.needed.insert(again.name.clone());
            self.faults.insert(again.name.clone(), message);
            is_any = true;
        }
        let message = faults.first().map(|it| it.message(asking.language)).unwrap_or_default();
        (!is_any).then_some(Step::Stuck(message))
    }
}
