/** Patterns of the RIDs that a definition can contain. */

export const ONTOLOGY_RID_PATTERN = '^ri\\.ontology\\.main\\.ontology\\.[A-Za-z0-9_-]{1,64}$'
export const OBJECT_TYPE_RID_PATTERN = '^ri\\.ontology\\.main\\.object-type\\.[A-Za-z0-9_-]{1,64}$'
