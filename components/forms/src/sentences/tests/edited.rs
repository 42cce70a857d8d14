//! Changes in people's own words, with slips of the fingers, questions with answers, and sections.

use super::*;

/// The fields after these sentences, in one line: label, type, options, and the properties in `keys`.
fn shown(sentences: &[&str], keys: &[&str]) -> String {
    let mut talk = new_talk();
    let mut form = Value::Null;
    for sentence in sentences {
        let decided = talk.say(sentence);
        assert!(matches!(decided, Decision::Call(_)), "{sentences:?}: {decided:?}");
        let (tool, arguments) = call(&decided);
        assert_eq!(tool, "request_form", "{sentence}");
        form = arguments["form_schema"].clone();
    }
    let fields = form["fields"].as_array().unwrap().iter();
    let fields = fields.map(|field| {
        let label = field["label"].as_str().or(field["text"].as_str()).unwrap();
        let options = field["options"].as_array().into_iter().flatten();
        let options: Vec<_> = options.filter_map(|it| it["label"].as_str()).collect();
        let options = match options.is_empty() {
            true => String::new(),
            false => format!("({})", options.join("/")),
        };
        let more = keys.iter().filter_map(|it| Some(format!(" {it}={}", field.get(*it)?)));
        format!("{label}:{}{options}{}", field["type"].as_str().unwrap(), more.collect::<String>())
    });
    fields.collect::<Vec<_>>().join(", ")
}

#[test]
fn removes_what_is_named_and_keeps_exceptions() {
    const LUNCH: &str = "form with name, email, phone and notes";
    const LUNCH_JA: &str = "名前、メール、電話番号、備考のフォーム";
    for (first, later, expected) in [
        (LUNCH, "actually lose the phone", "Name:text, Email:text, Notes:textarea"),
        (LUNCH, "ok can you remove the notes", "Name:text, Email:text, Phone:text"),
        (LUNCH, "remove everything but email and notes", "Email:text, Notes:textarea"),
        (LUNCH, "drop all fields except the name", "Name:text"),
        (LUNCH_JA, "名前と電話番号以外は全部消して", "お名前:text, 電話番号:text"),
        (LUNCH_JA, "備考以外を削除して", "備考:textarea"),
    ] {
        assert_eq!(shown(&[first, later], &[]), expected, "{later}");
    }
}

#[test]
fn removes_several_options_and_adds_in_their_place() {
    const SIZES: &str = "form with a drink (tea, coffee, juice, water) and name";
    const LEVELS: &str = "フォーム: 担当、難易度は易・並・難、件名";
    for (first, later, expected) in [
        (SIZES, "remove tea, juice and water", "Drink:radio(coffee), Name:text"),
        (SIZES, "take out tea and add milk", "Drink:radio(coffee/juice/water/milk), Name:text"),
        (
            LEVELS,
            "並を消して上級を足して",
            "担当:autocomplete, 難易度:radio(易/難/上級), 件名:text",
        ),
    ] {
        assert_eq!(shown(&[first, later], &[]), expected, "{later}");
    }
}

#[test]
fn reads_options_behind_dashes_dots_quotes_and_or() {
    for (sentence, expected) in [
        ("注文フォーム：数量、味－甘口／辛口", "数量:number, 味:radio(甘口/辛口)"),
        (
            "名前と受取方法は店頭・郵送・宅配のフォーム",
            "お名前:text, 受取方法:radio(店頭/郵送/宅配)",
        ),
        (
            "フォームを作って。名前、用件は「見学」「入会」「退会」",
            "お名前:text, 用件:radio(見学/入会/退会)",
        ),
        ("フォーム: 名前、現金orカード", "お名前:text, 現金 / カード:radio(現金/カード)"),
    ] {
        assert_eq!(shown(&[sentence], &[]), expected, "{sentence}");
    }
}

#[test]
fn limits_and_defaults_go_to_the_only_field_that_takes_them() {
    const SCORE: &str = "form with name and a weight between 30 and 200";
    const WATER: &str = "水量を記録するフォーム。水量は1から9まで";
    for (sentences, keys, expected) in [
        (&[SCORE, "use 0.5 steps instead"][..], &["step"][..], "Name:text, Weight:number step=0.5"),
        (&[SCORE, "default 60"], &["default"], "Name:text, Weight:number default=60"),
        (
            &[WATER, "0.5刻みで", "初期値は2で"],
            &["step", "default"],
            "水量:number step=0.5 default=2",
        ),
        (
            &["form with name and a photo", "up to 4 MB"],
            &["maxSize"],
            "Name:text, Photo:file maxSize=4194304",
        ),
        (
            &["form with name and a scan", "pdf only"],
            &["accept"],
            "Name:text, Scan:file accept=\".pdf\"",
        ),
    ] {
        assert_eq!(shown(sentences, keys), expected, "{sentences:?}");
    }
}

#[test]
fn renames_retypes_and_places_named_fields() {
    const TRIP: &str = "form with name, start date, end date and reason";
    const TRIP_JA: &str = "名前、開始日、終了日、理由のフォーム";
    for (first, later, expected) in [
        (
            TRIP,
            "change reason to purpose",
            "Name:text, Start date:date, End date:date, Purpose:textarea",
        ),
        (
            TRIP,
            "put reason before start date",
            "Name:text, Reason:textarea, Start date:date, End date:date",
        ),
        (
            TRIP,
            "add phone after name",
            "Name:text, Phone:text, Start date:date, End date:date, Reason:textarea",
        ),
        (
            TRIP,
            "make reason a choice of work or family",
            "Name:text, Start date:date, End date:date, Reason:radio(work/family)",
        ),
        (
            TRIP,
            "make reason a choice of work, family with family as default",
            "Name:text, Start date:date, End date:date, Reason:radio(work/family)",
        ),
        (
            TRIP_JA,
            "理由は選択式で「仕事」「家族について」「旅」",
            "お名前:text, 開始日:date, 終了日:date, 理由:radio(仕事/家族について/旅)",
        ),
        (TRIP_JA, "理由を目的に名前変更", "お名前:text, 開始日:date, 終了日:date, 目的:textarea"),
        (
            TRIP_JA,
            "理由を開始日の前に移して",
            "お名前:text, 理由:textarea, 開始日:date, 終了日:date",
        ),
        (
            TRIP_JA,
            "電話番号を名前の次に追加",
            "お名前:text, 電話番号:text, 開始日:date, 終了日:date, 理由:textarea",
        ),
        (
            TRIP_JA,
            "予算も追加して",
            "お名前:text, 開始日:date, 終了日:date, 理由:textarea, 予算:number",
        ),
    ] {
        assert_eq!(shown(&[first, later], &[]), expected, "{later}");
    }
}

#[test]
fn marks_of_two_fields_differ() {
    const MAIL: &str = "form with name, email and phone";
    for later in [
        "phone optional, the email required",
        "email required, phone optional",
        "phone not required, the email is",
    ] {
        let expected =
            "Name:text required=true, Email:text required=true, Phone:text required=false";
        assert_eq!(shown(&[MAIL, later], &["required"]), expected, "{later}");
    }
}

#[test]
fn names_of_two_fields_alike_mean_their_own() {
    let found = shown(
        &["form with first name, last name and email", "make last name optional"],
        &["required"],
    );
    assert_eq!(
        found,
        "First name:text required=true, Last name:text required=false, Email:text required=true"
    );
    let found = shown(&["make a poll: tea, milk or juice?", "take out milk and add water"], &[]);
    assert_eq!(found, "tea / juice / water:radio(tea/juice/water)");
    let found =
        shown(&["form with name and email", "oh and a checkbox that they accept the terms"], &[]);
    assert!(
        found.ends_with("They accept the terms:checkbox")
            || found.ends_with("Accept the terms:checkbox"),
        "{found}"
    );
}

#[test]
fn questions_have_the_answers_behind_them() {
    for (sentences, expected) in [
        (
            &[
                "quiz form: Who wrote Hamlet? Shakespeare, Marlowe. How many legs has a spider? 6, 8",
            ][..],
            "Who wrote Hamlet:radio(Shakespeare/Marlowe), How many legs has a spider:radio(6/8)",
        ),
        (
            &["quiz form: What is 3+4? 6, 7", "add another question: Longest river? Nile, Amazon"],
            "3+4:radio(6/7), Longest river:radio(Nile/Amazon)",
        ),
        (
            &["クイズフォーム 県の数は？46、47、48", "もう一問追加 一番大きい湖は？琵琶湖、霞ヶ浦"],
            "県の数:radio(46/47/48), 一番大きい湖:radio(琵琶湖/霞ヶ浦)",
        ),
    ] {
        assert_eq!(shown(sentences, &[]), expected, "{sentences:?}");
    }
}

#[test]
fn pages_become_headings_with_their_fields() {
    const PAGES: &str = "form with page 1: name and phone, page 2: reason and notes";
    const PAGES_JA: &str = "2ページのフォーム。1ページ目は氏名と電話、2ページ目は理由と備考";
    for (sentences, expected) in [
        (
            &[PAGES][..],
            "Page 1:heading, Name:text, Phone:text, Page 2:heading, Reason:textarea, Notes:textarea",
        ),
        (
            &[PAGES, "move reason to page 1"],
            "Page 1:heading, Name:text, Phone:text, Reason:textarea, Page 2:heading, Notes:textarea",
        ),
        (
            &[PAGES_JA, "備考を1ページ目に移して"],
            "1ページ目:heading, お名前:text, 電話番号:text, 備考:textarea, 2ページ目:heading, 理由:textarea",
        ),
    ] {
        assert_eq!(shown(sentences, &[]), expected, "{sentences:?}");
    }
}

#[test]
fn one_more_rating_is_like_the_others() {
    for (first, later, expected) in [
        ("味、量、接客をそれぞれ5段階で評価するフォーム", "立地も追加", "立地"),
        ("form: rate taste and service, each from 1 to 5", "add location", "Location"),
    ] {
        let form = form(&[first, later]);
        let last = form.last().unwrap();
        assert_eq!(last["label"], expected, "{form:?}");
        assert_eq!((&last["type"], &last["max"]), (&form[0]["type"], &json!(5)), "{form:?}");
    }
}

#[test]
fn corrects_slips_in_the_names_of_fields() {
    for (sentence, expected) in [
        ("form with naem, emial and adress", "Naem:text, Email:text, Address:text"),
        ("form with a birhtday and commments", "Birthday:date, Comments:textarea"),
        (
            "form with favourite word, county and preview",
            "Favourite word:text, County:text, Preview:text",
        ),
        ("form with pick-up time and name", "Pick-up time:text, Name:text"),
        ("出欠フォーム：名前、ひとこと", "お名前:text, ひとこと:textarea"),
    ] {
        assert_eq!(shown(&[sentence], &[]), expected, "{sentence}");
    }
}

#[test]
fn existing_field_is_shown_under_a_condition() {
    for (first, later) in [
        ("名前、来るか来ないか、人数のフォーム", "人数は来る人だけ"),
        ("氏名、昼食(はい・いいえ)、飲み物は茶・水のフォーム", "飲み物は昼食の人だけ"),
        ("form with name, transport (bus, car) and plate", "ask plate only if car"),
    ] {
        let form = form(&[first, later]);
        let last = form.last().unwrap();
        assert_eq!(last["showIf"]["field"], form[1]["name"], "{later}: {form:?}");
    }
}

#[test]
fn measures_rates_and_further_things_are_names() {
    const MAIL: &str = "名前とメールのフォーム";
    for (sentences, expected) in [
        (&["3ページ以内の原稿と名前のフォーム"][..], "3ページ以内の原稿:text, お名前:text"),
        (&["1ページあたりの単価と部数のフォーム"], "1ページあたりの単価:text, 部数:number"),
        (&["form with part 1 score and part 2 score"], "Part 1 score:range, Part 2 score:range"),
        (
            &["form with name, rate per hour and rate of pay"],
            "Name:text, Rate per hour:text, Rate of pay:text",
        ),
        (
            &["会議室の使用を申請するフォーム。氏名、日時、人数"],
            "お名前:text, 日時:datetime, 人数:number",
        ),
        (&["体調を記録するフォーム：日付、体温"], "日付:date, 体温:number"),
        (&[MAIL, "追加の要望も聞いて"], "お名前:text, メールアドレス:text, 追加の要望:textarea"),
        (&[MAIL, "追加事項の欄を追加して"], "お名前:text, メールアドレス:text, 追加事項:text"),
        (&[MAIL, "電話追加で"], "お名前:text, メールアドレス:text, 電話番号:text"),
    ] {
        assert_eq!(shown(sentences, &[]), expected, "{sentences:?}");
    }
}

#[test]
fn marks_are_no_questions_about_fields() {
    for (sentences, expected) in [
        (
            &["名前と確認用メールのフォーム", "確認用メールは任意で"][..],
            "お名前:text required=true, 確認用メール:text required=false",
        ),
        (
            &["名前とメールのフォーム", "メールは任意で、確認も"],
            "お名前:text required=true, メールアドレス:text required=false",
        ),
    ] {
        assert_eq!(shown(sentences, &["required"]), expected, "{sentences:?}");
    }
    // A text becomes no field of that name.
    let mut talk = new_talk();
    talk.say("form with name and email");
    let decided = talk.say("turn email into a dropdown");
    assert!(!format!("{decided:?}").contains("A dropdown"), "{decided:?}");
}

#[test]
fn form_about_a_topic_says_that_its_fields_are_usual() {
    for sentence in ["休暇を申請するフォーム", "不具合を報告するフォーム"] {
        let form = call(&new_talk().say(sentence)).1["form_schema"].clone();
        assert!(
            form["description"].as_str().unwrap_or_default().contains("よく使われる"),
            "{form}"
        );
    }
}

#[test]
fn lists_fields_when_asked_in_any_words() {
    for (first, later) in [
        ("名前と備考のフォーム", "今の項目を見せて"),
        ("名前と備考のフォーム", "任意なのはどれ？"),
        ("form with name and notes", "whats optional in it?"),
        ("form with name and notes", "show me the fields"),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        let text = concluded(&talk.say(later)).text();
        assert!(text.contains("備考") || text.contains("Notes"), "{later}: {text}");
    }
}
