//! Passkeys and tokens appear only in the one answer that gives them (CONV-83).

use tests::bench::kept;

use super::*;

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|it| it == text.as_bytes())
}

#[tokio::test]
async fn neither_passkeys_nor_tokens_are_in_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("conversations.sqlite");
    let component = shop().database(&file).start().await;
    let define = json!({
        "agent_id": "dora", "name": "Dora", "type": "ai", "project_ids": ["shop"],
    });
    let passkey =
        component.call("define_agent", define).await["passkey"].as_str().unwrap().to_owned();
    assert!(passkey.starts_with("mdp_") && passkey.len() == 4 + 64, "256 bits");
    let token = enter(&component, "alice").await;
    authenticate(&component, "dora", "a-wrong-passkey", "shop").await;
    let opened = authenticate(&component, "dora", &passkey, "shop").await;
    let other = opened["session_token"].as_str().unwrap().to_owned();
    let renewed = component.call("renew_passkey", json!({ "agent_id": "dora" })).await;
    let renewed = renewed["passkey"].as_str().unwrap().to_owned();
    let bytes = kept(&file);
    assert!(has(&bytes, "Dora") && has(&bytes, "$argon2id$v=19$m=19456,t=2,p=1$"), "looked here");
    for secret in [&token, &other, &passkey, &renewed, PASSKEY, "a-wrong-passkey"] {
        let secret = secret.trim_start_matches("sess_").trim_start_matches("mdp_");
        assert!(!has(&bytes, secret), "{secret}");
    }
}

#[tokio::test]
async fn a_passkey_is_shown_once_and_a_hash_never() {
    let component = shop().start().await;
    let define = json!({
        "agent_id": "dora", "name": "Dora", "type": "ai", "project_ids": ["shop"],
    });
    let first = component.call("define_agent", define.clone()).await;
    let passkey = first["passkey"].as_str().unwrap();
    let again = component.call("define_agent", define).await;
    assert!(again.get("passkey").is_none(), "it has one: {again}");
    assert_eq!(authenticate(&component, "dora", passkey, "shop").await["success"], true);
    let token = enter(&component, "alice").await;
    let listed = component.call("list_agents", json!({ "session_token": token })).await.to_string();
    for secret in [passkey, &token, "argon2"] {
        assert!(!listed.contains(secret), "{listed}");
    }
}

#[tokio::test]
async fn secrets_are_marked_for_masking_sys_11() {
    let component = shop().start().await;
    let schema = |tool: &str, is_input: bool| {
        let tool = component.component().tools().iter().find(|it| &*it.name == tool).unwrap();
        if is_input { tool.input_schema.clone() } else { tool.output_schema.clone().unwrap() }
    };
    for (tool, is_input, member) in [
        ("authenticate", true, "passkey"),
        ("authenticate", false, "session_token"),
        ("logout", true, "session_token"),
        ("list_agents", true, "session_token"),
        ("define_agent", false, "passkey"),
        ("renew_passkey", false, "passkey"),
    ] {
        let format = &schema(tool, is_input)["properties"][member]["format"];
        assert_eq!(format, "password", "{tool} {member}");
    }
}
