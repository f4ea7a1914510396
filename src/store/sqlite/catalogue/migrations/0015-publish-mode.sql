-- How a replacement was published, for a client that publishes it twice; NULL for other tables.
ALTER TABLE object_table ADD COLUMN publish_mode TEXT;
