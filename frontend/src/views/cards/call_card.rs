//! A tool call in a conversation: tool, arguments, owner, reason, duration and end; and below its output, drawn by its
//! view.

use leptos::html;
use leptos::prelude::*;
use serde_json::{Map, Value, json};

use super::Say;
use crate::apps::live::{Called, Outcome};
use crate::browser;
use crate::cards::{self, masked, shortened};
use crate::chat::entry::{CallOutcome, State, ToolCard};
use crate::form::labelled;
use crate::mcp::wire::{Content, Output, Tool};
use crate::page::page;
use crate::table;
use crate::text::{Key, Lang};
use crate::views::apps::Shown;
use crate::views::output::{OutputView, Raw, app, has_app};
use crate::views::part::drawn_by;

/// A call. The last one shows its output; others summarise it in a line and can be opened.
#[component]
pub(crate) fn CallCard(
    card: Memo<ToolCard>,
    /// Whether it is the latest call of the conversation.
    #[prop(into)]
    is_last: Signal<bool>,
    /// Repeats a failed call; disabled while an answer is running.
    #[prop(optional, into)]
    on_retry: Option<Callback<ToolCard>>,
) -> impl IntoView {
    let id = format!("call-{}", browser::next_number());
    let title_id = format!("{id}-title");
    let labelled = title_id.clone();
    let title = Memo::new(move |_| card.with(title));
    let class = move || format!("call {}", card.with(|it| Look::for_state(&it.state).class));
    let outcome = Memo::new(move |_| card.with(|it| it.outcome().cloned()));
    view! {
        <section class=class aria-labelledby=labelled>
            <Head card title title_id/>
            <Failure card title on_retry/>
            {move || outcome.get().map(|outcome| view! { <Outcome card outcome is_last/> })}
        </section>
    }
}

/// The tool's title in the reader's language.
fn title(card: &ToolCard) -> String {
    let title = page().tool(&card.name).map(|it| it.title(Lang::spoken()));
    let own = Some(card.title.clone()).filter(|it| !it.is_empty());
    title.or(own).unwrap_or_else(|| card.name.clone())
}

/// Appearance of a state.
struct Look {
    class: &'static str,
    sign: &'static str,
    key: Key,
}

impl Look {
    fn for_state(state: &State) -> Self {
        let (class, sign, key) = match state {
            State::Running => ("is-running", "", Key::CardRunning),
            State::Done(_) => ("is-done", "✓", Key::Done),
            State::Failed { .. } => ("is-failed", "!", Key::CardFailed),
            State::Waiting => ("is-waiting", "?", Key::CardWaiting),
            State::Denied => ("is-denied", "–", Key::CardDenied),
            State::Stopped => ("is-stopped", "■", Key::CardStopped),
        };
        Self { class, sign, key }
    }
}

/// Its duration as text.
fn took(state: &State) -> Option<String> {
    let ms = match state {
        State::Done(CallOutcome { ms, .. }) | State::Failed { ms, .. } => (*ms)?,
        _ => return None,
    };
    Some(if ms < 1_000 {
        Key::CardMs.fill(&[&ms.to_string()])
    } else {
        Key::Seconds.fill(&[&format!("{:.1}", ms as f64 / 1_000.0)])
    })
}

/// The summary line and its folded details.
#[component]
fn Head(card: Memo<ToolCard>, title: Memo<String>, title_id: String) -> impl IntoView {
    let is_unfolded = RwSignal::new(false);
    let details = NodeRef::<html::Details>::new();
    // Folded content is not drawn.
    let unfold = move |_| {
        is_unfolded.set(details.get_untracked().is_some_and(|it| it.has_attribute("open")));
    };
    let sign = move || card.with(|it| Look::for_state(&it.state).sign);
    let state = move || {
        let state = card.with(|it| Look::for_state(&it.state).key.say().to_owned());
        let took = card.with(|it| took(&it.state));
        [Some(state), took].into_iter().flatten().collect::<Vec<_>>().join(" · ")
    };
    view! {
        <details class="call-head" node_ref=details on:toggle=unfold>
            <summary>
                <span class="call-sign" aria-hidden="true">{sign}</span>
                <span class="call-title" id=title_id>{move || title.get()}</span>
                <span class="call-state">{state}</span>
            </summary>
            {move || is_unfolded.get().then(|| view! { <Facts card/> })}
        </details>
    }
}

#[component]
fn Facts(card: Memo<ToolCard>) -> impl IntoView {
    move || {
        let ToolCard { name, server, view, params, reason, state, .. } = card.get();
        let tool = page().tool(&name).unwrap_or_default();
        let hidden = cards::veiled_by(&params, &tool.input_schema);
        let fact = |key: Key, text: String| {
            (!text.is_empty()).then(|| view! { <dt>{key}</dt><dd>{text}</dd> })
        };
        let plain = match state {
            State::Done(outcome) if !table::has_view(view.as_deref()) => {
                Some(view! { <Plain view name=name.clone() outcome/> })
            }
            _ => None,
        };
        view! {
            <div class="call-facts">
                <dl>
                    <dt>{Key::Tool}</dt><dd><code>{name.clone()}</code></dd>
                    {fact(Key::Server, server)}
                    {fact(Key::Reason, reason)}
                </dl>
                <p class="call-facts-title">{Key::CardArguments}</p>
                <Arguments tool=name params=params/>
                <Raw value=hidden/>
                {plain}
            </div>
        }
    }
}

#[component]
fn Failure(
    card: Memo<ToolCard>,
    title: Memo<String>,
    on_retry: Option<Callback<ToolCard>>,
) -> impl IntoView {
    let error = Memo::new(move |_| {
        card.with(|it| match &it.state {
            State::Failed { error, .. } => Some(error.chars().take(2_000).collect::<String>()),
            _ => None,
        })
    });
    move || {
        error.get().map(|error| {
            let say = use_context::<Say>();
            let is_idle = move || !say.is_some_and(|it| it.is_busy.get());
            let retry = move || {
                on_retry.filter(|_| is_idle()).map(|retry| {
                    view! {
                        <button type="button" class="quiet small"
                            aria-label=move || Key::CardRetryNamed.fill(&[&title.get()])
                            on:click=move |_| retry.run(card.get_untracked())>{Key::Retry}</button>
                    }
                })
            };
            view! { <div class="call-failure"><p class="call-error">{error}</p>{retry}</div> }
        })
    }
}

/// The output, once its code is loaded.
#[component]
fn Outcome(card: Memo<ToolCard>, outcome: CallOutcome, is_last: Signal<bool>) -> AnyView {
    let code = card.with_untracked(|it| table::outputs(it.view.as_deref()));
    drawn_by(code, move |_| any_view! { <Summary card outcome=outcome.clone() is_last/> })
}

/// The output in one line, and drawn if it is the latest or was opened.
#[component]
fn Summary(card: Memo<ToolCard>, outcome: CallOutcome, is_last: Signal<bool>) -> AnyView {
    let (view, name, params) =
        card.with_untracked(|it| (it.view.clone(), it.name.clone(), it.params.clone()));
    if outcome.is_cut && outcome.result.is_null() {
        return any_view! { <p class="hint call-cut">{Key::CardCut}</p> };
    }
    // An app is always drawn.
    let has_app = page().tool(&name).is_some_and(|it| has_app(&it));
    let summary = table::summary(view.as_deref(), &outcome.result);
    let summary = summary.or_else(|| has_app.then(|| (Key::Answer, Vec::new())));
    let Some((key, values)) = summary else { return ().into_any() };
    let is_shown_elsewhere = table::is_answer(view.as_deref());
    let opened = RwSignal::new(None::<bool>);
    let is_open =
        Memo::new(move |_| opened.get().unwrap_or_else(|| is_last.get() && !is_shown_elsewhere));
    let id = format!("call-result-{}", browser::next_number());
    let controls = id.clone();
    let line = move || {
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        key.fill(&values)
    };
    let outcome = StoredValue::new((view, name, params, outcome));
    any_view! {
        <div class="call-outcome">
            <button type="button" class="call-line" aria-controls=controls
                aria-expanded=move || is_open.get().to_string()
                on:click=move |_| opened.set(Some(!is_open.get_untracked()))>
                <span class="call-arrow" aria-hidden="true"></span>{line}
            </button>
            <div id=id class="call-result">
                {move || is_open.get().then(|| {
                    let (view, name, params, outcome) = outcome.get_value();
                    view! { <CallResult view name params outcome/> }
                })}
            </div>
        </div>
    }
}

/// Draws an output by its tool's view.
#[component]
pub(super) fn CallResult(
    view: Option<String>,
    name: String,
    params: Value,
    outcome: CallOutcome,
) -> AnyView {
    let tool = page().tool(&name).unwrap_or_else(|| Tool { name, ..Tool::default() });
    let mut tool = tool;
    let is_drawn = table::is_known(view.as_deref());
    // The view at the time of the call counts: the tool may have been swapped since.
    if let Some(view) = view {
        tool.meta.insert("madoguchi/view".to_owned(), Value::String(view));
    }
    let called = has_app(&tool)
        .then(|| Called { arguments: params.clone(), outcome: Outcome::Done(whole(&outcome)) });
    let output = output(&params, outcome, is_drawn);
    let Some(called) = called else { return any_view! { <OutputView tool output/> } };
    let own = tool.clone();
    let data = ViewFn::from(move || view! { <OutputView tool=own.clone() output=output.clone()/> });
    app(Shown { tool, called: Signal::stored(called), data })
}

/// The MCP result, as far as a conversation stores it.
fn whole(outcome: &CallOutcome) -> Value {
    let text = match outcome.text.is_empty() {
        true => outcome.result.to_string(),
        false => outcome.text.clone(),
    };
    let mut whole = json!({ "content": [{ "type": "text", "text": text }] });
    for (name, value) in [("structuredContent", &outcome.result), ("_meta", &outcome.meta)] {
        if !value.is_null() {
            whole[name] = value.clone();
        }
    }
    whole
}

/// Draws an output without a view as data.
#[component]
pub(super) fn Plain(view: Option<String>, name: String, outcome: CallOutcome) -> AnyView {
    if let Some(key) = table::elsewhere(view.as_deref()) {
        return any_view! { <p class="hint">{key}</p> };
    }
    let output = output(&Value::Null, outcome, false);
    // Only the tool's secrets are needed: its output has no view.
    let output_schema = page().tool(&name).map(|it| it.output_schema).unwrap_or_default();
    let tool = Tool { output_schema, ..Tool::default() };
    any_view! {
        <p class="call-facts-title">{Key::Answer}</p>
        <OutputView tool output/>
    }
}

fn output(params: &Value, outcome: CallOutcome, is_drawn: bool) -> Output {
    let CallOutcome { result, meta, text, .. } = outcome;
    let shown = masked(&shortened(&result));
    let mut raw = Map::new();
    for (name, value) in [("arguments", masked(params)), ("structuredContent", shown.clone())] {
        if !value.is_null() {
            raw.insert(name.to_owned(), value);
        }
    }
    if !meta.is_null() {
        raw.insert("_meta".to_owned(), masked(&meta));
    }
    let structured = if is_drawn { result } else { shown };
    let text = (!text.is_empty() && structured.is_null()).then_some(Content::Text(text));
    Output {
        structured: (!structured.is_null()).then_some(structured),
        content: text.into_iter().collect(),
        raw: json!(raw),
    }
}

/// Draws the arguments with the tool's labels in the reader's language, and program names in small type.
#[component]
pub(crate) fn Arguments(
    tool: String,
    params: Value,
    /// Without the program names.
    #[prop(optional)]
    is_plain: bool,
) -> impl IntoView {
    let shown = move || {
        let lang = Lang::spoken();
        let tool = page().tool(&tool);
        let schema = tool.as_ref().map(|it| it.input_schema.clone()).unwrap_or_default();
        let list = cards::arguments(&cards::veiled_by(&params, &schema), lang);
        if list.is_empty() {
            return any_view! { <p class="hint">{Key::CardNoArguments}</p> };
        }
        let entry = |(name, value): (String, String)| {
            let about = tool.as_ref().map(|it| labelled(&name, it.argument(lang, &name)).0);
            let (shown, named) = match about {
                Some(about) if is_plain => (about, ().into_any()),
                Some(about) => (about, any_view! { <code class="hint">{name}</code> }),
                None => (name, ().into_any()),
            };
            view! {
                <div class="call-argument">
                    <dt>{shown}{named}</dt>
                    <dd>{value}</dd>
                </div>
            }
        };
        any_view! { <dl class="call-arguments">{list.into_iter().map(entry).collect_view()}</dl> }
    };
    view! { <div>{shown}</div> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_card_has_no_secrets_or_bytes() {
        let outcome = CallOutcome {
            result: json!({ "data": "A".repeat(9_000), "session_token": "abc" }),
            ..CallOutcome::default()
        };
        let output = output(&json!({ "passkey": "1234", "card_name": "青" }), outcome, true);
        let raw = output.raw.to_string();
        assert!(raw.len() < 400 && !raw.contains("1234") && !raw.contains("abc"), "{raw}");
        assert!(raw.contains("青"));
        assert_eq!(output.structured.unwrap()["data"].as_str().unwrap().len(), 9_000);
    }

    #[test]
    fn shows_text_without_structure() {
        let outcome = CallOutcome { text: "晴れ".to_owned(), ..CallOutcome::default() };
        let output = output(&Value::Null, outcome, false);
        assert_eq!(output.content, [Content::Text("晴れ".to_owned())]);
        assert_eq!(output.structured, None);
    }
}
