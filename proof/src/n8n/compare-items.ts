/** Compares two runs of one template item by item. */
import { isDeepStrictEqual } from "node:util";
import type { Ran } from "./importer.ts";
import type { Items } from "./n8n-program.ts";
import { BEGIN } from "./plain-template.ts";
import type { Template } from "./template.ts";

export interface Compared {
  readonly nodes: number;
  readonly same: number;
  readonly items: number;
  /** Differences that the import has announced. */
  readonly told: readonly string[];
  readonly differences: readonly string[];
}

/** The nodes that ran in n8n, and those with output only in Millrace. */
export function compareItems(
  template: Template,
  there: Items,
  { items: here, told: reasons }: Pick<Ran, "items" | "told">,
): Compared {
  const links = template.connections as Readonly<Record<string, { readonly main?: unknown[] }>>;
  // An unconnected output may be missing.
  const widthOf = (name: string): number => Math.max(1, links[name]?.main?.length ?? 0);
  const differences: string[] = [];
  const told: string[] = [];
  let [nodes, same, items] = [0, 0, 0];
  for (const name of new Set([...there.keys(), ...here.keys()])) {
    const cut = (all: Items) => all.get(name)?.slice(0, widthOf(name));
    const [theirs, ours] = [cut(there), cut(here)];
    // A node without input runs here but not in n8n. The click trigger is not a step here.
    if (name === BEGIN) continue;
    if (countOf(theirs) === 0 && countOf(ours) === 0) continue;
    nodes += 1;
    items += countOf(theirs);
    const difference = findDifference(theirs ?? [], ours ?? []);
    if (difference === undefined) same += 1;
    else if (reasons.has(name)) told.push(`${name} (${reasons.get(name)}): ${difference}`);
    else differences.push(`${name}: ${difference}`);
  }
  return { nodes, same, items, told, differences };
}

const countOf = (lists: readonly (readonly unknown[])[] = []): number => lists.flat().length;

function findDifference(
  theirs: readonly (readonly unknown[])[],
  ours: readonly (readonly unknown[])[],
): string | undefined {
  for (let output = 0; output < Math.max(theirs.length, ours.length); output += 1) {
    const [there, here] = [theirs[output] ?? [], ours[output] ?? []];
    if (there.length !== here.length)
      return `${there.length} items there, ${here.length} here (output ${output}): ${shorten(there)} / ${shorten(here)}`;
    const at = there.findIndex(
      (one, index) => !isDeepStrictEqual(settle(one), settle(here[index])),
    );
    if (at >= 0) return `item ${at}: ${describe(settle(there[at]), settle(here[at]))}`;
  }
  return undefined;
}

/** The members in which two items differ. */
function describe(one: unknown, other: unknown): string {
  const [left, right] = [Object(one) as object, Object(other) as object];
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])].filter(
    (name) => !isDeepStrictEqual(Reflect.get(left, name), Reflect.get(right, name)),
  );
  const show = (from: object, name: string): string => shorten(Reflect.get(from, name));
  return names
    .map((name) => `${name} ${show(left, name)} there, ${show(right, name)} here`)
    .join("; ");
}

function settle(value: unknown): unknown {
  return JSON.parse(settleText(JSON.stringify(value ?? null)));
}

/** Replaces values that differ between runs: times and random ids. */
export function settleText(text: string): string {
  return (
    text
      .replaceAll(/202[6-9]-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.]*(?:Z|[+-]\d\d:\d\d)?/g, (time) =>
        Math.abs(Date.parse(time) - Date.now()) < HOURS_MS ? "TIME" : time,
      )
      .replaceAll(/(?<![\w.])1[6-9]\d{8}(?:\d{3})?(?![\w.])/g, (time) =>
        Math.abs(Number(time.padEnd(13, "0")) - Date.now()) < HOURS_MS ? "0" : time,
      )
      .replaceAll(/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/g, (time) =>
        Math.abs(Date.parse(time) - Date.now()) < HOURS_MS ? "TIME" : time,
      )
      // Connection management is not part of the workflow.
      .replaceAll(/"(?:connection|keep-alive)":"[^"]*",?/g, "")
      .replaceAll(",}", "}")
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UUID")
  );
}

const HOURS_MS = 6 * 3_600_000;
const SHOWN_CHARACTERS_MAX = 300;

function shorten(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, SHOWN_CHARACTERS_MAX);
}
