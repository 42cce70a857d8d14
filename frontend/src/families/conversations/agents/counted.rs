//! How long a message is, and how it is cut without breaking what the reader sees as one character.

use output::text::is_blank;

/// Characters of one message, as the host counts them (CONV-65).
pub(crate) const MESSAGE_MAX: usize = 4_000;
/// From so many on, how many there are is worth a reader's eye.
pub(crate) const MESSAGE_NEAR: usize = 3_500;

/// What is wrong with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing but spaces.
    Empty,
    /// So many characters too many.
    TooLong(usize),
}

/// Characters, as the host counts them.
pub(crate) fn length(text: &str) -> usize {
    text.chars().count()
}

/// What is wrong with a message, if anything is.
pub(crate) fn fault(text: &str) -> Option<Fault> {
    let excess = length(text).saturating_sub(MESSAGE_MAX);
    match () {
        () if is_blank(text) => Some(Fault::Empty),
        () if excess > 0 => Some(Fault::TooLong(excess)),
        () => None,
    }
}

/// The beginning of a text, at most so many characters, and never half of what is seen as one.
pub(crate) fn beginning(text: &str, max: usize) -> String {
    let Some((mut end, _)) = text.char_indices().nth(max) else { return text.to_owned() };
    while end > 0 && !is_boundary(text, end) {
        end = text[..end].char_indices().next_back().map_or(0, |(index, _)| index);
    }
    format!("{}…", text[..end].trim_end())
}

const JOINER: char = '\u{200d}';

/// Whether what stands before and what stands behind are seen apart.
fn is_boundary(text: &str, at: usize) -> bool {
    let (Some(before), Some(after)) = (text[..at].chars().next_back(), text[at..].chars().next())
    else {
        return true;
    };
    // A flag is two letters of its own alphabet: between two of them is no boundary after an odd one.
    let letters = text[..at].chars().rev().take_while(|it| is_flag_letter(*it)).count();
    let is_in_flag = is_flag_letter(after) && letters % 2 == 1;
    !(before == JOINER || after == JOINER || is_extending(after) || is_in_flag)
}

fn is_flag_letter(it: char) -> bool {
    ('\u{1f1e6}'..='\u{1f1ff}').contains(&it)
}

/// Marks that are drawn onto what stands before them: accents, voicing marks, variants, skin tones, tags.
fn is_extending(it: char) -> bool {
    matches!(it, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}' | '\u{900}'..='\u{903}' | '\u{93a}'..='\u{94f}' | '\u{e31}'
        | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}' | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{3099}' | '\u{309a}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}' | '\u{1f3fb}'..='\u{1f3ff}'
        | '\u{e0020}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_4000_characters_and_something_in_it() {
        assert_eq!(fault(&"あ".repeat(MESSAGE_MAX)), None);
        assert_eq!(fault(&"𠮷".repeat(MESSAGE_MAX + 3)), Some(Fault::TooLong(3)));
        assert_eq!(fault(" \n"), Some(Fault::Empty));
    }

    #[test]
    fn a_cut_never_halves_what_is_seen_as_one_character() {
        assert_eq!(beginning("しりとり", 4), "しりとり");
        assert_eq!(beginning("しりとり", 3), "しりと…");
        for whole in ["👨‍👩‍👧", "🇯🇵", "か\u{3099}", "👍🏽", "❤️", "e\u{301}"]
        {
            let text = format!("あ{whole}い");
            for max in 0..length(&text) {
                let cut = beginning(&text, max);
                let cut = cut.trim_end_matches('…');
                assert!(["", "あ", &format!("あ{whole}")].contains(&cut), "{text} {max}: {cut:?}");
            }
        }
        assert_eq!(beginning("🇯🇵🇫🇷🇩🇪", 4), "🇯🇵🇫🇷…");
    }
}
