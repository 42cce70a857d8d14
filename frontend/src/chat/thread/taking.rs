//! Applies stream events to the running answer.

use serde_json::{Value, json};

use super::Thread;
use super::asking::PICTURE_MARK;
use crate::cards::picture::{Picture, Shared};
use crate::chat::entry::{
    Answerer, Body, CallOutcome, Entry, Pending, Phase, Piece, Reply, State, ToolCard, Turn,
    Waiting,
};
use crate::chat::event::{Called, Done, Event, ImageIn, PendingItem, Resulted, WAITING_MAX};
use crate::table::text;

/// Maximum size of one piece of text in bytes.
const TEXT_MAX: usize = 200_000;
/// Maximum number of pieces of one answer.
const PIECES_MAX: usize = 400;
/// Maximum number of pictures of one answer.
const PICTURES_MAX: usize = 50;
/// Maximum number of parts of its history entry.
const PARTS_MAX: usize = 100;

/// State of one stream: what it has sent already, so that its final event adds nothing twice.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coming {
    /// Seed of unique picture ids.
    pub(crate) seed: String,
    /// Milliseconds since 1970.
    pub(crate) at_ms: u64,
    count: u32,
    has_text: bool,
    has_pictures: bool,
    /// Index of the stream's first piece.
    begin: usize,
}

impl Coming {
    /// Begins a stream.
    pub(crate) fn new(thread: &Thread, seed: String, at_ms: u64) -> Self {
        let begin = thread.last_turn().map_or(0, |it| it.pieces.len());
        Self { seed, at_ms, begin, ..Self::default() }
    }

    fn picture(&mut self, image: &ImageIn) -> Option<Shared<Picture>> {
        self.count += 1;
        // Sorted by name, the oldest come first.
        let id = format!("{:015}-{:03}-{}", self.at_ms, self.count, self.seed);
        Picture::new(id, &image.mime_type, &image.data, &image.name, self.at_ms).map(Shared::new)
    }
}

impl Thread {
    /// Applies one event.
    pub(crate) fn take(&mut self, event: Event, coming: &mut Coming) {
        let has_calls = matches!(event, Event::Call(_) | Event::Done(_));
        let trusts = if has_calls { self.trusts.clone() } else { Vec::new() };
        let Some(turn) = self.turn_mut().filter(|it| it.is_running()) else { return };
        match event {
            Event::Status { tool, turn: id } => {
                turn.phase = tool.map_or(Phase::Thinking, Phase::Tool);
                turn.turn = id.or(turn.turn.take());
            }
            Event::Call(called) => {
                turn.phase = Phase::Tool(called.name.clone());
                turn.call(called);
            }
            Event::Result(resulted) => {
                turn.phase = Phase::Thinking;
                turn.result(resulted);
            }
            Event::Text(text) => {
                coming.has_text |= !text.is_empty();
                turn.push_text(&text);
            }
            Event::Image(image) => {
                coming.has_pictures = true;
                turn.show(coming.picture(&image));
            }
            Event::Question(item) => turn.wait_for(item, coming),
            Event::Usage(usage) => turn.usage = usage,
            Event::Done(done) => turn.finish(*done, coming),
            Event::Failed(failure) => self.fail(failure),
            Event::Overruled { approval, is_allowed } => self.overrule(&approval, is_allowed),
            Event::Other => {}
        }
        if let Some(turn) = self.turn_mut().filter(|_| has_calls) {
            turn.trust(&trusts);
        }
    }

    /// Shows the earlier answer to an approval, overriding the person's current one.
    fn overrule(&mut self, approval: &str, is_allowed: bool) {
        let has_approval = |pending: &Pending| {
            let is_approval = matches!(pending.waiting, Waiting::Approval { .. });
            is_approval && pending.waiting.approval() == Some(approval)
        };
        let holds = |entry: &&mut Shared<Entry>| {
            entry.turn().is_some_and(|it| it.pending.iter().any(has_approval))
        };
        let Some(entry) = self.entries.iter_mut().rev().find(holds) else { return };
        let Body::Answered(turn) = &mut entry.change().body else { return };
        let Some(pending) = turn.pending.iter_mut().find(|it| has_approval(it)) else { return };
        if matches!(pending.reply, Some(Reply::Allow | Reply::Trust)) == is_allowed {
            return;
        }
        let (reply, state) = match is_allowed {
            false => (Reply::Deny, State::Denied),
            true if turn.phase == Phase::Thinking => (Reply::Allow, State::Running),
            // Its outcome stands in a later answer.
            true => (Reply::Allow, State::Stopped),
        };
        pending.reply = Some(reply);
        let id = pending.waiting.call_id().to_owned();
        if let Some(card) = turn.card(&id) {
            card.change().state = state;
        }
    }
}

impl Turn {
    fn push(&mut self, piece: Piece) {
        if self.pieces.len() < PIECES_MAX {
            self.pieces.push(piece);
        }
    }

    fn push_text(&mut self, added: &str) {
        if added.is_empty() {
            return;
        }
        match self.pieces.last_mut() {
            Some(Piece::Text(text)) if text.len() + added.len() <= TEXT_MAX => {
                text.change().push_str(added);
            }
            Some(Piece::Text(_)) => {}
            _ => self.push(Piece::Text(Shared::new(added.chars().take(TEXT_MAX).collect()))),
        }
    }

    /// Shows a picture of the answer: one that a call fetched by its name.
    fn show(&mut self, picture: Option<Shared<Picture>>) {
        let Some(mut picture) = picture.filter(|_| self.pictures().len() < PICTURES_MAX) else {
            return;
        };
        let calls = self.pieces.iter().filter_map(Piece::call);
        let mut fetched = calls.flat_map(|it| it.fetched(true));
        let is_it = |it: &(&str, &Value)| text(it.1, "data") == picture.data.as_deref();
        if let Some((name, _)) = fetched.find(is_it) {
            name.clone_into(&mut picture.change().name);
        }
        match self.pieces.last_mut() {
            Some(Piece::Pictures(list)) => list.push(picture),
            _ => self.push(Piece::Pictures(vec![picture])),
        }
    }

    /// The latest card of this call; an open one has priority.
    fn card(&mut self, id: &str) -> Option<&mut Shared<ToolCard>> {
        let is_done = |it: &Piece| match it {
            Piece::Call(card) if card.id == id => Some(card.is_over()),
            _ => None,
        };
        let open = self.pieces.iter().rposition(|it| is_done(it) == Some(false));
        let index = open.or_else(|| self.pieces.iter().rposition(|it| is_done(it).is_some()))?;
        match &mut self.pieces[index] {
            Piece::Call(card) => Some(card),
            _ => None,
        }
    }

    fn call(&mut self, called: Called) {
        let is_open = |it: &&mut Shared<ToolCard>| !it.is_over();
        let now = card_of(called, State::Running);
        // A pending call has begun: from now on its progress is shown.
        match self.card(&now.id).filter(is_open) {
            Some(card) => *card.change() = now,
            None => self.push(Piece::Call(Shared::new(now))),
        }
    }

    /// Marks calls that run without approval, by `NAME@DIGEST` or by name.
    fn trust(&mut self, trusts: &[String]) {
        let is_trusted = |name: &str| trusts.iter().any(|it| it.split('@').next() == Some(name));
        for piece in &mut self.pieces {
            if let Piece::Call(card) = piece
                && !card.is_trusted
                && is_trusted(&card.name)
            {
                card.change().is_trusted = true;
            }
        }
    }

    fn result(&mut self, resulted: Resulted) {
        let Resulted { id, name, is_error, ms, result, meta, text } = resulted;
        let state = if is_error {
            State::Failed { ms, error: text }
        } else {
            State::Done(CallOutcome { ms, result, meta, text, is_cut: false })
        };
        if self.card(&id).is_none() {
            let card = ToolCard { id: id.clone(), name, ..ToolCard::default() };
            self.push(Piece::Call(Shared::new(card)));
        }
        self.set_card(&id, state);
    }

    /// Sets the state of the call's card; a denied call stays denied.
    pub(super) fn set_card(&mut self, id: &str, state: State) {
        if let Some(card) = self.card(id).filter(|it| it.state != State::Denied) {
            card.change().state = state;
        }
    }

    /// Resumes the cards of the calls that were answered and not refused.
    pub(super) fn resume_answered(&mut self) {
        let is_taken =
            |it: &&Pending| !matches!(it.reply, None | Some(Reply::Deny | Reply::Cancelled));
        let answered = self.pending.iter().filter(is_taken);
        let calls: Vec<String> = answered.map(|it| it.waiting.call_id().to_owned()).collect();
        for id in calls {
            if let Some(card) = self.card(&id).filter(|it| it.state == State::Waiting) {
                card.change().state = State::Running;
            }
        }
    }

    /// Ends all open cards: no event is left to end them.
    pub(super) fn end_cards(&mut self, state: &State) {
        for piece in &mut self.pieces {
            if let Piece::Call(card) = piece
                && !card.is_over()
            {
                card.change().state = state.clone();
            }
        }
    }

    fn wait_for(&mut self, item: PendingItem, coming: &mut Coming) {
        let waiting = match item {
            PendingItem::Known(waiting) => waiting,
            PendingItem::Choice { call_id, images } => {
                let images = images.iter().take(PICTURES_MAX);
                let pictures = images.filter_map(|it| coming.picture(it)).collect();
                Waiting::Choice { call_id, pictures }
            }
        };
        let is_there = self
            .pending
            .iter()
            .any(|it| it.reply.is_none() && it.waiting.call_id() == waiting.call_id());
        if is_there || self.pending.len() >= WAITING_MAX {
            return;
        }
        if let Waiting::Approval { call_id, name, title, params, reason, .. } = &waiting
            && self.card(call_id).is_none_or(|it| it.is_over())
        {
            let card = ToolCard {
                id: call_id.clone(),
                name: name.clone(),
                title: title.clone(),
                params: params.clone(),
                reason: reason.clone(),
                ..ToolCard::default()
            };
            self.push(Piece::Call(Shared::new(card)));
        }
        if matches!(waiting, Waiting::Approval { .. } | Waiting::Questions { .. }) {
            self.set_card(waiting.call_id(), State::Waiting);
        }
        self.pending.push(Pending::new(waiting));
    }

    fn finish(&mut self, done: Done, coming: &mut Coming) {
        let Done { kind, text, images, turn, assistant, provider, model, .. } = done;
        let is_choice = kind.as_deref() == Some("mcp_results");
        for pending in self.pending.iter_mut().filter(|it| it.reply.is_some()) {
            pending.is_settled = true;
        }
        self.complete_calls(done.tool_calls, coming.begin);
        if !coming.has_text {
            self.push_text(&text);
        }
        if is_choice && !done.waiting.iter().any(|it| matches!(it, PendingItem::Choice { .. })) {
            self.wait_for(PendingItem::Choice { call_id: String::new(), images }, coming);
        } else if !coming.has_pictures && !is_choice {
            for image in images.iter().take(PICTURES_MAX) {
                let picture = coming.picture(image);
                self.show(picture);
            }
        }
        for item in done.waiting {
            self.wait_for(item, coming);
        }
        let waits = self.pending.iter().any(|it| it.reply.is_none());
        self.phase = if waits { Phase::Waiting } else { Phase::Done };
        if !waits {
            self.end_cards(&State::Stopped);
        }
        self.turn = turn.or(self.turn.take());
        self.answerer = Answerer { assistant, provider, model };
        self.usage = if done.usage == Default::default() { self.usage.clone() } else { done.usage };
        self.notice = done.notice.map(|it| it.chars().take(1_000).collect());
        self.stop_reason = done.stop_reason;
        self.parts = self.marked(done.parts);
    }

    /// Adds or ends calls of the final event that the stream did not report: a host that does not stream sends all at
    /// once. A call without duration was made for an earlier answer, which has its card.
    fn complete_calls(&mut self, calls: Vec<Called>, begin: usize) {
        let mut at = begin.min(self.pieces.len());
        for mut called in calls.into_iter().take(PIECES_MAX) {
            let error = std::mem::take(&mut called.error);
            let state = match called.is_error {
                true => State::Failed { ms: called.ms, error },
                false => State::Done(CallOutcome {
                    ms: called.ms,
                    is_cut: true,
                    ..CallOutcome::default()
                }),
            };
            if let Some(card) = self.card(&called.id) {
                if card.state == State::Running && called.ms.is_some() {
                    card.change().state = state;
                }
                continue;
            }
            if called.ms.is_none() {
                continue;
            }
            let card = card_of(called, state);
            if self.pieces.len() < PIECES_MAX {
                self.pieces.insert(at, Piece::Call(Shared::new(card)));
                at += 1;
            }
        }
    }

    /// The model's entry with pictures replaced by their ids: their bytes are stored already.
    fn marked(&self, parts: Vec<Value>) -> Vec<Value> {
        let pictures = self.pictures();
        let mark = |part: Value| {
            let Some(data) = part.pointer("/inlineData/data").and_then(Value::as_str) else {
                return Some(part);
            };
            let own = pictures.iter().find(|it| it.data.as_deref() == Some(data))?;
            let mut marked = json!({ PICTURE_MARK: own.id });
            if let Some(signature) = part.get("thoughtSignature") {
                marked["thoughtSignature"] = signature.clone();
            }
            Some(marked)
        };
        parts.into_iter().take(PARTS_MAX).filter_map(mark).collect()
    }
}

/// Makes the card of a call.
fn card_of(called: Called, state: State) -> ToolCard {
    let Called { id, name, title, server, view, params, reason, .. } = called;
    ToolCard { id, name, title, server, view, params, reason, state, is_trusted: false }
}
