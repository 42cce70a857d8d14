//! The built-in planner: understands the wishes that its table names, and decides by rules alone. It
//! needs no model, no key and no network, answers alike each time, and says that it is the planner.

use futures::future::{BoxFuture, ready};

use super::{Answered, Conclusion, Decider, Decision, Task, Teller, Undecided};

mod choose;
mod explain;
mod found;
mod grammar;
mod plan;
mod read;
mod scan;
mod units;
mod when;
mod wishes;

pub(crate) use wishes::{Rule, Wishes};

/// Decides by wishes: those of a sentence and of what was said before, or those of a kind of route.
pub(crate) struct Planner {
    wishes: Option<Wishes>,
}

impl Planner {
    /// One that reads the task's sentence.
    pub(crate) fn of_sentence() -> Self {
        Self { wishes: None }
    }

    /// One that was told what is wished, and reads nothing.
    pub(crate) fn of_wishes(mut wishes: Wishes) -> Self {
        wishes.once.is_read = true;
        Self { wishes: Some(wishes) }
    }

    fn next(&mut self, task: &Task, answered: &[Answered]) -> Decision {
        let wishes = self.wishes.get_or_insert_with(|| read::conversation(task));
        if answered.is_empty() {
            return Decision::Call(plan::calls(task, wishes));
        }
        Decision::Conclude(explain::conclusion(task, wishes, answered))
    }
}

impl Decider for Planner {
    fn decide<'a>(
        &'a mut self,
        task: &'a Task,
        answered: &'a [Answered],
        teller: &'a Teller,
    ) -> BoxFuture<'a, Result<Decision, Undecided>> {
        let decision = self.next(task, answered);
        let Decision::Conclude(Conclusion { message, .. }) = &decision else {
            return Box::pin(ready(Ok(decision)));
        };
        let deltas = sentences(message);
        Box::pin(async move {
            for text in deltas {
                teller.tell("reasoning_delta", || serde_json::json!({ "text": text })).await;
            }
            Ok(decision)
        })
    }
}

/// `message`, sentence by sentence; put together it is the same again.
fn sentences(message: &str) -> Vec<String> {
    message.split_inclusive(['。', '\n']).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
