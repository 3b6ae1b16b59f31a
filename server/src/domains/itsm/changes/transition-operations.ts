import Type from "typebox";
import type { EventType } from "#kernel/log/event.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { item } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { nextState } from "../tickets/index.ts";
import {
  Blackout,
  Change,
  type ChangeRecord,
  ChangeRef,
  changeEventData,
  example,
  Notes,
  Reason,
  changeRef,
  toChange,
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
import { type ChangeAction, changeMachine } from "./lifecycle.ts";
import { ChangesWrite } from "./permissions.ts";
import { assessRisk } from "./risk/assess-risk.ts";
import * as store from "./store.ts";
import { templateDeviations, templates } from "./templates/template.ts";
import { blackoutsAt } from "./windows/blackout-store.ts";
import { contains, windowOf } from "./windows/window.ts";

/** The ways of a change from state to state, but for those that its approvers decide on. */

type Ctx = WriteContext<EventType>;

/** What else becomes of a change when it moves. */
type Effects = Partial<ChangeRecord>;

/** Moves a change, if its state allows that, and writes it. */
async function transitionChange(
  ctx: Pick<Ctx, "tx" | "now" | "expectRevision">,
  ref: string,
  action: ChangeAction,
  effects: (before: ChangeRecord) => Effects | Promise<Effects> = () => ({}),
): Promise<ChangeRecord> {
  const before = await store.lock(ctx.tx, ref);
  ctx.expectRevision(before.revision);
  const state = nextState(changeMachine, before.state, action);
  const after = { ...before, state, ...(await effects(before)) };
  return store.save(ctx.tx, before, after, ctx.now);
}

/** A new round of votes begins; a standard change needs none. */
function submit(ctx: Pick<Ctx, "tx" | "now" | "expectRevision">, ref: string) {
  return transitionChange(ctx, ref, "submit", async (before) => {
    const { tx, now } = ctx;
    const at = now.toISOString();
    const submitted = {
      risk: await assessRisk(tx, before, now),
      round: before.round + 1,
      approvalsGiven: 0,
      submittedAt: at,
      rejectionReason: null,
    };
    if (before.type !== "standard") return submitted;
    await assertTemplate(ctx, before);
    const state = nextState(changeMachine, "submitted", "approve");
    return { ...submitted, state, approvedAt: at };
  });
}

/** What was approved once and for all is what the template says now. */
async function assertTemplate({ tx }: Pick<Ctx, "tx">, change: ChangeRecord): Promise<void> {
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

/** Work begins. When it was planned for is a matter of record; a blackout window is not. */
function implement(
  ctx: Pick<Ctx, "tx" | "now" | "expectRevision">,
  ref: string,
  implementationNotes: string | null,
) {
  return transitionChange(ctx, ref, "implement", async ({ type, ciIds }) => {
    const { tx, now } = ctx;
    const windows = type === "emergency" ? [] : await blackoutsAt(tx, now, ciIds);
    const [first] = windows;
    if (first) {
      throw new Failure(Blackout, {
        detail: `"${first.name}" forbids changes of these items until ${first.end}.`,
        extra: { blackoutWindows: windows.map(({ id, name, end }) => ({ id, name, end })) },
      });
    }
    return { implementedAt: now.toISOString(), implementationNotes };
  });
}

/** Whether a change began at a time that was not planned. */
function isOutsideChangeWindow(change: ChangeRecord, now: Date): boolean {
  const window = windowOf(change);
  return window !== undefined && !contains(window, now.toISOString());
}

const PATH = "/api/v1/itsm/changes/{id}";
const common = {
  permission: ChangesWrite,
  params: ChangeRef,
  response: item(Change),
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
      const submitted = {
        ...changeEventData(change),
        state: "submitted" as const,
        approvedAt: null,
      };
      ctx.emit(ChangeSubmitted, changeRef(change), submitted);
      ctx.emit(ChangeApproved, changeRef(change), changeEventData(change));
    } else {
      ctx.emit(ChangeSubmitted, changeRef(change), changeEventData(change));
    }
    return toChange(change);
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
    const change = await transitionChange(ctx, params.id, "revise");
    ctx.emit(ChangeRevised, changeRef(change), changeEventData(change));
    return toChange(change);
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
    const outsideWindow = isOutsideChangeWindow(change, ctx.now);
    ctx.emit(ImplementationStarted, changeRef(change), {
      ...changeEventData(change),
      outsideWindow,
    });
    return toChange(change);
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
    const change = await transitionChange(ctx, params.id, "complete", () => ({
      completedAt: ctx.now.toISOString(),
      completionNotes: body?.notes ?? null,
      outcome: "successful",
    }));
    ctx.emit(ChangeCompleted, changeRef(change), changeEventData(change));
    return toChange(change);
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
    const change = await transitionChange(ctx, params.id, "rollback", () => ({
      rolledBackAt: ctx.now.toISOString(),
      rollbackNotes: body?.notes ?? null,
      outcome: "rolled_back",
    }));
    ctx.emit(ChangeRolledBack, changeRef(change), changeEventData(change));
    return toChange(change);
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
    const change = await transitionChange(ctx, params.id, "cancel", () => ({
      cancellationReason: body?.reason ?? null,
      outcome: "cancelled",
    }));
    ctx.emit(ChangeCancelled, changeRef(change), changeEventData(change));
    return toChange(change);
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
