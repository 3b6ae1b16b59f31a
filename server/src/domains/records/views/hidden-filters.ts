/**
 * Hides filters of shared views from readers who may not see all fields in them: a value in a filter reveals a
 * value of the field.
 */
import {
  findTableSchema,
  isUnrestricted,
  openTable,
  type OpenTable,
} from "#domains/tables/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import type { EventVisibility } from "#kernel/log/event-visibility.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import type { TableView } from "./view.ts";

/** Returns views without the filters that name fields hidden from the caller. */
export async function hideFilters<View extends TableView>(
  ctx: ReadContext,
  views: readonly View[],
): Promise<View[]> {
  const tables = new Map<string, OpenTable>();
  const seen: View[] = [];
  for (const view of views) {
    const fields = namedFields(view.filter);
    const table = tables.get(view.table) ?? (await openTable(ctx, view.table));
    tables.set(view.table, table);
    const isHidden = (await Promise.all(fields.map((path) => isHiddenPath(table, path)))).some(
      Boolean,
    );
    seen.push(isHidden ? { ...view, filter: {}, filterHidden: true } : view);
  }
  return seen;
}

/** The fields in a condition, with their paths. */
function namedFields(condition: unknown): readonly string[] {
  if (Array.isArray(condition)) return condition.flatMap(namedFields);
  if (typeof condition !== "object" || condition === null) return [];
  return Object.entries(condition).flatMap(([key, inner]) =>
    LOGICAL.has(key) ? namedFields(inner) : [key],
  );
}

const LOGICAL: ReadonlySet<string> = new Set(["and", "or", "not"]);

/** Returns whether the rules hide a field, or one on the path to it, in all records. */
async function isHiddenPath(table: OpenTable, path: string): Promise<boolean> {
  const [first = "", ...rest] = path.split(".");
  const grants = table.grants("read");
  if (grants && !grants.some(({ fields }) => !fields || fields.has(first))) return first !== "id";
  const column = table.schema.byName.get(first);
  if (rest.length === 0 || column?.target === undefined) return false;
  const target = await table.find(column.target);
  return target === undefined || isHiddenPath(target, rest.join("."));
}

/**
 * Visibility of view events: a private view for its owner; a shared view for all, without its filter if the table
 * has access rules.
 */
export const viewVisibility: EventVisibility = {
  resourceType: "table_view",
  async filtersFor(context, events) {
    const ruled = new Map<string, boolean>();
    for (const slug of new Set(events.map(tableOf))) {
      const schema = await findTableSchema(context, slug);
      ruled.set(slug, !schema || schema.rules.length > 0);
    }
    return events.map((event) => (person) => {
      if (!person || isUnrestricted(person) || makerOf(event) === person.id) return event;
      if (!isShared(event)) return undefined;
      return ruled.get(tableOf(event)) ? withoutFilter(event) : event;
    });
  },
  visibleSql: async (_context, person, parameters) =>
    isUnrestricted(person)
      ? "true"
      : `coalesce(e.data ->> 'createdBy', e.data -> 'after' ->> 'createdBy') = ${parameters.add(person.id, "text")}`,
};

type Data = Readonly<Record<string, unknown>>;

/** The view in an event, after the change. */
function viewIn({ data }: RecordedEvent): Data {
  return (data["after"] ?? data) as Data;
}

function tableOf(event: RecordedEvent): string {
  return String(viewIn(event)["table"]);
}

function makerOf(event: RecordedEvent): unknown {
  return viewIn(event)["createdBy"];
}

function isShared(event: RecordedEvent): boolean {
  return viewIn(event)["shared"] === true;
}

function withoutFilter(event: RecordedEvent): RecordedEvent {
  const { data } = event;
  const hide = (view: unknown): unknown => ({ ...(view as Data), filter: {} });
  const { before, after } = data as { before?: unknown; after?: unknown };
  if (after === undefined) return { ...event, data: hide(data) as Data };
  return { ...event, data: { ...data, before: hide(before), after: hide(after) } };
}
