//! Simplifies a sentence before parsing: date ranges into brackets, lists without counts, and
//! separators instead of spaces. And a form that asks one question: `a poll: pizza or sushi`.

use std::sync::LazyLock;

use language::{
    Date,
    clock::is_numeral,
    dates::written,
    scan::{marks, normal},
    utterance::Utterance,
    vocabulary::Vocabulary,
};
use serde_json::{Map, Value};

use super::{
    Field, Reading, item,
    kinds::{FIELDS, FREE},
    list::{has_form, is_more},
    text,
};

/// Simplifies `text`, written on the day `today`.
pub(in crate::sentences) fn plain(text: &str, today: Date) -> String {
    let text = kana(text).replace("e.g., ", "such as ").replace("e.g. ", "such as ");
    let text = inquiring(&attending(&text));
    let more = ["フォームをもう一つ", "フォームをもう1つ", "フォームをもうひとつ"];
    let text = more.iter().fold(text, |it, more| it.replace(more, "別のフォーム"));
    let text = purposeless(&text);
    let text = asked(&corrected(&chosen(&counted(&negated(&text::plain(&text))))));
    spaced(&examples(&uncounted(&ranges(&relative(&parted(&text), today), today))))
}

/// Writes whether people come as one field, which is no choice of two: `参加するかどうか`. `出来るかどうか` and
/// `持って来るかどうか` are of other things.
fn attending(text: &str) -> String {
    const WHETHER: &str =
        "参加するかどうか|参加できるかどうか|来るかどうか|来れるかどうか|来られるかどうか";
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(first) = rest.chars().next() {
        let is_other = out.ends_with(['出', 'て']);
        let behind = marks(WHETHER).filter(|_| !is_other).find_map(|it| rest.strip_prefix(it));
        match behind {
            Some(_) => out.push_str("参加の可否"),
            None => out.push(first),
        }
        rest = behind.unwrap_or(&rest[first.len_utf8()..]);
    }
    out.replace("参加の可否聞", "参加の可否を聞")
}

/// Writes the words of a sentence in kana alone as usual: `なまえとでんわばんごうをきくふぉーむ`.
fn kana(text: &str) -> String {
    const WORDS: [(&str, &str); 14] = [
        ("ふぉーむ", "フォーム"),
        ("あんけーと", "アンケート"),
        ("をきく", "を聞く"),
        ("をきいて", "を聞いて"),
        ("なまえ", "名前"),
        ("でんわばんごう", "電話番号"),
        ("でんわ", "電話"),
        ("めーるあどれす", "メールアドレス"),
        ("めーる", "メール"),
        ("じゅうしょ", "住所"),
        ("ねんれい", "年齢"),
        ("たんじょうび", "誕生日"),
        ("せいべつ", "性別"),
        ("にんずう", "人数"),
    ];
    let is_kana = |it: char| matches!(it, 'ぁ'..='ん' | 'ー') || !it.is_alphabetic();
    match !text.is_ascii() && text.chars().all(is_kana) {
        true => WORDS.iter().fold(text.to_owned(), |text, it| text.replace(it.0, it.1)),
        false => text.to_owned(),
    }
}

/// `名前を聞くやつ作って`: one that is wished is a form; `このあいだ聞くやつどうなった` tells of another thing.
fn inquiring(text: &str) -> String {
    const WISHED: &str =
        "作|つく|お願い|おねがい|ほしい|欲しい|用意|頼|ちょうだい|くれ|くだ|下さ|出して|必要";
    let found = ["聞くやつ", "きくやつ"].iter().find_map(|it| text.split_once(it));
    match found {
        Some((before, behind))
            if behind.trim_matches(['。', '！', '!', ' ']).is_empty()
                || marks(WISHED).any(|it| behind.contains(it)) =>
        {
            format!("{before}聞くフォーム{behind}")
        }
        Some((before, behind)) => format!("{}のやつ{behind}", before.trim_end_matches('を')),
        None => text.to_owned(),
    }
}

/// `会議室の使用を申請するフォーム。氏名、日時`: what a form with a list is for is none of its fields.
fn purposeless(text: &str) -> String {
    const PURPOSES: &str =
        "を記録する|を報告する|を申告する|を申請する|を計測する|を測定する|を投稿する";
    let found = text.split_once("フォーム").and_then(|(before, behind)| {
        let topic = marks(PURPOSES).find_map(|it| before.strip_suffix(it))?;
        let is_listed = behind.starts_with(['。', '：', ':', '\n']) && behind.contains('、');
        let is_one = !topic.contains(['、', 'と', '。']);
        (is_listed && is_one).then(|| format!("{topic}フォーム{behind}"))
    });
    found.unwrap_or_else(|| text.to_owned())
}

/// Quoted options into brackets, `件名は「商品」「配送」`; a dash before options and `or` into Japanese, `色－赤／青`,
/// `禁煙or喫煙`.
fn chosen(text: &str) -> String {
    const DASHES: [char; 6] = ['-', '－', '—', '–', '−', '‐'];
    const ENDS: [char; 6] = ['、', '。', ',', '\n', '(', '（'];
    let is_japanese =
        |it: Option<&char>| it.is_some_and(|it| !it.is_ascii() && it.is_alphanumeric());
    let chars: Vec<char> = text.chars().collect();
    let (mut chosen, mut at) = (String::new(), 0);
    while at < chars.len() {
        let is_behind = is_japanese(at.checked_sub(1).and_then(|it| chars.get(it)));
        if DASHES.contains(&chars[at]) && is_behind {
            let rest = chars[at + 1..].iter().take_while(|it| !ENDS.contains(it));
            let is_list = rest.clone().any(|it| matches!(it, '/' | '／' | '・'));
            if is_list && is_japanese(chars.get(at + 1)) {
                chosen.push('は');
                at += 1;
                continue;
            }
        }
        if is_behind && chars[at..].starts_with(&['o', 'r']) && is_japanese(chars.get(at + 2)) {
            chosen.push('か');
            at += 2;
            continue;
        }
        chosen.push(chars[at]);
        at += 1;
    }
    let Some(run) = chosen.find("」「") else { return chosen };
    let Some(from) = chosen[..run].rfind('「') else { return chosen };
    let mut to = run + "」".len();
    while let Some(rest) = chosen[to..].strip_prefix('「') {
        let Some(length) = rest.find('」') else { return chosen };
        to += "「".len() + length + "」".len();
    }
    let is_labelled = chosen[..from].ends_with(['は', 'で', ':', '：']);
    if !is_labelled {
        return chosen;
    }
    let options = chosen[from..to].replace("」「", "、").replace(['「', '」'], "");
    format!("{}({options}){}", &chosen[..from], &chosen[to..])
}

/// `Capital of France? Paris, London. Longest river? Nile, Amazon`: brackets the answers behind each question.
fn asked(text: &str) -> String {
    const OPTION_MAX: usize = 40;
    const SEPARATORS: [char; 4] = ['、', ',', '・', '/'];
    let pieces: Vec<&str> = text.split(['?', '？']).collect();
    let Some((first, others)) = pieces.split_first() else { return text.to_owned() };
    let mut asked = (*first).to_owned();
    for (number, piece) in others.iter().enumerate() {
        // Behind the answers the next question begins.
        let is_last = number + 1 == others.len();
        let end = piece.find(['。', '\n']).or_else(|| piece.find(". ")).unwrap_or_else(|| {
            let last = piece.rfind(SEPARATORS).unwrap_or_default();
            let gap = piece[last..].trim_end().rfind([' ', '　']).filter(|it| *it > 1);
            gap.filter(|_| !is_last).map_or(piece.len(), |it| last + it)
        });
        let (answers, rest) = piece.split_at(end);
        let answers = answers.trim().trim_end_matches('.');
        let options: Vec<&str> = answers.split(SEPARATORS).map(str::trim).collect();
        let is_answer = |answer: &&str| {
            (1..=OPTION_MAX).contains(&answer.chars().count())
                && !item::is_kind(answer)
                && answer.split(' ').count() <= 4
                && !answer.contains(['(', '（', 'て', ':'])
        };
        let is_question = has_form(text) || is_more(text);
        // `can you make a form?` has no answers.
        let asks = asked.rsplit([':', '.', '。', '\n']).next().unwrap_or_default();
        let ends_question = super::list::behind_form(asks).is_none_or(|rest| {
            !rest.is_empty() && !marks("作|お願い|please|でき|くれ").any(|word| rest.contains(word))
        });
        match is_question && ends_question && options.len() > 1 && options.iter().all(is_answer) {
            true => {
                let rest = rest.trim_start_matches(['.', '。', ' ', '　', '\n']);
                let joint = if rest.is_empty() { "" } else { "\n" };
                asked.push_str(&format!("({}){joint}{rest}", options.join("、")));
            }
            false => {
                asked.push('?');
                asked.push_str(piece);
            }
        }
    }
    asked
}

/// Words of the names of kinds that are long enough to be corrected, each with its letters undoubled.
static LONG: LazyLock<Vec<(&str, String)>> = LazyLock::new(|| {
    const MARKS: &str = "required|optional|mandatory|survey|questionnaire";
    let kinds = FIELDS.iter().flat_map(|it| marks(it.1)).filter(|it| it.is_ascii());
    let words = kinds.flat_map(|it| it.split(' ')).chain(marks(MARKS));
    words.filter(|it| it.len() >= LETTERS_MIN).map(|it| (it, undoubled(it))).collect()
});
/// Minimum letters of a word that is corrected.
const LETTERS_MIN: usize = 5;

fn undoubled(word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    letters.dedup();
    letters.into_iter().collect()
}

/// Whether `written` is `word` with two neighbours exchanged.
fn is_exchanged(written: &str, word: &str) -> bool {
    let (one, other) = (written.as_bytes(), word.as_bytes());
    let at = one.iter().zip(other).position(|(one, other)| one != other);
    one.len() == other.len()
        && at.is_some_and(|at| {
            at + 1 < one.len()
                && (one[at], one[at + 1]) == (other[at + 1], other[at])
                && one[at + 2..] == other[at + 2..]
        })
}

/// Corrects two exchanged letters and wrongly doubled ones in the names of kinds: `emial`, `adress`, `commment`.
fn corrected(text: &str) -> String {
    let is_letter = |it: char| it.is_ascii_alphabetic();
    let (mut corrected, mut rest) = (String::new(), text);
    while let Some(from) = rest.find(is_letter) {
        let length = rest[from..].find(|it| !is_letter(it)).unwrap_or(rest.len() - from);
        let written = &rest[from..from + length];
        let lower = written.to_ascii_lowercase();
        let is_known = lower.len() < LETTERS_MIN || LONG.iter().any(|it| it.0 == lower);
        let single = undoubled(&lower);
        let is_meant = |it: &&(&str, String)| it.1 == single || is_exchanged(&lower, it.0);
        let word = if is_known { None } else { LONG.iter().find(is_meant) };
        corrected.push_str(&rest[..from]);
        corrected.push_str(word.map_or(written, |it| it.0));
        rest = &rest[from + length..];
    }
    corrected + rest
}

/// `名前なしでメールと電話`: separates the list after a denial.
fn parted(text: &str) -> String {
    let is_word = |it: char| it.is_alphanumeric() && !matches!(it, 'ぁ'..='ん');
    ["なしで", "抜きで"].iter().fold(text.to_owned(), |text, no| {
        let mut pieces = text.split(no);
        let first = pieces.next().unwrap_or_default().to_owned();
        pieces.fold(first, |joined, piece| {
            let joint = if piece.starts_with(is_word) { "、" } else { "" };
            format!("{joined}{no}{joint}{piece}")
        })
    })
}

/// `cant be in the past`: adds the apostrophes of negations.
fn negated(text: &str) -> String {
    const STEMS: &str = "can|don|isn|aren|doesn|won|shouldn|mustn|needn";
    let words = text.split(' ').map(|word| {
        let stem = word.strip_suffix('t').filter(|it| marks(STEMS).any(|stem| stem == *it));
        stem.map_or_else(|| word.to_owned(), |it| format!("{it}'t"))
    });
    words.collect::<Vec<_>>().join(" ")
}

/// `最大二十名`, `五百文字以内`: writes limits with digits.
fn counted(text: &str) -> String {
    const DIGITS: &str = "〇一二三四五六七八九";
    const PLACES: [(char, u32); 3] = [('十', 10), ('百', 100), ('千', 1000)];
    const UNITS: &str = "文字|字|名|人|個|枚|点|歳|才|回|段階|円|年|件|冊|本|台|時間|分|日|つ";
    const LEADS: &str = "最大|最小|最低|最高|上限|下限|上限は|下限は|最大で|ちょうど|〜|~|から";
    const TAILS: &str = "以上|以下|以内|まで|から|〜|~|段階|文字|字|満点";
    let chars: Vec<char> = text.chars().collect();
    let is_numeral = |sign: &char| {
        DIGITS.contains(*sign) || *sign == '万' || PLACES.iter().any(|place| place.0 == *sign)
    };
    let (mut counted, mut at) = (String::new(), 0);
    while at < chars.len() {
        let length = chars[at..].iter().take_while(|it| is_numeral(it)).count();
        let behind: String = chars[at + length..].iter().take(6).collect();
        let unit = marks(UNITS).filter(|it| behind.starts_with(it)).max_by_key(|it| it.len());
        let rest = &behind[unit.map_or(0, str::len)..];
        let is_bound = marks(LEADS).any(|it| counted.ends_with(it))
            || marks(TAILS).any(|it| rest.starts_with(it) || behind.starts_with(it));
        // `2万五千円` is written with digits in part.
        let is_mixed = counted.ends_with(|it: char| it.is_ascii_digit());
        if length == 0 || unit.is_none() || !is_bound || is_mixed {
            let length = length.max(1);
            counted.extend(&chars[at..at + length]);
            at += length;
            continue;
        }
        let (mut whole, mut sum, mut digit) = (0_u32, 0_u32, None);
        for sign in &chars[at..at + length] {
            match PLACES.iter().find(|it| it.0 == *sign) {
                Some((_, place)) => {
                    sum = sum.saturating_add(digit.take().unwrap_or(1_u32).saturating_mul(*place));
                }
                None if *sign == '万' => {
                    let thousands = sum.saturating_add(digit.take().unwrap_or(0)).max(1);
                    (whole, sum) = (whole.saturating_add(thousands.saturating_mul(10_000)), 0);
                }
                None => {
                    let own = DIGITS.chars().position(|it| it == *sign).unwrap_or_default() as u32;
                    let next = |before: u32| before.saturating_mul(10).saturating_add(own);
                    digit = Some(digit.map_or(own, next));
                }
            }
        }
        let count = whole.saturating_add(sum).saturating_add(digit.unwrap_or(0));
        counted.push_str(&count.to_string());
        at += length;
    }
    counted
}

/// Brackets ranges of days without a number: `between today and next friday`, `明日から来週の金曜まで`.
fn relative(text: &str, today: Date) -> String {
    const ENDS: &[char] = &[',', '.', ';', '(', ')', '、', '。', '?', '!', '\n'];
    const WORDS_MAX: usize = 4;
    let day = |text: &str| {
        let when = Utterance::parse(text, today, &Vocabulary::NONE).when;
        let is_all = |at: usize| when.spans.iter().any(|it| (it.0..it.1).contains(&at));
        let mut signs = text.chars().enumerate();
        let is_day = !text.contains(|it: char| it.is_ascii_digit())
            && when.hours.is_none()
            && signs.all(|(at, it)| it == ' ' || it == 'の' || is_all(at));
        when.date.filter(|_| is_day && !text.is_empty())
    };
    let bracket = |before: &str, first: Date, last: Date, behind: &str| {
        (last > first).then(|| format!("{before}({first}/{last}){behind}"))
    };
    let english = || {
        let lower = text.to_ascii_lowercase();
        let (lead, joint) = [("between ", " and "), ("from ", " to "), ("from ", " until ")]
            .into_iter()
            .find(|it| lower.find(it.0).is_some_and(|at| lower[at..].contains(it.1)))?;
        let at = lower.find(lead)?;
        let from = at + lead.len();
        let end = from + lower[from..].find(joint)?;
        let behind = &lower[end + joint.len()..];
        let part = behind.split(ENDS).next()?;
        let words: Vec<&str> = part.split(' ').collect();
        let longest = (1..=words.len().min(WORDS_MAX)).rev().find_map(|count| {
            let piece = words[..count].join(" ");
            day(&piece).map(|it| (it, piece.len()))
        });
        let (last, length) = longest?;
        let rest = &text[end + joint.len() + length..];
        bracket(&text[..at], day(&lower[from..end])?, last, rest)
    };
    let japanese = || {
        let (before, behind) = text.split_once("から")?;
        let (last, rest) = behind.split_once("まで")?;
        let from = before
            .rfind(['、', '。', 'は', '(', '（', ' '])
            .map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8));
        let rest =
            ["の間の", "の間", "の"].iter().find_map(|it| rest.strip_prefix(it)).unwrap_or(rest);
        bracket(&before[..from], day(&before[from..])?, day(last)?, rest)
    };
    english().or_else(japanese).unwrap_or_else(|| text.to_owned())
}

/// Parses a simplified date range: `2026-12-01/2026-12-20`.
pub(super) fn days(inner: &str) -> Option<Map<String, Value>> {
    let (first, last) = inner.trim().split_once('/')?;
    let day = |text: &str| text.is_empty() || text.parse::<Date>().is_ok();
    if !day(first) || !day(last) || first.len() + last.len() == 0 {
        return None;
    }
    let both = [("minDate", first), ("maxDate", last)].into_iter().filter(|it| !it.1.is_empty());
    Some(both.map(|it| (it.0.to_owned(), it.1.into())).collect())
}

/// Brackets `12月1日から12月20日の間` and `between December 1 and 15`.
fn ranges(text: &str, today: Date) -> String {
    const LEADS: &str = "from |between |on a day between |any day from ";
    const JOINTS: &str = "から|〜|～|~|-|–| - | to | through | until | and ";
    const TAILS: &str =
        "までの間の|までの間|までの|まで|の間の|の間|の期間の|の期間|の範囲の|の範囲";
    const SINCE: &str = "以降の|以降";
    let (chars, lower): (Vec<char>, Vec<char>) = (text.chars().collect(), normal(text));
    if chars.len() != lower.len() {
        return text.to_owned();
    }
    let longest = |table: &'static str, at: usize| {
        let is_at = |phrase: &&str| {
            let length = phrase.chars().count();
            lower.get(at..at + length).is_some_and(|part| part.iter().copied().eq(phrase.chars()))
        };
        marks(table).filter(is_at).max_by_key(|it| it.len())
    };
    let behind =
        |table: &'static str, at: usize| longest(table, at).map_or(0, |it| it.chars().count());
    let range = |at: usize| {
        let open = chars[..at].iter().rposition(|it| matches!(it, '(' | '（'));
        let is_open =
            open.is_some_and(|it| !chars[it..at].iter().any(|it| matches!(it, ')' | '）')));
        let bracket = |days: String| if is_open { days } else { format!("({days})") };
        let lead = longest(LEADS, at);
        let from = at + lead.map_or(0, str::len);
        let (first, length) = written(&lower, from, today)?;
        let end = from + length;
        let since = behind(SINCE, end);
        if since > 0 {
            return Some((bracket(format!("{first}/")), end + since));
        }
        let joint = longest(JOINTS, end)?;
        let is_between = lead.is_some_and(|it| it.ends_with("between "));
        if joint == " and " && !is_between {
            return None;
        }
        let next = end + joint.chars().count();
        let (last, length) = written(&lower, next, first)?;
        let end = next + length;
        (last > first).then(|| (bracket(format!("{first}/{last}")), end + behind(TAILS, end)))
    };
    let (mut plain, mut at) = (String::new(), 0);
    while at < chars.len() {
        match range(at) {
            Some((days, end)) => {
                plain.push_str(&days);
                at = end;
            }
            None => {
                plain.push(chars[at]);
                at += 1;
            }
        }
    }
    plain
}

/// `名前、備考の10項目で登録フォーム`: removes the count.
fn uncounted(text: &str) -> String {
    const BEHIND: [char; 4] = ['で', 'を', 'の', 'が'];
    let Some((before, behind)) = text.split_once("項目") else { return text.to_owned() };
    let list = before.trim_end_matches(is_numeral);
    let rest = behind.strip_prefix(BEHIND);
    match (rest, list.strip_suffix('の')) {
        (Some(rest), Some(list)) if list.len() + "の".len() < before.len() => {
            format!("{list}を聞く{rest}")
        }
        _ => text.to_owned(),
    }
}

/// `(例えば寿司とかラーメンとか)` becomes a list of two.
fn examples(text: &str) -> String {
    const HEADS: [&str; 4] = ["(例えば", "（例えば", "(たとえば", "（たとえば"];
    match HEADS.iter().any(|it| text.contains(it)) {
        true => HEADS
            .iter()
            .fold(text.to_owned(), |it, head| it.replace(head, "("))
            .replace("とか", "、"),
        false => text.to_owned(),
    }
}

/// `フォーム 名前 電話番号`: adds separators to a list with spaces only.
fn spaced(text: &str) -> String {
    const GAPS: [char; 2] = [' ', '\u{3000}'];
    /// Minimum gaps of such a list.
    const GAPS_MIN: usize = 2;
    let chars: Vec<char> = text.chars().collect();
    let is_word = |at: Option<usize>| {
        let sign = at.and_then(|it| chars.get(it));
        sign.is_some_and(|sign| {
            !sign.is_ascii() && sign.is_alphanumeric() || matches!(sign, '(' | ')' | '（' | '）')
        })
    };
    let is_gap = |at: &usize| {
        GAPS.contains(&chars[*at]) && is_word(at.checked_sub(1)) && is_word(Some(at + 1))
    };
    let gaps: Vec<usize> = (0..chars.len()).filter(is_gap).collect();
    if gaps.len() < GAPS_MIN || text.contains(['、', ',', '，', '。', '「', '・']) {
        return text.to_owned();
    }
    let mark = |(at, it): (usize, &char)| if gaps.contains(&at) { '、' } else { *it };
    chars.iter().enumerate().map(mark).collect()
}

/// The only field of a poll: `a poll: pizza or sushi`, `カレーかラーメンかを聞く`.
pub(in crate::sentences) fn choice(utterance: &Utterance) -> Option<Field> {
    const OPTION_MAX: usize = 20;
    let field = |options: Vec<String>| {
        let is_fit = options.len() >= 2
            && options.iter().all(|it| (1..=OPTION_MAX).contains(&it.chars().count()));
        is_fit.then(|| Field {
            label: Some(options.join(" / ")),
            is_free: true,
            options,
            is_required: true,
            ..Field::new(FREE)
        })
    };
    let text: String = utterance.chars.iter().collect();
    if let Some((before, behind)) = text.split_once(':').filter(|it| it.1.contains(" or ")) {
        let behind = behind.trim().trim_end_matches(['.', '?', '!']);
        let parts = behind.split(',').flat_map(|it| it.split(" or ")).map(str::trim);
        let parts =
            parts.map(|it| it.strip_prefix("or ").unwrap_or(it)).filter(|it| !it.is_empty());
        let mut field = field(parts.map(str::to_owned).collect())?;
        // `ask my favourite fruit: apple or pear` has a label.
        if let Some(label) = item::label(before).filter(|_| !has_form(before)) {
            field.label = Some(label);
        }
        return Some(field);
    }
    // `カレーかラーメンか`: options end with か, before punctuation or a verb of asking.
    const ENDS: &str =
        "かを聞|か聞|かを選|か選|かを尋|か尋|かの|かで投票|かどっち|かアンケート|かのアンケート";
    let end = marks(ENDS).filter_map(|it| utterance.find(it, 1)).min()?;
    let ends = ['、', '。', 'は', 'で', 'に', ' ', 'を', '「', '」'];
    let from =
        utterance.chars[..end].iter().rposition(|it| ends.contains(it)).map_or(0, |it| it + 1);
    let parts: String = utterance.chars[from..end].iter().collect();
    field(parts.split('か').map(str::to_owned).filter(|it| !it.is_empty()).collect())
}

impl Reading {
    /// `出欠を聞きたい。参加・不参加・未定から選ぶ`: the options are those of the attendance, or its field.
    pub(super) fn attend(&mut self) {
        const ANSWERS: &str = "参加|不参加|出席|欠席|参加する|参加しない|出席する|欠席する|coming|not coming|attending|not attending";
        let is_unlabelled = |it: &Field| it.label.as_ref() == Some(&it.options.join(" / "));
        let attends = |field: &Field| {
            let is_answer =
                |it: &String| marks(ANSWERS).any(|answer| it.eq_ignore_ascii_case(answer));
            field.options.iter().any(is_answer) && is_unlabelled(field)
        };
        let Some(at) = self.fields.iter().position(attends) else { return };
        let is_english = self.fields[at].options.iter().all(|it| it.is_ascii());
        let label = if is_english { "Attendance" } else { "出欠" };
        let before = self.fields[at].label.replace(label.to_owned());
        // Conditions name the field by its label.
        let shown = self.fields.iter_mut().filter_map(|it| it.shown.as_mut());
        for rule in shown.filter(|it| it.label == before) {
            rule.label = Some(label.to_owned());
        }
        let is_open = |it: &Field| it.kind.name == "attendance" && it.options.is_empty();
        if let Some(own) = self.fields.iter().position(is_open) {
            let choice = self.fields.remove(at);
            let field = &mut self.fields[own - usize::from(at < own)];
            field.label = field.label.take().or(choice.label.clone());
            let is_required = field.is_required;
            field.take(choice);
            field.is_required = is_required;
        }
    }
}

impl Field {
    /// Whether it has options of its own.
    pub(in crate::sentences) fn is_choice(&self) -> bool {
        !self.options.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whether_people_come_is_attendance() {
        let others = "予約が出来るかどうか、道具を持って来るかどうか";
        for (text, expected) in [
            ("参加するかどうか聞くフォーム", "参加の可否を聞くフォーム"),
            ("名前と来られるかどうか", "名前と参加の可否"),
            (others, others),
        ] {
            assert_eq!(attending(text), expected, "{text}");
        }
    }

    #[test]
    fn simplifies_ranges_counts_and_spaces() {
        let today = "2026-11-21".parse().unwrap();
        for (text, expected) in [
            ("旅行日は12月1日から12月20日の間で", "旅行日は(2026-12-01/2026-12-20)で"),
            ("12/24〜1/5の希望日", "(2026-12-24/2027-01-05)の希望日"),
            ("a date between december 1 and december 15", "a date (2026-12-01/2026-12-15)"),
            ("arrival from Dec 3 to Dec 9, name", "arrival (2026-12-03/2026-12-09), name"),
            ("候補は12月1日と12月2日", "候補は12月1日と12月2日"),
            ("受取日は12月3日以降", "受取日は(2026-12-03/)"),
            ("希望日（12月1日〜12月20日の間）", "希望日（2026-12-01/2026-12-20）"),
            ("date (any, Dec 1 to Dec 9)", "date (any, 2026-12-01/2026-12-09)"),
            ("氏名、備考の10項目で登録フォーム", "氏名、備考を聞く登録フォーム"),
            ("項目は名前と年齢", "項目は名前と年齢"),
            ("フォーム　名前　電話番号", "フォーム、名前、電話番号"),
            ("サイズ S M L から", "サイズ S M L から"),
            ("date between today and next friday, name", "date (2026-11-21/2026-11-27), name"),
            ("希望日は明日から来週の金曜まで、名前", "希望日は(2026-11-22/2026-11-27)、名前"),
            ("人数は最大二十名、感想は五百文字以内", "人数は最大20名、感想は500文字以内"),
            ("一人暮らしですか、第一希望", "一人暮らしですか、第一希望"),
            ("金額は二万五千円以内、一万円以上", "金額は25000円以内、10000円以上"),
            ("date that cant be in the past", "date that can't be in the past"),
            ("好物（例えば寿司とかうどんとか）", "好物(寿司、うどん、）"),
        ] {
            assert_eq!(plain(text, today), expected, "{text}");
        }
    }
}
