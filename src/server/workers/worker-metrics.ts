/**
 * The metrics of worker processes. Any worker can be asked for the metrics of the service, so it asks
 * the supervisor, which collects those of all workers and its own.
 */
import type { Worker } from 'node:cluster'
import { addUpMetrics, type CollectedMetrics, withoutGauges } from '../metrics/service-metrics.ts'

/** A worker that does not answer in time is busy or ending: its last answer is used. */
const WORKER_TIMEOUT_MS = 2000
/** Longer, so that the supervisor answers before. */
const SUPERVISOR_TIMEOUT_MS = 5000

type Collect = () => Promise<CollectedMetrics>

/** A message from a worker to the supervisor. */
type ToSupervisor =
  | { readonly metricsOfService: number }
  | { readonly metricsOfWorker: number; readonly collected: CollectedMetrics }

/** A message from the supervisor to a worker. */
type ToWorker =
  | { readonly collectMetrics: number }
  | { readonly serviceMetrics: number; readonly processes: readonly CollectedMetrics[] }

/** Matches answers to requests by number. */
class Answers<Answer> {
  readonly #waiting = new Map<number, (answer: Answer | undefined) => void>()
  readonly #timeoutMs: number
  #last = 0

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  /** Asks, and returns the answer; undefined if there is none in time. */
  async ask(send: (requestId: number) => void): Promise<Answer | undefined> {
    this.#last += 1
    const requestId = this.#last
    const { promise, resolve } = Promise.withResolvers<Answer | undefined>()
    const timeout = setTimeout(() => resolve(undefined), this.#timeoutMs)
    this.#waiting.set(requestId, resolve)
    send(requestId)
    try {
      return await promise
    } finally {
      clearTimeout(timeout)
      this.#waiting.delete(requestId)
    }
  }

  answer(requestId: number, answer: Answer): void {
    this.#waiting.get(requestId)?.(answer)
  }
}

/** Answers the supervisor, and returns a function that asks it for the metrics of the service. */
export function shareMetrics(collect: Collect): () => Promise<readonly CollectedMetrics[]> {
  const answers = new Answers<readonly CollectedMetrics[]>(SUPERVISOR_TIMEOUT_MS)
  const send = (message: ToSupervisor) => process.send?.(message)
  process.on('message', (message: ToWorker) => {
    if ('serviceMetrics' in message) answers.answer(message.serviceMetrics, message.processes)
    if ('collectMetrics' in message) {
      const { collectMetrics: metricsOfWorker } = message
      // Without an answer, the supervisor uses the last one.
      collect().then(
        (collected) => send({ metricsOfWorker, collected }),
        () => {},
      )
    }
  })
  return async () =>
    (await answers.ask((metricsOfService) => send({ metricsOfService }))) ?? [await collect()]
}

/** The supervisor's side: collects the metrics of all workers that serve. */
export class WorkerMetrics {
  readonly #answers = new Answers<CollectedMetrics>(WORKER_TIMEOUT_MS)
  /** By worker. */
  readonly #lastAnswers = new Map<number, CollectedMetrics>()
  /** What workers counted that have ended, so that no counter falls. */
  #ofEnded: CollectedMetrics = []
  readonly #collectOwn: Collect
  readonly #serving: () => readonly Worker[]

  constructor(collectOwn: Collect, serving: () => readonly Worker[]) {
    this.#collectOwn = collectOwn
    this.#serving = serving
  }

  /** Handles a message of a worker. Returns false if it is not about metrics. */
  handle(worker: Worker, message: object): boolean {
    const about = message as ToSupervisor
    if ('metricsOfWorker' in about) this.#answers.answer(about.metricsOfWorker, about.collected)
    else if ('metricsOfService' in about) void this.#answerWorker(worker, about.metricsOfService)
    else return false
    return true
  }

  async #answerWorker(worker: Worker, serviceMetrics: number): Promise<void> {
    const serving = this.#serving()
    const asked = serving.map(async (one) => {
      const collected = await this.#answers.ask((collectMetrics) => send(one, { collectMetrics }))
      if (collected !== undefined) this.#lastAnswers.set(one.id, collected)
    })
    const [own] = await Promise.all([this.#collectOwn(), ...asked])
    const isServing = new Set(serving.map(({ id }) => id))
    for (const [id, collected] of this.#lastAnswers) {
      if (isServing.has(id)) continue
      this.#lastAnswers.delete(id)
      this.#ofEnded = await addUpMetrics([this.#ofEnded, withoutGauges(collected)])
    }
    const processes = [own, this.#ofEnded, ...this.#lastAnswers.values()]
    send(worker, { serviceMetrics, processes })
  }
}

function send(worker: Worker, message: ToWorker): void {
  // A worker that has just ended cannot receive messages.
  if (worker.isConnected()) worker.send(message, () => {})
}
