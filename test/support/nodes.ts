import { setTimeout as sleep } from 'node:timers/promises'
import { type OqsProcess, startOqs, waitForLine } from './oqs-process.ts'
import {
  ADMIN_TOKEN,
  NO_CALLER_LIMITS,
  type SendOptions,
  sendTo,
  type TestResponse,
} from './service.ts'

/** Several service processes on one store, used in turn like behind a load balancer. */
export interface Nodes extends AsyncDisposable {
  readonly count: number
  /**
   * Sends a request to a node, and to the next one if that is gone or returns 503. Returns the
   * response, and the reasons why other nodes failed.
   */
  send(
    turn: number,
    path: string,
    options?: SendOptions,
  ): Promise<{ response: TestResponse; refusals: string[] }>
  /** Kills a node and starts a new one. */
  replace(index: number): Promise<void>
  /** Waits until every node reports that it is ready, or that it is not. */
  untilReady(isReady: boolean): Promise<void>
}

/** With the pauses, more than a minute; longer on a busy machine. */
const ATTEMPTS = 3000
const PAUSE_MS = 20

export async function startNodes(store: string, count: number): Promise<Nodes> {
  const settings = {
    OQS_PORT: '0',
    OQS_STORE: store,
    OQS_ADMIN_TOKEN: ADMIN_TOKEN,
    ...NO_CALLER_LIMITS,
    OQS_LIST_OBJECTS_LIMIT: 'none',
  }
  const processes: OqsProcess[] = []
  const urls: string[] = []
  const start = async (index: number) => {
    const node = startOqs(['serve'], settings)
    processes[index] = node
    urls[index] = await waitForLine(node, 'listening on ')
  }
  const stop = async () => {
    await Promise.all(processes.map((node) => node[Symbol.asyncDispose]()))
  }
  try {
    // All at once, to test that they can migrate an empty store concurrently.
    await Promise.all(Array.from({ length: count }, (_, index) => start(index)))
  } catch (error) {
    await stop()
    throw error
  }

  return {
    count,
    send: async (turn, path, options) => {
      const refusals: string[] = []
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const url = urls[(turn + attempt) % count] ?? ''
        const response = await sendTo(url + path, options).catch((error: Error) => error)
        if (!(response instanceof Error) && response.status !== 503) return { response, refusals }
        refusals.push(
          response instanceof Error ? response.message : response.body.parameters.reason,
        )
        await sleep(PAUSE_MS)
      }
      throw new Error(`no node responds: ${refusals.at(-1)}`)
    },
    replace: async (index) => {
      await processes[index]?.[Symbol.asyncDispose]()
      await start(index)
    },
    untilReady: async (isReady) => {
      const expected = isReady ? 200 : 503
      const hasExpectedStatus = async (url: string) =>
        (await sendTo(`${url}/readyz`, { token: null })).status === expected
      for (const url of urls) {
        for (let attempt = 0; !(await hasExpectedStatus(url)); attempt += 1) {
          if (attempt === ATTEMPTS) {
            throw new Error(`a node is still ${isReady ? 'not ready' : 'ready'}`)
          }
          await sleep(PAUSE_MS)
        }
      }
    },
    [Symbol.asyncDispose]: stop,
  }
}
