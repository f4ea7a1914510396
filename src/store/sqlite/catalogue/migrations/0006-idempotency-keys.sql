-- The idempotency keys of committed requests, each with the result of its commit. Written in the
-- transaction of the commit, so that a key exists exactly if its request was applied.
CREATE TABLE idempotency_key (
  caller TEXT NOT NULL,
  key TEXT NOT NULL,
  -- Identifies the request: the key cannot be used for another one.
  fingerprint TEXT NOT NULL,
  version INTEGER NOT NULL,
  put INTEGER NOT NULL,
  deleted INTEGER NOT NULL,
  kept INTEGER NOT NULL,
  note TEXT,
  expires_at_ms INTEGER NOT NULL,
  PRIMARY KEY (caller, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_key_expiry ON idempotency_key (expires_at_ms);
