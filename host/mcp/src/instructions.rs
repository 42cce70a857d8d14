//! What a model is told about this server before it asks for anything: the host's words, and those of
//! the components that its caller may use.

use super::lists::usable;
use base::caller::Caller;
use registry::Catalog;

/// The host's own words.
const OWN: &str = "Each tool runs in a sandbox of its own. A refusal is a result with isError: its text is a JSON object {error, message, status, data} that says what to mend. / 各ツールは個別のサンドボックスで動きます。断りは isError の結果で、本文の JSON に直し方が書かれています。";
/// Bytes that the components' words may have together: a model reads them with every conversation.
const BYTES_MAX: usize = 8 << 10;

/// The host's words alone.
pub(super) fn own() -> String {
    OWN.to_owned()
}

/// All that `caller` is told: components by name, each one's prompts in its own order. What no longer
/// fits is left out whole.
pub(super) fn of(catalog: &Catalog, caller: &Caller) -> String {
    let prompts = usable(catalog, caller).flat_map(|it| &it.offers().prompts);
    within(prompts.filter_map(|it| it.instructions.as_deref()))
}

fn within<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let (mut told, mut left) = (own(), BYTES_MAX);
    for words in words.filter(|it| !it.is_empty()) {
        if let Some(rest) = left.checked_sub(words.len()) {
            left = rest;
            told.push_str("\n\n");
            told.push_str(words);
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_longer_fits_is_left_out_whole_and_the_rest_stays_in_order() {
        assert_eq!(within([""].into_iter()), OWN);
        let long = "a".repeat(2 << 10);
        let told = within([&*long, "b", &*long, &*long, &*long, "c"].into_iter());
        assert_eq!(told.len(), OWN.len() + 3 * long.len() + 5 * 2 + 2);
        assert!(told.ends_with("a\n\nc") && told.contains("a\n\nb\n\na"));
    }
}
