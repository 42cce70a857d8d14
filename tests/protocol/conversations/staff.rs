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
async fn conv_80_agent_signs_in_by_passkey_shown_once() {
    let page = AgentsPage::with(Look::DESKTOP).await;
    page.browser.hit("button", "Add an agent").await;
    page.browser.hit("button", "Define").await;
    page.browser.describes("Agent ID", "This is needed.").await;
    page.browser.until("document.activeElement.id === 'new-agent-agent_id'").await;
    page.browser.fill("Agent ID", "作業").await;
    page.browser.fill("Name", "Outside Worker").await;
    page.browser.fill("Skills", "しりとり、要約").await;
    page.browser.hit("button", "Define").await;
    page.browser.describes("Agent ID", "beginning with a letter").await;
    page.browser.fill("Agent ID", "worker-a").await;
    page.browser.hit("button", "Define").await;
    page.browser.describes("Agent ID", "taken").await;
    page.browser.fill("Agent ID", "worker-c").await;
    page.browser.hit("button", "Define").await;
    page.browser.until("document.querySelector('#passkey-value')").await;
    let passkey = page.browser.text("#passkey-value").await;
    page.browser.says(".passkey", "shown once").await;
    page.sound("a passkey").await;
    page.browser.whole_picture("agents-passkey", Look::DESKTOP).await;
    assert_eq!(page.authenticate("worker-c", &passkey).await["success"], true);
    // It is online now, and the page is notified of it.
    page.browser.until("[...document.querySelectorAll('.agent')].some(it => it.textContent.includes('Outside Worker') && it.querySelector('.agent-badges .is-connected'))").await;
    page.keeps_nothing_of(&passkey).await;
    page.browser.hit("button", "I have kept it").await;
    page.browser.until("!document.body.innerText.includes('shown once')").await;
    page.browser.reload().await;
    page.browser.says("main", "Outside Worker").await;
    assert!(!page.browser.text("body").await.contains(&passkey));
    page.close().await;
}

/// The passkey stands in it only where it was just made.
#[tokio::test(flavor = "multi_thread")]
async fn invitation_is_complete_for_an_outside_agent() {
    let page = AgentsPage::with(Look::DESKTOP).await;
    page.outsider("worker-c", "Outside Worker").await;
    page.browser.hit("button", "Invite Outside Worker").await;
    page.browser
        .until("document.querySelector('#invite-prompt')?.value.includes('worker-c')")
        .await;
    let line = page.browser.text("#invite-line").await;
    assert!(line.contains(&format!("{}/mcp", page.server.url())), "{line}");
    page.sound("an invitation").await;
    page.browser.whole_picture("agents-invite", Look::DESKTOP).await;
    page.browser.hit("button", "Close").await;
    page.browser.hit("button", "A new passkey for Outside Worker").await;
    page.browser.hit("button", "Make a new one").await;
    page.browser.until("document.querySelector('#passkey-value')").await;
    let passkey = page.browser.text("#passkey-value").await;
    page.browser.script("document.querySelector('.passkey [aria-expanded]').click()").await;
    page.browser
        .until(&format!("document.querySelector('#invite-prompt')?.value.includes('{passkey}')"))
        .await;
    page.keeps_nothing_of(&passkey).await;
    assert_eq!(page.authenticate("worker-c", &passkey).await["success"], true);
    page.close().await;
}

/// An agent retires after one question; what is configured cannot be retired on the page.
#[tokio::test(flavor = "multi_thread")]
async fn defines_project_retires_agent_and_keeps_configured_ones() {
    let page = AgentsPage::with(Look::DESKTOP.japanese()).await;
    page.browser.hit("button", "プロジェクトを追加").await;
    page.browser.fill("プロジェクト ID", "second").await;
    page.browser.fill("名前", "二つめ").await;
    page.browser.hit("button", "登録する").await;
    page.browser.until("document.querySelectorAll('.project').length === 2").await;
    page.outsider("worker-c", "外の人").await;
    // Another caller defined it: the page is notified of that too.
    page.browser.role("button", "外の人 を引退させる").await;
    // What stands in the configuration is shown as such, and cannot be retired here.
    assert!(page.browser.roles("button", "Analysis Worker を引退させる").await.is_empty());
    page.browser.says("#project-demo + code + .hint, .project-head", "設定ファイル").await;
    page.browser.hit("button", "外の人 を引退させる").await;
    page.browser.until("document.activeElement.id === 'ask-no'").await;
    page.browser.hit("button", "やめる").await;
    page.browser.until("document.activeElement.id === 'retire-demo-worker-c'").await;
    page.browser.hit("button", "外の人 を引退させる").await;
    page.browser.click("#ask-yes").await;
    page.browser.no_role("button", "外の人 を引退させる").await;
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn starts_conversation_from_form_with_fault_messages() {
    let page = AgentsPage::with(Look::DESKTOP).await;
    page.browser.hit("button", "Start a conversation").await;
    page.browser.pick("With whom", "Analysis Worker").await;
    page.browser.fill("Turns at most", "0").await;
    page.browser.hit("button", "Start").await;
    page.browser
        .until("document.querySelector('#begin-target_agent_id').ariaInvalid === 'true'")
        .await;
    page.browser.describes("Turns at most", "from 1 to 1000").await;
    page.sound("the form of a conversation").await;
    page.browser.whole_picture("agents-begin", Look::DESKTOP).await;
    page.browser.pick("With whom", "Writing Worker").await;
    page.browser.fill("Turns at most", "2").await;
    page.browser.fill("Purpose", "しりとり").await;
    page.browser.script("document.querySelector('.agents-form [type=submit]').click()").await;
    page.browser.until("location.hash.startsWith('#/conversations/conv_')").await;
    let all = page.server.client().output("list_conversations", json!({})).await;
    let begun = &all["conversations"][0];
    assert_eq!((&begun["purpose"], &begun["max_turns"]), (&json!("しりとり"), &json!(2)));
    assert_eq!(begun["begun_by"], "operator");
    page.close().await;
}

/// By day and by night, on a desktop and on a phone.
#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_no_serious_fault_on_the_list_in_any_theme() {
    let narrow = Look { width: 320, height: 640, dark: false, language: "ja" };
    let looks = [
        ("desktop", Look::DESKTOP),
        ("desktop-dark", Look::DESKTOP.dark().japanese()),
        ("phone", Look::PHONE.japanese()),
        ("phone-dark", Look::PHONE.dark()),
        ("narrow", narrow),
    ];
    for (device, look) in looks {
        let page = AgentsPage::with(look).await;
        page.outsider("worker-c", "Outside Worker").await;
        page.browser.says("main", "worker-c").await;
        page.sound(device).await;
        page.browser.whole_picture(&format!("agents-{device}"), look).await;
        page.browser.click("#define-demo").await;
        page.browser.find("#new-agent-agent_id").await;
        page.sound(&format!("{device}, defining")).await;
        page.browser.whole_picture(&format!("agents-define-{device}"), look).await;
        page.close().await;
    }
}
