-- Small JSON documents with an expiry, such as OAuth clients and temporary object sets.
CREATE TABLE document (
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  body TEXT NOT NULL,
  -- NULL for a document that never expires.
  expires_at_ms INTEGER,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX document_expiry ON document (expires_at_ms) WHERE expires_at_ms IS NOT NULL;

-- Tokens that were issued to an OAuth client: for which grant, and which token signed in for it.
ALTER TABLE api_token ADD COLUMN client_id TEXT;
ALTER TABLE api_token ADD COLUMN grant_id TEXT;
ALTER TABLE api_token ADD COLUMN subject_id TEXT;
CREATE INDEX issued_token_expiry ON api_token (expires_at_ms) WHERE client_id IS NOT NULL;
