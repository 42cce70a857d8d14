//! Options that are loaded as a whole, on their own or for the value of another field (FORM-43, FORM-44).

use output::form::{Choice, OPTIONS_MAX, is_same};
use serde_json::Value;

use super::Options;
use crate::error::CallError;

/// How the options of a field stand.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Offer {
    /// The field that it depends on is empty.
    #[default]
    Waiting,
    Loading,
    Here(Options),
    Failed(CallError),
}

/// The options of one field, and for whose value they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Loading {
    pub(crate) offer: Offer,
    /// The number of the latest question: an answer to any other is stale.
    asked: u32,
}

/// What becomes of the field's value once its options are known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Settled {
    /// It stays as it is: nothing, or what is not among the first options of too many.
    Same,
    /// It is this option now, by its value and its label.
    Put(Choice),
    /// It is none of the options.
    Clear,
}

impl Loading {
    /// Asks anew; the number to bring the answer with.
    pub(crate) fn ask(&mut self) -> u32 {
        self.asked = self.asked.wrapping_add(1);
        self.offer = Offer::Loading;
        self.asked
    }

    /// What it depends on is empty: what is under way is stale.
    pub(crate) fn wait(&mut self) {
        self.asked = self.asked.wrapping_add(1);
        self.offer = Offer::Waiting;
    }

    /// Whether it was the answer that is waited for.
    pub(crate) fn answer(&mut self, number: u32, answer: Result<Options, CallError>) -> bool {
        if self.asked != number || self.offer != Offer::Loading {
            return false;
        }
        self.offer = match answer {
            Ok(options) => Offer::Here(options),
            Err(error) => Offer::Failed(error),
        };
        true
    }
}

/// Of `options`, what a field holds that holds `value`, and is to hold `default` where it holds nothing: what was chosen
/// under another parent is not taken up again, though a code may be the same.
pub(crate) fn settle(
    options: &[Choice],
    value: Option<&Value>,
    default: Option<&Value>,
) -> Settled {
    let find = |wanted: &Value| {
        let found = options.iter().find(|it| is_same(&it.value, wanted))?;
        // 1 that was there does not become 1.0.
        Some(Choice { value: wanted.clone(), label: found.label.clone() })
    };
    match value {
        Some(value) => match find(value) {
            Some(choice) => Settled::Put(choice),
            // The rest was cut off, and it may be there.
            None if options.len() >= OPTIONS_MAX => Settled::Same,
            None => Settled::Clear,
        },
        None => default.and_then(find).map_or(Settled::Same, Settled::Put),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn options(values: &[&str]) -> Options {
        let choice = |it: &&str| Choice { value: json!(it), label: format!("{it}!") };
        values.iter().map(choice).collect()
    }

    #[test]
    fn options_for_a_value_that_changed_meanwhile_are_stale() {
        let mut loading = Loading::default();
        let first = loading.ask();
        let second = loading.ask();
        assert!(!loading.answer(first, Ok(options(&["13"]))));
        assert_eq!(loading.offer, Offer::Loading);
        assert!(loading.answer(second, Err(CallError::Offline)));
        let third = loading.ask();
        loading.wait();
        assert!(!loading.answer(third, Ok(options(&["13"]))), "the parent was emptied");
        assert_eq!(loading.offer, Offer::Waiting);
    }

    #[test]
    fn value_stays_while_among_the_options_and_goes_otherwise() {
        let (here, gone) = (json!("13"), json!("CA"));
        let options = options(&["13", "27"]);
        let put = |index: usize| Settled::Put(options[index].clone());
        assert_eq!(settle(&options, Some(&here), None), put(0));
        assert_eq!(settle(&options, Some(&gone), None), Settled::Clear);
        assert_eq!(settle(&options, None, None), Settled::Same, "emptied with its parent");
    }

    #[test]
    fn a_number_is_found_however_it_is_written() {
        let options = [Choice { value: json!(1.0), label: "one".to_owned() }];
        let one = Choice { value: json!(1), label: "one".to_owned() };
        assert_eq!(settle(&options, Some(&json!(1)), None), Settled::Put(one));
    }

    #[test]
    fn applies_default_once_options_are_there_and_only_if_it_is_one() {
        let options = options(&["JP", "US"]);
        let (japan, nowhere) = (json!("JP"), json!("XX"));
        let put = Settled::Put(options[0].clone());
        assert_eq!(settle(&options, None, Some(&japan)), put);
        assert_eq!(settle(&options, None, Some(&nowhere)), Settled::Same);
        let other = json!("US");
        let kept = Settled::Put(options[1].clone());
        assert_eq!(settle(&options, Some(&other), Some(&japan)), kept);
    }

    #[test]
    fn a_value_beyond_the_options_that_were_taken_is_left_alone() {
        let many = (0..OPTIONS_MAX).map(|it| it.to_string()).collect::<Vec<_>>();
        let many = options(&many.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(settle(&many, Some(&json!("x")), None), Settled::Same);
    }
}
