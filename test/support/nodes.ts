import { setTimeout as sleep } from 'node:timers/promises'
import { lineOf, type OqsProcess, startOqs } from './oqs-process.ts'
import { ADMIN_TOKEN, type Answer, type Ask, askUrl, NO_CALLER_LIMITS } from './service.ts'

/** Several processes of the service on one store, asked in turn as a load balancer would. */
export interface Nodes extends AsyncDisposable {
  readonly count: number
  /**
   * Asks a node, and another one while none can answer: a node that is gone, or one that says that
   * it is not able to at the moment. Gives the answer and how often that happened.
   */
  ask(turn: number, path: string, ask?: Ask): Promise<{ answer: Answer; retries: number }>
  /** Kills a node and starts another one in its place. */
  replace(index: number): Promise<void>
  /** Waits until every node says that it is ready, or that it is not. */
  untilReady(isReady: boolean): Promise<void>
}

const PATIENCE_MS = 30_000

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
      const end = Date.now() + PATIENCE_MS
      for (let retries = 0; ; retries += 1) {
        const url = urls[(turn + retries) % count] ?? ''
        const answer = await askUrl(url + path, ask).catch((error: Error) => error)
        if (!(answer instanceof Error) && answer.status !== 503) return { answer, retries }
        if (Date.now() > end) {
          throw answer instanceof Error ? answer : new Error(`no node answers: ${answer.text}`)
        }
        await sleep(20)
      }
    },
    replace: async (index) => {
      await processes[index]?.[Symbol.asyncDispose]()
      await start(index)
    },
    untilReady: async (isReady) => {
      const end = Date.now() + PATIENCE_MS
      for (const url of urls) {
        while ((await askUrl(`${url}/readyz`, { token: null })).status !== (isReady ? 200 : 503)) {
          if (Date.now() > end) throw new Error(`a node stays ${isReady ? 'un' : ''}ready`)
          await sleep(20)
        }
      }
    },
    [Symbol.asyncDispose]: stop,
  }
}
