/** The caller that others must not hurt: small requests, one at a time, each of them timed. */
import { type Agent, request } from 'node:http'
import { LIST_PATH } from './dataset.ts'

export interface SmallRequest {
  readonly name: string
  readonly path: string
  readonly body?: object
}

/** Other objects each time, so that no answer comes from memory. */
export function smallRequests(n: number): readonly SmallRequest[] {
  const id = `i${String(n % 10_000).padStart(7, '0')}`
  const search = (query: object) => ({ path: `${LIST_PATH}/search`, body: { query, pageSize: 10 } })
  const text = 'properties.text'
  return [
    { name: 'list 10 objects', path: `${LIST_PATH}?pageSize=${5 + (n % 10)}` },
    { name: 'get one object', path: `${LIST_PATH}/${id}` },
    { name: 'search by an equality', ...search({ type: 'eq', field: 'properties.id', value: id }) },
    {
      name: 'search for a rare word',
      ...search({ type: 'anyTerm', field: text, value: `rare${n % 10_000}` }),
    },
    { name: 'readiness', path: '/readyz' },
  ]
}

export const SMALL_REQUEST_NAMES = smallRequests(0).map(({ name }) => name)

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
