-- Of several processes one tells receivers of a change, and each tells its pages: a change that was told stays for a minute.
CREATE TABLE outbox_told (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT;
-- Who tells of an event again, after the one who began with it died, finds what was queued.
CREATE INDEX webhook_delivery_event ON webhook_delivery (webhook_id, event_id);
