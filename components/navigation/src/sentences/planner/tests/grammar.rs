//! The table: which sentences mean what, and which look like it and do not.

use language::{Date, scan::normal};

use super::super::grammar::tokens;
use super::*;
use crate::sentences::planner::{
    constraints::Once,
    grammar::{PHRASES, Topic},
};

fn of(change: impl FnOnce(&mut Constraints)) -> Constraints {
    let mut constraints =
        Constraints { once: Once { is_read: true, ..Once::default() }, ..Constraints::default() };
    change(&mut constraints);
    constraints.once.ruled = constraints.rule;
    constraints
}

#[track_caller]
fn all_mean(sentences: &[&str], expected: &Constraints) {
    for sentence in sentences {
        let mut found = constraints(sentence);
        found.once.modes = Vec::new();
        assert_eq!(found, *expected, "{sentence}");
    }
}

#[test]
fn phrases_are_normalized_and_unique() {
    let mut all: Vec<_> = PHRASES.iter().flat_map(|it| it.1.split('|')).collect();
    for phrase in &all {
        let read: String = normal(phrase).iter().collect();
        let is_break = phrase.trim().is_empty();
        assert!(read == *phrase || is_break, "{phrase:?} is read as {read:?}");
        let found = tokens(&normal(phrase), Date::constant(2026, 11, 21));
        assert!(found.len() == 1 || is_break, "{phrase:?} is one phrase: {found:?}");
    }
    all.sort_unstable();
    let twice: Vec<_> = all.windows(2).filter(|it| it[0] == it[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn reads_phrases_that_avoid_motorways() {
    all_mean(
        &[
            "高速使わない",
            "高速じゃなくて一般道で",
            "高速は使わないで",
            "高速を使わずに行きたい",
            "高速道路を避けて",
            "高速なしで",
            "高速無しでお願いします",
            "高速は嫌",
            "高速には乗らない",
            "高速に乗らずに",
            "高速で行かないで",
            "首都高を通らずに",
            "高速以外で",
            "下道で",
            "一般道でお願い",
            "下道だけで行って",
            "高速だけは勘弁して",
            "ハイウェイは避けたい",
            "高速では行きたくない",
            "高速道路を使いたくない",
            "ｈｉｇｈｗａｙなし",
            "高速抜き",
            "高速道路を利用せずに",
            "高速を使用せずに行きたい",
            "高速に入らないで",
            "高速はやめて",
            "no highways",
            "without motorways",
            "avoid highways please",
            "Don't use the freeway",
            "I do not want to take expressways",
            "stay off the motorway",
            "skip the highway",
            "local roads only",
            "use back roads",
            "I'd rather not take the highway",
        ],
        &of(|it| it.no_highways = true),
    );
}

#[test]
fn reads_phrases_that_use_motorways() {
    all_mean(
        &[
            "高速を使って",
            "高速で行きたい",
            "高速に乗って",
            "高速道路を利用して",
            "高速OK",
            "高速を優先して",
            "高速でも構わない",
            "首都高経由で",
            "首都高速を経由して",
            "via the expressway",
            "use the highway",
            "highways are fine",
            "take the motorway",
            "with expressways",
        ],
        &of(|_| {}),
    );
}

#[test]
fn distinguishes_avoided_and_used_topics() {
    all_mean(
        &[
            "高速は使って、フェリーは避けて",
            "フェリーは嫌",
            "フェリー禁止",
            "フェリーには乗らない",
            "船は使わない",
            "no ferries",
            "I hate ferries",
            "use highways but avoid ferries",
            "no ferries, highways are fine",
            "use the highway, no ferries",
        ],
        &of(|it| it.no_ferries = true),
    );
    all_mean(
        &[
            "有料道路も避けて",
            "有料はなし",
            "高速代を払いたくない",
            "無料の道で",
            "avoid tolls",
            "toll-free",
            "no toll roads",
            "without paying is no wish, but no tolls is",
        ],
        &of(|it| it.no_tolls = true),
    );
    all_mean(
        &["高速も有料道路も使わないで", "no highways or tolls", "avoid highways, tolls"],
        &of(|it| (it.no_highways, it.no_tolls) = (true, true)),
    );
}

#[test]
fn reads_phrases_for_rules() {
    let rule = |rule| of(|it| it.rule = Some(rule));
    all_mean(
        &[
            "一番早い",
            "一番速いルートで",
            "最速で",
            "最短で",
            "最短時間で",
            "できるだけ早く着きたい",
            "急いでいます",
            "いちばん早い道",
            "とにかく早く",
            "時間優先で",
            "fastest route",
            "the quickest way",
            "as soon as possible",
            "I'm in a hurry",
        ],
        &rule(Rule::Fastest),
    );
    all_mean(
        &["最短距離で", "距離が短いルート", "一番近い道", "the shortest route"],
        &rule(Rule::Shortest),
    );
    all_mean(&["一番安いルート", "料金を抑えたい", "cheapest please"], &rule(Rule::Cheapest));
    all_mean(
        &[
            "右折少なめ",
            "右折が少ないルート",
            "右折を避けて",
            "なるべく右折したくない",
            "右折なしで",
            "右折は苦手",
            "右に曲がりたくない、右折は減らして",
            "fewer right turns",
            "avoid right turns",
            "minimise right turns",
            "fewest right turns",
        ],
        &rule(Rule::FewestRightTurns),
    );
}

#[test]
fn reads_congestion_comparisons_and_walks() {
    all_mean(
        &[
            "渋滞を避けて",
            "渋滞回避",
            "混んでいない道",
            "空いている道で",
            "混雑は避けたい",
            "avoid traffic",
            "no traffic jams",
            "渋滞なしで",
            "リアルタイムの交通状況を考慮して",
            "最新の交通情報を使って",
            "渋滞情報を見て決めて",
            "take current traffic into account",
            "using real-time traffic",
        ],
        &of(|it| it.traffic = true),
    );
    all_mean(
        &[
            "比較して",
            "代替ルートも",
            "代替案も出して",
            "show alternative routes",
            "ルートを比べて",
            "候補を見せて",
            "compare the routes",
            "show me alternatives",
        ],
        &of(|it| it.once.compare = true),
    );
    all_mean(
        &["渋滞は気にせず", "don't take traffic conditions into account", "交通状況を考慮しない"],
        &of(|_| {}),
    );
    all_mean(
        &["歩いて", "徒歩で行きたい", "on foot", "I want to walk"],
        &of(|it| it.walking = true),
    );
    all_mean(&["自転車で行きたい", "by bike"], &of(|it| it.cycling = true));
    all_mean(
        &["おまかせ", "おすすめのルートで", "特になし", "anything goes", "今から", "車で"],
        &of(|_| {}),
    );
}

#[test]
fn compares_with_and_without_a_topic() {
    let both = |topic| {
        of(|plan| {
            plan.once.compare = true;
            plan.once.both.insert(topic);
        })
    };
    all_mean(
        &[
            "高速ありと高速なしで比較して",
            "高速を使わないルートと使うルートを比較して",
            "高速を使う場合と使わない場合を比較して",
            "高速あり・なしで比べて",
            "高速ありとなしで比較",
            "高速の有無で比較して",
            "高速と一般道を比較して",
            "compare routes with and without highways",
            "compare taking the motorway and not taking it",
        ],
        &both(Topic::Highways),
    );
    all_mean(
        &["compare with tolls and without tolls", "compare with tolls or without"],
        &both(Topic::Tolls),
    );
    all_mean(
        &["高速は使わないで比較して", "高速は使わなくていいから比較して", "compare, no highways"],
        &of(|it| (it.once.compare, it.no_highways) = (true, true)),
    );
    all_mean(
        &["compare, use highways and avoid tolls", "高速は使って、有料道路は避けて比較して"],
        &of(|it| (it.once.compare, it.no_tolls) = (true, true)),
    );
}

#[test]
fn ignores_lookalikes_of_constraints() {
    for sentence in [
        "",
        "よろしく",
        "楽しみです",
        "早朝の船橋",
        "breakfast",
        "notable knowledge",
        "高速",
        "国道駅",
        "I know",
        "一般的に",
        "a nice trip",
        "高速バス",
        "<script>alert(1)</script>",
        "🚗💨",
    ] {
        assert_eq!(constraints(sentence), Constraints::default(), "{sentence}");
    }
}

#[test]
fn names_unsupported_constraints() {
    for (sentence, unsupported) in [
        ("電車で", Unsupported::Transit),
        ("by train", Unsupported::Transit),
        ("景色のいい道", Unsupported::Scenery),
        ("川崎を経由して", Unsupported::Stopover),
        ("大通りを通って", Unsupported::Road),
        ("細い道は避けて", Unsupported::Road),
        ("avoid narrow streets", Unsupported::Road),
        ("7時までに着きたい", Unsupported::Arrival),
        ("arrive at 7", Unsupported::Arrival),
    ] {
        let constraints = constraints(sentence);
        assert!(constraints.once.unsupported.contains(&unsupported), "{sentence}: {constraints:?}");
        assert_eq!(constraints.departure, None, "{sentence}");
    }
}

#[test]
fn departure_is_next_matching_moment_in_japan() {
    for (sentence, moment) in [
        ("7時に出発", "2026-11-22T07:00:00+09:00"),
        ("19時に出発", "2026-11-21T19:00:00+09:00"),
        ("午後3時半に出る", "2026-11-21T15:30:00+09:00"),
        ("午後３時１５分発", "2026-11-21T15:15:00+09:00"),
        ("明日の朝8時に出発", "2026-11-22T08:00:00+09:00"),
        ("明日18:30", "2026-11-22T18:30:00+09:00"),
        ("あさって七時に", "2026-11-23T07:00:00+09:00"),
        ("十二時に出発", "2026-11-21T12:00:00+09:00"),
        ("正午に出ます", "2026-11-21T12:00:00+09:00"),
        ("夜8時", "2026-11-21T20:00:00+09:00"),
        ("24時に出発", "2026-11-22T00:00:00+09:00"),
        ("30分後に出発", "2026-11-21T10:30:00+09:00"),
        ("2時間後", "2026-11-21T12:00:00+09:00"),
        ("leave at 7", "2026-11-22T07:00:00+09:00"),
        ("leave at 7:30 pm", "2026-11-21T19:30:00+09:00"),
        ("tomorrow at 8am", "2026-11-22T08:00:00+09:00"),
        ("at noon", "2026-11-21T12:00:00+09:00"),
        ("in 45 minutes", "2026-11-21T10:45:00+09:00"),
        ("in an hour", "2026-11-21T11:00:00+09:00"),
        ("leave at 6pm", "2026-11-21T18:00:00+09:00"),
        ("7:30pm", "2026-11-21T19:30:00+09:00"),
        ("departing tomorrow 8:30", "2026-11-22T08:30:00+09:00"),
        ("2026/12/05 9:00に出発", "2026-12-05T09:00:00+09:00"),
        ("2026-12-05 09:00", "2026-12-05T09:00:00+09:00"),
        ("2026年12月5日9時に出発", "2026-12-05T09:00:00+09:00"),
        ("2026-12-05T18:30:00+09:00に出発", "2026-12-05T18:30:00+09:00"),
        ("leave at 2026-12-05T09:30:00Z", "2026-12-05T18:30:00+09:00"),
        ("2026-12-05T18:30", "2026-12-05T18:30:00+09:00"),
        ("leave on December 5th at 9", "2026-12-05T09:00:00+09:00"),
        ("5 December at 9:00", "2026-12-05T09:00:00+09:00"),
        ("12/5 9時発", "2026-12-05T09:00:00+09:00"),
        ("3日後の8時", "2026-11-24T08:00:00+09:00"),
        ("明朝8時", "2026-11-22T08:00:00+09:00"),
        ("翌朝8時に出発", "2026-11-22T08:00:00+09:00"),
        ("明晩8時", "2026-11-22T20:00:00+09:00"),
        ("土曜の9時", "2026-11-28T09:00:00+09:00"),
    ] {
        let request = calls(&request(sentence));
        assert_eq!(request[0].arguments["departure_time"], moment, "{sentence}");
    }
    let early =
        RouteRequest { now: "2026-11-21T06:00:00+09:00".parse().unwrap(), ..request("明朝8時") };
    assert_eq!(calls(&early)[0].arguments["departure_time"], "2026-11-22T08:00:00+09:00");
    for sentence in ["2025/12/05 9:00に出発", "2026-11-20T09:00:00+09:00"] {
        let over = constraints(sentence);
        assert_eq!(over.departure, None, "{sentence}");
        assert!(over.once.unsupported.contains(&Unsupported::Past), "{sentence}");
    }
    for sentence in ["25時に出発", "7:99", "2時間で着く?", "99999時", "10000分後", "12345:00"]
    {
        assert_eq!(constraints(sentence).departure, None, "{sentence}");
    }
}
