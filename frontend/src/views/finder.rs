//! The finder as a dialog: a field and its matches, for keyboard, pointer and screen readers.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

use leptos::ev::KeyboardEvent;
use leptos::html::Dialog;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;

use crate::browser;
use crate::call::fetch;
use crate::chat::storage::SavedChats;
use crate::finder::{DIALOG, Finder};
use crate::home::Activities;
use crate::operator::OperatorOffer;
use crate::page::page;
use crate::route::{OperatorTab, Route};
use crate::table::{self, Found, Ongoing};
use crate::text::{Key, Lang, folded};
use crate::views::operator::LINKS;

/// Pause in typing before the host is asked.
const PAUSE: Duration = Duration::from_millis(200);
/// Maximum number of entries shown of one kind, and of all.
const KIND_MAX: usize = 6;
const ALL_MAX: usize = 30;

/// How the operator's tabs are read, by [`LINKS`].
const READINGS: [&str; LINKS.len()] =
    ["", "", "よびだし", "", "りようしゃとトークン", "ほぞんデータ", "せっていち"];

/// An entry that can be opened.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    kind: Key,
    label: String,
    /// Distinguishes it from others of the same label.
    more: String,
    route: Route,
}

/// A family tool's results for a query.
#[derive(Clone)]
struct Answer {
    kind: Key,
    sought: String,
    found: Vec<Found>,
}

impl Answer {
    /// The results matching the current query. A tool's own matches count only for their query.
    fn fitting(&self, sought: &str, lang: Lang) -> Vec<Entry> {
        if sought.is_empty() {
            return Vec::new();
        }
        let is_of_query = folded(&self.sought) == sought;
        let fits = |it: &&Found| (is_of_query && it.is_found) || has(it.label(lang), sought);
        let entry = |it: &Found| Entry {
            kind: self.kind,
            label: it.label(lang).to_owned(),
            more: String::new(),
            route: it.route.clone(),
        };
        self.found.iter().filter(fits).take(KIND_MAX).map(entry).collect()
    }
}

thread_local! {
    /// Results of each tool by query, while the finder is open.
    static ANSWERS: RefCell<HashMap<(&'static str, String), Vec<Found>>> = RefCell::default();
}

/// The dialog, which exists while the finder is open.
#[component]
pub(crate) fn FinderView() -> impl IntoView {
    let finder: Finder = expect_context();
    let operator: OperatorOffer = expect_context();
    let activities: Activities = expect_context();
    let sought_now = RwSignal::new(String::new());
    let chosen = RwSignal::new(0_usize);
    let found = RwSignal::new(Vec::<Answer>::new());
    let entries = Memo::new(move |_| {
        let lang = Lang::spoken();
        let sought = sought_now.with(|it| folded(it.trim()));
        let mut all = activity_entries(&activities.all(), lang, &sought);
        all.extend(page_entries(operator, lang, &sought));
        let answers = found.get();
        all.extend(answers.iter().flat_map(|it| it.fitting(&sought, lang)));
        all.truncate(ALL_MAX);
        all
    });
    Effect::new(move |_| {
        // A new list selects its first entry.
        entries.track();
        chosen.set(0);
    });
    Effect::new(move |_| {
        let sought = sought_now.get().trim().to_owned();
        let ask = move || {
            // The finder may be closed, or the reader may have typed on.
            if sought_now.try_with_untracked(|it| it.trim() == sought) == Some(true) {
                ask(&sought, found);
            }
        };
        set_timeout(ask, PAUSE);
    });
    // Results are fetched anew the next time.
    on_cleanup(|| ANSWERS.with_borrow_mut(HashMap::clear));
    let dialog = NodeRef::<Dialog>::new();
    Effect::new(move |_| {
        if let Some(dialog) = dialog.get()
            && !dialog.open()
        {
            let _ = dialog.show_modal();
            browser::focus("finder-sought");
        }
    });
    let go = move |at: usize| {
        if let Some(entry) = entries.with_untracked(|it| it.get(at).cloned()) {
            finder.shut();
            page().go(entry.route);
        }
    };
    let keydown = move |event: KeyboardEvent| {
        if browser::is_composing(&event) {
            return;
        }
        let count = entries.with_untracked(Vec::len).max(1);
        match event.key().as_str() {
            "ArrowDown" => chosen.update(|it| *it = (*it + 1) % count),
            "ArrowUp" => chosen.update(|it| *it = (*it + count - 1) % count),
            "Enter" => go(chosen.get_untracked()),
            _ => return,
        }
        event.prevent_default();
        let at = chosen.get_untracked();
        browser::reveal(&format!("finder-{at}"));
    };
    let count = move || match entries.with(Vec::len) {
        0 => Key::FinderNone.say().to_owned(),
        count => Key::FinderCount.fill(&[&count.to_string()]),
    };
    let row = move |(at, entry): (usize, Entry)| {
        view! {
            <li role="option" id=format!("finder-{at}") class="finder-entry"
                aria-selected=move || (chosen.get() == at).to_string()
                on:mousemove=move |_| { if chosen.get_untracked() != at { chosen.set(at); } }
                on:click=move |_| go(at)>
                <span>{entry.label}</span>
                <span class="finder-kind">{entry.kind}" "{entry.more}</span>
            </li>
        }
    };
    view! {
        <dialog id=DIALOG class="finder" node_ref=dialog aria-label=Key::Finder
            on:close=move |_| finder.close()
            on:click=move |event| {
                // The backdrop is the dialog itself.
                if event.target() == event.current_target() {
                    finder.shut();
                }
            }>
            <div class="finder-box">
                <label class="only-heard" for="finder-sought">{Key::Finder}</label>
                <input id="finder-sought" type="text" role="combobox" autocomplete="off"
                    autocapitalize="off" spellcheck="false" aria-expanded="true"
                    aria-autocomplete="list" aria-controls="finder-list"
                    aria-activedescendant=move || {
                        (!entries.with(Vec::is_empty)).then(|| format!("finder-{}", chosen.get()))
                    }
                    placeholder=Key::FinderHint
                    prop:value=sought_now on:keydown=keydown
                    on:input=move |event| sought_now.set(event_target_value(&event))/>
                <ul id="finder-list" role="listbox" class="finder-list" aria-label=Key::FinderFound>
                    {move || entries.get().into_iter().enumerate().map(row).collect_view()}
                </ul>
                <p class="finder-foot" role="status">{count}</p>
                <button type="button" class="quiet small" on:click=move |_| finder.shut()>
                    {Key::Close}
                </button>
            </div>
        </dialog>
    }
}

/// What goes on for the reader, such as a coming visit.
fn activity_entries(activities: &[Ongoing], lang: Lang, sought: &str) -> Vec<Entry> {
    let entry = |activity: &Ongoing| Entry {
        kind: Key::FrontMine,
        label: activity.say(lang),
        more: String::new(),
        route: activity.route.clone(),
    };
    let entries = activities.iter().map(entry);
    entries.filter(|entry| !sought.is_empty() && has(&entry.label, sought)).collect()
}

/// The page's own entries: views, tools, and stored chats.
fn page_entries(operator: OperatorOffer, lang: Lang, sought: &str) -> Vec<Entry> {
    let mut places = vec![(Key::FinderHome, "さいしょのページ", Route::Home)];
    let served = table::places().filter(|it| it.is_shown());
    places.extend(served.map(|it| (it.name, it.reading, it.start())));
    places.extend(page().has_assistants.get().then_some((Key::ChatPlace, "", Route::Chat(None))));
    places.extend([
        (Key::Counter, "", Route::Counter(None)),
        (Key::ApprovalsTitle, "しょうにんまち", Route::Approvals),
        (Key::Preferences, "せってい", Route::Preferences),
    ]);
    if operator.is_offered() {
        places.push((Key::OperatorPlace, "うんよう", Route::Operator(OperatorTab::Now)));
        let tabs = LINKS.into_iter().zip(READINGS).skip(1);
        places.extend(tabs.map(|((key, tab), reading)| (key, reading, Route::Operator(tab))));
    }
    let place = |(key, reading, route): (Key, &str, Route)| {
        // In either language: readers know a view by the name they met.
        let names = [Lang::Ja.say(key), Lang::En.say(key), reading];
        let fits = names.iter().any(|it| has(it, sought));
        fits.then(|| Entry {
            kind: match &route {
                Route::Operator(tab) if *tab != OperatorTab::Now => Key::OperatorPlace,
                _ => Key::FinderPlace,
            },
            label: lang.say(key).to_owned(),
            more: String::new(),
            route,
        })
    };
    let mut all: Vec<_> = places.into_iter().filter_map(place).collect();
    if sought.is_empty() {
        return all;
    }
    let chats = SavedChats::load().found(sought);
    all.extend(chats.into_iter().filter(|it| !it.name.is_empty()).take(KIND_MAX).map(|it| Entry {
        kind: Key::ChatPlace,
        label: it.name,
        more: String::new(),
        route: Route::Chat(Some(it.id)),
    }));
    page().tools.with(|tools| {
        let tools = tools.ready().into_iter().flatten();
        let fits = |tool: &&crate::mcp::wire::Tool| {
            let names = [&*tool.name, &tool.title(lang), tool.reading().unwrap_or_default()];
            names.iter().any(|it| has(it, sought))
        };
        all.extend(tools.filter(fits).take(KIND_MAX).map(|it| Entry {
            kind: Key::Tool,
            label: it.title(lang),
            more: it.name.clone(),
            route: Route::Counter(Some(it.name.clone())),
        }));
    });
    all
}

/// Searches by the families' tools after a pause in typing.
fn ask(sought: &str, found: RwSignal<Vec<Answer>>) {
    if sought.is_empty() {
        return;
    }
    for search in table::searches().filter(|it| page().tool(it.tool).is_some()) {
        let arguments = (search.arguments)(sought);
        let name = (search.tool, arguments.to_string());
        if let Some(known) = ANSWERS.with_borrow(|it| it.get(&name).cloned()) {
            put(found, Answer { kind: search.kind, sought: sought.to_owned(), found: known });
            continue;
        }
        let sought = sought.to_owned();
        spawn_local(async move {
            // A failed search has no results; the page's own entries stay.
            let Ok(value) = fetch::<Value>(search.tool, arguments).await else { return };
            let answer = Answer { kind: search.kind, sought, found: (search.read)(&value) };
            ANSWERS.with_borrow_mut(|it| it.insert(name, answer.found.clone()));
            put(found, answer);
        });
    }
}

fn put(found: RwSignal<Vec<Answer>>, answer: Answer) {
    let _ = found.try_update(|all| {
        all.retain(|it| it.kind != answer.kind);
        all.push(answer);
    });
}

/// Whether `text` contains each word of the folded text `sought`.
fn has(text: &str, sought: &str) -> bool {
    let text = folded(text);
    sought.split_whitespace().all(|it| text.contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_entries_regardless_of_width_and_case() {
        assert!(has("Reserve seats", &folded("ＳＥＡＴＳ res")));
        assert!(has("チケット窓口", &folded("ちけっと")));
        assert!(has("しょうにんまち", &folded("ｼｮｳﾆﾝ")));
        assert!(!has("Reserve seats", &folded("seat film")));
        assert!(has("anything", ""));
    }

    #[test]
    fn ignores_results_of_an_earlier_query() {
        let found = |title: &str, is_found: bool| Found {
            title: title.to_owned(),
            english: None,
            route: Route::Home,
            is_found,
        };
        let answer = Answer {
            kind: Key::FinderForm,
            sought: "Tar".to_owned(),
            found: vec![found("Tár", true), found("Tarmac", true), found("Other", false)],
        };
        let labels = |sought: &str| {
            let all = answer.fitting(&folded(sought), Lang::En);
            all.into_iter().map(|it| it.label).collect::<Vec<_>>()
        };
        assert_eq!(labels("tar"), ["Tár", "Tarmac"]);
        assert_eq!(labels("tarm"), ["Tarmac"], "what fits by its name is there at once");
        assert_eq!((labels("sea"), labels("")), (vec![], vec![]));
    }
}
