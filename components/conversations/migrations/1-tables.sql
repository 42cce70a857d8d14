-- `SECRET_TEXT` is text that no export shows.
--
-- Projects, agents, and who works where. What stands in the settings is written anew whenever they are
-- read; what was defined on the page stays. Nothing is removed: conversations refer to it.
CREATE TABLE projects (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  is_configured INTEGER NOT NULL,
  is_gone INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE agents (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  -- A JSON list of words.
  skills TEXT NOT NULL DEFAULT '[]',
  -- The assistant of the host that plays it.
  assistant TEXT,
  -- Whose token makes its holder this person; of people only.
  principal TEXT,
  -- The argon2 hash of its passkey.
  passkey SECRET_TEXT,
  is_configured INTEGER NOT NULL,
  is_gone INTEGER NOT NULL DEFAULT 0,
  CHECK (type IN ('ai', 'human'))
);

CREATE TABLE assignments (
  project_id TEXT NOT NULL REFERENCES projects(id),
  agent_id TEXT NOT NULL REFERENCES agents(id),
  PRIMARY KEY (project_id, agent_id)
);

CREATE INDEX idx_assignments_agent ON assignments(agent_id);

-- Passkeys that did not fit, so that guessing takes for ever.
CREATE TABLE failed_tries (
  agent_id TEXT NOT NULL PRIMARY KEY,
  count INTEGER NOT NULL,
  first_at TEXT NOT NULL
);

-- Sessions, by the SHA-256 of their token.
CREATE TABLE sessions (
  token SECRET_TEXT NOT NULL PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agents(id),
  project_id TEXT NOT NULL REFERENCES projects(id),
  purpose TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'active',
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  last_activity_at TEXT NOT NULL,
  -- Whether the host plays the agent in it.
  is_played INTEGER NOT NULL DEFAULT 0,
  ended_at TEXT,
  CHECK (purpose IN ('chat', 'task')),
  CHECK (state IN ('active', 'terminating', 'ended'))
);

CREATE INDEX idx_sessions_agent ON sessions(agent_id, project_id, state);

CREATE INDEX idx_sessions_state ON sessions(state, expires_at);

CREATE INDEX idx_sessions_idle ON sessions(purpose, state, last_activity_at);

-- Why an agent should be launched (CONV-8).
CREATE TABLE pending_purposes (
  id TEXT NOT NULL PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agents(id),
  project_id TEXT NOT NULL REFERENCES projects(id),
  purpose TEXT NOT NULL,
  conversation_id TEXT,
  created_at TEXT NOT NULL
);

CREATE INDEX idx_pending_purposes_agent ON pending_purposes(agent_id, project_id);

CREATE INDEX idx_pending_purposes_conversation ON pending_purposes(conversation_id);

-- CONV-95; moments are `2026-01-23T10:00:00.000Z`.
CREATE TABLE conversations (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects(id),
  initiator_agent_id TEXT NOT NULL REFERENCES agents(id),
  participant_agent_id TEXT NOT NULL REFERENCES agents(id),
  state TEXT NOT NULL DEFAULT 'pending',
  purpose TEXT,
  created_at TEXT NOT NULL,
  ended_at TEXT,
  begun_by TEXT,
  activated_at TEXT,
  last_message_at TEXT,
  terminating_at TEXT,
  ended_by TEXT,
  end_reason TEXT,
  reason_text TEXT,
  max_turns INTEGER,
  -- Messages so far; the next one is one more.
  messages INTEGER NOT NULL DEFAULT 0,
  paused_at TEXT,
  paused_by TEXT,
  -- From when the time-out of its state counts: begun, last said, ended, or paused.
  since_at TEXT NOT NULL,
  CONSTRAINT state_known CHECK (state IN ('pending', 'active', 'terminating', 'ended', 'expired'))
);

CREATE INDEX idx_conversations_project ON conversations(project_id);

CREATE INDEX idx_conversations_initiator ON conversations(initiator_agent_id, state);

CREATE INDEX idx_conversations_participant ON conversations(participant_agent_id, state);

CREATE INDEX idx_conversations_state ON conversations(state) WHERE state IN ('pending', 'active', 'terminating');

CREATE INDEX idx_conversations_since ON conversations(state, since_at);

CREATE INDEX idx_conversations_created ON conversations(created_at, id);

-- 同じペアで同時に複数のactiveな会話は不可 (CONV-95, CONV-X19: in either direction).
CREATE UNIQUE INDEX uq_open_pair ON conversations(project_id, min(initiator_agent_id, participant_agent_id), max(initiator_agent_id, participant_agent_id)) WHERE state IN ('pending', 'active');

-- Each side of a conversation, and what it was told (CONV-54). A row a side, so that there can be
-- three and more some day.
CREATE TABLE members (
  conversation_id TEXT NOT NULL REFERENCES conversations(id),
  agent_id TEXT NOT NULL REFERENCES agents(id),
  role TEXT NOT NULL,
  -- Messages that it wrote.
  messages INTEGER NOT NULL DEFAULT 0,
  -- When `conversation_request` was delivered to it; the initiator needs none.
  requested_at TEXT,
  -- When it acknowledged the end: by ending it, or by hearing of it.
  acknowledged_at TEXT,
  -- When `conversation_ended` or `conversation_expired` was delivered to it.
  notified_at TEXT,
  -- What the host took to play it.
  turns INTEGER NOT NULL DEFAULT 0,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cost_usd REAL,
  PRIMARY KEY (conversation_id, agent_id),
  CONSTRAINT role_known CHECK (role IN ('initiator', 'participant'))
);

CREATE INDEX idx_members_agent ON members(agent_id, conversation_id);

CREATE INDEX idx_members_notices ON members(agent_id) WHERE notified_at IS NULL;

-- The trace: each state, when, who caused it and by what.
CREATE TABLE steps (
  conversation_id TEXT NOT NULL REFERENCES conversations(id),
  position INTEGER NOT NULL,
  state TEXT NOT NULL,
  at TEXT NOT NULL,
  caused_by TEXT NOT NULL,
  cause TEXT NOT NULL,
  PRIMARY KEY (conversation_id, position)
);

-- What was said. Where there is no conversation, `chat` names both ends in the order of their ids.
CREATE TABLE messages (
  id TEXT NOT NULL PRIMARY KEY,
  project_id TEXT NOT NULL,
  conversation_id TEXT REFERENCES conversations(id),
  chat TEXT,
  sequence INTEGER NOT NULL,
  sender_id TEXT NOT NULL,
  recipient_id TEXT,
  content TEXT NOT NULL,
  created_at TEXT NOT NULL,
  related_task_id TEXT,
  -- Whatever the sender called it, so that sending it again sends it once.
  client_message_id TEXT,
  CONSTRAINT one_place CHECK ((conversation_id IS NULL) <> (chat IS NULL))
);

CREATE UNIQUE INDEX uq_messages_conversation ON messages(conversation_id, sequence) WHERE conversation_id IS NOT NULL;

CREATE UNIQUE INDEX uq_messages_chat ON messages(project_id, chat, sequence) WHERE chat IS NOT NULL;

CREATE UNIQUE INDEX uq_messages_client ON messages(project_id, sender_id, client_message_id) WHERE client_message_id IS NOT NULL;

-- To whom a message goes, and when they read it: the read receipt.
CREATE TABLE deliveries (
  agent_id TEXT NOT NULL,
  message_id TEXT NOT NULL REFERENCES messages(id),
  project_id TEXT NOT NULL,
  sender_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  -- That of the message: two of one millisecond keep their order.
  sequence INTEGER NOT NULL,
  read_at TEXT,
  PRIMARY KEY (agent_id, message_id)
);

CREATE INDEX idx_deliveries_unread ON deliveries(agent_id, project_id, created_at, sequence) WHERE read_at IS NULL;

CREATE INDEX idx_deliveries_read ON deliveries(agent_id, project_id, read_at) WHERE read_at IS NOT NULL;

CREATE INDEX idx_deliveries_message ON deliveries(message_id);

-- Chats of people with agents (CONV 4.6): whether one is on.
CREATE TABLE chats (
  project_id TEXT NOT NULL,
  human_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT,
  messages INTEGER NOT NULL DEFAULT 0,
  last_message_at TEXT,
  PRIMARY KEY (project_id, human_id, agent_id)
);

-- `chat.jsonl` in the specified line format (CONV-6, CONV-X22): `madoguchi export conversations`. Of
-- messages of the same second, those of one place keep their order.
CREATE VIEW chat AS
SELECT id, sender_id AS "senderId", recipient_id AS "recipientId", content,
  substr(created_at, 1, 19) || 'Z' AS timestamp, conversation_id AS "conversationId"
FROM messages ORDER BY created_at, coalesce(conversation_id, chat), sequence;
