/** Converts a file of rows to the table of its service. */
import { toFieldSource, toFieldSources } from "./compile-source.ts";
import { expandRows } from "./expand-rows.ts";
import { findRename } from "./functions/function-table.ts";
import type { ServiceFile, ServiceRow } from "./service-file.ts";
import { type FieldSource, pathCode, type Service, type ServiceAction } from "./service-table.ts";

export function compileService(file: ServiceFile): Service {
  const { preset, title, base, usual, takes, rename, rows } = file;
  return {
    preset,
    title,
    ...(base !== undefined && { base }),
    usual,
    ...(takes !== undefined && { takes }),
    ...(rename !== undefined && { rename: findRename(rename) }),
    actions: expandRows(rows).map(compileRow),
  };
}

function compileRow(row: ServiceRow): ServiceAction {
  const { on, service, via, items, isList, takes, notes, sample } = row;
  return {
    on,
    action: row.action ?? "request",
    input: inputOf(row),
    ...(service && { service }),
    ...(via && {
      via: { action: via.action ?? "request", input: inputOf(via), inputs: via.inputs },
    }),
    ...(items !== undefined && { items: toFieldSource(items) }),
    ...(isList !== undefined && { isList }),
    ...(takes !== undefined && { takes }),
    ...(notes && { notes }),
    ...(sample && { sample: sample as NonNullable<ServiceAction["sample"]> }),
  };
}

type Call = Pick<ServiceRow, "request" | "query" | "headers" | "body" | "response" | "input">;

function inputOf({ request, input = {}, ...call }: Call): Readonly<Record<string, FieldSource>> {
  if (request === undefined) return toFieldSources(input);
  const at = request.indexOf(" ");
  const path = request.slice(at + 1);
  const parts = ["query", "headers", "body", "response"] as const;
  const given = Object.keys(call).flatMap((name): [string, FieldSource][] => {
    const part = parts.find((one) => one === name);
    const source = part && call[part];
    if (source === undefined) return [];
    return [[name, source === "file" ? '="file"' : toFieldSource(source)]];
  });
  return {
    method: `=${JSON.stringify(request.slice(0, at))}`,
    path: path.startsWith("=") ? toFieldSource(path) : (read) => pathCode(read, path),
    ...Object.fromEntries(given),
  };
}
