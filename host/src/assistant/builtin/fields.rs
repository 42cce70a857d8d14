//! The fields that people name when they want a form, and of which type each is.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::{heard::Heard, words::Word};
use crate::assistant::{Language, planner::scan::Lexicon};

/// Fields that one sentence may name.
const FIELDS_MAX: usize = 20;
/// The longest label that is taken from a sentence, in characters.
const LABEL_MAX: usize = 24;

/// One kind of field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) label: (&'static str, &'static str),
    kind: &'static str,
    /// More properties, as a JSON object.
    more: &'static str,
    /// Whether it has to be filled in unless the sentence says otherwise.
    is_required: bool,
}

const fn kind(
    name: &'static str,
    label: (&'static str, &'static str),
    kind: &'static str,
    more: &'static str,
    is_required: bool,
) -> Kind {
    Kind { name, label, kind, more, is_required }
}

const EMAIL: &str = r#"{"pattern":"[^@\\s]+@[^@\\s]+\\.[^@\\s]+","placeholder":"name@example.com","maxLength":254}"#;
const PHONE: &str = r#"{"pattern":"[0-9+() -]{6,20}","placeholder":"090-1234-5678"}"#;
const SEXES: &str = r#"{"options":[["female","女性","Female"],["male","男性","Male"],["other","その他","Other"],["none","回答しない","Prefer not to say"]]}"#;
const YES_NO: &str = r#"{"options":[["yes","はい","Yes"],["no","いいえ","No"]]}"#;
const ATTENDS: &str = r#"{"options":[["yes","出席","Attending"],["no","欠席","Not attending"]]}"#;
const LEVELS: &str =
    r#"{"options":[["high","高","High"],["medium","中","Medium"],["low","低","Low"]]}"#;
const LANGUAGES: &str = r#"{"options":[["python","Python","Python"],["typescript","TypeScript","TypeScript"],["go","Go","Go"],["rust","Rust","Rust"]]}"#;
const USERS: &str = r#"{"searchUrl":"/api/demo/users/search","searchParams":{"q":"{query}","limit":10},"displayField":"name","valueField":"id","renderTemplate":"{name} ({department})"}"#;
const PROJECTS: &str =
    r#"{"searchUrl":"/api/demo/projects/search","displayField":"name","valueField":"id"}"#;
const COUNTRIES: &str =
    r#"{"loadUrl":"/api/demo/countries","displayField":"name","valueField":"code","default":"JP"}"#;
const CATEGORIES: &str =
    r#"{"loadUrl":"/api/demo/categories","displayField":"name","valueField":"id"}"#;

/// Kinds of fields, and the words for them; the longest word that fits counts. One without a name is
/// none, and looks like one.
const FIELDS: &[(Kind, &str)] = &[
    (
        kind("", ("", ""), "", "{}", false),
        "birthday party|誕生日会|誕生日パーティー|誕生日パーティ|text box|date night|feedback form|feedback survey|feedback questionnaire|review form|address book|\
         name it|message board|photo contest|news letter",
    ),
    (
        kind("email", ("メールアドレス", "Email"), "text", EMAIL, true),
        "メールアドレス|メアド|eメール|e-mail|email|e-mail address|email address|メール|mail address|emails",
    ),
    (
        kind("phone", ("電話番号", "Phone"), "text", PHONE, true),
        "電話番号|電話|携帯番号|携帯電話|連絡先電話|phone number|phone|telephone|telephone number|mobile number|phone numbers",
    ),
    (
        kind("contact", ("連絡先", "Contact"), "text", "{}", true),
        "連絡先|contact details|contact info|contact information|contact",
    ),
    (
        kind("kana", ("フリガナ", "Reading of the name"), "text", "{}", true),
        "フリガナ|ふりがな|よみがな|読み仮名|カナ",
    ),
    (
        kind("company", ("会社名", "Company"), "text", "{}", false),
        "会社名|会社|企業名|勤務先|団体名|company|company name|organisation|organization|employer",
    ),
    (kind("department", ("部署", "Department"), "text", "{}", false), "部署|所属|department|team"),
    (
        kind(
            "project_name",
            ("プロジェクト名", "Project name"),
            "text",
            r#"{"suggestions":["my-web-app","api-service","data-pipeline"]}"#,
            true,
        ),
        "プロジェクト名|project name|name of the project",
    ),
    (
        kind("title", ("件名", "Subject"), "text", r#"{"maxLength":100}"#, true),
        "件名|題名|タイトル欄|subject|subject line",
    ),
    (
        kind("name", ("お名前", "Name"), "text", r#"{"maxLength":100}"#, true),
        "お名前|おなまえ|なまえ|氏名|名前|フルネーム|担当者名|参加者名|name|names|full name|first name|last name",
    ),
    (
        kind("age", ("年齢", "Age"), "number", r#"{"min":0,"max":150,"step":1}"#, true),
        "年齢|歳|age|ages|how old",
    ),
    (
        kind(
            "count",
            ("人数", "Number of people"),
            "number",
            r#"{"min":1,"max":999,"step":1}"#,
            true,
        ),
        "人数|参加人数|何人|名数|number of people|number of guests|party size|headcount|number of attendees|number of participants|guests",
    ),
    (
        kind("quantity", ("数量", "Quantity"), "number", r#"{"min":1,"step":1}"#, true),
        "数量|個数|枚数|quantity|amount|how many",
    ),
    (
        kind("budget", ("予算", "Budget"), "number", r#"{"min":0}"#, false),
        "予算|金額|価格|budget|price",
    ),
    (
        kind("birthday", ("生年月日", "Date of birth"), "date", r#"{"maxDate":"today"}"#, true),
        "生年月日|誕生日|birthday|date of birth|birth date|birthdate|dob",
    ),
    (
        kind("start_date", ("開始日", "Start date"), "date", "{}", true),
        "開始日|チェックイン日|チェックイン|start date|check-in date|check-in",
    ),
    (
        kind("end_date", ("終了日", "End date"), "date", "{}", true),
        "終了日|チェックアウト日|チェックアウト|end date|check-out date|check-out",
    ),
    (
        kind("due_date", ("期限", "Due date"), "date", r#"{"minDate":"today"}"#, false),
        "期限|締め切り|締切|納期|due date|deadline",
    ),
    (
        kind("datetime", ("日時", "Date and time"), "datetime", "{}", true),
        "日時|希望日時|予約日時|開催日時|date and time|datetime|date & time|date/time",
    ),
    (
        kind("date", ("日付", "Date"), "date", "{}", true),
        "日付|希望日|日にち|来店日|訪問日|参加日|日程|候補日|予約日|利用日|date|dates|day|preferred date|visit date",
    ),
    (
        kind(
            "time",
            ("時間", "Time"),
            "text",
            r#"{"pattern":"([01]?[0-9]|2[0-3]):[0-5][0-9]","placeholder":"19:00"}"#,
            true,
        ),
        "希望時間|時刻|来店時間|時間|time|preferred time|arrival time",
    ),
    (kind("gender", ("性別", "Gender"), "radio", SEXES, false), "性別|gender|sex"),
    (
        kind("attendance", ("出欠", "Attendance"), "radio", ATTENDS, true),
        "出欠|出席|出席か欠席|参加可否|参加の可否|参加するか|来られるか|来るかどうか|attendance|attending|will attend|whether they can attend|whether they're coming|whether they are coming|\
         coming or not|if they're coming|if they are coming|if they can come|whether they can come|can come",
    ),
    (
        kind(
            "satisfaction",
            ("満足度", "Satisfaction"),
            "range",
            r#"{"min":1,"max":5,"step":1,"showValue":true}"#,
            false,
        ),
        "満足度|評価|点数|スコア|星の数|rating|satisfaction|score|star rating|ratings",
    ),
    (
        kind("priority", ("優先度", "Priority"), "select", LEVELS, false),
        "優先度|重要度|priority|severity",
    ),
    (
        kind("language", ("言語", "Language"), "select", LANGUAGES, false),
        "プログラミング言語|言語|programming language|language",
    ),
    (
        kind("category", ("カテゴリ", "Category"), "async-select", CATEGORIES, false),
        "カテゴリ|カテゴリー|分類|category",
    ),
    (
        kind("project", ("プロジェクト", "Project"), "autocomplete", PROJECTS, true),
        "対象プロジェクト|プロジェクト|project",
    ),
    (
        kind("assignee", ("担当者", "Assignee"), "autocomplete", USERS, true),
        "担当者|担当|assignee|person in charge|owner",
    ),
    (
        kind("reviewers", ("レビュアー", "Reviewers"), "multi-autocomplete", USERS, false),
        "レビュアー|レビュワー|レビューア|reviewer|reviewers",
    ),
    (
        kind("country", ("国", "Country"), "async-select", COUNTRIES, false),
        "国籍|居住国|国名|国と|国、|国・|国を|country|nationality",
    ),
    (
        kind(
            "prefecture",
            ("都道府県", "Prefecture"),
            "async-select",
            r#"{"loadUrl":"/api/demo/prefectures?country_code=JP","displayField":"name","valueField":"code"}"#,
            false,
        ),
        "都道府県|prefecture",
    ),
    (
        kind(
            "postcode",
            ("郵便番号", "Postcode"),
            "text",
            r#"{"pattern":"[0-9]{3}-?[0-9]{4}","placeholder":"100-0001"}"#,
            false,
        ),
        "郵便番号|postcode|postal code|zip code|zip",
    ),
    (
        kind("address", ("住所", "Address"), "text", r#"{"maxLength":200}"#, true),
        "住所|所在地|address|addresses|street address|home address",
    ),
    (
        kind("allergies", ("アレルギー", "Allergies"), "textarea", r#"{"rows":2}"#, false),
        "アレルギー|allergies|allergy|dietary restrictions|dietary requirements",
    ),
    (
        kind("reason", ("理由", "Reason"), "textarea", r#"{"rows":3}"#, false),
        "志望動機|理由|動機|reason|reasons",
    ),
    (
        kind(
            "message",
            ("お問い合わせ内容", "Message"),
            "textarea",
            r#"{"rows":5,"maxLength":2000}"#,
            true,
        ),
        "お問い合わせ内容|問い合わせ内容|内容|本文|メッセージ|用件|message|inquiry|enquiry|question",
    ),
    (
        kind(
            "comment",
            ("ご感想", "Comments"),
            "textarea",
            r#"{"rows":3,"maxLength":2000}"#,
            false,
        ),
        "感想|コメント|改善点|ご提案|提案|suggestions|suggestion|ideas|意見|ご意見|フィードバック|自由記述|自由記入|comments|comment|feedback|opinion|free text|thoughts|review",
    ),
    (
        kind("notes", ("備考", "Notes"), "textarea", r#"{"rows":2,"maxLength":2000}"#, false),
        "備考|メモ|要望|ご要望|特記事項|その他|補足|notes|note|remarks|requests|anything else|special requests",
    ),
    (
        kind(
            "description",
            ("説明", "Description"),
            "textarea",
            r#"{"rows":3,"maxLength":2000}"#,
            false,
        ),
        "説明|概要|詳細|description|details",
    ),
    (
        kind("agreement", ("同意する", "I agree"), "checkbox", "{}", true),
        "同意|規約|利用規約|承諾|プライバシーポリシー|consent|agreement|terms|agree to the terms|terms of service|agree|privacy policy",
    ),
    (
        kind("newsletter", ("お知らせを受け取る", "Receive news"), "checkbox", "{}", false),
        "メルマガ|お知らせ|ニュースレター|newsletter|news",
    ),
    (
        kind("file", ("ファイル", "File"), "file", r#"{"maxSize":10485760}"#, false),
        "ファイル|添付|添付ファイル|履歴書|写真|画像ファイル|資料|file|files|attachment|attachments|upload|resume|cv|photo",
    ),
    (
        kind(
            "website",
            ("URL", "URL"),
            "text",
            r#"{"placeholder":"https://","maxLength":500}"#,
            false,
        ),
        "url|ホームページ|ウェブサイト|website|homepage",
    ),
    (
        kind("answer", ("ご回答", "Answer"), "radio", YES_NO, true),
        "はいかいいえ|はい・いいえ|yes or no|yes/no",
    ),
];

static WORDS: LazyLock<Lexicon<Kind>> = LazyLock::new(|| Lexicon::loose(FIELDS));

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
    const FORMS: &str =
        " form|フォーム|ふぉーむ| survey|アンケート| questionnaire| poll";
    let mut fields = Vec::<Field>::new();
    while at < heard.lower.len() {
        let Some((kind, length)) = WORDS.at(&heard.lower, at) else {
            at += 1;
            continue;
        };
        let is_new = !kind.name.is_empty() && !fields.iter().any(|it| it.kind.name == kind.name);
        // `問い合わせフォーム` names the form, and so does `date form`.
        let is_title = words(FORMS).any(|it| heard.is_at(it, at + length));
        if is_new && !is_title {
            let is_required = required(heard, at + length).unwrap_or(kind.is_required);
            let options = options(heard, at + length);
            let text = heard.piece(at, at + length).text;
            let label = (!CANONICAL.contains(&kind.name)).then(|| capital(&text));
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

/// Kinds whose label is the table's, however they are named.
const CANONICAL: &str =
    "email|phone|name|agreement|newsletter|website|attendance|answer";

fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |it| it.to_uppercase().chain(rest).collect())
}

/// Fields that no kind fits and whose options are in brackets: `サイズ(S・M・L)`.
fn with_options(heard: &Heard, fields: &mut Vec<Field>) {
    const MARKS: &[char] = &['、', '・', ',', 'と', '。', '!', '?', ':', '\n', 'や'];
    const SEVERAL: &str =
        "複数|いくつでも|全て選|すべて選|multiple|all that apply|any number|several|\
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
        let is_several = words(SEVERAL).any(|it| near.contains(it));
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

/// A line of text.
const FREE: Kind = kind("", ("", ""), "text", r#"{"maxLength":500}"#, false);

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
    let end = words(BEHIND).filter_map(|it| heard.find(it, 0)).min();
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
    (is_label && options.is_empty()).then(|| Field {
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

/// Those that are offered where none was named.
pub(super) const COMMON: &str =
    "name|email|phone|age|gender|date|address|satisfaction|comment|agreement";
