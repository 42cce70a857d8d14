-- How far an agent that is played has come in a conversation, or in a person's chat: between two runs of its
-- job nothing is in memory. `place` is the conversation's id, or the person's.
CREATE TABLE plays (
  project_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  place TEXT NOT NULL,
  -- The number of the last message that was answered, or deliberately left.
  heard INTEGER NOT NULL DEFAULT 0,
  -- Whether it was asked for the first word.
  has_opened INTEGER NOT NULL DEFAULT 0,
  -- Answers, and tokens that they took, in and out.
  turns INTEGER NOT NULL DEFAULT 0,
  tokens INTEGER NOT NULL DEFAULT 0,
  -- How often in a row there was no answer, and when it is tried again.
  failures INTEGER NOT NULL DEFAULT 0,
  retry_at TEXT,
  -- Whether it answers nothing more.
  is_silent INTEGER NOT NULL DEFAULT 0,
  -- What its assistant remembers: JSON. Where it is too long, none; then it is told what was said.
  memory TEXT,
  PRIMARY KEY (project_id, agent_id, place)
);

-- Whether the operator was told that the assistant is not there that should play the agent.
ALTER TABLE pending_purposes ADD COLUMN is_told INTEGER NOT NULL DEFAULT 0;
