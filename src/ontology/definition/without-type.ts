/** Removes an object type from a definition, with what depends on it. */

import { ObjectQueryError } from '../../contract/errors.ts'
import type { Ontology } from '../ontology.ts'
import type { LinkTypeDefinition, OntologyDefinition } from './definition-schema.ts'

export interface RemovedType {
  /** The definition without the type and without its dependents. */
  readonly definition: OntologyDefinition
  /** The link types and links of interfaces that lead from or to the type, for messages. */
  readonly dependents: readonly string[]
  /** The API names of the link types among them. */
  readonly linkTypes: readonly string[]
}

export function withoutObjectType({ definition }: Ontology, objectType: string): RemovedType {
  const { linkTypes = [], interfaceTypes = [] } = definition
  const isRemoved = ({ from, to }: LinkTypeDefinition) => from === objectType || to === objectType
  const removed = linkTypes.filter(isRemoved)
  const leadsToType = ({ target }: InterfaceLinkDefinition) =>
    'objectType' in target && target.objectType === objectType
  const interfaceLinks = interfaceTypes.flatMap(({ apiName, links = [] }) =>
    links.filter(leadsToType).map((link) => `link ${link.apiName} of the interface ${apiName}`),
  )
  const ofLinks = removed.map(
    ({ apiName, from, to }) => `link type ${apiName} from ${from} to ${to}`,
  )
  return {
    definition: {
      ...definition,
      objectTypes: definition.objectTypes
        .filter(({ apiName }) => apiName !== objectType)
        .map((type) => withoutLinks(type, removed, interfaceTypes, leadsToType)),
      ...(definition.linkTypes && { linkTypes: linkTypes.filter((link) => !isRemoved(link)) }),
      ...(definition.interfaceTypes && {
        interfaceTypes: interfaceTypes.map((view) =>
          view.links === undefined
            ? view
            : { ...view, links: view.links.filter((link) => !leadsToType(link)) },
        ),
      }),
    },
    dependents: [...ofLinks, ...interfaceLinks],
    linkTypes: removed.map(({ apiName }) => apiName),
  }
}

type InterfaceDefinition = NonNullable<OntologyDefinition['interfaceTypes']>[number]
type InterfaceLinkDefinition = NonNullable<InterfaceDefinition['links']>[number]
type ObjectTypeDefinition = OntologyDefinition['objectTypes'][number]

/** Removes links that are gone from the implementations of a type. */
function withoutLinks(
  type: ObjectTypeDefinition,
  removed: readonly LinkTypeDefinition[],
  interfaceTypes: readonly InterfaceDefinition[],
  leadsToType: (link: InterfaceLinkDefinition) => boolean,
): ObjectTypeDefinition {
  if (type.implements === undefined) return type
  const ownLinks = new Set(
    removed.flatMap(({ from, apiName, to, reverseApiName }) => [
      ...(from === type.apiName ? [apiName] : []),
      ...(to === type.apiName && reverseApiName !== undefined ? [reverseApiName] : []),
    ]),
  )
  const interfaceLinks = new Set(
    interfaceTypes.flatMap(({ links = [] }) => links.filter(leadsToType).map((l) => l.apiName)),
  )
  const implemented = Object.entries(type.implements).map(([view, names]) => {
    if (names.links === undefined) return [view, names] as const
    const links = Object.entries(names.links).filter(
      ([link, own]) => !ownLinks.has(own) && !interfaceLinks.has(link),
    )
    return [view, { ...names, links: Object.fromEntries(links) }] as const
  })
  return { ...type, implements: Object.fromEntries(implemented) }
}

/** Throws if parts of an ontology would be deleted that a request does not name. */
export function refuseDependents(dependents: readonly string[], command: string): void {
  if (dependents.length === 0) return
  const reasons = dependents.map(
    (part) => `${part} would be deleted as well; to do so, use cascade=true (${command} --cascade)`,
  )
  throw new ObjectQueryError('OntologyChangeRefused', { reasons })
}
