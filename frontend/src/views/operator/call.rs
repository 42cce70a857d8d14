//! Details of one call: its parts as bars over time, and its usage of limits.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::calls::caller;
use super::report::bar;
use crate::browser;
use crate::call::Loaded;
use crate::dates;
use crate::error::CallError;
use crate::operator::data::called;
use crate::operator::reports::{BAR, Call, Measured, Part, Round, used};
use crate::operator::{Operator, units};
use crate::route::{OperatorTab, Route, encoded};
use crate::text::{Key, Lang};
use crate::views::notice::{Empty, Notice, Skeleton};

#[component]
pub(super) fn CallView(named: Memo<Option<String>>) -> impl IntoView {
    let operator: Operator = expect_context();
    let found = RwSignal::new(Loaded::<Call>::Loading);
    let fetch = move |number: String| async move {
        let call = operator.get::<Call>(&format!("calls/{}", encoded(&number))).await;
        let _ = found.try_set(match call {
            Ok(call) => Loaded::Ready(call),
            Err(error) => Loaded::Failed(error),
        });
    };
    Effect::new(move |_| {
        if let Some(number) = named.get() {
            browser::focus_soon("op-call");
            found.set(Loaded::Loading);
            spawn_local(fetch(number));
        }
    });
    let retry =
        Callback::new(move |()| spawn_local(fetch(named.get_untracked().unwrap_or_default())));
    let is_gone =
        |error: &CallError| matches!(error, CallError::Refused(refusal) if refusal.status == 404);
    view! {
        <p><a class="back" href=Route::Operator(OperatorTab::Calls(None)).hash()>{Key::OperatorCallBack}</a></p>
        <h2 class="section-title" id="op-call" tabindex="-1">
            {move || Key::OperatorCallTitle.fill(&[&named.get().unwrap_or_default()])}
        </h2>
        {move || match found.get() {
            Loaded::Loading => any_view! { <Skeleton lines=5/> },
            Loaded::Failed(error) if is_gone(&error) => {
                any_view! { <Empty title=Key::OperatorCallGone hint=Key::OperatorCallGoneHint/> }
            }
            Loaded::Failed(error) => any_view! { <Notice error on_retry=retry/> },
            Loaded::Ready(call) => {
                call.rounds.into_iter().map(round).collect_view().into_any()
            }
        }}
    }
}

fn round(round: Round) -> impl IntoView {
    let Round { time, outcome: ended, duration_us, measured, parts_dropped, .. } = round;
    let at = move || dates::second(&time, Lang::spoken());
    let (kind, _) = units::outcome(&ended, Lang::now());
    let text = move || units::outcome(&ended, Lang::spoken()).1;
    let generation =
        round.generation.map(|it| move || Key::OperatorGeneration.fill(&[&it.to_string()]));
    let who = round.component.or(round.server).unwrap_or_default();
    let mut parts = round.parts;
    parts.sort_by_key(|it| it.from_us);
    let number = round.round.to_string();
    let principal = round.principal;
    view! {
        <section class="op-card">
            <div class="op-card-head">
                <h3><code>{called(&round.name, &who)}</code></h3>
                <p class="op-facts">
                    <span>{move || Key::OperatorRound.fill(&[&number])}</span>
                    <span>{who}</span>{generation.map(|it| view! { <span>{it}</span> })}
                    <span>{move || caller(&principal)}</span><span>{at}</span>
                    <span class=kind.class()>
                        <span class="op-mark" aria-hidden="true">{kind.mark()}</span>{text}
                    </span>
                    <span>{units::took(duration_us)}</span>
                </p>
            </div>
            {match parts.is_empty() {
                true => any_view! { <p class="hint">{Key::OperatorPartsNone}</p> },
                false => any_view! {
                    <table class="op-waterfall">
                        <caption>{Key::OperatorParts}</caption>
                        <thead class="only-heard"><tr>
                            <th scope="col">{Key::OperatorPart}</th>
                            <th scope="col">{Key::OperatorPartBegan}</th>
                            <th scope="col">{Key::OperatorTook}</th>
                        </tr></thead>
                        <tbody>
                            {parts.into_iter().map(|it| part(it, duration_us)).collect_view()}
                        </tbody>
                    </table>
                },
            }}
            {(parts_dropped > 0).then(|| view! {
                <p class="hint">{move || Key::OperatorPartsMore.fill(&[&parts_dropped.to_string()])}</p>
            })}
            {(!measured.is_empty()).then(|| view! {
                <table class="op-waterfall">
                    <caption>{Key::OperatorLimitsUsed}</caption>
                    <thead class="only-heard"><tr>
                        <th scope="col">{Key::OperatorLimitName}</th>
                        <th scope="col">{Key::OperatorLimitShare}</th>
                        <th scope="col">{Key::OperatorLimitUsed}</th>
                    </tr></thead>
                    <tbody>{measured.into_iter().map(limit).collect_view()}</tbody>
                </table>
            })}
        </section>
    }
}

fn part(part: Part, duration_us: u64) -> impl IntoView {
    let (from, long) = part.bar(duration_us);
    let key = match part.what.as_str() {
        "round" => Key::OperatorPartRound,
        "route" => Key::OperatorPartRoute,
        "instantiate" => Key::OperatorPartInstance,
        "sql query" => Key::OperatorPartQuery,
        "sql transact" => Key::OperatorPartTransact,
        "http" => Key::OperatorPartHttp,
        "blob stat" | "blob read" => Key::OperatorPartBlobRead,
        "event publish" => Key::OperatorPartEvent,
        "blob put" => Key::OperatorPartBlobPut,
        _ => Key::OperatorPartOther,
    };
    let began = units::took(part.from_us);
    view! {
        <tr>
            <th scope="row">{move || key.fill(&[&part.what])}</th>
            <td class="op-bar-cell"><span class="only-heard">{began}</span>{bar(from, long, "op-bar-part")}</td>
            <td class="is-number">{units::took(part.took_us)}</td>
        </tr>
    }
}

fn limit(measured: Measured) -> impl IntoView {
    let amount = |value: u64| match measured.limit.as_str() {
        name if name.contains("bytes") => units::bytes(value),
        name if name.contains("ms") => units::took(value.saturating_mul(1_000)),
        _ => value.to_string(),
    };
    let long = used(measured.used, measured.max);
    let class = if long >= BAR { "op-bar-over" } else { "op-bar-used" };
    let key = match measured.limit.as_str() {
        "memory_bytes_max" => Some(Key::OperatorMemory),
        "cpu_ms_max" => Some(Key::OperatorLimitCpu),
        "deadline_ms" => Some(Key::OperatorLimitDeadline),
        _ => None,
    };
    let name = measured.limit.clone();
    view! {
        <tr>
            <th scope="row">{key}" "<code>{name}</code></th>
            <td class="op-bar-cell"><span class="only-heard">{units::share(measured.used, measured.max)}</span>{bar(0.0, long, class)}</td>
            <td class="is-number">{amount(measured.used)}" / "{amount(measured.max)}</td>
        </tr>
    }
}
