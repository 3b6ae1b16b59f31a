/**
 * The selected step in the address of a run. `step` is its path through the loops, as on the canvas
 * (`each/charge`); `item` contains the selected items (`each:3,each/lines:0`). An API id (`each[3].charge`)
 * contains both.
 */
export interface StepPlace {
  readonly key: string | undefined;
  /** The selected items by loop key. */
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
 * Selects another item of a loop. Inner loops are reset to all items; outer loops without a selection get their
 * first item.
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

/** Returns the path of the innermost selected item around a step: `each[3].lines[0]`. */
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

/**
 * Returns the paths of the outermost selected items: they contain all steps that the canvas shows of selected
 * items.
 */
export function outerItemsOf(items: ReadonlyMap<string, number>): readonly string[] {
  return Array.from(items, ([loop, item]) => (loop.includes("/") ? "" : `${loop}[${item}]`)).filter(
    (path) => path !== "",
  );
}

/** Returns the keys of the loops around a step, the outermost first. */
export function loopsAround(key: string): readonly string[] {
  const way = key.split("/");
  return way.slice(1).map((_, n) => way.slice(0, n + 1).join("/"));
}

/**
 * Returns the id of the row for a place: `each[3].charge` for a step, `each[3]` for an item, and the loop for a
 * step of all items.
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
