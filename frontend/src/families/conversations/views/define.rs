//! Forms that define a project or an agent, or begin a conversation.

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use output::conversations::{AgentKind, Project, ProjectAgent, Projects, Transcript};
use serde_json::Value;

use super::fields::{Checked, ChoiceField, Notes, TextField, described};
use crate::browser;
use crate::families::conversations::agents::defining::{AgentDraft, Beginning, ProjectDraft, able};
use crate::families::conversations::agents::{AgentsState, Panel, Passkey};
use crate::families::conversations::place::{At, Seat};
use crate::page::page;
use crate::route::FamilyRoute;
use crate::text::{Key, Lang};
use crate::views::notice::Notice;

/// The typed values of an agent's fields.
#[derive(Clone, Copy)]
struct Typed {
    id: RwSignal<String>,
    name: RwSignal<String>,
    kind: RwSignal<AgentKind>,
    projects: RwSignal<Vec<String>>,
    skills: RwSignal<String>,
    assistant: RwSignal<String>,
    principal: RwSignal<String>,
}

impl Typed {
    fn from_draft(draft: AgentDraft) -> Self {
        Self {
            id: RwSignal::new(draft.id),
            name: RwSignal::new(draft.name),
            kind: RwSignal::new(draft.kind),
            projects: RwSignal::new(draft.projects),
            skills: RwSignal::new(draft.skills),
            assistant: RwSignal::new(draft.assistant),
            principal: RwSignal::new(draft.principal),
        }
    }

    fn draft(self) -> AgentDraft {
        AgentDraft {
            id: self.id.get_untracked(),
            name: self.name.get_untracked(),
            kind: self.kind.get_untracked(),
            projects: self.projects.get_untracked(),
            skills: self.skills.get_untracked(),
            assistant: self.assistant.get_untracked(),
            principal: self.principal.get_untracked(),
        }
    }
}

/// Defines an agent in a project, or edits an existing one.
#[component]
pub(super) fn DefineAgent(
    project: String,
    opener: String,
    #[prop(optional)] present: Option<ProjectAgent>,
) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let checked = Checked::new("new-agent", AgentDraft::FIELDS);
    let is_there = present.is_some();
    let typed = Typed::from_draft(match present {
        Some(agent) => {
            let projects = works_in(agents_state, &agent.agent.agent_id);
            AgentDraft::from_agent(&agent, projects, Lang::now())
        }
        None => AgentDraft { projects: vec![project.clone()], ..AgentDraft::default() },
    });
    browser::focus_soon(checked.id(if is_there { "name" } else { "agent_id" }));
    let title = if is_there { Key::ChangeAgentTitle } else { Key::DefineAgentTitle };
    let (say, busy) = match is_there {
        true => (Key::ChangeSave, Key::Saving),
        false => (Key::DefineSave, Key::DefineSaving),
    };
    let closer = opener.clone();
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let draft = typed.draft();
        let faults = draft.faults(&if is_there { Vec::new() } else { taken(agents_state) });
        let (arguments, project, opener) = (draft.arguments(), project.clone(), opener.clone());
        checked.send("define_agent", faults, arguments, move |output: Value, is_open| {
            let opener = is_open.then_some(opener.as_str());
            defined(agents_state, &draft, &output, &project, opener);
        });
    };
    view! {
        <form class="agents-form" aria-labelledby="new-agent-title" novalidate on:submit=submit>
            <h3 id="new-agent-title">{title}</h3>
            <TextField checked name="agent_id" say=Key::DefineAgentId hint=Key::DefineIdHint
                value=typed.id is_required=true is_fixed=is_there/>
            <TextField checked name="name" say=Key::Name value=typed.name is_required=true/>
            {(!is_there).then(|| view! { <Kind kind=typed.kind/> })}
            <Places checked chosen=typed.projects/>
            <TextField checked name="skills" say=Key::AgentSkills hint=Key::DefineSkillsHint
                value=typed.skills/>
            <ActorField checked typed/>
            <FormActions checked say busy opener=closer/>
        </form>
    }
}

fn works_in(agents_state: AgentsState, id: &str) -> Vec<String> {
    let is_in = |it: &&Project| it.agents.iter().any(|it| it.agent.agent_id == id);
    let ids =
        |it: &Projects| it.projects.iter().filter(is_in).map(|it| it.project_id.clone()).collect();
    agents_state.projects.with_untracked(|it| it.ready().map(ids)).unwrap_or_default()
}

/// Ids of all agents visible to the reader.
fn taken(agents_state: AgentsState) -> Vec<String> {
    let ids = |projects: &Projects| {
        let agents = projects.projects.iter().flat_map(|it| &it.agents);
        agents.map(|it| it.agent.agent_id.clone()).collect()
    };
    agents_state.projects.with_untracked(|it| it.ready().map(ids)).unwrap_or_default()
}

/// Handles success: closes the form, if still open, and focuses its `opener`.
fn defined(
    agents_state: AgentsState,
    draft: &AgentDraft,
    output: &Value,
    project: &str,
    opener: Option<&str>,
) {
    page().notify_fill(Key::DefinedAgent, draft.name.trim());
    agents_state.load();
    let passkey = output.get("passkey").and_then(Value::as_str);
    match opener {
        Some(opener) if passkey.is_none() => agents_state.close(opener),
        Some(_) => agents_state.panel.set(Panel::Nothing),
        None => {}
    }
    let Some(passkey) = passkey else { return };
    let project = draft.projects.iter().find(|it| *it == project).or(draft.projects.first());
    let seat =
        Seat { project: project.cloned().unwrap_or_default(), agent: draft.id.trim().to_owned() };
    let name = draft.name.trim().to_owned();
    agents_state.passkey.set(Some(Passkey { seat, name, passkey: passkey.to_owned() }));
}

#[component]
fn Kind(kind: RwSignal<AgentKind>) -> impl IntoView {
    let choice = move |own: AgentKind, say: Key| {
        view! {
            <label class="switch">
                <input type="radio" name="new-agent-type" prop:checked=move || kind.get() == own
                    on:change=move |_| kind.set(own)/>
                <span>{say}</span>
            </label>
        }
    };
    view! {
        <fieldset class="field" id="new-agent-type">
            <legend class="label">{Key::DefineType}</legend>
            <div class="choices">
                {choice(AgentKind::Ai, Key::DefineTypeAi)}
                {choice(AgentKind::Human, Key::DefineTypeHuman)}
            </div>
        </fieldset>
    }
}

#[component]
fn Places(checked: Checked, chosen: RwSignal<Vec<String>>) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let id = checked.id("project_ids");
    let (own, describing) = (id.clone(), described(&id));
    let fault = checked.fault("project_ids");
    let ids = Memo::new(move |_| agents_state.project_ids());
    let choice = move |id: String| {
        let name = untrack(|| agents_state.project(&id)).map(|it| it.name).unwrap_or_default();
        let own = StoredValue::new(id);
        let is_chosen = move || chosen.with(|it| own.with_value(|own| it.contains(own)));
        let change = move |event| {
            let is_on = event_target_checked(&event);
            chosen.update(|chosen| {
                chosen.retain(|it| own.with_value(|own| it != own));
                if is_on {
                    chosen.push(own.get_value());
                }
            });
        };
        view! {
            <label class="switch">
                <input type="checkbox" prop:checked=is_chosen on:change=change/>
                <span>{name}</span>
            </label>
        }
    };
    view! {
        <fieldset class="field" id=own tabindex="-1" aria-describedby=describing>
            <legend class="label">
                {Key::DefineProjects}
                <span class="required">{Key::Required}</span>
            </legend>
            <div class="choices">
                <For each=move || ids.get() key=Clone::clone children=choice/>
            </div>
            <Notes to=id fault/>
        </fieldset>
    }
}

/// The assistant for a program, or the principal for a person.
#[component]
fn ActorField(checked: Checked, typed: Typed) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let choices = Signal::derive(move || {
        let lang = Lang::spoken();
        let title = |assistant: crate::chat::client::Assistant| {
            let ja = assistant.title_ja.filter(|_| lang == Lang::Ja);
            (assistant.name, ja.unwrap_or(assistant.title))
        };
        let outside = (String::new(), Key::DefineOutside.say().to_owned());
        let played = agents_state.assistants.get().into_iter().map(title);
        std::iter::once(outside).chain(played).collect()
    });
    move || match typed.kind.get() {
        AgentKind::Ai => any_view! {
            <ChoiceField checked name="assistant" say=Key::DefinePlayer hint=Key::DefinePlayerHint
                value=typed.assistant choices/>
        },
        AgentKind::Human => any_view! {
            <TextField checked name="principal" say=Key::DefinePrincipal
                hint=Key::DefinePrincipalHint value=typed.principal/>
        },
    }
}

/// Defines a project.
#[component]
pub(super) fn DefineProject() -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let checked = Checked::new("new-project", ProjectDraft::FIELDS);
    let (id, name) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    browser::focus_soon(checked.id("project_id"));
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let draft = ProjectDraft { id: id.get_untracked(), name: name.get_untracked() };
        let taken = untrack(|| agents_state.project_ids());
        let (faults, arguments) = (draft.faults(&taken), draft.arguments());
        checked.send("define_project", faults, arguments, move |_: Value, is_open| {
            page().notify_fill(Key::DefinedProject, draft.name.trim());
            agents_state.load();
            if is_open {
                agents_state.close("define-project");
            }
        });
    };
    view! {
        <form class="agents-form" aria-labelledby="new-project-title" novalidate on:submit=submit>
            <h2 id="new-project-title">{Key::DefineProjectTitle}</h2>
            <TextField checked name="project_id" say=Key::DefineProjectId hint=Key::DefineIdHint
                value=id is_required=true/>
            <TextField checked name="name" say=Key::Name value=name is_required=true/>
            <FormActions checked say=Key::DefineSave busy=Key::DefineSaving opener="define-project".to_owned()/>
        </form>
    }
}

/// The buttons of a form.
#[component]
pub(super) fn FormActions(
    checked: Checked,
    say: Key,
    /// Text while sending.
    busy: Key,
    /// Id of the element to focus afterwards.
    opener: String,
) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let is_busy = agents_state.is_busy;
    view! {
        {move || checked.error.get().map(|error| view! { <Notice error/> })}
        <div class="actions">
            <button type="submit" aria-disabled=move || is_busy.get().then_some("true")>
                {move || if is_busy.get() { busy } else { say }.say()}
            </button>
            <button type="button" class="quiet" on:click=move |_| agents_state.close(&opener)>
                {Key::Cancel}
            </button>
        </div>
    }
}

/// Begins a conversation in a project.
#[component]
pub(super) fn Begin(project: String, opener: String) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let checked = Checked::new("begin", Beginning::FIELDS);
    let first = untrack(|| agents_state.project(&project))
        .map(|it| Beginning::default_for(&it))
        .unwrap_or_default();
    let initiator = RwSignal::new(first.initiator);
    let target = RwSignal::new(first.target);
    let empty = || RwSignal::new(String::new());
    let (purpose, message, turns) = (empty(), empty(), empty());
    browser::focus_soon(checked.id("initiator_agent_id"));
    let agents = Memo::new({
        let project = project.clone();
        move |_| agents_state.project(&project).map(|it| able(&it)).unwrap_or_default()
    });
    let choice = |it: ProjectAgent| (it.agent.agent_id, it.agent.name);
    let choices = Signal::derive(move || agents.get().into_iter().map(choice).collect());
    // Only an agent run by the host can begin. If there is none, all are offered, and the host's refusal gives the
    // reason.
    let beginners = Signal::derive(move || {
        let mut all = agents.get();
        if all.iter().any(|it| it.agent.assistant.is_some()) {
            all.retain(|it| it.agent.assistant.is_some());
        }
        all.into_iter().map(choice).collect()
    });
    let is_lonely = Memo::new(move |_| agents.with(|it| it.len() < 2));
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let beginning = Beginning {
            project: project.clone(),
            initiator: initiator.get_untracked(),
            target: target.get_untracked(),
            purpose: purpose.get_untracked(),
            message: message.get_untracked(),
            turns: turns.get_untracked(),
        };
        let (faults, arguments) = (beginning.faults(), beginning.arguments());
        checked.send("begin_conversation", faults, arguments, |transcript: Transcript, is_open| {
            // A reader who has left stays there; the conversation appears in the list.
            if is_open {
                page().go(At::Conversation(transcript.conversation.conversation_id).route());
            }
        });
    };
    view! {
        <form class="agents-form" aria-labelledby="begin-title" novalidate on:submit=submit>
            <h3 id="begin-title">{Key::BeginTitle}</h3>
            {move || is_lonely.get().then(|| view! { <p class="hint">{Key::BeginTwo}</p> })}
            <div class="agents-pair">
                <ChoiceField checked name="initiator_agent_id" say=Key::BeginFirst value=initiator
                    choices=beginners/>
                <ChoiceField checked name="target_agent_id" say=Key::BeginTarget value=target choices/>
            </div>
            <TextField checked name="purpose" say=Key::BeginPurpose hint=Key::BeginPurposeHint
                value=purpose/>
            <TextField checked name="initial_message" say=Key::BeginMessage
                hint=Key::BeginMessageHint value=message is_long=true/>
            <TextField checked name="max_turns" say=Key::BeginTurns hint=Key::BeginTurnsHint
                value=turns is_number=true/>
            <FormActions checked say=Key::BeginSend busy=Key::BeginSending opener/>
        </form>
    }
}
