import { setTimeout as sleep } from 'node:timers/promises'
import { lineOf, type OqsProcess, startOqs } from './oqs-process.ts'
import { ADMIN_TOKEN, type Answer, type Ask, askUrl, NO_CALLER_LIMITS } from './service.ts'

/** Several processes of the service on one store, asked in turn as a load balancer would. */
export interface Nodes extends AsyncDisposable {
  readonly count: number
  /**
   * Asks a node, and another one while none can answer: a node that is gone, or one that says that
   * it is not able to at the moment. Gives the answer and why others gave none.
   */
  ask(turn: number, path: string, ask?: Ask): Promise<{ answer: Answer; refusals: string[] }>
  /** Kills a node and starts another one in its place. */
  replace(index: number): Promise<void>
  /** Waits until every node says that it is ready, or that it is not. */
  untilReady(isReady: boolean): Promise<void>
}

/** Each after a pause, so this is more than a minute; on a busy machine attempts take longer. */
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
    urls[index] = await lineOf(node, 'listening on ')
  }
  const stop = async () => {
    await Promise.all(processes.map((node) => node[Symbol.asyncDispose]()))
  }
  try {
    // All at once: they must not stumble over each other when the store is empty.
    await Promise.all(Array.from({ length: count }, (_, index) => start(index)))
  } catch (error) {
    await stop()
    throw error
  }

  return {
    count,
    ask: async (turn, path, ask) => {
      const refusals: string[] = []
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const url = urls[(turn + attempt) % count] ?? ''
        const answer = await askUrl(url + path, ask).catch((error: Error) => error)
        if (!(answer instanceof Error) && answer.status !== 503) return { answer, refusals }
        refusals.push(answer instanceof Error ? answer.message : answer.body.parameters.reason)
        await sleep(PAUSE_MS)
      }
      throw new Error(`no node answers: ${refusals.at(-1)}`)
    },
    replace: async (index) => {
      await processes[index]?.[Symbol.asyncDispose]()
      await start(index)
    },
    untilReady: async (isReady) => {
      const expected = isReady ? 200 : 503
      const askReady = async (url: string) =>
        (await askUrl(`${url}/readyz`, { token: null })).status === expected
      for (const url of urls) {
        for (let attempt = 0; !(await askReady(url)); attempt += 1) {
          if (attempt === ATTEMPTS) throw new Error(`a node stays ${isReady ? 'un' : ''}ready`)
          await sleep(PAUSE_MS)
        }
      }
    },
    [Symbol.asyncDispose]: stop,
  }
}
