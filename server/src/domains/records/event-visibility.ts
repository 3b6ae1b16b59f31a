/** Applies access rules to record events: removes hidden fields, and drops events of hidden records. */
import type { Principal } from "#kernel/access/caller.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import type {
  EventVisibility,
  EventFilter,
  VisibilityContext,
} from "#kernel/log/event-visibility.ts";
import {
  checkAccess,
  findTableSchema,
  type Grants,
  hideFields,
  isUnrestricted,
  listTables,
  loadReferences,
  pathsOfRules,
  type References,
  reloadTableSchema,
  resolveGrants,
  type TableSchema,
  visibleFields,
  withReferences,
} from "#domains/tables/index.ts";
import { truncateName } from "./events.ts";

type Data = Readonly<Record<string, unknown>>;
type FilterFor = (event: RecordedEvent) => EventFilter | undefined;

export const recordVisibility: EventVisibility = {
  resourceType: "record",
  async filtersFor(position, events) {
    const filters = new Map<string, FilterFor>();
    for (const [slug, ofTable] of Map.groupBy(events, tableSlugOf)) {
      const schema = await findCurrentSchema(position, slug, ofTable);
      const references = schema && (await readReferences(position, schema, ofTable));
      filters.set(slug, filterTableEvents(schema, references));
    }
    return events.map((event) => filters.get(tableSlugOf(event))?.(event));
  },
  async visibleSql({ read }, principal, parameters) {
    if (isUnrestricted(principal)) return "true";
    const open = (await read(listTables)).filter(({ rules }) => rules.length === 0);
    const ids = open.map(({ id }) => id);
    return `e.data ->> 'tableId' = any (${parameters.add(ids, "text[]")})`;
  },
};

function tableSlugOf({ data }: RecordedEvent): string {
  return String(data["tableSlug"]);
}

/** Returns the schema of a table; reloads it if it is older than one of the events. */
async function findCurrentSchema(
  position: VisibilityContext,
  slug: string,
  events: readonly RecordedEvent[],
): Promise<TableSchema | undefined> {
  const schema = await findTableSchema(position, slug);
  const isOutdated = schema && events.some(({ data }) => isOlderThan(schema, data));
  return isOutdated ? reloadTableSchema(position, slug) : schema;
}

function isOlderThan({ id, revision }: TableSchema, { tableId, tableRevision }: Data): boolean {
  // A later table has a greater id.
  return tableId === id ? Number(tableRevision) > revision : String(tableId) > id;
}

/** The current values of other records that rules name. */
function readReferences(
  position: VisibilityContext,
  schema: TableSchema,
  events: readonly RecordedEvent[],
): Promise<References> {
  const rules = schema.rules.filter(({ actions }) => actions.includes("read"));
  const records = events.flatMap(({ data }) =>
    [data, data["before"], data["after"], data["record"]].filter(isRecord),
  );
  return loadReferences(position, schema, pathsOfRules(schema, rules), records);
}

const isRecord = (part: unknown): part is Data => typeof part === "object" && part !== null;

/** The filters for events about the records of one table. */
function filterTableEvents(
  schema: TableSchema | undefined,
  references: References = new Map(),
): FilterFor {
  const grants = new Map<string, Grants>();
  const readGrants = (table: TableSchema, principal: Principal): Grants => {
    if (!grants.has(principal.id)) {
      const held = resolveGrants(table, "read", principal);
      grants.set(principal.id, withReferences(held, references));
    }
    return grants.get(principal.id);
  };
  return (event) => {
    // The access rules of a deleted table are deleted too, so only unrestricted callers see its events.
    if (!schema || event.data["tableId"] !== schema.id) {
      return (principal) => (!principal || isUnrestricted(principal) ? event : undefined);
    }
    const { rules, renamedRevision } = schema;
    if (rules.length === 0) return undefined;
    // Rules use current field names, which differ from those in events before a rename.
    const isReadable = Number(event.data["tableRevision"]) >= renamedRevision;
    return (principal) => {
      const held = principal && readGrants(schema, principal);
      if (!held) return event;
      return isReadable ? filterEvent(held, event) : undefined;
    };
  };
}

function filterEvent(grants: NonNullable<Grants>, event: RecordedEvent): RecordedEvent | undefined {
  const data =
    event.type === "record.updated"
      ? filterUpdate(grants, event.data)
      : "record" in event.data && event.type.startsWith(COMMENT_EVENTS)
        ? filterComment(grants, event.data)
        : (visibleFields(grants, event.data) as Data | undefined);
  return data && { ...event, data, resource: filterResource(event.resource, data) };
}

const COMMENT_EVENTS = "record.comment_";

/** A comment event is visible to members who could see the record at that time. */
function filterComment(grants: Grants, data: Data): Data | undefined {
  const record = visibleFields(grants, data["record"] as Data);
  return record && { ...data, record };
}

/** The visible part of an update; undefined if only hidden fields changed. */
function filterUpdate(grants: Grants, data: Data): Data | undefined {
  // Both are records, as this domain wrote them.
  const [before, after] = [data["before"] as Data, data["after"] as Data];
  const [visibleBefore, visibleAfter] = [
    visibleFields(grants, before),
    visibleFields(grants, after),
  ];
  if (!visibleBefore && !visibleAfter) return undefined;
  const changes = data["changes"] as readonly string[];
  const [hiddenBefore, hiddenAfter] = [
    hiddenFields(grants, before, changes),
    hiddenFields(grants, after, changes),
  ];
  const visibleChanges = changes.filter(
    (field) => !hiddenBefore.has(field) || !hiddenAfter.has(field),
  );
  // A record that becomes visible or hidden is reported as an event, whatever changed in it.
  if (visibleChanges.length === 0 && visibleBefore && visibleAfter) return undefined;
  return {
    ...data,
    before: visibleBefore ?? hideFields(before),
    after: visibleAfter ?? hideFields(after),
    changes: visibleChanges,
  };
}

/** Not by their values: a visible field may be null. */
function hiddenFields(
  grants: Grants,
  record: Data,
  fields: readonly string[],
): ReadonlySet<string> {
  return new Set(checkAccess(grants, record, fields).deniedFields);
}

/** Removes the display name if its field is hidden. */
function filterResource(
  resource: RecordedEvent["resource"],
  data: Data,
): RecordedEvent["resource"] {
  const { displayName } = resource;
  if (displayName === null) return resource;
  const records = [data, data["before"], data["after"], data["record"]].filter(isRecord);
  const isVisible = records.some((record) =>
    Object.values(record).some(
      (value) => typeof value === "string" && truncateName(value) === displayName,
    ),
  );
  return isVisible ? resource : { ...resource, displayName: null };
}
