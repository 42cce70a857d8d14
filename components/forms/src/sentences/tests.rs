//! Requested forms: fields, types and answers.

use language::{
    Language,
    trial::{self, call, concluded},
    turn::Decision,
    vocabulary::Vocabulary,
    words::Word,
};
use serde_json::{Value, json};

mod changes;
mod edited;
mod turned;
mod wishes;

const TOOLS: &str = include_str!("../../tools.json");

fn new_talk() -> trial::Talk {
    trial::Talk::new(super::next, TOOLS)
}

/// Name and type of each field in the form for `sentence`.
fn fields(sentence: &str) -> Vec<(String, String)> {
    let decided = new_talk().say(sentence);
    let (tool, arguments) = call(&decided);
    assert_eq!(tool, "request_form", "{sentence}");
    let fields = arguments["form_schema"]["fields"].as_array().unwrap();
    let text = |it: &Value, name: &str| it[name].as_str().unwrap().to_owned();
    fields.iter().map(|it| (text(it, "name"), text(it, "type"))).collect()
}

#[test]
fn fields_get_fitting_types() {
    for (sentence, expected) in [
        ("名前とメールアドレスを聞くフォームを作って", "name:text email:text"),
        ("make a survey with name, age and a date", "name:text age:number date:date"),
        (
            "氏名、電話番号、希望日時、備考を入力するフォーム",
            "name:text phone:text datetime:datetime notes:textarea",
        ),
        (
            "A form with email, phone number, gender and comments please",
            "email:text phone:text gender:radio comment:textarea",
        ),
        ("満足度と感想のアンケートを作成して", "satisfaction:range comment:textarea"),
        ("名前、好きな色、規約への同意を聞くフォーム", "name:text field_2:text agreement:checkbox"),
        ("名前とサイズ(S・M・L)を聞くフォームを作って", "name:text field_2:radio"),
    ] {
        let found: Vec<_> =
            fields(sentence).into_iter().map(|(name, kind)| format!("{name}:{kind}")).collect();
        assert_eq!(found.join(" "), expected, "{sentence}");
    }
}

/// The page suggests these sentences to new users.
#[test]
fn project_form_has_usual_fields() {
    let expected = ["project_name", "description", "due_date", "assignee"];
    for sentence in
        ["新しいプロジェクトを登録するフォームを出して", "Show me a form to register a new project"]
    {
        let names: Vec<_> = fields(sentence).into_iter().map(|it| it.0).collect();
        assert_eq!(names, expected, "{sentence}");
    }
}

/// Label and type of each field, and the form's note.
fn labels(decided: &Decision) -> (String, String) {
    let (tool, arguments) = call(decided);
    assert_eq!(tool, "request_form");
    let form = &arguments["form_schema"];
    let fields = form["fields"].as_array().unwrap().iter();
    let shown = fields.map(|field| {
        let options = field["options"].as_array().into_iter().flatten();
        let options: Vec<_> = options.filter_map(|it| it["label"].as_str()).collect();
        let label = field["label"].as_str().unwrap();
        let more =
            if options.is_empty() { String::new() } else { format!("({})", options.join("/")) };
        format!("{label}:{}{more}", field["type"].as_str().unwrap())
    });
    let note = form["description"].as_str().unwrap_or_default().to_owned();
    (shown.collect::<Vec<_>>().join(" "), note)
}

#[test]
fn named_things_are_fields_or_reported() {
    for (sentence, expected) in [
        (
            "履歴書をアップロードできる応募フォームを作って。名前は必須、写真は任意で",
            "履歴書:file お名前:text 写真:file",
        ),
        (
            "領収書を聞くフォームを作って。氏名は必須、電話番号は任意で",
            "領収書:file お名前:text 電話番号:text",
        ),
        (
            "Tシャツのサイズ S M L XL から一つ選ぶやつと枚数（1〜10）のフォーム",
            "Tシャツのサイズ:radio(S/M/L/XL) 枚数:number",
        ),
        ("サイズをS、M、Lから一つ選ぶ欄と枚数のフォーム", "サイズ:radio(S/M/L) 枚数:number"),
        (
            "フォームのタイトルは「夏祭り」で、参加人数と連絡先を聞いてください",
            "参加人数:number 連絡先:text",
        ),
        ("題名は『秋の集い』で、名前と人数を聞くフォーム", "お名前:text 人数:number"),
        ("Make a form titled \"Fair\" with name and phone", "Name:text Phone:text"),
        (
            "can you ask me my shirt size (S, M, L) and favourite colour?",
            "Shirt size:radio(S/M/L) Favourite colour:text",
        ),
        ("form with name and yes/no/maybe", "Name:text yes / no / maybe:radio(yes/no/maybe)"),
        ("ask my favourite fruit: apple or pear", "Favourite fruit:radio(apple/pear)"),
        ("a poll: pizza or sushi", "pizza / sushi:radio(pizza/sushi)"),
        ("好きな色を赤・青・緑から選ばせて。複数選択可", "好きな色:multiselect(赤/青/緑)"),
        ("年齢だけのフォーム、18歳以上じゃないとだめ", "年齢:number"),
    ] {
        assert_eq!(
            labels(&new_talk().say(sentence)),
            (expected.to_owned(), String::new()),
            "{sentence}"
        );
    }
    let (fields, note) = labels(&new_talk().say("form with a pdf upload, max 2 files"));
    assert!(fields == "Files:file" && note.contains("\"2 files\""), "{fields} {note}");
}

#[test]
fn adds_marked_field_that_is_missing() {
    for (first, next, expected) in [
        ("make a form with name", "and make the email required too", "Name:text Email:text"),
        ("make a form with name", "the phone is optional", "Name:text Phone:text"),
        ("名前を聞くフォームを作って", "メールも必須で", "お名前:text メールアドレス:text"),
        ("名前とメールを聞くフォームを作って", "メールは任意で", "お名前:text メールアドレス:text"),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        assert_eq!(labels(&talk.say(next)).0, expected, "{next}");
    }
}

#[test]
fn next_sentence_completes_a_bare_form() {
    for (first, next, expected) in [
        (
            "a form pls",
            "title, severity low/medium/high, steps to reproduce",
            "Title:text Severity:radio(low/medium/high) Steps to reproduce:text",
        ),
        ("フォーム", "名前と内容", "お名前:text 内容:textarea"),
        (
            "フォーム",
            "お問い合わせ用の",
            "お名前:text メールアドレス:text お問い合わせ内容:textarea",
        ),
        (
            "make a form",
            "for a leave request",
            "Name:text Start date:date End date:date Reason:textarea",
        ),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        assert_eq!(labels(&talk.say(next)).0, expected, "{next}");
    }
    let mut talk = new_talk();
    talk.say("フォーム");
    talk.say("明日の天気は？");
    assert_eq!(talk.confidence, 0.0);
}

#[test]
fn repeats_answers_even_if_empty() {
    for question in [
        "何て答えたっけ？",
        "だれか答えた？",
        "結果見せて",
        "what did I put?",
        "show me the answers",
    ] {
        let mut talk = new_talk();
        talk.say("名前と色を聞くフォームを作って");
        talk.say(r#"{"name": "山田"}"#);
        let text = concluded(&talk.say(question)).text();
        assert!(text.contains("お名前: 山田"), "{question}: {text}");
    }
    let mut talk = new_talk();
    talk.say("アンケートを作りたい");
    let text = concluded(&talk.say("{}")).text();
    assert!(text.contains("どの項目も空欄"), "{text}");
}

#[test]
fn reports_submitted_values() {
    let mut talk = new_talk();
    talk.say("名前と性別を聞くフォームを作って");
    let text = concluded(&talk.say(r#"{"name": "山田", "gender": "none"}"#)).text();
    assert!(text.contains("- お名前: 山田") && text.contains("- 性別: 回答しない"), "{text}");
}

#[test]
fn answers_values_in_the_earlier_language() {
    let mut talk = new_talk();
    talk.say("名前と性別を聞くフォームを作って");
    talk.language = Some(Language::English);
    let text = concluded(&talk.say(r#"{"name": "Yamada"}"#)).text();
    assert!(text.contains("回答を受け取りました"), "{text}");
}

#[test]
fn form_without_fields_asks_for_them() {
    let mut talk = new_talk();
    assert_eq!(fields("フォームを作って")[1], ("fields".to_owned(), "multiselect".to_owned()));
    talk.say("フォームを作って");
    let next = talk.say(r#"{"title": "会員登録", "fields": ["name", "email"]}"#);
    let (_, arguments) = call(&next);
    assert_eq!(arguments.pointer("/form_schema/title"), Some(&json!("会員登録")));
    assert_eq!(arguments["form_schema"]["fields"].as_array().unwrap().len(), 2);
}

/// Label, type, constraints, and `!` if required, of each field.
fn read(decided: &Decision) -> String {
    let (tool, arguments) = call(decided);
    assert_eq!(tool, "request_form");
    let fields = arguments["form_schema"]["fields"].as_array().unwrap().iter().map(|field| {
        let bounds =
            ["min", "max", "step", "minSelect", "maxSelect", "minLength", "accept", "default"];
        let bounds =
            bounds.iter().filter_map(|name| Some(format!(" {name}={}", field.get(*name)?)));
        let options = field["options"].as_array().into_iter().flatten();
        let options: Vec<_> = options.map(|it| it["value"].as_str().unwrap()).collect();
        let options = if options.is_empty() { String::new() } else { format!(" {options:?}") };
        let required = if field["required"] == true { "!" } else { "" };
        let text = |name: &str| field[name].as_str().unwrap();
        let bounds = bounds.collect::<String>().replace('"', "");
        format!("{}{required}:{}{bounds}{options}", text("label"), text("type")).replace('"', "")
    });
    fields.collect::<Vec<_>>().join("; ")
}

/// Lists, ranges, options, brackets and marks are parsed item by item.
#[test]
fn list_items_keep_label_type_and_limits() {
    for (sentence, expected) in [
        (
            "Make me a form: name, email, preferred date, and a 1-10 rating slider",
            "Name!:text; Email!:text; Preferred date!:date; Rating:range min=1 max=10 step=1",
        ),
        (
            "Need a bug report form with a severity dropdown (low, medium, high) and a screenshot upload. Severity is mandatory.",
            "Severity!:select [low, medium, high]; Screenshot:file",
        ),
        (
            "交通費の精算用の入力欄つくって。日付、金額、領収書のファイル",
            "日付!:date; 金額:number min=0; 領収書のファイル:file",
        ),
        (
            "アンケート：年代（10代、20代、30代以上）、満足度は1から5のスライダー、ご意見（任意）",
            "年代:radio [10代, 20代, 30代以上]; 満足度:range min=1 max=5 step=1; ご意見:textarea",
        ),
        (
            "a form with name, email and phone (phone optional, the others are a must)",
            "Name!:text; Email!:text; Phone:text",
        ),
        (
            "フォーム作って。項目は、色（赤、青、黒から複数選択可）、トッピング（ハム・卵、1つ以上2つまで）",
            "色:multiselect [赤, 青, 黒]; トッピング:multiselect minSelect=1 maxSelect=2 [ハム, 卵]",
        ),
        (
            "poll: which day suits you best? mon tue wed, they can pick several, at least two",
            "Which day suits you best:multiselect minSelect=2 [mon, tue, wed]",
        ),
        (
            "form: priority low/medium/high (medium by default), due date not in the past, age between 6 and 14",
            "Priority:radio default=medium [low, medium, high]; Due date:date; Age!:number min=6 max=14 step=1",
        ),
    ] {
        assert_eq!(read(&new_talk().say(sentence)), expected, "{sentence}");
    }
}

/// A default has the field's type, so that the form is valid; an impossible one is reported.
#[test]
fn default_has_the_fields_type() {
    for (sentence, expected) in [
        (
            "数量（1〜100、初期値1）を聞くフォームを作って",
            "数量!:number min=1 max=100 step=1 default=1",
        ),
        ("年齢（初期値20歳）を聞くフォーム", "年齢!:number min=0 max=150 step=1 default=20"),
        (
            "make a form with quantity (1-100, default 5)",
            "Quantity!:number min=1 max=100 step=1 default=5",
        ),
        ("満足度（1〜5、初期値3）を聞くフォーム", "満足度:range min=1 max=5 step=1 default=3"),
        ("日付（初期値は今日）を聞くフォーム", "日付!:date default=today"),
        ("お知らせ（初期値はオン）を聞くフォーム", "お知らせを受け取る:checkbox default=true"),
        ("優先度（初期値は中）を聞くフォーム", "優先度:select default=medium [high, medium, low]"),
    ] {
        let decided = new_talk().say(sentence);
        assert_eq!(read(&decided), expected, "{sentence}");
        let (_, arguments) = call(&decided);
        let form = output::form::Form::read(&arguments["form_schema"]);
        assert!(form.is_ok(), "{sentence}: {:?}", form.err());
    }
}

/// An invalid property is reported and left out; the form is requested.
#[test]
fn reports_and_drops_invalid_properties() {
    for (sentence, expected, lost) in [
        ("年齢（初期値200）を聞くフォーム", "年齢!:number min=0 max=150 step=1", "200"),
        ("サイズ（S/M/L、初期値XL）を聞くフォーム", "サイズ:radio [S, M, L]", "XL"),
        ("人数（10名以上5名以下）を聞くフォーム", "人数!:number min=1 max=5 step=1", "10"),
        ("make a form with topping (ham, egg, at least 3)", "Topping:multiselect [ham, egg]", "3"),
    ] {
        let decided = new_talk().say(sentence);
        assert_eq!(read(&decided), expected, "{sentence}");
        let (_, arguments) = call(&decided);
        let form = &arguments["form_schema"];
        assert!(output::form::Form::read(form).is_ok(), "{sentence}");
        let note_text = form["description"].as_str().unwrap_or_default();
        assert!(note_text.contains(lost), "{sentence}: {note_text}");
    }
}

#[test]
fn counts_limit_the_counted_field() {
    let field = |sentence: &str| {
        let decided = new_talk().say(sentence);
        let mut field = call(&decided).1["form_schema"]["fields"][0].clone();
        for name in ["name", "label", "required", "suggestions", "searchParams", "renderTemplate"] {
            field.as_object_mut().unwrap().remove(name);
        }
        field
    };
    for (sentence, expected) in [
        (
            "プロジェクト名（3〜50文字）を聞くフォームを作って",
            json!({ "type": "text", "minLength": 3, "maxLength": 50 }),
        ),
        (
            "プロジェクト名（最小3文字、最大50文字）を聞くフォームを作って",
            json!({ "type": "text", "minLength": 3, "maxLength": 50 }),
        ),
        (
            "make a form with budget (min 100, max 1000)",
            json!({ "type": "number", "min": 100, "max": 1000 }),
        ),
        (
            "期限（今日から30日以内）を聞くフォームを作って",
            json!({ "type": "date", "minDate": "today", "maxDate": "+30days" }),
        ),
        (
            "希望日（12月1日〜12月20日、任意）を聞くフォームを作って",
            json!({ "type": "date", "minDate": "2026-12-01", "maxDate": "2026-12-20" }),
        ),
        (
            "30日以内の納品日を聞くフォームを作って",
            json!({ "type": "date", "minDate": "today", "maxDate": "+30days" }),
        ),
        (
            "make a form with a due date within 14 days",
            json!({ "type": "date", "minDate": "today", "maxDate": "+14days" }),
        ),
        (
            "購入日（過去30日以内）を聞くフォームを作って",
            json!({ "type": "date", "minDate": "-30days", "maxDate": "today" }),
        ),
        ("利用日数（30日以内）を聞くフォームを作って", json!({ "type": "number", "max": 30 })),
        (
            "アイコン（画像のみ）を聞くフォームを作って",
            json!({ "type": "file", "accept": "image/*" }),
        ),
        (
            "レビュアー（3人まで）を聞くフォームを作って",
            json!({ "type": "multi-autocomplete", "maxSelect": 3, "searchUrl": "/api/demo/users/search",
                "displayField": "name", "valueField": "id" }),
        ),
        (
            "添付（PDF、5MBまで）を聞くフォームを作って",
            json!({ "type": "file", "accept": ".pdf", "maxSize": 5_242_880 }),
        ),
        (
            "予算配分を0から100までのスライダー、5刻みで聞くフォームを作って",
            json!({ "type": "range", "min": 0, "max": 100, "step": 5 }),
        ),
    ] {
        assert_eq!(field(sentence), expected, "{sentence}");
    }
    assert_eq!(
        read(&new_talk().say("機能（認証、DB連携、テストから1〜2個）を選ぶフォームを作って")),
        "機能:multiselect minSelect=1 maxSelect=2 [認証, DB連携, テスト]"
    );
}

/// Example 3 (FORM-73); without a prefecture it is a text.
#[test]
fn city_is_a_choice_after_its_prefecture() {
    let is_right =
        |decided: &Decision| output::form::Form::read(&call(decided).1["form_schema"]).is_ok();
    let mut talk = new_talk();
    let decided = talk.say("名前と都道府県と市区町村を聞くフォームを作って");
    let (_, arguments) = call(&decided);
    let city = &arguments["form_schema"]["fields"][2];
    assert_eq!(
        (&city["type"], &city["dependsOn"]),
        (&json!("cascading-select"), &json!("prefecture"))
    );
    assert!(is_right(&decided));
    let decided = talk.say("都道府県はいらない");
    assert!(read(&decided).ends_with("市区町村:text"), "{}", read(&decided));
    assert!(is_right(&decided));
}

#[test]
fn dropdown_without_options_is_text() {
    for (sentence, expected) in [
        ("担当者を検索して選ぶフォームを作って", "担当者!:autocomplete"),
        ("色（赤、赤、青）を聞くフォーム", "色:radio [赤, 青]"),
        (
            "サイト内検索のしやすさと感想を聞くアンケートを作って",
            "サイト内検索のしやすさ:text; 感想:textarea",
        ),
        (
            "Make a form with a name, a dropdown of sizes S, M, L and a photo upload",
            "Name!:text; Sizes:select [S, M, L]; Photo:file",
        ),
        (
            "フォーム作って。名前、アレルギーは卵・乳・小麦から複数選択",
            "お名前!:text; アレルギー:multiselect [卵, 乳, 小麦]",
        ),
        ("form: name and a size dropdown", "Name!:text; Size:text"),
    ] {
        assert_eq!(read(&new_talk().say(sentence)), expected, "{sentence}");
    }
}

#[test]
fn removes_field_after_any_leading_word() {
    for second in ["やっぱり希望日は消して", "じゃあ希望日はいらない", "希望日を消して"]
    {
        let mut talk = new_talk();
        talk.say("名前と希望日のフォームを作って");
        let left = read(&talk.say(second));
        assert!(left.contains("名前") && !left.contains("希望日"), "{second}: {left}");
    }
}

/// Unknown parts are reported on the form; unwanted fields are left out.
#[test]
fn reports_conditions_and_drops_denied_fields() {
    let decided = new_talk().say("車で来る人にだけナンバーを聞くフォームを作って");
    let (_, arguments) = call(&decided);
    let text = arguments["form_schema"]["description"].as_str().unwrap();
    assert!(text.contains("車で来る人にだけ"), "{text}");
    let decided = new_talk().say("a contact form without the phone number but with the company");
    assert_eq!(read(&decided), "Name!:text; Email!:text; Message!:textarea; Company:text");
}

/// Constrains an existing field.
#[test]
fn second_sentence_limits_a_field() {
    let mut talk = new_talk();
    talk.say("備品を買ってほしいときの申請フォームがほしい。品名、個数、希望納期");
    let changed = read(&talk.say("理由も書けるように長めの欄を足して。個数は最大20まで"));
    assert!(changed.contains("個数!:number min=1 max=20"), "{changed}");
    assert!(changed.ends_with("理由:textarea"), "{changed}");
    let decided = new_talk().say("RSVP form: how many people but no more than 4, and allergies");
    assert_eq!(read(&decided), "How many people!:number min=1 max=4 step=1; Allergies:textarea");
}

/// Adds, removes, marks and constrains fields.
#[test]
fn second_sentence_changes_the_form() {
    let mut talk = new_talk();
    talk.say("feedback form: stars 1-5 and a comment");
    let changed = talk.say("scrap the comment, put 'may we contact you' yes/no instead");
    let stars = "Stars:range min=1 max=5 step=1";
    assert_eq!(read(&changed), format!("{stars}; May we contact you:radio [yes, no]"));
    let changed = talk.say("make the stars required");
    assert!(read(&changed).starts_with("Stars!:range"), "{}", read(&changed));
    let mut talk = new_talk();
    talk.say("社員旅行の希望調査。行き先は箱根か熱海か日光、部屋の希望は任意で");
    assert_eq!(
        read(&talk.say("アレルギー欄も足して。行き先は必須にして")),
        "行き先!:radio [箱根, 熱海, 日光]; 部屋の希望:text; アレルギー:textarea"
    );
}

/// Fields of the form after the last of `sentences`.
fn form(sentences: &[&str]) -> Vec<Value> {
    let mut talk = new_talk();
    let mut fields = Vec::new();
    for sentence in sentences {
        let decided = talk.say(sentence);
        let (tool, arguments) = call(&decided);
        assert_eq!(tool, "request_form", "{sentence}");
        fields = arguments["form_schema"]["fields"].as_array().unwrap().clone();
    }
    fields
}

#[test]
fn options_of_a_list_are_one_field() {
    for (sentence, at, type_, options) in [
        ("飲み物をコーヒー・紅茶・お茶から一つ選ぶフォーム", 0, "radio", "コーヒー 紅茶 お茶"),
        ("名前と、主食をパン、米、麺から選んでもらうフォーム", 1, "radio", "パン 米 麺"),
        (
            "a form: name, as many sides as you like out of fries, salad and soup, and comments",
            1,
            "multiselect",
            "fries salad soup",
        ),
    ] {
        let fields = form(&[sentence]);
        let values: Vec<_> = fields[at]["options"].as_array().unwrap().iter().collect();
        let values: Vec<_> = values.iter().map(|it| it["value"].as_str().unwrap()).collect();
        assert_eq!((&fields[at]["type"], values.join(" ")), (&json!(type_), options.to_owned()));
    }
}

#[test]
fn condition_shows_field_for_its_answer() {
    for (sentence, on, equals) in [
        ("form: do you drive? If yes, ask for the number plate", 0, "yes"),
        ("form: name, do you drive? Only if they do, ask for the number plate", 1, "yes"),
        ("出欠を聞くフォーム。欠席の場合は理由も聞いて", 0, "no"),
    ] {
        let fields = form(&[sentence]);
        let shown = &fields.last().unwrap()["showIf"];
        assert_eq!(*shown, json!({ "field": fields[on]["name"], "equals": equals }), "{sentence}");
    }
}

#[test]
fn second_sentence_makes_field_optional() {
    for second in [
        "電話番号も足して、メールは必須じゃなくていいよ",
        "add a phone, and the email isn't required",
    ] {
        let fields = form(&["名前とメールを聞くフォーム", second]);
        let required: Vec<_> = fields.iter().map(|it| it["required"].clone()).collect();
        assert_eq!(required, [json!(true), json!(false), json!(true)], "{second}");
    }
}

#[test]
fn no_past_dates_limits_every_date() {
    for sentence in [
        "leave form: from when, until when and why. No dates in the past",
        "開始日と終了日を聞くフォーム。過去の日付は選べないように",
    ] {
        let dates = form(&[sentence]).into_iter().filter(|it| it["type"] == "date");
        let dates: Vec<_> = dates.map(|it| it["minDate"].clone()).collect();
        assert_eq!(dates, [json!("today"), json!("today")], "{sentence}");
    }
}

#[test]
fn second_sentence_sets_the_title() {
    for (first, second, title) in [
        ("名前とメールを聞くフォーム", "タイトルは「参加申込」にして", "参加申込"),
        ("名前とメールを聞くフォーム", "題名を春の遠足にしてください", "春の遠足"),
        ("a form asking for name and email", "call it \"Spring party\"", "Spring party"),
        (
            "a form asking for name and email",
            "change the title to Spring party please",
            "Spring party",
        ),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        let (_, arguments) = call(&talk.say(second));
        let form = &arguments["form_schema"];
        assert_eq!(form["title"], title, "{second}");
        assert_eq!(form["fields"].as_array().map(Vec::len), Some(2), "{second}");
    }
    let fields = form(&["名前とタイトルを聞くフォーム", "タイトルは必須で"]);
    assert_eq!(fields[1]["required"], json!(true));
}

/// Fields of the form changed by `later`.
fn changed(first: &str, later: &str) -> Vec<Value> {
    let mut talk = new_talk();
    talk.say(first);
    let next = talk.say_instead(later);
    let (_, arguments) = call(&next);
    arguments["form_schema"]["fields"].as_array().cloned().unwrap_or_default()
}

#[test]
fn shows_the_form_again() {
    for (first, later) in [
        ("名前とメールを聞くフォームを作って", "もう一度見せて"),
        ("名前とメールを聞くフォームを作って", "もう一回出して"),
        ("make a form with name and email", "show it again"),
        ("make a form with name and email", "once more please"),
    ] {
        assert_eq!(changed(first, later).len(), 2, "{later}");
    }
}

#[test]
fn counts_and_ages_limit_existing_fields() {
    for (first, later, name, bounds) in [
        ("名前と人数のフォームを作って", "人数は1から5まで", "count", (1, 5)),
        ("名前と年齢のフォームを作って", "18歳以上だけ", "age", (18, 150)),
        ("make a form with name and age", "18 or over only", "age", (18, 150)),
        ("make a form with name and age", "age 18 or over", "age", (18, 150)),
    ] {
        let fields = changed(first, later);
        let field = fields.iter().find(|it| it["name"] == name).unwrap();
        assert_eq!((&field["min"], &field["max"]), (&json!(bounds.0), &json!(bounds.1)), "{later}");
    }
}

#[test]
fn polite_request_adds_a_field() {
    for (later, label) in [
        ("電話番号もお願い", "電話番号"),
        ("あと住所もつけて", "住所"),
        ("最後に自由記述も付けて", "自由記述"),
        ("満足度は5段階で", "満足度"),
    ] {
        let fields = changed("名前とメールを聞くフォームを作って", later);
        let last = fields.last().unwrap();
        assert_eq!((fields.len(), last["label"].as_str().unwrap()), (3, label), "{later}");
    }
}

#[test]
fn moves_and_renames_fields() {
    const EN: &str = "make a form with name, email and age";
    const JA: &str = "名前とメールと年齢のフォームを作って";
    for (first, later, at, label) in [
        (EN, "move email to the top", 0, "Email"),
        (EN, "put the name last", 2, "Name"),
        (EN, "rename email to contact address", 1, "Contact address"),
        (JA, "年齢を最初にして", 0, "年齢"),
        (JA, "名前を最後に", 2, "お名前"),
        (JA, "年齢を学年に変えて", 2, "学年"),
    ] {
        let fields = changed(first, later);
        assert_eq!((fields.len(), fields[at]["label"].as_str().unwrap()), (3, label), "{later}");
    }
}

#[test]
fn age_limit_applies_to_the_age_field() {
    for sentence in [
        "18歳以上の年齢と名前を聞くフォーム",
        "年齢（18歳以上）と名前のフォームを作って",
        "年齢と名前を聞くフォームを作って。18歳以上のみ",
        "make a form with age (18+) and name",
        "make a form asking for age and name. 18 or over only",
    ] {
        let next = new_talk().say(sentence);
        let (_, arguments) = call(&next);
        let fields = arguments["form_schema"]["fields"].as_array().unwrap();
        let age = fields.iter().find(|it| it["name"] == "age").unwrap();
        assert_eq!((fields.len(), &age["min"]), (2, &json!(18)), "{sentence}: {fields:?}");
        assert!(["年齢", "Age"].contains(&age["label"].as_str().unwrap()), "{sentence}: {age}");
    }
}

#[test]
fn marks_all_fields_without_a_name() {
    for (first, later, is_required) in [
        ("満足度と自由記述のアンケートを作って", "必須にして", true),
        ("名前とメールのフォームを作って", "全部任意でお願い", false),
        ("make a form with name and email", "make them optional", false),
    ] {
        let fields = changed(first, later);
        assert!(fields.len() == 2, "{later}: {fields:?}");
        assert!(
            fields.iter().all(|it| it["required"] == json!(is_required)),
            "{later}: {fields:?}"
        );
    }
}

/// Labels of the fields.
fn labels_of(form: &[Value]) -> Vec<&str> {
    form.iter().filter_map(|it| it["label"].as_str()).collect()
}

/// Labels of the options.
fn options_of(field: &Value) -> Vec<&str> {
    let options = field["options"].as_array().into_iter().flatten();
    options.filter_map(|it| it["label"].as_str()).collect()
}

#[test]
fn list_of_fields_is_no_purpose() {
    for sentence in [
        "make a form for name, email and phone",
        "a form for name, email and phone please",
        "I need a survey for name, email, phone",
    ] {
        let decided = new_talk().say(sentence);
        let (_, arguments) = call(&decided);
        let form = &arguments["form_schema"];
        let fields = form["fields"].as_array().unwrap();
        assert_eq!(labels_of(fields), ["Name", "Email", "Phone"], "{sentence}");
        assert_ne!(form["title"], "Name", "{sentence}");
    }
}

#[test]
fn options_with_a_number_are_one_field() {
    for (sentence, most) in [
        ("好きな色を赤・青・緑から2つまで選ぶフォームを作って", json!(2)),
        ("トッピングはハム・卵・のりから最大2つ選べるアンケートを作って", json!(2)),
        ("a form asking for lunch with choices curry, ramen, sushi", Value::Null),
        ("a form asking for a size with the options S, M, L", Value::Null),
    ] {
        let fields = form(&[sentence]);
        assert_eq!((fields.len(), options_of(&fields[0]).len()), (1, 3), "{sentence}: {fields:?}");
        assert_eq!(fields[0]["maxSelect"], most, "{sentence}");
    }
}

#[test]
fn scale_or_switch_is_a_field() {
    for (sentence, label, kind) in [
        ("満足度を5段階で聞くフォーム", "満足度", "range"),
        ("通知のオンオフを聞くフォーム", "通知", "checkbox"),
        ("a form with an on/off switch for alerts", "alerts", "checkbox"),
    ] {
        let fields = form(&[sentence]);
        let is_it = |field: &Value| {
            field["type"] == kind
                && field["label"].as_str().unwrap().to_lowercase().contains(&label.to_lowercase())
        };
        assert!(fields.len() == 1 && is_it(&fields[0]), "{sentence}: {fields:?}");
    }
}

#[test]
fn returns_to_the_waiting_form() {
    for (first, later) in [
        ("名前とメールを聞くフォームを作って", "フォームの続き"),
        ("名前とメールを聞くフォームを作って", "さっきのフォームに戻って"),
        ("make a form with name and email", "back to the form"),
        ("make a form with name and email", "let's continue with the form"),
    ] {
        assert_eq!(changed(first, later).len(), 2, "{later}");
    }
}

#[test]
fn makes_new_form_if_none_fits() {
    const FILM: Word = Word::own(0);
    const PHRASES: &[(Word, &str)] = &[(FILM, "film|films|movie|movies")];
    let cinema =
        Vocabulary { family: "cinema", phrases: PHRASES, nouns: &[FILM], ..Vocabulary::NONE };
    for later in [
        "create one asking for age and favourite film",
        "Make a new one with name and favourite film",
        "make me one asking for a film and a date",
    ] {
        let mut talk = new_talk();
        talk.names = cinema.names();
        assert_eq!(call(&talk.say("is there a form already?")).0, "list_form_submissions");
        assert_eq!(call(&talk.say(later)).0, "request_form", "{later}");
    }
}
