//! How it looks and reads, by day and night, on desktop and phone (ILL-46).

use tests::browser::Look;

use super::{Opened, WAY};

#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_no_serious_fault_in_any_theme_or_width() {
    let looks = [
        ("desktop-light", Look::DESKTOP.japanese()),
        ("desktop-dark", Look::DESKTOP.dark()),
        ("tablet", Look { width: 800, height: 1000, ..Look::DESKTOP.japanese() }),
        ("phone-light", Look::PHONE.japanese()),
        ("narrow", Look { width: 320, ..Look::PHONE.dark() }),
    ];
    for (device, look) in looks {
        let opened = Opened::with(look).await;
        sound(&opened, &format!("{device} empty")).await;
        opened.browser.whole_picture(&format!("chat-{device}-empty"), look).await;
        opened.say(WAY).await;
        opened.browser.click("#chat-list").await;
        sound(&opened, device).await;
        opened.browser.whole_picture(&format!("chat-{device}"), look).await;
        opened.close().await;
    }
}

async fn sound(opened: &Opened, what: &str) {
    assert_eq!(opened.browser.serious_faults().await, Vec::<String>::new(), "{what}");
    assert!(!opened.browser.overflows().await, "{what} is wider than the window");
}

/// A form is longer than a phone's window: it is read from its beginning.
#[tokio::test(flavor = "multi_thread")]
async fn phone_shows_the_beginning_of_what_waits() {
    let opened = Opened::with(Look::PHONE.japanese()).await;
    opened.say("明日の夜にゴジラを2席取りたい").await;
    let begins = "(() => {
        const title = document.querySelector('.card-form .request-title')?.getBoundingClientRect();
        const [above, below] = ['.top', '.chat-composer']
            .map(it => document.querySelector(it).getBoundingClientRect());
        return title && title.top >= above.bottom && title.bottom <= below.top;
    })()";
    opened.browser.until(begins).await;
    opened.browser.picture("chat-form-phone").await;
    opened.close().await;
}
