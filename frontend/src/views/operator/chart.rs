//! Calls a second over the last two minutes, as a line.

use leptos::prelude::*;

use crate::operator::readings::{HEIGHT, WIDTH};
use crate::operator::{Operator, units};
use crate::text::Key;

/// The line, with its text for those who do not see it.
#[component]
pub(super) fn Chart() -> impl IntoView {
    let operator: Operator = expect_context();
    let readings = operator.readings;
    let is_line = Memo::new(move |_| readings.with(|it| it.is_line()));
    let told = move |value: Option<f64>| value.map_or_else(|| units::NONE.to_owned(), units::rate);
    let most = move || told(readings.with(|it| it.most()));
    let label = move || {
        let latest = told(readings.with(|it| it.latest()));
        Key::OperatorChartSaid.fill(&[&latest, &most()])
    };
    let picture = move || {
        view! {
            <svg class="op-chart-line" role="img" aria-label=label preserveAspectRatio="none"
                viewBox=format!("0 0 {WIDTH} {HEIGHT}")>
                <line class="op-chart-ground" x1="0" x2=WIDTH y1=HEIGHT y2=HEIGHT></line>
                <line class="op-chart-ground" x1="0" x2=WIDTH y1=HEIGHT / 2.0 y2=HEIGHT / 2.0></line>
                <path class="op-chart-area" d=move || readings.with(|it| it.area())></path>
                <path class="op-chart-path" d=move || readings.with(|it| it.line())></path>
            </svg>
            <p class="op-chart-axis" aria-hidden="true">
                <span>{Key::OperatorChartAgo}</span>
                <span>{move || Key::OperatorChartMost.fill(&[&most()])}</span>
                <span>{Key::OperatorChartNow}</span>
            </p>
        }
    };
    view! {
        <section class="op-chart" aria-labelledby="op-chart">
            <h2 id="op-chart" class="section-title">{Key::OperatorChart}</h2>
            {move || match is_line.get() {
                true => picture().into_any(),
                false => view! { <p class="hint">{Key::OperatorChartNone}</p> }
                    .into_any(),
            }}
        </section>
    }
}
