/** Collects the resources in a trace by id, using names from the nodes. */
import type { KnownThing } from "../events/index.ts";
import { toWords } from "../ui/words.ts";
import type { CauseNode } from "./cause-tree.ts";

/** The owning resource types of runs, deliveries and executions. */
const OWNERS: Readonly<Record<string, string>> = {
  run: "workflow",
  webhook_delivery: "webhook",
  execution: "artifact",
};

export function collectThings(nodes: readonly CauseNode[]): ReadonlyMap<string, KnownThing> {
  const things = new Map<string, KnownThing>();
  for (const { id, kind, label, ofId, resource, actor, fan } of nodes) {
    if (actor && actor.type === "user") things.set(actor.id, { name: actor.name, type: "user" });
    if (resource) {
      const { number, displayName, type } = resource;
      const name = [number, displayName].filter(Boolean).join(" ");
      // The last events of a deleted resource have no name.
      if (name !== "") things.set(resource.id, { name, type, number });
    }
    const type = OWNERS[fan?.kind ?? kind];
    if (ofId !== undefined && type !== undefined) things.set(ofId, { name: label, type });
    if (kind === "run") things.set(id, { name: label, type: "run" });
  }
  return things;
}

/** Returns the name of an event's resource, or its type if the name is unknown. */
export function nameResource(
  { label, resource }: CauseNode,
  things: ReadonlyMap<string, KnownThing>,
): string {
  if (!resource || label !== resource.id) return label;
  return things.get(resource.id)?.name ?? toWords(resource.type);
}

/** Returns the label of the type that a run or delivery belongs to. */
export const nameOwner = ({ kind, fan }: CauseNode): string =>
  toWords(OWNERS[fan?.kind ?? kind] ?? "of");
