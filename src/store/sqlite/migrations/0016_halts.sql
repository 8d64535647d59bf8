-- Who stopped what can go on again, and by what right: an owner cannot undo what an administrator did.
ALTER TABLE token ADD COLUMN halt_right TEXT;
ALTER TABLE token ADD COLUMN halt_by TEXT;
ALTER TABLE token ADD COLUMN halt_at INTEGER;
ALTER TABLE agent ADD COLUMN halt_right TEXT;
ALTER TABLE agent ADD COLUMN halt_by TEXT;
ALTER TABLE agent ADD COLUMN halt_at INTEGER;
-- It may have been an administrator: only they, and the command line, let go on what was stopped before.
UPDATE token SET halt_right = 'unknown' WHERE state = 'disabled';
UPDATE agent SET halt_right = 'unknown' WHERE lifecycle = 'suspended';
