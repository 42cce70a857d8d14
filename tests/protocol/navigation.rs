//! Navigation from the outside: asked by a client that others wrote, and by people in a browser.

use fantoccini::key::Key;
use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    client::Foreign,
    server::TestServer,
};

/// The place, open in a browser.
struct Opened {
    server: TestServer,
    browser: Browser,
    look: Look,
}

/// The bundled network's own two stations.
const ENDS: (&str, &str) = ("東京駅", "横浜駅");

impl Opened {
    async fn with(look: Look) -> Self {
        let server = TestServer::with(&["assistant", "navigation"]).await;
        Self::at(server, look).await
    }

    async fn at(server: TestServer, look: Look) -> Self {
        let browser = Browser::open_at(&server.url(), "#/navigation", look).await;
        let opened = Self { server, browser, look };
        opened.browser.role("heading", opened.word("ルートを探す", "Find a route")).await;
        opened
    }

    /// What the page says in the browser's language.
    fn word(&self, japanese: &'static str, english: &'static str) -> &'static str {
        if self.look.language == "ja" { japanese } else { english }
    }

    async fn mode(&self, japanese: &'static str, english: &'static str) {
        self.browser.hit("radio", self.word(japanese, english)).await;
    }

    /// Says where from and where to; what is suggested is put away.
    async fn ends(&self, from: &str, to: &str) {
        for (label, text) in [(self.word("出発地", "From"), from), (self.word("目的地", "To"), to)]
        {
            self.browser.fill(label, text).await;
            self.browser.holds(label, text).await;
            self.browser.key(Key::Tab).await;
        }
    }

    async fn search(&self) {
        self.browser.hit("button", self.word("ルート検索", "Search routes")).await;
    }

    /// Asks in the AI mode, and waits until the answer is there.
    async fn ask(&self, condition: &str) {
        self.browser.fill(self.word("ナビ条件", "Condition"), condition).await;
        self.search().await;
        self.answered().await;
    }

    /// Waits until there is a route with its directions, and nothing runs.
    async fn answered(&self) {
        self.browser.until("document.querySelectorAll('.nav-steps button').length > 2").await;
        self.browser
            .until("document.querySelector('.nav-result')?.getAttribute('aria-busy') === 'false'")
            .await;
    }

    /// The calls of the log: tool, and parameters as they are written.
    async fn log(&self) -> Vec<(String, String)> {
        let script = "return [...document.querySelectorAll('.nav-log-entry')]
            .filter(it => it.querySelector('.nav-log-params'))
            .map(it => [it.querySelector('.nav-log-name').textContent,
                [...it.querySelectorAll('.nav-log-params li')].map(it => it.textContent.trim()).join('; ')]);";
        serde_json::from_value(self.browser.script(script).await).unwrap()
    }

    /// What the routes are called.
    async fn names(&self) -> Vec<String> {
        let script = "return [...document.querySelectorAll('input[name=nav-route]')]
            .map(it => it.nextElementSibling.firstChild.textContent.trim());";
        serde_json::from_value(self.browser.script(script).await).unwrap()
    }

    /// The index of the one that is looked at.
    async fn chosen(&self) -> Value {
        let script = "return [...document.querySelectorAll('input[name=nav-route]')].findIndex(it => it.checked);";
        self.browser.script(script).await
    }

    async fn directions(&self) -> Vec<String> {
        let script = "return [...document.querySelectorAll('.nav-step-text')].map(it => it.textContent.trim());";
        serde_json::from_value(self.browser.script(script).await).unwrap()
    }

    async fn close(self) {
        assert_eq!(self.browser.complaints().await, Vec::<String>::new());
        self.browser.close().await;
    }
}

// Sentences: the five of the guidelines, and the messages after them (NAV-51, NAV-61 to NAV-66).

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

// Alternatives and steps, in the list and on the map; files to take along; the link (NAV-64).

/// Clicks in the middle of a piece of a path, as the map has drawn it.
const CLICK_PATH: &str = "
    const it = [...document.querySelectorAll(arguments[0])].at(arguments[1]);
    const steps = 40;
    for (let i = 1; i < steps; i++) {
        const at = it.getPointAtLength(it.getTotalLength() * i / steps).matrixTransform(it.getScreenCTM());
        if (document.elementFromPoint(at.x, at.y) !== it) continue;
        for (const kind of ['mousedown', 'mouseup', 'click'])
            it.dispatchEvent(new MouseEvent(kind, { bubbles: true, cancelable: true, view: window, clientX: at.x, clientY: at.y }));
        return true;
    }
    return false;";

async fn normal(look: Look) -> Opened {
    let opened = Opened::with(look).await;
    opened.mode("通常モード", "Normal").await;
    opened.ends(ENDS.0, ENDS.1).await;
    opened.search().await;
    opened.answered().await;
    opened
}

#[tokio::test(flavor = "multi_thread")]
async fn chooses_alternative_in_list_or_on_map() {
    let opened = normal(Look::DESKTOP).await;
    let names = opened.names().await;
    assert!((2..=3).contains(&names.len()), "{names:?}");
    assert!(names.windows(2).all(|it| it[0] != it[1]), "{names:?}");
    assert_eq!(opened.chosen().await, 0);
    let before = opened.directions().await;
    opened.browser.hit("radio", &names[1]).await;
    opened.browser.until("document.querySelectorAll('input[name=nav-route]')[1].checked").await;
    assert_ne!(opened.directions().await, before, "the directions are those of the chosen route");
    // Grey lines come first among those that can be clicked.
    opened.browser.until("document.querySelectorAll('path.route-hit').length > 1").await;
    opened
        .browser
        .script("document.querySelector('.route-map').scrollIntoView({ block: 'center' })")
        .await;
    tests::until("a grey line can be clicked somewhere", async || {
        opened.browser.ask(CLICK_PATH, vec![json!("path.route-hit"), json!(0)]).await == true
    })
    .await;
    opened.browser.until("!document.querySelectorAll('input[name=nav-route]')[1].checked").await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn links_steps_and_line_segments_both_ways() {
    let opened = normal(Look::DESKTOP).await;
    let steps = opened.browser.all(".nav-step").await;
    opened.browser.tap(&steps[1]).await;
    opened.browser.until("document.querySelector('path.route-step')").await;
    opened
        .browser
        .until("document.querySelectorAll('.nav-step')[1].getAttribute('aria-current') === 'step'")
        .await;
    opened
        .browser
        .script("document.querySelector('.route-map').scrollIntoView({ block: 'center' })")
        .await;
    // It is the last.
    tests::until("the chosen line can be clicked", async || {
        opened.browser.ask(CLICK_PATH, vec![json!("path.route-hit"), json!(-1)]).await == true
    })
    .await;
    opened.browser.until("document.querySelector('.nav-step[aria-current=step]')").await;
    // On a phone the steps go by below the map, which stays in sight.
    opened.browser.look(Look::PHONE).await;
    opened.browser.click(".nav-step").await;
    let is_seen = "(() => { const { top, bottom } = document.querySelector('.route-map').getBoundingClientRect();
        return bottom > 100 && top < innerHeight - 100; })()";
    opened.browser.until(is_seen).await;
    opened.close().await;
}

/// What a file that is saved holds: name, type and text of the last one.
async fn saved(browser: &Browser, button: &str) -> Value {
    browser.script("
        window.saved = null;
        const make = URL.createObjectURL;
        URL.createObjectURL = it => { it.text().then(text => { window.saved = { type: it.type, text }; }); return make.call(URL, it); };").await;
    browser.hit("button", button).await;
    browser.until("window.saved").await;
    browser.script("return window.saved").await
}

#[tokio::test(flavor = "multi_thread")]
async fn gpx_and_geojson_contain_the_shown_route() {
    let opened = normal(Look::DESKTOP).await;
    let gpx = saved(&opened.browser, "GPX").await;
    let text = gpx["text"].as_str().unwrap();
    assert!(text.starts_with("<?xml") && text.contains("<trkpt lat=\"35."), "{}", &text[..200]);
    let geo = saved(&opened.browser, "GeoJSON").await;
    let geo: Value = serde_json::from_str(geo["text"].as_str().unwrap()).unwrap();
    assert_eq!(geo["type"], "FeatureCollection");
    let features = geo["features"].as_array().unwrap();
    let line = features.iter().find(|it| it["geometry"]["type"] == "LineString").unwrap();
    let points = line["geometry"]["coordinates"].as_array().unwrap().len();
    assert_eq!(text.matches("<trkpt").count(), points, "both have all of the line");
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn back_from_first_route_returns_to_previous_view() {
    let opened = Opened::with(Look::DESKTOP).await;
    opened.browser.go("#/chat").await;
    opened.browser.go("#/navigation").await;
    opened.mode("通常モード", "Normal").await;
    opened.ends(ENDS.0, ENDS.1).await;
    opened.search().await;
    opened.answered().await;
    opened.browser.script("history.back()").await;
    opened.browser.until("location.hash.startsWith('#/chat')").await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn shared_link_opens_the_same_routes() {
    let opened = normal(Look::DESKTOP).await;
    let names = opened.names().await;
    assert!(names.len() > 1, "{names:?}");
    let directions = opened.directions().await;
    let hash = opened.browser.script("return location.hash").await.as_str().unwrap().to_owned();
    assert!(hash.starts_with("#/navigation?"), "{hash}");
    let other = Browser::open_at(&opened.server.url(), &hash, Look::PHONE).await;
    let other = Opened {
        server: TestServer::with(&["assistant", "navigation"]).await,
        browser: other,
        look: Look::PHONE,
    };
    other.answered().await;
    assert_eq!(other.names().await, names);
    assert_eq!(other.directions().await, directions);
    other.close().await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_code_of_a_search_is_reported_once() {
    let server = TestServer::with(&["assistant", "navigation"]).await;
    let browser = Browser::open_at(&server.url(), "icon.svg", Look::PHONE).await;
    browser.devtools("Network.enable", json!({})).await;
    browser.devtools("Network.setCacheDisabled", json!({ "cacheDisabled": true })).await;
    let blocked = json!({ "urls": ["*split_navigation_found*"] });
    browser.devtools("Network.setBlockedURLs", blocked).await;
    browser.go("#/navigation?from=東京駅&to=横浜駅&mode=normal").await;
    browser.says(".nav-found", "could not be loaded").await;
    assert_eq!(browser.all(".nav-found [role=alert]").await.len(), 1);
    browser.devtools("Network.setBlockedURLs", json!({ "urls": [] })).await;
    browser.hit("button", "Try again").await;
    let opened = Opened { server, browser, look: Look::PHONE };
    opened.answered().await;
    assert_eq!(opened.browser.all(".nav-found [role=alert]").await.len(), 0);
    opened.browser.close().await;
}

// The two ends: suggested, swapped, pressed on the map; unknown, outside, and without a host.

#[tokio::test(flavor = "multi_thread")]
async fn suggests_place_by_reading_and_takes_it_by_keyboard() {
    let opened = Opened::with(Look::DESKTOP.japanese()).await;
    opened.browser.type_into("出発地", "とうきょうえ").await;
    opened.browser.role("option", "東京駅").await;
    opened.browser.key(Key::Down).await;
    opened.browser.key(Key::Enter).await;
    opened.browser.until("document.getElementById('nav-from').value.includes('東京駅')").await;
    // The map shows where that is before anything is searched (S3:332).
    opened.browser.until("document.querySelector('.pin.is-start')").await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn swaps_ends_and_takes_one_from_the_map() {
    let opened = Opened::with(Look::DESKTOP).await;
    opened.ends(ENDS.0, ENDS.1).await;
    opened.browser.hit("button", "Swap start and destination").await;
    opened.browser.holds("From", ENDS.1).await;
    opened.browser.holds("To", ENDS.0).await;
    opened
        .browser
        .until("document.querySelector('.route-map .map-canvas.leaflet-container')")
        .await;
    opened.browser.click(".route-map .map-canvas").await;
    opened.browser.hit("button", "Go to here").await;
    opened.browser.until("document.getElementById('nav-to').value && document.getElementById('nav-to').value !== '東京駅'").await;
    opened.browser.until("document.querySelector('.pin.is-goal')").await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn distinguishes_unknown_place_from_one_off_the_map() {
    let opened = Opened::with(Look::DESKTOP.japanese()).await;
    opened.mode("通常モード", "Normal").await;
    opened.ends("東京駅", "どこにもない場所").await;
    opened.search().await;
    opened.browser.says("main", "どこにもない場所").await;
    opened.browser.role("alert", "").await;
    let unknown = opened.browser.text("main [role=alert]").await;
    opened.ends("東京駅", "大阪駅").await;
    opened.search().await;
    opened
        .browser
        .until("document.querySelector('main [role=alert]')?.textContent.includes('大阪')")
        .await;
    let outside = opened.browser.text("main [role=alert]").await;
    assert_ne!(unknown, outside);
    // An operator who looks into the details knows what to do next, and a visitor what the map covers.
    let all = "return document.querySelector('main [role=alert]').textContent";
    let outside = opened.browser.script(all).await.as_str().unwrap().to_owned();
    assert!(outside.contains("import-map") || outside.contains("取り込"), "{outside}");
    opened.browser.says(".nav-covered", "東京・川崎・横浜").await;
    opened.browser.hit("button", "範囲を地図に表示").await;
    opened.browser.until("document.querySelector('.route-map path.map-area')").await;
    opened.browser.picture("navigation-outside").await;
    opened.browser.hit("button", "「東京駅 → 横浜駅」で試す").await;
    opened.answered().await;
    opened.browser.until("!document.querySelector('.route-map path.map-area')").await;
    opened.ends("東京駅", "大阪駅").await;
    // In the AI mode it is an answer without a route (NAV-8).
    opened.mode("AIモード", "AI").await;
    opened.browser.fill("ナビ条件", "一番早い").await;
    opened.search().await;
    opened.browser.says("main", "ルートが見つかりませんでした").await;
    // The cause stands before what may help, and once.
    let order = "[...document.querySelectorAll('.nav-advice, .nav-tries')].map(it => it.className)";
    opened.browser.until(&format!("({order}).join() === 'nav-advice,nav-tries'")).await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn walking_takes_another_route_and_longer() {
    let opened = Opened::with(Look::DESKTOP).await;
    opened.mode("徒歩", "On foot").await;
    opened.ends("東京駅", "品川駅").await;
    opened.search().await;
    opened.answered().await;
    let text = opened.browser.text(".nav-found").await;
    assert!(text.contains(" h") || text.contains("1 h") || text.contains("hour"), "{text}");
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn search_reports_missing_host_and_recovers() {
    let opened = Opened::with(Look::PHONE).await;
    opened.mode("通常モード", "Normal").await;
    opened.ends(ENDS.0, ENDS.1).await;
    opened.browser.offline(true).await;
    opened.search().await;
    opened.browser.role("alert", "").await;
    opened.browser.holds("From", ENDS.0).await;
    opened.browser.offline(false).await;
    opened.browser.until("!document.getElementById('nav-search').disabled").await;
    opened.search().await;
    opened.answered().await;
    opened.browser.close().await;
}

// The Python SDK sees the specification's tools and gets the specification's shapes.

/// The JSON of the specification whose schema has this name.
fn specified(name: &str) -> Value {
    let file = tests::root().join("tests/host/4-navigation.md");
    let text = std::fs::read_to_string(file).unwrap();
    let blocks = text.split("```json\n").skip(1).filter_map(|it| it.split("```").next());
    let mut schemas = blocks.filter_map(|it| serde_json::from_str::<Value>(it).ok());
    schemas.find(|it| it["name"] == name && it.get("inputSchema").is_some()).unwrap()
}

/// The keys of an object, sorted.
fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// The schemas are there word for word.
#[tokio::test(flavor = "multi_thread")]
async fn python_sdk_gets_the_specified_schemas_and_results() {
    let server = TestServer::with(&["navigation"]).await;
    let url = format!("{}/mcp", server.url());
    let calls = json!([
        { "name": "route_search",
          "arguments": { "origin": "東京駅", "destination": "横浜駅", "alternatives": true } },
        { "name": "distance_compare",
          "arguments": { "origins": ["東京駅", "渋谷駅"], "destinations": ["横浜駅", "大阪駅"] } },
        { "name": "geocode", "arguments": { "address": "東京駅" } },
        { "name": "route_search", "arguments": { "origin": "東京駅", "destination": "どこにもない場所" } },
    ]);
    for era in ["auto", "legacy"] {
        let mut client =
            Foreign::python("python_navigation.py", &[&url, "--era", era], &calls).await;
        let text = client.says().await;
        for name in ["route_search", "distance_compare", "geocode"] {
            let tools = text["tools"].as_array().unwrap();
            let tool = tools.iter().find(|it| it["name"] == name).unwrap();
            let specified = specified(name);
            assert_eq!(tool["description"], specified["description"]);
            for (key, value) in specified["inputSchema"].as_object().unwrap() {
                assert_eq!(tool["inputSchema"][key], *value, "{name} {key}");
            }
        }
        let routes = client.says().await;
        assert_eq!(routes["error"], false, "{routes}");
        let found = &routes["structured"];
        assert_eq!(keys(found), ["geocoded_waypoints", "routes"]);
        let count = found["routes"].as_array().unwrap().len();
        assert!((2..=3).contains(&count), "{count} routes");
        let route = &found["routes"][0];
        let fields =
            ["distance", "duration", "duration_in_traffic", "polyline", "steps", "summary"];
        assert_eq!(keys(route)[..6], fields);
        assert_eq!(keys(&route["distance"]), ["text", "value"]);
        assert_eq!(keys(&route["steps"][0])[..3], ["distance", "duration", "instruction"]);
        let compared = client.says().await;
        let rows = compared["structured"]["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 2, "a row an origin (NAV-25)");
        assert_eq!(rows[0]["elements"][0]["status"], "OK", "{compared}");
        assert_ne!(rows[0]["elements"][1]["status"], "OK", "Osaka is not on the built-in map");
        assert!(rows[0]["elements"][1].get("distance").is_none(), "{compared}");
        let place = client.says().await;
        assert_eq!(keys(&place["structured"]), ["formatted_address", "location", "place_id"]);
        let lat = place["structured"]["location"]["lat"].as_f64().unwrap();
        assert!((35.67..35.69).contains(&lat), "{place}");
        let unknown = client.says().await;
        assert_eq!(unknown["error"], true, "{unknown}");
        client.ends().await;
    }
}

// What means ill is text, and nothing is loaded from elsewhere.

const EVIL: &str = r#"<img src="http://evil.example/x" onerror="window.hacked=1"><script>window.hacked=1</script>"#;

/// Nothing comes from elsewhere.
#[tokio::test(flavor = "multi_thread")]
async fn place_and_condition_markup_is_text_and_loads_nothing() {
    let opened = Opened::with(Look::DESKTOP).await;
    opened.ends(EVIL, "横浜駅").await;
    opened.browser.fill("Condition", EVIL).await;
    opened.search().await;
    opened.browser.says("main", "evil.example").await;
    opened.browser.says("main", "No route was found").await;
    opened.ends("35.681,139.767", "横浜駅").await;
    opened.search().await;
    opened.answered().await;
    let harm = opened
        .browser
        .script(
            "return [window.hacked ?? 0, document.querySelectorAll('main img[src^=http], main script').length,
                ...performance.getEntriesByType('resource').map(it => it.name).filter(it => !it.startsWith(location.origin))];",
        )
        .await;
    assert_eq!(harm, serde_json::json!([0, 0]));
    opened.close().await;
}

// Outputs of the tools in the counter, each drawn by its view.

#[tokio::test(flavor = "multi_thread")]
async fn tools_view_draws_routes_comparison_and_place() {
    let opened = Opened::with(Look::DESKTOP).await;
    let browser = &opened.browser;
    browser.go("#/counter/geocode").await;
    browser.fill("address", "東京タワー").await;
    browser.click("form button[type=submit]").await;
    browser.says("main", "35.6").await;
    browser.until("document.querySelector('.pin')").await;
    browser.go("#/counter/route_search").await;
    browser.fill("origin", "東京駅").await;
    browser.fill("destination", "横浜駅").await;
    browser.click("form button[type=submit]").await;
    browser.until("document.querySelector('.routes path.route-line.is-chosen')").await;
    browser.until("document.querySelectorAll('.routes li').length > 2").await;
    browser.whole_picture("navigation-counter", opened.look).await;
    opened.close().await;
}

// The place by keyboard alone; and a wheel over the map belongs to the page.

#[tokio::test(flavor = "multi_thread")]
async fn chooses_route_and_steps_by_keyboard_alone() {
    let opened = Opened::with(Look::DESKTOP).await;
    let browser = &opened.browser;
    browser.tab_to("#nav-from").await;
    browser.press(ENDS.0).await;
    browser.tab_to("#nav-to").await;
    browser.press(ENDS.1).await;
    browser.tab_to("#nav-condition").await;
    browser.press("The fastest").await;
    browser.key(Key::Enter).await;
    opened.answered().await;
    let focused = browser.script("return document.activeElement !== document.body").await;
    assert_eq!(focused, true, "the focus is not lost when the answer comes");
    browser.tab_to("input[name=nav-route]").await;
    let chosen = opened.chosen().await;
    browser.key(Key::Down).await;
    browser.until(&format!("[...document.querySelectorAll('input[name=nav-route]')].findIndex(it => it.checked) !== {chosen}")).await;
    browser.tab_to(".nav-step").await;
    browser.until("document.querySelector('path.route-step')").await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wheel_scrolls_page_and_zooms_map_only_with_control() {
    let opened = Opened::with(Look { width: 900, height: 700, ..Look::DESKTOP }).await;
    opened.browser.until("document.querySelector('.route-map .leaflet-pane')").await;
    let wheel = "
        const it = document.querySelector('.route-map .map-canvas');
        const event = new WheelEvent('wheel', { bubbles: true, cancelable: true, deltaY: 120, ctrlKey: arguments[0] });
        return !it.dispatchEvent(event);";
    assert_eq!(opened.browser.ask(wheel, vec![json!(false)]).await, false, "the page scrolls");
    assert_eq!(opened.browser.ask(wheel, vec![json!(true)]).await, true, "the map zooms");
    opened.close().await;
}

// How it looks and reads, by day and night, on desktop and phone (NAV-60, NAV-67).

#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_no_serious_fault_in_any_theme_or_width() {
    let looks = [
        ("desktop-light", Look::DESKTOP.japanese()),
        ("desktop-dark", Look::DESKTOP.dark()),
        ("tablet-dark", Look { width: 900, height: 1100, ..Look::DESKTOP.dark().japanese() }),
        ("phone-light", Look::PHONE),
        ("phone-dark", Look::PHONE.dark().japanese()),
        ("narrow", Look { width: 320, ..Look::PHONE }),
    ];
    for (device, look) in looks {
        let opened = Opened::with(look).await;
        sound(&opened, &format!("{device} empty")).await;
        opened.browser.whole_picture(&format!("navigation-{device}-empty"), look).await;
        opened.ends(ENDS.0, ENDS.1).await;
        opened.ask(opened.word("比較して", "Compare them")).await;
        opened.browser.until("document.querySelector('path.route-line.is-chosen')").await;
        opened.browser.script("window.scrollTo(0, 0)").await;
        opened.browser.picture(&format!("navigation-{device}-top")).await;
        opened.browser.click(".nav-log summary").await;
        sound(&opened, device).await;
        opened.browser.whole_picture(&format!("navigation-{device}"), look).await;
        opened.close().await;
    }
}

async fn sound(opened: &Opened, what: &str) {
    assert_eq!(opened.browser.serious_faults().await, Vec::<String>::new(), "{what}");
    assert!(!opened.browser.overflows().await, "{what} is wider than the window");
}

#[tokio::test(flavor = "multi_thread")]
async fn map_and_panel_follow_the_window_width() {
    let opened = Opened::with(Look { width: 1400, height: 900, ..Look::DESKTOP }).await;
    // About 70 % (NAV-60).
    let beside = "(() => { const box = it => document.querySelector(it).getBoundingClientRect();
        const [map, panel] = [box('.nav-map'), box('.nav-found')];
        const share = map.width / window.innerWidth;
        return share >= 0.6 && share < 0.75 && panel.left >= map.right - 1; })()";
    opened.browser.until(beside).await;
    opened.browser.look(Look { width: 900, height: 900, ..Look::DESKTOP }).await;
    opened.browser.until("document.querySelector('.nav-found').getBoundingClientRect().top >= document.querySelector('.nav-map').getBoundingClientRect().bottom - 1").await;
    opened.close().await;
}

/// Elements and listeners that the browser holds once what is unused is collected.
async fn held(opened: &Opened) -> (u64, u64) {
    opened.browser.devtools("HeapProfiler.collectGarbage", serde_json::json!({})).await;
    let counters = opened.browser.devtools("Memory.getDOMCounters", serde_json::json!({})).await;
    let count = |name: &str| counters[name].as_u64().unwrap_or_else(|| panic!("{counters}"));
    (count("nodes"), count("jsEventListeners"))
}

async fn visit(opened: &Opened) {
    opened.browser.go("#/navigation").await;
    opened.browser.until("document.querySelector('.route-map .leaflet-pane')").await;
    opened.browser.go("#/counter").await;
    opened.browser.until("!document.querySelector('.route-map')").await;
}

/// A map that is left is let go, with its elements.
#[tokio::test(flavor = "multi_thread")]
async fn leaving_the_view_frees_the_map() {
    let opened = Opened::with(Look::DESKTOP).await;
    for _ in 0..3 {
        visit(&opened).await;
    }
    let before = held(&opened).await;
    for _ in 0..8 {
        visit(&opened).await;
    }
    // What WebAssembly lets go of, the browser collects after another look.
    tests::until(&format!("more is held than {before:?}"), async || {
        let after = held(&opened).await;
        after.0 < before.0 + 40 && after.1 <= before.1 + 4
    })
    .await;
    opened.close().await;
}
