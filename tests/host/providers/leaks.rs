//! A rejected key appears only in requests to its host.

use reqwest::Method;
use tests::operator::Operator;

use super::*;

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
