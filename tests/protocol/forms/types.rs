//! Each type of field: how it is drawn, what it holds at first, what it refuses, and what is sent.

use std::path::PathBuf;

use fantoccini::key::Key;
use serde_json::{Value, json};
use tests::{browser::Look, forms::form};

use super::{Opened, day, keys};

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
