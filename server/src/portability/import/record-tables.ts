import type pg from "pg";
import { structureParts, toTable, type Table } from "#domains/tables/index.ts";
import type { Database } from "#kernel/db/database.ts";
import { ENVIRONMENT_NAMES, type Partition } from "#kernel/db/partition.ts";
import { ownerOf, schemaOf } from "#kernel/db/sql-runner.ts";
import { quote } from "../catalogue.ts";

/** A user table in its partition. */
interface RecordTable {
  readonly partition: Partition;
  readonly table: Table;
}

/** The current value of a column's sequence. */
export interface Sequence {
  readonly environment: string;
  readonly table: string;
  readonly column: string;
  readonly last: string | null;
}

/** The structure of a workspace's own tables, from the imported definitions. */
export class RecordTables {
  readonly #client: pg.Client;
  readonly #db: Database;
  readonly #workspace: string;

  constructor(client: pg.Client, db: Database, workspace: string) {
    this.#client = client;
    this.#db = db;
    this.#workspace = workspace;
  }

  /** Creates missing tables before their rows. */
  async create(): Promise<void> {
    const tables = await this.#list();
    for (const partition of new Set(tables.map((each) => each.partition))) {
      // The roles of the schema are created for the application's own login.
      await this.#db.write(partition, (session) => session.send("select make_user_schema()", []));
    }
    await this.#client.query("begin");
    for (const { partition, table } of tables) {
      if (await this.#isThere(partition, table.slug)) continue;
      await this.#run(partition, structureParts(partition, table).before);
    }
    await this.#client.query("commit");
  }

  /** Creates indexes, references and views in the caller's transaction, and continues the sequences. */
  async complete(sequences: readonly Sequence[]): Promise<void> {
    const tables = await this.#list();
    for (const { environment, table, column, last } of sequences) {
      const found = tables.find(
        (each) => each.partition.environment === environment && each.table.slug === table,
      );
      if (!found || last === null) continue;
      const relation = `${quote(schemaOf(found.partition))}.${quote(table)}`;
      await this.#client.query("select setval(pg_get_serial_sequence($1, $2), $3::bigint)", [
        relation,
        column,
        last,
      ]);
    }
    for (const { partition, table } of tables) {
      await this.#run(partition, structureParts(partition, table).after);
    }
  }

  async #run(partition: Partition, statements: readonly string[]): Promise<void> {
    await this.#client.query(`set local role ${quote(ownerOf(partition))}`);
    for (const statement of statements) await this.#client.query(statement);
    await this.#client.query("set local role none");
  }

  async #isThere(partition: Partition, slug: string): Promise<boolean> {
    const { rowCount } = await this.#client.query(
      "select from pg_tables where schemaname = $1 and tablename = $2",
      [schemaOf(partition), slug],
    );
    return rowCount !== 0;
  }

  async #list(): Promise<RecordTable[]> {
    const partitions = ENVIRONMENT_NAMES.map((environment) => ({
      workspace: this.#workspace,
      environment,
    }));
    const { rows } = await this.#client.query(
      `select id, slug, name, description, columns, indexes, rules, revision, shape, environment,
              renamed_revision as "renamedRevision", created_by as "createdBy",
              created_at::text as "createdAt", updated_at::text as "updatedAt"
         from user_tables where workspace_id = $1 order by environment, slug`,
      [this.#workspace],
    );
    return rows.flatMap(({ environment, ...row }) => {
      const partition = partitions.find((each) => each.environment === environment);
      return partition ? [{ partition, table: toTable(row) }] : [];
    });
  }
}
