import { partitionOfCaller } from "#kernel/access/caller.ts";
import Type from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import {
  readInPartition,
  type ReportField,
  reportSource,
} from "#kernel/contributions/report-source.ts";
import {
  findTableSchema,
  reloadTable,
  isSchemaOutdated,
} from "#domains/tables/schema/table-cache.ts";
import type { TableSchema } from "#domains/tables/schema/table-schema.ts";
import { RecordsRead } from "#domains/tables/permissions.ts";
import { type RuleSql, compileRules } from "#domains/tables/schema/rule-sql.ts";
import { findTable } from "#domains/tables/store.ts";
import { Slug } from "#domains/tables/table.ts";
import { fieldsOf } from "./read/record-query.ts";
import { recordGrants } from "./record-access.ts";

type Read = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** The records of a table, with the rows and fields that its rules let the caller see. */
export const recordsSource = reportSource({
  kind: "records",
  summary: "The records of the table with the slug `table`, as its rules let the caller see them.",
  permission: RecordsRead,
  schema: Type.Object({ table: Slug }, { additionalProperties: false }),
  async open(asking, { table: slug }, parameters) {
    const { platform, caller } = asking;
    const partition = partitionOfCaller(caller);
    const table = await findTableSchema(platform, partition, slug, (work) =>
      platform.db.read(partition, work),
    );
    if (!table) throw invalidField("/source/table", `there is no table ${slug} here`);
    const sight = compileRules(table, recordGrants(table, "read", caller), parameters);
    return {
      from: table.view,
      where: sight.where,
      fields: shownFields(table, sight),
      key: [{ sql: "id", type: "text" }],
      time: "createdAt",
      async ask(text, values) {
        try {
          return await readInPartition(asking, text, values);
        } catch (error) {
          throw isSchemaOutdated({ services: platform, caller }, error) ?? error;
        }
      },
      async isCurrent() {
        const read: Read = (work) => platform.db.read(partition, work);
        const now = await read((tx) => findTable(tx, slug));
        if (now?.id === table.id && now.revision === table.revision) return true;
        await reloadTable(platform, partition, slug, read);
        return false;
      },
    };
  },
});

function shownFields(table: TableSchema, sight: RuleSql): ReadonlyMap<string, ReportField> {
  return new Map(
    fieldsOf(table).flatMap((name): [string, ReportField][] => {
      const field = sight.field(name);
      const column = table.byName.get(name);
      return field ? [[name, column ? { ...field, show: column.columnType.show } : field]] : [];
    }),
  );
}
