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
    in_list(heard, &mut fields);
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
        if is_new && !is_title && !is_denied(heard, at, at + length) {
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

/// The fields of a list in brackets right behind the form: `a leave form (from, to, reason)`.
pub(super) fn bracketed(heard: &Heard) -> Vec<Field> {
    const VOTES: &str = "poll|vote|投票|どれ|どっち|どちら|choose|選";
    /// What the ends of a time are called in short.
    const ENDS: &[(&str, &str)] = &[
        ("start_date", "from|since|begin|start|start date|開始|開始日|いつから|から"),
        ("end_date", "to|until|till|end|end date|終了|終了日|いつまで|まで"),
    ];
    let Some(open) = heard.chars.iter().position(|it| *it == '(') else { return Vec::new() };
    let before: String = heard.lower[..open].iter().collect();
    let is_form = heard.tokens.iter().any(|it| it.word == Word::Form && it.to <= open);
    if !is_form || marks(VOTES).any(|it| before.contains(it)) {
        return Vec::new();
    }
    // Behind a field that is known, the brackets hold its options.
    let form = heard.tokens.iter().rfind(|it| it.word == Word::Form && it.to <= open);
    let form = form.map_or(0, |it| it.to);
    let has_field =
        (form..open).any(|it| WORDS.at(&heard.lower, it).is_some_and(|it| !it.0.name.is_empty()));
    let items = options(heard, open);
    if has_field || heard.chars[form..open].contains(&':') {
        return Vec::new();
    }
    let field = |item: &String| {
        let lower: Vec<char> = item.to_lowercase().chars().collect();
        let text: String = lower.iter().collect();
        let end = ENDS.iter().find(|it| marks(it.1).any(|it| it == text)).map(|it| it.0);
        let known = WORDS.at(&lower, 0).filter(|it| it.1 == lower.len() && !it.0.name.is_empty());
        end.and_then(named).or_else(|| known.and_then(|it| named(it.0.name))).or_else(|| {
            let length = item.chars().count();
            (1..=LABEL_MAX).contains(&length).then(|| Field::line(&capital(item)))
        })
    };
    items.iter().filter_map(field).take(FIELDS_MAX).collect()
}

/// Whether the field from `from` to `to` is not wanted: `電話番号はいらない`, `no phone`.
fn is_denied(heard: &Heard, from: usize, to: usize) -> bool {
    const BEHIND: &str = "はいらない|はいりません|は要らない|は要りません|は不要|は必要ない|は聞かな|は無しで|はなしで|なしで|無しで|抜きで|は除|以外|はやめ";
    const BEFORE: &str =
        "no |without |not |don't ask for |don't need |skip |omit |leave out |except ";
    let before: String = heard.lower[from.saturating_sub(20)..from].iter().collect();
    let before = before.trim_end_matches("the ").trim_end_matches("a ").trim_end_matches("an ");
    marks(BEHIND).any(|it| heard.is_at(it, to)) || marks(BEFORE).any(|it| before.ends_with(it))
}

pub(super) fn capital(text: &str) -> String {
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
        // `email and meal choice (meat, fish)`: the options are the last one's.
        let and = (from..open).rev().find(|it| heard.is_at(" and ", *it));
        let from = and.map_or(from, |it| it + " and ".len());
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

/// Fields of an English list that no kind fits: `name, dish and quantity`.
fn in_list(heard: &Heard, fields: &mut Vec<Field>) {
    const BEFORE: &str = ":|: | with | asking for | asks for | that collects | to collect ";
    const ARTICLES: [&str; 7] = ["and ", "a ", "an ", "the ", "their ", "your ", "preferred "];
    if fields.is_empty() || fields.iter().any(|it| !it.options.is_empty()) {
        return;
    }
    let marks = marks(BEFORE).filter_map(|it| heard.find(it, 0).map(|at| at + it.chars().count()));
    let listed = marks.filter(|from| fields.iter().any(|it| it.from >= *from)).max();
    let Some(from) = listed else { return };
    let to = (from..heard.chars.len())
        .find(|it| matches!(heard.chars[*it], '.' | '?' | '!' | '。' | '\n'));
    let text: String = heard.chars[from..to.unwrap_or(heard.chars.len())].iter().collect();
    if !text.is_ascii() {
        let mut begin = from;
        for item in text.split(['、', '・', ',']) {
            let end = begin + item.chars().count();
            let is_taken = fields.iter().any(|it| (begin..end.max(begin + 1)).contains(&it.from));
            let label = item.trim().trim_end_matches("など");
            let is_label = (1..=10).contains(&label.chars().count())
                && !["作", "お願", "ください", "欲し", "ほし", "聞"]
                    .iter()
                    .any(|it| label.contains(it));
            if !is_taken && is_label && heard.chars.get(from.wrapping_sub(1)) == Some(&':') {
                let mut field = Field::line(label);
                (field.from, field.is_required) = (begin, false);
                fields.push(field);
            }
            begin = end + 1;
        }
        return;
    }
    if !text.contains(',') {
        return;
    }
    let mut at = from;
    for item in text.replace(" and ", ",and ").split(',') {
        let (begin, end) = (at, (at + item.len()).min(heard.chars.len()));
        at = (end + 1).min(heard.chars.len());
        let mut label = item.trim();
        for the in ARTICLES {
            label = label.strip_prefix(the).unwrap_or(label);
        }
        let is_known = (begin..end).any(|it| WORDS.at(&heard.lower, it).is_some());
        let is_short =
            (1..=3).contains(&label.split_whitespace().count()) && label.len() <= LABEL_MAX;
        let is_verb = ["please", "thanks", "make", "it", "that"]
            .iter()
            .any(|it| label.split(' ').any(|word| word == *it));
        if !is_known && is_short && !is_verb {
            let mut field = Field::line(&capital(label));
            (field.from, field.is_required) = (begin, false);
            fields.push(field);
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
    // `品名と個数と希望日で`: a list that ends the sentence, of which one is known.
    let listed = || {
        const POLITE: &str = "お願いします|お願い|おねがい|よろしく|で|です|にして|。|、| |!";
        let mut end = heard.chars.len();
        while let Some(it) = marks(POLITE)
            .find(|it| end > it.chars().count() && heard.is_at(it, end - it.chars().count()))
        {
            end -= it.chars().count();
        }
        let from = heard.chars[..end].iter().rposition(|it| matches!(it, '。' | '、' | '!' | 'は'));
        let from = from.map_or(0, |it| it + 1);
        let joints = heard.chars[from..end].iter().filter(|it| matches!(it, 'と' | '・')).count();
        let is_known = fields.iter().any(|it| it.from >= from && it.from < end);
        (end < heard.chars.len() && joints > 0 && is_known && from > 0).then_some(end)
    };
    let Some(end) = end.or_else(listed) else { return };
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

/// The one field of a form that lets people choose: `a poll: pizza or sushi`, `カレーかラーメンかを聞く`.
pub(super) fn choice(heard: &Heard) -> Option<Field> {
    const OPTION_MAX: usize = 20;
    let field = |from: usize, options: Vec<String>| {
        let is_fit = options.len() >= 2
            && options.iter().all(|it| (1..=OPTION_MAX).contains(&it.chars().count()));
        is_fit.then(|| Field {
            kind: FREE,
            written: Some(options.join(" / ")),
            label: None,
            options,
            is_several: false,
            is_required: true,
            from,
        })
    };
    let text: String = heard.chars.iter().collect();
    if let Some((before, behind)) = text.split_once(':').filter(|it| it.1.contains(" or ")) {
        let behind = behind.trim().trim_end_matches(['.', '?', '!']);
        let parts = behind.split(',').flat_map(|it| it.split(" or ")).map(str::trim);
        let parts =
            parts.map(|it| it.strip_prefix("or ").unwrap_or(it)).filter(|it| !it.is_empty());
        return field(before.chars().count(), parts.map(str::to_owned).collect());
    }
    // `カレーかラーメンか`: each ends with か, which nothing but a mark or a verb of asking follows.
    let end = [
        "かを聞",
        "か聞",
        "かを選",
        "か選",
        "かを尋",
        "か尋",
        "かの",
        "かで投票",
        "かどっち",
        "かアンケート",
        "かのアンケート",
    ]
    .iter()
    .filter_map(|it| heard.find(it, 1))
    .min()?;
    let ends = ['、', '。', 'は', 'で', 'に', ' ', 'を', '「', '」'];
    let from = heard.chars[..end].iter().rposition(|it| ends.contains(it)).map_or(0, |it| it + 1);
    let parts: String = heard.chars[from..end].iter().collect();
    field(from, parts.split('か').map(str::to_owned).filter(|it| !it.is_empty()).collect())
}

impl Field {
    /// Whether it asks who somebody is.
    pub(super) fn is_name(&self) -> bool {
        self.kind.name == "name"
    }

    /// Whether it is a line of text that no kind fits.
    pub(super) fn is_free(&self) -> bool {
        self.written.is_some()
    }

    /// What was written, where no kind is known for it.
    pub(super) fn written(&self) -> Option<&str> {
        self.written.as_deref()
    }

    /// A line of text with this label.
    pub(super) fn line(label: &str) -> Self {
        Self {
            kind: FREE,
            written: Some(label.to_owned()),
            label: None,
            options: Vec::new(),
            is_several: false,
            is_required: true,
            from: 0,
        }
    }

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
