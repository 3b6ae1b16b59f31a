import { performWithin } from "#kernel/operation/inner-command.ts";
import type { State } from "#kernel/undo/fold-changes.ts";
import type { BulkInverse } from "#kernel/undo/inverse.ts";
import type { TicketSummary } from "../../tickets/index.ts";
import { IncidentsWrite } from "../incident.ts";
import { addChild, removeChild } from "../major-incident.ts";
import { incidentStore } from "../store.ts";

const LINKED = "incident.child_linked";

/** The inverse of adding an incident to a major incident, or of removing it. */
export const childInverse: BulkInverse = {
  resourceType: "incident",
  updated: [LINKED, "incident.child_unlinked"],
  permission: IncidentsWrite,
  oneByOne: true,
  idOf: ({ data }) => (data["child"] as TicketSummary).id,
  changeOf({ type, resource }) {
    const [child, alone] = [{ parentId: resource.id }, { parentId: null }];
    return type === LINKED ? { before: alone, after: child } : { before: child, after: alone };
  },
  groupOf: ({ resource }) => resource.id,
  async lock({ tx }, parentId, ids) {
    // Same lock order as adding children.
    await incidentStore.lockWhere(tx, "id = $1", parentId);
    const children = await incidentStore.lockWhere(tx, "id = any ($1::text[]) order by id", ids);
    const states = children.map((child): [string, State] => [
      child.id,
      { parentId: child.parentId },
    ]);
    const revisions = children.map(({ id, revision }): [string, number] => [id, revision]);
    return {
      states: new Map(states),
      fields: new Set(["parentId"]),
      revisions: new Map(revisions),
    };
  },
  async write(ctx, _, reversals) {
    for (const { id, current, target } of reversals) {
      const [parentId, earlier] = [current?.["parentId"], target?.["parentId"]];
      if (typeof parentId === "string") {
        await performWithin(ctx, removeChild, { params: { id: parentId, childId: id } });
      }
      if (typeof earlier === "string") {
        await performWithin(ctx, addChild, { params: { id: earlier }, body: { incidentId: id } });
      }
    }
  },
};
