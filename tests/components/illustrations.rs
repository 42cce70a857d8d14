//! The illustrations component alone, by requirement: ILL-1 to ILL-6, and the thumbnail.

mod cards;
mod folder;
mod hostile;
mod sentences;
mod themes;
mod thumbnails;

use host::{
    component::{Content, Contents, ResourceBody},
    limits::Limits,
};
use serde_json::{Value, json};
use tests::bench::{Bench, Tested};
use workbench::solo::SoloOutcome;

const CARD: &str = "get_card_illustration";
const THEME: &str = "get_theme_illustrations";
const THUMBNAIL: &str = "compose_thumbnail";

/// The first seven bytes of a PNG file that are always the same.
const PNG: [u8; 8] = [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a];
/// A card's picture, in pixels.
const SIZE: (u32, u32) = (480, 640);

/// The component with the limits that the default configuration gives it.
async fn open() -> Tested {
    let limits = Limits { cpu_ms_max: 10_000, output_bytes_max: 32 << 20, ..Limits::default() };
    Bench::of("illustrations").grant_all().limits(limits).start().await
}

/// The output of a call with its images and texts.
async fn whole(tested: &Tested, tool: &str, arguments: Value) -> (Value, Vec<Image>, Vec<String>) {
    let output = match tested.round(tool, arguments, json!({})).await {
        SoloOutcome::Done(output) => output,
        other => panic!("{tool} did not succeed: {other:?}"),
    };
    let structured = output.structured.expect("the tool has a structured output");
    let (mut images, mut texts) = (Vec::new(), Vec::new());
    for content in output.content {
        match content {
            Content::Image(image) => {
                let meta: Value = serde_json::from_str(&image.meta.expect("a meta")).expect("JSON");
                let uri = meta["madoguchi/uri"].as_str().expect("a URI").to_owned();
                images.push(Image { bytes: image.data, mime_type: image.mime_type, uri });
            }
            Content::Text(text) => texts.push(text.text),
            other => panic!("neither image nor text: {other:?}"),
        }
    }
    (serde_json::from_str(&structured).expect("the output is JSON"), images, texts)
}

/// An image beside the output.
struct Image {
    bytes: Vec<u8>,
    mime_type: String,
    uri: String,
}

/// Holds that `of` names `image`, which is exactly of the type that it says and can be decoded, and that no
/// bytes are in `of` itself.
fn picture(of: &Value, image: &Image, size: (u32, u32)) {
    assert_eq!(of["mimeType"], "image/png", "ILL-4: {}", of["card_name"]);
    assert_eq!(image.mime_type, "image/png");
    assert_eq!(of["uri"], *image.uri, "{}", of["card_name"]);
    assert!(of.to_string().len() < 2_000, "an output is text, and a picture is none: {of}");
    assert_eq!(decoded_size(&image.bytes), size, "ILL-4: it can be decoded");
}

/// The bytes that are read at `uri`.
async fn read(tested: &Tested, uri: &str) -> Vec<u8> {
    let contents = tested.read(uri).await.expect("it can be read");
    let [Contents { body: ResourceBody::Blob(bytes), mime_type, .. }] = &contents[..] else {
        panic!("one picture: {contents:?}")
    };
    assert_eq!(mime_type.as_deref(), Some("image/png"));
    bytes.clone()
}

/// The size of a PNG picture, all of whose pixels can be read.
fn decoded_size(bytes: &[u8]) -> (u32, u32) {
    assert_eq!(bytes[..8], PNG, "a PNG file");
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a header");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let frame = reader.next_frame(&mut pixels).expect("the pixels");
    let pixels = &pixels[..frame.buffer_size()];
    let first = &pixels[..3];
    assert!(pixels.chunks(3).any(|it| it != first), "there is something on it");
    (frame.width, frame.height)
}

/// The code, the status and the close names of a refusal.
async fn refused(tested: &Tested, tool: &str, arguments: Value) -> (String, u64, Vec<String>) {
    let failure = tested.failure(tool, arguments).await;
    let names = failure["data"]["suggestions"].as_array().cloned().unwrap_or_default();
    let names = names.iter().map(|it| it.as_str().expect("a name").to_owned()).collect();
    let code = failure["error"].as_str().expect("a code").to_owned();
    (code, failure["status"].as_u64().expect("a status"), names)
}
