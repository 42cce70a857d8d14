//! Sentences that take something back, go on from an end, or are no request, with all families.

use language::turn::ToolCall;
use serde_json::Value;

use super::{Talk, house::follow};

fn tools(calls: &[ToolCall]) -> Vec<&str> {
    calls.iter().map(|it| it.name.as_str()).collect()
}

/// The tools of the last of `sentences`, and its answer.
fn last(sentences: &[&str]) -> (Vec<String>, String) {
    let mut talk = Talk::new();
    let mut outcome = None;
    for sentence in sentences {
        outcome = Some(follow(&mut talk, sentence));
    }
    let outcome = outcome.unwrap();
    (tools(&outcome.calls).into_iter().map(str::to_owned).collect(), outcome.text)
}

#[test]
fn last_change_is_taken_back_after_thanks() {
    for sentences in [
        &["渋谷から新宿まで", "歩いて", "ありがとう", "元に戻して"][..],
        &["from Shibuya to Shinjuku", "on foot", "thanks", "undo"],
        &["from Shibuya to Shinjuku", "on foot", "cheers!", "I liked the previous one better"],
    ] {
        let (tools, text) = last(sentences);
        assert_eq!(tools, ["route_search"], "{sentences:?}: {text}");
    }
    for sentences in [
        &["青いカードを3枚見せて", "元に戻して"][..],
        &["show me 2 blue cards", "thanks", "undo"],
        &["from Shibuya to Shinjuku", "undo"],
        &["showtimes of Akira tomorrow", "the previous one"],
    ] {
        let (tools, text) = last(sentences);
        let is_told = text.contains("元に戻せる") || text.contains("nothing was done");
        assert!(tools.is_empty() && is_told, "{sentences:?}: {text}");
    }
}

#[test]
fn danger_and_other_languages_are_answered_at_once() {
    for (sentence, told) in [
        ("助けて！火事です", "119番"),
        ("the house is on fire, how do I get to the fire station?", "119"),
        ("Someone is bleeding at the cinema", "119"),
        ("你能帮我吗", "日本語と英語"),
        ("¿Hablas español?", "English and Japanese only"),
        ("Bonjour, je voudrais aller de Shibuya à Ueno", "English and Japanese only"),
    ] {
        let (tools, text) = last(&[sentence]);
        assert!(tools.is_empty() && text.contains(told), "{sentence}: {text}");
    }
}

#[test]
fn danger_and_names_in_requests_are_no_asides() {
    for (sentence, tool) in [
        ("恋人が殺される映画", "list_movies"),
        ("死にたいほど退屈、今日の映画は？", "list_movies"),
        ("救急車を呼ぶ訓練の参加フォームを作って", "request_form"),
        ("雪兎ユキでサムネイルを作って、タイトルは救急車を呼べ", "get_card_illustration"),
        ("worker-aとworker-bで火事だと想定して話し合って", "begin_conversation"),
        ("make a form about heart attack symptoms", "request_form"),
        ("is there a movie called Heart Attack today?", "list_movies"),
        ("let worker-a and worker-b discuss what to do when there is a fire", "begin_conversation"),
        ("thumbnail with Luna, title: Call the Police", "get_card_illustration"),
        ("make a form titled 你好吗", "request_form"),
        ("make a form asking ¿Cómo te llamas?", "request_form"),
    ] {
        let (tools, text) = last(&[sentence]);
        assert_eq!(tools.first().map(String::as_str), Some(tool), "{sentence}: {text}");
    }
}

#[test]
fn tickets_on_a_way_have_no_tolls() {
    let (tools, text) = last(&["渋谷から新宿の映画館のチケットはいくらかかる？"]);
    assert_eq!(tools[0], "list_movies", "{text}");
    let (tools, text) = last(&["recommend something scary"]);
    assert_eq!(tools[0], "list_movies", "{text}");
}

#[test]
fn tolls_of_a_new_route_are_no_films() {
    for sentence in
        ["六本木から横浜、高速代いくら？", "how much are the tolls from Shibuya to Yokohama?"]
    {
        let (tools, text) = last(&[sentence]);
        assert_eq!(tools, ["route_search"], "{sentence}: {text}");
    }
}

#[test]
fn choice_is_put_aside_in_other_words() {
    for sentences in [
        &["明日のAKIRA2枚", "やっぱり今のは白紙に戻して"][..],
        &["明日のAKIRA2枚", "さっきの話はなかったことに"],
        &["2 for Akira tomorrow", "forget I said that"],
    ] {
        let (tools, text) = last(sentences);
        assert!(tools.is_empty() && !text.is_empty(), "{sentences:?}: {tools:?}");
    }
    let fields = |sentences: &[&str]| {
        let mut talk = Talk::new();
        let outcome = sentences.iter().map(|it| follow(&mut talk, it)).last().unwrap();
        outcome.calls[0].arguments["form_schema"]["fields"].clone()
    };
    let taken = fields(&["名前とメールのフォーム", "住所を追加", "やっぱり今のは白紙に戻して"]);
    assert_eq!(taken.as_array().unwrap().len(), 2, "{taken}");
}

/// Expects the last call of each dialogue to be of a tool, with a text in its arguments; no tool where none is called.
fn expect_last(dialogues: &[(&[&str], &str, &str)]) {
    for (sentences, tool, part) in dialogues {
        let mut talk = Talk::new();
        let mut outcome = None;
        for sentence in *sentences {
            outcome = Some(follow(&mut talk, sentence));
        }
        let outcome = outcome.unwrap();
        let last = outcome.calls.last();
        let arguments = last.map(|it| Value::Object(it.arguments.clone()).to_string());
        assert_eq!(last.map_or("", |it| &it.name), *tool, "{sentences:?}: {}", outcome.text);
        let found = arguments.unwrap_or(outcome.text);
        assert!(found.contains(part), "{sentences:?}: {found}");
    }
}

#[test]
fn film_is_named_as_people_name_it() {
    expect_last(&[
        (&["羅生門予約しといて"], "request_form", "羅生門"),
        (&["東京物語いつ？"], "list_showtimes", "tokyo-monogatari"),
        (&["まだ予約しないでね、明日の羅生門の空きだけ教えて"], "request_form", "羅生門"),
        (&["明日の映画を予約したい", "totoro"], "request_form", "トトロ"),
        (&["明日の映画は？", "トトロがいい"], "list_showtimes", "tonari-no-totoro"),
        (&["トトロを明日2枚", "あ、ごめん、やっぱりおくりびとで"], "request_form", "おくりびと"),
        (&["トトロを明日2枚", "やっぱりゴジラがいい"], "request_form", "ゴジラ"),
        (&["明日の映画は？", "3番ってどんな映画？"], "list_movies", "東京物語"),
        (&["films on friday", "ikiru", "what's it about"], "list_movies", "Ikiru"),
        (&["羅生門ってどんな話？", "何分ですか？"], "list_movies", "羅生門"),
        (&["明日のゴジラ何時？", "もう一回言って"], "list_showtimes", "godzilla"),
        (&["それより明日の映画は？"], "list_movies", "{\"date\":\"2026-11-22\"}"),
        (&["明日の一覧"], "list_movies", "2026-11-22"),
    ]);
}

#[test]
fn seats_are_counted_apart_from_names() {
    for (sentences, seats) in [
        (&["明日の時代劇は？", "七人の侍を一名で"][..], 1),
        (&["明日のAKIRA", "おとな2まい"], 2),
        (&["showtimes of Godzilla tomorrow night", "two please"], 2),
        (&["showtimes of Akira tomorrow", "get me two in the middle"], 2),
    ] {
        let mut talk = Talk::new();
        let calls = sentences.iter().map(|it| follow(&mut talk, it).calls).last().unwrap();
        let form = &calls.last().unwrap().arguments["form_schema"]["fields"][0];
        let first = form["options"][0]["value"].as_str().unwrap_or_default();
        assert_eq!(first.split(',').count(), seats, "{sentences:?}: {form}");
    }
}

#[test]
fn lists_are_gone_through() {
    expect_last(&[
        (&["カードの種類", "3番見せて"], "get_theme_illustrations", "翠森精霊"),
        (&["show me the themes", "the third one"], "get_theme_illustrations", "Verdant"),
        (&["雪月花のカード3枚", "他には"], "get_card_illustration", ""),
        (&["会話はある？", "終わったのは？"], "list_conversations", "ended"),
        (&["まだ答えてないフォームある？", "答えたやつは？"], "list_form_submissions", "submitted"),
        (&["誰がいる？"], "list_conversations", ""),
    ]);
}

#[test]
fn kana_and_two_wishes_are_understood() {
    expect_last(&[
        (&["しんじゅくからうえのまで"], "route_search", "\"うえの\""),
        (&["なまえとでんわばんごうをきくふぉーむ"], "request_form", "電話番号"),
        (&["参加するかどうか聞くフォーム"], "request_form", "attendance"),
        (&["きいろいかーどみせて"], "get_theme_illustrations", "黄金王朝"),
        (&["いや、いい"], "", "何もしていません"),
        (&["ありがと！めっちゃいい"], "", "ありがとう"),
        (&["how many messages?"], "", ""),
    ]);
    let outcome = follow(&mut Talk::new(), "ゴジラを明日2枚取って、worker-aに取れたって伝えて");
    assert_eq!(tools(&outcome.calls)[0], "list_movies", "the booking goes first");
}

/// The last call of the last of `sentences`, as text.
fn last_call(sentences: &[&str]) -> String {
    let mut talk = Talk::new();
    let mut call = String::new();
    for sentence in sentences {
        let outcome = follow(&mut talk, sentence);
        call = outcome.calls.last().map_or(outcome.text, |call| {
            format!("{} {}", call.name, Value::Object(call.arguments.clone()))
        });
    }
    call
}

#[test]
fn sloppy_sentences_are_read() {
    for (sentences, tool, word) in [
        (
            &["えーと、ゴジラ、じゃないや、トトロの、明日、2枚、あ、3枚"][..],
            "request_form",
            "トトロ",
        ),
        (&["resrve 2 tickts for Akira tomorrow"], "request_form", "Akira"),
        (&["青のカード", "じゃなくて赤"], "get_theme_illustrations", "紅蓮機工"),
        (&["渋谷から横浜", "じゃなくて品川から"], "route_search", "品川"),
        (&["ルナとミミでサムネ作って", "タイトル 猫と梟"], "compose_thumbnail", "猫と梟"),
        (&["紫テーマで4枚使ってサムネつくって"], "compose_thumbnail", "影猫ルナ"),
        (&["青のカードでサムネイル作って", "もう一回作って"], "compose_thumbnail", "蒼晶竜"),
        (&["make a thumbnail with red cards", "make it again"], "compose_thumbnail", "紅蓮機工"),
        (&["名前とメールを聞くフォーム", "もう一個、感想（長文）"], "request_form", "感想"),
        (&["忘年会の出欠とりたい"], "request_form", "attendance"),
        (&["渋谷から横浜行くとどれくらいかかる？"], "route_search", "\"横浜\""),
        (&["渋谷から行徳まで"], "route_search", "行徳"),
        (&["トトロの時間教えて。予約はしないで"], "list_showtimes", "totoro"),
        (&["なんでもいいから明日使うカード2枚見せて"], "get_card_illustration", "card_name"),
        (&["any films tn?"], "list_movies", "T17:00"),
    ] {
        let call = last_call(sentences);
        assert!(call.starts_with(tool) && call.contains(word), "{sentences:?}: {call}");
    }
}

#[test]
fn sloppy_sentences_do_nothing_else() {
    for (sentences, word) in [
        (&["明日の夜ならなんでもいい 2枚"][..], "card_name"),
        (&["任せる、明日の夜2枚"], "card_name"),
        (&["Totoro tomorrow, 2 please. Actually make that Ponyo"], "totoro"),
        (&["films tomorrow", "is it in Tokyo?"], "tokyo-monogatari"),
        (&["誕生日いつ？"], "list_movies"),
        (&["ルナとミミでサムネ作って", "タイトル つけて"], "compose_thumbnail"),
        (&["例えば？"], "title_query"),
        (&["worker-aとworker-bで話して。やっぱりやめて"], "begin_conversation"),
        (&["3月40日のゴジラを2枚"], "showtime"),
        (&["明日の羅生門を1枚", "隣じゃなくていい"], "title_query"),
        (&["one seat for Rashomon tomorrow", "make it quick"], "title_query"),
        (&["let worker-a and worker-b talk about relied sorter"], "replied"),
    ] {
        let call = last_call(sentences);
        assert!(!call.contains(word), "{sentences:?}: {call}");
    }
}
