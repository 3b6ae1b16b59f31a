/**
 * The states of resources at a past time, read from the log: for each resource, the last event up to that time
 * that contains it completely, as its data or as the new state of a change. Past figures are computed from
 * these states, exactly and at any later time.
 */
import { sql } from "kysely";
import Type from "typebox";
import type { ConditionField, ConditionFieldKind } from "../condition/sql.ts";
import type { Tx } from "../db/connection.ts";
import type { SqlParameters } from "../db/statement.ts";
import { Failure, failure, invalidField, NotFound } from "../operation/failure.ts";
import { InputTime } from "../schema/schema.ts";
import type { RecordedEvent } from "./event.ts";
import { EVENT_COLUMNS, type EventRow, toEvent } from "./event-log.ts";

interface PastStates {
  readonly resourceType: string;
  readonly at: Date;
  /** Fields that are only present in events with the whole resource. */
  readonly marks: readonly string[];
  /** A field with the same value in all resources, such as the table. */
  readonly among?: { readonly field: string; readonly value: string };
  /** The event type of the deletion. */
  readonly ended?: string;
  /** A number that only increases in the log. Events with a lower value are ignored. */
  readonly since?: { readonly field: string; readonly value: number };
}

/** The SQL after `from`: one row per resource with its state in the column `doc` and the time in `as_of`. */
export function pastStatesSql(parameters: SqlParameters, states: PastStates): string {
  const { resourceType, at, marks } = states;
  const type = parameters.add(resourceType, "text");
  const until = parameters.add(at, "timestamptz");
  const all = parameters.add(marks, "text[]");
  const [further, living] = [amongSql(parameters, states), endedSql(parameters, states)];
  return `(select doc, as_of from (
    select distinct on (e.resource_id) case when e.data ? 'after' then e.data -> 'after' else e.data end as doc,
           ${until} as as_of, e.type
      from events e
     where e.topic = ${type} and e.resource_type = ${type} and e.created_at <= ${until}
       and (e.data ?& ${all} or e.data -> 'after' ?& ${all})${further}
     order by e.resource_id, e.epoch desc, e.xid desc, e.seq desc) last${living}) past`;
}

function amongSql(parameters: SqlParameters, { among, since }: PastStates): string {
  const text = (field: string): string => `e.data ->> ${parameters.add(field, "text")}`;
  const alike = among && `${text(among.field)} = ${parameters.add(among.value, "text")}`;
  const grown =
    since && `(${text(since.field)})::bigint >= ${parameters.add(since.value, "bigint")}`;
  return [alike, grown].flatMap((part) => (part === undefined ? [] : [` and ${part}`])).join("");
}

function endedSql(parameters: SqlParameters, { ended }: PastStates): string {
  return ended === undefined ? "" : ` where type <> ${parameters.add(ended, "text")}`;
}

// Matches existing days only, because an invalid day fails the statement.
const LEAP_YEAR = "([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)";
const LONG_MONTH = "(01|03|05|07|08|10|12)-(0[1-9]|[12][0-9]|3[01])";
const SHORT_MONTH = "(04|06|09|11)-(0[1-9]|[12][0-9]|30)";
const FEBRUARY = "02-(0[1-9]|1[0-9]|2[0-8])";
const DAY = `(?!0000)([0-9]{4}-(${LONG_MONTH}|${SHORT_MONTH}|${FEBRUARY})|${LEAP_YEAR}-02-29)`;

/**
 * Casts by type, with a text pattern: the column may have had another type in the past, or a deleted column the
 * same name.
 */
const CASTS: Partial<
  Readonly<Record<ConditionFieldKind, { readonly type: string; readonly form: string }>>
> = {
  number: {
    type: "numeric",
    form: "^-?[0-9]{1,255}([.][0-9]{1,255})?([eE][+-]?[0-9]{1,3})?$",
  },
  time: {
    type: "timestamptz",
    form: `^${DAY}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?Z$`,
  },
  date: { type: "date", form: `^${DAY}$` },
  boolean: { type: "boolean", form: "^(true|false)$" },
};

/**
 * A field of a past state by its API name. Null if it had another type. In subqueries, `doc` is qualified with
 * its row, because a table column can have that name too.
 */
export function pastField(
  name: string,
  { kind }: Pick<ConditionField, "kind">,
  doc = "doc",
): ConditionField {
  const key = `'${name.replaceAll("'", "''")}'`;
  if (kind === "json") return { sql: `(${doc} -> ${key})`, kind };
  if (kind === "texts") {
    const items = `jsonb_array_elements_text(case jsonb_typeof(${doc} -> ${key}) when 'array' then ${doc} -> ${key} else '[]' end)`;
    return { sql: `array(select ${items})`, kind };
  }
  const [text, cast] = [`(${doc} ->> ${key})`, CASTS[kind]];
  if (!cast) return { sql: text, kind };
  return { sql: `(case when ${text} ~ '${cast.form}' then ${text}::${cast.type} end)`, kind };
}

/** The parameter of operations that read one resource. */
export const asOfQuery = {
  asOf: Type.Optional(
    Type.String({
      ...InputTime,
      description:
        "Returns the resource at this time, reconstructed from the log with your current permissions. Returns 404 if it did not exist at that time, and 410 `past_not_kept` if the log of that time was deleted by retention",
    }),
  ),
};

export const PastNotKept = failure(
  "past_not_kept",
  410,
  "The log of that time was deleted by retention.",
);

/** The requested time. */
export function parsePastTime(asOf: string, now: Date): Date {
  const at = new Date(asOf);
  if (Number.isNaN(at.getTime())) throw invalidField("?asOf", "must be a time");
  if (at > now) throw invalidField("?asOf", "must not be in the future");
  return at;
}

interface ThingAsOf {
  readonly resourceType: string;
  readonly id: string;
  /** The time as the caller wrote it. */
  readonly asOf: string;
  readonly now: Date;
  /** Fields that are only present in events with the whole resource. */
  readonly marks: readonly string[];
  /** Event types of its creation and deletion. */
  readonly created: readonly string[];
  readonly deleted?: readonly string[];
  /** A field with the same value in all resources, such as the table. */
  readonly among?: { readonly field: string; readonly value: string };
}

export interface StateAsOf {
  /** The event after which the resource had this state. */
  readonly event: RecordedEvent;
  readonly state: Readonly<Record<string, unknown>>;
}

/**
 * Finds the state of a resource at a time. Change events contain the whole new state, so the last one up to that
 * time is enough. Fails if the resource did not exist. Returns undefined if the log does not contain it.
 */
export async function findPastState(tx: Tx, thing: ThingAsOf): Promise<StateAsOf | undefined> {
  const { asOf, now, created, deleted = [] } = thing;
  const at = parsePastTime(asOf, now);
  const event = await readWholeEvent(tx, thing, { at, last: true });
  if (event && deleted.includes(event.type)) throw new Failure(NotFound);
  if (event) {
    const { after } = event.data;
    const isChange = typeof after === "object" && after !== null;
    return { event, state: (isChange ? after : event.data) as StateAsOf["state"] };
  }
  const first = await readWholeEvent(tx, thing, { at: now, last: false });
  if (!first) return undefined;
  throw new Failure(created.includes(first.type) ? NotFound : PastNotKept);
}

async function readWholeEvent(
  tx: Tx,
  { resourceType, id, marks, among }: ThingAsOf,
  { at, last }: { readonly at: Date; readonly last: boolean },
): Promise<RecordedEvent | undefined> {
  const order = sql.raw(last ? "desc" : "asc");
  const further = among ? sql`and e.data ->> ${among.field} = ${among.value}` : sql``;
  const { rows } = await sql<EventRow>`
    select ${sql.raw(EVENT_COLUMNS)} from events e
     where e.resource_id = ${id} and e.resource_type = ${resourceType} and e.created_at <= ${at}
       and (e.data ?& ${marks}::text[] or e.data -> 'after' ?& ${marks}::text[]) ${further}
     order by e.epoch ${order}, e.xid ${order}, e.seq ${order} limit 1`.execute(tx);
  return rows.map(toEvent)[0];
}

/** Finds the states of resources at a time, by id. Omits resources without a state in the log. */
export async function findPastStates(
  tx: Tx,
  {
    resourceType,
    ids,
    at,
    marks,
  }: {
    readonly resourceType: string;
    readonly ids: readonly string[];
    readonly at: Date;
    readonly marks: readonly string[];
  },
): Promise<ReadonlyMap<string, StateAsOf["state"]>> {
  const { rows } = await sql<{ id: string; doc: StateAsOf["state"] }>`
    select o.id, last.doc from unnest(${ids}::text[]) as o (id) cross join lateral (
      select case when e.data ? 'after' then e.data -> 'after' else e.data end as doc from events e
       where e.resource_id = o.id and e.resource_type = ${resourceType} and e.created_at <= ${at}
         and (e.data ?& ${marks}::text[] or e.data -> 'after' ?& ${marks}::text[])
       order by e.epoch desc, e.xid desc, e.seq desc limit 1) last`.execute(tx);
  return new Map(rows.map(({ id, doc }) => [id, doc]));
}

/** A filter on events: types, resource or topic, and data values. */
export interface ToldEvents {
  readonly types: readonly string[];
  readonly resourceId?: string;
  readonly topic?: string;
  readonly data?: Readonly<Record<string, string>>;
}

/** The events for computing a past state, oldest first. */
export async function readToldEvents(
  tx: Tx,
  selections: readonly ToldEvents[],
  limit: number,
): Promise<readonly RecordedEvent[]> {
  const parts = selections.map(({ types, resourceId, topic, data = {} }) => {
    const fields = Object.entries(data).map(([name, value]) => sql`e.data ->> ${name} = ${value}`);
    const conditions = [
      sql`e.type = any (${types}::text[])`,
      ...(resourceId === undefined ? [] : [sql`e.resource_id = ${resourceId}`]),
      ...(topic === undefined ? [] : [sql`e.topic = ${topic}`]),
      ...fields,
    ];
    return sql`select e.* from events e where ${sql.join(conditions, sql` and `)}`;
  });
  const { rows } = await sql<EventRow>`
    select ${sql.raw(EVENT_COLUMNS)} from (${sql.join(parts, sql` union all `)}) e
     order by e.epoch, e.xid, e.seq limit ${limit}`.execute(tx);
  return rows.map(toEvent);
}
