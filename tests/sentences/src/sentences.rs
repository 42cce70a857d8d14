//! Sentences of the five specifications, with their first calls.

use language::turn::Decision;
use serde_json::Value;

use super::{Talk, concluded};

/// Sentences and their calls: tools with required arguments; `-` is no call.
const SENTENCES: &[(&str, &str)] = &[
    // The cinema.
    ("明日の夜に2席取りたい", r#"list_movies {"date":"2026-11-22T17:00"}"#),
    ("Book two seats for tomorrow night", r#"list_movies {"date":"2026-11-22T17:00"}"#),
    ("今日やっている映画を教えて", r#"list_movies {"date":"2026-11-21T10:00"}"#),
    ("What's on at the cinema today?", r#"list_movies {"date":"2026-11-21T10:00"}"#),
    ("いま上映中の映画は？", r#"list_movies {}"#),
    ("Which movies are playing on Friday?", r#"list_movies {"date":"2026-11-27"}"#),
    ("来週の金曜に観られるアニメはある？", r#"list_movies {"date":"2026-11-27"}"#),
    ("11月23日に上映される映画の一覧を見せてください", r#"list_movies {"date":"2026-11-23"}"#),
    ("１１／２３の映画は何がある？", r#"list_movies {"date":"2026-11-23"}"#),
    ("「君の名は」の上映時間を知りたい", r#"list_movies {"title_query":"君の名は"}"#),
    ("羅生門は明日何時から？", r#"list_movies {"date":"2026-11-22","title_query":"羅生門"}"#),
    (
        "When is Spirited Away showing tomorrow?",
        r#"list_movies {"date":"2026-11-22","title_query":"Spirited Away"}"#,
    ),
    (
        "Two tickets for Seven Samurai this Sunday, please",
        r#"list_movies {"date":"2026-11-22","title_query":"Seven Samurai"}"#,
    ),
    (
        "土曜の夜、「AKIRA」を二人で観たい",
        r#"list_movies {"date":"2026-11-21","title_query":"AKIRA"}"#,
    ),
    ("きみのなわを観たいんだけど", r#"list_movies {"title_query":"きみのなわ"}"#),
    (
        "明後日の昼、3人で映画を観たいので席を予約してください",
        r#"list_movies {"date":"2026-11-23T11:00"} + list_movies {"date":"2026-11-23T14:01"}"#,
    ),
    (
        "I'd like to reserve three seats for the day after tomorrow",
        r#"list_movies {"date":"2026-11-23"}"#,
    ),
    (
        "明日の羅生門に空席はありますか",
        r#"list_movies {"date":"2026-11-22","title_query":"羅生門"}"#,
    ),
    (
        "Are there any seats left for \"Akira\" tonight?",
        r#"list_movies {"date":"2026-11-21","title_query":"Akira"}"#,
    ),
    ("上映回 st-42 の空席を見せて", r#"list_available_seats {"showtime_id":"st-42"}"#),
    ("Show the free seats of showtime st-42", r#"list_available_seats {"showtime_id":"st-42"}"#),
    ("movie_id akira の上映時間を教えて", r#"list_showtimes {"movie_id":"akira"}"#),
    ("予約番号 r-123 の内容を見せて", r#"get_reservation {"reservation_id":"r-123"}"#),
    ("Show me reservation r-123", r#"get_reservation {"reservation_id":"r-123"}"#),
    ("会話ID c-7 の履歴を見せて", r#"get_conversation_history {"conversation_id":"c-7"}"#),
    (
        "Show the history of conversation c-7",
        r#"get_conversation_history {"conversation_id":"c-7"}"#,
    ),
    ("18時以降に上映される明日の映画は？", r#"list_movies {"date":"2026-11-22T18:00"}"#),
    ("予約しないで、明日の映画だけ教えて", r#"list_movies {"date":"2026-11-22"}"#),
    (
        "Just tell me what's on tomorrow, don't book anything",
        r#"list_movies {"date":"2026-11-22"}"#,
    ),
    // Routes.
    (
        "東京駅から横浜駅まで、高速を使わずに",
        r#"route_search {"origin":"東京駅","destination":"横浜駅","avoid":["highways"]}"#,
    ),
    (
        "from Shinjuku to Yokohama station avoiding tolls",
        r#"route_search {"origin":"Shinjuku","destination":"Yokohama station","avoid":["tolls"]}"#,
    ),
    (
        "渋滞を避けて新宿駅から羽田空港まで行きたい",
        r#"route_search {"origin":"新宿駅","destination":"羽田空港","departure_time":"now"}"#,
    ),
    (
        "東京タワーから浅草寺へ一番早いルートを教えて",
        r#"route_search {"origin":"東京タワー","destination":"浅草寺","alternatives":true}"#,
    ),
    (
        "品川駅から鎌倉まで右折少なめでお願いします",
        r#"route_search {"origin":"品川駅","destination":"鎌倉","alternatives":true}"#,
    ),
    (
        "What's the fastest way from Tokyo Station to Kamakura?",
        r#"route_search {"origin":"Tokyo Station","destination":"Kamakura","alternatives":true}"#,
    ),
    (
        "How do I get to Haneda Airport from Shibuya without highways?",
        r#"route_search {"origin":"Shibuya","destination":"Haneda Airport","avoid":["highways"]}"#,
    ),
    ("渋谷から川崎への道順", r#"route_search {"origin":"渋谷","destination":"川崎"}"#),
    (
        "出発地は池袋駅、目的地は大宮駅、下道で",
        r#"route_search {"origin":"池袋駅","destination":"大宮駅","avoid":["highways"]}"#,
    ),
    (
        "上野から秋葉原まで歩いて行くルート",
        r#"route_search {"origin":"上野","destination":"秋葉原"}"#,
    ),
    (
        "Navigate from Ueno to Chiba and avoid traffic",
        r#"route_search {"origin":"Ueno","destination":"Chiba","departure_time":"now"}"#,
    ),
    ("横浜駅はどこ？", r#"geocode {"address":"横浜駅"}"#),
    ("Where is Yokohama Station?", r#"geocode {"address":"Yokohama Station"}"#),
    ("東京スカイツリーの緯度と経度を教えて", r#"geocode {"address":"東京スカイツリー"}"#),
    ("What are the coordinates of Tokyo Tower?", r#"geocode {"address":"Tokyo Tower"}"#),
    (
        "東京駅から横浜駅と千葉駅までの距離を比べて",
        r#"distance_compare {"origins":["東京駅"],"destinations":["横浜駅","千葉駅"]}"#,
    ),
    (
        "Compare the distances from Tokyo Station to Yokohama and Chiba",
        r#"distance_compare {"origins":["Tokyo Station"],"destinations":["Yokohama","Chiba"]}"#,
    ),
    (
        "How far is it from Tokyo to Yokohama?",
        r#"distance_compare {"origins":["Tokyo"],"destinations":["Yokohama"]}"#,
    ),
    ("横浜駅まで行きたい", r#"request_form {}"#),
    ("Take me to Yokohama Station", r#"request_form {}"#),
    (
        "東京駅から横浜駅までのルートを比較して",
        r#"route_search {"origin":"東京駅","destination":"横浜駅","alternatives":true} + distance_compare {}"#,
    ),
    // Cards.
    ("ブルー系テーマのカードでサムネイルを作って", r#"get_theme_illustrations {"theme":"蒼晶竜"}"#),
    ("Make a thumbnail with red cards", r#"get_theme_illustrations {"theme":"Crimson Engine"}"#),
    (
        "「ブラック・マジシャン」のイラストを見せて",
        r#"get_card_illustration {"card_name":"ブラック・マジシャン"}"#,
    ),
    ("紅蓮機工のカードを3枚見せて", r#"get_theme_illustrations {"theme":"紅蓮機工","limit":3}"#),
    (
        "Show me three cards of the Verdant Spirits theme",
        r#"get_theme_illustrations {"theme":"Verdant Spirits","limit":3}"#,
    ),
    (
        "雪月花テーマのイラストを5枚ください",
        r#"get_theme_illustrations {"theme":"雪月花","limit":5}"#,
    ),
    (
        "蒼晶竜 対 紅蓮機工の対戦サムネイルを「決勝戦」というタイトルで",
        r#"get_theme_illustrations {"theme":"蒼晶竜"} + get_theme_illustrations {"theme":"紅蓮機工"}"#,
    ),
    ("ブルーアイズテーマのカードを見せて", r#"get_theme_illustrations {"theme":"ブルーアイズ"}"#),
    (
        "Show me the card \"Blue-Eyes White Dragon\"",
        r#"get_card_illustration {"card_name":"Blue-Eyes White Dragon"}"#,
    ),
    ("灰流うららのカード画像がほしい", r#"get_card_illustration {"card_name":"灰流うらら"}"#),
    ("サムネイルを作って", r#"request_form {}"#),
    // Forms.
    ("名前とメールアドレスを聞くフォームを作って", r#"request_form {}"#),
    ("make a survey with name, age and a date", r#"request_form {}"#),
    ("イベント参加の申込フォームがほしい", r#"request_form {}"#),
    ("I need a contact form with name, email and a message", r#"request_form {}"#),
    ("フォームを作って", r#"request_form {}"#),
    // Conversations.
    (
        "worker-aとworker-bでしりとりをして",
        r#"begin_conversation {"initiator_agent_id":"worker-a","target_agent_id":"worker-b","purpose":"しりとり"}"#,
    ),
    (
        "worker-bに明日の映画を聞いて",
        r#"begin_conversation {"target_agent_id":"worker-b","purpose":"明日の映画"}"#,
    ),
    (
        "Ask worker-b about tomorrow's films",
        r#"begin_conversation {"target_agent_id":"worker-b","purpose":"tomorrow's films"}"#,
    ),
    // No call.
    ("予約しないで", "-"),
    ("明日の夜の席は予約しないでください", "-"),
    ("Don't book anything", "-"),
    ("Please do not reserve any seats for tomorrow", "-"),
    ("昨日、映画を2席予約しました", "-"),
    ("I booked two seats yesterday", "-"),
    ("予約をキャンセルしたらお金は戻る？", "-"),
    ("Can I cancel my reservation?", "-"),
    ("予約を取り消して", "-"),
    ("どうやって予約するの？", "-"),
    ("How do I book seats?", "-"),
    ("フォームは作らないで", "-"),
    ("Don't make a thumbnail", "-"),
    ("こんにちは", "-"),
    ("Hello!", "-"),
    ("ありがとう", "-"),
    ("今日はいい天気だね", "-"),
    ("Tell me a joke", "-"),
    ("株価を教えて", "-"),
    ("What is the meaning of life?", "-"),
    ("ピザを2枚注文して", "-"),
    ("Translate this into French", "-"),
    ("何ができるの？", "-"),
    ("もういい", "-"),
    ("never mind", "-"),
    // Paraphrases.
    ("友達が昨日2席予約したって言ってた", "-"),
    ("予約はまだしないで、空席だけ教えて", r#"list_movies {}"#),
    ("席を取るのはやめて、映画の一覧だけ見せて", r#"list_movies {}"#),
    ("I'm not sure I want to book anything yet", "-"),
    (
        "Could you tell me which films are on this weekend without reserving?",
        r#"list_movies {"date":"2026-11-21T10:00"} + list_movies {"date":"2026-11-22"}"#,
    ),
    (
        "I don't want to book, just looking at what's playing tomorrow",
        r#"list_movies {"date":"2026-11-22"}"#,
    ),
    (
        "土曜の午後に家族4人で千と千尋の神隠しを観たい",
        r#"list_movies {"date":"2026-11-21","title_query":"千と千尋の神隠し"}"#,
    ),
    ("となりのトトロのチケットを3枚お願い", r#"list_movies {"title_query":"となりのトトロ"}"#),
    ("生きるを観たい", r#"list_movies {"title_query":"生きる"}"#),
    ("来週の土曜日、夜の回で2名", r#"list_movies {"date":"2026-11-28T17:00"}"#),
    (
        "Do you have seats for Tokyo Story on Nov 23?",
        r#"list_movies {"date":"2026-11-23","title_query":"Tokyo Story"}"#,
    ),
    (
        "I'd like to make a reservation for 3 people for Your Name on Tuesday",
        r#"list_movies {"date":"2026-11-24","title_query":"Your Name"}"#,
    ),
    ("Any horror films on tonight?", r#"list_movies {"date":"2026-11-21T17:00"}"#),
    (
        "横浜から箱根湯本まで一般道で、朝8時に出発",
        r#"route_search {"origin":"横浜","destination":"箱根湯本","avoid":["highways"],"departure_time":"2026-11-22T08:00:00+09:00"}"#,
    ),
    (
        "東京ディズニーランドへの行き方を教えて、新宿から",
        r#"route_search {"origin":"新宿","destination":"東京ディズニーランド"}"#,
    ),
    ("新宿→渋谷", r#"route_search {"origin":"新宿","destination":"渋谷"}"#),
    (
        "今から新宿へ行く一番早い道は？出発は渋谷",
        r#"route_search {"origin":"渋谷","destination":"新宿","alternatives":true}"#,
    ),
    (
        "What's the quickest route to Narita from Ueno if I leave at 7pm?",
        r#"route_search {"origin":"Ueno","destination":"Narita","alternatives":true,"departure_time":"2026-11-21T19:00:00+09:00"}"#,
    ),
    (
        "羽田空港と成田空港、品川駅からどっちが近いですか",
        r#"distance_compare {"origins":["品川駅"],"destinations":["羽田空港","成田空港"]}"#,
    ),
    (
        "distance between Ueno and Akihabara",
        r#"distance_compare {"origins":["Ueno"],"destinations":["Akihabara"]}"#,
    ),
    ("大阪城の住所は？", r#"geocode {"address":"大阪城"}"#),
    ("lat/long of Osaka Castle", r#"geocode {"address":"Osaka Castle"}"#),
    ("今どこ？", "-"),
    (
        "ブルーのカードで「最終決戦」ってサムネお願いします",
        r#"get_theme_illustrations {"theme":"蒼晶竜"}"#,
    ),
    ("真紅眼の黒竜の絵が見たい", r#"get_card_illustration {"card_name":"真紅眼の黒竜"}"#),
    (
        "fetch artwork for Blue-Eyes White Dragon and Red-Eyes Black Dragon",
        r#"get_card_illustration {"card_name":"Blue-Eyes White Dragon"} + get_card_illustration {"card_name":"Red-Eyes Black Dragon"}"#,
    ),
    ("フォームって何？", "-"),
    ("delete all my reservations", "-"),
    ("予約しちゃだめだよ", "-"),
    ("I would have booked if it were cheaper", "-"),
    ("もし空いていたら予約するかも", "-"),
    ("book a flight to Paris", "-"),
    ("ホテルを予約して", "-"),
    ("レストランを2名で予約したい", "-"),
    ("hotel for two tomorrow night", "-"),
    ("タクシーを呼んで", "-"),
    ("東京駅から横浜駅まで行くのはやめた", "-"),
    ("Why can't I reserve seats?", "-"),
    ("アンケートに答えたくない", "-"),
    ("妻が「明日の夜に2席取りたい」と言っています", "-"),
    ("カードゲームのルールを教えて", "-"),
    ("予約できませんか？明日2席", r#"list_movies {"date":"2026-11-22"}"#),
];

#[test]
fn each_sentence_leads_to_its_calls() {
    let wrong: Vec<_> = SENTENCES
        .iter()
        .filter_map(|(sentence, expected)| {
            let decided = Talk::new().say(sentence);
            let found = calls_text(&decided);
            (!fits(&decided, expected))
                .then(|| format!("{sentence}\n  expected {expected}\n  found    {found}"))
        })
        .collect();
    assert!(SENTENCES.len() >= 80);
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), SENTENCES.len(), wrong.join("\n"));
}

#[test]
fn unknown_sentence_gets_examples_of_each_family() {
    for (sentence, who, example) in [
        ("株価を教えて", "内蔵プランナー", "明日の夜に2席取りたい"),
        ("Tell me a joke", "built-in planner", "Book two seats for tomorrow night"),
    ] {
        let decided = Talk::new().say(sentence);
        let text = concluded(&decided).text();
        assert!(text.contains(who) && text.contains(example), "{text}");
    }
}

/// Formats calls like the table.
fn calls_text(decided: &Decision) -> String {
    match decided {
        Decision::Conclude(it) => format!("- {}", it.text().lines().next().unwrap_or_default()),
        Decision::Call(calls) => {
            let calls = calls
                .iter()
                .map(|it| format!("{} {}", it.name, Value::Object(it.arguments.clone())));
            calls.collect::<Vec<_>>().join(" + ")
        }
    }
}

fn fits(decided: &Decision, expected: &str) -> bool {
    let Decision::Call(calls) = decided else { return expected == "-" };
    let expected: Vec<_> =
        if expected == "-" { Vec::new() } else { expected.split(" + ").collect() };
    calls.len() == expected.len()
        && calls.iter().zip(expected).all(|(call, expected)| {
            let (name, arguments) = expected.split_once(' ').unwrap();
            let arguments: serde_json::Map<String, Value> =
                serde_json::from_str(arguments).unwrap();
            // Forms without an expected title have none.
            let is_title_fit =
                call.arguments.contains_key("title_query") == arguments.contains_key("title_query");
            call.name == name
                && is_title_fit
                && arguments.iter().all(|(name, it)| call.arguments.get(name) == Some(it))
        })
}
