/** The list of tickets of all kinds: visibility, filters and sort orders. */
import type { ReadContext } from "#kernel/contract.ts";
import { filterSql } from "#kernel/list/filter.ts";
import type { ListCondition, ListDefinition, ListField } from "#kernel/list/list.ts";
import {
  readFieldDefinitions,
  seesOwnOnly,
  TICKET_KINDS,
  type TicketKind,
  ticketKinds,
} from "../tickets/index.ts";
import { splitFilter } from "./own-field-index.ts";
import { ITEM_COLUMNS } from "./ticket-item.ts";

const text = (sql: string): ListField => ({ sql, kind: "text" });
const maybe = (sql: string): ListField => ({ sql, kind: "text", nullable: true });
const time = (sql: string): ListField => ({ sql, kind: "time" });

export const ticketList: ListDefinition = {
  name: "tickets",
  from: "tickets",
  select: ITEM_COLUMNS,
  fields: {
    seq: { sql: "seq", kind: "number", type: "bigint" },
    id: text("id"),
    kind: text("kind"),
    number: text("number"),
    title: text("title"),
    state: text("state"),
    isOpen: { sql: "is_open", kind: "boolean" },
    priority: { sql: "priority", kind: "number", type: "integer", nullable: true },
    callerId: maybe("caller_id"),
    assigneeId: maybe("assignee_id"),
    teamId: maybe("team_id"),
    onHoldReason: maybe("on_hold_reason"),
    tags: { sql: "tags", kind: "texts" },
    fields: { sql: "fields", kind: "json" },
    dueAt: { ...time("due_at"), nullable: true },
    dueState: maybe("due_state"),
    dueMetric: maybe("due_metric"),
    lastPublicCommentBy: maybe("comment_by"),
    lastPublicCommentAt: { ...time("comment_at"), nullable: true },
    lastPublicCommentIsCaller: { sql: "comment_by_caller", kind: "boolean", nullable: true },
    createdBy: text("created_by"),
    createdAt: time("created_at"),
    updatedAt: time("updated_at"),
  },
  search: ["number", "title"],
  order: "-createdAt",
  tieBreaker: "seq",
};

/** The sort order of open tickets: by the next SLA deadline. */
export const OPEN_ORDER = "dueAt";

/**
 * Returns the requested kinds for which the caller can read all tickets. Callers limited to their own tickets
 * must use the list of the kind.
 */
export function readableKinds(
  { services, caller }: Pick<ReadContext, "services" | "caller">,
  names?: readonly string[],
): readonly TicketKind[] {
  return ticketKinds(services).filter(
    (kind) =>
      caller.permissions.has(kind.read.name) &&
      !seesOwnOnly(kind, caller) &&
      (names?.includes(kind.kind) ?? true),
  );
}

/** True for a sort order by creation time only. */
export const isByAge = (sort: string): boolean => /^-?createdAt$/.test(sort);

/** Selects the tickets of these kinds. */
export function ofKinds(kinds: readonly TicketKind[]): ListCondition {
  const names = kinds.map(({ kind }) => kind);
  const [only] = names;
  if (only === undefined) return () => "false";
  // No condition for all kinds. Equality with one kind keeps the index order.
  if (names.length === TICKET_KINDS.length) return () => "true";
  if (names.length === 1) return (parameters) => `kind = ${parameters.add(only, "text")}`;
  return (parameters) => `kind = any (${parameters.add(names, "text[]")})`;
}

const OWN_FIELD = /^fields\.([a-z][a-zA-Z0-9]{0,39})$/;

/** The list with the custom fields of a sort order. Fields that differ between kinds are compared as text. */
export async function withOwnFields(
  tx: ReadContext["tx"],
  kinds: readonly TicketKind[],
  sort: string,
): Promise<ListDefinition> {
  const keys = sort.split(",").flatMap((word) => OWN_FIELD.exec(word.replace("-", ""))?.[1] ?? []);
  if (keys.length === 0) return ticketList;
  const definitions = (
    await Promise.all(kinds.map(({ kind }) => readFieldDefinitions(tx, kind)))
  ).flat();
  const named = definitions.filter(({ key }) => keys.includes(key));
  const added = named.map(({ key }): [string, ListField] => {
    const isNumber = named.every((one) => one.key !== key || one.type === "number");
    const sql = `(fields ->> '${key}')`;
    const field: ListField = isNumber
      ? { sql: `${sql}::numeric`, kind: "number", nullable: true }
      : { sql, kind: "text", nullable: true };
    return [`fields.${key}`, field];
  });
  return { ...ticketList, fields: { ...ticketList.fields, ...Object.fromEntries(added) } };
}

/**
 * Converts a saved filter or a query text to a condition. Throws 422 if it does not match the fields. With `byAge` it
 * is the only condition of a list in creation order.
 */
export function filterCondition(
  filter: string | Readonly<Record<string, unknown>>,
  { byAge = false }: { readonly byAge?: boolean } = {},
): ListCondition {
  const { fields } = ticketList;
  const fieldOf = (name: string) => (Object.hasOwn(fields, name) ? fields[name] : undefined);
  const kindOf = (name: string) => fieldOf(name)?.kind;
  const { indexed, rest, conditions } = splitFilter(readFilter(filter), byAge);
  return (parameters) => {
    const toSql = (part: object) =>
      filterSql(typeof filter === "string" ? JSON.stringify(part) : { ...part }, {
        fieldOf,
        kindOf,
        parameters,
      });
    if (conditions.length === 0) return filterSql(filter, { fieldOf, kindOf, parameters });
    return [
      ...(Object.keys(rest).length === 0 ? [] : [toSql(rest)]),
      // `coalesce` prevents a bad plan: the planner assumes that JSON equality is rare, and would not use the
      // queue order for a frequent value.
      `coalesce(${toSql(indexed)}, false)`,
      ...conditions.map((condition) => condition(parameters)),
    ].join(" and ");
  };
}

/** Parses the filter of a query. Empty for an invalid filter, whose error `filterSql` reports. */
function readFilter(
  filter: string | Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (typeof filter !== "string") return filter;
  if (!filter.includes('"fields.')) return {};
  try {
    const parsed: unknown = JSON.parse(filter);
    const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
    return isObject ? { ...parsed } : {};
  } catch {
    return {};
  }
}
