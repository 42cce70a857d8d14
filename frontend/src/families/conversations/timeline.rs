//! A conversation over time: its states, a small chart of its messages, and the formatting of times and durations.

use output::conversations::{Conversation, State, Step, Transcript};

use crate::text::{Key, Lang};

/// A state in a conversation's life.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Station {
    pub(crate) state: State,
    /// The step that led to it; none if not reached.
    pub(crate) step: Option<Step>,
    /// Duration in milliseconds; none while it lasts, or for a final state.
    pub(crate) stayed_ms: Option<f64>,
    /// Whether it is the current state.
    pub(crate) is_now: bool,
}

/// The states so far, and the expected ones.
pub(crate) fn stations(transcript: &Transcript) -> Vec<Station> {
    let steps = &transcript.steps;
    let mut stations: Vec<Station> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let next = steps.get(index + 1).and_then(|it| instant(&it.at));
        let stayed = next.zip(instant(&step.at)).map(|(next, start)| (next - start).max(0.0));
        stations.push(Station {
            state: step.state,
            step: Some(step.clone()),
            stayed_ms: stayed,
            is_now: index + 1 == steps.len(),
        });
    }
    let last = stations.last().map(|it| it.state);
    let rest: &[State] = match last {
        None | Some(State::Pending) => &[State::Active, State::Terminating, State::Ended],
        Some(State::Active) => &[State::Terminating, State::Ended],
        Some(State::Terminating) => &[State::Ended],
        Some(State::Ended | State::Expired) => &[],
    };
    let ahead =
        |state: &State| Station { state: *state, step: None, stayed_ms: None, is_now: false };
    stations.extend(rest.iter().map(ahead));
    stations
}

/// Start of the current state, in milliseconds since 1970; none if the conversation is over.
pub(crate) fn since(transcript: &Transcript) -> Option<f64> {
    let last = transcript.steps.last()?;
    let is_over = matches!(last.state, State::Ended | State::Expired);
    if is_over { None } else { instant(&last.at) }
}

/// Total duration in milliseconds; none unless the conversation is over.
pub(crate) fn whole(transcript: &Transcript) -> Option<f64> {
    let (first, last) = (transcript.steps.first()?, transcript.steps.last()?);
    let is_over = matches!(last.state, State::Ended | State::Expired);
    let took = instant(&last.at).zip(instant(&first.at)).map(|(end, begin)| (end - begin).max(0.0));
    took.filter(|_| is_over)
}

/// Maximum number of messages drawn; the latest are.
const MESSAGES_MAX: usize = 120;
/// Maximum number of lanes for non-members.
const APART_MAX: usize = 3;
/// Sizes in CSS pixels. The names beside the lanes have these heights in the style sheet (`.talk-lane-names`).
const LANE: f64 = 56.0;
pub(crate) const TOP: f64 = 22.0;
const LEFT: f64 = 22.0;
const GAP_MIN: f64 = 26.0;
const GAP_MAX: f64 = 96.0;
/// Horizontal offset of an arrow's head, so that arrows lean.
const LEAN: f64 = 10.0;

/// The chart as plain data.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Lanes {
    /// The agents of the lanes, from the top.
    pub(crate) agents: Vec<String>,
    pub(crate) marks: Vec<Mark>,
    pub(crate) stations: Vec<Line>,
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Number of messages not drawn.
    pub(crate) left_out: usize,
}

/// A message: a dot on its sender's lane, with arrows to those of its recipients.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mark {
    pub(crate) sequence: u64,
    pub(crate) agent: String,
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) arrows: Vec<(f64, f64)>,
}

/// A step of the conversation, across all lanes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) state: State,
    pub(crate) x: f64,
}

enum Event<'a> {
    Message(usize),
    Step(&'a Step),
}

impl Lanes {
    /// Computes the chart of a conversation.
    pub(crate) fn new(transcript: &Transcript) -> Self {
        let left_out = transcript.messages.len().saturating_sub(MESSAGES_MAX);
        let messages = &transcript.messages[left_out..];
        let agents =
            agents(&transcript.conversation, messages.iter().map(|it| it.sender_id.as_str()));
        let lane = |agent: &str| agents.iter().position(|it| it == agent);
        let first = messages.first().and_then(|it| instant(&it.timestamp));
        // Times have a resolution of seconds: within one, a beginning precedes messages, and these an end.
        let mut events: Vec<(f64, u8, Event<'_>)> = Vec::new();
        for step in &transcript.steps {
            let at = instant(&step.at).unwrap_or_default();
            // Steps long before the first drawn message are omitted.
            if left_out == 0 || first.is_none_or(|first| at >= first) {
                let is_begin = matches!(step.state, State::Pending | State::Active);
                events.push((at, if is_begin { 0 } else { 2 }, Event::Step(step)));
            }
        }
        for (index, message) in messages.iter().enumerate() {
            let at = instant(&message.timestamp).unwrap_or_default();
            events.push((at, 1, Event::Message(index)));
        }
        events.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let mut lanes = Self { left_out, ..Self::default() };
        let (mut x, mut before) = (LEFT, None::<f64>);
        for (at, _, event) in events {
            x += before.map_or(0.0, |before| gap(at - before));
            before = Some(at);
            match event {
                Event::Step(step) => lanes.stations.push(Line { state: step.state, x }),
                Event::Message(index) => {
                    let message = &messages[index];
                    let Some(own) = lane(&message.sender_id) else { continue };
                    let to: Vec<usize> = match message.recipient_id.as_deref().and_then(lane) {
                        Some(to) => vec![to],
                        None => (0..transcript.conversation.members.len()).collect(),
                    };
                    let to = to.into_iter().filter(|it| *it != own);
                    lanes.marks.push(Mark {
                        sequence: message.sequence,
                        agent: message.sender_id.clone(),
                        x,
                        y: middle(own),
                        arrows: to.map(|it| (x + LEAN, middle(it))).collect(),
                    });
                }
            }
        }
        lanes.width = x + LEFT + LEAN;
        lanes.height = TOP + LANE * agents.len() as f64;
        lanes.agents = agents;
        lanes
    }
}

/// Members first, then others.
fn agents<'a>(conversation: &Conversation, senders: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut agents: Vec<String> =
        conversation.members.iter().map(|it| it.agent_id.clone()).collect();
    let count = agents.len();
    for sender in senders {
        if agents.len() < count + APART_MAX && !agents.iter().any(|it| it == sender) {
            agents.push(sender.to_owned());
        }
    }
    agents
}

/// The middle of a lane.
pub(crate) fn middle(lane: usize) -> f64 {
    TOP + LANE * (lane as f64 + 0.5)
}

/// Longer pauses have wider gaps, up to a limit.
fn gap(ms: f64) -> f64 {
    (GAP_MIN + 9.0 * (1.0 + ms.max(0.0) / 1_000.0).log2()).min(GAP_MAX)
}

const SECOND: f64 = 1_000.0;
const MINUTE: f64 = 60.0 * SECOND;
const HOUR: f64 = 60.0 * MINUTE;
const DAY: f64 = 24.0 * HOUR;

/// Parses `2026-01-23T10:00:00Z`, optionally with fractions, into milliseconds since 1970.
pub(crate) fn instant(text: &str) -> Option<f64> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let rest = text.get(19..)?.strip_suffix('Z')?;
    let fraction = match rest.strip_prefix('.') {
        Some(digits) if digits.bytes().all(|it| it.is_ascii_digit()) => {
            format!("0.{digits}").parse::<f64>().ok()?
        }
        None if rest.is_empty() => 0.0,
        _ => return None,
    };
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Days since 1970, with years that begin in March, so that the leap day comes last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * month + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    let seconds = ((days * 24 + number(11, 13)?) * 60 + number(14, 16)?) * 60 + number(17, 19)?;
    Some(seconds as f64 * SECOND + fraction * SECOND)
}

/// Formats a duration in at most two units, to the second, as times are.
pub(crate) fn length(ms: f64, lang: Lang) -> String {
    let ms = ms.max(0.0);
    let two = |key: Key, large: f64, small: f64| {
        let whole = (ms / large).floor();
        let rest = ((ms - whole * large) / small).floor();
        lang.fill(key, &[&whole.to_string(), &rest.to_string()])
    };
    match ms {
        _ if ms < SECOND => lang.say(Key::TalkInstant).to_owned(),
        _ if ms < MINUTE => lang.fill(Key::Seconds, &[&(ms / SECOND).floor().to_string()]),
        _ if ms < HOUR => two(Key::MinutesSeconds, MINUTE, SECOND),
        _ if ms < DAY => two(Key::HoursMinutes, HOUR, MINUTE),
        _ => two(Key::DaysHours, DAY, HOUR),
    }
}

/// Formats an age in one unit.
pub(crate) fn ago(ms: f64, lang: Lang) -> String {
    let one = |key: Key, unit: f64| lang.fill(key, &[&(ms / unit).floor().to_string()]);
    match ms {
        _ if ms < 10.0 * SECOND => lang.say(Key::TalkJustNow).to_owned(),
        _ if ms < MINUTE => one(Key::TalkSecondsAgo, SECOND),
        _ if ms < HOUR => one(Key::TalkMinutesAgo, MINUTE),
        _ if ms < DAY => one(Key::TalkHoursAgo, HOUR),
        _ => one(Key::TalkDaysAgo, DAY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::conversations::samples::transcript;

    fn states(transcript: &Transcript) -> Vec<(State, bool)> {
        stations(transcript).iter().map(|it| (it.state, it.is_now)).collect()
    }

    #[test]
    fn only_past_states_show_duration() {
        let transcript = transcript(1..=1);
        let stations = stations(&transcript);
        assert_eq!(
            states(&transcript),
            [
                (State::Pending, false),
                (State::Active, true),
                (State::Terminating, false),
                (State::Ended, false)
            ]
        );
        assert_eq!(stations[0].stayed_ms, Some(500.0));
        assert_eq!((stations[1].stayed_ms, stations[2].step.clone()), (None, None));
        assert_eq!(since(&transcript), instant("2026-01-23T10:00:00.5Z"));
        assert_eq!(whole(&transcript), None);
    }

    #[test]
    fn expired_conversation_ends_at_pending() {
        let mut transcript = transcript(1..=1);
        transcript.steps[1].state = State::Expired;
        assert_eq!(states(&transcript), [(State::Pending, false), (State::Expired, true)]);
        assert_eq!((since(&transcript), whole(&transcript)), (None, Some(500.0)));
    }

    #[test]
    fn early_end_skips_the_active_state() {
        let mut transcript = transcript(1..=1);
        transcript.steps[1].state = State::Terminating;
        let wanted = [(State::Pending, false), (State::Terminating, true), (State::Ended, false)];
        assert_eq!(states(&transcript), wanted);
    }

    /// The arrow leads to the lane of its recipient.
    #[test]
    fn draws_message_as_dot_with_arrow_on_senders_lane() {
        let lanes = Lanes::new(&transcript(1..=4));
        assert_eq!(lanes.agents, ["worker-a", "worker-b"]);
        assert_eq!((lanes.marks.len(), lanes.stations.len(), lanes.left_out), (4, 2, 0));
        assert_eq!((lanes.marks[0].y, lanes.marks[1].y), (middle(0), middle(1)));
        assert_eq!(lanes.marks[0].arrows, [(lanes.marks[0].x + LEAN, middle(1))]);
        assert!(lanes.marks.windows(2).all(|it| it[1].x - it[0].x >= GAP_MIN), "in order");
        assert!(lanes.marks.iter().all(|it| it.x + LEAN < lanes.width));
        assert!(lanes.stations[0].x < lanes.marks[0].x, "it began before anything was said");
    }

    #[test]
    fn last_message_precedes_end_of_same_second() {
        let mut transcript = transcript(1..=3);
        let at = transcript.messages[2].timestamp.clone();
        transcript.steps[1] = Step { state: State::Ended, at, ..transcript.steps[1].clone() };
        let lanes = Lanes::new(&transcript);
        assert!(lanes.marks[2].x < lanes.stations[1].x);
    }

    #[test]
    fn intervening_person_has_a_lane_and_addresses_both() {
        let mut transcript = transcript(1..=3);
        transcript.messages[2].sender_id = "operator".to_owned();
        transcript.messages[2].recipient_id = None;
        let lanes = Lanes::new(&transcript);
        assert_eq!(lanes.agents, ["worker-a", "worker-b", "operator"]);
        assert_eq!(lanes.marks[2].arrows.len(), 2);
        assert_eq!(lanes.height, TOP + 3.0 * LANE);
    }

    #[test]
    fn draws_latest_messages_and_shortens_long_pauses() {
        let mut transcript = transcript(1..=500);
        let lanes = Lanes::new(&transcript);
        assert_eq!((lanes.marks.len(), lanes.left_out), (MESSAGES_MAX, 500 - MESSAGES_MAX));
        assert_eq!(lanes.stations.len(), 0, "what was long before is left out");
        transcript.messages.truncate(2);
        transcript.messages[1].timestamp = "2027-01-23T10:00:00Z".to_owned();
        let lanes = Lanes::new(&transcript);
        assert!(lanes.marks[1].x - lanes.marks[0].x <= GAP_MAX);
        assert_eq!(Lanes::new(&Transcript::default()).marks, []);
    }

    #[test]
    fn parses_times_over_leap_days_and_centuries() {
        assert_eq!(instant("1970-01-01T00:00:00Z"), Some(0.0));
        assert_eq!(instant("2026-01-23T10:00:00Z"), Some(1_769_162_400_000.0));
        assert_eq!(instant("2000-02-29T12:00:00.5Z"), Some(951_825_600_500.0));
        assert_eq!(instant("1969-12-31T23:59:59Z"), Some(-1_000.0));
        for wrong in ["", "2026-01-23", "2026-13-01T00:00:00Z", "2026-01-23T10:00:00+09:00", "席"]
        {
            assert_eq!(instant(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn formats_length_in_at_most_two_units() {
        let text = |ms| length(ms, Lang::En);
        assert_eq!(text(1_234.0), "1 s");
        assert_eq!(text(59_900.0), "59 s");
        assert_eq!(text(61_000.0), "1 min 1 s");
        assert_eq!(text(3_661_000.0), "1 h 1 min");
        assert_eq!(text(90_000_000.0), "1 d 1 h");
        assert_eq!(length(-5.0, Lang::Ja), "1 秒未満");
    }

    #[test]
    fn formats_age_in_one_unit() {
        assert_eq!(ago(-3.0, Lang::En), "just now");
        assert_eq!(ago(45_000.0, Lang::Ja), "45 秒前");
        assert_eq!(ago(7_300_000.0, Lang::En), "2 h ago");
        assert_eq!(ago(200_000_000.0, Lang::Ja), "2 日前");
    }
}
