//! Visible text.

/// Whether a text has nothing visible: it is empty, or only spaces and invisible characters. Required
/// texts are rejected by this.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|it| it.is_whitespace() || it.is_control() || is_unseen(it))
}

/// Whether a character is invisible: ignorable in Unicode (joiners, direction marks, variation
/// selectors, fillers, tags), or the blank Braille pattern.
pub fn is_unseen(sign: char) -> bool {
    matches!(
        sign,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_and_invisible_characters_are_blank() {
        for nothing in ["", " ", "\u{3000}\n\t", "\u{200b}", "\u{feff}\u{2060}", "\u{3164} \u{ad}"]
        {
            assert!(is_blank(nothing), "{nothing:?}");
        }
    }

    #[test]
    fn one_visible_character_is_not_blank() {
        for something in ["0", "。", "\u{200b}あ", "🎬\u{fe0f}", "ｱ"] {
            assert!(!is_blank(something), "{something:?}");
        }
    }
}
