//! Sentences after others, understood by the history (NAV-66).

use super::*;

fn arguments(sentences: &[&str]) -> Value {
    let mut call = calls(&conversation(sentences)).remove(0);
    for name in ["origin", "destination"] {
        call.arguments.remove(name);
    }
    Value::Object(call.arguments)
}

#[test]
fn constraints_hold_until_taken_back() {
    for (sentences, expected) in [
        (&["高速使わない", "一番早い"][..], json!({ "avoid": ["highways"], "alternatives": true })),
        (&["高速使わない", "やっぱり高速を使って"], json!({})),
        (&["高速使わない", "有料道路も避けて"], json!({ "avoid": ["tolls", "highways"] })),
        (
            &["高速使わない", "7時に出発"],
            json!({
                "avoid": ["highways"], "departure_time": "2026-11-22T07:00:00+09:00",
            }),
        ),
        (&["7時に出発", "今から"], json!({})),
        (&["渋滞を避けて", "渋滞は気にしない"], json!({})),
        (&["右折少なめ", "一番早い"], json!({ "alternatives": true })),
        (&["比較して", "有料は避けて"], json!({ "avoid": ["tolls"] })),
        (&["高速使わない", "おまかせ"], json!({})),
        (&["no highways", "actually use the highway"], json!({})),
        (&["no highways", "and no tolls"], json!({ "avoid": ["tolls", "highways"] })),
        (&["高速使わない", "ありがとう"], json!({ "avoid": ["highways"] })),
    ] {
        assert_eq!(arguments(sentences), expected, "{sentences:?}");
    }
    assert!(parse::conversation(&conversation(&["歩いて", "一番早い"])).walking);
    assert!(!parse::conversation(&conversation(&["歩いて", "車で"])).walking);
}

#[test]
fn ignores_assistant_messages_as_constraints() {
    let mut request = request("一番早い");
    request.history =
        vec![Remark { is_user: false, content: "高速を使わないで".to_owned() }];
    assert!(!parse::conversation(&request).no_highways, "NAV-4");
}

#[test]
fn second_one_refers_to_same_search() {
    let index = |sentences: &[&str], routes: Value| {
        let text = concluded(&conversation(sentences), routes, json!({}));
        (text.choice.as_ref().unwrap().index.unwrap(), text.text())
    };
    assert_eq!(
        arguments(&["高速使わない", "2番目のルートで"]),
        json!({ "avoid": ["highways"], "alternatives": true })
    );
    for sentence in [
        "2番目のルートで",
        "二つ目がいい",
        "2番のほうで",
        "second option please",
        "ルート２",
        "the second one",
        "route 2",
    ] {
        assert_eq!(index(&["比較して", sentence], three()).0, 1, "{sentence}");
    }
    assert_eq!(index(&["比較して", "3番目"], three()).0, 2);
    let one = json!({ "routes": [route("a", 1, (1, 1), &[])] });
    let (first, message) = index(&["比較して", "3番目"], one);
    assert!(first == 0 && message.contains("3番目のルートはありません"), "{message}");
}

#[test]
fn another_one_differs_each_time() {
    let index = |sentences: &[&str]| {
        let text = concluded(&conversation(sentences), three(), json!({}));
        text.choice.unwrap().index.unwrap()
    };
    // By time: the third, the first, the second.
    assert_eq!(index(&["一番早い", "別のルートで"]), 0);
    assert_eq!(index(&["一番早い", "別のルートで", "ほかの道は?"]), 1);
    assert_eq!(index(&["一番早い", "別のルートで", "やっぱり一番早い"]), 2);
}

#[test]
fn says_whether_a_faster_route_exists() {
    let constraint_texts =
        |sentences: &[&str]| concluded(&conversation(sentences), three(), json!({})).text();
    assert!(
        constraint_texts(&["一番早い", "もっと早い道は？"])
            .contains("これより早いルートはありません")
    );
    assert!(
        !constraint_texts(&["最短距離で", "もっと早い道は？"])
            .contains("これより早いルートはありません")
    );
    assert!(constraint_texts(&["the fastest", "anything faster?"]).contains("no route is faster"));
}

#[test]
fn says_which_constraints_are_taken_over() {
    let constraint_texts =
        |sentences: &[&str]| concluded(&conversation(sentences), three(), json!({})).text();
    assert!(constraint_texts(&["高速使わない", "一番早い"]).contains("引き継いで"));
    assert!(!constraint_texts(&["一番早い", "高速使わない"]).contains("引き継いで"));
}
