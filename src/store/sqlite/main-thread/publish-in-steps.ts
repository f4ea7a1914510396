import type { TaskOwner } from '../../../admission/fair-queue.ts'
import type { Publication } from '../../core/tables/replacements.ts'
import type { Commit } from '../../object-store.ts'
import type { WriteConnections } from './write-connections.ts'

/**
 * Publishes a replacement, after the batches that are being written to it. Builds one index at a
 * time, so that other writers can run in between.
 */
export function publishInSteps(
  { queue, guard, writer, staged }: WriteConnections,
  { typeRid, replacement, mode, audit }: Publication,
  { callerId }: TaskOwner,
  onIndexed?: (indexes: number) => void,
): Promise<Commit> {
  const target = { typeRid, replacement, mode }
  const owner = { callerId, key: replacement }
  const buildIndex = () =>
    queue.run({ callerId }, () => guard.write(() => writer.run('indexReplacement', target)))
  const publish = () =>
    queue.run({ callerId }, () =>
      guard.write(() => writer.run('publishReplacement', { ...target, audit })),
    )
  return staged.alone(owner, async () => {
    for (let built = 1; await buildIndex(); built += 1) onIndexed?.(built)
    const wait = { progress: '', sinceMs: 0 }
    for (;;) {
      const outcome = await publish()
      if (!('blockedBy' in outcome)) return outcome
      await staged.clear(owner, outcome.blockedBy, wait)
    }
  })
}
