import type { Schemas } from "../data/api.ts";

type Event = Schemas["Event"];

const HEAD = ["time", "type", "actor", "actorId", "resource", "resourceId", "environment", "data"];

/** Converts events to CSV. Cells that a spreadsheet would interpret as formulas get an apostrophe. */
export function toCsv(events: readonly Event[]): string {
  const rows = events.map(({ createdAt, type, actor, resource, environment, data }) => [
    createdAt,
    type,
    actor.name,
    actor.id,
    resource.displayName ?? resource.type,
    resource.id,
    environment,
    JSON.stringify(data),
  ]);
  return [HEAD, ...rows].map((row) => row.map(quoteCell).join(",")).join("\r\n");
}

function quoteCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
