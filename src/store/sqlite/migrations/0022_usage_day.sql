-- What of a day counts against budgets, a row a subject: a hub that starts reads this and not the day's hours. `day`: its
-- begin, Unix milliseconds, UTC.
CREATE TABLE usage_day (
  day INTEGER NOT NULL,
  subject_id TEXT NOT NULL,
  requests INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  PRIMARY KEY (day, subject_id)
) STRICT, WITHOUT ROWID;
INSERT INTO usage_day
  SELECT hour - hour % 86400000, subject_id,
    CAST(SUM(ifnull(json_extract(counts, '$.calls'), 0) + ifnull(json_extract(counts, '$.tool_calls'), 0)) AS INTEGER),
    CAST(SUM(ifnull(json_extract(counts, '$.tokens'), 0)) AS INTEGER)
  FROM usage_hour WHERE hour >= (unixepoch() / 86400) * 86400000 AND json_valid(counts) GROUP BY 1, 2;
