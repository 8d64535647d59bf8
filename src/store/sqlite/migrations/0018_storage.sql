-- How much was kept when, in bytes: a few rows a day, for a few months.
CREATE TABLE storage_sample (
  at INTEGER PRIMARY KEY,
  database_bytes INTEGER NOT NULL,
  index_bytes INTEGER NOT NULL,
  backup_bytes INTEGER NOT NULL,
  free_bytes INTEGER NOT NULL
) STRICT;
