-- Where several processes serve: which of them has taken a restriction or kill switch in, by point. A point has its receipt
-- once every one that lives has said so; then its rows go.
CREATE TABLE containment (
  subject_id TEXT NOT NULL,
  point TEXT NOT NULL,
  node TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  PRIMARY KEY (subject_id, point, node)
) STRICT, WITHOUT ROWID;
