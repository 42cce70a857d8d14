//! The sweep that runs every second: ends what has expired and deletes what is past its retention.

use output::conversations::State;
use serde::Deserialize;
use toolkit::{
    Stop, sql,
    sql::{Rows, Statement},
};

use crate::{
    clock::Moment,
    delivery::SHARE_BYTES,
    expiry::{self, ExpiryCheck},
    playing, session,
    transition::{self, Cause, Ending, SYSTEM},
};

/// Maximum number of expiry passes per run; the rest waits for the next run.
const PASSES_MAX: u32 = 20;
/// Maximum number of absent members handled per run.
const ABSENT_MAX: usize = 200;
/// How long the notice of an end waits for an agent that has left, in seconds.
const NOTICE_S: u32 = session::LIFE_S;
/// Retention of ended sessions, in seconds.
const SESSION_S: u32 = 86_400;
/// Retention of ended conversations, in seconds: 90 days.
const KEEP_S: u32 = 90 * 86_400;
/// Maximum number of stored messages; above that the oldest ended conversations are deleted.
const MESSAGES_KEPT: u32 = 50_000;
/// Maximum number of conversations deleted per run.
const REMOVED_MAX: usize = 20;
/// Maximum number of chat messages deleted per run.
const MESSAGES_MAX: usize = 200;
/// Interval between two deletions, in seconds.
const DELETION_INTERVAL_S: i64 = 60;

/// Runs the sweep once.
///
/// # Errors
/// The message for the operator's log.
pub fn run() -> Result<(), String> {
    let text = |it: Stop| format!("{it:?}");
    for _ in 0..PASSES_MAX {
        let check = ExpiryCheck::now().map_err(text)?;
        let [due] = sql::query([check.due()]).map_err(|it| text(it.into()))?;
        if !check.settle(due).map_err(text)? {
            break;
        }
    }
    let now = Moment::now();
    end_unattended(now).map_err(text)?;
    acknowledge_absent(now).map_err(text)?;
    if now.ms() / 1_000 % DELETION_INTERVAL_S == 0 {
        delete_old(now).map_err(text)?;
    }
    Ok(())
}

/// Ends active conversations of which a member has neither a live session nor a pending purpose (CONV-19).
fn end_unattended(now: Moment) -> Result<(), Stop> {
    let [rows] = sql::query([toolkit::sql!(
        format!(
            "SELECT DISTINCT c.id FROM conversations c \
             JOIN members m ON m.conversation_id = c.id \
             WHERE c.state = 'active' AND NOT EXISTS (SELECT 1 FROM sessions s \
             WHERE s.agent_id = m.agent_id AND s.project_id = c.project_id \
             AND s.state <> 'ended' AND s.expires_at > $1) \
             AND NOT EXISTS (SELECT 1 FROM pending_purposes p WHERE p.agent_id = m.agent_id \
             AND p.project_id = c.project_id) LIMIT {ABSENT_MAX}"
        ),
        now.stored(),
    )])?;
    let missed = rows.read::<(String,)>()?;
    if missed.is_empty() {
        return Ok(());
    }
    let cause = Cause { at: now, by: SYSTEM, what: "session_expired" };
    let ending = Ending {
        from: State::Active,
        cut: None,
        reason: "session_expired",
        reason_text: None,
        acknowledged: None,
    };
    let batches = missed.iter().map(|(id,)| transition::terminate(id, &ending, &cause));
    let batch = transition::where_possible(batches.flatten().collect());
    expiry::notify(sql::transact_all(&batch)?)
}

/// Acknowledges the end for members without a live session, so that nothing waits for them (CONV-54).
fn acknowledge_absent(now: Moment) -> Result<(), Stop> {
    let [rows] = sql::query([toolkit::sql!(
        format!(
            "SELECT c.id, m.agent_id FROM conversations c \
             JOIN members m ON m.conversation_id = c.id AND m.acknowledged_at IS NULL \
             WHERE c.state = 'terminating' AND NOT EXISTS (SELECT 1 FROM sessions s \
             WHERE s.agent_id = m.agent_id AND s.project_id = c.project_id \
             AND s.state <> 'ended' AND s.expires_at > $1) LIMIT {ABSENT_MAX}"
        ),
        now.stored(),
    )])?;
    let gone = rows.read::<(String, String)>()?;
    if gone.is_empty() {
        return Ok(());
    }
    let cause = Cause { at: now, by: SYSTEM, what: "not_there" };
    let batches = gone.iter().map(|(id, agent_id)| {
        let mut batch = vec![transition::acknowledge(id, agent_id, now)];
        batch.extend(transition::finish(id, &cause));
        batch
    });
    expiry::notify(sql::transact_all(&batches.flatten().collect::<Vec<_>>())?)
}

/// Deletes old notices, sessions, conversations and chat messages.
fn delete_old(now: Moment) -> Result<(), Stop> {
    let notices = toolkit::sql!(
        "UPDATE members SET notified_at = $1 WHERE notified_at IS NULL AND conversation_id IN \
         (SELECT id FROM conversations WHERE state IN ('ended', 'expired') AND since_at <= $2)",
        now.stored(),
        now.before(NOTICE_S).stored(),
    );
    let sessions = toolkit::sql!(
        "DELETE FROM sessions WHERE state = 'ended' AND expires_at <= $1",
        now.before(SESSION_S).stored(),
    );
    sql::transact([notices, sessions, playing::delete_ended()])?;
    let kept = now.before(KEEP_S).stored();
    let [count] = sql::query([toolkit::sql!("SELECT COUNT(*) FROM messages")])?;
    let is_full = count.first::<(u32,)>()?.map_or(0, |it| it.0) > MESSAGES_KEPT;
    // Sorts after every stored moment.
    let cut = if is_full { "~" } else { &kept };
    let [conversations, chats, of_large_agents] =
        sql::query([ended_before(cut), old_chats(cut), of_large_agents()])?;
    let has_conversations = !conversations.is_empty();
    remove(conversations)?;
    remove(of_large_agents)?;
    if is_full && has_conversations {
        return Ok(());
    }
    remove_messages(chats)
}

/// Selects conversations that ended at or before `cut`, the oldest first.
fn ended_before(cut: &str) -> Statement {
    toolkit::sql!(
        format!(
            "SELECT id FROM conversations WHERE state IN ('ended', 'expired') AND since_at <= $1 \
             ORDER BY since_at LIMIT {REMOVED_MAX}"
        ),
        cut,
    )
}

/// Selects ended conversations of agents that have used two thirds of their storage share, the oldest first.
fn of_large_agents() -> Statement {
    toolkit::sql!(
        format!(
            "SELECT DISTINCT c.id, c.since_at FROM conversations c \
             JOIN members m ON m.conversation_id = c.id AND m.bytes > 0 \
             WHERE c.state IN ('ended', 'expired') AND m.agent_id IN \
             (SELECT w.agent_id FROM members w GROUP BY w.agent_id HAVING SUM(w.bytes) > $1) \
             ORDER BY c.since_at LIMIT {REMOVED_MAX}"
        ),
        SHARE_BYTES / 3 * 2,
    )
}

/// Selects chat messages written at or before `cut`, the oldest first.
fn old_chats(cut: &str) -> Statement {
    toolkit::sql!(
        format!(
            "SELECT id FROM messages WHERE chat IS NOT NULL AND created_at <= $1 \
             ORDER BY created_at LIMIT {MESSAGES_MAX}"
        ),
        cut,
    )
}

fn remove_messages(messages: Rows) -> Result<(), Stop> {
    let ids = messages.read::<(String,)>()?;
    if ids.is_empty() {
        return Ok(());
    }
    let among = sql::placeholders(1, ids.len());
    let all = |sql: String| Statement::new(sql).bind_all(ids.iter().map(|it| it.0.as_str()));
    sql::transact([
        all(format!("DELETE FROM deliveries WHERE message_id IN ({among})")),
        all(format!("DELETE FROM messages WHERE id IN ({among})")),
    ])?;
    Ok(())
}

/// A conversation to be deleted.
#[derive(Deserialize)]
struct Removed {
    id: String,
}

fn remove(conversations: Rows) -> Result<(), Stop> {
    let mut batch = Vec::new();
    for Removed { id } in conversations.read::<Removed>()? {
        let messages = "(SELECT id FROM messages WHERE conversation_id = $1)";
        let deliveries = format!("DELETE FROM deliveries WHERE message_id IN {messages}");
        batch.push(toolkit::sql!(deliveries, &id));
        for table in ["messages", "members", "steps", "pending_purposes"] {
            let rows = format!("DELETE FROM {table} WHERE conversation_id = $1");
            batch.push(toolkit::sql!(rows, &id));
        }
        batch.push(toolkit::sql!("DELETE FROM conversations WHERE id = $1", &id));
    }
    if !batch.is_empty() {
        sql::transact_all(&batch)?;
    }
    Ok(())
}
