//! Who wrote what when, as a small picture: one lane an agent, time to the right.

use output::conversations::{Conversation, State, Transcript};

use super::time::instant;

/// Messages drawn at most: the latest.
const MESSAGES_MAX: usize = 120;
/// Lanes for others than members.
const APART_MAX: usize = 3;
/// Sizes in the picture's own units, which are CSS pixels; the names beside it stand at these heights by
/// the style sheet (`.talk-lane-names`).
const LANE: f64 = 56.0;
pub(crate) const TOP: f64 = 22.0;
const LEFT: f64 = 22.0;
const GAP_MIN: f64 = 26.0;
const GAP_MAX: f64 = 96.0;
/// How much later than it was sent a message seems to arrive, so that arrows lean.
const LEAN: f64 = 10.0;

/// The picture as plain data.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Lanes {
    /// Whose they are, from the top.
    pub(crate) agents: Vec<String>,
    pub(crate) marks: Vec<Mark>,
    pub(crate) stations: Vec<Line>,
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Messages that are not drawn.
    pub(crate) left_out: usize,
}

/// One message: a dot on its sender's lane, and arrows to those of its recipients.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mark {
    pub(crate) sequence: u64,
    pub(crate) agent: String,
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) arrows: Vec<(f64, f64)>,
}

/// A step of the conversation's life, across all lanes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) state: State,
    pub(crate) x: f64,
}

enum Event<'a> {
    Message(usize),
    Step(&'a output::conversations::Step),
}

impl Lanes {
    /// Draws what is known of a conversation.
    pub(crate) fn of(told: &Transcript) -> Self {
        let left_out = told.messages.len().saturating_sub(MESSAGES_MAX);
        let messages = &told.messages[left_out..];
        let agents = agents(&told.conversation, messages.iter().map(|it| it.sender_id.as_str()));
        let lane = |agent: &str| agents.iter().position(|it| it == agent);
        let first = messages.first().and_then(|it| instant(&it.timestamp));
        // Moments have whole seconds: within one, it begins, a message is sent, and it ends.
        let mut events: Vec<(f64, u8, Event<'_>)> = Vec::new();
        for step in &told.steps {
            let at = instant(&step.at).unwrap_or_default();
            // What was long before the first message that is drawn is not drawn either.
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
                        None => (0..told.conversation.members.len()).collect(),
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

/// Members first, then those who stepped in.
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

/// Long pauses are shown by wider gaps, and do not push the rest out of sight.
fn gap(ms: f64) -> f64 {
    (GAP_MIN + 9.0 * (1.0 + ms.max(0.0) / 1_000.0).log2()).min(GAP_MAX)
}

#[cfg(test)]
mod tests {
    use output::conversations::Step;

    use super::*;
    use crate::families::conversations::samples::transcript;

    /// The arrow leads to the lane of its recipient.
    #[test]
    fn each_message_is_a_dot_on_its_senders_lane_with_an_arrow() {
        let lanes = Lanes::of(&transcript(1..=4));
        assert_eq!(lanes.agents, ["worker-a", "worker-b"]);
        assert_eq!((lanes.marks.len(), lanes.stations.len(), lanes.left_out), (4, 2, 0));
        assert_eq!((lanes.marks[0].y, lanes.marks[1].y), (middle(0), middle(1)));
        assert_eq!(lanes.marks[0].arrows, [(lanes.marks[0].x + LEAN, middle(1))]);
        assert!(lanes.marks.windows(2).all(|it| it[1].x - it[0].x >= GAP_MIN), "in order");
        assert!(lanes.marks.iter().all(|it| it.x + LEAN < lanes.width));
        assert!(lanes.stations[0].x < lanes.marks[0].x, "it began before anything was said");
    }

    #[test]
    fn what_was_said_last_stands_before_the_end_of_the_same_second() {
        let mut told = transcript(1..=3);
        let at = told.messages[2].timestamp.clone();
        told.steps[1] = Step { state: State::Ended, at, ..told.steps[1].clone() };
        let lanes = Lanes::of(&told);
        assert!(lanes.marks[2].x < lanes.stations[1].x);
    }

    #[test]
    fn a_person_who_steps_in_has_a_lane_and_speaks_to_both() {
        let mut told = transcript(1..=3);
        told.messages[2].sender_id = "operator".to_owned();
        told.messages[2].recipient_id = None;
        let lanes = Lanes::of(&told);
        assert_eq!(lanes.agents, ["worker-a", "worker-b", "operator"]);
        assert_eq!(lanes.marks[2].arrows.len(), 2);
        assert_eq!(lanes.height, TOP + 3.0 * LANE);
    }

    #[test]
    fn of_many_the_latest_are_drawn_and_a_long_pause_is_no_desert() {
        let mut told = transcript(1..=500);
        let lanes = Lanes::of(&told);
        assert_eq!((lanes.marks.len(), lanes.left_out), (MESSAGES_MAX, 500 - MESSAGES_MAX));
        assert_eq!(lanes.stations.len(), 0, "what was long before is left out");
        told.messages.truncate(2);
        told.messages[1].timestamp = "2027-01-23T10:00:00Z".to_owned();
        let lanes = Lanes::of(&told);
        assert!(lanes.marks[1].x - lanes.marks[0].x <= GAP_MAX);
        assert_eq!(Lanes::of(&Transcript::default()).marks, []);
    }
}
