//! How many, which seats, and which identifiers: what a sentence has of numbers and names for machines.

use crate::planner::when::number;

/// A span of characters.
type Span = (usize, usize);

/// Counters behind a number, and what they count.
const UNITS: &[(Unit, &str)] = &[
    (
        Unit::People,
        "席分|席|名様|名|人分|人|tix|ppl|pax|peeps|seats|seat|tickets|ticket|people|persons|person|adults|adult|kids|kid|children|child|of us|\
         adjacent seats|good seats|places|students|seniors|friends",
    ),
    (
        Unit::Pieces,
        "枚|まい|点|つ|個|each|apiece|cards|card|illustrations|illustration|pictures|images|pieces|artworks|monsters|examples|picture|image|artwork|piece|monster|of the|of them|of its|of those|of these|pics|pic",
    ),
];

/// Words that are a number with what it counts.
const WORDS: &[(u32, Unit, &str)] = &[
    (
        1,
        Unit::People,
        "ひとり|1人で|just me|for one|by myself|for myself|a ticket|a seat|single ticket|single seat",
    ),
    (
        2,
        Unit::People,
        "ふたり|ペア|カップル|a pair|pair of|couple of|a couple|two of us|for two|for 2|both of us",
    ),
    (3, Unit::People, "three of us|for three|for 3"),
    (4, Unit::People, "four of us|for four|for 4"),
    (5, Unit::People, "five of us|for five|for 5"),
    (6, Unit::People, "six of us|for six|for 6"),
    (1, Unit::People, "one for|just one"),
    (2, Unit::People, "two for|2 for|just two|the two of us"),
    (3, Unit::People, "three for|3 for|just three"),
    (4, Unit::People, "four for|4 for"),
];

/// English numbers.
const ENGLISH: &[&str] = &[
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];

/// What introduces an identifier.
const LABELS: &[(Id, &str)] = &[
    (Id::Movie, "movie_id|movie id|映画id|作品id|film id|映画のid"),
    (
        Id::Showtime,
        "showtime_id|showtime id|上映id|上映枠id|上映時間枠id|上映回id|時間枠id|上映のid|上映時間枠|上映回|上映枠|showtime|screening|\
         スケジュールid",
    ),
    (
        Id::User,
        "user_id|user id|ユーザーid|ユーザid|利用者id|会員id|会員番号|ユーザー|利用者|member id|customer id|userid|user|customer",
    ),
    (
        Id::Reservation,
        "reservation_id|reservation id|予約id|予約番号|reservation number|booking number|booking id|reservation|予約|booking",
    ),
    (
        Id::Conversation,
        "conversation_id|conversation id|会話id|対話id|会話番号|conversation|会話|対話|chat",
    ),
];

/// What stands between a label and its identifier.
const LINKS: &[&str] =
    &["は", "が", "の", ":", "=", "is", "number", "no.", "#", "「", "\"", "'", "`", "(", "id"];

/// Digits from which on a number behind `reservation` is its number, and no count.
const LONG: usize = 4;

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Seats, tickets and people.
    People,
    /// Cards and pictures; tickets, where it is about films.
    Pieces,
}

/// What an identifier names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Id {
    Movie,
    Showtime,
    User,
    Reservation,
    Conversation,
}

/// The numbers of a sentence.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    pub(super) counts: Vec<(Unit, u32)>,
    /// `A5`, in the order in which they are named.
    pub(super) seats: Vec<String>,
    pub(super) ids: Vec<(Id, String)>,
    /// Where they stand.
    pub(super) spans: Vec<Span>,
}

impl Numbers {
    /// How many people it is about: all that are named together (大人2枚と子供1枚).
    pub(super) fn people(&self) -> Option<u32> {
        let sum = self.counts.iter().fold(0_u32, |sum, it| sum.saturating_add(it.1));
        (1..=99).contains(&sum).then_some(sum)
    }

    /// How many pieces it is about.
    pub(super) fn pieces(&self) -> Option<u32> {
        self.counts.iter().find(|it| it.0 == Unit::Pieces).map(|it| it.1)
    }

    pub(super) fn id(&self, of: Id) -> Option<&str> {
        self.ids.iter().find(|it| it.0 == of).map(|it| it.1.as_str())
    }
}

/// The numbers in `lower`, which is `chars` in lower case; `taken` are dates and times.
pub(super) fn read(chars: &[char], lower: &[char], taken: &[Span]) -> Numbers {
    let mut numbers = Numbers::default();
    let mut at = 0;
    while at < lower.len() {
        if taken.iter().any(|it| (it.0..it.1).contains(&at)) {
            at += 1;
            continue;
        }
        let length = numbers.label(chars, lower, at).or_else(|| numbers.seat(chars, lower, at));
        let length = length.or_else(|| numbers.counted(lower, at)).filter(|it| *it > 0);
        if let Some(length) = length {
            numbers.spans.push((at, at + length));
        }
        at += length.unwrap_or(1);
    }
    numbers
}

impl Numbers {
    fn label(&mut self, chars: &[char], lower: &[char], at: usize) -> Option<usize> {
        if !begins_word(lower, at) {
            return None;
        }
        let (id, length) = longest(LABELS, lower, at)?;
        let mut from = at + length;
        loop {
            let rest = &lower[from..];
            let spaces = rest.iter().take_while(|it| **it == ' ').count();
            let link = LINKS.iter().find(|it| starts(&rest[spaces..], it));
            match link {
                Some(link) => from += spaces + link.chars().count(),
                None => {
                    from += spaces;
                    break;
                }
            }
        }
        // A masked name in quotation marks is read as it was written.
        let name: String = chars[from..].iter().take_while(|it| is_id(**it)).collect();
        let name = name.trim_end_matches(['.', '-', '_']).to_owned();
        let has_digit = name.contains(|it: char| it.is_ascii_digit());
        let is_sign = has_digit || name.contains(['_', '-']) || is_formal(lower, at, length);
        let is_fit =
            !name.is_empty() && is_sign && name.starts_with(|it: char| it.is_ascii_alphanumeric());
        // `予約2席` is a count.
        let is_bare = name.chars().all(|it| it.is_ascii_digit()) && !is_formal(lower, at, length);
        let counts = longest(UNITS, lower, from + name.chars().count()).is_some();
        let is_count = is_bare && (name.len() < LONG || counts);
        if !is_fit || is_count {
            return None;
        }
        let to = from + name.chars().count();
        self.ids.push((id, name));
        Some(to - at)
    }

    fn seat(&mut self, chars: &[char], lower: &[char], at: usize) -> Option<usize> {
        let row = lower[at].is_ascii_lowercase() && begins_word(lower, at);
        // `Dの8`, `H列の7番`.
        let link = ["列の", "列", "の"]
            .into_iter()
            .find(|it| starts(lower.get(at + 1..).unwrap_or_default(), it));
        if let Some(link) = link.filter(|_| row) {
            let from = at + 1 + link.chars().count();
            let digits = lower[from..].iter().take_while(|it| it.is_ascii_digit()).count();
            if (1..=2).contains(&digits) {
                let number: String = lower[from..from + digits].iter().collect();
                let row = chars[at].to_ascii_uppercase();
                self.seats.push(format!("{row}{number}"));
                let tail = usize::from(lower.get(from + digits) == Some(&'番'));
                let end = self.more_of_row(lower, row, from + digits + tail);
                return Some(end - at);
            }
        }
        if let Some(length) = self.in_row(lower, at) {
            return Some(length);
        }
        let dash = usize::from(lower.get(at + 1) == Some(&'-'));
        let digits = lower[at + 1..].iter().skip(dash).take_while(|it| it.is_ascii_digit()).count();
        let end = at + 1 + dash + digits;
        let is_over = !lower.get(end).is_some_and(|it| it.is_ascii_alphanumeric() || *it == '-');
        // `u-1` is no seat, `A-1` is.
        let is_written = dash == 0 || chars[at].is_ascii_uppercase();
        if !row || !is_written || !(1..=2).contains(&digits) || !is_over {
            return None;
        }
        let seat = chars[at..end].iter().filter(|it| **it != '-').collect::<String>();
        self.seats.push(seat.to_ascii_uppercase());
        Some(end - at)
    }

    /// `row F seat 7`, `row F, seats 7 and 8`.
    fn in_row(&mut self, lower: &[char], at: usize) -> Option<usize> {
        if !begins_word(lower, at) || !starts(&lower[at..], "row ") {
            return None;
        }
        let row = *lower.get(at + 4).filter(|it| it.is_ascii_lowercase())?;
        let mut end = at + 5;
        const LINKS: [&str; 6] =
            [", seats ", ", seat ", " seats ", " seat ", " number ", " numbers "];
        let link = LINKS.iter().find(|it| starts(&lower[end.min(lower.len())..], it))?;
        end += link.len();
        let mut count = 0;
        loop {
            let digits = lower[end..].iter().take_while(|it| it.is_ascii_digit()).count();
            if !(1..=2).contains(&digits) {
                break;
            }
            let number: String = lower[end..end + digits].iter().collect();
            self.seats.push(format!("{}{number}", row.to_ascii_uppercase()));
            (end, count) = (end + digits, count + 1);
            let rest = &lower[end..];
            let joint = [" and ", ", and ", ", ", " & "].into_iter().find(|it| starts(rest, it));
            match joint.filter(|it| rest.get(it.len()).is_some_and(char::is_ascii_digit)) {
                Some(joint) => end += joint.len(),
                None => break,
            }
        }
        (count > 0).then_some(end - at)
    }

    /// Further seats of a row: `F列の5と6`, `F列の5、6、7`. Where they end.
    fn more_of_row(&mut self, lower: &[char], row: char, from: usize) -> usize {
        const BETWEEN: [char; 5] = ['と', '、', '・', ',', 'や'];
        let mut end = from;
        while lower.get(end).is_some_and(|it| BETWEEN.contains(it)) {
            let rest = &lower[end + 1..];
            let spaces = rest.iter().take_while(|it| **it == ' ').count();
            let digits = rest[spaces..].iter().take_while(|it| it.is_ascii_digit()).count();
            let next = rest.get(spaces + digits);
            // `F列の5、2枚` goes on with a count.
            let counts = longest(UNITS, lower, end + 1 + spaces + digits).is_some();
            let is_word = next.is_some_and(|it| matches!(it, '月' | '日' | '時' | ':'));
            if !(1..=2).contains(&digits) || counts || is_word {
                break;
            }
            let number: String = rest[spaces..spaces + digits].iter().collect();
            self.seats.push(format!("{row}{number}"));
            end += 1 + spaces + digits + usize::from(next == Some(&'番'));
        }
        end
    }

    fn counted(&mut self, lower: &[char], at: usize) -> Option<usize> {
        let before = at.checked_sub(1).map(|it| lower[it]);
        let runs_on = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
        if before.is_some_and(runs_on) {
            return None;
        }
        for (count, unit, words) in WORDS {
            if let Some(length) = word(words, lower, at) {
                self.counts.push((*unit, *count));
                return Some(length);
            }
        }
        let (count, digits) = amount(lower, at)?;
        let mut from = at + digits;
        // `two adjacent seats`, `3 more cards`: one word may stand between.
        for _ in 0..2 {
            from += usize::from(lower.get(from) == Some(&' '));
            if let Some((unit, length)) = longest(UNITS, lower, from) {
                self.counts.push((unit, count));
                return Some(from + length - at);
            }
            from += lower[from.min(lower.len())..]
                .iter()
                .take_while(|it| it.is_ascii_alphabetic())
                .count();
        }
        None
    }
}

/// A number at `at`, in digits or as a word.
fn amount(lower: &[char], at: usize) -> Option<(u32, usize)> {
    if let Some((number, digits)) = number(&lower[at..]) {
        return u32::try_from(number).ok().map(|it| (it, digits));
    }
    let of = |(count, it): (usize, &&str)| Some((u32::try_from(count).ok()?, word(it, lower, at)?));
    ENGLISH.iter().enumerate().find_map(of)
}

fn longest<T: Copy>(table: &[(T, &str)], lower: &[char], at: usize) -> Option<(T, usize)> {
    let found = table.iter().filter_map(|(means, words)| Some((*means, word(words, lower, at)?)));
    found.max_by_key(|it| it.1)
}

/// The longest of `words` that is at `at` as a word of its own.
fn word(words: &str, lower: &[char], at: usize) -> Option<usize> {
    let rest = lower.get(at..)?;
    let fits = |it: &&str| {
        let length = it.chars().count();
        let runs_on = it.is_ascii() && rest.get(length).is_some_and(char::is_ascii_alphanumeric);
        starts(rest, it) && !runs_on
    };
    words.split('|').filter(fits).map(|it| it.chars().count()).max()
}

/// Whether the label itself says that an identifier follows.
fn is_formal(lower: &[char], at: usize, length: usize) -> bool {
    let label: String = lower[at..at + length].iter().collect();
    label.contains("id") || label.contains("番号") || label.contains("number")
}

fn begins_word(lower: &[char], at: usize) -> bool {
    let before = at.checked_sub(1).map(|it| lower[it]);
    !before.is_some_and(|it| it.is_ascii_alphanumeric() || it == '_')
}

fn is_id(it: char) -> bool {
    it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.')
}

fn starts(text: &[char], with: &str) -> bool {
    let mut text = text.iter();
    with.chars().all(|it| text.next() == Some(&it))
}
