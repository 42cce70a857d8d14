//! Projects and agents, defined on the page.

use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    server::TestServer,
};

/// The place, open in a browser.
pub(super) struct AgentsPage {
    pub(super) server: TestServer,
    pub(super) browser: Browser,
}

impl AgentsPage {
    /// A server with the demo's project, and a browser on the list.
    pub(super) async fn with(look: Look) -> Self {
        let server = TestServer::with(&["conversations", "assistant"]).await;
        let browser = Browser::open_at(&server.url(), "#/agents", look).await;
        browser.says("h2", "窓口デモ").await;
        Self { server, browser }
    }

    /// An agent from outside, and its passkey.
    pub(super) async fn outsider(&self, id: &str, name: &str) -> String {
        let agent = json!({ "agent_id": id, "name": name, "type": "ai", "project_ids": ["demo"] });
        let defined = self.server.client().output("define_agent", agent).await;
        defined["passkey"].as_str().expect("it comes from outside").to_owned()
    }

    /// A session of an agent from outside.
    pub(super) async fn authenticate(&self, id: &str, passkey: &str) -> Value {
        let who = json!({ "agent_id": id, "passkey": passkey, "project_id": "demo" });
        self.server.client().output("authenticate", who).await
    }

    /// Whether a text is nowhere but on the page: in no address, in no storage.
    pub(super) async fn keeps_nothing_of(&self, secret: &str) {
        let kept = "return JSON.stringify([location.href, {...localStorage}, {...sessionStorage}])";
        let kept = self.browser.script(kept).await;
        assert!(!kept.as_str().unwrap().contains(secret), "{kept}");
    }

    pub(super) async fn sound(&self, what: &str) {
        assert_eq!(self.browser.serious_faults().await, Vec::<String>::new(), "{what}");
        assert!(!self.browser.overflows().await, "{what} is wider than the window");
    }

    pub(super) async fn close(self) {
        assert_eq!(self.browser.complaints().await, Vec::<String>::new());
        self.browser.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn conv_80_agent_from_the_page_enters_by_passkey_shown_once() {
    let it = AgentsPage::with(Look::DESKTOP).await;
    it.browser.hit("button", "Add an agent").await;
    it.browser.hit("button", "Define").await;
    it.browser.describes("Agent ID", "This is needed.").await;
    it.browser.until("document.activeElement.id === 'new-agent-agent_id'").await;
    it.browser.fill("Agent ID", "作業").await;
    it.browser.fill("Name", "Outside Worker").await;
    it.browser.fill("Skills", "しりとり、要約").await;
    it.browser.hit("button", "Define").await;
    it.browser.describes("Agent ID", "beginning with a letter").await;
    it.browser.fill("Agent ID", "worker-a").await;
    it.browser.hit("button", "Define").await;
    it.browser.describes("Agent ID", "taken").await;
    it.browser.fill("Agent ID", "worker-c").await;
    it.browser.hit("button", "Define").await;
    it.browser.until("document.querySelector('#passkey-value')").await;
    let passkey = it.browser.text("#passkey-value").await;
    it.browser.says(".passkey", "shown once").await;
    it.sound("a passkey").await;
    it.browser.whole_picture("agents-passkey", Look::DESKTOP).await;
    assert_eq!(it.authenticate("worker-c", &passkey).await["success"], true);
    // It is online now, and the page is notified of it.
    it.browser.until("[...document.querySelectorAll('.agent')].some(it => it.textContent.includes('Outside Worker') && it.querySelector('.agent-badges .is-connected'))").await;
    it.keeps_nothing_of(&passkey).await;
    it.browser.hit("button", "I have kept it").await;
    it.browser.until("!document.body.innerText.includes('shown once')").await;
    it.browser.script("location.reload()").await;
    it.browser.says("main", "Outside Worker").await;
    assert!(!it.browser.text("body").await.contains(&passkey));
    it.close().await;
}

/// The passkey stands in it only where it was just made.
#[tokio::test(flavor = "multi_thread")]
async fn invitation_has_what_an_agent_from_outside_needs() {
    let it = AgentsPage::with(Look::DESKTOP).await;
    it.outsider("worker-c", "Outside Worker").await;
    it.browser.hit("button", "Invite Outside Worker").await;
    it.browser.until("document.querySelector('#invite-prompt')?.value.includes('worker-c')").await;
    let line = it.browser.text("#invite-line").await;
    assert!(line.contains(&format!("{}/mcp", it.server.url())), "{line}");
    it.sound("an invitation").await;
    it.browser.whole_picture("agents-invite", Look::DESKTOP).await;
    it.browser.hit("button", "Close").await;
    it.browser.hit("button", "A new passkey for Outside Worker").await;
    it.browser.hit("button", "Make a new one").await;
    it.browser.until("document.querySelector('#passkey-value')").await;
    let passkey = it.browser.text("#passkey-value").await;
    it.browser.script("document.querySelector('.passkey [aria-expanded]').click()").await;
    it.browser
        .until(&format!("document.querySelector('#invite-prompt')?.value.includes('{passkey}')"))
        .await;
    it.keeps_nothing_of(&passkey).await;
    assert_eq!(it.authenticate("worker-c", &passkey).await["success"], true);
    it.close().await;
}

/// An agent retires after one question; what is configured cannot be retired on the page.
#[tokio::test(flavor = "multi_thread")]
async fn project_is_defined_agent_retires_and_configured_ones_stay() {
    let it = AgentsPage::with(Look::DESKTOP.japanese()).await;
    it.browser.hit("button", "プロジェクトを追加").await;
    it.browser.fill("プロジェクト ID", "second").await;
    it.browser.fill("名前", "二つめ").await;
    it.browser.hit("button", "登録する").await;
    it.browser.until("document.querySelectorAll('.project').length === 2").await;
    it.outsider("worker-c", "外の人").await;
    // Another caller defined it: the page is notified of that too.
    it.browser.role("button", "外の人 を引退させる").await;
    // What stands in the configuration is shown as such, and cannot be retired here.
    assert!(it.browser.roles("button", "Analysis Worker を引退させる").await.is_empty());
    it.browser.says("#project-demo + code + .hint, .project-head", "設定ファイル").await;
    it.browser.hit("button", "外の人 を引退させる").await;
    it.browser.until("document.activeElement.id === 'ask-no'").await;
    it.browser.hit("button", "やめる").await;
    it.browser.until("document.activeElement.id === 'retire-demo-worker-c'").await;
    it.browser.hit("button", "外の人 を引退させる").await;
    it.browser.click("#ask-yes").await;
    it.browser.no_role("button", "外の人 を引退させる").await;
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn conversation_begins_from_a_form_that_reports_its_faults() {
    let it = AgentsPage::with(Look::DESKTOP).await;
    it.browser.hit("button", "Start a conversation").await;
    it.browser.pick("With whom", "Analysis Worker").await;
    it.browser.fill("Turns at most", "0").await;
    it.browser.hit("button", "Start").await;
    it.browser
        .until("document.querySelector('#begin-target_agent_id').ariaInvalid === 'true'")
        .await;
    it.browser.describes("Turns at most", "from 1 to 1000").await;
    it.sound("the form of a conversation").await;
    it.browser.whole_picture("agents-begin", Look::DESKTOP).await;
    it.browser.pick("With whom", "Writing Worker").await;
    it.browser.fill("Turns at most", "2").await;
    it.browser.fill("Purpose", "しりとり").await;
    it.browser.script("document.querySelector('.agents-form [type=submit]').click()").await;
    it.browser.until("location.hash.startsWith('#/conversations/conv_')").await;
    let all = it.server.client().output("list_conversations", json!({})).await;
    let begun = &all["conversations"][0];
    assert_eq!((&begun["purpose"], &begun["max_turns"]), (&json!("しりとり"), &json!(2)));
    assert_eq!(begun["begun_by"], "operator");
    it.close().await;
}

/// By day and by night, on a desktop and on a phone.
#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_nothing_serious_on_the_list_in_any_look() {
    let narrow = Look { width: 320, height: 640, dark: false, language: "ja" };
    let looks = [
        ("desktop", Look::DESKTOP),
        ("desktop-dark", Look::DESKTOP.dark().japanese()),
        ("phone", Look::PHONE.japanese()),
        ("phone-dark", Look::PHONE.dark()),
        ("narrow", narrow),
    ];
    for (device, look) in looks {
        let it = AgentsPage::with(look).await;
        it.outsider("worker-c", "Outside Worker").await;
        it.browser.says("main", "worker-c").await;
        it.sound(device).await;
        it.browser.whole_picture(&format!("agents-{device}"), look).await;
        it.browser.click("#define-demo").await;
        it.browser.find("#new-agent-agent_id").await;
        it.sound(&format!("{device}, defining")).await;
        it.browser.whole_picture(&format!("agents-define-{device}"), look).await;
        it.close().await;
    }
}
