//! Logic of a combobox: when to search, which answer counts, and what each key does.

use output::form::Choice;

use super::Options;
use crate::error::CallError;

/// Maximum number of options shown.
pub(crate) const SHOWN_MAX: usize = 100;
/// Maximum number of characters of a query.
const TYPED_MAX: usize = 200;

/// The content of the list below the box.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Found {
    /// No search was made: too little is typed.
    #[default]
    Nothing,
    Loading,
    Ready(Options),
    Failed(CallError),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Combo {
    /// Text of the box.
    pub(crate) text: String,
    /// Whether the options are shown.
    pub(crate) is_open: bool,
    /// The option that Enter takes.
    pub(crate) active: Option<usize>,
    pub(crate) found: Found,
    /// Whether the text was chosen and is no query.
    pub(crate) is_settled: bool,
    /// Minimum number of characters for a search.
    chars_min: usize,
    debounce_ms: u32,
    /// Whether free text is allowed: the options are then suggestions.
    is_free: bool,
    /// Number of the latest search: answers to others are stale.
    latest: u32,
}

/// The handled keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Press {
    Down,
    Up,
    Home,
    End,
    Enter,
    Escape,
    Backspace,
}

/// The next action.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// The key is not handled and keeps its default action.
    Pass,
    /// Handled.
    Done,
    /// Search after a pause, and return the answer with this number.
    Ask { number: u32, text: String, after_ms: u32 },
    /// This option was chosen.
    Choose(Choice),
    /// Clear the box and its value.
    Clear,
    /// Remove the last chosen value.
    RemoveLast,
}

impl Press {
    /// Parses the browser's name of a key.
    pub(crate) fn from_key(key: &str) -> Option<Self> {
        Some(match key {
            "ArrowDown" | "Down" => Self::Down,
            "ArrowUp" | "Up" => Self::Up,
            "Home" => Self::Home,
            "End" => Self::End,
            "Enter" => Self::Enter,
            "Escape" | "Esc" => Self::Escape,
            "Backspace" => Self::Backspace,
            _ => return None,
        })
    }
}

impl Combo {
    pub(crate) fn new(chars_min: usize, debounce_ms: u32) -> Self {
        Self {
            text: String::new(),
            is_open: false,
            active: None,
            found: Found::Nothing,
            is_settled: false,
            chars_min,
            debounce_ms,
            is_free: false,
            latest: 0,
        }
    }

    /// Creates one that accepts free text.
    pub(crate) fn free(chars_min: usize, debounce_ms: u32) -> Self {
        Self { is_free: true, ..Self::new(chars_min, debounce_ms) }
    }

    /// The shown options.
    pub(crate) fn options(&self) -> &[Choice] {
        match &self.found {
            Found::Ready(options) => &options[..options.len().min(SHOWN_MAX)],
            _ => &[],
        }
    }

    /// Number of options not shown.
    pub(crate) fn hidden(&self) -> usize {
        match &self.found {
            Found::Ready(options) => options.len().saturating_sub(SHOWN_MAX),
            _ => 0,
        }
    }

    /// Whether text was typed and no option chosen.
    pub(crate) fn is_loose(&self) -> bool {
        !self.is_settled && !self.text.trim().is_empty()
    }

    /// Whether an answer of this number still counts.
    pub(crate) fn awaits(&self, number: u32) -> bool {
        self.latest == number && self.found == Found::Loading
    }

    /// Handles typed text.
    pub(crate) fn type_in(&mut self, text: &str) -> Step {
        self.text = text.to_owned();
        self.is_settled = false;
        self.is_open = true;
        self.ask(self.debounce_ms)
    }

    /// Opens the options.
    pub(crate) fn open(&mut self) -> Step {
        if self.is_open {
            return Step::Done;
        }
        self.is_open = true;
        self.active = None;
        match self.found {
            Found::Ready(_) | Found::Loading if !self.is_settled => Step::Done,
            _ => self.ask(0),
        }
    }

    /// Closes the options.
    pub(crate) fn close(&mut self) {
        self.is_open = false;
        self.active = None;
    }

    /// Repeats the search.
    pub(crate) fn retry(&mut self) -> Step {
        self.is_open = true;
        self.ask(0)
    }

    /// Shows the label of the chosen option; none clears the box.
    pub(crate) fn settle(&mut self, label: Option<&str>) {
        self.text = label.unwrap_or_default().to_owned();
        self.is_settled = label.is_some();
        self.forget();
        self.close();
    }

    /// Drops the found options, because their source has changed.
    pub(crate) fn forget(&mut self) {
        // A running search is stale from now on.
        self.latest = self.latest.wrapping_add(1);
        self.found = Found::Nothing;
        self.active = None;
    }

    /// Stores an answer. Returns whether it was the expected one.
    pub(crate) fn answer(&mut self, number: u32, answer: Result<Options, CallError>) -> bool {
        if !self.awaits(number) {
            return false;
        }
        self.active = None;
        self.found = match answer {
            Ok(options) => Found::Ready(options),
            Err(error) => Found::Failed(error),
        };
        true
    }

    fn ask(&mut self, after_ms: u32) -> Step {
        self.forget();
        let searched = if self.is_settled { "" } else { self.text.trim() };
        if searched.chars().count() < self.chars_min {
            return Step::Done;
        }
        self.found = Found::Loading;
        let text = searched.chars().take(TYPED_MAX).collect();
        Step::Ask { number: self.latest, text, after_ms }
    }

    /// Handles a key. Keys used by an input method are not passed here.
    pub(crate) fn press(&mut self, press: Press) -> Step {
        let count = self.options().len();
        match press {
            Press::Down | Press::Up if !self.is_open => {
                let step = self.open();
                self.active = self.edge(press == Press::Down);
                step
            }
            Press::Down => self.go(self.active.map_or(0, |it| (it + 1) % count.max(1))),
            Press::Up => {
                let last = count.saturating_sub(1);
                self.go(self.active.map_or(last, |it| it.checked_sub(1).unwrap_or(last)))
            }
            // Without an active option they move the cursor.
            Press::Home | Press::End if self.is_open && self.active.is_some() => {
                self.active = self.edge(press == Press::Home);
                Step::Done
            }
            Press::Enter => self.take(),
            Press::Escape if self.is_open => {
                self.close();
                Step::Done
            }
            Press::Escape if !self.text.is_empty() => Step::Clear,
            Press::Backspace if self.text.is_empty() => Step::RemoveLast,
            _ => Step::Pass,
        }
    }

    fn edge(&self, first: bool) -> Option<usize> {
        let last = self.options().len().checked_sub(1)?;
        Some(if first { 0 } else { last })
    }

    fn go(&mut self, index: usize) -> Step {
        self.active = (index < self.options().len()).then_some(index);
        Step::Done
    }

    fn take(&mut self) -> Step {
        if let (true, false, Found::Failed(_)) = (self.is_open, self.is_free, &self.found) {
            return self.retry();
        }
        let active = self.active.and_then(|it| self.options().get(it)).filter(|_| self.is_open);
        match active.cloned() {
            Some(choice) => Step::Choose(choice),
            None if self.is_free => {
                self.close();
                Step::Pass
            }
            // Enter does not send the form while the reader is choosing.
            None if self.is_open || self.is_loose() => Step::Done,
            None => Step::Pass,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn options(count: usize) -> Options {
        let choice = |it| Choice { value: json!(it), label: format!("option {it}") };
        (0..count).map(choice).collect()
    }

    /// Number, delay and query of a search step.
    fn search(step: &Step) -> (u32, &str, u32) {
        match step {
            Step::Ask { number, text, after_ms } => (*number, text, *after_ms),
            other => panic!("nothing is asked: {other:?}"),
        }
    }

    /// A combobox with three options.
    fn with_three() -> Combo {
        let mut combo = Combo::new(0, 300);
        let (number, ..) = search(&combo.open());
        assert!(combo.answer(number, Ok(options(3))));
        combo
    }

    #[test]
    fn searches_after_minimum_length_and_pause() {
        let mut combo = Combo::new(2, 300);
        assert_eq!(combo.open(), Step::Done);
        assert_eq!(combo.type_in("山"), Step::Done);
        assert_eq!(combo.type_in(" 山 "), Step::Done, "blanks are no characters");
        assert_eq!(combo.found, Found::Nothing);
        assert_eq!(search(&combo.type_in("山田")).1, "山田");
        assert_eq!(search(&combo.type_in("山田 ")).2, 300);
        assert_eq!(combo.found, Found::Loading);
        assert_eq!(combo.type_in("山"), Step::Done);
        assert_eq!(combo.found, Found::Nothing, "what was found goes with what was typed");
    }

    #[test]
    fn uses_only_the_latest_answer() {
        let mut combo = Combo::new(1, 300);
        let (first, ..) = search(&combo.type_in("a"));
        let (second, ..) = search(&combo.type_in("ab"));
        assert!(!combo.answer(first, Ok(options(5))), "it is stale");
        assert_eq!(combo.found, Found::Loading);
        assert!(combo.answer(second, Ok(options(2))));
        assert_eq!(combo.options().len(), 2);
        assert!(!combo.answer(first, Err(CallError::Offline)), "and stays stale");
        assert!(!combo.answer(second, Ok(options(9))), "nothing is answered twice");
        let (third, ..) = search(&combo.type_in("abc"));
        combo.settle(Some("abc"));
        assert!(!combo.answer(third, Ok(options(1))), "one was chosen meanwhile");
    }

    #[test]
    fn retries_failure_by_enter_or_button() {
        let mut combo = Combo::new(1, 300);
        let (number, ..) = search(&combo.type_in("a"));
        assert!(combo.answer(number, Err(CallError::Offline)));
        assert_eq!(combo.found, Found::Failed(CallError::Offline));
        let step = combo.press(Press::Enter);
        assert_eq!((search(&step).1, search(&step).2), ("a", 0));
        assert!(combo.answer(search(&step).0, Err(CallError::Offline)));
        assert_eq!(search(&combo.retry()).1, "a");
    }

    #[test]
    fn arrows_wrap_and_home_and_end_reach_edges() {
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
    fn arrows_open_closed_list_at_its_edge() {
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
    fn enter_takes_active_option_without_sending_form() {
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
    fn escape_closes_then_clears() {
        let mut combo = with_three();
        combo.type_in("opt");
        assert_eq!(combo.press(Press::Escape), Step::Done);
        assert_eq!((combo.is_open, combo.text.as_str()), (false, "opt"));
        assert_eq!(combo.press(Press::Escape), Step::Clear);
        combo.settle(None);
        assert_eq!(combo.press(Press::Escape), Step::Pass, "an empty box leaves it to the page");
    }

    #[test]
    fn backspace_removes_last_choice_only_in_empty_box() {
        let mut combo = with_three();
        assert_eq!(combo.press(Press::Backspace), Step::RemoveLast);
        combo.type_in("o");
        assert_eq!(combo.press(Press::Backspace), Step::Pass);
    }

    #[test]
    fn reopening_does_not_search_for_chosen_label() {
        let mut combo = Combo::new(0, 300);
        combo.settle(Some("option 7"));
        assert!(!combo.is_loose());
        assert_eq!(search(&combo.open()).1, "", "all of them, not the one that is there");
        let mut picky = Combo::new(1, 300);
        picky.settle(Some("option 7"));
        assert_eq!(picky.open(), Step::Done);
        assert_eq!(picky.found, Found::Nothing);
    }

    #[test]
    fn shows_100_options_and_counts_the_rest() {
        let mut combo = Combo::new(0, 0);
        let (number, ..) = search(&combo.open());
        combo.answer(number, Ok(options(SHOWN_MAX + 7)));
        assert_eq!((combo.options().len(), combo.hidden()), (SHOWN_MAX, 7));
        assert_eq!(combo.press(Press::Up), Step::Done);
        assert_eq!(combo.active, Some(SHOWN_MAX - 1));
    }

    #[test]
    fn maps_every_handled_key_name() {
        assert_eq!(Press::from_key("ArrowDown"), Some(Press::Down));
        assert_eq!(Press::from_key("Escape"), Some(Press::Escape));
        for name in ["a", "Tab", "PageDown", "Process", "Unidentified"] {
            assert_eq!(Press::from_key(name), None, "{name}");
        }
    }

    #[test]
    fn enter_sends_free_text_unless_a_suggestion_is_active() {
        let mut combo = Combo::free(1, 0);
        let (number, ..) = search(&combo.type_in("東京"));
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
    fn failed_suggestions_do_not_block_free_text() {
        let mut combo = Combo::free(1, 0);
        let (number, ..) = search(&combo.type_in("東京"));
        combo.answer(number, Err(CallError::Offline));
        assert_eq!(combo.press(Press::Enter), Step::Pass);
    }
}
