//! Parses numeric constraints: `1-10`, `5段階`, `at least two`, `12 characters`, `up to 10 MB`. And
//! defaults (`初期値1`, `medium by default`), and removal of properties that a field cannot have, because the tool would
//! reject the form.

use language::{Language, scan::marks};
use output::form::{Form, SchemaFault, text_of};
use serde_json::{Value, json};

use super::{DEFAULT, Field, Reading, text::Text};

/// Limits of a field's values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Bounds {
    pub(super) min: Option<f64>,
    pub(super) max: Option<f64>,
    pub(super) step: Option<f64>,
    /// Whether they count days.
    pub(super) is_days: bool,
    /// Whether these days are in the past.
    pub(super) is_past: bool,
    /// Length of a text in characters.
    pub(super) length_min: Option<u64>,
    pub(super) length_max: Option<u64>,
    /// Size of a file in bytes.
    pub(super) bytes_max: Option<u64>,
    /// Lines of a text area.
    pub(super) rows: Option<u64>,
}

impl Bounds {
    /// Completes the limits by `others`: `最小3文字、最大50文字`.
    pub(super) fn or(self, others: Self) -> Self {
        Self {
            min: self.min.or(others.min),
            max: self.max.or(others.max),
            step: self.step.or(others.step),
            is_days: self.is_days || others.is_days,
            is_past: self.is_past || others.is_past,
            length_min: self.length_min.or(others.length_min),
            length_max: self.length_max.or(others.length_max),
            bytes_max: self.bytes_max.or(others.bytes_max),
            rows: self.rows.or(others.rows),
        }
    }

    pub(super) fn is_number(&self) -> bool {
        self.min.is_some() || self.max.is_some() || self.step.is_some()
    }
}

const WORDS: &[(&str, f64)] = &[
    ("one", 1.0),
    ("two", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
];

/// Parses the number at `at`, with its end.
fn number(text: &Text, at: usize) -> Option<(f64, usize)> {
    if let Some((word, value)) = WORDS.iter().find(|it| text.is_at(it.0, at)) {
        return Some((*value, at + word.len()));
    }
    let is_begin = at == 0 || !text.chars[at - 1].is_ascii_digit();
    let digits: String = text.chars[at..]
        .iter()
        .take_while(|it| it.is_ascii_digit() || matches!(it, ',' | '.'))
        .collect();
    let digits = digits.trim_end_matches([',', '.']);
    let value: f64 = digits.replace(',', "").parse().ok().filter(|_| is_begin)?;
    let end = at + digits.len();
    Some(match text.chars.get(end) {
        Some('万') => (value * 10_000.0, end + 1),
        Some('千') => (value * 1_000.0, end + 1),
        _ => (value, end),
    })
}

/// End of a unit after a number.
fn unit(text: &Text, at: usize) -> usize {
    const UNITS: &str = "年生|年|歳|才|度|℃|kg|cm|点|つ|個|枚|人|名|円|回|本|台|日|時間|分|%| days| day| years| year| yen| people|文字|字|桁|行| characters| chars| digits| letters| lines| mb|mb|メガ| stars| star|★";
    let longest = marks(UNITS).filter(|it| text.is_at(it, at)).map(|it| it.chars().count());
    at + longest.max().unwrap_or(0)
}

/// Whether `unit` counts characters.
fn is_length(unit: &str) -> bool {
    const UNITS: &str = "文字|字|桁|characters|chars|digits|letters";
    let unit = unit.to_lowercase();
    let unit = unit.trim_end_matches('の').trim_end_matches("まで").trim();
    marks(UNITS).any(|it| it == unit)
}

/// A number as a definition has it: `3` and `0.5`.
pub(super) fn written(value: f64) -> Value {
    let whole = value as i64;
    if whole as f64 == value { whole.into() } else { value.into() }
}

/// Parses all of `text` as a number with an optional unit.
pub(super) fn only(text: &Text) -> Option<f64> {
    let (value, end) = number(text, 0)?;
    (unit(text, end) == text.len()).then_some(value)
}

/// Whether `piece` is only an age limit: `18歳以上だけ`, `18 or over only`.
pub(super) fn is_of_age(piece: &str) -> bool {
    const AGE: &str =
        "歳以上|歳以下|歳まで|歳から|才以上|or over|or older|and over|and older|years or|+";
    is_bounding(piece, AGE)
}

/// Whether `piece` is only the maximum of a rating: `満点は10にして`, `make it out of 10`.
pub(super) fn is_of_rating(piece: &str) -> bool {
    is_bounding(piece, "満点|段階|out of|stars|星|from |から|scale")
}

/// Whether `piece` has one of `signs` with limits, and nothing else.
fn is_bounding(piece: &str, signs: &'static str) -> bool {
    const AROUND: &str = "歳|才|以上|以下|まで|だけ|のみ|の人|限定|に限る|で|に|して|ください|お願い|years|old|or|over|older|and|under|only|people|please|adults|it's|must be|they|満点|評価|段階|やっぱり|点|星|は|を|が|make it|make the|make|scale|rating|change it to|change to|actually|instead|stars|out of";
    let mut text = Text::new(piece);
    if !marks(signs).any(|it| piece.contains(it)) {
        return false;
    }
    let bounds = take(&mut text);
    let rest = marks(AROUND).fold(text.text().to_lowercase(), |rest, it| rest.replace(it, ""));
    bounds.is_number() && !rest.chars().any(char::is_alphanumeric)
}

/// Whether `clause` says until when a form is open, which forms have not: `締切は金曜の17時で`, `the deadline is Friday`.
pub(super) fn is_deadline(clause: &str) -> bool {
    const NAMES: &str = "締切は|締め切りは|〆切は|期限は|回答期限は|受付期限は|the deadline is|deadline is|it closes|it is open until|it's open until";
    const DAYS: &str = "曜|明日|明後日|今週|来週|今月|来月|月末|monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|next week|midnight|noon";
    let text = Text::new(clause);
    let is_time = text.chars.iter().any(char::is_ascii_digit)
        || marks(DAYS).any(|it| clause.to_lowercase().contains(it));
    text.find(NAMES, 0).is_some_and(|it| it.0 == 0) && is_time
}

/// Removes all limits from `text` and returns them.
pub(super) fn take(text: &mut Text) -> Bounds {
    let mut bounds = Bounds::default();
    let mut at = 0;
    while at < text.len() {
        match parse_one(text, at, &mut bounds) {
            Some((from, to)) => {
                text.cut(from, to);
                at = from;
                // `18歳以上の年齢`: the noun follows.
                if from == 0 && text.is_at("の", 0) && !text.is_at("のみ", 0) {
                    text.cut(0, 1);
                }
            }
            None => at += 1,
        }
    }
    bounds
}

/// Parses the limit that begins with the number at `at`, with its span.
fn parse_one(text: &Text, at: usize, bounds: &mut Bounds) -> Option<(usize, usize)> {
    const TO: &str = "-|–|—|~|〜|から| to | through | - |..| and | till ";
    const LEADS: &str = "between |from |on a scale of |on a scale from |scale of |out of ";
    const LESS: &str = "の上限を|の上限は|上限を|上限は|上限|の最大を|の最大は|最大値を|最大値は|最大で|up to |maximum |maximum to |max to |limit to |maximum of |max |max. |max of |at most |no more than |not more than |under |最大|最高";
    const MORE: &str = "at least |minimum |minimum of |minimum to |min to |min |min. |over |more than |の下限を|の下限は|下限を|下限は|下限|の最小を|の最小は|最低|最小";
    const EXACT: &str = "exactly |ちょうど";
    // `12月10日` is a date.
    if at.checked_sub(1).is_some_and(|it| text.chars[it] == '月') {
        return None;
    }
    let (first, mut end) = number(text, at)?;
    if text.chars.get(end) == Some(&'月')
        && text.chars.get(end + 1).is_some_and(char::is_ascii_digit)
    {
        return None;
    }
    let first_end = end;
    end = unit(text, end);
    let before = |phrases: &'static str| {
        let lengths = marks(phrases).filter_map(|phrase| {
            let from = at.checked_sub(phrase.chars().count())?;
            text.is_at(phrase, from).then_some(from)
        });
        lengths.min()
    };
    // Two numbers with something between them.
    if let Some(to) =
        marks(TO).find(|it| text.is_at(it, end) || it.starts_with(' ') && text.is_at(it, end))
    {
        let is_and = to == " and ";
        if !is_and || before("between ").is_some() {
            let mut next = end + to.chars().count();
            while text.chars.get(next) == Some(&' ') {
                next += 1;
            }
            if let Some((second, second_end)) = number(text, next).filter(|it| it.0 > first) {
                let mut close = unit(text, second_end);
                for tail in ["まで", "の"] {
                    close += if text.is_at(tail, close) { tail.chars().count() } else { 0 };
                }
                let from = before(LEADS).unwrap_or(at);
                if is_length(&text.piece(second_end, close)) {
                    (bounds.length_min, bounds.length_max) =
                        (Some(first as u64), Some(second as u64));
                } else {
                    (bounds.min, bounds.max) = (Some(first), Some(second));
                }
                return Some((from, close));
            }
        }
    }
    let is = |phrase: &str, from: usize| text.is_at(phrase, from);
    // `満点は10`.
    if let Some(from) = before("満点は|満点が|満点を|満点") {
        bounds.max = Some(first);
        return Some((from, end));
    }
    if is("段階", first_end) {
        (bounds.min, bounds.max) = (Some(1.0), Some(first));
        return Some((at, first_end + 2));
    }
    if is("点満点", first_end) {
        (bounds.min, bounds.max) = (Some(0.0), Some(first));
        return Some((at, first_end + 3));
    }
    let named = text.piece(first_end, end).trim().to_lowercase();
    // `3+4` is a sum.
    let is_sum = |sign: &&str, end: usize| {
        *sign == "+" && text.chars.get(end + 1).is_some_and(char::is_ascii_digit)
    };
    let behind = |phrases: &'static str| {
        let found = marks(phrases).filter(|it| !is_sum(it, end)).find(|it| is(it, end));
        found.map(|it| end + it.chars().count())
    };
    // `no more than 4` contains `more than`.
    let least =
        before(MORE).filter(|_| before(LESS).is_none()).map(|from| (from, end)).or_else(|| {
            behind("以上| or over| or older| or more| and over| and older| and up|+")
                .map(|to| (at, to))
        });
    let most = before(LESS).map(|from| (from, end)).or_else(|| {
        behind("以下|以内|まで| max| maximum| at most| or less| or under| or younger| and under")
            .map(|to| (at, to))
    });
    let exact = before(EXACT).map(|from| (from, end));
    let whole = first as u64;
    match named.as_str() {
        _ if is_length(&named) => {
            if least.is_none() {
                bounds.length_max = Some(whole);
            }
            if most.is_none() {
                bounds.length_min = Some(whole);
            }
            return exact.or(least).or(most).or(Some((at, end)));
        }
        "mb" | "メガ" => {
            bounds.bytes_max = Some(whole << 20);
            return most.or(Some((at, end)));
        }
        "行" | "lines" => {
            bounds.rows = Some(whole);
            let end = behind("くらい|ぐらい|ほど").unwrap_or(end);
            return most.or(Some((at, end)));
        }
        _ => {}
    }
    // `124単位以上` counts credits.
    let is_limit = |to: usize| marks("以上|以下|以内|まで|未満").any(|it| text.is_at(it, to));
    if let Some(to) = behind("刻み|きざみ|ごと|単位| steps").filter(|it| !is_limit(*it)) {
        bounds.step = Some(first);
        return Some((at, to));
    }
    let is_days = matches!(named.as_str(), "日" | "day" | "days");
    // `did it come within 3 days` limits no date.
    let is_date = |from: &usize| {
        let words = text.piece(0, *from).to_lowercase();
        words.split([' ', '(', ',']).any(|it| ["date", "deadline", "due", "day"].contains(&it))
    };
    let within = before("within the next |within ").filter(|it| is_days && is_date(it));
    let most = most.or(within.map(|from| (from, end)));
    // `10日まで` is a day of the month.
    let is_days = is_days && !(most.is_some() && text.is_at("まで", end));
    // `今日から30日以内`: counted from today.
    let today = before("今日から|本日から|きょうから").filter(|_| is_days);
    let past = before("過去|直近|ここ").filter(|_| is_days);
    bounds.is_past = past.is_some();
    let today = today.or(past);
    // `not more than 30 days from now`.
    let ahead = |to: usize| {
        let tails = marks(" from now| from today| ahead").filter(|it| is_days && is(it, to));
        to + tails.map(str::len).max().unwrap_or(0)
    };
    let (least, most) = (least.map(|it| (it.0, ahead(it.1))), most.map(|it| (it.0, ahead(it.1))));
    if let Some((from, to)) = least {
        (bounds.min, bounds.is_days) = (Some(first), is_days);
        return Some((today.unwrap_or(from), to));
    }
    if let Some((from, to)) = most {
        (bounds.max, bounds.is_days) = (Some(first), is_days);
        return Some((today.unwrap_or(from), to));
    }
    // `step 2 description` is a label.
    let is_step = text.chars[end..].iter().all(|it| !it.is_alphanumeric());
    let step = before("step of |step size |step ").filter(|_| is_step);
    let steps = "in steps of |steps of |in increments of |increments of |out of ";
    before(steps).or(step).map(|from| {
        if text.is_at("out of ", from) {
            (bounds.min, bounds.max) = (Some(1.0), Some(first));
        } else {
            bounds.step = Some(first);
        }
        (from, end)
    })
}

impl Reading {
    /// `18歳以上のみ`: constrains an existing age field.
    pub(super) fn age(&mut self, clause: &str) -> bool {
        let age = self.fields.iter_mut().find(|it| it.kind.name == "age");
        let Some(age) = age.filter(|_| is_of_age(clause)) else { return false };
        let bounds = take(&mut Text::new(clause));
        for (name, value) in [("min", bounds.min), ("max", bounds.max)] {
            if let Some(value) = value {
                age.more.insert(name.to_owned(), (value as i64).into());
            }
        }
        true
    }

    /// `金額は1万円まで`: limits an existing number.
    pub(super) fn limit(&mut self, clause: &str) -> bool {
        const TAILS: &str = "でお願いします|でお願い|にしてください|にして|です|で|は|が|を|is|are|must be|should be|can be|may be";
        let mut text = Text::new(clause);
        let bounds = take(&mut text);
        text.strip("and|but|the|ただし", TAILS);
        let name = text.text();
        let is_number = |it: &Field| it.type_.unwrap_or(it.kind.kind) == "number";
        let mut fields = self.fields.iter_mut();
        let field = fields.find(|it| is_number(it) && it.options.is_empty() && it.is_called(&name));
        let Some(field) = field.filter(|_| bounds.is_number() && !bounds.is_days) else {
            return false;
        };
        let limits = [("min", bounds.min), ("max", bounds.max), ("step", bounds.step)];
        for (name, value) in limits {
            field.more.extend(value.map(|it| (name.to_owned(), written(it))));
        }
        true
    }
}

impl Field {
    /// Removes invalid properties and returns them.
    pub(super) fn settle(&mut self) -> Vec<String> {
        let mut lost = Vec::new();
        let mut seen = Vec::new();
        self.options.retain(|option| {
            let is_new = !seen.contains(option);
            seen.push(option.clone());
            is_new
        });
        let words = self.more.remove(DEFAULT);
        while let Err(fault) = read(&self.definition(Language::Japanese, 1)) {
            let name = fault.pointer.rsplit('/').next().unwrap_or_default();
            // If one limit is the kind's own, the other is removed.
            let other = match name.strip_prefix("min") {
                Some(rest) => format!("max{rest}"),
                None => name.replacen("max", "min", 1),
            };
            let Some(value) = self.more.remove(name).or_else(|| self.more.remove(&other)) else {
                break;
            };
            lost.push(text_of(&value));
        }
        let Some(words) = words.as_ref().and_then(Value::as_str) else { return lost };
        let languages = [Language::Japanese, Language::English];
        match languages.iter().any(|it| begin(&mut self.definition(*it, 1), words)) {
            true => drop(self.more.insert(DEFAULT.to_owned(), words.into())),
            false => lost.push(words.to_owned()),
        }
        lost
    }
}

/// A stated default.
pub(super) struct StatedDefault {
    /// Value.
    pub(super) value: String,
    /// Text without the default.
    pub(super) rest: String,
    /// Whether it is unambiguous.
    pub(super) is_sure: bool,
}

/// Parses a default outside brackets: `…フォーム、初期値は中で`, `…, default medium`.
pub(super) fn default_in(text: &str) -> Option<StatedDefault> {
    const HEADS: &str = "初期値は|初期値を|初期値:|初期値|デフォルトは|デフォルトを|デフォルト:|デフォルト|既定値は|既定値を|既定は|default to |defaulting to |defaults to |default is |default: |default ";
    const VALUE_MAX: usize = 20;
    let lower = text.to_ascii_lowercase();
    let heads = marks(HEADS).filter_map(|it| Some((lower.find(it)?, it)));
    let (at, head) = heads.min_by_key(|it| (it.0, usize::MAX - it.1.len()))?;
    let before = &text[..at];
    let is_outside =
        before.matches(['(', '（', '「']).count() == before.matches([')', '）', '」']).count();
    let joint = before.trim_end();
    let is_apart = joint.is_empty()
        || joint.ends_with(['、', ',', '。', ';', '.', '\n', 'で'])
        || joint.ends_with(" with");
    let behind = &text[at + head.len()..];
    let end = behind.find(['、', ',', '。', '\n', ';', '!', '?']).unwrap_or(behind.len());
    let value = bare(&behind[..end]);
    let fits = (1..=VALUE_MAX).contains(&value.chars().count());
    let joint = joint.strip_suffix(" with").unwrap_or(joint).trim_end_matches(['、', ',', ';']);
    (fits && is_outside && is_apart).then(|| StatedDefault {
        value: value.to_owned(),
        rest: format!("{joint}{}", &behind[end..]),
        is_sure: !["初期値", "デフォルト", "default "].contains(&head),
    })
}

/// Strips the words around a value: `中でお願いします`.
fn bare(value: &str) -> &str {
    const TAILS: &str =
        "でお願いします|にしてください|でお願い|にして|としたい|とする|です|だよ|で|に|please";
    let value = value.trim().trim_end_matches('.');
    let tail = marks(TAILS).filter_map(|it| value.strip_suffix(it)).min_by_key(|it| it.len());
    tail.unwrap_or(value).trim().trim_matches(['「', '」', '"', '\''])
}

/// Parses a field's new default: `優先度の初期値は中`, `size defaults to M`, `default priority is medium`.
pub(super) fn of_field(text: &str) -> Option<(&str, &str)> {
    const BEHIND: &str = "の初期値は|の初期値を|の初期値|のデフォルトは|のデフォルトを|のデフォルト|の既定値は|の既定値を| should default to | defaults to | default ";
    const BEFORE: &str = "the default for |default for |the default |default ";
    const LINKS: &str = " is | should be | to |: ";
    let lower = text.to_ascii_lowercase();
    let first = |table: &'static str, from: usize| {
        let found = marks(table).filter_map(|it| Some((from + lower[from..].find(it)?, it.len())));
        found.min_by_key(|it| (it.0, usize::MAX - it.1))
    };
    let lead = marks(BEFORE).find(|it| lower.starts_with(it)).map(str::len);
    let (at, length) = match lead {
        Some(lead) => first(LINKS, lead)?,
        None => first(BEHIND, 0)?,
    };
    let (name, value) = (text[lead.unwrap_or(0)..at].trim(), bare(&text[at + length..]));
    (!name.is_empty() && !value.is_empty()).then_some((name, value))
}

/// Sets the default of the field that accepts `words`; returns whether there is one.
pub(super) fn state(fields: &mut [Field], words: &str) -> bool {
    let holds = |field: &&mut Field| {
        let languages = [Language::Japanese, Language::English];
        let is_written = |it: &Value| ["text", "textarea"].iter().any(|kind| it["type"] == *kind);
        languages.iter().any(|language| {
            let mut definition = field.definition(*language, 1);
            !is_written(&definition) && begin(&mut definition, words)
        })
    };
    let mut able = fields.iter_mut().filter(holds);
    let (Some(field), None) = (able.next(), able.next()) else { return false };
    field.more.insert(DEFAULT.to_owned(), words.into());
    true
}

fn read(field: &Value) -> Result<Form, SchemaFault> {
    Form::read(&json!({ "title": "?", "fields": [field] }))
}

/// Sets the default of a definition; returns whether it accepts `words`.
pub(super) fn begin(field: &mut Value, words: &str) -> bool {
    let Some(value) = value(field, words.trim()) else { return false };
    let mut begun = field.clone();
    begun["default"] = value;
    let is_held = read(&begun).is_ok();
    if is_held {
        *field = begun;
    }
    is_held
}

/// Converts words to a value of the field's type.
fn value(field: &Value, words: &str) -> Option<Value> {
    const TODAY: &str = "今日|本日|きょう|当日|today";
    const TOMORROW: &str = "明日|あした|翌日|tomorrow";
    const ON: &str = "オン|on|チェックあり|チェック済み|あり|はい|yes|true|ticked|checked";
    const OFF: &str = "オフ|off|チェックなし|なし|いいえ|no|false|unticked|unchecked";
    let is = |list| marks(list).any(|it| it == words.to_lowercase());
    match field["type"].as_str()? {
        "number" | "range" => only(&Text::new(words)).map(written),
        "date" | "datetime" if is(TODAY) => Some("today".into()),
        "date" | "datetime" if is(TOMORROW) => Some("+1days".into()),
        "checkbox" if is(ON) || is(OFF) => Some(is(ON).into()),
        kind @ ("select" | "radio" | "multiselect") => {
            let same = |it: &Value| it.as_str().is_some_and(|it| it.eq_ignore_ascii_case(words));
            let mut options = field["options"].as_array()?.iter();
            let chosen =
                options.find(|it| same(&it["value"]) || same(&it["label"]))?["value"].clone();
            Some(if kind == "multiselect" { json!([chosen]) } else { chosen })
        }
        "text" | "textarea" | "date" | "datetime" => Some(words.into()),
        // A country code.
        "async-select" if field["name"] == "country" && words.len() == 2 && words.is_ascii() => {
            Some(words.to_uppercase().into())
        }
        _ => None,
    }
}
