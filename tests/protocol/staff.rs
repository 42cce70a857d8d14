//! The cinema's staff on the page: the week, films, screens that are drawn, a party that is moved, files (CIN-95, CIN-96).

use std::fs;

use fantoccini::key::Key;
use host::{authorization::FreshToken, scopes::Scope};
use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    component_bytes,
    fixtures::{free_seats, showtime_id, showtimes},
    server::{Folders, TestServer},
};

use super::operator::SIDEWAYS;

const LOOKS: [(&str, Look); 5] = [
    ("desktop", Look::DESKTOP),
    ("desktop-dark", Look { dark: true, language: "ja", ..Look::DESKTOP }),
    ("phone", Look { language: "ja", ..Look::PHONE }),
    ("phone-dark", Look { dark: true, ..Look::PHONE }),
    ("narrow", Look { width: 320, ..Look::PHONE }),
];

/// Every look of what is shown: in pictures, without faults, and no wider than the window.
async fn is_seen_well(browser: &Browser, name: &str) {
    for (device, look) in LOOKS {
        browser.look(look).await;
        let name = format!("staff-{name}-{device}");
        assert!(!browser.overflows().await, "{name}");
        assert_eq!(browser.script(SIDEWAYS).await, json!(0), "{name}: a table is cut off");
        // As wide as the one by day before it.
        let faults = if look.dark {
            browser.faults_of_colours().await
        } else {
            browser.serious_faults().await
        };
        assert_eq!(faults, Vec::<String>::new(), "{name}");
        browser.whole_picture(&name, look).await;
    }
    browser.look(Look::DESKTOP).await;
}

async fn open(server: &TestServer, tab: &str, look: Look) -> Browser {
    let browser = Browser::open_at(&server.url(), &format!("#/box-office/staff{tab}"), look).await;
    browser.find(".staff h2").await;
    browser
}

async fn catalogue(server: &TestServer) -> Value {
    let file = server.client().output("export_catalogue", json!({})).await;
    serde_json::from_str(file["text"].as_str().unwrap()).unwrap()
}

/// The date field takes the keys of no language alike.
async fn set(browser: &Browser, id: &str, value: &str) {
    let script = "const [id, value] = arguments; const field = document.getElementById(id);
        field.value = value; field.dispatchEvent(new Event('input', { bubbles: true }));";
    browser.ask(script, vec![json!(id), json!(value)]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn staff_sees_week_sells_adds_and_removes_showings() {
    let server = TestServer::with(&["cinema"]).await;
    let show = showtimes(&server.client()).await.remove(0);
    let seats = free_seats(&server.client(), &showtime_id(&show)).await;
    let order =
        json!({ "user_id": "a", "showtime_id": showtime_id(&show), "seat_ids": seats[..9] });
    server.client().output("reserve_seats", order).await;
    let order =
        json!({ "user_id": "b", "showtime_id": showtime_id(&show), "seat_ids": seats[20..24] });
    server.client().output("hold_seats", order).await;

    let browser = Browser::open(&server.url(), Look::DESKTOP).await;
    browser.role("link", "For the staff").await;
    browser.click(".staff-way a").await;
    browser.says("h1", "Cinema staff").await;
    browser.says(".op-tiles", "9\n").await;
    let (role, chart) = browser.computed(&browser.find(".staff-bars").await).await;
    assert!(role == "image" || role == "img", "{role}");
    assert!(chart.contains("share of seats sold each day") && chart.contains('%'), "{chart}");
    let rows = browser.all(".staff-chart + .table-scroll tbody tr").await.len();
    assert_eq!(rows, 7, "a row a day beside the chart");
    is_seen_well(&browser, "week").await;

    // Nothing is sold of what has begun, so it is tomorrow's. The sales of one showing are closed, with a reason,
    // and opened again.
    browser.click(".staff-days button:nth-child(2)").await;
    browser.hit("button", "Close sales of").await;
    browser.until("document.activeElement.id === 'staff-reason'").await;
    browser.press("The projector is broken").await;
    browser.key(Key::Enter).await;
    browser.says(".staff-table .op-state:not(.is-on)", "Closed").await;
    // The keyboard stays at the showing, whose row was drawn anew.
    browser.until("document.activeElement.ariaLabel?.startsWith('Open sales of')").await;
    browser.key(Key::Enter).await;
    browser.until("!document.querySelector('.op-state:not(.is-on)')").await;
    browser.until("document.activeElement.ariaLabel?.startsWith('Close sales of')").await;

    // A showing that runs into another is explained before and after it is refused.
    browser.hit("button", "Add a showing").await;
    browser.pick("Screen", "Mini Theatre").await;
    let day =
        browser.script("return document.getElementById('staff-showing-start_time').value").await;
    let day = day.as_str().unwrap()[..10].to_owned();
    let listed = server.client().output("occupancy", json!({ "from": day, "until": day })).await;
    let mut listed = listed["showtimes"].as_array().unwrap().iter();
    let taken = listed.find(|it| it["showtime_id"].as_str().unwrap().contains("-mini-"));
    let taken = taken.unwrap()["start_time"].as_str().unwrap()[..16].to_owned();
    set(&browser, "staff-showing-start_time", &taken).await;
    browser.says(".staff-meets", "It meets").await;
    browser.hit("button", "Save").await;
    browser.describes("Start", "Choose another time or screen").await;
    is_seen_well(&browser, "showing").await;
    set(&browser, "staff-showing-start_time", &format!("{day}T03:00")).await;
    browser.until("!document.querySelector('.staff-meets').textContent").await;
    browser.hit("button", "Save").await;
    browser.says(".staff-saved", "Saved").await;
    browser.says("[aria-labelledby=staff-showings] .staff-table", "03:00").await;

    browser.hit("button", "Take out 03:00").await;
    browser.until("document.activeElement.id === 'staff-no'").await;
    browser.key(Key::Escape).await;
    // The keyboard is where it was.
    browser.until("document.activeElement.ariaLabel?.startsWith('Take out 03:00')").await;
    browser.key(Key::Enter).await;
    browser.until("document.activeElement.id === 'staff-no'").await;
    browser.hit("button", "Yes, take it out").await;
    browser
        .until(
            "![...document.querySelectorAll('.staff-time')].some(it => it.innerText === '03:00')",
        )
        .await;
    // What is sold keeps its showing.
    let called = showtime_id(&show);
    let sold = json!({ "showtime_id": called, "remove": true });
    assert_eq!(
        server.client().failure("edit_showtime", sold).await["error"],
        "sold_seats_would_be_lost"
    );
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn staff_edits_films_and_sees_faults() {
    let server = TestServer::with(&["cinema"]).await;
    let browser = open(&server, "/films", Look::DESKTOP.japanese()).await;
    browser.hit("button", "作品を追加").await;
    browser.hit("button", "保存する").await;
    browser.until("document.activeElement.id === 'staff-film-movie_id'").await;
    browser.describes("題名必須", "入力してください").await;
    browser.press("Tampopo 1985").await;
    browser.fill("題名必須", "タンポポ").await;
    browser.fill("上映時間（分）", "0").await;
    browser.fill("評価（0〜5）", "4.8").await;
    browser.fill("説明必須", "理想のラーメンを求める物語。").await;
    browser.hit("button", "保存する").await;
    browser.describes("ID", "半角の英小文字").await;
    browser.describes("上映時間（分）", "1 から 1440 まで").await;
    is_seen_well(&browser, "film").await;
    browser.fill("ID", "rashomon").await;
    browser.fill("上映時間（分）", "115").await;
    browser.hit("button", "保存する").await;
    browser.describes("ID", "すでに使われています").await;
    browser.fill("ID", "tampopo").await;
    browser.hit("button", "保存する").await;
    browser.says(".staff-saved", "変更点：1 件").await;
    browser.hit("button", "「タンポポ」を編集").await;
    browser.fill("題名（英語）", "Tampopo").await;
    // Another of the staff is at work on it, too.
    let other = json!({ "movie_id": "tampopo", "genre": "コメディ" });
    server.client().output("edit_movie", other).await;
    browser.hit("button", "保存する").await;
    browser.says(".staff-saved", "変更点：1 件").await;
    let movies = catalogue(&server).await["movies"].clone();
    let film = movies.as_array().unwrap().iter().find(|it| it["movie_id"] == "tampopo").unwrap();
    assert_eq!((&film["title_en"], &film["duration"]), (&json!("Tampopo"), &json!(115)));
    assert_eq!(film["genre"], "コメディ", "what was not touched stays as it is");
    browser.hit("button", "「タンポポ」を削除").await;
    browser.hit("button", "削除する").await;
    browser.says(".staff-saved", "変更点：1 件").await;
    // One that is still on is kept, and it is said why.
    browser.hit("button", "「羅生門」を削除").await;
    browser.hit("button", "削除する").await;
    browser.says(".notice.is-error", "入力を確認してください").await;
    browser.says(".staff-problems", "rashomon").await;
    browser.close().await;
}

/// A cell of the plan.
fn cell(row: usize, column: usize) -> String {
    format!("#plan-{row}-{column}")
}

#[tokio::test(flavor = "multi_thread")]
async fn staff_draws_a_screen_by_mouse_and_keyboard() {
    let server = TestServer::with(&["cinema"]).await;
    let browser = open(&server, "/screens", Look::DESKTOP).await;
    is_seen_well(&browser, "screens").await;
    browser.hit("button", "Add a screen").await;
    browser.until("document.activeElement.id === 'staff-screen-heading'").await;
    browser.find(&cell(5, 11)).await;
    browser.says(".staff-counts", "Seats in all: 72").await;
    let stops = browser.all(".hall-grid [role=gridcell][tabindex='0']").await.len();
    assert_eq!(stops, 1, "the plan is one tab stop");

    // By keyboard: a wheelchair place and its companion, gaps along a row by Shift, and back again.
    browser.focus(&cell(0, 0)).await;
    browser.press("w").await;
    browser.key(Key::Right).await;
    browser.press("c").await;
    browser.says(".staff-counts", "Companion: 1").await;
    let (role, name) = browser.computed(&browser.find(&cell(0, 1)).await).await;
    assert_eq!((role.as_str(), name.as_str()), ("gridcell", "Row A, seat 2: Companion"));
    browser.key(Key::Down).await;
    browser.key(Key::Delete).await;
    browser.says(".staff-counts", "Seats in all: 71").await;
    browser.press(&format!("{}z{}", char::from(Key::Control), char::from(Key::Null))).await;
    browser.says(".staff-counts", "Seats in all: 72").await;

    // By mouse: the aisle is drawn from the front to the back, one step however long.
    browser.hit("radio", "Gap").await;
    let drag = "const at = (row, type) => document.getElementById(`plan-${row}-5`).dispatchEvent(
            new MouseEvent(type, { bubbles: true, cancelable: true, buttons: 1 }));
        at(0, 'mousedown'); for (let row = 1; row < 6; row++) at(row, 'mouseover');
        document.dispatchEvent(new MouseEvent('mouseup'));";
    browser.script(drag).await;
    browser.says(".staff-counts", "Seats in all: 66").await;
    browser.find(".staff-gap.is-aisle").await;
    browser.hit("button", "Undo").await;
    browser.says(".staff-counts", "Seats in all: 72").await;
    browser.hit("button", "Redo").await;
    browser.says(".staff-counts", "Seats in all: 66").await;
    // And with a click as people click.
    browser.hit("radio", "Pair").await;
    browser.click(&cell(5, 0)).await;
    browser.says(".staff-faults", "Row F has an odd number of pair seats").await;
    browser.click(&cell(5, 1)).await;
    browser.until("!document.querySelector('.staff-faults').textContent").await;
    browser.hit("button", "Add a row at the back").await;
    browser.find(&cell(6, 0)).await;
    browser.hit("button", "Remove row F").await;
    is_seen_well(&browser, "plan").await;

    browser.fill("Identifier", "s9").await;
    browser.fill("Name", "スクリーン9").await;
    browser.hit("button", "Save").await;
    browser.says(".staff-saved", "Saved. Changes: 1").await;
    let screens = catalogue(&server).await["screens"].clone();
    let screen = screens.as_array().unwrap().iter().find(|it| it["screen_id"] == "s9").unwrap();
    let rows = screen["rows"].as_array().unwrap();
    let row = |at: usize| (rows[at]["row"].as_str().unwrap(), rows[at]["seats"].as_str().unwrap());
    assert_eq!(row(0), ("A", "wcsss_ssssss"));
    assert_eq!(row(5), ("G", "ddsss_ssssss"), "the others keep their letters");

    // What is sold is kept, and it is said what would be gone.
    let show = showtimes(&server.client()).await.remove(0);
    let seats = free_seats(&server.client(), &showtime_id(&show)).await;
    let order =
        json!({ "user_id": "a", "showtime_id": showtime_id(&show), "seat_ids": seats[..1] });
    server.client().output("reserve_seats", order).await;
    let screen = show["theater_name_en"].as_str().unwrap();
    browser.hit("button", &format!("Edit {screen}")).await;
    // Its form has the focus at first, a moment after it is drawn.
    browser.until("document.activeElement.id === 'staff-screen-heading'").await;
    browser.focus(".hall-grid [role=gridcell]:not(.staff-gap)").await;
    browser.key(Key::Delete).await;
    browser.hit("button", "Save").await;
    browser.says(".notice.is-error", "sold").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn staff_moves_a_party_to_other_seats() {
    let server = TestServer::with(&["cinema"]).await;
    let client = server.client();
    let show = showtimes(&client).await.remove(0);
    let seats = free_seats(&client, &showtime_id(&show)).await;
    let order =
        json!({ "user_id": "花子", "showtime_id": showtime_id(&show), "seat_ids": seats[..2] });
    let made = client.output("reserve_seats", order).await;
    let browser = open(&server, "/party", Look::DESKTOP).await;
    browser.type_at("#staff-find", "nobody").await;
    browser.key(Key::Enter).await;
    browser.says(".staff .error", "no reservation that could be moved").await;
    browser.fill("Number or name", "花子").await;
    browser.key(Key::Enter).await;
    browser.says("#staff-party-chosen", "花子").await;
    browser.find("[role=gridcell]").await;
    let seat = |at: usize| format!("[role=gridcell][data-seat='{}']", seats[at]);
    // One of their own seats, and one that is free; a third is too many.
    for at in [1, 2, 3] {
        browser.click(&seat(at)).await;
    }
    browser.says(".picked-count", "2 of 2").await;
    is_seen_well(&browser, "party").await;
    browser.fill("Reason", "seat 1 is broken").await;
    browser.hit("button", "Move the party").await;
    browser.says("#staff-moved", "was moved").await;
    let arguments = json!({ "reservation_id": made["reservation_id"] });
    let stored = client.output("get_reservation", arguments).await;
    let mut now: Vec<_> =
        stored["seats"].as_array().unwrap().iter().map(|it| it["seat_id"].clone()).collect();
    now.sort_by_key(Value::to_string);
    let mut right = [json!(seats[1]), json!(seats[2])];
    right.sort_by_key(Value::to_string);
    assert_eq!(now, right);
    assert_eq!(stored["history"][0]["reason"], "seat 1 is broken");
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn import_previews_its_changes() {
    let server = TestServer::with(&["cinema"]).await;
    let mut edited = catalogue(&server).await;
    edited["cleaning_minutes"] = json!(5);
    edited["movies"][0]["title"] = json!("君の名は");
    let folder = server.folders.data();
    let file = |name: &str, text: &str| {
        let file = folder.join(name);
        fs::write(&file, text).unwrap();
        file.display().to_string()
    };
    let browser = open(&server, "/file", Look::DESKTOP).await;
    let input = browser.find("#staff-file").await;
    input.send_keys(&file("new.json", &edited.to_string())).await.unwrap();
    browser.says("#staff-found", "What new.json would change: 2").await;
    browser.says(".staff-changes", "cleaning_minutes").await;
    is_seen_well(&browser, "import").await;
    assert_ne!(catalogue(&server).await, edited, "nothing has changed yet");
    browser.hit("button", "Replace the catalogue with this").await;
    browser.says("#staff-found", "Replaced, with 2 changes").await;
    assert_eq!(catalogue(&server).await["cleaning_minutes"], 5);

    // Back to what was there before, with a look at it first.
    browser.hit("button", "See what going back to version").await;
    browser.says("#staff-found", "would change: 2").await;
    browser.hit("button", "Leave it as it is").await;
    browser.until("!document.querySelector('#staff-found')").await;

    // CSV is read, too; and what is wrong is said by its line.
    let csv = server.client().output("export_catalogue", json!({ "format": "csv" })).await;
    let csv = csv["text"].as_str().unwrap().to_owned();
    assert!(csv.starts_with('\u{feff}'), "spreadsheets take it for UTF-8 by its mark");
    input.send_keys(&file("same.csv", &csv)).await.unwrap();
    browser.says("#staff-found", "same.csv is what is on sale already").await;
    let broken = csv.replacen("107", "minutes", 1);
    input.send_keys(&file("broken.csv", &broken)).await.unwrap();
    browser.says("#staff-found", "There are mistakes in broken.csv").await;
    browser.says(".staff-problems", "line").await;
    is_seen_well(&browser, "import-wrong").await;
    // What is no UTF-8 is read so, and is not for sale.
    let other = csv.replacen("107", "\u{fffd}", 1);
    input.send_keys(&file("other.csv", &other)).await.unwrap();
    browser.says(".notice.is-error", "CSV UTF-8").await;

    // Both forms are saved by the browser; nothing is opened.
    let saved = "window.saved = []; HTMLAnchorElement.prototype.click = function () {
        window.saved.push(this.download); };";
    browser.script(saved).await;
    browser.hit("button", "Save as JSON").await;
    browser.hit("button", "Save as CSV").await;
    browser.until("window.saved.length === 2").await;
    let saved =
        browser.script("return window.saved.map(it => it.split('.').pop()).sort().join()").await;
    assert_eq!(saved, "csv,json");
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn customers_see_no_link_to_the_admin_view() {
    for (scopes, is_staff) in
        [(&["component:cinema"][..], false), (&["component:cinema", "tool:occupancy"], true)]
    {
        let folders = Folders::new();
        folders.put("cinema", &component_bytes("cinema"));
        let scopes: Vec<Scope> = scopes.iter().map(|it| it.parse().unwrap()).collect();
        let fresh = FreshToken::new("hanako", &scopes, None).unwrap();
        let config = folders.config_with(&fresh.configuration);
        let server = TestServer::start(folders, |it| *it = config).await;
        let browser = Browser::open(&server.url(), Look::DESKTOP).await;
        browser.type_at("#token", &fresh.token).await;
        let count = "const real = window.fetch; window.asked = 0;
            window.fetch = async (input, init) => {
                const text = input instanceof Request ? await input.clone().text() : '';
                const answer = await real(input, init);
                if (text.includes('occupancy')) window.asked++;
                return answer;
            };";
        browser.script(count).await;
        browser.key(Key::Enter).await;
        browser.find(".film-list li").await;
        if is_staff {
            browser.find(".staff-way a").await;
        } else {
            // The host is asked, and refuses.
            browser.until("window.asked > 0").await;
            assert!(browser.all(".staff-way").await.is_empty());
            browser.go("#/box-office/staff").await;
            browser.says(".notice.is-error", "tool:").await;
        }
        browser.close().await;
    }
}
