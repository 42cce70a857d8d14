//! Titles, buttons, limits and files in a sentence, and changes that follow it.

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
