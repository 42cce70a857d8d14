//! The specification's three examples, verbatim (FORM-71 to FORM-73).

use serde_json::{Value, json};
use tests::{
    browser::Look,
    forms::{self, example},
};

use super::{Opened, day, keys};

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
