/** The ways of a change from state to state, but for those that its approvers decide on. */
import type { EventType } from "#kernel/log/event.ts";
import { Failure } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/operation/operation.ts";
import { moved } from "../tickets/index.ts";
import { Blackout, type ChangeRecord, TemplateUnusable } from "./change.ts";
import { type ChangeAction, changeMachine } from "./lifecycle.ts";
import { assessed } from "./risk/assess-risk.ts";
import * as store from "./store.ts";
import * as templates from "./templates/store.ts";
import { departures } from "./templates/template.ts";
import { blackoutsAt } from "./windows/blackout-store.ts";
import { contains, windowOf } from "./windows/window.ts";

type Ctx = WriteContext<EventType>;

/** What else becomes of a change when it moves. */
type Effects = Partial<ChangeRecord>;

/** Moves a change, if its state allows that, and writes it. */
export async function move(
  ctx: Pick<Ctx, "tx" | "now" | "expectRevision">,
  ref: string,
  action: ChangeAction,
  effects: (before: ChangeRecord) => Effects | Promise<Effects> = () => ({}),
): Promise<ChangeRecord> {
  const before = await store.lock(ctx.tx, ref);
  ctx.expectRevision(before.revision);
  const state = moved(changeMachine, before.state, action);
  const after = { ...before, state, ...(await effects(before)) };
  return store.save(ctx.tx, before, after, ctx.now);
}

/** A new round of votes begins; a standard change needs none. */
export function submit(ctx: Pick<Ctx, "tx" | "now" | "expectRevision">, ref: string) {
  return move(ctx, ref, "submit", async (before) => {
    const { tx, now } = ctx;
    const at = now.toISOString();
    const submitted = {
      risk: await assessed(tx, before, now),
      round: before.round + 1,
      approvalsGiven: 0,
      submittedAt: at,
      rejectionReason: null,
    };
    if (before.type !== "standard") return submitted;
    await assertTemplate(ctx, before);
    const state = moved(changeMachine, "submitted", "approve");
    return { ...submitted, state, approvedAt: at };
  });
}

/** What was approved once and for all is what the template says now. */
async function assertTemplate({ tx }: Pick<Ctx, "tx">, change: ChangeRecord): Promise<void> {
  const { templateId } = change;
  const template = templateId === null ? undefined : await templates.find(tx, templateId);
  if (!template?.active) {
    throw new Failure(TemplateUnusable, { detail: "The template is no longer active." });
  }
  const fields = departures(change, template);
  if (fields.length === 0) return;
  const detail = `The template now has another ${fields.join(", ")}.`;
  throw new Failure(TemplateUnusable, { detail, extra: { fields } });
}

/** Work begins. When it was planned for is a matter of record; a blackout window is not. */
export function implement(
  ctx: Pick<Ctx, "tx" | "now" | "expectRevision">,
  ref: string,
  implementationNotes: string | null,
) {
  return move(ctx, ref, "implement", async ({ type, ciIds }) => {
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
export function isOutsideWindow(change: ChangeRecord, now: Date): boolean {
  const window = windowOf(change);
  return window !== undefined && !contains(window, now.toISOString());
}
