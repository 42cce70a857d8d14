//! A passkey and a token appear nowhere but in the one answer that gives them (CONV-83).

use tests::bench::kept;

use super::*;

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|it| it == text.as_bytes())
}

#[tokio::test]
async fn neither_passkeys_nor_tokens_are_in_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("conversations.sqlite");
    let it = shop().database(&file).start().await;
    let define = json!({
        "agent_id": "dora", "name": "Dora", "type": "ai", "project_ids": ["shop"],
    });
    let passkey = it.call("define_agent", define).await["passkey"].as_str().unwrap().to_owned();
    assert!(passkey.starts_with("mdp_") && passkey.len() == 4 + 64, "256 bits");
    let token = enter(&it, "alice").await;
    authenticate(&it, "dora", "a-wrong-passkey", "shop").await;
    let opened = authenticate(&it, "dora", &passkey, "shop").await;
    let other = opened["session_token"].as_str().unwrap().to_owned();
    let renewed = it.call("renew_passkey", json!({ "agent_id": "dora" })).await;
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
    let it = shop().start().await;
    let define = json!({
        "agent_id": "dora", "name": "Dora", "type": "ai", "project_ids": ["shop"],
    });
    let first = it.call("define_agent", define.clone()).await;
    let passkey = first["passkey"].as_str().unwrap();
    let again = it.call("define_agent", define).await;
    assert!(again.get("passkey").is_none(), "it has one: {again}");
    assert_eq!(authenticate(&it, "dora", passkey, "shop").await["success"], true);
    let token = enter(&it, "alice").await;
    let listed = it.call("list_agents", json!({ "session_token": token })).await.to_string();
    for secret in [passkey, &token, "argon2"] {
        assert!(!listed.contains(secret), "{listed}");
    }
}

#[tokio::test]
async fn what_is_secret_is_marked_so_that_pages_mask_it_sys_11() {
    let it = shop().start().await;
    let schema = |tool: &str, is_input: bool| {
        let tool = it.component().tools().iter().find(|it| &*it.name == tool).unwrap();
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
