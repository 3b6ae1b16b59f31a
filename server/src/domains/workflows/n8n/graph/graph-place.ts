/** A graph in a workflow, and its converted steps. */
import type { Edge, Node } from "../../definition/index.ts";
import type { Source } from "../conversion.ts";

export interface ConvertedGraph {
  /** The first step of nodes, by node name. */
  readonly firsts: ReadonlyMap<string, string>;
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}

/** A graph within a workflow. */
export interface GraphPlace {
  /** The nodes of this graph. */
  readonly names: ReadonlySet<string>;
  /** Sources of items outside of this graph. */
  readonly entries: readonly { readonly name: string; readonly source: Source }[];
  /** Outer steps that its code can reference. */
  readonly around: ReadonlyMap<string, string>;
  /** The loop that has this graph as its body. Its node links back to the loop. */
  readonly loop?: string;
}
