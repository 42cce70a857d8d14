//! The box with options below: what is asked, which answer counts, and every key.

use serde_json::json;

use super::combo::{Combo, Found, Press, SHOWN_MAX, Step};
use super::*;

fn options(count: usize) -> Options {
    let choice = |it| Choice { value: json!(it), label: format!("option {it}") };
    (0..count).map(choice).collect()
}

/// The number of what is asked, after so long, for this.
fn asked(step: &Step) -> (u32, &str, u32) {
    match step {
        Step::Ask { number, text, after_ms } => (*number, text, *after_ms),
        other => panic!("nothing is asked: {other:?}"),
    }
}

/// With three options below.
fn with_three() -> Combo {
    let mut combo = Combo::new(0, 300);
    let (number, ..) = asked(&combo.open());
    assert!(combo.answer(number, Ok(options(3))));
    combo
}

#[test]
fn asks_nothing_before_enough_is_typed_and_then_after_a_pause() {
    let mut combo = Combo::new(2, 300);
    assert_eq!(combo.open(), Step::Done);
    assert_eq!(combo.type_in("山"), Step::Done);
    assert_eq!(combo.type_in(" 山 "), Step::Done, "blanks are no characters");
    assert_eq!(combo.found, Found::Nothing);
    assert_eq!(asked(&combo.type_in("山田")).1, "山田");
    assert_eq!(asked(&combo.type_in("山田 ")).2, 300);
    assert_eq!(combo.found, Found::Loading);
    assert_eq!(combo.type_in("山"), Step::Done);
    assert_eq!(combo.found, Found::Nothing, "what was found goes with what was typed");
}

#[test]
fn only_the_answer_to_the_latest_question_counts() {
    let mut combo = Combo::new(1, 300);
    let (first, ..) = asked(&combo.type_in("a"));
    let (second, ..) = asked(&combo.type_in("ab"));
    assert!(!combo.answer(first, Ok(options(5))), "it is stale");
    assert_eq!(combo.found, Found::Loading);
    assert!(combo.answer(second, Ok(options(2))));
    assert_eq!(combo.options().len(), 2);
    assert!(!combo.answer(first, Err(CallError::Offline)), "and stays stale");
    assert!(!combo.answer(second, Ok(options(9))), "nothing is answered twice");
    let (third, ..) = asked(&combo.type_in("abc"));
    combo.settle(Some("abc"));
    assert!(!combo.answer(third, Ok(options(1))), "one was chosen meanwhile");
}

#[test]
fn a_failure_is_tried_again_by_enter_and_by_a_button() {
    let mut combo = Combo::new(1, 300);
    let (number, ..) = asked(&combo.type_in("a"));
    assert!(combo.answer(number, Err(CallError::Offline)));
    assert_eq!(combo.found, Found::Failed(CallError::Offline));
    let step = combo.press(Press::Enter);
    assert_eq!((asked(&step).1, asked(&step).2), ("a", 0));
    assert!(combo.answer(asked(&step).0, Err(CallError::Offline)));
    assert_eq!(asked(&combo.retry()).1, "a");
}

#[test]
fn arrows_go_round_and_home_and_end_go_to_the_edges() {
    let mut combo = with_three();
    for (press, active) in [
        (Press::Down, 0),
        (Press::Down, 1),
        (Press::End, 2),
        (Press::Down, 0),
        (Press::Up, 2),
        (Press::Home, 0),
        (Press::Up, 2),
    ] {
        assert_eq!(combo.press(press), Step::Done);
        assert_eq!(combo.active, Some(active), "{press:?}");
    }
    let mut combo = with_three();
    assert_eq!(combo.press(Press::Home), Step::Pass, "the cursor's, while no option is active");
    assert_eq!(combo.press(Press::Up), Step::Done);
    assert_eq!(combo.active, Some(2));
}

#[test]
fn arrows_open_what_is_closed_at_its_edge() {
    let mut combo = with_three();
    combo.close();
    combo.press(Press::Down);
    assert_eq!((combo.is_open, combo.active), (true, Some(0)));
    combo.close();
    combo.press(Press::Up);
    assert_eq!((combo.is_open, combo.active), (true, Some(2)));
    let mut empty = Combo::new(1, 0);
    empty.press(Press::Down);
    assert_eq!((empty.is_open, empty.active), (true, None));
    assert_eq!(empty.press(Press::Down), Step::Done);
    assert_eq!(empty.active, None, "there is nothing to go to");
}

#[test]
fn enter_takes_what_is_active_and_sends_no_form_while_one_looks() {
    let mut combo = with_three();
    assert_eq!(combo.press(Press::Enter), Step::Done, "no option is active");
    combo.press(Press::Down);
    assert_eq!(combo.press(Press::Enter), Step::Choose(options(3)[0].clone()));
    combo.settle(Some("option 0"));
    assert!(!combo.is_open);
    assert_eq!(combo.press(Press::Enter), Step::Pass, "what is chosen is the form's again");
    combo.type_in("opt");
    combo.close();
    assert_eq!(combo.press(Press::Enter), Step::Done, "what was typed is not chosen");
    assert!(combo.is_loose());
}

#[test]
fn escape_closes_first_and_clears_then() {
    let mut combo = with_three();
    combo.type_in("opt");
    assert_eq!(combo.press(Press::Escape), Step::Done);
    assert_eq!((combo.is_open, combo.text.as_str()), (false, "opt"));
    assert_eq!(combo.press(Press::Escape), Step::Clear);
    combo.settle(None);
    assert_eq!(combo.press(Press::Escape), Step::Pass, "an empty box leaves it to the page");
}

#[test]
fn backspace_takes_out_the_last_only_in_an_empty_box() {
    let mut combo = with_three();
    assert_eq!(combo.press(Press::Backspace), Step::RemoveLast);
    combo.type_in("o");
    assert_eq!(combo.press(Press::Backspace), Step::Pass);
}

#[test]
fn what_was_chosen_is_no_search_when_the_box_is_opened_again() {
    let mut combo = Combo::new(0, 300);
    combo.settle(Some("option 7"));
    assert!(!combo.is_loose());
    assert_eq!(asked(&combo.open()).1, "", "all of them, not the one that is there");
    let mut picky = Combo::new(1, 300);
    picky.settle(Some("option 7"));
    assert_eq!(picky.open(), Step::Done);
    assert_eq!(picky.found, Found::Nothing);
}

#[test]
fn a_hundred_options_are_shown_and_the_rest_is_counted() {
    let mut combo = Combo::new(0, 0);
    let (number, ..) = asked(&combo.open());
    combo.answer(number, Ok(options(SHOWN_MAX + 7)));
    assert_eq!((combo.options().len(), combo.hidden()), (SHOWN_MAX, 7));
    assert_eq!(combo.press(Press::Up), Step::Done);
    assert_eq!(combo.active, Some(SHOWN_MAX - 1));
}

#[test]
fn every_key_that_means_something_is_known_by_its_name() {
    assert_eq!(Press::of("ArrowDown"), Some(Press::Down));
    assert_eq!(Press::of("Escape"), Some(Press::Escape));
    for name in ["a", "Tab", "PageDown", "Process", "Unidentified"] {
        assert_eq!(Press::of(name), None, "{name}");
    }
}

#[test]
fn enter_sends_free_text_unless_a_suggestion_is_active() {
    let mut combo = Combo::free(1, 0);
    let (number, ..) = asked(&combo.type_in("東京"));
    combo.answer(number, Ok(options(2)));
    assert_eq!(combo.press(Press::Enter), Step::Pass, "the form is sent");
    assert!(!combo.is_open && combo.text == "東京");
    combo.press(Press::Down);
    combo.press(Press::Down);
    assert!(matches!(combo.press(Press::Enter), Step::Choose(_)));
    // A form of choices waits for the choice.
    let mut strict = Combo::new(1, 0);
    strict.type_in("東京");
    assert_eq!(strict.press(Press::Enter), Step::Done);
}

#[test]
fn failed_suggestions_keep_no_one_from_sending_what_they_typed() {
    let mut combo = Combo::free(1, 0);
    let (number, ..) = asked(&combo.type_in("東京"));
    combo.answer(number, Err(CallError::Offline));
    assert_eq!(combo.press(Press::Enter), Step::Pass);
}
