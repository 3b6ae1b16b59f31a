/**
 * Events about records, as the rules of their tables let people see them. What is hidden of a record
 * is hidden of what happened to it, and who sees nothing of it does not hear of it.
 */
import type { Principal } from "#kernel/access/caller.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import type { EventVisibility, EventFilter, FilterPosition } from "#kernel/log/event-visibility.ts";
import { findTableSchema, reloadTable } from "#domains/tables/schema/table-cache.ts";
import type { TableSchema } from "#domains/tables/schema/table-schema.ts";
import {
  checkAccess,
  type Grants,
  resolveGrants,
  isUnrestricted,
  visibleFields,
} from "#domains/tables/schema/grants.ts";
import { listTables } from "#domains/tables/store.ts";
import { hideFields } from "./record-access.ts";
import { nameIn } from "./table-record.ts";

type Data = Readonly<Record<string, unknown>>;

export const recordView: EventVisibility = {
  resourceType: "record",
  async lensesFor(place, events) {
    const makers = new Map<string, (event: RecordedEvent) => EventFilter | undefined>();
    for (const [slug, own] of Map.groupBy(events, slugOf)) {
      makers.set(slug, makerFor(await tableAt(place, slug, own)));
    }
    return events.map((event) => makers.get(slugOf(event))?.(event));
  },
  async wholly({ read }, person, parameters) {
    if (isUnrestricted(person)) return "true";
    const open = (await read(listTables)).filter(({ rules }) => rules.length === 0);
    const ids = open.map(({ id }) => id);
    return `e.data ->> 'tableId' = any (${parameters.add(ids, "text[]")})`;
  },
};

function slugOf({ data }: RecordedEvent): string {
  return String(data["tableSlug"]);
}

/** The table of that name; not as it was before it became what one of these events is about. */
async function tableAt(
  { services, partition, read }: FilterPosition,
  slug: string,
  events: readonly RecordedEvent[],
): Promise<TableSchema | undefined> {
  const table = await findTableSchema(services, partition, slug, read);
  const isOld = table && events.some(({ data }) => isBehind(table, data));
  return isOld ? reloadTable(services, partition, slug, read) : table;
}

function isBehind({ id, revision }: TableSchema, { tableId, tableRevision }: Data): boolean {
  // A later table has a greater id.
  return tableId === id ? Number(tableRevision) > revision : String(tableId) > id;
}

/** Makes the lenses for events about the records of one table. */
function makerFor(
  table: TableSchema | undefined,
): (event: RecordedEvent) => EventFilter | undefined {
  const grants = new Map<string, Grants>();
  const grantsTo = (rules: TableSchema["rules"], person: Principal): Grants => {
    if (!grants.has(person.id)) grants.set(person.id, resolveGrants(rules, "read", person));
    return grants.get(person.id);
  };
  return (event) => {
    // Of a table that is gone nobody knows any more who was to see what.
    if (!table || event.data["tableId"] !== table.id) {
      return (person) => (!person || isUnrestricted(person) ? event : undefined);
    }
    const { rules, renamedRevision } = table;
    if (rules.length === 0) return undefined;
    // Nor can the rules tell by the fields of today what was to be seen of those of before.
    const isReadable = Number(event.data["tableRevision"]) >= renamedRevision;
    return (person) => {
      const held = person && grantsTo(rules, person);
      if (!held) return event;
      return isReadable ? seenThrough(held, event) : undefined;
    };
  };
}

function seenThrough(grants: NonNullable<Grants>, event: RecordedEvent): RecordedEvent | undefined {
  const data =
    event.type === "record.updated"
      ? changeSeen(grants, event.data)
      : (visibleFields(grants, event.data) as Data | undefined);
  return data && { ...event, data, resource: resourceSeen(event.resource, data) };
}

/** What is seen of a change; nothing when what changed is hidden. */
function changeSeen(grants: Grants, data: Data): Data | undefined {
  // Both are records, as this domain wrote them.
  const [before, after] = [data["before"] as Data, data["after"] as Data];
  const [seenBefore, seenAfter] = [visibleFields(grants, before), visibleFields(grants, after)];
  if (!seenBefore && !seenAfter) return undefined;
  const shown = {
    ...data,
    before: seenBefore ?? hideFields(before),
    after: seenAfter ?? hideFields(after),
  };
  const changes = data["changes"] as readonly string[];
  const [hiddenBefore, hiddenAfter] = [
    hidden(grants, before, changes),
    hidden(grants, after, changes),
  ];
  const told = changes.filter((field) => !hiddenBefore.has(field) || !hiddenAfter.has(field));
  // A record that comes into sight, or leaves it, is news whatever changed in it.
  if (told.length === 0 && seenBefore && seenAfter) return undefined;
  return { ...shown, changes: told };
}

/** Those of some fields that are hidden: not by their values, since null is seen as null. */
function hidden(grants: Grants, record: Data, fields: readonly string[]): ReadonlySet<string> {
  return new Set(checkAccess(grants, record, fields).deniedFields);
}

/** The name is one of the fields, and is shown when that is. */
function resourceSeen(resource: RecordedEvent["resource"], data: Data): RecordedEvent["resource"] {
  const { displayName } = resource;
  if (displayName === null) return resource;
  const records = [data, data["before"], data["after"]].filter(
    (part): part is Data => typeof part === "object" && part !== null,
  );
  const isSeen = records.some((record) =>
    Object.values(record).some(
      (value) => typeof value === "string" && nameIn(value) === displayName,
    ),
  );
  return isSeen ? resource : { ...resource, displayName: null };
}
