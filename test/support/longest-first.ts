import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'

/** The files that take longest, the longest first: processes, builds, browsers, many cases. */
const LONGEST = [
  'docs/examples',
  'store.sqlite',
  'store.postgres',
  'e2e/postgres',
  'e2e/import-faults',
  'e2e/import-restart',
  'release/executable',
  'release/service-package',
  'release/client-package',
  'e2e/install',
  'cli/help-examples',
  'cli/import-sample',
  'e2e/serve',
  'e2e/workers',
  'e2e/demo',
  'e2e/source',
  'properties/aggregate.property',
  'simulation/simulation',
  'simulation/simulation.postgres',
  'explorer/accessibility',
  'explorer/table',
  'explorer/journeys',
].map((name) => `/test/${name}.test.ts`)

/**
 * Starts the longest files of a project first, so that no core is idle at the end of a run. Vitest
 * knows the durations of the last run, but in a new checkout it starts with the largest files, and
 * the longest ones are small.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project))]
    const rank = ({ project, moduleId }: TestSpecification) => {
      const index = LONGEST.findIndex((file) => moduleId.endsWith(file))
      return projects.indexOf(project) * (LONGEST.length + 1) + (index < 0 ? LONGEST.length : index)
    }
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}
