import { type Call, readBody, type Target } from '../bench/http-client.ts'
import { listPages, searchPages2 } from '../bench/requests.ts'
import { findToken } from '../bench/walk.ts'

/** The requests that are measured. */

export { getObject } from '../bench/requests.ts'

export type Mode = 'default' | 'snapshot'

const LISTS = { default: listPages(), snapshot: listPages({ snapshot: 'true' }) }

export function listPage(pageSize: number, mode: Mode, pageToken: string | undefined): Call {
  return LISTS[mode](pageSize, pageToken)
}

const QUESTION_PAGE = 100

/** All objects above a weight, the lightest first: half of them. */
export function rangePage(pageToken: string | undefined): Call {
  return listPages({ 'p.weight.gte': '600', orderBy: 'p.weight' })(QUESTION_PAGE, pageToken)
}

export function searchPage(query: object): Call {
  return searchPages2(query)(QUESTION_PAGE)
}

/** Reads a page; gives the token of the next one. */
export async function readNextToken(service: Target, call: Call): Promise<string | undefined> {
  return findToken(await readBody(service, call))
}
