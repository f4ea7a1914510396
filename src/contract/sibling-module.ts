/**
 * Returns the URL of a module in the folder of the importing one, for starting it as a thread or a
 * process. Source files end in `.ts`, built files in `.js`.
 */
export function siblingModule(name: string, importerUrl: string): URL {
  return new URL(`./${name}.${importerUrl.endsWith('.ts') ? 'ts' : 'js'}`, importerUrl)
}
