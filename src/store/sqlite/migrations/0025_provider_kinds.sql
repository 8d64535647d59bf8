-- Which API's addresses and credentials a provider has. Those before this were all compatible with OpenAI's.
ALTER TABLE provider ADD COLUMN kind TEXT NOT NULL DEFAULT 'openai';
-- A JSON list of the APIs it is asked by; null for those of its kind.
ALTER TABLE provider ADD COLUMN apis TEXT;
-- JSON: a model's name as callers give it, to the provider's own.
ALTER TABLE provider ADD COLUMN aliases TEXT NOT NULL DEFAULT '{}';
-- JSON: where the credential comes from. Its secret, if the hub keeps one, is in sealed_key.
ALTER TABLE provider ADD COLUMN credential TEXT NOT NULL DEFAULT '{"source":"key"}';

-- Providers that a serving process asks last since they failed again and again. One that works has no row.
CREATE TABLE provider_breaker (
  process_id TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  state TEXT NOT NULL,
  cause TEXT NOT NULL,
  failures INTEGER NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (process_id, provider_id)
) STRICT, WITHOUT ROWID;
