/** Opens changed page tokens in this process, and sends some of them to a service. */
import { Random } from '../../test/fuzz/random.ts'
import { openChangedTokens, sealTokens } from '../../test/fuzz/tokens/fuzz-tokens.ts'
import { mutateToken } from '../../test/fuzz/tokens/mutate-token.ts'
import type { StoreName } from '../measure/command-line.ts'
import { DEFINITION, makePart, OBJECT_TYPE, ONTOLOGY } from '../measure/parts.ts'
import { print, showProgress } from '../measure/progress.ts'
import { define, type Service, startService, writeChanges } from '../measure/service.ts'
import { openStores, type Workspace } from '../measure/workspace.ts'

const SHOWN_FAILURES = 20
/** One changed token in this many is also sent to a service. */
const SENT_EVERY = 100
const AT_ONCE = 8

export interface TokenRun {
  readonly seed: number
  readonly tokens: number
}

/** Returns whether every changed token was refused. */
export async function fuzzTokens(
  workspace: Workspace,
  store: StoreName,
  run: TokenRun,
): Promise<boolean> {
  showProgress(`opening ${run.tokens.toLocaleString('en')} page tokens`)
  let failures = 0
  const fail = (text: string) => {
    failures += 1
    if (failures <= SHOWN_FAILURES) print(text)
  }
  const started = performance.now()
  openChangedTokens(
    sealTokens(),
    { seed: run.seed, count: run.tokens },
    ({ seed, token, mistake }) => fail(`seed ${seed}: ${mistake}: ${token}`),
  )
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  const sent = await sendTokens(workspace, store, run, fail)
  print(
    `Page tokens: ${run.tokens.toLocaleString('en')} changed tokens opened in ${seconds} s, and ${sent.toLocaleString('en')} sent to the service: ${failures} failures`,
  )
  return failures === 0
}

async function sendTokens(
  workspace: Workspace,
  store: StoreName,
  { seed, tokens }: TokenRun,
  fail: (text: string) => void,
): Promise<number> {
  await using stores = await openStores(store, workspace)
  await using service = await startService(workspace, { store: await stores.create('tokens') })
  await define(service, DEFINITION)
  const changes = Array.from({ length: 100 }, (_, n) => ({ put: makePart(n, 0) }))
  await writeChanges(
    service,
    `/api/admin/v1/ontologies/${ONTOLOGY}/objects/${OBJECT_TYPE}`,
    changes,
  )
  const real = await Promise.all(
    ['', '&snapshot=true', '&orderBy=properties.name'].map((more) => tokenOf(service, more)),
  )
  let next = 0
  let sent = 0
  const send = async () => {
    while (sent < tokens / SENT_EVERY) {
      const own = next
      next += 1
      const random = new Random(seed + own)
      const token = mutateToken(random.pick(real), real, random)
      if (real.includes(token)) continue
      sent += 1
      const response = await list(service, `&pageToken=${encodeURIComponent(token)}`)
      const { errorName } = (await response.json()) as { readonly errorName?: string }
      if (response.status === 400 && errorName === 'InvalidPageToken') continue
      fail(`seed ${seed + own}: status ${response.status} ${errorName}: ${token}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, send))
  return sent
}

async function tokenOf(service: Service, more: string): Promise<string> {
  const response = await list(service, more)
  const { nextPageToken } = (await response.json()) as { readonly nextPageToken: string }
  return nextPageToken
}

function list({ url, headers }: Service, more: string): Promise<Response> {
  const path = `/api/v1/ontologies/${ONTOLOGY}/objects/${OBJECT_TYPE}?pageSize=2${more}`
  return fetch(new URL(path, url), { headers })
}
