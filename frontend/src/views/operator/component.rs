//! One component: activity, grants, revisions, and actions.

use leptos::html::Details;
use leptos::prelude::*;
use serde_json::json;

use super::fact;
use super::report::Inventory;
use crate::browser;
use crate::dates;
use crate::error::CallError;
use crate::operator::data::{Activity, Component, Difference, Generation};
use crate::operator::reports::{BAR, used};
use crate::operator::{client, units};
use crate::route::Route;
use crate::text::{Key, Lang};
use crate::views::notice::{Notice, Sure, coded};

/// The component of that name, opened if the address names it.
#[component]
pub(super) fn Row(
    inventory: Inventory,
    name: String,
    named: Memo<Option<String>>,
) -> impl IntoView {
    let error = RwSignal::new(None::<CallError>);
    let name = StoredValue::new(name);
    let component = Memo::new(move |_| {
        name.with_value(|name| inventory.read(name, Clone::clone)).unwrap_or_default()
    });
    let id = move |part: &str| name.with_value(|it| format!("op-{part}-{it}"));
    let details = NodeRef::<Details>::new();
    Effect::new(move |_| {
        let is_named = named.with(|it| name.with_value(|name| it.as_ref() == Some(name)));
        if let (true, Some(details)) = (is_named, details.get()) {
            let _ = details.set_attribute("open", "");
            browser::focus_soon(id("more"));
        }
    });
    let memo = move |f: fn(&Component) -> String| Memo::new(move |_| component.with(f));
    let wrong = Memo::new(move |_| component.with(|it| it.fault().map(str::to_owned)));
    let digest = memo(|it| it.digest.as_deref().map(units::digest).unwrap_or_default());
    let size = memo(|it| it.size_bytes.map(units::bytes).unwrap_or_default());
    view! {
        <article class="op-card" aria-labelledby=id("name")>
            <Head component id=id("name")/>
            {move || wrong.get().map(|it| view! { <p class="op-wrong" lang="en">{coded(&it)}</p> })}
            <Facts component/>
            <Times component/>
            <details class="op-more" node_ref=details>
                <summary id=id("more")>
                    {move || name.with_value(|it| Key::OperatorMore.fill(&[it]))}
                </summary>
                <div class="op-inside">
                    <p class="op-facts">
                        <span>{Key::OperatorDigest}" "<code>{digest}</code></span>
                        <span>{size}</span>
                    </p>
                    <Touches component/>
                    <Tools component/>
                    <Generations inventory component error/>
                    <Unload inventory component error/>
                </div>
            </details>
            {move || error.get().map(|error| view! { <Notice error/> })}
        </article>
    }
}

/// Its name, state, and serving revision.
#[component]
fn Head(component: Memo<Component>, id: String) -> impl IntoView {
    let is_serving = Memo::new(move |_| component.with(|it| it.is_serving));
    let generation = Memo::new(move |_| component.with(|it| it.generation));
    let since = Memo::new(move |_| component.with(|it| it.since.clone()));
    let state =
        move || if is_serving.get() { Key::OperatorServes } else { Key::OperatorServesNot }.say();
    view! {
        <div class="op-card-head">
            <h3 id=id>{component.with_untracked(|it| it.name.clone())}</h3>
            <span class="op-state" class:is-on=is_serving>{state}</span>
            <p class="op-facts">
                {move || generation.get().map(|it| view! {
                    <span>{Key::OperatorGeneration.fill(&[&it.to_string()])}</span>
                })}
                {move || since.get().map(|since| {
                    let at = dates::moment(&since, Lang::spoken());
                    view! { <span>{Key::OperatorInstalled.fill(&[&at])}</span> }
                })}
            </p>
        </div>
    }
}

/// Its activity since the server started.
#[component]
fn Facts(component: Memo<Component>) -> impl IntoView {
    let number = move |value: u64| dates::number(value as f64, Lang::spoken());
    let read = move |f: fn(&Activity) -> u64| component.with(|it| f(&it.activity));
    let calls = move || number(read(|it| it.calls));
    let faults =
        move || format!("{} / {}", number(read(|it| it.errors)), number(read(|it| it.traps)));
    let times = move || {
        let calls = read(|it| it.calls);
        let (half, most) = (read(|it| it.p50_us), read(|it| it.p99_us));
        format!("{} / {}", units::within(half, calls), units::within(most, calls))
    };
    let under_way =
        move || format!("{} / {}", number(read(|it| it.running)), number(read(|it| it.queued)));
    let peak = move || match read(|it| it.memory_peak_bytes) {
        0 => units::NONE.to_owned(),
        bytes => units::bytes(bytes),
    };
    view! {
        <dl class="op-numbers">
            {fact(Key::OperatorCalls, calls)}
            {fact(Key::OperatorFaults, faults)}
            {fact(Key::OperatorTimes, times)}
            {fact(Key::OperatorUnderWay, under_way)}
            {fact(Key::OperatorPeak, peak)}
        </dl>
    }
}

/// Durations and traps of its calls, as small charts.
#[component]
fn Times(component: Memo<Component>) -> impl IntoView {
    let latency = Memo::new(move |_| component.with(|it| it.latency.clone()));
    let faults = Memo::new(move |_| {
        component.with(|it| (it.activity.traps, it.activity.errors, it.activity.calls))
    });
    let description = move || {
        let line = |(us, count): &(u64, u64)| {
            let count = dates::number(*count as f64, Lang::spoken());
            format!("≤ {}: {count}", units::took(*us))
        };
        let all = latency.with(|it| it.iter().map(line).collect::<Vec<_>>());
        Key::OperatorTimesChart.fill(&[&all.join(Lang::spoken().comma())])
    };
    let ends = move || {
        let (first, last) = latency.with(|buckets| {
            let end = |it: Option<&(u64, u64)>| it.map(|it| units::took(it.0)).unwrap_or_default();
            (end(buckets.first()), end(buckets.last()))
        });
        if first == last { first } else { format!("{first} – {last}") }
    };
    let columns = move || {
        latency
            .with(|it| columns(it))
            .into_iter()
            .map(|(x, wide, high)| {
                view! { <rect x=x width=wide y=CHART_HEIGHT - high height=high></rect> }
            })
            .collect_view()
    };
    let share = move || {
        let (traps, errors, calls) = faults.get();
        Key::OperatorFaultsChart.fill(&[&units::share(traps, calls), &units::share(errors, calls)])
    };
    let faulty = move || {
        let (traps, errors, calls) = faults.get();
        let part = |value: u64| used(value, calls.max(1));
        view! {
            <rect class="op-bar-ground" width=BAR height="10"></rect>
            <rect class="op-bar-error" width=part(errors) height="10"></rect>
            <rect class="op-bar-over" width=part(traps) height="10"></rect>
        }
    };
    move || {
        (!latency.with(Vec::is_empty)).then(|| view! {
        <div class="op-times">
            <figure>
                <svg class="op-histogram" role="img" aria-label=description preserveAspectRatio="none"
                    viewBox=format!("0 0 {CHART_WIDTH} {CHART_HEIGHT}")>{columns}</svg>
                <figcaption>{Key::OperatorTimesShort}" "{ends}</figcaption>
            </figure>
            <figure>
                <svg class="op-bar" role="img" aria-label=share preserveAspectRatio="none"
                    viewBox=format!("0 0 {BAR} 10")>{faulty}</svg>
                <figcaption>{share}</figcaption>
            </figure>
        </div>
    })
    }
}

/// Size of the chart, in its own units.
const CHART_WIDTH: f64 = 240.0;
const CHART_HEIGHT: f64 = 60.0;

/// The columns of the chart: position, width and height.
fn columns(latency: &[(u64, u64)]) -> Vec<(f64, f64, f64)> {
    let wide = CHART_WIDTH / latency.len().max(1) as f64;
    let most = latency.iter().map(|it| it.1).max().unwrap_or_default().max(1) as f64;
    // Non-zero values stay visible.
    let high = |count: u64| (count as f64 / most * CHART_HEIGHT).max(1.0);
    let column = |(at, it): (usize, &(u64, u64))| (at as f64 * wide, wide * 0.9, high(it.1));
    latency.iter().enumerate().map(column).collect()
}

/// Its grants as sentences.
#[component]
fn Touches(component: Memo<Component>) -> impl IntoView {
    let sentences = Memo::new(move |_| component.with(|it| units::sentences(it, Lang::spoken())));
    let list = |sentences: Vec<String>| {
        let sentence = |it| view! { <li>{it}</li> };
        view! { <ul class="op-sentences">{sentences.into_iter().map(sentence).collect_view()}</ul> }
    };
    view! {
        <section>
            <h4>{Key::OperatorReach}</h4>
            {move || {
                let (used, unused) = sentences.get();
                let is_none = used.is_empty() && unused.is_empty();
                view! {
                    {is_none.then(|| view! { <p>{Key::OperatorReachNone}</p> })}
                    {(!used.is_empty()).then(|| list(used))}
                    {(!unused.is_empty()).then(|| view! {
                        <h5>{Key::OperatorUnused}</h5>
                        {list(unused)}
                    })}
                }
            }}
        </section>
    }
}

/// Its tools, linked to the tools view.
#[component]
fn Tools(component: Memo<Component>) -> impl IntoView {
    let tools = Memo::new(move |_| component.with(|it| it.tools.clone()));
    let tool = |name: String| {
        let href = Route::Counter(Some(name.clone())).hash();
        view! { <li><a href=href><code>{name}</code></a></li> }
    };
    view! {
        <section>
            <h4>
                {Key::OperatorToolsOf}" "
                <span class="count">{move || tools.with(Vec::len)}</span>
            </h4>
            {move || match tools.get() {
                tools if tools.is_empty() => {
                    any_view! { <p>{Key::OperatorNoTools}</p> }
                }
                tools => any_view! {
                    <ul class="op-tools">{tools.into_iter().map(tool).collect_view()}</ul>
                },
            }}
        </section>
    }
}

/// Unloads it after confirmation.
#[component]
fn Unload(
    inventory: Inventory,
    component: Memo<Component>,
    error: RwSignal<Option<CallError>>,
) -> impl IntoView {
    let is_asking = RwSignal::new(false);
    let is_serving = Memo::new(move |_| component.with(|it| it.is_serving));
    let name = StoredValue::new(component.with_untracked(|it| it.name.clone()));
    let id = move |part: &str| name.with_value(|it| format!("op-{part}-{it}"));
    let named = move |key: Key| move || name.with_value(|it| key.fill(&[it]));
    let keep = Callback::new(move |()| {
        is_asking.set(false);
        browser::focus_soon(id("unload"));
    });
    let unload = Callback::new(move |()| {
        is_asking.set(false);
        let name = name.get_value();
        inventory.order(error, (Key::OperatorUnloaded, name.clone()), id("more"), async move {
            inventory.operator.delete(&client::component(&name)).await
        });
    });
    move || {
        if !is_serving.get() {
            return ().into_any();
        }
        if !is_asking.get() {
            return any_view! {
                <div class="actions">
                    <button type="button" class="quiet small is-grave" id=id("unload")
                        aria-disabled=move || inventory.is_busy.get().to_string() aria-label=named(Key::OperatorUnloadNamed)
                        on:click=move |_| is_asking.set(true)>{Key::OperatorUnload}</button>
                </div>
            };
        }
        any_view! {
            <Sure id=id("keep") ask=Signal::derive(named(Key::OperatorUnloadAsk))
                yes=Key::OperatorUnloadYes no=Key::OperatorUnloadNo
                on_yes=unload on_no=keep/>
        }
    }
}

/// All known revisions.
#[component]
pub(super) fn Generations(
    inventory: Inventory,
    component: Memo<Component>,
    error: RwSignal<Option<CallError>>,
) -> impl IntoView {
    let newest_first = |component: &Component| {
        let with_way =
            |own: &Generation| (own.clone(), component.serves(own), component.may_return(own));
        component.generations.iter().rev().map(with_way).collect::<Vec<_>>()
    };
    let all = Memo::new(move |_| component.with(newest_first));
    let name = StoredValue::new(component.with_untracked(|it| it.name.clone()));
    let return_to = Callback::new(move |number: u64| {
        let name = name.get_value();
        let way_back = format!("op-more-{name}");
        inventory.order(error, (Key::OperatorBack, name.clone()), way_back, async move {
            let path = format!("{}/rollback", client::component(&name));
            inventory.operator.order(&path, &json!({ "to": number })).await
        });
    });
    view! {
        <section>
            <h4>
                {Key::OperatorGenerations}" "
                <span class="count">{move || all.with(Vec::len)}</span>
            </h4>
            <ol class="op-generations" reversed>
                {move || all.get().into_iter().map(|(own, serves, may_return)| view! {
                    <li><Entry inventory name own serves may_return return_to/></li>
                }).collect_view()}
            </ol>
        </section>
    }
}

/// One revision of a component.
#[component]
fn Entry(
    inventory: Inventory,
    name: StoredValue<String>,
    own: Generation,
    serves: bool,
    may_return: bool,
    return_to: Callback<u64>,
) -> impl IntoView {
    let Generation { number, digest, installed_at, size_bytes, origin, differences, status } = own;
    let shown = number.to_string();
    let title = move || Key::OperatorGeneration.fill(&[&shown]);
    let class = if serves { "op-state is-on" } else { "op-state" };
    let at = move || dates::moment(&installed_at, Lang::spoken());
    let button = may_return.then(|| {
        let label = move || {
            name.with_value(|it| Key::OperatorAgainNamed.fill(&[it, &number.to_string()]))
        };
        view! {
            <button type="button" class="quiet small" aria-disabled=move || inventory.is_busy.get().to_string() aria-label=label
                on:click=move |_| return_to.run(number)>{Key::OperatorAgain}</button>
        }
    });
    view! {
        <div class="op-generation">
            <b>{title}</b>
            <span class=class>{move || units::status(&status, Lang::spoken())}</span>
            {button}
        </div>
        <p class="op-facts">
            <span>{at}</span>
            <code>{units::digest(&digest)}</code>
            <span>{units::bytes(size_bytes)}</span>
            {(!origin.is_empty()).then(|| view! {
                <span>{move || units::origin(&origin, Lang::spoken())}</span>
            })}
        </p>
        {(!differences.is_empty()).then(|| view! {
            <ul class="op-sentences">
                {differences.into_iter().map(|it| view! { <li><Differs difference=it/></li> }).collect_view()}
            </ul>
        })}
    }
}

/// A difference from the previous revision; breaking ones are labelled.
#[component]
fn Differs(difference: Difference) -> impl IntoView {
    view! {
        <code>{difference.tool}</code>" "<span lang="en">{coded(&difference.what)}</span>
        {difference.is_breaking.then(|| view! {
            " "<span class="badge is-grave">{Key::OperatorBreaking}</span>
        })}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bucket_is_a_column_and_single_calls_show() {
        let columns = columns(&[(100, 1_000), (200, 1)]);
        assert_eq!(columns[0], (0.0, 108.0, CHART_HEIGHT));
        assert_eq!((columns[1].0, columns[1].2), (120.0, 1.0));
        assert!(super::columns(&[]).is_empty());
    }
}
