import type { QueryLimits } from '../query/parse/query-budget.ts'
import type { Config } from './config.ts'

/** Returns the limits on queries that the settings name. */
export function queryLimitsOf(config: Config): QueryLimits {
  return {
    maxDepth: config.OQS_QUERY_MAX_DEPTH,
    maxTerms: config.OQS_QUERY_MAX_TERMS,
    maxTextLength: config.OQS_QUERY_MAX_TEXT_LENGTH,
  }
}
