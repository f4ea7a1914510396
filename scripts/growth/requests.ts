import { type Call, readBody, type Target } from '../bench/http-client.ts'
import { FAMILY, OBJECT_TYPE, ONTOLOGY, partNumber } from '../bench/objects.ts'

/** The requests that are measured. */

const OBJECTS_PATH = `/api/v1/ontologies/${ONTOLOGY}/objects/${OBJECT_TYPE}`

export type Mode = 'default' | 'snapshot'

export function listPage(pageSize: number, mode: Mode, pageToken: string | undefined): Call {
  const query = new URLSearchParams({ pageSize: String(pageSize) })
  if (mode === 'snapshot') query.set('snapshot', 'true')
  if (pageToken !== undefined) query.set('pageToken', pageToken)
  return { method: 'GET', path: `${OBJECTS_PATH}?${query}` }
}

const QUESTION_PAGE = 100

/** All objects above a weight, the lightest first: half of them. */
export function rangePage(pageToken: string | undefined): Call {
  const query = new URLSearchParams({
    pageSize: String(QUESTION_PAGE),
    'p.weight.gte': '600',
    orderBy: 'p.weight',
  })
  if (pageToken !== undefined) query.set('pageToken', pageToken)
  return { method: 'GET', path: `${OBJECTS_PATH}?${query}` }
}

export function searchPage(query: object): Call {
  return {
    method: 'POST',
    path: `/api/${FAMILY}/v1/objects/types/${OBJECT_TYPE}/search`,
    contentType: 'application/json',
    body: JSON.stringify({ query, pageSize: QUESTION_PAGE }),
  }
}

export function getObject(number: number): Call {
  return { method: 'GET', path: `${OBJECTS_PATH}/${partNumber(number)}` }
}

/** More than the token and what follows it in the envelope. */
const TAIL_BYTES = 1200

/** Reads a page; gives the token of the next one, for which nothing needs to be parsed. */
export async function readNextToken(service: Target, call: Call): Promise<string | undefined> {
  const page = await readBody(service, call)
  const tail = page.toString('latin1', Math.max(0, page.length - TAIL_BYTES))
  return /"nextPageToken":"([^"]+)"[^\]]*$/.exec(tail)?.[1]
}
