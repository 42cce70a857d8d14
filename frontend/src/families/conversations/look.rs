//! Appearance of agents and states: colours, signs and labels; and the texts of causes and reasons.

use output::conversations::{Conversation, State};

use crate::text::{Key, Lang};

/// Number of agent colours in the style sheet (`.talk-tone-0` …).
const TONES: usize = 6;

/// Shapes of 16 by 16 units, distinguishable without colour.
const SIGNS: [&str; 8] = [
    "M8 2a6 6 0 1 0 0 12a6 6 0 1 0 0-12z",
    "M8 1.5l6.5 6.5l-6.5 6.5l-6.5-6.5z",
    "M8 2l6.5 11.5h-13z",
    "M2.5 2.5h11v11h-11z",
    "M8 1l2 4.8l5.2.4l-4 3.4l1.3 5.1l-4.5-2.8l-4.5 2.8l1.3-5.1l-4-3.4l5.2-.4z",
    "M6 1.5h4v4.5h4.5v4h-4.5v4.5h-4v-4.5h-4.5v-4h4.5z",
    "M4.5 2h7l3.5 6l-3.5 6h-7l-3.5-6z",
    "M8 14L1.5 2.5h13z",
];
/// Head and shoulders.
const PERSON: &str = "M8 1.5a3.2 3.2 0 1 0 0 6.4a3.2 3.2 0 1 0 0-6.4zM1.8 14.5c0-3.7 2.6-5.6 6.2-5.6s6.2 1.9 6.2 5.6z";

/// Appearance of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) tone: usize,
    /// SVG path of its sign.
    pub(crate) sign: &'static str,
    pub(crate) side: Side,
}

/// Where an agent's messages stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Initiator,
    Participant,
    /// A person, or another non-member.
    Apart,
}

/// Appearance of an agent in a conversation; its two members never look the same.
pub(crate) fn look(conversation: &Conversation, agent_id: &str) -> Look {
    let members = &conversation.members;
    let Some(at) = members.iter().position(|it| it.agent_id == agent_id) else {
        return Look { tone: TONES, sign: PERSON, side: Side::Apart };
    };
    let (mut tone, mut sign) = hashed(agent_id);
    let taken: Vec<(usize, usize)> = members[..at].iter().map(|it| hashed(&it.agent_id)).collect();
    while taken.len() < TONES && taken.iter().any(|it| it.0 == tone) {
        tone = (tone + 1) % TONES;
    }
    while taken.len() < SIGNS.len() && taken.iter().any(|it| it.1 == sign) {
        sign = (sign + 1) % SIGNS.len();
    }
    let side = if at == 0 { Side::Initiator } else { Side::Participant };
    Look { tone, sign: SIGNS[sign], side }
}

/// Appearance of an agent by itself.
fn hashed(agent_id: &str) -> (usize, usize) {
    // FNV-1a spreads ids that differ in one letter.
    let hash = agent_id
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let spread = (hash >> 8) as usize;
    (spread % TONES, (spread / TONES) % SIGNS.len())
}

/// Name of the agent or person that caused something.
pub(crate) fn name(conversation: &Conversation, agent_id: &str, lang: Lang) -> String {
    let member = conversation.members.iter().find(|it| it.agent_id == agent_id);
    match (member, agent_id) {
        (Some(member), _) if !member.name.is_empty() => member.name.clone(),
        (None, "system" | "madoguchi:coordinator") => lang.say(Key::TalkSystem).to_owned(),
        (None, "operator") => lang.say(Key::TalkOperator).to_owned(),
        _ => agent_id.to_owned(),
    }
}

/// CSS class, sign and label of a state.
pub(crate) fn state(state: State) -> (&'static str, &'static str, Key) {
    match state {
        State::Pending => (
            "is-pending",
            "M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13zM7.2 4h1.6v3.7l2.8 1.7l-.8 1.3l-3.6-2.2z",
            Key::TalkPending,
        ),
        State::Active => ("is-active", "M1.5 2.5h13v8.5h-6.5l-3.5 3v-3h-3z", Key::TalkActive),
        State::Terminating => {
            ("is-terminating", "M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z", Key::TalkTerminating)
        }
        State::Ended => {
            ("is-ended", "M6.2 13L1.5 8.3l1.7-1.7l3 3l6.6-6.6l1.7 1.7z", Key::TalkEnded)
        }
        State::Expired => (
            "is-expired",
            "M3.4 1.8L8 6.4l4.6-4.6l1.6 1.6L9.6 8l4.6 4.6l-1.6 1.6L8 9.6l-4.6 4.6l-1.6-1.6L6.4 8L1.8 3.4z",
            Key::TalkExpired,
        ),
    }
}

/// Label of a step's cause; an unknown code is shown as it is.
pub(crate) fn cause(code: &str, lang: Lang) -> String {
    let key = match code {
        "start_conversation" => Key::TalkByStart,
        "begin_conversation" => Key::TalkByBegin,
        "send_message" => Key::TalkBySend,
        "authenticate" | "launch_agent" => Key::TalkByAuthenticate,
        "get_next_action" => Key::TalkByNext,
        "end_conversation" => Key::TalkByEnd,
        "stop_conversation" => Key::TalkByStop,
        "max_turns" => Key::TalkReasonTurns,
        "pending_timeout" => Key::TalkByPendingTimeout,
        "active_timeout" | "timeout" => Key::TalkByActiveTimeout,
        "session_expired" => Key::TalkBySession,
        "logout" => Key::TalkByLogout,
        "notified" => Key::TalkByNotified,
        other => return other.to_owned(),
    };
    lang.say(key).to_owned()
}

/// Label of the reason for an end (CONV-52).
pub(crate) fn reason(code: &str, lang: Lang) -> String {
    let key = match code {
        "initiator_ended" => Key::TalkReasonInitiator,
        "participant_ended" => Key::TalkReasonParticipant,
        "timeout" => Key::TalkReasonTimeout,
        "session_expired" => Key::TalkReasonSession,
        "max_turns" => Key::TalkReasonTurns,
        "operator_ended" => Key::TalkReasonOperator,
        other => return other.to_owned(),
    };
    lang.say(key).to_owned()
}

/// Who ended it and why.
pub(crate) fn ending(conversation: &Conversation, lang: Lang) -> Option<String> {
    let reason = reason(conversation.end_reason.as_deref()?, lang);
    let by = name(conversation, conversation.ended_by.as_deref().unwrap_or("system"), lang);
    Some(lang.fill(Key::TalkEndedBy, &[&by, &reason]))
}

/// Whether it can be paused or resumed: not before it begins or while it ends.
pub(crate) fn may_pause(conversation: &Conversation) -> bool {
    conversation.state == State::Active
}

/// Its purpose, or a text that none is given.
pub(crate) fn purpose(conversation: &Conversation, lang: Lang) -> String {
    let purpose = conversation.purpose.as_deref().map(str::trim).filter(|it| !it.is_empty());
    purpose.map_or_else(|| lang.say(Key::TalkNoPurpose).to_owned(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::conversations::place::STATES;
    use crate::families::conversations::samples::conversation;

    #[test]
    fn two_agents_never_look_the_same() {
        let mut sample = conversation("c");
        for number in 0..200 {
            sample.members[0].agent_id = format!("agent-{number}");
            for other in 0..20 {
                sample.members[1].agent_id = format!("worker-{other}");
                let (one, two) = (
                    look(&sample, &format!("agent-{number}")),
                    look(&sample, &format!("worker-{other}")),
                );
                assert!(one.tone != two.tone && one.sign != two.sign, "{number} {other}");
                assert_eq!((one.side, two.side), (Side::Initiator, Side::Participant));
            }
        }
        assert_eq!(look(&sample, "operator").side, Side::Apart);
    }

    #[test]
    fn states_differ_in_class_sign_and_label() {
        for (index, one) in STATES.into_iter().enumerate() {
            for other in STATES.into_iter().skip(index + 1) {
                let (one, other) = (state(one), state(other));
                assert!(one.0 != other.0 && one.1 != other.1 && one.2 != other.2);
            }
        }
    }

    #[test]
    fn only_active_conversation_can_be_paused() {
        for state in STATES {
            let sample = Conversation { state, ..conversation("c") };
            assert_eq!(may_pause(&sample), state == State::Active, "{state:?}");
        }
    }

    #[test]
    fn labels_names_causes_and_reasons_or_shows_codes() {
        let sample = conversation("c");
        assert_eq!(name(&sample, "worker-a", Lang::Ja), "Analysis Worker");
        assert_eq!(name(&sample, "system", Lang::En), "the counter");
        assert_eq!(name(&sample, "hanako", Lang::En), "hanako");
        assert_eq!(cause("dragon", Lang::Ja), "dragon");
        assert_eq!(reason("initiator_ended", Lang::Ja), "開始者が終了");
        assert_eq!(purpose(&sample, Lang::Ja), "しりとり");
    }
}
