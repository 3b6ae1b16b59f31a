/** Reads the record ids of a selection in one snapshot before changing them. */
import Type from "typebox";
import { openTable, Slug } from "#domains/tables/index.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { orderBySql } from "#kernel/list/order.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { RecordsRead } from "../permissions.ts";
import { RecordId } from "../record.ts";
import { parseListing, whereSql } from "./list-sql.ts";
import { recordQueryParams } from "./record-query.ts";

/** As many as one transaction may change. */
const IDS_MAX = 10_000;
const OFFSET_MAX = 10_000_000;
const { filter, q, searchIn, sort } = recordQueryParams;

export const listRecordIds = query({
  id: "records.list_ids",
  route: "GET /api/v1/tables/{slug}/records/ids",
  summary: "List the ids of records",
  description:
    "Returns ids from `offset` on, in the order of the list, read in one statement: two records never change places within a response. Use it to get the records of a large selection, and `records.apply` to change them.",
  permission: RecordsRead,
  params: object({ slug: Slug }),
  query: object({
    filter,
    q,
    searchIn,
    sort,
    offset: Type.Integer({ minimum: 0, maximum: OFFSET_MAX, default: 0 }),
    limit: Type.Integer({ minimum: 1, maximum: IDS_MAX, default: IDS_MAX }),
  }),
  response: item(Type.Object({ ids: Type.Array(RecordId) }, { title: "RecordIds" })),
  example: {
    params: { slug: "orders" },
    query: { filter: '{"status":"open"}', sort: "-total,id", offset: 100, limit: 500 },
  },
  async run(ctx, { params, query: { offset, limit, ...which } }) {
    const table = await openTable(ctx, params.slug);
    const { query: parsed, keys } = await table.parse(() =>
      parseListing(table, { ...which, fields: "id" }, ctx.now),
    );
    const order = orderBySql(keys);
    const text =
      `select id from ${parsed.schema.view}${whereSql(parsed, order)} ` +
      `order by ${order} limit ${limit} offset ${offset}`;
    return table.retryOnSchemaChange(async () => {
      const rows = await queryRows(ctx.tx, text, parsed.parameters.values);
      return { ids: rows.map(({ id }) => String(id)) };
    });
  },
});
