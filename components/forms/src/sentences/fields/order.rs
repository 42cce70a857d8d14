//! Moves, renames and extends fields, by name, by position, or all at once: `move email to the top`, `住所を電話番号に変えて`.

use language::{say::capital, scan::marks};
use serde_json::{Value, json};

use super::{
    item::{OPTIONAL, REQUIRED, SEVERAL, is_kind},
    list::items,
    text::Text,
};

/// Maximum characters of a new label.
const LABEL_MAX: usize = 60;

/// Phrases that move a field to the beginning and to the end.
const TO_FIRST: &str = "を最初に|は最初に|を先頭に|は先頭に|を一番上に|は一番上に|を一番最初に|を上に|to the top|to the front|to the beginning|to the start|come first|comes first|goes first|go first|first";
const TO_LAST: &str = "を最後に|は最後に|を末尾に|を一番下に|は一番下に|を下に|to the bottom|to the end|come last|comes last|goes last|go last|last";

/// Moves or renames the field in `text`; returns its name, or `None` without such a
/// request. `is_called` matches names with fields.
pub(super) fn moved(
    fields: &mut Vec<Value>,
    text: &Text,
    is_called: impl Fn(&Value, &str) -> bool,
) -> Option<Option<String>> {
    const LEADS: &str =
        "move|put|place|make|have|the|and|順番を変えて|順番を変更して|順番は|並び順は|並び順|順番";
    let named = |name: &str| {
        let mut name = Text::new(name);
        name.strip(LEADS, "");
        name.text()
    };
    if let Some((whole, old, new)) = renamed(text) {
        // `猫の名前を愛称に変えて` may have the field's own label.
        let whole = named(&whole).to_lowercase();
        let is_label =
            |it: &Value| it["label"].as_str().is_some_and(|it| it.to_lowercase() == whole);
        let at = fields.iter().position(is_label);
        let at = at.or_else(|| fields.iter().position(|it| is_called(it, &named(&old))))?;
        let field = &mut fields[at];
        field["label"] = capital(&new).chars().take(LABEL_MAX).collect::<String>().into();
        return Some(field["name"].as_str().map(str::to_owned));
    }
    if let Some((name, place)) = beside(fields, text, &is_called) {
        let at = fields.iter().position(|it| is_called(it, &named(&name)))?;
        let field = fields.remove(at);
        let moved = field["name"].as_str().map(str::to_owned);
        fields.insert(if at < place { place - 1 } else { place }, field);
        return Some(moved);
    }
    let ends = [(true, TO_FIRST), (false, TO_LAST)];
    let (is_first, to) = ends.iter().find_map(|it| Some((it.0, text.find(it.1, 1)?.0)))?;
    let name = named(&text.piece(0, to));
    let at = fields.iter().position(|it| is_called(it, &name))?;
    let field = fields.remove(at);
    let to = if is_first { 0 } else { fields.len() };
    let moved = field["name"].as_str().map(str::to_owned);
    fields.insert(to, field);
    Some(moved)
}

/// What is to stand beside a field or in a section, and the index there: `notes before price`, `性別を名前の次に`,
/// `comments to page 1`.
pub(super) fn beside(
    fields: &[Value],
    text: &Text,
    is_called: impl Fn(&Value, &str) -> bool,
) -> Option<(String, usize)> {
    const PLACES: [(&str, bool); 2] = [
        ("before|above|ahead of|in front of|の前に|の上に|の手前に|の直前に", true),
        (
            "right after|after|below|under|underneath|behind|の次に|の後に|の後ろに|の下に|のあとに|の直後に",
            false,
        ),
    ];
    const INTO: &str = "to|onto|into|on|に";
    let halves = |(from, to): (usize, usize)| match text.chars[from].is_ascii() {
        true => Some((text.piece(0, from), text.piece(to, text.len()))),
        false => match text.find("を|は", 1).filter(|it| it.1 < from) {
            Some((end, begin)) => Some((text.piece(0, end), text.piece(begin, from))),
            // `電話の前に住所を`: the place leads.
            None => {
                let end = text.find("を|は|も", to + 1).map_or(text.len(), |it| it.0);
                Some((text.piece(to, end), text.piece(0, from)))
            }
        },
    };
    for (words, is_before) in PLACES {
        let Some((name, anchor)) = text.find(words, 1).and_then(halves) else { continue };
        if let Some(at) = fields.iter().position(|it| is_called(it, &anchor)) {
            return Some((name, at + usize::from(!is_before)));
        }
    }
    let (name, section) = text.find(INTO, 1).and_then(halves)?;
    let is_heading = |it: &Value| it["type"] == "heading";
    let at = fields.iter().position(|it| is_heading(it) && is_called(it, &section))?;
    let next = fields[at + 1..].iter().position(is_heading);
    Some((name, next.map_or(fields.len(), |it| at + 1 + it)))
}

/// Old and new field of a replacement: `メールじゃなくて電話で`, `phone instead of email`.
pub(in crate::sentences) fn replacement(sentence: &str) -> Option<(String, String)> {
    const BUT: &str =
        "じゃなくて|ではなくて|ではなく|じゃなく|の代わりに|のかわりに|をやめて|はやめて";
    const TAILS: &str = "にしてください|でお願いします|でお願い|にして|を聞いて|で|に|を";
    const LEADS: &str = "actually |no, |make it |use |ask for |the ";
    let sentence = sentence.trim().trim_end_matches(['。', '.', '!', '！']);
    let lower = sentence.to_ascii_lowercase();
    if let Some((new, old)) = lower.split_once(" instead of ") {
        let new = marks(LEADS).fold(new, |it, lead| it.strip_prefix(lead).unwrap_or(it));
        return Some((old.to_owned(), new.to_owned()));
    }
    // `no, not email. phone`, `not email but phone`.
    let english = || {
        let rest = lower.strip_prefix("no, ").unwrap_or(&lower).strip_prefix("not ")?;
        [". ", ", ", " but "].iter().find_map(|it| rest.split_once(it))
    };
    let parted = || lower.split_once("に分け")?.0.split_once(['は', 'を']);
    let (old, new) =
        marks(BUT).find_map(|it| lower.split_once(it)).or_else(parted).or_else(english)?;
    let tail = marks(TAILS).filter_map(|it| new.strip_suffix(it)).min_by_key(|it| it.len());
    let new = tail.unwrap_or(new).trim_start_matches('、').trim_start_matches("but ");
    Some((old.to_owned(), new.to_owned()))
}

/// Exchanges two fields: `メールと電話の順番を入れ替えて`, `swap name and email`; `both` are those named just before.
pub(super) fn swapped(
    fields: &mut [Value],
    text: &Text,
    both: &[String],
    is_called: impl Fn(&Value, &str) -> bool,
) -> bool {
    const SWAPS: &str =
        "入れ替え|入れかえ|swap the order of|switch the order of|swap|switch|exchange";
    const LEADS: &str = "the order of|the order|the|を";
    const TAILS: &str = "の順番を|の順を|の位置を|順番を|順番|を|は";
    let Some((from, to)) = text.find(SWAPS, 0) else { return false };
    let mut names = match text.chars[from].is_ascii() {
        true => Text::new(&text.piece(to, text.len())),
        false => Text::new(&text.piece(0, from)),
    };
    names.strip(LEADS, TAILS);
    let names = names.text();
    let called = |fields: &[Value]| {
        let names = fields.iter().filter_map(|it| it["name"].as_str());
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    let named = match names_both(&names) {
        true if both.len() == 2 => both.to_vec(),
        true => called(fields),
        false => match ends(&names, fields) {
            Some(ends) => called(ends),
            None => {
                let place = |it: String| by_place(&it, fields).unwrap_or(it);
                items(&names).into_iter().map(place).collect()
            }
        },
    };
    let mut at = named.iter().filter_map(|name| fields.iter().position(|it| is_called(it, name)));
    let (Some(one), Some(other), 2) = (at.next(), at.next(), named.len()) else { return false };
    fields.swap(one, other);
    one != other
}

/// Whether `names` only points to two fields: `them`, `those two`, `順番を`.
fn names_both(names: &str) -> bool {
    const LEADS: &str = "the|these|those|both|two|of|その|この";
    const TAILS: &str = "please|pls|around|round|them|two|both|fields|order|項目|2つ|二つ|ふたつ|両方|それら|順番|並び|並び順|を|の";
    let mut text = Text::new(names);
    text.strip(LEADS, TAILS);
    text.len() == 0
}

/// The two fields at an end that `names` points to: `the first two`, `最後の二つ`.
fn ends<'a>(names: &str, fields: &'a [Value]) -> Option<&'a [Value]> {
    const FIRST: &str = "first|top|最初の|はじめの|先頭の|一番上の|上の";
    const LAST: &str = "last|bottom|最後の|末尾の|一番下の|下の";
    let mut text = Text::new(names);
    text.strip("the", "");
    let is_pair = |words: &'static str| {
        let end = text.find(words, 0).filter(|it| it.0 == 0 && it.1 < text.len());
        end.is_some_and(|it| names_both(&text.piece(it.1, text.len())))
    };
    match () {
        () if is_pair(FIRST) => fields.get(..2),
        () if is_pair(LAST) => fields.get(fields.len().checked_sub(2)?..),
        () => None,
    }
}

/// Reverses the order of fields without sections: `逆にして`, `reverse the order`.
pub(super) fn reversed(fields: &mut [Value], text: &Text) -> bool {
    const LEADS: &str =
        "順番|並び順|並び|項目|全部|を|は|の|the|order|of|fields|them|it|all|in|put";
    const TAILS: &str = "にしてください|にしてほしい|にして|にする|に並べて|に並べ替えて|並べ替えて|に|で|order|please";
    let mut rest = text.clone();
    let is_said = rest.take("逆順|逆|reverse|reversed");
    rest.strip(LEADS, TAILS);
    let is_meant = is_said && rest.len() == 0 && fields.iter().all(|it| it["type"] != "heading");
    if is_meant {
        fields.reverse();
    }
    is_meant
}

/// Whether `sentence` moves a field to an end without naming it: `それを先頭に`, `move it to the top`.
pub(in crate::sentences) fn moves_unnamed(sentence: &str) -> bool {
    const POINTERS: &str = "それ|これ|move it|move that|put it|put that";
    let text = Text::new(sentence);
    let pointer = text.find(POINTERS, 0).filter(|it| it.0 == 0);
    let rest = pointer.map(|it| Text::new(&text.piece(it.1, text.len())));
    let begins = |text: &Text, end| text.find(end, 0).is_some_and(|it| it.0 == 0);
    rest.is_some_and(|it| begins(&it, TO_FIRST) || begins(&it, TO_LAST))
}

/// Whether `sentence` exchanges fields without naming them: `入れ替えて`, `swap them please`.
pub(in crate::sentences) fn swaps_unnamed(sentence: &str) -> bool {
    const SWAPS: &str = "入れ替え|入れかえ|swap|switch|exchange";
    const LEADS: &str = "please|can you|could you|now|then|and|じゃあ|やっぱり|やっぱ|では|いや";
    const TAILS: &str = "てください|て下さい|てほしい|てくれる|て|たい|を|の|は";
    let mut text = Text::new(sentence);
    text.strip(LEADS, "");
    let Some((from, to)) = text.find(SWAPS, 0) else { return false };
    let mut behind = Text::new(&text.piece(to, text.len()));
    behind.strip("", TAILS);
    let mut before = Text::new(&text.piece(0, from));
    before.strip("", TAILS);
    match text.chars[from].is_ascii() {
        true => from == 0 && names_both(&behind.text()),
        false => behind.len() == 0 && names_both(&before.text()),
    }
}

/// Gives a field with options another look, or a text more room: `country should be a dropdown`, `種別をプルダウンに`.
pub(super) fn retyped(
    fields: &mut [Value],
    text: &Text,
    is_called: impl Fn(&Value, &str) -> bool,
) -> bool {
    const TYPES: [(&str, &str); 4] = [
        (
            "select",
            "dropdown list|dropdown menu|dropdown|drop-down|drop down|pull-down|pulldown|select box|プルダウン|ドロップダウン|セレクトボックス",
        ),
        ("radio", "radio buttons|radio button|radio|ラジオボタン|ラジオ"),
        ("multiselect", "checkboxes|check boxes|チェックボックス"),
        ("textarea", "text area|textarea|multi-line|multiline|long text|複数行|長文"),
    ];
    const LEADS: &str = "make|turn|change|show|use|put|i want|the|please|やっぱり|やっぱ|じゃあ";
    const TAILS: &str =
        "should be|to be|into|be|as|to|in|with|a|an|is|選択式の|選択式|は|を|が|で|に|の";
    let found = TYPES.iter().find_map(|it| Some((it.0, text.find(it.1, 1)?)));
    let Some((type_, (from, _))) = found else { return false };
    let mut name = Text::new(&text.piece(0, from));
    name.strip(LEADS, TAILS);
    let name = name.text();
    let is_choice = |it: &Value| it["options"].is_array();
    let is_text = |it: &Value| it["type"] == "text";
    let fits = |it: &Value| if type_ == "textarea" { is_text(it) } else { is_choice(it) };
    let field = fields.iter_mut().find(|it| fits(it) && is_called(it, &name));
    let Some(field) = field else { return false };
    let was_several = field["type"] == "multiselect";
    field["type"] = type_.into();
    if was_several != (type_ == "multiselect") {
        field.as_object_mut().map(|it| it.remove("default"));
    }
    true
}

/// Whether the field is called by its options.
pub(super) fn is_poll(field: &Value) -> bool {
    field["label"].as_str().is_some_and(|it| it.contains(" / "))
}

/// Calls a field by its options, as they are now.
fn relabel(field: &mut Value) {
    let options = field["options"].as_array().into_iter().flatten();
    let labels: Vec<_> = options.filter_map(|it| it["label"].as_str()).collect();
    field["label"] = labels.join(" / ").into();
}

/// Whether all options of `field` differ from `added` only by their numbers: 1年, 2年 and 3年 from 4年.
fn is_alike(field: &Value, added: &str) -> bool {
    let shape = |text: &str| {
        let mut shape = text.replace(|it: char| it.is_ascii_digit(), "0");
        while shape.contains("00") {
            shape = shape.replace("00", "0");
        }
        shape
    };
    let of_added = shape(added);
    let options = field["options"].as_array().map(Vec::as_slice).unwrap_or_default();
    options.len() > 1
        && of_added.contains('0')
        && options.iter().all(|it| it["label"].as_str().is_some_and(|it| shape(it) == of_added))
}

/// Renames or removes an option that one field alone has, and returns the field's index: `swap ham for bacon`,
/// `remove window`. The last option stays.
pub(super) fn changed_option(fields: &mut [Value], old: &str, new: Option<&str>) -> Option<usize> {
    // `商品からみかん`, `window from the seat options`.
    let old = old.split_once("から").map_or(old, |it| it.1);
    let mut old = Text::new(old.split_once(" from ").map_or(old, |it| it.0));
    old.strip("the|option|「|『|\"|“", "option|choice|という選択肢|の選択肢|を|」|』|\"|”");
    let old = old.text().to_lowercase();
    let is_it = |option: &Value| {
        ["label", "value"]
            .iter()
            .any(|key| option[*key].as_str().is_some_and(|it| it.to_lowercase() == old))
    };
    let has = |field: &Value| field["options"].as_array().is_some_and(|it| it.iter().any(is_it));
    let mut having = (0..fields.len()).filter(|it| has(&fields[*it]));
    let (Some(at), None) = (having.next(), having.next()) else { return None };
    let field = &mut fields[at];
    let options = field["options"].as_array_mut()?;
    match new {
        Some(new) => {
            let new = new.trim().trim_matches(['「', '」', '"', '“', '”', '.']);
            for option in options.iter_mut().filter(|it| is_it(it)) {
                *option = json!({ "value": new, "label": new });
            }
        }
        None if options.len() > 1 => options.retain(|it| !is_it(it)),
        None => return None,
    }
    if field["default"].as_str().is_some_and(|it| it.to_lowercase() == old) {
        field.as_object_mut().map(|it| it.remove("default"));
    }
    if is_poll(field) {
        relabel(field);
    }
    Some(at)
}

/// Old and new option of an exchange: `swap ham for bacon`, `ハムをベーコンに変えて`.
pub(super) fn exchanged(text: &Text) -> Option<(String, String)> {
    const VERBS: &str = "swap|replace|change|switch|exchange";
    const JOINTS: &str = "for|with|by|to|into";
    const TAILS: &str = "please|instead|in the options";
    if let Some((_, to)) = text.find(VERBS, 0).filter(|it| it.0 == 0) {
        let (end, behind) = text.find(JOINTS, to)?;
        let mut new = Text::new(&text.piece(behind, text.len()));
        new.strip("", TAILS);
        let mut old = Text::new(&text.piece(to, end));
        old.strip("the|option", "option");
        return Some((old.text(), new.text()));
    }
    renamed(text).map(|(_, old, new)| (old, new))
}

/// Old name of a field as written, what of it may be the name, and the new name.
fn renamed(text: &Text) -> Option<(String, String, String)> {
    const VERBS: &str = "rename|relabel|change";
    /// What is called by a name: `電話の名前を連絡先に変えて`, `change the label of phone to contact`.
    const NAMES: &str =
        "という項目の名前|の項目の名前|の項目名|の表示名|の名前|の名称|のラベル|の表示|の見出し";
    const OF: &str = "the name of|the label of|the title of|the field";
    const BEHIND: &str = "に改名|に名前変|に名前を変|という名前に|という項目名に|に書き換え|に変えて|に変更|に直して";
    if let Some((_, from)) = text.find(VERBS, 0).filter(|it| it.0 == 0) {
        let (end, behind) = text.find("to|as|into", from)?;
        let new = text.piece(behind, text.len());
        let new = new.trim().trim_matches(['"', '“', '”', '.', ' ']).to_owned();
        // `change the email to optional` is a mark, and `change it to a dropdown` another type.
        let is_type = ["a ", "an ", "dropdown", "drop-down"].iter().any(|it| new.starts_with(it));
        let is_mark = is_type || Text::new(&new).has(REQUIRED) || Text::new(&new).has(OPTIONAL);
        let whole = text.piece(from, end);
        let mut old = Text::new(&whole);
        old.strip(OF, "");
        return Some((whole, old.text(), new)).filter(|it| !it.2.is_empty() && !is_mark);
    }
    let (end, _) = text.find(BEHIND, 1)?;
    let (particle, behind) = text.find("を", 1).filter(|it| it.1 < end)?;
    let new = text.piece(behind, end);
    let new = marks("「|」|『|』").fold(new, |it, mark| it.replace(mark, ""));
    // `メールを任意に変えて` is a mark.
    let is_mark = marks("必須|任意|最初|最後").any(|it| new.contains(it));
    let whole = text.piece(0, particle);
    let mut old = Text::new(&whole);
    old.strip("", NAMES);
    Some((whole, old.text(), new)).filter(|it| !it.2.trim().is_empty() && !is_mark)
}

/// Whether all fields become required, if `piece` says nothing else: `必須にして`, `make them optional`.
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

/// Resolves a position to the field's name: `2番目`, `the last question`.
pub(super) fn by_place(name: &str, fields: &[Value]) -> Option<String> {
    const LEADS: &str = "やっぱり|やっぱ|じゃあ|the|field|question|項目の|項目|質問の|質問";
    const TAILS: &str = "field|question|one|の項目|の質問|の欄|項目|質問|欄|やつ|の|を|は|も|に";
    const LAST: &str = "last|最後|一番最後|いちばん最後|一番下";
    const PLACES: [&str; 8] = [
        "first|1st|number 1|#1|1番|1番目|一番目|1つ目|一つ目|最初|一番上",
        "second|2nd|number 2|#2|2番|2番目|二番目|2つ目|二つ目",
        "third|3rd|number 3|#3|3番|3番目|三番目|3つ目|三つ目",
        "fourth|4th|number 4|#4|4番|4番目|四番目|4つ目|四つ目",
        "fifth|5th|number 5|#5|5番|5番目|五番目|5つ目|五つ目",
        "sixth|6th|number 6|#6|6番|6番目|六番目|6つ目|六つ目",
        "seventh|7th|number 7|#7|7番|7番目|七番目|7つ目|七つ目",
        "eighth|8th|number 8|#8|8番|8番目|八番目|8つ目|八つ目",
    ];
    let mut text = Text::new(name);
    text.strip(LEADS, TAILS);
    let text = text.text().to_lowercase();
    let place = PLACES.iter().position(|it| marks(it).any(|it| it == text));
    let last = || marks(LAST).any(|it| it == text).then(|| fields.len().checked_sub(1))?;
    fields.get(place.or_else(last)?)?["name"].as_str().map(str::to_owned)
}

/// Permits several choices: `色は複数選択可で`, `allow multiple colours`. Returns whether `text` says so;
/// `is_called` matches names with fields.
pub(super) fn several(
    fields: &mut [Value],
    text: &Text,
    is_called: impl Fn(&Value, &str) -> bool,
) -> bool {
    const LEADS: &str = "let|allow|people|them|can|choose|pick|select|for|the|of|じゃあ|やっぱり|あと|それと|それから|また|ついでに";
    const TAILS: &str = "to be chosen|to be picked|please|にしてください|にして|でお願いします|でお願い|できるように|るようにして|るように|は|を|も|で|に|が";
    let mut name = text.clone();
    if !name.take(SEVERAL) {
        return false;
    }
    name.strip(LEADS, TAILS);
    let name = name.text();
    let choices = fields.iter().filter(|it| it["options"].is_array()).count();
    let is_meant = |field: &&mut Value| {
        field["options"].is_array() && (name.is_empty() && choices == 1 || is_called(field, &name))
    };
    let Some(field) = fields.iter_mut().find(is_meant) else { return false };
    field["type"] = "multiselect".into();
    if let Some(default) = field.get_mut("default").filter(|it| !it.is_array()) {
        *default = json!([default.take()]);
    }
    true
}

/// Adds options: `性別に「回答しない」を足して`, `add yellow to the colours`. Returns whether `text` says so;
/// `chosen` is the field that lost an option just before, and `is_called` matches names with fields.
pub(super) fn added_options(
    fields: &mut [Value],
    text: &Text,
    chosen: Option<usize>,
    is_called: impl Fn(&Value, &str) -> bool,
) -> bool {
    const ADDS: &str = "を追加|も追加|追加して|を足して|も足して|足して|を入れて|も入れて|を加えて|も加えて|をつけて|もつけて";
    const VERBS: &str = "also add|and add|add|include|put";
    const LEADS: &str =
        "the|list of|choices of|options of|choices for|options for|じゃあ|あと|やっぱり";
    const TAILS: &str = "options|option|choices|choice|list|too|as well|please|の選択肢|選択肢";
    const QUOTES: &[char] = &['「', '」', '『', '』', '"', '“', '”', ' ', '.', '!'];
    const OPTION_MAX: usize = 40;
    const OPTIONS_MAX: usize = 50;
    let english = text.find(VERBS, 0).filter(|it| it.0 == 0).and_then(|found| {
        let (to, behind) = text.find("to|as an option to|as an option for|among", found.1)?;
        Some((text.piece(behind, text.len()), text.piece(found.1, to)))
    });
    let japanese = || {
        let (end, _) = text.find(ADDS, 1)?;
        let (to, behind) = text.find("に", 1).filter(|it| it.1 < end)?;
        Some((text.piece(0, to), text.piece(behind, end)))
    };
    // A poll's only question needs no name: `add burgers`; nor does `低を消して緊急を足して`.
    let is_poll = matches!(&*fields, [only] if is_poll(only));
    let to_poll = || {
        let english = text.find(VERBS, 0).filter(|it| it.0 == 0);
        let english = english.map(|it| text.piece(it.1, text.len()));
        let added = english.or_else(|| text.find(ADDS, 1).map(|it| text.piece(0, it.0)))?;
        let is_option =
            (is_poll || chosen.is_some()) && !items(&added).iter().any(|it| is_kind(it));
        is_option.then(|| (String::new(), added))
    };
    // `4年も足して` goes on with 1年, 2年 and 3年.
    let alike = || {
        let english = text.find(VERBS, 0).filter(|it| it.0 == 0);
        let english = english.map(|it| text.piece(it.1, text.len()));
        let mut added =
            Text::new(&english.or_else(|| text.find(ADDS, 1).map(|it| text.piece(0, it.0)))?);
        added.strip(LEADS, TAILS);
        let added = added.text();
        let mut fits = (0..fields.len()).filter(|at| is_alike(&fields[*at], &added));
        fits.next().filter(|_| fits.next().is_none()).map(|at| (at, added))
    };
    let alike = alike();
    let chosen = alike.as_ref().map(|it| it.0).or(chosen);
    let found = match alike {
        Some((_, added)) => Some((String::new(), added)),
        None => english.or_else(japanese).or_else(to_poll),
    };
    let Some((name, added)) = found else { return false };
    let mut name = Text::new(&name);
    name.strip(LEADS, TAILS);
    let name = name.text();
    let field = fields.iter_mut().enumerate().find(|(at, field)| {
        let is_meant = name.is_empty() && (is_poll || chosen == Some(*at));
        field["options"].is_array() && (is_meant || is_called(field, &name))
    });
    let Some((_, field)) = field else { return false };
    let Some(options) = field["options"].as_array_mut() else { return false };
    let added = items(&added);
    let added = added.iter().map(|it| it.trim().trim_matches(QUOTES));
    let is_fit = |it: &&str| (1..=OPTION_MAX).contains(&it.chars().count());
    let before = options.len();
    for option in added.filter(is_fit) {
        let is_new = !options.iter().any(|it| it["label"] == option || it["value"] == option);
        if is_new && options.len() < OPTIONS_MAX {
            options.push(json!({ "value": option, "label": option }));
        }
    }
    let is_more = options.len() > before;
    if is_more && self::is_poll(field) {
        relabel(field);
    }
    is_more
}
