-- Sums of a bucket apart from what is counted by name; rows that are there keep all in `counts`, which readers take too.
ALTER TABLE record_traffic ADD COLUMN names TEXT NOT NULL DEFAULT '[]';

-- Calls counted by day, UTC, from what was counted by hour: a JSON array of names and numbers by turns.
INSERT INTO record_traffic (node, span, at, subject, counts, names)
  SELECT node, 86400000, day, subject, '[' || string_agg(to_json(counter)::text || ',' || total, ',') || ']', '[]'
  FROM (
    SELECT hour.node, hour.at - hour.at % 86400000 AS day, hour.subject,
      turns.list ->> (2 * n) AS counter, sum((turns.list ->> (2 * n + 1))::numeric) AS total
    FROM record_traffic AS hour
      CROSS JOIN LATERAL (SELECT hour.counts::jsonb AS list) AS turns
      CROSS JOIN LATERAL generate_series(0, jsonb_array_length(turns.list) / 2 - 1) AS n
    WHERE hour.span = 3600000
    GROUP BY hour.node, day, hour.subject, counter
  ) AS summed
  GROUP BY node, day, subject;
