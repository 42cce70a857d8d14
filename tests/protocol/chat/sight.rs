//! How it looks and reads, by day and night, on desktop and phone (ILL-46).

use tests::browser::Look;

use super::{Opened, WAY};

#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_nothing_serious_by_day_and_night_on_desk_and_phone() {
    let looks = [
        ("desktop-light", Look::DESKTOP.japanese()),
        ("desktop-dark", Look::DESKTOP.dark()),
        ("tablet", Look { width: 800, height: 1000, ..Look::DESKTOP.japanese() }),
        ("phone-light", Look::PHONE.japanese()),
        ("narrow", Look { width: 320, ..Look::PHONE.dark() }),
    ];
    for (device, look) in looks {
        let it = Opened::with(look).await;
        sound(&it, &format!("{device} empty")).await;
        it.browser.whole_picture(&format!("chat-{device}-empty"), look).await;
        it.say(WAY).await;
        it.browser.click("#chat-list").await;
        sound(&it, device).await;
        it.browser.whole_picture(&format!("chat-{device}"), look).await;
        it.close().await;
    }
}

async fn sound(it: &Opened, what: &str) {
    assert_eq!(it.browser.serious_faults().await, Vec::<String>::new(), "{what}");
    assert!(!it.browser.overflows().await, "{what} is wider than the window");
}
