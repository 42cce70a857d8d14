//! A component that was not made for this host and offers its tools by wasmcp's interface.

/// What wit-bindgen makes of `wit/`.
#[allow(missing_docs, unsafe_code, reason = "generated from wit/")]
mod bindings {
    wit_bindgen::generate!({ path: "wit", world: "toolbox", generate_all });
}

use bindings::{
    Guest,
    exports::wasmcp::mcp_v20250618::tools::{
        self, CallToolRequest, CallToolResult, ErrorCode, ListToolsRequest, ListToolsResult,
        RequestCtx,
    },
    wasi::cli::stdin,
    wasmcp::mcp_v20250618::mcp::{
        Annotations, Blob, BlobData, ContentBlock, ContentOptions, EmbeddedResourceContent, Error,
        ResourceContents, ResourceLinkContent, Role, TextContent, TextData, TextResourceContents,
        Tool, ToolAnnotations, ToolOptions,
    },
};

struct Toolbox;

#[allow(unsafe_code, reason = "generated from wit/")]
mod exported {
    use crate::{Toolbox, bindings};

    bindings::export!(Toolbox with_types_in bindings);
}

const PLAIN: &str = r#"{"type":"object"}"#;
const NAMES: [&str; 9] =
    ["add", "context", "everything", "fail", "wrong", "refuse", "stream", "unknown", "spin"];
const PAGE: usize = 4;

fn tool(name: &str) -> Tool {
    let is_add = name == "add";
    let annotations = ToolAnnotations {
        title: None,
        read_only_hint: is_add.then_some(true),
        destructive_hint: None,
        idempotent_hint: is_add.then_some(true),
        open_world_hint: is_add.then_some(false),
    };
    let output = r#"{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}"#;
    let input = r#"{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}"#;
    let options = ToolOptions {
        meta: None,
        annotations: Some(annotations),
        description: Some(format!("Does {name}.")),
        output_schema: is_add.then(|| output.to_owned()),
        title: is_add.then(|| "Add".to_owned()),
    };
    let input_schema = if is_add { input } else { PLAIN }.to_owned();
    Tool { name: name.to_owned(), input_schema, options: Some(options) }
}

fn text(text: impl Into<String>) -> ContentBlock {
    ContentBlock::Text(TextContent { text: TextData::Text(text.into()), options: None })
}

fn result(content: Vec<ContentBlock>) -> CallToolResult {
    CallToolResult { meta: None, content, is_error: None, structured_content: None }
}

fn error(message: &str) -> Error {
    Error { code: -32000, message: message.to_owned(), data: None }
}

/// Reads a number of the arguments without a JSON parser.
fn number(arguments: &str, name: &str) -> Option<f64> {
    let (_, rest) = arguments.split_once(&format!("\"{name}\":"))?;
    rest.split([',', '}']).next()?.trim().parse().ok()
}

fn everything() -> Vec<ContentBlock> {
    let annotations =
        Annotations { audience: Some(vec![Role::User]), last_modified: None, priority: Some(0.5) };
    let options = Some(ContentOptions { annotations: Some(annotations), meta: None });
    let blob = |mime_type: &str| Blob {
        data: BlobData::Blob(vec![0, 255]),
        mime_type: mime_type.to_owned(),
        options: None,
    };
    let text = TextResourceContents {
        uri: "box:/1".to_owned(),
        text: TextData::Text("inside".to_owned()),
        options: None,
    };
    vec![
        ContentBlock::Text(TextContent { text: TextData::Text("for you".to_owned()), options }),
        ContentBlock::Image(blob("image/png")),
        ContentBlock::Audio(blob("audio/wav")),
        ContentBlock::ResourceLink(ResourceLinkContent {
            uri: "box:/2".to_owned(),
            name: "two".to_owned(),
            options: None,
        }),
        ContentBlock::EmbeddedResource(EmbeddedResourceContent {
            resource: ResourceContents::Text(text),
            options: None,
        }),
    ]
}

impl tools::Guest for Toolbox {
    fn list_tools(
        _: RequestCtx<'_>,
        request: ListToolsRequest,
    ) -> Result<ListToolsResult, ErrorCode> {
        let first = request.cursor.and_then(|it| it.parse().ok()).unwrap_or(0);
        let next = first + PAGE;
        let tools = NAMES.iter().skip(first).take(PAGE).map(|it| tool(it)).collect();
        let next_cursor = (next < NAMES.len()).then(|| next.to_string());
        Ok(ListToolsResult { meta: None, next_cursor, tools })
    }

    fn call_tool(
        ctx: RequestCtx<'_>,
        request: CallToolRequest,
    ) -> Result<Option<CallToolResult>, ErrorCode> {
        let arguments = request.arguments.unwrap_or_default();
        Ok(Some(match request.name.as_str() {
            "add" => {
                let sum = number(&arguments, "a").zip(number(&arguments, "b"));
                let Some((a, b)) = sum else {
                    return Err(ErrorCode::InvalidParams(error("a and b are to be numbers")));
                };
                let structured_content = Some(format!("{{\"sum\":{}}}", a + b));
                CallToolResult { structured_content, ..result(vec![text(format!("{}", a + b))]) }
            }
            "context" => {
                let (who, version) = (ctx.jwt.or(ctx.session_id), ctx.protocol_version);
                let has_stream = ctx.message_stream.is_some();
                result(vec![text(format!("{version} {who:?} {has_stream} {arguments}"))])
            }
            "everything" => result(everything()),
            "fail" => CallToolResult {
                is_error: Some(true),
                structured_content: Some(r#"{"left":3}"#.to_owned()),
                ..result(vec![text("It is"), text("stuck.")])
            },
            "wrong" => CallToolResult {
                structured_content: Some("no json".to_owned()),
                ..result(Vec::new())
            },
            "refuse" => return Err(ErrorCode::Server(error("The box is locked."))),
            "stream" => {
                let text = TextData::TextStream(stdin::get_stdin());
                result(vec![ContentBlock::Text(TextContent { text, options: None })])
            }
            "spin" => loop {
                std::hint::black_box(());
            },
            _ => return Ok(None),
        }))
    }
}

impl Guest for Toolbox {
    fn run() -> u32 {
        7
    }
}
