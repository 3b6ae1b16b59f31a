import { type ReactFlowState, useStore, ViewportPortal } from "@xyflow/react";
import { Plus } from "lucide-react";
import { memo, useMemo } from "react";
import { edgeKey, type Mark } from "../graph/diff.ts";
import { type Layout, type Point, TRIGGER, type Wire } from "../graph/layout.ts";
import { movePath } from "../graph/pipe.ts";
import type { RunView } from "../graph/run-view.ts";
import { PlainButton } from "../../ui/form/button.tsx";

export interface WireHandlers {
  readonly onAdd: (wire: Wire, at: DOMRect) => void;
  readonly onChoose: (wire: Wire) => void;
}

interface WiresProps {
  readonly layout: Layout;
  readonly offset: Point;
  readonly fresh: ReadonlySet<string>;
  readonly run: RunView;
  readonly marks: ReadonlyMap<string, Mark> | undefined;
  readonly chosen: string | undefined;
  readonly drop: string | undefined;
  readonly isEditable: (wire: Wire) => boolean;
  readonly handlers: WireHandlers;
  /** Renders only wires in or near the viewport. */
  readonly isCulled: boolean;
}

const CELL = 400;
const AROUND = 1;
const EVERYWHERE = "";

/** Returns the visible area in grid cells, so that panning within one cell does not re-render. */
function readSight({ transform: [x, y, zoom], width, height }: ReactFlowState): string {
  const cell = (value: number): number => Math.floor(value / zoom / CELL);
  return [
    cell(-x) - AROUND,
    cell(-y) - AROUND,
    cell(width - x) + AROUND,
    cell(height - y) + AROUND,
  ].join();
}

function useWiresInSight({ layout, offset, isCulled }: WiresProps): readonly Wire[] {
  const sight = useStore(isCulled ? readSight : () => EVERYWHERE);
  return useMemo(() => {
    if (sight === EVERYWHERE) return layout.wires;
    const [left = 0, top = 0, right = 0, bottom = 0] = sight
      .split(",")
      .map((n) => Number(n) * CELL);
    return layout.wires.filter((wire) => {
      const [from, to] = [layout.boxes.get(wire.from), layout.boxes.get(wire.to)];
      if (!from || !to) return true;
      const x = [from.x, to.x, from.x + from.width, to.x + to.width].map((n) => n + offset.x);
      const [above, below] = [from.y + offset.y, to.y + to.height + offset.y];
      return (
        Math.max(...x) > left &&
        Math.min(...x) < right + CELL &&
        below > top &&
        above < bottom + CELL
      );
    });
  }, [layout, offset, sight]);
}

export const isErrorWire = ({ edges }: Wire): boolean => edges.some(({ when }) => when === "error");
export const isTriggerWire = ({ from }: Wire): boolean => from === TRIGGER;

function flowOf(wire: Wire, run: RunView): string {
  const [source, target] = [run.steps.get(wire.from), run.steps.get(wire.to)];
  if (!source && !target) return "";
  const taken = run.branches.get(wire.from);
  const isTaken =
    wire.edges.length === 0 ||
    wire.edges.some(({ when }) => when === undefined || (taken?.[when] ?? 0) > 0);
  if (target && ["running", "waiting", "paused"].includes(target.status)) {
    return isTaken ? "flowing" : "dry";
  }
  if (source?.status === "skipped" || target?.status === "skipped" || (source && !isTaken))
    return "dry";
  return target ? "done" : "";
}

/**
 * All wires in one SVG, with their labels above it. A moved wire is animated; one with a new shape is redrawn. In
 * large graphs, wires are not animated: wires with the same style are one path.
 */
export const Wires = memo(function Wires(props: WiresProps) {
  const wires = useWiresInSight(props);
  return (
    <ViewportPortal>
      <svg className="wires" aria-hidden="true">
        {props.isCulled ? (
          <WireBundles wires={wires} {...props} />
        ) : (
          wires.map((wire) => <WirePath key={wire.id + wire.path} wire={wire} {...props} />)
        )}
      </svg>
      {wires.map((wire) => (
        <WireMark key={wire.id} wire={wire} {...props} />
      ))}
    </ViewportPortal>
  );
});

type OneWire = WiresProps & { readonly wire: Wire };

function looksOf({ wire, run, marks, chosen, drop }: OneWire): string {
  const mark = wire.edges.map((edge) => marks?.get(edgeKey(wire.place, edge))).find(Boolean);
  const looks = [
    "wire",
    flowOf(wire, run),
    isErrorWire(wire) && "on-error",
    chosen === wire.id && "chosen",
    drop === wire.id && "drop",
    mark && `is-${mark}`,
  ];
  return looks.filter(Boolean).join(" ");
}

/**
 * Combines many wires into few paths: the browser visits every element when the canvas moves, and 200 separate
 * wires took a third of a frame.
 */
function WireBundles({ wires, ...props }: WiresProps & { readonly wires: readonly Wire[] }) {
  const { offset, handlers } = props;
  const drawn = wires.map((wire) => ({
    wire,
    looks: looksOf({ wire, ...props }),
    path: movePath(wire.path, { x: wire.x + offset.x, y: wire.y + offset.y }),
  }));
  return (
    <>
      {[...Map.groupBy(drawn, ({ looks }) => looks)].map(([looks, alike]) => (
        <path key={looks} className={looks} d={alike.map(({ path }) => path).join("")} />
      ))}
      {drawn.map(({ wire, path }) => (
        <path key={wire.id} className="wire-hit" d={path} onClick={() => handlers.onChoose(wire)} />
      ))}
    </>
  );
}

const WirePath = memo(function WirePath(props: OneWire) {
  const { wire, offset, fresh, handlers } = props;
  return (
    <g
      style={{ transform: `translate(${wire.x + offset.x}px, ${wire.y + offset.y}px)` }}
      className={fresh.has(wire.id + wire.path) ? "fresh" : ""}
    >
      <path className={looksOf(props)} d={wire.path} />
      <path className="wire-hit" d={wire.path} onClick={() => handlers.onChoose(wire)} />
    </g>
  );
});

const WireMark = memo(function WireMark({
  wire,
  offset,
  run,
  drop,
  isEditable,
  handlers,
  isCulled,
}: OneWire) {
  const words = wire.edges.flatMap(({ when }) => when ?? []);
  const isFlat = isCulled && words.length === 0;
  const taken = run.branches.get(wire.from) ?? {};
  const passed = words.reduce((sum, word) => sum + (taken[word] ?? 0), 0);
  const total = Object.values(taken).reduce((sum, n) => sum + n, 0);
  const looks = [
    "wire-mark",
    words.length > 0 && "named",
    isErrorWire(wire) && "on-error",
    flowOf(wire, run),
    drop === wire.id && "drop",
    isFlat && "flat",
  ];
  const [x, y] = [wire.x + wire.label.x + offset.x, wire.y + wire.label.y + offset.y];
  return (
    <span
      className={looks.filter(Boolean).join(" ")}
      style={
        isFlat
          ? { left: x, top: y }
          : { transform: `translate(${x}px, ${y}px) translate(-50%, -50%)` }
      }
    >
      {words.length > 0 && (
        <span className="cut">
          {words.join(", ")}
          {total > 1 && passed > 0 && <i>{passed}</i>}
        </span>
      )}
      {isEditable(wire) && (
        <PlainButton
          className="add nopan"
          tabIndex={-1}
          aria-label="Add step here"
          onClick={(event) => handlers.onAdd(wire, event.currentTarget.getBoundingClientRect())}
        >
          <Plus />
        </PlainButton>
      )}
    </span>
  );
});
