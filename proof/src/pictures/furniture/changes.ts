/** Changes that wait for the owner's approval. */
import { type Ask, dataOf } from "../../faults/asker.ts";
import { change, make } from "./made.ts";
import type { People } from "./people.ts";

const HOUR_MS = 3_600_000;

const CHANGES = [
  { title: "New Wi-Fi controllers in Lisbon", inHours: 52, impact: 2 },
  { title: "Move payroll to the new cluster", inHours: 100, impact: 1 },
] as const;

export async function submitChanges(owner: Ask, { mara, teams }: People): Promise<void> {
  const { user } = dataOf<{ user: { id: string } }>(await owner("GET /api/v1/auth/me"), 200);
  for (const { title, inHours, impact } of CHANGES) {
    const startMs = Date.now() + inHours * HOUR_MS;
    const { id } = await make(mara.ask, "itsm/changes", {
      title,
      impact,
      type: "normal",
      teamId: teams.network,
      justification: "The old ones are out of support at the end of the year.",
      implementationPlan: "Floor by floor, after hours.",
      rollbackPlan: "The old ones stay in the rack for a week.",
      plannedStart: new Date(startMs).toISOString(),
      plannedEnd: new Date(startMs + 3 * HOUR_MS).toISOString(),
      approval: { rule: "count", value: 1, approverIds: [user.id] },
    });
    await change(mara.ask, `POST itsm/changes/${id}/submit`);
  }
}
