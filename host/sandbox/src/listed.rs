//! Tools of components that implement wasmcp's interface `wasmcp:mcp-vDATE/tools` (SYS-50).
//!
//! Versions differ in request parameters, so arguments are built by names and types of the component's functions, and
//! results are read by name.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use wasmtime::{
    Store,
    component::{
        Component, ComponentExportIndex, Instance, Type, Val, types::ComponentFunc,
        types::ComponentItem,
    },
};

use crate::{
    bindings::{
        exports::madoguchi::tool::tools::{
            Annotations, Definition, Invocation, Output, Refusal, Stop,
        },
        madoguchi::tool::types::{
            Content, LinkContent, MediaContent, Problem, ResourceBody, ResourceContent, TextContent,
        },
    },
    definition::TOOLS_MAX,
    lifting::{LeftOut, arguments, refusal},
};

/// Prefix of the package, followed by the MCP revision date and a version.
const PACKAGE: &str = "wasmcp:mcp-v";
const INTERFACE: &str = "tools";
/// Maximum depth of request metadata.
const DEPTH_MAX: usize = 16;
/// Pages of a list of tools.
const PAGES_MAX: usize = 64;

/// The interface as a component exports it.
pub struct Listed {
    list: Function,
    call: Function,
    prefix: String,
    /// MCP revision in the interface name.
    revision: String,
    /// Other exports.
    pub left_out: Vec<LeftOut>,
}

struct Function {
    index: ComponentExportIndex,
    ty: ComponentFunc,
}

/// Why a call brought no output.
pub enum Unfit {
    /// Stopped as a tool does.
    Stopped(Stop),
    /// Invalid result, with its description.
    Broken(String),
}

impl Listed {
    /// Lists tools of `component`, named with `prefix`. `None` without the interface.
    ///
    /// # Errors
    /// If the version is unknown; names the difference.
    pub fn read(component: &Component, prefix: &str) -> Result<Option<Self>, String> {
        let engine = component.engine();
        let component_type = component.component_type();
        let exports = component_type.exports(engine).map(|(name, it)| (name.to_owned(), it.ty));
        let (own, others): (Vec<_>, Vec<_>) = exports.partition(|it| revision(&it.0).is_some());
        let Some((name, ComponentItem::ComponentInstance(interface))) = own.into_iter().next()
        else {
            return Ok(None);
        };
        let instance = component.get_export_index(None, &name);
        let function = |function: &str| {
            let missing = || format!("{name}: it has no function {function} of wasmcp's");
            let found = interface.exports(engine).find(|it| it.0 == function);
            let Some((_, item)) = found else { return Err(missing()) };
            let ComponentItem::ComponentFunc(ty) = item.ty else { return Err(missing()) };
            let index = component.get_export_index(instance.as_ref(), function);
            Ok(Function { index: index.ok_or_else(missing)?, ty })
        };
        let why = "its tools are those that it lists";
        let left_out = |(function, _)| LeftOut { function, why: why.to_owned() };
        let listed = Self {
            list: function("list-tools")?,
            call: function("call-tool")?,
            prefix: prefix.to_owned(),
            revision: revision(&name).unwrap_or_default(),
            left_out: others.into_iter().map(left_out).collect(),
        };
        // Request parameters are checked before the first call.
        listed.arguments(&listed.list, &[]).map_err(|it| format!("{name}#list-tools: {it}"))?;
        listed.arguments(&listed.call, &[]).map_err(|it| format!("{name}#call-tool: {it}"))?;
        Ok(Some(listed))
    }

    /// The tools, as the component lists them.
    pub async fn definitions<T: Send + 'static>(
        &self,
        store: &mut Store<T>,
        instance: Instance,
    ) -> wasmtime::Result<Vec<Definition>> {
        let mut all = Vec::new();
        let mut given = Vec::new();
        for _ in 0..PAGES_MAX {
            let arguments = self.arguments(&self.list, &given);
            let arguments = arguments.map_err(wasmtime::Error::msg)?;
            let (ty, value) = self.list.run(store, instance, &arguments).await?;
            let page = match failed(&ty, &value) {
                Some(error) => {
                    let Stop::Refused(refusal) = refusal("list-tools", error) else { continue };
                    let why = format!("it does not list its tools: {}", refusal.message);
                    return Err(wasmtime::Error::msg(why));
                }
                None => result(&ty, &value),
            };
            let tools = page["tools"].as_array().into_iter().flatten();
            all.extend(tools.map(|it| self.definition(it)));
            given = text(&page["next-cursor"]).map(|it| ("cursor", it)).into_iter().collect();
            // Already too many, whatever follows.
            if given.is_empty() || all.len() > TOOLS_MAX {
                break;
            }
        }
        Ok(all)
    }

    fn definition(&self, tool: &Value) -> Definition {
        let (options, hints) = (&tool["options"], &tool["options"]["annotations"]);
        let is = |hint: &str, otherwise| hints[hint].as_bool().unwrap_or(otherwise);
        let is_read_only = is("read-only-hint", false);
        // MCP's defaults apply.
        let annotations = [
            (Annotations::READ_ONLY, is_read_only),
            (Annotations::IDEMPOTENT, is("idempotent-hint", false)),
            (Annotations::DESTRUCTIVE, is("destructive-hint", true) && !is_read_only),
            (Annotations::OPEN_WORLD, is("open-world-hint", true)),
        ];
        let set = annotations.into_iter().filter(|it| it.1).map(|it| it.0);
        let annotations = set.fold(Annotations::empty(), |all, it| all | it);
        Definition {
            name: format!("{}{}", self.prefix, tool["name"].as_str().unwrap_or_default()),
            title: text(&options["title"]).or_else(|| text(&hints["title"])),
            description: text(&options["description"]).unwrap_or_default(),
            input_schema: text(&tool["input-schema"]).unwrap_or_default(),
            output_schema: text(&options["output-schema"]),
            annotations,
            view: None,
            meta: text(&options["meta"]),
        }
    }

    /// Calls a tool and converts its result.
    pub async fn run<T: Send + 'static>(
        &self,
        store: &mut Store<T>,
        instance: Instance,
        invocation: &Invocation,
    ) -> wasmtime::Result<Result<Output, Unfit>> {
        let name = invocation.name.strip_prefix(&self.prefix).unwrap_or(&invocation.name);
        let given = [("name", name.to_owned()), ("arguments", invocation.arguments.clone())];
        let arguments = self.arguments(&self.call, &given).map_err(wasmtime::Error::msg)?;
        let (ty, value) = self.call.run(store, instance, &arguments).await?;
        if let Some(error) = failed(&ty, &value) {
            let is_of_arguments =
                matches!(&error, Some((_, Val::Variant(case, _))) if case == "invalid-params");
            let stop = match refusal(&invocation.name, error) {
                Stop::Refused(refusal) if is_of_arguments => {
                    let (pointer, message) = (String::new(), refusal.message);
                    Stop::InvalidArguments(vec![Problem { pointer, message }])
                }
                stop => stop,
            };
            return Ok(Err(Unfit::Stopped(stop)));
        }
        Ok(match result(&ty, &value) {
            Value::Null => Err(Unfit::Broken(format!("it lists {name} and does not know it"))),
            it => outcome(&it),
        })
    }

    /// Arguments of `function`: `given` fields, and none for all others.
    fn arguments(&self, function: &Function, given: &[(&str, String)]) -> Result<Vec<Val>, String> {
        let value = |(name, ty): (&str, Type)| self.value(name, &ty, given, 0);
        function.ty.params().map(value).collect()
    }

    fn value(
        &self,
        name: &str,
        ty: &Type,
        given: &[(&str, String)],
        depth: usize,
    ) -> Result<Val, String> {
        let text = || match given.iter().find(|it| it.0 == name) {
            Some((_, text)) => Some(text.clone()),
            None => (name == "protocol-version").then(|| self.revision.clone()),
        };
        let inner = |name: &str, ty: &Type| match depth {
            DEPTH_MAX => Err(format!("what it is told goes deeper than {DEPTH_MAX} levels")),
            _ => self.value(name, ty, given, depth + 1),
        };
        Ok(match ty {
            Type::String => Val::String(text().unwrap_or_default()),
            Type::Option(option) if option.ty() == Type::String => {
                Val::Option(text().map(|it| Box::new(Val::String(it))))
            }
            Type::Option(_) => Val::Option(None),
            Type::List(_) => Val::List(Vec::new()),
            Type::Bool => Val::Bool(false),
            Type::U32 => Val::U32(0),
            Type::S32 => Val::S32(0),
            Type::U64 => Val::U64(0),
            Type::S64 => Val::S64(0),
            Type::Enum(versions) => {
                let date: String = self.revision.chars().filter(char::is_ascii_digit).collect();
                let fits = |it: &&str| name == "protocol-version" && it.ends_with(&date);
                let case = versions.names().find(fits).or_else(|| versions.names().next());
                Val::Enum(case.unwrap_or_default().to_owned())
            }
            Type::Record(record) => {
                let fields =
                    record.fields().map(|it| Ok((it.name.to_owned(), inner(it.name, &it.ty)?)));
                Val::Record(fields.collect::<Result<_, String>>()?)
            }
            Type::Variant(variant) => {
                let Some(case) = variant.cases().next() else { return Err(unknown(name)) };
                let payload = case.ty.map(|it| inner(name, &it)).transpose()?;
                Val::Variant(case.name.to_owned(), payload.map(Box::new))
            }
            _ => return Err(unknown(name)),
        })
    }
}

fn unknown(name: &str) -> String {
    format!("it is to be told {name:?}, which this host does not know")
}

impl Function {
    async fn run<T: Send + 'static>(
        &self,
        store: &mut Store<T>,
        instance: Instance,
        arguments: &[Val],
    ) -> wasmtime::Result<(Type, Val)> {
        let function = instance.get_func(&mut *store, self.index);
        let function = function.ok_or_else(|| wasmtime::Error::msg("its function is gone"))?;
        // With the types of this instance, whose resources are its own.
        let ty = function.ty(&*store).results().next();
        let mut results = vec![Val::Bool(false); self.ty.results().len()];
        function.call_async(&mut *store, arguments, &mut results).await?;
        let result = ty.zip(results.pop());
        result.ok_or_else(|| wasmtime::Error::msg("it gives nothing back, unlike wasmcp's"))
    }
}

/// The date of MCP's revision in the name of the interface, where that is it: `2025-06-18`.
fn revision(export: &str) -> Option<String> {
    let (package, interface) = export.strip_prefix(PACKAGE)?.split_once('/')?;
    let is_date = package.len() == 8 && package.bytes().all(|it| it.is_ascii_digit());
    let is_tools = interface.split('@').next() == Some(INTERFACE);
    (is_date && is_tools).then(|| format!("{}-{}-{}", &package[..4], &package[4..6], &package[6..]))
}

/// The error of a result, if it is one.
fn failed<'a>(ty: &Type, value: &'a Val) -> Option<Option<(Type, &'a Val)>> {
    match (ty, value) {
        (Type::Result(ty), Val::Result(Err(it))) => Some(ty.err().zip(it.as_deref())),
        _ => None,
    }
}

/// The other side, in JSON.
fn result(ty: &Type, value: &Val) -> Value {
    match (ty, value) {
        (Type::Result(ty), Val::Result(Ok(Some(it)))) => {
            ty.ok().map_or(Value::Null, |ty| arguments::json(&ty, it))
        }
        _ => Value::Null,
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// A result of a tool, as the contract has it.
fn outcome(result: &Value) -> Result<Output, Unfit> {
    let content = result["content"].as_array().into_iter().flatten().map(content);
    let content = content.collect::<Result<Vec<_>, _>>().map_err(Unfit::Broken)?;
    let structured = text(&result["structured-content"]);
    if result["is-error"] != true {
        return Ok(Output { structured, content, meta: text(&result["meta"]) });
    }
    let texts = content.iter().filter_map(|content| match content {
        Content::Text(it) => Some(it.text.as_str()),
        _ => None,
    });
    let mut message = texts.collect::<Vec<_>>().join("\n");
    if message.trim().is_empty() {
        message = "It failed and does not say why.".to_owned();
    }
    let code = "failed".to_owned();
    Err(Unfit::Stopped(Stop::Refused(Refusal { code, message, status: 400, details: structured })))
}

/// Converts a content block. The error names unsupported parts.
fn content(block: &Value) -> Result<Content, String> {
    let case = block.as_object().and_then(|it| it.iter().next());
    let Some((kind, content)) = case else { return Err(format!("its content {block}")) };
    let options = &content["options"];
    let (annotations, meta) = (annotations(&options["annotations"]), text(&options["meta"]));
    Ok(match kind.as_str() {
        "text" => Content::Text(TextContent { text: inline(&content["text"])?, annotations, meta }),
        "image" | "audio" => {
            let mime_type = text(&content["mime-type"]).unwrap_or_default();
            let media =
                MediaContent { data: bytes(&content["data"])?, mime_type, annotations, meta };
            if kind == "image" { Content::Image(media) } else { Content::Audio(media) }
        }
        "resource-link" => Content::Link(LinkContent {
            uri: text(&content["uri"]).unwrap_or_default(),
            name: text(&content["name"]).unwrap_or_default(),
            title: text(&options["title"]),
            description: text(&options["description"]),
            mime_type: text(&options["mime-type"]),
            size: options["size"].as_u64(),
            annotations,
            meta,
        }),
        "embedded-resource" => {
            let (of, is_text) = match (&content["resource"]["text"], &content["resource"]["blob"]) {
                (of @ Value::Object(_), _) => (of, true),
                (_, of) => (of, false),
            };
            let body = match is_text {
                true => ResourceBody::Text(inline(&of["text"])?),
                false => ResourceBody::Blob(bytes(&of["blob"])?),
            };
            let uri = text(&of["uri"]).unwrap_or_default();
            let mime_type = text(&of["options"]["mime-type"]);
            Content::Resource(ResourceContent { uri, mime_type, body, annotations, meta })
        }
        other => return Err(format!("its content is a {other}, which this host does not know")),
    })
}

/// A text that stands in the result.
fn inline(data: &Value) -> Result<String, String> {
    text(data).or_else(|| text(&data["text"])).ok_or_else(|| streamed(data))
}

/// Decodes base64 bytes.
fn bytes(data: &Value) -> Result<Vec<u8>, String> {
    let encoded = data.as_str().or_else(|| data["blob"].as_str()).ok_or_else(|| streamed(data))?;
    BASE64_STANDARD.decode(encoded).map_err(|it| it.to_string())
}

/// Why nothing stands there.
fn streamed(data: &Value) -> String {
    let case = data.as_object().and_then(|it| it.keys().next());
    let case = case.map_or("something else", String::as_str);
    format!("its content is a {case}, and this host reads what stands in the result alone")
}

/// MCP's annotations of content, as an object.
fn annotations(item: &Value) -> Option<String> {
    item.as_object()?;
    let mut all = json!({});
    for (from, to) in
        [("audience", "audience"), ("last-modified", "lastModified"), ("priority", "priority")]
    {
        if !item[from].is_null() {
            all[to] = item[from].clone();
        }
    }
    Some(all.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_interface_by_name_at_any_version() {
        let date = revision("wasmcp:mcp-v20250618/tools@0.1.4");
        assert_eq!(date.as_deref(), Some("2025-06-18"), "SYS-50");
        assert_eq!(revision("wasmcp:mcp-v20251125/tools").as_deref(), Some("2025-11-25"));
        for other in [
            "wasmcp:mcp-v20250618/prompts@0.1.0",
            "wasmcp:mcp-v2025/tools@0.1.0",
            "wasmcp:mcp-v2025061x/tools",
            "acme:mcp-v20250618/tools",
        ] {
            assert_eq!(revision(other), None, "{other}");
        }
    }

    #[test]
    fn passes_each_content_kind_except_streams() {
        let shown = |it: Value| content(&it).map(|it| format!("{it:?}"));
        let options = json!({ "annotations": { "audience": ["user"], "last-modified": "2026" } });
        let text =
            shown(json!({ "text": { "text": { "text": "a" }, "options": options } })).unwrap();
        assert!(text.contains(r#"text: "a""#) && text.contains("lastModified"), "{text}");
        let image = json!({ "image": { "data": { "blob": "AP8=" }, "mime-type": "image/png" } });
        assert!(shown(image).unwrap().contains("image/png"));
        let of = json!({ "blob": { "uri": "a:b", "blob": { "blob": "AP8=" } } });
        assert!(shown(json!({ "embedded-resource": { "resource": of } })).unwrap().contains("a:b"));
        let streamed = shown(json!({ "text": { "text": { "text-stream": null } } })).unwrap_err();
        assert!(streamed.contains("text-stream"), "SYS-50: {streamed}");
        let unknown = shown(json!({ "video": {} })).unwrap_err();
        assert!(unknown.contains("video"), "SYS-50: {unknown}");
    }
}
