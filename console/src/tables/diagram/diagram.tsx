/** The diagram of all tables and their relations. */
import "@xyflow/react/dist/base.css";
import "./diagram.css";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import {
  Controls,
  type Edge,
  MarkerType,
  MiniMap,
  type Node,
  ReactFlow,
  type ReactFlowInstance,
} from "@xyflow/react";
import { useEffect, useMemo, useRef } from "react";
import { useOp } from "../../data/api.ts";
import { useTitle } from "../../shell/title.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import { count } from "../../ui/words.ts";
import type { TableShape } from "../column/column.ts";
import { CARD, type Diagram, neighboursOf, toDiagram } from "./er-layout.ts";
import { TableNode, type TableNodeData } from "./table-node.tsx";

const NODE_TYPES = { table: TableNode };
const MINIMAP_FROM = 12;
/** Below this zoom columns are unreadable, so only table names are shown, in large text. */
const AFAR_ZOOM = 0.6;

export function TableDiagram() {
  useTitle("Table diagram");
  const { data, error, refetch } = useOp("tables.list", { query: { limit: 200 } });
  return (
    <div className="page diagram-page">
      {error && !data && <ErrorNotice error={error} retry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && <DiagramScreen tables={data.data} />}
    </div>
  );
}

function DiagramScreen({ tables }: { readonly tables: readonly TableShape[] }) {
  const { table: chosen } = useSearch({ from: "/inside/diagram" });
  const navigate = useNavigate();
  const flow = useRef<ReactFlowInstance<Node<TableNodeData>>>(undefined);
  const box = useRef<HTMLDivElement>(null);
  const diagram = useMemo(() => toDiagram(tables), [tables]);
  const near = useMemo(
    () => (chosen === undefined ? undefined : neighboursOf(chosen, diagram.relations)),
    [chosen, diagram],
  );
  const nodes = useMemo(() => toNodes(diagram, chosen, near), [diagram, chosen, near]);
  const edges = useMemo(() => toEdges(diagram, chosen), [diagram, chosen]);
  const choose = (table: string | undefined): void =>
    void navigate({ to: "/diagram", search: { table }, replace: true });
  useEffect(() => {
    void flow.current?.fitView(fitTo(near));
  }, [near]);
  return (
    <>
      <header className="page-head">
        <h1 className="cut">
          <Link to="/tables" className="wide-only">
            Tables
          </Link>
          <span className="muted wide-only"> / </span>
          Diagram
        </h1>
        <span className="muted wide-only">
          {count(diagram.cards.length, "table")}, {count(diagram.relations.length, "relation")}
        </span>
        <span className="grow" />
        <Combobox
          label="Find a table"
          placeholder="Find a table…"
          options={tables.map(({ slug, name }) => ({ value: slug, label: name, about: slug }))}
          value={chosen}
          onChange={choose}
        />
      </header>
      {tables.length === 0 ? (
        <Empty title="No tables yet">Create a table to see it here with its relations.</Empty>
      ) : (
        <div ref={box} className="diagram-canvas" role="group" aria-label="Table diagram">
          <ReactFlow<Node<TableNodeData>>
            nodes={nodes}
            edges={edges}
            nodeTypes={NODE_TYPES}
            minZoom={0.08}
            maxZoom={1.6}
            nodesDraggable={false}
            nodesConnectable={false}
            nodesFocusable={false}
            edgesFocusable={false}
            disableKeyboardA11y
            deleteKeyCode={null}
            panOnScroll
            fitView
            fitViewOptions={fitTo(near)}
            proOptions={{ hideAttribution: true }}
            onInit={(instance) => {
              flow.current = instance;
            }}
            onNodeClick={(_, node) => choose(node.id === chosen ? undefined : node.id)}
            onMove={(_, { zoom }) => box.current?.classList.toggle("from-afar", zoom < AFAR_ZOOM)}
            onPaneClick={() => choose(undefined)}
          >
            <Controls showInteractive={false} position="bottom-left" />
            {tables.length >= MINIMAP_FROM && <MiniMap pannable zoomable ariaLabel="Overview" />}
          </ReactFlow>
        </div>
      )}
      <RelationList diagram={diagram} />
    </>
  );
}

/** Fits the whole diagram, or a table with its neighbours. */
const fitTo = (near: ReadonlySet<string> | undefined) => ({
  maxZoom: 1,
  padding: near ? 0.2 : 0.04,
  ...(near && { nodes: [...near].map((id) => ({ id })) }),
});

function toNodes(
  { cards }: Diagram,
  chosen: string | undefined,
  near: ReadonlySet<string> | undefined,
): Node<TableNodeData>[] {
  return cards.map((card) => ({
    id: card.slug,
    type: "table",
    position: { x: card.x, y: card.y },
    width: CARD.width,
    height: card.height,
    data: {
      card,
      look: card.slug === chosen ? "chosen" : near && !near.has(card.slug) ? "far" : "plain",
    },
  }));
}

function toEdges({ relations }: Diagram, chosen: string | undefined): Edge[] {
  return relations
    .filter(({ from, to }) => from !== to)
    .map(({ id, from, to, column, isMany }) => {
      const isNear = chosen === from || chosen === to;
      return {
        id,
        source: from,
        target: to,
        sourceHandle: column,
        type: "smoothstep",
        zIndex: isNear ? 5 : 0,
        className: isNear ? "near" : chosen === undefined ? "" : "far",
        ...(isNear && { label: isMany ? `${column}: many` : column }),
        markerEnd: { type: MarkerType.ArrowClosed },
        ...(isMany && { markerStart: { type: MarkerType.ArrowClosed } }),
      };
    });
}

/** The relations as a list, for screen readers. */
function RelationList({ diagram }: { readonly diagram: Diagram }) {
  return (
    <ul className="hide" aria-label="Relations">
      {diagram.relations.map(({ id, from, to, column, isMany }) => (
        <li key={id}>
          {from} refers to {isMany ? "several of" : "one of"} {to} by {column}
        </li>
      ))}
    </ul>
  );
}
