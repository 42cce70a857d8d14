//! Remote sources of illustrations: requests, responses and failures (ILL-4, ILL-6).

use std::fs;

use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    fake_cards::FakeCards,
    process::{Process, command},
    server::Folders,
};

const CARD: &str = "get_card_illustration";
const THEME: &str = "get_theme_illustrations";

/// The program with illustrations over fake sources.
struct Asking {
    client: Client,
    _process: Process,
    _folders: Folders,
}

impl Asking {
    /// Serves them with these lines of configuration and this environment.
    fn start(lines: &str, environment: &[(&str, &str)]) -> Self {
        let folders = Folders::new();
        folders.put("illustrations", &component_bytes("illustrations"));
        let config = folders.data().with_file_name("madoguchi.toml");
        fs::write(&config, format!("bundled = false\n{lines}\n")).unwrap();
        let mut command = command(&folders);
        command.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
        command.arg("--config").arg(&config);
        for name in ["ILLUSTRATIONS_SOURCES", "ILLUSTRATIONS_URL", "ILLUSTRATIONS_CONTACT"] {
            command.env_remove(name);
        }
        command.envs(environment.iter().copied());
        let process = Process::from(command);
        Self { client: Client::new(&process.url), _process: process, _folders: folders }
    }

    /// With a catalogue of our own format, named by the environment alone.
    fn with_own_format(fake: &FakeCards, lines: &str) -> Self {
        Self::start(lines, &[("ILLUSTRATIONS_URL", &format!("{}/v1", fake.url))])
    }

    /// With the public API played by `fake`.
    fn public(fake: &FakeCards) -> Self {
        let (url, port) = (&fake.url, fake.port());
        let lines = format!(
            "[components.illustrations.settings]\nsources = 'ygoprodeck'\n\
             ygoprodeck_url = '{url}'\nygoprodeck_images = '{url}'\n\
             contact = 'https://club.example'\n\
             [[components.illustrations.http]]\nhost = '127.0.0.1'\nscheme = 'http'\n\
             port = {port}\nprivate = true\n"
        );
        Self::start(&lines, &[])
    }

    async fn card(&self, name: &str) -> Value {
        self.client.output(CARD, json!({ "card_name": name })).await
    }

    async fn no_card(&self, name: &str) -> Value {
        self.client.failure(CARD, json!({ "card_name": name })).await
    }

    async fn theme(&self, theme: &str, limit: u32) -> Vec<String> {
        let output = self.client.output(THEME, json!({ "theme": theme, "limit": limit })).await;
        let cards = output["illustrations"].as_array().unwrap().iter();
        cards.map(|it| it["card_name"].as_str().unwrap().to_owned()).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn asks_environments_catalogue_once_and_keeps_its_picture() {
    let fake = FakeCards::start().await;
    let asking = Asking::with_own_format(&fake, "");
    let first = asking.card("青い 竜").await;
    assert_eq!(first["mimeType"], "image/png");
    let asked = fake.received();
    assert_eq!(fake.paths(), ["/v1/cards", "/images/青い 竜.png"]);
    assert_eq!(asked[0].query, [("name".to_owned(), "青い 竜".to_owned())]);
    assert_eq!(asked[0].headers["accept"], "application/json");
    let agent = &asked[0].headers["user-agent"];
    assert!(agent.starts_with("madoguchi/") && agent.contains("illustrations"), "{agent}");
    assert_eq!(asking.card("青い 竜").await, first);
    assert_eq!(fake.received().len(), 2, "the second question goes nowhere");
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_pictures_are_left_out_of_a_theme() {
    let fake = FakeCards::start().await;
    let asking = Asking::with_own_format(&fake, "");
    assert_eq!(asking.theme("mixed", 4).await, ["one", "four"]);
    let asked = fake.received();
    assert_eq!(asked[0].path, "/v1/themes/mixed");
    assert_eq!(asked[0].query, [("limit".to_owned(), "4".to_owned())]);
    let refusal = asking.client.failure(THEME, json!({ "theme": "none" })).await;
    assert_eq!(refusal["error"], "theme_not_found");
    assert_eq!(fake.received().iter().filter(|it| it.path == "/v1/themes/none").count(), 1);
    let refusal = asking.no_card("nobody").await;
    assert_eq!(refusal["error"], "card_not_found");
    assert_eq!(refusal["data"]["suggestions"], json!(["somebody"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_is_reported_with_code_and_reason() {
    let fake = FakeCards::start().await;
    let lines = "[components.illustrations.limits]\n\
                 http_bytes_max = 16777216\noutput_bytes_max = 16777216\n";
    let asking = Asking::with_own_format(&fake, lines);
    let hasty = Asking::with_own_format(&fake, &format!("{lines}http_timeout_ms = 2000\n"));
    for (name, code, why) in [
        ("a#broken", "source_failed", "cannot be read"),
        ("a#types", "source_failed", "cannot be read"),
        ("a#large", "source_failed", "larger than 4 MiB"),
        ("a#500", "source_failed", "500"),
        ("a#hang", "source_failed", "too late"),
        ("a#html", "source_failed", "HTML"),
        ("a#cut", "source_failed", "header"),
        ("a#big", "source_failed", "larger than 4 MiB"),
        ("a#gone", "source_failed", "404"),
        ("elsewhere", "source_failed", "image_origins"),
    ] {
        // Only the one that never answers takes too long, however slow the machine is.
        let asking = if name == "a#hang" { &hasty } else { &asking };
        let refusal = asking.no_card(name).await;
        assert_eq!(refusal["error"], code, "{name}: {refusal}");
        assert!(refusal["data"]["reason"].as_str().unwrap().contains(why), "{name}: {refusal}");
    }
    let refusal = asking.no_card("a#429").await;
    assert_eq!((&refusal["error"], &refusal["status"]), (&json!("source_limited"), &json!(503)));
    assert_eq!(refusal["data"]["retry_after_s"], 17);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_local_address_only_if_granted() {
    let fake = FakeCards::start().await;
    let lines = format!(
        "[components.illustrations.settings]\nsources = 'http'\ncatalogue_url = '{}/v1'\n",
        fake.url
    );
    let asking = Asking::start(&lines, &[]);
    let refusal = asking.no_card("a").await;
    assert_eq!(refusal["error"], "source_denied", "{refusal}");
    assert!(fake.received().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn asks_public_api_as_its_guide_requires_and_keeps_its_pictures() {
    let fake = FakeCards::start().await;
    let asking = Asking::public(&fake);
    asking.card("ブラック・マジシャン").await;
    let asked = fake.received();
    let pairs = |at: usize| {
        let query = asked[at].query.iter();
        query.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>()
    };
    assert_eq!(fake.paths(), ["/api/v7/cardinfo.php", "/images/cards_cropped/2.png"]);
    assert_eq!(pairs(0), ["name=ブラック・マジシャン", "language=ja"]);
    assert!(asked[0].headers["user-agent"].contains("https://club.example"));
    assert_eq!(asking.theme("青眼", 5).await, ["青眼の白龍", "青眼の究極竜"]);
    assert_eq!(asking.theme("Blue-Eyes", 1).await, ["青眼の白龍"]);
    let before = fake.received().len();
    asking.card("ブラック・マジシャン").await;
    asking.theme("青眼", 5).await;
    assert_eq!(fake.received().len(), before, "what is known is not asked for again");
    assert_eq!(asking.no_card("zzzz").await["error"], "card_not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn backs_off_from_a_refusing_public_api() {
    let fake = FakeCards::start().await;
    let asking = Asking::public(&fake);
    let refusal = asking.no_card("a#429").await;
    assert_eq!(refusal["error"], "source_limited", "{refusal}");
    let before = fake.received().len();
    let refusal = asking.no_card("Dark Magician").await;
    assert_eq!(refusal["error"], "source_limited", "{refusal}");
    assert_eq!(fake.received().len(), before, "nothing goes out while it wants nothing");
}
