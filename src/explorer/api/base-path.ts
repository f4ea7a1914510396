/** Where the service is: a proxy may serve it under a path, next to other sites. */

/** The path of the service without a slash at the end; empty at the root of its host. */
export const BASE_PATH = basePathOf(import.meta.url)

/** Returns the path of the service from the address of one of its assets. */
export function basePathOf(assetUrl: string): string {
  const { pathname } = new URL(assetUrl)
  return pathname.slice(0, Math.max(0, pathname.lastIndexOf('/assets/')))
}

/** Returns the name under which the browser keeps a value of this service. */
export function storageKey(name: string): string {
  return `oqs.${name}${BASE_PATH}`
}

/**
 * Returns the path of a screen: of an ontology, a type, an object or the objects at one of its links.
 * The type is that of a path in the router, which cannot know the names.
 */
export function screenPath(...names: readonly string[]): '/' {
  return `/o/${names.map(encodeURIComponent).join('/')}` as '/'
}
