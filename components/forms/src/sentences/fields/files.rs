//! Kinds of files that a field accepts.

use language::scan::marks;

use super::text::Text;

/// Words for kinds of files, with what a definition accepts.
const KINDS: &[(&str, &str)] = &[
    ("のpdf|をpdf|pdf", ".pdf"),
    ("word", ".doc,.docx"),
    ("excel|エクセル", ".xls,.xlsx"),
    ("csv", ".csv"),
    ("png", ".png"),
    ("jpg|jpeg", ".jpg,.jpeg"),
    ("gif", ".gif"),
    ("heic", ".heic"),
];
/// Kinds that also name what a field asks for, so that they count only alone.
const PICTURES: &str = "画像|写真|image|images|picture|pictures";

/// Removes the kinds of files in `text`, and returns what is accepted: `png or jpg`.
pub(super) fn take(text: &mut Text) -> String {
    let mut accepted = Vec::new();
    for (words, suffix) in KINDS {
        if text.take(words) {
            accepted.push(*suffix);
        }
    }
    if accepted.len() > 1 {
        while text.take(" or | and |か|と|・|/") {}
    } else if !accepted.is_empty() {
        text.take("or|か");
    }
    accepted.join(",")
}

/// What is accepted, if `text` only names kinds of files.
pub(super) fn only(text: &str) -> Option<String> {
    const AROUND: &str = "only|のみ|だけ|限定|ファイル|形式|files|file";
    let mut text = Text::new(&text.to_lowercase());
    text.strip("only", AROUND);
    if marks(PICTURES).any(|it| it == text.text()) {
        return Some("image/*".to_owned());
    }
    let accepted = take(&mut text);
    text.strip("or|and|か|と", AROUND);
    (!accepted.is_empty() && text.len() == 0).then_some(accepted)
}
