//! Kinds of files that a field accepts.

use language::scan::marks;

use super::text::Text;

/// Words for text documents.
const WORD: &str = "word|ワード";
/// Words for kinds of files, with what a definition accepts.
const KINDS: &[(&str, &str)] = &[
    ("のpdf|をpdf|pdf", ".pdf"),
    (WORD, ".doc,.docx"),
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
    const JOINTS: &str = "or|and|か|と|・|/|,|、";
    // `favourite word` is no document; `word` alone is.
    const WORD_MAX: usize = 4;
    const FILES: &str = "file|files|document|documents|doc|upload|attach|attachment|resume|cv|pdf|excel|ファイル|添付|アップロード|文書|書類|形式|書|エクセル";
    let has_files = text.has(FILES);
    let kinds = KINDS.iter().filter(|it| it.0 != WORD || has_files || text.len() <= WORD_MAX);
    let found = kinds.filter_map(|it| Some((text.find(it.0, 0)?, it.1)));
    let found: Vec<_> = found.collect();
    let mut spans: Vec<(usize, usize)> = found.iter().map(|it| it.0).collect();
    spans.sort_unstable();
    // Only the joints between them belong to them: `かばんの写真pngかjpg`.
    let mut cuts: Vec<(usize, usize)> = Vec::new();
    for (from, to) in spans {
        let is_next = cuts.last().is_some_and(|last| {
            let between = text.piece(last.1.min(from), from);
            let between = between.trim();
            between.is_empty() || marks(JOINTS).any(|it| it == between)
        });
        match cuts.last_mut().filter(|_| is_next) {
            Some(last) => last.1 = to,
            None => cuts.push((from, to)),
        }
    }
    for (from, to) in cuts.into_iter().rev() {
        let lead = ["or ", "and "].into_iter().find(|it| from == it.len() && text.is_at(it, 0));
        text.cut(lead.map_or(from, |_| 0), to);
    }
    found.iter().map(|it| it.1).collect::<Vec<_>>().join(",")
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
