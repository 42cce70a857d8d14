//! Tests of `offer`.

use std::sync::Arc;

use super::*;

fn shown(description: &str) -> Shown {
    let texts = ToolTexts {
        title: None,
        description,
        input_schema: String::new(),
        output_schema: None,
        annotations: String::new(),
    };
    Shown::digests(&texts).with_owner(Owner::Server("s"))
}

#[test]
fn empty_cursor_ends_a_list() {
    assert_eq!(next_cursor(&json!({ "nextCursor": "2" })).as_deref(), Some("2"));
    for last in [json!({ "nextCursor": "" }), json!({ "nextCursor": null }), json!({})] {
        assert_eq!(next_cursor(&last), None, "{last}");
    }
}

#[test]
fn trusts_again_only_the_first_seen_definition() {
    let shapes = Shapes::default();
    let is_changed = |tool: &str, texts: &str| shapes.changes("s", tool, &shown(texts));
    assert!(!is_changed("a", "Sends a letter."));
    assert!(is_changed("a", "Wires all money."));
    assert!(is_changed("a", "Wires all money."), "it is no habit");
    assert!(!is_changed("a", "Sends a letter."), "the one that was trusted");
    assert!(!is_changed("b", "Wires all money."), "each name for itself");
}

#[test]
fn bounds_names_and_distrusts_those_beyond() {
    let shapes = Shapes::default();
    for at in 0..NAMES_MAX {
        assert!(!shapes.changes("s", &at.to_string(), &shown("x")));
    }
    assert!(shapes.changes("s", "one more", &shown("x")));
    assert!(!shapes.changes("s", "0", &shown("x")));
}

#[test]
fn keeps_only_as_many_pins_as_can_be_read() {
    let folder = std::env::temp_dir().join(format!("madoguchi-pins-{}", std::process::id()));
    let pins = Pins::open(&folder, "lists");
    let text = "x".repeat(64 << 10);
    let list = |round: usize, changed| {
        let tool = |at| Tool::new(format!("t{round}-{at}"), text.clone(), Arc::default());
        pins.settle((0..128).map(tool).collect(), changed)
    };
    let is_offered = |it: &(String, Settled)| matches!(it.1, Settled::Offered { .. });
    assert!(list(0, Changed::Keep).iter().all(is_offered));
    for round in 1..5 {
        list(round, Changed::Keep);
    }
    assert!(!list(5, Changed::Keep).iter().any(is_offered), "there is no room");
    assert!(list(0, Changed::Keep).iter().all(is_offered), "what was there before is offered");
    let kept = Pins::open(&folder, "lists");
    assert!(!kept.kept.lock().is_unreadable);
    assert_eq!(kept.count(), pins.count());
    fs::remove_dir_all(folder).unwrap();
}
