import { isUnrestricted } from "#domains/tables/index.ts";
import { FileOwnerPoint } from "#kernel/contributions/file-owner.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import { type EventVisibility, EventVisibilityPoint } from "#kernel/log/event-visibility.ts";
import { importEvents } from "./import.ts";
import { importOperations } from "./operations.ts";
import { findImport, maySee } from "./store.ts";
import { importJob } from "./work.ts";

/** Import events are visible to the owner and to users with access to all records. */
const importVisibility: EventVisibility = {
  resourceType: "import",
  filtersFor: async (_context, events) =>
    events.map((event) => (person) => {
      const isSeen = !person || isUnrestricted(person) || event.data["createdBy"] === person.id;
      return isSeen ? event : undefined;
    }),
  visibleSql: async (_context, person, parameters) =>
    isUnrestricted(person)
      ? "true"
      : `e.data ->> 'createdBy' = ${parameters.add(person.id, "text")}`,
};

/** Imports tables from CSV, XLSX and JSON files with guessed types. An import can be undone as a whole. */
export const imports = domain({
  name: "imports",
  summary: "Imports of files into tables.",
  tag: "tables",
  permissions: [],
  events: importEvents,
  operations: importOperations,
  jobs: [importJob],
  contributions: [
    contribute(EventVisibilityPoint, importVisibility),
    contribute(FileOwnerPoint, {
      type: "import",
      async canRead({ tx, caller }, { attachedId }) {
        const row = await findImport(tx, attachedId);
        return row !== undefined && maySee(caller, row.created_by);
      },
    }),
  ],
});
