//! Date limits, lists in other shapes, and changes by later sentences.

use super::*;

#[test]
fn two_days_limit_a_date_field() {
    for (sentence, label) in [
        ("旅行の申込フォームを作って。旅行日は12月1日から12月20日の間で、名前と人数も", "旅行日"),
        ("フォームを作って。12月1日から12月20日までの希望日と名前", "希望日"),
        (
            "I want to ask people for a date between december 1 and december 20 and their name",
            "Date",
        ),
    ] {
        let form = form(&[sentence]);
        let day = form.iter().find(|it| it["type"] == "date");
        let day = day.unwrap_or_else(|| panic!("{sentence}: {form:?}"));
        let bounds = (&day["minDate"], &day["maxDate"]);
        assert_eq!(bounds, (&json!("2026-12-01"), &json!("2026-12-20")), "{sentence}");
        assert_eq!(day["label"], label, "{sentence}");
        assert!(labels_of(&form).len() > 1, "{sentence}: {form:?}");
    }
    let form =
        form(&["チェックイン日とチェックアウト日を聞くフォーム", "チェックイン日は明日以降にして"]);
    assert_eq!(form[0]["minDate"], "+1days", "{form:?}");
}

#[test]
fn field_count_is_no_part_of_the_last_label() {
    let next = new_talk().say("氏名、住所、電話番号、備考の4項目で会員登録フォームつくって");
    let (_, arguments) = call(&next);
    let form = &arguments["form_schema"];
    assert!(!form["title"].as_str().unwrap().contains("項目"), "{form}");
    let fields = form["fields"].as_array().unwrap();
    assert_eq!(labels_of(fields).last(), Some(&"備考"), "{form}");
}

#[test]
fn requires_all_fields_but_one() {
    for (first, later, optional) in [
        ("名前、郵便番号、職業、備考を聞くフォーム", "備考以外は必須で", "備考"),
        ("名前、郵便番号、職業、備考を聞くフォーム", "備考以外は全部必須にして", "備考"),
        (
            "form with name, city, country and comments",
            "everything required except comments",
            "Comments",
        ),
        (
            "form with name, city, country and comments",
            "make all fields required but not the comments",
            "Comments",
        ),
    ] {
        for field in form(&[first, later]) {
            let is_required = field["required"] == true;
            assert_eq!(is_required, field["label"] != optional, "{later}: {field}");
        }
    }
}

#[test]
fn text_field_gets_options() {
    let form = form(&["名前と職業を聞くフォーム", "職業は会社員・学生・その他から選ばせて"]);
    assert_eq!((form.len(), form[1]["type"].as_str()), (2, Some("radio")), "{form:?}");
    assert_eq!(options_of(&form[1]), ["会社員", "学生", "その他"]);
}

#[test]
fn further_fields_are_added() {
    for (first, later, count) in [
        ("名前だけ聞くフォーム", "年齢も", 2),
        ("名前だけ聞くフォーム", "あと電話番号とメールも", 3),
        ("名前だけ聞くフォーム", "メアドも聞いといて", 2),
        ("form with name", "ask them for their phone number too", 2),
        ("form with name", "get their email as well", 2),
        ("名前と年齢とメールのフォーム", "名前はやっぱいらない", 2),
    ] {
        assert_eq!(form(&[first, later]).len(), count, "{later}");
    }
    let poll = form(&["can u do a quick poll: pizza, sushi or tacos", "add burgers"]);
    assert_eq!(options_of(&poll[0]), ["pizza", "sushi", "tacos", "burgers"]);
}

#[test]
fn asks_the_same_form_again() {
    for (first, later, count) in [
        ("名前とメールを聞くフォームを作って", "もう一回同じフォーム出して", 2),
        ("名前とメールを聞くフォームを作って", "同じフォームに身長も足して", 3),
        ("make a form with name and email", "same form again", 2),
        (
            "make a form with name and email",
            "the same form again but with a field for allergies",
            3,
        ),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        talk.say(r#"{"name": "Ann", "email": "ann@example.com"}"#);
        let next = talk.say(later);
        let (tool, arguments) = call(&next);
        assert_eq!(tool, "request_form", "{later}");
        let fields = arguments["form_schema"]["fields"].as_array().unwrap();
        assert_eq!(fields.len(), count, "{later}: {fields:?}");
    }
}

#[test]
fn reports_required_fields() {
    for (first, later) in [
        ("メールは必須、電話は任意のフォームを作って", "必須の項目はどれですか？"),
        ("Make a form with email required and phone not required", "which fields are required?"),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        let text = concluded(&talk.say_instead(later)).text();
        let (required, optional) = text.split_once('\n').unwrap();
        assert!(required.contains("メール") || required.contains("Email"), "{text}");
        assert!(optional.contains("電話") || optional.contains("Phone"), "{text}");
    }
}

#[test]
fn parses_lists_with_spaces_and_examples() {
    let form = form(&["お弁当の注文フォーム お弁当の種類(からあげ 幕の内 のり弁) 個数 受取時間"]);
    assert_eq!(form.len(), 3, "{form:?}");
    assert_eq!(options_of(&form[0]), ["からあげ", "幕の内", "のり弁"]);
    for (sentence, options) in [
        ("Form: name, size e.g. S, M or L", "S M L"),
        ("フォーム作って項目は好きな食べ物（例えば寿司とかラーメンとか）", "寿司 ラーメン"),
    ] {
        let form = self::form(&[sentence]);
        let last = form.last().unwrap();
        assert_eq!(options_of(last).join(" "), options, "{sentence}: {form:?}");
    }
}

#[test]
fn accepts_fields_in_kana_or_without_particle() {
    for (sentence, expected) in [
        ("誕生日きいて", "birthday"),
        ("メール聞いといて", "email"),
        ("満足度を1から5の星で聞いて", "satisfaction"),
    ] {
        assert_eq!(fields(sentence)[0].0, expected, "{sentence}");
    }
    for sentence in ["ちょっと聞いて", "ねえ聞いてよ"] {
        let mut talk = new_talk();
        talk.say(sentence);
        assert!(talk.confidence < 0.5, "{sentence}");
    }
}

#[test]
fn adds_options_to_the_named_field() {
    const JA: &str = "名前と性別（男・女）と好きな色（赤・青）を聞くフォームを作って";
    const EN: &str = "make a form with name, favourite colour (red, green) and size (S, M)";
    for (first, later, at, last) in [
        (JA, "性別に「回答しない」を足して", 1, "回答しない"),
        (JA, "好きな色に黄色も追加して", 2, "黄色"),
        (JA, "色の選択肢に緑を入れて", 2, "緑"),
        (EN, "add yellow to the colours", 1, "yellow"),
        (EN, "also add L to the size options", 2, "L"),
    ] {
        let fields = changed(first, later);
        assert_eq!(fields.len(), 3, "{later}: {fields:?}");
        let options = options_of(&fields[at]);
        assert_eq!((options.len(), options.last()), (3, Some(&last)), "{later}");
    }
    // What is no option of a field becomes a field.
    assert_eq!(changed(EN, "add phone to the form").len(), 4);
}

#[test]
fn resolves_fields_by_position() {
    const JA: &str = "名前とメールと住所のフォームを作って";
    const EN: &str = "make a form with name, email and phone";
    for (first, later, rest) in [
        (JA, "2番目を消して", &["お名前", "住所"][..]),
        (JA, "最後の項目はいらない", &["お名前", "メールアドレス"]),
        (EN, "remove the second one", &["Name", "Phone"]),
        (EN, "drop the last field", &["Name", "Email"]),
    ] {
        assert_eq!(labels_of(&changed(first, later)), rest, "{later}");
    }
    for (first, later) in
        [(JA, "2番目を任意に"), (EN, "make the second one optional"), (EN, "email optional plz")]
    {
        let fields = changed(first, later);
        assert_eq!((fields.len(), &fields[1]["required"]), (3, &json!(false)), "{later}");
    }
    for (first, later) in [
        ("名前とメールのフォームを作って", "両方任意で"),
        ("make a form with name and email", "both optional"),
    ] {
        let fields = changed(first, later);
        assert!(fields.iter().all(|it| it["required"] == json!(false)), "{later}: {fields:?}");
    }
}

#[test]
fn removes_field_by_a_short_sentence() {
    for later in ["住所いらない", "住所はやめとく", "やっぱり住所は不要です", "住所はなくていい"]
    {
        let fields = changed("名前とメールと住所のフォームを作って", later);
        assert_eq!(labels_of(&fields), ["お名前", "メールアドレス"], "{later}");
    }
}

#[test]
fn changes_rating_maximum_shortly() {
    for (first, later, most) in [
        ("アンケートフォームを作って。満足度を5段階で", "満点は10にして", 10),
        ("名前と満足度のフォームを作って", "やっぱり満点を7で", 7),
        ("名前と満足度のフォームを作って", "10点満点にして", 10),
        ("a feedback form rating the food out of 5", "make it out of 10", 10),
    ] {
        let fields = changed(first, later);
        let rating = fields.iter().find(|it| it["type"] == "range").unwrap();
        assert_eq!(rating["max"], json!(most), "{later}: {fields:?}");
    }
}

#[test]
fn default_may_follow_the_form() {
    for (sentence, label, options, first) in [
        ("優先度を高・中・低で選ぶフォーム、初期値は中で", "優先度", 3, "中"),
        ("サイズをS・M・Lから選ぶフォーム、デフォルトはM", "サイズ", 3, "M"),
        ("色を赤/青/緑で選択するフォーム。既定値は青にして", "色", 3, "青"),
        ("a form with size (S, M, L), default M", "Size", 3, "M"),
    ] {
        let fields = form(&[sentence]);
        assert_eq!(labels_of(&fields), [label], "{sentence}");
        assert_eq!(fields[0]["options"].as_array().map(Vec::len), Some(options), "{sentence}");
        assert_eq!(fields[0]["default"], first, "{sentence}");
    }
    // A default of no field is reported.
    assert_eq!(labels_of(&form(&["名前と備考のフォーム、初期値は中で"])), ["お名前", "備考"]);
    // Similar words that are fields.
    for (sentence, name) in [
        ("a form with name, default language, email", "Default language"),
        ("a form with name, email and default language", "Default language"),
        ("名前、デフォルト言語、メールのフォーム", "デフォルト言語"),
    ] {
        let fields = form(&[sentence]);
        assert_eq!(fields.len(), 3, "{sentence}: {fields:?}");
        assert!(labels_of(&fields).contains(&name), "{sentence}: {fields:?}");
    }
}

#[test]
fn asks_for_the_purpose_once() {
    for sentence in ["飲み会の出欠。名前と参加可否と備考", "社員旅行の出欠！名前、参加可否、備考"]
    {
        assert_eq!(labels_of(&form(&[sentence])), ["お名前", "出欠", "備考"], "{sentence}");
    }
    let both = form(&["フォームを作って。保護者の氏名。名前と電話と備考"]);
    assert_eq!(both.len(), 4, "{both:?}");
}

#[test]
fn limits_dates_to_past_or_future() {
    for (later, least, most) in [
        ("due date can't be in the past", json!("today"), Value::Null),
        ("the due date must not be in the past", json!("today"), Value::Null),
        ("期限は過去にできないように", json!("today"), Value::Null),
    ] {
        let fields = changed("task form with title, due date and assignee", later);
        let day = fields.iter().find(|it| it["type"] == "date").unwrap();
        assert_eq!((&day["minDate"], &day["maxDate"]), (&least, &most), "{later}: {fields:?}");
    }
    let fields = changed("form with name and birthday", "birthday cannot be in the future");
    assert_eq!(fields[1]["maxDate"], "today", "{fields:?}");
}

#[test]
fn conditional_field_is_added() {
    for (first, later, label) in [
        (
            "make a form with name and allergies (yes/no)",
            "if allergies is yes ask for details",
            "Details",
        ),
        ("名前とアレルギー（あり・なし）のフォーム", "アレルギーがありなら詳細も聞いて", "詳細"),
        ("名前と出欠のフォーム", "欠席の場合は理由も聞いて", "理由"),
        ("名前と懇親会（参加・不参加）のフォーム", "不参加の場合は理由も聞いて", "理由"),
    ] {
        let fields = changed(first, later);
        assert_eq!(labels_of(&fields).last(), Some(&label), "{later}: {fields:?}");
        assert_eq!(
            (fields.len(), &fields[2]["showIf"]["field"]),
            (3, &fields[1]["name"]),
            "{later}"
        );
        let is_last = fields[1]["options"][1]["value"] == fields[2]["showIf"]["equals"];
        assert_eq!(is_last, later.contains("不参加") || later.contains("欠席"), "{later}");
    }
}

#[test]
fn denial_belongs_to_its_neighbour() {
    for sentence in
        ["名前なしでメールと電話だけのフォーム", "form without a name, just email and phone"]
    {
        assert_eq!(form(&[sentence]).len(), 2, "{sentence}");
    }
    for (later, is_required) in [
        ("don't make the email required", false),
        ("the email should not be required", false),
        ("the email shouldn't be optional", true),
    ] {
        let fields = changed("make a form with name and email", later);
        assert_eq!((fields.len(), &fields[1]["required"]), (2, &json!(is_required)), "{later}");
    }
}

#[test]
fn weekdays_are_options_of_one_field() {
    for sentence in [
        "日程調整フォーム。候補日：12/5、12/6、12/7（複数選択可）",
        "日程調整したい。候補は12/5、12/6、12/7",
        "候補日は12/5と12/6と12/7から選んでもらうフォーム",
        "form to pick dates: 12/5, 12/6, 12/7",
        "日程調整フォーム。候補日：12月5日、12月6日、12月7日",
    ] {
        let fields = form(&[sentence]);
        assert_eq!(fields.len(), 1, "{sentence}: {fields:?}");
        let options = options_of(&fields[0]);
        assert!(options.len() == 3 && options[1].starts_with("12"), "{sentence}: {options:?}");
    }
    assert_eq!(options_of(&form(&["form with size S/M/L and grade 1/2/3"])[1]), ["1", "2", "3"]);
}

#[test]
fn statement_about_a_field_changes_it() {
    const JA: &str = "色（赤・青・緑）とサイズ（S/M/L）を聞くフォーム";
    const EN: &str = "form: colour (red, green, blue), size (S/M/L)";
    for (first, later, at) in [
        (JA, "色は複数選択可で", 0),
        (JA, "色、複数選べるようにして", 0),
        (EN, "allow several colours", 0),
        (EN, "let them pick more than one size", 1),
    ] {
        let fields = changed(first, later);
        assert_eq!((fields.len(), &fields[at]["type"]), (2, &json!("multiselect")), "{later}");
    }
    for (first, later) in [
        (JA, "サイズの初期値はM"),
        (JA, "サイズのデフォルトをMにして"),
        (EN, "size defaults to M"),
        (EN, "default size is M"),
        (EN, "the default for size should be M"),
    ] {
        let fields = changed(first, later);
        assert_eq!((fields.len(), &fields[1]["default"]), (2, &json!("M")), "{later}");
    }
    for (later, labels) in [
        ("メールじゃなくて電話で", ["お名前", "電話番号"]),
        ("メールの代わりに住所を聞いて", ["お名前", "住所"]),
        ("phone instead of email", ["お名前", "Phone"]),
    ] {
        let fields = changed("名前とメールのフォームを作って", later);
        assert_eq!(labels_of(&fields).len(), 2, "{later}: {fields:?}");
        assert!(labels_of(&fields)[1] == labels[1] || later.is_ascii(), "{later}: {fields:?}");
    }
    const PLAIN: &str = "名前とメールのフォームを作って";
    for (later, at, label, options) in [
        ("優先度は高中低で", 2, "優先度", &["高", "中", "低"][..]),
        ("内容は500字まで", 2, "内容", &[]),
        ("件名も追加、一番上に", 0, "件名", &[]),
        ("add subject at the top", 0, "Subject", &[]),
        ("put subject first", 0, "Subject", &[]),
        ("age must be 18 or over", 2, "Age", &[]),
    ] {
        let fields = changed(PLAIN, later);
        assert_eq!((fields.len(), labels_of(&fields)[at]), (3, label), "{later}: {fields:?}");
        assert_eq!(options_of(&fields[at]), options, "{later}");
    }
}

#[test]
fn attendance_question_makes_a_form() {
    for (sentence, count) in [
        ("忘年会の出欠を取りたい", 4),
        ("結婚式の出欠を取りたいです", 4),
        ("i want to collect RSVPs for my wedding", 4),
        ("新年会の参加者を募りたい。名前・参加人数・アレルギー", 3),
    ] {
        assert_eq!(form(&[sentence]).len(), count, "{sentence}");
    }
}

#[test]
fn explains_what_happens_with_a_form() {
    for sentence in [
        "フォームを作るとどうなりますか",
        "フォーム送ったらどうなる？",
        "フォームの回答はどこに保存される？",
        "回答は後から直せる？",
        "what happens if I cancel the form?",
        "what happens when someone submits the form?",
        "who sees the answers of a form?",
    ] {
        let text = concluded(&new_talk().say(sentence)).text();
        assert!(text.contains("下書き") || text.contains("draft"), "{sentence}: {text}");
    }
    for sentence in [
        "How would you rate us? Make a survey of that",
        "Can you make a form asking who gets the last slice?",
        "回答されたフォームを見せて",
    ] {
        assert!(matches!(new_talk().say(sentence), Decision::Call(_)), "{sentence}");
    }
}

#[test]
fn a_limit_goes_on_with_the_field_before_it() {
    let all = form(&["名前、電話番号、年齢を聞くフォームを作って", "年齢は任意で、18以上"]);
    assert_eq!((&all[2]["min"], &all[2]["required"]), (&json!(18), &json!(false)), "{all:?}");
    for (later, is_required) in [
        ("年齢は20歳以上で、任意", [true, false]),
        ("年齢は20歳以上で、全部任意", [false, false]),
        ("任意にして", [false, false]),
        ("名前は任意で、年齢は20歳以上", [false, true]),
    ] {
        let all = form(&["名前と年齢のフォーム", later]);
        assert_eq!([0, 1].map(|it| all[it]["required"] == true), is_required, "{later}: {all:?}");
    }
    let all = form(&[
        "a form with name and t-shirt size (S, M, L)",
        "size should be optional and default to M",
    ]);
    assert_eq!((&all[1]["default"], &all[1]["required"]), (&json!("M"), &json!(false)), "{all:?}");
    for (later, name, value) in [
        ("満足度は0.5刻みで", "step", json!(0.5)),
        ("0.5刻みで", "step", json!(0.5)),
        ("満足度は0から5まで", "min", json!(0)),
        ("from 0 to 10 instead", "max", json!(10)),
        ("満足度は必須で、理由は任意", "required", json!(true)),
    ] {
        let all = form(&["アンケート作って、満足度は1から5で、理由も", later]);
        assert_eq!(all[0][name], value, "{later}: {all:?}");
        let least = if later.contains("0から") || later.contains("from 0") { 0 } else { 1 };
        assert_eq!((all.len(), &all[0]["min"]), (2, &json!(least)), "{later}: {all:?}");
    }
}

#[test]
fn an_age_limit_behind_another_mark_binds_the_age() {
    for (first, later) in [
        ("名前と年齢とメールのフォーム", "メールは任意で、18歳以上"),
        ("名前と年齢とメールのフォーム", "全部任意で、18歳以上"),
        ("名前と年齢と人数のフォーム", "人数は任意で、18歳以上"),
        ("名前と年齢と人数のフォーム", "全部任意で、18歳以上"),
    ] {
        let all = form(&[first, later]);
        let bound: Vec<_> = all.iter().filter(|it| it["min"] == 18).map(|it| &it["name"]).collect();
        assert_eq!(bound, ["age"], "{later}: {all:?}");
        assert_eq!(all[2]["required"], false, "{later}: {all:?}");
    }
}

#[test]
fn a_field_is_put_in_place_of_another_one() {
    for (first, later, expected) in [
        ("名前と電話番号と年齢のフォーム", "電話番号はやめてメールに", "name age email"),
        ("名前と期間を聞くフォーム", "期間は開始日と終了日に分けて", "name start_date end_date"),
        ("名前と電話番号と年齢のフォーム", "電話番号はやめて", "name age"),
        (
            "名前と電話番号と年齢のフォーム",
            "電話番号はやめて、住所と職業を追加",
            "name age address",
        ),
    ] {
        let all = form(&[first, later]);
        let names: Vec<_> = all.iter().filter_map(|it| it["name"].as_str()).collect();
        assert!(names.join(" ").starts_with(expected), "{later}: {names:?}");
    }
}

#[test]
fn a_form_that_is_taken_up_again_is_changed_as_well() {
    for (first, later) in [
        ("名前とメールのフォーム作って", "フォームに戻って、電話番号も足して"),
        ("make a form with name and email", "back to the form: add a phone number"),
    ] {
        assert_eq!(form(&[first, later]).len(), 3, "{later}");
    }
    assert_eq!(form(&["名前とメールのフォーム作って", "フォームに戻って"]).len(), 2);
}

#[test]
fn what_is_usual_is_bound_and_not_asked_twice() {
    let all =
        form(&["a contact form please, but without the phone, and the message max 500 characters"]);
    let of = |name: &str| all.iter().find(|it| it["name"] == name).cloned().unwrap_or_default();
    assert_eq!((all.len(), &of("message")["maxLength"]), (3, &json!(500)), "{all:?}");
}

#[test]
fn options_are_not_cut_within_a_word() {
    for (sentence, options, count) in [
        (
            "注文フォーム。商品はりんご、みかん、ぶどうから選択、数量は1〜10、配送日は明日以降",
            &["りんご", "みかん", "ぶどう"][..],
            3,
        ),
        ("名前を聞くフォーム。色は赤と青から選んで", &["赤", "青"], 2),
        ("名前を聞くフォーム。野菜はとまと、なすから選んで", &["とまと", "なす"], 2),
        ("名前を聞くフォーム。サイズはSかMから選ぶ", &["S", "M"], 2),
    ] {
        let all = form(&[sentence]);
        let found =
            all.iter().find(|it| it["options"].is_array()).unwrap_or_else(|| panic!("{all:?}"));
        assert_eq!(
            (options_of(found), all.len()),
            (options.to_vec(), count),
            "{sentence}: {all:?}"
        );
    }
}
