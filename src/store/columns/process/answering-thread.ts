/** A thread that answers one message at a time. */
import { Worker, type WorkerOptions } from 'node:worker_threads'

export class AnsweringThread<Message, Answer> implements AsyncDisposable {
  readonly #worker: Worker
  #waiting: PromiseWithResolvers<Answer> | undefined
  #ended: Error | undefined

  constructor(module: URL, workerData: unknown, maxHeapMb: number) {
    const options: WorkerOptions = {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    }
    this.#worker = new Worker(module, options)
    this.#worker.on('message', (answer: Answer) => this.#settle(({ resolve }) => resolve(answer)))
    this.#worker.on('error', (error) => this.#end(error))
    this.#worker.on('exit', () => this.#end(new Error(`the thread ${module.pathname} ended`)))
  }

  get isBusy(): boolean {
    return this.#waiting !== undefined
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined
  }

  /** Sends a message. Rejects if the thread ends before it has answered. */
  ask(message: Message): Promise<Answer> {
    if (this.#waiting !== undefined) throw new Error('the thread has not answered yet')
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    this.#waiting = Promise.withResolvers<Answer>()
    this.tell(message)
    return this.#waiting.promise
  }

  /** Sends a message that has no answer. */
  tell(message: Message): void {
    this.#worker.postMessage(message)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate()
  }

  #end(error: Error): void {
    this.#ended ??= error
    this.#settle(({ reject }) => reject(error))
  }

  #settle(settle: (waiting: PromiseWithResolvers<Answer>) => void): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting !== undefined) settle(waiting)
  }
}
