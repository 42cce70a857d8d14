//! Providers that the environment grants, and their limits.

use tests::process::output;

use super::*;

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
