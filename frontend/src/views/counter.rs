//! The tools view: finds, fills in and calls every tool of the host.

mod list;
mod tool;

use leptos::prelude::*;

use super::notice::loaded;
use super::part::drawn_by;
use crate::page::page;
use crate::part::{Part, part};
use crate::route::Route;
use crate::table::Draw;
use crate::text::Key;
use list::ToolList;
use tool::ToolPlace;

/// The chosen tool is drawn by a part of its own.
pub(crate) static TOOL: Part<Draw> =
    part!(tool: Draw = &Draw(|name| any_view! { <ToolPlace name=name.to_owned()/> }));

/// The list of tools and the chosen one.
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
    // The tools change often, their presence rarely.
    let stage = Memo::new(move |_| page().tools.with(|it| it.map(|_| ())));
    view! {
        <div class=class>
            {move || loaded(stage.get(), 8, retry, |()| any_view! {
                    <ToolList chosen/>
                    <div class="counter-place">
                        {move || match chosen.get() {
                            Some(name) => drawn_by(&TOOL, move |it| (it.0)(&name)),
                            None => any_view! { <p class="counter-none">{Key::ChooseTool}</p> },
                        }}
                    </div>
                })}
        </div>
    }
}
