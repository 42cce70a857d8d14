-- What the hosts on one database keep for themselves, in the schema madoguchi_host. Run at each start, under a lock.

-- Nodes (STO-10): each start of a host has a number of its own.
CREATE TABLE IF NOT EXISTS madoguchi_host.nodes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, address text, version text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(), seen_at timestamptz NOT NULL DEFAULT now()
);

-- Secrets that all nodes share.
CREATE TABLE IF NOT EXISTS madoguchi_host.secrets (name text PRIMARY KEY, value bytea NOT NULL);

-- Events between nodes (STO-20): what each node has published, in groups that it numbers without a gap. They are read
-- within seconds and lost with the server without harm.
CREATE UNLOGGED TABLE IF NOT EXISTS madoguchi_host.outbox (
  node bigint NOT NULL, number bigint NOT NULL, events text NOT NULL, at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (node, number)
);

-- Leases (STO-23): what one node at a time does, for as long as it is seen; a fence is higher than all before it.
CREATE TABLE IF NOT EXISTS madoguchi_host.leases (
  component text NOT NULL, key text NOT NULL, node bigint NOT NULL, fence bigint NOT NULL,
  since timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (component, key)
);
CREATE SEQUENCE IF NOT EXISTS madoguchi_host.fences;
