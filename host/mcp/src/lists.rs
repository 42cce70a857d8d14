//! Lists of tools, prompts, resources and templates, as each caller may see them.

use std::sync::{Arc, Weak};

use base::{
    caller::Caller,
    language::Language,
    scopes::Scopes,
    toolsets::{Owner, Toolset},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use calls::discovery;
use parking_lot::Mutex;
use registry::{
    Catalog,
    upstream::{Offer, ServerTool, UI_KEYS, Upstream},
};
use rmcp::{
    ErrorData,
    model::{
        CacheScope, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
        ListToolsResult, PaginatedRequestParams, Resource, Tool,
    },
};
use sandbox::{
    component::{CallError, LoadedComponent, Round, Stop},
    definition::{self, Viewer},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    McpServer, Result,
    wire::{self, listed},
};

/// Cache lifetime of lists in milliseconds, short because clients may not listen for changes.
pub(super) const TTL_MS: u64 = 5_000;
/// `_meta` key of a tool list's digest, in lists and in `server/discover`. The own page caches the list and compares
/// the digest.
pub(super) const DIGEST: &str = "madoguchi/toolsDigest";
/// Resources on one page, give or take what one component puts on one of its own.
const PAGE: usize = 256;
/// Bytes of a cursor that are read.
const CURSOR_BYTES_MAX: usize = 16 << 10;

/// Position in a paginated list of resources.
#[derive(Serialize, Deserialize)]
struct Cursor {
    component: String,
    /// The component's own cursor.
    at: Option<String>,
}

impl Cursor {
    fn read(text: &str) -> Result<Self> {
        let bytes = if text.len() > CURSOR_BYTES_MAX { None } else { BASE64.decode(text).ok() };
        let cursor = bytes.and_then(|it| serde_json::from_slice(&it).ok());
        cursor.ok_or_else(wrong_cursor)
    }

    fn text(&self) -> String {
        BASE64.encode(serde_json::to_vec(self).unwrap_or_default())
    }
}

fn wrong_cursor() -> ErrorData {
    let message = "cursor: not one that this list gave out, or one whose component is gone; begin again without a cursor";
    ErrorData::invalid_params(message, None)
}

/// Cache scope of a list that shows what `caller` may use.
pub(super) fn scope_for(caller: &Caller) -> CacheScope {
    if caller.is_anonymous() { CacheScope::Public } else { CacheScope::Private }
}

/// The requested cursor. An empty one means the first page.
fn cursor_of(request: Option<PaginatedRequestParams>) -> Option<String> {
    request.and_then(|it| it.cursor).filter(|it| !it.is_empty())
}

/// A list that has one page is asked for without a cursor.
pub(super) fn one_page(request: Option<PaginatedRequestParams>) -> Result<()> {
    let Some(cursor) = cursor_of(request) else { return Ok(()) };
    let cursor: String = cursor.chars().take(64).collect();
    let message = format!("cursor {cursor:?}: this list has one page, so there is no cursor");
    Err(ErrorData::invalid_params(message, None))
}

pub(super) fn usable<'a>(
    catalog: &'a Catalog,
    caller: &'a Caller,
) -> impl Iterator<Item = &'a Arc<LoadedComponent>> {
    catalog.components().filter(|it| catalog.may_use(caller, Owner::Component(it.name())))
}

/// A list's digest: equal where all of it is.
fn digest(tools: &[Tool]) -> String {
    let tools = serde_json::to_value(tools).unwrap_or_default();
    calls::approvals::digest_of(&Map::from_iter([("tools".to_owned(), tools)]))
}

impl McpServer {
    fn tools_of(&self, catalog: &Catalog, caller: &Caller) -> Vec<Tool> {
        let (viewer, language) =
            (Viewer::from_capabilities(&caller.client_capabilities), caller.language());
        let open = discovery::open(catalog, caller, viewer);
        let is_own_page = definition::is_own_page(&caller.client_capabilities);
        let listed = |owner: Owner<'_>, tool: &definition::Tool| match (
            catalog.served.tool(&tool.name),
            owner,
        ) {
            (Some(served), _) => listed(&served.listed).map(|listed| {
                if is_own_page {
                    of_server(listed, served)
                } else {
                    without_foreign_app(catalog, served, listed)
                }
            }),
            (None, Owner::Component(name)) if is_own_page => {
                Some(of_component(wire::tool(tool, viewer, language), name))
            }
            (None, _) => Some(wire::tool(tool, viewer, language)),
        };
        match discovery::searched(caller) {
            None => open.filter_map(|(owner, it)| listed(owner, it)).collect(),
            Some(toolset) => {
                let finders = discovery::tools();
                let is_finder = |name: &str| finders.iter().any(|it| *it.name == *name);
                let always = open
                    .filter(|(_, it)| toolset.is_always_listed(&it.name) && !is_finder(&it.name));
                let finders = finders.iter().map(|it| wire::tool(it, viewer, language));
                finders.chain(always.filter_map(|(owner, it)| listed(owner, it))).collect()
            }
        }
    }

    pub(super) fn tools(&self, caller: &Caller) -> ListToolsResult {
        let catalog = self.registry.catalog();
        let tools = self.tools_of(&catalog, caller);
        let is_own_page = definition::is_own_page(&caller.client_capabilities);
        let digest =
            is_own_page.then(|| self.digests.get_or_compute(&catalog, caller, || digest(&tools)));
        let mut result = ListToolsResult::with_all_items(tools)
            .with_ttl_ms(TTL_MS)
            // The list depends on the client and its language.
            .with_cache_scope(CacheScope::Private);
        if let Some(digest) = digest {
            result.meta.get_or_insert_default().0.insert(DIGEST.to_owned(), digest.into());
        }
        result
    }

    /// The digest of the list that our own page gets now, for `server/discover`; none for another client.
    pub(super) fn tools_digest(&self, caller: &Caller) -> Option<Value> {
        let catalog = self.registry.catalog();
        let is_own_page = definition::is_own_page(&caller.client_capabilities);
        is_own_page.then(|| {
            let made = || digest(&self.tools_of(&catalog, caller));
            self.digests.get_or_compute(&catalog, caller, made).into()
        })
    }

    pub(super) fn prompts(&self, caller: &Caller) -> ListPromptsResult {
        let catalog = self.registry.catalog();
        let prompts = usable(&catalog, caller).flat_map(|it| &it.offers().prompts);
        let served = open(&catalog, caller).flat_map(|it| &it.prompts).filter(|prompt| {
            let found = catalog.served_prompt(&prompt.name);
            found.is_some_and(|(_, other)| Arc::ptr_eq(prompt, other))
        });
        let served = served.filter_map(|it| listed(&it.listed));
        let (viewer, language) =
            (Viewer::from_capabilities(&caller.client_capabilities), caller.language());
        let prompts = prompts.map(|it| wire::prompt(it, viewer, language)).chain(served).collect();
        ListPromptsResult::with_all_items(prompts)
            .with_ttl_ms(TTL_MS)
            .with_cache_scope(CacheScope::Private)
    }

    pub(super) fn templates(&self, caller: &Caller) -> ListResourceTemplatesResult {
        let catalog = self.registry.catalog();
        let templates = usable(&catalog, caller).flat_map(|it| &it.offers().templates);
        let served = open(&catalog, caller).flat_map(|offer| {
            let is_its = |text: &str| is_of(offer, catalog.server_for_template(text));
            offer.templates.iter().filter(move |it| is_its(&it.text))
        });
        let templates = templates.map(|it| &it.listed).chain(served.map(|it| &it.listed));
        ListResourceTemplatesResult::with_all_items(templates.filter_map(listed).collect())
            .with_ttl_ms(TTL_MS)
            .with_cache_scope(scope_for(caller))
    }

    /// Lists resources by component name and page. A component's list may depend on the caller, so shared caches must
    /// not store it.
    pub(super) async fn resources(
        &self,
        request: Option<PaginatedRequestParams>,
        caller: &Caller,
    ) -> Result<ListResourcesResult> {
        let from = cursor_of(request).map(|it| Cursor::read(&it)).transpose()?;
        let catalog = self.registry.catalog();
        let mut components: Vec<_> =
            usable(&catalog, caller).filter(|it| it.exports.resources.is_some()).collect();
        if let Some(from) = &from {
            components.retain(|it| **it.name() >= *from.component);
            if components.first().is_none_or(|it| **it.name() != *from.component) {
                return Err(wrong_cursor());
            }
        }
        let mut at = from.as_ref().and_then(|it| it.at.clone());
        let (mut resources, mut next) = (Vec::new(), None);
        for component in components {
            if resources.len() >= PAGE {
                next = Some(Cursor { component: component.name().to_string(), at: None });
                break;
            }
            let following = page(&catalog, component, at.take(), caller, &mut resources).await?;
            if following.is_some() {
                next = Some(Cursor { component: component.name().to_string(), at: following });
                break;
            }
        }
        if next.is_none() {
            resources.extend(served_resources(&catalog, caller));
        }
        let mut result = ListResourcesResult::with_all_items(resources)
            .with_ttl_ms(TTL_MS)
            .with_cache_scope(CacheScope::Private);
        result.next_cursor = next.map(|it| it.text());
        Ok(result)
    }
}

/// Removes an upstream tool's app that would be read from another server. Two servers may use one URI, and only the
/// own page names the server.
fn without_foreign_app(catalog: &Catalog, served: &ServerTool, mut listed: Tool) -> Tool {
    let reader = served.app().map(|it| catalog.server_for_resource(it));
    if reader.is_some_and(|it| !it.is_some_and(|it| Arc::ptr_eq(it, &served.server)))
        && let Some(meta) = &mut listed.meta
    {
        meta.0.retain(|key, _| !UI_KEYS.contains(&key.as_str()));
    }
    listed
}

/// Another server's tool with what that calls it, and whether its annotations are believed, for the page: an app knows
/// its server's own names.
fn of_server(mut tool: Tool, served: &ServerTool) -> Tool {
    let meta = &mut tool.meta.get_or_insert_default().0;
    meta.insert("madoguchi/name".to_owned(), (*served.own_name).into());
    meta.insert("madoguchi/believed".to_owned(), served.is_believed.into());
    tool
}

/// Adds the owner to a component's tool, because an app may only call tools of its own component.
fn of_component(mut tool: Tool, name: &str) -> Tool {
    let meta = &mut tool.meta.get_or_insert_default().0;
    meta.retain(|key, _| !key.starts_with("madoguchi/server"));
    meta.insert("madoguchi/component".to_owned(), name.into());
    tool
}

/// Resources of upstream servers, on the last page because their number is bounded.
fn served_resources(catalog: &Catalog, caller: &Caller) -> Vec<Resource> {
    let each = open(catalog, caller).flat_map(|offer| {
        let is_its = |uri: &str| is_of(offer, catalog.server_for_resource(uri));
        offer.resources.iter().filter(move |it| is_its(&it.uri))
    });
    each.filter_map(|it| listed(&it.listed)).collect()
}

/// Whether `server`, which is asked for it, is the one of that offer.
fn is_of(offer: &Offer, server: Option<&Arc<dyn Upstream>>) -> bool {
    server.is_some_and(|it| Arc::ptr_eq(it, &offer.server))
}

/// Offers of servers that `caller` may use.
fn open<'a>(catalog: &'a Catalog, caller: &'a Caller) -> impl Iterator<Item = &'a Arc<Offer>> {
    catalog.served.offers().filter(|it| catalog.may_use(caller, Owner::Server(it.server.name())))
}

/// Adds one page of `component`; the cursor of the one after.
async fn page(
    catalog: &Catalog,
    component: &LoadedComponent,
    at: Option<String>,
    caller: &Caller,
    to: &mut Vec<Resource>,
) -> Result<Option<String>> {
    let round =
        Round { caller: caller.clone(), turn_state: component.turn_state(), ..Round::of_host() };
    let page = match component.list_resources(at.as_deref(), round).await {
        Ok(page) => page,
        // A failing component does not affect others.
        Err(error) if at.is_none() => {
            tracing::warn!(
                component = &**component.name(),
                "its resources are listed as they were when it was loaded: {error}"
            );
            to.extend(component.offers().resources.iter().filter_map(|it| listed(&it.listed)));
            return Ok(None);
        }
        Err(CallError::Stopped(Stop::InvalidArguments(_)) | CallError::UnknownResource { .. }) => {
            return Err(wrong_cursor());
        }
        Err(error) => return Err(wire::error(error)),
    };
    let all = page.resources.len();
    let is_its = |uri: &str| {
        catalog.component_for_resource(uri).is_some_and(|it| it.name() == component.name())
    };
    let found: Vec<_> = page.resources.iter().filter(|it| is_its(&it.uri)).collect();
    let lost = all - found.len();
    to.extend(found.iter().filter_map(|it| listed(&it.listed)));
    if lost > 0 {
        tracing::warn!(
            component = &**component.name(),
            "{lost} of its resources fit none of its templates and were not there when it was loaded, so nobody could read them"
        );
    }
    Ok(page.next_cursor)
}

/// Instructions of the host for models.
pub(super) const HOST_INSTRUCTIONS: &str = "Each tool runs in a sandbox of its own. A refusal is a result with isError: its text is a JSON object {error, message, status, data} that says what to mend. / 各ツールは個別のサンドボックスで動きます。断りは isError の結果で、本文の JSON に直し方が書かれています。";
/// Additional instructions where tools are searched.
const SEARCH_INSTRUCTIONS: &str = "tools/list has a few of the tools only: search_tools finds the others, describe_tool tells one's definition, and each is called by its own name. / tools/list にあるのはツールの一部です。search_tools で探し、describe_tool で定義を読み、その名前で呼び出してください。";
/// Bytes that the components' instructions may have together: a model reads them with every conversation.
const INSTRUCTIONS_BYTES_MAX: usize = 8 << 10;

/// Instructions for `caller`: components by name, with prompts in their order. Texts that do not fit are omitted
/// whole.
pub(super) fn instructions(catalog: &Catalog, caller: &Caller) -> String {
    let prompts = usable(catalog, caller).flat_map(|it| &it.offers().prompts);
    let searches = discovery::searched(caller).map(|_| SEARCH_INSTRUCTIONS);
    join_bounded(searches.into_iter().chain(prompts.filter_map(|it| it.instructions.as_deref())))
}

fn join_bounded<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let (mut text, mut left) = (HOST_INSTRUCTIONS.to_owned(), INSTRUCTIONS_BYTES_MAX);
    for part in texts.filter(|it| !it.is_empty()) {
        if let Some(rest) = left.checked_sub(part.len()) {
            left = rest;
            text.push_str("\n\n");
            text.push_str(part);
        }
    }
    text
}

// Cached digests of the tool lists given to the server's own page. They tell whether a list has changed without
// building it.

/// Maximum number of cached digests, one per caller kind and language.
const KEPT_MAX: usize = 64;

/// Everything that a list depends on besides the catalog.
struct Kind {
    language: Language,
    reach: Option<Arc<Scopes>>,
    toolset: Option<Arc<Toolset>>,
}

impl Kind {
    fn of_caller(caller: &Caller) -> Self {
        Self {
            language: caller.language(),
            reach: caller.reach.clone(),
            toolset: caller.toolset.clone(),
        }
    }

    fn matches(&self, other: &Self) -> bool {
        let is_same_toolset = match (&self.toolset, &other.toolset) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        is_same_toolset && self.language == other.language && self.reach == other.reach
    }
}

/// The digests of one catalog's lists.
#[derive(Default)]
pub(super) struct Digests(Mutex<Kept>);

/// The catalog, and the digests of its lists.
type Kept = (Weak<Catalog>, Vec<(Kind, String)>);

impl Digests {
    /// The digest of the list that `caller`, on the server's own page, gets of `catalog`; `made` makes it where it is
    /// not known.
    pub(super) fn get_or_compute(
        &self,
        catalog: &Arc<Catalog>,
        caller: &Caller,
        made: impl FnOnce() -> String,
    ) -> String {
        let kind = Kind::of_caller(caller);
        let find = |kept: &Kept| {
            let is_current = kept.0.ptr_eq(&Arc::downgrade(catalog));
            let found = kept.1.iter().find(|(its, _)| is_current && its.matches(&kind));
            found.map(|(_, digest)| digest.clone())
        };
        if let Some(digest) = find(&self.0.lock()) {
            return digest;
        }
        let digest = made();
        let mut kept = self.0.lock();
        let (of, digests) = &mut *kept;
        if !of.ptr_eq(&Arc::downgrade(catalog)) {
            // The catalog itself is not kept alive, and no other takes its place in memory meanwhile.
            *of = Arc::downgrade(catalog);
            digests.clear();
        }
        if digests.len() >= KEPT_MAX {
            digests.remove(0);
        }
        digests.push((kind, digest.clone()));
        digest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_round_trips_and_other_text_is_rejected() {
        let text = Cursor { component: "shop".to_owned(), at: Some("2".to_owned()) }.text();
        let cursor = Cursor::read(&text).unwrap();
        assert_eq!((&*cursor.component, cursor.at.as_deref()), ("shop", Some("2")));
        for wrong in ["", "2", "!!", &"A".repeat(CURSOR_BYTES_MAX + 1)] {
            let error = Cursor::read(wrong).err().unwrap();
            assert!(error.message.contains("begin again"), "{error:?}");
        }
    }

    #[test]
    fn omits_items_that_do_not_fit_and_keeps_order() {
        assert_eq!(join_bounded([""].into_iter()), HOST_INSTRUCTIONS);
        let long = "a".repeat(2 << 10);
        let text = join_bounded([&*long, "b", &*long, &*long, &*long, "c"].into_iter());
        assert_eq!(text.len(), HOST_INSTRUCTIONS.len() + 3 * long.len() + 5 * 2 + 2);
        assert!(text.ends_with("a\n\nc") && text.contains("a\n\nb\n\na"));
    }

    #[test]
    fn computes_digest_once_per_catalog_language_and_rights() {
        let digests = Digests::default();
        let (one, other) = (Arc::new(Catalog::default()), Arc::new(Catalog::default()));
        let japanese = Caller::anonymous();
        let english = Caller::anonymous().speaking(Some("en"));
        let named = Caller::named("ann", &[], Scopes::default());
        let mut made = 0;
        let mut ask = |catalog: &Arc<Catalog>, caller: &Caller| {
            let digest = digests.get_or_compute(catalog, caller, || {
                made += 1;
                made.to_string()
            });
            (digest, made)
        };
        let expected = |digest: &str, made: u32| (digest.to_owned(), made);
        assert_eq!(ask(&one, &japanese), expected("1", 1));
        assert_eq!(ask(&one, &japanese), expected("1", 1), "it is known");
        assert_eq!(ask(&one, &english), expected("2", 2));
        assert_eq!(ask(&one, &named), expected("3", 3));
        assert_eq!(ask(&one, &japanese), expected("1", 3));
        assert_eq!(ask(&other, &japanese), expected("4", 4), "another catalog has other lists");
        assert_eq!(ask(&one, &japanese), expected("5", 5), "and the one before is forgotten");
    }

    #[test]
    fn unrelated_capabilities_do_not_change_the_digest() {
        let (digests, catalog) = (Digests::default(), Arc::new(Catalog::default()));
        let page = |capabilities: &str| {
            let caller =
                Caller { client_capabilities: Arc::from(capabilities), ..Caller::anonymous() };
            assert!(definition::is_own_page(capabilities), "{capabilities}");
            digests.get_or_compute(&catalog, &caller, || capabilities.to_owned())
        };
        let plain = page(r#"{"extensions":{"madoguchi/views":{}}}"#);
        let detailed =
            page(r#"{"extensions":{"madoguchi/views":{}},"experimental":{"a":{"b":1}}}"#);
        assert_eq!(detailed, plain, "it is known");
        assert_eq!(digests.0.lock().1.len(), 1);
    }
}
