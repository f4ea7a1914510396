/** Counts answers, and keeps one request for each kind of answer. */
import type { FuzzRequest } from '../../test/fuzz/http/fuzz-request.ts'
import type { Answer, NoAnswer } from '../../test/fuzz/http/send-request.ts'

/** Longer requests are not kept: they would make the corpus unreadable. */
const KEPT_MAX_LENGTH = 1500

export class AnswerTally {
  readonly #statuses = new Map<string, number>()
  readonly #kept = new Map<string, FuzzRequest | undefined>()
  readonly #operations = new Set<string>()
  count = 0

  get kinds(): number {
    return this.#kept.size
  }

  get operations(): number {
    return this.#operations.size
  }

  add(request: FuzzRequest, answer: Answer | NoAnswer): void {
    this.count += 1
    this.#operations.add(request.operation)
    const status = typeof answer === 'string' ? answer : String(answer.status)
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1)
    const kind = kindOf(request, answer)
    const kept = this.#kept.get(kind)
    const isShort = JSON.stringify(request).length <= KEPT_MAX_LENGTH
    if (kept === undefined) this.#kept.set(kind, isShort ? request : undefined)
  }

  /** Returns how often each status was received. */
  describeStatuses(): string {
    const sorted = [...this.#statuses].toSorted(([a], [b]) => a.localeCompare(b))
    return sorted.map(([status, times]) => `${times.toLocaleString('en')} × ${status}`).join(', ')
  }

  /** Returns the kept requests, one per line. */
  toNdjson(): string {
    return [...this.#kept.values()]
      .filter((request) => request !== undefined)
      .map((request) => `${JSON.stringify(request)}\n`)
      .join('')
  }
}

/** The operation and the status of a success; otherwise the error, for all operations together. */
function kindOf({ operation }: FuzzRequest, answer: Answer | NoAnswer): string {
  if (typeof answer === 'string') return answer
  const { status, body } = answer
  if (status < 400) return `${operation} ${status}`
  try {
    const { errorName, parameters = {} } = JSON.parse(body.toString()) as {
      readonly errorName?: string
      readonly parameters?: Readonly<Record<string, unknown>>
    }
    const { parameter = '' } = parameters
    return `${status} ${errorName} ${parameter} ${Object.keys(parameters).join()}`
  } catch {
    return String(status)
  }
}
