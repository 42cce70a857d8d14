//! Fields of a form that get another place or another name, and all of them at once: `move email to the top`, `住所を電話番号に変えて`.

use language::scan::marks;
use serde_json::Value;

use super::{
    capital,
    item::{OPTIONAL, REQUIRED},
    text::Text,
};

/// The longest new name of a field, in characters.
const LABEL_MAX: usize = 60;

/// Puts the field that `text` names first or last among `fields`, or gives it another name; whether anything is
/// changed, and none where `text` asks for neither. `is_called` says whether a name means a field.
pub(super) fn moved(
    fields: &mut Vec<Value>,
    text: &Text,
    is_called: impl Fn(&Value, &str) -> bool,
) -> Option<bool> {
    const FIRST: &str = "を最初に|は最初に|を先頭に|は先頭に|を一番上に|は一番上に|を一番最初に|を上に|to the top|to the front|to the beginning|to the start|come first|comes first|goes first|go first|first";
    const LAST: &str = "を最後に|は最後に|を末尾に|を一番下に|は一番下に|を下に|to the bottom|to the end|come last|comes last|goes last|go last|last";
    const LEADS: &str =
        "move|put|place|make|have|the|please|and|then|now|順番を変えて|順番を変更して|順番は";
    let named = |name: &str| {
        let mut name = Text::new(name);
        name.strip(LEADS, "");
        name.text()
    };
    if let Some((old, new)) = renamed(text) {
        let field = fields.iter_mut().find(|it| is_called(it, &named(&old)))?;
        field["label"] = capital(&new).chars().take(LABEL_MAX).collect::<String>().into();
        return Some(true);
    }
    let ends = [(true, FIRST), (false, LAST)];
    let (is_first, to) = ends.iter().find_map(|it| Some((it.0, text.find(it.1, 1)?.0)))?;
    let name = named(&text.piece(0, to));
    let at = fields.iter().position(|it| is_called(it, &name))?;
    let field = fields.remove(at);
    let to = if is_first { 0 } else { fields.len() };
    fields.insert(to, field);
    Some(true)
}

/// The old and the new name of a field.
fn renamed(text: &Text) -> Option<(String, String)> {
    const VERBS: &str = "rename|relabel";
    const BEHIND: &str =
        "に改名|に名前を変|という名前に|という項目名に|に書き換え|に変えて|に変更|に直して";
    if let Some((_, from)) = text.find(VERBS, 0).filter(|it| it.0 == 0) {
        let (end, behind) = text.find("to|as|into", from)?;
        let new = text.piece(behind, text.len());
        let new = new.trim().trim_matches(['"', '“', '”', '.', ' ']).to_owned();
        return Some((text.piece(from, end), new)).filter(|it| !it.1.is_empty());
    }
    let (end, _) = text.find(BEHIND, 1)?;
    let (particle, behind) = text.find("を", 1).filter(|it| it.1 < end)?;
    let new = text.piece(behind, end);
    let new = marks("「|」|『|』").fold(new, |it, mark| it.replace(mark, ""));
    // `メールを任意に変えて` marks it.
    let is_mark = marks("必須|任意|最初|最後").any(|it| new.contains(it));
    Some((text.piece(0, particle), new)).filter(|it| !it.1.trim().is_empty() && !is_mark)
}

/// Whether all fields are to be required, where `piece` says no more than that: `必須にして`, `make them optional`.
pub(super) fn all_marked(piece: &str) -> Option<(Vec<String>, bool)> {
    const LEADS: &str =
        "make|set|mark|it|them|all|and|please|全部|ぜんぶ|それ|これ|やっぱり|を|は|も";
    const TAILS: &str =
        "にしてください|にして|にする|でお願いします|でお願い|です|で|に|please|as|too|instead";
    let mut text = Text::new(piece);
    let is_required = match () {
        () if text.take(OPTIONAL) => false,
        () if text.take(REQUIRED) => true,
        () => return None,
    };
    text.strip(LEADS, TAILS);
    (text.len() == 0).then(|| (vec!["*".to_owned()], is_required))
}
