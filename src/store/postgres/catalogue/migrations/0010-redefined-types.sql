-- The last change of a definition that rewrote the objects of a type: the first table with the new
-- form, and the generation of the catalogue with the new definition.
ALTER TABLE oqs_object_type ADD COLUMN redefined_table bigint NOT NULL DEFAULT 0;
ALTER TABLE oqs_object_type ADD COLUMN redefined_in bigint NOT NULL DEFAULT 0;
