//! Finds the booker's name: `under the name Ken`, `佐藤の名前で`.

use language::{Date, coverage::is_small, numbers::whole, scan::marks};

use super::{titles::Sentence, words::RESERVE};

/// Phrases before a name, in English.
const BEFORE: &str = "under the name of |under the name |in the name of |and my name is |and the name is |my name is |the name is |name is |my name's |the name's |name's |my name: |name: |name:|, name |名前: |名前:|名前：|under ";
/// Phrases before a name, in Japanese.
const BEFORE_JAPANESE: &str = "お名前は|名前は|名前が|予約者は|予約名は|名義は";
/// Phrases after a name.
const BEHIND: &str = "という名前で|の名前で|の名義で|名義で";
/// Phrases after a name without another mark.
const BARE_BEHIND: &str = "で予約|で取って|でとって|で押さえ|で仮押さえ|でお願い";
/// Endings of a phrase with a name.
const ENDS: &str = "でお願いします|と申します|といいます|です|で";
/// Common Japanese surnames, but those better known as places near a cinema: 横浜, 上野, 中野.
const SURNAMES: &str = "佐藤|鈴木|高橋|田中|伊藤|渡辺|渡邊|渡部|山本|中村|小林|加藤|吉田|山田|佐々木|山口|松本|井上|木村|清水|山崎|池田|橋本|阿部|石川|山下|中島|石井|小川|前田|岡田|長谷川|藤田|後藤|近藤|村上|遠藤|青木|坂本|斉藤|斎藤|齋藤|藤井|西村|福田|太田|三浦|藤原|岡本|松田|中川|小野|原田|田村|竹内|金子|和田|中山|石田|上田|森田|柴田|酒井|横山|宮本|工藤|内田|高木|安藤|谷口|大野|丸山|今井|高田|藤本|武田|村田|杉山|増田|平野|小山|菅原|久保|松井|千田|岩崎|桜井|木下|野口|松尾|野村|菊地|菊池|佐野|大西|杉本|新井|浜田|市川|古川|水野|小松|島田|小島|久保田|大久保|平田|河野|荒井|服部|熊谷|黒田|本田|横田|川村|堀田|関口|吉川|岩田|辻本|中西|今村|内藤|飯田|矢野|松岡|永井|望月|児玉|西田|西川|北村|吉村|安田|樋口|中田|土屋|浅野|早川|小池|星野|須藤|白石|東山|榎本|若林|三宅|秋山|片山|馬場|栗原|田辺|奥村|福本|川上|永田|荒木|大川|森本|松村|五十嵐|上村|篠原|根本|大石|松永|津田|吉岡|川島|黒木|山中|八木|柳田|宮田|二宮|堀内|堀江|尾崎|相馬|神谷|矢島|高野|高山|松原|萩原";
/// Surnames of one character.
const SHORT_SURNAMES: &str = "林|森|原|岡|関|堀|菅|星|辻|柳|橘";
/// Words that are no names: pronouns, placeholders, and ways to book or pay.
const NO_NAMES: &str = "君|僕|私|俺|自分|同じ|別|未定|何|誰|現金|割引|学割|会員|団体|電話|連番|通常|字幕|吹替|当日|前売|並び|隣同士|一般|全員|両方";
/// Maximum characters and words of a name.
const CHARS_MAX: usize = 30;
const WORDS_MAX: usize = 3;

/// Returns the booker's name in `text`, and the rest of it.
pub(super) fn booker(text: &str, today: Date) -> Option<(String, String)> {
    let found = labelled(text).or_else(|| behind(text, BEHIND)).or_else(|| bare(text, today));
    let found = found.or_else(|| last_for(text, today)).or_else(|| apart(text, today));
    let (name, from, to) = found?;
    let (head, tail) = (text[..from].trim_end(), text[to..].trim_start());
    let head = head.trim_end_matches([',', '、', ';']);
    let joint = if head.is_ascii() && !head.is_empty() && !tail.is_empty() { " " } else { "" };
    let is_end = tail.trim_matches(['.', '。', '!', '！', ' ']).is_empty();
    let rest = if is_end { head.to_owned() } else { format!("{head}{joint}{tail}") };
    Some((name, rest))
}

/// A name, and the span of its phrase.
type FoundName = (String, usize, usize);

/// `my name is Maria`, `名前は佐藤です`.
fn labelled(text: &str) -> Option<FoundName> {
    let lower = text.to_ascii_lowercase();
    for mark in marks(BEFORE) {
        let Some(at) = lower.find(mark) else { continue };
        let before = &lower[..at];
        let is_inner = mark.starts_with(|it: char| it.is_ascii())
            && before.ends_with(|it: char| it.is_ascii_alphanumeric());
        // `Your name is …` may be a film's.
        if is_inner || before.trim_end().ends_with("your") {
            continue;
        }
        let from = at + mark.len();
        let Some(length) = western(&text[from..], mark == "under ") else { continue };
        return Some((text[from..from + length].to_owned(), at, from + length));
    }
    for mark in marks(BEFORE_JAPANESE) {
        let Some(at) = text.find(mark) else { continue };
        let from = at + mark.len();
        let rest = &text[from..];
        let end = rest.find(['、', '。', ',', '!', '！', '?', '？', '\n']).unwrap_or(rest.len());
        let part = &rest[..end];
        let (name, length) = marks(ENDS)
            .filter_map(|it| part.find(it).map(|at| (&part[..at], at + it.len())))
            .min_by_key(|it| it.0.len())
            .unwrap_or((part, part.len()));
        let name = name.trim();
        if is_name(name) && !rest[end..].starts_with(['?', '？']) {
            return Some((name.to_owned(), at, from + length));
        }
    }
    None
}

/// Length of a Western name at the start of `text`, in bytes.
fn western(text: &str, needs_capital: bool) -> Option<usize> {
    let is_letter = |it: char| it.is_alphanumeric() || matches!(it, '-' | '_' | '\'' | '・' | 'ー');
    let (mut length, mut count) = (0, 0);
    for word in text.split(' ') {
        let bare = word.find(|it| !is_letter(it)).unwrap_or(word.len());
        let is_capital = word.starts_with(char::is_uppercase);
        let goes_on = match count {
            0 => bare > 0 && (is_capital || !needs_capital && !is_small(&word[..bare])),
            _ => is_capital && bare > 0 && text.starts_with(char::is_uppercase),
        };
        if !goes_on || count == WORDS_MAX {
            break;
        }
        length += bare + usize::from(count > 0);
        count += 1;
        if bare < word.len() {
            break;
        }
    }
    let name = text[..length].trim_end_matches("です");
    let is_new = name.is_ascii() || is_name(name);
    (count > 0 && is_new && !name.is_empty()).then_some(name.len())
}

/// `佐藤の名前で`: the name is in one script before a phrase of `table`.
fn behind(text: &str, table: &'static str) -> Option<FoundName> {
    marks(table).find_map(|mark| {
        let at = text.find(mark)?;
        let head = text[..at].trim_end_matches("さん").trim_end_matches('様');
        let name: String = head.chars().rev().take_while(|it| is_script(*it)).collect();
        let name: String = name.chars().rev().collect();
        let from = head.len() - name.len();
        is_name(&name).then(|| (name, from, at + mark.len()))
    })
}

/// `佐藤で予約して`, if a film or seats are named as well.
fn bare(text: &str, today: Date) -> Option<FoundName> {
    let (name, from, to) = behind(text, BARE_BEHIND)?;
    let is_japanese = !name.chars().any(|it| it.is_ascii());
    let before = text[..from].chars().next_back();
    let is_apart = before.is_none_or(|it| "、。,を　 ".contains(it));
    let own = Sentence::plain(&name, today);
    let is_known = (0..own.chars.len()).any(|it| own.is_known(it)) || own.genre().is_some();
    let rest = Sentence::plain(&text[..from], today);
    let is_named = || rest.title().is_some() || !rest.numbers.marked.is_empty();
    // The action stays in the sentence.
    let mark = marks(BARE_BEHIND).find(|it| text[..to].ends_with(it))?;
    let to = to - mark.len() + "で".len();
    (is_japanese && is_apart && !is_known && is_named()).then_some((name, from, to))
}

/// `one seat for Ikiru tomorrow for Kei`: a name at the end, after a film.
fn last_for(text: &str, today: Date) -> Option<FoundName> {
    const FOR: &str = " for ";
    const TITLES: &str = "Mr. |Mrs. |Ms. |Dr. |Mr |Mrs |Ms |Dr ";
    const ENDS: [char; 5] = ['.', '!', ',', '?', ' '];
    let at = text.is_ascii().then(|| text.rfind(FOR))??;
    let from = at + FOR.len();
    let from =
        from + marks(TITLES).find(|it| text[from..].starts_with(it)).map_or(0, |it| it.len());
    let length = western(&text[from..], true)?;
    let rest = text[from + length..].trim_end_matches(" please").trim_end_matches(" thanks");
    let name = &text[from..from + length];
    let own = Sentence::plain(name, today);
    let is_known = (0..own.chars.len()).any(|it| own.is_known(it)) || own.genre().is_some();
    let before = Sentence::plain(&text[..at], today);
    // `book them for Maria`, for held seats.
    let is_pointing =
        ["them", "it", "those", "these"].iter().any(|it| text[..at].ends_with(&format!(" {it}")));
    // `book two tickets for Akira` is of a film.
    let last = text[..at].rsplit(' ').next().unwrap_or_default();
    let is_of_film =
        marks("seat|seats|ticket|tickets|one|me|us").any(|it| it == last) || whole(last).is_some();
    let is_order = !before.numbers.counts.is_empty()
        || !is_of_film && (before.has(&[RESERVE]) || !before.numbers.marked.is_empty());
    let is_named = is_pointing && before.has(&[RESERVE]) || before.title().is_some() && is_order;
    let is_known = is_known || whole(&name.to_lowercase()).is_some();
    (rest.trim_matches(ENDS).is_empty() && !is_known && is_named)
        .then(|| (name.to_owned(), at, from + length))
}

/// `ゴジラを2枚、佐藤で`, `佐藤です。ゴジラを2枚お願いします`: a surname apart from an order that names its film.
fn apart(text: &str, today: Date) -> Option<FoundName> {
    const JOINTS: [char; 3] = ['、', '。', ','];
    const PUNCTUATION: [char; 6] = ['、', '。', '.', '!', '！', ' '];
    let is_order = |rest: &str| {
        let rest = Sentence::plain(rest, today);
        let is_counted = !rest.numbers.counts.is_empty() || !rest.numbers.marked.is_empty();
        rest.title().is_some() && (is_counted || rest.has(&[RESERVE]))
    };
    let (head, joint) = text.trim_end_matches(PUNCTUATION).rmatch_indices(JOINTS).next()?;
    let last = surname(text[head + joint.len()..].trim_matches(PUNCTUATION));
    if let Some(name) = last.filter(|_| !text.contains(['?', '？']) && is_order(&text[..head])) {
        return Some((name.to_owned(), head, text.len()));
    }
    let (end, joint) = text.match_indices(JOINTS).next()?;
    let name = surname(&text[..end]).filter(|it| it.len() < end)?;
    let rest = end + joint.len();
    is_order(&text[rest..]).then(|| (name.to_owned(), 0, rest))
}

/// The Japanese surname that `phrase` consists of, without what is said with it.
fn surname(phrase: &str) -> Option<&str> {
    let ended = marks(ENDS).find_map(|it| phrase.strip_suffix(it));
    let name = ended.unwrap_or(phrase);
    let is_short = || ended.is_some() && marks(SHORT_SURNAMES).any(|it| it == name);
    (marks(SURNAMES).any(|it| it == name) || is_short()).then_some(name)
}

fn is_script(sign: char) -> bool {
    matches!(sign, '\u{4e00}'..='\u{9fff}' | '\u{30a1}'..='\u{30fa}' | 'ー' | '・' | '々')
        || sign.is_ascii_alphanumeric()
        || matches!(sign, '-' | '_')
}

fn is_name(name: &str) -> bool {
    let length = name.chars().count();
    let begins =
        ["まだ", "なに", "なん", "どう", "あと", "後で"].iter().any(|it| name.starts_with(it));
    let is_word =
        |it: char| it.is_alphanumeric() || matches!(it, 'ー' | '・' | ' ' | '-' | '_' | '々');
    (1..=CHARS_MAX).contains(&length)
        && !begins
        && name.chars().all(is_word)
        && !name.chars().all(|it| it.is_ascii_digit())
        && !marks(NO_NAMES).any(|it| it == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<(String, String)> {
        booker(text, Date::constant(2026, 11, 21))
    }

    #[test]
    fn finds_the_bookers_name() {
        for (text, name, rest) in [
            ("book A5 and A6 under the name Ken", "Ken", "book A5 and A6"),
            ("Book Akira for two, name is Maria", "Maria", "Book Akira for two"),
            ("my name is Ken Smith, two seats please", "Ken Smith", ", two seats please"),
            (
                "Reserve C5, C6 for Akira on Tuesday, name: Maria",
                "Maria",
                "Reserve C5, C6 for Akira on Tuesday",
            ),
            ("B5とB6を田中の名前で予約して", "田中", "B5とB6を予約して"),
            ("七人の侍を四名、名前は佐藤です", "佐藤", "七人の侍を四名"),
            ("名前は佐藤です", "佐藤", ""),
            ("two for totoro tomorrow, name's Kate", "Kate", "two for totoro tomorrow"),
            ("明日のAKIRAを2枚、佐藤で予約して", "佐藤", "明日のAKIRAを2枚予約して"),
            ("山田太郎名義でC9を予約", "山田太郎", "C9を予約"),
            ("book them for Maria", "Maria", "book them"),
            ("Book one seat for Ikiru tomorrow for Kei", "Kei", "Book one seat for Ikiru tomorrow"),
            (
                "reserve E7 and E8 at the first showing of Ikiru tomorrow for Hanako",
                "Hanako",
                "reserve E7 and E8 at the first showing of Ikiru tomorrow",
            ),
            ("Book Rashomon on Monday for Hanako", "Hanako", "Book Rashomon on Monday"),
            (
                "Two tickets for Akira on Monday, for Mr. Tanaka.",
                "Tanaka",
                "Two tickets for Akira on Monday",
            ),
            (
                "2 seats for Seven Samurai at 7pm for Anna Lee please",
                "Anna Lee",
                "2 seats for Seven Samurai at 7pm please",
            ),
            ("明日のゴジラを2枚、山本で", "山本", "明日のゴジラを2枚"),
            ("金曜の羅生門を1枚。森です", "森", "金曜の羅生門を1枚"),
            ("あさっての生きる、C3を予約して。今井", "今井", "あさっての生きる、C3を予約して"),
            ("大久保です。明日の東京物語を2枚いい？", "大久保", "明日の東京物語を2枚いい？"),
        ] {
            let expected = Some((name.to_owned(), rest.to_owned()));
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn keeps_words_that_are_no_name() {
        for text in [
            "Your Name is on tomorrow",
            "films under 100 minutes",
            "two seats for Akira",
            "Book two seats tomorrow for Akira",
            "two seats for Akira for Monday",
            "is it for Maria",
            "Book Akira for Two",
            "one ticket for Akira for my daughter",
            "君の名前で僕を呼んでを2枚",
            "waitlist me for Godzilla tomorrow and book 2 for Akira",
            "hold Godzilla tomorrow and book tickets for Akira",
            "羅生門で予約して",
            "AKIRAを真ん中で予約して",
            "明日のAKIRAを現金で予約したい",
            "名前は何ですか",
            "AKIRAを2枚で予約して",
            "明日のゴジラを2枚、現金で",
            "明日のゴジラを2枚、後方で",
            "明日のゴジラを2枚、前で",
            "明日のゴジラを2枚、横浜で",
            "明日のゴジラを2枚、中野で",
            "明日のゴジラを2枚、以上です",
            "ゴジラを2枚、水木で",
            "明日2枚お願いします。羅生門で",
            "明日のゴジラの上映時間、山本で",
            "明日のゴジラを2枚、山本で？",
            "山本、明日のゴジラを2枚",
            "明日のゴジラを2枚、早朝で",
            "都内で、明日のゴジラを2枚",
            "明日のゴジラを2枚、川崎",
            "Two seats for Akira tomorrow, Godzilla",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
