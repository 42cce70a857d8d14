//! Finds the list of fields in a sentence and splits it into items.

use language::{Date, dates::written, normalize::is_of_person, scan::marks};

use super::{
    is_mark,
    kinds::WORDS,
    options,
    text::{Text, outside},
};

/// A part of a sentence that names fields.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) text: String,
    /// Whether it is certainly a list of fields, so that unknown words are fields as well.
    pub(super) is_sure: bool,
}

/// Words for the form.
const FORMS: &str = "入力フォーム|登録画面|登録の画面|入力画面|申し込みフォーム|申込フォーム|問い合わせフォーム|フォーム|ふぉーむ|アンケート|入力欄|入力画面|調査票|質問票|申込書|申請書|注文票|依頼票|貸出票|受付票|記入用紙|希望調査|意識調査|questionnaire|feedback form|sign-up sheet|sign up sheet|signup sheet|signup form|form|forms|survey|surveys|poll|sheet";
/// Phrases before a list, in English.
const BEFORE: &str = "ask about|asks about|asking about|with the following fields|with fields for|with fields|with|asking for|asking|tell me|tell us|that asks for|that asks|which asks for|which asks|asks for|asks|to collect|that collects|which collects|collecting|collects|collect|including|containing|consisting of|that has|which has|having|has|there should be|it needs|fields for|ask for|ask the user for|ask me for|ask people for|ask the|fill in|enter";
/// Phrases after a list, in Japanese.
const BEHIND: &str = "を検索|をアップロードでき|アップロードでき|を添付でき|添付でき|も書|も選|も入力|も記入|も教え|も添付|を評価|で評価|で聞く|で聞い|で聞き|で尋ね|で選|で答え|で回答|に答え|を回答|から選|一つ選|1つ選|ひとつ選|2つ選|3つ選|二つ選|三つ選|で出してもら|で提出してもら|を提出|を添付|をアップロード|だけ聞|だけを聞|だけ入力|も聞|聞いて|きいて|聞いとい|きいとい|を聞|聞きたい|を入力|を尋ね|をたずね|を記入|を集め|を収集|を質問|を書|が書け|を選|を答え|を教えて|を出してもらう|を登録|を記録|を報告|を申告|を申請|を計測|を測定|を投稿|を送って";

/// Verbs of removals: behind a field in Japanese, before it in English.
pub(super) const REMOVE: &str = "いらないです|いらない|いりません|いらん|いらへん|いらんわ|要らん|いらねえ|いらねー|いらね|要らないです|要らない|要りません|不要です|不要|はやめとく|はやめとこう|はやめておく|はやめます|はやめる|はやめて|はやめよう|はパス|はカット|は省いて|を省いて|は無しで|無しで|はなくていい|はなしにして|は消して|を消して|も消して|消して|を削除して|は削除して|を削除|は削除|を外して|は外して|はいらない|はいりません|は要らない|は不要|をなくして|はなしで|なしで|をやめて|は抜いて|を抜いて|remove|delete|scrap|drop|get rid of|take out|take away|leave out|without|lose|no|skip|don't ask for";

/// Splits a text into clauses.
pub(super) fn clauses(text: &str) -> Vec<String> {
    let chars: Vec<char> = without_apology(text).chars().collect();
    let is_outside = outside(&chars);
    let (mut clauses, mut from) = (Vec::new(), 0);
    for at in 0..chars.len() {
        let next = chars.get(at + 1);
        let is_end = match chars[at] {
            '。' | '\n' | '!' | '?' => true,
            '.' => next.is_none_or(|it| *it == ' '),
            // `名前とメールのフォーム作って、電話は任意で`: the order stands alone.
            '、' => is_order(&chars[from..at]),
            _ => false,
        };
        if is_end && is_outside[at] {
            clauses.push(chars[from..at].iter().collect::<String>());
            from = at + 1;
        }
    }
    clauses.push(chars[from..].iter().collect());
    clauses.retain(|it| !it.trim().is_empty());
    // `how was it? (1-5)`: brackets belong to the clause before.
    let mut joined: Vec<String> = Vec::new();
    for clause in clauses {
        match joined.last_mut().filter(|_| clause.trim_start().starts_with('(')) {
            Some(last) => last.push_str(&clause),
            None => joined.push(clause),
        }
    }
    joined
}

/// Removes an apology before a request: `すみません、電話も足して`, `お手数ですが名前も`.
fn without_apology(text: &str) -> &str {
    const APOLOGIES: &str = "すみません|すいません|ごめん|ごめんね|ごめんなさい|申し訳ない|申し訳ありません|申し訳ございません|恐れ入ります|お手数です|お手数をおかけします|お忙しいところ恐れ入ります|お忙しいところすみません|悪いです|悪い";
    const BEHIND: &str = "ですけど、|ですけど|けれど、|けど、|けど|が、|が|、|。";
    let text = text.trim_start();
    let rest = marks(APOLOGIES).find_map(|lead| {
        let rest = text.strip_prefix(lead)?;
        marks(BEHIND).find_map(|it| rest.strip_prefix(it))
    });
    rest.filter(|it| it.contains(char::is_alphanumeric)).unwrap_or(text)
}

/// Whether `clause` ends with an order for a form: `名前とメールのフォームを作って`.
fn is_order(clause: &[char]) -> bool {
    const ORDERS: &str =
        "作って|つくって|作成して|用意して|準備して|出して|作りたい|お願い|お願いします|ください";
    let clause: String = clause.iter().collect();
    let before = marks(ORDERS).find_map(|it| clause.strip_suffix(it));
    let before = before.map(|it| it.trim_end_matches(['を', 'が']));
    before.is_some_and(|it| marks(FORMS).any(|form| !form.is_ascii() && it.ends_with(form)))
}

/// Removes the title: `タイトルは「夏祭り」で`, `titled "Fair"`.
pub(super) fn untitled(text: &str) -> String {
    const HEADS: &str = "のタイトルは|のタイトルを|タイトルは|タイトルを|の題名は|の題名を|題名は|題名を|フォーム名は|フォーム名を| with the title | titled | entitled |the title is |the title should be ";
    const TAILS: &str =
        "にしてください|にして|という名前で|として|でお願いします|でお願い|です|で|に";
    if let Some((_, rest)) = titled(text) {
        return rest;
    }
    const MARKS: [(char, char); 5] =
        [('「', '」'), ('『', '』'), ('"', '"'), ('“', '”'), ('\'', '\'')];
    for head in marks(HEADS) {
        let Some(at) = text.find(head) else { continue };
        let behind = &text[at + head.len()..];
        let Some(open) = behind.chars().next() else { continue };
        let Some((_, close)) = MARKS.iter().find(|it| it.0 == open) else { continue };
        let inner = open.len_utf8();
        let Some(end) = behind[inner..].find(*close) else { continue };
        let rest = &behind[inner + end + close.len_utf8()..];
        let tail = marks(TAILS).filter_map(|it| rest.strip_prefix(it)).min_by_key(|it| it.len());
        let rest = tail.unwrap_or(rest).trim_start_matches(['、', ',', ' ']);
        let joint = if rest.is_empty() || head.ends_with(' ') { "" } else { "、" };
        let space = if head.ends_with(' ') { " " } else { "" };
        return format!("{}{joint}{space}{rest}", &text[..at]);
    }
    text.to_owned()
}

/// Title before a colon, and the text without it: `form titled Lunch order: name`.
pub(in crate::sentences) fn titled(text: &str) -> Option<(String, String)> {
    const HEADS: &str = " titled | entitled | called | named | with the title ";
    const CHARS_MAX: usize = 40;
    let colon = text.find(": ")?;
    let before = &text[..colon];
    let (at, head) = marks(HEADS).find_map(|it| Some((before.find(it)?, it)))?;
    let title = before[at + head.len()..].trim();
    let is_title = (1..=CHARS_MAX).contains(&title.chars().count())
        && !title.contains(['"', '“', ',', '.', '(', '「']);
    // `a question called Mood` is no form.
    let is_form = before[..at].rsplit(' ').next().is_some_and(has_form);
    (is_title && is_form).then(|| (title.to_owned(), format!("{}{}", &text[..at], &text[colon..])))
}

/// Label of the button that sends, and the text without it: `送信ボタンは「送る」で`, `submit button "Go"`.
pub(in crate::sentences) fn unlabelled(text: &str) -> Option<(String, String)> {
    const HEADS: &str = "送信ボタンのラベル|送信ボタンの文字|送信ボタンの名前|送信ラベル|送信ボタン|ボタンのラベル|ボタンの文字|ボタンの名前|ボタン|submit button label|submit button text|submit button|submit label|button label|button text|send button|button";
    const LINKS: &str = "の表示は|の表示を|は|を|: | should be | should say | to say | to read | that says | saying | says | labelled | labeled | called | named | to | is | ";
    const TAILS: &str = "にしてください|にして下さい|に変えて|に変更して|にして|にする|と表示して|でお願いします|でお願い|で|に";
    const LEADS: &str = "and the |with the |with a |and a |and |the |make the |change the |set the |set |label the ";
    const MARKS: [(char, char); 4] = [('「', '」'), ('『', '』'), ('"', '"'), ('“', '”')];
    /// Before and behind buttons that choose.
    const CHOOSING: &str = "ラジオ|選択|チェック|オプション|radio |option |choice ";
    const MORE: &str = "「|と「|、「|・「|, \"| or \"| and \"";
    let lower = text.to_ascii_lowercase();
    let (at, head) = marks(HEADS).find_map(|it| Some((lower.find(it)?, it)))?;
    let behind = &lower[at + head.len()..];
    let link = marks(LINKS).filter(|it| behind.starts_with(it)).max_by_key(|it| it.len())?;
    let from = at + head.len() + link.len();
    let open = text[from..].chars().next()?;
    let (_, close) = MARKS.iter().find(|it| it.0 == open)?;
    let inner = from + open.len_utf8();
    let end = inner + text[inner..].find(*close)?;
    let rest = &text[end + close.len_utf8()..];
    let tail = marks(TAILS).filter_map(|it| rest.strip_prefix(it)).min_by_key(|it| it.len());
    let before = &text[..at];
    let is_choosing = marks(CHOOSING).any(|it| lower[..at].ends_with(it));
    if is_choosing || marks(MORE).any(|it| rest.starts_with(it)) {
        return None;
    }
    let lead = marks(LEADS).filter_map(|it| before.strip_suffix(it)).min_by_key(|it| it.len());
    let before = lead.unwrap_or(before).trim_end_matches([' ', ',', '、']);
    let label = text[inner..end].trim();
    (!label.is_empty()).then(|| (label.to_owned(), format!("{before}{}", tail.unwrap_or(rest))))
}

/// Whether `clause` names the form.
pub(super) fn has_form(clause: &str) -> bool {
    Text::new(clause).has(FORMS)
}

/// Text behind the word for the form in `clause`.
pub(super) fn behind_form(clause: &str) -> Option<String> {
    let text = Text::new(clause);
    text.find(FORMS, 0).map(|it| text.piece(it.1, text.len()).trim().to_owned())
}

/// Whether `text` adds a question to a form: `one more: …`, `もう一問追加`.
pub(super) fn is_more(text: &str) -> bool {
    Text::new(text).has("add|one more|another question|追加|もう一問|もう1問|quiz|クイズ")
}

/// Parts of `clause` that may name fields, most likely first.
pub(super) fn regions(clause: &str, is_after: bool) -> Vec<Region> {
    let text = Text::new(clause);
    let is_outside = outside(&text.chars);
    let form = text.find(FORMS, 0);
    let begin = form.map_or(0, |it| it.1);
    let mut regions = Vec::new();
    // `how many legs has a spider (6, 8)` is a question with its answers.
    const ASKS: &str = "who|what|which|how|when|where|why";
    let asks = text.find(ASKS, 0).is_some_and(|it| it.0 == 0);
    if form.is_none() && asks && text.chars.last() == Some(&')') {
        return vec![Region { text: text.text(), is_sure: true }];
    }
    let mut add = |from: usize, to: usize, is_sure: bool| {
        if from < to {
            regions.push(Region { text: text.piece(from, to), is_sure });
        }
    };
    let is_digit = |it: Option<&char>| it.is_some_and(char::is_ascii_digit);
    let is_colon = |at: &usize| {
        text.chars[*at] == ':'
            && is_outside[*at]
            && !(is_digit(text.chars.get(at + 1)) && is_digit(text.chars.get(at.wrapping_sub(1))))
    };
    if let Some(colon) = (0..text.len()).find(is_colon) {
        // `Kind: paid, unpaid or sick` is an item of a continued list.
        if form.is_some() || !is_after {
            add(colon + 1, text.len(), true);
        }
    }
    if let Some((from, to)) = last(&text, begin, text.len()) {
        // `分野を選んでもらう（音楽・映画）`: the options follow the verb.
        let next = (to..text.len()).find(|it| matches!(text.chars[*it], '(' | '、' | '。'));
        let close = next.filter(|it| text.chars[*it] == '(');
        let close = close.and_then(|open| (open..text.len()).find(|it| text.chars[*it] == ')'));
        // `商品はA、Bから選択、数量は1〜10`: behind options the list goes on.
        let goes_on = text.chars[from] == 'か' && text.piece(to, text.len()).contains('、');
        add(begin, if goes_on { text.len() } else { 0 }, true);
        add(begin, close.map_or(verb_end(&text, from, to), |it| it + 1), true);
        add(to, text.len(), false);
    }
    if let Some((from, _)) = text.find("without", begin) {
        add(from, text.len(), true);
    }
    if let Some((_, to)) = text.find(BEFORE, begin).filter(|it| text.chars[it.0].is_ascii()) {
        add(to, text.len(), true);
    } else if form.is_none()
        && let Some((_, to)) = text.find(BEFORE, 0)
    {
        add(to, text.len(), true);
    }
    if let Some((from, to)) = form {
        if let Some((begin, end)) = last(&text, 0, from) {
            // `Sから一つ選ぶ欄と枚数`: the list may continue after a verb of choosing.
            let to_verb = verb_end(&text, begin, end);
            let goes_on = to_verb == end && text.piece(end, from).contains(['と', '、']);
            add(0, if goes_on { from } else { to_verb }, true);
        }
        // Brackets after the form list its fields.
        let open = (to..text.len()).find(|it| text.chars[*it] == '(').filter(|open| {
            let between = text.piece(to, *open);
            between.trim().is_empty() || super::is_filler(&between, false)
        });
        let close = open.and_then(|open| (open..text.len()).find(|it| text.chars[*it] == ')'));
        if let Some((open, close)) = open.zip(close) {
            add(open + 1, close, true);
        }
        add(topic_end(&text, to), text.len(), false);
        // Before it is a list of fields, or else the purpose.
        let before = text.piece(0, from);
        let list = items(&before);
        if list.len() > 1 || super::item::is_kind(&before) {
            // `好きな映画、最寄り駅、好きなカードのフォーム`
            add(0, from, list.len() > 2 && list.iter().any(|it| is_of_person(it)));
        }
    } else {
        add(0, text.len(), is_after && clause.contains(['、', ',', '・', '\n']));
    }
    regions
}

/// Last phrase after a list, within `from` and `to`.
fn last(text: &Text, from: usize, to: usize) -> Option<(usize, usize)> {
    let mut last = None;
    let mut at = from;
    while let Some((begin, end)) = text.find(BEHIND, at).filter(|it| it.0 < to) {
        last = Some((begin, end));
        at = end;
    }
    last
}

/// End of the verb at `from` that describes the item before it; `から選` follows options.
fn verb_end(text: &Text, from: usize, to: usize) -> usize {
    match text.chars[from] {
        // `2つまで選ぶ`.
        'で' if from > 0 && text.is_at("まで", from - 1) => from + 1,
        'で' if text.is_at("で選", from) && options::are_before(&text.piece(0, from)) => to,
        'か' | 'の' | '一' | '二' | '三' | '1' | '2' | '3' | 'ひ' => to,
        _ => from,
    }
}

/// Splits a list into items.
pub(super) fn items(list: &str) -> Vec<String> {
    const WORDS_BETWEEN: &str = " but with | but also | and then | and also | as well as | and | plus | then | & |および|及び|ならびに|それから|それと|とか";
    let text = Text::new(list);
    let is_outside = outside(&text.chars);
    let known = spans(&text);
    let chosen = chosen(&text);
    let is_within = |at: usize| known.iter().chain(&chosen).any(|it| it.0 < at && at < it.1);
    let (mut items, mut from, mut at): (Vec<Part>, usize, usize) = (Vec::new(), 0, 0);
    let mut is_last = false;
    while at < text.len() {
        let length = match text.chars[at] {
            _ if !is_outside[at] || is_within(at) => 0,
            '・' if is_opposite(&text, from, at) || is_option(&text, from, at) => 0,
            '、' | '・' | ',' | ';' | '\n' | '+' | '→' => {
                let digit = |it: Option<&char>| it.is_some_and(char::is_ascii_digit);
                let is_thousand = text.chars[at] == ','
                    && digit(at.checked_sub(1).and_then(|it| text.chars.get(it)))
                    && digit(text.chars.get(at + 1));
                // `what is 2+2` is one item.
                let is_sum = text.chars[at] == '+' && !is_apart(&text, at);
                usize::from(!is_thousand && !is_sum)
            }
            'と' | 'や' => usize::from(is_joint(&text, at, &known)),
            // Both sides of `name / email` are kinds; otherwise they are options.
            '/' => {
                let side = |it: &str| super::item::known(&Text::new(it)).is_some();
                let end = (at + 1..text.len())
                    .find(|it| matches!(text.chars[*it], '、' | ',' | '/' | '・'))
                    .unwrap_or(text.len());
                usize::from(side(&text.piece(from, at)) && side(&text.piece(at + 1, end)))
            }
            _ => marks(WORDS_BETWEEN)
                .filter(|it| text.is_at(it, at) && !is_range(&text, at, it))
                .map(|it| it.chars().count())
                .max()
                .unwrap_or(0),
        };
        if length > 0 {
            items.push(Part { text: text.piece(from, at), is_last });
            is_last = text.chars[at] == ' ' || is_last && from == at;
            from = at + length;
        }
        at += length.max(1);
    }
    items.push(Part { text: text.piece(from, text.len()), is_last });
    items.retain(|it| !it.text.trim().is_empty());
    dated(joined(items)).into_iter().rev().fold(Vec::new(), shared).into_iter().rev().collect()
}

/// Distributes the shared noun of time limits backwards: `start and end time`, `開始と終了時刻`.
fn shared(mut behind: Vec<String>, item: String) -> Vec<String> {
    const ENDS: [(&str, &str); 6] = [
        ("start", "end "),
        ("begin", "end "),
        ("from", "to "),
        ("from", "until "),
        ("開始", "終了"),
        ("開始", "終わり"),
    ];
    let bare = item.trim().trim_start_matches("a ").to_lowercase();
    let next = behind.last_mut();
    if let Some(next) = next.filter(|_| ENDS.iter().any(|it| it.0 == bare)) {
        let lower = next.trim().to_lowercase();
        let end = ENDS.iter().find(|it| it.0 == bare && lower.starts_with(it.1));
        match end.and_then(|it| lower.strip_prefix(it.1).map(|noun| (it.1, noun.trim()))) {
            // `from and to dates` has only the limits.
            Some((end, noun)) if bare == "from" && ["date", "dates", "days"].contains(&noun) => {
                *next = end.trim().to_owned();
            }
            Some((_, noun)) if bare != "from" && !noun.is_empty() => {
                let joint = if bare.is_ascii() { " " } else { "" };
                behind.push(format!("{bare}{joint}{noun}"));
                return behind;
            }
            _ => {}
        }
    }
    behind.push(item);
    behind
}

/// Rejoins dates that were split: `候補は12/5`, `12/6`, `12/7`.
fn dated(items: Vec<String>) -> Vec<String> {
    // Prefix, date, and closing bracket.
    let day = |item: &String| {
        let text = Text::new(item);
        (0..text.len()).find_map(|at| {
            let before = at.checked_sub(1).map(|it| text.lower[it]);
            let runs_on = before.is_some_and(|it| it.is_ascii_alphanumeric() || it == '/');
            let rest = Some(&text.lower[at..]).filter(|_| !runs_on)?;
            let (_, length) = written(rest, 0, Date::constant(2000, 1, 1))?;
            let behind = text.piece(at + length, text.len());
            let is_end = behind.is_empty() || behind.starts_with('(') && behind.ends_with(')');
            is_end.then(|| (text.piece(0, at), text.piece(at, at + length), behind))
        })
    };
    let mut dated: Vec<String> = Vec::new();
    let mut at = 0;
    while at < items.len() {
        let more = items[at + 1..].iter().map_while(|it| day(it).filter(|it| it.0.is_empty()));
        let more: Vec<_> = more.collect();
        match day(&items[at]).filter(|_| !more.is_empty()) {
            Some((label, first, _)) => {
                let bracket = more.last().map(|it| it.2.as_str()).unwrap_or_default();
                let days: Vec<_> =
                    [first].into_iter().chain(more.iter().map(|it| it.1.clone())).collect();
                dated.push(format!("{label}({}){bracket}", days.join("・")));
                at += days.len();
            }
            None => {
                dated.push(items[at].clone());
                at += 1;
            }
        }
    }
    dated
}

/// A part of a list, and whether a word such as `and` precedes it.
struct Part {
    text: String,
    is_last: bool,
}

/// Spans of options to choose from: `和食・洋食・中華から一つ`, `お弁当は鮭、のり弁のどれか`.
fn chosen(text: &Text) -> Vec<(usize, usize)> {
    const OPTION_MAX: usize = 12;
    let is_end = |at: usize| matches!(text.chars[at], '、' | ',' | '。' | '\n' | '(' | ')');
    let mut spans = Vec::new();
    let mut at = 1;
    while let Some((end, next)) = text.find(options::CHOSEN, at) {
        let mut from = end;
        // From the last option back to the labelled one.
        loop {
            let begin = (0..from).rev().find(|it| is_end(*it)).map_or(0, |it| it + 1);
            let piece = Text::new(&text.piece(begin, from));
            let is_first = from == end;
            let is_kind = super::item::is_kind(&piece.text());
            if !is_first && (is_kind || piece.len() > OPTION_MAX || piece.text().ends_with('て')) {
                break;
            }
            // `名前と参加・不参加・未定から選ぶ`: the options begin behind the other field.
            let mark = (begin..from).find(|it| matches!(text.chars[*it], '・' | '/'));
            let joint = mark.and_then(|mark| (begin..mark).rfind(|it| text.chars[*it] == 'と'));
            if let Some(joint) = joint.filter(|it| super::item::is_kind(&text.piece(begin, *it))) {
                from = joint + 1;
                break;
            }
            from = begin;
            let is_whole = piece.has("は|を|・|/") || begin == 0;
            if is_whole || text.chars[begin - 1] != '、' && text.chars[begin - 1] != ',' {
                break;
            }
            from -= 1;
        }
        from += usize::from(from < end && is_end(from));
        let is_weak = text.chars[end] == 'で' || text.is_at("から、", end);
        if !is_weak || options::are_before(&text.piece(from, end)) {
            spans.push((from, end));
        }
        at = next;
    }
    spans
}

/// Rejoins options that were split: `choice of S`, `M`, `or L`.
fn joined(items: Vec<Part>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    let mut is_open = false;
    for Part { text: item, is_last } in items {
        let text = Text::new(&item);
        // `curry, ramen, then comments`: a known field ends the options.
        is_open &= super::item::known(&text).is_none();
        let is_or = text.is_at("or ", 0);
        let ends = is_or || text.has(" or ");
        if (is_open || is_or)
            && let Some(last) = joined.last_mut()
        {
            *last = format!("{last}, {}", item.trim());
            is_open &= !ends && !is_last;
            continue;
        }
        is_open = !ends && (choice(&text).is_some() || item.trim_end().contains(": "));
        joined.push(item);
    }
    joined
}

/// Span of the phrase before options: `a choice of S, M or L`, `toppings out of ham, …`.
pub(super) fn choice(text: &Text) -> Option<(usize, usize)> {
    const CHOICE: &str = "such as|for example|dropdown of|drop-down of|drop down of|dropdown menu of|drop-down menu of|menu of|radio buttons for|radio buttons of|a choice of|choice of|choice between|choose between|choose from|chosen from|select from|pick from|one of|any of|out of|among|from among|either|with options|with the options|options|with choices|with the choices|choices";
    const VERBS: &str =
        "choose|choosing|pick|picking|select|selecting|favourite|favorite|all that apply";
    let from = |it: (usize, usize)| text.find("out of|from", it.1);
    // `at most 3 of ham, olives`, `any two of`.
    let counted = || {
        let (from, to) = text.find("up to|at most|no more than|max|maximum|any|pick|choose", 0)?;
        let (of, end) = text.find(" of ", to)?;
        let is_count = text.piece(to, of).trim().chars().all(|it| it.is_ascii_alphanumeric());
        is_count.then_some((from, end))
    };
    let found = text.find(CHOICE, 0).or_else(|| text.find(VERBS, 0).and_then(from));
    let found = found.or_else(counted)?;
    // `out of 5` is a limit.
    let next = text.chars[found.1..].iter().find(|it| **it != ' ');
    next.is_none_or(|it| !it.is_ascii_digit()).then_some(found)
}

/// Whether the sign at `at` is not between two digits.
fn is_apart(text: &Text, at: usize) -> bool {
    let digit =
        |it: Option<usize>| it.and_then(|it| text.chars.get(it)).is_some_and(char::is_ascii_digit);
    !(digit(at.checked_sub(1)) && digit(Some(at + 1)))
}

/// Whether `and` at `at` is between two numbers.
fn is_range(text: &Text, at: usize, word: &str) -> bool {
    let digit = |it: Option<&char>| it.is_some_and(char::is_ascii_digit);
    digit(at.checked_sub(1).and_then(|it| text.chars.get(it)))
        && digit(text.chars.get(at + word.chars().count()))
}

/// Whether `・` at `at` is between yes and no: `出る・出ない`.
fn is_opposite(text: &Text, from: usize, at: usize) -> bool {
    let end =
        (at + 1..text.len()).find(|it| matches!(text.chars[*it], '、' | ',' | '・' | '。' | '('));
    let behind = text.piece(at + 1, end.unwrap_or(text.len()));
    let first = text.piece(from, at).trim().chars().next();
    let ends = ["ない", "しない", "不可", "欠席"].iter().any(|it| behind.trim().ends_with(it));
    ends && first.is_some() && behind.trim().chars().next() == first
}

/// Whether `・` at `at` is between options behind their label: `重要度は高・中・低`.
fn is_option(text: &Text, from: usize, at: usize) -> bool {
    const LISTS: &str = "項目|質問|内容|聞くの|聞きたいの|欲しいの|必要なの|必須";
    let Some(topic) = (from + 1..at).find(|it| text.chars[*it] == 'は') else { return false };
    let end = (topic + 1..=at).find(|it| text.chars[*it] == '・').unwrap_or(at);
    let label = text.piece(from, topic);
    !marks(LISTS).any(|it| label.ends_with(it))
        && !super::item::is_kind(&text.piece(topic + 1, end))
}

/// Whether `と` at `at` is between two nouns.
fn is_joint(text: &Text, at: usize, known: &[(usize, usize)]) -> bool {
    let Some(before) = at.checked_sub(1).map(|it| text.chars[it]) else { return false };
    let Some(next) = text.chars.get(at + 1) else { return !text.is_at("こと", at - 1) };
    let ends_known = known.iter().any(|it| it.1 == at);
    let begins_known = known.iter().any(|it| it.0 == at + 1);
    let is_hiragana = |it: char| matches!(it, 'ぁ'..='ん');
    let is_phrase = text.is_at("あと", at - 1)
        || text.is_at("こと", at - 1)
        || ["として", "という", "とき", "ところ", "とも", "とか", "といった"]
            .iter()
            .any(|it| text.is_at(it, at));
    !is_phrase && (ends_known || begins_known || !is_hiragana(before)) && *next != '、'
}

/// Spans of known kinds.
fn spans(text: &Text) -> Vec<(usize, usize)> {
    let (mut spans, mut at) = (Vec::new(), 0);
    while at < text.len() {
        match WORDS.at(&text.lower, at) {
            Some((_, length)) => {
                spans.push((at, at + length));
                at += length;
            }
            None => at += 1,
        }
    }
    spans
}

/// Whether `list` contains only names of kinds.
pub(in crate::sentences) fn are_kinds(list: &str) -> bool {
    let items = items(list);
    !items.is_empty() && items.iter().all(|it| super::item::is_kind(it))
}

/// End of the purpose: `for the picnic, name and phone`.
fn topic_end(text: &Text, from: usize) -> usize {
    const LEADS: &str = "for|about|on|regarding|to sign up for|to";
    let begin = (from..text.len()).find(|it| text.chars[*it] != ' ').unwrap_or(from);
    if !marks(LEADS).any(|it| text.is_at(it, begin)) {
        return from;
    }
    let is_outside = outside(&text.chars);
    // `a form for name, email and phone` lists its fields.
    let behind = text.find("for", begin).filter(|it| it.0 == begin);
    if let Some((_, to)) = behind.filter(|it| are_kinds(&text.piece(it.1, text.len()))) {
        return to;
    }
    let end = |it: &usize| is_outside[*it] && matches!(text.chars[*it], ',' | ':' | ';' | '-');
    (begin..text.len()).find(end).unwrap_or(text.len())
}

/// Splits a change of a form: `scrap the comment, put yes/no instead`.
pub(super) fn pieces(clause: &str) -> Vec<String> {
    const VERBS: &str =
        "add|put|make|move|rename|swap|replace|change|also|include|and add|and make|and remove|but";
    let mut pieces: Vec<String> = Vec::new();
    let parts = clause.split(['、', ',', ';']).map(|it| it.trim_start().trim_start_matches("and "));
    for (nth, part) in parts.flat_map(|it| it.split(" and ").enumerate()) {
        let text = Text::new(part);
        let begins = |it: &Text, verbs| it.find(verbs, 0).is_some_and(|it| it.0 == 0);
        let begins_verb = |it: &Text| begins(it, VERBS) || begins(it, REMOVE);
        // `add a phone, and the email isn't required`; `reason optional, phone required`.
        let last = pieces.last().map(|it| Text::new(it));
        // `party size between 1 and 8, phone not required`: limits name no field.
        let is_limit = |it: &Text| it.chars.iter().any(char::is_ascii_digit);
        let is_behind =
            last.is_some_and(|it| begins_verb(&it) || is_mark(&it.text()) || is_limit(&it));
        let begins = begins_verb(&text) || is_behind && is_mark(part);
        let is_open =
            pieces.last().is_some_and(|it| it.matches('(').count() > it.matches(')').count());
        let begins = begins && !is_open;
        let is_whole = !part.is_ascii()
            && !is_open
            && pieces.last().is_some_and(|last| {
                last.ends_with(['て', 'で', 'に'])
                    || last.ends_with("追加")
                    || last.ends_with("削除")
            });
        match pieces.last_mut() {
            Some(last) if !begins && !is_whole => {
                // `between 1 and 8`
                let is_digit = |it: char| it.is_ascii_digit();
                let is_range = nth > 0 && last.ends_with(is_digit) && part.starts_with(is_digit);
                last.push_str(if is_range { " and " } else { ", " });
                last.push_str(part.trim());
            }
            _ => pieces.push(part.trim().to_owned()),
        }
    }
    pieces
}
