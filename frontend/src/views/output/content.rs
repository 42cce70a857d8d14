//! Pieces of a result: text, images, sound, resources and links.

use leptos::prelude::*;

use super::safe_url;
use crate::mcp::wire::Content;
use crate::text::Key;
use crate::views::structured::Structured;

/// Characters of one text drawn at most.
const TEXT_MAX: usize = 50_000;
/// Characters of base64 that become an image or a sound.
const MEDIA_MAX: usize = 20 << 20;

#[component]
pub(super) fn ContentView(content: Content, tool: String) -> AnyView {
    match content {
        Content::Text(text) => view! { <TextView text/> }.into_any(),
        Content::Image { data, mime } => match media_url("image/", &mime, &data) {
            Some(url) => view! {
                <figure class="media">
                    <img src=url loading="lazy" alt=move || Key::ImageFrom.fill(&[&tool])/>
                </figure>
            }
            .into_any(),
            None => view! { <p class="hint">{Key::NoShow}</p> }.into_any(),
        },
        Content::Audio { data, mime } => match media_url("audio/", &mime, &data) {
            Some(url) => view! {
                <figure class="media">
                    <audio controls src=url aria-label=move || Key::AudioFrom.fill(&[&tool])></audio>
                </figure>
            }
            .into_any(),
            None => view! { <p class="hint">{Key::NoShow}</p> }.into_any(),
        },
        Content::Resource { uri, mime, text } => view! {
            <section class="resource">
                <p class="resource-head"><code>{uri}</code>" "{mime}</p>
                {text.map(|text| view! { <TextView text/> })}
            </section>
        }
        .into_any(),
        Content::Link { uri, title, description } => {
            let link = match safe_url(&uri) {
                Some(url) => view! {
                    <a href=url target="_blank" rel="noopener noreferrer">{title}</a>
                }
                .into_any(),
                None => view! { <span>{title}" "<code>{uri}</code></span> }.into_any(),
            };
            view! { <p class="resource">{link}{description.map(|it| view! { <br/>{it} })}</p> }
                .into_any()
        }
        Content::Unknown => view! { <p class="hint">{Key::NoShow}</p> }.into_any(),
    }
}

/// A text; one that is JSON is drawn as data.
#[component]
fn TextView(text: String) -> AnyView {
    let is_json = text.trim_start().starts_with(['{', '[']);
    if let Some(value) = is_json.then(|| serde_json::from_str(&text).ok()).flatten() {
        return view! { <Structured value/> }.into_any();
    }
    let shown: String = text.chars().take(TEXT_MAX).collect();
    view! { <pre class="text">{shown}</pre> }.into_any()
}

/// Only media of the kind that is drawn, only base64: nothing in it can be markup.
fn media_url(kind: &str, mime: &str, data: &str) -> Option<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "+-./".contains(c);
    let is_mime = mime.starts_with(kind) && mime.len() < 60 && mime.chars().all(is_name);
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    let is_data = !data.is_empty() && data.len() <= MEDIA_MAX && data.bytes().all(is_letter);
    (is_mime && is_data).then(|| format!("data:{mime};base64,{data}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_media_of_the_kind_becomes_an_address() {
        assert_eq!(
            media_url("image/", "image/png", "aGk=").as_deref(),
            Some("data:image/png;base64,aGk=")
        );
        assert_eq!(media_url("image/", "text/html", "aGk="), None);
        assert_eq!(media_url("image/", "image/png;x=\"", "aGk="), None);
        assert_eq!(media_url("image/", "image/png", "<svg>"), None);
        assert_eq!(media_url("image/", "image/png", ""), None);
    }
}
