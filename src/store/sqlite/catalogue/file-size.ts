import type { SizeSql } from '../../core/definitions/type-states.ts'

/** SQLite would have to visit every page of the file to count the bytes of one table. */
export const FILE_SIZE: SizeSql = {
  kind: 'sqlite',
  storedBytes: '(SELECT page_count * page_size FROM pragma_page_count, pragma_page_size)',
  typeBytes: 'NULL',
}
