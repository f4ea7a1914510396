/** Shows how far the service is with converting objects for a change of their definition. */
import type { DefinitionChange } from '../client/endpoints/definition-change.ts'
import { countOf } from '../contract/count-of.ts'
import { type Progress, startProcessProgress } from './progress.ts'

/** Returns the progress of a change, which is shown from its first report on. */
export function changeProgress(name: string) {
  let progress: Progress | undefined
  return {
    update(now: DefinitionChange): void {
      const { objects, totalObjects } = countsOf(now)
      progress ??= startProcessProgress(`changing ${name}`, { totalObjects })
      const isCopying = now.objectTypes.some(({ phase }) => phase === 'copying')
      progress.update(
        isCopying ? { objects, bytes: 0, isLowerBound: true } : { label: stageOf(now) },
      )
    },
    end: () => progress?.end(),
  }
}

/** Describes the stage of a change whose objects are all converted. */
function stageOf({ objectTypes, loadingObjects }: DefinitionChange): string {
  if (objectTypes.some(({ phase }) => phase === 'indexing')) return 'building indexes'
  return loadingObjects === undefined
    ? 'publishing'
    : `waiting for a replacement (${countOf(loadingObjects, 'object')})`
}

function countsOf({ objectTypes }: DefinitionChange) {
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)
  return {
    objects: sum(objectTypes.map(({ objects }) => objects)),
    totalObjects: sum(objectTypes.map(({ totalObjects }) => totalObjects)),
  }
}
