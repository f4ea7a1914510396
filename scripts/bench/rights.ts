/** Lists of callers whose policies hide objects or properties. */
import { casesOf } from '../measure/cases.ts'
import { OBJECT_TYPE, ONTOLOGY } from '../measure/parts.ts'
import type { Case } from '../measure/rounds.ts'
import { administer, type Service } from '../measure/service.ts'
import { listPages } from '../measure/walk.ts'
import { WITH_RULE, WITHOUT_POLICY } from './marks.ts'

const RULE = { where: { type: 'eq', field: 'category', value: 'rotor' } }
const HIDDEN = { hide: ['revision'] }

/** What each caller may see, and which share of the objects that is. Without rights: everything. */
const CALLERS = [
  { name: WITHOUT_POLICY, rights: undefined, share: 1 },
  { name: WITH_RULE, rights: RULE, share: 1 / 7 },
  { name: 'list with a hidden property', rights: HIDDEN, share: 1 },
  { name: 'list with both', rights: { ...RULE, ...HIDDEN }, share: 1 / 7 },
]

export async function rightsCases(service: Service, objects: number): Promise<readonly Case[]> {
  const cases: Case[] = []
  for (const { name, rights, share } of CALLERS) {
    const policy = name.replaceAll(' ', '-')
    const right = { ontology: ONTOLOGY, objectType: OBJECT_TYPE, access: 'read', ...rights }
    if (rights) await administer(service, 'PUT', `policies/${policy}`, { rights: [right] })
    const limits = rights && { policies: [policy] }
    const created = await administer(service, 'POST', 'tokens', { name, ...limits })
    const { token } = created as { readonly token: string }
    const caller = { ...service, headers: { authorization: `Bearer ${token}` } }
    // Pages from the second on, because the first one also counts.
    const query = { name, pages: listPages(), ranges: ['next'] as const, share }
    cases.push(...(await casesOf(caller, query, objects)))
  }
  return cases
}
