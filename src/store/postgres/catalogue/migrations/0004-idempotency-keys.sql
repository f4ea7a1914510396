-- The idempotency keys of committed requests, each with the result of its commit. Written in the
-- transaction of the commit, so that a key exists exactly if its request was applied.
CREATE TABLE oqs_idempotency_key (
  caller text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  -- Identifies the request: the key cannot be used for another one.
  fingerprint text NOT NULL,
  version bigint NOT NULL,
  put bigint NOT NULL,
  deleted bigint NOT NULL,
  kept bigint NOT NULL,
  note text,
  expires_at_ms bigint NOT NULL,
  PRIMARY KEY (caller, key)
);

CREATE INDEX oqs_idempotency_key_expiry ON oqs_idempotency_key (expires_at_ms);
