import type { Target } from '../bench/http-client.ts'
import { showProgress } from '../bench/progress.ts'
import { listPage, type Mode, readNextToken } from './requests.ts'

/** Walks a whole type once, to know the tokens of places all over it. */

/** Tokens; a page of 1,000 with another one behind it starts at each of them. */
export interface Places {
  readonly all: readonly string[]
  readonly deepest: string
}

const STEP = 1000
const PLACES_MAX = 256

export async function findPlaces(service: Target, objects: number, mode: Mode): Promise<Places> {
  const pages = Math.floor(objects / STEP) - 2
  const keepEvery = Math.ceil(pages / PLACES_MAX)
  const all: string[] = []
  let deepest: string | undefined
  for (let page = 1; page <= pages; page++) {
    deepest = await readNextToken(service, listPage(STEP, mode, deepest))
    if (deepest === undefined) throw new Error(`a walk ended on page ${page} of ${pages}`)
    if (page % keepEvery === 0) all.push(deepest)
    if (page % 1000 === 0) showProgress(`walking (${mode}): page ${page} of ${pages}`)
  }
  if (deepest === undefined) throw new Error('there are too few objects to walk')
  return { all, deepest }
}
