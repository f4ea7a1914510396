import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { freePort } from '../../../test/support/free-port.ts'
import { makePart } from '../objects.ts'
import { npmInstall } from './npm-install.ts'
import { ASKED_CATEGORY, type Peer, type PeerPage, type PeerSetup } from './peer.ts'
import { startPeerProcess } from './peer-process.ts'

/** REST over a JSON file that is held in memory; pages are slices of an array. */

const PACKAGE = { name: 'json-server', version: '0.17.4' }

const SETTINGS = `json-server ${PACKAGE.version} (the newest that is not a beta): NODE_ENV production, --quiet \
--read-only --no-gzip --no-cors; _start and _limit, because _page looks through all objects on \
every page; the file is in the order of the keys. It has no indexes.`

export const jsonServer: Peer = { name: 'json-server', rival: 'SQLite', start }

async function start({ workspace, objects }: PeerSetup) {
  const folder = await npmInstall(workspace, PACKAGE)
  const file = join(folder, 'parts.json')
  await pipeline(Readable.from(jsonText(objects)), createWriteStream(file))
  const port = await freePort()
  const options = ['--quiet', '--read-only', '--no-gzip', '--no-cors', '--id', 'partNumber']
  const server = await startPeerProcess(workspace, {
    file: process.execPath,
    words: [
      join(folder, 'node_modules', 'json-server', 'lib', 'cli', 'bin.js'),
      ...options,
      ...['--host', '127.0.0.1', '--port', String(port), file],
    ],
    folder,
    port,
    readyPath: '/parts?_start=0&_limit=1',
  })
  return {
    ...server,
    settings: SETTINGS,
    call: ({ question, pageSize }, from) => {
      const condition = question === 'query' ? `category=${ASKED_CATEGORY}&` : ''
      const slice = `_start=${from?.count ?? 0}&_limit=${pageSize}`
      return { method: 'GET', path: `/parts?${condition}${slice}` }
    },
    read: (page) => ({ objects: page as PeerPage['objects'] }),
  } satisfies Awaited<ReturnType<Peer['start']>>
}

function* jsonText(objects: number): Generator<string> {
  yield '{"parts":['
  for (let number = 0; number < objects; number++) {
    yield `${number === 0 ? '' : ','}${JSON.stringify(makePart(number, 0))}\n`
  }
  yield ']}'
}
