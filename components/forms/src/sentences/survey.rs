//! A requested form: its fields and its answers.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toolkit::Tool as _;

use language::{
    Date, Language,
    chat::CONTINUED,
    context::{TurnContext, failure, submitted},
    rules::Percent,
    say,
    scan::marks,
    small_talk::takes_back,
    turn::{Answered, Decision},
    utterance::Utterance,
};

use super::{
    fields::{self, COMMON, Field, Reading},
    rules::FORM,
};
use crate::tools::RequestForm;

/// Topics of forms: title, words, and usual fields; unknown fields are text lines, in Japanese and English.
const TOPICS: &[((&str, &str), &str, &str)] = &[
    (
        ("出張申請", "Travel request"),
        "出張|旅費|travel request|business trip|trip request|travel form|travel",
        "name|行き先/Destination|start_date|end_date|目的/Purpose|budget",
    ),
    (
        ("休暇申請", "Leave request"),
        "休暇|有給|休み|欠勤|leave request|vacation|time off|time-off|holiday request|day off|leave form|absence",
        "name|start_date|end_date|reason",
    ),
    (
        ("経費精算", "Expense report"),
        "経費|精算|立替|expense|expenses|reimbursement",
        "name|date|description|budget|file",
    ),
    (
        ("面接・面談の予約", "Appointment"),
        "面談|面接|打ち合わせ|アポ|appointment|interview|meeting request",
        "name|email|datetime|notes",
    ),
    (
        ("応募", "Application"),
        "応募|採用|求人|job application|application form",
        "name|email|phone|file|reason",
    ),
    (
        ("ご注文", "Order"),
        "注文|発注|order form|orders|purchase request",
        "name|品名/Item|quantity|address|notes",
    ),
    (("備品申請", "Equipment request"), "備品|物品|equipment", "name|品名/Item|quantity|reason"),
    (
        ("お問い合わせ", "Contact us"),
        "問い合わせ|問合せ|contact form|inquiry form|enquiry form|contact us",
        "name|email|message",
    ),
    (
        ("ご意見", "Feedback"),
        "ご意見|フィードバックフォーム|感想フォーム|feedback form|feedback",
        "satisfaction|comment",
    ),
    (("日程調整", "Finding a date"), "日程調整|日程を調整|find a date", "name|date|notes"),
    (
        ("イベント参加登録", "Event registration"),
        "出欠|結婚式|歓迎会|送別会|忘年会|新年会|同窓会|イベント|勉強会|セミナー|懇親会|飲み会|パーティ|パーティー|遠足|ピクニック|event|seminar|workshop|party|conference|picnic|wedding|rsvp",
        "name|email|attendance|count",
    ),
    (("タスク担当者設定", "Assign a task"), "タスク|task", "title|assignee|due_date|priority"),
    (
        ("お申し込み", "Sign-up"),
        "申し込み|申込|登録フォーム|会員登録|入会|registration|sign-up|signup|sign up|membership",
        "name|email|phone",
    ),
    (
        ("プロジェクト作成", "New project"),
        "プロジェクト作成|新規プロジェクト|新しいプロジェクト|project creation|new project",
        "project_name|description|due_date|assignee",
    ),
    (
        ("住所入力", "Address"),
        "住所入力|配送先|お届け先|address form|shipping form|shipping details",
        "name|postcode|prefecture|address",
    ),
    (
        ("ご予約", "Booking"),
        "予約フォーム|予約用|予約受付|booking form|reservation form",
        "name|phone|datetime|count",
    ),
    (("バグ報告", "Bug report"), "バグ|不具合|bug report|bug", "title|description|priority|file"),
    (
        ("アンケート", "Survey"),
        "アンケート|満足度調査|survey|questionnaire|poll",
        "satisfaction|comment",
    ),
];
/// Phrases of a new title: before and after it, in Japanese and English.
const RENAMED: [(&str, &str); 2] = [
    (
        "タイトルは|タイトルを|題名は|題名を|題は|題を|フォーム名は|フォーム名を|フォームの名前は|フォームの名前を",
        "にして|にしよう|にする|に変|でお願い|で|に",
    ),
    (
        "call it |call the form |name it |title it |rename it to |rename it |the title should be |the title is |set the title to |change the title to |make the title |title: ",
        " please| instead",
    ),
];
/// Confidence in a sentence about a field of the form.
const NAMED: Percent = 80;
/// Confidence in taking back a change.
const UNDONE: Percent = 96;
const TITLE_MAX: usize = 60;
const VALUE_MAX: usize = 200;

/// A requested form.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Survey {
    title: Option<String>,
    fields: Vec<Value>,
    /// Whether it is the wanted form, rather than the one that asks for its fields.
    is_asked: bool,
    values: Option<Map<String, Value>>,
    /// Unknown words.
    #[serde(default)]
    left: Vec<String>,
    /// Whether its fields are the topic's usual ones.
    #[serde(default)]
    is_usual: bool,
    /// Label of the button that sends.
    #[serde(default)]
    button: Option<String>,
    /// The form before the last change.
    #[serde(default)]
    before: Option<Before>,
    /// Name of the field that the last change was about.
    #[serde(default)]
    about: Option<String>,
}

/// A form before a change: title, fields and the label of its button.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Before {
    title: Option<String>,
    fields: Vec<Value>,
    #[serde(default)]
    button: Option<String>,
}

impl Survey {
    pub(super) fn new(utterance: &Utterance, language: Language) -> Self {
        let Reading { mut fields, denied, left, is_addition, .. } = fields::read(utterance);
        let text: String = utterance.chars.iter().collect();
        let button = fields::unlabelled(&text).map(|it| it.0);
        let quoted = utterance.quoted.iter().find(|it| button.as_ref() != Some(&it.text));
        let quoted = quoted.map(|it| it.text.chars().take(TITLE_MAX).collect());
        let quoted = quoted.or_else(|| fields::titled(&text).map(|it| it.0));
        let named =
            TOPICS.iter().find(|it| it.1.split('|').any(|it| utterance.find(it, 0).is_some()));
        // A survey asks about its topic: `survey: how did you like the workshop?`.
        let is_survey = ["アンケート", "survey", "questionnaire", "poll"]
            .iter()
            .any(|it| utterance.find(it, 0).is_some());
        let asks = ["how did", "how do you", "how was", "満足", "感想", "評価", "rate "];
        let is_opinion = is_survey && asks.iter().any(|it| utterance.find(it, 0).is_some());
        let named = if is_opinion { TOPICS.last() } else { named };
        let of_table = named.map(|it| language.pick(it.0.0, it.0.1).to_owned());
        if let Some(choice) =
            fields::choice(utterance).filter(|_| fields.iter().all(Field::is_free))
        {
            fields = vec![choice];
        }
        let has_fields = !fields.is_empty();
        let of_words = topic(utterance)
            .or_else(|| noun(utterance, named?.1).filter(|_| is_reasoned(utterance)))
            .filter(|it| !has_fields || !it.contains(['と', '、']) && !it.contains("だけ"));
        // The sentence's own words are more specific than the table's title: `備品購入の申請`, `our hike on …`.
        let words = || named.map(|it| it.1.split('|')).into_iter().flatten();
        let own = of_words.as_ref().zip(of_table.as_ref()).and_then(|(topic, title)| {
            let lower = topic.to_lowercase();
            let known =
                words().filter(|word| lower.contains(word)).map(|it| it.chars().count()).max();
            match (topic.is_ascii(), known) {
                (true, None) => Some(format!("{title}: {topic}")),
                (false, Some(known)) if topic.chars().count() > known + 1 => {
                    Some(topic.clone()).filter(|it| !it.starts_with("新しい"))
                }
                _ => None,
            }
        });
        let title = quoted.or(own).or(of_table).or(of_words);
        // Names of the form are no fields.
        let names_form = |field: &Field| {
            let words = named.map(|it| it.1.split('|')).into_iter().flatten();
            words.into_iter().any(|word| {
                let written = field.written().map(str::to_lowercase);
                field.is_written(word) || written.is_some_and(|it| it.contains(word))
            })
        };
        if fields.iter().all(|it| !it.is_choice() && names_form(it)) {
            fields.clear();
        }
        let has_fields = !fields.is_empty();
        let signs_up = named.is_some_and(|it| it.0.1 == "Sign-up");
        if signs_up && !fields.is_empty() && !fields.iter().any(Field::is_name) {
            // A registration includes a name.
            fields.splice(0..0, fields::field_named("name"));
        }
        // `a contact form without the phone`: the usual fields, less one.
        let is_usual = fields.is_empty() || is_addition || !denied.is_empty() && fields.len() < 2;
        if let (true, Some((_, _, those))) = (is_usual, named) {
            let line = |line: &str| match line.split_once('/') {
                Some((japanese, english)) => Some(Field::line(language.pick(japanese, english))),
                None => fields::field_named(line),
            };
            let mut usual: Vec<Field> = those.split('|').filter_map(line).collect();
            fields::add(&mut usual, fields);
            fields = usual;
        }
        fields.retain(|field| !denied.iter().any(|it| field.is_called(it)));
        let fields = fields::definitions(&fields, language);
        Self {
            title,
            fields,
            is_asked: false,
            values: None,
            left,
            is_usual: !has_fields,
            button,
            before: None,
            about: None,
        }
    }

    /// Unknown words.
    pub(super) fn unused_words(&self) -> &[String] {
        &self.left
    }

    /// Applies a change in `utterance`: fields added, removed or required. Returns the confidence if there is any.
    pub(super) fn change(&mut self, utterance: &Utterance, language: Language) -> Option<Percent> {
        if self.fields.is_empty() {
            return None;
        }
        let (title, fields, button) =
            (self.title.clone(), self.fields.clone(), self.button.clone());
        let before = Before { title, fields, button };
        if takes_back(&utterance.text())
            && let Some(earlier) = self.before.take()
        {
            self.before = Some(before);
            (self.title, self.fields) = (earlier.title, earlier.fields);
            (self.button, self.about) = (earlier.button, None);
            (self.is_asked, self.values, self.left) = (false, None, Vec::new());
            return Some(UNDONE);
        }
        let text: String = utterance.chars.iter().collect();
        if let Some((button, rest)) = fields::unlabelled(&text) {
            let rest = Utterance::parse(&rest, Date::constant(2000, 1, 1), &super::VOCABULARY);
            self.button = Some(button.chars().take(TITLE_MAX).collect());
            (self.is_asked, self.values, self.left) = (false, None, Vec::new());
            self.change_fields(&rest, language);
            self.before = Some(before);
            return Some(NAMED);
        }
        let changed = self.change_fields(utterance, language);
        if changed.is_some() {
            self.before = Some(before);
        }
        changed
    }

    /// Applies a change of the title or of fields.
    fn change_fields(&mut self, utterance: &Utterance, language: Language) -> Option<Percent> {
        let is_field = |field: &Value| {
            field["label"].as_str().is_some_and(|it| matches!(it, "タイトル" | "題名" | "Title"))
        };
        let title = renamed(utterance).filter(|_| !self.fields.iter().any(is_field));
        if let Some(title) = title {
            self.title = Some(title.chars().take(TITLE_MAX).collect());
            (self.is_asked, self.values, self.left) = (false, None, Vec::new());
            return Some(CONTINUED);
        }
        let changes = fields::change(utterance, &self.fields, self.about.as_deref(), language)?;
        (self.fields, self.left) = (changes.fields, changes.left);
        self.about = changes.about;
        (self.is_asked, self.values, self.is_usual) = (false, None, false);
        Some(if changes.is_sure { NAMED } else { CONTINUED })
    }

    /// Rewrites a replacement of an existing field: `メールじゃなくて電話で`, `phone instead of email`.
    pub(super) fn rewrite_replacement(&self, sentence: &str) -> Option<String> {
        let (old, new) = fields::replacement(sentence)?;
        let text = |field: &Value, key: &str| field[key].as_str().unwrap_or_default().to_owned();
        let is_it = |it: &Value| fields::is_called(&old, &text(it, "name"), &text(it, "label"));
        let is_there = self.fields.iter().any(is_it) && fields::are_kinds(&new);
        let is_new = |it: &Value| fields::is_called(&new, &text(it, "name"), &text(it, "label"));
        // A field that is there is not added again.
        let has_new = self.fields.iter().any(|it| is_new(it) && !is_it(it));
        is_there.then(|| match (new.is_ascii(), has_new) {
            (true, true) => format!("remove {old}"),
            (false, true) => format!("{old}はいらない"),
            (true, false) => format!("remove {old}, add {new}"),
            (false, false) => format!("{old}はいらない。{new}を追加"),
        })
    }

    /// Asks which fields to exchange or to move, if `utterance` names none of several: `入れ替えて`, `それを先頭に`.
    pub(super) fn asks_which_to_move(
        &self,
        utterance: &Utterance,
        context: &TurnContext<'_>,
    ) -> Option<String> {
        let is_open = !self.is_answered();
        let labels: Vec<_> = self.fields.iter().filter_map(|it| it["label"].as_str()).collect();
        let labels = labels.join(context.language.pick("、", ", "));
        if is_open && self.about.is_none() && fields::moves_unnamed(&utterance.text()) {
            return Some(context.say(
                format!("どの項目を動かしますか？まだ何も変えていません。項目: {labels}"),
                format!("Which field shall be moved? Nothing was changed yet. Fields: {labels}"),
            ));
        }
        (is_open && self.fields.len() != 2 && fields::swaps_unnamed(&utterance.text())).then(|| {
            context.say(
                format!("どの2つの項目を入れ替えますか？まだ何も変えていません。項目: {labels}"),
                format!("Which two fields shall change places? Nothing was changed yet. Fields: {labels}"),
            )
        })
    }

    /// Requests the form again, changed by `utterance`.
    pub(super) fn again(&mut self, utterance: &Utterance, language: Language) -> Option<Percent> {
        if self.fields.is_empty() {
            return None;
        }
        let sure = self.change(utterance, language);
        (self.is_asked, self.values) = (false, None);
        Some(sure.unwrap_or(NAMED))
    }

    /// Lists the fields, with the required ones.
    pub(super) fn describe_fields(&self, context: &TurnContext<'_>) -> Option<String> {
        if self.fields.is_empty() {
            return None;
        }
        let list = |is_required: bool| {
            let those = self.fields.iter().filter(|it| (it["required"] == true) == is_required);
            let labels: Vec<_> = those.filter_map(|it| it["label"].as_str()).collect();
            match labels.is_empty() {
                true => context.say("なし", "none"),
                false => labels.join(context.language.pick("、", ", ")),
            }
        };
        let (required, optional) = (list(true), list(false));
        Some(context.say(
            format!("必須の項目: {required}\n任意の項目: {optional}"),
            format!("Required: {required}\nOptional: {optional}"),
        ))
    }

    /// Whether `utterance` returns to the waiting form: `フォームの続き`, `back to the form`.
    pub(super) fn is_taken_up(&self, utterance: &Utterance) -> bool {
        const BACK: &str = "の続き|に戻|へ戻|を再開|さっきのフォーム|さきほどのフォーム|back to|return to|continue with|go on with|carry on with|resume";
        !self.fields.is_empty()
            && !self.is_answered()
            && utterance.has(&[FORM])
            && utterance.says(BACK)
    }

    /// Whether it is filled in.
    pub(super) fn is_answered(&self) -> bool {
        self.values.is_some()
    }

    /// Describes the answers, if known.
    pub(super) fn describe_answers(&self, context: &TurnContext<'_>) -> Option<String> {
        let head =
            context.say("届いた回答は次のとおりです。", "These are the answers that arrived.");
        self.values.as_ref().map(|it| self.summary(context, head, it))
    }

    /// Completes a form that was requested without fields by those in `utterance`, or by its purpose.
    pub(super) fn completed_by(
        &self,
        utterance: &Utterance,
        context: &TurnContext<'_>,
    ) -> Option<Self> {
        if !self.fields.is_empty() {
            return None;
        }
        let text = utterance.text();
        let text = text.trim_end_matches(['。', '.', '!', '?', 'で', 'の']);
        let is_purpose = text.ends_with('用') || text.starts_with("for ");
        let found = match is_purpose {
            true => {
                let form = match text.is_ascii() {
                    true => format!("a form {text}"),
                    false => format!("{text}フォーム"),
                };
                Self::new(
                    &Utterance::parse(&form, context.today(), &super::VOCABULARY),
                    context.language,
                )
            }
            false if fields::read(utterance).is_list() => Self::new(utterance, context.language),
            false => return None,
        };
        Some(Self { title: found.title.or_else(|| self.title.clone()), ..found })
    }

    /// Applies the values of a form.
    pub(super) fn filled(&mut self, values: &Map<String, Value>, language: Language) {
        if self.is_asked {
            self.values = Some(values.clone());
            return;
        }
        let names = values.get("fields").and_then(Value::as_array).into_iter().flatten();
        let wanted: Vec<_> = names.filter_map(|it| fields::field_named(it.as_str()?)).collect();
        self.fields = fields::definitions(&wanted, language);
        if let Some(title) = values.get("title").and_then(Value::as_str).filter(|it| !it.is_empty())
        {
            self.title = Some(title.chars().take(TITLE_MAX).collect());
        }
    }

    /// Decides on the next step.
    pub(super) fn next(
        &mut self,
        context: &mut TurnContext<'_>,
        answered: &[Answered],
    ) -> Decision {
        if let Some((_, failure)) = failure(answered) {
            return context.conclude(say::failed(context, failure));
        }
        if let Some(values) = submitted(answered) {
            self.filled(values, context.language);
        }
        if let Some(values) = &self.values {
            let head =
                context.say("回答を受け取りました。", "Thank you, the answers have arrived.");
            return context.conclude(self.summary(context, head, values));
        }
        let title = self.title.clone().unwrap_or_else(|| context.say("入力フォーム", "Form"));
        if self.fields.is_empty() {
            return self.which(context, &title);
        }
        self.is_asked = true;
        let mut form = json!({ "title": title, "fields": self.fields });
        if let Some(button) = &self.button {
            form["submitLabel"] = button.as_str().into();
        }
        if self.is_usual {
            form["description"] = context
                .say(
                    "よく使われる項目です。「電話番号を追加して」のように続けて書くと変えられます。",
                    "These are the usual fields; go on with, for example, \"add a phone number\" to change them.",
                )
                .into();
        }
        let reason =
            context.say(format!("「{title}」の入力を求めるため"), format!("To ask for {title}"));
        context.only(RequestForm::NAME, json!({ "form_schema": form }), reason)
    }

    /// Asks which fields are wanted.
    fn which(&self, context: &mut TurnContext<'_>, title: &str) -> Decision {
        let common = marks(COMMON).filter_map(fields::field_named).enumerate();
        let options = common.map(|(number, field)| {
            let field = field.definition(context.language, number);
            json!({ "value": field["name"], "label": field["label"] })
        });
        let options: Vec<_> = options.collect();
        let form = json!({
            "title": context.say("どんなフォームを作りますか？", "What shall the form ask?"),
            "fields": [
                { "name": "title", "type": "text", "label": context.say("タイトル", "Title"), "default": title, "maxLength": TITLE_MAX },
                { "name": "fields", "type": "multiselect", "label": context.say("項目", "Fields"), "options": options, "minSelect": 1, "required": true },
            ],
        });
        let reason =
            context.say("フォームの項目が分からないため", "The form's fields are not named");
        let text =
            context.say("フォームの項目を教えてください。", "Please name the form's fields.");
        context.ask(form, reason, text)
    }

    /// Summarizes the answers.
    fn summary(
        &self,
        context: &TurnContext<'_>,
        head: String,
        values: &Map<String, Value>,
    ) -> String {
        let mut lines = vec![head];
        for field in &self.fields {
            let name = field["name"].as_str().unwrap_or_default();
            let Some(value) = values.get(name).filter(|it| !it.is_null()) else { continue };
            let label = field["label"].as_str().unwrap_or(name);
            let shown: String =
                format_answer(field, value, context).chars().take(VALUE_MAX).collect();
            lines.push(format!("- {label}: {shown}"));
        }
        if lines.len() == 1 {
            lines.push(context.say("どの項目も空欄でした。", "All fields were left empty."));
        }
        lines.join("\n")
    }
}

fn format_answer(field: &Value, value: &Value, context: &TurnContext<'_>) -> String {
    let options = field["options"].as_array().into_iter().flatten();
    if let Some(option) = options.clone().find(|it| it["value"] == *value) {
        return option["label"].as_str().unwrap_or_default().to_owned();
    }
    match value {
        Value::Bool(is_on) => {
            if *is_on {
                context.say("はい", "yes")
            } else {
                context.say("いいえ", "no")
            }
        }
        Value::String(it) => it.clone(),
        Value::Object(it) => it.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
        Value::Array(all) => {
            all.iter().map(|it| format_answer(field, it, context)).collect::<Vec<_>>().join(", ")
        }
        it => it.to_string(),
    }
}

/// Whether a clause gives a reason, so that the words before the form are no title.
fn is_reasoned(utterance: &Utterance) -> bool {
    ["ので", "たいから", "たいため"].iter().any(|it| utterance.find(it, 0).is_some())
}

/// Nouns around a topic's word: `歓迎会の出欠` of `歓迎会の出欠を取りたいので`.
fn noun(utterance: &Utterance, words: &'static str) -> Option<String> {
    let is_noun = |it: char| matches!(it, '\u{30a1}'..='\u{30fa}' | 'ー' | '\u{4e00}'..='\u{9fff}');
    let is_part = |at: usize| {
        let joins = utterance.chars[at] == 'の'
            && at > 0
            && is_noun(utterance.chars[at - 1])
            && utterance.chars.get(at + 1).is_some_and(|it| is_noun(*it));
        is_noun(utterance.chars[at]) || joins
    };
    let at = marks(words).filter(|it| !it.is_ascii()).find_map(|it| utterance.find(it, 0))?;
    let from = (0..at).rev().take_while(|it| is_part(*it)).last().unwrap_or(at);
    let length = (at..utterance.chars.len()).take_while(|it| is_part(*it)).count();
    // No title begins within a word with hiragana (`飲み会`).
    let before = from.checked_sub(1).map(|it| utterance.chars[it]);
    if before.is_some_and(|it| matches!(it, 'ぁ'..='ん') && !"のはがをにでとも".contains(it))
    {
        return None;
    }
    let text = utterance.piece(from, at + length).text;
    (2..=20).contains(&text.chars().count()).then_some(text)
}

/// Purpose of the form in the sentence's words: `部活動のフォーム`, `a form for the bake sale`.
fn topic(utterance: &Utterance) -> Option<String> {
    const FORMS: &str =
        "のフォーム|用フォーム|フォーム|のアンケート|用アンケート|の入力欄| form| survey";
    const BEFORE: &[char] = &['、', '。', ' ', 'を', 'は', 'に', 'が', '?', '!', '\n', '「', '」'];
    const FOR: &str = "form for |sheet for |survey for |poll for |questionnaire for |signup for |sign-up for |survey about |poll about ";
    let form = marks(FOR).find_map(|it| utterance.find(it, 0).map(|at| at + it.len()));
    if let Some(mut from) = form {
        for the in ["the ", "a ", "an ", "our ", "my "] {
            from += if utterance.is_at(the, from) { the.len() } else { 0 };
        }
        if fields::are_kinds(&utterance.piece(from, utterance.chars.len()).text) {
            return None;
        }
        let stops = [" with", " asking", " that", ",", ".", " where", " please", "?", ":"];
        let to = stops
            .iter()
            .filter_map(|it| utterance.find(it, from))
            .min()
            .unwrap_or(utterance.chars.len());
        let text = utterance.piece(from, to.max(from)).text;
        let is_topic = (2..=40).contains(&text.chars().count())
            && !["me", "us", "that", "it", "this"].contains(&text.as_str());
        return is_topic.then(|| say::capital(&text));
    }
    let end = marks(FORMS).filter_map(|it| utterance.find(it, 1)).min()?;
    if utterance.chars[end - 1].is_ascii() {
        return None;
    }
    let from =
        utterance.chars[..end].iter().rposition(|it| BEFORE.contains(it)).map_or(0, |it| it + 1);
    let text = utterance.piece(from, end).text;
    let has_name =
        text.chars().any(|it| matches!(it, '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}'));
    // `名前、メール、電話のフォーム` ends with a field.
    if from > 0 && utterance.chars[from - 1] == '、' && fields::are_kinds(&text) {
        return None;
    }
    let is_verb = marks(
        "する|ので|たいから|聞く|尋ねる|入力|必須|任意|作|記入|答え|選|入れる|書|聞き|できる",
    )
    .any(|it| text.contains(it));
    // `1ページ目は氏名` is no topic, but `ホームページ` is.
    let is_page = text.contains("ページ") && text.contains(|it: char| it.is_ascii_digit());
    let is_verb = is_verb || is_page;
    ((2..=20).contains(&text.chars().count()) && has_name && !is_verb).then_some(text)
}

/// New title in `utterance`: `タイトルは「参加申込」にして`, `call it Spring party`.
fn renamed(utterance: &Utterance) -> Option<String> {
    let chars = &utterance.chars;
    let (from, (_, behind)) = RENAMED.iter().find_map(|phrases| {
        let ends = marks(phrases.0)
            .filter_map(|mark| Some(utterance.find(mark, 0)? + mark.chars().count()));
        Some((ends.max()?, *phrases))
    })?;
    if let Some(quoted) = utterance.quoted.iter().find(|it| it.from >= from) {
        return Some(quoted.text.clone());
    }
    let rest: String = chars[from..].iter().collect();
    let rest = rest.trim().trim_end_matches(['。', '.', '!', '！']);
    let to = marks(behind).filter_map(|it| rest.rfind(it)).filter(|it| *it > 0).min();
    // `タイトルをつけて` names none.
    let to = to.or(behind.is_ascii().then_some(rest.len()))?;
    let title = rest[..to].trim();
    let is_rule = ["必須", "任意", "required", "optional"].iter().any(|it| title.contains(it));
    (!title.is_empty() && !is_rule && !title.contains(['、', ','])).then(|| title.to_owned())
}
