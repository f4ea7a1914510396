/** Returns the name of a table. It contains a number, so no name of a user ever appears in SQL. */
export function objectTable(id: number): string {
  if (!Number.isSafeInteger(id)) throw new Error(`not a table number: ${id}`)
  return `oqs_object_${id}`
}
