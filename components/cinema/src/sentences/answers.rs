//! Short answers as text: which of several, and a name.

/// `2番`, `2つ目`, `the second`, `2`: which of several, from 0.
pub(super) fn ordinal(text: &str) -> Option<usize> {
    const WORDS: &[(usize, &str)] = &[
        (0, "1番|一番目|1つ目|一つ目|最初|一番上|first|1st|number 1|option 1"),
        (1, "2番|二番|2つ目|二つ目|second|2nd|number 2|option 2"),
        (2, "3番|三番|3つ目|三つ目|third|3rd|number 3|option 3"),
        (3, "4番|四番|4つ目|四つ目|fourth|4th|number 4|option 4"),
        (4, "5番|五番|5つ目|五つ目|fifth|5th|number 5|option 5"),
    ];
    if let Ok(number) = text.trim().parse::<usize>() {
        return number.checked_sub(1);
    }
    WORDS.iter().find(|it| it.1.split('|').any(|it| text.contains(it))).map(|it| it.0)
}

/// A name that is all of a short answer: `山田です`.
pub(super) fn named(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches(['。', '.', '!']);
    let text = ["です", "と申します", "といいます"]
        .iter()
        .find_map(|it| text.strip_suffix(it))
        .unwrap_or(text);
    let text = ["I'm ", "I am ", "my name is ", "My name is ", "名前は"]
        .iter()
        .find_map(|it| text.strip_prefix(it))
        .unwrap_or(text);
    let is_name =
        (1..=20).contains(&text.chars().count()) && !text.contains(['?', '？', '、', ',']);
    is_name.then(|| text.to_owned())
}
