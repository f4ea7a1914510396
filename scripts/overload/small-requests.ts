/** The caller that others must not hurt: small requests, one at a time, each of them timed. */
import { type Agent, request } from 'node:http'
import { LIST_PATH } from './dataset.ts'

export interface SmallRequest {
  readonly name: string
  readonly path: string
  readonly body?: object
}

export const SMALL_REQUESTS: readonly SmallRequest[] = [
  { name: 'list 10 objects', path: `${LIST_PATH}?pageSize=10` },
  { name: 'get one object', path: `${LIST_PATH}/i0000042` },
  {
    name: 'search by an equality',
    path: `${LIST_PATH}/search`,
    body: { query: { type: 'eq', field: 'properties.id', value: 'i0000007' }, pageSize: 10 },
  },
  {
    name: 'search for a rare word',
    path: `${LIST_PATH}/search`,
    body: { query: { type: 'anyTerm', field: 'properties.text', value: 'rare77' }, pageSize: 10 },
  },
  { name: 'readiness', path: '/readyz' },
]

export interface Timed {
  readonly name: string
  readonly status: number
  readonly ms: number
}

export function sendSmall(
  { name, path, body }: SmallRequest,
  url: string,
  token: string,
  agent: Agent,
): Promise<Timed> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const sent = request(url + path, {
      agent,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      response.resume()
      response.on('error', reject)
      response.on('end', () => {
        resolve({ name, status: response.statusCode ?? 0, ms: performance.now() - started })
      })
    })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
