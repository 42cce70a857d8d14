//! Second thoughts about a form, places of new fields, and wishes that were lost.

use super::*;

/// The title, the button and the labels of the form after these sentences.
fn head(sentences: &[&str]) -> String {
    let mut talk = new_talk();
    let mut form = Value::Null;
    for sentence in sentences {
        let decided = talk.say(sentence);
        let (tool, arguments) = call(&decided);
        assert_eq!(tool, "request_form", "{sentence}");
        form = arguments["form_schema"].clone();
    }
    let labels = labels_of(form["fields"].as_array().unwrap()).join(" ");
    format!("{} {} | {labels}", form["title"], form["submitLabel"])
}

#[test]
fn undo_takes_back_what_came_last() {
    for (sentences, expected) in [
        (
            &[
                "名前、メール、住所のフォーム",
                "メールと住所を入れ替えて",
                "さっきのなかったことにして",
            ][..],
            "\"入力フォーム\" null | お名前 メールアドレス 住所",
        ),
        (
            &["名前とメールのフォーム", "電話も追加", "送信ボタンは「送る」で", "元に戻して"],
            "\"入力フォーム\" null | お名前 メールアドレス 電話番号",
        ),
        (
            &["form with name and email", "the submit button should say \"Go\"", "undo"],
            "\"Form\" null | Name Email",
        ),
        (
            &["form with name and email", "drop email", "oh, undo that"],
            "\"Form\" null | Name Email",
        ),
    ] {
        assert_eq!(head(sentences), expected, "{sentences:?}");
    }
}

#[test]
fn fields_change_places_by_position_or_all_at_once() {
    const JA: &str = "名前、メール、電話番号のフォーム";
    const EN: &str = "form with name, email and phone";
    for (first, then, expected) in [
        (JA, "最初の二つを入れ替えて", "メールアドレス お名前 電話番号"),
        (JA, "最後の2つを入れ替えて", "お名前 電話番号 メールアドレス"),
        (JA, "一番目と三番目を入れ替えて", "電話番号 メールアドレス お名前"),
        (JA, "逆にして", "電話番号 メールアドレス お名前"),
        (JA, "順番を逆にしてください", "電話番号 メールアドレス お名前"),
        ("名前と電話番号のフォーム", "二つを入れ替えて", "電話番号 お名前"),
        (EN, "swap the first two", "Email Name Phone"),
        (EN, "switch the last two please", "Name Phone Email"),
        (EN, "swap the second and the third", "Name Phone Email"),
        (EN, "reverse the order", "Phone Email Name"),
        ("form with name and email", "swap the two", "Email Name"),
        ("form with name and email", "swap those two around", "Email Name"),
    ] {
        let form = head(&[first, then]);
        let labels = form.split(" | ").nth(1).unwrap_or_default();
        assert_eq!(labels, expected, "{then}");
    }
}

#[test]
fn field_that_nothing_points_to_is_asked_for() {
    for (first, then) in [
        ("名前と住所のフォーム", "それを先頭に"),
        ("form with name and email", "move it to the top"),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        let text = concluded(&talk.say(then)).text();
        assert!(text.contains("どの項目") || text.contains("Which field"), "{then}: {text}");
    }
    let moved = head(&["名前と住所のフォーム", "電話番号も", "それを先頭に"]);
    assert!(moved.ends_with("| 電話番号 お名前 住所"), "{moved}");
}

#[test]
fn verb_and_spaces_around_fields_are_read() {
    let form = head(&["名前とメアドと誕生日聞くやつ作って！！"]);
    assert!(form.ends_with("| お名前 メールアドレス 誕生日"), "{form}");
    let mut talk = new_talk();
    let decided = talk.say("form with name, t-shirt size (S M L XL) and notes");
    let field = &call(&decided).1["form_schema"]["fields"][1];
    let options = field["options"].as_array().map_or(0, Vec::len);
    assert_eq!(options, 4, "{field}");
}

#[test]
fn word_for_needless_things_belongs_to_a_name() {
    for (sentences, expected) in [
        (&["名前と住所のフォーム", "不要な物を追加"][..], "お名前 住所 不要な物"),
        (&["名前と住所のフォーム", "いらない物も追加"], "お名前 住所 いらない物"),
        (&["名前と住所のフォーム", "住所は不要"], "お名前"),
    ] {
        let form = head(sentences);
        let labels = form.split(" | ").nth(1).unwrap_or_default();
        assert_eq!(labels, expected, "{sentences:?}");
    }
}

#[test]
fn new_field_stands_where_it_is_put() {
    for (sentences, expected) in [
        (&["名前と電話番号のフォーム", "電話の前に住所を追加"][..], "お名前 住所 電話番号"),
        (&["名前と電話番号のフォーム", "名前の次に年齢も入れて"], "お名前 年齢 電話番号"),
        (&["名前と電話番号のフォーム", "住所を電話の前に追加"], "お名前 住所 電話番号"),
        (&["form with name and phone", "add address before phone"], "Name Address Phone"),
        (
            &[
                "form with name, email and phone",
                "rename phone to mobile",
                "and move it to the top",
            ],
            "Mobile Name Email",
        ),
        (&["form with name and rating", "swap them"], "Rating Name"),
        (&["名前とメールのフォーム", "入れ替えて"], "メールアドレス お名前"),
        (&["名前とメールのフォーム", "名前の名前を「氏名」に変えて"], "氏名 メールアドレス"),
        (&["名前、趣味、住所のフォーム", "趣味いらん"], "お名前 住所"),
    ] {
        let found = form(sentences);
        assert_eq!(labels_of(&found).join(" "), expected, "{sentences:?}");
    }
}

#[test]
fn unnamed_swap_of_three_fields_is_asked_back() {
    for (first, later, said) in [
        ("名前、メール、住所のフォーム", "入れ替えて", "どの2つ"),
        ("名前、メール、住所のフォーム", "順番を入れ替えて", "どの2つ"),
        ("form with name, email and address", "swap them please", "Which two"),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        let text = concluded(&talk.say(later)).text();
        assert!(text.contains(said), "{later}: {text}");
    }
}

#[test]
fn fields_are_shown_without_a_new_form() {
    for (first, later, said) in [
        ("名前と、任意で電話のフォーム", "必須項目だけ見せて", "必須の項目: お名前"),
        ("名前と、任意で電話のフォーム", "任意の項目を教えてください", "任意の項目: 電話番号"),
        ("form with name and an optional phone", "show required fields", "Required: Name"),
        (
            "form with name and an optional phone",
            "please list the optional questions",
            "Optional: Phone",
        ),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        let text = concluded(&talk.say(later)).text();
        assert!(text.contains(said), "{later}: {text}");
    }
    assert!(matches!(new_talk().say("show required fields"), Decision::Conclude(_)));
}

#[test]
fn another_form_starts_anew() {
    for (first, later, expected) in [
        ("form with name and email", "form with phone and address", "Phone Address"),
        ("form with name and email", "make a second one with just a date", "Date"),
        ("make a form with name", "a survey with age and city", "Age City"),
        ("名前とメールのフォーム", "別のフォームで住所と電話を聞いて", "住所 電話番号"),
    ] {
        let found = form(&[first, later]);
        assert_eq!(labels_of(&found).join(" "), expected, "{later}");
    }
}

#[test]
fn clauses_behind_the_order_are_not_lost() {
    let whole = |sentences: &[&str]| {
        let mut talk = new_talk();
        let last = sentences.iter().map(|it| talk.say(it)).last().unwrap();
        labels(&last)
    };
    for (sentences, expected, note) in [
        (
            &["名前とメールのフォーム作って、締切は金曜の17時で"][..],
            "お名前:text メールアドレス:text",
            "締切は金曜の17時",
        ),
        (
            &["名前とメールのフォームを作って、電話は任意で"],
            "お名前:text メールアドレス:text 電話番号:text",
            "",
        ),
        (
            &["名前と参加日（12/18か12/19）のフォーム", "あと参加日は複数選べるように"],
            "お名前:text 参加日:multiselect(12/18/12/19)",
            "",
        ),
        (
            &["氏名と学年（1年、2年、3年）のフォーム", "4年も足して"],
            "お名前:text 学年:radio(1年/2年/3年/4年)",
            "",
        ),
        (
            &[
                "form with name, phone and party size",
                "party size between 1 and 8, phone not required",
            ],
            "Name:text Phone:text Party size:number",
            "",
        ),
        (
            &["form with name and email", "sorry. add a phone"],
            "Name:text Email:text Phone:text",
            "",
        ),
        (
            &["form with name and email", "make email optional. paint it blue"],
            "Name:text Email:text",
            "paint it blue",
        ),
    ] {
        let (found, said) = whole(sentences);
        assert_eq!(found, expected, "{sentences:?}");
        assert!(said.contains(note) && note.is_empty() == said.is_empty(), "{sentences:?}: {said}");
    }
    let fields = form(&[
        "form with name, phone and party size",
        "party size between 1 and 8, phone not required",
    ]);
    assert_eq!((&fields[2]["min"], &fields[2]["max"]), (&json!(1), &json!(8)), "{fields:?}");
    assert_eq!(fields[1]["required"], false, "{fields:?}");
    for sentence in [
        "名前と金額のフォーム。金額は1万円まで",
        "領収書を添付できる経費フォーム。金額と日付も。金額は1万円まで",
        "経費フォーム。名前と金額と日付。金額は10000円以内",
        "form with name and amount. The amount is at most 10000",
    ] {
        let fields = form(&[sentence]);
        let amount =
            fields.iter().find(|it| it["label"] == "金額" || it["label"] == "Amount").unwrap();
        assert_eq!(amount["max"], 10_000, "{sentence}: {fields:?}");
        assert!(fields.len() < 4, "{sentence}: {fields:?}");
    }
}

#[test]
fn it_means_the_field_of_the_change_before() {
    let optional = |sentences: &[&str]| {
        let fields = form(sentences);
        let is_optional = |it: &&Value| it["required"] == false;
        fields.iter().filter(is_optional).cloned().collect::<Vec<_>>()
    };
    for (sentences, expected) in [
        (
            &["form with name and email", "rename email to contact", "make it optional"][..],
            "Contact",
        ),
        (&["form with name and email", "rename email to contact and make it optional"], "Contact"),
        (&["form with name and email", "add phone, make it optional"], "Phone"),
        (&["form with name and email", "add phone", "make it optional"], "Phone"),
        (&["form with name and email", "make it optional"], "Name Email"),
        (&["form with name and email", "add phone", "make them optional"], "Name Email Phone"),
        (&["名前とメールのフォーム", "電話を追加して、任意で"], "電話番号"),
        (&["名前とメールのフォーム", "電話を追加", "それは任意で"], "電話番号"),
        (&["名前とメールのフォーム", "メールを連絡先に変更", "それを任意にして"], "連絡先"),
        (
            &["名前とメールのフォーム", "電話を追加", "全部任意にして"],
            "お名前 メールアドレス 電話番号",
        ),
    ] {
        assert_eq!(labels_of(&optional(sentences)).join(" "), expected, "{sentences:?}");
    }
}

#[test]
fn names_keep_words_of_changes() {
    for (sentences, expected) in [
        (&["猫の名前を聞くフォーム", "猫の名前を愛称に変えて"][..], "愛称"),
        (&["名前と電話のフォーム", "電話の名前を連絡先に変えて"], "お名前 連絡先"),
        (&["名前とメールのフォーム", "いらん物を追加"], "お名前 メールアドレス いらん物"),
        (&["名前とメールのフォーム", "メールいらん、電話追加"], "お名前 電話番号"),
        (&["form with pet name and age", "rename pet name to nickname"], "Nickname Age"),
    ] {
        assert_eq!(labels_of(&form(sentences)).join(" "), expected, "{sentences:?}");
    }
}

#[test]
fn courtesies_are_no_fields_and_no_notes() {
    for sentences in [
        &["すみません、名前とメールのフォームお願いします"][..],
        &["お忙しいところ恐れ入りますが名前とメールのフォームをお願いします"],
        &["名前のフォーム", "ごめん、メールも足して"],
        &["名前のフォーム", "申し訳ないけどメールも足して"],
        &["名前のフォーム", "いい感じ。メールも追加して"],
        &["名前のフォーム", "メールも追加して、あとはそれでOK"],
        &["form with name", "sorry for the trouble, add email"],
        &["form with name, email and phone", "perfect. now drop phone"],
    ] {
        let mut talk = new_talk();
        let last = sentences.iter().map(|it| talk.say(it)).last().unwrap();
        let (found, said) = labels(&last);
        let expected = if sentences[0].is_ascii() {
            "Name:text Email:text"
        } else {
            "お名前:text メールアドレス:text"
        };
        assert_eq!((&*found, &*said), (expected, ""), "{sentences:?}");
    }
    // As content they stay.
    for (sentence, expected) in [
        ("「ごめんなさい」と「ありがとう」を書くフォーム", "ごめんなさい ありがとう"),
        ("form with name and apology", "Name Apology"),
    ] {
        assert_eq!(labels_of(&form(&[sentence])).join(" "), expected);
    }
}

#[test]
fn favourites_before_a_form_are_its_fields() {
    let form = head(&["好きな映画、最寄り駅、好きなカードのフォーム"]);
    assert!(form.ends_with("| 好きな映画 最寄り駅 好きなカード"), "{form}");
}

#[test]
fn options_of_who_comes_are_one_field() {
    for (sentence, labels) in [
        ("飲み会の出欠を聞きたい。参加・不参加・未定から選ぶようにして", "飲み会の出欠"),
        ("出欠のフォーム。名前と、参加・不参加・未定から選ぶ", "出欠 お名前"),
        ("名前と参加・不参加・未定から選ぶ項目のフォームを作って", "お名前 出欠"),
    ] {
        let form = head(&[sentence]);
        assert!(form.ends_with(&format!("| {labels}")), "{sentence}: {form}");
        let mut talk = new_talk();
        let decided = talk.say(sentence);
        let (_, arguments) = call(&decided);
        let fields = arguments["form_schema"]["fields"].as_array().unwrap();
        let choice = fields.iter().find(|it| it["options"].is_array()).unwrap();
        assert_eq!(choice["options"].as_array().unwrap().len(), 3, "{sentence}");
    }
}

#[test]
fn clause_limits_a_number_named_before() {
    let mut talk = new_talk();
    let decided = talk.say("名前と寄付額のフォーム。寄付額は1万円まで");
    let (_, arguments) = call(&decided);
    let fields = arguments["form_schema"]["fields"].as_array().unwrap();
    assert_eq!((fields.len(), &fields[1]["max"]), (2, &json!(10_000)));
}

#[test]
fn only_a_wish_makes_a_form_of_what_asks() {
    for sentence in ["このあいだ聞くやつどうなった？", "予約番号を聞くやつってどこ"]
    {
        assert!(!matches!(new_talk().say(sentence), Decision::Call(_)), "{sentence}");
    }
}
