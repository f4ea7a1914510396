/** Takes a load back: by the worker that did it, or by removing the type that was created for it. */
import { countOf } from '../../contract/count-of.ts'
import type { UndoResult } from '../../transfer/compare/stored-objects.ts'
import type { Service } from '../api/service.ts'
import type { LastChange } from '../session/use-writes.ts'
import type { LoadSpec } from './messages.ts'
import type { Ended, LoadWorker } from './use-file-load.ts'

/** Returns the load as the last change of the tab; undefined if it cannot be taken back. */
export function undoableLoad(
  ended: Ended,
  worker: LoadWorker,
  onTypeRemoved: () => Promise<void>,
): LastChange | undefined {
  const { spec, counts, remains } = ended
  const { apiName } = spec.objectType
  if (remains === undefined || remains.isTypeRemoved) return undefined
  if (spec.created !== undefined) {
    return {
      text: `Created ${apiName} with ${countOf(counts.put, 'object')}.`,
      undo: async (service) => {
        const text = await removeLoadedType(spec, remains.version, service)
        await onTypeRemoved()
        return text
      },
    }
  }
  if (!remains.isUndoable) return undefined
  return {
    text: `Loaded ${spec.file.name} into ${apiName}.`,
    undo: async () => describe(await takeBack(worker)),
    release: () => worker.terminate(),
  }
}

function takeBack(worker: LoadWorker): Promise<UndoResult> {
  return new Promise((resolve, reject) => {
    worker.listen((report) => {
      if (report.kind === 'undone') resolve(report.result)
      else if (report.kind === 'failed') reject(new Error(`Not undone: ${report.reason}`))
    })
    worker.post({ kind: 'undo' })
  })
}

function describe({ removed, restored, skipped }: UndoResult): string {
  const done = [
    ...(removed > 0 ? [`${countOf(removed, 'object')} removed`] : []),
    ...(restored > 0 ? [`${countOf(restored, 'object')} restored`] : []),
  ]
  const text = done.length === 0 ? 'Nothing was left to undo.' : `Undone: ${done.join(', ')}.`
  if (skipped === 0) return text
  const verb =
    skipped === 1 ? 'was changed since the load and stays' : 'were changed since the load and stay'
  return `${text} ${countOf(skipped, 'object')} ${verb} as ${skipped === 1 ? 'it is' : 'they are'}.`
}

/** Removes a type with its objects, unless somebody wrote to it after the load. */
async function removeLoadedType(
  { ontology, objectType: { apiName }, created }: LoadSpec,
  version: number,
  { administration }: Service,
): Promise<string> {
  const { objectTypes } = await administration.getObjectCounts(ontology)
  const state = objectTypes[apiName]
  if (state === undefined) return `${apiName} was deleted already.`
  if (state.version !== version) {
    throw new Error(`Not undone: ${apiName} was changed after the load. Delete the type instead.`)
  }
  await administration.deleteObjectType({ ontology, objectType: apiName })
  // Others may have added types to it, with objects that stay.
  if (created === 'ontology') await administration.deleteOntology(ontology).catch(() => {})
  return `Undone: ${apiName} removed.`
}
