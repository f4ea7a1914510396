/**
 * The metrics of worker processes. Any worker can be asked for the metrics of the service, so it asks
 * the supervisor, which collects those of all workers and its own.
 */
import type { Worker } from 'node:cluster'
import type { CollectedMetrics } from '../server/metrics/service-metrics.ts'

/** A worker that does not answer in time is left out: it may be busy or ending. */
const ANSWER_TIMEOUT_MS = 2000

type Collect = () => Promise<CollectedMetrics>

/** A message from a worker to the supervisor. */
type ToSupervisor =
  | { readonly metricsOfService: number }
  | { readonly metricsOfWorker: number; readonly collected: CollectedMetrics }

/** A message from the supervisor to a worker. */
type ToWorker =
  | { readonly collectMetrics: number }
  | { readonly serviceMetrics: number; readonly processes: readonly CollectedMetrics[] }

/** Matches answers to questions by number. */
class Answers<Answer> {
  readonly #waiting = new Map<number, (answer: Answer | undefined) => void>()
  #last = 0

  /** Asks, and returns the answer; undefined if there is none in time. */
  async ask(send: (question: number) => void): Promise<Answer | undefined> {
    this.#last += 1
    const question = this.#last
    const { promise, resolve } = Promise.withResolvers<Answer | undefined>()
    const timeout = setTimeout(() => resolve(undefined), ANSWER_TIMEOUT_MS)
    this.#waiting.set(question, resolve)
    send(question)
    try {
      return await promise
    } finally {
      clearTimeout(timeout)
      this.#waiting.delete(question)
    }
  }

  answer(question: number, answer: Answer): void {
    this.#waiting.get(question)?.(answer)
  }
}

/** Answers the supervisor, and returns a function that asks it for the metrics of the service. */
export function shareMetrics(collect: Collect): () => Promise<readonly CollectedMetrics[]> {
  const answers = new Answers<readonly CollectedMetrics[]>()
  const send = (message: ToSupervisor) => process.send?.(message)
  process.on('message', (message: ToWorker) => {
    if ('serviceMetrics' in message) answers.answer(message.serviceMetrics, message.processes)
    if ('collectMetrics' in message) {
      const { collectMetrics: metricsOfWorker } = message
      // Without an answer, the worker is left out.
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
  readonly #answers = new Answers<CollectedMetrics>()
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
    const collected = await Promise.all([
      this.#collectOwn(),
      ...this.#serving().map((one) =>
        this.#answers.ask((collectMetrics) => send(one, { collectMetrics })),
      ),
    ])
    const processes = collected.filter((metrics) => metrics !== undefined)
    send(worker, { serviceMetrics, processes })
  }
}

function send(worker: Worker, message: ToWorker): void {
  // A worker that has just ended cannot receive messages.
  if (worker.isConnected()) worker.send(message, () => {})
}
