//! Resources and prompts of a component without a server.

use serde_json::Value;

use super::Running;
use base::failure::Failure;
use sandbox::component::{Content, Contents, Datetime, PromptInvocation, ReadRequest};

impl Running {
    /// Reads `uri` like `resources/read`.
    ///
    /// # Errors
    /// The object that a client would read.
    pub async fn read(&self, uri: &str) -> Result<Vec<Contents>, Value> {
        let first_called_at = Datetime { seconds: 0, nanoseconds: 0 };
        let (answers, meta) = (Vec::new(), "{}".to_owned());
        let request =
            ReadRequest { uri: uri.to_owned(), answers, state: None, first_called_at, meta };
        let read = self.component.read_resource(&request, self.called()).await;
        read.map_err(|it| Failure::from(it).object())
    }

    /// The texts of a prompt's messages.
    ///
    /// # Errors
    /// The object that a client would read.
    pub async fn prompt(
        &self,
        name: &str,
        arguments: &[(&str, &str)],
    ) -> Result<Vec<String>, Value> {
        let invocation = PromptInvocation {
            name: name.to_owned(),
            arguments: arguments.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect(),
            answers: Vec::new(),
            state: None,
            first_called_at: Datetime { seconds: 0, nanoseconds: 0 },
            meta: "{}".to_owned(),
        };
        let got = self.component.get_prompt(&invocation, self.called()).await;
        let output = got.map_err(|it| Failure::from(it).object())?;
        let text = |it| if let Content::Text(it) = it { Some(it.text) } else { None };
        Ok(output.messages.into_iter().filter_map(|it| text(it.content)).collect())
    }
}
