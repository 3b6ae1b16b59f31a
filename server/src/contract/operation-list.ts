import type { Domain, Operation } from "#kernel/contract.ts";

const HEAD = ["operation", "method", "path", "permission", "events"];

/**
 * Renders the API as one aligned line per operation, for reviews of API changes. Aliases are omitted. An operation
 * without a permission shows its audience instead.
 */
export function renderOperationList(domains: readonly Domain[]): string {
  const operations = domains
    .flatMap((domain) => domain.operations)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const rows = [HEAD, ...operations.map(rowOf)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

function rowOf(op: Operation): string[] {
  const permission = op.permission?.name ?? `(${op.access})`;
  const events = op.publishes ? "(what is published)" : op.emits.map(({ type }) => type).join(", ");
  const [method = "", path = ""] = op.route.split(" ");
  return [op.id, method, path, permission, events];
}
