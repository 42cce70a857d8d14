//! Errors of the box office: the codes of requirement 2.3, in the caller's language. The
//! specification's own sentences are English and the default.

use output::{cinema::Showtime, text::is_blank};
use serde_json::json;
use toolkit::{Problem, Stop, caller, refused};

/// Picks the text for the caller: English, unless they ask for Japanese.
pub fn say(japanese: impl Into<String>, english: impl Into<String>) -> String {
    if is_japanese() { japanese.into() } else { english.into() }
}

fn is_japanese() -> bool {
    // Native builds are unit tests without a caller.
    cfg!(target_family = "wasm") && caller::reads_japanese(false)
}

toolkit::refusals! { is_japanese
    /// No film has this identifier.
    movie_not_found(movie_id: &str) 404
        "その映画はありません。list_movies の movie_id を指定してください。",
        "Movie not found.";

    /// No listed showtime has this identifier.
    showtime_not_found(showtime_id: &str) 404
        "その上映はありません。list_showtimes の showtime_id を指定してください。",
        "Schedule not found.";

    /// The screen has no seat plan.
    seat_data_unavailable(showtime_id: &str) 404
        "この上映には座席表がありません。別の上映を選んでください。",
        "Seat data not available.";

    /// The showing has begun.
    showtime_closed(showtime_id: &str, start_time: &str) 409
        "この上映は {start_time} に始まっています。別の上映を選んでください。",
        "The showtime began at {start_time}.";

    /// The user would hold too many seats.
    too_many_held(
        seats_held_max: usize, all_seats_held_max: usize, seats_held: u32, all_seats_held: u32
    ) 409
        "一人が同時に仮押さえできるのは、一つの上映で{seats_held_max}席、全部で{all_seats_held_max}席までです（今は{seats_held}席と{all_seats_held}席）。\
         先に予約するか手放してください。",
        "One user may hold {seats_held_max} seats of a showtime and {all_seats_held_max} in all at once; \
         {seats_held} and {all_seats_held} are held. Reserve or release some first.";

    /// No hold has this token, or it belongs to another showtime or user, which is not disclosed.
    hold_not_found() 404
        "その仮押さえはありません。hold_seats で座席を押さえ直してください。",
        "Hold not found; hold the seats with hold_seats.";

    /// The hold has expired.
    hold_expired(expired_at: &str) 409
        "仮押さえは {expired_at} に終わりました。もう一度押さえてください。",
        "The hold expired at {expired_at}; hold the seats again.";

    /// Fewer seats are free than requested.
    not_enough_seats(
        showtime_id: &str, free_seats_count: usize, free_wheelchair_places_count: usize
    ) 409
        "空いているのは{free_seats_count}席と車椅子スペース{free_wheelchair_places_count}席だけです。席を減らすか、別の上映を選んでください。",
        "Only {free_seats_count} seats and {free_wheelchair_places_count} wheelchair places are free; ask for fewer, or \
         choose another showtime.";

    /// The key was used for another reservation (CIN-47).
    idempotency_conflict(idempotency_key: &str) 409
        "この idempotency_key は別の内容の予約に使われています。新しいキーにしてください。",
        "The idempotency key was used with other arguments.";

    /// The reservation of this key was cancelled (CIN-47).
    reservation_cancelled(idempotency_key: &str, reservation_id: &str) 409
        "この idempotency_key の予約 {reservation_id} は取り消されています。新しいキーで予約してください。",
        "The reservation of this idempotency key, {reservation_id}, was cancelled; reserve again under another key.";

    /// The ticket was used.
    already_checked_in(reservation_id: &str, checked_in_at: &str) 409
        "この予約は {checked_in_at} に入場に使われているため、変更できません。",
        "The reservation was used at the door at {checked_in_at}; it can no longer change.";

    /// The user already waits for the showing.
    already_waiting(waiting_id: &str) 409
        "この利用者は、この上映をすでに待っています。先にキャンセル待ちをやめてください。",
        "This user waits for the showing already; leave the waiting list first.";

    /// No entry has this identifier, or it belongs to another user, which is not disclosed.
    waiting_not_found(waiting_id: &str) 404
        "そのキャンセル待ちはありません。list_waiting で確かめてください。",
        "No such entry of a waiting list.";

    /// No reservation has this identifier.
    reservation_not_found(reservation_id: &str) 404
        "その予約はありません。予約番号（reservation_id）を確かめてください。",
        "Reservation not found.";

    /// The reservation is another user's.
    reservation_user_mismatch(reservation_id: &str) 403
        "その予約は別の利用者のものです。予約した user_id を指定してください。",
        "The reservation belongs to another user.";

    /// No conversation has this identifier (CIN-62).
    conversation_not_found(conversation_id: &str) 404
        "その会話はありません。conversation_id を確かめてください。",
        "Conversation not found.";

    /// The conversation is another user's (CIN-53).
    conversation_user_mismatch(conversation_id: &str) 403
        "その会話は別の利用者のものです。",
        "The conversation belongs to another user.";

    /// The conversation has the maximum length.
    conversation_full(conversation_id: &str) 409
        "この会話はいっぱいです。新しい会話を始めてください。",
        "The conversation is full; begin another one.";
}

/// The staff has closed the sales of the showing.
pub fn sales_closed(showtime_id: &str, reason: Option<&str>) -> Stop {
    let why = reason.map(|it| format!(": {it}")).unwrap_or_default();
    let because = reason.map(|it| format!("（{it}）")).unwrap_or_default();
    let message = say(
        format!("この上映は販売を停止しています{because}。別の上映を選んでください。"),
        format!("The sales of this showtime are closed{why}. Choose another showtime."),
    );
    refused("sales_closed", 409, message)
        .with(json!({ "showtime_id": showtime_id, "reason": reason }))
}

/// The showing has begun, or its sales are closed.
pub fn not_open(showtime: &Showtime, closed_because: Option<&str>) -> Stop {
    if showtime.is_sales_closed {
        return sales_closed(&showtime.showtime_id, closed_because);
    }
    showtime_closed(&showtime.showtime_id, &showtime.start_time)
}

/// The screen has no such seats.
pub fn seat_not_found(seat_ids: &[String]) -> Stop {
    let message = match seat_ids {
        [seat] => format!("Seat {seat} not found."),
        seats => format!("Seats {} not found.", seats.join(", ")),
    };
    let japanese =
        format!("座席 {} はありません。座席表の seat_id を指定してください。", seat_ids.join("、"));
    refused("seat_not_found", 404, say(japanese, message)).with(json!({ "seat_ids": seat_ids }))
}

/// Another user has reserved the seats (CIN-43).
pub fn seat_already_reserved(seat_ids: &[String]) -> Stop {
    let message = match seat_ids {
        [seat] => format!("Seat {seat} is already occupied."),
        seats => format!("Seats {} are already occupied.", seats.join(", ")),
    };
    let japanese =
        format!("座席 {} は予約済みです。別の座席を選んでください。", seat_ids.join("、"));
    refused("seat_already_reserved", 409, say(japanese, message))
        .with(json!({ "seat_ids": seat_ids }))
}

/// Other users hold the seats, until `held_until` unless they extend.
pub fn seat_held(seat_ids: &[String], held_until: &str) -> Stop {
    let message = match seat_ids {
        [seat] => {
            format!("Seat {seat} is held until {held_until}; choose another, or try again then.")
        }
        seats => format!(
            "Seats {} are held until {held_until}; choose others, or try again then.",
            seats.join(", ")
        ),
    };
    let japanese = format!(
        "座席 {} は {held_until} まで仮押さえされています。別の座席を選ぶか、その後にお試しください。",
        seat_ids.join("、")
    );
    refused("seat_held", 409, say(japanese, message))
        .with(json!({ "seat_ids": seat_ids, "held_until": held_until }))
}

/// The ticket's reservation was cancelled.
pub fn ticket_cancelled(reservation_id: &str, at: Option<&str>) -> Stop {
    let when = at.map(|it| format!(" at {it}")).unwrap_or_default();
    let time = at.map(|it| format!(" {it} に")).unwrap_or_default();
    let message = say(
        format!("この予約は{time}取り消されています。座席はもう確保されていません。"),
        format!("The reservation was cancelled{when}; its seats are no longer theirs."),
    );
    refused("reservation_cancelled", 409, message)
        .with(json!({ "reservation_id": reservation_id, "cancelled_at": at }))
}

/// The reservation was given to another user and has another number.
pub fn reservation_transferred(reservation_id: &str, at: Option<&str>) -> Stop {
    let when = at.map(|it| format!(" at {it}")).unwrap_or_default();
    let time = at.map(|it| format!(" {it} に")).unwrap_or_default();
    let message = say(
        format!("この予約は{time}別の利用者に譲渡されています。新しい予約番号だけが有効です。"),
        format!("The reservation was given to another user{when}; their own ticket counts now."),
    );
    refused("reservation_transferred", 409, message)
        .with(json!({ "reservation_id": reservation_id, "transferred_at": at }))
}

/// Suitable seats are free, so that waiting is unnecessary.
pub fn seats_are_free(showtime_id: &str, seat_ids: &[String]) -> Stop {
    let message = say(
        format!("空席があります（{}）。仮押さえか予約をしてください。", seat_ids.join("、")),
        format!("Seats are free: {}. Hold or reserve them.", seat_ids.join(", ")),
    );
    refused("seats_are_free", 409, message)
        .with(json!({ "showtime_id": showtime_id, "suggestion": { "seat_ids": seat_ids } }))
}

/// The list of the showing, or of the user, is full.
pub fn waiting_list_full(of_showtime: bool, max: u32) -> Stop {
    let message = if of_showtime {
        say(
            format!("この上映のキャンセル待ちは{max}件で満員です。別の上映を選んでください。"),
            format!(
                "The waiting list of this showing has {max} entries, which is all; choose another."
            ),
        )
    } else {
        say(
            format!("一人が待てるのは{max}件までです。先に別のキャンセル待ちをやめてください。"),
            format!(
                "One user may wait for {max} showings; leave the waiting list of another first."
            ),
        )
    };
    let code = if of_showtime { "waiting_list_full" } else { "too_many_waiting" };
    refused(code, 409, message).with(json!({ "entries_max": max }))
}

/// The write failed, or its confirmation was lost.
pub fn not_saved() -> Stop {
    refused(
        "internal_error",
        500,
        say(
            "保存できませんでした。予約の一覧を確かめてから、もう一度お試しください。",
            "Failed to save reservation data. Look what is reserved before you try again.",
        ),
    )
}

// Validation shared by all tools.

/// Maximum characters of identifiers, and of names chosen by callers: users, conversations, idempotency keys.
pub const NAME_CHARS_MAX: usize = 200;

/// Returns a problem if a text is empty or longer than `max` characters.
pub fn length(pointer: &str, text: &str, max: usize) -> Option<Problem> {
    let fits = !is_blank(text) && text.chars().count() <= max;
    let message = || format!("must have 1 to {max} characters, and not spaces alone");
    (!fits).then(|| Problem::at(pointer, message()))
}

/// Returns a problem if an identifier is too long.
pub fn at_most(pointer: &str, id: &str) -> Option<Problem> {
    (id.chars().count() > NAME_CHARS_MAX)
        .then(|| Problem::at(pointer, format!("must have at most {NAME_CHARS_MAX} characters")))
}

/// Rejects the call if there is any problem.
///
/// # Errors
/// All problems.
pub fn reject_problems(problems: impl IntoIterator<Item = Option<Problem>>) -> Result<(), Stop> {
    let problems: Vec<_> = problems.into_iter().flatten().collect();
    if problems.is_empty() { Ok(()) } else { Err(Stop::InvalidArguments(problems)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taken_seat_error_matches_the_specification() {
        let Stop::Refused(one) = seat_already_reserved(&["A2".into()]) else { panic!() };
        assert_eq!(one.message, "Seat A2 is already occupied.");
        assert_eq!((one.code.as_str(), one.status), ("seat_already_reserved", 409));
        assert_eq!(one.details.as_deref(), Some(r#"{"seat_ids":["A2"]}"#));
        let Stop::Refused(two) = seat_already_reserved(&["A2".into(), "A3".into()]) else {
            panic!()
        };
        assert_eq!(two.message, "Seats A2, A3 are already occupied.");
    }

    /// After a lost confirmation the seats may already be taken by the same caller.
    #[test]
    fn failed_write_advises_to_look_first() {
        let Stop::Refused(lost) = not_saved() else { panic!() };
        assert_eq!((lost.code.as_str(), lost.status), ("internal_error", 500));
        let words = "Failed to save reservation data. Look what is reserved";
        assert!(lost.message.starts_with(words), "{}", lost.message);
    }
}
