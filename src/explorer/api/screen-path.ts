/**
 * Returns the path of a screen: of an ontology, a type, an object or the objects at one of its links.
 * The type is that of a path in the router, which cannot know the names.
 */
export function screenPath(...names: readonly string[]): '/' {
  return `/o/${names.map(encodeURIComponent).join('/')}` as '/'
}
