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
async fn five_phrases_lead_to_five_plans_each_drawn_with_its_reasons() {
    let it = Opened::with(Look::DESKTOP.japanese()).await;
    it.ends(ENDS.0, ENDS.1).await;
    let mut plans = Vec::new();
    for (phrase, name, param) in PHRASES {
        it.browser.hit("button", phrase).await;
        it.browser.holds("ナビ条件", phrase).await;
        it.search().await;
        it.answered().await;
        it.browser.says(".nav-advice-text", "").await;
        let log = it.log().await;
        assert!(!log.is_empty(), "{phrase}: no tool was called");
        assert_eq!(log[0].0, "route_search", "{phrase}");
        assert!(log.iter().any(|it| it.1.contains(param)), "{phrase}: {log:?}");
        let reasons = it
            .browser
            .script("return document.querySelector('.nav-advice-text').textContent")
            .await;
        let reasons = reasons.as_str().unwrap().to_owned();
        assert!(!reasons.is_empty(), "{phrase}");
        // Both pins, a line on top with its casing, and the list that says the same (NAV-63, NAV-64).
        it.browser
            .until(
                "document.querySelector('.pin.is-start') && document.querySelector('.pin.is-goal')",
            )
            .await;
        it.browser.until("document.querySelector('path.route-line.is-chosen')").await;
        plans.push((log, reasons));
        it.browser.whole_picture(&format!("navigation-{name}"), it.look).await;
    }
    for (index, plan) in plans.iter().enumerate() {
        for other in &plans[..index] {
            assert_ne!(plan, other, "two phrases lead to one plan");
        }
    }
    assert!(plans[1].0[0].1.contains("avoid"), "without motorways: {:?}", plans[1].0);
    assert!(plans[3].0.len() > 1 || plans[3].0[0].1.contains("true"), "{:?}", plans[3].0);
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn next_condition_changes_the_route_and_keeps_the_conversation() {
    let it = Opened::with(Look::PHONE).await;
    it.ends(ENDS.0, ENDS.1).await;
    it.ask("The fastest").await;
    let before = it.directions().await;
    it.browser.fill("Change the condition", "no motorways").await;
    it.browser.hit("button", "Search again").await;
    it.browser.says("main", "no motorways").await;
    let changed = format!(
        "document.querySelector('.nav-step-text') && JSON.stringify([...document.querySelectorAll('.nav-step-text')].map(it => it.textContent.trim())) !== {}",
        serde_json::to_string(&serde_json::to_string(&before).unwrap()).unwrap()
    );
    it.browser.until(&changed).await;
    it.answered().await;
    let log = it.log().await;
    assert!(log.iter().any(|it| it.1.contains("highways")), "{log:?}");
    it.browser.says("main", "The fastest").await;
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_can_be_searched_while_a_place_is_missing() {
    let it = Opened::with(Look::DESKTOP).await;
    let is_off = "document.getElementById('nav-search').disabled";
    it.browser.until(is_off).await;
    it.browser.fill("From", "東京駅").await;
    it.browser.fill("To", "   ").await;
    it.browser.fill("Condition", "The fastest").await;
    it.browser.until(is_off).await;
    it.browser.fill("To", "横浜駅").await;
    it.browser.until(&format!("!{is_off}")).await;
    it.close().await;
}

/// From one place to another is enough, also as a link; and no AI is claimed where none runs.
#[tokio::test(flavor = "multi_thread")]
async fn without_a_condition_the_router_answers_and_no_ai_is_claimed() {
    let it = Opened::with(Look::PHONE.japanese()).await;
    it.browser.says(".nav-foot", "内蔵のプランナー").await;
    it.ends(ENDS.0, ENDS.1).await;
    it.search().await;
    it.answered().await;
    assert!(it.browser.all(".nav-advice").await.is_empty(), "nothing was asked of the planner");
    it.browser.go("#/chat").await;
    it.browser.go("#/navigation?from=東京駅&to=鎌倉駅&mode=ai").await;
    it.browser.holds("目的地", "鎌倉駅").await;
    it.answered().await;
    it.ask("一番早い").await;
    it.browser.says(".nav-advice", "内蔵のプランナー").await;
    let text = it.browser.text("main").await;
    for claim in ["Claude", "Google", "PoC", "AI によるもの", "AI の選択"] {
        assert!(!text.contains(claim), "{claim}: {text}");
    }
    it.close().await;
}

/// What is found has words in it: directions, notes, times.
#[tokio::test(flavor = "multi_thread")]
async fn another_language_is_that_of_what_was_found_too() {
    let it = Opened::with(Look::DESKTOP.japanese()).await;
    it.ends(ENDS.0, ENDS.1).await;
    it.search().await;
    it.answered().await;
    it.browser.says(".nav-found", "分").await;
    it.browser.fill("目的地", "鎌倉駅").await;
    it.browser.leave().await;
    it.browser.hit("button", "English").await;
    it.browser.says(".nav-found", "Head ").await;
    it.browser.until("!document.querySelector('.nav-found').innerText.includes('分')").await;
    it.browser.holds("To", "鎌倉駅").await;
    it.close().await;
}
