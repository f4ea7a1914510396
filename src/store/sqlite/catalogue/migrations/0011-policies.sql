-- The policies that limit a token: lists of names, as JSON. NULL: no policy limits it.
ALTER TABLE api_token ADD COLUMN policies TEXT;
