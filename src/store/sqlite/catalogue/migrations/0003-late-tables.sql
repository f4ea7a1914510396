-- The table of a type is created when the type is first written to. An ontology can have many unused
-- types, and every table and index slows down changes of the schema.
ALTER TABLE object_table ADD COLUMN is_made INTEGER NOT NULL DEFAULT 1;

-- The generation of the catalogue in which a definition last changed: the others need not be read.
ALTER TABLE ontology ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
