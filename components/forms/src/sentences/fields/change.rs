//! Changes of an existing form: adds, removes, marks, constrains or moves fields.

use language::{Language, utterance::Utterance};
use serde_json::{Value, json};
use std::collections::VecDeque;

use super::{
    DEFAULT, Reading, bounds, conditional, distinguish, initial, is_called,
    item::{self, Item},
    list::{clauses, items, pieces},
    marking,
    order::{self, all_marked, by_place},
    text::Text,
    unlink,
};

/// A changed form.
pub(in crate::sentences) struct Changed {
    pub(in crate::sentences) fields: Vec<Value>,
    /// Unknown words.
    pub(in crate::sentences) left: Vec<String>,
    /// Whether the sentence names an existing field and fits no other family.
    pub(in crate::sentences) is_sure: bool,
}

/// Applies the changes in `utterance` to the fields; `None` if there are none.
pub(in crate::sentences) fn change(
    utterance: &Utterance,
    before: &[Value],
    language: Language,
) -> Option<Changed> {
    const ADD: &str = "を追加して|を追加|も追加して|も追加|追加して|を足して|も足して|足して|も入れて|を入れて|もほしい|も欲しい|も聞いて|も聞いと|も聞く|も聞きたい|もきいて|もきいと|も知りたい|も尋ねて|も必要|を加えて|も加えて|もつけて|もつける|をつけて|も付けて|を付けて|もお願いします|もお願い|もください|も頼む|も入力してもらって|add|also ask for|also add|also|include|put in|put|plus|and ask for|with";
    const REMOVE: &str = "いらないです|いらない|いりません|要らないです|要らない|要りません|不要です|不要|はやめとく|はやめとこう|はやめておく|はやめます|はやめる|はやめて|はやめよう|はパス|はカット|は省いて|を省いて|は無しで|無しで|はなくていい|はなしにして|は消して|を消して|も消して|を削除して|は削除して|を削除|は削除|を外して|は外して|はいらない|はいりません|は要らない|は不要|をなくして|はなしで|なしで|をやめて|は抜いて|を抜いて|remove|delete|scrap|drop|get rid of|take out|take away|leave out|without|lose|no|skip|don't ask for";
    let text: String = utterance.chars.iter().collect();
    let mut fields = before.to_vec();
    let mut left = Vec::new();
    let (mut is_changed, mut is_sure, mut about) = (false, false, None::<String>);
    let of = |field: &Value, name: &str| {
        let text = |key: &str| field[key].as_str().unwrap_or_default();
        is_called(name, text("name"), text("label"))
    };
    const FIRST: &str = "at the top|at the beginning|一番上に|先頭に|最初に";
    let is_first = Text::new(&text).has(FIRST) || text.trim_end().ends_with(" first");
    let mut both = Vec::new();
    let pieces = clauses(&text).into_iter().flat_map(|it| pieces(&it));
    let mut pieces: VecDeque<String> = pieces.collect();
    while let Some(piece) = pieces.pop_front() {
        // `rename comments to remarks and move it to the top`.
        let piece = match &about {
            Some(name) if ["move it ", "put it "].iter().any(|it| piece.starts_with(it)) => {
                piece.replacen("it", name, 1)
            }
            _ => piece,
        };
        // `アレルギーがありなら詳細も`: the added field is shown with that answer.
        let condition =
            conditional(&piece).and_then(|(when, rest)| Some((answer(&fields, &when)?, rest)));
        let (shown, piece) = match condition {
            Some((shown, rest)) => (Some(shown), rest),
            None => (None, piece),
        };
        let text = Text::new(&piece);
        let removed = text.find(REMOVE, 0);
        if let Some((from, to)) = removed.filter(|it| it.0 == 0 || !text.chars[it.0].is_ascii()) {
            let names = match text.chars[from].is_ascii() {
                true => text.piece(to, text.len()),
                false => text.piece(0, from),
            };
            let count = fields.len();
            for name in items(&names) {
                // `やっぱり希望日は消して` names the date alone.
                const LEADS: &str =
                    "やっぱり|やはり|やっぱ|じゃあ|では|あと|それと|いや|actually|oh|ok";
                let mut name = Text::new(&name);
                name.strip(LEADS, "やっぱり|やっぱ|やはり|は|も|を|って");
                let name = name.text();
                let name = by_place(&name, before).unwrap_or(name);
                let count = fields.len();
                fields.retain(|it| !of(it, &name));
                if fields.len() == count && order::changed_option(&mut fields, &name, None) {
                    (is_changed, is_sure) = (true, true);
                }
            }
            is_changed |= fields.len() < count;
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
        if order::added_options(&mut fields, &text, of) || order::several(&mut fields, &text, of) {
            (is_changed, is_sure) = (true, true);
            continue;
        }
        if order::retyped(&mut fields, &text, of) || order::swapped(&mut fields, &text, &both, of) {
            (is_changed, is_sure) = (true, true);
            continue;
        }
        if let Some((old, new)) = order::exchanged(&text)
            && !fields.iter().any(|it| of(it, &old))
            && order::changed_option(&mut fields, &old, Some(&new))
        {
            (is_changed, is_sure) = (true, true);
            continue;
        }
        if let Some((name, value)) = initial::of_field(&piece)
            && let Some(field) = fields.iter_mut().find(|it| of(it, name))
        {
            if !initial::begin(field, value) {
                left.push(value.to_owned());
            }
            (is_changed, is_sure) = (true, true);
            continue;
        }
        let mut marked = false;
        // `年齢は20歳以上で、任意` marks the one that is named.
        let one = about.clone().filter(|_| !text.has("全部|ぜんぶ|all|them"));
        let all = |it: (Vec<_>, bool)| vec![(one.map_or(it.0, |name| vec![name]), it.1)];
        let markings = all_marked(&piece).map_or_else(|| marking(&piece), all);
        for (names, is_required) in markings {
            let names: Vec<String> =
                names.into_iter().map(|it| by_place(&it, &fields).unwrap_or(it)).collect();
            both.clone_from(&names);
            for field in &mut fields {
                if names.iter().any(|name| name == "*" || of(field, name)) {
                    field["required"] = is_required.into();
                    let is_one = names.iter().all(|name| name != "*");
                    about = field["name"].as_str().filter(|_| is_one).map(str::to_owned);
                    // `make seat preference optional` is about no seat.
                    is_sure |= is_one;
                    marked = true;
                    bound(field, &piece);
                    let stated = initial::default_in(&piece).map(|it| it.value);
                    left.extend(stated.filter(|it| !initial::begin(field, it)));
                }
            }
        }
        if marked {
            is_changed = true;
            continue;
        }
        // `年齢は任意で、18以上` goes on with the field before it, and `0.1刻みで` means the one that has a number.
        if let Item::More(_) = item::item(&piece, false) {
            let is_number = |it: &Value| ["number", "range"].iter().any(|kind| it["type"] == *kind);
            let count = fields.iter().filter(|it| is_number(it)).count();
            // `メールは任意で、18歳以上` limits the age.
            let is_age =
                piece.contains(['歳', '才']) && fields.iter().any(|it| it["name"] == "age");
            let limits = bounds::take(&mut Text::new(&piece));
            let has_length = limits.length_min.is_some() || limits.length_max.is_some();
            let is_bound = |field: &Value| {
                (!is_age || field["name"] == "age")
                    && (has_length || limits.is_number() && is_number(field))
            };
            let is_meant = |field: &&mut Value| match &about {
                Some(name) => field["name"] == **name && is_bound(field),
                None => count == 1 && is_number(field) && is_bound(field),
            };
            if let Some(field) = fields.iter_mut().find(is_meant) {
                bound(field, &piece);
                is_changed = true;
                continue;
            }
        }
        // `個数は最大20まで` constrains an existing field.
        if !text.has(ADD)
            && let Item::Fields { fields: listed, .. } = item::item(&piece, false)
            && let [one] = listed.as_slice()
            && (!one.more.is_empty() || !one.options.is_empty())
        {
            let called = |entry: &&mut Value| {
                let text = |key: &str| entry[key].as_str().unwrap_or_default();
                one.kind.name == text("name") || one.label.as_deref() == Some(text("label"))
            };
            if let Some(field) = fields.iter_mut().find(called) {
                about = field["name"].as_str().map(str::to_owned);
                for (name, value) in one.more.iter().filter(|it| it.0 != DEFAULT) {
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
                if let Some(words) = one.more.get(DEFAULT).and_then(Value::as_str)
                    && !initial::begin(field, words)
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
            is_changed = true;
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
        let list = match text.find(ADD, 0) {
            Some((from, to)) if text.chars[from].is_ascii() => Some(text.piece(to, text.len())),
            Some((from, _)) => Some(text.piece(0, from)),
            None if is_added(&text) || shown.is_some() => Some(piece.clone()),
            None => lacks(),
        };
        if let Some(list) = list {
            let mut list = Text::new(&list);
            list.strip(
                "and make|make|mark|have|then|ask them for|ask for|ask|最後に|あとは|あと|それと|ついでに|やっぱり|やっぱ|じゃあ",
                "instead|as well|too|to it|to the form|at the top|at the beginning|first|代わりに|かわりに",
            );
            let mut found = Reading::default();
            found.take(&items(&list.text()), true, &mut left);
            let mut place = if is_first { 0 } else { fields.len() };
            for mut field in found.fields {
                left.extend(field.settle());
                let mut definition = field.definition(language, fields.len() + 1);
                distinguish(&mut definition, &fields);
                if let Some(shown) = &shown {
                    (definition["showIf"], is_sure) = (shown.clone(), true);
                }
                fields.insert(place, definition);
                (place, is_changed) = (place + 1, true);
            }
            left.extend(found.left);
        } else if piece.contains(|it: char| it.is_ascii_digit()) {
            left.push(piece);
        }
    }
    unlink(&mut fields);
    (is_changed && !fields.is_empty()).then_some(Changed { fields, left, is_sure })
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
    let named = fields.iter().find_map(|it| chosen(it).filter(|_| says(&it["label"])));
    named.or_else(|| fields.iter().rev().find_map(chosen))
}

/// Whether `text` adds a field: `ask them for their phone number too`, `年齢も`.
fn is_added(text: &Text) -> bool {
    const TOO: &str = "too|as well|also";
    const ASKS: &str = "ask|asks|collect|get|need|want|record|request|take";
    const TAILS: &str = "お願いします|お願い|よろしく|ね|よ|で|!|。|.";
    let has_all = |list: &str| items(list).iter().all(|it| item::is_kind(it));
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
    for (name, value) in [("minLength", bounds.length_min), ("maxLength", bounds.length_max)] {
        if let Some(value) = value {
            field[name] = value.into();
        }
    }
}
