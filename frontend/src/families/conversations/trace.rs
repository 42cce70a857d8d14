//! How far a conversation has come: the stations of its life, who caused each, and how long it stayed.

use output::conversations::{State, Step, Transcript};

use super::time::instant;

/// One station of a conversation's states.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Station {
    pub(crate) state: State,
    /// What led there; none where it has not come so far.
    pub(crate) step: Option<Step>,
    /// How long it stayed, in milliseconds; none where it stays still or is no more going on.
    pub(crate) stayed_ms: Option<f64>,
    /// Whether it is there now.
    pub(crate) is_now: bool,
}

/// The way so far, and the rest of it as it should go.
pub(crate) fn stations(told: &Transcript) -> Vec<Station> {
    let steps = &told.steps;
    let mut stations: Vec<Station> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let next = steps.get(index + 1).and_then(|it| instant(&it.at));
        let stayed = next.zip(instant(&step.at)).map(|(next, here)| (next - here).max(0.0));
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

/// Since when it is where it is, in milliseconds since 1970; none where it is over.
pub(crate) fn since(told: &Transcript) -> Option<f64> {
    let last = told.steps.last()?;
    let is_over = matches!(last.state, State::Ended | State::Expired);
    if is_over { None } else { instant(&last.at) }
}

/// How long all of it took, in milliseconds; none where it is not over.
pub(crate) fn whole(told: &Transcript) -> Option<f64> {
    let (first, last) = (told.steps.first()?, told.steps.last()?);
    let is_over = matches!(last.state, State::Ended | State::Expired);
    let took = instant(&last.at).zip(instant(&first.at)).map(|(end, begin)| (end - begin).max(0.0));
    took.filter(|_| is_over)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::conversations::samples::transcript;

    fn states(told: &Transcript) -> Vec<(State, bool)> {
        stations(told).iter().map(|it| (it.state, it.is_now)).collect()
    }

    #[test]
    fn past_states_show_their_length_and_coming_ones_do_not() {
        let told = transcript(1..=1);
        let stations = stations(&told);
        assert_eq!(
            states(&told),
            [
                (State::Pending, false),
                (State::Active, true),
                (State::Terminating, false),
                (State::Ended, false)
            ]
        );
        assert_eq!(stations[0].stayed_ms, Some(500.0));
        assert_eq!((stations[1].stayed_ms, stations[2].step.clone()), (None, None));
        assert_eq!(since(&told), instant("2026-01-23T10:00:00.5Z"));
        assert_eq!(whole(&told), None);
    }

    #[test]
    fn one_that_nobody_answered_ends_there() {
        let mut told = transcript(1..=1);
        told.steps[1].state = State::Expired;
        assert_eq!(states(&told), [(State::Pending, false), (State::Expired, true)]);
        assert_eq!((since(&told), whole(&told)), (None, Some(500.0)));
    }

    #[test]
    fn one_that_was_ended_before_anybody_came_skips_a_station() {
        let mut told = transcript(1..=1);
        told.steps[1].state = State::Terminating;
        let wanted = [(State::Pending, false), (State::Terminating, true), (State::Ended, false)];
        assert_eq!(states(&told), wanted);
    }
}
