/** A process that reads pages on request, so that reading costs the measured process nothing. */
import { type Call, Connection } from '../measure/connection.ts'

/** What to read, as a message to this process. */
export interface ReadOrder {
  readonly url: string
  readonly token: string
  readonly call: Call
  readonly times: number
}

process.on('message', async ({ url, token, call, times }: ReadOrder) => {
  const headers = { authorization: `Bearer ${token}` }
  using connection = await Connection.open({ url: new URL(url), headers })
  for (let page = 0; page < times; page += 1) await connection.drain(call)
  process.send?.('done')
})
