//! Tests of server entries and their errors.

use super::*;

#[derive(Debug, Deserialize)]
struct Entries {
    servers: BTreeMap<String, ServerConfig>,
}

fn read(text: &str) -> Result<BTreeMap<String, ServerConfig>, String> {
    let entries: Entries = toml::from_str(text).map_err(|it| it.message().to_owned())?;
    match unworkable(&entries.servers) {
        Some((name, what)) => Err(format!("[servers.{name}]: {what}")),
        None => Ok(entries.servers),
    }
}

#[test]
fn entry_has_url_or_command_with_its_own_settings() {
    let servers = read(
        "[servers.gh]\nurl = 'https://a.example/mcp'\ntoken = { environment = 'GH' }\n[servers.fs]\ncommand = 'node'\nargs = ['x']\nenv = { A = 'b', C = { file = 'd' } }",
    )
    .unwrap();
    assert_eq!(servers["gh"].prefix("gh"), "gh_");
    assert_eq!(servers["gh"].timeout_ms, 30_000, "ILL-13");
    for (entry, part) in [
        ("", "url = \"https://…\" or command"),
        ("url = 'https://a.example'\ncommand = 'x'", "in one way"),
        ("url = 'https://a.example'\nargs = ['x']", "belong to a command"),
        ("command = 'x'\ntoken = { value = 'hunter2' }", "a token goes to a url"),
        ("command = 'x'\ntransport = 'sse'", "over HTTP"),
        ("url = 'ftp://a.example'", "not an address"),
        ("url = 'https://me:hunter2@a.example'", "put it under token"),
        ("url = 'https://a.example'\nurll = 'x'", "unknown field `urll`"),
        ("url = 'https://a.example'\ntransport = 'sss'", "unknown variant `sss`"),
        ("url = 'https://a.example'\nprefix = 'a b'", "A-Z a-z 0-9"),
        ("url = 'https://a.example'\nreplaces = ['a/b']", "not the name of a tool"),
        ("url = 'https://a.example'\ntools = ['a']\nreplaces = ['b']", "keeps out"),
        ("url = 'https://a.example'\ntimeout_ms = 0", "1 to 86400000 is right"),
        ("url = 'https://a.example'\ncalls_max = 0", "1 to 4096 is right"),
        ("url = 'https://a.example'\ntoken = { }", "comes from one place"),
    ] {
        let error = read(&format!("[servers.a]\n{entry}")).unwrap_err();
        assert!(error.contains(part), "{entry}: {error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
}

#[test]
fn prefix_distinguishes_clashing_entries() {
    let two = |first: &str, second: &str| {
        read(&format!(
            "[servers.a]\nurl = 'https://a.example'\n{first}\n[servers.b]\nurl = 'https://b.example'\n{second}"
        ))
    };
    assert!(two("", "").is_ok());
    assert!(two("prefix = ''", "prefix = 'x_'").is_ok());
    for (first, second) in
        [("prefix = 'x_'", "prefix = 'x_'"), ("prefix = 'b_'", ""), ("prefix = ''", "prefix = ''")]
    {
        let error = two(first, second).unwrap_err();
        assert!(error.contains("[servers.b]: its prefix is that of [servers.a]"), "{error}");
    }
    let error = two("replaces = ['t']", "replaces = ['t']").unwrap_err();
    assert!(error.contains("[servers.a] replaces t already"), "{error}");
    assert!(read("[servers.'a/b']\nurl = 'https://a.example'").unwrap_err().contains("1 to 64"));
}

#[test]
fn environment_entry_replaces_tools_and_offers_no_other() {
    let tools = || ["draw".to_owned(), "paint".to_owned()].into();
    let (name, server) =
        ServerConfig::of_environment("https://a.example/sse", Some("hunter2"), tools()).unwrap();
    assert_eq!((name.as_str(), server.replaces.len()), ("mcp-server", 2));
    assert_eq!(server.tools.as_ref(), Some(&server.replaces));
    assert!(!format!("{server:?}").contains("hunter2"));
    let error = ServerConfig::of_environment("a.example", None, tools()).unwrap_err();
    assert!(error.starts_with("MCP_SERVER_URL: "), "{error}");
}

#[test]
fn program_is_looked_for_where_its_server_has_it() {
    let folder = std::env::temp_dir().join(format!("madoguchi-programs-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("helper-of-a-test{EXE_SUFFIX}")), "").unwrap();
    let read = |entry: &str| {
        let servers = read(&format!("[servers.a]\ncommand = 'helper-of-a-test'\n{entry}")).unwrap();
        servers["a"].missing(&folder)
    };
    assert_eq!(read("").as_deref(), Some("there is no program helper-of-a-test"));
    assert_eq!(read(&format!("env = {{ PATH = '{}' }}", folder.display())), None);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn short_secrets_are_noted_with_what_becomes_of_them() {
    for (token, part) in [
        ("{ value = 'short' }", Some("its token has 5 bytes, and is not hidden")),
        ("{ value = 'school' }", Some("is hidden wherever the server writes it, in words as well")),
        ("{ value = 'hunter2hunter2' }", None),
    ] {
        let servers =
            read(&format!("[servers.a]\nurl = 'https://a.example'\ntoken = {token}")).unwrap();
        let weak = servers["a"].weak_secret(Path::new(""));
        assert_eq!(weak.is_some(), part.is_some(), "{token}");
        assert!(part.is_none_or(|it| weak.unwrap().contains(it)), "{token}");
    }
}
