//! Kinds of fields: words, types and properties, and the kinds of files that a field accepts.

use std::sync::LazyLock;

use language::scan::{Lexicon, marks};

use super::text::Text;

/// A kind of field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) label: (&'static str, &'static str),
    pub(super) kind: &'static str,
    /// Properties as a JSON object.
    pub(super) more: &'static str,
    /// Whether it is required by default.
    pub(super) is_required: bool,
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
pub(super) const YES_NO: &str = r#"{"options":[["yes","はい","Yes"],["no","いいえ","No"]]}"#;
const ATTENDS: &str = r#"{"options":[["yes","出席","Attending"],["no","欠席","Not attending"]]}"#;
const LEVELS: &str =
    r#"{"options":[["high","高","High"],["medium","中","Medium"],["low","低","Low"]]}"#;
const LANGUAGES: &str = r#"{"options":[["python","Python","Python"],["typescript","TypeScript","TypeScript"],["go","Go","Go"],["rust","Rust","Rust"]]}"#;
pub(super) const USERS: &str = r#"{"searchUrl":"/api/demo/users/search","searchParams":{"q":"{query}","limit":10},"displayField":"name","valueField":"id","renderTemplate":"{name} ({department})"}"#;
const PROJECTS: &str =
    r#"{"searchUrl":"/api/demo/projects/search","displayField":"name","valueField":"id"}"#;
/// A municipality, if its prefecture is asked before.
pub(super) const CITIES: &str = r#"{"type":"cascading-select","searchUrl":"/api/demo/cities","dependsOnParam":"prefecture_code","displayField":"name","valueField":"code"}"#;
const COUNTRIES: &str =
    r#"{"loadUrl":"/api/demo/countries","displayField":"name","valueField":"code","default":"JP"}"#;
const CATEGORIES: &str =
    r#"{"loadUrl":"/api/demo/categories","displayField":"name","valueField":"id"}"#;

/// Kinds and their words; the longest match wins. Kinds without a name only shadow others.
pub(super) const FIELDS: &[(Kind, &str)] = &[
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
        "満足度|評価|点数|スコア|星の数|rating|satisfaction|score|star rating|ratings|stars|star",
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
        "国籍|居住国|国名|お住まいの国|出身国|country|nationality",
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
        kind("city", ("市区町村", "City"), "text", r#"{"maxLength":100}"#, false),
        "市区町村|市町村|city|town",
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
        "志望動機|理由|動機|なぜ|reason|reasons|why|tell us why|the reason why",
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

pub(super) static WORDS: LazyLock<Lexicon<Kind>> = LazyLock::new(|| Lexicon::loose(FIELDS));

/// Kinds that always have the table's label.
pub(super) const CANONICAL: &str =
    "email|phone|name|agreement|newsletter|website|attendance|answer";

/// A text line.
pub(super) const FREE: Kind = kind("", ("", ""), "text", r#"{"maxLength":500}"#, false);

/// A heading above the fields of a page or section.
pub(super) const SECTION: Kind = kind("heading", ("", ""), "heading", "{}", false);

/// Kinds offered if none was named.
pub(in crate::sentences) const COMMON: &str =
    "name|email|phone|age|gender|date|address|satisfaction|comment|agreement";

/// Words for text documents.
const WORD: &str = "word|ワード";
/// Words for kinds of files, with what a definition accepts.
const KINDS: &[(&str, &str)] = &[
    ("のpdf|をpdf|pdf", ".pdf"),
    (WORD, ".doc,.docx"),
    ("excel|エクセル", ".xls,.xlsx"),
    ("csv", ".csv"),
    ("png", ".png"),
    ("jpg|jpeg", ".jpg,.jpeg"),
    ("gif", ".gif"),
    ("heic", ".heic"),
];
/// Kinds that also name what a field asks for, so that they count only alone.
const PICTURES: &str = "画像|写真|image|images|picture|pictures";

/// Removes the kinds of files in `text`, and returns what is accepted: `png or jpg`.
pub(super) fn take(text: &mut Text) -> String {
    const JOINTS: &str = "or|and|か|と|・|/|,|、";
    // `favourite word` is no document; `word` alone is.
    const WORD_MAX: usize = 4;
    const FILES: &str = "file|files|document|documents|doc|upload|attach|attachment|resume|cv|pdf|excel|ファイル|添付|アップロード|文書|書類|形式|書|エクセル";
    let has_files = text.has(FILES);
    let kinds = KINDS.iter().filter(|it| it.0 != WORD || has_files || text.len() <= WORD_MAX);
    let found = kinds.filter_map(|it| Some((text.find(it.0, 0)?, it.1)));
    let found: Vec<_> = found.collect();
    let mut spans: Vec<(usize, usize)> = found.iter().map(|it| it.0).collect();
    spans.sort_unstable();
    // Only the joints between them belong to them: `かばんの写真pngかjpg`.
    let mut cuts: Vec<(usize, usize)> = Vec::new();
    for (from, to) in spans {
        let is_next = cuts.last().is_some_and(|last| {
            let between = text.piece(last.1.min(from), from);
            let between = between.trim();
            between.is_empty() || marks(JOINTS).any(|it| it == between)
        });
        match cuts.last_mut().filter(|_| is_next) {
            Some(last) => last.1 = to,
            None => cuts.push((from, to)),
        }
    }
    for (from, to) in cuts.into_iter().rev() {
        let lead = ["or ", "and "].into_iter().find(|it| from == it.len() && text.is_at(it, 0));
        text.cut(lead.map_or(from, |_| 0), to);
    }
    found.iter().map(|it| it.1).collect::<Vec<_>>().join(",")
}

/// What is accepted, if `text` only names kinds of files.
pub(super) fn only(text: &str) -> Option<String> {
    const AROUND: &str = "only|のみ|だけ|限定|ファイル|形式|files|file";
    let mut text = Text::new(&text.to_lowercase());
    text.strip("only", AROUND);
    if marks(PICTURES).any(|it| it == text.text()) {
        return Some("image/*".to_owned());
    }
    let accepted = take(&mut text);
    text.strip("or|and|か|と", AROUND);
    (!accepted.is_empty() && text.len() == 0).then_some(accepted)
}
