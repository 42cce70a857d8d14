//! Changes of an existing form: adds, removes, marks, constrains or moves fields.

use language::{
    Language, aside::Aside, name_pieces::is_hiragana, scan::marks, utterance::Utterance,
};
use serde_json::{Value, json};
use std::collections::VecDeque;

use super::{
    DEFAULT, Reading, bounds, conditional, distinguish, is_called, is_filler,
    item::{self, Item},
    kinds,
    list::{REMOVE, clauses, items, pieces},
    marking,
    order::{self, all_marked, by_place},
    text::Text,
};

/// A changed form.
pub(in crate::sentences) struct Changed {
    pub(in crate::sentences) fields: Vec<Value>,
    /// Unknown words.
    pub(in crate::sentences) left: Vec<String>,
    /// Whether the sentence names an existing field and fits no other family.
    pub(in crate::sentences) is_sure: bool,
    /// Name of the field that it is about, for `move it to the top`.
    pub(in crate::sentences) about: Option<String>,
}

/// Applies the changes in `utterance` to the fields; `None` if there are none.
pub(in crate::sentences) fn change(
    utterance: &Utterance,
    before: &[Value],
    last: Option<&str>,
    language: Language,
) -> Option<Changed> {
    const ADD: &str = "を追加して|を追加|も追加して|も追加|追加して|追加|を足して|も足して|足して|も入れて|を入れて|もほしい|も欲しい|も聞いて|も聞いと|も聞く|も聞きたい|もきいて|もきいと|も知りたい|も尋ねて|も必要|を加えて|も加えて|もつけて|もつける|をつけて|も付けて|を付けて|もお願いします|もお願い|もください|も頼む|も入力してもらって|add|also ask for|also add|also|include|put in|put|plus|and ask for|with";
    let text: String = utterance.chars.iter().collect();
    let mut fields = before.to_vec();
    let mut left = Vec::new();
    let (mut is_changed, mut is_sure, mut about) = (false, false, None::<String>);
    // Field of the option that was removed just before.
    let mut chosen = None;
    let label = |field: &Value| {
        let key = if field["type"] == "heading" { "text" } else { "label" };
        field[key].as_str().unwrap_or_default().to_owned()
    };
    // `last name` beside `first name` means its own.
    let is_label = |field: &Value, name: &str| {
        let name = name.strip_prefix("the ").unwrap_or(name);
        label(field).eq_ignore_ascii_case(name.trim())
    };
    let of = |field: &Value, name: &str| match before.iter().any(|it| is_label(it, name)) {
        true => is_label(field, name),
        false => is_called(name, field["name"].as_str().unwrap_or_default(), &label(field)),
    };
    const FIRST: &str = "at the top|at the beginning|一番上に|先頭に|最初に";
    let is_first = Text::new(&text).has(FIRST) || text.trim_end().ends_with(" first");
    // `oh and a phone number`.
    let opening = text.to_lowercase();
    let goes_on = ["and ", "oh and ", "oh, and ", "plus "].iter().any(|it| opening.starts_with(it));
    let mut both = Vec::new();
    let pieces = clauses(&text).into_iter().flat_map(|it| pieces(&it));
    let mut pieces: VecDeque<String> = pieces.collect();
    while let Some(piece) = pieces.pop_front() {
        // `rename comments to remarks and move it to the top`.
        let piece = match about.as_deref().or(last) {
            Some(name) => pointed(&piece, name),
            None => piece,
        };
        let piece = ordered(&piece);
        // `アレルギーがありなら詳細も`: the added field is shown with that answer.
        let condition =
            conditional(&piece).and_then(|(when, rest)| Some((answer(&fields, &when)?, rest)));
        let (shown, piece) = match condition {
            Some((shown, rest)) => (Some(shown), rest),
            None => (None, piece),
        };
        let text = Text::new(&piece);
        // `いらん物を追加`, `不要な物を追加`: the word belongs to a name, unless a field stands before it.
        let is_of_name = |(from, to): &(usize, usize)| {
            let is_noun = |it: &char| it.is_alphanumeric() && !is_hiragana(*it);
            marks("いら|要ら|不要").any(|it| text.is_at(it, *from))
                && text.chars[*to..].iter().find(|it| **it != 'な').is_some_and(is_noun)
                && !items(&text.piece(0, *from)).iter().any(|name| {
                    let name = name.trim_end_matches(['は', 'も', 'を', 'が']);
                    fields.iter().any(|it| of(it, name))
                })
        };
        let mut removed = text.find(REMOVE, 0);
        while let Some(name) = removed.filter(is_of_name) {
            removed = text.find(REMOVE, name.1);
        }
        if let Some((from, to)) = removed.filter(|it| it.0 == 0 || !text.chars[it.0].is_ascii()) {
            let names = match text.chars[from].is_ascii() {
                true => text.piece(to, text.len()),
                false => text.piece(0, from),
            };
            if let Some(kept) = excepted(&names) {
                let is_kept = |field: &Value| {
                    kept.iter().any(|it| of(field, &by_place(it, before).unwrap_or(it.clone())))
                };
                let is_any = fields.iter().any(is_kept);
                let count = fields.len();
                fields.retain(|it| !is_any || is_kept(it));
                (is_changed, is_sure) = (is_changed || fields.len() < count, is_sure || is_any);
                continue;
            }
            for name in items(&names) {
                // `やっぱり希望日は消して` names the date alone.
                const LEADS: &str = "やっぱり|やはり|やっぱ|じゃあ|では|あと|それと|いや";
                let mut name = Text::new(&name);
                name.strip(
                    LEADS,
                    "やっぱり|やっぱ|やはり|は|も|を|って|instead|please|pls|as well|too",
                );
                // `いらない電話番号の項目を削除`, but `不要な物を消して` of such a field
                if !fields.iter().any(|it| of(it, &name.text())) {
                    name.strip("いらない|いらん|要らない|不要な", "の項目|の欄");
                }
                let name = name.text();
                let name = by_place(&name, before).unwrap_or(name);
                let count = fields.len();
                // `take out tacos` of a poll that is called by its options.
                let is_option = fields.iter().any(order::is_poll)
                    && !fields.iter().any(|it| is_label(it, &name));
                fields.retain(|it| is_option || !of(it, &name));
                if fields.len() < count {
                    is_changed = true;
                } else if let Some(at) = order::changed_option(&mut fields, &name, None) {
                    (is_changed, is_sure, chosen) = (true, true, Some(at));
                } else {
                    left.push(name);
                }
            }
            // `量を抜いて接客を入れて` goes on.
            let rest = if text.chars[from].is_ascii() {
                String::new()
            } else {
                text.piece(to, text.len())
            };
            if rest.chars().count() > 2 {
                pieces.push_front(rest);
            }
            continue;
        }
        if order::added_options(&mut fields, &text, chosen, of)
            || order::several(&mut fields, &text, of)
        {
            (is_changed, is_sure) = (true, true);
            continue;
        }
        if order::retyped(&mut fields, &text, of) || order::swapped(&mut fields, &text, &both, of) {
            (is_changed, is_sure) = (true, true);
            continue;
        }
        if order::reversed(&mut fields, &text) {
            is_changed = true;
            continue;
        }
        if let Some((old, new)) = order::exchanged(&text)
            && !fields.iter().any(|it| of(it, &old))
            && order::changed_option(&mut fields, &old, Some(&new)).is_some()
        {
            (is_changed, is_sure) = (true, true);
            continue;
        }
        if let Some((name, value)) = bounds::of_field(&piece)
            && let Some(field) = fields.iter_mut().find(|it| of(it, name))
        {
            if !bounds::begin(field, value) {
                left.push(value.to_owned());
            }
            (is_changed, is_sure) = (true, true);
            continue;
        }
        let mut marked = false;
        // `年齢は20歳以上で、任意` marks the one that is named, and so does `make it optional` after its change.
        let whole = all_marked(&piece);
        let before_it = last.filter(|_| !is_changed && text.has("it|それ|これ"));
        let one = about.as_deref().or(before_it).map(str::to_owned);
        let one = one.filter(|_| whole.is_some() && !text.has("全部|ぜんぶ|all|them"));
        let all = |it: (Vec<_>, bool)| vec![(one.clone().map_or(it.0, |name| vec![name]), it.1)];
        let markings = whole.map_or_else(|| marking(&piece), all);
        for (names, is_required) in markings {
            let names: Vec<String> =
                names.into_iter().map(|it| by_place(&it, &fields).unwrap_or(it)).collect();
            both.clone_from(&names);
            for field in &mut fields {
                let is_meant = match &one {
                    Some(name) => field["name"] == name.as_str(),
                    None => names.iter().any(|name| name == "*" || of(field, name)),
                };
                if is_meant {
                    field["required"] = is_required.into();
                    let is_one = names.iter().all(|name| name != "*");
                    about = field["name"].as_str().filter(|_| is_one).map(str::to_owned);
                    // `make seat preference optional` is about no seat.
                    is_sure |= is_one;
                    marked = true;
                    bound(field, &piece);
                    let stated = bounds::default_in(&piece).map(|it| it.value);
                    left.extend(stated.filter(|it| !bounds::begin(field, it)));
                }
            }
        }
        if marked {
            is_changed = true;
            continue;
        }
        // `年齢は任意で、18以上` goes on with the field before it, and `0.1刻みで` means the one that has a number.
        if let Some(at) = limited(&fields, &piece, about.as_deref()) {
            bound(&mut fields[at], &piece);
            (is_changed, is_sure) = (true, true);
            continue;
        }
        if let Some(at) = begun(&mut fields, &piece, about.as_deref()) {
            about = fields[at]["name"].as_str().map(str::to_owned);
            (is_changed, is_sure) = (true, true);
            continue;
        }
        if let Some((at, shown)) = shown_when(&fields, &piece, of) {
            fields[at]["showIf"] = shown;
            (is_changed, is_sure) = (true, true);
            continue;
        }
        // `with` behind the field adds nothing.
        let added = added_at(&text, ADD);
        let is_adding = added.is_some_and(|it| it.0 == 0 || !text.chars[it.0].is_ascii());
        // `個数は最大20まで` constrains an existing field.
        if !is_adding
            && let Item::Fields { fields: listed, .. } = item::item(&changed(&piece), false)
            && let [one] = listed.as_slice()
            && (!one.more.is_empty() || !one.options.is_empty())
        {
            let called = |entry: &&mut Value| {
                let text = |key: &str| entry[key].as_str().unwrap_or_default();
                // The kind of two fields alike names neither.
                !one.is_free && one.kind.name == text("name")
                    || one.label.as_ref().is_some_and(|it| it.eq_ignore_ascii_case(text("label")))
            };
            if let Some(field) = fields.iter_mut().find(called) {
                about = field["name"].as_str().map(str::to_owned);
                // `rating 1-5 and comment` limits no comment.
                let is_number = ["number", "range"].iter().any(|it| field["type"] == *it);
                let fits = |name: &str| {
                    is_number || one.is_free || !["min", "max", "step"].contains(&name)
                };
                for (name, value) in one.more.iter().filter(|it| it.0 != DEFAULT && fits(it.0)) {
                    field[name.as_str()] = value.clone();
                }
                let definition = one.definition(language, 0);
                // `体温は35から42まで`: a text becomes a number.
                if one.is_free && definition["type"] == "number" && field["type"] == "text" {
                    field["type"] = definition["type"].clone();
                    field.as_object_mut().map(|it| it.remove("maxLength"));
                }
                // `職業は会社員・学生から選ばせて`: a text becomes a choice.
                for name in ["type", "options"].into_iter().filter(|_| !one.options.is_empty()) {
                    field[name] = definition[name].clone();
                }
                if let Some(own) = field.as_object_mut().filter(|_| !one.options.is_empty()) {
                    own.retain(|name, _| {
                        !["maxLength", "pattern", "rows"].contains(&name.as_str())
                    });
                }
                if let Some(words) = one.more.get(DEFAULT).and_then(Value::as_str)
                    && !bounds::begin(field, words)
                {
                    left.push(words.to_owned());
                }
                (is_changed, is_sure) = (true, true);
                continue;
            }
            // `満足度は5段階で` requests a missing field.
            if !one.is_free {
                let mut definition = one.definition(language, fields.len() + 1);
                distinguish(&mut definition, &fields);
                fields.push(definition);
                is_changed = true;
                continue;
            }
        }
        if let Some(moved) = order::moved(&mut fields, &text, of) {
            about = moved.clone().or(about);
            (is_changed, is_sure) = (true, true);
            continue;
        }
        // `18歳以上だけ` constrains the only age field.
        if bounds::is_of_age(&piece)
            && let Some(age) = fields.iter_mut().find(|it| it["name"] == "age")
        {
            bound(age, &piece);
            is_changed = true;
            continue;
        }
        // `満点は10にして` constrains the only rating.
        let mut ratings = fields.iter_mut().filter(|it| it["type"] == "range");
        if bounds::is_of_rating(&piece)
            && let (Some(rating), None) = (ratings.next(), ratings.next())
        {
            bound(rating, &piece);
            (is_changed, is_sure) = (true, true);
            continue;
        }
        // `make the email required too` requests a missing field.
        let lacks = || {
            let (names, is_required) = marking(&piece).pop()?;
            let word = if is_required { "required" } else { "optional" };
            let are_kinds = names.iter().all(|it| item::is_kind(it));
            are_kinds.then(|| {
                names.iter().map(|it| format!("{it} {word}")).collect::<Vec<_>>().join(", ")
            })
        };
        let list = match added {
            Some((from, to)) if text.chars[from].is_ascii() => Some(text.piece(to, text.len())),
            // `もう一問追加 一番長い川は？`: the list follows.
            Some((from, to)) => {
                const ONE_MORE: &str =
                    "もう一問|もう1問|もうひとつ|もう一つ|もう1つ|質問|項目|問題";
                let before = text.piece(0, from);
                let is_behind = marks(ONE_MORE).any(|it| before.trim() == it);
                Some(if is_behind { text.piece(to, text.len()) } else { before })
            }
            None if is_added(&text) || shown.is_some() || goes_on && names_fields(&piece) => {
                Some(piece.clone())
            }
            None => lacks(),
        };
        if let Some(list) = list {
            let mut list = Text::new(&list);
            list.strip(
                "one more question|one more|another question|another|and make|make|mark|have|then|ask them for|ask for|ask|最後に|あとは|あと|それと|ついでに|やっぱり|やっぱ|じゃあ|もう一個|もう1個|もう一つ|もう1つ|もうひとつ",
                "instead|as well|too|to it|to the form|at the top|at the beginning|first|代わりに|かわりに",
            );
            let beside = order::beside(&fields, &list, of);
            let mut place = if is_first { 0 } else { fields.len() };
            if let Some((name, at)) = beside {
                (list, place, is_sure) = (Text::new(&name), at, true);
            }
            let mut found = Reading::default();
            found.take(&items(&list.text()), true, &mut left);
            let is_one = found.fields.len() == 1;
            for mut field in found.fields {
                left.extend(field.settle());
                let mut definition = field.definition(language, fields.len() + 1);
                if field.is_plain() {
                    liken(&mut definition, &fields[..place]);
                }
                distinguish(&mut definition, &fields);
                if let Some(shown) = &shown {
                    (definition["showIf"], is_sure) = (shown.clone(), true);
                }
                about = definition["name"].as_str().filter(|_| is_one).map(str::to_owned);
                fields.insert(place, definition);
                (place, is_changed) = (place + 1, true);
            }
            left.extend(found.left);
        } else if !is_no_wish(&piece) {
            left.push(piece);
        }
    }
    unlink(&mut fields);
    (is_changed && !fields.is_empty()).then_some(Changed { fields, left, is_sure, about })
}

/// Removes the verb of a change: `make colour a choice of red or blue`, `use 0.5 steps instead`.
fn changed(piece: &str) -> String {
    const LEADS: &str = "make it|make that|make|let|turn|set it to|set|use|change it to|change|やっぱり|やっぱ|やはり|じゃあ";
    let mut text = Text::new(piece);
    text.strip(LEADS, "instead|please|pls");
    text.text()
}

/// Index of the field that the limits in `piece` mean, if it has nothing else: the one before, or the only one that can
/// have them.
fn limited(fields: &[Value], piece: &str, about: Option<&str>) -> Option<usize> {
    let piece = changed(piece);
    let accepted = kinds::only(&piece);
    let is_more = matches!(item::item(&piece, false), Item::More(_));
    if !is_more && accepted.is_none() {
        return None;
    }
    let limits = bounds::take(&mut Text::new(&piece));
    let has_length = limits.length_min.is_some() || limits.length_max.is_some();
    let is_file = accepted.is_some() || limits.bytes_max.is_some();
    let is = |field: &Value, kinds: &[&str]| kinds.iter().any(|it| field["type"] == *it);
    // `メールは任意で、18歳以上` limits the age.
    let is_age = piece.contains(['歳', '才']) && fields.iter().any(|it| it["name"] == "age");
    let fits = |field: &Value| match () {
        () if is_file => is(field, &["file"]),
        () if has_length => is(field, &["text", "textarea"]),
        () => {
            limits.is_number()
                && is(field, &["number", "range"])
                && (!is_age || field["name"] == "age")
        }
    };
    if let Some(name) = about {
        return fields.iter().position(|it| it["name"] == *name && fits(it));
    }
    let mut able = (0..fields.len()).filter(|it| fits(&fields[*it]));
    able.next().filter(|_| able.next().is_none())
}

/// Sets a default that names no field, `初期値は36.5で`, in the field before or the only one that takes it; returns its
/// index.
fn begun(fields: &mut [Value], piece: &str, about: Option<&str>) -> Option<usize> {
    let value = bounds::default_in(&changed(piece)).filter(|it| it.rest.trim().is_empty())?.value;
    let is_text = |it: &Value| ["text", "textarea"].iter().any(|kind| it["type"] == *kind);
    let takes = |field: &Value| {
        about.map_or(!is_text(field), |it| field["name"] == *it)
            && bounds::begin(&mut field.clone(), &value)
    };
    let mut able = (0..fields.len()).filter(|it| takes(&fields[*it]));
    let at = able.next().filter(|_| able.next().is_none())?;
    bounds::begin(&mut fields[at], &value).then_some(at)
}

/// Index of a field and the condition under which it is shown: `アレルギーは参加の人だけ`, `ask diet only if coming`.
fn shown_when(
    fields: &[Value],
    piece: &str,
    is_called: impl Fn(&Value, &str) -> bool,
) -> Option<(usize, Value)> {
    const ENGLISH: &str = "only if|only when|only for those who|only for people who|if";
    const JAPANESE: &str = "人にだけ|人だけ|場合だけ|場合のみ|ときだけ|時だけ|方のみ|人のみ";
    const LEADS: &str = "only show|only ask for|only ask|show|ask for|ask|the";
    let text = Text::new(piece);
    let (name, when) = match text.find(JAPANESE, 1) {
        Some((end, _)) => {
            let (to, from) = text.find("は|を", 1).filter(|it| it.1 < end)?;
            (text.piece(0, to), text.piece(from, end))
        }
        None => {
            let (to, from) = text.find(ENGLISH, 1)?;
            (text.piece(0, to), text.piece(from, text.len()))
        }
    };
    let mut name = Text::new(&name);
    name.strip(LEADS, "only|は|を");
    let at = fields.iter().position(|it| is_called(it, &name.text()))?;
    let shown = answer(&fields[..at], &when).or_else(|| answer(&fields[at + 1..], &when))?;
    (shown["field"] != fields[at]["name"]).then_some((at, shown))
}

/// Removes conditions on fields that no longer exist.
fn unlink(fields: &mut [Value]) {
    let names: Vec<Value> = fields.iter().map(|it| it["name"].clone()).collect();
    for field in fields.iter_mut().filter_map(Value::as_object_mut) {
        let is_gone = |on: Option<&Value>| on.is_some_and(|it| !names.contains(it));
        if is_gone(field.get("showIf").and_then(|it| it.get("field"))) {
            field.remove("showIf");
        }
        if is_gone(field.get("dependsOn")) {
            field.insert("type".to_owned(), "text".into());
            for name in ["dependsOn", "dependsOnParam", "searchUrl", "displayField", "valueField"] {
                field.remove(name);
            }
        }
    }
}

/// Gives a free field what the two before it share: a rating beside ratings.
fn liken(definition: &mut Value, before: &[Value]) {
    const SHARED: [&str; 5] = ["type", "min", "max", "step", "options"];
    let [.., one, other] = before else { return };
    let is_alike = SHARED.iter().all(|it| one[*it] == other[*it]);
    if !is_alike || ["text", "textarea", "file", "heading"].iter().any(|it| other["type"] == *it) {
        return;
    }
    if let Some(own) = definition.as_object_mut() {
        own.remove("maxLength");
        let shared =
            SHARED.iter().filter_map(|it| Some(((*it).to_owned(), other.get(*it)?.clone())));
        own.extend(shared);
    }
}

/// Span of the first of `phrases` that adds a field: `追加料金` is a name.
fn added_at(text: &Text, phrases: &'static str) -> Option<(usize, usize)> {
    const ADDED: &str = "追加";
    let is_kanji = |it: &char| matches!(it, '\u{4e00}'..='\u{9fff}' | 'の');
    let mut from = 0;
    loop {
        let found = text.find(phrases, from)?;
        let is_bare = found.1 - found.0 == ADDED.chars().count() && text.is_at(ADDED, found.0);
        if !is_bare || found.0 > 0 && !text.chars.get(found.1).is_some_and(is_kanji) {
            return Some(found);
        }
        from = found.1;
    }
}

/// Whether `piece` asks for nothing: `sorry`, `お願いします`.
fn is_no_wish(piece: &str) -> bool {
    const CONTENT: &str = "いい感じ|いい感じです|あとはそれでok|それでok|あとはok|あとは大丈夫|以上|見せて|perfect|looks perfect|for the trouble|to bother you|for bothering you|show it|show me";
    let text = piece.trim().trim_end_matches(['.', '!', '。', '！']).to_lowercase();
    marks(CONTENT).any(|it| it == text)
        || !piece.contains(char::is_alphanumeric)
        || is_filler(piece, false)
        || Aside::parse(piece).is_some()
}

/// Writes `name` for the word that points to the field before: `and move it to the top`, `それを先頭に`.
fn pointed(piece: &str, name: &str) -> String {
    const VERBS: [&str; 4] = ["move ", "put ", "place ", "rename "];
    let lower = piece.to_lowercase();
    let lead = ["and ", "then ", "now ", "please "].iter().find(|it| lower.starts_with(*it));
    let rest = &piece[lead.map_or(0, |it| it.len())..];
    let verb = VERBS.iter().find(|it| rest.to_lowercase().starts_with(*it));
    if let Some(behind) = verb.and_then(|it| rest[it.len()..].strip_prefix("it ")) {
        return format!("{}{name} {behind}", verb.unwrap_or(&""));
    }
    let pointer = ["それを", "これを", "それは"].iter().find_map(|it| rest.strip_prefix(it));
    pointer.map_or_else(|| piece.to_owned(), |it| format!("{name}を{it}"))
}

/// Removes what opens an order: `ok can you remove the phone`, `actually drop it`, `さっきのフォームに電話も`.
fn ordered(piece: &str) -> String {
    const OF_FORM: &str = "さっきのフォームに|さっきのフォームの|さきほどのフォームに|さきほどのフォームの|このフォームに|このフォームの|そのフォームに|そのフォームの|フォームに";
    const LEADS: &str = "actually|ok|okay|oh|hmm|sorry|wait|please|pls|can you|could you|would you|will you|let's|lets|then|now|just|i want to|i'd like to|we should";
    let mut text = Text::new(piece);
    if text.lower.first().is_some_and(char::is_ascii) {
        text.strip(LEADS, "");
    }
    let form = text.find(OF_FORM, 0).filter(|it| it.0 == 0 && it.1 < text.len());
    text.piece(form.map_or(0, |it| it.1), text.len()).trim().to_owned()
}

/// Names that stay in `everything except name and CV`, `名前以外は全部`.
fn excepted(names: &str) -> Option<Vec<String>> {
    const EXCEPT: &str = "except for|except|apart from|other than|but|以外";
    const ALL: &str = "everything|every field|every question|all|all fields|all of them|all the fields|any field|the fields|the rest";
    let text = Text::new(names);
    let (from, to) = text.find(EXCEPT, 1)?;
    let (before, behind) = (text.piece(0, from), text.piece(to, text.len()));
    if !text.chars[from].is_ascii() {
        return Some(items(&before));
    }
    marks(ALL).any(|it| it.eq_ignore_ascii_case(before.trim())).then(|| items(&behind))
}

/// Condition on one of `fields` in `when`: `allergies is yes`, `アレルギーがあり`.
fn answer(fields: &[Value], when: &str) -> Option<Value> {
    // `必要なら備考も追加して` names no answer.
    if ["必要", "可能"].iter().any(|it| when.starts_with(it)) {
        return None;
    }
    let when = Text::new(when);
    let says = |text: &Value| {
        let word = text.as_str().unwrap_or_default().to_lowercase();
        !word.is_empty() && (0..when.len()).any(|at| when.is_at(&word, at))
    };
    let chosen = |field: &Value| {
        let options = field["options"].as_array()?.iter();
        let named_options = options.filter(|it| says(&it["label"]) || says(&it["value"]));
        // `不参加` contains `参加`.
        let option = named_options.max_by_key(|it| it["label"].as_str().map_or(0, str::len))?;
        Some(json!({ "field": field["name"], "equals": option["value"] }))
    };
    // `参加する人`: yes to what is asked.
    const YES: &str = "はい|yes|あり|する|出席|参加";
    const NO: &str = "しない|ない|いいえ|not|no";
    let affirmed = |field: &Value| {
        let [first, _] = field["options"].as_array()?.as_slice() else { return None };
        let is_yes = marks(YES)
            .any(|it| first["label"].as_str().is_some_and(|yes| yes.eq_ignore_ascii_case(it)));
        (is_yes && says(&field["label"]) && !when.has(NO))
            .then(|| json!({ "field": field["name"], "equals": first["value"] }))
    };
    let named = fields.iter().find_map(|it| chosen(it).filter(|_| says(&it["label"])));
    let named = named.or_else(|| fields.iter().find_map(affirmed));
    named.or_else(|| fields.iter().rev().find_map(chosen))
}

/// Whether all of `list` are certainly fields.
fn names_fields(list: &str) -> bool {
    let is_sure = |it: &String| matches!(item::item(it, false), Item::Fields { is_sure: true, .. });
    items(list).iter().all(is_sure)
}

/// Whether `text` adds a field: `ask them for their phone number too`, `年齢も`.
fn is_added(text: &Text) -> bool {
    const TOO: &str = "too|as well|also";
    const MORE: &str = "もう一個|もう1個|もう一つ|もう1つ|もうひとつ";
    const ASKS: &str = "ask|asks|collect|get|need|want|record|request|take";
    const TAILS: &str = "お願いします|お願い|よろしく|ね|よ|で|!|。|.";
    let has_all = |list: &str| items(list).iter().all(|it| item::is_kind(it));
    // `もう一個、感想（長文）`.
    let whole = text.piece(0, text.len());
    let more = marks(MORE).find_map(|it| whole.trim_start().strip_prefix(it));
    let more = more.map(|it| it.trim_start_matches(['、', ' ']));
    let name = more.and_then(|it| it.split(['（', '(']).next());
    if name.is_some_and(|it| !it.is_empty() && has_all(it)) {
        return true;
    }
    if text.has(TOO) && text.has(ASKS) {
        return true;
    }
    let mut text = text.clone();
    text.strip("あと|それと|あ|ついでに|じゃあ", TAILS);
    text.chars.last() == Some(&'も') && has_all(&text.piece(0, text.len() - 1))
}

/// Applies the constraints in `piece`, except whether it is required.
fn bound(field: &mut Value, piece: &str) {
    let bounds = bounds::take(&mut Text::new(piece));
    let numbers = [("min", bounds.min), ("max", bounds.max), ("step", bounds.step)];
    let is_number = ["number", "range"].iter().any(|it| field["type"] == *it);
    for (name, value) in numbers.into_iter().filter(|_| is_number) {
        if let Some(value) = value {
            field[name] = bounds::written(value);
        }
    }
    let others = [
        ("minLength", bounds.length_min),
        ("maxLength", bounds.length_max),
        ("maxSize", bounds.bytes_max),
    ];
    for (name, value) in others {
        if let Some(value) = value {
            field[name] = value.into();
        }
    }
    if let Some(accepted) = kinds::only(&changed(piece)).filter(|_| field["type"] == "file") {
        field["accept"] = accepted.into();
    }
}
