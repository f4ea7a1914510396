-- Small JSON documents with an expiry, such as OAuth clients and temporary object sets.
CREATE TABLE oqs_document (
  kind text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  body text NOT NULL,
  -- NULL for a document that never expires.
  expires_at_ms bigint,
  PRIMARY KEY (kind, id)
);
CREATE INDEX oqs_document_expiry ON oqs_document (expires_at_ms) WHERE expires_at_ms IS NOT NULL;

-- Tokens that were issued to an OAuth client: for which grant, and which token signed in for it.
ALTER TABLE oqs_api_token ADD COLUMN client_id text COLLATE "C";
ALTER TABLE oqs_api_token ADD COLUMN grant_id text COLLATE "C";
ALTER TABLE oqs_api_token ADD COLUMN subject_id text COLLATE "C";
CREATE INDEX oqs_issued_token_expiry ON oqs_api_token (expires_at_ms)
  WHERE client_id IS NOT NULL;
