/** Shows how far the service is with converting objects for a change of their definition. */
import type { DefinitionChange } from '../client/endpoints/definition-change.ts'
import { countOf, formatCount } from '../contract/count-of.ts'
import { type Progress, startProcessProgress } from './progress.ts'

/** Returns the progress of a change, which is shown from its first report on. */
export function changeProgress(name: string) {
  let progress: Progress | undefined
  return {
    update(now: DefinitionChange): void {
      const { objects, totalObjects } = countsOf(now)
      progress ??= startProcessProgress(`changing ${name}`, { totalObjects })
      progress.update(
        isCopying(now) ? { objects, bytes: 0, isLowerBound: true } : { label: stageOf(now) },
      )
    },
    end: () => progress?.end(),
  }
}

/** Describes a change in a line, such as `converting objects: 12,000 of 200,000 objects`. */
export function describeProgress(change: DefinitionChange): string {
  const { objects, totalObjects } = countsOf(change)
  return isCopying(change)
    ? `converting objects: ${formatCount(objects)} of ${countOf(totalObjects, 'object')}`
    : stageOf(change)
}

function isCopying({ objectTypes }: DefinitionChange): boolean {
  return objectTypes.some(({ phase }) => phase === 'copying')
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
