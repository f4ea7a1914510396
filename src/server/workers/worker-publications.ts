/**
 * New versions of object types, which all processes of a service must know: one publishes a version,
 * and requests in others wait for it. Only for stores that do not tell other processes themselves.
 */
import cluster, { type Worker } from 'node:cluster'
import type { ObjectStore, Publications } from '../../store/object-store.ts'
import { onWorkerMessage } from './worker-damage.ts'

/** Sent from a worker to the supervisor, and from there to every other worker. */
interface PublishedMessage {
  /** The RIDs of the types; `null` stands for any type. */
  readonly published: readonly (string | null)[]
}

/** Connects a worker with the others. */
export function sharePublications({ publications }: ObjectStore): void {
  const own = followOwn(publications, (message) =>
    // A supervisor that is gone cannot receive messages.
    process.send?.(message, undefined, undefined, () => {}),
  )
  process.on('message', (message: object) => {
    if (isPublishedMessage(message)) own.receive(message)
  })
}

/** The supervisor's side: passes on what its workers, and its own maintenance, have published. */
export function passOnPublications({ publications }: ObjectStore): Disposable {
  const own = followOwn(publications, (message) => tellWorkers(message))
  return onWorkerMessage((message, sender) => {
    if (!isPublishedMessage(message)) return
    own.receive(message)
    tellWorkers(message, sender)
  })
}

function tellWorkers(message: PublishedMessage, sender?: Worker): void {
  for (const worker of Object.values(cluster.workers ?? {})) {
    if (worker !== undefined && worker !== sender && worker.isConnected()) {
      worker.send(message, () => {})
    }
  }
}

interface OwnPublications {
  /** Passes on what another process has published. */
  receive(message: PublishedMessage): void
}

/** Sends what this process publishes itself, once for each round of the event loop. */
function followOwn(
  publications: Publications,
  send: (message: PublishedMessage) => void,
): OwnPublications {
  const unsent = new Set<string | null>()
  let isReceiving = false
  const flush = () => {
    const published = [...unsent]
    unsent.clear()
    send({ published })
  }
  if (!publications.reachesOthers) {
    publications.follow((typeRid) => {
      if (isReceiving) return
      if (unsent.size === 0) setImmediate(flush)
      unsent.add(typeRid ?? null)
    })
  }
  return {
    receive({ published }) {
      isReceiving = true
      for (const typeRid of published) publications.announce(typeRid ?? undefined)
      isReceiving = false
    },
  }
}

function isPublishedMessage(message: object): message is PublishedMessage {
  return 'published' in message
}
