import { resolveTypePath, type Viewer } from '../../access/find-visible.ts'
import { findLink } from '../../ontology/definition/links.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import { objectNotFound, readKey } from '../../service/pages/find-object.ts'
import type { LinkPath, LinkStart } from '../../service/pages/follow-link.ts'

/** Resolves a path that names an object and one of its links. */
export function resolveLink(
  path: LinkPath,
  viewer: Viewer,
): { readonly ontology: Ontology; readonly link: LinkStart } {
  const { ontology, objectType } = resolveTypePath(viewer, path)
  const side = findLink(ontology, objectType, path.linkType)
  const key = readKey(objectType, path.primaryKey)
  if (key === undefined) throw objectNotFound(objectType, path.primaryKey)
  return { ontology, link: { side, key } }
}
