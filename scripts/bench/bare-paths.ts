/** What the bare server and its clients agree on. */

/** The constant page, put into the folder of the run before the bare server starts. */
export function constantPageFile(pageSize: number): string {
  return `page-${pageSize}.json`
}

export function constantPath(pageSize: number): string {
  return `/constant/${pageSize}`
}

/** The page of the store after a key; the first one where the key is empty. */
export function storePath(pageSize: number, afterKey: string): string {
  return `/store/${pageSize}/${afterKey}`
}
