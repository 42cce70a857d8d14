//! Forms from the outside: asked for by clients that others wrote, filled in by people in a browser.

mod drafts;
mod hostile;
mod keyboard;

use std::path::PathBuf;

use fantoccini::key::Key;
use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    forms::{self, RequestedForm, definition, example, form},
    server::TestServer,
};

/// A form that an agent asked for, open in a browser.
struct Opened {
    server: TestServer,
    browser: Browser,
    look: Look,
    asked: RequestedForm,
    form: Value,
}

impl Opened {
    /// A server, a browser and a form in it.
    async fn with(form: &Value, look: Look) -> Self {
        let server = forms::server().await;
        let asked = forms::ask(&server.client(), form).await;
        let browser = Browser::open_at(&server.url(), &place(&asked), look).await;
        let opened = Self { server, browser, look, asked, form: form.clone() };
        opened.is_there().await;
        opened
    }

    /// Another form in the same browser.
    async fn next(&mut self, form: &Value) {
        self.asked = forms::ask(&self.server.client(), form).await;
        self.form = form.clone();
        self.browser.go(&place(&self.asked)).await;
        self.is_there().await;
    }

    /// Waits for the form, which was opened where the answer to the agent says that it is.
    async fn is_there(&self) {
        assert_eq!(self.asked.url, format!("{}/{}", self.server.url(), place(&self.asked)));
        let title = self.form["title"].as_str().unwrap();
        self.browser.role("heading", title).await;
        // It has the focus a moment later.
        self.browser.until("document.activeElement.id.endsWith('-title')").await;
    }

    /// What the button says that sends it.
    fn send_label(&self) -> &str {
        let spoken = if self.look.language == "ja" { "送信" } else { "Send" };
        self.form["submitLabel"].as_str().unwrap_or(spoken)
    }

    async fn send(&self) {
        self.browser.hit("button", self.send_label()).await;
    }

    /// What the agent that asked gets, once it was sent.
    async fn values(&self) -> Value {
        forms::values(&self.server.client(), &self.asked.handle).await
    }

    /// What the agent that asked would get now.
    async fn status(&self) -> Value {
        forms::submission(&self.server.client(), &self.asked.handle).await["status"].clone()
    }

    /// The summary of what is wrong, which has the focus, lists this and leads there.
    async fn summary_lists(&self, messages: &[&str]) {
        for message in messages {
            self.browser.role("link", message).await;
        }
    }

    async fn close(self) {
        assert_eq!(self.browser.complaints().await, Vec::<String>::new());
        self.browser.close().await;
    }
}

/// Where a form is filled in.
fn place(asked: &RequestedForm) -> String {
    format!("f/{}", asked.handle)
}

/// `YYYY-MM-DD` so many days after today, where the browser is.
async fn day(browser: &Browser, after: i64) -> String {
    let script = "
        const it = new Date();
        it.setDate(it.getDate() + arguments[0]);
        const two = it => String(it).padStart(2, '0');
        return `${it.getFullYear()}-${two(it.getMonth() + 1)}-${two(it.getDate())}`;";
    browser.ask(script, vec![json!(after)]).await.as_str().unwrap().to_owned()
}

/// The keys for a day in a browser that speaks American English: month, day, year.
fn keys(day: &str) -> String {
    format!("{}{}{}", &day[5..7], &day[8..], &day[..4])
}

// Each type of field: how it is drawn, what it holds at first, what it refuses, and what is sent.

#[tokio::test(flavor = "multi_thread")]
async fn draws_checks_and_sends_texts() {
    let fields = json!([
        { "name": "id", "type": "text", "label": "Project", "required": true, "minLength": 3,
          "maxLength": 8, "pattern": "^[a-z0-9-]+$", "patternError": "Small letters only",
          "placeholder": "my-app", "suggestions": ["web-app", "a-suggestion-that-is-longer-than-thirty"] },
        { "name": "given", "type": "text", "label": "Given", "default": "from the start" },
        { "name": "left", "type": "text", "label": "Left empty" },
        { "name": "story", "type": "textarea", "label": "Story", "rows": 5, "maxLength": 20,
          "suggestions": ["Once upon a time"] },
        { "name": "lines", "type": "textarea", "label": "Lines" },
    ]);
    let opened = Opened::with(&form(fields), Look::DESKTOP).await;
    let browser = &opened.browser;
    for (label, role) in
        [("Project", "textbox"), ("Given", "textbox"), ("Story", "textbox"), ("Lines", "textbox")]
    {
        let element = browser.role(role, label).await;
        let (computed, name) = browser.computed(&element).await;
        assert_eq!(computed, role, "{label}");
        assert!(name.contains(label), "{label} is read as {name}");
    }
    assert_eq!(browser.attribute("Project", "placeholder").await, "my-app");
    assert_eq!(browser.attribute("Story", "rows").await, "5");
    assert_eq!(browser.attribute("Lines", "rows").await, "3", "FORM-21");
    assert_eq!(browser.attribute("Project", "aria-invalid").await, "", "untouched is not wrong");
    assert_eq!(browser.content("Given").await, "from the start");
    browser.picture("forms-texts").await;

    // A suggestion is put in by a click; a long one is cut for the eye alone (FORM-40).
    browser.role("button", "a-suggestion-that-is-longer-th...").await;
    browser.hit("button", "web-app").await;
    browser.holds("Project", "web-app").await;
    for (typed, wrong) in
        [("", "required"), ("ab", "3"), ("abcdefghi", "8"), ("ABC", "Small letters only")]
    {
        browser.fill("Project", typed).await;
        browser.leave().await;
        browser.describes("Project", wrong).await;
        assert_eq!(browser.attribute("Project", "aria-invalid").await, "true", "{typed:?}");
    }
    browser.fill("Project", "").await;
    opened.send().await;
    opened.summary_lists(&["Project"]).await;
    browser.picture("forms-texts-wrong").await;
    assert_eq!(opened.status().await, "waiting");
    browser.fill("Project", "my-app-1").await;
    browser.hit("button", "Once upon a time").await;
    browser.fill("Lines", "one\ntwo 🎈").await;
    opened.send().await;
    let sent = json!({
        "id": "my-app-1", "given": "from the start", "story": "Once upon a time",
        "lines": "one\ntwo 🎈",
    });
    assert_eq!(opened.values().await, sent, "what was left empty is left out (FORM-47)");
    opened.close().await;
}

fn options() -> Value {
    json!([{ "value": "a", "label": "Apple" }, { "value": "b", "label": "Pear" },
           { "value": "c", "label": "Plum" }, { "value": "d", "label": "Fig" }])
}

#[tokio::test(flavor = "multi_thread")]
async fn draws_checks_and_sends_choices() {
    let fields = json!([
        { "name": "one", "type": "select", "label": "One", "options": options(), "required": true },
        { "name": "set", "type": "select", "label": "Set", "options": options(), "default": "b" },
        { "name": "some", "type": "multiselect", "label": "Some", "options": options(),
          "minSelect": 2, "maxSelect": 3 },
        { "name": "round", "type": "radio", "label": "Round", "options": options(), "required": true },
        { "name": "dial", "type": "radio", "label": "Dial", "options": options(), "default": "c" },
        { "name": "yes", "type": "checkbox", "label": "I agree", "required": true },
        { "name": "no", "type": "checkbox", "label": "Tell me more" },
        { "name": "on", "type": "checkbox", "label": "Keep me", "default": true },
    ]);
    let opened = Opened::with(&form(fields), Look::DESKTOP).await;
    let browser = &opened.browser;
    for (label, role) in [("One", "combobox"), ("I agree", "checkbox"), ("Apple", "radio")] {
        let element = browser.role(role, label).await;
        assert_eq!(browser.computed(&element).await.0, role, "{label}");
    }
    let group = browser.field("Round").await;
    let (role, name) = browser.computed(&group).await;
    assert!(role == "radiogroup" || role == "group", "{role}");
    assert!(name.contains("Round"), "{name}");
    opened.send().await;
    opened.summary_lists(&["One", "Round", "I agree"]).await;
    browser.picture("forms-choices-wrong").await;
    assert_eq!(opened.status().await, "waiting");

    browser.pick("One", "Plum").await;
    choose_of(&opened, "Some", &["Apple"]).await;
    browser.leave().await;
    browser.describes("Some", "2").await;
    choose_of(&opened, "Some", &["Fig"]).await;
    let round = browser.field("Round").await;
    let pear = browser.within(&round, "input[type=radio],[role=radio]").await.remove(1);
    browser.tap(&pear).await;
    browser.hit("checkbox", "I agree").await;
    browser.picture("forms-choices").await;
    opened.send().await;
    let sent = json!({
        "one": "c", "set": "b", "some": ["a", "d"], "round": "b", "dial": "c", "yes": true,
        "no": false, "on": true,
    });
    assert_eq!(opened.values().await, sent, "checkboxes are always there (FORM-47)");
    opened.close().await;
}

/// Chooses of several, be they checkboxes or the options of a list.
async fn choose_of(opened: &Opened, label: &str, options: &[&str]) {
    for option in options {
        let group = opened.browser.field(label).await;
        let boxes = opened.browser.within(&group, "input[type=checkbox]").await;
        if boxes.is_empty() {
            opened.browser.pick(label, option).await;
        } else {
            opened.browser.hit("checkbox", option).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn draws_checks_and_sends_numbers_and_days() {
    let fields = json!([
        { "name": "count", "type": "number", "label": "Count", "min": 1, "max": 10, "step": 1,
          "required": true },
        { "name": "price", "type": "number", "label": "Price", "step": 0.25, "default": 0 },
        { "name": "none", "type": "number", "label": "No number" },
        { "name": "share", "type": "range", "label": "Share", "min": 10, "max": 50, "step": 5,
          "showValue": true },
        { "name": "whole", "type": "range", "label": "Whole", "default": 30 },
        { "name": "due", "type": "date", "label": "Due", "minDate": "today", "maxDate": "+30days",
          "required": true },
        { "name": "birth", "type": "date", "label": "Birth", "default": "2000-02-29" },
        { "name": "meet", "type": "datetime", "label": "Meeting" },
    ]);
    let opened = Opened::with(&form(fields), Look::DESKTOP).await;
    let browser = &opened.browser;
    let share = browser.role("slider", "Share").await;
    assert_eq!(browser.computed(&share).await.0, "slider");
    // No wheel changes a number by accident, and a phone shows digits.
    assert_eq!(browser.attribute("Count", "inputmode").await, "numeric");
    assert_eq!(browser.attribute("Price", "inputmode").await, "decimal");
    assert_eq!(browser.content("Price").await, "0", "zero is a value (FORM-47)");
    assert_eq!(browser.content("Share").await, "10", "a slider begins at its least");
    assert_eq!(browser.content("Whole").await, "30");
    assert_eq!(browser.content("Birth").await, "2000-02-29");
    for (typed, wrong) in [("0", "1"), ("11", "10"), ("1.5", "1")] {
        browser.fill("Count", typed).await;
        browser.leave().await;
        browser.describes("Count", wrong).await;
        assert_eq!(browser.attribute("Count", "aria-invalid").await, "true", "{typed}");
    }
    let (yesterday, last, late) =
        (day(browser, -1).await, day(browser, 30).await, day(browser, 31).await);
    for wrong in [&yesterday, &late] {
        browser.type_into("Due", &keys(wrong)).await;
        browser.leave().await;
        browser.until("document.querySelectorAll('[aria-invalid=true]').length == 2").await;
        browser.field("Due").await.clear().await.unwrap();
    }
    opened.send().await;
    opened.summary_lists(&["Count", "Due"]).await;
    browser.picture("forms-numbers-wrong").await;

    browser.fill("Count", "7").await;
    browser.fill("Price", "1.75").await;
    let share = browser.field("Share").await;
    share
        .send_keys(&format!("{}{}", char::from(Key::Right), char::from(Key::Right)))
        .await
        .unwrap();
    browser.says("body", "20").await;
    browser.type_into("Due", &keys(&last)).await;
    // Four digits make a year: what follows is the time.
    let meeting = format!("{}0230PM", keys(&last));
    browser.type_into("Meeting", &meeting).await;
    browser.picture("forms-numbers").await;
    opened.send().await;
    let sent = json!({
        "count": 7, "price": 1.75, "share": 20, "whole": 30, "due": last, "birth": "2000-02-29",
        "meet": format!("{last}T14:30"),
    });
    assert_eq!(opened.values().await, sent);
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_chooses_and_sends_remote_options() {
    let users = "https://api.example.com/users/search";
    let fields = json!([
        { "name": "boss", "type": "autocomplete", "label": "Boss", "searchUrl": users,
          "searchParams": { "q": "{query}", "limit": 5 }, "displayField": "name",
          "valueField": "id", "renderTemplate": "{name} ({email})", "minChars": 2,
          "debounceMs": 50, "required": true },
        { "name": "team", "type": "multi-autocomplete", "label": "Team", "searchUrl": users,
          "displayField": "name", "valueField": "id", "maxSelect": 2, "debounceMs": 50 },
        { "name": "kind", "type": "async-select", "label": "Kind",
          "loadUrl": "/api/demo/categories", "displayField": "name", "valueField": "id" },
        { "name": "land", "type": "async-select", "label": "Land",
          "loadUrl": "https://api.example.com/countries", "displayField": "name",
          "valueField": "code" },
        { "name": "part", "type": "cascading-select", "label": "Part",
          "searchUrl": "https://api.example.com/prefectures", "dependsOn": "land",
          "dependsOnParam": "country_code", "displayField": "name", "valueField": "code" },
    ]);
    let opened = Opened::with(&form(fields), Look::DESKTOP).await;
    let (browser, client) = (&opened.browser, opened.server.client());
    let boss = browser.role("combobox", "Boss").await;
    assert_eq!(browser.computed(&boss).await.0, "combobox");
    assert!(!browser.field("Part").await.is_enabled().await.unwrap(), "nothing to depend on");
    let found = client.get("/api/demo/users/search?q=a&limit=5").await.text().await.unwrap();
    let found: Value = serde_json::from_str(&found).unwrap();
    let first = &found[0];
    let name = first["name"].as_str().unwrap();
    opened.send().await;
    opened.summary_lists(&["Boss"]).await;

    browser.search("Boss", name, &format!("{name} ({})", first["email"].as_str().unwrap())).await;
    for other in [&found[1], &found[2]] {
        let name = other["name"].as_str().unwrap();
        browser.search("Team", name, name).await;
    }
    browser.picture("forms-lookups").await;
    let kinds = client.get("/api/demo/categories").await.text().await.unwrap();
    let kinds: Value = serde_json::from_str(&kinds).unwrap();
    browser.pick("Kind", kinds[1]["name"].as_str().unwrap()).await;
    let lands = client.get("/api/demo/countries").await.text().await.unwrap();
    let lands: Value = serde_json::from_str(&lands).unwrap();
    let japan = lands.as_array().unwrap().iter().find(|it| it["code"] == "JP").unwrap();
    browser.pick("Land", japan["name"].as_str().unwrap()).await;
    let parts = client.get("/api/demo/prefectures?country_code=JP").await.text().await.unwrap();
    let parts: Value = serde_json::from_str(&parts).unwrap();
    assert_eq!(parts.as_array().unwrap().len(), 47);
    browser.pick("Part", parts[12]["name"].as_str().unwrap()).await;
    opened.send().await;
    let sent = json!({
        "boss": first["id"], "team": [found[1]["id"], found[2]["id"]], "kind": kinds[1]["id"],
        "land": "JP", "part": parts[12]["code"],
    });
    assert_eq!(opened.values().await, sent);
    opened.close().await;
}

/// A file of that name and content in a folder of the test's.
fn file(folder: &tempfile::TempDir, name: &str, content: &[u8]) -> PathBuf {
    let file = folder.path().join(name);
    std::fs::write(&file, content).unwrap();
    file
}

#[tokio::test(flavor = "multi_thread")]
async fn uploads_checks_and_sends_files_with_hidden_fields() {
    let fields = json!([
        { "type": "heading", "text": "Papers", "level": 3, "description": "Bring them all" },
        { "name": "one", "type": "file", "label": "Paper", "accept": ".pdf,.txt", "maxSize": 2000,
          "required": true },
        { "type": "divider", "label": "More of them" },
        { "type": "divider" },
        { "name": "many", "type": "file", "label": "Pictures", "accept": "image/*", "multiple": true },
        { "name": "version", "type": "hidden", "value": { "form": [1, "あ"] } },
    ]);
    let opened = Opened::with(&form(fields), Look::DESKTOP).await;
    let browser = &opened.browser;
    let heading = browser.role("heading", "Papers").await;
    assert_eq!(browser.computed(&heading).await.0, "heading");
    browser.says("body", "Bring them all").await;
    browser.says("body", "More of them").await;
    assert!(browser.roles("separator", "").await.len() >= 2, "a line is a line");
    let folder = tempfile::tempdir().unwrap();
    let png = [b"\x89PNG\r\n\x1a\n".to_vec(), vec![0; 40]].concat();
    let wrong = file(&folder, "wrong.exe", b"MZ");
    let large = file(&folder, "large.txt", &[b'a'; 2_001]);
    let good = file(&folder, "good.txt", "良い".as_bytes());
    let (red, blue) = (file(&folder, "red.png", &png), file(&folder, "blue.png", &png));
    opened.send().await;
    opened.summary_lists(&["Paper"]).await;
    for it in [&wrong, &large] {
        browser.upload("Paper", &[it]).await;
        let name = it.file_name().unwrap().to_str().unwrap();
        browser.says("form", name).await;
    }
    browser.picture("forms-files-wrong").await;
    browser.upload("Paper", &[&good]).await;
    browser.until("document.body.innerText.split('Uploaded').length == 2").await;
    browser.upload("Pictures", &[&red, &blue]).await;
    browser.until("document.body.innerText.split('Uploaded').length == 4").await;
    browser.picture("forms-files").await;
    // What is in the list and not there is not left out unseen.
    browser.upload("Pictures", &[&large]).await;
    browser.says("form", "does not take files of the kind of “large.txt”").await;
    opened.send().await;
    browser.until("document.body.innerText.includes('Some files are not there')").await;
    browser.hit("button", "Remove large.txt").await;
    opened.send().await;
    let values = opened.values().await;
    assert_eq!(values["version"], json!({ "form": [1, "あ"] }), "FORM-37");
    let one = &values["one"];
    assert_eq!((&one["name"], &one["size"]), (&json!("good.txt"), &json!(6)), "{one}");
    assert!(one["fileId"].is_string(), "FORM-36: {one}");
    let names: Vec<_> = values["many"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["red.png", "blue.png"]);
    let uri = format!("form://{}/files/{}", opened.asked.handle, one["fileId"].as_str().unwrap());
    let read = opened.server.client().result("resources/read", json!({ "uri": uri })).await;
    let content = &read["contents"][0];
    assert!(content["text"] == "良い" || content["blob"] == "6Imv44GE", "{content}");
    opened.close().await;
}

// The specification's three examples, verbatim (FORM-71 to FORM-73).

/// Each on a desktop by day in English and on a phone at night in Japanese.
const LOOKS: [(Look, &str); 2] = [
    (Look::DESKTOP, "desktop"),
    (Look { width: 390, height: 844, dark: true, language: "ja" }, "phone"),
];

#[tokio::test(flavor = "multi_thread")]
async fn example_1_fills_by_suggestions_and_sends_its_json() {
    for (look, device) in LOOKS {
        let opened = Opened::with(&example(1), look).await;
        let browser = &opened.browser;
        browser.says("body", "プロジェクトの基本情報を入力してください").await;
        browser.role("heading", "基本情報").await;
        browser.says("body", "詳細設定").await;
        browser.whole_picture(&format!("forms-example1-{device}"), look).await;
        browser.fill("プロジェクト名", "My App").await;
        opened.send().await;
        let wrong = if look.language == "ja" {
            "形式が正しくありません"
        } else {
            "プロジェクト名"
        };
        opened.summary_lists(&[wrong]).await;
        browser.whole_picture(&format!("forms-example1-wrong-{device}"), look).await;
        browser.hit("button", "api-service").await;
        browser.holds("プロジェクト名", "api-service").await;
        for option in ["認証", "REST API"] {
            browser.hit("checkbox", option).await;
        }
        // Chips are cut after 30 characters; the whole goes in (FORM-40).
        browser.hit("button", "マイクロサービス間の通信を担うAPIゲートウェイ。認証・").await;
        browser.whole_picture(&format!("forms-example1-filled-{device}"), look).await;
        opened.send().await;
        let sent = json!({
            "project_name": "api-service", "language": "python", "features": ["auth", "api"],
            "description": example(1)["fields"][5]["suggestions"][1],
        });
        assert_eq!(opened.values().await, sent);
        browser.whole_picture(&format!("forms-example1-sent-{device}"), look).await;
        opened.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn example_2_searches_people_and_sends_their_ids() {
    for (look, device) in LOOKS {
        let opened = Opened::with(&example(2), look).await;
        let (browser, client) = (&opened.browser, opened.server.client());
        browser.whole_picture(&format!("forms-example2-{device}"), look).await;
        let found = client.get("/api/demo/users/search?q=a&limit=10").await.text().await.unwrap();
        let found: Value = serde_json::from_str(&found).unwrap();
        let name = |index: usize| found[index]["name"].as_str().unwrap().to_owned();
        let rendered = format!("{} ({})", name(0), found[0]["department"].as_str().unwrap());
        browser.hit("field", "担当者").await;
        browser.type_into("担当者", &name(0)).await;
        browser.role("option", &rendered).await;
        browser.whole_picture(&format!("forms-example2-options-{device}"), look).await;
        browser.hit("option", &rendered).await;
        for index in 1..4 {
            browser.search("レビュアー", &name(index), &name(index)).await;
        }
        // A fourth one is one too many; a chip takes one away again.
        browser.hit("button", &name(3)).await;
        let tomorrow = day(browser, 1).await;
        browser.type_into("期限", &keys(&tomorrow)).await;
        browser.hit("button", "優先度高。").await;
        browser.whole_picture(&format!("forms-example2-filled-{device}"), look).await;
        opened.send().await;
        let sent = json!({
            "assignee": found[0]["id"], "reviewers": [found[1]["id"], found[2]["id"]],
            "due_date": tomorrow, "notes": "優先度高。今週中に対応をお願いします。",
        });
        assert_eq!(opened.values().await, sent);
        browser.whole_picture(&format!("forms-example2-sent-{device}"), look).await;
        opened.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn example_3_cascades_from_japan_to_chiyoda() {
    for (look, device) in LOOKS {
        let opened = Opened::with(&example(3), look).await;
        let (browser, client) = (&opened.browser, opened.server.client());
        // Japan is chosen from the start, so its prefectures are there.
        browser.until("!document.querySelector('form').innerText.includes('undefined')").await;
        browser.whole_picture(&format!("forms-example3-{device}"), look).await;
        browser.pick("都道府県", "東京都").await;
        browser.pick("市区町村", "千代田区").await;
        browser.fill("番地・建物名", "千代田1-1").await;
        browser.whole_picture(&format!("forms-example3-filled-{device}"), look).await;
        // Another prefecture takes the city away.
        browser.pick("都道府県", "大阪府").await;
        browser.pick("市区町村", "堺市").await;
        browser.pick("都道府県", "東京都").await;
        opened.send().await;
        let sent = opened.values().await;
        assert_eq!(sent["country"], "JP", "the default is applied once it is loaded (FORM-44)");
        assert_eq!(sent.get("city"), None, "downstream is cleared (FORM-43): {sent}");
        let mut opened = opened;
        opened.next(&example(3)).await;
        opened.browser.pick("都道府県", "東京都").await;
        opened.browser.pick("市区町村", "千代田区").await;
        opened.browser.fill("番地・建物名", "千代田1-1").await;
        opened.send().await;
        let code = |list: &Value, name: &str| {
            let all = list.as_array().unwrap().iter();
            all.clone().find(|it| it["name"] == name).unwrap_or_else(|| panic!("no {name}"))["code"]
                .clone()
        };
        let parts = client.get("/api/demo/prefectures?country_code=JP").await.text().await.unwrap();
        let tokyo = code(&serde_json::from_str(&parts).unwrap(), "東京都");
        let url = format!("/api/demo/cities?prefecture_code={}", tokyo.as_str().unwrap());
        let cities = client.get(&url).await.text().await.unwrap();
        let chiyoda = code(&serde_json::from_str(&cities).unwrap(), "千代田区");
        let sent = json!({
            "country": "JP", "prefecture": tokyo, "city": chiyoda, "address": "千代田1-1",
        });
        assert_eq!(opened.values().await, sent);
        opened.browser.whole_picture(&format!("forms-example3-sent-{device}"), look).await;
        opened.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn examples_are_returned_as_given() {
    let server = forms::server().await;
    for number in 1..=3 {
        let form = example(number);
        let result = forms::request(&server.client(), &form).await;
        let expected = json!({
            "type": "form_request", "schema": form, "status": "waiting_for_input",
            "message": "フォーム入力を待機しています。入力完了後、次のメッセージとして送信されます。",
        });
        assert_eq!(result["structuredContent"], expected, "FORM-1");
        let text = result["content"][0]["text"].as_str().unwrap();
        let count = form["fields"].as_array().unwrap().len();
        let description = form["description"].as_str().unwrap_or_default();
        let title = form["title"].as_str().unwrap();
        let expected = format!(
            "フォーム入力を待機しています。\n\n【{title}】\n{description}\n\nフィールド数: {count}\n\
             ユーザーがフォームに入力後、次のメッセージとして入力内容が送信されます。"
        );
        assert_eq!(text, expected, "FORM-8");
    }
}

// A form in the place of the answer of the tool that asked for it, and held closer.

/// Puts a long text into a field as pasting does.
const PASTE: &str = "
    const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set;
    set.call(arguments[0], arguments[1]);
    arguments[0].dispatchEvent(new InputEvent('input', { bubbles: true }));";

/// Calls `request_form` from the page itself.
async fn call(browser: &Browser, form: &Value) {
    browser.go("#/counter").await;
    browser.find("main a[href='#/counter/request_form']").await;
    browser.go("#/counter/request_form").await;
    browser.fill("The form's title", form["title"].as_str().unwrap()).await;
    browser
        .fill("On the button that sends it", form["submitLabel"].as_str().unwrap_or("Send"))
        .await;
    let field = serde_json::to_value(browser.field("Fields").await).unwrap();
    browser.ask(PASTE, vec![field, json!(form["fields"].to_string())]).await;
    browser.hit("button", "Call").await;
}

/// It is filled in where the call was made, and no letter is lost as it is opened larger and closed.
#[tokio::test(flavor = "multi_thread")]
async fn inline_form_is_filled_and_enlarged_without_loss() {
    let server = forms::server().await;
    for (look, device) in [(Look::DESKTOP, "desktop"), (Look::PHONE.dark(), "phone-dark")] {
        let browser = Browser::open(&server.url(), look).await;
        let mut form = form(json!([
            { "name": "name", "type": "text", "label": "Name", "required": true },
            { "name": "yes", "type": "checkbox", "label": "Agreed" },
        ]));
        form["title"] = json!("In place");
        form["submitLabel"] = json!("Finish");
        call(&browser, &form).await;
        browser.role("heading", "In place").await;
        browser.fill("Name", "half typ").await;
        browser.picture(&format!("forms-inline-{device}")).await;
        assert_eq!(browser.serious_faults().await, Vec::<String>::new());
        assert!(!browser.overflows().await, "{device}");
        browser.hit("button", "Open larger").await;
        browser.until("document.querySelector('dialog[open]')").await;
        browser.holds("Name", "half typ").await;
        browser.type_into("Name", "ed").await;
        browser.picture(&format!("forms-modal-{device}")).await;
        assert_eq!(browser.serious_faults().await, Vec::<String>::new());
        browser.hit("button", "Back to the page").await;
        browser.until("!document.querySelector('dialog[open]')").await;
        browser.holds("Name", "half typed").await;
        browser.hit("checkbox", "Agreed").await;
        browser.hit("button", "Finish").await;
        browser.says("main", "Your answer was sent").await;
        browser.says("main", "half typed").await;
        browser.picture(&format!("forms-inline-sent-{device}")).await;
        let listed = server.client().output("list_form_submissions", json!({})).await;
        let values = json!({ "name": "half typed", "yes": true });
        assert_eq!(listed["forms"][0]["values"], values, "{listed}");
        assert_eq!(browser.complaints().await, Vec::<String>::new());
        browser.close().await;
    }
}

// What can be seen and read of a form: axe has nothing serious to say, and nothing scrolls sideways.

const NARROW: Look = Look { width: 320, height: 640, dark: false, language: "ja" };

/// Every form that there is to look at: the examples, the one with all types, and one whose button says much.
fn all() -> Vec<(&'static str, Value)> {
    vec![
        ("example1", example(1)),
        ("example2", example(2)),
        ("example3", example(3)),
        ("types", definition("types")),
        ("button", much()),
    ]
}

fn much() -> Value {
    json!({
        "title": "Survey",
        "submitLabel": "Send my answer to the organisers of the event",
        "fields": [{ "type": "text", "name": "wish", "label": "What would you like?", "required": true }],
    })
}

/// By day and by night, on a desktop and on a phone.
#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_no_serious_fault_in_forms_in_any_theme() {
    let server = forms::server().await;
    let looks = [
        ("desktop-light", Look::DESKTOP),
        ("desktop-dark", Look::DESKTOP.dark().japanese()),
        ("phone-light", Look::PHONE.japanese()),
        ("phone-dark", Look::PHONE.dark()),
        ("narrow", NARROW),
    ];
    for (device, look) in looks {
        let browser = Browser::open(&server.url(), look).await;
        for (name, form) in all() {
            let asked = forms::ask(&server.client(), &form).await;
            browser.go(&format!("f/{}", asked.handle)).await;
            browser.find("form").await;
            let what = format!("{name} {device}");
            sound(&browser, &what).await;
            browser.whole_picture(&format!("forms-{name}-{device}"), look).await;
            let send = if look.language == "ja" { "送信" } else { "Send" };
            browser.hit("button", form["submitLabel"].as_str().unwrap_or(send)).await;
            // Most are wrong while empty: look at that, too.
            browser.until("document.querySelector('[aria-invalid=true]') || !document.querySelector('form')").await;
            sound(&browser, &format!("{what} sent")).await;
            browser.whole_picture(&format!("forms-{name}-{device}-tried"), look).await;
        }
        browser.go("#/forms").await;
        browser.says("main", "住所入力").await;
        sound(&browser, &format!("list {device}")).await;
        browser.whole_picture(&format!("forms-list-{device}"), look).await;
        assert_eq!(browser.complaints().await, Vec::<String>::new(), "{device}");
        browser.close().await;
    }
}

async fn sound(browser: &Browser, what: &str) {
    assert_eq!(browser.serious_faults().await, Vec::<String>::new(), "{what}");
    assert!(!browser.overflows().await, "{what} is wider than the window");
}
