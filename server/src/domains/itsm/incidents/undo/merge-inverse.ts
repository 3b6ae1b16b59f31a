import { performWithin } from "#kernel/operation/inner-command.ts";
import type { BulkInverse } from "#kernel/undo/inverse.ts";
import { IncidentsWrite } from "../incident.ts";
import {
  DuplicateAdded,
  DuplicateRemoved,
  IncidentMerged,
  IncidentUnmerged,
  mergeIncident,
  unmergeIncident,
} from "../merge/merge.ts";
import { findMerges } from "../merge/store.ts";
import { incidentStore } from "../store.ts";

/** The inverse of a merge: restores the duplicate, or merges it again. */
export const mergeInverse: BulkInverse = {
  resourceType: "incident",
  updated: [IncidentMerged.type, IncidentUnmerged.type],
  companions: [DuplicateAdded.type, DuplicateRemoved.type],
  permission: IncidentsWrite,
  oneByOne: true,
  changeOf({ type, data }) {
    const { into, from } = data as { readonly [side in "into" | "from"]?: { readonly id: string } };
    const [apart, merged] = [{ mergedIntoId: null }, { mergedIntoId: (into ?? from)?.id }];
    const isMerge = type === IncidentMerged.type;
    return isMerge ? { before: apart, after: merged } : { before: merged, after: apart };
  },
  groupOf: () => "",
  async lock({ tx }, _, ids) {
    const merges = new Map((await findMerges(tx, ids)).map((one) => [one.sourceId, one.targetId]));
    // Same lock order as merges.
    const where = "id = any ($1::text[]) order by id";
    const rows = await incidentStore.lockWhere(tx, where, [...ids, ...merges.values()]);
    const incidents = rows.filter(({ id }) => ids.includes(id));
    return {
      states: new Map(incidents.map(({ id }) => [id, { mergedIntoId: merges.get(id) ?? null }])),
      fields: new Set(["mergedIntoId"]),
      revisions: new Map(incidents.map(({ id, revision }) => [id, revision])),
    };
  },
  async write(ctx, _, reversals) {
    for (const { id, target } of reversals) {
      const params = { id };
      const intoId = target?.["mergedIntoId"] ?? undefined;
      if (intoId === undefined) await performWithin(ctx, unmergeIncident, { params });
      else await performWithin(ctx, mergeIncident, { params, body: { intoId } });
    }
  },
};
