//! Prompts and resources in MCP's words.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use rmcp::model::{
    CacheScope, CompleteResult, CompletionInfo, GetPromptResult, MetaObject, Prompt,
    PromptArgument, PromptMessage, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate, Role,
};
use serde_json::{Map, Value};

use super::{Result, block, error};
use base::language::Language;
use sandbox::{
    component::{CallError, Completion, Contents, PromptOutput, PromptRole, ResourceBody},
    definition::{self, Viewer},
};

/// A prompt as `viewer` is told of it, in the language that they read.
pub(crate) fn prompt(it: &definition::Prompt, viewer: Viewer, language: Language) -> Prompt {
    let own = it.meta.as_ref().and_then(|it| definition::texts(it, language.tag()));
    let text = |name: &str| own?.get(name)?.as_str().map(str::to_owned);
    let argument = |it: &definition::Argument| {
        let mut argument = PromptArgument::new(it.name.clone()).with_required(it.required);
        let described = own.and_then(|own| own.get("arguments")?.get(&it.name)?.as_str());
        argument.title = it.title.clone();
        argument.description = described.map(str::to_owned).or_else(|| it.description.clone());
        argument
    };
    let arguments = it.arguments.iter().map(argument).collect();
    let description = text("description").or_else(|| it.description.clone());
    let mut prompt = Prompt::new(it.name.to_string(), description, Some(arguments));
    prompt.title = text("title").or_else(|| it.title.clone());
    let meta = it.meta.as_ref().map(|it| viewer.meta(it)).filter(|it| !it.is_empty());
    prompt.meta = meta.map(MetaObject);
    prompt
}

pub(crate) fn resource(it: &definition::Resource) -> Resource {
    let mut resource = Resource::new(it.uri.to_string(), it.about.name.clone());
    resource.title = it.about.title.clone();
    resource.description = it.about.description.clone();
    resource.mime_type = it.about.mime_type.clone();
    resource.size = it.size;
    resource.annotations = typed(it.about.annotations.as_ref());
    resource.meta = it.about.meta.clone().map(MetaObject);
    resource
}

pub(crate) fn template(it: &definition::Template) -> ResourceTemplate {
    let mut template = ResourceTemplate::new(it.uri_template.text(), it.about.name.clone());
    template.title = it.about.title.clone();
    template.description = it.about.description.clone();
    template.mime_type = it.about.mime_type.clone();
    template.annotations = typed(it.about.annotations.as_ref());
    template.meta = it.about.meta.clone().map(MetaObject);
    template
}

/// As MCP has it, where it is that; annotations are hints, and a wrong one is worth no error.
fn typed<T: serde::de::DeserializeOwned>(object: Option<&Map<String, Value>>) -> Option<T> {
    serde_json::from_value(Value::Object(object?.clone())).ok()
}

pub(crate) fn got(
    component: Arc<str>,
    call_id: u64,
    output: PromptOutput,
) -> Result<GetPromptResult> {
    let mut messages = Vec::with_capacity(output.messages.len());
    for it in output.messages {
        let role = match it.role {
            PromptRole::User => Role::User,
            PromptRole::Assistant => Role::Assistant,
        };
        let content = serde_json::from_value(block(it.content)).map_err(|why| {
            let what = format!("a message of its prompt does not fit MCP: {why}");
            error(CallError::Broken { component: component.clone(), call_id, what })
        })?;
        messages.push(PromptMessage::new(role, content));
    }
    let mut result = GetPromptResult::new(messages);
    result.description = output.description;
    result.meta = object(output.meta.as_deref());
    Ok(result)
}

/// What was read, which is good for this caller and this moment.
pub(crate) fn read(contents: Vec<Contents>) -> ReadResourceResult {
    let contents = contents.into_iter().map(|it| {
        let meta = object(it.meta.as_deref());
        match it.body {
            ResourceBody::Text(text) => ResourceContents::TextResourceContents {
                uri: it.uri,
                mime_type: it.mime_type,
                text,
                meta,
            },
            ResourceBody::Blob(data) => ResourceContents::BlobResourceContents {
                uri: it.uri,
                mime_type: it.mime_type,
                blob: BASE64.encode(data),
                meta,
            },
        }
    });
    ReadResourceResult::new(contents.collect()).with_ttl_ms(0).with_cache_scope(CacheScope::Private)
}

pub(crate) fn completed(it: Completion) -> CompleteResult {
    let mut info = CompletionInfo::default();
    info.values = it.values;
    info.total = it.total;
    info.has_more = Some(it.has_more);
    CompleteResult::new(info)
}

/// What has been checked to be an object.
fn object(json: Option<&str>) -> Option<MetaObject> {
    json.and_then(|it| serde_json::from_str(it).ok()).map(MetaObject)
}
