/** The memory of each byte of a body until its objects are written; measured. */
export const MEMORY_PER_BYTE = 5
