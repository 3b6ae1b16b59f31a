import { type KeyboardEvent, useMemo, useState } from "react";
import type { Schemas } from "../data/api.ts";
import { CELL, drawCurve, type ItemMap, placeLabels } from "./map.ts";
import { toPlural } from "./class-words.ts";

export type Topology = Schemas["CmdbTopology"];
export type Impact = Schemas["CmdbImpact"];
type Node = Topology["nodes"][number];

interface MapProps {
  readonly topology: Topology;
  readonly map: ItemMap;
  readonly chosen: string | undefined;
  readonly impact: Impact | undefined;
  /** The ids on the displayed path, in order. */
  readonly path: readonly string[] | undefined;
  readonly className: string | undefined;
  readonly onChoose: (id: string) => void;
  readonly onClass: (name: string | undefined) => void;
}

const LABELS_MAX = 14;
const HOPS_SHOWN = 4;
const MARGIN = 16;

/** The map. The list next to it contains the same items, for keyboard and screen reader users. */
export function MapView(props: MapProps) {
  const { topology, map, chosen, impact, path } = props;
  const [over, setOver] = useState<string>();
  const names = useMemo(
    () => new Map(topology.nodes.map(({ id, name }) => [id, name])),
    [topology],
  );
  const lines = useMemo(() => listLines(props), [props]);
  const hops = useMemo(
    () => new Map(impact?.impacted.map((item) => [item.id, item.hops])),
    [impact],
  );
  const beside = new Set(lines.flatMap(({ from, to }) => [from, to]));
  const wanted = path ?? (chosen === undefined ? [] : [chosen, ...beside].slice(0, LABELS_MAX));
  const labels = placeLabels(map, over === undefined ? wanted : [...wanted, over]);
  const lookOf = (node: Node): string =>
    toLook(node, {
      isChosen: node.id === chosen,
      isLit: path ? path.includes(node.id) : hops.has(node.id) || beside.has(node.id),
      isPath: path?.includes(node.id) === true,
      hops: path ? undefined : hops.get(node.id),
      isAny: chosen !== undefined,
      isOtherClass: props.className !== undefined && node.class !== props.className,
    });
  return (
    <svg
      className="map"
      viewBox={`${-MARGIN} ${-MARGIN} ${map.width + 2 * MARGIN + LABEL_ROOM} ${map.height + 2 * MARGIN}`}
      role="group"
      aria-label={`Map of ${topology.nodes.length} items by class. The list has the same items.`}
    >
      {map.blocks.map((block) => (
        <BlockHead
          key={block.name}
          {...block}
          isChosen={props.className === block.name}
          onChoose={() => props.onClass(props.className === block.name ? undefined : block.name)}
        />
      ))}
      {lines.map(({ from, to, look }) => (
        <path
          key={`${from} ${to} ${look}`}
          d={drawCurve(map, from, to)}
          className={`edge ${look}`}
        />
      ))}
      {topology.nodes.map((node) => {
        const cell = map.cells.get(node.id);
        if (!cell) return null;
        return (
          <rect
            key={node.id}
            x={cell.x}
            y={cell.y}
            width={CELL}
            height={CELL}
            rx="4"
            className={lookOf(node)}
            onClick={() => props.onChoose(node.id)}
            onMouseEnter={() => setOver(node.id)}
            onMouseLeave={() => setOver(undefined)}
          />
        );
      })}
      {topology.nodes
        .filter(({ incidents }) => incidents > 1)
        .map((node) => (
          <Count key={node.id} node={node} map={map} isDim={lookOf(node).includes("dim")} />
        ))}
      {labels.map(({ id, x, y }) => (
        <text key={id} x={x} y={y} className={id === chosen ? "map-label chosen" : "map-label"}>
          {names.get(id)}
        </text>
      ))}
    </svg>
  );
}

/** Labels of the last column are on its right side. */
const LABEL_ROOM = 80;

function Count({
  node,
  map,
  isDim,
}: {
  readonly node: Node;
  readonly map: ItemMap;
  readonly isDim: boolean;
}) {
  const cell = map.cells.get(node.id);
  if (!cell) return null;
  return (
    <text x={cell.x + CELL / 2} y={cell.y + 12} className={isDim ? "map-count dim" : "map-count"}>
      {node.incidents}
    </text>
  );
}

function BlockHead(props: {
  readonly name: string;
  readonly count: number;
  readonly x: number;
  readonly y: number;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    props.onChoose();
  };
  return (
    <g
      role="button"
      tabIndex={0}
      aria-pressed={props.isChosen}
      className={props.isChosen ? "map-class chosen" : "map-class"}
      onClick={props.onChoose}
      onKeyDown={onKeyDown}
    >
      <text x={props.x} y={props.y + 14}>
        {toPlural(props.name)} <tspan className="map-class-count">{props.count}</tspan>
      </text>
    </g>
  );
}

interface Line {
  readonly from: string;
  readonly to: string;
  readonly look: "up" | "down" | "far" | "path";
}

/**
 * Returns the lines of the selected item: all direct and indirect dependencies in both directions, or the displayed
 * path.
 */
function listLines({ topology, chosen, impact, path }: MapProps): readonly Line[] {
  if (path) {
    return path.slice(1).map((to, n) => ({ from: path[n] ?? "", to, look: "path" as const }));
  }
  if (chosen === undefined) return [];
  const direct = topology.edges.flatMap(({ from, to }): Line[] => {
    if (from === chosen) return [{ from, to, look: "down" }];
    return to === chosen ? [{ from, to, look: "up" }] : [];
  });
  const far = (impact?.impacted ?? [])
    .filter(({ hops }) => hops > 1)
    .map(({ id, via }): Line => ({ from: id, to: via.itemId, look: "far" }));
  return [...far, ...direct];
}

interface CellState {
  readonly isChosen: boolean;
  readonly isLit: boolean;
  readonly isPath: boolean;
  readonly hops: number | undefined;
  readonly isAny: boolean;
  readonly isOtherClass: boolean;
}

function toLook(node: Node, state: CellState): string {
  const { isChosen, isLit, isPath, hops, isAny, isOtherClass } = state;
  return [
    "cell",
    node.incidents > 0 && "bad",
    node.status === "maintenance" && "off",
    isChosen && "chosen",
    ((isAny && !isLit && !isChosen) || isOtherClass) && "dim",
    hops !== undefined && `hop-${Math.min(HOPS_SHOWN, hops)}`,
    isPath && !isChosen && "on-path",
  ]
    .filter(Boolean)
    .join(" ");
}
