/** The memory that is left to requests, which depends on two settings. */
import { PROCESS_BASE_BYTES } from '../contract/limits.ts'
import { DEFINITIONS_MEMORY_SHARE, METADATA_CACHE_BYTES } from '../contract/memory-limits.ts'
import { type Config, ConfigError } from './config.ts'

/** Returns the memory in which a process keeps definitions and views of them. */
export function definitionsMemory({ OQS_MEMORY_BUDGET_BYTES }: Config): number {
  return OQS_MEMORY_BUDGET_BYTES * DEFINITIONS_MEMORY_SHARE
}

/** Returns the memory budget minus what the process itself and its caches need. */
export function requestMemory(config: Config): number {
  const mistake = describeMemoryMistake(config)
  if (mistake !== undefined) throw new ConfigError(mistake)
  return remainingBytes(config)
}

/** Returns why the budget and the page cache do not fit together; undefined if they do. */
export function describeMemoryMistake(config: Config): string | undefined {
  const { OQS_MEMORY_BUDGET_BYTES, OQS_PAGE_CACHE_BYTES } = config
  if (remainingBytes(config) >= OQS_MEMORY_BUDGET_BYTES / 4) return undefined
  return `OQS_MEMORY_BUDGET_BYTES is ${OQS_MEMORY_BUDGET_BYTES} and OQS_PAGE_CACHE_BYTES is ${OQS_PAGE_CACHE_BYTES}, which leaves too little memory for requests. Raise the first or lower the second.`
}

function remainingBytes(config: Config): number {
  const caches = config.OQS_PAGE_CACHE_BYTES + definitionsMemory(config) + METADATA_CACHE_BYTES
  return config.OQS_MEMORY_BUDGET_BYTES - PROCESS_BASE_BYTES - caches
}
