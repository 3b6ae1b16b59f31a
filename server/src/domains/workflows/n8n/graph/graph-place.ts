/** A graph within a workflow, and the steps that it becomes. */
import type { Edge, Node } from "../../definition/index.ts";
import type { Source } from "../conversion.ts";

export interface ConvertedGraph {
  /** The first step of each node, by the node's name. */
  readonly firsts: ReadonlyMap<string, string>;
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}

/** A graph within a workflow. */
export interface GraphPlace {
  /** The nodes of this graph. */
  readonly names: ReadonlySet<string>;
  /** Where items come from that no node of this graph gives. */
  readonly entries: readonly { readonly name: string; readonly source: Source }[];
  /** Steps around the graph that code in it can read. */
  readonly around: ReadonlyMap<string, string>;
  /** The loop that this is the body of, and whose node links back to it. */
  readonly loop?: string;
}
