-- What the hosts on one database keep for themselves, in the schema madoguchi_host. Run at each start, under a lock.

-- Nodes (STO-10): each start of a host has a number of its own.
CREATE TABLE IF NOT EXISTS madoguchi_host.nodes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, address text, version text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(), seen_at timestamptz NOT NULL DEFAULT now()
);

-- Secrets that all nodes share.
CREATE TABLE IF NOT EXISTS madoguchi_host.secrets (name text PRIMARY KEY, value bytea NOT NULL);
