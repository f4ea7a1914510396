-- The last change of a definition that rewrote the objects of a type: the first table with the new
-- form, and the generation of the catalogue with the new definition.
ALTER TABLE object_type ADD COLUMN redefined_table INTEGER NOT NULL DEFAULT 0;
ALTER TABLE object_type ADD COLUMN redefined_in INTEGER NOT NULL DEFAULT 0;
