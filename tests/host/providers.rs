//! Remote providers of routes: requests and responses, limits, failures, quota.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use graph::{Graph, Point, RouteOptions};
use host::{Server, clock::Clock};
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::{
    client::Client,
    component_bytes,
    fake_maps::{FakeMaps, KEY},
    fixtures::{helsinki, helsinki_extract},
    free_addr,
    process::{Process, command, output},
    root,
    server::{Folders, Operator},
};

/// The program with navigation over fake providers.
struct Asking {
    client: Client,
    process: Process,
    folders: Folders,
    log: PathBuf,
}

impl Asking {
    /// Serves it with these lines of configuration and this environment.
    fn start(lines: &str, environment: &[(&str, &str)]) -> Self {
        let folders = Folders::new();
        folders.put("navigation", &component_bytes("navigation"));
        let config = folders.data().with_file_name("madoguchi.toml");
        fs::write(&config, format!("bundled = false\n{lines}\n")).unwrap();
        let log = config.with_file_name("log");
        let mut command = command(&folders);
        command.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
        command.arg("--config").arg(&config).env("MADOGUCHI_LOG", "trace");
        for name in [
            "GOOGLE_MAPS_API_KEY",
            "GOOGLE_MAPS_URL",
            "GOOGLE_ROUTES_URL",
            "OSRM_URL",
            "VALHALLA_URL",
            "NOMINATIM_URL",
            "NAV_PROVIDER",
            "GOOGLE_DAILY_QUOTA",
        ] {
            command.env_remove(name);
        }
        command.envs(environment.iter().copied());
        let process = Process::logging(command, fs::File::create(&log).unwrap());
        Self { client: Client::new(&process.url), process, folders, log }
    }

    /// With Google's APIs played by `fake`, the key in the environment.
    fn google(fake: &FakeMaps, provider: &str, environment: &[(&str, &str)]) -> Self {
        let mut all = vec![("GOOGLE_MAPS_API_KEY", KEY), ("NAV_PROVIDER", provider)];
        all.extend(environment);
        Self::start(&google_lines(fake, 10_000), &all)
    }

    async fn routes(&self, more: Value) -> Value {
        self.client.output("route_search", route(more)).await
    }

    /// The error of a failed search for routes.
    async fn no_routes(&self, more: Value) -> Value {
        self.client.failure("route_search", route(more)).await
    }
}

/// From 東京駅 to 横浜駅, and `more`.
fn route(more: Value) -> Value {
    let mut arguments = json!({ "origin": "東京駅", "destination": "横浜駅" });
    let fields = arguments.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    arguments
}

/// Configuration that replaces Google by `fake`.
fn google_lines(fake: &FakeMaps, timeout_ms: u32) -> String {
    let (url, port) = (&fake.url, fake.port());
    // The first entry that fits host, port and method decides: one for each way of giving the key.
    format!(
        "[components.navigation.settings]\ngoogle_url = '{url}'\ngoogle_routes_url = '{url}'\n\
         [components.navigation.limits]\nhttp_timeout_ms = {timeout_ms}\n\
         [[components.navigation.http]]\nhost = '127.0.0.1'\nscheme = 'http'\nport = {port}\n\
         private = true\nmethods = ['GET']\n\
         secrets = [{{ query = 'key', environment = 'GOOGLE_MAPS_API_KEY' }}]\n\
         [[components.navigation.http]]\nhost = '127.0.0.1'\nscheme = 'http'\nport = {port}\n\
         private = true\nmethods = ['POST']\n\
         secrets = [{{ header = 'x-goog-api-key', environment = 'GOOGLE_MAPS_API_KEY' }}]\n"
    )
}

// Providers that the environment grants, and their limits.

#[tokio::test(flavor = "multi_thread")]
async fn without_environment_settings_asks_no_provider_and_is_healthy() {
    let fake = FakeMaps::start().await;
    let url = &fake.url;
    // The component would ask: nothing lets it.
    let lines = format!(
        "[components.navigation.settings]\nprovider = 'osrm'\nosrm_url = '{url}'\ngoogle_url = '{url}'\n"
    );
    let asking = Asking::start(&lines, &[("OSRM_URL", ""), ("GOOGLE_MAPS_API_KEY", "")]);
    let health: Value = asking.client.get("/api/health").await.json().await.unwrap();
    assert_eq!(health["status"], "ok", "{health}");
    let ends = json!({ "origin": "35.68,139.76", "destination": "35.46,139.62" });
    let refusal = asking.no_routes(ends).await;
    assert_eq!(refusal["error"], "provider_failed", "{refusal}");
    assert!(fake.received().is_empty());
    let asking = Asking::start("", &[]);
    let about: Value = asking.client.get("/api/navigation/about").await.json().await.unwrap();
    assert_eq!(about["provider"], "builtin", "{about}");
}

#[tokio::test(flavor = "multi_thread")]
async fn key_alone_means_googles_routes_unless_a_provider_is_named() {
    for (environment, provider) in [
        (vec![("GOOGLE_MAPS_API_KEY", KEY)], "google-routes"),
        (vec![("GOOGLE_MAPS_API_KEY", KEY), ("NAV_PROVIDER", "demo")], "builtin"),
        (vec![("GOOGLE_MAPS_API_KEY", KEY), ("NAV_PROVIDER", "")], "google-routes"),
    ] {
        let asking = Asking::start("", &environment);
        let about: Value = asking.client.get("/api/navigation/about").await.json().await.unwrap();
        assert_eq!(about["provider"], provider, "{environment:?}: {about}");
        assert!(!about.to_string().contains(KEY));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn address_in_googles_place_is_given_the_key_by_environment() {
    let fake = FakeMaps::start().await;
    let url = fake.url.as_str();
    let environment =
        [("GOOGLE_MAPS_API_KEY", KEY), ("GOOGLE_MAPS_URL", url), ("GOOGLE_ROUTES_URL", url)];
    let asking = Asking::start("", &environment);
    assert_eq!(asking.routes(json!({})).await["routes"].as_array().unwrap().len(), 1);
    let place = asking.client.output("geocode", json!({ "address": "東京駅" })).await;
    assert_eq!(place["place_id"], "ChIJ");
    let asked = fake.received();
    assert_eq!(asked[0].headers["x-goog-api-key"], KEY);
    assert_eq!(asked[1].parameter("key"), Some(KEY));
}

#[test]
fn names_invalid_environment_address_and_ends_the_start() {
    for (variable, wrong) in
        [("OSRM_URL", "ftp://a.example"), ("NOMINATIM_URL", "https://me:hunter2@a.example")]
    {
        let folders = Folders::new();
        let mut command = command(&folders);
        command.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
        let ended = output(command.env(variable, wrong));
        let text = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(!ended.status.success() && text.contains(variable), "{text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
}

// OSRM and Valhalla with Nominatim, configured by the environment alone.

#[tokio::test(flavor = "multi_thread")]
async fn osrm_and_nominatim_of_environment_find_routes_between_names() {
    let fake = FakeMaps::start().await;
    let url = fake.url.as_str();
    let environment = [("NAV_PROVIDER", "osrm"), ("OSRM_URL", url), ("NOMINATIM_URL", url)];
    let asking = Asking::start("", &environment);
    let routes = asking.routes(json!({ "alternatives": true, "avoid": ["tolls"] })).await;
    assert_eq!(routes["routes"].as_array().unwrap().len(), 3);
    assert_eq!(routes["routes"][0]["steps"][1]["instruction"], "右折して国道15号に入る");
    assert_eq!(routes["geocoded_waypoints"][0]["place_id"], "osm:n123");
    let asked = fake.received();
    let paths: Vec<_> = asked.iter().map(|it| it.path.as_str()).collect();
    let to = "/route/v1/driving/139.767100,35.681200;139.622300,35.465800";
    assert_eq!(paths, ["/search", "/search", to]);
    assert_eq!(asked[2].parameter("exclude"), Some("toll"));
    // A server that leaves out one class at a time is asked so, and a way without the others is taken.
    let routes = asking.routes(json!({ "avoid": ["tolls", "highways"] })).await;
    assert_eq!(routes["routes"][0]["summary"], "国道15号");
    let asked = fake.received();
    let names = asked.iter().filter(|it| it.path == "/search").count();
    assert_eq!(names, 2, "where a place is, is known from the search before");
    let last = asked.last().unwrap();
    assert!(matches!(last.parameter("exclude"), Some("toll" | "motorway")), "{}", last.path);
    let refusal = asking.no_routes(json!({ "destination": "どこにもない" })).await;
    assert_eq!(refusal["error"], "place_unknown", "{refusal}");
    let refusal = asking.no_routes(json!({ "destination": "65.0,25.0" })).await;
    assert_eq!(refusal["error"], "place_outside_map", "{refusal}");
    let compared = json!({ "origins": ["東京駅"], "destinations": ["横浜駅", "どこにもない"] });
    let table = asking.client.output("distance_compare", compared).await;
    let elements = &table["rows"][0]["elements"];
    assert_eq!(
        (&elements[0]["status"], &elements[1]["status"]),
        (&json!("OK"), &json!("NOT_FOUND"))
    );
}

/// What is cached for an answer stays cached with it, though the second passes in between.
#[tokio::test(flavor = "multi_thread")]
async fn a_place_stays_known_though_time_passes_in_the_search() {
    let fake = FakeMaps::start().await;
    let (url, port) = (&fake.url, fake.port());
    let folders = Folders::new();
    folders.put("navigation", &component_bytes("navigation"));
    folders.lend_code();
    let config = folders.config_with(&format!(
        "[components.navigation.settings]\nprovider = 'osrm'\nosrm_url = '{url}'\n\
         nominatim_url = '{url}'\n[[components.navigation.http]]\nhost = '127.0.0.1'\n\
         scheme = 'http'\nport = {port}\nprivate = true\n"
    ));
    let now = Arc::new(Mutex::new(Duration::from_secs(1_800_000_000)));
    let server = Server::start_at(config, Clock::Fixed(now.clone())).await.unwrap();
    let client = Client::new(&format!("http://{}", server.addr.unwrap()));
    let passes = tokio::spawn(async move {
        for _ in 0..100_000 {
            *now.lock().unwrap() += Duration::from_secs(1);
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    });
    client.output("route_search", route(json!({}))).await;
    passes.abort();
    client.output("route_search", route(json!({ "avoid": ["tolls"] }))).await;
    let names = fake.received().iter().filter(|it| it.path == "/search").count();
    assert_eq!(names, 2, "each place is searched once");
    server.stop().await;
}

/// Valhalla is configured by the environment.
#[tokio::test(flavor = "multi_thread")]
async fn valhalla_takes_coordinates_and_names_need_a_geocoder() {
    let fake = FakeMaps::start().await;
    let environment = [("NAV_PROVIDER", "valhalla"), ("VALHALLA_URL", fake.url.as_str())];
    let asking = Asking::start("", &environment);
    let ends = |to: &str| json!({ "origin": "35.68,139.76", "destination": to });
    let routes = asking.routes(ends("35.46,139.62")).await;
    assert_eq!(routes["routes"][0]["summary"], "首都高速 経由");
    let body = &fake.received()[0].body;
    assert_eq!(body["locations"][0], json!({ "lat": 35.68, "lon": 139.76 }));
    let mut several = ends("35.46,139.62");
    several["alternatives"] = json!(true);
    assert_eq!(asking.routes(several).await["routes"].as_array().unwrap().len(), 2);
    for (to, code) in [("-5,139.6", "zero_results"), ("65,25", "place_outside_map")] {
        let refusal = asking.no_routes(ends(to)).await;
        assert_eq!(refusal["error"], code, "{to}: {refusal}");
    }
    let refusal = asking.no_routes(json!({})).await;
    assert!(
        refusal["error"] == "invalid_request" && refusal.to_string().contains("NOMINATIM_URL"),
        "{refusal}"
    );
    let compared = json!({ "origins": ["35.68,139.76"], "destinations": ["35.4,139.6", "35,139"] });
    let table = asking.client.output("distance_compare", compared).await;
    assert_eq!(table["rows"][0]["elements"][1]["distance"]["value"], 5000);
}

// Google's former and current APIs: each request field by field, and every status (NAV-40).

#[tokio::test(flavor = "multi_thread")]
async fn specified_requests_are_sent_with_the_hosts_key() {
    let fake = FakeMaps::start().await;
    let asking = Asking::google(&fake, "google-legacy", &[]);
    let arguments = json!({ "avoid": ["tolls", "ferries"], "alternatives": true });
    let routes = asking.routes(arguments).await;
    assert_eq!(routes["routes"].as_array().unwrap().len(), 3, "NAV-20: of five");
    assert_eq!(routes["routes"][0]["steps"][0]["instruction"], "右折して国道15号へ 有料道路");
    let compared = json!({ "origins": ["東京駅"], "destinations": ["横浜駅", "無い#pair"] });
    let table = asking.client.output("distance_compare", compared).await;
    assert_eq!(table["rows"][0]["elements"][1], json!({ "status": "NOT_FOUND" }));
    let place = asking.client.output("geocode", json!({ "address": "東京駅" })).await;
    assert_eq!(place["place_id"], "ChIJ");
    let asked = fake.received();
    let expected: [(&str, &[(&str, &str)]); 3] = [
        (
            "/maps/api/directions/json",
            &[
                ("origin", "東京駅"),
                ("destination", "横浜駅"),
                ("avoid", "tolls|ferries"),
                ("alternatives", "true"),
                ("departure_time", "now"),
                ("traffic_model", "best_guess"),
                ("language", "ja"),
                ("key", KEY),
            ],
        ),
        (
            "/maps/api/distancematrix/json",
            &[
                ("origins", "東京駅"),
                ("destinations", "横浜駅|無い#pair"),
                ("departure_time", "now"),
                ("language", "ja"),
                ("key", KEY),
            ],
        ),
        ("/maps/api/geocode/json", &[("address", "東京駅"), ("language", "ja"), ("key", KEY)]),
    ];
    assert_eq!(asked.len(), expected.len());
    for (asked, (path, query)) in asked.iter().zip(expected) {
        let query: Vec<_> = query.iter().map(|it| (it.0.to_owned(), it.1.to_owned())).collect();
        assert_eq!((asked.method.as_str(), asked.path.as_str()), ("GET", path));
        assert_eq!(asked.query, query, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_every_google_status_and_fault_as_nav_40_requires() {
    let fake = FakeMaps::start().await;
    let all = [("GOOGLE_MAPS_API_KEY", KEY), ("NAV_PROVIDER", "google-legacy")];
    let asking = Asking::start(&google_lines(&fake, 30_000), &all);
    let hasty = Asking::start(&google_lines(&fake, 500), &all);
    for (mark, code, status, reason) in [
        ("ZERO_RESULTS", "zero_results", 404, "ZERO_RESULTS"),
        ("NOT_FOUND", "place_unknown", 404, "NOT_FOUND"),
        ("OVER_QUERY_LIMIT", "over_query_limit", 503, "OVER_QUERY_LIMIT"),
        ("OVER_DAILY_LIMIT", "over_query_limit", 503, "OVER_QUERY_LIMIT"),
        ("REQUEST_DENIED", "request_denied", 500, "REQUEST_DENIED"),
        ("INVALID_REQUEST", "invalid_request", 400, "INVALID_REQUEST"),
        ("MAX_ROUTE_LENGTH_EXCEEDED", "invalid_request", 400, "INVALID_REQUEST"),
        ("UNKNOWN_ERROR", "provider_failed", 502, "UNKNOWN_ERROR"),
        ("500", "provider_failed", 502, "UNKNOWN_ERROR"),
        ("broken", "provider_failed", 502, "UNKNOWN_ERROR"),
        ("types", "provider_failed", 502, "UNKNOWN_ERROR"),
        ("large", "provider_failed", 502, "UNKNOWN_ERROR"),
        ("hang", "provider_failed", 502, "UNKNOWN_ERROR"),
    ] {
        // Only the one that never answers takes too long, however slow the machine is.
        let asking = if mark == "hang" { &hasty } else { &asking };
        let refusal = asking.no_routes(json!({ "destination": format!("横浜駅#{mark}") })).await;
        assert_eq!(
            (&refusal["error"], &refusal["status"]),
            (&json!(code), &json!(status)),
            "{mark}: {refusal}"
        );
        assert!(refusal.to_string().contains(reason), "{mark}: {refusal}");
    }
    let count = |mark: &str| {
        let has = |request: &&tests::fake_maps::ReceivedRequest| {
            request.parameter("destination").is_some_and(|it| it.ends_with(mark))
        };
        fake.received().iter().filter(has).count()
    };
    assert_eq!((count("#UNKNOWN_ERROR"), count("#OVER_QUERY_LIMIT")), (2, 1), "one retry, of one");
    let routes = asking.routes(json!({ "destination": "横浜駅#UNKNOWN_ONCE" })).await;
    assert_eq!(routes["routes"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_routes_with_their_mask_and_returns_the_same_shape() {
    let fake = FakeMaps::start().await;
    let asking = Asking::google(&fake, "google-routes", &[]);
    let routes = asking.routes(json!({ "alternatives": true, "avoid": ["highways"] })).await;
    assert_eq!(routes["routes"].as_array().unwrap().len(), 3);
    let first = &routes["routes"][0];
    assert_eq!(first["duration_in_traffic"], json!({ "text": "52分", "value": 3120 }));
    assert_eq!(first["steps"][0]["maneuver"], "turn-right");
    let compared = json!({ "origins": ["東京駅"], "destinations": ["横浜駅", "35.6,139.7"] });
    let table = asking.client.output("distance_compare", compared).await;
    assert_eq!(table["rows"][0]["elements"][1]["distance"]["value"], 2000, "put in order");
    asking.client.output("geocode", json!({ "address": "東京駅" })).await;
    let asked = fake.received();
    let paths: Vec<_> = asked.iter().map(|it| it.path.as_str()).collect();
    let expected = [
        "/directions/v2:computeRoutes",
        "/distanceMatrix/v2:computeRouteMatrix",
        "/maps/api/geocode/json",
    ];
    assert_eq!(paths, expected);
    assert_eq!(asked[0].headers["x-goog-api-key"], KEY);
    assert_eq!(asked[0].body["routeModifiers"]["avoidHighways"], true);
    for (mark, code) in [
        ("ZERO_RESULTS", "zero_results"),
        ("NOT_FOUND", "place_unknown"),
        ("OVER_QUERY_LIMIT", "over_query_limit"),
        ("REQUEST_DENIED", "request_denied"),
        ("INVALID_REQUEST", "invalid_request"),
        ("broken", "provider_failed"),
        ("types", "provider_failed"),
    ] {
        let refusal = asking.no_routes(json!({ "destination": format!("横浜駅#{mark}") })).await;
        assert_eq!(refusal["error"], code, "{mark}: {refusal}");
    }
}

// A rejected key appears only in requests to its host.

/// A key that Google rejects and repeats.
const REFUSED: &str = "AIzaRefused/key+of&mine";

/// Encodings of the key to search for.
const FORMS: [&str; 3] = [REFUSED, "AIzaRefused%2Fkey%2Bof%26mine", "AIzaRefused"];

#[tokio::test(flavor = "multi_thread")]
async fn rejected_key_appears_only_in_the_request_to_its_host() {
    for provider in ["google-legacy", "google-routes"] {
        let fake = FakeMaps::start().await;
        let all = [("GOOGLE_MAPS_API_KEY", REFUSED), ("NAV_PROVIDER", provider)];
        let mut asking = Asking::start(&google_lines(&fake, 10_000), &all);
        let mut sources = Vec::new();
        for (tool, arguments) in [
            ("route_search", route(json!({}))),
            ("route_search", route(json!({ "destination": "#500" }))),
            ("route_search", route(json!({ "destination": "#broken" }))),
            ("geocode", json!({ "address": "東京駅" })),
            ("distance_compare", json!({ "origins": ["a"], "destinations": ["b"] })),
        ] {
            let answer = asking.client.call(tool, arguments).await;
            assert_eq!(answer["isError"], true, "{provider} {tool}: {answer}");
            sources.push(answer.to_string());
        }
        assert!(sources[0].contains("request_denied"), "{provider}: {}", sources[0]);
        for path in ["/api/health", "/api/navigation/about"] {
            sources.push(asking.client.get(path).await.text().await.unwrap());
        }
        let operator = Operator::of(&asking.folders.data());
        for path in ["metrics", "audit?lines=1000", "components"] {
            let (_, answer) = operator.send(Method::GET, path, "").await;
            sources.push(answer.to_string());
        }
        asking.process.signal();
        asking.process.wait();
        let log = fs::read_to_string(&asking.log).unwrap();
        assert!(log.len() > 5_000, "the log is a full one");
        sources.push(log);
        let kept = asking.folders.kept().into_iter();
        sources.extend(kept.map(|it| String::from_utf8_lossy(&it.1).into_owned()));
        let sent = fake.received();
        assert!(sent.iter().any(|it| format!("{it:?}").contains(REFUSED)), "it was sent");
        for (form, source) in FORMS.iter().flat_map(|it| sources.iter().map(move |at| (it, at))) {
            assert!(!source.contains(form), "{provider}: {form} got out in {:.300}", source);
        }
    }
}

// The daily quota of a provider (NAV-57).

#[tokio::test(flavor = "multi_thread")]
async fn of_16_rivals_for_5_requests_5_go_out_and_11_get_retry_time() {
    let fake = FakeMaps::start().await;
    let asking = Asking::google(&fake, "google-legacy", &[("GOOGLE_DAILY_QUOTA", "5")]);
    let call = |number: usize| {
        let arguments = json!({ "address": format!("東京都{number}丁目") });
        asking.client.call("geocode", arguments)
    };
    let results = futures::future::join_all((0..16).map(call)).await;
    let (good, refused): (Vec<_>, Vec<_>) = results.iter().partition(|it| it["isError"] != true);
    assert_eq!((good.len(), refused.len(), fake.received().len()), (5, 11, 5));
    for result in refused {
        let error = &result["_meta"]["madoguchi/error"];
        assert_eq!((&error["error"], &error["status"]), (&json!("over_query_limit"), &json!(503)));
        let text = error.to_string();
        assert!(text.contains("OVER_QUERY_LIMIT") && text.contains("retry_after_s"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cached_answers_are_free_and_refusals_are_retried() {
    let fake = FakeMaps::start().await;
    let asking = Asking::google(&fake, "google-legacy", &[("GOOGLE_DAILY_QUOTA", "3")]);
    for _ in 0..5 {
        asking.client.output("geocode", json!({ "address": "東京駅" })).await;
    }
    assert_eq!(fake.received().len(), 1, "once");
    for _ in 0..2 {
        asking.no_routes(json!({ "destination": "#ZERO_RESULTS" })).await;
    }
    assert_eq!(fake.received().len(), 3, "an error is not remembered");
    let refusal = asking.no_routes(json!({})).await;
    assert_eq!(refusal["error"], "over_query_limit", "{refusal}");
    asking.client.output("geocode", json!({ "address": "東京駅" })).await;
    assert_eq!(fake.received().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn free_provider_is_not_counted() {
    let fake = FakeMaps::start().await;
    let url = fake.url.as_str();
    let asking = Asking::start(
        "",
        &[
            ("NAV_PROVIDER", "osrm"),
            ("OSRM_URL", url),
            ("NOMINATIM_URL", url),
            ("GOOGLE_DAILY_QUOTA", "1"),
        ],
    );
    for to in ["35.1,139", "35.2,139", "35.3,139"] {
        asking.routes(json!({ "destination": to })).await;
    }
}

// Real OSRM and Valhalla servers over a real road network, compared with our own graph. The set-up fetches
// the servers and the network.

/// Pairs of places in the centre of Helsinki, (lat, lng).
const PAIRS: [((f64, f64), (f64, f64)); 6] = [
    ((60.1640, 24.9410), (60.1720, 24.9440)),
    ((60.1640, 24.9410), (60.1760, 24.9380)),
    ((60.1640, 24.9410), (60.1735, 24.9410)),
    ((60.1720, 24.9440), (60.1640, 24.9410)),
    ((60.1720, 24.9440), (60.1662, 24.9290)),
    ((60.1662, 24.9290), (60.1735, 24.9410)),
];

/// A server of another project, that ends with its test.
struct Real {
    child: Child,
    url: String,
    _folder: TempDir,
}

impl Drop for Real {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn routers() -> PathBuf {
    let folder = root().join("target/routers");
    assert!(folder.is_dir(), "there is no {}; `cargo xtask test` fetches it", folder.display());
    folder
}

fn done(program: &Path, arguments: &[&Path]) {
    let ended = output(Command::new(program).args(arguments));
    let text = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.success(), "{}: {text}", program.display());
}

impl Real {
    /// A server of OSRM with a map of Helsinki.
    fn osrm() -> Self {
        let (osrm, folder) = (routers().join("osrm"), tempfile::tempdir().unwrap());
        let extract = folder.path().join("map.osm.pbf");
        fs::copy(helsinki_extract(), &extract).unwrap();
        let profile = osrm.join("share/profiles/car.lua");
        done(&osrm.join("bin/osrm-extract"), &["-p".as_ref(), &profile, &extract]);
        let map = folder.path().join("map.osrm");
        done(&osrm.join("bin/osrm-partition"), &[&map]);
        done(&osrm.join("bin/osrm-customize"), &[&map]);
        let port = free_addr().port();
        let mut command = Command::new(osrm.join("bin/osrm-routed"));
        command.args(["--algorithm", "MLD", "--ip", "127.0.0.1", "--port", &port.to_string()]);
        command.arg(map);
        Self::start(command, port, folder)
    }

    /// A server of Valhalla with a map of Helsinki.
    fn valhalla() -> Self {
        let (all, folder) = (routers(), tempfile::tempdir().unwrap());
        let port = free_addr().port();
        let text = fs::read_to_string(all.join("valhalla.json")).unwrap();
        let mut config: Value = serde_json::from_str(&text).unwrap();
        config["mjolnir"]["tile_dir"] = json!(folder.path().join("tiles"));
        config["mjolnir"]["concurrency"] = json!(1);
        config["httpd"]["service"]["listen"] = json!(format!("tcp://127.0.0.1:{port}"));
        let file = folder.path().join("valhalla.json");
        fs::write(&file, config.to_string()).unwrap();
        let bin = all.join("valhalla/bin");
        done(&bin.join("valhalla_build_tiles"), &["-c".as_ref(), &file, &helsinki_extract()]);
        let mut command = Command::new(bin.join("valhalla_service"));
        command.arg(file).arg("1");
        Self::start(command, port, folder)
    }

    /// Starts it and waits until its port is open.
    fn start(mut command: Command, port: u16, folder: TempDir) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // Drained, or a full pipe would stop it.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        let began = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(began.elapsed() < tests::PATIENCE, "it does not listen");
            assert_eq!(child.try_wait().unwrap(), None, "it ended");
            std::thread::sleep(Duration::from_millis(20));
        }
        Self { child, url: format!("http://127.0.0.1:{port}"), _folder: folder }
    }
}

fn coordinates((lat, lng): (f64, f64)) -> String {
    format!("{lat},{lng}")
}

/// The metres of the best way by our own graph.
fn own_metres((from, to): ((f64, f64), (f64, f64))) -> f64 {
    let graph = Graph::open(&helsinki().bytes[..]).unwrap();
    let point = |it: (f64, f64)| Point { lat: it.0, lng: it.1 };
    let options = RouteOptions { ways: 1, ..RouteOptions::default() };
    let ways = graph.ways(point(from), point(to), &options);
    ways.unwrap_or_else(|error| panic!("{from:?} to {to:?}: {error:?}"))[0].metres
}

/// The metres of each pair by the real server, through the program.
async fn measured_metres(asking: &Asking) -> Vec<f64> {
    let mut all = Vec::new();
    for (from, to) in PAIRS {
        let ends = json!({ "origin": coordinates(from), "destination": coordinates(to), "alternatives": true });
        let routes = asking.routes(ends).await;
        let route = &routes["routes"][0];
        let steps = route["steps"].as_array().unwrap();
        assert!(steps.len() >= 2, "{route}");
        assert!(steps.iter().all(|it| !it["instruction"].as_str().unwrap().is_empty()), "{route}");
        let line = polyline::decode_polyline(route["polyline"].as_str().unwrap(), 5).unwrap();
        let (first, last) = (line.0[0], line.0[line.0.len() - 1]);
        for (end, (lat, lng)) in [(first, from), (last, to)] {
            let apart = Point { lat: end.y, lng: end.x }.metres_to(Point { lat, lng });
            // Some ends lie in a park, or in the bay: the road is a way off, for each provider.
            assert!(apart < 500.0, "the line ends {apart} m away");
        }
        all.push(route["distance"]["value"].as_f64().unwrap());
    }
    all
}

/// Compares our distances with theirs: each within a quarter, the sum within a tenth. Both minimize time, with
/// their own speeds and turn costs.
fn compare_with_ours(theirs: &[f64]) {
    let ours: Vec<_> = PAIRS.into_iter().map(own_metres).collect();
    for ((ours, theirs), pair) in ours.iter().zip(theirs).zip(PAIRS) {
        let ratio = ours / theirs;
        assert!((0.8..1.25).contains(&ratio), "{pair:?}: {ours} m by us, {theirs} m by them");
    }
    let ratio = ours.iter().sum::<f64>() / theirs.iter().sum::<f64>();
    assert!((0.9..1.1).contains(&ratio), "{ours:?} m by us, {theirs:?} m by them");
}

/// A table, and a place off the map.
async fn table_and_outside(asking: &Asking) {
    let far = "35.68,139.76";
    let origins: Vec<_> = PAIRS[..2].iter().map(|it| coordinates(it.0)).collect();
    let destinations: Vec<_> =
        PAIRS[..2].iter().map(|it| coordinates(it.1)).chain([far.to_owned()]).collect();
    let asked = json!({ "origins": origins, "destinations": destinations });
    // Valhalla refuses a table that is wider than it takes, before it looks at places.
    let table = asking.client.output("distance_compare", asked).await;
    for row in table["rows"].as_array().unwrap() {
        assert_eq!(row["elements"][0]["status"], "OK", "{table}");
        assert_ne!(row["elements"][2]["status"], "OK", "{table}");
    }
    let refusal = asking
        .no_routes(json!({ "origin": coordinates(PAIRS[0].0), "destination": "61.5,25.5" }))
        .await;
    let code = refusal["error"].as_str().unwrap();
    assert!(matches!(code, "place_outside_map" | "invalid_request"), "{refusal}");
}

// The set-up brings these servers for one platform.
#[cfg_attr(not(all(target_os = "linux", target_arch = "x86_64")), ignore = "no server to ask")]
#[tokio::test(flavor = "multi_thread")]
async fn real_osrm_routes_are_as_long_as_ours() {
    let real = Real::osrm();
    let asking = Asking::start("", &[("NAV_PROVIDER", "osrm"), ("OSRM_URL", &real.url)]);
    compare_with_ours(&measured_metres(&asking).await);
    table_and_outside(&asking).await;
    // The profile of cars that OSRM comes with leaves one class out, and no two at once: it is asked for
    // one after the other.
    let ends = |avoid: Value| json!({ "origin": coordinates(PAIRS[0].0), "destination": coordinates(PAIRS[0].1), "avoid": avoid });
    asking.routes(ends(json!(["tolls"]))).await;
    asking.routes(ends(json!(["tolls", "highways"]))).await;
}

#[cfg_attr(not(all(target_os = "linux", target_arch = "x86_64")), ignore = "no server to ask")]
#[tokio::test(flavor = "multi_thread")]
async fn real_valhalla_routes_are_as_long_as_ours() {
    let real = Real::valhalla();
    let asking = Asking::start("", &[("NAV_PROVIDER", "valhalla"), ("VALHALLA_URL", &real.url)]);
    compare_with_ours(&measured_metres(&asking).await);
    let (from, to) = (coordinates(PAIRS[0].0), coordinates(PAIRS[4].1));
    let ends = json!({ "origin": from, "destination": to, "alternatives": true });
    let several = asking.routes(ends).await;
    assert!(several["routes"].as_array().unwrap().len() > 1, "{several}");
    table_and_outside(&asking).await;
}
