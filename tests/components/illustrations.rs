//! The illustrations component alone, by requirement (ILL-1 to ILL-6): cards, thumbnails, hostile input, sentences.

mod themes;

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

// `get_card_illustration` (ILL-1, ILL-3, ILL-4, ILL-6).

#[tokio::test]
async fn declaration_is_the_specified_one() {
    let tested = open().await;
    let tool = tested.component().tools().iter().find(|it| &*it.name == CARD).unwrap();
    assert_eq!(tool.description, "指定されたカード名の公式イラストを取得します", "ILL-1");
    let schema = &tool.input_schema;
    assert_eq!(schema["properties"]["card_name"]["type"], "string");
    assert_eq!(schema["properties"]["card_name"]["description"], "取得したいカードの名前");
    assert_eq!(schema["required"], json!(["card_name"]));
    assert_eq!(schema["properties"].as_object().unwrap().len(), 1);
}

#[tokio::test]
async fn card_is_named_in_the_output_next_to_its_picture() {
    let tested = open().await;
    let arguments = json!({ "card_name": "蒼晶竜アジュール" });
    let (output, images, texts) = whole(&tested, CARD, arguments).await;
    let fields: Vec<_> = output.as_object().unwrap().keys().cloned().collect();
    assert_eq!(fields, ["mimeType", "uri"], "ILL-1: a picture by its name");
    assert_eq!(images.len(), 1, "ILL-3: native image content");
    picture(&output, &images[0], SIZE);
    assert!(images[0].bytes.len() <= 400 << 10, "{} bytes", images[0].bytes.len());
    assert_eq!(read(&tested, &images[0].uri).await, images[0].bytes, "the same is a resource");
    assert_eq!(texts, ["蒼晶竜アジュール"], "ILL-3: a text with the name");
}

#[tokio::test]
async fn finds_a_card_by_reading_english_and_names_not_quite_right() {
    let tested = open().await;
    for (query, name) in [
        ("紅蓮機工ボルカノ", "紅蓮機工ボルカノ"),
        ("ぼるかの", "紅蓮機工ボルカノ"),
        ("Volcano Engine", "紅蓮機工ボルカノ"),
        ("ｖｏｌｃａｎｏ ｅｎｇｉｎｅ", "紅蓮機工ボルカノ"),
        ("リーフィ", "翠森精霊リーフィ"),
        ("Leafy of the Verdant", "翠森精霊リーフィ"),
        ("soleil the golden king", "黄金王ソレイユ"),
        ("ノクス", "深淵魔導師ノクス"),
        ("ゆきうさぎ", "雪兎ユキ"),
        ("星海船アルゴー", "星海船アルゴ"),
        ("そうしょうりゅうあじゅる", "蒼晶竜アジュール"),
        ("「雪兎ユキ」のイラスト", "雪兎ユキ"),
    ] {
        let (_, _, texts) = whole(&tested, CARD, json!({ "card_name": query })).await;
        assert_eq!(texts, [name], "ILL-6: {query}");
    }
}

#[tokio::test]
async fn refuses_an_unknown_card_with_up_to_five_close_names() {
    let tested = open().await;
    let (code, status, near) = refused(&tested, CARD, json!({ "card_name": "zzzz" })).await;
    assert_eq!((code.as_str(), status, near.len()), ("card_not_found", 404, 0), "ILL-4");
    let arguments = json!({ "card_name": "龍騎士" });
    let (code, _, near) = refused(&tested, CARD, arguments).await;
    assert_eq!(code, "card_not_found");
    assert_eq!(near, ["蒼晶竜騎士セイラン", "黄金翼の騎士オーラム"], "ILL-4");
    for name in near {
        let (_, _, texts) = whole(&tested, CARD, json!({ "card_name": name })).await;
        assert_eq!(texts, [name], "a close name is one that is found");
    }
}

#[tokio::test]
async fn two_calls_draw_the_same_bytes() {
    let (one, other) = (open().await, open().await);
    let uri =
        "card://%E6%B7%B1%E6%B7%B5%E9%AD%94%E5%B0%8E%E5%B8%AB%E3%83%8E%E3%82%AF%E3%82%B9/image";
    let output = one.call(CARD, json!({ "card_name": "深淵魔導師ノクス" })).await;
    assert_eq!(output["uri"], uri);
    assert_eq!(read(&one, uri).await, read(&other, uri).await);
    other.read("card://zzzz/image").await.unwrap_err();
    other.read("card://a/b/image").await.unwrap_err();
}

// `compose_thumbnail`: cards and a title in one picture (ILL-43).

const CARDS: [&str; 5] =
    ["蒼晶竜アジュール", "紅蓮機工ボルカノ", "翠森精霊リーフィ", "黄金王ソレイユ", "雪兎ユキ"];

/// As YouTube has it.
const BYTES_MAX: usize = 2 << 20;

const THUMBNAIL_SIZE: (u32, u32) = (1280, 720);

#[tokio::test]
async fn one_to_five_cards_and_a_title_make_a_thumbnail_size_picture() {
    let tested = open().await;
    for count in 1..=5 {
        let arguments = json!({ "cards": CARDS[..count], "title": "蒼晶竜 対 紅蓮機工" });
        let (output, images, texts) = whole(&tested, THUMBNAIL, arguments).await;
        assert_eq!(images.len(), 1, "ILL-3");
        picture(&output, &images[0], THUMBNAIL_SIZE);
        let size = images[0].bytes.len();
        assert!(size <= BYTES_MAX, "ILL-43: {size} bytes");
        assert_eq!(output["cards"], json!(CARDS[..count]));
        assert_eq!((&output["width"], &output["height"]), (&json!(1280), &json!(720)));
        assert_eq!(output["title"], "蒼晶竜 対 紅蓮機工");
        assert_eq!(texts, [CARDS[..count].join("\n")], "ILL-3");
    }
}

#[tokio::test]
async fn each_text_and_option_shows_and_repeating_it_draws_the_same() {
    let tested = open().await;
    let plain = json!({ "cards": CARDS[..2] });
    let mut pictures = vec![drawn(&tested, plain.clone()).await];
    for (field, value) in [
        ("title", json!("決戦")),
        ("subtitle", json!("第1回")),
        ("style", json!("spread")),
        ("style", json!("spotlight")),
        ("theme", json!("雪月花")),
        ("theme", json!("緑")),
    ] {
        let mut arguments = plain.clone();
        arguments[field] = value;
        let made = drawn(&tested, arguments.clone()).await;
        assert_eq!(drawn(&tested, arguments.clone()).await, made, "{arguments}");
        assert!(!pictures.contains(&made), "{arguments} makes no difference");
        pictures.push(made);
    }
    // Some models write nothing where they may leave something out.
    let blank = json!({ "cards": CARDS[..2], "title": "", "subtitle": "", "theme": "" });
    assert_eq!(drawn(&tested, blank).await, pictures[0]);
    let arguments: Value = json!({ "cards": CARDS[..2], "style": "versus" });
    assert_eq!(drawn(&tested, arguments).await, pictures[0], "two cards are rivals");
}

/// The bytes of a thumbnail, which are the same where it is read as a resource.
async fn drawn(tested: &Tested, arguments: Value) -> Vec<u8> {
    let (_, mut images, _) = whole(tested, THUMBNAIL, arguments).await;
    let Image { bytes, uri, .. } = images.remove(0);
    assert_eq!(read(tested, &uri).await, bytes, "{uri}");
    bytes
}

#[tokio::test]
async fn reports_letters_missing_in_the_font_and_still_draws() {
    let tested = open().await;
    let arguments = json!({ "cards": ["雪兎ユキ"], "title": "雪月花🐉❄\u{fe0f}" });
    let (output, images, texts) = whole(&tested, THUMBNAIL, arguments).await;
    picture(&output, &images[0], THUMBNAIL_SIZE);
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts[1].contains('🐉') && texts[1].contains('〓'), "{texts:?}");
}

#[tokio::test]
async fn rejects_unknown_names_like_the_other_tools() {
    let tested = open().await;
    let arguments = json!({ "cards": ["雪兎ユキ", "zzzz"] });
    let (code, status, _) = refused(&tested, THUMBNAIL, arguments).await;
    assert_eq!((code.as_str(), status), ("card_not_found", 404));
    let arguments = json!({ "cards": ["雪兎ユキ"], "theme": "zzzz" });
    let (code, status, near) = refused(&tested, THUMBNAIL, arguments).await;
    assert_eq!((code.as_str(), status), ("theme_not_found", 404));
    assert!(near.len() <= 5);
}

// Input of callers is only a name or a line of text, within limits.

/// Texts that mean something to a file system, a terminal, a page or a font.
const NASTY: [&str; 10] = [
    "../../../../etc/passwd",
    "' OR '1'='1",
    "<script>alert(1)</script>\u{1b}[31m",
    "\u{0}NUL\u{0}",
    "\u{202e}逆\u{200d}\u{feff}",
    "👩\u{200d}👩\u{200d}👧\u{200d}👦",
    "﷽﷽﷽﷽",
    "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢",
    "%%{}",
    "\r\n\t",
];

#[tokio::test]
async fn megabyte_or_empty_name_is_no_name_and_its_refusal_is_short() {
    let tested = open().await;
    for name in ["竜".repeat(350_000), "a".repeat(1 << 20), String::new(), "  ".into(), "。".into()]
    {
        for (tool, field, code) in
            [(CARD, "card_name", "card_not_found"), (THEME, "theme", "theme_not_found")]
        {
            let failure = tested.failure(tool, json!({ field: name })).await;
            assert_eq!(failure["error"], code, "{} bytes", name.len());
            assert!(failure.to_string().len() < 2_000, "{} bytes", name.len());
        }
    }
}

#[tokio::test]
async fn searched_text_is_only_data() {
    let tested = open().await;
    for text in NASTY {
        let failure = tested.failure(CARD, json!({ "card_name": text })).await;
        assert_eq!(failure["error"], "card_not_found", "{text:?}");
        let failure = tested.failure(THEME, json!({ "theme": text })).await;
        assert_eq!(failure["error"], "theme_not_found", "{text:?}");
    }
}

#[tokio::test]
async fn thumbnail_text_is_only_data() {
    let tested = open().await;
    for text in NASTY {
        for style in ["versus", "spread", "spotlight"] {
            let arguments =
                json!({ "cards": ["雪兎ユキ"], "title": text, "subtitle": text, "style": style });
            let (made, images, _) = whole(&tested, THUMBNAIL, arguments).await;
            picture(&made, &images[0], (1280, 720));
            let title = made["title"].as_str().unwrap();
            assert!(!title.chars().any(char::is_control), "{title:?}");
        }
    }
    let longest = "龍".repeat(60);
    let arguments = json!({ "cards": ["雪兎ユキ"], "title": longest });
    let (made, images, _) = whole(&tested, THUMBNAIL, arguments).await;
    picture(&made, &images[0], (1280, 720));
}

#[tokio::test]
async fn rejects_excess_with_its_argument() {
    let tested = open().await;
    let many: Vec<_> = (0..500).map(|_| "雪兎ユキ").collect();
    let one = ["雪兎ユキ"];
    for (arguments, field) in [
        (json!({ "cards": many }), "cards"),
        (json!({ "cards": [] }), "cards"),
        (json!({ "cards": one, "title": "あ".repeat(61) }), "title"),
        (json!({ "cards": one, "title": "a".repeat(1 << 20) }), "title"),
        (json!({ "cards": one, "subtitle": "あ".repeat(61) }), "subtitle"),
        (json!({ "cards": one, "style": "explosion" }), "style"),
        (json!({ "cards": [1] }), "cards/0"),
        (json!({ "cards": one, "size": "huge" }), "size"),
    ] {
        let failure: Value = tested.failure(THUMBNAIL, arguments).await;
        assert_eq!(failure["error"], "invalid_params", "{field}");
        let named = failure["data"]["field"].as_str().unwrap_or_default();
        assert_eq!(named.replace('.', "/").replace("[0]", "/0"), field, "{failure}");
    }
}

// Cards requested in sentences.

#[tokio::test]
async fn distinguishes_guessed_names_from_given_ones() {
    let cards = open().await;
    let tool = |name: &str| json!({ "name": name, "is_read_only": true });
    let mut turn = json!({ "message": "月光楽団を見せて", "tools": [tool(CARD), tool(THEME)] });
    let guess = cards.converse(turn.clone()).await.unwrap();
    assert!(guess["confidence"].as_f64().unwrap() < 0.5, "{guess}");
    turn["names"] = json!([{ "kind": "theme", "name": "月光楽団", "english": "Moonlight Band" }]);
    let reply = cards.converse(turn).await.unwrap();
    assert!(reply["confidence"].as_f64().unwrap() > 0.5, "{reply}");
    assert_eq!(reply["calls"][0]["tool"], THEME, "{reply}");
}
