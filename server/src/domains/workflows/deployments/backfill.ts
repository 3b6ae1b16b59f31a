import Type, { type Static } from "typebox";
import type { Condition } from "#kernel/condition/condition.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { extensionPoint } from "#kernel/extension-point.ts";
import { event } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, Time } from "#kernel/schema/schema.ts";
import { FIRST_TRIGGER_ID } from "../definition/index.ts";
import { WorkflowId } from "../workflow.ts";

export const BackfillId = id("bfl");

const states = ["running", "completed", "cancelled", "failed"] as const;

export const Backfill = Type.Object(
  {
    id: BackfillId,
    workflowId: WorkflowId,
    triggerId: Type.String({ description: `\`${FIRST_TRIGGER_ID}\` for the first trigger` }),
    triggerType: Type.Enum(["event_bus", "schedule", "webhook", "form"]),
    state: Type.Enum([...states]),
    from: Time,
    to: Time,
    filter: Type.Unsafe<Condition | null>({ type: ["object", "null"] }),
    maxConcurrency: Type.Integer(),
    scanned: Type.Integer({ description: "Number of examined events, times or requests" }),
    started: Type.Integer({ description: "Number of started runs" }),
    reason: Type.Unsafe<string | null>({
      type: ["string", "null"],
      description: "Reason of the failure",
    }),
    createdBy: Type.String(),
    createdAt: Time,
    finishedAt: Type.Unsafe<string | null>({ type: ["string", "null"] }),
  },
  { title: "Backfill" },
);
export type Backfill = Static<typeof Backfill>;

export const BackfillStarted = event("workflow.backfill_started", {
  resource: "backfill",
  summary: "A backfill started.",
  data: Backfill,
});

export const TooManyBackfills = failure(
  "too_many_backfills",
  409,
  "The environment has reached the limit of 20 active backfills. Wait for one, or cancel it.",
);
export const NothingToBackfill = failure(
  "nothing_to_backfill",
  409,
  "The workflow has no trigger with events, a schedule or stored requests.",
);
export const AlreadyActive = failure(
  "already_active",
  409,
  "The trigger is already on. A backfill runs the workflow for past events.",
);

/** Runs a workflow for inputs before its activation, in the same transaction. */
export interface Backfiller {
  readonly start: (
    ctx: WriteContext<typeof BackfillStarted>,
    request: { readonly workflowId: string; readonly from: string },
  ) => Promise<void>;
}

export const BackfillerPoint = extensionPoint<Backfiller>("workflows.backfiller");
