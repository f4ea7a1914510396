/**
 * The folder of a test run: it holds the temporary folders of all tests, and a file for each process
 * that they started. Whatever is left of both is removed when the run ends, in whatever way it
 * ends; see `run-keeper.ts`.
 */

/** The variable that names the folder. Not set outside of a run, for scripts that use the same parts. */
const VARIABLE = 'OQS_TEST_RUN_FOLDER'

/** Where in the folder the processes are: a file for each, named after its process group. */
export const PROCESSES = 'processes'

export function runFolder(): string | undefined {
  return process.env[VARIABLE]
}

/** Names the folder to this process and to those that it starts. */
export function setRunFolder(path: string): void {
  process.env[VARIABLE] = path
}
