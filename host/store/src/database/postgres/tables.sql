-- What the hosts on one database keep for themselves, in the schema madoguchi_host. Run under a lock, at each start of a host whose text is another.

-- Nodes (STO-10): each start of a host has a number of its own.
CREATE TABLE IF NOT EXISTS madoguchi_host.nodes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, address text, version text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(), seen_at timestamptz NOT NULL DEFAULT now(),
  not_ready text -- why no requests are to be sent there, as it says itself
);

-- Secrets that all nodes share.
CREATE TABLE IF NOT EXISTS madoguchi_host.secrets (name text PRIMARY KEY, value bytea NOT NULL);

-- Events between nodes (STO-20): what each node has published, in groups that it numbers without a gap. They are read
-- within seconds and lost with the server without harm.
CREATE UNLOGGED TABLE IF NOT EXISTS madoguchi_host.outbox (
  node bigint NOT NULL, number bigint NOT NULL, events text NOT NULL, at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (node, number)
);

-- Leases (STO-11, STO-23): what one node at a time does, for as long as it is seen; a fence is higher than all before it.
CREATE TABLE IF NOT EXISTS madoguchi_host.leases (
  component text NOT NULL, key text NOT NULL, node bigint NOT NULL, fence bigint NOT NULL,
  since timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (component, key)
);
CREATE SEQUENCE IF NOT EXISTS madoguchi_host.fences;
-- The fence of a lease that the node has from now on; NULL where another one has it. One that a batch is held against is
-- not free, whatever has become of its node.
CREATE OR REPLACE FUNCTION madoguchi_host.lease_take(of text, named text, by_node bigint, gone_s double precision)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE taken bigint;
BEGIN
  INSERT INTO madoguchi_host.leases (component, key, node, fence) VALUES (of, named, 0, 0) ON CONFLICT DO NOTHING;
  UPDATE madoguchi_host.leases l SET node = by_node, fence = nextval('madoguchi_host.fences'), since = now()
    FROM (SELECT o.component, o.key FROM madoguchi_host.leases o WHERE o.component = of AND o.key = named
      AND (o.node = by_node OR NOT EXISTS (SELECT 1 FROM madoguchi_host.nodes n WHERE n.id = o.node
        AND n.seen_at > now() - make_interval(secs => gone_s))) FOR UPDATE SKIP LOCKED) AS free
    WHERE l.component = free.component AND l.key = free.key RETURNING l.fence INTO taken;
  RETURN taken;
END $$;

-- Sessions of the 2025 era (STO-16), by the digests of their names; and what their clients said to another node than
-- the one that it is for. Lost with the server without harm: clients initialize again.
CREATE UNLOGGED TABLE IF NOT EXISTS madoguchi_host.sessions (
  id text PRIMARY KEY, owner text NOT NULL, initialize text NOT NULL, log_level text,
  uris text[] NOT NULL DEFAULT '{}', used_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNLOGGED TABLE IF NOT EXISTS madoguchi_host.session_messages (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, node bigint NOT NULL, session text NOT NULL, message text NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS session_messages_of_node ON madoguchi_host.session_messages (node, id);

-- Used answers (STO-12): calls that asked and have ended, until no state of theirs is valid. The first bits of a call
-- say to whose share it counts.
CREATE TABLE IF NOT EXISTS madoguchi_host.answers (call bigint PRIMARY KEY, expires_at_s bigint NOT NULL);
CREATE INDEX IF NOT EXISTS answers_expire ON madoguchi_host.answers (expires_at_s);
CREATE OR REPLACE FUNCTION madoguchi_host.share_of(call bigint) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT ((call >> 54) & 1023)::integer
$$;
-- States of that share, of all for 0, that expire until then are treated like those of calls that have ended.
CREATE TABLE IF NOT EXISTS madoguchi_host.answers_forgotten (until_s bigint NOT NULL);
ALTER TABLE madoguchi_host.answers_forgotten ADD COLUMN IF NOT EXISTS share integer NOT NULL DEFAULT 0;
CREATE OR REPLACE FUNCTION madoguchi_host.sweep_answers(now_s bigint, most bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('madoguchi_host.answers', 0)) THEN RETURN; END IF;
  DELETE FROM madoguchi_host.answers WHERE call IN (SELECT call FROM madoguchi_host.answers
    WHERE expires_at_s < now_s ORDER BY expires_at_s LIMIT 100000);
  IF (SELECT count(*) FROM madoguchi_host.answers) > most THEN
    WITH ranked AS (
      SELECT madoguchi_host.share_of(call) AS share, expires_at_s, row_number()
        OVER (PARTITION BY madoguchi_host.share_of(call) ORDER BY expires_at_s DESC) AS place FROM madoguchi_host.answers
    ), surplus AS (SELECT share, expires_at_s FROM ranked ORDER BY place OFFSET most),
    forgotten AS (SELECT share, max(expires_at_s) AS until_s FROM surplus GROUP BY share),
    replaced AS (DELETE FROM madoguchi_host.answers_forgotten o USING forgotten f
      WHERE o.share = f.share AND o.until_s <= f.until_s),
    told AS (INSERT INTO madoguchi_host.answers_forgotten (until_s, share) SELECT until_s, share FROM forgotten)
    DELETE FROM madoguchi_host.answers a USING forgotten f
      WHERE madoguchi_host.share_of(a.call) = f.share AND a.expires_at_s <= f.until_s;
  END IF;
END $$;

-- Documents (STO-13): approvals and tasks. The one with the lowest place is the eldest.
CREATE SEQUENCE IF NOT EXISTS madoguchi_host.document_places;
CREATE TABLE IF NOT EXISTS madoguchi_host.documents (
  folder text NOT NULL, id text NOT NULL, share text NOT NULL, kind text NOT NULL, body bytea NOT NULL,
  bytes bigint NOT NULL, place bigint NOT NULL, PRIMARY KEY (folder, id, share)
);
CREATE INDEX IF NOT EXISTS documents_of_share ON madoguchi_host.documents (folder, share, kind, place) INCLUDE (id, bytes);

-- Ceremonies of passkeys that have begun (STO-17).
CREATE UNLOGGED TABLE IF NOT EXISTS madoguchi_host.ceremonies (
  name text PRIMARY KEY, state bytea NOT NULL, at timestamptz NOT NULL DEFAULT now(),
  taken_by text -- who has taken it, and may ask for it again
);

-- What tasks say of themselves while they run.
CREATE UNLOGGED TABLE IF NOT EXISTS madoguchi_host.task_messages (
  task text PRIMARY KEY, message text NOT NULL, at timestamptz NOT NULL DEFAULT now()
);

-- Files (STO-14): a content in pieces of 256 KiB, on its way while it has a node; blobs are contents with a name.
CREATE TABLE IF NOT EXISTS madoguchi_host.contents (
  content bigint PRIMARY KEY, node bigint, owner text NOT NULL, promised bigint NOT NULL
);
CREATE INDEX IF NOT EXISTS contents_on_their_way ON madoguchi_host.contents (node) WHERE node IS NOT NULL;
CREATE TABLE IF NOT EXISTS madoguchi_host.pieces (
  content bigint NOT NULL REFERENCES madoguchi_host.contents ON DELETE CASCADE, number integer NOT NULL,
  bytes bytea NOT NULL, PRIMARY KEY (content, number)
);
CREATE TABLE IF NOT EXISTS madoguchi_host.blobs (
  id text PRIMARY KEY, content bigint NOT NULL, size bigint NOT NULL, mime_type text NOT NULL, sniffed text,
  used_ms bigint NOT NULL
);
CREATE INDEX IF NOT EXISTS blobs_by_use ON madoguchi_host.blobs (used_ms);
-- What each owner has, and all together ('').
CREATE TABLE IF NOT EXISTS madoguchi_host.blob_shares (
  owner text PRIMARY KEY, bytes bigint NOT NULL, uploads bigint NOT NULL
);
-- Changes what one has, and all together: always in this order, so that no two wait for each other.
CREATE OR REPLACE FUNCTION madoguchi_host.blob_change(whose text, more bigint, further bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE madoguchi_host.blob_shares SET bytes = greatest(bytes + more, 0), uploads = greatest(uploads + further, 0)
    WHERE owner = whose AND whose <> '';
  UPDATE madoguchi_host.blob_shares SET bytes = greatest(bytes + more, 0), uploads = greatest(uploads + further, 0)
    WHERE owner = '';
END $$;
-- Begins an upload, or promises it more: what is in the way of that, or NULL. The same asked twice comes to the same.
CREATE OR REPLACE FUNCTION madoguchi_host.blob_promise(
  upload bigint, begins boolean, of_node bigint, whose text, wanted bigint,
  bytes_max bigint, owner_bytes_max bigint, uploads_max bigint, owner_uploads_max bigint
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  there madoguchi_host.contents;
  own madoguchi_host.blob_shares;
  everything madoguchi_host.blob_shares;
  more bigint;
  further bigint := 0;
BEGIN
  SELECT * INTO there FROM madoguchi_host.contents WHERE content = upload FOR UPDATE;
  IF NOT FOUND THEN
    IF NOT begins THEN RETURN 'gone'; END IF;
    further := 1;
  END IF;
  more := wanted - coalesce(there.promised, 0);
  IF more <= 0 AND further = 0 THEN RETURN NULL; END IF;
  IF whose <> '' THEN
    INSERT INTO madoguchi_host.blob_shares VALUES (whose, 0, 0) ON CONFLICT DO NOTHING;
    SELECT * INTO own FROM madoguchi_host.blob_shares WHERE owner = whose FOR UPDATE;
    IF further > 0 AND own.uploads >= owner_uploads_max THEN RETURN 'owner_busy'; END IF;
  END IF;
  INSERT INTO madoguchi_host.blob_shares VALUES ('', 0, 0) ON CONFLICT DO NOTHING;
  SELECT * INTO everything FROM madoguchi_host.blob_shares WHERE owner = '' FOR UPDATE;
  IF further > 0 AND everything.uploads >= uploads_max THEN RETURN 'busy'; END IF;
  IF whose <> '' AND own.bytes + more > owner_bytes_max THEN RETURN 'owner_full'; END IF;
  IF everything.bytes + more > bytes_max THEN RETURN 'full'; END IF;
  PERFORM madoguchi_host.blob_change(whose, more, further);
  IF further > 0 THEN
    INSERT INTO madoguchi_host.contents VALUES (upload, of_node, whose, wanted);
  ELSE
    UPDATE madoguchi_host.contents SET promised = wanted WHERE content = upload;
  END IF;
  RETURN NULL;
END $$;
-- Gives an upload its name; whether it was there. The same content under the name that it has: the last description
-- holds, and its first uploader's share.
CREATE OR REPLACE FUNCTION madoguchi_host.blob_finish(
  upload bigint, named text, bytes bigint, cost bigint, kind text, looks text, now_ms bigint
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  there madoguchi_host.contents;
  kept bigint;
BEGIN
  SELECT * INTO there FROM madoguchi_host.contents WHERE content = upload AND node IS NOT NULL FOR UPDATE;
  IF NOT FOUND THEN
    RETURN EXISTS (SELECT 1 FROM madoguchi_host.blobs WHERE id = named AND used_ms >= now_ms);
  END IF;
  INSERT INTO madoguchi_host.blobs AS b VALUES (named, upload, bytes, kind, looks, now_ms)
    ON CONFLICT (id) DO UPDATE SET mime_type = excluded.mime_type, sniffed = excluded.sniffed,
      used_ms = greatest(b.used_ms, excluded.used_ms)
    RETURNING content INTO kept;
  IF kept = upload THEN
    UPDATE madoguchi_host.contents SET node = NULL, promised = cost WHERE content = upload;
    PERFORM madoguchi_host.blob_change(there.owner, cost - there.promised, -1);
  ELSE
    DELETE FROM madoguchi_host.contents WHERE content = upload;
    PERFORM madoguchi_host.blob_change(there.owner, -there.promised, -1);
  END IF;
  RETURN true;
END $$;
-- Ends an upload that did not come to its end.
CREATE OR REPLACE FUNCTION madoguchi_host.blob_give_up(upload bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE there madoguchi_host.contents;
BEGIN
  DELETE FROM madoguchi_host.contents WHERE content = upload AND node IS NOT NULL RETURNING * INTO there;
  IF FOUND THEN PERFORM madoguchi_host.blob_change(there.owner, -there.promised, -1); END IF;
END $$;
-- Removes blobs that were not used since, and uploads of nodes that are gone; so many at most. The number of the blobs.
CREATE OR REPLACE FUNCTION madoguchi_host.blob_sweep(before_ms bigint, gone_s double precision, most bigint)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  removed record;
  swept bigint := 0;
  less bigint := 0;
  fewer bigint := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('madoguchi_host.blobs', 0)) THEN RETURN 0; END IF;
  FOR removed IN
    WITH unused AS (DELETE FROM madoguchi_host.blobs WHERE id IN (SELECT id FROM madoguchi_host.blobs
        WHERE used_ms < before_ms ORDER BY used_ms LIMIT most FOR UPDATE SKIP LOCKED) RETURNING content),
    half AS (SELECT content FROM madoguchi_host.contents c WHERE node IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM madoguchi_host.nodes n WHERE n.id = c.node AND n.seen_at > now() - make_interval(secs => gone_s))
        LIMIT most FOR UPDATE SKIP LOCKED),
    dead AS (DELETE FROM madoguchi_host.contents
        WHERE content IN (SELECT content FROM unused UNION ALL SELECT content FROM half) RETURNING owner, node, promised)
    SELECT owner, sum(promised)::bigint AS bytes, count(node) AS uploads, count(*) - count(node) AS blobs
      FROM dead GROUP BY owner ORDER BY owner
  LOOP
    swept := swept + removed.blobs;
    less := less + removed.bytes;
    fewer := fewer + removed.uploads;
    UPDATE madoguchi_host.blob_shares
      SET bytes = greatest(bytes - removed.bytes, 0), uploads = greatest(uploads - removed.uploads, 0)
      WHERE owner = removed.owner AND owner <> '';
  END LOOP;
  PERFORM madoguchi_host.blob_change('', -less, -fewer);
  DELETE FROM madoguchi_host.blob_shares WHERE owner IN (SELECT owner FROM madoguchi_host.blob_shares
    WHERE bytes = 0 AND uploads = 0 AND owner <> '' LIMIT 1000 FOR UPDATE SKIP LOCKED);
  RETURN swept;
END $$;

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
