import { JSON_CHARACTERS_MAX } from "#kernel/schema/json-value.ts";
import { StepFailure } from "./step-error.ts";

/** Equal to the limit of a loop. */
const ITEMS_MAX = 10_000;
/** Limit of the paired input. Fields of both lists count twice; the output is measured exactly afterwards. */
const PAIRED_CHARACTERS_MAX = 8 * JSON_CHARACTERS_MAX;

export interface MergeInput {
  readonly mode: "append" | "by_key" | "by_position" | "all_pairs";
  readonly lists: readonly unknown[];
  readonly keys?: readonly string[];
  readonly join?: "inner" | "left" | "right" | "outer" | "unmatched_left" | "unmatched_both";
  readonly prefer?: "left" | "right";
}

/** Merges several lists into one. */
export function mergeLists({
  mode,
  lists,
  keys = [],
  join = "inner",
  prefer = "right",
}: MergeInput): unknown[] {
  const [left = [], right = []] = lists.map(toList);
  const measure = new PairMeasure();
  const combine = (one: unknown, other: unknown): unknown => {
    measure.add(one, other);
    return prefer === "right" ? joinObjects(one, other) : joinObjects(other, one);
  };
  switch (mode) {
    case "append":
      return takeAll(lists.flatMap(toList));
    case "by_position":
      return takeAll(
        Array.from({ length: Math.max(left.length, right.length) }, (_, index) =>
          combine(left[index], right[index]),
        ),
      );
    case "all_pairs":
      if (left.length * right.length > ITEMS_MAX) throw tooMany();
      return left.flatMap((one) => right.map((other) => combine(one, other)));
    case "by_key":
      return joinByKey({ left, right, keys: keys.map(toKeyPair), join, combine });
  }
}

/** Stops a merge before its pairs fill the memory, because one large item can be in ten thousand pairs. */
class PairMeasure {
  readonly #sizes = new Map<unknown, number>();
  #left = PAIRED_CHARACTERS_MAX;

  add(...items: readonly unknown[]): void {
    for (const item of items) this.#left -= this.#sizeOf(item);
    if (this.#left >= 0) return;
    throw new StepFailure("output_too_large", "The output is larger than 1 MiB.", {
      retryable: false,
    });
  }

  #sizeOf(item: unknown): number {
    let size = this.#sizes.get(item);
    if (size === undefined) {
      size = JSON.stringify(item ?? null).length;
      this.#sizes.set(item, size);
    }
    return size;
  }
}

interface KeyJoin {
  readonly left: readonly unknown[];
  readonly right: readonly unknown[];
  readonly keys: readonly KeyPair[];
  readonly join: NonNullable<MergeInput["join"]>;
  readonly combine: (one: unknown, other: unknown) => unknown;
}

/** A hash join. The time depends on the sizes of the lists and the result, not on the number of possible pairs. */
function joinByKey({ left, right, keys, join, combine }: KeyJoin): unknown[] {
  const partners = Map.groupBy(right, (other) => keyText(other, keys, "right"));
  // Missing values match nothing.
  partners.delete(undefined);
  const matched = new Set<unknown>();
  const pairs: unknown[] = [];
  const aloneLeft: unknown[] = [];
  for (const one of left) {
    const others = partners.get(keyText(one, keys, "left")) ?? [];
    if (others.length === 0) aloneLeft.push(one);
    for (const other of others) {
      matched.add(other);
      pairs.push(combine(one, other));
      if (pairs.length > ITEMS_MAX) throw tooMany();
    }
  }
  const aloneRight = (): unknown[] => right.filter((other) => !matched.has(other));
  switch (join) {
    case "inner":
      return pairs;
    case "left":
      return takeAll([...pairs, ...aloneLeft]);
    case "right":
      return takeAll([...pairs, ...aloneRight()]);
    case "outer":
      return takeAll([...pairs, ...aloneLeft, ...aloneRight()]);
    case "unmatched_left":
      return aloneLeft;
    case "unmatched_both":
      return takeAll([...aloneLeft, ...aloneRight()]);
  }
}

interface KeyPair {
  readonly left: readonly string[];
  readonly right: readonly string[];
}

function toKeyPair(key: string): KeyPair {
  const [left = "", right = left] = key.split("=").map((part) => part.trim());
  return { left: left.split("."), right: right.split(".") };
}

/** The key of an item as text. Undefined if a part is missing. */
function keyText(item: unknown, keys: readonly KeyPair[], side: keyof KeyPair): string | undefined {
  const values = keys.map((key) => key[side].reduce(readMember, item));
  return values.some((value) => value === undefined || value === null)
    ? undefined
    : JSON.stringify(values);
}

function readMember(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  // The check above guarantees the field.
  return (value as Readonly<Record<string, unknown>>)[name];
}

function joinObjects(one: unknown, other: unknown): unknown {
  if (isObject(one) && isObject(other)) return { ...one, ...other };
  return other ?? one ?? null;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function takeAll(items: unknown[]): unknown[] {
  if (items.length > ITEMS_MAX) throw tooMany();
  return items;
}

function tooMany(): StepFailure {
  return new StepFailure("too_many_items", `A merge can return at most ${ITEMS_MAX} items.`, {
    retryable: false,
  });
}
