import Type from "typebox";
import { command } from "#kernel/operation/operation.ts";
import { one } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import {
  Blackout,
  Change,
  ChangeRef,
  dataOf,
  example,
  Notes,
  Reason,
  referTo,
  shown,
  TemplateUnusable,
} from "./change.ts";
import {
  ChangeApproved,
  ChangeCancelled,
  ChangeCompleted,
  ChangeRevised,
  ChangeRolledBack,
  ChangeSubmitted,
  ImplementationStarted,
} from "./events.ts";
import { changeMachine } from "./lifecycle.ts";
import { implement, isOutsideWindow, move, submit } from "./moves.ts";
import { ChangesWrite } from "./permissions.ts";

const PATH = "/api/v1/itsm/changes/{id}";
const common = {
  permission: ChangesWrite,
  params: ChangeRef,
  reply: one(Change),
};
const fails = [changeMachine.refusal];

const submitChange = command({
  ...common,
  id: "changes.submit",
  route: `POST ${PATH}/submit`,
  summary: "Hand a change to its approvers",
  description: "A standard change whose template is active is approved at once.",
  emits: [ChangeSubmitted, ChangeApproved],
  fails: [...fails, TemplateUnusable],
  example,
  async run(ctx, { params }) {
    const change = await submit(ctx, params.id);
    if (change.state === "approved") {
      const submitted = { ...dataOf(change), state: "submitted" as const, approvedAt: null };
      ctx.emit(ChangeSubmitted, referTo(change), submitted);
      ctx.emit(ChangeApproved, referTo(change), dataOf(change));
    } else {
      ctx.emit(ChangeSubmitted, referTo(change), dataOf(change));
    }
    return shown(change);
  },
});

const reviseChange = command({
  ...common,
  id: "changes.revise",
  route: `POST ${PATH}/revise`,
  summary: "Make a rejected change a draft again",
  emits: [ChangeRevised],
  fails,
  example,
  async run(ctx, { params }) {
    const change = await move(ctx, params.id, "revise");
    ctx.emit(ChangeRevised, referTo(change), dataOf(change));
    return shown(change);
  },
});

const implementChange = command({
  ...common,
  id: "changes.implement",
  route: `POST ${PATH}/implement`,
  summary: "Begin to carry out a change",
  description:
    "Also at another time than was planned, which its event tells as `outsideWindow`; but not in a " +
    "blackout window of one of its configuration items, unless it is an emergency.",
  body: object({ notes: Type.Optional(Notes) }),
  bodyOptional: true,
  emits: [ImplementationStarted],
  fails: [...fails, Blackout],
  example: { ...example, body: { notes: "The team is in the data centre." } },
  async run(ctx, { params, body }) {
    const change = await implement(ctx, params.id, body?.notes ?? null);
    const outsideWindow = isOutsideWindow(change, ctx.now);
    ctx.emit(ImplementationStarted, referTo(change), { ...dataOf(change), outsideWindow });
    return shown(change);
  },
});

const completeChange = command({
  ...common,
  id: "changes.complete",
  route: `POST ${PATH}/complete`,
  summary: "Say that a change was carried out",
  body: object({ notes: Type.Optional(Notes) }),
  bodyOptional: true,
  emits: [ChangeCompleted],
  fails,
  example: { ...example, body: { notes: "All checks passed." } },
  async run(ctx, { params, body }) {
    const change = await move(ctx, params.id, "complete", () => ({
      completedAt: ctx.now.toISOString(),
      completionNotes: body?.notes ?? null,
      outcome: "successful",
    }));
    ctx.emit(ChangeCompleted, referTo(change), dataOf(change));
    return shown(change);
  },
});

const rollbackChange = command({
  ...common,
  id: "changes.rollback",
  route: `POST ${PATH}/rollback`,
  summary: "Say that a change was undone",
  description: "While it is carried out, or after that.",
  body: object({ notes: Type.Optional(Notes) }),
  bodyOptional: true,
  emits: [ChangeRolledBack],
  fails,
  example: { ...example, body: { notes: "The new disks were slower." } },
  async run(ctx, { params, body }) {
    const change = await move(ctx, params.id, "rollback", () => ({
      rolledBackAt: ctx.now.toISOString(),
      rollbackNotes: body?.notes ?? null,
      outcome: "rolled_back",
    }));
    ctx.emit(ChangeRolledBack, referTo(change), dataOf(change));
    return shown(change);
  },
});

const cancelChange = command({
  ...common,
  id: "changes.cancel",
  route: `POST ${PATH}/cancel`,
  summary: "Give up a change before work on it begins",
  body: object({ reason: Type.Optional(Reason) }),
  bodyOptional: true,
  emits: [ChangeCancelled],
  fails,
  example: { ...example, body: { reason: "No longer needed" } },
  async run(ctx, { params, body }) {
    const change = await move(ctx, params.id, "cancel", () => ({
      cancellationReason: body?.reason ?? null,
      outcome: "cancelled",
    }));
    ctx.emit(ChangeCancelled, referTo(change), dataOf(change));
    return shown(change);
  },
});

export const moveOperations = [
  submitChange,
  reviseChange,
  implementChange,
  completeChange,
  rollbackChange,
  cancelChange,
];
