//! The instructions for an agent from outside, so that it takes part within a minute: where, as whom, and how.

use serde_json::{Value, json};

use crate::families::conversations::place::Seat;

/// The prompt that has it all.
pub(crate) const PROMPT: &str = "worker_loop";

/// For the prompt. The passkey goes along where it has just been made, and is nowhere kept.
pub(crate) fn arguments(seat: &Seat, passkey: Option<&str>) -> Value {
    let mut arguments = json!({ "project_id": seat.project, "agent_id": seat.agent });
    if let Some(passkey) = passkey {
        arguments["passkey"] = passkey.into();
    }
    arguments
}

/// Where the host listens, for a client that reaches this page at `address`.
pub(crate) fn endpoint(address: &str) -> String {
    let (scheme, rest) = address.split_once("://").unwrap_or(("http", address));
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    format!("{scheme}://{host}/mcp")
}

/// One line that connects Claude Code; the token, where one is wanted, is the reader's to put in.
pub(crate) fn connection(address: &str, wants_token: bool) -> String {
    let header =
        if wants_token { " --header \"Authorization: Bearer $MADOGUCHI_TOKEN\"" } else { "" };
    format!("claude mcp add --transport http madoguchi {}{header}", endpoint(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_the_servers_and_has_nothing_else_of_the_pages() {
        let address = "http://127.0.0.1:8808/?x=1#/agents/demo/worker-a";
        assert_eq!(endpoint(address), "http://127.0.0.1:8808/mcp");
        let line = connection(address, false);
        assert_eq!(line, "claude mcp add --transport http madoguchi http://127.0.0.1:8808/mcp");
        // A token is never written out.
        assert!(connection(address, true).ends_with("Bearer $MADOGUCHI_TOKEN\""));
    }

    #[test]
    fn the_passkey_goes_along_where_it_was_just_made() {
        let seat = Seat { project: "demo".to_owned(), agent: "w".to_owned() };
        assert_eq!(arguments(&seat, None), json!({ "project_id": "demo", "agent_id": "w" }));
        assert_eq!(arguments(&seat, Some("s3"))["passkey"], "s3");
    }
}
