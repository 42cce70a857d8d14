//! What the built-in model says where it does nothing: who it is, what it understands, what is missing.

use super::{desk::Desk, rules::Goal};
use crate::Failure;

/// Goals with the tools that they need, their name, and a sentence that leads there.
struct Skill {
    goals: &'static [Goal],
    tools: &'static [&'static str],
    name: (&'static str, &'static str),
    example: (&'static str, &'static str),
}

const SKILLS: &[Skill] = &[
    Skill {
        goals: &[Goal::Book],
        tools: &["list_movies", "list_showtimes", "list_available_seats", "reserve_seats"],
        name: ("映画の座席の予約", "booking seats at the cinema"),
        example: ("明日の夜に2席取りたい", "Book two seats for tomorrow night"),
    },
    Skill {
        goals: &[Goal::Films],
        tools: &["list_movies"],
        name: ("上映中の映画の一覧", "listing films"),
        example: ("明日やっているアニメは？", "What animated films are on tomorrow?"),
    },
    Skill {
        goals: &[Goal::Showtimes],
        tools: &["list_movies", "list_showtimes"],
        name: ("上映時間の検索", "looking up showtimes"),
        example: ("「羅生門」の上映時間を教えて", "When is Rashomon on?"),
    },
    Skill {
        goals: &[Goal::Seats],
        tools: &["list_movies", "list_showtimes", "list_available_seats"],
        name: ("空席の確認", "looking up free seats"),
        example: ("明日の「羅生門」に空席はある？", "Are there seats left for Rashomon tomorrow?"),
    },
    Skill {
        goals: &[Goal::Reservation],
        tools: &["get_reservation"],
        name: ("予約の確認", "looking up a reservation"),
        example: ("予約番号 r-123 の内容を見せて", "Show me reservation r-123"),
    },
    Skill {
        goals: &[Goal::Cancel],
        tools: &["get_reservation", "cancel_reservation"],
        name: ("予約の取り消し", "cancelling a reservation"),
        example: ("予約番号 r-123 を取り消して", "Cancel reservation r-123"),
    },
    Skill {
        goals: &[Goal::History],
        tools: &["get_conversation_history"],
        name: ("対話履歴の取得", "reading a conversation"),
        example: ("会話ID c-1 の履歴を見せて", "Show the history of conversation c-1"),
    },
    Skill {
        goals: &[Goal::Converse],
        tools: &["begin_conversation"],
        name: ("エージェント同士の会話", "having agents talk"),
        example: (
            "worker-aとworker-bでしりとりをして",
            "Let worker-a and worker-b play a word chain",
        ),
    },
    Skill {
        goals: &[Goal::Route],
        tools: &["route_search"],
        name: ("ルート検索", "searching routes"),
        example: (
            "東京駅から横浜駅まで、高速を使わずに",
            "From Tokyo Station to Yokohama Station, no motorways",
        ),
    },
    Skill {
        goals: &[Goal::Distances],
        tools: &["distance_compare"],
        name: ("距離の比較", "comparing distances"),
        example: (
            "東京駅から横浜駅と千葉駅までの距離を比べて",
            "Compare the distances from Tokyo Station to Yokohama and Chiba",
        ),
    },
    Skill {
        goals: &[Goal::Place],
        tools: &["geocode"],
        name: ("場所の検索", "finding a place"),
        example: ("横浜駅はどこ？", "Where is Yokohama Station?"),
    },
    Skill {
        goals: &[Goal::Thumbnail, Goal::Cards],
        tools: &["get_theme_illustrations", "get_card_illustration"],
        name: ("カードイラスト", "card illustrations"),
        example: (
            "ブルー系テーマのカードでサムネイルを作って",
            "Make a thumbnail with blue cards, titled \"Final\"",
        ),
    },
    Skill {
        goals: &[Goal::Forms],
        tools: &["list_form_submissions"],
        name: ("フォームの一覧", "listing forms"),
        example: ("回答されたフォームを見せて", "Which forms have been answered?"),
    },
    Skill {
        goals: &[Goal::Talks, Goal::Agents, Goal::Halt],
        tools: &["list_conversations"],
        name: ("会話の一覧", "listing conversations"),
        example: ("いま続いている会話はある？", "Which conversations are running?"),
    },
    Skill {
        goals: &[Goal::Form],
        tools: &["request_form"],
        name: ("フォームの作成", "making forms"),
        example: (
            "名前とメールアドレスを聞くフォームを作って",
            "Make a form asking for name and email",
        ),
    },
];

/// What is missing for `goal`, where a tool that it needs is not on offer.
pub(super) fn missing(desk: &Desk<'_>, goal: Goal) -> Option<String> {
    let skill = SKILLS.iter().find(|it| it.goals.contains(&goal))?;
    let is_one_enough = skill.goals.contains(&Goal::Cards);
    let lacking: Vec<_> = skill.tools.iter().filter(|it| !desk.has(it)).copied().collect();
    if lacking.is_empty() || is_one_enough && lacking.len() < skill.tools.len() {
        return None;
    }
    let tools = lacking.join(", ");
    let what = desk.language.pick(skill.name.0, skill.name.1);
    Some(desk.say(
        format!("{what}には {tools} が必要ですが、いまは利用できません。{}", examples(desk)),
        format!("For {what}, {tools} is needed, which is not on offer now. {}", examples(desk)),
    ))
}

/// Sentences that lead to what is on offer.
pub(super) fn examples(desk: &Desk<'_>) -> String {
    some_examples(desk, |_| true)
}

/// Goals whose examples are given where little is to be said.
const FEW: &[Goal] = &[
    Goal::Book,
    Goal::Films,
    Goal::Cancel,
    Goal::Route,
    Goal::Thumbnail,
    Goal::Form,
    Goal::Converse,
];

/// A few sentences, of one kind each.
fn few(desk: &Desk<'_>) -> String {
    some_examples(desk, |it| it.goals.iter().any(|it| FEW.contains(it)))
}

fn some_examples(desk: &Desk<'_>, is_given: impl Fn(&Skill) -> bool) -> String {
    let can = SKILLS.iter().filter(|it| is_given(it) && it.tools.iter().all(|it| desk.has(it)));
    let lines: Vec<_> = can
        .map(|it| desk.say(format!("- 「{}」", it.example.0), format!("- \"{}\"", it.example.1)))
        .collect();
    if lines.is_empty() {
        return desk.say("いま使えるツールはありません。", "There are no tools on offer now.");
    }
    let head = desk.say("たとえば、次のように書いてください。", "You can write, for example:");
    format!("{head}\n{}", lines.join("\n"))
}

/// How an answer begins that follows from nothing that was said.
const NOT_UNDERSTOOD: [&str; 2] = [
    "その文は理解できなかったため、何もしていません。私は決まった言い回しだけが分かる内蔵プランナーです。",
    "I did not understand that, so nothing was done. I am the built-in planner and know set phrases only.",
];
/// What an answer says that asks back.
const NOT_DONE: [&str; 2] = ["何もしていません", "nothing was done"];

/// How well what was said is understood, from 0 to 1, by what it leads to.
pub(crate) fn confidence(decision: &crate::Decision) -> f32 {
    let crate::Decision::Conclude(conclusion) = decision else { return 0.9 };
    let text = conclusion.text();
    match () {
        () if NOT_UNDERSTOOD.iter().any(|it| text.starts_with(it)) => 0.0,
        () if NOT_DONE.iter().any(|it| text.contains(it)) => 0.3,
        () => 0.9,
    }
}

/// A sentence that is not understood.
pub(super) fn not_understood(desk: &Desk<'_>) -> String {
    let head = desk.say(NOT_UNDERSTOOD[0], NOT_UNDERSTOOD[1]);
    format!("{head}\n{}", few(desk))
}

/// What no tool here does.
pub(super) fn elsewhere(desk: &Desk<'_>) -> String {
    let head = desk.say(
        "それはこの窓口ではできないため、何もしていません。内蔵プランナーが分かるのは決まった言い回しだけです。",
        "That cannot be done here, so nothing was done. The built-in planner knows set phrases only.",
    );
    format!("{head}\n{}", few(desk))
}

/// Something is pointed to that was not spoken of.
pub(super) fn pointless(desk: &Desk<'_>) -> String {
    desk.say(
        "どれのことか分からないため、何もしていません。名前や番号を書いてください。",
        "I do not know which one you mean, so nothing was done. Please write its name or number.",
    )
}

/// A greeting, thanks, or the question what there is.
pub(super) fn hello(desk: &Desk<'_>, goal: Goal) -> String {
    match goal {
        Goal::Thanks => desk.say("どういたしまして。", "You are welcome."),
        _ => {
            let head =
                desk.say("こんにちは。内蔵プランナーです。", "Hello, I am the built-in planner.");
            format!("{head}{}", desk.say(few(desk), format!(" {}", few(desk))))
        }
    }
}

/// Nothing is done, as was said.
pub(super) fn nothing(desk: &Desk<'_>) -> String {
    desk.say("分かりました。何もしていません。", "Very well: nothing was done.")
}

/// What was done before is not done again.
pub(super) fn told(desk: &Desk<'_>) -> String {
    desk.say(
        format!("以前のことと受け取りました。新しい予約などは何もしていません。{}", examples(desk)),
        format!("I take that as something past; nothing was done now. {}", examples(desk)),
    )
}

/// The reservations of this conversation, or what is needed to look one up.
pub(super) fn bookings(desk: &Desk<'_>, lines: Option<String>) -> String {
    match lines {
        Some(lines) => desk.say(
            format!("この会話での予約です。\n{lines}\nほかの予約は、予約番号（rsv-…）を書くと確認できます。"),
            format!("Reservations of this conversation:\n{lines}\nTo see another one, write its number (rsv-…)."),
        ),
        None => desk.say(
            "この会話で行った予約はありません。予約を確認するには予約番号（rsv-…）を書いてください。例:「予約番号 r-123 の内容を見せて」",
            "Nothing was reserved in this conversation. To look a reservation up, write its number (rsv-…), such as \"show me reservation r-123\".",
        ),
    }
}

/// Prices are not known here.
pub(super) fn price(desk: &Desk<'_>) -> String {
    desk.say(
        "料金・手数料の情報は持っていません。何もしていません。上映時間や空席、予約の確認はできます（例:「明日の「羅生門」に空席はある？」）。",
        "I have no information on prices or fees; nothing was done. I can look up showtimes, free seats and reservations (such as \"Are there seats left for Rashomon tomorrow?\").",
    )
}

/// Words that were not used, beside an answer.
pub(super) fn unused(desk: &Desk<'_>, words: &[String]) -> String {
    let list: Vec<_> =
        words.iter().map(|it| desk.say(format!("「{it}」"), format!("\"{it}\""))).collect();
    let list = list.join(desk.language.pick("", ", "));
    desk.say(
        format!("※{list}の部分は分からないため、考慮していません。"),
        format!("Note: I did not understand {list} and left it out."),
    )
}

/// A sentence that may mean one thing or another: what is not understood, and the two nearest readings.
pub(super) fn unsure(desk: &Desk<'_>, words: &[String], goals: &[Goal]) -> String {
    let near = goals.iter().filter_map(|goal| SKILLS.iter().find(|it| it.goals.contains(goal)));
    let near = near.filter(|it| it.tools.iter().all(|it| desk.has(it)));
    let lines: Vec<_> = near
        .take(2)
        .map(|it| {
            desk.say(
                format!("- {}なら、たとえば「{}」", it.name.0, it.example.0),
                format!("- For {}, write for example \"{}\"", it.name.1, it.example.1),
            )
        })
        .collect();
    if lines.is_empty() {
        return not_understood(desk);
    }
    let quoted: Vec<_> =
        words.iter().map(|it| desk.say(format!("「{it}」"), format!("\"{it}\""))).collect();
    let quoted = quoted.join(desk.language.pick("", ", "));
    let head = match words.is_empty() {
        true => desk.say(
            "ご希望をはっきり読み取れなかったため、まだ何もしていません。次のどちらでしょうか？",
            "I am not sure what you wish, so nothing was done yet. Which of these is it?",
        ),
        false => desk.say(
            format!("{quoted}の部分が分からないため、まだ何もしていません。次のどちらでしょうか？"),
            format!("I do not understand {quoted}, so nothing was done yet. Which of these is it?"),
        ),
    };
    format!("{head}\n{}", lines.join("\n"))
}

/// Codes of refusals in words of both languages.
const CODES: &[(&str, (&str, &str))] = &[
    ("card_not_found", ("そのカードは見つかりませんでした。", "That card was not found.")),
    ("theme_not_found", ("そのテーマは見つかりませんでした。", "That theme was not found.")),
    (
        "reservation_not_found",
        ("その番号の予約は見つかりませんでした。", "There is no reservation with that number."),
    ),
    (
        "reservation_user_mismatch",
        ("その予約は別の利用者のものです。", "That reservation is for another user."),
    ),
    (
        "reservation_cancelled",
        ("その予約は取り消されています。", "That reservation was cancelled."),
    ),
    ("showtime_closed", ("その上映はもう始まっています。", "That showing has begun.")),
    ("showtime_not_found", ("その上映は見つかりませんでした。", "There is no such showing.")),
    ("movie_not_found", ("その映画は見つかりませんでした。", "There is no such film.")),
    (
        "conversation_not_found",
        ("その会話は見つかりませんでした。", "There is no such conversation."),
    ),
    ("place_not_found", ("その場所は見つかりませんでした。", "That place was not found.")),
];

/// Whether a sentence is Japanese: kana stand in it, beside what it quotes and names.
fn is_in_japanese(text: &str) -> bool {
    const QUOTES: [(char, char); 4] = [('"', '"'), ('“', '”'), ('「', '」'), ('『', '』')];
    let mut end = None;
    text.chars().any(|it| {
        match (end, QUOTES.iter().find(|quotes| quotes.0 == it)) {
            (Some(quote), _) if quote == it => end = None,
            (None, Some((_, quote))) => end = Some(*quote),
            (None, None) => return matches!(it, 'ぁ'..='ゖ'),
            (Some(_), _) => {}
        }
        false
    })
}

/// What a tool refused, and what to do.
pub(super) fn failed(desk: &Desk<'_>, failure: &Failure) -> String {
    let mut text = failure.message.clone();
    let is_read = is_in_japanese(&text);
    let own = CODES.iter().find(|it| it.0 == failure.error);
    if let (Some(own), crate::Language::Japanese, false) = (own, desk.language, is_read) {
        let name = ["card_name", "theme", "reservation_id", "address", "place"]
            .iter()
            .find_map(|it| failure.data.get(*it)?.as_str());
        text = name.map_or_else(String::new, |it| format!("「{it}」: ")) + own.1.0;
    }
    let names = ["suggestions", "similar", "close_names", "names", "candidates"]
        .iter()
        .find_map(|it| failure.data.get(*it)?.as_array());
    let names: Vec<_> =
        names.into_iter().flatten().filter_map(|it| it.as_str().or(it["name"].as_str())).collect();
    if !names.is_empty() && !text.contains(names[0]) {
        let list = names.join(desk.language.pick("、", ", "));
        text.push_str(&desk.say(format!(" 近い名前: {list}。"), format!(" Close names: {list}.")));
    }
    match failure.status {
        404 => {
            text + &desk.say(
                " 名前を確かめて、もう一度書いてください。",
                " Check the name and write it again.",
            )
        }
        429 | 503 => {
            text + &desk.say(" しばらくしてからもう一度お試しください。", " Try again in a while.")
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_name_makes_no_sentence_japanese() {
        for text in ["There is no theme \"緑っぽい\".", "No place named “ひので” is known.", "No."]
        {
            assert!(!is_in_japanese(text), "{text}");
        }
        for text in ["「Green」というテーマはありません。", "満席です"] {
            assert!(is_in_japanese(text), "{text}");
        }
    }
}
