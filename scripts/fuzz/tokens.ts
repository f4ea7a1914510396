/** Opens changed page tokens in this process, and sends some of them to a service. */
import { Random } from '../../test/fuzz/random.ts'
import { openChangedTokens, sealTokens } from '../../test/fuzz/tokens/fuzz-tokens.ts'
import { mutateToken } from '../../test/fuzz/tokens/mutate-token.ts'
import type { Part } from '../measure/command.ts'
import { Connection } from '../measure/connection.ts'
import { DEFINITION, define, makePart, PART_OBJECTS, writeChanges } from '../measure/parts.ts'
import { count, none, print, showProgress } from '../measure/report.ts'
import { findToken, listPages } from '../measure/walk.ts'

const SHOWN_FAILURES = 20
/** One changed token in this many is also sent to a service. */
const SENT_EVERY = 100

export const tokens: Part<{ readonly tokens: number; readonly seed: number }> = {
  about: `Changed page tokens, opened in this process, and every hundredth sent to a service. None may be
accepted.`,
  full: { tokens: 1_000_000, seed: 1 },
  quick: { tokens: 10_000, seed: 1 },
  async run({ bench, numbers, store }) {
    showProgress(`opening ${count(numbers.tokens)} page tokens`)
    let failures = 0
    const fail = (seed: number, token: string, text: string) => {
      failures += 1
      if (failures <= SHOWN_FAILURES) print(`seed ${seed}: ${text}: ${token}`)
    }
    const started = performance.now()
    openChangedTokens(
      sealTokens(),
      { seed: numbers.seed, count: numbers.tokens },
      ({ seed, token, mistake }) => fail(seed, token, mistake),
    )
    const seconds = ((performance.now() - started) / 1000).toFixed(0)
    const service = await bench.startService()
    await define(service, DEFINITION)
    const changes = Array.from({ length: 100 }, (_, n) => ({ put: makePart(n, 0) }))
    await writeChanges(service, PART_OBJECTS, changes)
    using connection = await Connection.open(service)
    const walks = [{}, { snapshot: 'true' }, { orderBy: 'properties.name' }].map((parameters) =>
      listPages(parameters),
    )
    const real: string[] = []
    for (const walk of walks) real.push(findToken(await connection.read(walk(2))) ?? '')
    let sent = 0
    for (let seed = numbers.seed; sent < numbers.tokens / SENT_EVERY; seed += 1) {
      const random = new Random(seed)
      const token = mutateToken(random.pick(real), real, random)
      if (real.includes(token)) continue
      sent += 1
      const { status, body } = await connection.send(listPages()(2, token), true)
      const { errorName } = JSON.parse(body.toString()) as { readonly errorName?: string }
      if (status !== 400 || errorName !== 'InvalidPageToken') {
        fail(seed, token, `status ${status} ${errorName}`)
      }
    }
    print(
      `Page tokens: ${count(numbers.tokens)} changed tokens opened in ${seconds} s, and ${count(sent)} sent to the service`,
    )
    return [none(`${store}: accepted page tokens`, failures)]
  },
}
