//! What a step's maneuver looks like: an arrow, drawn in a box of 24 by 24.

/// The arrow of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    Straight,
    Slight,
    Corner,
    Sharp,
    Back,
    Fork,
    Merge,
    Roundabout,
    Ferry,
    Arrive,
}

/// The arrow of a maneuver by Google's name for it, and whether it is drawn mirrored: arrows are
/// drawn to the right.
pub(crate) fn of(maneuver: Option<&str>) -> (Turn, bool) {
    let name = maneuver.unwrap_or_default();
    let is_left = name.ends_with("left");
    let turn = match name.trim_end_matches("-left").trim_end_matches("-right") {
        "turn-slight" | "ramp" | "keep" => Turn::Slight,
        "turn" => Turn::Corner,
        "turn-sharp" => Turn::Sharp,
        "uturn" => Turn::Back,
        "fork" => Turn::Fork,
        "merge" => Turn::Merge,
        "roundabout" => Turn::Roundabout,
        "ferry" | "ferry-train" => Turn::Ferry,
        "arrive" | "destination" => Turn::Arrive,
        // `straight`, none, and what a planner may come up with.
        _ => Turn::Straight,
    };
    (turn, is_left)
}

impl Turn {
    /// The lines of the arrow, for `<path d=…>`.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Straight => "M12 21V4M6 10l6-6 6 6",
            Self::Slight => "M8 21v-7l9-9M9 5h8v8",
            Self::Corner => "M7 21v-9h12M13 6l6 6-6 6",
            Self::Sharp => "M7 21V5l10 12M17 9v8H9",
            Self::Back => "M7 21V9a5 5 0 0 1 10 0v9M12 13l5 5 5-5",
            Self::Fork => "M12 21v-7l7-8M13 5h6v6M12 14L6 7",
            Self::Merge => "M12 3v18M7 8l5-5 5 5M6 21l6-8",
            Self::Roundabout => "M9 22v-5M9 17a5 5 0 1 1 5-5M14 12h7M17 8l4 4-4 4",
            Self::Ferry => "M3 15h18l-3 5H6zM7 15V9h10v6M12 9V4",
            Self::Arrive => "M6 22V3h12l-3 4 3 4H6",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_googles_has_an_arrow_to_its_side() {
        assert_eq!(of(Some("turn-right")), (Turn::Corner, false));
        assert_eq!(of(Some("turn-slight-left")), (Turn::Slight, true));
        assert_eq!(of(Some("turn-sharp-right")), (Turn::Sharp, false));
        assert_eq!(of(Some("uturn-left")), (Turn::Back, true));
        assert_eq!(of(Some("roundabout-right")), (Turn::Roundabout, false));
        assert_eq!(of(Some("ramp-left")), (Turn::Slight, true));
        assert_eq!(of(Some("fork-right")), (Turn::Fork, false));
        assert_eq!(of(Some("keep-left")), (Turn::Slight, true));
        assert_eq!(of(Some("merge")), (Turn::Merge, false));
        assert_eq!(of(Some("ferry")), (Turn::Ferry, false));
        assert_eq!(of(Some("straight")), (Turn::Straight, false));
    }

    #[test]
    fn a_step_without_or_with_an_unknown_maneuver_goes_straight_on() {
        assert_eq!(of(None), (Turn::Straight, false));
        assert_eq!(of(Some("teleport")).0, Turn::Straight);
    }
}
