import { API_NAME_MAX_LENGTH } from '../../contract/limits.ts'

/**
 * API names stand in paths, so they hold only what a path can hold unescaped, and are never `.`
 * or `..`, which clients and proxies fold away.
 */
export const API_NAME_PATTERN = `^(?!\\.+$)[A-Za-z0-9_.-]{1,${API_NAME_MAX_LENGTH}}$`

/** The same, less what would be taken for a RID: an ontology is named by either. */
export const ONTOLOGY_NAME_PATTERN = `^(?!ri\\.)(?!\\.+$)[A-Za-z0-9_.-]{1,${API_NAME_MAX_LENGTH}}$`

/** A family stands where `admin`, `v1` and `v2` stand in other paths. */
export const FAMILY_PATTERN = `^(?!(?:admin|v1|v2)$)(?!\\.+$)[A-Za-z0-9_.-]{1,${API_NAME_MAX_LENGTH}}$`
