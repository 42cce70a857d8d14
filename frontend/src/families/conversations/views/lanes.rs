//! Who wrote when, as a small picture with a lane for each; and the same as a table.

use leptos::html;
use leptos::prelude::*;
use output::conversations::{ChatMessage, Conversation};

use super::parts::Avatar;
use crate::dates;
use crate::families::conversations::lanes::{Lanes, Line, Mark, TOP, middle};
use crate::families::conversations::look;
use crate::families::conversations::watch::Watch;
use crate::text::{Key, Lang, cut};

/// Characters of a message in the table.
const TEXT_MAX: usize = 80;
/// Rows of the table: the latest.
const ROWS_MAX: usize = 120;

/// The picture and the table.
#[component]
pub(super) fn LanesView(watch: Watch) -> impl IntoView {
    let lanes = Memo::new(move |_| watch.read(|it| Lanes::of(&it.told)).unwrap_or_default());
    let own = Memo::new(move |_| watch.read(|it| it.told.conversation.clone()).unwrap_or_default());
    let is_unfolded = RwSignal::new(false);
    let details = NodeRef::<html::Details>::new();
    // What is folded is not drawn.
    let unfold = move |_| {
        is_unfolded.set(details.get_untracked().is_some_and(|it| it.has_attribute("open")));
    };
    let left_out = Memo::new(move |_| lanes.with(|it| (it.left_out > 0).then_some(it.marks.len())));
    view! {
        <section class="talk-lanes" aria-labelledby="talk-lanes">
            <h2 id="talk-lanes" class="section-title">{Key::TalkLanes}</h2>
            <Picture lanes own/>
            {move || left_out.get().map(|count| view! {
                <p class="hint">{Key::TalkLanesLeft.fill(&[&count.to_string()])}</p>
            })}
            <details class="talk-table" node_ref=details on:toggle=unfold>
                <summary>{Key::TalkLanesTable}</summary>
                {move || is_unfolded.get().then(|| view! { <Table watch/> })}
            </details>
        </section>
    }
}

/// What the picture shows, in a sentence.
fn summary(lanes: &Lanes, own: &Conversation) -> String {
    let lang = Lang::spoken();
    let one = |agent: &String| {
        let count = lanes.marks.iter().filter(|it| it.agent == *agent).count();
        Key::TalkLanesWhat.fill(&[&look::name(own, agent, lang), &count.to_string()])
    };
    lanes.agents.iter().map(one).collect::<Vec<_>>().join(lang.comma())
}

#[component]
fn Picture(lanes: Memo<Lanes>, own: Memo<Conversation>) -> impl IntoView {
    let scroller = NodeRef::<html::Div>::new();
    // The latest is at the right; a picture that fits does not move.
    Effect::new(move |_| {
        lanes.with(|_| ());
        request_animation_frame(move || {
            if let Some(Some(it)) = scroller.try_get_untracked() {
                it.set_scroll_left(it.scroll_width());
            }
        });
    });
    let label = move || lanes.with(|lanes| own.with(|own| summary(lanes, own)));
    let names = move || {
        let name = |agent: &String| {
            let look = own.with(|own| look::look(own, agent));
            let name = own.with(|own| look::name(own, agent, Lang::spoken()));
            view! { <li><Avatar look/><span>{name}</span></li> }
        };
        lanes.with(|it| it.agents.iter().map(name).collect_view())
    };
    let tone = move |agent: &str| own.with_untracked(|own| look::look(own, agent).tone);
    let drawing = move || {
        lanes.with(|it| {
            let lane = |(at, agent): (usize, &String)| {
                let class = format!("talk-lane talk-tone-{}", tone(agent));
                view! { <line class=class x1="0" x2=it.width y1=middle(at) y2=middle(at)></line> }
            };
            let station = |line: &Line| {
                let (class, _, _) = look::state(line.state);
                view! {
                    <line class=format!("talk-lane-step {class}") x1=line.x x2=line.x
                        y1=TOP - 6.0 y2=it.height></line>
                    <circle class=format!("talk-lane-step {class}") cx=line.x cy=TOP - 12.0 r="5">
                    </circle>
                }
            };
            let mark = |mark: &Mark| {
                let class = format!("talk-lane-mark talk-tone-{}", tone(&mark.agent));
                let arrow = |(x, y): &(f64, f64)| view! { <path d=arrow(mark, *x, *y)></path> };
                view! {
                    <g class=class>
                        {mark.arrows.iter().map(arrow).collect_view()}
                        <circle cx=mark.x cy=mark.y r="9"></circle>
                        <text x=mark.x y=mark.y + 3.5 text-anchor="middle">{mark.sequence}</text>
                    </g>
                }
            };
            view! {
                <svg class="talk-lanes-svg" role="img" aria-label=label width=it.width height=it.height
                    viewBox=format!("0 0 {} {}", it.width, it.height)>
                    {it.agents.iter().enumerate().map(lane).collect_view()}
                    {it.stations.iter().map(station).collect_view()}
                    {it.marks.iter().map(mark).collect_view()}
                </svg>
            }
        })
    };
    view! {
        <div class="talk-picture">
            <ul class="talk-lane-names" aria-hidden="true">{names}</ul>
            <div class="talk-lane-scroll" tabindex="0" role="group" node_ref=scroller
                aria-label=Key::TalkLanesScroll>{drawing}</div>
        </div>
    }
}

/// From a dot to another lane, with a head at its end.
fn arrow(mark: &Mark, x: f64, y: f64) -> String {
    let down = if y > mark.y { 1.0 } else { -1.0 };
    let (from, to) = (mark.y + down * 10.0, y - down * 3.0);
    format!(
        "M{:.1} {from:.1}L{x:.1} {to:.1}M{:.1} {:.1}L{x:.1} {to:.1}L{:.1} {:.1}",
        mark.x + 1.5,
        x - 5.5,
        to - down * 6.0,
        x + 3.5,
        to - down * 7.5,
    )
}

#[component]
fn Table(watch: Watch) -> impl IntoView {
    let head = |key: Key| view! { <th role="columnheader" scope="col">{key}</th> };
    let columns = [
        Key::TalkColumnNumber,
        Key::Time,
        Key::TalkColumnFrom,
        Key::TalkColumnTo,
        Key::TalkColumnText,
    ];
    let rows = move || {
        watch.read(|it| {
            let left_out = it.told.messages.len().saturating_sub(ROWS_MAX);
            let row = |message: &ChatMessage| row(&it.told.conversation, message);
            it.told.messages[left_out..].iter().map(row).collect_view()
        })
    };
    view! {
        <div class="table-scroll" tabindex="0" role="region"
            aria-label=Key::TalkLanes>
            <table role="table" class="data-table is-cards">
                <thead role="rowgroup"><tr role="row">{columns.map(head).into_iter().collect_view()}</tr></thead>
                <tbody role="rowgroup">{rows}</tbody>
            </table>
        </div>
    }
}

fn row(own: &Conversation, message: &ChatMessage) -> impl IntoView + use<> {
    let lang = Lang::spoken();
    let to = match &message.recipient_id {
        Some(id) => look::name(own, id, lang),
        None => lang.say(Key::TalkToBoth).to_owned(),
    };
    let text = cut(&message.content, TEXT_MAX);
    view! {
        <tr role="row">
            <td role="cell" class="is-number">{message.sequence}</td>
            <td role="cell">{dates::second(&message.timestamp, lang)}</td>
            <td role="cell" data-label=lang.say(Key::TalkColumnFrom)>{look::name(own, &message.sender_id, lang)}</td>
            <td role="cell" data-label=lang.say(Key::TalkColumnTo)>{to}</td>
            <td role="cell">{text}</td>
        </tr>
    }
}
