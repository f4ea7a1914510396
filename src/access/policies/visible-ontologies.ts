import type { OntologyEntry } from '../../ontology/catalogue.ts'
import type { AccessServices } from '../access-services.ts'
import { viewOf } from '../authenticate.ts'
import type { Viewer } from '../find-visible.ts'

/**
 * Returns the ontologies that a caller may see, by API name. Whether policies show one depends on its
 * definition, so definitions are loaded one after the other, each in a turn of its own.
 */
export async function visibleOntologies(
  { caller, catalogue }: Viewer,
  services: Pick<AccessServices, 'store' | 'views' | 'admission'>,
): Promise<readonly OntologyEntry[]> {
  const { views, admission } = services
  const { entries } = catalogue.index
  const allowed = entries.filter((entry) => caller.maySee(entry))
  if (caller.policies === undefined) return allowed
  const policies = await views.read(caller.policies)
  const visible: OntologyEntry[] = []
  for (const entry of allowed.filter((one) => views.mayShow(one, policies))) {
    const name = { ontology: entry.rid }
    const seen = await viewOf(name, { caller, catalogue }, services, policies)
    if (seen.catalogue.ontologies.length > 0) visible.push(entry)
    await admission.takeTurn(caller.id)
  }
  return visible
}
