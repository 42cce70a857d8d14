//! In which project an agent is meant, where a request does not say.

use serde_json::Value;

use super::{People, wrong};
use crate::{
    assistant::Language,
    caller::{Caller, Owner},
    component::Request,
    failure::Failure,
};

/// The component whose agents they are.
const COMPONENT: &str = "conversations";
/// Where it says which projects the caller knows, with their agents.
const PROJECTS: &str = "projects";
/// Projects that a refusal names.
const NAMED_MAX: usize = 10;

impl People {
    /// The one project that the caller knows in which there is this agent.
    pub(super) async fn project_of(
        &self,
        agent: &str,
        caller: &Caller,
        language: Language,
    ) -> Result<Value, Failure> {
        let known = self.projects(caller).await?;
        let has = |it: &&Value| {
            let agents = it["agents"].as_array().into_iter().flatten();
            agents.into_iter().any(|it| it["agent_id"] == agent)
        };
        let projects = known["projects"].as_array().into_iter().flatten();
        let found: Vec<_> = projects.filter(has).map(|it| it["project_id"].clone()).collect();
        match found.as_slice() {
            [project] => Ok(project.clone()),
            [] => {
                let message =
                    language.pick("エージェントが見つかりません。", "There is no such agent.");
                Err(Failure::new("agent_not_found", 404, message).with("agent_id", agent))
            }
            several => {
                let names = several.iter().take(NAMED_MAX).filter_map(Value::as_str);
                let names = names.collect::<Vec<_>>().join(", ");
                Err(in_doubt(language, &names))
            }
        }
    }

    async fn projects(&self, caller: &Caller) -> Result<Value, Failure> {
        let component = self.registry.catalog().component(COMPONENT).cloned();
        let absent = || format!("There is no component {COMPONENT}.");
        let component = component.ok_or_else(|| Failure::new("not_found", 404, absent()))?;
        let readable = Some(component).filter(|it| it.why_no_endpoints().is_none());
        let language = Language::of(caller.locale.as_deref(), "");
        // Whoever may call the tool and not look around says the project.
        let Some(component) = readable.filter(|_| caller.may_use(Owner::Component(COMPONENT)))
        else {
            return Err(in_doubt(language, ""));
        };
        let request =
            Request { path: PROJECTS.to_owned(), query: Vec::new(), meta: "{}".to_owned() };
        let found = component.get(&request, caller.clone()).await?;
        let json = found.as_deref().and_then(|it| serde_json::from_str(it).ok());
        json.ok_or_else(|| in_doubt(language, ""))
    }
}

fn in_doubt(language: Language, names: &str) -> Failure {
    let (japanese, english) = match names {
        "" => (String::new(), String::new()),
        names => (format!("（{names}のいずれか）"), format!(": one of {names}")),
    };
    let message = language.pick(
        format!("project_idを指定してください{japanese}"),
        format!("project_id is required{english}"),
    );
    wrong(message).with("field", "project_id")
}
