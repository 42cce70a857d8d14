//! The offered tools in groups, with a search.

use leptos::prelude::*;

use crate::apps::Owner;
use crate::browser;
use crate::mcp::wire::Tool;
use crate::page::page;
use crate::route::Route;
use crate::table;
use crate::text::{Key, Lang, folded};

/// Effect of a tool, mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Grade {
    Look,
    Do,
    Undo,
}

impl Grade {
    pub(super) fn of_tool(tool: &Tool) -> Self {
        let removes = ["cancel_", "delete_", "remove_"].iter().any(|it| tool.name.starts_with(it));
        match tool.annotations {
            _ if tool.annotations.read_only_hint => Self::Look,
            _ if removes || tool.annotations.destructive_hint == Some(true) => Self::Undo,
            _ => Self::Do,
        }
    }
}

/// The tools of one family, component or server.
#[derive(Clone, Debug, PartialEq)]
struct Group {
    owner: Option<Owner>,
    title: String,
    tools: Vec<Tool>,
}

impl Group {
    fn new(owner: Option<Owner>, lang: Lang) -> Self {
        let title = match &owner {
            Some(Owner::Component(name)) => {
                table::tool_groups().find(|it| it.0 == name).map(|it| lang.say(it.1))
            }
            Some(Owner::Server(_)) => None,
            None => Some(lang.say(Key::OtherTools)),
        };
        let name = owner.as_ref().map_or("", Owner::name);
        let title = title.unwrap_or(name).to_owned();
        Self { owner, title, tools: Vec::new() }
    }
}

/// The matching tools by family, in the order of the page, and behind them by other owners. Within a group, the mildest
/// come first, else in the host's order.
fn grouped(tools: &[Tool], query: &str, lang: Lang) -> Vec<Group> {
    let families = table::tool_groups().map(|it| Some(Owner::Component(it.0.to_owned())));
    let mut groups: Vec<Group> = families.map(|it| Group::new(it, lang)).collect();
    let sought = folded(query);
    for tool in tools.iter().filter(|it| !it.is_for_pages()) {
        let titles = [tool.title(lang), tool.title(lang.other()), tool.description(lang)];
        let [title, other, description] = titles.each_ref().map(String::as_str);
        let reading = tool.reading().unwrap_or_default();
        let text = folded(&[&tool.name, title, other, description, reading].join(" "));
        if sought.split_whitespace().all(|word| text.contains(word)) {
            let owner = Owner::of_tool(tool);
            let at = groups.iter().position(|it| it.owner == owner).unwrap_or_else(|| {
                groups.push(Group::new(owner, lang));
                groups.len() - 1
            });
            groups[at].tools.push(tool.clone());
        }
    }
    groups.retain(|it| !it.tools.is_empty());
    groups.iter_mut().for_each(|it| it.tools.sort_by_key(Grade::of_tool));
    groups
}

#[component]
pub(super) fn ToolList(chosen: Memo<Option<String>>) -> impl IntoView {
    let query = RwSignal::new(String::new());
    let groups = Memo::new(move |_| {
        let (query, lang) = (query.get(), Lang::spoken());
        page().tools.with(|it| grouped(it.ready().map_or(&[], Vec::as_slice), &query, lang))
    });
    let all = move || groups.with(|it| it.iter().map(|it| it.tools.len()).sum::<usize>());
    let count = move || Key::ToolCount.fill(&[&all().to_string()]);
    Effect::new(move |before: Option<usize>| {
        let now = all();
        if before.is_some_and(|before| before != now) && !query.with_untracked(String::is_empty) {
            page().announce_fill(Key::ToolCount, &[&now.to_string()]);
        }
        now
    });
    // A reader who follows a link sees the tool in the list.
    Effect::new(move |_| {
        chosen.track();
        request_animation_frame(|| {
            browser::reveal_within(".tool-list", ".tool-link[aria-current]")
        });
    });
    let none = move || {
        let has_tools = page().tools.with(|it| it.ready().is_some_and(|it| !it.is_empty()));
        groups.with(Vec::is_empty).then(|| {
            let key = if has_tools { Key::NoToolsFit } else { Key::NoTools };
            view! { <p class="hint">{key}</p> }
        })
    };
    let group = move |Group { title, tools, .. }: Group| {
        let link = move |tool: Tool| view! { <li><ToolLink tool chosen/></li> };
        view! {
            <section class="tool-group">
                <h2 class="tool-group-title">{title}</h2>
                <ul>{tools.into_iter().map(link).collect_view()}</ul>
            </section>
        }
    };
    view! {
        <div class="tool-list">
            {move || {
                let title = Key::Counter.say();
                // One main heading per page: the tool's, if one is chosen.
                if chosen.with(Option::is_some) {
                    any_view! { <p class="list-title">{title}</p> }
                } else {
                    any_view! { <h1 tabindex="-1" id="stage">{title}</h1> }
                }
            }}
            <p class="hint">{Key::CounterHint}</p>
            <div class="search" role="search">
                <label class="label" for="tool-search">{Key::SearchTools}</label>
                <input id="tool-search" type="search" autocomplete="off" spellcheck="false"
                    prop:value=query on:input=move |event| query.set(event_target_value(&event))/>
                <p class="count">{count}</p>
            </div>
            {move || groups.get().into_iter().map(group).collect_view()}
            {none}
        </div>
    }
}

#[component]
fn ToolLink(tool: Tool, chosen: Memo<Option<String>>) -> impl IntoView {
    let name = tool.name.clone();
    let own = name.clone();
    let href = Route::Counter(Some(name.clone())).hash();
    let is_here = move || chosen.with(|it| it.as_deref() == Some(&own));
    let title = move || tool.title(Lang::spoken());
    view! {
        <a class="tool-link" href=href
            aria-current=move || is_here().then_some("true")>
            <span class="tool-title">{title}</span>
            <code>{name}</code>
        </a>
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tools() -> Vec<Tool> {
        let tools = json!([
            { "name": "cancel_reservation", "title": "予約取消" },
            { "name": "list_movies", "title": "映画一覧", "annotations": { "readOnlyHint": true },
              "_meta": { "madoguchi/text": { "en": { "title": "List films" } } } },
            { "name": "reserve_seats", "title": "座席予約", "_meta": { "ui": { "visibility": ["model", "app"] },
              "madoguchi/text": { "ja": { "reading": "ざせきよやく" } } } },
            { "name": "save_form_draft", "title": "下書き保存", "_meta": { "ui": { "visibility": ["app"] } } },
        ]);
        tools.as_array().unwrap().iter().map(Tool::parse).collect()
    }

    fn names(query: &str, lang: Lang) -> Vec<String> {
        let groups = grouped(&tools(), query, lang);
        groups.into_iter().flat_map(|it| it.tools).map(|it| it.name).collect()
    }

    #[test]
    fn lists_least_dangerous_tools_first() {
        assert_eq!(names("", Lang::Ja), ["list_movies", "reserve_seats", "cancel_reservation"]);
    }

    #[test]
    fn groups_tools_by_family_and_else_by_owner() {
        crate::families::register();
        let tool = |name: &str, meta| Tool::parse(&json!({ "name": name, "_meta": meta }));
        let own =
            |name: &str, component: &str| tool(name, json!({ "madoguchi/component": component }));
        let tools = [
            own("greet", "echo"),
            own("route_search", "navigation"),
            tool("time", json!({ "madoguchi/server": "clock" })),
            own("reserve_seats", "cinema"),
            own("list_movies", "cinema"),
            tool("odd", json!({})),
        ];
        let shown = |lang| {
            let groups = grouped(&tools, "", lang).into_iter();
            groups.map(|it| (it.title, it.tools.len())).collect::<Vec<_>>()
        };
        let expected =
            [("Box office", 2), ("Navigation", 1), ("echo", 1), ("clock", 1), ("Other tools", 1)];
        assert_eq!(shown(Lang::En), expected.map(|it| (it.0.to_owned(), it.1)));
        assert_eq!(shown(Lang::Ja)[0].0, "チケット窓口");
    }

    #[test]
    fn hides_tools_meant_for_pages() {
        assert_eq!(names("draft", Lang::Ja), Vec::<String>::new());
        assert_eq!(names("reserve", Lang::Ja), ["reserve_seats"]);
    }

    #[test]
    fn search_finds_names_and_titles_in_both_languages() {
        assert_eq!(names("RESERVE", Lang::Ja), ["reserve_seats"]);
        assert_eq!(names("films", Lang::Ja), ["list_movies"]);
        assert_eq!(names("映画 list", Lang::En), ["list_movies"]);
        assert_eq!(names("dragon", Lang::En), Vec::<String>::new());
    }

    #[test]
    fn search_takes_kana_of_any_kind_and_width() {
        for query in ["せき", "セキ", "ｾｷ", "ざせき", "ｻﾞｾｷ", "ｒｅｓｅｒｖｅ　せき"]
        {
            assert_eq!(names(query, Lang::En), ["reserve_seats"], "{query}");
        }
    }
}
