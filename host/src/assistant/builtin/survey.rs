//! Forms that somebody asks for: which fields, and what they brought.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    desk::{Desk, FORM, failure, submitted},
    fields::{self, COMMON, Field},
    heard::{Heard, marks},
    say,
};
use crate::assistant::{Answered, Decision, Language};

/// Titles that a sentence names, and the words for them.
const TITLES: &[((&str, &str), &str)] = &[
    (
        ("お問い合わせ", "Contact us"),
        "問い合わせ|問合せ|contact form|inquiry form|enquiry form|contact us",
    ),
    (
        ("お申し込み", "Sign-up"),
        "申し込み|申込|登録フォーム|会員登録|registration|sign-up|signup|sign up|application form",
    ),
    (
        ("イベント参加登録", "Event registration"),
        "イベント|勉強会|セミナー|event|seminar|workshop|party",
    ),
    (
        ("プロジェクト作成", "New project"),
        "プロジェクト作成|新規プロジェクト|project creation|new project",
    ),
    (("タスク担当者設定", "Assign a task"), "タスク|task"),
    (("住所入力", "Address"), "住所入力|配送先|お届け先|address form|shipping"),
    (("ご予約", "Booking"), "予約フォーム|予約用|booking form|reservation form"),
    (("バグ報告", "Bug report"), "バグ|不具合|bug report|bug"),
    (("アンケート", "Survey"), "アンケート|満足度調査|survey|questionnaire|poll"),
];
const TITLE_MAX: usize = 60;
const VALUE_MAX: usize = 200;

/// A form that is asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Survey {
    title: Option<String>,
    fields: Vec<Value>,
    /// Whether it is filled in for itself, rather than to learn which fields are wanted.
    is_asked: bool,
    values: Option<Map<String, Value>>,
}

impl Survey {
    pub(super) fn of(heard: &Heard, language: Language) -> Self {
        let fields = definitions(&fields::fields(heard), language);
        let quoted = heard.quoted.first().map(|it| it.text.chars().take(TITLE_MAX).collect());
        let named = TITLES.iter().find(|it| it.1.split('|').any(|it| heard.find(it, 0).is_some()));
        let title = quoted.or(named.map(|it| language.pick(it.0.0, it.0.1).to_owned()));
        Self { title, fields, is_asked: false, values: None }
    }

    /// Takes in what a form brought.
    pub(super) fn filled(&mut self, values: &Map<String, Value>, language: Language) {
        if self.is_asked {
            self.values = Some(values.clone());
            return;
        }
        let names = values.get("fields").and_then(Value::as_array).into_iter().flatten();
        let wanted: Vec<_> = names.filter_map(|it| fields::named(it.as_str()?)).collect();
        self.fields = definitions(&wanted, language);
        if let Some(title) = values.get("title").and_then(Value::as_str).filter(|it| !it.is_empty())
        {
            self.title = Some(title.chars().take(TITLE_MAX).collect());
        }
    }

    /// What is next.
    pub(super) fn next(&mut self, desk: &mut Desk<'_>, answered: &[Answered]) -> Decision {
        if let Some((_, failure)) = failure(answered) {
            return desk.conclude(say::failed(desk, failure));
        }
        if let Some(values) = submitted(answered) {
            self.filled(values, desk.language);
        }
        if let Some(values) = &self.values {
            return desk.conclude(self.told(desk, values));
        }
        let title = self.title.clone().unwrap_or_else(|| desk.say("入力フォーム", "Form"));
        if self.fields.is_empty() {
            return self.which(desk, &title);
        }
        self.is_asked = true;
        let form = json!({ "title": title, "fields": self.fields });
        let reason =
            desk.say(format!("「{title}」の入力を求めるため"), format!("To ask for {title}"));
        desk.only(FORM, json!({ "form_schema": form }), reason)
    }

    /// Asks which fields are wanted.
    fn which(&self, desk: &mut Desk<'_>, title: &str) -> Decision {
        let common = marks(COMMON).filter_map(fields::named).enumerate();
        let options = common.map(|(number, it)| {
            let field = it.definition(desk.language, number);
            json!({ "value": field["name"], "label": field["label"] })
        });
        let options: Vec<_> = options.collect();
        let form = json!({
            "title": desk.say("どんなフォームを作りますか？", "What shall the form ask?"),
            "fields": [
                { "name": "title", "type": "text", "label": desk.say("タイトル", "Title"), "default": title, "maxLength": TITLE_MAX },
                { "name": "fields", "type": "multiselect", "label": desk.say("項目", "Fields"), "options": options, "minSelect": 1, "required": true },
            ],
        });
        let reason = desk.say("フォームの項目が分からないため", "The form's fields are not named");
        let words = desk.say("フォームの項目を教えてください。", "Please name the form's fields.");
        desk.ask(form, reason, words)
    }

    /// What was filled in.
    fn told(&self, desk: &Desk<'_>, values: &Map<String, Value>) -> String {
        let mut lines =
            vec![desk.say("回答を受け取りました。", "Thank you, the answers have arrived.")];
        for field in &self.fields {
            let name = field["name"].as_str().unwrap_or_default();
            let Some(value) = values.get(name).filter(|it| !it.is_null()) else { continue };
            let label = field["label"].as_str().unwrap_or(name);
            let shown: String = shown(field, value, desk).chars().take(VALUE_MAX).collect();
            lines.push(format!("- {label}: {shown}"));
        }
        lines.join("\n")
    }
}

fn shown(field: &Value, value: &Value, desk: &Desk<'_>) -> String {
    let options = field["options"].as_array().into_iter().flatten();
    if let Some(option) = options.clone().find(|it| it["value"] == *value) {
        return option["label"].as_str().unwrap_or_default().to_owned();
    }
    match value {
        Value::Bool(it) => {
            if *it {
                desk.say("はい", "yes")
            } else {
                desk.say("いいえ", "no")
            }
        }
        Value::String(it) => it.clone(),
        Value::Object(it) => it.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
        Value::Array(all) => {
            all.iter().map(|it| shown(field, it, desk)).collect::<Vec<_>>().join(", ")
        }
        it => it.to_string(),
    }
}

fn definitions(fields: &[Field], language: Language) -> Vec<Value> {
    fields.iter().enumerate().map(|(number, it)| it.definition(language, number + 1)).collect()
}
