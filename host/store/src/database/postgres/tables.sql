-- What the hosts on one database keep for themselves, in the schema madoguchi_host. Run at each start, under a lock.

-- Nodes (STO-10): each start of a host has a number of its own.
CREATE TABLE IF NOT EXISTS madoguchi_host.nodes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, address text, version text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(), seen_at timestamptz NOT NULL DEFAULT now()
);

-- Secrets that all nodes share.
CREATE TABLE IF NOT EXISTS madoguchi_host.secrets (name text PRIMARY KEY, value bytea NOT NULL);

-- Components (STO-30): what serves on all nodes, by rising epochs; the bytes of builds; which node has the turn to change
-- components, and what the others are to prepare for it; the nodes that are waited for, and how far each has come.
CREATE SEQUENCE IF NOT EXISTS madoguchi_host.component_epochs;
CREATE TABLE IF NOT EXISTS madoguchi_host.components (
  component text PRIMARY KEY, epoch bigint NOT NULL, manifest text NOT NULL, kept text[] NOT NULL,
  node bigint NOT NULL, changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE IF NOT EXISTS madoguchi_host.component_builds (
  digest text PRIMARY KEY, bytes bytea NOT NULL, added_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE IF NOT EXISTS madoguchi_host.component_turn (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one), node bigint NOT NULL,
  component text, epoch bigint, manifest text
);
CREATE TABLE IF NOT EXISTS madoguchi_host.component_nodes (
  node bigint PRIMARY KEY REFERENCES madoguchi_host.nodes ON DELETE CASCADE
);
CREATE TABLE IF NOT EXISTS madoguchi_host.component_states (
  node bigint NOT NULL REFERENCES madoguchi_host.nodes ON DELETE CASCADE, component text NOT NULL,
  epoch bigint NOT NULL, state text NOT NULL, why text NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (node, component)
);
