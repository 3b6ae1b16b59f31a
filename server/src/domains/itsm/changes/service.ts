import { findMembersWithPermission } from "#domains/identity/accounts/index.ts";
import { diffResource } from "#kernel/log/event.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { assertReferencesExist, type TicketNumber } from "../tickets/index.ts";
import { type ChangeRecord, changeEventData, authorIdOf, changeRef } from "./change.ts";
import {
  assertByTemplate,
  blank,
  type ChangeInput,
  type ChangePatch,
  withGiven,
} from "./change-input.ts";
import { ChangeCreated, ChangeUpdated } from "./events.ts";
import { assertEditable } from "./lifecycle.ts";
import { ChangesApprove } from "./permissions.ts";
import { assessRisk } from "./risk/assess-risk.ts";
import * as store from "./store.ts";
import { templates } from "./templates/template.ts";

export async function create(
  ctx: WriteContext<typeof ChangeCreated>,
  { templateId, ...given }: ChangeInput,
  { no, number }: TicketNumber,
): Promise<ChangeRecord> {
  const { tx, now, caller } = ctx;
  const template =
    templateId === undefined ? undefined : await templates.store.find(tx, templateId);
  if (templateId !== undefined && !template?.active) {
    throw invalidField("/templateId", "is not the id of an active template");
  }
  const at = now.toISOString();
  const id = newId("chg", now.getTime());
  const identity = { id, no, number, createdBy: authorIdOf(caller), createdAt: at, updatedAt: at };
  const drafted = withGiven(blank(identity, template), given);
  assertByTemplate(drafted, template);
  await assertNamed(ctx, drafted, given);
  const change = { ...drafted, risk: await assessRisk(tx, drafted, now) };
  await store.insert(tx, change);
  ctx.emit(ChangeCreated, changeRef(change), changeEventData(change));
  return change;
}

/** Changes what is given; nothing happens when all is like that already. */
export async function update(
  ctx: WriteContext<typeof ChangeUpdated>,
  ref: string,
  given: ChangePatch,
): Promise<ChangeRecord> {
  const { tx, now } = ctx;
  const before = await store.lock(tx, ref);
  ctx.expectRevision(before.revision);
  const wanted = withGiven(before, given);
  const { changes } = diffResource(changeEventData(before), changeEventData(wanted));
  if (changes.length === 0) return before;
  assertEditable(before.state, changes);
  if (wanted.type === "standard" && wanted.templateId !== null) {
    assertByTemplate(wanted, await templates.store.find(tx, wanted.templateId));
  } else {
    assertByTemplate(wanted, undefined);
  }
  await assertNamed(ctx, wanted, given);
  const after = { ...wanted, risk: await assessRisk(tx, wanted, now) };
  const saved = await store.save(tx, before, after, now);
  ctx.emit(
    ChangeUpdated,
    changeRef(saved),
    diffResource(changeEventData(before), changeEventData(saved)),
  );
  return saved;
}

/** Throws a 422 when something that was given names nobody, or an approver who may not approve. */
async function assertNamed(
  ctx: ReadContext,
  { approval: { approverIds } }: ChangeRecord,
  given: ChangePatch,
): Promise<void> {
  const { assigneeId, teamId, ciIds } = given;
  const named = given.approval?.approverIds ? approverIds : [];
  const approvers = named.map((id, index) => [`/approval/approverIds/${index}`, id] as const);
  await assertReferencesExist(ctx, {
    users: { "/assigneeId": assigneeId, ...Object.fromEntries(approvers) },
    teamId,
    ciIds: ciIds && [...new Set(ciIds)],
  });
  await assertMayApprove(ctx, approvers);
}

/** Throws a 422 with the path of the first of these people whose vote nobody could take. */
export async function assertMayApprove(
  ctx: ReadContext,
  people: readonly (readonly [path: string, userId: string])[],
): Promise<void> {
  if (people.length === 0) return;
  const ids = people.map(([, id]) => id);
  const holders = await findMembersWithPermission(ctx, ChangesApprove, ids);
  const powerless = people.find(([, id]) => !holders.has(id));
  if (powerless) throw invalidField(powerless[0], "is somebody who may not approve changes");
}
