//! Parses counts and identifiers.

use crate::{
    clock::{SPELLED, number, spelled, starts},
    scan::marks,
    vocabulary::{Id, Unit, Vocabulary},
};

/// Start and end, in characters.
type Span = (usize, usize);

/// Counters of every family, and what they count.
const UNITS: &[(Unit, &str)] = &[
    (
        Unit::People,
        "名様|名|人分|人|ppl|pax|peeps|people|persons|person|adults|adult|kids|kid|children|child|of us|places|students|student|seniors|senior|pensioners|pensioner|teenagers|teenager|teens|toddlers|toddler|grown-ups|grown-up|friends",
    ),
    (
        Unit::Pieces,
        "枚|まい|マイ|点|つ|個|each|apiece|pieces|examples|piece|of the|of them|of its|of those|of these",
    ),
];

/// Words that contain a number and its unit.
const WORDS: &[(u32, Unit, &str)] = &[
    (1, Unit::People, "ひとり|1人で|just me|for one|by myself|for myself"),
    (
        2,
        Unit::People,
        "ふたり|ペア|カップル|夫婦|a pair|pair of|couple of|a couple|two of us|for two|for 2|both of us",
    ),
    (3, Unit::People, "three of us|for three|for 3"),
    (4, Unit::People, "four of us|for four|for 4"),
    (5, Unit::People, "five of us|for five|for 5"),
    (6, Unit::People, "six of us|for six|for 6"),
    (1, Unit::People, "just one"),
    (2, Unit::People, "just two|the two of us"),
    (3, Unit::People, "just three"),
];

/// Words before a number that counts without a unit: `book two for Akira`. After `the later` or
/// `number` it is an ordinal.
const COUNTING: &str = "book|reserve|get|buy|need|want|take|make|grab|have|hold|like|order|just|only|and|please|me|us|be|then|plus|or|ok|okay|yes|yeah|great|fine|sure|so|thanks";

/// Phrases before a new count: `make it three`.
const NEW_COUNT: &str = "make it|make that|change it to|change that to";
/// Companions of the writer, in both languages, and single companions.
const COMPANY: &str = "友達|友人|友だち|ともだち|仲間|同僚|子供|子ども|こども|家族|親戚|friends|friend|colleagues|colleague|kids|kid|children|child|others";
const SUMMED: &str = "と大人|とおとな|と子供|と子ども|とこども|と幼児|と小学生|と学生|とシニア";
const ONE: &str = "wife|husband|partner|girlfriend|boyfriend|mother|mum|mom|father|dad|son|daughter|brother|sister|friend|妻|嫁|夫|旦那|彼女|彼氏|母|母親|父|父親|兄|姉|弟|妹|祖母|祖父|孫|息子|娘|友達|友人|同僚";
/// Words for tickets, for people, and for kinds of people, which precede a number in Japanese.
const TICKETS: &str = "枚|まい|つ|席|席分|seats|seat|tickets|ticket|tix";
const HEADS: &str =
    "人|名|名様|人分|ふたり|ひとり|ペア|カップル|夫婦|people|persons|person|ppl|pax|of us";
const SORTS: &str = "車椅子|車いす|付き添い|付添い|付添|介助者|一般|大人|おとな|子供|子ども|こども|幼児|小学生|中学生|高校生|大学生|学生|シニア";

/// Words between a label and its identifier.
const LINKS: &str = "は|が|の|:|=|is|number|no.|#|「|\"|'|`|(|id";

/// Digits from which a number after `reservation` is an identifier instead of a count.
const ID_DIGITS_MIN: usize = 4;

/// The numbers of a sentence.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// Counts with their units.
    pub counts: Vec<(Unit, u32)>,
    /// Things named by a letter and a number, in order.
    pub marked: Vec<String>,
    /// Identifiers with their kinds.
    pub ids: Vec<(Id, String)>,
    /// Spans in the sentence.
    pub spans: Vec<Span>,
    /// Spans of the counts.
    pub counted: Vec<Span>,
    /// Index of the count of companions, and the total including the writer.
    company: Option<(usize, u32)>,
    /// People that are contained in two counts.
    counted_twice: u32,
}

impl Numbers {
    /// Total number of people (大人2枚と子供1枚).
    pub fn people(&self) -> Option<u32> {
        let sum = self.counts.iter().fold(0_u32, |sum, it| sum.saturating_add(it.1));
        let sum = sum.saturating_sub(self.counted_twice);
        (1..=99).contains(&sum).then_some(sum)
    }

    /// Number of pieces, by the first count of them.
    pub fn pieces(&self) -> Option<u32> {
        self.counts.iter().find(|it| it.0 == Unit::Pieces).map(|it| it.1)
    }

    /// Identifier of this kind.
    pub fn id(&self, of: Id) -> Option<&str> {
        self.ids.iter().find(|it| it.0 == of).map(|it| it.1.as_str())
    }
}

/// Parses `lower`, the lowercase `chars`; `taken` are the spans of dates and times.
pub(crate) fn read(
    chars: &[char],
    lower: &[char],
    taken: &[Span],
    vocabulary: &Vocabulary,
) -> Numbers {
    let mut numbers = Numbers::default();
    let mut at = 0;
    while at < lower.len() {
        if taken.iter().any(|it| (it.0..it.1).contains(&at)) {
            at += 1;
            continue;
        }
        let length = numbers.label(chars, lower, at, vocabulary).or_else(|| {
            let (names, length) = (vocabulary.marks)(chars, lower, at)?;
            numbers.marked.extend(names);
            Some(length)
        });
        let length = length.or_else(|| numbers.counted(lower, at, vocabulary)).filter(|it| *it > 0);
        if let Some(length) = length {
            numbers.spans.push((at, at + length));
        }
        let new = numbers.counts.len() - numbers.counted.len();
        numbers.counted.extend(std::iter::repeat_n((at, at + length.unwrap_or(1)), new));
        at += length.unwrap_or(1);
    }
    match numbers.company.take() {
        Some((along, others)) if numbers.counts.len() == 1 => numbers.counts[along].1 += others,
        // A total includes the companions.
        Some((along, _)) => {
            numbers.counts.remove(along);
            numbers.counted.remove(along);
        }
        None => {}
    }
    numbers.drop_shares(lower);
    numbers.counted_twice = numbers.counted_twice(lower);
    numbers
}

/// Removes one of `words` from the end of `text`.
fn without_last<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let rests = words.split('|').filter_map(|phrase| {
        let rest = text.strip_suffix(phrase)?;
        let runs_on = phrase.starts_with(|it: char| it.is_ascii_alphanumeric())
            && rest.ends_with(|it: char| it.is_ascii_alphanumeric());
        (!runs_on).then(|| rest.trim_end())
    });
    rests.min_by_key(|it| it.len())
}

/// Number of people including the writer, if those counted from `from` to `to` are companions: `with
/// three friends`, `me, my wife and two kids`, `妻と子供2人と`.
fn company(lower: &[char], from: usize, to: usize) -> Option<u32> {
    let before: String = lower[..from].iter().collect();
    let counted: String = lower[from..to].iter().collect();
    let behind = &lower[to.min(lower.len())..];
    // Next to other counts it is a sum: `子供2人と大人1人`.
    let is_sum = || marks(SUMMED).any(|it| starts(behind, it));
    let is_english = without_last(&counted, COMPANY).is_some();
    let mut rest = match is_english {
        true => before.trim_end(),
        false if starts(behind, "と") && !is_sum() => without_last(&before, COMPANY)?,
        false => return None,
    };
    let mut others = 0;
    loop {
        rest = without_last(rest, "my|our|the").unwrap_or(rest);
        let joined = without_last(rest, "and|,|&|plus|と|、");
        let is_own = |it: &str| without_last(it, "me|myself").is_some();
        if without_last(rest, "with").is_some() || joined.is_some_and(is_own) {
            return Some(others + 1);
        }
        match joined.and_then(|it| without_last(it, ONE)) {
            Some(it) => (rest, others) = (it, others + 1),
            None if is_english => return Some(others).filter(|it| *it > 0),
            None => return Some(others + 1),
        }
    }
}

/// Words before the size of a group.
const GROUPS: &str = "family of|party of|group of|table of";

/// Parses a group with its size at `at`, with the length: `a family of five`.
fn group(lower: &[char], at: usize) -> Option<(u32, usize)> {
    let length = word(GROUPS, lower, at).filter(|_| begins_word(lower, at))? + 1;
    let (count, digits) = amount(lower, at + length)?;
    Some((count, length + digits))
}

/// Parses the writer and single companions at `at`, without a number, with their count and the length:
/// `友達と私の分`, `me and my wife`. Others that follow are counted with them elsewhere.
fn party(lower: &[char], at: usize) -> Option<(u32, usize)> {
    const OWN: &str = "私|わたし|僕|ぼく|俺|おれ|自分|me|myself";
    const JOINTS: &str = " and |, | & | plus |と|、";
    const LEADS: &str = "my |our |the ";
    const WITHIN: &str = "丈夫|工夫|水夫|秩父|神父|分母|師弟|子孫|兄弟|姉妹";
    // `大丈夫、私は` names no husband.
    let is_within =
        at > 0 && marks(WITHIN).any(|it| starts(lower.get(at - 1..).unwrap_or_default(), it));
    if !begins_word(lower, at) || is_within {
        return None;
    }
    let member = |at: usize| {
        let lead = marks(LEADS).find(|it| starts(lower.get(at..).unwrap_or_default(), it));
        let from = at + lead.map_or(0, str::len);
        let is_own = word(OWN, lower, from);
        Some((is_own.is_some(), from + is_own.or_else(|| word(ONE, lower, from))?))
    };
    let joint = |at: usize| {
        let joint = marks(JOINTS).find(|it| starts(lower.get(at..).unwrap_or_default(), it))?;
        Some(at + joint.chars().count())
    };
    let (mut has_own, mut to) = member(at)?;
    let mut people = 1;
    while let Some((is_own, end)) = joint(to).and_then(member) {
        (has_own, to, people) = (has_own || is_own, end, people + 1);
    }
    // `me, my wife and two kids` goes on.
    let is_over =
        joint(to).is_none_or(|it| starts(&lower[to..], ", ") && amount(lower, it).is_none());
    let is_thing = ["の予約", "の席は", "の名前"].iter().any(|it| starts(&lower[to..], it));
    (has_own && people > 1 && is_over && !is_thing).then_some((people, to - at))
}

/// Parses the counter at `at`, with its length.
pub fn counter(lower: &[char], at: usize, vocabulary: &Vocabulary) -> Option<(Unit, usize)> {
    let both = [longest(UNITS, lower, at), longest(vocabulary.counters, lower, at)];
    both.into_iter().flatten().max_by_key(|it| it.1)
}

impl Numbers {
    /// People counted again as tickets: `4人で4席`, `2 tickets for two`. Kinds of people precede the total:
    /// `大人2人と子供1人で3枚`.
    fn counted_twice(&self, lower: &[char]) -> u32 {
        let (mut is_booked, mut all, mut heads, mut sorts) = (false, 0_u32, 0_u32, 0_u32);
        for ((_, count), (from, to)) in self.counts.iter().zip(&self.counted) {
            let counted: String = lower[*from..(*to).min(lower.len())].iter().collect();
            let before: String = lower[..*from].iter().collect();
            let ends = |text: &str, words| without_last(text, words).is_some();
            let is_sort =
                ends(&before, SORTS) || ends(&counted, KINDS) || ends(&counted, KINDS_MANY);
            match () {
                () if ends(&counted, TICKETS) => {
                    is_booked = true;
                    // `大人2枚` are a part of the total.
                    if !is_sort {
                        all = count.saturating_add(all);
                    }
                }
                () if is_sort => sorts = count.saturating_add(sorts),
                () if ends(&counted, HEADS)
                    || counted.starts_with("for ")
                    || marks(GROUPS).any(|it| counted.starts_with(it)) =>
                {
                    heads = count.saturating_add(heads);
                }
                () => {}
            }
        }
        match is_booked {
            false => 0,
            true if sorts == all => heads.saturating_add(sorts),
            true => heads,
        }
    }

    /// Drops the shares of a number that is named as well: `4人分、2人ずつ`, `four seats, two in each row`.
    fn drop_shares(&mut self, lower: &[char]) {
        const BEHIND: &str = "ずつ| each| in each| per | apiece| at a time";
        let is_share = |(from, to): &Span| {
            let counted: String = lower[*from..(*to).min(lower.len())].iter().collect();
            let before: String = lower[..*from].iter().collect();
            let behind = lower.get(*to..).unwrap_or_default();
            // `大人2枚と子供1枚ずつ` is a sum.
            let is_sort = without_last(&before, SORTS).is_some()
                || marks(KINDS).any(|it| counted.contains(it));
            let is_each = counted.ends_with(" each") || marks(BEHIND).any(|it| starts(behind, it));
            is_each && !is_sort
        };
        let is_shared: Vec<_> = self.counted.iter().map(is_share).collect();
        if is_shared.iter().all(|it| *it) {
            return;
        }
        let mut kept = is_shared.iter().map(|it| !it);
        self.counts.retain(|_| kept.next().unwrap_or(true));
        let mut kept = is_shared.iter().map(|it| !it);
        self.counted.retain(|_| kept.next().unwrap_or(true));
    }

    fn label(
        &mut self,
        chars: &[char],
        lower: &[char],
        at: usize,
        vocabulary: &Vocabulary,
    ) -> Option<usize> {
        if !begins_word(lower, at) {
            return None;
        }
        let (id, length) = longest(vocabulary.labels, lower, at)?;
        let mut from = at + length;
        loop {
            let rest = &lower[from..];
            let spaces = rest.iter().take_while(|it| **it == ' ').count();
            let link = marks(LINKS).find(|it| starts(&rest[spaces..], it));
            match link {
                Some(link) => from += spaces + link.chars().count(),
                None => {
                    from += spaces;
                    break;
                }
            }
        }
        // A masked name is restored.
        let name: String = chars[from..].iter().take_while(|it| is_id(**it)).collect();
        let name = name.trim_end_matches(['.', '-', '_']).to_owned();
        let has_digit = name.contains(|it: char| it.is_ascii_digit());
        let is_sign = has_digit || name.contains(['_', '-']) || announces_id(lower, at, length);
        let is_fit =
            !name.is_empty() && is_sign && name.starts_with(|it: char| it.is_ascii_alphanumeric());
        // `予約2席` is a count.
        let is_bare =
            name.chars().all(|it| it.is_ascii_digit()) && !announces_id(lower, at, length);
        let counts = counter(lower, from + name.chars().count(), vocabulary).is_some();
        let is_count = is_bare && (name.len() < ID_DIGITS_MIN || counts);
        if !is_fit || is_count {
            return None;
        }
        let to = from + name.chars().count();
        self.ids.push((id, name));
        Some(to - at)
    }

    fn counted(&mut self, lower: &[char], at: usize, vocabulary: &Vocabulary) -> Option<usize> {
        let before = at.checked_sub(1).map(|it| lower[it]);
        let runs_on = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
        if before.is_some_and(runs_on) {
            return None;
        }
        for (count, unit, words) in WORDS.iter().chain(vocabulary.counts) {
            if let Some(length) = word(words, lower, at) {
                self.counts.push((*unit, *count));
                return Some(length);
            }
        }
        if let Some(length) = word(NEW_COUNT, lower, at).filter(|_| begins_word(lower, at)) {
            let from = (at + length + 1).min(lower.len());
            let (count, digits) = amount(lower, from)?;
            let behind = lower[from + digits..].iter().find(|it| **it != ' ');
            let is_end = behind.is_none_or(|it| !it.is_alphanumeric() && !matches!(it, ':' | '%'))
                || ["please", "instead", "then"]
                    .iter()
                    .any(|it| starts(&lower[(from + digits + 1).min(lower.len())..], it));
            // `make it three tickets` is parsed at the number.
            if !is_end {
                return None;
            }
            self.counts.push((Unit::Pieces, count));
            return Some(from + digits - at);
        }
        if let Some(length) = one_more(lower, at) {
            self.counts.push((Unit::People, 1));
            return Some(length);
        }
        if let Some((count, length)) = group(lower, at) {
            self.counts.push((Unit::People, count));
            return Some(length);
        }
        if let Some((people, length)) = party(lower, at) {
            // Another count is the total.
            self.company = Some((self.counts.len(), 0));
            self.counts.push((Unit::People, people));
            return Some(length);
        }
        let (count, digits) = amount(lower, at)?;
        if word(" for", lower, at + digits).is_some() && may_count(lower, at) {
            self.counts.push((Unit::People, count));
            return Some(digits + " for".len());
        }
        let mut from = at + digits;
        // `two adjacent seats`, `3 more cards`: one word may be between.
        for _ in 0..2 {
            from += usize::from(lower.get(from) == Some(&' '));
            if let Some((unit, length)) = counter(lower, from, vocabulary) {
                let others = company(lower, at, from + length);
                self.company = others.map(|it| (self.counts.len(), it)).or(self.company);
                self.counts.push((unit, count));
                return Some(from + length - at);
            }
            from += lower[from.min(lower.len())..]
                .iter()
                .take_while(|it| it.is_ascii_alphabetic())
                .count();
        }
        let unit = counted_without_unit(lower, at, at + digits)?;
        self.counts.push((unit, count));
        Some(digits)
    }
}

/// Unit of a number without a counter: tickets in `…, 2 pls`, people in `大人2子供1`.
fn counted_without_unit(lower: &[char], from: usize, to: usize) -> Option<Unit> {
    const POLITE: &str = " please| pls| plz";
    const MARKS: [char; 4] = [',', '.', ';', '、'];
    /// Words before a number in letters that is ordered: `get me two in the middle`, `book three`.
    const ORDERS: &str = "me|us|get|gimme|book|take|reserve|want|need|grab|buy";
    const PLACES: &str = " in the middle| in the back| in the front| in row| at the| near | next to | together| side by side| in the centre| in the center";
    let before: String = lower[..from].iter().collect();
    let behind: String = lower[to..].iter().collect();
    let ends = behind.trim_start_matches(['で', 'の', 'と', '、', ' ', '。']);
    let is_sort = |text: &str| marks(SORTS).any(|it| text.starts_with(it));
    let is_of_sort = without_last(&before, SORTS).is_some()
        && (ends.is_empty() || ends.len() < behind.len() || is_sort(ends));
    let is_polite =
        before.trim_end().ends_with(MARKS) && marks(POLITE).any(|it| behind.starts_with(it));
    let last = before.trim_end().rsplit(|it: char| !it.is_alphanumeric()).next();
    let is_ordered = lower[from..to].iter().all(|it| it.is_ascii_alphabetic())
        && lower[from..to] != ['o', 'n', 'e']
        && last.is_some_and(|last| marks(ORDERS).any(|it| it == last))
        && (behind.is_empty()
            || behind.starts_with(MARKS)
            || behind.starts_with(['!', '?'])
            || marks(POLITE).chain(marks(PLACES)).any(|it| behind.starts_with(it)));
    match (is_of_sort, is_polite || is_ordered) {
        (true, _) => Some(Unit::People),
        (_, true) => Some(Unit::Pieces),
        _ => None,
    }
}

/// Kinds of people, singular.
const KINDS: &str = "adult|child|kid|senior|student|pensioner|teenager|toddler|baby|grown-up";
/// Kinds of people, plural.
const KINDS_MANY: &str =
    "adults|children|kids|seniors|students|pensioners|teenagers|toddlers|babies|grown-ups";

/// Parses `a child` next to other kinds of people, with its length: `two adults and a child`.
fn one_more(lower: &[char], at: usize) -> Option<usize> {
    const JOINTS: [&str; 5] = [" and ", ", ", " & ", " plus ", ", and "];
    let article = word("an|a", lower, at)?;
    let length = article + 1 + word(KINDS, lower, (at + article + 1).min(lower.len()))?;
    let before: String = lower[..at].iter().collect();
    let behind: String = lower[at + length..].iter().collect();
    let kinds = || KINDS.split('|').chain(KINDS_MANY.split('|'));
    let follows = JOINTS.iter().any(|joint| {
        before.strip_suffix(joint).is_some_and(|it| kinds().any(|kind| it.ends_with(kind)))
    });
    // The first one may precede a number of others.
    let leads = JOINTS.iter().any(|joint| {
        let mut words = behind.strip_prefix(joint).into_iter().flat_map(|it| it.split(' ').skip(1));
        let kind = words.next().unwrap_or_default();
        let kind = kind.trim_end_matches(|it: char| !it.is_alphanumeric());
        kinds().any(|it| it == kind)
    });
    (follows || leads).then_some(length)
}

/// Whether a bare number at `at` counts, by the text before it: nothing, a comma, or a word of an order.
fn may_count(lower: &[char], at: usize) -> bool {
    let before: String = lower[..at].iter().collect();
    let before = before.trim_end();
    let last = before.rsplit(|it: char| !it.is_alphanumeric()).next().unwrap_or_default();
    last.is_empty() || marks(COUNTING).any(|it| it == last)
}

/// Parses a number at `at`, in digits or as a word.
fn amount(lower: &[char], at: usize) -> Option<(u32, usize)> {
    if let Some((number, digits)) = number(&lower[at..]) {
        return u32::try_from(number).ok().map(|it| (it, digits));
    }
    marks(SPELLED).zip(0..).find_map(|(it, count)| Some((count, word(it, lower, at)?)))
}

/// Parses all of `text` as a number: digits, words or kanji.
pub fn whole(text: &str) -> Option<u32> {
    let kanji = || {
        let text: Vec<char> = text.chars().collect();
        let (number, length) = number(&text).filter(|it| it.1 == text.len())?;
        u32::try_from(number).ok().filter(|_| length > 0)
    };
    text.parse().ok().or_else(|| spelled(text)).or_else(kanji)
}

fn longest<T: Copy>(table: &[(T, &str)], lower: &[char], at: usize) -> Option<(T, usize)> {
    let found = table.iter().filter_map(|(means, words)| Some((*means, word(words, lower, at)?)));
    found.max_by_key(|it| it.1)
}

/// Longest of `words` at `at` as a whole word.
fn word(words: &str, lower: &[char], at: usize) -> Option<usize> {
    let rest = lower.get(at..)?;
    let fits = |mark: &&str| {
        let length = mark.chars().count();
        let runs_on = mark.is_ascii() && rest.get(length).is_some_and(char::is_ascii_alphanumeric);
        // `8マイル` is a longer word.
        let is_within = *mark == "マイ"
            && rest.get(length).is_some_and(|it| matches!(it, '\u{30a1}'..='\u{30fa}' | 'ー'));
        starts(rest, mark) && !runs_on && !is_within
    };
    words.split('|').filter(fits).map(|it| it.chars().count()).max()
}

/// Whether the label itself announces an identifier.
fn announces_id(lower: &[char], at: usize, length: usize) -> bool {
    let label: String = lower[at..at + length].iter().collect();
    label.contains("id") || label.contains("番号") || label.contains("number")
}

/// Whether a word begins at `at`.
pub fn begins_word(lower: &[char], at: usize) -> bool {
    let before = at.checked_sub(1).map(|it| lower[it]);
    !before.is_some_and(|it| it.is_ascii_alphanumeric() || it == '_')
}

fn is_id(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_' | '.')
}

#[cfg(test)]
mod tests {
    use crate::{Date, utterance::Utterance, vocabulary::Vocabulary};

    fn people(text: &str) -> Option<u32> {
        static WORDS: Vocabulary = Vocabulary::NONE;
        Utterance::parse(text, Date::constant(2026, 11, 21), &WORDS).numbers.people()
    }

    #[test]
    fn ignores_counter_within_a_longer_word() {
        static WORDS: Vocabulary = Vocabulary::NONE;
        for (text, count) in [("8マイルを2枚", 2), ("ゴジラを3マイ", 3)] {
            let utterance = Utterance::parse(text, Date::constant(2026, 11, 21), &WORDS);
            assert_eq!(utterance.numbers.pieces(), Some(count), "{text}");
            assert_eq!(utterance.numbers.counts.len(), 1, "{text}");
        }
    }

    #[test]
    fn counts_the_writer_with_companions() {
        for (text, count) in [
            ("I want to see it with three friends", 4),
            ("me and my two kids", 3),
            ("me and my wife and 2 kids", 4),
            ("Totoro, me, my husband and our three kids", 5),
            ("with my sister and two friends", 4),
            ("for my wife and 2 kids", 3),
            ("妻と子供二人と行きます", 4),
            ("夫と息子と友達2人と", 5),
            ("7人の侍を2枚", 2),
            ("4人で4枚お願い", 4),
            ("ふたりで2枚", 2),
            ("夫婦と子供2人で", 4),
            ("大人2人と子供1人で3枚", 3),
            ("大人2枚と子供1人", 3),
            ("大人2枚、子供2人", 4),
            ("大人2人、子供2枚", 4),
            ("大人1人と子供1枚", 2),
            ("チケット3枚、大人2人と子供1人", 3),
            ("2 tickets for two adults", 2),
            ("with 3 friends, so 4 people", 4),
            ("two adults and one child", 3),
            ("one adult and one senior", 2),
            ("two adults and a child, monday morning", 3),
            ("an adult and two kids", 3),
            ("a student and a senior please", 2),
            ("a student? no: two pensioners and one teenager", 3),
            ("友達3人と観たい", 4),
            ("友達と私の分", 2),
            ("妻と娘と私で観たい", 3),
            ("妻と私で3枚", 3),
            ("for me and my wife", 2),
            ("my son, my daughter and me", 3),
            ("for a family of five", 5),
            ("party of 4, tomorrow", 4),
            ("5 tickets for a family of five", 5),
            ("友達と3人で観たい", 3),
            ("子供2人と大人1人", 3),
            ("子ども2人と観たい", 3),
        ] {
            assert_eq!(people(text), Some(count), "{text}");
        }
    }

    #[test]
    fn ordinal_is_no_count() {
        for (text, count) in [
            ("私と話して", None),
            ("友達と私の予約", None),
            ("大丈夫、私も行けます", None),
            ("大丈夫、自分で選びます", None),
            ("秩父と私の町", None),
            ("my wife and the film", None),
            ("tell me and wait", None),
            ("can my friend and I see Akira", None),
            ("book the later one for two", Some(2)),
            ("the first one for 3 please", Some(3)),
            ("that one for Akira", None),
            ("number 2 for three of us", Some(3)),
            ("book one for Akira", Some(1)),
            ("two for Akira please", Some(2)),
            ("tomorrow, 3 for Godzilla", Some(3)),
            ("just one for tonight", Some(1)),
        ] {
            assert_eq!(people(text), count, "{text}");
        }
    }

    #[test]
    fn new_count_needs_no_unit() {
        for (text, count) in [
            ("make it three", Some(3)),
            ("no, make it 3 please", Some(3)),
            ("change that to four.", Some(4)),
            ("make it 7:30", None),
            ("make it", None),
        ] {
            assert_eq!(people(text), count, "{text}");
        }
    }
}
