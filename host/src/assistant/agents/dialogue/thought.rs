//! One answer in the making, which ends where the dialogue's tokens do.

use futures::future::BoxFuture;
use serde_json::Value;

use crate::assistant::{Conclusion, Decider, Decision, Turn, Undecided, Usage};

/// Whoever decides, counted from here on.
pub(super) struct Thought<'a> {
    decider: &'a mut dyn Decider,
    before: Usage,
    tokens_max: u64,
}

impl<'a> Thought<'a> {
    /// Asks `decider` until it has taken `tokens_max` more.
    pub(super) fn new(decider: &'a mut dyn Decider, tokens_max: u64) -> Self {
        let before = decider.usage();
        Self { decider, before, tokens_max }
    }

    /// What it took so far.
    pub(super) fn taken(&self) -> Usage {
        let (now, before) = (self.decider.usage(), self.before);
        Usage {
            input_tokens: now.input_tokens.saturating_sub(before.input_tokens),
            cached_tokens: now.cached_tokens.saturating_sub(before.cached_tokens),
            output_tokens: now.output_tokens.saturating_sub(before.output_tokens),
            cost_usd: now.cost_usd.map(|it| it - before.cost_usd.unwrap_or_default()),
        }
    }
}

impl Decider for Thought<'_> {
    fn decide<'a>(&'a mut self, turn: Turn<'a>) -> BoxFuture<'a, Result<Decision, Undecided>> {
        let taken = self.taken();
        if taken.input_tokens + taken.output_tokens >= self.tokens_max {
            return Box::pin(async { Ok(Decision::Conclude(Conclusion::default())) });
        }
        self.decider.decide(turn)
    }

    fn transcript(&self) -> Value {
        self.decider.transcript()
    }

    fn usage(&self) -> Usage {
        self.decider.usage()
    }
}
