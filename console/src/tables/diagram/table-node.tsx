import { Link } from "@tanstack/react-router";
import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { linkTargetOf, targetOf } from "../column/column.ts";
import { TypeIcon } from "../column/type-icon.tsx";
import { CARD, type TableCard } from "./er-layout.ts";

export interface TableNodeData extends Record<string, unknown> {
  readonly card: TableCard;
  readonly look: "plain" | "chosen" | "far";
}

/** Shows a table with its relations and some columns. */
export function TableNode({ data: { card, look } }: NodeProps<Node<TableNodeData>>) {
  const { slug, name, columns, more } = card;
  return (
    <div className={`er-card ${look}`}>
      <Handle type="target" position={Position.Left} style={{ top: CARD.head / 2 }} />
      <Link className="er-head cut nodrag" to="/tables/$slug" params={{ slug }} title={slug}>
        {name}
      </Link>
      {columns.map((column, n) => {
        const target = targetOf(column) ?? linkTargetOf(column);
        return (
          <div key={column.name} className={target === undefined ? "er-row" : "er-row leads"}>
            <TypeIcon type={column.type} />
            <span className="cut grow">{column.title}</span>
            {target !== undefined && <small className="muted cut">{target}</small>}
            {target !== undefined && (
              <Handle
                id={column.name}
                type="source"
                position={Position.Right}
                style={{ top: CARD.head + (n + 0.5) * CARD.row }}
              />
            )}
          </div>
        );
      })}
      {more > 0 && <div className="er-row muted">{more} more</div>}
    </div>
  );
}
