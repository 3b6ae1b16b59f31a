import { X } from "lucide-react";
import type { Schemas } from "../data/api.ts";
import { count, toWords } from "../ui/words.ts";
import { Button, PlainButton } from "../ui/form/button.tsx";

interface PathSideProps {
  readonly from: { readonly id: string; readonly name: string };
  readonly way: Schemas["CmdbPath"];
  readonly onChoose: (id: string) => void;
  readonly onClose: () => void;
}

/** The shortest path from one item to another, step by step. */
export function PathSide({ from, way, onChoose, onClose }: PathSideProps) {
  const end = way.nodes.at(-1);
  return (
    <aside className="services-side scroll" aria-label={`Path from ${from.name}`} tabIndex={0}>
      <header>
        <h2 className="grow">
          {way.hops === null ? "No path found" : `${count(way.hops, "step")} to ${end?.name ?? ""}`}
        </h2>
        <Button look="bare" isIcon aria-label="Close" onClick={onClose}>
          <X />
        </Button>
      </header>
      <ol className="services-path">
        {way.nodes.map((node, n) => (
          <li key={node.id}>
            <PlainButton onClick={() => onChoose(node.id)}>{node.name}</PlainButton>
            <span className="muted">{toWords(way.edges[n]?.type ?? node.class)}</span>
          </li>
        ))}
      </ol>
    </aside>
  );
}
