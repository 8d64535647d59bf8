INSERT INTO revision (subject, value) VALUES ('prices', 0), ('budgets', 0);
-- Dollars a million tokens, as JSON. `provider`: empty for all.
CREATE TABLE price (
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  prices TEXT NOT NULL,
  changed INTEGER NOT NULL,
  PRIMARY KEY (model, provider)
) STRICT, WITHOUT ROWID;
-- Nano-dollars a period. `subject_id`: empty for the hub.
CREATE TABLE budget (
  scope TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  period TEXT NOT NULL,
  amount INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  PRIMARY KEY (scope, subject_id, period)
) STRICT, WITHOUT ROWID;
-- What was spent of each window, and what calls under way may come to, by process: what a dead one held counts no more.
CREATE TABLE budget_spent (
  name TEXT NOT NULL,
  node TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  start INTEGER NOT NULL,
  spent INTEGER NOT NULL,
  reserved INTEGER NOT NULL,
  PRIMARY KEY (name, node, epoch)
) STRICT, WITHOUT ROWID;
CREATE INDEX budget_spent_start ON budget_spent (start);
-- Warnings that were given, each once a window.
CREATE TABLE budget_warning (
  name TEXT NOT NULL,
  percent INTEGER NOT NULL,
  start INTEGER NOT NULL,
  PRIMARY KEY (name, percent)
) STRICT, WITHOUT ROWID;
