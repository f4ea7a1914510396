/** The production install of a checkout: the service and its explorer, without development tools. */
import { execFile } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { requestAssets } from '../support/explorer-assets.ts'
import { startNode, waitForLine } from '../support/oqs-process.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** What an install of a checkout needs. */
const FILES = ['package.json', 'package-lock.json', 'tsconfig.json', 'bin', 'scripts', 'src']

it('has the explorer after npm ci --omit=dev', async () => {
  using folder = tempFolder()
  for (const file of FILES) cpSync(file, join(folder.path, file), { recursive: true })
  // The packages are in the cache of npm since the checkout itself was installed.
  const options = ['--omit=dev', '--prefer-offline', '--no-audit', '--no-fund']
  await promisify(execFile)('npm', ['ci', ...options], { cwd: folder.path })
  expect(existsSync(join(folder.path, 'node_modules/vitest'))).toBe(false)
  // Built by the install: the user that runs the service may not write there.
  expect(existsSync(join(folder.path, 'dist/explorer/index.html'))).toBe(true)

  const settings = { OQS_PORT: '0', OQS_STORE: `sqlite:${join(folder.path, 'oqs.db')}` }
  await using service = startNode([join(folder.path, 'bin/oqs.js'), 'serve'], settings)
  const names = await requestAssets(await waitForLine(service, 'listening on '))
  expect(names.some((name) => name.startsWith('admin-screen-'))).toBe(true)
})
