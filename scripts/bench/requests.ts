import type { Call } from './http-client.ts'
import { FAMILY, OBJECT_TYPE, ONTOLOGY, partNumber } from './objects.ts'

/** How the service is asked. */

/** The requests of one walk: a size and a token in, the request of that page out. */
export type Pages = (pageSize: number, pageToken?: string) => Call

const OBJECTS = `/api/v1/ontologies/${ONTOLOGY}/objects/${OBJECT_TYPE}`

/** A listing of revision 1.0, with the given parameters. */
export function listPages(parameters: Readonly<Record<string, string>> = {}): Pages {
  return (pageSize, pageToken) => {
    const query = new URLSearchParams({ ...parameters, pageSize: String(pageSize) })
    if (pageToken !== undefined) query.set('pageToken', pageToken)
    return { method: 'GET', path: `${OBJECTS}?${query}` }
  }
}

/** A search of revision 1.0. */
export function searchPages1(query: object): Pages {
  return (pageSize, pageToken) => ({
    method: 'POST',
    path: `${OBJECTS}/search`,
    body: JSON.stringify({ query, pageSize, pageToken }),
  })
}

/** A search of revision 2.0, whose pages have at most 100 objects. */
export function searchPages2(query: object): Pages {
  return (pageSize, pageToken) => ({
    method: 'POST',
    path: `/api/${FAMILY}/v1/objects/types/${OBJECT_TYPE}/search`,
    body: JSON.stringify({ query, pageSize, pageToken }),
  })
}

export function getObject(number: number): Call {
  return { method: 'GET', path: `${OBJECTS}/${partNumber(number)}` }
}
