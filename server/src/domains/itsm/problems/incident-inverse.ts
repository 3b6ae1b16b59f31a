import type { WriteContext } from "#kernel/contract.ts";
import { performWithin } from "#kernel/operation/inner-command.ts";
import type { State } from "#kernel/undo/fold-changes.ts";
import type { BulkInverse } from "#kernel/undo/inverse.ts";
import type { TicketSummary } from "../tickets/index.ts";
import type { IncidentLinked } from "./events.ts";
import { problemCommands } from "./kind.ts";
import {
  assertIncidents,
  LINK_TYPE,
  linkIncidents,
  unlinkIncidentFromProblem,
} from "./linked-incidents.ts";
import { ProblemsWrite } from "./problem.ts";
import { problemStore } from "./store.ts";

/** The inverse of linking and unlinking incidents of a problem. A restored link keeps its id. */
export const incidentInverse: BulkInverse = {
  resourceType: "problem_incident",
  created: ["problem.incident_linked"],
  deleted: ["problem.incident_unlinked"],
  permission: ProblemsWrite,
  oneByOne: true,
  idOf: ({ resource, data }) => `${resource.id}.${incidentOf(data)}`,
  groupOf: ({ resource }) => resource.id,
  async lock({ tx }, problemId, ids) {
    const { id, revision } = await problemStore.lock(tx, problemId);
    const rows = await tx
      .selectFrom("ticket_links")
      .select(["id", "from_id"])
      .where("to_id", "=", id)
      .where("type", "=", LINK_TYPE)
      .where("from_id", "in", ids.map(incidentIdOf))
      .execute();
    const states = rows.map((row): [string, State] => [
      `${id}.${row.from_id}`,
      { linkId: row.id, incident: { id: row.from_id } },
    ]);
    return {
      states: new Map(states),
      fields: new Set(["linkId"]),
      revisions: new Map([[id, revision]]),
    };
  },
  async write(ctx, problemId, reversals) {
    const linkIds = new Map<string, string>();
    const again: string[] = [];
    for (const { id, target } of reversals) {
      const incidentId = incidentIdOf(id);
      if (!target) {
        const params = { id: problemId, incidentId };
        await performWithin(ctx, unlinkIncidentFromProblem, { params });
        continue;
      }
      again.push(incidentId);
      const { linkId } = target;
      if (typeof linkId === "string") linkIds.set(incidentId, linkId);
    }
    if (again.length === 0) return;
    const inner = ctx as unknown as WriteContext<typeof IncidentLinked>;
    const problem = await problemStore.lock(ctx.tx, problemId);
    await linkIncidents(inner, problem, await assertIncidents(ctx, again), linkIds);
    await problemCommands.save(ctx, problem, problem);
  },
};

/** The id of the incident in the data of an event. */
function incidentOf({ incident }: State): string {
  return (incident as TicketSummary).id;
}

/** The incident id in a link id as used by undo. */
function incidentIdOf(id: string): string {
  return id.slice(id.indexOf(".") + 1);
}
