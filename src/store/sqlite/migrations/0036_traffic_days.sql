-- Sums of a bucket apart from what is counted by name, so that a chart over months reads few bytes; rows that are there keep
-- all in `counts`, which readers take too.
ALTER TABLE call_traffic ADD COLUMN names TEXT NOT NULL DEFAULT '[]';

-- Calls counted by day, UTC, from what was counted by hour: a JSON array of names and numbers by turns.
INSERT INTO call_traffic (span, at, subject, counts, names)
  SELECT 86400000, day, subject, '[' || group_concat(json_quote(counter) || ',' || total) || ']', '[]'
  FROM (
    SELECT day, subject, counter, sum(count) AS total
    FROM (
      SELECT hour.at - hour.at % 86400000 AS day, hour.subject AS subject, turn.key AS place, turn.value AS count,
        lag(turn.value) OVER (PARTITION BY hour.rowid ORDER BY turn.key) AS counter
      FROM call_traffic AS hour, json_each(hour.counts) AS turn
      WHERE hour.span = 3600000
    )
    WHERE place % 2 = 1
    GROUP BY day, subject, counter
  )
  GROUP BY day, subject;
