/**
 * The nodes for React Flow. A node that has not changed stays the same object, so that it and its card are not
 * re-rendered.
 */
import { type Node, Position } from "@xyflow/react";
import { useMemo, useRef } from "react";
import type { Mark } from "../graph/diff.ts";
import { bodyOf, type Definition, type Step } from "../graph/graph.ts";
import { unconnectedKeys } from "../graph/starts.ts";
import { type Box, TRIGGER } from "../graph/layout.ts";
import type { RunView } from "../graph/run-view.ts";
import type { CardData, CardHandlers, CardNode } from "./step-card.tsx";
import { kindOf } from "./step-kinds.ts";
import type { PlacedLayout } from "./use-layout.ts";

/** View data of each step, next to its definition. */
export interface CanvasView {
  readonly run: RunView;
  /** The selected item of each loop. */
  readonly items: ReadonlyMap<string, number>;
  readonly problems: ReadonlyMap<string, string>;
  readonly pinned: ReadonlySet<string>;
  readonly marks?: ReadonlyMap<string, Mark> | undefined;
  readonly edgeMarks?: ReadonlyMap<string, Mark> | undefined;
}

interface NodesInput {
  readonly definition: Definition;
  readonly view: CanvasView;
  readonly chosen: readonly string[];
  readonly handlers: CardHandlers;
  readonly placed: PlacedLayout;
  readonly steps: ReadonlyMap<string, Step>;
  readonly isEditable: (key: string) => boolean;
}

const HANDLES = [
  { type: "source" as const, position: Position.Bottom, x: 0, y: 0, width: 1, height: 1 },
];
const STEP_LAYER = 50;

export function useCanvasNodes(input: NodesInput): Node[] {
  const { view, chosen, handlers, placed, steps, isEditable } = input;
  const triggerType = input.definition.trigger.type;
  const drawn = useRef(new Map<string, Node>());
  const leading = useMemo(() => new Set(placed.layout.wires.map(({ from }) => from)), [placed]);
  const unconnected = useMemo(() => unconnectedKeys(input.definition), [input.definition]);
  return useMemo(() => {
    const keep = (next: Node): Node => {
      const old = drawn.current.get(next.id);
      if (old && isAlike(old, next)) return old;
      drawn.current.set(next.id, next);
      return next;
    };
    // The trigger can have new connections in all editable views.
    const isReadOnly = ![...steps.keys()].some(isEditable);
    const trigger = { triggerType, view, chosen, handlers, isReadOnly };
    return [...placed.layout.boxes.values()].flatMap((box) => {
      if (box.key === TRIGGER) return [keep(toTrigger(box, placed, trigger))];
      const step = steps.get(box.key);
      if (!step) return [];
      const isReadOnly = !isEditable(box.key);
      const body = bodyOf(step);
      const data: CardData = {
        key: box.key,
        step,
        handlers,
        run: view.run.steps.get(box.key),
        statuses: view.run.statuses.get(box.key),
        loop: view.run.loops.get(box.key),
        item: view.items.get(box.key),
        problem: view.problems.get(box.key),
        mark: view.marks?.get(box.key),
        isPinned: view.pinned.has(box.key.replaceAll("/", ".")),
        isUnconnected: unconnected.has(box.key),
        isLeaf: !leading.has(box.key),
        isFolded: box.kind === "step" && (body !== undefined || step.type === "subworkflow"),
        isReadOnly,
      };
      const card: CardNode = {
        ...toNode(box, placed),
        type: box.kind,
        selected: chosen.includes(box.key),
        ariaLabel: `${step.name ?? step.id}, ${kindOf(step.type).title}`,
        data,
      };
      return [keep(card)];
    });
  }, [placed, steps, view, chosen, triggerType, leading, unconnected, handlers, isEditable]);
}

function toNode(box: Box, { offset, fresh }: PlacedLayout) {
  const { width, height } = box;
  const looks = ["nopan", fresh.has(box.key) && "fresh", box.kind === "frame" && "is-frame"];
  return {
    id: box.key,
    position: { x: box.x + offset.x, y: box.y + offset.y },
    width,
    height,
    measured: { width, height },
    handles: HANDLES,
    draggable: false,
    focusable: false,
    connectable: false,
    zIndex: box.kind === "frame" ? box.depth : STEP_LAYER,
    className: looks.filter(Boolean).join(" "),
  };
}

interface TriggerInput extends Pick<NodesInput, "view" | "chosen" | "handlers"> {
  readonly triggerType: string;
  readonly isReadOnly: boolean;
}

function toTrigger(box: Box, placed: PlacedLayout, input: TriggerInput): Node {
  return {
    ...toNode(box, placed),
    type: "trigger",
    data: {
      key: TRIGGER,
      type: input.triggerType,
      problem: input.view.problems.get(TRIGGER),
      handlers: input.handlers,
      isReadOnly: input.isReadOnly,
    },
    selected: input.chosen.includes(TRIGGER),
    selectable: false,
  };
}

const FIELDS = ["width", "height", "selected", "type", "className", "zIndex"] as const;

function isAlike(a: Node, b: Node): boolean {
  return (
    a.position.x === b.position.x &&
    a.position.y === b.position.y &&
    FIELDS.every((field) => a[field] === b[field]) &&
    Object.keys(b.data).every((name) => isSame(a.data[name], b.data[name]))
  );
}

/** Counts are new objects after each view of a run, so they are compared by value. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const isCounts = [a, b].every(
    (value) => value !== null && typeof value === "object" && !("id" in value),
  );
  return isCounts && JSON.stringify(a) === JSON.stringify(b);
}
