//! Reads what a server offers, page by page, and no more of it than can be kept.

use rmcp::{
    Peer, RoleClient,
    model::{
        ClientRequest, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest,
        ListToolsRequest, PaginatedRequestParams, Prompt, Resource, ResourceTemplate, Tool,
    },
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::retry::Failed;
use base::clean;

/// Pages of one list.
const PAGES_MAX: usize = 64;
/// Entries of one list.
const ENTRIES_MAX: usize = 512;
/// Bytes of one entry.
const ENTRY_BYTES_MAX: usize = 64 << 10;
/// Bytes of one list.
const LIST_BYTES_MAX: usize = 4 << 20;

/// What a server says that it has.
#[derive(Default)]
pub(super) struct Lists {
    pub(super) tools: Vec<Tool>,
    pub(super) prompts: Vec<Prompt>,
    pub(super) resources: Vec<Resource>,
    pub(super) templates: Vec<ResourceTemplate>,
    /// What was left out, and why.
    pub(super) left_out: Vec<String>,
}

impl Lists {
    /// Asks for all lists that the server says that it has.
    pub(super) async fn read(peer: &Peer<RoleClient>) -> Result<Self, Failed> {
        let mut lists = Self::default();
        let capabilities = peer.peer_info().map(|it| it.capabilities.clone()).unwrap_or_default();
        if capabilities.tools.is_some() {
            let request =
                |page| ClientRequest::ListToolsRequest(ListToolsRequest::with_param(page));
            lists.tools = lists.list(peer, "tools", request).await?;
        }
        if capabilities.prompts.is_some() {
            let request =
                |page| ClientRequest::ListPromptsRequest(ListPromptsRequest::with_param(page));
            lists.prompts = lists.list(peer, "prompts", request).await?;
        }
        if capabilities.resources.is_some() {
            let request =
                |page| ClientRequest::ListResourcesRequest(ListResourcesRequest::with_param(page));
            lists.resources = lists.list(peer, "resources", request).await?;
            let request = |page| {
                let request = ListResourceTemplatesRequest::with_param(page);
                ClientRequest::ListResourceTemplatesRequest(request)
            };
            // Many servers with resources have no list of templates, and say so by an error.
            match lists.list(peer, "resourceTemplates", request).await {
                Ok(templates) => lists.templates = templates,
                Err(Failed::Rpc(_)) => {}
                Err(failed) => return Err(failed),
            }
        }
        Ok(lists)
    }

    /// One list to its end, or as far as it may go. One entry that does not fit harms no other.
    async fn list<T: DeserializeOwned>(
        &mut self,
        peer: &Peer<RoleClient>,
        name: &str,
        request: impl Fn(PaginatedRequestParams) -> ClientRequest,
    ) -> Result<Vec<T>, Failed> {
        let (mut entries, mut bytes, mut page) = (Vec::new(), 0, PaginatedRequestParams::default());
        for _ in 0..PAGES_MAX {
            let result = peer.send_request(request(page)).await.map_err(Failed::of)?;
            let result = serde_json::to_value(result).unwrap_or_default();
            let Some(Value::Array(found)) = result.get(name) else {
                return Err(Failed::Unusable(format!("it does not answer with a list of {name}")));
            };
            for entry in found {
                let mut entry = entry.clone();
                let size = entry.to_string().len();
                bytes += size;
                if entries.len() == ENTRIES_MAX || bytes > LIST_BYTES_MAX {
                    self.left_out.push(format!("{name}: more than {ENTRIES_MAX} entries or {LIST_BYTES_MAX} bytes; the rest"));
                    return Ok(entries);
                }
                let why = match clean::entry(&mut entry, name.starts_with("resource")) {
                    Err(why) => format!(" {why}"),
                    Ok(()) if size > ENTRY_BYTES_MAX => {
                        format!(" has {size} bytes; {ENTRY_BYTES_MAX} is most")
                    }
                    Ok(()) => match T::deserialize(&entry) {
                        Ok(it) => {
                            entries.push(it);
                            continue;
                        }
                        Err(error) => format!(": {error}"),
                    },
                };
                let who = entry["name"].as_str().map(clean::title);
                let who = who.as_deref().unwrap_or("one without a name");
                self.left_out.push(format!("{name}: {who}{why}"));
            }
            match result.get("nextCursor").and_then(Value::as_str) {
                Some(cursor) => {
                    page = PaginatedRequestParams::default().with_cursor(Some(cursor.to_owned()))
                }
                None => return Ok(entries),
            }
        }
        self.left_out.push(format!("{name}: more than {PAGES_MAX} pages; the rest"));
        Ok(entries)
    }
}
