//! Parses the fields that people want: splits lists into items, parses each, and keeps unknown words for a report.

mod bounds;
mod change;
mod item;
mod kinds;
mod list;
mod options;
mod order;
mod plain;
mod text;

use language::{Language, scan::marks, utterance::Utterance};
use serde_json::{Map, Value, json};

pub(super) use self::{
    change::change,
    kinds::COMMON,
    list::{are_kinds, titled, unlabelled},
    order::{moves_unnamed, replacement, swaps_unnamed},
    plain::{choice, plain},
};
use self::{
    item::{Item, OPTIONAL, REQUIRED},
    kinds::{FIELDS, FREE, Kind},
    list::{clauses, has_form, items, regions, untitled},
    text::Text,
};

/// Key of the default in `more`, in the sentence's words.
const DEFAULT: &str = "default";
/// Maximum fields of one sentence.
const FIELDS_MAX: usize = 20;

/// A wanted field.
#[derive(Clone, Debug)]
pub(super) struct Field {
    kind: Kind,
    /// Label as written, if it differs from the kind's.
    label: Option<String>,
    /// Whether no kind matches.
    is_free: bool,
    /// Type named in the sentence, or implied by the label.
    type_: Option<&'static str>,
    options: Vec<String>,
    /// Whether several options may be chosen.
    is_several: bool,
    /// Constraints, as properties of the definition.
    more: Map<String, Value>,
    is_required: bool,
    /// Answer of another field that shows this one.
    shown: Option<ShowRule>,
}

/// Kind and label of another field, with its answer.
#[derive(Clone, Debug)]
struct ShowRule {
    kind: &'static str,
    label: Option<String>,
    equals: Value,
}

/// Parsed fields of a sentence.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    pub(super) fields: Vec<Field>,
    /// Unwanted fields, by name.
    pub(super) denied: Vec<String>,
    /// Unknown words.
    pub(super) left: Vec<String>,
    /// Whether all are added to the usual fields.
    pub(super) is_addition: bool,
    /// Number of certain fields: of a known kind, or with options or constraints.
    pub(super) sure: usize,
}

/// Parses the fields of `utterance`, in order.
pub(super) fn read(utterance: &Utterance) -> Reading {
    let text: String = utterance.chars.iter().collect();
    let text = text.replace(" w/ ", " with ");
    let text = untitled(&unlabelled(&text).map_or(text, |it| it.1));
    let mut reading = match bounds::default_in(&text) {
        Some(default_in) => {
            let mut reading = written(&default_in.rest);
            match bounds::state(&mut reading.fields, &default_in.value) {
                true => reading,
                // `default language` is a field.
                false if !default_in.is_sure => written(&text),
                false => {
                    reading.left.push(default_in.value);
                    reading
                }
            }
        }
        None => written(&text),
    };
    let lost = reading.fields.iter_mut().flat_map(Field::settle);
    reading.left.extend(lost);
    reading
}

/// Parses a text without trailing defaults.
fn written(text: &str) -> Reading {
    let mut reading = Reading::default();
    let mut marked = Vec::new();
    let mut is_after = false;
    for clause in &clauses(text) {
        let before = reading.fields.len();
        // `If yes, ask for the guest's name`.
        let (when, rest) = conditional(clause).filter(|_| is_after).unzip();
        reading.clause(rest.as_ref().unwrap_or(clause), is_after, &mut marked);
        is_after |= has_form(clause) || !reading.fields.is_empty();
        if before == 1 && reading.is_about_first() {
            reading.fields.remove(0);
        }
        if let Some(when) = when {
            let mut added = reading.fields.split_off(before.min(reading.fields.len()));
            reading.show(&mut added, &when);
            reading.fields.extend(added);
        }
    }
    // Marks for all others are applied before single ones.
    marked.sort_by_key(|it| !marks_all(it));
    for it in marked {
        if !reading.mark(&it) {
            reading.left.push(it);
        }
    }
    // Unwanted names that are no fields are reported: `no cats please`.
    let is_field =
        |it: &String| item::is_kind(it) || reading.fields.iter().any(|field| field.is_called(it));
    let (denied, other): (Vec<_>, Vec<_>) =
        std::mem::take(&mut reading.denied).into_iter().partition(is_field);
    reading.left.extend(other.into_iter().map(|it| it.trim().to_owned()));
    // `忘年会の出欠を取りたい` states the purpose.
    let is_wish = |field: &Field| {
        let label = field.label.as_ref().filter(|it| it.ends_with("たい"));
        label.is_some_and(|it| !text.contains(&format!("{it}か")))
    };
    reading.attend();
    reading.fields.retain(|it| !is_wish(it) && !denied.iter().any(|name| it.is_called(name)));
    reading.denied = denied;
    reading.fields.truncate(FIELDS_MAX);
    reading
}

impl Reading {
    /// Whether it names fields and nothing else.
    pub(super) fn is_list(&self) -> bool {
        self.sure > 0 && (self.fields.len() > 1 || self.left.is_empty())
    }

    /// Whether the first field is only the purpose of the others: `飲み会の出欠。名前と参加可否`.
    fn is_about_first(&self) -> bool {
        let Some((first, others)) = self.fields.split_first() else { return false };
        let is_it = |it: &Field| it.kind.name == first.kind.name && it.label.is_none();
        others.len() > 1 && first.kind.name == "attendance" && others.iter().any(is_it)
    }

    /// Parses one clause; `is_after` if an earlier one names the form or fields.
    fn clause(&mut self, clause: &str, is_after: bool, marked: &mut Vec<String>) {
        let is_form = has_form(clause);
        let is_more = is_after && !is_form;
        if is_more
            && (self.date(clause) || self.age(clause) || self.limit(clause) || self.mark(clause))
        {
            return;
        }
        if is_more && bounds::is_deadline(clause) {
            self.left.push(clause.trim().to_owned());
            return;
        }
        if let Some(name) = item::denied(&Text::new(clause)).filter(|_| is_more) {
            self.denied.extend(items(&name));
            return;
        }
        if let Some(more) = addition(clause).filter(|_| is_more) {
            self.is_addition |= self.fields.is_empty();
            self.take(&items(&more), true, marked);
            return;
        }
        let (count, sure) = (self.fields.len(), self.sure);
        for region in regions(clause, is_after) {
            let list = items(&region.text);
            let mut found = self.clone();
            let mut more = Vec::new();
            found.take(&list, region.is_sure || list.len() > 1 && is_after, &mut more);
            if found.is_more_than(self) {
                *self = found;
                marked.extend(more);
                break;
            }
        }
        // Clauses after the form without a field are reported.
        let is_recognized = self.fields.len() > count || self.sure > sure;
        if is_more && !is_recognized && !is_filler(clause, false) {
            self.left.push(clause.trim().to_owned());
        }
    }

    /// Parses the items of a list.
    fn take(&mut self, list: &[String], is_listed: bool, marked: &mut Vec<String>) {
        let list = text::apart(list);
        let all: Vec<(&String, Item)> =
            list.iter().map(|it| (it, item::item(it, is_listed))).collect();
        let sure = |it: &(&String, Item)| matches!(it.1, Item::Fields { is_sure: true, .. });
        let is_list = is_listed || all.len() > 1 && all.iter().any(sure);
        let mut pending = None;
        for (written, item) in all {
            let (mut on, item) = match self.condition(written) {
                // `if other`, `reason`: the list was split in the condition.
                Some((when, rest)) if rest.is_empty() => {
                    self.left.extend(pending.replace(when));
                    continue;
                }
                Some((when, rest)) => {
                    self.left.extend(pending.take());
                    (Some(when), item::item(&rest, is_listed))
                }
                None => (pending.take(), item),
            };
            match item {
                // `name, email, email is required` marks an existing field.
                Item::Fields { .. } if is_mark(written) && self.mark(written) => {}
                Item::Fields { mut fields, is_sure, left, when } => {
                    if !is_filler(written, is_sure) && (is_sure || is_list) {
                        self.sure += fields.iter().filter(|it| it.is_named()).count();
                        if let Some(when) = when.or_else(|| on.take()) {
                            self.show(&mut fields, &when);
                        }
                        if Text::new(written).has("それぞれ|each") {
                            self.share(&fields);
                        }
                        add(&mut self.fields, fields);
                        let (marks, others) = left.into_iter().partition(|it| is_mark(it));
                        marked.extend::<Vec<_>>(marks);
                        self.left.extend::<Vec<_>>(others);
                    }
                }
                Item::Denied(name) => self.denied.push(name),
                Item::More(more) if Text::new(written).has("それぞれ|each") => {
                    self.share(&[Field { label: None, ..more.into_scale() }]);
                    self.sure += 1;
                }
                Item::More(more) => {
                    let last = self.fields.last_mut();
                    let fits = |it: &&mut Field| it.options.is_empty() || more.options.is_empty();
                    match last.filter(fits) {
                        Some(field) => {
                            field.take(*more);
                            self.sure += 1;
                        }
                        None => self.left.push(written.trim().to_owned()),
                    }
                }
                Item::Nothing => {}
            }
            self.left.extend(on);
        }
        self.left.extend(pending);
    }

    /// Splits off a condition on an earlier field: `how many guests if coming`, `参加なら人数`, `if other`. `when
    /// you are free` is no condition; `when coming` is one.
    fn condition(&self, written: &str) -> Option<(String, String)> {
        let text = Text::new(written);
        let found = text.find("only if|only when|if|when", 0).filter(|_| written.is_ascii());
        let (when, rest) = match found {
            Some((0, _)) => conditional(written).unwrap_or((text.text(), String::new())),
            Some((from, _)) => (text.piece(from, text.len()), text.piece(0, from)),
            None => conditional(written)?,
        };
        let is_answer = match found.filter(|it| text.lower[..it.1].ends_with(&['e', 'n'])) {
            Some((_, to)) => {
                let option = text.piece(to, text.len());
                let mut options = self.fields.iter().flat_map(|it| &it.options);
                options.any(|it| it.eq_ignore_ascii_case(option.trim()))
            }
            None => self.fields.iter().any(|it| it.answer(&when).is_some()),
        };
        is_answer.then(|| (when, rest.trim().to_owned()))
    }

    /// Shows `fields` only `when` another field has an answer, or reports the condition.
    fn show(&mut self, fields: &mut [Field], when: &str) {
        // `if yes or maybe`, `はいかたぶんなら`: one field has both answers.
        let several = |field: &Field| {
            let both = [" or ", "または", "か"].iter().find_map(|it| when.split_once(it))?;
            let (one, other) = (field.answer(both.0)??, field.answer(both.1)??);
            (one != other).then(|| Some(json!([one, other])))
        };
        let answer = |it: &Field| several(it).or_else(|| it.answer(when));
        let found = self.fields.iter().rev().find_map(|it| Some((it, answer(it)?)));
        match found.and_then(|it| Some((it.0, it.1?))).map(|(field, equals)| ShowRule {
            kind: field.kind.name,
            label: field.label.clone(),
            equals,
        }) {
            Some(shown) => fields.iter_mut().for_each(|it| it.shown = Some(shown.clone())),
            None => self.left.push(when.to_owned()),
        }
    }

    /// `food and service, each from 1 to 5`: copies the last field's constraints to those before.
    fn share(&mut self, last: &[Field]) {
        let Some(last) = last.last() else { return };
        let is_open = |field: &&mut Field| {
            let is_plain = field.type_ == Some("number") && field.more.is_empty();
            field.is_free && (field.type_.is_none() || is_plain)
        };
        for field in self.fields.iter_mut().filter(is_open) {
            field.type_ = last.type_;
            field.more.clone_from(&last.more);
            field.options.clone_from(&last.options);
        }
    }

    /// Whether it has more fields than `before`.
    fn is_more_than(&self, before: &Self) -> bool {
        self.fields.len() > before.fields.len()
            || self.denied.len() > before.denied.len()
            || self.sure > before.sure
    }

    /// `no dates in the past`, `過去の日付は選べないように`: constrains existing date fields.
    fn date(&mut self, clause: &str) -> bool {
        let Some((name, value)) = item::date_bound(&mut Text::new(clause)) else { return false };
        let is_date = |field: &&mut Field| {
            ["date", "datetime"].contains(&field.type_.unwrap_or(field.kind.kind))
                && field.options.is_empty()
        };
        let is_named = |it: &Field| it.is_named_in(clause);
        let is_any = self.fields.iter().any(is_named);
        let mut is_bound = false;
        for field in self.fields.iter_mut().filter(is_date) {
            if !is_any || field.is_named_in(clause) {
                field.more.insert(name.to_owned(), value.into());
                is_bound = true;
            }
        }
        is_bound
    }

    /// `the phone is optional`, `メールは必須で`: marks existing fields.
    fn mark(&mut self, clause: &str) -> bool {
        let mut pieces: Vec<_> = items(clause).into_iter().filter(|it| is_mark(it)).collect();
        if pieces.len() > 1 {
            pieces.sort_by_key(|it| !marks_all(it));
            let others: Vec<_> = pieces.iter().filter(|it| !self.mark(it)).cloned().collect();
            let is_marked = others.len() < pieces.len();
            if is_marked {
                // Marked fields that were not named are added.
                self.take(&others, true, &mut Vec::new());
            }
            return is_marked;
        }
        let mut is_any = false;
        for (names, is_required) in marking(clause) {
            let is_meant =
                |it: &&mut Field| names.iter().any(|name| name == "*" || it.is_called(name));
            for field in self.fields.iter_mut().filter(is_meant) {
                field.is_required = is_required;
                is_any = true;
            }
        }
        is_any
    }
}

/// Adds `more` to `fields`; new properties extend the known ones.
pub(super) fn add(fields: &mut Vec<Field>, more: Vec<Field>) {
    for field in more {
        match fields.iter_mut().find(|it| it.is_same(&field)) {
            Some(same) => same.more.extend(field.more),
            None => fields.push(field),
        }
    }
}

/// Splits `if yes, ask for the name`, `出席の場合は人数も` into condition and rest.
fn conditional(clause: &str) -> Option<(String, String)> {
    const ENGLISH: &str = "and only if|only if|only when|and if|if|when";
    const JAPANESE: &str = "場合だけ|場合のみ|場合には|場合は|ときだけ|時だけ|ときは|時は|人にだけ|人には|人だけ|方のみ|方には|なら";
    let text = Text::new(clause);
    let (condition, rest) = match text.find(ENGLISH, 0).filter(|it| it.0 == 0) {
        Some((_, to)) => {
            let asks = text.find(", | then | ask | also ask | how many | how much | which ", to)?;
            (text.piece(to, asks.0), text.piece(asks.0, text.len()))
        }
        None => {
            let (from, to) = text.find(JAPANESE, 1)?;
            // `名前、参加/不参加、参加なら人数` is a list whose last item has a condition.
            if text.chars[..from].contains(&'、') {
                return None;
            }
            (text.piece(0, to), text.piece(to, text.len()))
        }
    };
    let rest = rest.trim_start_matches([',', ' ', '、']).to_owned();
    (!rest.is_empty()).then_some((condition.trim().to_owned(), rest))
}

/// Extracts the added fields: `電話番号も追加で`, `also the company`.
fn addition(clause: &str) -> Option<String> {
    const BEHIND: &str = "も追加して|も追加で|も追加|を追加して|を追加|もお願いします|もお願い|も入れて|もほしい|も欲しい|も聞いて|もください|も必要";
    const BEFORE: &str = "also add|and add|also|plus|add|oh and|and also";
    let text = Text::new(clause);
    if let Some((from, _)) = text.find(BEHIND, 1) {
        return Some(text.piece(0, from));
    }
    text.find(BEFORE, 0).filter(|it| it.0 == 0).map(|it| text.piece(it.1, text.len()))
}

/// Words of requests and politeness, which name no field.
const FILLER: &str = "お願い|おねがい|作って|つくって|作成|作れる|作りたい|作る|つくる|ください|下さい|よろしく|急ぎ|ほしい|欲しい|用意|準備|できます|出して|make|create|build|please|thanks|thank you|need|want|could you|can you|would you|quick|asap|that|it|one|them";

/// Whether `written` only requests, or names the form.
fn is_filler(written: &str, is_sure: bool) -> bool {
    let written = written.trim().trim_end_matches(['。', '!', '?', '、', 'ね', '.']).to_lowercase();
    let asks = |mark: &str| match mark.is_ascii() {
        true => Text::new(&written).is_at(mark, 0),
        false => written.ends_with(mark),
    };
    !is_sure && (marks(FILLER).any(asks) || has_form(&written))
}

/// Whether `text` marks a field as required or optional.
fn is_mark(text: &str) -> bool {
    let text = Text::new(text);
    text.has(REQUIRED) || text.has(OPTIONAL)
}

/// Whether `clause` marks all, or all other fields.
fn marks_all(clause: &str) -> bool {
    marking(clause).iter().any(|it| it.0.iter().any(|it| it == "*"))
}

/// Names in `X and Y are required`, and whether they are; `*` means all. An exception follows as a second entry.
pub(super) fn marking(clause: &str) -> Vec<(Vec<String>, bool)> {
    const ALL: &str = "両方とも|両方|どちらも|どっちも|2つとも|二つとも|both of them|both|全部|すべて|全て|全項目|ほかは|他は|それ以外|残り|all of them|all the others|all others|the others|others|the rest|everything else|everything|all fields|all";
    const EXCEPT: &str = "except for|except|apart from|but not|以外は|以外";
    // `reason not required, the dates are`.
    if let Some((first, last)) = clause.trim_end_matches(['.', '!']).rsplit_once([',', ';'])
        && let Some(name) = last.strip_suffix(" are").or(last.strip_suffix(" is"))
        && let Some((_, is_required)) = marking(first).pop()
    {
        let name = name.trim().trim_start_matches("the ").to_owned();
        return marking(first).into_iter().chain([(vec![name], !is_required)]).collect();
    }
    let mut text = Text::new(clause);
    let is_required = match () {
        () if text.take(OPTIONAL) => false,
        () if text.take(REQUIRED) => true,
        () => return Vec::new(),
    };
    // `don't make the email required`, `the phone shouldn't be optional`.
    let is_not = text.take("don't make|dont make|do not make|shouldn't be|should not be");
    let is_required = is_required != is_not;
    let split = |text: &str| {
        const LEADS: &str = "and|but|make|set|please|the|a|with|only|mark|でも|ただし|あと|また|を";
        const TAILS: &str = "fields|field|is|are|as|be|should|must|has to|have to|に戻して|に戻す|にしておいて|にしといて|にしておく|にしてほしい|にして|してください|して|です|は|を|が|の|だけ|に|で|とも|欄|よ|ね|や|please|pls|plz|thanks";
        let names = items(text).into_iter().map(|name| {
            let mut name = Text::new(&name);
            name.strip(LEADS, TAILS);
            let name = name.text();
            if marks(ALL).any(|all| name.eq_ignore_ascii_case(all)) { "*".to_owned() } else { name }
        });
        names.filter(|it| !it.is_empty()).collect::<Vec<_>>()
    };
    if let Some((from, to)) = text.find(EXCEPT, 0) {
        // `all required except the notes`: the exceptions have the opposite mark.
        let (before, behind) = (text.piece(0, from), text.piece(to, text.len()));
        let (excepted, others) = match text.chars[from].is_ascii() {
            true => (behind, before),
            false => (before, behind),
        };
        let (excepted, mut others) = (split(&excepted), split(&others));
        if excepted.is_empty() {
            return Vec::new();
        }
        if others.is_empty() {
            others.push("*".to_owned());
        }
        return vec![(others, is_required), (excepted, !is_required)];
    }
    let names = split(&text.text());
    if names.is_empty() { Vec::new() } else { vec![(names, is_required)] }
}

impl Field {
    fn new(kind: Kind) -> Self {
        Self {
            kind,
            label: None,
            is_free: false,
            type_: None,
            options: Vec::new(),
            is_several: false,
            more: Map::new(),
            is_required: kind.is_required,
            shown: None,
        }
    }

    /// Applies a further item: options, number, constraints.
    fn take(&mut self, more: Self) {
        if !more.options.is_empty() {
            (self.options, self.kind, self.is_free) = (more.options, FREE, true);
            self.is_required = more.is_required;
            self.type_ = None;
        }
        let is_number = ["number", "range"].contains(&self.type_.unwrap_or(self.kind.kind));
        self.is_several |= more.is_several && !is_number;
        for (name, value) in more.more {
            let name = match name.as_str() {
                "minSelect" if is_number => "min".to_owned(),
                "maxSelect" if is_number => "max".to_owned(),
                _ => name,
            };
            self.more.insert(name, value);
        }
        // Constraints alone do not change a slider's type.
        self.type_ = more.type_.filter(|it| !is_number || *it != "number").or(self.type_);
    }

    /// Further constraints as those of a scale: `each from 1 to 5`.
    fn into_scale(mut self) -> Self {
        for (count, name) in [("minSelect", "min"), ("maxSelect", "max")] {
            if let Some(value) = self.more.remove(count) {
                self.more.insert(name.to_owned(), value);
                self.type_ = Some("range");
            }
        }
        self
    }

    /// Whether it is certainly a field: a known kind with a short label, or with options.
    fn is_named(&self) -> bool {
        const CHARS_MAX: usize = 10;
        const WORDS_MAX: usize = 4;
        let is_short = self.label.as_ref().is_none_or(|label| match label.is_ascii() {
            true => label.split(' ').count() <= WORDS_MAX,
            false => label.chars().count() <= CHARS_MAX,
        });
        is_short && (!self.is_free || !self.options.is_empty())
    }

    /// Whether `clause` contains its label.
    fn is_named_in(&self, clause: &str) -> bool {
        let label = self.label.as_deref().unwrap_or(self.kind.label.0);
        clause.to_lowercase().contains(&label.to_lowercase())
    }

    /// The answer in `when`, if that is about this field: `if they say yes`, `出席の場合`; `Some(None)` if it
    /// names none of several, as in `if not paid`.
    fn answer(&self, when: &str) -> Option<Option<Value>> {
        const YES: &str = "yes|so|they do|they are|they will|they have|you do|you are|you will|you have|ticked|checked|はい|あり|有り|ある|いる|する|希望";
        const NO: &str = "no|not|they don't|they aren't|they won't|you don't|unticked|いいえ|なし|無し|ない|いない|しない";
        const DENIES: &str = "not|でない|じゃない|ではない|以外";
        let text = Text::new(when);
        let has = |label: &str| {
            let label = Text::new(label);
            let length = label.len();
            let word: String = label.lower.iter().collect();
            length > 0 && (0..text.len()).any(|at| text.is_at(&word, at))
        };
        // `不参加` contains `参加`, and `not coming` contains `coming`; the longest match wins.
        let named_options = self.options.iter().filter(|it| has(it));
        let is_no = |option: &&String| {
            let option = option.to_lowercase();
            ["no", "not"].contains(&&*option) || option.starts_with("not ")
        };
        if let Some(option) = named_options.clone().find(is_no).filter(|_| text.has("not|no")) {
            return Some(Some(option.as_str().into()));
        }
        if let Some(option) = named_options.max_by_key(|it| it.as_str().len()) {
            let is_denied = text.has(DENIES) && !Text::new(option).has(DENIES);
            return Some(match &self.options[..] {
                _ if !is_denied => Some(option.as_str().into()),
                [one, other] => Some((if one == option { other } else { one }).as_str().into()),
                _ => None,
            });
        }
        let table: Value = serde_json::from_str(self.kind.more).unwrap_or_default();
        let own = self.more.get("options").or(table.get("options"));
        let options: Vec<&Value> = own.and_then(Value::as_array).into_iter().flatten().collect();
        let named = |it: &&&Value| (0..3).any(|at| it[at].as_str().is_some_and(has));
        if let Some(option) = options.iter().find(named) {
            return Some(Some(option[0].clone()));
        }
        let is_tick = self.type_.unwrap_or(self.kind.kind) == "checkbox";
        let is_yes_no = options.len() == 2 && options.iter().any(|it| it[0] == "yes");
        let (yes, no) = match is_tick {
            true => (Value::Bool(true), Value::Bool(false)),
            false => ("yes".into(), "no".into()),
        };
        match () {
            () if !is_tick && !is_yes_no => None,
            () if text.has(NO) => Some(Some(no)),
            () if text.has(YES) => Some(Some(yes)),
            () => None,
        }
    }

    /// Whether it asks for a person's name.
    pub(super) fn is_name(&self) -> bool {
        self.kind.name == "name"
    }

    /// Whether it is a text line of no kind, as nothing more was said.
    fn is_plain(&self) -> bool {
        self.is_free && self.type_.is_none() && self.options.is_empty() && self.more.is_empty()
    }

    /// Whether it is a free text without a kind.
    pub(super) fn is_free(&self) -> bool {
        self.is_free
    }

    /// The text as written, if no kind is known.
    pub(super) fn written(&self) -> Option<&str> {
        self.label.as_deref().filter(|_| self.is_free)
    }

    /// Whether it was written exactly so.
    pub(super) fn is_written(&self, words: &str) -> bool {
        self.label.as_deref() == Some(words)
    }

    /// Creates a text line with this label.
    pub(super) fn line(label: &str) -> Self {
        Self { label: Some(label.to_owned()), is_free: true, is_required: true, ..Self::new(FREE) }
    }

    /// Whether both ask for the same.
    fn is_same(&self, other: &Self) -> bool {
        let own = [self.kind.label.0, self.kind.label.1];
        let label = |it: &Self| it.label.clone().filter(|it| !own.contains(&it.as_str()));
        self.kind.name == other.kind.name && label(self) == label(other)
    }

    /// Whether `name` refers to it.
    pub(super) fn is_called(&self, name: &str) -> bool {
        let label = self.label.as_deref().unwrap_or(self.kind.label.0);
        is_called(name, self.kind.name, label)
    }

    /// Converts it to a definition; `number` makes its name unique.
    pub(super) fn definition(&self, language: Language, number: usize) -> Value {
        let own = || language.pick(self.kind.label.0, self.kind.label.1).to_owned();
        let label = self.label.clone().unwrap_or_else(own);
        if self.kind.kind == text::HEADING {
            return json!({ "type": text::HEADING, "text": label });
        }
        let name = match self.is_free {
            true => format!("field_{number}"),
            false => self.kind.name.to_owned(),
        };
        let type_ = match (self.options.is_empty(), self.is_several) {
            (true, _) => self.type_.unwrap_or(self.kind.kind),
            (false, false) => self.type_.filter(|it| *it == "select").unwrap_or("radio"),
            (false, true) => "multiselect",
        };
        let mut field = json!({ "name": name, "type": type_, "label": label });
        if self.is_required {
            field["required"] = true.into();
        }
        if !self.options.is_empty() {
            field["options"] =
                self.options.iter().map(|it| json!({ "value": it, "label": it })).collect();
        } else if type_ == self.kind.kind {
            let more: Value = serde_json::from_str(self.kind.more).unwrap_or_default();
            for (name, value) in more.as_object().into_iter().flatten() {
                field[name.as_str()] = value.clone();
            }
        }
        if type_ == "range" && ["max", "step"].iter().any(|it| self.more.contains_key(*it)) {
            field["min"] = 0.into();
        }
        for (name, value) in self.more.iter().filter(|it| it.0 != DEFAULT) {
            field[name.as_str()] = value.clone();
        }
        if type_ == "autocomplete" && field.get("searchUrl").is_none() {
            let users: Value = serde_json::from_str(kinds::USERS).unwrap_or_default();
            for (name, value) in users.as_object().into_iter().flatten() {
                field[name.as_str()] = value.clone();
            }
        }
        // A choice without options becomes a text.
        let is_choice = ["select", "radio", "multiselect"].iter().any(|it| field["type"] == *it);
        if is_choice && field.get("options").is_none() {
            field["type"] = "text".into();
        }
        // The table's options are bilingual.
        let is_table = |it: &Value| it[0].is_array();
        if let Some(options) = field.get_mut("options").filter(|it| is_table(it)) {
            *options = options::in_language(options, language);
        }
        if let Some(words) = self.more.get(DEFAULT).and_then(Value::as_str) {
            bounds::begin(&mut field, words);
        }
        field
    }
}

/// Whether `name` refers to the field of this kind and label.
pub(super) fn is_called(name: &str, kind: &str, label: &str) -> bool {
    let mut text = Text::new(name);
    const LEADS: &str = "the|a|an|their|your|field for";
    const TAILS: &str = "field|fields|question|の欄|欄|の項目|項目|を|は|が|も|の";
    text.strip(LEADS, TAILS);
    let (name, label) = (text.text().to_lowercase(), label.to_lowercase());
    if name.is_empty() {
        return false;
    }
    // A photo is another file than a CV.
    const FILES: &str =
        "ファイル|添付|添付ファイル|資料|file|files|attachment|attachments|upload|document";
    let is_any = kind != "file" || marks(FILES).any(|it| it == name);
    let is_kind = || is_any && item::known(&text).is_some_and(|it| it.0.name == kind && it.2);
    // `add yellow to the colours` refers to `Favourite colour`.
    let single = name.strip_suffix('s').filter(|it| it.is_ascii() && it.len() > 2);
    if single.is_some_and(|it| label.split(' ').any(|word| word == it)) {
        return true;
    }
    let is_part = match name.chars().count() {
        1 => !name.is_ascii() && label.ends_with(&name),
        _ => label.contains(&name),
    };
    name == label || is_kind() || is_part || name == kind
}

/// Converts the fields to definitions.
pub(super) fn definitions(fields: &[Field], language: Language) -> Vec<Value> {
    let mut definitions: Vec<Value> = Vec::new();
    for (number, field) in fields.iter().enumerate() {
        let mut definition = field.definition(language, number + 1);
        distinguish(&mut definition, &definitions);
        definitions.push(definition);
    }
    for (at, field) in fields.iter().enumerate() {
        let Some(shown) = &field.shown else { continue };
        let is_it = |it: &Field| it.kind.name == shown.kind && it.label == shown.label;
        if let Some(on) = fields[..at].iter().position(is_it) {
            let name = definitions[on]["name"].clone();
            let key = if shown.equals.is_array() { "in" } else { "equals" };
            definitions[at]["showIf"] = json!({ "field": name, key: shown.equals });
        }
    }
    for (at, field) in fields.iter().enumerate().filter(|it| it.1.kind.name == "city") {
        let is_prefecture = |field: &Field| {
            field.kind.name == "prefecture" && field.options.is_empty() && field.type_.is_none()
        };
        let on = fields[..at].iter().rposition(is_prefecture);
        let on = on.map(|it| definitions[it]["name"].clone());
        if let Some(on) = on.filter(|_| field.options.is_empty() && field.type_.is_none()) {
            let mut city = definitions[at].take();
            city["dependsOn"] = on;
            let cities: Value = serde_json::from_str(kinds::CITIES).unwrap_or_default();
            for (name, value) in cities.as_object().into_iter().flatten() {
                city[name.as_str()] = value.clone();
            }
            definitions[at] = city;
        }
    }
    definitions
}

/// A field by its name, for the form that asks which fields are wanted.
pub(super) fn field_named(name: &str) -> Option<Field> {
    let kind = FIELDS.iter().find(|it| it.0.name == name)?.0;
    Some(Field::new(kind))
}

/// Gives `definition` a unique name.
pub(super) fn distinguish(definition: &mut Value, others: &[Value]) {
    let name = definition["name"].as_str().unwrap_or_default().to_owned();
    let is_taken = |name: &str| others.iter().any(|it| it["name"] == *name);
    if is_taken(&name) {
        let number = (2..).find(|it| !is_taken(&format!("{name}_{it}"))).unwrap_or_default();
        definition["name"] = format!("{name}_{number}").into();
    }
}
