/** Steps of clients that read: first pages, next pages, repeated ones, and tokens that are wrong. */
import type { Answer } from './node.ts'
import {
  checkPage,
  nextToken,
  type PageAttempt,
  type PageToken,
  tokensToGoOn,
} from './page-model.ts'
import { pageRequest, randomSpec, type WalkSpec } from './queries.ts'
import {
  type CallerName,
  expectEqual,
  Mismatch,
  ONTOLOGY,
  type PageCopy,
  TTL_SECONDS,
  TYPES,
  type World,
} from './world.ts'

/** The number of tokens that clients keep; older ones are forgotten. */
const TOKENS = 12
const MAX_PAGE_SIZE = 6
/** More pages than any walk has. */
const MAX_PAGES = 40
const MAX_SLOW_PAGES = 6

export async function readFirstPage(world: World): Promise<void> {
  await readPage(world, firstPage(world))
}

/** Reads a walk to its end, with nothing in between. */
export async function readWholeWalk(world: World): Promise<void> {
  const first = firstPage(world)
  let token = await readPage(world, first)
  for (let pages = 1; token !== undefined; pages += 1) {
    if (pages > MAX_PAGES) throw new Mismatch('the walk does not end')
    token = await readPage(world, nextPage(world, token))
  }
}

/** Reads a snapshot as slowly as its tokens allow, while others write and maintenance runs. */
export async function readSlowWalk(
  world: World,
  write: (world: World) => Promise<void>,
): Promise<void> {
  const { random } = world
  const { spec, ...first } = firstPage(world)
  let token = await readPage(world, { ...first, spec: { ...spec, snapshot: true }, pageSize: 1 })
  for (let pages = 1; token !== undefined && pages <= MAX_SLOW_PAGES; pages += 1) {
    if (random.chance(0.6)) await write(world)
    if (random.chance(0.6)) await world.maintain()
    world.moveClock(random.between(TTL_SECONDS - 60, TTL_SECONDS))
    token = await readPage(world, { ...nextPage(world, token), pageSize: 1 })
  }
}

/** Requests the page of any token again: the newest is a walk that goes on, others are retries. */
export async function readNextPage(world: World): Promise<void> {
  const token = pickToken(world)
  if (token !== undefined) await readPage(world, nextPage(world, token))
}

/** Sends a token that is not valid for the request. */
export async function sendWrongToken(world: World): Promise<void> {
  const token = pickToken(world)
  if (token === undefined) return
  const { random } = world
  const attempt = nextPage(world, token)
  const { spec } = token
  const wrong = random.pick<Partial<PageAttempt>>([
    { caller: token.caller === 'admin' ? 'reader' : 'admin' },
    { spec: { ...spec, snapshot: !spec.snapshot } },
    { spec: { ...spec, objectType: spec.objectType === 'tree' ? 'bird' : 'tree' } },
    { spec: randomSpec(random, spec.objectType) },
    { forged: flipOne(token.text, random.below(token.text.length - 3) + 3) },
    { forged: token.text.slice(0, -1) },
  ])
  await readPage(world, { ...attempt, ...wrong })
}

function firstPage(world: World): PageAttempt {
  const { random } = world
  const caller = random.pick<CallerName>(['admin', 'admin', 'reader'])
  const node = random.pick(world.nodes)
  // The same few pages are requested again and again, so that they come from caches.
  const isFavourite = random.chance(0.5)
  const favourite = random.pick(world.favourites)
  const spec = isFavourite ? favourite.spec : randomSpec(random, random.pick(TYPES))
  const pageSize = isFavourite ? favourite.pageSize : random.between(1, MAX_PAGE_SIZE)
  return { spec, caller, node, pageSize }
}

export function randomFavourites(world: World): World['favourites'] {
  return Array.from({ length: 3 }, () => ({
    spec: randomSpec(world.random, world.random.pick(TYPES)) as WalkSpec,
    pageSize: world.random.between(1, MAX_PAGE_SIZE),
  }))
}

function nextPage(world: World, token: PageToken): PageAttempt {
  const { spec, caller } = token
  const pageSize = world.random.between(1, MAX_PAGE_SIZE)
  return { spec, caller, node: world.random.pick(world.nodes), pageSize, token }
}

function pickToken({ random, tokens }: World): PageToken | undefined {
  if (tokens.length === 0) return undefined
  return random.chance(0.6) ? random.pick(tokens.slice(0, 2)) : random.pick(tokens)
}

/** Flips the lowest bit of a base64 character that is not the last one, which can have unused bits. */
function flipOne(text: string, at: number): string {
  const position = Math.min(at, text.length - 2)
  const flipped = text[position] === 'A' ? 'B' : 'A'
  return text.slice(0, position) + flipped + text.slice(position + 1)
}

/** Requests a page, checks the answer, and keeps its token. */
async function readPage(world: World, attempt: PageAttempt): Promise<PageToken | undefined> {
  const { spec, caller, node, pageSize, token } = attempt
  const pageToken = attempt.forged ?? token?.text
  const request = pageRequest(spec, ONTOLOGY, { pageSize, pageToken })
  const name = `${caller} ${request.path}`
  const copy = request.method === 'GET' ? world.copies.get(name) : undefined
  const isConditional = copy !== undefined && world.random.chance(0.7)
  const headers = isConditional ? { 'if-none-match': copy.tag } : {}
  const answer = await world.send({ ...request, headers }, { caller, node })
  if (isConditional && answer.status === 304) {
    checkCopy(world, attempt, copy, answer.headers)
    return undefined
  }
  const page = checkPage(world, attempt, answer)
  if (page === undefined) {
    world.tokens = [...tokensToGoOn(world, attempt, answer), ...world.tokens].slice(0, TOKENS)
    return undefined
  }
  const next = page.hasNext ? nextToken(world, attempt, page, answer.body.nextPageToken) : undefined
  const { etag } = answer.headers
  if (typeof etag === 'string') {
    world.copies.set(name, { tag: etag, body: answer.body, token: next })
  }
  if (next !== undefined) world.tokens = [next, ...world.tokens].slice(0, TOKENS)
  return next
}

/** A copy that is said to be current must be what the service would send, with a token that works. */
function checkCopy(
  world: World,
  attempt: PageAttempt,
  { body, token }: PageCopy,
  headers: Answer['headers'],
): void {
  checkPage(world, attempt, { status: 200, headers, text: '', body })
  if (token === undefined) return
  expectEqual(token.expiresAtMs > world.clock.now, true, 'whether the token of the copy is valid')
  const isKnownKey = attempt.node.keys.some((key) => key.equals(token.sealedWith))
  expectEqual(isKnownKey, true, 'whether the service has the key of the copy')
}
