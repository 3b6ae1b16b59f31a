/** The rows of the cause tree, from the server's response. */
import type { Schemas } from "../data/api.ts";

export type CauseTree = Schemas["CauseTree"];
export type CauseNode = Schemas["TraceNode"];

export interface CauseRow {
  readonly node: CauseNode;
  readonly depth: number;
  /** For each level, whether its line continues below this row. */
  readonly lines: readonly boolean[];
  readonly hasChildren: boolean;
  readonly isOpen: boolean;
}

/** Everything, only causes, or only effects. */
export type Way = "all" | "back" | "forth";

/** A run shows its own status, so its start and completion events have no rows unless they have effects. */
function isOwnEvent(node: CauseNode, parent: CauseNode | undefined): boolean {
  if (!parent || node.focus === true || !node.type.startsWith("workflow.run_")) return false;
  return parent.kind === "run" || parent.fan?.kind === "run";
}

export class CauseOutline {
  readonly #byId: ReadonlyMap<string, CauseNode>;
  readonly #children: ReadonlyMap<string | null, readonly CauseNode[]>;

  constructor({ nodes }: Pick<CauseTree, "nodes">) {
    this.#byId = new Map(nodes.map((node) => [node.id, node]));
    const all = Map.groupBy(nodes, ({ parentId }) =>
      parentId !== null && this.#byId.has(parentId) ? parentId : null,
    );
    this.#children = new Map(
      Array.from(all, ([parentId, children]) => [
        parentId,
        children.filter(
          (node) => all.has(node.id) || !isOwnEvent(node, this.#byId.get(parentId ?? "")),
        ),
      ]),
    );
  }

  find(id: string | undefined): CauseNode | undefined {
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /** Returns the resource and all its causes, the root last. */
  wayBack(id: string): readonly string[] {
    const way: string[] = [];
    for (let node = this.#byId.get(id); node; node = this.#byId.get(node.parentId ?? "")) {
      if (way.includes(node.id)) break;
      way.push(node.id);
    }
    return way;
  }

  /** Returns the visible rows, parents before children. */
  rows(closed: ReadonlySet<string>, way: Way, focusIds: readonly string[]): readonly CauseRow[] {
    const rows: CauseRow[] = [];
    const back = new Set(focusIds.flatMap((id) => this.wayBack(id)));
    const isShown = (node: CauseNode): boolean => way !== "back" || back.has(node.id);
    const add = (nodes: readonly CauseNode[], depth: number, above: readonly boolean[]): void => {
      const shown = nodes.filter(isShown);
      for (const [n, node] of shown.entries()) {
        const lines = [...above, n < shown.length - 1];
        const children = (this.#children.get(node.id) ?? []).filter(isShown);
        const isOpen = !closed.has(node.id);
        rows.push({ node, depth, lines, hasChildren: children.length > 0, isOpen });
        if (isOpen) add(children, depth + 1, lines);
      }
    };
    const roots =
      way === "forth"
        ? focusIds.flatMap((id) => this.#byId.get(id) ?? [])
        : (this.#children.get(null) ?? []);
    add(withoutInner(roots, this), 0, []);
    return rows;
  }
}

/** Returns the requested nodes that are not descendants of other requested nodes. */
function withoutInner(roots: readonly CauseNode[], outline: CauseOutline): readonly CauseNode[] {
  const ids = new Set(roots.map(({ id }) => id));
  return roots.filter(
    ({ id }) =>
      !outline
        .wayBack(id)
        .slice(1)
        .some((above) => ids.has(above)),
  );
}

/** Formats `145 events, 48 runs`. */
export function tellCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([kind, n]) => `${n.toLocaleString("en")} ${nameKind(kind, n)}`)
    .join(", ");
}

function nameKind(kind: string, n: number): string {
  const one = kind.replace("webhook_", "").replaceAll("_", " ");
  if (n === 1) return one;
  return one.endsWith("y") ? `${one.slice(0, -1)}ies` : `${one}s`;
}
