-- A month that was dropped is removed a little at a time. `cleared_at`: when the last of it had gone and its space was
-- given back to the file system; null while that goes on, and for months that are kept.
ALTER TABLE audit_partition ADD COLUMN cleared_at INTEGER;
UPDATE audit_partition SET cleared_at = dropped_at WHERE dropped_at IS NOT NULL;
-- Whether a token that has expired was reported with.
CREATE INDEX report_token ON report (token_id) WHERE token_id IS NOT NULL;
