import type { Taken } from "../structure/apply-steps.ts";
import type { Table } from "../table.ts";

type Changes = Pick<Taken, "created" | "updated" | "dropped">;

/** What several changes come to, one after the other: a table that came and went was never there. */
export function mergedChanges(all: readonly Changes[]): Changes {
  const created = new Map<string, Table>();
  const updated = new Map<string, { before: Table; after: Table }>();
  const dropped: Table[] = [];
  for (const changes of all) {
    for (const table of changes.dropped) {
      const before = updated.get(table.id)?.before;
      updated.delete(table.id);
      if (!created.delete(table.id)) dropped.push(before ?? table);
    }
    for (const table of changes.created) created.set(table.id, table);
    for (const { before, after } of changes.updated) {
      if (created.has(after.id)) created.set(after.id, after);
      else updated.set(after.id, { before: updated.get(after.id)?.before ?? before, after });
    }
  }
  return { created: [...created.values()], updated: [...updated.values()], dropped };
}
