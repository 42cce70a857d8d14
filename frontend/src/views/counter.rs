//! The counter: every tool that the host offers, to be found, filled in and called.

mod list;
mod tool;

use leptos::prelude::*;

use super::notice::loaded;
use crate::page::page;
use crate::route::Route;
use crate::text::Key;
use list::ToolList;
use tool::ToolPlace;

/// The list of tools beside the one chosen.
#[component]
pub(crate) fn CounterView() -> impl IntoView {
    let chosen = Memo::new(move |_| {
        page().route.with(|route| match route {
            Route::Counter(tool) => tool.clone(),
            _ => None,
        })
    });
    let class = move || if chosen.get().is_some() { "counter has-tool" } else { "counter" };
    let retry = Callback::new(move |()| page().retry_tools());
    // What the tools are may change under the reader; whether there are any, rarely.
    let stage = Memo::new(move |_| page().tools.with(|it| it.map(|_| ())));
    view! {
        <div class=class>
            {move || loaded(stage.get(), 8, retry, |()| any_view! {
                    <ToolList chosen/>
                    <div class="counter-place">
                        {move || match chosen.get() {
                            Some(name) => any_view! { <ToolPlace name/> },
                            None => any_view! { <p class="counter-none">{Key::ChooseTool}</p> },
                        }}
                    </div>
                })}
        </div>
    }
}
