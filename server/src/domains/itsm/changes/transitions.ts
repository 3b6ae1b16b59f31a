/** The transitions of a change, except for decisions of approvers. */
import Type from "typebox";
import { Failure } from "#kernel/operation/failure.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { object } from "#kernel/schema/schema.ts";
import { assertTasksEnded, nextState, TasksOpen } from "../tickets/index.ts";
import {
  Blackout,
  type ChangeRecord,
  Notes,
  Reason,
  StartReasonRequired,
  TemplateUnusable,
} from "./change.ts";
import { dropAbsentApprovers } from "./approval/present-approvers.ts";
import {
  ApproversRemoved,
  ChangeApproved,
  ChangeCancelled,
  ChangeCompleted,
  ChangeRevised,
  ChangeRolledBack,
  ChangeSubmitted,
  ImplementationStarted,
} from "./events.ts";
import { changeCommands } from "./kind.ts";
import { changeMachine } from "./lifecycle.ts";
import { assessRisk } from "./risk/assess-risk.ts";
import { templateDeviations, templates } from "./templates/template.ts";
import { findBlackoutsAt } from "./windows/blackout.ts";
import { describeStart } from "./start.ts";

const { transition, emit } = changeCommands;

const OptionalNotes = object({ notes: Type.Optional(Notes) });

export const changeTransitions = [
  transition("submit", {
    effect: "ordinary",
    summary: "Submit a change for approval",
    description: "A standard change with an active template is approved immediately.",
    event: ChangeSubmitted,
    alsoEmits: [ChangeApproved, ApproversRemoved],
    fails: [TemplateUnusable],
    async fields(ctx, change) {
      const { tx, now } = ctx;
      const risk = await assessRisk(tx, change, now);
      if (change.type !== "standard") {
        return { risk, approval: (await dropAbsentApprovers(ctx, change)).approval };
      }
      await assertTemplate(tx, change);
      const state = nextState(changeMachine, "submitted", "approve");
      return { risk, state, approvedAt: now.toISOString() };
    },
    details: () => ({ state: "submitted", approvedAt: null }),
    effects(ctx, change) {
      if (change.state === "approved") emit(ctx, ChangeApproved, change);
    },
  }),
  transition("revise", {
    effect: "ordinary",
    summary: "Return a rejected change to draft",
    event: ChangeRevised,
  }),
  transition("implement", {
    effect: "ordinary",
    summary: "Start the implementation of a change",
    description:
      "Starting outside the planned window, or with a conflicting change or change freeze, requires a `reason`; otherwise the response is 422 `change_reason_required` with the conflicts. During a change freeze of one of its configuration items, only an emergency change can start.",
    body: object({ notes: Type.Optional(Notes), reason: Type.Optional(Reason) }),
    example: { notes: "The team is in the data centre." },
    event: ImplementationStarted,
    fails: [Blackout, StartReasonRequired],
    async fields(ctx, change, { notes = null }) {
      await assertNoBlackout(ctx, change);
      return { implementationNotes: notes };
    },
    details: describeStart,
  }),
  transition("complete", {
    effect: "ordinary",
    summary: "Complete a change",
    description:
      "If a required task is open, the response is 409 `tasks_open` with the open tasks in `tasks`.",
    fails: [TasksOpen],
    body: OptionalNotes,
    example: { notes: "All checks passed." },
    event: ChangeCompleted,
    async fields(ctx, change, { notes = null }) {
      await assertTasksEnded(ctx, change.id);
      return { completionNotes: notes };
    },
  }),
  transition("rollback", {
    effect: "drastic",
    summary: "Roll back a change",
    description: "Possible during and after the implementation.",
    body: OptionalNotes,
    example: { notes: "The new disks were slower." },
    event: ChangeRolledBack,
    fields: (_ctx, _change, { notes = null }) => ({ rollbackNotes: notes }),
  }),
  transition("cancel", {
    effect: "drastic",
    summary: "Cancel a change before its implementation",
    body: object({ reason: Type.Optional(Reason) }),
    example: { reason: "No longer needed" },
    event: ChangeCancelled,
    fields: (_ctx, _change, { reason = null }) => ({ cancellationReason: reason }),
  }),
];

/** Throws 409 if the template was changed after the change was created from it. */
async function assertTemplate(tx: ReadContext["tx"], change: ChangeRecord): Promise<void> {
  const { templateId } = change;
  const template = templateId === null ? undefined : await templates.store.find(tx, templateId);
  if (!template?.active) {
    throw new Failure(TemplateUnusable, { detail: "The template is no longer active." });
  }
  const fields = templateDeviations(change, template);
  if (fields.length === 0) return;
  const detail = `The template now has another ${fields.join(", ")}.`;
  throw new Failure(TemplateUnusable, { detail, extra: { fields } });
}

/** Throws 409 during a change freeze of one of the items, unless the change is an emergency. */
async function assertNoBlackout(
  { tx, now }: ReadContext,
  { type, ciIds }: ChangeRecord,
): Promise<void> {
  const windows = type === "emergency" ? [] : await findBlackoutsAt(tx, now, ciIds);
  const [first] = windows;
  if (!first) return;
  throw new Failure(Blackout, {
    detail: `The change freeze "${first.name}" blocks changes of these items until ${first.end}.`,
    extra: { blackoutWindows: windows.map(({ id, name, end }) => ({ id, name, end })) },
  });
}
