//! Allowed origins of look-ups: only those that the operator names.

use serde_json::json;
use tests::{
    client::Client,
    component_bytes,
    fake::Fake,
    process::{Process, command, output},
    server::Folders,
};

use super::{asking, entry, look_up, path_to, people, serving};

#[tokio::test(flavor = "multi_thread")]
async fn asks_an_origin_from_the_environment_but_not_its_neighbour() {
    let (fake, other) = (Fake::start().await, Fake::start().await);
    let folders = Folders::new();
    folders.put("forms", &component_bytes("forms"));
    let mut command = command(&folders);
    command.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
    command.env("FORM_LOOKUP_ALLOW", format!("https://directory.example, {}", fake.url("")));
    let process = Process::from(command);
    let client = Client::new(&process.url);
    assert_eq!(look_up(&client, &fake.url("/json")).await, (200, people()));
    let (status, refused) = look_up(&client, &other.url("/json")).await;
    assert_eq!((status, &refused["error"]), (403, &json!("lookup_not_allowed")), "{refused}");
    assert!(other.received().is_empty(), "it was not even asked");
}

#[test]
fn names_invalid_environment_origin_and_ends_the_start() {
    let folders = Folders::new();
    let mut command = command(&folders);
    command.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
    command.env("FORM_LOOKUP_ALLOW", "https://directory.example,http://10.0.0.7:8000");
    let ended = output(&mut command);
    assert!(!ended.status.success());
    let text = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(text.contains("FORM_LOOKUP_ALLOW") && text.contains("http://10.0.0.7:8000"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn asks_nothing_without_operators_entry_and_names_that_entry() {
    let fake = Fake::start().await;
    let server = serving("").await;
    let refused = async |url: &str| {
        let (status, refused) = look_up(&server.client(), url).await;
        assert_eq!((status, &refused["error"]), (403, &json!("lookup_not_allowed")), "{url}");
        refused["message"].as_str().unwrap().to_owned()
    };
    let message = refused("https://directory.example/people?q=a").await;
    assert!(message.contains("FORM_LOOKUP_ALLOW"), "{message}");
    let lines = "[[components.forms.http]]\nhost = \"directory.example\"\n";
    assert!(message.contains(lines) && !message.contains("people"), "{message}");
    for inside in [
        fake.url("/json"),
        fake.url("/json").replace("127.0.0.1", "localhost"),
        fake.url("/json").replace("127.0.0.1", "2130706433"),
        fake.url("/json").replace("127.0.0.1", "[::ffff:127.0.0.1]"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "https://169.254.169.254/".to_owned(),
        "http://[fd00:ec2::254]/".to_owned(),
    ] {
        refused(&inside).await;
    }
    assert!(fake.received().is_empty());
    // The remedy in the message works.
    let lines = format!("{}\n", entry(&fake));
    let server = serving(&lines).await;
    assert_eq!(look_up(&server.client(), &fake.url("/json")).await.0, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_granted_name_that_resolves_to_a_private_address() {
    let fake = Fake::start().await;
    let lines = format!(
        "[[components.forms.http]]\nhost = 'localhost'\nscheme = 'http'\nport = {}\n",
        fake.port
    );
    let server = serving(&lines).await;
    let url = fake.url("/json").replace("127.0.0.1", "localhost");
    let (status, refused) = look_up(&server.client(), &url).await;
    assert_eq!((status, &refused["error"]), (403, &json!("lookup_not_allowed")), "{refused}");
    assert!(fake.received().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn follows_redirect_within_what_is_allowed_and_never_inward() {
    let (fake, inner) = (Fake::start().await, Fake::start().await);
    let server = asking(&fake, "").await;
    let client = server.client();
    let redirect = |to: &str| fake.url(&format!("/redirect?to={to}"));
    assert_eq!(look_up(&client, &redirect("/json")).await, (200, people()));
    for inward in [inner.url("/json"), "http://169.254.169.254/latest/meta-data/".to_owned()] {
        let (status, refused) = look_up(&client, &redirect(&inward)).await;
        assert_eq!((status, &refused["error"]), (403, &json!("lookup_not_allowed")), "{refused}");
        let text = refused.to_string();
        assert!(!text.contains("169.254") && !text.contains(&inner.port.to_string()), "{text}");
    }
    assert!(inner.received().is_empty());
    for nowhere in ["file:///etc/passwd", "http://me:word@127.0.0.1/", "javascript:alert(1)"] {
        let (status, refused) = look_up(&client, &redirect(nowhere)).await;
        assert_eq!((status, &refused["error"]), (502, &json!("lookup_failed")), "{nowhere}");
    }
    // Round and round, and then no more.
    let before = fake.received().len();
    let (status, refused) = look_up(&client, &fake.url("/redirect?to=?to=?to=?to=?to=?to=x")).await;
    assert_eq!(status, 502, "{refused}");
    assert!(fake.received().len() - before <= 4, "{:?}", fake.received());
}

#[tokio::test(flavor = "multi_thread")]
async fn look_ups_send_nothing_of_the_caller() {
    let fake = Fake::start().await;
    let token = "mdg_may-look-things-up";
    let digest = host::digest::digest(token.as_bytes());
    let lines = format!("[tokens.me]\nsha256 = '{digest}'\nscopes = ['component:forms']\n");
    let server = asking(&fake, &lines).await;
    let client = server.client_with(token);
    let request = client.http(reqwest::Method::GET, &path_to(&fake.url("/json")));
    let request = request.header("cookie", "word=open").header("x-api-key", "sesame");
    assert_eq!(request.send().await.unwrap().status(), 200);
    let [received] = &fake.received()[..] else { panic!("it is asked once") };
    for own in [token, "open", "sesame", "authorization", "cookie", &digest] {
        assert!(!received.to_lowercase().contains(own), "{own}: {received}");
    }
    assert!(received.to_lowercase().contains("accept: application/json"), "{received}");
    // And without a token nothing is looked up for any caller.
    assert_eq!(look_up(&server.client(), &fake.url("/json")).await.0, 401);
    assert_eq!(fake.received().len(), 1);
}
