/** The code whose tests must notice changes, and those tests. */

export interface Group {
  readonly name: string
  /** Patterns of the files to change. */
  readonly files: readonly string[]
  /** Patterns of the tests that must notice the changes. They run for each, so they must be quick. */
  readonly tests: readonly string[]
}

/** By the name that `--only` takes. */
export const GROUPS: Readonly<Record<string, Group>> = {
  tokens: {
    name: 'tokens',
    files: [
      'src/paging/page-token.ts',
      'src/paging/walk-tokens.ts',
      'src/paging/token-keys.ts',
      'src/paging/walk-tokens.ts',
    ],
    tests: ['src/paging/*.test.ts'],
  },
  paging: {
    name: 'paging',
    files: [
      'src/paging/page-bounds.ts',
      'src/paging/page-bounds.ts',
      'src/paging/relevance-cursor.ts',
      'src/paging/page-bounds.ts',
      'src/paging/set-cursor.ts',
    ],
    tests: ['src/paging/*.test.ts'],
  },
  planning: {
    name: 'planning',
    files: [
      'src/store/sql/plan/alternatives.ts',
      'src/store/sql/plan/plan-rules.ts',
      'src/store/*/pages/plan-page.ts',
    ],
    tests: [
      'src/store/sql/plan/{alternatives,plan-rules}.test.ts',
      'src/store/*/pages/plan-page.test.ts',
    ],
  },
  parsing: {
    name: 'query parsing',
    files: ['src/query/parse/*.ts'],
    tests: ['src/query/parse/*.test.ts'],
  },
  authorisation: {
    name: 'authorisation',
    files: [
      'src/access/policies/{check-policy,claims,policy-rights,policy,restricted-type,rule-query,view-ontology}.ts',
      'src/access/{caller,check-names,resolve}.ts',
    ],
    tests: [
      'src/access/*.test.ts',
      'src/access/policies/*.test.ts',
      'test/http/authentication.test.ts',
    ],
  },
}
