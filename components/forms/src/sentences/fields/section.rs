//! Pages and sections of a form, which become headings: `page 1 name and email`, `1ページ目は氏名`.

use language::{say::capital, scan::marks};

use super::{Field, kinds::SECTION, text::Text};

/// Type of a heading.
pub(super) const HEADING: &str = "heading";
/// Names of sections, before their numbers and behind them.
const NAMES: &str = "page|section|part|ページ|セクション|パート";
const BEHIND: &str = "ページ目|枚目のページ|ページ|セクション目|番目のセクション";

/// Span of the section's name at the beginning of `text`.
fn named(text: &Text) -> Option<usize> {
    let digits =
        |from: usize| text.chars[from..].iter().take_while(|it| it.is_ascii_digit()).count();
    if let Some((_, to)) = text.find(NAMES, 0).filter(|it| it.0 == 0) {
        let from = to + usize::from(text.chars.get(to) == Some(&' '));
        let count = digits(from.min(text.len()));
        return (count > 0).then_some(from + count);
    }
    let count = digits(0);
    let (from, to) = text.find(BEHIND, count)?;
    // `3ページ以内の原稿`, `1ページあたりの単価`.
    const MEASURES: &str = "以内|以上|以下|未満|まで|程度|あたり|当たり|ごと|分|数";
    let is_measure = marks(MEASURES).any(|it| text.is_at(it, to));
    (count > 0 && from == count && !is_measure).then_some(to)
}

/// Separates the names of sections from the fields behind them, except where those are alike: `part 1 score and part 2
/// score`.
pub(super) fn apart(list: &[String]) -> Vec<String> {
    let parts: Vec<_> = list.iter().map(|it| parts(it)).collect();
    let field = |parts: &[String]| parts.get(1).map(|it| it.to_lowercase());
    let is_alike = |at: usize| {
        let own = field(&parts[at]);
        own.is_some() && (0..parts.len()).any(|it| it != at && field(&parts[it]) == own)
    };
    let all = (0..parts.len()).map(|at| match is_alike(at) {
        true => vec![list[at].clone()],
        false => parts[at].clone(),
    });
    all.flatten().collect()
}

/// The section's name at the beginning of `item`, and the field behind it.
fn parts(item: &str) -> Vec<String> {
    const LEADS: &str =
        "asks for|asking for|ask for|asks|with|has|is for|is|contains|for|は|に|で|が|の";
    let mut text = Text::new(item);
    text.strip("and|on|then|the", "");
    let Some(end) = named(&text) else { return vec![item.to_owned()] };
    let mut rest = Text::new(&text.piece(end, text.len()));
    rest.strip(LEADS, "");
    match rest.len() {
        0 => vec![text.text()],
        _ => vec![text.piece(0, end), rest.text()],
    }
}

/// Heading of the section that `text` names.
pub(super) fn heading(text: &Text) -> Option<Field> {
    let is_all = named(text)? == text.len();
    is_all.then(|| Field { label: Some(capital(&text.text())), ..Field::new(SECTION) })
}

/// Removes the colons behind names of sections, which begin no list: `page 1: name`.
pub(super) fn plain(text: &str) -> String {
    let is_colon = |it: char| matches!(it, ':' | '：');
    let mut pieces = text.split(is_colon);
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let word = plain.rsplit([',', '、', '。', '\n', '.', ';']).next().unwrap_or_default();
        let text = Text::new(word);
        let ends = |from: usize| {
            let rest = Text::new(&text.piece(from, text.len()));
            named(&rest) == Some(rest.len())
        };
        // `form with page 1: name`.
        let is_section =
            (0..text.len()).any(|it| (it == 0 || text.chars[it - 1] == ' ') && ends(it));
        plain.push(if is_section { ' ' } else { ':' });
        plain.push_str(piece.trim_start_matches(if is_section { ' ' } else { '\0' }));
    }
    plain
}
