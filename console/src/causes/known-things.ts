/** The things of a trace by their ids, with the names that its nodes tell of them. */
import type { KnownThing } from "../events/index.ts";
import { toWords } from "../ui/words.ts";
import type { CauseNode } from "./cause-tree.ts";

/** What a run, a delivery or an execution is of. */
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
      // Of a thing that is gone the last events have no name.
      if (name !== "") things.set(resource.id, { name, type, number });
    }
    const type = OWNERS[fan?.kind ?? kind];
    if (ofId !== undefined && type !== undefined) things.set(ofId, { name: label, type });
    if (kind === "run") things.set(id, { name: label, type: "run" });
  }
  return things;
}

/** What an event is about: its name, or its kind where nothing here names it. */
export function nameResource(
  { label, resource }: CauseNode,
  things: ReadonlyMap<string, KnownThing>,
): string {
  if (!resource || label !== resource.id) return label;
  return things.get(resource.id)?.name ?? toWords(resource.type);
}

/** The word for what a run or a delivery is of. */
export const nameOwner = ({ kind, fan }: CauseNode): string =>
  toWords(OWNERS[fan?.kind ?? kind] ?? "of");
