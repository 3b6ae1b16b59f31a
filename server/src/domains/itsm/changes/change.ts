import Type, { type Static } from "typebox";
import { failure } from "#kernel/operation/failure.ts";
import { id, InputTime, line, nullable, text, Time } from "#kernel/schema/schema.ts";
import { Level, nextState, OptionalLabels, type TransitionContext } from "../tickets/index.ts";
import { Approval, ApprovalInput, APPROVERS_MAX, requiredApprovals } from "./approval/approval.ts";
import { type ChangeAction, changeMachine, type ChangeState } from "./lifecycle.ts";
import { Risk } from "./risk/risk.ts";

const TEXT_CHARACTERS_MAX = 20_000;
const ITEMS_MAX = 200;

export const Reason = line(2_000);
export const Notes = text(TEXT_CHARACTERS_MAX);
export const ItemIds = Type.Array(id("ci"), { maxItems: ITEMS_MAX });
const Plan = text(TEXT_CHARACTERS_MAX);

export const plan = {
  impact: Level,
  justification: Plan,
  implementationPlan: Plan,
  rollbackPlan: Plan,
  testPlan: Plan,
};

/** The fields that people set and change. */
export const content = {
  title: line(300),
  description: text(TEXT_CHARACTERS_MAX),
  type: Type.Enum(["standard", "normal", "emergency"], {
    description: "A standard change uses a template and is approved on submission",
  }),
  ...plan,
  plannedStart: nullable(InputTime),
  plannedEnd: nullable(InputTime),
  approval: ApprovalInput,
  approvalsRequired: Type.Integer({
    minimum: 1,
    maximum: APPROVERS_MAX,
    description: 'Short form of `approval: { rule: "count", value }`',
  }),
  assigneeId: nullable(id("usr")),
  teamId: nullable(id("tem")),
  ciIds: ItemIds,
};

export const TemplateId = id("ctp");
const OptionalTime = nullable(Time);
const OptionalText = nullable(Type.String());
const UserId = Type.String();

export const Change = Type.Object(
  {
    id: id("chg"),
    number: Type.String(),
    title: content.title,
    description: content.description,
    state: Type.Enum([...changeMachine.states]),
    type: content.type,
    templateId: nullable(TemplateId),
    ...plan,
    risk: Risk,
    plannedStart: OptionalTime,
    plannedEnd: OptionalTime,
    approval: Approval,
    approvalsRequired: Type.Integer({
      description: "Number of required approvals according to the rule",
    }),
    approvalsGiven: Type.Integer({ description: "Votes since the last submission" }),
    assigneeId: content.assigneeId,
    teamId: content.teamId,
    ciIds: ItemIds,
    ...OptionalLabels,
    requestedBy: UserId,
    submittedAt: OptionalTime,
    approvedAt: OptionalTime,
    implementedAt: nullable(
      Type.String({ format: "date-time", description: "When the implementation started" }),
    ),
    completedAt: OptionalTime,
    rolledBackAt: OptionalTime,
    rejectionReason: OptionalText,
    cancellationReason: OptionalText,
    implementationNotes: OptionalText,
    completionNotes: OptionalText,
    rollbackNotes: OptionalText,
    outcome: nullable(Type.Enum(["successful", "rolled_back", "cancelled"])),
    createdBy: UserId,
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "Change" },
);
export type ChangeData = Static<typeof Change>;

/** Derived fields without a column. */
type DerivedField = "approvalsRequired" | "requestedBy";

/** A stored change. */
export interface ChangeRecord extends Omit<ChangeData, DerivedField> {
  readonly state: ChangeState;
  /** The number of submissions. */
  readonly round: number;
  readonly revision: number;
}

export function changeEventData({ round: _, revision: __, ...change }: ChangeRecord): ChangeData {
  const { type, approval, createdBy } = change;
  return {
    ...change,
    approvalsRequired: requiredApprovals(type, approval),
    requestedBy: createdBy,
  };
}

/** The change in responses. */
export function toChange(change: ChangeRecord): ChangeData & { readonly revision: number } {
  return { ...changeEventData(change), revision: change.revision };
}

/** The change after an action. Throws 409 if its state does not allow the action. */
export function applyChangeTransition(
  change: ChangeRecord,
  action: ChangeAction,
  { at }: Pick<TransitionContext, "at">,
  fields: Partial<ChangeRecord> = {},
): ChangeRecord {
  const state = nextState(changeMachine, change.state, action);
  return { ...change, state, ...CHANGES[action]?.(change, at), ...fields };
}

const CHANGES: {
  readonly [A in ChangeAction]?: (change: ChangeRecord, at: string) => Partial<ChangeRecord>;
} = {
  // Starts a new round of votes.
  submit: ({ round }, at) => ({
    round: round + 1,
    approvalsGiven: 0,
    submittedAt: at,
    rejectionReason: null,
  }),
  // Moving a change outside of the approved hours also starts a new round.
  reschedule: ({ round }, at) => ({
    round: round + 1,
    approvalsGiven: 0,
    submittedAt: at,
    approvedAt: null,
  }),
  approve: (_, at) => ({ approvedAt: at }),
  implement: (_, at) => ({ implementedAt: at }),
  complete: (_, at) => ({ completedAt: at, outcome: "successful" }),
  rollback: (_, at) => ({ rolledBackAt: at, outcome: "rolled_back" }),
  cancel: () => ({ outcome: "cancelled" }),
};

export const OwnApproval = failure(
  "change_own_approval",
  403,
  "The requester of a change can't vote on it.",
);
export const NotApprover = failure(
  "change_not_approver",
  403,
  "Only the approvers of this change can vote.",
);
export const AlreadyVoted = failure("change_already_voted", 409, "You can vote only once.");
export const Blackout = failure(
  "change_blackout",
  409,
  "A change freeze is active for these items.",
);
export const StartReasonRequired = failure(
  "change_reason_required",
  422,
  "A reason is required to start a change outside its planned window or with an open conflict.",
);
export const TemplateUnusable = failure(
  "change_template_unusable",
  409,
  "The template is not active, or the change no longer matches it.",
);
