/** Patterns of API names. */

import { API_NAME_MAX_LENGTH } from '../../contract/limits.ts'

/**
 * API names are part of paths, so they contain only characters that need no escaping, and are never
 * `.` or `..`, which clients and proxies remove.
 */
export const API_NAME_PATTERN = `^(?!\\.+$)[A-Za-z0-9_.-]{1,${API_NAME_MAX_LENGTH}}$`

/** Excludes RIDs, because a path names an ontology by either. */
export const ONTOLOGY_NAME_PATTERN = `^(?!ri\\.)(?!\\.+$)[A-Za-z0-9_.-]{1,${API_NAME_MAX_LENGTH}}$`

/** Excludes `admin`, `v1` and `v2`, which have the position of a family in other paths. */
export const FAMILY_PATTERN = `^(?!(?:admin|v1|v2)$)(?!\\.+$)[A-Za-z0-9_.-]{1,${API_NAME_MAX_LENGTH}}$`
