//! What the box office says when the answer is no: the codes of requirement 2.3, in the caller's language. The
//! specification's own sentences are English, and stand where no language is named.

use output::cinema::Showtime;
use serde_json::json;
use toolkit::{Stop, caller, refused};

/// The one of the two that the caller reads: English, unless they ask for Japanese.
#[must_use]
pub fn say(japanese: impl Into<String>, english: impl Into<String>) -> String {
    // Natively there are unit tests alone, and no caller.
    let is_japanese = cfg!(target_family = "wasm")
        && caller::locale().is_some_and(|it| it.to_lowercase().starts_with("ja"));
    if is_japanese { japanese.into() } else { english.into() }
}

/// No film has this identifier.
#[must_use]
pub fn movie_not_found(movie_id: &str) -> Stop {
    refused(
        "movie_not_found",
        404,
        say(
            "その映画はありません。list_movies の movie_id を指定してください。",
            "Movie not found.",
        ),
    )
    .with(json!({ "movie_id": movie_id }))
}

/// No showtime that is listed has this identifier.
#[must_use]
pub fn showtime_not_found(showtime_id: &str) -> Stop {
    refused(
        "showtime_not_found",
        404,
        say(
            "その上映はありません。list_showtimes の showtime_id を指定してください。",
            "Schedule not found.",
        ),
    )
    .with(json!({ "showtime_id": showtime_id }))
}

/// The screen has no seat plan.
#[must_use]
pub fn seat_data_unavailable(showtime_id: &str) -> Stop {
    refused(
        "seat_data_unavailable",
        404,
        say(
            "この上映には座席表がありません。別の上映を選んでください。",
            "Seat data not available.",
        ),
    )
    .with(json!({ "showtime_id": showtime_id }))
}

/// The showing has begun.
#[must_use]
pub fn showtime_closed(showtime_id: &str, start_time: &str) -> Stop {
    refused(
        "showtime_closed",
        409,
        say(
            format!("この上映は {start_time} に始まっています。別の上映を選んでください。"),
            format!("The showtime began at {start_time}."),
        ),
    )
    .with(json!({ "showtime_id": showtime_id, "start_time": start_time }))
}

/// The staff has closed the sales of the showing.
#[must_use]
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

/// The showing can no longer be booked, or cannot now.
#[must_use]
pub fn not_open(showtime: &Showtime, closed_because: Option<&str>) -> Stop {
    if showtime.is_sales_closed {
        return sales_closed(&showtime.showtime_id, closed_because);
    }
    showtime_closed(&showtime.showtime_id, &showtime.start_time)
}

/// The screen has no such seats.
#[must_use]
pub fn seat_not_found(seat_ids: &[String]) -> Stop {
    let message = match seat_ids {
        [seat] => format!("Seat {seat} not found."),
        seats => format!("Seats {} not found.", seats.join(", ")),
    };
    let japanese =
        format!("座席 {} はありません。座席表の seat_id を指定してください。", seat_ids.join("、"));
    refused("seat_not_found", 404, say(japanese, message)).with(json!({ "seat_ids": seat_ids }))
}

/// Another user was faster (CIN-43).
#[must_use]
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

/// Other users hold the seats, until then at the latest unless they extend it.
#[must_use]
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

/// More seats would be held for one user than may be.
#[must_use]
pub fn too_many_held(showtime_max: usize, all_max: usize, showtime: u32, all: u32) -> Stop {
    let message = format!(
        "One user may hold {showtime_max} seats of a showtime and {all_max} in all at once; \
         {showtime} and {all} are held. Reserve or release some first."
    );
    let japanese = format!(
        "一人が同時に仮押さえできるのは、一つの上映で{showtime_max}席、全部で{all_max}席までです（今は{showtime}席と{all}席）。\
         先に予約するか手放してください。"
    );
    refused("too_many_held", 409, say(japanese, message)).with(json!({
        "seats_held": showtime,
        "seats_held_max": showtime_max,
        "all_seats_held": all,
        "all_seats_held_max": all_max,
    }))
}

/// No hold has this token; or it is of another showtime or user, which is not disclosed.
#[must_use]
pub fn hold_not_found() -> Stop {
    refused(
        "hold_not_found",
        404,
        say(
            "その仮押さえはありません。hold_seats で座席を押さえ直してください。",
            "Hold not found; hold the seats with hold_seats.",
        ),
    )
}

/// The hold is over.
#[must_use]
pub fn hold_expired(expired_at: &str) -> Stop {
    let message = say(
        format!("仮押さえは {expired_at} に終わりました。もう一度押さえてください。"),
        format!("The hold expired at {expired_at}; hold the seats again."),
    );
    refused("hold_expired", 409, message).with(json!({ "expired_at": expired_at }))
}

/// Fewer seats are free than are asked for.
#[must_use]
pub fn not_enough_seats(showtime_id: &str, free: usize, wheelchair_places: usize) -> Stop {
    let message = format!(
        "Only {free} seats and {wheelchair_places} wheelchair places are free; ask for fewer, or \
         choose another showtime."
    );
    let japanese = format!(
        "空いているのは{free}席と車椅子スペース{wheelchair_places}席だけです。席を減らすか、別の上映を選んでください。"
    );
    refused("not_enough_seats", 409, say(japanese, message)).with(json!({
        "showtime_id": showtime_id,
        "free_seats_count": free,
        "free_wheelchair_places_count": wheelchair_places,
    }))
}

/// The key was used for another reservation (CIN-47).
#[must_use]
pub fn idempotency_conflict(key: &str) -> Stop {
    refused(
        "idempotency_conflict",
        409,
        say(
            "この idempotency_key は別の内容の予約に使われています。新しいキーにしてください。",
            "The idempotency key was used with other arguments.",
        ),
    )
    .with(json!({ "idempotency_key": key }))
}

/// What the key reserved was given back (CIN-47).
#[must_use]
pub fn reservation_cancelled(key: &str, reservation_id: &str) -> Stop {
    let message = say(
        format!(
            "この idempotency_key の予約 {reservation_id} は取り消されています。新しいキーで予約してください。"
        ),
        format!(
            "The reservation of this idempotency key, {reservation_id}, was cancelled; reserve again under another key."
        ),
    );
    refused("reservation_cancelled", 409, message)
        .with(json!({ "idempotency_key": key, "reservation_id": reservation_id }))
}

/// The ticket is of a reservation that was cancelled.
#[must_use]
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

/// The reservation is another user's now, under another number.
#[must_use]
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

/// The ticket was used at the door.
#[must_use]
pub fn already_checked_in(reservation_id: &str, at: &str) -> Stop {
    let message = say(
        format!("この予約は {at} に入場に使われているため、変更できません。"),
        format!("The reservation was used at the door at {at}; it can no longer change."),
    );
    refused("already_checked_in", 409, message)
        .with(json!({ "reservation_id": reservation_id, "checked_in_at": at }))
}

/// Seats that would do are free: there is nothing to wait for.
#[must_use]
pub fn seats_are_free(showtime_id: &str, seat_ids: &[String]) -> Stop {
    let message = say(
        format!("空席があります（{}）。仮押さえか予約をしてください。", seat_ids.join("、")),
        format!("Seats are free: {}. Hold or reserve them.", seat_ids.join(", ")),
    );
    refused("seats_are_free", 409, message)
        .with(json!({ "showtime_id": showtime_id, "suggestion": { "seat_ids": seat_ids } }))
}

/// The user waits for the showing, for other seats.
#[must_use]
pub fn already_waiting(waiting_id: &str) -> Stop {
    let message = say(
        "この利用者は、この上映をすでに待っています。先にキャンセル待ちをやめてください。",
        "This user waits for the showing already; leave the waiting list first.",
    );
    refused("already_waiting", 409, message).with(json!({ "waiting_id": waiting_id }))
}

/// The list of the showing, or what one user may wait for, is full.
#[must_use]
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

/// No entry has this identifier; or it is another user's, which is not disclosed.
#[must_use]
pub fn waiting_not_found(waiting_id: &str) -> Stop {
    refused(
        "waiting_not_found",
        404,
        say(
            "そのキャンセル待ちはありません。list_waiting で確かめてください。",
            "No such entry of a waiting list.",
        ),
    )
    .with(json!({ "waiting_id": waiting_id }))
}

/// The database did not keep it; or it did, and its answer was lost on the way.
#[must_use]
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

/// No reservation has this identifier.
#[must_use]
pub fn reservation_not_found(reservation_id: &str) -> Stop {
    refused(
        "reservation_not_found",
        404,
        say(
            "その予約はありません。予約番号（reservation_id）を確かめてください。",
            "Reservation not found.",
        ),
    )
    .with(json!({ "reservation_id": reservation_id }))
}

/// The reservation is another user's.
#[must_use]
pub fn reservation_user_mismatch(reservation_id: &str) -> Stop {
    refused(
        "reservation_user_mismatch",
        403,
        say(
            "その予約は別の利用者のものです。予約した user_id を指定してください。",
            "The reservation belongs to another user.",
        ),
    )
    .with(json!({ "reservation_id": reservation_id }))
}

/// No conversation has this identifier (CIN-62).
#[must_use]
pub fn conversation_not_found(conversation_id: &str) -> Stop {
    refused(
        "conversation_not_found",
        404,
        say(
            "その会話はありません。conversation_id を確かめてください。",
            "Conversation not found.",
        ),
    )
    .with(json!({ "conversation_id": conversation_id }))
}

/// The conversation is another user's (CIN-53).
#[must_use]
pub fn conversation_user_mismatch(conversation_id: &str) -> Stop {
    refused(
        "conversation_user_mismatch",
        403,
        say("その会話は別の利用者のものです。", "The conversation belongs to another user."),
    )
    .with(json!({ "conversation_id": conversation_id }))
}

/// The conversation is as long as one may get.
#[must_use]
pub fn conversation_full(conversation_id: &str) -> Stop {
    refused(
        "conversation_full",
        409,
        say(
            "この会話はいっぱいです。新しい会話を始めてください。",
            "The conversation is full; begin another one.",
        ),
    )
    .with(json!({ "conversation_id": conversation_id }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_seat_is_refused_in_the_words_of_the_specification() {
        let Stop::Refused(one) = seat_already_reserved(&["A2".into()]) else { panic!() };
        assert_eq!(one.message, "Seat A2 is already occupied.");
        assert_eq!((one.code.as_str(), one.status), ("seat_already_reserved", 409));
        assert_eq!(one.details.as_deref(), Some(r#"{"seat_ids":["A2"]}"#));
        let Stop::Refused(two) = seat_already_reserved(&["A2".into(), "A3".into()]) else {
            panic!()
        };
        assert_eq!(two.message, "Seats A2, A3 are already occupied.");
    }

    /// Where the answer to a commit was lost, the seats are taken by the one who would try again.
    #[test]
    fn what_was_not_saved_is_looked_for_before_a_new_try() {
        let Stop::Refused(lost) = not_saved() else { panic!() };
        assert_eq!((lost.code.as_str(), lost.status), ("internal_error", 500));
        let words = "Failed to save reservation data. Look what is reserved";
        assert!(lost.message.starts_with(words), "{}", lost.message);
    }
}
