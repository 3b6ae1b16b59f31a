/**
 * Generates route, permission and events of each operation, by group: first what most operations of the group share,
 * then per operation what differs. This compresses to two thirds of one full line per operation.
 */
import type { NamedOperation } from "./describe.ts";
import { API_PATH, NONE, SAME } from "./lines.ts";
import { printName, WIDTH_MAX } from "./print-type.ts";
import { quote } from "./schema-type.ts";

interface Facts {
  readonly action: string;
  readonly method: string;
  readonly path: string;
  readonly permission: string;
  readonly kinds: string;
}

export function printGroups(operations: readonly NamedOperation[]): string {
  const groups = new Map<string, Facts[]>();
  for (const one of operations) {
    const [group = "", action = ""] = one.id.split(".");
    const members = groups.get(group) ?? [];
    groups.set(group, members);
    members.push(factsOf(action, one));
  }
  return [...groups]
    .map(([group, members]) => {
      const lines = listLines(members).map(quote);
      const short = `  ${printName(group)}: [${lines.join(", ")}],`;
      const long = `  ${printName(group)}: [\n    ${lines.join(",\n    ")},\n  ],`;
      return short.length <= WIDTH_MAX ? short : long;
    })
    .join("\n");
}

function factsOf(action: string, { route, operation }: NamedOperation): Facts {
  const [method = "", path = ""] = route.split(" ");
  const kinds = [...new Set((operation["x-events"] ?? []).map(eventKind))].sort(compare);
  const owners = operation["x-owners-only"] === true ? "+owner" : "";
  const account = operation["x-account"] === true ? "+account" : "";
  const named = [operation["x-permission"] ?? NONE, ...(operation["x-implied-by"] ?? [])];
  const permission = `${named.join("|")}${owners}${account}`;
  return { action, method, path, permission, kinds: kinds.join(",") || NONE };
}

/** `resolve POST/{id}/* incidents:resolve`; `*` is the action. */
function listLines(members: readonly Facts[]): readonly string[] {
  const reads = members.filter(({ method }) => method === "GET");
  const writes = members.filter(({ method }) => method !== "GET");
  const base = mostOf(members.map(({ path }) => path.split("/{")[0] ?? ""));
  const read = mostOf(reads.map(({ permission }) => permission));
  const write = mostOf(writes.map(({ permission }) => permission));
  const events = mostOf(writes.map(({ kinds }) => kinds));
  const at = base.startsWith(API_PATH) ? base.slice(API_PATH.length) : base;
  const lines = members.map(({ action, method, path, permission, kinds }) => {
    const isRead = method === "GET";
    const where = path.startsWith(base) ? shorten(path.slice(base.length), action) : `=${path}`;
    const parts = [
      action,
      `${method}${where}`,
      permission === (isRead ? read : write) ? SAME : permission,
      kinds === (isRead ? NONE : events) ? SAME : kinds,
    ];
    return parts.join(" ").replace(/( \.)+$/, "");
  });
  return [[at, read, write, events].join(" "), ...lines];
}

const shorten = (rest: string, action: string): string =>
  rest.replace(new RegExp(`/${action.replaceAll("_", "-")}$`), "/*");

/** The most frequent value, and of equally frequent ones the first. */
function mostOf(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [most] = [...counts].toSorted(([, one], [, other]) => other - one);
  return most?.[0] ?? NONE;
}

/**
 * `audit.role` for `audit.role.created`, `incident` for `incident.created`. Run events have a separate kind, because
 * they are frequent and do not change the workflow.
 */
function eventKind(type: string): string {
  const [first = "", second = ""] = type.split(".");
  if (type.startsWith("workflow.run_")) return "workflow.run_";
  return first === "audit" ? `${first}.${second}` : first;
}

const compare = (one: string, other: string): number => (one < other ? -1 : 1);
