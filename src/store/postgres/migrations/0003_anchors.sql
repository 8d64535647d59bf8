-- Signed ends of the chain of changes, which of them is the newest, and the keys they are signed with. `named_seq`: the
-- record of the chain that names the key.
CREATE TABLE chain_key (
  id TEXT COLLATE "C" PRIMARY KEY,
  public_key TEXT COLLATE "C" NOT NULL,
  named_seq BIGINT
);
INSERT INTO chain_key (id, public_key) SELECT DISTINCT ON (key_id) key_id, public_key FROM record_log ORDER BY key_id;
CREATE TABLE chain_checkpoint (
  seq BIGINT PRIMARY KEY,
  hash TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL,
  key_id TEXT COLLATE "C" NOT NULL,
  signature TEXT COLLATE "C" NOT NULL,
  prev TEXT COLLATE "C" NOT NULL
);
CREATE TABLE chain_head (
  only_row BOOLEAN PRIMARY KEY,
  seq BIGINT NOT NULL,
  checkpoint TEXT COLLATE "C" NOT NULL,
  key_id TEXT COLLATE "C" NOT NULL,
  signature TEXT COLLATE "C" NOT NULL
);

-- What the configuration was copied from: the end of that data directory's log. Until `finished_at` the copy can be gone
-- on with.
CREATE TABLE copied (
  only_row BOOLEAN PRIMARY KEY,
  source TEXT COLLATE "C" NOT NULL,
  tables TEXT NOT NULL,
  finished_at BIGINT
);

-- Up to which record the chain of changes names the log; null where it does not yet.
ALTER TABLE record_log ADD COLUMN anchored_seq BIGINT;
-- When everything that the log held was shipped last, by the clock of who shipped it.
ALTER TABLE record_log ADD COLUMN caught_up_at BIGINT NOT NULL DEFAULT 0;

-- Calls whose end was not shipped. `ended_at`: others have ended them on record, since their hub is gone; `body` is their
-- final record then, and counts until the hub has shipped one of its own.
CREATE TABLE record_open (
  call_id TEXT COLLATE "C" PRIMARY KEY,
  node TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  at BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C",
  agent_id TEXT COLLATE "C",
  outcome TEXT COLLATE "C" NOT NULL,
  body TEXT NOT NULL,
  prev_hash TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  ended_at BIGINT
);
CREATE INDEX record_open_node ON record_open (node, seq) WHERE ended_at IS NULL;
CREATE INDEX record_open_at ON record_open (at, node, seq) WHERE ended_at IS NOT NULL;
CREATE INDEX record_open_id ON record_open (id) WHERE ended_at IS NOT NULL;
