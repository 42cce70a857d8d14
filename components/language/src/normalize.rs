//! Prepares a sentence for parsing: normalizes characters, removes retracted parts, and splits it into requests.

use crate::{
    clock::is_numeral,
    scan::{QUOTES, marks},
};

/// Japanese phrases that retract the words before them.
const REPLACEMENTS: &str = "じゃなくて|ではなくて|ではなく|じゃなく|でなくて|でなく|、いや、|、いやごめん、|、ごめん、|、あごめん、|、あ、ごめん、|、じゃない、|、じゃないや、|、じゃなかった、|、違った、|、あ違う、|、間違えた、";
/// Phrases that retract the whole sentence before them.
const WITHDRAWALS: &str = "と言ったけど|って言ったけど|と言いましたが|って言いましたが|と書いたけど|とお願いしたけど|と頼んだけど|と言ったけれど|と思ったけど|と思いましたが|つもりだったけど";
/// Phrases that dismiss a subject in favour of another.
const DISMISSALS: &str = "はもういいから|はもういいので|はもういいや|はいいから|はいいので|はいいや|はやめにして|はやめとくから|はやめとく|は置いといて|はおいといて|はさておき";
/// English phrases that retract a word.
const ENGLISH_REPLACEMENTS: &str = ", no wait,|, no sorry,|, no, sorry,|, oh sorry,|, oops,|, no wait|- no wait,| no wait,|, wait, no,|, scratch that,|, scratch that|, or rather|, i mean|, sorry,|, actually make that|. actually make that|. actually make it|, actually make it|. no, make it|, no, make it|, make that|... no,|, no,";
/// Words that may be retracted alone.
const COUNTERS: &str = "枚席人名つ時日個本";
const DAYS: &str = "今日|明日|明後日|あさって|今夜|今晩|午前|午後|朝|夜|昼|月曜|火曜|水曜|木曜|金曜|土曜|日曜|月曜日|火曜日|水曜日|木曜日|金曜日|土曜日|日曜日";
/// Phrases between two requests.
const JOINTS: &str = "。|！|!|？|?|\n|、あと|、それから|、そのあと|、その後|、それと|、ついでに|、そして|と、| and also |, also | and then | and show me |, and show me | and tell me |, and tell me |, then |; |. | plus ";

/// Phrases between two actions of one request, which may be for different families.
const ACTION_JOINTS: &str = "して、|取って、|とって、|作って、|つくって、|教えて、|おしえて、|見せて、|調べて、|探して、|出して、|比べて、|ください、|ほしい、|欲しい、|したい、|お願い、|してから|取ってから|とってから|作ってから|つくってから|したら、|できたら、|取れたら、|とれたら、|終わったら、|済んだら、|, and | then | and let | and have | and make | and create | and book | and reserve | and find | and give me | and get me | and draw | and list | and open | and start | and compare | and check | and show | and tell | and look up | and search | and ask | and how do | and how can | and a | and an | and some | and the | and two | and three | and four | and five | and directions | and seats | and tickets | and cards ";
/// Phrases of reported speech: the text before them is no request.
const REPORTED: &str = "と伝え|って伝え|と言っ|って言っ|と聞い|って聞い|か聞い|を聞いて|と尋ね|と送|って送|と話|について話|話し合|話させ|議論|相談|について聞";

/// Half-width katakana from U+FF61 on.
const HALF: &str = "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン";

/// Converts half-width katakana to full width.
pub fn widened(text: &str) -> String {
    let half: Vec<char> = HALF.chars().collect();
    let mut out = String::with_capacity(text.len());
    for it in text.chars() {
        match it {
            '\u{ff9e}' | '\u{ff9f}' => {
                let voiced = u32::from(it) - 0xff9d;
                let last = out.pop();
                out.extend(last.and_then(|last| match last {
                    'ウ' => Some('ヴ'),
                    last => char::from_u32(u32::from(last) + voiced),
                }));
            }
            '\u{ff61}'..='\u{ff9d}' => {
                out.extend(half.get((u32::from(it) - 0xff61) as usize));
            }
            it => out.push(it),
        }
    }
    out
}

/// Converts everyday words in katakana to hiragana: `ｱｼﾀの上映`.
fn plain_words(text: &str) -> String {
    const WORDS: &str = "アシタ|アス|アサッテ|キョウ|コンヤ|コンバン|ライシュウ|コンシュウ|シュウマツ|ヒトリ|フタリ|オトナ|コドモ|ナンジ";
    let is_katakana = |it: char| matches!(it, '\u{30a1}'..='\u{30fa}' | 'ー');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|it| is_katakana(it) != is_katakana(first)).unwrap_or(rest.len());
        let (run, behind) = rest.split_at(length);
        match marks(WORDS).any(|it| it == run) {
            // Hiragana are 0x60 below katakana.
            true => out.extend(run.chars().filter_map(|it| char::from_u32(u32::from(it) - 0x60))),
            false => out.push_str(run),
        }
        rest = behind;
    }
    out
}

/// Inserts a space before a count after Latin letters: `AKIRA2枚`, but not `A5席` or `user2名前`.
fn with_counts_apart(text: &str) -> String {
    const WHOLE: &str = "枚席";
    const COUNTERS: &str = "人名つ";
    const BEHIND: &str = "分様でをと";
    let chars: Vec<char> = text.chars().collect();
    let is_letter = |at: Option<usize>| at.is_some_and(|it| chars[it].is_ascii_alphabetic());
    let is_counted = |at: usize| {
        let mut behind = chars[at..].iter().skip_while(|it| it.is_numeric());
        let counter = behind.next();
        let ends = behind.next().is_none_or(|it| !it.is_alphabetic() || BEHIND.contains(*it));
        chars[at].is_numeric()
            && !chars[at].is_alphabetic()
            && counter.is_some_and(|it| WHOLE.contains(*it) || COUNTERS.contains(*it) && ends)
    };
    let mut out = String::with_capacity(text.len() + 1);
    for (at, it) in chars.iter().enumerate() {
        if is_letter(at.checked_sub(1)) && is_letter(at.checked_sub(2)) && is_counted(at) {
            out.push(' ');
        }
        out.push(*it);
    }
    out
}

/// Writes counters in kana as usual: `4じ20ぷん`, `七じはん`, `2ばんめを3まい`.
fn with_plain_times(text: &str) -> String {
    const UNITS: [(&str, &str); 9] = [
        ("じかん", "時間"),
        ("じはん", "時半"),
        ("じ", "時"),
        ("ふん", "分"),
        ("ぷん", "分"),
        ("ばん", "番"),
        ("まい", "枚"),
        ("にん", "人"),
        ("めい", "名"),
    ];
    /// Ends of other words: `3じゃなくて`, `5じっくり`, `3じげん`, `3ふんすい`, `2まいる`, `3にんじん`.
    const OTHERS: [&str; 10] =
        ["ゃ", "ゅ", "ょ", "っく", "っと", "げん", "どし", "すい", "る", "じん"];
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_counted = out.ends_with(|it: char| it.is_ascii_digit() || is_numeral(it));
        let unit = UNITS.iter().filter(|_| is_counted).find_map(|(kana, unit)| {
            let behind = rest.strip_prefix(kana)?;
            (!OTHERS.iter().any(|it| behind.starts_with(it))).then_some((*unit, behind))
        });
        match unit {
            Some((unit, behind)) => {
                out.push_str(unit);
                rest = behind;
            }
            None => {
                out.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    out
}

/// Removes retracted parts from `text`. What is quoted is a name and stays as it is.
pub fn without_retractions(text: &str) -> String {
    /// The first of the characters that stand for what is quoted.
    const MASKS: u32 = 0xe000;
    let text = widened(text.trim());
    let (mut masked, mut from, mut names) = (String::with_capacity(text.len()), 0, Vec::new());
    for (begin, end) in quotes(&text) {
        let length = |mark: Option<char>| mark.map_or(0, char::len_utf8);
        let begin = begin + length(text[begin..].chars().next());
        let end = end - length(text[..end].chars().next_back());
        let Some(mask) = char::from_u32(MASKS + names.len() as u32) else { break };
        masked.push_str(&text[from..begin]);
        masked.push(mask);
        names.push((mask, &text[begin..end]));
        from = end;
    }
    masked.push_str(&text[from..]);
    let text = unquoted_without_retractions(&masked);
    names.iter().fold(text, |text, (mask, name)| text.replace(*mask, name))
}

fn unquoted_without_retractions(text: &str) -> String {
    let text = with_counts_apart(&with_plain_times(&plain_words(text)))
        .replace("->", "→")
        .replace("=>", "→");
    let mut text = crate::corrected::corrected(&text);
    // `じゃなくて赤`: what is corrected came before.
    let rest = ["じゃなくて", "ではなくて", "じゃなく、", "ではなく、"]
        .iter()
        .find_map(|it| text.strip_prefix(it))
        .map(|it| it.trim_start_matches(['、', ' ']));
    if let Some(rest) = rest.filter(|it| it.chars().any(char::is_alphanumeric)) {
        text = format!("やっぱり{rest}");
    }
    for mark in marks(WITHDRAWALS) {
        let Some(at) = text.find(mark) else { continue };
        let (before, behind) = (&text[..at], &text[at + mark.len()..]);
        let behind = behind.trim_start_matches(['、', ' ']);
        let behind = ["やっぱり", "やはり"]
            .iter()
            .fold(behind, |it, word| it.strip_prefix(word).unwrap_or(it).trim_start_matches('、'));
        let (part, _) = split_first(behind);
        let has_topic = ["を", "は", "から", "まで"].iter().any(|it| part.contains(it));
        // `高速を使わないでと言ったけどやっぱり使って` keeps its topic.
        let topic =
            ["を", "は"].iter().filter_map(|it| before.find(it).map(|at| at + it.len())).min();
        let topic = topic.filter(|_| !has_topic);
        text = format!("{}{behind}", topic.map_or("", |it| &before[..it]));
        break;
    }
    for mark in marks(REPLACEMENTS) {
        // Each phrase applies only once.
        let Some(at) = text.find(mark) else { continue };
        let before = &text[..at];
        // `アキラを、あ違う、ゴジラを`: the particle is retracted as well.
        let before = match mark.starts_with('、') {
            true => before.trim_end_matches(['を', 'に', 'へ', 'で', 'は', 'が']),
            false => before,
        };
        // `有料道路だけじゃなく高速も` has both.
        if ["だけ", "のみ", "ばかり"].iter().any(|it| before.ends_with(it)) {
            continue;
        }
        let from = retraction_start(before);
        let behind = text[at + mark.len()..].trim_start_matches('、').to_owned();
        // `必須じゃなくていい` retracts nothing.
        let is_leave =
            ["ていい", "ても", "て良い", "て大丈夫", "て構", "いい", "も", "良い", "大丈夫", "構"]
                .iter()
                .any(|it| behind.starts_with(it));
        if is_leave {
            continue;
        }
        if !behind.trim().is_empty() {
            text = format!("{}{behind}", &text[..from]);
        }
    }
    for mark in marks(DISMISSALS) {
        let Some(at) = text.find(mark) else { continue };
        let behind = text[at + mark.len()..].trim_start_matches(['、', '。', ' ']);
        if behind.chars().count() > 3 {
            text = behind.to_owned();
        }
    }
    english(text)
}

/// Splits `text` at the first comma.
fn split_first(text: &str) -> (&str, &str) {
    match text.find('、') {
        Some(at) => text.split_at(at),
        None => (text, ""),
    }
}

/// Start of the retracted part in the text before the phrase.
fn retraction_start(before: &str) -> usize {
    for day in marks(DAYS) {
        if let Some(head) = before.strip_suffix(day) {
            return head.len();
        }
    }
    let counted = before.trim_end_matches(|it: char| COUNTERS.contains(it));
    if counted.len() < before.len() {
        let head = counted.trim_end_matches(is_numeral);
        if head.len() < counted.len() {
            return head.len();
        }
    }
    let ends = ["、", "。", " ", "から", "まで", "を", "に", "へ", "やっぱり"];
    ends.iter().filter_map(|it| before.rfind(it).map(|at| at + it.len())).max().unwrap_or(0)
}

fn english(text: String) -> String {
    /// Words of both: `not only tolls but highways too`.
    const ADDS: [&str; 4] = ["only ", "just ", "merely ", "simply "];
    let mut text = text;
    let lower = text.to_ascii_lowercase();
    if let Some(not) = lower
        .find("not ")
        .filter(|it| *it == 0 || !lower.as_bytes()[it - 1].is_ascii_alphanumeric())
        && let Some(but) = lower[not..].find(" but ")
        && but < 40
        && !lower[not..not + but].contains(',')
        && !lower[..not].ends_with("do ")
        && !ADDS.iter().any(|it| lower[not + "not ".len()..].starts_with(it))
    {
        text = format!("{}{}", &text[..not], &text[not + but + " but ".len()..]);
    }
    let lower = text.to_ascii_lowercase();
    for mark in marks(ENGLISH_REPLACEMENTS) {
        let Some(at) = lower.find(mark) else { continue };
        let before = text[..at].trim_end();
        // `no wait, make that 2`: nothing precedes that could be retracted.
        if is_hesitation(&lower[..at]) {
            continue;
        }
        let behind = text[at + mark.len()..].trim_start().to_owned();
        if let Some(text) = with_replaced_adjective(before, &behind) {
            return text;
        }
        if let Some((head, tail)) = around_name(before, &behind) {
            return format!("{head}{}{tail}", behind.trim_end_matches(['.', '!', ' ']));
        }
        if adds_seats(before, &behind) {
            return format!("{before}, {behind}");
        }
        let last = last_name(before, &behind);
        let is_named = last == 0 && begins_name(before) && begins_name(&behind);
        if !behind.is_empty() && (last > 0 || is_named) {
            // A replacement for one word or name does not repeat the others.
            text = format!("{} {behind}", before[..last].trim_end()).trim_start().to_owned();
        }
        break;
    }
    text
}

/// Words that begin a sentence, not a name.
const FIRST: &str = "show|book|draw|find|get|give|is|are|was|what's|when|when's|where|where's|who|how|reserve|make|tickets|ticket|seats|two|three|one|play|compare|see|watch|let|do|does|can|could|hold|cancel|tell|open|add|use|put|from|to|via|hi|hello|hey|the|a|an|and|no|i|i'd|for|please";

/// Whether `behind` names seats and `before` ends in a time or a number, which stays: `Emma at 7. Actually make it Row F`.
fn adds_seats(before: &str, behind: &str) -> bool {
    const SEATS: [&str; 4] = ["row ", "rows ", "seat ", "seats "];
    let (before, behind) = (before.to_ascii_lowercase(), behind.to_ascii_lowercase());
    let is_number = |it: &str| it.starts_with(|first: char| first.is_ascii_digit());
    SEATS.iter().any(|it| behind.starts_with(it))
        && !SEATS.iter().any(|it| before.contains(it))
        && before.split(' ').next_back().is_some_and(is_number)
}

/// What is before and behind the only name of `before`, if `behind` is one name, which takes its place: `Emma tomorrow, 2
/// please. Actually make that Ivanhoe`.
fn around_name<'a>(before: &'a str, behind: &str) -> Option<(&'a str, &'a str)> {
    /// Words of a day, a time and a number.
    const PARTS: &str = "today|tomorrow|tonight|this|next|morning|afternoon|evening|night|monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekend|on|at|am|pm|noon|one|two|three|four|five|six|seats|seat|tickets|ticket|adults|adult|children|child|people|please";
    /// Capitalized words that name no thing.
    const OTHERS: &str = "monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|row|rows|seat|seats|screen|premium|i|am|pm";
    let bare =
        |word: &str| word.trim_matches(|it: char| !it.is_alphanumeric()).to_ascii_lowercase();
    let is_name = |word: &str| {
        begins_name(word)
            && word.chars().filter(|it| it.is_ascii_alphabetic()).count() > 1
            && !marks(OTHERS).any(|it| it == bare(word))
    };
    if !before.is_ascii() || !behind.split_whitespace().all(is_name) {
        return None;
    }
    let mut words = before.match_indices(' ').map(|it| it.0 + 1).collect::<Vec<_>>();
    words.insert(0, 0);
    let word = |at: usize| before[at..].split(' ').next().unwrap_or_default();
    // The first word is always capitalized: it is a name where the others are none of a sentence (`Navigate to the airport`).
    let is_part = |at: &usize| {
        let part = bare(word(*at));
        begins_name(word(*at))
            || part.starts_with(|it: char| it.is_ascii_digit())
            || marks(PARTS).any(|it| it == part)
    };
    let is_own = |at: usize| {
        is_name(word(at))
            && (at > 0
                || !marks(FIRST).any(|it| it == bare(word(at))) && words[1..].iter().all(is_part))
    };
    let from = words.iter().position(|it| is_own(*it))?;
    let names = words[from..].iter().take_while(|it| is_own(**it)).count();
    let end = from + names;
    // A name at the end is the last word, and two names are not told apart.
    if end >= words.len() || words[end..].iter().any(|it| is_own(*it)) {
        return None;
    }
    let last = words[end - 1];
    let to = last + word(last).trim_end_matches([',', '.', '!', '?', ';', ':']).len();
    Some((&before[..words[from]], &before[to..]))
}

fn begins_name(text: &str) -> bool {
    text.starts_with(|it: char| it.is_ascii_uppercase())
}

/// Start of the last word of `before`, or of the last name if `behind` is one: `Your Name`, `Spirited Away`.
fn last_name(before: &str, behind: &str) -> usize {
    let starts = || before.match_indices(' ').map(|it| it.0 + 1).chain([0]);
    let last = starts().max().unwrap_or(0);
    if !begins_name(behind) || !begins_name(&before[last..]) {
        return last;
    }
    let mut from = last;
    while let Some(start) = starts().filter(|it| *it < from).max() {
        let word = before[start..from].trim_end();
        let lower = word.to_ascii_lowercase();
        // Punctuation ends a name, and the first word is always capitalized.
        let is_first = start == 0 && marks(FIRST).any(|it| it == lower);
        if is_first || !begins_name(word) || word.ends_with([',', '.', '?', '!', ':']) {
            break;
        }
        from = start;
    }
    from
}

/// Whether `text` is only a hesitation.
fn is_hesitation(text: &str) -> bool {
    const WORDS: &str = "no|wait|oh|oops|sorry|hmm|actually|ok|okay|hold|on|hang|please|but";
    let mut words = text.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty());
    words.all(|it| marks(WORDS).any(|word| word == it))
}

/// Replaces the adjective in `before`: `show me red cards`, `the green ones`.
fn with_replaced_adjective(before: &str, behind: &str) -> Option<String> {
    let (head, noun) = before.trim_end_matches(',').rsplit_once(' ')?;
    let (head, _) = head.rsplit_once(' ')?;
    let rest =
        ["the ", "a ", "an "].iter().find_map(|it| behind.strip_prefix(it)).unwrap_or(behind);
    let (kind, rest) = rest.split_once(' ')?;
    let tail = rest.strip_prefix("ones").or(rest.strip_prefix("one"))?;
    let is_over = !tail.starts_with(|it: char| it.is_ascii_alphanumeric());
    is_over.then(|| format!("{head} {kind} {noun}{tail}"))
}

/// Splits `text` into its requests.
pub fn request_parts(text: &str) -> Vec<String> {
    let mut request_parts: Vec<_> =
        split(text, JOINTS).into_iter().map(|it| it.trim().to_owned()).collect();
    request_parts.retain(|it| it.chars().filter(|it| it.is_alphanumeric()).count() > 1);
    request_parts
}

/// Removes joining words from the end of `part`.
pub fn without_joints(part: &str) -> &str {
    let part = part.trim_end();
    let joints = marks(JOINTS).chain(marks(ACTION_JOINTS)).map(|it| it.trim_end());
    // Final punctuation and verbs belong to the part.
    let joints = joints.filter(|it| it.starts_with(['、', ',', ' '])).chain([" and", ", and"]);
    joints.filter_map(|it| part.strip_suffix(it)).min_by_key(|it| it.len()).unwrap_or(part)
}

/// Splits `request` into its actions. Returns all of it if there is one, or if it reports speech.
pub fn actions(request: &str) -> Vec<String> {
    if let Some((before, message)) = before_message(request) {
        let mut actions = actions(before);
        actions.retain(|it| !it.is_empty());
        actions.push(message.to_owned());
        return actions;
    }
    if marks(REPORTED).any(|it| request.contains(it)) {
        return vec![request.to_owned()];
    }
    split(request, ACTION_JOINTS).into_iter().map(str::to_owned).collect()
}

/// Splits off a message whose addressee is behind another action: `ゴジラを2枚取って、worker-aに取れたって伝えて`. What
/// comes behind the addressee, or is quoted, is the message.
fn before_message(request: &str) -> Option<(&str, &str)> {
    const TELLS: &str = "と伝え|って伝え|と言って|って言って|と送|って送";
    /// Between an addressee and the message.
    const TO: [&str; 3] = ["さんに", "エージェントに", "たちに"];
    let is_addressed = |text: &str| {
        let to = |at: usize| text[..at].ends_with(|it: char| it.is_ascii_alphanumeric());
        text.match_indices('に').any(|it| to(it.0)) || TO.iter().any(|it| text.contains(it))
    };
    let tells = marks(TELLS).filter_map(|it| request.find(it)).min()?;
    let quotes = quotes(request);
    let joint = marks(ACTION_JOINTS)
        .filter(|it| !it.is_ascii())
        .filter_map(|it| Some(request[..tells].rfind(it)? + it.len()))
        .filter(|at| !quotes.iter().any(|it| (it.0..it.1).contains(at)))
        .max()?;
    let (before, message) = request.split_at(joint);
    let is_said = marks(REPORTED).any(|it| before.contains(it));
    (is_addressed(message) && !is_addressed(before) && !is_said).then_some((before, message))
}

/// Whether `thing` is what one asks a person, such as a favourite: `好きな映画`, `最寄り駅`.
pub fn is_of_person(thing: &str) -> bool {
    const OWN: &str = "好きな|お好きな|嫌いな|苦手な|得意な|最寄り|ご希望の|希望の|favourite |favorite |preferred |nearest ";
    marks(OWN).any(|it| thing.trim_start().to_lowercase().starts_with(it))
}

/// Splits a list of things: `明日の映画、東京駅からの道と千年桜のカード`. Empty if it reports speech or refuses them.
pub fn listed(text: &str) -> Vec<String> {
    const JOINTS: &str = "、|と|, and |, | and ";
    /// What is said of all things of the list: `映画とカードはいらない`.
    const REFUSED: &str = "いらない|要らない|いりません|不要";
    let is_refused = |text: &str| marks(REFUSED).any(|it| text.ends_with(it));
    if marks(REPORTED).any(|it| text.contains(it))
        || is_refused(text.trim_end_matches(['。', '！']))
    {
        return Vec::new();
    }
    let alone = |part: &str| {
        let end = marks(JOINTS).filter_map(|it| part.strip_suffix(it)).min_by_key(|it| it.len());
        end.unwrap_or(part).trim().to_owned()
    };
    let things: Vec<String> =
        split(text, JOINTS).into_iter().map(alone).filter(|it| !it.is_empty()).collect();
    // `好きな映画、最寄り駅、名前のフォーム` lists what a form asks.
    if things.iter().any(|it| is_of_person(it)) { Vec::new() } else { things }
}

/// Splits `text` after each of `joints` outside quotations.
fn split<'a>(text: &'a str, joints: &'static str) -> Vec<&'a str> {
    /// Reported speech after a question or sentence.
    const REPORTED_SPEECH: &str = "と話|と聞|と尋|と質問|と相談|と言|と伝|と書|と送|という|って";
    let joints: Vec<_> = marks(joints).collect();
    let lower = text.to_ascii_lowercase();
    let quotes = quotes(&lower);
    let (mut request_parts, mut from, mut at) = (Vec::new(), 0, 0);
    while at < text.len() {
        if !text.is_char_boundary(at) {
            at += 1;
            continue;
        }
        if let Some(end) = quotes.iter().find(|it| it.0 == at) {
            at = end.1;
            continue;
        }
        // `君の名は。の最終回`: a particle continues the name.
        let goes_on = |next: &&&str| {
            let behind = &lower[at + next.len()..];
            let is_end = ["。", "！", "!", "？", "?"].contains(*next);
            **next == "。" && ["の", "を", "が", "へ"].iter().any(|it| behind.starts_with(it))
                || is_end && marks(REPORTED_SPEECH).any(|it| behind.starts_with(it))
        };
        let joints = joints.iter().filter(|it| lower[at..].starts_with(**it));
        let joint = joints.filter(|it| !goes_on(it)).max_by_key(|it| it.len());
        let joint = joint.map(|it| verb_of(it).unwrap_or(it.len()));
        match joint {
            Some(length) => {
                // A question mark belongs to the part it ends.
                request_parts.push(&text[from..at + length]);
                at += length;
                from = at;
            }
            None => at += 1,
        }
    }
    request_parts.push(&text[from..]);
    request_parts
}

/// Start of the verb in a joint such as ` and book `; it belongs to the next part.
fn verb_of(joint: &str) -> Option<usize> {
    const AND: &str = "and ";
    const NO_VERBS: [&str; 2] = ["also ", "then "];
    let at = joint.find(AND)? + AND.len();
    (!joint[at..].is_empty() && !NO_VERBS.contains(&&joint[at..])).then_some(at)
}

/// Spans of quotations in `text`, with their marks.
fn quotes(text: &str) -> Vec<(usize, usize)> {
    let (mut quotes, mut at) = (Vec::new(), 0);
    while let Some((from, open)) =
        text[at..].char_indices().find(|it| QUOTES.iter().any(|pair| pair.0 == it.1))
    {
        let inside = at + from + open.len_utf8();
        let close = QUOTES.iter().find(|it| it.0 == open).map_or(open, |it| it.1);
        // Quotations have to be closed.
        at = match text[inside..].find(close) {
            Some(to) => {
                quotes.push((at + from, inside + to + close.len_utf8()));
                inside + to + close.len_utf8()
            }
            None => inside,
        };
    }
    quotes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_retracted_parts() {
        for (sentence, meant) in [
            ("明日の君の名は、2枚じゃなくて3枚", "明日の君の名は、3枚"),
            ("明日の君の名は2枚じゃなくて3枚", "明日の君の名は3枚"),
            ("レオンじゃなくてファルコのカード", "ファルコのカード"),
            ("フォームじゃなくて映画の予約がしたい", "映画の予約がしたい"),
            ("渋谷から横浜じゃなくて川崎まで", "渋谷から川崎まで"),
            ("明日じゃなくて月曜にゴジラを2枚", "月曜にゴジラを2枚"),
            (
                "高速を使わないでと言ったけどやっぱり使って、渋谷から横浜",
                "高速を使って、渋谷から横浜",
            ),
            ("映画はいいや、カードのルナ見せて", "カードのルナ見せて"),
            (
                "not tomorrow but on Monday: 2 tickets for Departures",
                "on Monday: 2 tickets for Departures",
            ),
            ("Book 2, no wait, 3 seats for Akira", "Book 3 seats for Akira"),
            ("no wait, make that 2 adults", "no wait, make that 2 adults"),
            ("oh sorry, make that two", "oh sorry, make that two"),
            ("ﾙﾅのｶｰﾄﾞ", "ルナのカード"),
            ("アキラ、じゃないや、ゴジラの席", "ゴジラの席"),
            ("じゃなくて赤", "やっぱり赤"),
            ("Emma tomorrow, 2 please. Actually make that Ivanhoe.", "Ivanhoe tomorrow, 2 please"),
            ("Two for Jane Eyre today at 7, no wait, Ivanhoe", "Two for Ivanhoe today at 7"),
            ("Emma at 7. Actually make it Row F", "Emma at 7, Row F"),
            ("Emma at 7. Actually make it 8", "Emma at 8"),
            ("Navigate to the airport, no wait, Yokohama", "Navigate to the Yokohama"),
            ("Create a form with name, no wait, Email", "Create a form with Email"),
            ("Search for cards tomorrow, no wait, Luna", "Search for cards Luna"),
            ("Thumbnail with luna, no wait, Mimi", "Thumbnail with Mimi"),
            ("タイトルは「3まいの2じ」で", "タイトルは「3まいの2じ」で"),
            ("「赤、いや、青」のカードを2枚じゃなくて3枚", "「赤、いや、青」のカードを3枚"),
            ("ｱｼﾀの上映ある？", "あしたの上映ある？"),
            ("キョウのレイトショー", "きょうのレイトショー"),
            ("ﾌﾀﾘ分お願い、アサッテ", "ふたり分お願い、あさって"),
            ("アスカのカード", "アスカのカード"),
            ("おくりびと４じ２０ぷん", "おくりびと４時２０分"),
            ("七じはんの回、2じかん以内", "七時半の回、2時間以内"),
            ("3じゃなくて4で", "4で"),
            ("2ばんめの、おとな２まい", "2番めの、おとな２枚"),
            ("5まいる、3にんじん", "5まいる、3にんじん"),
            ("3じっくり", "3じっくり"),
            ("5じげんのフォーム", "5じげんのフォーム"),
            ("有料道路だけじゃなく高速も避けて", "有料道路だけじゃなく高速も避けて"),
            ("avoid not just tolls but highways too", "avoid not just tolls but highways too"),
            ("高速は使わないで", "高速は使わないで"),
            ("AKIRA2枚お願い", "AKIRA 2枚お願い"),
            ("AKIRA2人で", "AKIRA 2人で"),
            ("AKIRA2つ", "AKIRA 2つ"),
            ("agent1とagent2つないで", "agent1とagent2つないで"),
            ("MP3つきの動画", "MP3つきの動画"),
            ("user2名前は太郎", "user2名前は太郎"),
        ] {
            assert_eq!(without_retractions(sentence), meant);
        }
    }

    #[test]
    fn name_replaces_a_whole_name() {
        for (sentence, meant) in [
            ("Is Luna, no sorry, Nox showing tomorrow?", "Is Nox showing tomorrow?"),
            (
                "Tickets for Your Name, no wait, Spirited Away, at 7",
                "Tickets for Spirited Away, at 7",
            ),
            ("Show Luna, no, Nox", "Show Nox"),
            ("Seven Samurai, oh sorry, Akira tomorrow", "Akira tomorrow"),
            ("Book Tokyo Story, I mean Ikiru for two", "Book Ikiru for two"),
            ("from Tokyo Station to Ueno Park, no wait, Ginza", "from Tokyo Station to Ginza"),
            ("Show Luna on red, no wait, green", "Show Luna on green"),
            ("ルナ、ごめん、ノクスのカード見せて", "ノクスのカード見せて"),
            ("アキラを、あ違う、ゴジラを2枚", "ゴジラを2枚"),
        ] {
            assert_eq!(without_retractions(sentence), meant);
        }
    }

    #[test]
    fn full_stop_in_a_name_ends_no_request() {
        assert_eq!(request_parts("君の名は。の最終回を2枚").len(), 1);
        assert_eq!(request_parts("君の名は。を2枚。あと渋谷から横浜まで").len(), 2);
    }

    #[test]
    fn strips_joining_words_from_parts() {
        for (part, alone) in [
            ("名前を聞いて、そのあと", "名前を聞いて"),
            ("Show me the way, and ", "Show me the way"),
            ("今夜の映画は？", "今夜の映画は？"),
        ] {
            assert_eq!(without_joints(part), alone);
        }
    }

    #[test]
    fn verb_belongs_to_its_action() {
        for (request, second) in [
            ("Book two seats for Akira and compare Ueno and Ginza", "compare Ueno and Ginza"),
            ("draw a card and show me the way", "show me the way"),
            ("Make a form and book two seats", "book two seats"),
            ("Book two seats and then the way to Yokohama", "the way to Yokohama"),
        ] {
            let pieces = match request.contains("then") || request.contains("show me") {
                true => request_parts(request),
                false => actions(request),
            };
            assert_eq!(pieces[1], second, "{request}");
        }
    }

    #[test]
    fn adjective_replaces_adjective() {
        for (text, meant) in [
            ("Show me red cards, no wait, green ones", "Show me green cards"),
            ("two aisle seats, sorry, the middle ones please", "two middle seats please"),
            ("a blue thumbnail, scratch that, a golden one", "a golden thumbnail"),
        ] {
            assert_eq!(without_retractions(text).replace("a a ", "a "), meant, "{text}");
        }
    }

    #[test]
    fn things_of_a_list_stand_alone() {
        for (text, things) in [
            (
                "明日の映画、駅からの道と、桜のカード",
                &["明日の映画", "駅からの道", "桜のカード"][..],
            ),
            (
                "films tomorrow, the way to Ueno and a card",
                &["films tomorrow", "the way to Ueno", "a card"],
            ),
            ("「雪と月」、道", &["「雪と月」", "道"]),
            ("映画と道について話して", &[]),
            ("映画と道とカードはいらない。", &[]),
        ] {
            assert_eq!(listed(text), things, "{text}");
        }
    }

    #[test]
    fn quotation_and_reported_speech_are_no_requests() {
        assert_eq!(request_parts("worker-bに「明日は？それから道は？」と聞いて").len(), 1);
        assert_eq!(request_parts("worker-bに明日の映画は？と聞いて").len(), 1);
        assert_eq!(request_parts("Ask worker-b \"which films? And when?\"").len(), 1);
        assert_eq!(actions("worker-bに映画を選んで、横浜へ行ってと伝えて").len(), 1);
        for (request, message) in [
            (
                "ゴジラを明日の夜に2枚取って、worker-aに取れたって伝えて",
                "worker-aに取れたって伝えて",
            ),
            ("ルナのカードを見せて、agent2に「いいね」と伝えて", "agent2に「いいね」と伝えて"),
        ] {
            assert_eq!(actions(request).last().map(String::as_str), Some(message));
            assert_eq!(actions(request).len(), 2, "{request}");
        }
        assert_eq!(actions("worker-aに席を取って、worker-bに渡してと伝えて").len(), 1);
        assert_eq!(actions("「席を取って、worker-bに渡して」と伝えて").len(), 1);
    }

    #[test]
    fn splits_joined_actions_verbatim() {
        for (request, count) in [
            ("ゴジラを2枚予約して、東京駅から横浜駅までの道も教えて", 2),
            ("サムネを作ってから名前を聞くフォームも作って", 2),
            ("Book two seats, and the way to Yokohama", 2),
            ("book two seats then show me the way to Yokohama", 2),
            ("Book two seats and let worker-a and worker-b talk", 2),
            ("Book two seats and compare Ueno and Ginza from Shibuya", 2),
            ("I need seats for Totoro and directions from Shinjuku to Ginza", 2),
            ("two tickets for Godzilla tomorrow and how do I get there from Ueno?", 2),
            ("Let worker-a and worker-b play a word chain", 1),
        ] {
            let actions = actions(request);
            assert_eq!((actions.len(), actions.concat().as_str()), (count, request));
        }
    }
}
