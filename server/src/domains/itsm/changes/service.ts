import { findMembersWithPermission } from "#domains/identity/accounts/index.ts";
import { authorOf } from "#kernel/access/caller.ts";
import { diffResource } from "#kernel/log/event.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { emitRouting, routeTicket } from "../assignment/index.ts";
import {
  assertReferencesExist,
  checkLabels,
  instantiatePlan,
  type TicketNumber,
} from "../tickets/index.ts";
import { dropAbsentApprovers } from "./approval/present-approvers.ts";
import { applyChangeTransition, changeEventData, type ChangeRecord } from "./change.ts";
import {
  applyChangePatch,
  assertFollowsTemplate,
  type ChangeInput,
  type ChangePatch,
  emptyChange,
} from "./change-input.ts";
import { ApproversRemoved, ChangeCreated, ChangeSubmitted, ChangeUpdated } from "./events.ts";
import { changeCommands, changeKind, type ChangeRouted, type ChangeTaskAdded } from "./kind.ts";
import { assertEditable } from "./lifecycle.ts";
import { ChangesApprove } from "./permissions.ts";
import { assessRisk } from "./risk/assess-risk.ts";
import { changeStore } from "./store.ts";
import { templates } from "./templates/template.ts";
import { findBlackouts } from "./windows/blackout.ts";
import { isWithin, plannedWindowOf } from "./windows/window.ts";

export async function createChange(
  ctx: WriteContext<typeof ChangeCreated | typeof ChangeRouted | typeof ChangeTaskAdded>,
  { templateId, ...input }: ChangeInput,
  number: TicketNumber,
): Promise<ChangeRecord> {
  const { tx, now, caller } = ctx;
  const template =
    templateId === undefined ? undefined : await templates.store.find(tx, templateId);
  if (templateId !== undefined && !template?.active) {
    throw invalidField("/templateId", "is not the id of an active template");
  }
  const at = now.toISOString();
  const identity = {
    id: newId("chg", now.getTime()),
    number: number.number,
    createdBy: authorOf(caller),
    createdAt: at,
    updatedAt: at,
  };
  const labels = await checkLabels(ctx, "change", input);
  const draft = applyChangePatch(emptyChange(identity, template), { ...input, ...labels });
  assertFollowsTemplate(draft, template);
  await assertChangeReferences(ctx, draft, input);
  const routing = await routeTicket(ctx, changeKind, "created", draft);
  const change = { ...draft, ...routing?.fields, risk: await assessRisk(tx, draft, now) };
  await changeStore.insert(ctx, change, number);
  changeCommands.emit(ctx, ChangeCreated, change);
  emitRouting(ctx, changeKind, change, routing);
  const ticket = { ...change, kind: "change" as const };
  await instantiatePlan(ctx, { kind: changeKind, ticket }, template?.tasks ?? []);
  return change;
}

/** Updates fields from an input. Does nothing if no value changes. */
export async function updateChange(
  ctx: WriteContext<typeof ChangeUpdated | typeof ChangeSubmitted | typeof ApproversRemoved>,
  before: ChangeRecord,
  input: ChangePatch,
): Promise<ChangeRecord> {
  const { tx, now } = ctx;
  const labels = await checkLabels(ctx, "change", input, before);
  const next = applyChangePatch(before, { ...input, ...labels });
  const { changes } = diffResource(changeEventData(before), changeEventData(next));
  if (changes.length === 0) return before;
  assertEditable(before.state, changes);
  const { type, templateId } = next;
  const template =
    type === "standard" && templateId !== null
      ? await templates.store.find(tx, templateId)
      : undefined;
  assertFollowsTemplate(next, template);
  await assertChangeReferences(ctx, next, input);
  const risk = await assessRisk(tx, next, now);
  const assessed = { ...next, risk };
  if (!(await needsNewVotes(tx, before, assessed))) {
    return changeCommands.saveChanges(ctx, before, assessed, ChangeUpdated);
  }
  const asked = applyChangeTransition(assessed, "reschedule", { at: now.toISOString() });
  const present = await dropAbsentApprovers(ctx, asked);
  const after = await changeCommands.saveChanges(ctx, before, present, ChangeUpdated);
  changeCommands.emit(ctx, ChangeSubmitted, after);
  return after;
}

/**
 * True if an approved change moves outside of its hours, or into a blackout window. Standard changes never need
 * votes.
 */
async function needsNewVotes(
  tx: ReadContext["tx"],
  before: ChangeRecord,
  after: ChangeRecord,
): Promise<boolean> {
  const isVotedOn = before.state === "approved" || before.approvalsGiven > 0;
  const isMoved =
    before.plannedStart !== after.plannedStart || before.plannedEnd !== after.plannedEnd;
  const isPlanned = before.state === "submitted" || before.state === "approved";
  if (!isPlanned || !isVotedOn || !isMoved || before.type === "standard") return false;
  if (!isWithin(after, before)) return true;
  const window = plannedWindowOf(after);
  if (!window || after.type === "emergency") return false;
  return (await findBlackouts(tx, window, { itemIds: after.ciIds, limit: 1 })).length > 0;
}

/** Throws 422 if the input names a missing member, or an approver without the permission. */
async function assertChangeReferences(
  ctx: ReadContext,
  { approval: { approverIds } }: ChangeRecord,
  input: ChangePatch,
): Promise<void> {
  const { assigneeId, teamId, ciIds } = input;
  const named = input.approval?.approverIds ? approverIds : [];
  const approvers = named.map((id, index) => [`/approval/approverIds/${index}`, id] as const);
  await assertReferencesExist(ctx, {
    users: { "/assigneeId": assigneeId, ...Object.fromEntries(approvers) },
    teamId,
    ciIds: ciIds && [...new Set(ciIds)],
  });
  await assertMayApprove(ctx, approvers);
}

/** Throws 422 with the path of the first member who cannot approve changes. */
export async function assertMayApprove(
  ctx: ReadContext,
  people: readonly (readonly [path: string, userId: string])[],
): Promise<void> {
  if (people.length === 0) return;
  const ids = people.map(([, id]) => id);
  const holders = await findMembersWithPermission(ctx, ChangesApprove, ids);
  const lacking = people.find(([, id]) => !holders.has(id));
  if (lacking) throw invalidField(lacking[0], "is a member who can't approve changes");
}
