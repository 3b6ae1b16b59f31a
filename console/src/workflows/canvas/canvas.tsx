import "@xyflow/react/dist/base.css";
import "./canvas.css";
import {
  Controls,
  MiniMap,
  type Node,
  type NodeChange,
  ReactFlow,
  type ReactFlowInstance,
} from "@xyflow/react";
import {
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
} from "react";
import { useStableHandlers } from "../../ui/behaviour/stable.ts";
import { Loading } from "../../ui/feedback.tsx";
import { type Drag, spotOfWire, useStepDrag } from "./drag.ts";
import type { Spot } from "../graph/edit.ts";
import { type Definition, findStep, type Step, walkSteps } from "../graph/graph.ts";
import {
  type Box,
  type Folding,
  type Layout,
  type Point,
  TRIGGER,
  type Wire,
} from "../graph/layout.ts";
import { Dots } from "./dots.tsx";
import { LoopFrame } from "./loop-frame.tsx";
import { type CanvasView, useCanvasNodes } from "./canvas-nodes.ts";
import { type CardHandlers, type CardNode, StepCard, TriggerCard } from "./step-card.tsx";
import { type PlacedLayout, useAnchoredLayout, useLayout } from "./use-layout.ts";
import { type Arrow, walkFrom } from "../graph/walk.ts";
import {
  findCentre,
  GLIDE_MS,
  revealBox,
  setDetail,
  showBeginning,
  showWhole,
} from "./viewport.ts";
import { Wires } from "./wires.tsx";

const NODE_TYPES = { step: StepCard, frame: LoopFrame, trigger: TriggerCard };
const NO_EDGES: never[] = [];
const FLOW_OPTIONS = {
  minZoom: 0.06,
  maxZoom: 1.6,
  nodesDraggable: false,
  nodesFocusable: false,
  disableKeyboardA11y: true,
  deleteKeyCode: null,
  multiSelectionKeyCode: null,
  panOnScroll: true,
  zoomOnDoubleClick: false,
  // Selecting an element does not raise its layer: a loop frame stays below its steps.
  zIndexMode: "manual",
  proOptions: { hideAttribution: true },
} as const;
const SETTLE_MS = 240;
const MINIMAP_FROM = 14;
/** Above this number, only visible elements are rendered: painting 200 steps takes 19 ms per frame. */
const CULL_FROM = 60;
const [FITS_HEIGHT, FITS_WIDTH] = [1_250, 2_000];
export interface CanvasHandle {
  readonly walk: (from: string | undefined, arrow: Arrow) => string | undefined;
  /** The position of a step on the screen. */
  readonly findOnScreen: (key: string) => DOMRect | undefined;
  readonly fit: () => void;
  /** Keeps this step at its screen position during the next layout change. */
  readonly hold: (key: string) => void;
}

interface CanvasProps {
  readonly definition: Definition;
  readonly folding: Folding;
  readonly view: CanvasView;
  readonly chosen: readonly string[];
  readonly chosenWire?: string | undefined;
  /** The step that the user is drawing a line from. */
  readonly linking?: string | undefined;
  readonly handlers: CardHandlers;
  readonly ref?: RefObject<CanvasHandle | null>;
  readonly onChoose: (keys: readonly string[], isMore: boolean) => void;
  readonly onChooseWire?: (wire: Wire | undefined) => void;
  readonly onAdd?: (spot: Spot, at: DOMRect) => void;
  readonly onMove?: (keys: readonly string[], spot: Spot) => void;
  readonly onLink?: (to: string) => void;
  /** Read-only view, such as a diff: users can only select steps. */
  readonly isReadOnly?: boolean;
  /** Users can inspect everything and change nothing. */
  readonly isLocked?: boolean;
}

/**
 * The graph of a workflow. React Flow handles nodes, pan, zoom and selection; wires are rendered separately in one
 * SVG.
 */
export function Canvas(props: CanvasProps) {
  const layout = useLayout(props.definition, props.folding);
  return layout ? <LaidOutCanvas {...props} laidOut={layout} /> : <Loading />;
}

function LaidOutCanvas(props: CanvasProps & { readonly laidOut: Layout }) {
  const { definition, folding, chosen, linking, isReadOnly = false } = props;
  const host = useRef<HTMLDivElement>(null);
  const flow = useRef<ReactFlowInstance>(undefined);
  const looked = useRef(chosen);
  const placed = useAnchoredLayout(props.laidOut, (before) => [
    ...looked.current,
    findCentre(before, flow.current, host.current),
    TRIGGER,
  ]);
  const { layout, offset, fresh } = placed;
  useEffect(() => {
    looked.current = chosen;
  }, [chosen]);
  useSettling(host, placed);
  const { isEditable, canAddTo } = useEditable(props);
  const steps = useMemo(() => collectSteps(definition, folding), [definition, folding]);
  const isCulled = layout.boxes.size > CULL_FROM;
  const nodes = useCanvasNodes({ ...props, placed, steps, isEditable });
  const { drag, onPointerDown } = useStepDrag({
    layout,
    offset,
    chosen,
    canDrag: isEditable,
    toCanvas: (point) => flow.current?.screenToFlowPosition(point) ?? point,
    onMove: (keys, spot) => props.onMove?.(keys, spot),
  });
  useEffect(() => {
    const box = layout.boxes.get(chosen.at(-1) ?? "");
    if (box) revealBox(placeBox(box, offset), flow.current, host.current);
  }, [chosen, layout, offset]);
  useImperativeHandle(props.ref, () => ({
    hold: (key) => {
      looked.current = [key, ...chosen];
    },
    fit: () => void flow.current?.fitView({ duration: GLIDE_MS, padding: 0.1, maxZoom: 1 }),
    findOnScreen: (key) =>
      host.current?.querySelector(`[data-id="${CSS.escape(key)}"]`)?.getBoundingClientRect(),
    walk: (from, arrow) => walkFrom(layout, from, arrow),
  }));
  const wireHandlers = useStableHandlers({
    onAdd(wire: Wire, at: DOMRect): void {
      looked.current = [wire.from, ...chosen];
      props.onAdd?.(spotOfWire(wire), at);
    },
    onChoose: (wire: Wire): void => props.onChooseWire?.(wire),
  });
  const on = useFlowHandlers(props, { host, flow, placed, isDragging: drag !== undefined });
  const looks = ["canvas", drag && "dragging", linking !== undefined && "linking"];
  return (
    <div
      ref={host}
      className={looks.filter(Boolean).join(" ")}
      tabIndex={0}
      role="application"
      aria-label="Canvas. Arrow keys select steps, Tab adds a step, Enter opens a step."
      onPointerDown={onPointerDown}
    >
      <ReactFlow
        nodes={nodes}
        edges={NO_EDGES}
        nodeTypes={NODE_TYPES}
        onlyRenderVisibleElements={isCulled}
        elementsSelectable={!isReadOnly}
        selectionKeyCode={isReadOnly ? null : "Shift"}
        {...FLOW_OPTIONS}
        {...on}
      >
        <Dots />
        <Wires
          layout={layout}
          offset={offset}
          fresh={fresh}
          run={props.view.run}
          marks={props.view.edgeMarks}
          chosen={props.chosenWire}
          drop={drag?.over?.id}
          isEditable={canAddTo}
          handlers={wireHandlers}
          isCulled={isCulled}
        />
        <Controls showInteractive={false} position="bottom-left" />
        {nodes.length > MINIMAP_FROM && !isReadOnly && (
          <MiniMap
            pannable
            zoomable
            position="bottom-right"
            nodeBorderRadius={8}
            nodeColor={colourOf}
          />
        )}
      </ReactFlow>
      {drag && <Ghost drag={drag} steps={steps} />}
    </div>
  );
}

/** Returns which steps and wires are editable: none in a read-only view, and none in an inlined sub-workflow. */
function useEditable({ folding, isReadOnly = false, isLocked = false }: CanvasProps) {
  const guests = useMemo(() => [...folding.opened.keys()], [folding]);
  // Memoized: new functions would re-render all cards and wires on every keystroke.
  const isEditable = useCallback(
    (key: string): boolean =>
      !isReadOnly &&
      !isLocked &&
      key !== TRIGGER &&
      !guests.some((guest) => key.startsWith(`${guest}/`)),
    [isReadOnly, isLocked, guests],
  );
  const canAddTo = useCallback((wire: Wire) => isEditable(wire.to), [isEditable]);
  return { isEditable, canAddTo };
}

interface FlowParts {
  readonly host: RefObject<HTMLDivElement | null>;
  readonly flow: RefObject<ReactFlowInstance | undefined>;
  readonly placed: PlacedLayout;
  readonly isDragging: boolean;
}

const isSmall = ({ layout }: PlacedLayout): boolean =>
  layout.height < FITS_HEIGHT && layout.width < FITS_WIDTH;

/** Memoized: React Flow re-renders every node when a handler changes. */
function useFlowHandlers(props: CanvasProps, { host, flow, placed, isDragging }: FlowParts) {
  const isBoxing = useRef(false);
  return useStableHandlers({
    onInit(instance: ReactFlowInstance): void {
      flow.current = instance;
      if (isSmall(placed)) showWhole(placed, instance, host.current);
      else showBeginning(placed, instance, host.current);
      // A link can select a step that is out of view.
      const box = placed.layout.boxes.get(props.chosen.at(-1) ?? "");
      if (box) requestAnimationFrame(() => revealBox(box, instance, host.current));
      setDetail(host.current, instance.getZoom());
    },
    onMove(event: MouseEvent | TouchEvent | null, { zoom }: { readonly zoom: number }): void {
      setDetail(host.current, zoom);
      // Added on the first move, not on mouse down: otherwise a click without movement would miss the wire below.
      if (event?.type === "mousemove") host.current?.classList.add("panning");
    },
    onMoveStart(event: MouseEvent | TouchEvent | null): void {
      const looks = host.current?.classList;
      looks?.add("moving");
      if (event?.type !== "mousedown") return;
      // React Flow reports the end of a pan too late for an immediate click on a step.
      addEventListener("pointerup", () => looks?.remove("panning"), { once: true, capture: true });
    },
    onMoveEnd: (): void => host.current?.classList.remove("moving"),
    onSelectionStart(): void {
      isBoxing.current = true;
    },
    onSelectionEnd(): void {
      isBoxing.current = false;
    },
    onNodesChange(changes: readonly NodeChange[]): void {
      if (!isBoxing.current) return;
      const keys = changes.flatMap((one) =>
        one.type === "select" && one.selected ? [one.id] : [],
      );
      if (keys.length > 0) props.onChoose(keys, true);
    },
    onNodeClick(event: React.MouseEvent, node: Node): void {
      if (isDragging) return;
      if (node.id === TRIGGER) props.onChoose([TRIGGER], false);
      else if (props.linking !== undefined) props.onLink?.(node.id);
      else props.onChoose([node.id], event.shiftKey || event.metaKey || event.ctrlKey);
    },
    onPaneClick(): void {
      props.onChoose([], false);
      props.onChooseWire?.(undefined);
    },
  });
}

const placeBox = (box: Box, { x, y }: Point): Box => ({ ...box, x: box.x + x, y: box.y + y });

function Ghost({
  drag,
  steps,
}: {
  readonly drag: Drag;
  readonly steps: ReadonlyMap<string, Step>;
}) {
  const [first = ""] = drag.keys;
  const name = steps.get(first)?.name ?? first;
  return (
    <div className="ghost" style={{ transform: `translate(${drag.x + 12}px, ${drag.y + 10}px)` }}>
      {drag.keys.length > 1 ? `${drag.keys.length} steps` : name}
      <small>{drag.over ? "release to move here" : "drag onto a line"}</small>
    </div>
  );
}

function collectSteps(definition: Definition, { opened }: Folding): ReadonlyMap<string, Step> {
  const steps = new Map(walkSteps(definition));
  for (const [key, graph] of opened) {
    if (!findStep(definition, key)) continue;
    for (const [inner, step] of walkSteps(graph, key)) steps.set(inner, step);
  }
  return steps;
}

/** Animates the effects of an edit; the initial load is not animated. */
function useSettling(host: RefObject<HTMLDivElement | null>, { layout }: PlacedLayout): void {
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    const { current } = host;
    if (isFirst.current || !current) {
      isFirst.current = false;
      return undefined;
    }
    current.classList.add("settling");
    const timer = setTimeout(() => current.classList.remove("settling"), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [host, layout]);
}

const TONES: Readonly<Record<string, string>> = {
  completed: "ok",
  failed: "bad",
  running: "water",
  waiting: "wait",
  paused: "wait",
};

function colourOf(node: Node): string {
  if (node.type === "frame") return "var(--frame)";
  const status = (node as CardNode).data.run?.status ?? "";
  return `var(--${TONES[status] ?? "line-2"})`;
}
