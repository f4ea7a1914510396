/**
 * Bugs that the simulation must find. Each is a change of a few characters in the source, which is
 * made in a copy of it; the source itself has no switches for them.
 */
export interface PlantedBug {
  readonly name: string
  readonly file: string
  /** Texts that occur exactly once in the file, and what replaces them. */
  readonly edits: readonly (readonly [from: string, to: string])[]
}

const TOKENS = 'src/paging/page-token.ts'
const KEYS = 'src/paging/token-keys.ts'
const READ_PAGE = 'src/service/pages/read-object-page.ts'
const STORED_PAGE = 'src/store/sqlite/pages/read-page.ts'
const BATCH = 'src/store/sqlite/writes/commit-batch.ts'
const STAGED = 'src/store/sqlite/staged/staged-batch.ts'
const VERSION_TIMES = 'src/store/core/maintenance/version-times.ts'
const CONTINUE = 'src/paging/continue-expired.ts'
const LIST_CHANGES = 'src/store/core/history/list-changes.ts'
const REPLACEMENTS = 'src/store/core/tables/replacements.ts'

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'an expired token is renewed after the end of its snapshot',
    file: 'src/paging/walk-tokens.ts',
    edits: [['this.lifetime) <= nowSeconds', 'this.lifetime) < 0']],
  },
  {
    name: 'the retrieval limit allows one request too many',
    file: 'src/paging/page-limits.ts',
    edits: [['if (alreadySent >= limit)', 'if (alreadySent > limit)']],
  },
  {
    name: 'a token forgets the objects of earlier pages',
    file: 'src/paging/walk-tokens.ts',
    edits: [['const served = walk.alreadySent + page.count', 'const served = page.count']],
  },
  {
    name: 'reclaimed versions are read',
    file: 'src/store/sql/plan/plan-rules.ts',
    edits: [['version >= head.oldest && version <= head.published', 'version <= head.published']],
  },
  {
    name: 'row versions are reclaimed too early',
    file: 'src/store/core/maintenance/reclaim.ts',
    edits: [['nowMs - rowVersionsMs)', 'nowMs - rowVersionsMs / 2)']],
  },
  {
    name: 'reclaim deletes rows of the oldest version',
    file: 'src/store/sqlite/maintenance/reclaim-in-slices.ts',
    edits: [['AND valid_to <= ?`', 'AND valid_to <= ? + 1`']],
  },
  {
    name: 'after the clock is set back, nothing is reclaimed',
    file: VERSION_TIMES,
    edits: [['SET seen_at_ms = ? WHERE seen_at_ms > ?', 'SET seen_at_ms = ? WHERE 0 > ?']],
  },
  {
    name: 'the state of a type is read only once',
    file: 'src/store/sqlite/file/sqlite-session.ts',
    edits: [['if (version !== this.#knownVersion ||', 'if (this.#knownVersion === undefined ||']],
  },
  {
    name: 'a nonce is used twice',
    file: KEYS,
    edits: [['this.#sealed += 1', 'this.#sealed = 1']],
  },
  {
    name: 'every process has the same salt',
    file: 'src/server/server.ts',
    edits: [['random.bytes(SALT_BYTES)', 'Buffer.alloc(SALT_BYTES)']],
  },
  {
    name: 'a token is not bound to its request',
    file: TOKENS,
    edits: [['if (!binding.request.equals(', 'if (false && !binding.request.equals(']],
  },
  {
    name: 'a token is not bound to its paging mode',
    file: 'src/service/pages/page-spec.ts',
    edits: [['snapshot: paging.snapshot ?? false', 'snapshot: false']],
  },
  {
    name: 'a token is not bound to its caller',
    file: TOKENS,
    edits: [['if (!binding.caller.equals(', 'if (false && !binding.caller.equals(']],
  },
  {
    name: 'a token is valid at the moment it expires',
    file: TOKENS,
    edits: [['readDoubleBE(AT.expires) <= nowSeconds', 'readDoubleBE(AT.expires) < nowSeconds']],
  },
  {
    name: 'a token outlives its snapshot',
    file: 'src/paging/walk-tokens.ts',
    edits: [['if (snapshot === undefined) return renewed', 'if (renewed > 0) return renewed']],
  },
  {
    name: 'a removed key still opens tokens',
    file: KEYS,
    edits: [
      ['readonly #opened = new', 'static readonly #opened = new'],
      ['this.#opened.set(', 'TokenKeys.#opened.set('],
      ['return this.#opened.get(', 'return TokenKeys.#opened.get('],
    ],
  },
  {
    name: 'a walk in an order ends early',
    file: STORED_PAGE,
    edits: [['more: rows.length > page.count,', 'more: rows.length > page.count + 1,']],
  },
  {
    name: 'a full last page has a token',
    file: STORED_PAGE,
    edits: [['statement.get(...values) !== undefined', 'statement.get(...values) !== null']],
  },
  {
    name: 'the cursor of an order ignores the key',
    file: 'src/store/sql/compile/keyset-sql.ts',
    edits: [["const { ties = 'byKey' }", "const { ties = 'none' }"]],
  },
  {
    name: 'a page in key order repeats the last object',
    file: 'src/store/sqlite/pages/page-sql.ts',
    edits: [["=== undefined ? 'pk > ?'", "=== undefined ? 'pk >= ?'"]],
  },
  {
    name: 'the count of a snapshot is that of the newest version',
    file: READ_PAGE,
    edits: [
      [
        '(countOnce ? resumed?.totalCount : undefined) ?? stored.totalCount',
        'stored.totalCount ?? resumed?.totalCount',
      ],
    ],
  },
  {
    name: 'a snapshot reads current rows',
    file: 'src/store/sqlite/pages/plan-page.ts',
    edits: [["isLatest ? 'current' : 'version'", "isLatest ? 'current' : 'current'"]],
  },
  {
    name: 'the page cache ignores the version',
    file: 'src/store/page-cache.ts',
    edits: [
      ['this.#keyOf(request, version)', 'this.#keyOf(request, 0)'],
      ['this.#keyOf(request, page.version)', 'this.#keyOf(request, 0)'],
    ],
  },
  {
    name: 'the idempotency key of a batch is not recorded',
    file: BATCH,
    edits: [
      [
        'return closeWrite(db, batch, target,',
        'return closeWrite(db, { ...batch, idempotencyKey: undefined }, target,',
      ],
    ],
  },
  {
    name: 'the idempotency key of a large batch is not recorded',
    file: STAGED,
    edits: [
      [
        'closeWrite(db, this.#batch,',
        'closeWrite(db, { ...this.#batch, idempotencyKey: undefined },',
      ],
    ],
  },
  {
    name: 'a batch deletes nothing',
    file: 'src/store/sqlite/writes/change-writer.ts',
    edits: [
      [
        'const existed = mayExist && close(keyOf(change))',
        'const existed = mayExist && isPut(change) && close(keyOf(change))',
      ],
    ],
  },
  {
    name: 'an idempotency key is not bound to its request',
    file: 'src/store/core/idempotency/idempotency-keys.ts',
    edits: [['if (fingerprint !== key.fingerprint)', "if (fingerprint === '')"]],
  },
  {
    name: 'If-Match is ignored',
    file: 'src/http/request/preconditions.ts',
    edits: [['if (ifMatch !== undefined && !matches(', 'if (ifMatch === null && !matches(']],
  },
  {
    name: 'a replacement is visible before it is published',
    file: STAGED,
    edits: [
      ['openWrite(db, this.#batch)', 'openWrite(db, { ...this.#batch, replacement: undefined })'],
    ],
  },
  {
    name: 'a used replacement expires',
    file: VERSION_TIMES,
    edits: [["'use_count = use_count + 1, idle_since_ms = NULL'", "'use_count = use_count + 1'"]],
  },
  {
    name: 'an object that changes during a conversion is not converted again',
    file: 'src/store/core/tables/rewrite-records.ts',
    edits: [['keys: taken.map(({ pk }) => pk)', 'keys: []']],
  },
  {
    name: 'a repeated publication is refused',
    file: REPLACEMENTS,
    edits: [
      [
        "o.state = 'published' AND o.loaded_as < o.first_version",
        "o.state = 'published' AND false",
      ],
    ],
  },
  {
    name: 'an append replaces existing objects',
    file: 'src/store/sqlite/writes/change-writer.ts',
    edits: [['mayExist && keepsExisting && isPut', 'mayExist && false && isPut']],
  },
  {
    name: 'a continued walk starts again',
    file: CONTINUE,
    edits: [
      [
        '? withoutVersions(after) : after, served',
        "? withoutVersions(after) : { pk: '', version: 0 }, served",
      ],
    ],
  },
  {
    name: 'a continued walk forgets the objects of earlier pages',
    file: CONTINUE,
    edits: [[': after, served, listedTypes', ': after, served: 0, listedTypes']],
  },
  {
    name: 'a continued walk ends as a complete snapshot',
    file: CONTINUE,
    edits: [['snapshot: undefined, isContinued: true', 'snapshot: undefined']],
  },
  {
    name: 'changes miss a delete',
    file: LIST_CHANGES,
    edits: [['closed.map((one) => ({ ...one, isCurrent: false, isChanged: true })),', '[],']],
  },
  {
    name: 'a page of changes repeats the last object',
    file: LIST_CHANGES,
    edits: [['o.pk) > (?, ?)', 'o.pk) >= (?, ?)']],
  },
  {
    name: 'the first commit after a copy is not followed',
    file: LIST_CHANGES,
    edits: [['[base + 1, NO_KEY]', '[base + 2, NO_KEY]']],
  },
  {
    name: 'a changes token outlives the history',
    file: 'src/paging/walk-tokens.ts',
    edits: [
      [
        'takenAtSeconds + this.lifetime.changesMaxAgeSeconds',
        'takenAtSeconds + 2 * this.lifetime.changesMaxAgeSeconds',
      ],
    ],
  },
  {
    name: 'an object that leaves the filter stays',
    file: 'src/service/changes/read-changes.ts',
    edits: [["isIn(before, change) ? [{ kind: 'delete', change }] : []", '[]']],
  },
  {
    name: 'changes of a second type are not told',
    file: 'src/service/changes/read-changes.ts',
    edits: [['startOf(range, index + 1)', 'undefined']],
  },
]
