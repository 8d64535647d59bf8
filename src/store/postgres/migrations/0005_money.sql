INSERT INTO revision (subject, value) VALUES ('prices', 0), ('budgets', 0);
-- Dollars a million tokens, as JSON. `provider`: empty for all.
CREATE TABLE price (
  model TEXT COLLATE "C" NOT NULL,
  provider TEXT COLLATE "C" NOT NULL,
  prices TEXT NOT NULL,
  changed BIGINT NOT NULL,
  PRIMARY KEY (model, provider)
);
-- Nano-dollars a period. `subject_id`: empty for the hub.
CREATE TABLE budget (
  scope TEXT COLLATE "C" NOT NULL,
  subject_id TEXT COLLATE "C" NOT NULL,
  period TEXT COLLATE "C" NOT NULL,
  amount BIGINT NOT NULL,
  changed BIGINT NOT NULL,
  PRIMARY KEY (scope, subject_id, period)
);
-- What was spent of each window, and what calls under way may come to, by process: what a dead one held counts no more.
CREATE TABLE budget_spent (
  name TEXT COLLATE "C" NOT NULL,
  node TEXT COLLATE "C" NOT NULL,
  epoch BIGINT NOT NULL,
  start BIGINT NOT NULL,
  spent BIGINT NOT NULL,
  reserved BIGINT NOT NULL,
  PRIMARY KEY (name, node, epoch)
);
CREATE INDEX budget_spent_start ON budget_spent (start);
-- Warnings that were given, each once a window.
CREATE TABLE budget_warning (
  name TEXT COLLATE "C" NOT NULL,
  percent BIGINT NOT NULL,
  start BIGINT NOT NULL,
  PRIMARY KEY (name, percent)
);
