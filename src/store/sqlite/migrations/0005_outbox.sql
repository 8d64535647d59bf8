-- Records of changes that nobody has made events of yet. A row goes when that is done.
CREATE TABLE outbox (
  seq INTEGER PRIMARY KEY,
  record TEXT NOT NULL
) STRICT;
