//! Sentences that take something back, go on from an end, or are no request, with all families.

use language::turn::ToolCall;

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
