//! Sentences: the five of the guidelines, and the messages after them (NAV-51, NAV-61 to NAV-66).

use tests::browser::Look;

use super::{ENDS, Opened};

const PHRASES: [(&str, &str, &str); 5] = [
    ("渋滞を避けて", "traffic", "departure_time"),
    ("高速使わない", "highways", "highways"),
    ("一番早い", "fastest", "alternatives"),
    ("比較して", "compare", "alternatives"),
    ("右折少なめ", "rights", "alternatives"),
];

#[tokio::test(flavor = "multi_thread")]
async fn draws_five_phrases_as_five_plans_with_reasons() {
    let opened = Opened::with(Look::DESKTOP.japanese()).await;
    opened.ends(ENDS.0, ENDS.1).await;
    let mut plans = Vec::new();
    for (phrase, name, param) in PHRASES {
        opened.browser.hit("button", phrase).await;
        opened.browser.holds("ナビ条件", phrase).await;
        opened.search().await;
        opened.answered().await;
        opened.browser.says(".nav-advice-text", "").await;
        let log = opened.log().await;
        assert!(!log.is_empty(), "{phrase}: no tool was called");
        assert_eq!(log[0].0, "route_search", "{phrase}");
        assert!(log.iter().any(|it| it.1.contains(param)), "{phrase}: {log:?}");
        let reasons = opened
            .browser
            .script("return document.querySelector('.nav-advice-text').textContent")
            .await;
        let reasons = reasons.as_str().unwrap().to_owned();
        assert!(!reasons.is_empty(), "{phrase}");
        // Both pins, a line on top with its casing, and the list that says the same (NAV-63, NAV-64).
        opened
            .browser
            .until(
                "document.querySelector('.pin.is-start') && document.querySelector('.pin.is-goal')",
            )
            .await;
        opened.browser.until("document.querySelector('path.route-line.is-chosen')").await;
        plans.push((log, reasons));
        opened.browser.whole_picture(&format!("navigation-{name}"), opened.look).await;
    }
    for (index, plan) in plans.iter().enumerate() {
        for other in &plans[..index] {
            assert_ne!(plan, other, "two phrases lead to one plan");
        }
    }
    assert!(plans[1].0[0].1.contains("avoid"), "without motorways: {:?}", plans[1].0);
    assert!(plans[3].0.len() > 1 || plans[3].0[0].1.contains("true"), "{:?}", plans[3].0);
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_of_a_route_has_a_pin() {
    let opened = Opened::with(Look::DESKTOP.japanese()).await;
    opened.ends(ENDS.0, ENDS.1).await;
    opened.ask("川崎駅を経由して").await;
    let is_there = "[...document.querySelectorAll('.pin-head')]
        .some(it => it.ariaLabel.startsWith('経由地') && it.ariaLabel.includes('川崎'))";
    opened.browser.until(is_there).await;
    opened.browser.picture("navigation-stop").await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn next_condition_changes_route_and_keeps_conversation() {
    let opened = Opened::with(Look::PHONE).await;
    opened.ends(ENDS.0, ENDS.1).await;
    opened.ask("The fastest").await;
    let before = opened.directions().await;
    opened.browser.fill("Change the condition", "no motorways").await;
    opened.browser.hit("button", "Search again").await;
    opened.browser.says("main", "no motorways").await;
    let changed = format!(
        "document.querySelector('.nav-step-text') && JSON.stringify([...document.querySelectorAll('.nav-step-text')].map(it => it.textContent.trim())) !== {}",
        serde_json::to_string(&serde_json::to_string(&before).unwrap()).unwrap()
    );
    opened.browser.until(&changed).await;
    opened.answered().await;
    let log = opened.log().await;
    assert!(log.iter().any(|it| it.1.contains("highways")), "{log:?}");
    opened.browser.says("main", "The fastest").await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn disables_search_while_a_place_is_missing() {
    let opened = Opened::with(Look::DESKTOP).await;
    let is_off = "document.getElementById('nav-search').disabled";
    opened.browser.until(is_off).await;
    opened.browser.fill("From", "東京駅").await;
    opened.browser.fill("To", "   ").await;
    opened.browser.fill("Condition", "The fastest").await;
    opened.browser.until(is_off).await;
    opened.browser.fill("To", "横浜駅").await;
    opened.browser.until(&format!("!{is_off}")).await;
    opened.close().await;
}

/// From one place to another is enough, also as a link; and no AI is claimed where none runs.
#[tokio::test(flavor = "multi_thread")]
async fn router_answers_without_condition_and_claims_no_ai() {
    let opened = Opened::with(Look::PHONE.japanese()).await;
    opened.browser.says(".nav-foot", "内蔵のプランナー").await;
    opened.ends(ENDS.0, ENDS.1).await;
    opened.search().await;
    opened.answered().await;
    assert!(opened.browser.all(".nav-advice").await.is_empty(), "nothing was asked of the planner");
    opened.browser.go("#/chat").await;
    opened.browser.go("#/navigation?from=東京駅&to=鎌倉駅&mode=ai").await;
    opened.browser.holds("目的地", "鎌倉駅").await;
    opened.answered().await;
    opened.ask("一番早い").await;
    opened.browser.says(".nav-advice", "内蔵のプランナー").await;
    let text = opened.browser.text("main").await;
    for claim in ["Claude", "Google", "PoC", "AI によるもの", "AI の選択"] {
        assert!(!text.contains(claim), "{claim}: {text}");
    }
    opened.close().await;
}

/// What is found has words in it: directions, notes, times.
#[tokio::test(flavor = "multi_thread")]
async fn switching_language_translates_found_routes() {
    let opened = Opened::with(Look::DESKTOP.japanese()).await;
    opened.ends(ENDS.0, ENDS.1).await;
    opened.search().await;
    opened.answered().await;
    opened.browser.says(".nav-found", "分").await;
    opened.browser.fill("目的地", "鎌倉駅").await;
    opened.browser.leave().await;
    opened.browser.hit("button", "English").await;
    opened.browser.says(".nav-found", "Head ").await;
    opened.browser.until("!document.querySelector('.nav-found').innerText.includes('分')").await;
    opened.browser.holds("To", "鎌倉駅").await;
    opened.close().await;
}
