import { feedContract } from '../../../../test/feed-contract.ts'
import { runSql } from '../../../../test/support/postgres.ts'

feedContract(async (name, sql) => JSON.stringify(await runSql(name, `EXPLAIN ${sql}`)))
