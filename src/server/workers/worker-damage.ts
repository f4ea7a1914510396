/**
 * Damage of the store, which all processes of a service must know: one finds it, and the others would
 * still serve pages from the same file.
 */
import cluster, { type Worker } from 'node:cluster'
import type { ObjectStore } from '../../store/object-store.ts'
import type { Log, ServerEvent } from '../log.ts'

/** Sent from a worker that has found damage to the supervisor, and from there to every worker. */
interface DamageMessage {
  readonly damage: string
}

/** Returns a log that also tells the supervisor when this worker finds damage. */
export function withDamageReports(log: Log): Log {
  return (event) => {
    log(event)
    const damage = damageOf(event)
    // A supervisor that is gone cannot receive messages.
    if (damage !== undefined) process.send?.({ damage }, undefined, undefined, () => {})
  }
}

/** Makes a worker reject every request once another process has found damage. */
export function followDamage({ reportDamage }: ObjectStore): void {
  process.on('message', (message: object) => {
    if (isDamageMessage(message)) reportDamage?.(message.damage)
  })
}

/** The supervisor's side: passes damage on to all workers, including those that start later. */
export class WorkerDamage {
  #damage: string | undefined

  /** Handles an event of the supervisor's own store. */
  readonly observe = (event: ServerEvent): void => {
    const damage = damageOf(event)
    if (damage === undefined) return
    this.#damage = damage
    for (const worker of Object.values(cluster.workers ?? {})) if (worker) this.tell(worker)
  }

  /** Reports what workers find to the supervisor's own store, which passes it on to the others. */
  follow({ reportDamage }: ObjectStore): Disposable {
    return onWorkerMessage((message) => {
      if (isDamageMessage(message)) reportDamage?.(message.damage)
    })
  }

  /** Tells a worker that serves. */
  tell(worker: Worker): void {
    if (this.#damage === undefined || !worker.isConnected()) return
    const message: DamageMessage = { damage: this.#damage }
    worker.send(message, () => {})
  }
}

/** Calls a listener with every message of a worker. */
export function onWorkerMessage(listener: (message: object, worker: Worker) => void): Disposable {
  const onMessage = (worker: Worker, message: object) => listener(message, worker)
  cluster.on('message', onMessage)
  return { [Symbol.dispose]: () => cluster.off('message', onMessage) }
}

function isDamageMessage(message: object): message is DamageMessage {
  return 'damage' in message
}

function damageOf(event: ServerEvent): string | undefined {
  return event.event === 'storeDamaged' ? (event.error as Error).message : undefined
}
