/** A process that reads pages on request, so that reading costs the measured process nothing. */
import { type Call, Connection } from '../measure/connection.ts'

/** What to read, as a message to this process. */
export interface ReadOrder {
  readonly url: string
  readonly token: string
  readonly call: Call
  readonly times: number
}

const connections = new Map<string, Connection>()

process.on('message', async ({ url, token, call, times }: ReadOrder) => {
  const headers = { authorization: `Bearer ${token}` }
  const connection = connections.get(url) ?? (await Connection.open({ url: new URL(url), headers }))
  connections.set(url, connection)
  for (let page = 0; page < times; page += 1) await connection.drain(call)
  process.send?.('done')
})

process.once('disconnect', () => {
  for (const connection of connections.values()) connection[Symbol.dispose]()
})
