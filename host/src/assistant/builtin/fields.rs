//! The fields that people name when they want a form, and of which type each is.

use serde_json::{Value, json};

pub(super) use self::kinds::COMMON;
use self::kinds::{CANONICAL, FIELDS, FREE, Kind, WORDS};
use super::{
    heard::{Heard, marks},
    words::Word,
};
use crate::assistant::Language;

mod kinds;

/// Fields that one sentence may name.
const FIELDS_MAX: usize = 20;
/// The longest label that is taken from a sentence, in characters.
const LABEL_MAX: usize = 24;

/// A field of a form that is wanted.
#[derive(Clone, Debug)]
pub(super) struct Field {
    kind: Kind,
    /// As it was written, where no kind fits.
    written: Option<String>,
    /// As it was written, where the kind's own label would not say the same.
    label: Option<String>,
    options: Vec<String>,
    /// Whether several options may be chosen.
    is_several: bool,
    is_required: bool,
    from: usize,
}

/// The fields that `heard` names, in order.
pub(super) fn fields(heard: &Heard) -> Vec<Field> {
    // Behind a colon is the list; what is before it says what the form is for.
    let form = heard.tokens.iter().find(|it| it.word == Word::Form).map_or(0, |it| it.to);
    let colon = (form..heard.lower.len()).find(|it| heard.lower[*it] == ':');
    let listed = colon.map(|it| known(heard, it)).filter(|it| !it.is_empty());
    let mut fields = listed.unwrap_or_else(|| known(heard, 0));
    with_options(heard, &mut fields);
    unknown(heard, &mut fields);
    fields.sort_by_key(|it| it.from);
    fields.truncate(FIELDS_MAX);
    fields
}

/// The fields that the table knows, from `at` on.
fn known(heard: &Heard, mut at: usize) -> Vec<Field> {
    const FORMS: &str = " form|フォーム|ふぉーむ| survey|アンケート| questionnaire| poll";
    let mut fields = Vec::<Field>::new();
    while at < heard.lower.len() {
        let Some((kind, length)) = WORDS.at(&heard.lower, at) else {
            at += 1;
            continue;
        };
        let is_new = !kind.name.is_empty() && !fields.iter().any(|it| it.kind.name == kind.name);
        // `問い合わせフォーム` names the form, and so does `date form`.
        let is_title = marks(FORMS).any(|it| heard.is_at(it, at + length));
        if is_new && !is_title {
            let is_required = required(heard, at + length).unwrap_or(kind.is_required);
            let options = options(heard, at + length);
            let text = heard.piece(at, at + length).text;
            let label = (!marks(CANONICAL).any(|it| it == kind.name)).then(|| capital(&text));
            fields.push(Field {
                kind,
                written: None,
                label,
                options,
                is_several: false,
                is_required,
                from: at,
            });
        }
        at += length;
    }
    fields
}

fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |it| it.to_uppercase().chain(rest).collect())
}

/// Fields that no kind fits and whose options are in brackets: `サイズ(S・M・L)`.
fn with_options(heard: &Heard, fields: &mut Vec<Field>) {
    const MARKS: &[char] = &['、', '・', ',', 'と', '。', '!', '?', ':', '\n', 'や'];
    const SEVERAL: &str = "複数|いくつでも|全て選|すべて選|multiple|all that apply|any number|several|\
         more than one";
    for open in (0..heard.chars.len()).filter(|it| heard.chars[*it] == '(') {
        let options = options(heard, open);
        let is_taken = fields
            .iter()
            .any(|it| !it.options.is_empty() && it.from < open && it.options == options);
        if options.is_empty() || is_taken {
            continue;
        }
        let from =
            heard.chars[..open].iter().rposition(|it| MARKS.contains(it)).map_or(0, |it| it + 1);
        let text: String = heard.chars[from..open].iter().collect();
        let text = text.trim().trim_start_matches("and ").trim_start_matches("好きな").to_owned();
        let close =
            heard.chars[open..].iter().position(|it| *it == ')').map_or(open, |it| open + it);
        let near: String = heard.lower[close..heard.lower.len().min(close + 16)]
            .iter()
            .chain(&heard.lower[from..open])
            .collect();
        let is_several = marks(SEVERAL).any(|it| near.contains(it));
        if (1..=LABEL_MAX).contains(&text.chars().count()) {
            fields.retain(|it| it.from < from || it.from > close);
            fields.push(Field {
                kind: FREE,
                written: Some(capital(&text)),
                label: None,
                options,
                is_several,
                is_required: false,
                from,
            });
        }
    }
}

/// What right behind a field says whether it has to be filled in.
fn required(heard: &Heard, at: usize) -> Option<bool> {
    const MARKS: &[(bool, &str)] = &[
        (true, "(必須)"),
        (true, "は必須"),
        (true, " (required)"),
        (false, "(任意)"),
        (false, "は任意"),
        (false, " (optional)"),
        (false, "(optional)"),
        (true, "(required)"),
    ];
    MARKS.iter().find(|it| heard.is_at(it.1, at)).map(|it| it.0)
}

/// Options in brackets behind a field: `(A・B・C)`, or after `から選ぶ`.
fn options(heard: &Heard, at: usize) -> Vec<String> {
    let open =
        (at..heard.chars.len().min(at + 4)).find(|it| matches!(heard.chars[*it], '(' | '[' | ':'));
    let Some(open) = open else { return Vec::new() };
    let close = heard.chars[open..].iter().position(|it| matches!(it, ')' | ']' | '\n' | '。'));
    let Some(close) = close.map(|it| open + it) else { return Vec::new() };
    let inner: String = heard.chars[open + 1..close].iter().collect();
    let inner = inner.replace(" or ", ",").replace("または", ",").replace(" and ", ",");
    let parts = inner.split(['・', '、', ',', '/', '|']).map(str::trim).filter(|it| !it.is_empty());
    let options: Vec<String> = parts.map(str::to_owned).collect();
    if options.len() >= 2 { options } else { Vec::new() }
}

/// Fields of a list that no kind fits: a line of text, labelled as it was written.
fn unknown(heard: &Heard, fields: &mut Vec<Field>) {
    const BEHIND: &str =
        "を聞|を入力|を尋ね|を記入|を集め|を収集|を質問|の入力|を書|を選|を答え|を教えて";
    let end = marks(BEHIND).filter_map(|it| heard.find(it, 0)).min();
    let Some(end) = end else { return };
    let from = heard.chars[..end]
        .iter()
        .rposition(|it| matches!(it, '。' | '\n' | '!' | '?'))
        .map_or(0, |it| it + 1);
    let (mut begin, mut depth) = (from, 0_u32);
    for at in from..=end {
        // What is in brackets belongs to the field before them.
        match heard.chars[at] {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_mark = matches!(heard.chars[at], '、' | '・' | ',' | 'と' | 'や' | '/');
        if at != end && !(is_mark && depth == 0) {
            continue;
        }
        let to = (begin..at).find(|it| heard.chars[*it] == '(').unwrap_or(at);
        fields.extend(unknown_one(heard, begin, to));
        begin = at + 1;
    }
}

/// The field that is named from `begin` to `to`, where no table knows anything of it.
fn unknown_one(heard: &Heard, begin: usize, to: usize) -> Option<Field> {
    const OF_A_LABEL: &[Word] = &[Word::Filler, Word::Film, Word::Seat, Word::Card, Word::Theme];
    let text: String = heard.chars[begin..to].iter().collect();
    let text = text.trim().trim_start_matches(['は', 'に', 'で', 'を']).to_owned();
    let has_kind = (begin..to).any(|it| WORDS.at(&heard.lower, it).is_some());
    let lies = |from: usize, end: usize| from < to && begin < end;
    let is_other =
        heard.tokens.iter().any(|it| lies(it.from, it.to) && !OF_A_LABEL.contains(&it.word))
            || heard.when.spans.iter().any(|it| lies(it.0, it.1));
    let is_label = (1..=LABEL_MAX).contains(&text.chars().count()) && !has_kind && !is_other;
    let options = options(heard, to);
    (is_label && options.is_empty()).then_some(Field {
        kind: FREE,
        written: Some(text),
        label: None,
        options,
        is_several: false,
        is_required: false,
        from: begin,
    })
}

impl Field {
    /// As a field of a form's definition; `number` tells it from the others.
    pub(super) fn definition(&self, language: Language, number: usize) -> Value {
        let label = self
            .written
            .clone()
            .or_else(|| self.label.clone())
            .unwrap_or_else(|| language.pick(self.kind.label.0, self.kind.label.1).to_owned());
        let name = match &self.written {
            Some(_) => format!("field_{number}"),
            None => self.kind.name.to_owned(),
        };
        let has_options = !self.options.is_empty();
        let kind = match (has_options, self.is_several) {
            (false, _) => self.kind.kind,
            (true, false) => "radio",
            (true, true) => "multiselect",
        };
        let mut field = json!({ "name": name, "type": kind, "label": label });
        if self.is_required {
            field["required"] = true.into();
        }
        if has_options {
            field["options"] =
                self.options.iter().map(|it| json!({ "value": it, "label": it })).collect();
            return field;
        }
        let more: Value = serde_json::from_str(self.kind.more).unwrap_or_default();
        for (name, value) in more.as_object().into_iter().flatten() {
            field[name.as_str()] = match name.as_str() {
                "options" => options_in(value, language),
                _ => value.clone(),
            };
        }
        field
    }
}

/// Options of the table, in one language.
fn options_in(table: &Value, language: Language) -> Value {
    let options = table.as_array().into_iter().flatten();
    options.map(|it| json!({ "value": it[0], "label": language.pick(&it[1], &it[2]) })).collect()
}

/// A field by its name, for a form that asks which fields are wanted.
pub(super) fn named(name: &str) -> Option<Field> {
    let kind = FIELDS.iter().find(|it| it.0.name == name)?.0;
    Some(Field {
        kind,
        written: None,
        label: None,
        options: Vec::new(),
        is_several: false,
        is_required: kind.is_required,
        from: 0,
    })
}
