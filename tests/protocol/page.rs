//! The page on connecting: what it says to run is run, and what it says to write can be read.

use std::{fs, path::Path, process::Command};

use fantoccini::key::Key;
use host::OperatorKey;
use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    component_bytes,
    fixtures::{free_seats, showtime_id, showtimes},
    forms,
    process::{Process, program},
    root,
    server::{self, Folders, TestServer},
};

/// What a client sends that has one; where none is asked for, it is ignored.
const TOKEN: &str = "mdg_nobody";

/// A block of the page that a person copies.
struct Snippet {
    language: String,
    text: String,
}

fn snippets() -> Vec<Snippet> {
    let page = fs::read_to_string(root().join("docs/clients.md")).unwrap();
    let blocks = page.split("\n```").collect::<Vec<_>>();
    // Every second one is between two fences.
    let inside = blocks.iter().skip(1).step_by(2).map(|block| {
        let (language, text) = block.split_once('\n').unwrap();
        Snippet { language: language.to_owned(), text: text.to_owned() }
    });
    inside.collect()
}

fn of(language: &str) -> Vec<String> {
    let all = snippets().into_iter().filter(|it| it.language == language).map(|it| it.text);
    let all: Vec<_> = all.collect();
    assert!(!all.is_empty(), "the page has no snippet in {language}");
    all
}

/// The data folder of what clients start by themselves.
const ALONE: &str = "alone";

/// The counter, with a folder that finds the clients' packages.
struct Counter {
    folders: Folders,
    process: Process,
}

impl Counter {
    fn open() -> Self {
        let folders = Folders::new();
        folders.put("echo", &component_bytes("echo"));
        let process = Process::start(&folders);
        #[cfg(unix)]
        std::os::unix::fs::symlink(
            clients().join("node_modules"),
            Self::beside(&folders, "node_modules"),
        )
        .unwrap();
        // Its own, since a data folder has one server.
        server::lend_compiled(&Self::beside(&folders, ALONE));
        Self { folders, process }
    }

    fn beside(folders: &Folders, name: &str) -> std::path::PathBuf {
        folders.data().with_file_name(name)
    }

    /// `text` with this server in the places of the one on the page, as a file of this name.
    fn file(&self, name: &str, text: &str) -> std::path::PathBuf {
        let file = Self::beside(&self.folders, name);
        fs::write(&file, self.placed(text)).unwrap();
        file
    }

    fn placed(&self, text: &str) -> String {
        let components = self.folders.components();
        let data = Self::beside(&self.folders, ALONE);
        let components = components.display();
        let alone = format!(r#""--stdio", "--components", "{components}""#);
        let in_shell = format!(" --stdio --components {components}");
        let text = text.replace("http://127.0.0.1:8808", &self.process.url);
        let text = text.replace("/path/to/madoguchi", &program().display().to_string());
        let text = text.replace("$MADOGUCHI_TOKEN", TOKEN);
        let text = text.replace(" --stdio", &in_shell).replace(r#""--stdio""#, &alone);
        // Each snippet has a folder of its own; here one snippet runs at a time.
        let mut pieces = text.split("/path/to/data/");
        let first = pieces.next().unwrap_or_default().to_owned();
        pieces.fold(first, |all, rest| {
            let is_name = |it: char| it.is_ascii_alphanumeric() || it == '-';
            format!("{all}{}{}", data.display(), rest.trim_start_matches(is_name))
        })
    }

    /// What a command says that must do it without complaint.
    fn output_of(&self, command: &mut Command) -> String {
        let folder = Self::beside(&self.folders, "");
        let output = command.env("MADOGUCHI_TOKEN", TOKEN).current_dir(folder).output();
        let output = output.unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?}: {text}{complained}");
        text
    }
}

fn clients() -> std::path::PathBuf {
    root().join("tests/clients")
}

fn node() -> Command {
    Command::new(clients().join("node_modules/node/bin/node"))
}

fn lists(text: &str, snippet: &str) {
    assert!(text.contains("greet_twice"), "it lists no tools: {text}\n{snippet}");
}

#[test]
fn python_and_typescript_snippets_list_the_tools() {
    let counter = Counter::open();
    for snippet in of("js") {
        let file = counter.file("snippet.mjs", &snippet);
        lists(&counter.output_of(node().arg(file)), &snippet);
    }
    for snippet in of("python") {
        let file = counter.file("snippet.py", &snippet);
        let python = root().join("target/venv/bin/python");
        lists(&counter.output_of(Command::new(python).arg(file)), &snippet);
    }
}

#[test]
fn inspector_snippet_lists_the_tools() {
    const NPX: &str = "npx -y @modelcontextprotocol/inspector@";
    let counter = Counter::open();
    let launcher = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";
    let commands = of("sh").join("\n");
    let mut run = 0;
    for line in commands.lines().filter_map(|it| it.strip_prefix(NPX)) {
        let (version, rest) = line.split_once(' ').unwrap();
        let package = fs::read_to_string(clients().join("package.json")).unwrap();
        assert!(
            package.contains(&format!("/inspector\": \"{version}\"")),
            "{version} is not tried"
        );
        let rest = words(&counter.placed(rest));
        lists(&counter.output_of(node().arg(clients().join(launcher)).args(rest)), line);
        run += 1;
    }
    assert_eq!(run, 3);
}

/// A line as a shell takes it apart, as far as the page needs it.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    let words = parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

#[test]
fn configuration_snippets_parse_and_name_the_server() {
    for snippet in of("json") {
        let read: Value =
            serde_json::from_str(&snippet).unwrap_or_else(|it| panic!("{it}: {snippet}"));
        let servers = read.get("mcpServers").or(read.get("servers")).and_then(Value::as_object);
        for (name, server) in servers.unwrap_or_else(|| panic!("no servers: {snippet}")) {
            let is_one =
                server["url"] == "http://127.0.0.1:8808/mcp" || server["command"].is_string();
            assert!(is_one, "{name}: {snippet}");
        }
    }
    let [goose] = &of("yaml")[..] else { panic!("one snippet is in YAML") };
    assert!(!goose.contains('\t') && goose.contains("uri: http://127.0.0.1:8808/mcp"), "{goose}");
    let default = host::Config::default().addr.to_string();
    assert_eq!(default, "127.0.0.1:8808", "the page has the default address");
}

#[test]
fn every_link_of_the_page_resolves() {
    let page = fs::read_to_string(root().join("docs/clients.md")).unwrap();
    let targets = page.split("](").skip(1).filter_map(|it| it.split(')').next());
    let ours = targets.filter(|it| !it.starts_with('#') && !it.contains("://"));
    for target in ours {
        let file = target.split('#').next().unwrap_or_default();
        assert!(Path::new(&root().join("docs")).join(file).is_file(), "{target}");
    }
}

// The front door: what may be done here, and what of the reader's goes on.

const BADGE: &str = ".places a[href='#/forms'] .inbox-count";

#[tokio::test(flavor = "multi_thread")]
async fn home_links_to_views_and_shows_pending_items() {
    let server = TestServer::with(&["cinema", "forms"]).await;
    let client = server.client();
    let browser = Browser::open(&server.url(), Look::PHONE).await;
    browser.find(".film-list .showtime").await;
    for door in ["Book cinema seats", "Ask the assistant", "Use the tools"] {
        browser.says(".front-doors", door).await;
    }
    assert_eq!(browser.all("h1").await.len(), 1);
    assert_eq!(browser.all(".brand[aria-current=page]").await.len(), 1);
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());

    // What begins to wait stands there and at its place's link, without a reload.
    let form = json!({ "title": "Lunch", "fields": [{ "type": "text", "name": "dish", "label": "Dish" }] });
    let asked = forms::ask(&client, &form).await;
    browser.says(".front-mine", "1 form waits for your answer").await;
    browser.says(BADGE, "1").await;
    browser.picture("front-door-phone").await;
    browser.click(".front-mine a[href='#/forms']").await;
    browser.says("h1", "Forms").await;
    let arguments = json!({ "handle": asked.handle, "action": "cancel" });
    client.output("close_form", arguments).await;
    browser.until(&format!("!document.querySelector(\"{BADGE}\")")).await;

    // The next visit of who has booked here before, and the visits after it.
    let names = ["Hanako"; 5].into_iter().chain(["Taro"]);
    for (show, user) in showtimes(&client).await.into_iter().rev().zip(names) {
        let seat = free_seats(&client, &showtime_id(&show)).await.remove(0);
        let order =
            json!({ "user_id": user, "showtime_id": showtime_id(&show), "seat_ids": [seat] });
        client.output("reserve_seats", order).await;
    }
    // A name that is only typed leads to no one's visits.
    browser.script("sessionStorage.setItem('madoguchi.name', JSON.stringify('Taro'))").await;
    browser.script("localStorage.setItem('madoguchi.name', JSON.stringify('Hanako'))").await;
    browser.go("#/").await;
    browser.says(".front-mine", "Your next visit").await;
    browser.says(".front-mine a[href='#/counter/list_reservations']", "2 more bookings").await;
    assert_eq!(browser.all(".front-mine a[href^='#/reservation/']").await.len(), 3);
    let is_whole = "[...document.querySelectorAll('.front-mine a')].every(it => {
        const { left, right } = it.getBoundingClientRect();
        return left >= 0 && right <= innerWidth;
    })";
    browser.until(is_whole).await;
    browser.picture("front-door-visits-phone").await;
    browser.look(Look::DESKTOP).await;
    browser.picture("front-door").await;
    // At the box office they stand beside the field for a number, and follow what becomes of them.
    browser.go("#/box-office").await;
    browser.says(".find-mine", "Your next visit").await;
    browser.says(".find-mine a[href='#/counter/list_reservations']", "2 more bookings").await;
    browser.click(".find-mine a[href^='#/reservation/']").await;
    browser.find(".ticket").await;
    browser.hit("button", "Cancel the reservation").await;
    browser.hit("button", "Yes, cancel it").await;
    browser.says("h1", "cancelled").await;
    browser.go("#/box-office").await;
    browser.says(".find-mine a[href='#/counter/list_reservations']", "1 more booking").await;
    browser.go("#/").await;
    browser.find(".film-list .showtime").await;
    assert_eq!(browser.all(".find-mine").await.len(), 0, "named once");

    // A link that goes with its view leaves the keyboard to the next one.
    browser.go("#/").await;
    browser.focus(".front-doors a[href='#/counter']").await;
    browser.key(Key::Enter).await;
    browser.find(".tool-list").await;
    browser.until("document.activeElement.id === 'main'").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn neighbouring_films_have_different_colours() {
    let server = TestServer::with(&["cinema"]).await;
    let browser = Browser::open(&server.url(), Look::PHONE.japanese()).await;
    browser.find(".film-list .showtime").await;
    let differ = "(() => {
        const colours = [...document.querySelectorAll('.films > .film-list .poster')]
            .map(it => getComputedStyle(it).getPropertyValue('--poster'));
        return colours.length > 2 && colours.every((it, at) => it && it !== colours[at + 1]);
    })()";
    browser.until(differ).await;
    browser.close().await;
}

/// Without accounts, what a chat asks is its own browser's; another one lists it only when told to.
#[tokio::test(flavor = "multi_thread")]
async fn form_of_a_chat_waits_in_its_own_browser_alone() {
    let server = TestServer::with(&["forms", "assistant"]).await;
    let own = Browser::open_at(&server.url(), "#/forms", Look::PHONE.japanese()).await;
    // Where there is no form yet, one may ask for it.
    own.click(".empty + p a[href='#/chat']").await;
    own.until("document.querySelectorAll('.chat-who option').length > 0").await;
    own.focus("#chat-input").await;
    own.press("名前とメールアドレスを聞くフォームを作って").await;
    own.key(Key::Enter).await;
    own.find(".chat-log .request form").await;
    let agents = json!({ "title": "Lunch", "fields": [{ "type": "text", "name": "dish", "label": "Dish" }] });
    forms::ask(&server.client(), &agents).await;

    let other = Browser::open(&server.url(), Look::DESKTOP).await;
    other.says(".front-mine", "1 form waits for your answer").await;
    other.says(BADGE, "1").await;
    other.go("#/forms").await;
    other.says(".forms-table", "Lunch").await;
    let rows = "document.querySelectorAll('.forms-table tbody tr').length";
    other.until(&format!("{rows} === 1")).await;
    assert_eq!(other.serious_faults().await, Vec::<String>::new());
    other.picture("forms-of-others").await;
    other.hit("checkbox", "Include what other people's chats ask").await;
    other.until(&format!("{rows} === 2")).await;

    own.go("#/").await;
    own.says(".front-mine", "回答を待っています").await;
    own.says(".front-mine", "回答待ちのフォーム 1 件").await;
    own.picture("front-door-chat-asks").await;
    own.go("#/forms").await;
    own.until(&format!("{rows} === 2")).await;
    own.go("#/").await;
    own.click(".front-mine a[href^='#/chat/']").await;
    own.find(".chat-log .request form").await;
    for browser in [own, other] {
        assert_eq!(browser.complaints().await, Vec::<String>::new());
        browser.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn host_without_films_has_a_home_view() {
    let server = TestServer::with(&["forms"]).await;
    let browser = Browser::open(&server.url(), Look::DESKTOP.japanese()).await;
    browser.says("h1", "ようこそ").await;
    browser.says(".front-doors", "ツールを使う").await;
    browser.until("!document.querySelector('.front-doors').innerText.includes('映画')").await;
    assert_eq!(browser.all(".film-list").await.len(), 0);
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.close().await;
}

// Every view that the page has, in the narrowest window that there is to be.

const NARROW: Look = Look { width: 320, height: 640, dark: false, language: "en-US" };

/// A desktop's window that is enlarged to 400 %.
const ENLARGED: Look = Look { width: 360, height: 225, dark: false, language: "ja" };

const FAMILIES: [&str; 7] =
    ["assistant", "cinema", "conversations", "echo", "forms", "illustrations", "navigation"];

/// Whether the view that was gone to is there, with all that it shows.
const IS_THERE: &str = "document.querySelector('main h1') && !document.querySelector('#first')
    && (location.hash === '#/parts' || !document.querySelector('[aria-busy=true], .skeleton'))";

/// Opens the finder.
const FIND: &str = "window.dispatchEvent(new KeyboardEvent('keydown',
    { key: 'k', ctrlKey: true, bubbles: true, cancelable: true }))";

/// A server with something in each view, and the addresses of all of them by name.
async fn all() -> (TestServer, Vec<(&'static str, String)>) {
    let server = TestServer::with(&FAMILIES).await;
    let client = server.client();
    let show = showtimes(&client).await.pop().unwrap();
    let seat = free_seats(&client, &showtime_id(&show)).await.remove(0);
    let booked = json!({ "user_id": "a", "showtime_id": showtime_id(&show), "seat_ids": [seat] });
    let booked = client.output("reserve_seats", booked).await;
    let asked = forms::ask(&client, &forms::example(1)).await;
    let key = OperatorKey::read(&server.folders.data()).unwrap().unwrap().token;
    let hall = format!(
        "box-office?date={}&showtime={}",
        &show["start_time"].as_str().unwrap()[..10],
        showtime_id(&show)
    );
    let ticket = format!("reservation/{}", booked["reservation_id"].as_str().unwrap());
    let form = format!("form/{}", asked.handle);
    let key = format!("operator?key={key}");
    let places = [
        ("door", ""),
        ("films", "box-office"),
        ("hall", &hall),
        ("ticket", &ticket),
        ("staff", "box-office/staff"),
        ("staff-films", "box-office/staff/films"),
        ("staff-screens", "box-office/staff/screens"),
        ("staff-party", "box-office/staff/party"),
        ("staff-file", "box-office/staff/file"),
        ("chat", "chat"),
        ("tools", "counter"),
        ("tool", "counter/reserve_seats"),
        ("routes", "navigation?from=東京駅&to=横浜駅"),
        ("conversations", "conversations"),
        ("agents", "agents"),
        ("forms", "forms"),
        ("form", &form),
        ("approvals", "approvals"),
        ("settings", "settings"),
        ("parts", "parts"),
        ("nowhere", "nowhere"),
        ("operator-sign-in", "operator"),
        ("operator", &key),
        ("operator-components", "operator/components"),
        ("operator-calls", "operator/calls"),
        ("operator-servers", "operator/servers"),
        ("operator-people", "operator/people"),
        ("operator-storage", "operator/storage"),
        ("operator-settings", "operator/settings"),
    ];
    let places = places.map(|(name, place)| (name, format!("#/{place}")));
    (server, places.into())
}

/// Axe is content by day and, with the colours, by night, and nothing is wider than the window.
async fn is_sound(browser: &Browser, name: &str, look: Look) {
    assert_eq!(browser.faults().await, Vec::<String>::new(), "{name} {look:?}");
    browser.look(look.dark()).await;
    assert_eq!(browser.faults_of_colours().await, Vec::<String>::new(), "{name} {look:?}, dark");
    browser.look(look).await;
    assert!(!browser.overflows().await, "{name} {look:?} is wider than the window");
    browser.whole_picture(&format!("narrow-{name}-{}", look.language), look).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_no_fault_in_english_views_320_pixels_wide() {
    every_view_is_sound(NARROW).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_no_fault_in_japanese_views_320_pixels_wide() {
    every_view_is_sound(NARROW.japanese()).await;
}

async fn every_view_is_sound(look: Look) {
    let (server, places) = all().await;
    let browser = Browser::open(&server.url(), look).await;
    browser.find("a.showtime").await;
    for (name, place) in &places {
        browser.go(place).await;
        browser.until(IS_THERE).await;
        match *name {
            "hall" => browser.click("[role=gridcell]:not([aria-disabled=true])").await,
            "operator" => _ = browser.find(".op-health").await,
            "operator-components" => {
                // What is asked before a component goes.
                browser.click("#op-more-echo").await;
                is_sound(&browser, name, look).await;
                let unload =
                    if look.language == "ja" { "「echo」を取り外す" } else { "Unload echo" };
                browser.hit("button", unload).await;
            }
            _ => {}
        }
        is_sound(&browser, name, look).await;
    }
    browser.go("#/").await;
    browser.find("a.showtime").await;
    browser.script(FIND).await;
    browser.find(".finder-entry").await;
    is_sound(&browser, "finder", look).await;
    browser.close().await;
}

/// How many of the window's lines belong to what stays while the page is scrolled.
const STAYS: &str = "
    window.scrollTo(0, document.documentElement.scrollHeight / 2);
    let lines = 0;
    for (let y = 0; y < innerHeight; y++) {
        for (let it = document.elementFromPoint(innerWidth / 2, y); it; it = it.parentElement) {
            if (['fixed', 'sticky'].includes(getComputedStyle(it).position)) { lines++; break; }
        }
    }
    return lines / innerHeight;";

#[tokio::test(flavor = "multi_thread")]
async fn half_of_the_window_is_content_at_400_percent() {
    let (server, places) = all().await;
    let browser = Browser::open(&server.url(), ENLARGED).await;
    browser.find("a.showtime").await;
    for (name, place) in &places {
        browser.go(place).await;
        browser.until(IS_THERE).await;
        if *name == "hall" {
            // What is picked may be reserved, in a bar of its own.
            browser.click("[role=gridcell]:not([aria-disabled=true])").await;
        }
        let stays = browser.script(STAYS).await.as_f64().unwrap();
        assert!(stays <= 0.5, "{name}: {stays} of the window stays");
        assert!(!browser.overflows().await, "{name} is wider than the window");
    }
    browser.close().await;
}

// A family of tools that the page does not know: called, drawn, and allowed in the chat.

/// What the operator writes to let it in.
const LINES: &str = "
[components.lending]
grants = ['sql', 'events', 'schedule', 'endpoints']
schedule_ms = 100
";

#[tokio::test(flavor = "multi_thread")]
async fn draws_understands_and_approves_an_outside_family() {
    let folders = Folders::new();
    for name in ["assistant", "lending"] {
        folders.put(name, &component_bytes(name));
    }
    let config = folders.config_with(LINES);
    let server = TestServer::start(folders, |it| *it = config).await;
    let look = Look::DESKTOP.japanese();
    let browser = Browser::open_at(&server.url(), "#/chat", look).await;
    let say = async |text: &str| {
        // What is sent while an answer comes is not.
        browser.until("!document.querySelector('.chat-log[aria-busy=true]')").await;
        browser.focus("#chat-input").await;
        browser.press(text).await;
        browser.key(Key::Enter).await;
    };
    say("図書館にはどんな本がありますか？").await;
    browser.says(".chat-log", "あるのは: 坊っちゃん、銀河鉄道の夜、雪国").await;
    // Its own view shows who has each book.
    browser.into_app().await;
    browser.says(".books li", "坊っちゃん").await;
    browser.says(".books li", "棚にあります").await;
    browser.out_of_app().await;
    // What the tool put out stands there as a table, too, with a row for each book, once it is unfolded.
    browser.script("document.querySelector('.app-data').open = true").await;
    browser.until("document.querySelectorAll('.chat-log table tbody tr').length === 3").await;
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.picture("lending").await;
    say("雪国を借りたいです").await;
    browser.until("document.querySelector('.approval.is-open')").await;
    browser.says(".approval.is-open", "雪国").await;
    browser.hit("button", "今回だけ許可").await;
    browser.says(".chat-log", "お貸ししました: 雪国").await;
    for (name, look) in
        [("lending-lent", look), ("lending-phone-dark", Look::PHONE.japanese().dark())]
    {
        browser.look(look).await;
        assert!(!browser.overflows().await, "{name}");
        browser.picture(name).await;
    }
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}
