//! Chooses the component that leads, and splits sentences with requests for several.

use language::{chat::CONTINUED, condition::depends, normalize, scan::marks};

/// Maximum number of parts of a sentence.
pub(super) const PARTS_MAX: usize = 6;
/// Maximum number of requests of one sentence.
const REQUESTS_MAX: usize = 3;
/// A component that claims a sentence is more confident than this; small talk is less.
pub(super) const CLAIMED_MIN: f32 = 0.2;
/// Minimum confidence for a part to be a request of its own.
pub(super) const PART_MIN: f32 = 0.5;

/// Minimum confidence for a statement without an order or a question.
const STATED_MIN: f32 = 0.85;
/// Minimum confidence for an added part: `…も`.
const ADDED_MIN: f32 = 0.7;

/// A component that understands a sentence, and its confidence.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lead {
    /// The component's name.
    pub(super) name: String,
    /// From 0 to 1.
    pub(super) confidence: f32,
    /// Whether it answers immediately, without a call.
    pub(super) answers: bool,
}

/// Confidence of the component that led before, if the sentence continues its plan and no word is left
/// over: `how long is number 2?` after routes is about routes, though films have lengths as well.
const WENT_ON: f32 = 0.67;

/// Index of the most confident of `leads`. Among equals the previous leader wins, otherwise the first.
pub(super) fn surest(leads: &[Lead], latest: Option<&str>) -> Option<usize> {
    let followed = f32::from(CONTINUED) / 100.0;
    let key = |it: &Lead| match it.confidence {
        sure if !sure.is_finite() => 0.0,
        sure if Some(it.name.as_str()) == latest && (sure - followed).abs() < f32::EPSILON => {
            WENT_ON
        }
        sure => sure,
    };
    let best = leads.iter().map(key).fold(0.0, f32::max);
    let are_best = || leads.iter().enumerate().filter(|it| key(it.1) == best);
    let goes_on = are_best().find(|it| Some(it.1.name.as_str()) == latest);
    goes_on.or_else(|| are_best().next()).map(|it| it.0)
}

/// Splits `message` into parts that may be requests, each with its actions; empty if there is only one.
pub(super) fn parts(message: &str) -> Vec<Vec<String>> {
    let mut parts = normalize::request_parts(&normalize::without_retractions(message));
    if parts.len() > 1 {
        // `A song by her? Play me that one`: the second part adds nothing.
        parts.retain(|it| !is_pointing(it));
    }
    let parts: Vec<_> = parts.iter().map(|it| normalize::actions(it)).collect();
    let count = parts.iter().map(Vec::len).sum::<usize>();
    if (2..=PARTS_MAX).contains(&count) { parts } else { Vec::new() }
}

/// Separates the actions of one part that are for different components, each with its leader. Joined
/// actions have no known leader.
pub(super) fn apart(actions: Vec<(String, Lead)>) -> Vec<(String, Option<Lead>)> {
    let is_request = |it: &Lead| it.confidence >= PART_MIN;
    let mut parts: Vec<(String, Option<Lead>)> = Vec::new();
    let mut last: Option<Lead> = None;
    for (action, lead) in actions {
        let is_apart = last
            .as_ref()
            .is_some_and(|it| it.name != lead.name && is_request(it) && is_request(&lead))
            && (is_asked_for(&action)
                || parts.last().is_some_and(|it| is_wished(&it.0, &action, &lead)));
        match parts.last_mut() {
            Some(part) if !is_apart => {
                part.0.push_str(&action);
                part.1 = None;
                last = last.filter(is_request).or(Some(lead));
            }
            _ => {
                last = Some(lead.clone());
                parts.push((action, Some(lead)));
            }
        }
    }
    parts.into_iter().map(|it| (normalize::without_joints(it.0.trim()).to_owned(), it.1)).collect()
}

/// Splits a sentence into its requests, one after another. Empty if one component leads all `parts`, or
/// if the leader of the `whole` covers them all.
pub(super) fn requests(whole: &Lead, parts: Vec<(String, Lead)>) -> Vec<String> {
    let is_request = |it: &Lead| it.confidence >= PART_MIN;
    let mut names: Vec<&str> =
        parts.iter().filter(|it| is_request(&it.1)).map(|it| it.1.name.as_str()).collect();
    names.dedup();
    let own = parts.iter().filter(|it| it.1.name == whole.name).map(|it| it.1.confidence);
    let is_own = |at: usize| {
        let (part, lead) = &parts[at];
        lead.name != whole.name && is_request(lead) && is_own(&parts, at, part, lead)
    };
    let is_all = is_request(whole)
        && own.fold(0.0, f32::max) <= whole.confidence
        && !(0..parts.len()).any(is_own);
    if names.len() < 2 || is_all {
        return Vec::new();
    }
    // A part that is no request joins the one before it.
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

/// Whether `part` is an order or a question.
fn is_asked_for(part: &str) -> bool {
    is_order(opened(&part.to_lowercase())) || part.trim_end().ends_with(['?', '？'])
}

/// Splits `parts` of one component into requests if it would answer the `whole` at once but make a call
/// for the last part alone, or if it understands only the last: `cancel my booking and show me what's
/// on`, `what's the weather like, and book two seats`.
pub(super) fn dropped(whole: &Lead, parts: &[(String, Lead)]) -> Vec<String> {
    let is_request = |it: &(String, Lead)| it.1.confidence >= PART_MIN;
    let Some((last, before)) = parts.split_last() else { return Vec::new() };
    let is_answered =
        whole.answers && !last.1.answers && before.iter().all(|it| it.1.answers && is_request(it));
    // A cancellation that goes first is looked up, and confirmed.
    let is_first = !whole.answers
        && before.iter().all(is_request)
        && before.first().is_some_and(|it| takes_back(&it.0))
        && !takes_back(&last.0);
    let is_dropped = (1..REQUESTS_MAX).contains(&before.len())
        && last.1.confidence >= PART_MIN
        && (is_answered || is_first || whole.confidence <= CLAIMED_MIN)
        && is_asked_for(&last.0);
    if is_dropped { parts.iter().map(|it| it.0.clone()).collect() } else { Vec::new() }
}

/// Adds a condition at the end of several requests to the cancellations among them, which it may be about: `cancel it,
/// the films tomorrow and a card if it's free`.
pub(super) fn with_condition(mut requests: Vec<String>) -> Vec<String> {
    const CONDITIONS: &str = " if | only if | unless | as long as | provided | assuming | in case ";
    let Some((last, before)) = requests.split_last_mut() else { return requests };
    let lower = last.to_ascii_lowercase();
    let Some(at) = marks(CONDITIONS).filter_map(|it| lower.find(it)).min() else { return requests };
    let condition = last[at..].to_owned();
    for request in before.iter_mut().filter(|it| takes_back(it)) {
        if !depends(&request.to_lowercase(), "") {
            request.push_str(&condition);
        }
    }
    requests
}

/// Whether `part` orders a cancellation.
fn takes_back(part: &str) -> bool {
    let part = part.trim().to_lowercase();
    let part = part.trim_end_matches(['、', '。', ',']);
    part.starts_with("cancel ")
        || ["取り消して", "取消して", "キャンセルして"].iter().any(|it| part.ends_with(it))
}

/// Whether a part is a request of its own, rather than the subject of another.
fn is_own(parts: &[(String, Lead)], at: usize, part: &str, lead: &Lead) -> bool {
    /// Beginnings of a part that names the subject of another.
    const ABOUT: &str = "話題|テーマ|お題|議題|トピック|内容|タイトル|題名|項目|質問|設問|選択肢|the topic|topic|the subject|subject|the title|title|the field|field|the question|question|options|discuss |talk |chat |debate |they |it should |ask for |ask about |ask whether |ask them |add |include |if |only if |with |it ";
    /// What agents are asked to do about a subject.
    const TALKS: &str = "話し合|話させ|議論|相談|について話|について聞";
    /// Additions and conditions for another part.
    const ADDED: &str = "場合|なら|ときは|時は|も聞いて|を聞いて|も入れて|も追加|を追加|も加えて|を加えて|必須|任意|も付けて|もつけて|required";
    /// References to the part before.
    const BACK: &str = "それについて|そのことを|そのことに|about it|about that|about this";
    /// Words that a list of fields follows.
    const LISTS: &str = "項目|質問|設問|次の|以下|：|:|field|question|asking|聞いて|聞くこと";
    let lower = part.to_lowercase();
    let text = opened(&lower);
    let is_about = marks(ABOUT).any(|it| text.starts_with(it))
        || marks(TALKS).any(|it| text.contains(it))
        // The first part cannot add to another.
        || at > 0 && marks(ADDED).any(|it| text.contains(it));
    let is_pointed_at = parts
        .get(at + 1)
        .is_some_and(|it| marks(BACK).any(|back| it.0.to_lowercase().contains(back)));
    if is_about || is_pointed_at {
        return false;
    }
    const ASKS: &str = "what |what's |whats |which |when |when's |is there |are there ";
    // A question that goes first needs no question mark.
    let is_asked = at == 0 && marks(ASKS).any(|it| text.starts_with(it));
    let is_question = text.ends_with(['?', '？']) || is_asked;
    let is_listed = parts[..at].iter().any(|earlier| {
        let before = earlier.0.to_lowercase();
        marks(LISTS).any(|it| before.contains(it))
    });
    // `それと横浜までのルートも`: an addition counts only if another component is confident.
    let is_added = at > 0 && text.ends_with('も') && lead.confidence >= ADDED_MIN;
    let before = || parts[..at].iter().map(|it| it.0.as_str()).collect::<Vec<_>>().join(" ");
    let is_added = is_added || at > 0 && is_wished(&before(), part, lead);
    is_order(text) || !is_listed && (is_question || is_added || lead.confidence >= STATED_MIN)
}

/// Whether a part without a verb adds a wish to the part `before`: `show me two films and two red
/// cards`. False if that one is written, asked or talked about.
fn is_wished(before: &str, part: &str, lead: &Lead) -> bool {
    const COUNTED: &str =
        "a |an |some |the |two |three |four |five |directions |seats |tickets |cards ";
    const ABOUT: &str = "talk|discuss|chat|debat|convers|about|between|form|field|question|ask|title|topic|compare| with|worker|agent";
    let (before, part) = (before.to_lowercase(), part.to_lowercase());
    let is_about = marks(ABOUT).any(|it| before.contains(it) || part.contains(it));
    let is_counted = marks(COUNTED).any(|it| opened(&part).starts_with(it));
    is_counted && !is_about && lead.confidence >= ADDED_MIN
}

/// Strips connecting words from `part`, lowercased.
fn opened(part: &str) -> &str {
    /// Connecting words at the beginning of a part.
    const LEADS: &str = "and |then |then, |after that |after that, |afterwards |next |next, |also |also, |finally |please |それから|そのあと|その後|あと|ついでに|次に|最後に|、";
    let mut text = part.trim();
    while let Some(rest) = marks(LEADS).find_map(|it| text.strip_prefix(it)) {
        text = rest.trim_start();
    }
    text
}

/// Whether `text` is an order.
fn is_order(text: &str) -> bool {
    /// Endings and beginnings of orders.
    const ORDERS: &str = "てから|たら|て|で|ください|下さい|たい|ほしい|欲しい|お願い|お願いします|頼む|くれる|もらえる|よろしく|ちょうだい";
    const VERBS: &str = "show |tell |book |reserve |let |have |make |find |give |get |create |draw |list |open |start |ask |take |look |search |compare |check |cancel |i want |i'd like |i would like |i need |can you |could you |how do i |how do we |how can i ";
    let bare = normalize::without_joints(text).trim_end_matches(['。', '.', '!', '！', '、', ' ']);
    marks(ORDERS).any(|it| bare.ends_with(it)) || marks(VERBS).any(|it| text.starts_with(it))
}

/// Whether a part only asks to see the thing named before.
fn is_pointing(part: &str) -> bool {
    const ALONE: [&str; 4] = ["それ", "あれ", "これ", "そいつ"];
    const BEFORE: [&str; 2] = ["その", "あの"];
    const PARTICLES: [char; 4] = ['を', 'が', 'は', '、'];
    const SHOWS: &str = "見たい|みたい|見せて|みせて|出して|表示|お願い|ください|ちょうだい|頼む";
    const ENGLISH: &str = "show me that|show me it|show it|show that|show me that one|can i see it|can i see that|i want to see it|let me see it|that one please|i'd like to see it";
    /// Longest noun after `その`, in characters.
    const NOUN_MAX: usize = 5;
    let part = part.trim().trim_end_matches(['。', '.', '!', '?', '！', '？']).to_lowercase();
    let alone = ALONE.iter().find_map(|it| part.strip_prefix(it));
    let noun = || {
        let rest = BEFORE.iter().find_map(|it| part.strip_prefix(it))?;
        let (noun, rest) = rest.split_once(PARTICLES)?;
        (noun.chars().count() <= NOUN_MAX).then_some(rest)
    };
    let rest = alone.map(|it| it.trim_start_matches(PARTICLES)).or_else(noun);
    rest.is_some_and(|it| marks(SHOWS).any(|shows| it.starts_with(shows)))
        || marks(ENGLISH).any(|it| it == part.trim_end_matches(" please"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lead(name: &str, confidence: f32) -> Lead {
        Lead { name: name.to_owned(), confidence, answers: false }
    }

    #[test]
    fn splits_off_a_request_that_the_leader_drops() {
        let answers = |it: Lead| Lead { answers: true, ..it };
        let parts = |second: &str, lead: Lead| {
            vec![
                ("cancel my booking".to_owned(), answers(self::lead("a", 0.9))),
                (second.to_owned(), lead),
            ]
        };
        let whole = answers(lead("a", 0.9));
        for second in ["show me what's on tomorrow", "明日の映画も見せて", "which films are on?"]
        {
            let parts = parts(second, lead("a", 0.7));
            assert_eq!(dropped(&whole, &parts), ["cancel my booking", second]);
            // What is taken back is looked up where there is something.
            let looked = parts.iter().map(|it| (it.0.clone(), lead("a", 0.9))).collect::<Vec<_>>();
            assert_eq!(dropped(&lead("a", 0.9), &looked), ["cancel my booking", second]);
            // The whole is looked into.
            let other = [("find my booking".to_owned(), lead("a", 0.9)), looked[1].clone()];
            assert!(dropped(&lead("a", 0.9), &other).is_empty(), "{second}");
        }
        // What nothing here does takes no request along.
        let weather = ("what's the weather like".to_owned(), answers(lead("talk", 0.15)));
        let booking = ("book two seats".to_owned(), lead("a", 0.7));
        let both = dropped(&answers(lead("talk", 0.15)), &[weather, booking]);
        assert_eq!(both, ["what's the weather like", "book two seats"]);
        for (second, lead) in [
            ("show me what's on", answers(lead("a", 0.7))),
            ("show me what's on", lead("a", 0.3)),
            ("the one on Monday", lead("a", 0.7)),
        ] {
            assert!(dropped(&whole, &parts(second, lead)).is_empty(), "{second}");
        }
    }

    #[test]
    fn condition_at_the_end_holds_a_cancellation_back() {
        let requests =
            |all: &[&str]| with_condition(all.iter().map(|it| (*it).to_owned()).collect());
        assert_eq!(
            requests(&["cancel rsv-8", "films tomorrow", "a card if it's free"])[0],
            "cancel rsv-8 if it's free"
        );
        for all in [
            ["cancel rsv-8", "films tomorrow"],
            ["films tomorrow", "a card if it's free"],
            ["cancel rsv-8 if it is mine", "a card if it's free"],
        ] {
            assert_eq!(requests(&all), all);
        }
    }

    #[test]
    fn previous_leader_wins_among_equals() {
        let leads = [lead("a", 0.2), lead("b", 0.6), lead("c", 0.6), lead("d", f32::NAN)];
        assert_eq!(surest(&leads, None), Some(1));
        assert_eq!(surest(&leads, Some("c")), Some(2));
        assert_eq!(surest(&leads, Some("a")), Some(1));
        assert_eq!(surest(&[], Some("a")), None);
    }

    #[test]
    fn continued_plan_stays_with_its_leader() {
        let leads = |sure: f32| [lead("routes", sure), lead("films", 0.66)];
        assert_eq!(surest(&leads(0.58), Some("routes")), Some(0));
        assert_eq!(surest(&leads(0.58), Some("films")), Some(1));
        // A word that was left out, or a rule that is surer, tells against it.
        assert_eq!(surest(&leads(0.579), Some("routes")), Some(1));
        let surer = [lead("routes", 0.58), lead("cards", 0.78)];
        assert_eq!(surest(&surer, Some("routes")), Some(1));
    }

    #[test]
    fn splits_sentence_with_several_leaders() {
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
        // One family's, all of it; or more sure of the whole than of what it does not order.
        assert!(requests(&whole, parts(lead("a", 0.7), lead("c", 0.1))).is_empty());
        assert!(requests(&lead("a", 0.8), parts(lead("b", 0.7), lead("c", 0.7))).is_empty());
    }

    #[test]
    fn leader_leaves_orders_for_other_components() {
        let split = |first: &str, second: &str| {
            let parts =
                vec![(first.to_owned(), lead("a", 0.97)), (second.to_owned(), lead("b", 0.9))];
            requests(&lead("a", 0.97), parts).len()
        };
        for (first, second) in [
            ("Let worker-a and worker-b play.", "Then show me the way to Yokohama"),
            ("worker-aとworker-bでしりとりをして。", "それから横浜までの道を教えて"),
            ("worker-aとworker-bでしりとりをして。", "横浜までの道は？"),
            ("Make a form asking for a name.", "Then show me the films"),
            ("サムネを作って。", "道を教えてから"),
            ("名前を聞いて、そのあと", "横浜までの道も教えて"),
        ] {
            assert_eq!(split(first, second), 2, "{second}");
        }
        for (first, second) in [
            ("worker-aとworker-bで話して。", "話題は横浜までの道を教えて"),
            ("Let worker-a and worker-b talk.", "Topic: show me the way"),
            ("Have worker-a ask worker-b about films,", "then discuss the way to Yokohama"),
            ("次の質問のフォームを作って。", "どの映画が好き？"),
            ("出欠を聞くフォームを作って。", "出席の場合は席の数も聞いて"),
        ] {
            assert_eq!(split(first, second), 0, "{second}");
        }
    }

    #[test]
    fn added_wish_is_its_own_request() {
        let split = |first: &str, second: &str, sure: f32| {
            let parts =
                vec![(first.to_owned(), lead("a", 0.97)), (second.to_owned(), lead("b", sure))];
            requests(&lead("a", 0.97), parts).len()
        };
        assert_eq!(split("worker-aとworker-bで雑談、それと", "横浜までのルートも", 0.72), 2);
        assert_eq!(split("図書館の本を借りて、あと", "横浜までの道も", 0.72), 2);
        // Less sure, a list that it belongs to, or nothing that says so.
        assert_eq!(split("worker-aとworker-bで雑談、それと", "料理も", 0.6), 0);
        assert_eq!(split("名前を聞いて、それと", "好きな道も", 0.72), 0);
        assert_eq!(split("worker-aとworker-bで雑談、それと", "横浜までのルート", 0.72), 0);
    }

    #[test]
    fn counted_noun_after_and_is_an_added_wish() {
        let actions = |first: &str, second: &str, sure: f32| {
            let all =
                vec![(first.to_owned(), lead("a", 0.7)), (second.to_owned(), lead("b", sure))];
            let parts = apart(all).into_iter();
            let parts: Vec<_> =
                parts.map(|it| (it.0, it.1.unwrap_or_else(|| lead("a", 0.8)))).collect();
            requests(&lead("a", 0.8), parts).len()
        };
        for (first, second, sure, count) in [
            ("show me two films ", "and two red cards", 0.78, 2),
            ("book a seat for Akira tomorrow ", "and the way to Yokohama", 0.9, 2),
            ("find some blue cards ", "and a route to Ueno", 0.72, 2),
            ("show me two films ", "and two good seats", 0.66, 0),
            ("let two people talk about films ", "and the way to Yokohama", 0.9, 0),
            ("make a form with a name ", "and a card", 0.78, 0),
            ("show me a thumbnail titled Films ", "and a route", 0.9, 0),
        ] {
            assert_eq!(actions(first, second, sure), count, "{first}{second}");
        }
        let parts = vec![
            ("what's on tomorrow".to_owned(), lead("a", 0.66)),
            ("a route from Ueno to Ginza".to_owned(), lead("b", 0.9)),
        ];
        assert_eq!(requests(&lead("b", 0.9), parts).len(), 2);
    }

    #[test]
    fn separates_actions_of_different_components() {
        let actions = |second: Lead| {
            vec![("予約して、".to_owned(), lead("a", 0.9)), ("道も教えて".to_owned(), second)]
        };
        let two = apart(actions(lead("b", 0.9)));
        assert_eq!(two.len(), 2);
        assert_eq!(two[1], ("道も教えて".to_owned(), Some(lead("b", 0.9))));
        let one = vec![("予約して、道も教えて".to_owned(), None)];
        let asked = [("教えて、", "a"), ("今夜の映画は？", "b")];
        let asked = asked.map(|it| (it.0.to_owned(), lead(it.1, 0.7)));
        assert_eq!(apart(asked.to_vec()).len(), 2, "a question is a request, too");
        assert_eq!(apart(actions(lead("b", 0.3))), one);
        assert_eq!(apart(actions(lead("a", 0.9))), one);
    }

    #[test]
    fn ignores_part_that_only_refers_back() {
        assert_eq!(parts("図書館の本は？あと天気も教えて").len(), 2);
        assert!(parts("歌を探して。それを見せて").is_empty());
        assert!(parts("図書館の本は？").is_empty());
    }
}
