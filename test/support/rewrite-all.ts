import type { ObjectStore, RewriteProgress } from '../../src/store/object-store.ts'

/** Runs background steps until nothing is left to do now, and returns the phases, each once. */
export async function rewriteAll(
  store: ObjectStore,
  between: (step: RewriteProgress) => Promise<unknown> = async () => {},
): Promise<string[]> {
  const phases: string[] = []
  for (;;) {
    const step = await store.rewriteNext()
    if (step === undefined) return phases
    if (phases.at(-1) !== step.phase) phases.push(step.phase)
    await between(step)
  }
}
