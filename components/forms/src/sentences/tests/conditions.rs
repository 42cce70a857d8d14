//! Conditional fields, and fields that share a noun or count with their neighbour.

use super::*;

/// Fields of the form for `sentence`.
fn form(sentence: &str) -> Vec<Value> {
    let decided = new_talk().say(sentence);
    call(&decided).1["form_schema"]["fields"].as_array().unwrap().clone()
}

#[test]
fn list_item_may_have_a_condition() {
    for (sentence, equals) in [
        ("form for a party: name, coming or not, how many guests if coming", "coming"),
        ("飲み会の出欠フォーム。名前、参加/不参加、参加なら人数", "参加"),
        ("a leave request form: name, kind (paid, sick, other), if other then reason", "other"),
    ] {
        let fields = form(sentence);
        assert_eq!(fields.len(), 3, "{sentence}: {fields:?}");
        let shown = &fields[2]["showIf"];
        assert_eq!(shown, &json!({ "field": fields[1]["name"], "equals": equals }), "{sentence}");
    }
    // A condition without a known answer is a label.
    let fields = form("form: name, what to do if it rains");
    assert!(fields.iter().all(|it| it.get("showIf").is_none()), "{fields:?}");
}

#[test]
fn label_may_begin_with_when() {
    for (sentence, count) in [
        ("a party form: name, coming or not, when are you coming, allergies", 4),
        ("form: name, newsletter yes/no, when you will arrive, allergies", 4),
        ("form: name, vegetarian yes/no, the day when you are free", 3),
    ] {
        let fields = form(sentence);
        assert_eq!(fields.len(), count, "{sentence}: {fields:?}");
        assert!(fields.iter().all(|it| it.get("showIf").is_none()), "{sentence}: {fields:?}");
    }
    for sentence in ["allergies when coming", "allergies only if coming"] {
        let fields = form(&format!("a party form: name, coming or not, {sentence}"));
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
        let fields = form(sentence);
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
        let found: Vec<_> = form(sentence).iter().map(|it| it["label"].clone()).collect();
        assert_eq!(found, labels, "{sentence}");
    }
    let found: Vec<_> =
        form("a form: name, from and to dates").iter().map(|it| it["name"].clone()).collect();
    assert_eq!(found, ["name", "start_date", "end_date"]);
}

#[test]
fn choice_count_applies_to_the_field_before() {
    let fields = form("survey: favourite colour (red, green or blue), max two choices");
    assert_eq!(fields.len(), 1, "{fields:?}");
    let (kind, most) = (&fields[0]["type"], &fields[0]["maxSelect"]);
    assert_eq!((kind, most), (&json!("multiselect"), &json!(2)));
    // Counted people are a field of their own.
    let fields = form("a form with name, email, guests");
    assert_eq!(fields.last().unwrap()["name"], "count", "{fields:?}");
    for sentence in ["a form for guests with name and email", "ask the guests for name and email"] {
        assert_eq!(form(sentence).len(), 2, "{sentence}");
    }
    let fields = form("booking form: name, date, max 3 guests");
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
        let fields = form(sentence);
        let options = fields[1]["options"].as_array().into_iter().flatten();
        let options: Vec<_> = options.map(|it| it["value"].as_str().unwrap()).collect();
        assert_eq!(options.join(" "), expected, "{sentence}: {fields:?}");
    }
}

#[test]
fn lead_in_of_a_mark_is_no_label() {
    let fields = form("a feedback form: rating 1 to 5 and a comment that's optional");
    assert_eq!(fields[1]["label"], "Comment", "{fields:?}");
    let fields = form("a leave form: type of leave (paid, sick), reason");
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
    assert_eq!(form("アンケート作って。満足度5段階、理由、また来たいか").len(), 3);
    assert_eq!(form("忘年会の出欠を取りたい。名前と人数").len(), 2);
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
