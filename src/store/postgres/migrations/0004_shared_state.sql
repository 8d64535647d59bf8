-- What was said in conversations that callers name, in the order in which it was said. `key` is a hash. A conversation
-- that was silent for long is forgotten whole, and begins anew under another id.
CREATE TABLE conversation (
  key TEXT COLLATE "C" PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  units BIGINT NOT NULL,
  until BIGINT NOT NULL
);
CREATE INDEX conversation_until ON conversation (until);
CREATE TABLE conversation_said (
  id TEXT COLLATE "C" PRIMARY KEY,
  conversation TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  sealed TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX conversation_said_seq ON conversation_said (conversation, seq);
CREATE TRIGGER sealed_fence_sealed BEFORE INSERT OR UPDATE OF sealed ON conversation_said
  FOR EACH ROW EXECUTE FUNCTION refuse_replaced_key('sealed', '');
-- What automatic restrictions count of an agent, as JSON: counts, and ids of calls.
CREATE TABLE trigger_count (
  agent_id TEXT COLLATE "C" PRIMARY KEY,
  state TEXT NOT NULL,
  at BIGINT NOT NULL
);
CREATE INDEX trigger_count_at ON trigger_count (at);
-- What happened and is not on record yet. `at`: when it was put on record last.
CREATE TABLE tally (
  name TEXT COLLATE "C" PRIMARY KEY,
  count BIGINT NOT NULL,
  at BIGINT NOT NULL
);
-- Whose calls were blocked since receivers of webhooks were told last, and the event by which they will be.
CREATE TABLE blocked_caller (
  subject_id TEXT COLLATE "C" PRIMARY KEY,
  event_id TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C",
  user_id TEXT COLLATE "C" NOT NULL
);
