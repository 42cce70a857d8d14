-- How much each member has written in a conversation, so that nobody takes more than a share of the room. What
-- was written before counts as nothing.
ALTER TABLE members ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;

CREATE INDEX idx_members_share ON members(agent_id, bytes);
