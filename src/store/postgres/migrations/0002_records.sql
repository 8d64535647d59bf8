-- Logs of all hubs' processes, as far as they were shipped.
CREATE TABLE record_log (
  node TEXT COLLATE "C" PRIMARY KEY,
  -- What the first record is linked to, and what checkpoints are signed with: for good.
  origin TEXT COLLATE "C" NOT NULL,
  key_id TEXT COLLATE "C" NOT NULL,
  public_key TEXT COLLATE "C" NOT NULL,
  -- The last record that was shipped, and when.
  seq BIGINT NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  shipped_at BIGINT NOT NULL,
  -- The last checkpoint that was shipped, and what says that it is the newest.
  checkpoint_seq BIGINT NOT NULL,
  signed_head TEXT,
  -- The end of what retention took here, and of what it took in the log itself, signed.
  dropped_seq BIGINT NOT NULL,
  dropped_hash TEXT COLLATE "C",
  drop_note TEXT,
  -- Counters that began before are shipped.
  traffic_at BIGINT NOT NULL,
  -- Set when the node was removed for good: who reads on expects nothing more of it.
  closed_at BIGINT
);

CREATE TABLE record (
  node TEXT COLLATE "C" NOT NULL,
  month TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  at BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  call_id TEXT COLLATE "C" NOT NULL,
  phase TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C",
  agent_id TEXT COLLATE "C",
  outcome TEXT COLLATE "C" NOT NULL,
  event_id TEXT COLLATE "C",
  body TEXT NOT NULL,
  prev_hash TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (node, month, seq)
) PARTITION BY LIST (month);
CREATE INDEX record_at ON record (at, node, seq);
CREATE INDEX record_id ON record (id);
CREATE INDEX record_call ON record (call_id);
CREATE INDEX record_event ON record (event_id) WHERE event_id IS NOT NULL;

CREATE TABLE record_checkpoint (
  node TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL,
  key_id TEXT COLLATE "C" NOT NULL,
  signature TEXT COLLATE "C" NOT NULL,
  prev TEXT COLLATE "C",
  PRIMARY KEY (node, seq)
);

CREATE TABLE record_traffic (
  node TEXT COLLATE "C" NOT NULL,
  span BIGINT NOT NULL,
  at BIGINT NOT NULL,
  subject BIGINT NOT NULL,
  counts TEXT NOT NULL,
  PRIMARY KEY (span, at, node, subject)
);
