-- Calls of an agent are counted under the agent, not under who called for it: it may get another owner.
-- `subject` is 48 bits of the hash of an agent's id, or of a user's for calls without an agent, or 0 for everybody.
DELETE FROM call_traffic;
-- Made again from the log, all three.
DELETE FROM call_block;
DELETE FROM call_indexed;
