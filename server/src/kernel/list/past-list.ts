/** Lists in their state at a past time: the same filters, orders and pages over states computed from the log. */
import Type from "typebox";
import type { ReadContext } from "../contract.ts";
import { queryRows, SqlParameters, type SqlRow } from "../db/statement.ts";
import { parsePastTime, pastField, PastNotKept, pastStatesSql } from "../log/past-state.ts";
import { Failure, failure, invalidField } from "../operation/failure.ts";
import type { CountedPage } from "../operation/response.ts";
import { InputTime } from "../schema/schema.ts";
import {
  type ListCondition,
  type ListDefinition,
  type ListField,
  listPage,
  type ListQuery,
} from "./list.ts";

/** The query parameter of lists with past states. */
export const asOfListQuery = {
  asOf: Type.Optional(
    Type.String({
      ...InputTime,
      description:
        "Returns the list at this time, reconstructed from the log with your current permissions. `revision` is 0, because past versions can't be changed. Returns 410 `past_not_kept` if the log of that time was deleted by retention, and 422 `past_too_long` if the log is too long",
    }),
  ),
};

export interface PastList {
  /** The resource type in events. */
  readonly resourceType: string;
  /** The table, with `id` and `created_at`. */
  readonly table: string;
  /** Fields that are only present in events with the whole resource. */
  readonly marks: readonly string[];
  /** The event type of the deletion, if resources can be deleted. */
  readonly deleted?: string;
  /** A field with the same value in all resources, such as the table. */
  readonly among?: { readonly field: string; readonly value: string };
}

/** One page of the state at `asOf`. Conditions can use columns that are fields of the list. */
export async function listPastPage<Item>(
  ctx: ReadContext,
  list: ListDefinition,
  { asOf, ...query }: ListQuery & { readonly asOf: string },
  {
    past,
    conditions = [],
    toItem,
  }: {
    readonly past: PastList;
    readonly conditions?: readonly ListCondition[];
    toItem: (state: Readonly<Record<string, unknown>>) => Item;
  },
): Promise<CountedPage<Item>> {
  const at = parsePastTime(asOf, ctx.now);
  await assertPastKept(ctx, past, at);
  const { fields, columns } = toPastFields(list);
  const pastList = { ...list, name: `past ${list.name}`, select: "doc", fields, tieBreaker: "id" };
  return listPage(ctx, pastList, query, {
    conditions,
    toItem: ({ doc }: SqlRow) => toItem(doc as Readonly<Record<string, unknown>>),
    from: (parameters) => {
      const { resourceType, marks, deleted } = past;
      const states = { resourceType, at, marks, ...(deleted !== undefined && { ended: deleted }) };
      return `(select doc, ${columns.join(", ")} from ${pastStatesSql(parameters, states)}) listed`;
    },
  });
}

/** Throws if a past list is requested with options that only work for the current state. */
export function refuseOfPast(flags: Readonly<Record<string, unknown>>): void {
  const [name] = Object.keys(flags).filter((flag) => flags[flag] !== undefined);
  if (name !== undefined) throw invalidField(`?${name}`, "can't be used with a time in the past");
}

/** A past state as a list item. It cannot be used for conditional requests. */
export const NO_REVISION = { revision: 0 } as const;

const COLUMN = /^[a-z_]+$/;

/** The fields by their current columns with past values. Computed fields are read from the state. */
function toPastFields(list: ListDefinition) {
  const stored = Object.entries(list.fields).filter(
    ([name]) => name !== list.tieBreaker || name === "id",
  );
  const fields = Object.fromEntries(
    stored.map(([name, field]): [string, ListField] => [
      name,
      COLUMN.test(field.sql)
        ? { ...field, nullable: true }
        : { ...pastField(name, field), nullable: true },
    ]),
  );
  const sources = new Map<string, string>();
  for (const [name, field] of stored) {
    // A column can be a field under two names.
    if (COLUMN.test(field.sql) && !sources.has(field.sql)) {
      sources.set(field.sql, pastField(name, field).sql);
    }
  }
  for (const column of list.search) {
    // A searched column that is not a filter field.
    if (COLUMN.test(column) && !sources.has(column)) {
      sources.set(column, pastField(toFieldName(column), { kind: "text" }).sql);
    }
  }
  return { fields, columns: [...sources].map(([column, sql]) => `${sql} as "${column}"`) };
}

const toFieldName = (column: string): string =>
  column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The maximum number of events for computing a past list. Each takes some microseconds. */
const EVENTS_MAX = 300_000;

export const PastTooLong = failure(
  "past_too_long",
  422,
  `Until then there are more than ${EVENTS_MAX.toLocaleString("en")} events of that kind. Read one of them as of then, or a report.`,
);

/** Throws if a list would read more of the log than one request may. */
export async function assertPastReadable(
  { tx }: Pick<ReadContext, "tx">,
  { resourceType }: Pick<PastList, "resourceType">,
  at: Date,
  eventsMax = EVENTS_MAX,
): Promise<void> {
  const text = `select count(*)::int as n from (
    select from events e where e.topic = $1 and e.resource_type = $1 and e.created_at <= $2 limit $3) bounded`;
  const [row] = await queryRows(tx, text, [resourceType, at, eventsMax + 1]);
  if (Number(row?.["n"]) > eventsMax) throw new Failure(PastTooLong);
}

/** Throws if retention has deleted events that are needed for the past state. */
export async function assertPastKept(
  ctx: ReadContext,
  { table, resourceType, deleted, among }: PastList,
  at: Date,
): Promise<void> {
  await assertPastReadable(ctx, { resourceType }, at);
  const parameters = new SqlParameters();
  const [until, type] = [parameters.add(at, "timestamptz"), parameters.add(resourceType, "text")];
  const untold = (id: string): string => `not exists (
    select from events e where e.resource_id = ${id} and e.resource_type = ${type} and e.created_at <= ${until})`;
  const gone =
    deleted === undefined
      ? ""
      : ` or exists (select from events d where d.topic = ${type} and d.type = ${parameters.add(deleted, "text")}
            ${among ? `and d.data ->> ${parameters.add(among.field, "text")} = ${parameters.add(among.value, "text")}` : ""}
            and d.created_at > ${until} and (d.data ->> 'createdAt')::timestamptz <= ${until}
            and ${untold("d.resource_id")})`;
  const text = `select exists (
    select from ${table} t where t.created_at <= ${until} and ${untold("t.id")})${gone} as "isGone"`;
  const [row] = await queryRows(ctx.tx, text, parameters.values);
  if (row?.["isGone"] === true) throw new Failure(PastNotKept);
}
