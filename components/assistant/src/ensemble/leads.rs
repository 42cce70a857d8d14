//! Which of several components leads, and where a sentence has requests for more than one.

use language::settled;

/// Parts of a sentence that are looked at on their own.
pub(super) const PARTS_MAX: usize = 6;
/// Requests of one sentence.
const REQUESTS_MAX: usize = 3;
/// What a family claims is more than this; small talk claims less.
pub(super) const CLAIMED_MIN: f32 = 0.2;
/// What a family knows at least of a part that is a request of its own: no guess.
pub(super) const PART_MIN: f32 = 0.5;

/// A family that understands something, and how well.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lead {
    /// The component's name.
    pub(super) name: String,
    /// From 0 to 1.
    pub(super) confidence: f32,
}

/// The place of the surest of `leads`; where two are alike, the one that led before goes on, and else the first.
pub(super) fn surest(leads: &[Lead], latest: Option<&str>) -> Option<usize> {
    let key = |it: &Lead| if it.confidence.is_finite() { it.confidence } else { 0.0 };
    let best = leads.iter().map(key).fold(0.0, f32::max);
    let are_best = || leads.iter().enumerate().filter(|it| key(it.1) == best);
    let goes_on = are_best().find(|it| Some(it.1.name.as_str()) == latest);
    goes_on.or_else(|| are_best().next()).map(|it| it.0)
}

/// The parts of `message` that may be requests of their own; none where it has but one.
pub(super) fn parts(message: &str) -> Vec<String> {
    let mut parts = settled::parts(&settled::settled(message));
    if parts.len() > 1 {
        // `A song by her? Play me that one`: the second says nothing new.
        parts.retain(|it| !is_pointing(it));
    }
    if (2..=PARTS_MAX).contains(&parts.len()) { parts } else { Vec::new() }
}

/// The requests of a sentence, one after another, where several families lead in `parts` of it; none where all of
/// it is for one, or for the family that leads in the `whole` and leaves nothing of it out.
pub(super) fn requests(whole: &Lead, parts: Vec<(String, Lead)>) -> Vec<String> {
    let is_request = |it: &Lead| it.confidence >= PART_MIN;
    let mut names: Vec<&str> =
        parts.iter().filter(|it| is_request(&it.1)).map(|it| it.1.name.as_str()).collect();
    names.dedup();
    let own = parts.iter().filter(|it| it.1.name == whole.name).map(|it| it.1.confidence);
    let is_all = is_request(whole) && own.fold(0.0, f32::max) <= whole.confidence;
    if names.len() < 2 || is_all {
        return Vec::new();
    }
    // What is no request of its own goes with what is before it.
    let mut requests: Vec<(Option<String>, String)> = Vec::new();
    for (part, lead) in parts {
        let name = Some(lead).filter(is_request).map(|it| it.name);
        match requests.last_mut() {
            Some(last) if name.is_none() || last.0 == name || last.0.is_none() => {
                last.1.push(' ');
                last.1.push_str(&part);
                last.0 = last.0.take().or(name);
            }
            _ => requests.push((name, part)),
        }
    }
    requests.truncate(REQUESTS_MAX);
    requests.into_iter().map(|it| it.1).collect()
}

/// Whether a part of a sentence only asks to see what the part before it names.
fn is_pointing(part: &str) -> bool {
    const ALONE: [&str; 4] = ["それ", "あれ", "これ", "そいつ"];
    const BEFORE: [&str; 2] = ["その", "あの"];
    const PARTICLES: [char; 4] = ['を', 'が', 'は', '、'];
    const SHOWS: [&str; 10] = [
        "見たい",
        "みたい",
        "見せて",
        "みせて",
        "出して",
        "表示",
        "お願い",
        "ください",
        "ちょうだい",
        "頼む",
    ];
    const ENGLISH: [&str; 11] = [
        "show me that",
        "show me it",
        "show it",
        "show that",
        "show me that one",
        "can i see it",
        "can i see that",
        "i want to see it",
        "let me see it",
        "that one please",
        "i'd like to see it",
    ];
    /// The longest noun behind `その`, in characters.
    const NOUN_MAX: usize = 5;
    let part = part.trim().trim_end_matches(['。', '.', '!', '?', '！', '？']).to_lowercase();
    let alone = ALONE.iter().find_map(|it| part.strip_prefix(it));
    let noun = || {
        let rest = BEFORE.iter().find_map(|it| part.strip_prefix(it))?;
        let (noun, rest) = rest.split_once(PARTICLES)?;
        (noun.chars().count() <= NOUN_MAX).then_some(rest)
    };
    let rest = alone.map(|it| it.trim_start_matches(PARTICLES)).or_else(noun);
    rest.is_some_and(|it| SHOWS.iter().any(|shows| it.starts_with(shows)))
        || ENGLISH.contains(&part.trim_end_matches(" please"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lead(name: &str, confidence: f32) -> Lead {
        Lead { name: name.to_owned(), confidence }
    }

    #[test]
    fn of_those_that_are_alike_the_one_that_led_goes_on() {
        let leads = [lead("a", 0.2), lead("b", 0.6), lead("c", 0.6), lead("d", f32::NAN)];
        assert_eq!(surest(&leads, None), Some(1));
        assert_eq!(surest(&leads, Some("c")), Some(2));
        assert_eq!(surest(&leads, Some("a")), Some(1));
        assert_eq!(surest(&[], Some("a")), None);
    }

    #[test]
    fn splits_a_sentence_where_several_lead_each_part_a_request() {
        let parts = |second: Lead, third: Lead| {
            let first = ("一".to_owned(), lead("a", 0.7));
            vec![first, ("二".to_owned(), second), ("三".to_owned(), third)]
        };
        let whole = lead("a", 0.6);
        let all = requests(&whole, parts(lead("b", 0.7), lead("c", 0.7)));
        assert_eq!(all, ["一", "二", "三"]);
        // What is no request goes with the one before it.
        assert_eq!(requests(&whole, parts(lead("c", 0.1), lead("b", 0.7))), ["一 二", "三"]);
        assert_eq!(requests(&whole, parts(lead("b", 0.7), lead("b", 0.6))), ["一", "二 三"]);
        // One family's, all of it; or more sure of the whole than of its part.
        assert!(requests(&whole, parts(lead("a", 0.7), lead("c", 0.1))).is_empty());
        assert!(requests(&lead("a", 0.8), parts(lead("b", 0.7), lead("c", 0.7))).is_empty());
    }

    #[test]
    fn a_part_that_only_points_at_the_one_before_is_none() {
        assert_eq!(parts("図書館の本は？あと天気も教えて").len(), 2);
        assert!(parts("歌を探して。それを見せて").is_empty());
        assert!(parts("図書館の本は？").is_empty());
    }
}
