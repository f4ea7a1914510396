/** Sends generated requests to a service and checks every answer. */
import { Random } from '../random.ts'
import { answerCheck } from './answer-check.ts'
import { buildRequest } from './build-request.ts'
import type { FuzzRequest } from './fuzz-request.ts'
import { mutateRequest } from './mutate-request.ts'
import { type OpenApiDocument, operationsOf } from './openapi-operations.ts'
import { type FuzzTarget, prepareService } from './prepare-service.ts'
import { type Answer, type NoAnswer, type Placeholders, sendRequest } from './send-request.ts'

export interface Failure {
  readonly seed: number | undefined
  readonly request: FuzzRequest
  readonly mistake: string
}

export interface HttpFuzzOptions {
  readonly seed: number
  readonly requests: number
  /** Sees every answer. */
  readonly onAnswer?: (request: FuzzRequest, answer: Answer | NoAnswer, seed: number) => void
  readonly onFailure: (failure: Failure) => void
}

/** Requests delete and change data, so the data is restored from time to time. */
const RESTORED_EVERY = 500

export class HttpFuzzer {
  readonly #target: FuzzTarget
  readonly #document: OpenApiDocument
  readonly #check: ReturnType<typeof answerCheck>
  #placeholders: Placeholders = new Map()
  #sent = 0

  private constructor(target: FuzzTarget, document: OpenApiDocument) {
    this.#target = target
    this.#document = document
    this.#check = answerCheck(document)
  }

  static async open(target: FuzzTarget): Promise<HttpFuzzer> {
    const response = await fetch(new URL('/openapi.json', target.url))
    return new HttpFuzzer(target, (await response.json()) as OpenApiDocument)
  }

  /** Sends generated requests: the n-th has the seed `seed + n`, and can be sent alone again. */
  async run({ seed, requests, onAnswer, onFailure }: HttpFuzzOptions): Promise<void> {
    const operations = operationsOf(this.#document)
    for (let own = seed; own < seed + requests; own += 1) {
      const random = new Random(own)
      const built = buildRequest(random.pick(operations), this.#document, random)
      const request = mutateRequest(built, random)
      const { answer, mistake } = await this.send(request)
      onAnswer?.(request, answer, own)
      if (mistake !== undefined) onFailure({ seed: own, request, mistake })
    }
  }

  /** Sends one request and returns the mistake of its answer, if there is one. */
  async send(
    request: FuzzRequest,
  ): Promise<{ readonly answer: Answer | NoAnswer; readonly mistake: string | undefined }> {
    if (this.#sent % RESTORED_EVERY === 0) this.#placeholders = await prepareService(this.#target)
    this.#sent += 1
    const answer = await sendRequest(this.#target.url, request, this.#placeholders, this.#sent)
    return { answer, mistake: this.#check(request, answer) }
  }
}
