import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from 'tailwindcss'
import type { Plugin } from 'vite'

/** Returns the words of a source text that may be class names; the compiler ignores the others. */
function wordsOf(text: string): string[] {
  const words = text.split(/[\s"`{}$]+/)
  return words.flatMap((word) => [word, word.replaceAll(/^\(?'|'[,;:)]*$/g, '')])
}

/**
 * Generates the utility classes that the components of a folder use, into its style sheet. It calls the
 * compiler of Tailwind alone: the plugin of Tailwind also needs a native scanner for each platform.
 */
export function tailwind(folder: string): Plugin {
  return {
    name: 'tailwind',
    enforce: 'pre',
    async transform(css, id) {
      if (!css.includes('@tailwind utilities')) return undefined
      const { build } = await compile(css, { base: folder, from: id })
      const sources = globSync('**/*.tsx', { cwd: folder }).map((path) =>
        readFileSync(join(folder, path), 'utf8'),
      )
      return { code: build(sources.flatMap(wordsOf)), map: null }
    },
  }
}
