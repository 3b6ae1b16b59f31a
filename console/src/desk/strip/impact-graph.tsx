import { useMemo } from "react";
import type { Schemas } from "../../data/api.ts";
import { count } from "../../ui/words.ts";
import { layOutImpact } from "./impact-layout.ts";

const WIDTH = 222;
const NODE_PX = 66;

/** The items that depend on a configuration item, as a small graph for the side panel. */
export function ImpactGraph({ impact }: { readonly impact: Schemas["CmdbImpact"] }) {
  const layout = useMemo(() => {
    const root = {
      id: impact.item.id,
      name: impact.item.name,
      hops: 0,
      viaId: undefined,
      isHurt: true,
    };
    const others = impact.impacted.map(({ id, name, hops, via, incidents }) => ({
      id,
      name,
      hops,
      viaId: via.itemId,
      isHurt: incidents.length > 0,
    }));
    return layOutImpact([root, ...others], WIDTH);
  }, [impact]);
  const names = impact.impacted.map(({ name }) => name).join(", ");
  return (
    <figure className="impact">
      <svg
        viewBox={`0 0 ${WIDTH} ${layout.height}`}
        height={layout.height}
        role="img"
        aria-label={`Depends on ${impact.item.name}: ${names}`}
      >
        {layout.lines.map(({ from, to }) => (
          <path
            key={`${from.id}${to.id}`}
            d={`M${from.x + NODE_PX} ${from.y} C${from.x + NODE_PX + 6} ${from.y} ${to.x - 6} ${to.y} ${to.x} ${to.y}`}
          />
        ))}
        {layout.nodes.map((node) => (
          <g key={node.id} className={node.isHurt ? "hurt" : undefined}>
            <title>{node.name}</title>
            <rect x={node.x} y={node.y - 8} width={NODE_PX} height={16} rx={4} />
            <text x={node.x + 5} y={node.y + 3.5}>
              {node.name.length > 11 ? `${node.name.slice(0, 10)}…` : node.name}
            </text>
          </g>
        ))}
      </svg>
      {layout.left > 0 && (
        <figcaption className="muted">and {count(layout.left, "more", "more")}</figcaption>
      )}
    </figure>
  );
}
