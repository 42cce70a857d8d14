//! The messages of a conversation, followed while the reader is at the end; with a chart of lanes and an equivalent
//! table.

use leptos::html;
use leptos::prelude::*;
use output::conversations::{ChatMessage, Conversation};

use super::parts::Avatar;
use crate::browser;
use crate::dates;
use crate::families::conversations::live::Live;
use crate::families::conversations::look::{self, Side};
use crate::families::conversations::timeline::{Lanes, Line, Mark, TOP, middle};
use crate::families::conversations::watch::Watch;
use crate::text::{Key, Lang, cut};

/// Distance in pixels from the end of the log that counts as the end.
const NEAR_PX: i32 = 48;

#[component]
pub(super) fn TranscriptView(watch: Watch) -> impl IntoView {
    let log = NodeRef::<html::Div>::new();
    let numbers = Memo::new(move |_| {
        let all =
            |it: &Live| it.transcript.messages.iter().map(|it| it.sequence).collect::<Vec<_>>();
        watch.read(all).unwrap_or_default()
    });
    let has_older =
        Memo::new(move |_| watch.read(|it| it.transcript.has_older).unwrap_or_default());
    let end = Memo::new(move |_| watch.read(|it| ending(&it.transcript.conversation)).flatten());
    follow(watch, log, numbers);
    let top_before = StoredValue::new(0);
    let scrolled = move |_| {
        let Some(element) = log.get_untracked() else { return };
        let (is_there, top) = (is_near_end(&element), element.scroll_top());
        // A log that grew is no sign of leaving: a reader who leaves scrolls up.
        let is_leaving = !is_there && top < top_before.get_value();
        top_before.set_value(top);
        if is_there != watch.is_at_end.get_untracked() && (is_there || is_leaving) {
            watch.is_at_end.set(is_there);
        }
        if is_there && watch.unseen.get_untracked() > 0 {
            watch.unseen.set(0);
        }
    };
    view! {
        <section class="talk-says" aria-labelledby="talk-says">
            <h2 id="talk-says" class="section-title">
                {Key::TalkLog}
                <span class="count">
                    {move || Key::TalkMessages.fill(&[&count(watch).to_string()])}
                </span>
            </h2>
            // The page's live region announces the number of new messages; the log itself is silent.
            <div class="talk-log" id="talk-log" role="log" aria-live="off" tabindex="0" node_ref=log
                aria-labelledby="talk-says" on:scroll=scrolled>
                {move || if has_older.get() {
                    any_view! { <Older watch log/> }
                } else if numbers.with(Vec::is_empty) {
                    any_view! { <p class="empty">{Key::TalkEmpty}</p> }
                } else {
                    any_view! { <p class="talk-beginning hint">{Key::TalkBeginning}</p> }
                }}
                <ol class="talk-messages">
                    <For each=move || numbers.get() key=|number| *number
                        children=move |number| view! { <MessageView watch number/> }/>
                </ol>
                {move || end.get().map(|it| view! { <p class="talk-beginning hint">{it}</p> })}
            </div>
            <Latest watch log/>
        </section>
    }
}

/// Who ended it and why, in their words where there are some.
pub(super) fn ending(conversation: &Conversation) -> Option<String> {
    let end = Key::TalkEnding.fill(&[&look::ending(conversation, Lang::spoken())?]);
    Some(match conversation.reason_text.as_deref().filter(|it| !it.is_empty()) {
        Some(words) => format!("{end} {words}"),
        None => end,
    })
}

fn count(watch: Watch) -> u64 {
    let last = |live: &Live| {
        let drawn = live.transcript.messages.last().map_or(0, |it| it.sequence);
        drawn.max(u64::from(live.transcript.conversation.messages))
    };
    watch.read(last).unwrap_or_default()
}

fn is_near_end(log: &web_sys::HtmlDivElement) -> bool {
    log.scroll_height() - log.client_height() - log.scroll_top() <= NEAR_PX
}

fn to_end(log: &web_sys::HtmlDivElement) {
    log.set_scroll_top(log.scroll_height());
}

/// Keeps the end in view while messages arrive, unless the reader scrolled away.
fn follow(watch: Watch, log: NodeRef<html::Div>, numbers: Memo<Vec<u64>>) {
    let last = Memo::new(move |_| numbers.with(|it| it.last().copied()));
    Effect::new(move |_| {
        // Read, not only tracked: a memo that is never read is never evaluated.
        let _ = last.get();
        if watch.is_at_end.get_untracked() {
            request_animation_frame(move || {
                if let Some(Some(log)) = log.try_get_untracked() {
                    to_end(&log);
                }
            });
        }
    });
}

/// The button for earlier messages; the visible ones stay in place.
#[component]
fn Older(watch: Watch, log: NodeRef<html::Div>) -> impl IntoView {
    let older = move |_| {
        let Some(element) = log.get_untracked() else { return };
        let (height, top) = (element.scroll_height(), element.scroll_top());
        watch.read_back(move || {
            request_animation_frame(move || {
                let grown = element.scroll_height() - height;
                element.set_scroll_top(top + grown);
                browser::focus_if_lost("talk-log");
            });
        });
    };
    view! {
        <p class="talk-older">
            <button type="button" class="quiet small" on:click=older
                aria-disabled=move || watch.is_reading_back.get().then_some("true")>{Key::TalkOlder}</button>
        </p>
    }
}

/// The buttons that show all fetched messages at once, and return to the end, with the number of new messages.
#[component]
fn Latest(watch: Watch, log: NodeRef<html::Div>) -> impl IntoView {
    let back = move |_| {
        watch.unseen.set(0);
        watch.is_at_end.set(true);
        if let Some(log) = log.get_untracked() {
            to_end(&log);
            browser::focus("talk-log");
        }
    };
    let text = move || match watch.unseen.get() {
        0 => Key::ToLatest.say().to_owned(),
        count => Key::TalkNew.fill(&[&count.to_string()]),
    };
    let class = move || if watch.unseen.get() > 0 { "small" } else { "quiet small" };
    view! {
        <div class="talk-latest">
            {move || watch.is_pacing.get().then(|| view! {
                <button type="button" class="quiet small" on:click=move |_| {
                    watch.hurry();
                    browser::focus("talk-log");
                }>{Key::TalkShowAll}</button>
            })}
            {move || (!watch.is_at_end.get()).then(|| view! {
                <button type="button" class=class on:click=back>
                    <span aria-hidden="true">"↓"</span>{text}
                </button>
            })}
        </div>
    }
}

#[component]
fn MessageView(watch: Watch, number: u64) -> impl IntoView {
    // The text never changes and is drawn once; its receipt may change.
    let own = watch.live.with_untracked(|live| {
        let live = live.ready()?;
        Some((live.message(number)?.clone(), live.transcript.conversation.clone()))
    });
    let read = Memo::new(move |_| {
        watch.read(|it| it.message(number).and_then(|it| it.read_at.clone())).flatten()
    });
    let last = Memo::new(move |_| {
        let last = |it: &Live| it.transcript.messages.last().map_or(0, |it| it.sequence);
        watch.read(last).unwrap_or_default()
    });
    own.map(|(message, conversation)| {
        view! { <Bubble message conversation read=read last=last/> }
    })
}

/// A message on its writer's side.
#[component]
pub(super) fn Bubble(
    message: ChatMessage,
    conversation: Conversation,
    /// When it was read.
    #[prop(into)]
    read: Signal<Option<String>>,
    #[prop(into)] last: Signal<u64>,
) -> impl IntoView {
    let look = look::look(&conversation, &message.sender_id);
    let side = match look.side {
        Side::Initiator => "is-initiator",
        Side::Participant => "is-participant",
        Side::Apart => "is-apart",
    };
    let is_apart = look.side == Side::Apart;
    let is_to_both = message.recipient_id.is_none();
    let ChatMessage { sender_id, content, timestamp, sequence, .. } = message;
    let own = StoredValue::new((conversation, sender_id));
    let name = move || own.with_value(|it| look::name(&it.0, &it.1, Lang::spoken()));
    let label = move || {
        let numbers = [sequence.to_string(), last.get().max(sequence).to_string()];
        Key::TalkSaid.fill(&[&name(), &numbers[0], &numbers[1]])
    };
    let receipt = move || match read.get() {
        Some(at) => {
            let time = dates::second(&at, Lang::spoken());
            let title = Key::TalkReadAt.fill(&[&time]);
            view! { <span class="talk-receipt is-read" title=title>"✓ "{Key::TalkRead}</span> }
        }
        None => {
            let title = String::new();
            view! { <span class="talk-receipt" title=title>"· "{Key::TalkSent}</span> }
        }
    };
    let (datetime, at) = (timestamp.clone(), timestamp);
    view! {
        <li class=format!("talk-item {side} talk-tone-{}", look.tone) data-number=sequence>
            <Avatar look/>
            <article class="talk-message" aria-label=label>
                <p class="talk-by">
                    <span class="talk-name">{name}</span>
                    {is_apart.then(|| view! { <span class="talk-person">{Key::TalkPerson}</span> })}
                    {is_to_both.then(|| view! { <span>{Key::TalkToBoth}</span> })}
                    <span class="talk-number">"#"{sequence}</span>
                </p>
                <p class="talk-text">{content}</p>
                <p class="talk-facts-line">
                    <time datetime=datetime>{move || dates::second(&at, Lang::spoken())}</time>
                    {receipt}
                </p>
            </article>
        </li>
    }
}

/// Maximum number of characters of a message in the table.
const TEXT_MAX: usize = 80;
/// Maximum number of rows in the table; the latest are shown.
const ROWS_MAX: usize = 120;

/// The chart and the table.
#[component]
pub(super) fn LanesView(watch: Watch) -> impl IntoView {
    let lanes = Memo::new(move |_| watch.read(|it| Lanes::new(&it.transcript)).unwrap_or_default());
    let own =
        Memo::new(move |_| watch.read(|it| it.transcript.conversation.clone()).unwrap_or_default());
    let is_unfolded = RwSignal::new(false);
    let details = NodeRef::<html::Details>::new();
    // Folded content is not drawn.
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

/// Description of the chart.
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
    // The latest is at the right; a chart that fits does not scroll.
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
        lanes.with(|lanes| {
            let lane = |(at, agent): (usize, &String)| {
                let class = format!("talk-lane talk-tone-{}", tone(agent));
                view! { <line class=class x1="0" x2=lanes.width y1=middle(at) y2=middle(at)></line> }
            };
            let station = |line: &Line| {
                let (class, _, _) = look::state(line.state);
                view! {
                    <line class=format!("talk-lane-step {class}") x1=line.x x2=line.x
                        y1=TOP - 6.0 y2=lanes.height></line>
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
                <svg class="talk-lanes-svg" role="img" aria-label=label width=lanes.width height=lanes.height
                    viewBox=format!("0 0 {} {}", lanes.width, lanes.height)>
                    {lanes.agents.iter().enumerate().map(lane).collect_view()}
                    {lanes.stations.iter().map(station).collect_view()}
                    {lanes.marks.iter().map(mark).collect_view()}
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

/// An arrow from a dot to another lane.
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
        watch.read(|live| {
            let left_out = live.transcript.messages.len().saturating_sub(ROWS_MAX);
            let row = |message: &ChatMessage| row(&live.transcript.conversation, message);
            live.transcript.messages[left_out..].iter().map(row).collect_view()
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
