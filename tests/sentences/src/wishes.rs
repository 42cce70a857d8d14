//! Wishes of everyday dialogues, with all families: limits of the price, films seen already, several things in one
//! sentence, questions after a route, and orders on a condition.

use language::turn::ToolCall;

use super::{
    Talk,
    house::{Outcome, follow},
};

/// What the last of `sentences` leads to.
fn last(sentences: &[&str]) -> Outcome {
    let mut talk = Talk::new();
    let outcome = sentences.iter().map(|it| follow(&mut talk, it)).last();
    outcome.unwrap()
}

fn tools(calls: &[ToolCall]) -> Vec<&str> {
    calls.iter().map(|it| it.name.as_str()).collect()
}

/// The last form that is asked.
fn form(outcome: &Outcome) -> String {
    let form = outcome.calls.iter().rev().find_map(|it| it.arguments.get("form_schema"));
    form.map(ToString::to_string).unwrap_or_default()
}

#[test]
fn answers_a_limit_of_the_price() {
    for sentences in [
        &["明日のAKIRA2枚。金額は1万円まで"][..],
        &["金額は5000円まで、明日のAKIRA3枚"],
        &["2000円以下の席"],
        &["2 seats for Akira tomorrow, not more than 5000 yen"],
        &["明日のAKIRA2枚", "予算は5000円以内で、後ろの方"],
    ] {
        let form = form(&last(sentences));
        let is_told = form.contains("料金で席を選ぶ") || form.contains("seats by price");
        assert!(is_told, "{sentences:?}: {form}");
    }
    let outcome = last(&["明日のAKIRAの2000円以下の席ある？"]);
    assert!(outcome.text.contains("料金で席を選ぶ"), "{}", outcome.text);
    assert_eq!(outcome.calls[0].arguments["title_query"], "AKIRA");
    // The price of what is chosen is looked up.
    let outcome = last(&["明日のAKIRA2枚", "金額は3000円まで"]);
    assert_eq!(tools(&outcome.calls), ["list_available_seats"], "{}", outcome.text);
}

#[test]
fn film_that_was_seen_is_not_offered() {
    for sentences in [
        &["千と千尋はもう見たから他ので明日2枚"][..],
        &["明日の千と千尋2枚", "それはもう見たから他ので"],
        &["明日の千と千尋2枚", "他の映画で"],
        &["Spirited Away tomorrow for two", "another film please"],
        &["アニメはもう見たので他のを明日2枚"],
    ] {
        let form = form(&last(sentences));
        let is_seen = form.contains("千と千尋") || form.contains("Spirited");
        assert!(form.contains("movie_id") && !is_seen, "{sentences:?}: {form}");
    }
    let outcome = last(&["AKIRAはもう見たからゴジラを明日2枚"]);
    assert_eq!(outcome.calls[0].name, "list_movies", "{:?}", outcome.calls);
}

#[test]
fn question_after_a_route_is_about_it() {
    for (sentences, tool) in [
        (&["東京駅から横浜駅まで", "それは何分？"][..], "route_search"),
        (&["Tokyo to Yokohama", "how long is that?"], "route_search"),
        (&["Tokyo to Yokohama", "how long is Akira?"], "list_movies"),
        (&["ゴジラってどんな映画？", "それは何分？"], "list_movies"),
    ] {
        let outcome = last(sentences);
        assert_eq!(tools(&outcome.calls).first(), Some(&tool), "{sentences:?}: {}", outcome.text);
    }
}

#[test]
fn conversation_is_not_stopped_on_a_condition() {
    const JA: &str = "worker-aとworker-bでしりとりして";
    const EN: &str = "let worker-a and worker-b play a word chain";
    for sentences in [
        &[EN, "stop it if someone repeats a word"][..],
        &[EN, "stop them unless they agree"],
        &[JA, "同じ言葉が出たら止めて"],
        &["conv_1を、喧嘩になるなら止めて"],
    ] {
        let outcome = last(sentences);
        let is_told = outcome.text.contains("条件") || outcome.text.contains("condition");
        assert!(outcome.calls.is_empty() && is_told, "{sentences:?}: {}", outcome.text);
    }
    for sentences in
        [&[EN, "stop it if you can"][..], &["conv_1を、できれば止めて"], &["conv_1を止めて"]]
    {
        let outcome = last(sentences);
        assert_eq!(outcome.calls.last().unwrap().name, "stop_conversation", "{sentences:?}");
    }
}

#[test]
fn each_of_several_things_is_answered() {
    for (sentence, expected) in [
        (
            "明日の映画、東京駅から渋谷までの道、雪兎ユキのカード",
            &["list_movies", "route_search", "get_card_illustration"][..],
        ),
        (
            "明日の上映一覧と、東京駅から渋谷までの道と、続いてる会話",
            &["list_movies", "route_search", "list_conversations"],
        ),
        (
            "films tomorrow, a route from Shibuya to Ueno and the card Yuki",
            &["list_movies", "route_search", "get_card_illustration"],
        ),
        // What is asked back comes before the rest.
        ("映画とカードと道順", &["list_movies", "request_form"]),
        ("ユキのカード見せて、それとしりとりも始めて", &["get_card_illustration", "request_form"]),
        // A list of fields or subjects is one wish.
        ("名前、メール、電話番号のフォーム", &["request_form"]),
        ("worker-aとworker-bで映画、道順、カードについて話して", &["begin_conversation"]),
    ] {
        let outcome = last(&[sentence]);
        assert_eq!(tools(&outcome.calls), expected, "{sentence}: {}", outcome.text);
    }
}

#[test]
fn reversal_is_of_what_came_last() {
    const FORM: &str = "名前とメールのフォーム";
    for (sentences, tool) in [
        (&["東京駅から横浜まで", FORM, "逆にして"][..], "request_form"),
        (&[FORM, "東京駅から横浜まで", "逆にして"], "route_search"),
        (&[FORM, "千年桜とソレイユのサムネ", "逆にして"], "compose_thumbnail"),
    ] {
        assert_eq!(tools(&last(sentences).calls), [tool], "{sentences:?}");
    }
}

#[test]
fn choices_and_forms_are_named_in_passing() {
    // What is chosen from is no origin.
    let outcome = last(&["飲み会の出欠フォーム", "参加・不参加・未定から選ぶ"]);
    assert!(!tools(&outcome.calls).contains(&"route_search"), "{:?}", outcome.calls);
    let outcome =
        last(&["名前とメールのフォーム", "東京駅から横浜駅まで", "さっきのフォームに電話も"]);
    assert!(form(&outcome).contains("電話番号"), "{:?}", outcome.calls);
    let outcome = last(&["名前と住所のフォーム", "フォームをもう一つ、趣味と年齢で"]);
    let form = form(&outcome);
    assert!(form.contains("趣味") && form.contains("年齢") && !form.contains("住所"), "{form}");
    assert!(!form.contains("一つ"), "{form}");
}

#[test]
fn number_of_tickets_is_no_limit_of_the_price() {
    for sentence in
        ["AKIRAの料金は2枚でいくら", "料金は2人でいくら？", "明日のAKIRA、料金は2枚で？"]
    {
        let outcome = last(&[sentence]);
        assert!(!outcome.text.contains("料金で席を選ぶ"), "{sentence}: {}", outcome.text);
    }
    for sentence in ["AKIRA2枚、予算は5000円ぐらい", "一人1500円ならAKIRA2枚"] {
        let form = form(&last(&[sentence]));
        assert!(form.contains("料金で席を選ぶ"), "{sentence}: {form}");
    }
    let outcome = last(&["明日のAKIRA、予算1万円"]);
    assert!(outcome.text.contains("料金で席を選ぶ"), "{}", outcome.text);
}

#[test]
fn another_film_keeps_its_day_and_number() {
    for sentences in [
        &["明日のAKIRA2枚", "別の映画を明後日3枚"][..],
        &["AKIRAってどんな映画？", "別の映画を明後日3枚"],
    ] {
        let outcome = last(sentences);
        assert_eq!(outcome.calls[0].arguments["date"], "2026-11-23", "{sentences:?}");
        let form = form(&outcome);
        assert!(form.contains("movie_id") && !form.contains("\"count\""), "{form}");
    }
    for sentences in [
        ["明日のAKIRA2枚", "他の映画はいらない"],
        ["明日のAKIRA2枚", "他の映画館で"],
        ["Akira tomorrow for two", "not another film"],
    ] {
        let form = form(&last(&sentences));
        assert!(!form.contains("movie_id"), "{sentences:?}: {form}");
    }
}

#[test]
fn understands_refused_detours_and_arrivals() {
    for then in ["池袋寄りたくない", "池袋寄るのはやめ"] {
        let outcome = last(&["渋谷から上野まで", then]);
        assert!(!outcome.text.contains("池袋経由"), "{then}: {}", outcome.text);
    }
    let outcome = last(&["渋谷から上野まで", "池袋寄りたくなった"]);
    assert!(outcome.text.contains("池袋経由"), "{}", outcome.text);
    for sentence in ["横浜到着で渋谷から", "渋谷から横浜到着で9時"] {
        let outcome = last(&[sentence]);
        assert_eq!(outcome.calls[0].arguments["destination"], "横浜", "{sentence}");
    }
    let outcome = last(&["家から選手村まで"]);
    assert!(form(&outcome).contains("選手村"), "{}", outcome.text);
    let outcome = last(&["渋谷から上野まで", "何分の映画？"]);
    assert_eq!(tools(&outcome.calls), ["list_movies"]);
}

#[test]
fn fields_are_named_with_needless_words() {
    const FORM: &str = "名前、メール、電話番号のフォーム";
    for then in ["いらない電話番号の項目を削除", "不要な電話番号を消して"]
    {
        let form = form(&last(&[FORM, then]));
        assert!(!form.contains("電話") && form.contains("メール"), "{then}: {form}");
    }
    let kept = form(&last(&[FORM, "不要な物を追加", "不要な物を消して"]));
    assert!(!kept.contains("不要な物") && kept.contains("電話"), "{kept}");
    let first = form(&last(&["form with name and email", "put that question about age first"]));
    assert!(first.contains("age"), "{first}");
}

#[test]
fn conversation_that_goes_on_is_stopped() {
    const EN: &str = "let worker-a and worker-b play a word chain";
    for sentences in [
        &["conv_1なら止めて"][..],
        &["conv_1がまだ動いてたら止めて"],
        &["もし動いてる会話があれば全部止めて"],
        &["stop conv_1 if it is still running"],
        &[EN, "stop it if it's still running"],
        &[EN, "please stop it if that is okay"],
    ] {
        let calls = last(sentences).calls;
        assert_eq!(tools(&calls).last(), Some(&"stop_conversation"), "{sentences:?}");
    }
    let calls = last(&[EN, "まだ続いてるなら一時停止"]).calls;
    assert_eq!(tools(&calls).last(), Some(&"pause_conversation"));
    for sentences in [
        &["conv_1が5分後にまだ動いてたら止めて"][..],
        &["conv_1がまだ動いていて喧嘩なら止めて"],
        &["stop conv_1 if it is still running at noon"],
        &[EN, "stop it if any of them swears"],
        &[EN, "what happens if I stop it?"],
    ] {
        assert!(last(sentences).calls.is_empty(), "{sentences:?}");
    }
}

#[test]
fn words_that_begin_like_others_are_no_such_words() {
    let outcome = last(&["来月初めて見る映画2枚"]);
    assert!(outcome.calls[0].arguments.get("date").is_none(), "{:?}", outcome.calls);
    let outcome = last(&["AKIRAはもう見たけどもう一回明日2枚"]);
    assert_eq!(outcome.calls[0].arguments["title_query"], "AKIRA");
    let outcome = last(&["渋谷まで何できた"]);
    assert!(!outcome.text.starts_with("たとえば"), "{}", outcome.text);
}

#[test]
fn list_that_is_refused_is_one_wish() {
    let outcome = last(&["明日の映画と渋谷から上野と桜のカードはいらない"]);
    assert!(!tools(&outcome.calls).contains(&"route_search"), "{:?}", outcome.calls);
}
