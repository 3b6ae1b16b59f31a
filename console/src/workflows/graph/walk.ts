/** Arrow key navigation on the canvas: into and out of loops, along wires, and sideways by position. */
import { placeOf } from "./graph.ts";
import { type Box, type Layout, TRIGGER } from "./layout.ts";

export type Arrow = "ArrowDown" | "ArrowUp" | "ArrowLeft" | "ArrowRight";
export const ARROWS: readonly Arrow[] = ["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight"];

const ASIDE_MIN = 20;
const LEVEL_MAX = 140;

export function walkFrom(
  layout: Layout,
  from: string | undefined,
  arrow: Arrow,
): string | undefined {
  const box = layout.boxes.get(from ?? TRIGGER);
  if (!box) return [...layout.boxes.keys()].find((key) => key !== TRIGGER);
  if (arrow === "ArrowDown") return walkDown(layout, box) ?? from;
  if (arrow === "ArrowUp") return walkUp(layout, box) ?? from;
  return walkAside(layout, box, arrow === "ArrowRight" ? 1 : -1) ?? from;
}

function walkDown({ boxes, wires }: Layout, { key, kind }: Box): string | undefined {
  const inner =
    kind === "frame" ? [...boxes.keys()].find((one) => placeOf(one) === key) : undefined;
  const next = inner ?? wires.find(({ from }) => from === key)?.to;
  if (next !== undefined || key === TRIGGER) return next;
  // From the end of a loop's body, the arrow key moves to the step after the loop.
  for (let loop = placeOf(key); loop !== ""; loop = placeOf(loop)) {
    const after = wires.find(({ from }) => from === loop)?.to;
    if (after !== undefined) return after;
  }
  return undefined;
}

function walkUp({ wires }: Layout, { key }: Box): string | undefined {
  const before = wires.find(({ to }) => to === key)?.from;
  if (before !== undefined) return before;
  return placeOf(key) === "" ? undefined : placeOf(key);
}

function walkAside({ boxes }: Layout, box: Box, sign: 1 | -1): string | undefined {
  const middle = (one: Box): number => one.x + one.width / 2;
  const distance = (one: Box): number => Math.abs(one.x - box.x) + 2 * Math.abs(one.y - box.y);
  return [...boxes.values()]
    .filter(
      (one) =>
        one.kind !== "trigger" &&
        placeOf(one.key) === placeOf(box.key) &&
        sign * (middle(one) - middle(box)) > ASIDE_MIN &&
        Math.abs(one.y - box.y) < LEVEL_MAX,
    )
    .toSorted((a, b) => distance(a) - distance(b))[0]?.key;
}
