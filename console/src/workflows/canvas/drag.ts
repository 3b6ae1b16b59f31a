/** Dragging a step changes where it runs. The drop targets are wires; steps have no free positions. */
import { type PointerEvent as ReactPointerEvent, useState } from "react";
import type { Spot } from "../graph/edit.ts";
import type { Layout, Point, Wire } from "../graph/layout.ts";
import { isTriggerWire } from "./wires.tsx";

const BEGIN_PX = 6;
const REACH_PX = 90;

export interface Drag {
  readonly keys: readonly string[];
  readonly x: number;
  readonly y: number;
  readonly over: Wire | undefined;
}

interface DragOptions {
  readonly layout: Layout;
  readonly offset: Point;
  readonly chosen: readonly string[];
  readonly canDrag: (key: string) => boolean;
  readonly toCanvas: (point: Point) => Point;
  readonly onMove: (keys: readonly string[], spot: Spot) => void;
}

export function spotOfWire(wire: Wire): Spot {
  return {
    place: wire.place,
    ...(isTriggerWire(wire) ? { before: [wire.to] } : { edges: wire.edges }),
  };
}

export function useStepDrag(options: DragOptions) {
  const [drag, setDrag] = useState<Drag>();
  const onPointerDown = (down: ReactPointerEvent): void => {
    const target = down.target as Element;
    const key = target.closest<HTMLElement>(".react-flow__node")?.dataset["id"];
    if (key === undefined || down.button !== 0 || down.shiftKey || !options.canDrag(key)) return;
    if (target.closest("button, summary, ul")) return;
    const keys = options.chosen.includes(key) ? options.chosen : [key];
    let held: Drag | undefined;
    const listening = new AbortController();
    const { signal } = listening;
    const end = (isDropped: boolean): void => {
      listening.abort();
      if (isDropped && held?.over) options.onMove(keys, spotOfWire(held.over));
      // Reset after the click event that the browser sends on release, so that this click is ignored.
      if (held) setTimeout(() => setDrag(undefined));
    };
    const move = (event: PointerEvent): void => {
      const { clientX: x, clientY: y } = event;
      if (!held && Math.hypot(x - down.clientX, y - down.clientY) < BEGIN_PX) return;
      held = { keys, x, y, over: findWire(options, keys, options.toCanvas({ x, y })) };
      setDrag(held);
    };
    addEventListener("pointermove", move, { signal });
    addEventListener("pointerup", () => end(true), { signal });
    addEventListener("keydown", (event) => event.key === "Escape" && end(false), { signal });
  };
  return { drag, onPointerDown };
}

function findWire(
  { layout, offset, canDrag }: DragOptions,
  keys: readonly string[],
  at: Point,
): Wire | undefined {
  const isOwn = ({ from, to, place }: Wire): boolean =>
    keys.some((key) => from === key || to === key || place === key || place.startsWith(`${key}/`));
  const distance = ({ x, y, label }: Wire): number =>
    Math.hypot(x + label.x + offset.x - at.x, y + label.y + offset.y - at.y);
  const [nearest] = layout.wires
    .filter((wire) => !isOwn(wire) && canDrag(wire.to))
    .toSorted((a, b) => distance(a) - distance(b));
  return nearest && distance(nearest) < REACH_PX ? nearest : undefined;
}
