import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { readCommit, readRelease } from './release.ts'

const COMMIT = '8da0ea9c0123456789012345678901234567abcd'

it('names the commit of a checkout, of a packed branch, of a work tree and of a build', () => {
  using folder = tempFolder()
  const root = folder.path
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  expect(readCommit(root)).toBeUndefined()
  write('dist/commit', `${COMMIT}\n`)
  expect(readCommit(root)).toBe('8da0ea9c')
  write('.git/HEAD', 'ref: refs/heads/main\n')
  write('.git/packed-refs', `# pack-refs\n1111111100000000 refs/heads/main\n`)
  expect(readCommit(root)).toBe('11111111')
  write('.git/refs/heads/main', '2222222200000000\n')
  expect(readCommit(root)).toBe('22222222')
  write('.git/worktrees/other/HEAD', 'ref: refs/heads/main\n')
  write('.git/worktrees/other/commondir', '../..\n')
  write('other/.git', `gitdir: ${join(root, '.git/worktrees/other')}\n`)
  expect(readCommit(join(root, 'other'))).toBe('22222222')
  write('.git/HEAD', `${COMMIT}\n`)
  expect(readCommit(root)).toBe('8da0ea9c')
})

it('names the version', () => {
  expect(readRelease()).toMatch(/^\d+\.\d+\.\d+(?:\+[0-9a-f]{8})?$/)
})
