-- The table of a type is made when the type is first written to. An ontology can have very many
-- types of which most are never used, and each table and index slows every change of the schema.
ALTER TABLE object_table ADD COLUMN is_made INTEGER NOT NULL DEFAULT 1;

-- The generation of the catalogue in which a definition last changed: the others need not be read.
ALTER TABLE ontology ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
