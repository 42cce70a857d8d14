//! Forms of `request_form` (FORM-15 to FORM-37): parsing and validation, compiled into the component and into the page;
//! and requested forms and their answers, which the tools put out.

mod check;
mod condition;
mod constraints;
mod fault;
mod kind;
mod lookup;
mod read;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use check::{json_number, type_by_ending};
pub use condition::{Condition, Test, is_same};
pub use constraints::{Count, Day, Days, Files, Number, Text, Today, parse_day, parse_minute};
pub use fault::{Fault, Language, SchemaFault, Wrong, size_of};
pub use kind::{Kind, TYPES};
pub use lookup::{Choice, Lookup, choices, text_of};

/// Values by field.
pub type Values = Map<String, Value>;

/// Maximum fields of a form.
pub const FIELDS_MAX: usize = 1_000;
/// Maximum bytes of a definition as JSON.
pub const SCHEMA_BYTES_MAX: usize = 256 << 10;
/// Maximum bytes of a submission as JSON.
pub const VALUES_BYTES_MAX: usize = 256 << 10;
/// Maximum characters of a name.
pub const NAME_CHARS_MAX: usize = 200;
/// Maximum characters of labels and descriptions.
pub const LABEL_CHARS_MAX: usize = 2_000;
/// Maximum characters of a pattern.
pub const PATTERN_CHARS_MAX: usize = 1_000;
/// Maximum options of a field, static or looked up.
pub const OPTIONS_MAX: usize = 2_000;
/// Maximum suggestions of a text.
pub const SUGGESTIONS_MAX: usize = 50;
/// Maximum characters of a text value.
pub const TEXT_CHARS_MAX: usize = 20_000;
/// Maximum files of a field.
pub const FILES_MAX: usize = 50;

/// A form (FORM-15).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Form {
    /// Title of the form, for people.
    pub title: String,
    /// What the form is for.
    pub description: Option<String>,
    /// Label of the submit button; 「送信」 by default.
    pub submit_label: Option<String>,
    /// Label of the cancel button; 「キャンセル」 by default.
    pub cancel_label: Option<String>,
    /// Fields in order; at least one.
    pub fields: Vec<Field>,
}

/// An entry of a form's `fields`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Field {
    /// Key of its value; empty for a divider or a heading.
    pub name: String,
    /// Label; its name by default. For a divider the section's name, if any.
    pub label: String,
    /// Text below the label. For a heading, the text after it (FORM-23).
    pub description: Option<String>,
    /// Text shown while the field is empty.
    pub placeholder: Option<String>,
    /// Whether it is required; for a checkbox, checked (FORM-X5).
    pub required: bool,
    /// Default, valid for its type (FORM-X6).
    pub default: Option<Value>,
    /// Condition to show it; always by default. Hidden fields are neither validated nor sent.
    pub show_if: Option<Condition>,
    /// Type.
    pub kind: Kind,
}

impl Form {
    /// Parses a definition.
    ///
    /// # Errors
    /// The first problem, with the text of FORM-60 if it has one.
    pub fn read(schema: &Value) -> Result<Self, SchemaFault> {
        read::form(schema)
    }

    /// Checks that the form can be filled in at all. Stored forms are not checked again.
    ///
    /// # Errors
    /// The first field whose limits permit no value, on this day or later.
    pub fn check_answerable(&self, today: Today) -> Result<(), SchemaFault> {
        read::check_answerable(self, today)
    }

    /// Resolves defaults relative to today.
    pub fn on(mut self, today: Today) -> Self {
        for it in &mut self.fields {
            it.default = it.default.take().map(|default| kind::on(&it.kind, default, today));
        }
        self
    }

    /// Values of the untouched form.
    pub fn defaults(&self) -> Values {
        check::defaults(self)
    }

    /// Whether each field is shown for `values`, in the order of `fields`. Hidden fields count as empty in conditions.
    pub fn shown(&self, values: &Values) -> Vec<bool> {
        condition::shown(self, values)
    }

    /// Validates `values` and returns the submission (FORM-45 to FORM-47): without hidden and empty fields,
    /// but always with checkboxes and `hidden` fields.
    ///
    /// # Errors
    /// Every problem, in the order of the fields.
    pub fn check(&self, values: &Values, today: Today) -> Result<Values, Vec<Fault>> {
        check::check(self, values, today)
    }

    /// Validates one field, shown or not.
    pub fn check_field(&self, field: &Field, value: Option<&Value>, today: Today) -> Option<Fault> {
        check::field(field, value, today).err()
    }

    /// Finds a field by name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|it| it.name == name && !name.is_empty())
    }
}

impl Field {
    /// Whether it has a value; dividers and headings have none.
    pub fn is_input(&self) -> bool {
        !matches!(self.kind, Kind::Divider | Kind::Heading(_))
    }

    /// Minimum number of choices above 0; `minSelect` also applies to an optional field (FORM-45).
    pub fn least(&self) -> Option<usize> {
        let (Kind::Multiselect(_, count) | Kind::MultiAutocomplete(_, count)) = &self.kind else {
            return None;
        };
        count.min.filter(|it| *it > 0)
    }

    /// Whether it must be filled in: it is `required`, or has a minimum number of choices.
    pub fn is_needed(&self) -> bool {
        self.required || self.least().is_some()
    }

    /// Creates an error of this field.
    fn fault(&self, wrong: Wrong) -> Fault {
        Fault { field: self.name.clone(), label: self.label.clone(), wrong }
    }

    /// Whether it seems to ask for a password, a card number or the like: people are warned, and drafts do not keep it.
    pub fn is_secret(&self) -> bool {
        is_secret(self)
    }

    /// Look-up of its options, if any.
    pub fn lookup(&self) -> Option<&Lookup> {
        match &self.kind {
            Kind::Autocomplete(it)
            | Kind::MultiAutocomplete(it, _)
            | Kind::CascadingSelect(it)
            | Kind::AsyncSelect(it) => Some(it),
            _ => None,
        }
    }
}

/// What `request_form` puts out (FORM-1). The form's handle is in the result's `_meta`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FormRequest {
    /// Always `form_request`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The definition, as it was given.
    pub schema: Map<String, Value>,
    /// `waiting_for_input`; or, where the client could ask at once, how it was answered.
    pub status: String,
    /// The text for the model.
    pub message: String,
    /// What was filled in, where the client could ask at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Values>,
}

/// How far a form has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nobody has answered yet.
    #[default]
    Waiting,
    /// It was filled in.
    Submitted,
    /// It was closed without an answer.
    Cancelled,
    /// Whoever was asked does not want to answer.
    Declined,
}

/// What `submit_form`, `close_form` and `get_form_submission` put out (FORM-11).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Submission {
    /// The form's handle.
    pub handle: String,
    /// How far it has come.
    pub status: Status,
    /// The form's title.
    pub title: String,
    /// What was filled in, by the fields' names; where it was submitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Values>,
    /// When it was answered: `2026-11-21T10:00:00Z`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_at: Option<String>,
    /// What a client sends to its model in the name of the person who answered: the JSON of the values (FORM-5),
    /// or that they cancelled (FORM-9).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What `open_form` puts out: a form with all that a page needs to show it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpenForm {
    /// The form's handle.
    pub handle: String,
    /// The form's definition.
    pub schema: Map<String, Value>,
    /// How far it has come.
    pub status: Status,
    /// Who asks: the name of the client, as it calls itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<String>,
    /// When it was asked for: `2026-11-21T10:00:00Z`.
    pub asked_at: String,
    /// What was typed so far, while it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<Values>,
    /// What people read of the values that came from look-ups: by the fields' names, lists of
    /// `{"value": …, "label": …}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<Values>,
    /// How often a draft was saved; a page sends it along to tell whether another one was faster.
    #[serde(default)]
    pub revision: u32,
    /// What was filled in, where it was submitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Values>,
    /// When it was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_at: Option<String>,
    /// The names of fields that seem to ask for a password or the like: people are warned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
}

/// What `save_form_draft` puts out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Drafted {
    /// How often a draft was saved.
    pub revision: u32,
    /// When: `2026-11-21T10:00:00Z`.
    pub saved_at: String,
}

/// What `validate_form_submission` puts out (FORM-10).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// Whether it would be taken.
    pub valid: bool,
    /// What is wrong, field by field.
    pub errors: Vec<Wrongness>,
    /// What would be taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Values>,
}

/// What is wrong with one field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Wrongness {
    /// The field's name.
    pub field: String,
    /// The text for people.
    pub message: String,
}

/// What `list_form_submissions` puts out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Submissions {
    /// The forms, the newest first.
    pub forms: Vec<Listed>,
    /// Asks for the next page; none on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// One form in a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Listed {
    /// The form's handle.
    pub handle: String,
    /// The form's title.
    pub title: String,
    /// How far it has come.
    pub status: Status,
    /// Who asked: the client's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<String>,
    /// When it was asked for.
    pub asked_at: String,
    /// When it was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_at: Option<String>,
    /// What was filled in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Values>,
}

/// Words that name a secret alone.
const WORDS: &str = "\
    password passwords passwd passphrase passcode pwd pin cvv cvv2 cvc secret token otp ssn \
    apikey cardnumber creditcard mynumber privatekey credentials";
/// Pairs of words that name a secret.
const PAIRS: &str = "card number|credit card|debit card|api key|private key|access key|\
    security code|pass phrase|social security|my number";
/// Japanese terms, found without word boundaries.
const PARTS: &str = "\
    パスワード|パスコード|パスフレーズ|暗証番号|暗証コード|合言葉|クレジットカード|カード番号|\
    セキュリティコード|マイナンバー|個人番号|シークレット|トークン|秘密鍵|認証コード|apiキー";

/// Whether a typed field has a name or label of a secret. Choices from the form's own options are none.
fn is_secret(field: &Field) -> bool {
    let is_typed = matches!(field.kind, Kind::Text(_) | Kind::Textarea { .. } | Kind::Number(_));
    is_typed && [&field.name, &field.label].into_iter().any(|it| says_so(it))
}

fn says_so(text: &str) -> bool {
    let text: String = text.chars().map(to_half_width).collect();
    let lower = text.to_lowercase();
    if PARTS.split('|').any(|it| lower.contains(it)) {
        return true;
    }
    let words = words(&text);
    words.iter().any(|it| WORDS.split(' ').any(|word| word == it))
        || words.windows(2).any(|it| PAIRS.split('|').any(|pair| pair == it.join(" ")))
}

/// Lowercase ASCII words of a text: `cardNumber`, `card_number` and `Card number` have two.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for it in text.chars() {
        let is_in_word = it.is_ascii_alphanumeric();
        let begins = it.is_ascii_uppercase() && before.is_ascii_lowercase();
        if (!is_in_word || begins) && words.last().is_some_and(|it| !it.is_empty()) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (is_in_word, words.last_mut()) {
            word.push(it.to_ascii_lowercase());
        }
        before = it;
    }
    words
}

/// Converts full width: ＰＩＮ is PIN.
fn to_half_width(sign: char) -> char {
    match sign {
        '\u{3000}' => ' ',
        '！'..='～' => char::from_u32(u32::from(sign) - 0xFEE0).unwrap_or(sign),
        sign => sign,
    }
}

#[cfg(test)]
mod tests;
