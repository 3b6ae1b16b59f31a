/**
 * The chosen step in the address of a run. `step` is its way through the loops, as on the canvas (`each/charge`);
 * `item` says which items of these loops one looks at (`each:3,each/lines:0`). An id of the API (`each[3].charge`) says
 * both.
 */
export interface StepPlace {
  readonly key: string | undefined;
  /** The item that one looks at, by the key of its loop. */
  readonly items: ReadonlyMap<string, number>;
}

export function readStepPlace(step: string | undefined, item: string | undefined): StepPlace {
  const items = new Map<string, number>();
  for (const part of item?.split(",") ?? []) {
    const [, loop, n] = /^(.+):(\d+)$/.exec(part) ?? [];
    if (loop !== undefined) items.set(loop, Number(n));
  }
  if (step === undefined || !/[[.]/.test(step)) return { key: step, items };
  const way: string[] = [];
  for (const part of step.split(".")) {
    const [, id = part, ...rest] = /^([^[]+)((?:\[\d+\])*)$/.exec(part) ?? [];
    way.push(id);
    const [index] = /\d+/.exec(rest.join("")) ?? [];
    if (index !== undefined) items.set(way.join("/"), Number(index));
  }
  return { key: way.join("/"), items };
}

export function writeItems(items: ReadonlyMap<string, number>): string | undefined {
  const parts = Array.from(items, ([loop, item]) => `${loop}:${item}`);
  return parts.length === 0 ? undefined : parts.join(",");
}

/**
 * The items with another one chosen for a loop; loops inside it are looked at as a whole again, and of those around it
 * the first item where none was chosen.
 */
export function chooseItem(
  items: ReadonlyMap<string, number>,
  loop: string,
  item: number | undefined,
): ReadonlyMap<string, number> {
  const next = new Map([...items].filter(([key]) => key !== loop && !key.startsWith(`${loop}/`)));
  if (item === undefined) return next;
  for (const around of loopsAround(loop)) if (!next.has(around)) next.set(around, 0);
  return next.set(loop, item);
}

/** The path of the innermost item that one looks at on the way to a step, `each[3].lines[0]`. */
export function itemPathOf({ key = "", items }: StepPlace): string | undefined {
  const parts: string[] = [];
  const way = key.split("/");
  for (const [n, id] of way.entries()) {
    const item = items.get(way.slice(0, n + 1).join("/"));
    if (item === undefined) break;
    parts.push(`${id}[${item}]`);
  }
  return parts.length === 0 ? undefined : parts.join(".");
}

/** The paths of the outermost items that one looks at: what is in them is all that the canvas shows of chosen items. */
export function outerItemsOf(items: ReadonlyMap<string, number>): readonly string[] {
  return Array.from(items, ([loop, item]) => (loop.includes("/") ? "" : `${loop}[${item}]`)).filter(
    (path) => path !== "",
  );
}

/** The keys of the loops around a step, the outermost first. */
export function loopsAround(key: string): readonly string[] {
  const way = key.split("/");
  return way.slice(1).map((_, n) => way.slice(0, n + 1).join("/"));
}

/**
 * The id of the row that stands for a place: `each[3].charge`; `each[3]` for an item; for a step of all items
 * together the loop that they are of.
 */
export function rowIdOf({ key, items }: StepPlace): string | undefined {
  if (key === undefined) return undefined;
  const way = key.split("/");
  const parts: string[] = [];
  for (const [n, id] of way.entries()) {
    const item = items.get(way.slice(0, n + 1).join("/"));
    parts.push(item === undefined ? id : `${id}[${item}]`);
    if (item === undefined) break;
  }
  return parts.join(".");
}
