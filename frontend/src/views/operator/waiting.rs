//! Items waiting for the operator's approval: builds, with a trial beside the serving one, and upstream tool
//! definitions, old and new.

use std::time::Duration;

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use serde_json::json;

use super::TITLE;
use super::report::Inventory;
use crate::browser;
use crate::dates;
use crate::error::CallError;
use crate::operator::data::{
    Canary, Comparison, Figures, Part, Pending, Rewording, Share, WaitingTool,
};
use crate::operator::reports::Server;
use crate::operator::{client, repeat, units};
use crate::page::page;
use crate::text::{Key, Lang};
use crate::views::notice::{Notice, coded};

pub(super) const WAITING: &str = "op-waiting";

/// All pending builds; nothing without any.
#[component]
pub(super) fn Waiting(inventory: Inventory) -> impl IntoView {
    let all = Memo::new(move |_| inventory.pending());
    let is_any = Memo::new(move |_| all.with(|it| !it.is_empty()));
    move || {
        is_any.get().then(|| {
            view! {
                <section class="op-part" aria-labelledby=WAITING>
                    <h2 id=WAITING class="section-title" tabindex="-1">{Key::OperatorWaits}</h2>
                    <ul class="op-list">
                        <For each=move || all.get() key=|(name, it)| (name.clone(), it.digest.clone())
                            children=move |(name, pending)| view! { <li><Card inventory name pending/></li> }/>
                    </ul>
                </section>
            }
        })
    }
}

/// A build, and the operator's decision.
#[component]
fn Card(inventory: Inventory, name: String, pending: Pending) -> impl IntoView {
    let error = RwSignal::new(None::<CallError>);
    let own = StoredValue::new((name.clone(), pending.digest.clone()));
    let say = move |verb: &'static str, key: Key| {
        let (name, digest) = own.get_value();
        let announcement = (key, name.clone());
        inventory.order(error, announcement, TITLE, async move {
            let path = format!("{}/{verb}", client::component(&name));
            inventory.operator.order(&path, &json!({ "digest": digest })).await
        });
    };
    let stored_name = StoredValue::new(name.clone());
    let named = move |key: Key| move || own.with_value(|it| key.fill(&[&it.0]));
    let id = format!("op-waits-{name}");
    let labelled = id.clone();
    let reach = inventory.read(&name, |it| it.reach.clone()).unwrap_or_default();
    let reasons = StoredValue::new((pending.reasons(), reach));
    let reasons = Memo::new(move |_| {
        reasons.with_value(|(all, reach)| units::reasons(all, reach, Lang::spoken()))
    });
    let is_reworded = !pending.rewordings.is_empty();
    let origin = pending.origin.clone();
    view! {
        <section class="op-card is-waiting" aria-labelledby=labelled
            aria-busy=move || inventory.is_busy.get().to_string()>
            <h3 id=id>{name}</h3>
            <p class="op-facts">
                {(!origin.is_empty()).then(|| view! {
                    <span>{move || units::origin(&origin, Lang::spoken())}</span>
                })}
                <code>{units::digest(&pending.digest)}</code>
            </p>
            {move || {
                let (introduction, all) = reasons.get();
                let one = |(text, is_english): (String, bool)| {
                    view! { <li lang=is_english.then_some("en")>{coded(&text)}</li> }
                };
                (is_reworded || !all.is_empty()).then(|| view! {
                    <p>{introduction}</p>
                    <ul class="op-sentences">{all.into_iter().map(one).collect_view()}</ul>
                })
            }}
            {pending.rewordings.into_iter().map(|Rewording { of, pinned, waiting }| view! {
                <section>
                    <h4>{move || units::named_kind(&of, Lang::spoken())}</h4>
                    <Parts all=Part::between(&pinned, &waiting)/>
                </section>
            }).collect_view()}
            <Trial inventory name=stored_name error/>
            {move || error.get().map(|error| view! { <Notice error/> })}
            <div class="actions">
                <button type="button" class="main-action" aria-disabled=move || inventory.is_busy.get().to_string()
                    aria-label=named(Key::OperatorAcceptNamed)
                    on:click=move |_| say("accept", Key::OperatorAccepted)>{Key::OperatorAccept}</button>
                <button type="button" class="quiet" aria-disabled=move || inventory.is_busy.get().to_string()
                    aria-label=named(Key::OperatorRefuseNamed)
                    on:click=move |_| say("refuse", Key::OperatorRefused)>{Key::OperatorRefuse}</button>
            </div>
        </section>
    }
}

const TOOLS_WAITING: &str = "op-tools-waiting";

/// The differing parts of two definitions, current and new.
#[component]
pub(super) fn Parts(all: Vec<Part>) -> impl IntoView {
    let side = move |key: Key, text: Option<String>| {
        text.map(|text| {
            view! {
                <dd>
                    <span class="op-side">{key}</span>
                    <code>{text}</code>
                </dd>
            }
        })
    };
    let part = move |part: Part| {
        view! {
            <div>
                <dt>{part.name}</dt>
                {side(Key::OperatorReadNow, part.pinned)}
                {side(Key::OperatorReadThen, part.waiting)}
            </div>
        }
    };
    view! { <dl class="op-definition">{all.into_iter().map(part).collect_view()}</dl> }
}

/// Servers with pending tool definitions; nothing without any.
#[component]
pub(super) fn WaitingTools(inventory: Inventory) -> impl IntoView {
    let is_any = Memo::new(move |_| inventory.servers.with(|it| !it.is_empty()));
    move || {
        is_any.get().then(|| {
            view! {
                <section class="op-part" aria-labelledby=TOOLS_WAITING>
                    <h2 id=TOOLS_WAITING class="section-title">{Key::OperatorToolsWait}</h2>
                    <p class="hint">{Key::OperatorToolsWaitHint}</p>
                    <ul class="op-list">
                        <For each=move || inventory.servers.get() key=Server::key
                            children=move |server| view! { <li><ServerCard inventory server/></li> }/>
                    </ul>
                </section>
            }
        })
    }
}

/// A server's pending tools, and the decision about exactly the definitions shown.
#[component]
fn ServerCard(inventory: Inventory, server: Server) -> impl IntoView {
    let error = RwSignal::new(None::<CallError>);
    let looked_at = |it: &WaitingTool| json!({ "tool": it.tool, "digest": it.digest });
    let body = json!({ "tools": server.waiting.iter().map(looked_at).collect::<Vec<_>>() });
    let own = StoredValue::new((server.name.clone(), body));
    let say = move |verb: &'static str, key: Key| {
        let (name, body) = own.get_value();
        let announcement = (key, name.clone());
        inventory.order(error, announcement, TITLE, async move {
            inventory.operator.order(&client::server(&name, verb), &body).await
        });
    };
    let named = move |key: Key| move || own.with_value(|it| key.fill(&[&it.0]));
    let id = format!("op-tools-{}", server.name);
    let labelled = id.clone();
    let tool = |tool: WaitingTool| {
        let differs = |it: String| view! { <li lang="en">{coded(&it)}</li> };
        let differences = tool.differences.iter().map(|it| it.what.clone());
        view! {
            <section>
                <h4>{tool.tool.clone()}</h4>
                <ul class="op-sentences">{differences.map(differs).collect_view()}</ul>
                <Parts all=Part::between(&tool.pinned, &tool.waiting)/>
            </section>
        }
    };
    view! {
        <section class="op-card is-waiting" aria-labelledby=labelled
            aria-busy=move || inventory.is_busy.get().to_string()>
            <h3 id=id>{server.name}</h3>
            {server.waiting.into_iter().map(tool).collect_view()}
            {move || error.get().map(|error| view! { <Notice error/> })}
            <div class="actions">
                <button type="button" class="main-action" aria-label=named(Key::OperatorAcceptToolsNamed)
                    aria-disabled=move || inventory.is_busy.get().to_string()
                    on:click=move |_| say("accept", Key::OperatorToolsAccepted)>{Key::OperatorAccept}</button>
                <button type="button" class="quiet" aria-label=named(Key::OperatorRefuseToolsNamed)
                    aria-disabled=move || inventory.is_busy.get().to_string()
                    on:click=move |_| say("refuse", Key::OperatorToolsRefused)>{Key::OperatorRefuse}</button>
            </div>
        </section>
    }
}

/// Interval of fetching during a trial.
const EVERY: Duration = Duration::from_secs(1);
const PERCENT: &str = "10";

/// The trial of a pending build beside a serving one.
#[component]
fn Trial(
    inventory: Inventory,
    name: StoredValue<String>,
    error: RwSignal<Option<CallError>>,
) -> impl IntoView {
    let read = move |f: fn(&crate::operator::data::Component) -> Option<Canary>| {
        name.with_value(|name| inventory.read(name, f)).flatten()
    };
    let canary = Memo::new(move |_| read(|it| it.canary.clone()));
    let is_serving = Memo::new(move |_| {
        name.with_value(|it| inventory.read(it, |it| it.is_serving)) == Some(true)
    });
    let ended = Memo::new(move |_| {
        let ended = |it: &crate::operator::data::Component| it.pending.as_ref()?.end();
        let reason = name.with_value(|name| inventory.read(name, ended)).flatten()?;
        Some(units::end_of_trial(&reason, Lang::spoken()))
    });
    let is_running = Memo::new(move |_| canary.with(Option::is_some));
    // The end of a trial and its reason are announced.
    Effect::new(move |was: Option<bool>| {
        let is = is_running.get();
        if was == Some(true) && !is && !inventory.is_busy.get_untracked() {
            let lang = Lang::now();
            let (why, _) = ended.get_untracked().unwrap_or_default();
            page().announce(format!("{} {why}", lang.say(Key::OperatorCanaryEnded)));
        }
        is
    });
    move || match (is_running.get(), is_serving.get()) {
        (true, _) => any_view! { <Running inventory name canary error/> },
        (false, true) => any_view! { <Begin inventory name ended error/> },
        (false, false) => ().into_any(),
    }
}

/// Asks for the share of calls to try.
#[component]
fn Begin(
    inventory: Inventory,
    name: StoredValue<String>,
    ended: Memo<Option<(String, bool)>>,
    error: RwSignal<Option<CallError>>,
) -> impl IntoView {
    let (percent, callers) = (RwSignal::new(PERCENT.to_owned()), RwSignal::new(String::new()));
    let is_wrong = RwSignal::new(false);
    let id = move |part: &str| name.with_value(|it| format!("op-canary-{part}-{it}"));
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let Some(share) = Share::read(&percent.get_untracked(), &callers.get_untracked()) else {
            is_wrong.set(true);
            browser::focus(&id("percent"));
            return;
        };
        let name = name.get_value();
        let digest = inventory.read(&name, |it| it.pending.as_ref().map(|it| it.digest.clone()));
        let body = share.body(digest.flatten().as_deref());
        let announcement = (Key::OperatorCanaryBegun, name.clone());
        inventory.order(error, announcement, TITLE, async move {
            inventory.operator.order(&client::canary(&name), &body).await
        });
    };
    let named = move || name.with_value(|it| Key::OperatorCanaryBeginNamed.fill(&[it]));
    let clear = move || is_wrong.set(false);
    view! {
        <form class="op-canary" on:submit=submit novalidate aria-labelledby=id("title")>
            <h4 id=id("title")>{Key::OperatorCanary}</h4>
            {move || ended.get().map(|(why, is_english)| view! {
                <p class="op-wrong">
                    {Key::OperatorCanaryEnded}" "
                    <span lang=is_english.then_some("en")>{coded(&why)}</span>
                </p>
            })}
            <p class="hint" id=id("hint")>{Key::OperatorCanaryHint}</p>
            <div class="op-canary-fields">
                <div class="field">
                    <label class="label" for=id("percent")>{Key::OperatorCanaryPercent}</label>
                    <input id=id("percent") type="text" inputmode="numeric" autocomplete="off"
                        maxlength="3" aria-describedby=format!("{} {}", id("hint"), id("wrong"))
                        aria-invalid=move || is_wrong.get().to_string()
                        prop:value=percent
                        on:input=move |event| { clear(); percent.set(event_target_value(&event)); }/>
                </div>
                <div class="field op-canary-callers">
                    <label class="label" for=id("callers")>{Key::OperatorCanaryCallers}</label>
                    <input id=id("callers") type="text" autocomplete="off" spellcheck="false"
                        autocapitalize="off" aria-describedby=id("callers-hint")
                        prop:value=callers
                        on:input=move |event| { clear(); callers.set(event_target_value(&event)); }/>
                    <p id=id("callers-hint") class="hint">{Key::OperatorCanaryCallersHint}</p>
                </div>
            </div>
            <p id=id("wrong") class="error" role="alert">
                {move || is_wrong.get().then_some(Key::OperatorCanaryWrong)}
            </p>
            <div class="actions">
                <button type="submit" class="quiet" aria-label=named
                    aria-disabled=move || inventory.is_busy.get().to_string()>
                    {Key::OperatorCanaryBegin}
                </button>
            </div>
        </form>
    }
}

#[component]
fn Running(
    inventory: Inventory,
    name: StoredValue<String>,
    canary: Memo<Option<Canary>>,
    error: RwSignal<Option<CallError>>,
) -> impl IntoView {
    repeat(
        EVERY,
        move || inventory.is_busy.try_get_untracked() == Some(false),
        move || inventory.fetch(),
    );
    // An automatic end removes the focused button.
    on_cleanup(|| {
        let is_here = document().query_selector(".op-canary button:focus");
        if matches!(is_here, Ok(Some(_))) {
            browser::focus_soon(WAITING);
        }
    });
    let id = name.with_value(|it| format!("op-canary-title-{it}"));
    let labelled = id.clone();
    let share = Memo::new(move |_| canary.with(|it| it.as_ref().map(|it| it.share.clone())));
    let since = Memo::new(move |_| canary.with(|it| it.as_ref().map(|it| it.since.clone())));
    let figures = Memo::new(move |_| canary.with(|it| it.as_ref().map(|it| (it.own, it.before))));
    let comparisons =
        Memo::new(move |_| canary.with(|it| it.as_ref().map(|it| it.comparisons.clone())));
    let title = move || {
        let share = share.get().map(|it| it.text(Lang::spoken())).unwrap_or_default();
        Key::OperatorCanaryRuns.fill(&[&share])
    };
    let stop = move |_| {
        let name = name.get_value();
        inventory.order(error, (Key::OperatorCanaryStopped, name.clone()), TITLE, async move {
            inventory.operator.delete(&client::canary(&name)).await
        });
    };
    let named = move || name.with_value(|it| Key::OperatorCanaryStopNamed.fill(&[it]));
    view! {
        <section class="op-canary" aria-labelledby=labelled>
            <h4 id=id>{title}</h4>
            <p class="op-facts">
                {move || since.get().map(|since| {
                    let at = dates::moment(&since, Lang::spoken());
                    view! { <span>{Key::OperatorInstalled.fill(&[&at])}</span> }
                })}
            </p>
            {move || figures.get().map(|(own, before)| view! { <SideBySide own before/> })}
            {move || comparisons.get().map(|all| view! { <Differing all/> })}
            <div class="actions">
                <button type="button" class="quiet" aria-label=named
                    aria-disabled=move || inventory.is_busy.get().to_string() on:click=stop>
                    {Key::OperatorCanaryStop}
                </button>
            </div>
        </section>
    }
}

/// The figures of both builds, side by side.
#[component]
fn SideBySide(own: Figures, before: Figures) -> impl IntoView {
    let number = move |value: u64| dates::number(value as f64, Lang::spoken());
    let row = move |key: Key, f: fn(&Figures) -> u64| {
        view! {
            <tr>
                <th scope="row">{key.say()}</th>
                <td class:is-grave=f(&own).min(1) == 1 && key != Key::OperatorCalls>
                    {number(f(&own))}
                </td>
                <td>{number(f(&before))}</td>
            </tr>
        }
    };
    let time = move |key: Key, f: fn(&Figures) -> u64| {
        view! {
            <tr>
                <th scope="row">{key.say()}</th>
                <td>{units::within(f(&own), own.calls)}</td>
                <td>{units::within(f(&before), before.calls)}</td>
            </tr>
        }
    };
    view! {
        <table class="op-beside">
            <caption>{Key::OperatorCanaryTable}</caption>
            <thead>
                <tr>
                    <td></td>
                    <th scope="col">{Key::OperatorCanaryOwn}</th>
                    <th scope="col">{Key::OperatorCanaryBefore}</th>
                </tr>
            </thead>
            <tbody>
                {row(Key::OperatorCalls, |it| it.calls)}
                {row(Key::OperatorErrorCount, |it| it.errors)}
                {row(Key::OperatorCanaryTraps, |it| it.traps)}
                {row(Key::OperatorCanaryRefused, |it| it.refused)}
                {time(Key::OperatorCanaryMean, |it| it.mean_us)}
                {time(Key::OperatorCanaryP99, |it| it.p99_us)}
            </tbody>
        </table>
    }
}

/// Differing answers to read-only calls.
#[component]
fn Differing(all: Vec<Comparison>) -> impl IntoView {
    let compared: u64 = all.iter().map(|it| it.compared).sum();
    let different: Vec<_> = all.into_iter().filter(|it| it.different > 0).collect();
    if compared == 0 {
        return ().into_any();
    }
    let is_same = different.is_empty();
    let one = move |comparison: Comparison| {
        let counts = [comparison.different.to_string(), comparison.compared.to_string()];
        let summary =
            Key::OperatorCanaryDiffersOf.fill(&[&comparison.tool, &counts[0], &counts[1]]);
        let example = comparison.example.map(|example| {
            view! {
                <dl class="op-differs">
                    {(!example.at.is_empty()).then(|| view! {
                        <div><dt>{Key::OperatorCanaryAt}</dt><dd><code>{example.at}</code></dd></div>
                    })}
                    <div>
                        <dt>{Key::OperatorCanaryBefore}</dt>
                        <dd><code>{example.serving}</code></dd>
                    </div>
                    <div>
                        <dt>{Key::OperatorCanaryOwn}</dt>
                        <dd><code>{example.canary}</code></dd>
                    </div>
                </dl>
            }
        });
        view! { <li><p>{summary}</p>{example}</li> }
    };
    any_view! {
        <div>
            <h5>{Key::OperatorCanaryDiffers}</h5>
            {is_same.then(|| view! {
                <p>{Key::OperatorCanaryDiffersNone.fill(&[&compared.to_string()])}</p>
            })}
            <ul class="op-sentences">{different.into_iter().map(one).collect_view()}</ul>
        </div>
    }
}

impl Share {
    /// The share as text.
    fn text(&self, lang: Lang) -> String {
        let (percent, callers) = (self.percent.to_string(), self.callers.join(", "));
        match (self.percent, self.callers.is_empty()) {
            (0, _) => lang.fill(Key::OperatorCanaryOf, &[&callers]),
            (_, true) => lang.fill(Key::OperatorCanaryShare, &[&percent]),
            (_, false) => lang.fill(Key::OperatorCanaryBoth, &[&percent, &callers]),
        }
    }
}
