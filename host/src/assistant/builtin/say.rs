//! What the built-in model says where it does nothing: who it is, what it understands, what is missing.

use super::{desk::Desk, rules::Goal};
use crate::failure::Failure;

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
    let can = SKILLS.iter().filter(|it| it.tools.iter().all(|it| desk.has(it)));
    let lines: Vec<_> = can
        .map(|it| desk.say(format!("- 「{}」", it.example.0), format!("- \"{}\"", it.example.1)))
        .collect();
    if lines.is_empty() {
        return desk.say("いま使えるツールはありません。", "There are no tools on offer now.");
    }
    let head = desk.say("たとえば、次のように書いてください。", "You can write, for example:");
    format!("{head}\n{}", lines.join("\n"))
}

/// A sentence that is not understood.
pub(super) fn not_understood(desk: &Desk<'_>) -> String {
    let head = desk.say(
        "その文は理解できなかったため、何もしていません。私は決まった言い回しだけが分かる内蔵プランナーです。",
        "I did not understand that, so nothing was done. I am the built-in planner and know set phrases only.",
    );
    format!("{head}\n{}", examples(desk))
}

/// A greeting, thanks, or the question what there is.
pub(super) fn hello(desk: &Desk<'_>, goal: Goal) -> String {
    match goal {
        Goal::Thanks => desk.say("どういたしまして。", "You are welcome."),
        _ => {
            let head =
                desk.say("こんにちは。内蔵プランナーです。", "Hello, I am the built-in planner.");
            format!("{head}{}", desk.say(examples(desk), format!(" {}", examples(desk))))
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

/// A reservation is not undone by a sentence.
pub(super) fn cancel(desk: &Desk<'_>) -> String {
    desk.say(
        "予約の取り消しは内蔵プランナーでは行いません。何も取り消していません。予約の表示から、予約番号と利用者IDで取り消してください（上映開始前まで）。",
        "The built-in planner does not cancel reservations; nothing was cancelled. Cancel it from the reservation itself, with its number and the user's ID, before the showing begins.",
    )
}

/// What a tool refused, and what to do.
pub(super) fn failed(desk: &Desk<'_>, failure: &Failure) -> String {
    let mut text = failure.message.clone();
    let names = ["suggestions", "similar", "close_names", "names", "candidates"]
        .iter()
        .find_map(|it| failure.data.get(*it)?.as_array());
    let names: Vec<_> =
        names.into_iter().flatten().filter_map(|it| it.as_str().or(it["name"].as_str())).collect();
    if !names.is_empty() {
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
