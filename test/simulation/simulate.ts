/** Runs one seed: a random history of a service, compared with the model after every request. */
import { AppSlot } from './app-slot.ts'
import type { CreateDatabase } from './database.ts'
import { catchUp, startFollower } from './follow-steps.ts'
import {
  randomFavourites,
  readFirstPage,
  readNextPage,
  readSlowWalk,
  readWholeWalk,
  sendWrongToken,
} from './page-steps.ts'
import {
  applyDefinition,
  changeDefinition,
  convertObjects,
  crash,
  mistakeClock,
  moveClock,
  recreateOntology,
  restartNode,
  rotateKeys,
} from './service-steps.ts'
import { World } from './world.ts'
import { repeatWrite, reuseKey } from './write-model.ts'
import {
  abandonReplacement,
  deleteByQuery,
  loadReplacement,
  loadSlowly,
  publishReplacement,
  startReplacement,
  writeBatch,
  writeObject,
} from './write-steps.ts'

type Step = (world: World) => Promise<void>

/** How often each step happens, about out of a hundred. */
const STEPS: readonly (readonly [weight: number, step: Step])[] = [
  [13, writeBatch],
  [4, writeObject],
  [1, deleteByQuery],
  [5, repeatWrite],
  [1, reuseKey],
  [2, startReplacement],
  [3, (world) => loadReplacement(world)],
  [0.5, loadSlowly],
  [3, publishReplacement],
  [0.5, abandonReplacement],
  [13, readFirstPage],
  [24, readNextPage],
  [5, readWholeWalk],
  [2, (world) => readSlowWalk(world, writeBatch)],
  [5, sendWrongToken],
  [3, (world) => startFollower(world, writeBatch)],
  [7, (world) => catchUp(world, writeBatch)],
  [9, moveClock],
  [2, mistakeClock],
  [5, (world) => world.maintain()],
  [1.5, changeDefinition],
  [1, (world) => convertObjects(world, writeBatch)],
  [0.4, recreateOntology],
  [0.8, restartNode],
  [0.6, crash],
  [1, rotateKeys],
]

const STEPS_PER_SEED = 50

export interface SimulatedSeed {
  readonly seed: number
  /** One line for each request, restart and move of the clock. */
  readonly trace: readonly string[]
  /** Equal if and only if everything that happened was the same. */
  readonly digest: string
  /** What the service did wrong; undefined if nothing. */
  readonly failure: unknown
}

/** Runs seeds one after the other; disposing frees what they share. */
export class Simulator implements AsyncDisposable {
  readonly #createDatabase: CreateDatabase
  readonly #slots = [new AppSlot(), new AppSlot()]

  constructor(createDatabase: CreateDatabase) {
    this.#createDatabase = createDatabase
  }

  async run(seed: number): Promise<SimulatedSeed> {
    await using database = await this.#createDatabase()
    const world = new World(seed, database, this.#slots)
    let failure: unknown
    try {
      await world.start()
      world.favourites = randomFavourites(world)
      await applyDefinition(world)
      for (let steps = 0; steps < STEPS_PER_SEED; steps += 1) {
        await world.random.pickWeighted(STEPS)(world)
      }
    } catch (error) {
      failure = error
    }
    await world.stop()
    return { seed, trace: world.trace, digest: world.digest(), failure }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const slot of this.#slots) await slot.close()
  }
}

/** Describes a failed seed, with the last things that happened before. */
export function describeFailure({ seed, trace, failure }: SimulatedSeed, lines = 12): string {
  const { message, stack, cause } = failure as Error
  const shown = trace.slice(-lines).map((line) => `  ${shorten(line)}`)
  const reason = cause === undefined ? '' : `\n${(cause as Error).stack ?? cause}`
  return `seed ${seed}: ${message}\n${shown.join('\n')}\n${stack?.split('\n').slice(-6).join('\n')}${reason}`
}

function shorten(line: string): string {
  return line.length > 600 ? `${line.slice(0, 600)}…` : line
}
