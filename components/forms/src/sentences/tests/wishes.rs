//! Titles, buttons, limits, files and conditional fields in a sentence, and changes that follow it.

use super::*;

/// The form after these sentences.
fn whole(sentences: &[&str]) -> Value {
    let mut talk = new_talk();
    let mut form = Value::Null;
    for sentence in sentences {
        let decided = talk.say_instead(sentence);
        let (tool, arguments) = call(&decided);
        assert_eq!(tool, "request_form", "{sentence}");
        form = arguments["form_schema"].clone();
    }
    form
}

#[test]
fn title_and_button_are_no_fields() {
    const MAIL: &[&str] = &["お名前", "メールアドレス"];
    const NAME: &[&str] = &["お名前"];
    for (sentences, title, button, labels) in [
        (&["フォーム作って。名前とメール。送信ラベルは「送る」"][..], "入力フォーム", "送る", MAIL),
        (
            &["名前とメールのフォーム", "タイトルは「ご意見箱」、ボタンは「投稿する」で"],
            "ご意見箱",
            "投稿する",
            MAIL,
        ),
        (&["form with name, submit button \"Go\""], "入力フォーム", "Go", NAME),
        (&["form with name", "change the submit button to \"Go\""], "入力フォーム", "Go", NAME),
    ] {
        let form = whole(sentences);
        let found = (&form["title"], &form["submitLabel"]);
        assert_eq!(found, (&json!(title), &json!(button)), "{sentences:?}");
        assert_eq!(labels_of(form["fields"].as_array().unwrap()), labels, "{sentences:?}");
        assert_eq!(form["description"], Value::Null, "{sentences:?}");
    }
    for sentence in [
        "Form titled Lunch order: name, main dish (curry, ramen)",
        "a form called Lunch order: name, main dish (curry, ramen)",
    ] {
        let form = whole(&[sentence]);
        assert_eq!(
            (&form["title"], form["fields"].as_array().unwrap().len()),
            (&json!("Lunch order"), 2),
            "{sentence}"
        );
    }
    let form = whole(&["form with name and a question called Mood: happy, sad"]);
    assert_ne!(form["title"], "Mood");
    assert_eq!(whole(&["名前、メール、電話のフォーム"])["title"], "入力フォーム");
    // Buttons that choose, and words with the name of a kind of files.
    let form = whole(&["名前と、選択ボタンは「はい」「いいえ」のフォーム"]);
    assert_eq!(form["submitLabel"], Value::Null);
    let form = whole(&["form with name, zip code, step 2 description"]);
    let types = form["fields"].as_array().unwrap().iter().map(|it| it["type"].as_str().unwrap());
    assert!(types.clone().all(|it| it.starts_with("text")), "{:?}", types.collect::<Vec<_>>());
}

#[test]
fn limits_keep_to_their_field() {
    for (sentence, at, label, limits) in [
        ("経費フォーム。金額（円、1000円単位）、日付", 0, "金額（円）", json!({ "step": 1000 })),
        ("出張のフォーム。行き先、概算費用（円）", 1, "概算費用（円）", json!({})),
        ("荷物のフォーム。名前、重さ（kg）", 1, "重さ（kg）", json!({ "type": "number" })),
        ("フォーム。名前、利用人数（最大二十名）", 1, "利用人数", json!({ "max": 20 })),
        ("フォーム。名前、感想（五百文字以内）", 1, "感想", json!({ "maxLength": 500 })),
        (
            "form with name, satisfaction slider 0-100 step 5",
            1,
            "Satisfaction",
            json!({ "max": 100, "step": 5 }),
        ),
        (
            "form with name, and a date that cant be in the past and not more than 30 days from now",
            1,
            "Date",
            json!({ "minDate": "today", "maxDate": "+30days" }),
        ),
        (
            "form: name, date between today and next friday",
            1,
            "Date",
            json!({ "minDate": "2026-11-21", "maxDate": "2026-11-27" }),
        ),
        (
            "写真投稿フォーム：タイトル、写真（jpgかpngのみ、3枚まで、10MB以下）",
            1,
            "写真",
            json!({ "type": "file", "accept": ".png,.jpg,.jpeg", "maxSize": 10 << 20, "multiple": true }),
        ),
        (
            "フォーム。名前、かばんの写真pngかjpg",
            1,
            "かばんの写真",
            json!({ "accept": ".png,.jpg,.jpeg" }),
        ),
        ("経費フォーム。名前、金額（二万五千円以内）", 1, "金額", json!({ "max": 25000 })),
        (
            "bug form: title, screenshot upload png or jpg up to 5MB, version",
            1,
            "Screenshot",
            json!({ "type": "file", "accept": ".png,.jpg,.jpeg", "maxSize": 5 << 20 }),
        ),
    ] {
        let fields = form(&[sentence]);
        let field = &fields[at];
        assert_eq!(field["label"], label, "{sentence}: {fields:?}");
        for (name, value) in limits.as_object().unwrap() {
            assert_eq!(&field[name], value, "{sentence}: {field}");
        }
    }
}

#[test]
fn options_are_whole_and_not_fields() {
    for (sentence, at, options, default) in [
        (
            "フォーム。名前、性別は男性・女性・回答しないから、電話番号は任意で",
            1,
            "男性 女性 回答しない",
            Value::Null,
        ),
        (
            "bug form: title, severity low/medium/high default medium, version",
            1,
            "low medium high",
            json!("medium"),
        ),
        (
            "sign-up form with name, country (Japan, Korea, other) default Japan",
            1,
            "Japan Korea other",
            json!("Japan"),
        ),
        (
            "pizza form: name, toppings at most 3 of ham, olives, onions, mushrooms, delivery time",
            1,
            "ham olives onions mushrooms",
            Value::Null,
        ),
    ] {
        let fields = form(&[sentence]);
        assert_eq!(options_of(&fields[at]).join(" "), options, "{sentence}: {fields:?}");
        assert_eq!(
            (&fields[at]["default"], fields.len() > at + 3),
            (&default, false),
            "{sentence}"
        );
    }
    let fields = form(&["注文フォーム。商品、ギフト包装するかどうか、包装する場合はメッセージ"]);
    assert_eq!(fields[1]["label"], "ギフト包装するかどうか");
    assert_eq!(fields[2]["showIf"]["field"], fields[1]["name"]);
    let fields =
        form(&["party form: name, coming (yes/no/maybe), if yes or maybe how many people 1-6"]);
    assert_eq!(fields[2]["showIf"]["in"], json!(["yes", "maybe"]), "{fields:?}");
    // Reasons and times that end with the same word.
    assert_eq!(form(&["フォーム。名前、いつから、いつまで"]).len(), 3);
}

#[test]
fn later_sentences_change_options_looks_and_order() {
    const JA: &str = "名前と商品（りんご、みかん、ぶどう）と個数のフォーム";
    const EN: &str = "form with name and seat preference (window, aisle, middle)";
    for (first, later, expected) in [
        (JA, "みかんは削除", "お名前:text 商品:radio(りんご/ぶどう) 個数:number"),
        (
            JA,
            "商品にバナナを追加、みかんは削除",
            "お名前:text 商品:radio(りんご/ぶどう/バナナ) 個数:number",
        ),
        (JA, "商品からみかんを削除", "お名前:text 商品:radio(りんご/ぶどう) 個数:number"),
        (JA, "みかんをレモンに変えて", "お名前:text 商品:radio(りんご/レモン/ぶどう) 個数:number"),
        (JA, "商品をプルダウンに", "お名前:text 商品:select(りんご/みかん/ぶどう) 個数:number"),
        (JA, "商品と個数を入れ替えて", "お名前:text 個数:number 商品:radio(りんご/みかん/ぶどう)"),
        (
            JA,
            "個数を抜いて年齢を入れて",
            "お名前:text 商品:radio(りんご/みかん/ぶどう) 年齢:number",
        ),
        (EN, "remove the window option", "Name:text Seat preference:radio(aisle/middle)"),
        (EN, "remove window", "Name:text Seat preference:radio(aisle/middle)"),
        (EN, "swap aisle for exit row", "Name:text Seat preference:radio(window/exit row/middle)"),
        (
            EN,
            "seat preference should be a dropdown",
            "Name:text Seat preference:select(window/aisle/middle)",
        ),
        (
            "form with name, email and comments",
            "rename comments to remarks and move it to the top",
            "Remarks:textarea Name:text Email:text",
        ),
        ("名前と住所のフォーム", "住所じゃなくて電話番号で", "お名前:text 電話番号:text"),
        ("form with name, email and phone", "not email, phone", "Name:text Phone:text"),
        (
            "form with name and level (A, B)",
            "make level required and put it first",
            "Level:radio(A/B) Name:text",
        ),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        assert_eq!(labels(&talk.say_instead(later)).0, expected, "{later}");
    }
    assert_eq!(changed(JA, "個数の上限を20に")[2]["max"], 20);
}

#[test]
fn last_change_is_taken_back() {
    for (first, later, back) in [
        ("名前とメールのフォーム", "メールはいらない", "やっぱり戻して"),
        ("form with name and email", "remove email", "undo that"),
        ("form with name and email", "make email optional", "undo"),
    ] {
        let whole = form(&[first]);
        let mut talk = new_talk();
        talk.say(first);
        talk.say_instead(later);
        let decided = talk.say_instead(back);
        let (_, arguments) = call(&decided);
        assert_eq!(arguments["form_schema"]["fields"], json!(whole), "{later}");
    }
}

#[test]
fn list_item_may_have_a_condition() {
    for (sentence, equals) in [
        ("form for a party: name, coming or not, how many guests if coming", "coming"),
        ("飲み会の出欠フォーム。名前、参加/不参加、参加なら人数", "参加"),
        ("a leave request form: name, kind (paid, sick, other), if other then reason", "other"),
    ] {
        let fields = form(&[sentence]);
        assert_eq!(fields.len(), 3, "{sentence}: {fields:?}");
        let shown = &fields[2]["showIf"];
        assert_eq!(shown, &json!({ "field": fields[1]["name"], "equals": equals }), "{sentence}");
    }
    // A condition without a known answer is a label.
    let fields = form(&["form: name, what to do if it rains"]);
    assert!(fields.iter().all(|it| it.get("showIf").is_none()), "{fields:?}");
}

#[test]
fn label_may_begin_with_when() {
    for (sentence, count) in [
        ("a party form: name, coming or not, when are you coming, allergies", 4),
        ("form: name, newsletter yes/no, when you will arrive, allergies", 4),
        ("form: name, vegetarian yes/no, the day when you are free", 3),
    ] {
        let fields = form(&[sentence]);
        assert_eq!(fields.len(), count, "{sentence}: {fields:?}");
        assert!(fields.iter().all(|it| it.get("showIf").is_none()), "{sentence}: {fields:?}");
    }
    for sentence in ["allergies when coming", "allergies only if coming"] {
        let fields = form(&[&format!("a party form: name, coming or not, {sentence}")]);
        assert_eq!(fields[2]["showIf"]["equals"], "coming", "{sentence}: {fields:?}");
        assert_eq!(fields[2]["label"], "Allergies", "{sentence}: {fields:?}");
    }
}

#[test]
fn denied_condition_means_the_other_answer() {
    for (sentence, equals) in [
        ("a leave form: name, type (paid, unpaid), reason if not paid", "unpaid"),
        ("a form: name, seat (normal, special), reason if not normal", "special"),
        ("a form: name, side (north, south), reason if not north", "south"),
        ("a party form: name, coming or not, reason if not coming", "not"),
        ("休暇フォーム: 名前、種類（有給、無給）、有給でないなら理由", "無給"),
    ] {
        let fields = form(&[sentence]);
        assert_eq!(fields[2]["showIf"]["equals"], equals, "{sentence}: {fields:?}");
    }
    // Of three options there is no opposite, and a condition may match nothing.
    for (sentence, note_text) in [
        ("a leave form: name, type (paid, sick, unpaid), reason if not paid", "\"if not paid\""),
        ("a leave form: name, type (paid, sick), if paid", "\"if paid\""),
    ] {
        let decided = new_talk().say(sentence);
        let note = labels(&decided).1;
        let fields = call(&decided).1["form_schema"]["fields"].clone();
        assert!(note.contains(note_text) && fields[2].get("showIf").is_none(), "{note}: {fields}");
    }
}

#[test]
fn time_limits_share_their_noun() {
    for (sentence, labels) in [
        ("a form with date, start and end time", ["Date", "Start time", "End time"]),
        ("フォーム作って。日付、開始と終了時刻", ["日付", "開始時刻", "終了時刻"]),
    ] {
        let found: Vec<_> = form(&[sentence]).iter().map(|it| it["label"].clone()).collect();
        assert_eq!(found, labels, "{sentence}");
    }
    let found: Vec<_> =
        form(&["a form: name, from and to dates"]).iter().map(|it| it["name"].clone()).collect();
    assert_eq!(found, ["name", "start_date", "end_date"]);
}

#[test]
fn choice_count_applies_to_the_field_before() {
    let fields = form(&["survey: favourite colour (red, green or blue), max two choices"]);
    assert_eq!(fields.len(), 1, "{fields:?}");
    let (kind, most) = (&fields[0]["type"], &fields[0]["maxSelect"]);
    assert_eq!((kind, most), (&json!("multiselect"), &json!(2)));
    // Counted people are a field of their own.
    let fields = form(&["a form with name, email, guests"]);
    assert_eq!(fields.last().unwrap()["name"], "count", "{fields:?}");
    for sentence in ["a form for guests with name and email", "ask the guests for name and email"] {
        assert_eq!(form(&[sentence]).len(), 2, "{sentence}");
    }
    let fields = form(&["booking form: name, date, max 3 guests"]);
    let last = fields.last().unwrap();
    assert_eq!((&last["label"], &last["max"]), (&json!("Guests"), &json!(3)), "{fields:?}");
}

#[test]
fn ordered_range_becomes_options() {
    for (sentence, expected) in [
        ("a form with name and t-shirt size XS-XL", "XS S M L XL"),
        ("a form with name and size (S to XXL)", "S M L XL XXL"),
        ("a form: name, size from S to L", "S M L"),
        ("フォーム: 名前、希望曜日は月〜金", "月 火 水 木 金"),
    ] {
        let fields = form(&[sentence]);
        let options = fields[1]["options"].as_array().into_iter().flatten();
        let options: Vec<_> = options.map(|it| it["value"].as_str().unwrap()).collect();
        assert_eq!(options.join(" "), expected, "{sentence}: {fields:?}");
    }
}

#[test]
fn lead_in_of_a_mark_is_no_label() {
    let fields = form(&["a feedback form: rating 1 to 5 and a comment that's optional"]);
    assert_eq!(fields[1]["label"], "Comment", "{fields:?}");
    let fields = form(&["a leave form: type of leave (paid, sick), reason"]);
    assert_eq!(fields[0]["label"], "Type of leave", "{fields:?}");
}

#[test]
fn withdrawn_form_is_not_made() {
    for sentence in ["forget the form", "skip the form please", "scrap the survey"] {
        let next = new_talk().say(sentence);
        assert!(matches!(next, Decision::Conclude(_)), "{sentence}: {next:?}");
    }
}

#[test]
fn wish_names_a_field() {
    assert_eq!(form(&["アンケート作って。満足度5段階、理由、また来たいか"]).len(), 3);
    assert_eq!(form(&["忘年会の出欠を取りたい。名前と人数"]).len(), 2);
}

#[test]
fn later_limits_make_a_number() {
    let mut talk = new_talk();
    talk.say("体温と体調を聞くフォーム");
    let next = talk.say("体温は35から42まで");
    let field = call(&next).1["form_schema"]["fields"][0].clone();
    assert_eq!((&field["type"], &field["max"]), (&json!("number"), &json!(42)), "{field}");
    assert!(field.get("maxLength").is_none(), "{field}");
}
