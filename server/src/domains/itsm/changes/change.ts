import Type, { type Static } from "typebox";
import type { Caller } from "#kernel/access/caller.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, InputTime, line, nullable, text, Time } from "#kernel/schema/schema.ts";
import { Level, ticketRef } from "../tickets/index.ts";
import { Approval, ApprovalInput, APPROVERS_MAX, requiredApprovals } from "./approval/approval.ts";
import { changeMachine, type ChangeState } from "./lifecycle.ts";
import { Risk } from "./risk/risk.ts";

const TEXT_CHARACTERS_MAX = 20_000;
const ITEMS_MAX = 200;

export const Reason = line(2_000);
export const Notes = text(TEXT_CHARACTERS_MAX);
export const ItemIds = Type.Array(id("ci"), { maxItems: ITEMS_MAX });
const Plan = text(TEXT_CHARACTERS_MAX);

/** What a template says of the changes that are made from it. */
export const plan = {
  impact: Level,
  justification: Plan,
  implementationPlan: Plan,
  rollbackPlan: Plan,
  testPlan: Plan,
};

/** What callers say of a change. */
export const content = {
  title: line(300),
  description: text(TEXT_CHARACTERS_MAX),
  type: Type.Enum(["standard", "normal", "emergency"], {
    description: "A standard one is made from a template, and approved as soon as it is submitted",
  }),
  ...plan,
  plannedStart: nullable(InputTime),
  plannedEnd: nullable(InputTime),
  approval: ApprovalInput,
  approvalsRequired: Type.Integer({
    minimum: 1,
    maximum: APPROVERS_MAX,
    description: 'Short for `approval: { rule: "count", value }`',
  }),
  assigneeId: nullable(id("usr")),
  teamId: nullable(id("tem")),
  ciIds: ItemIds,
};

export const TemplateId = id("ctp");
const When = nullable(Time);
const Said = nullable(Type.String());
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
    plannedStart: When,
    plannedEnd: When,
    approval: Approval,
    approvalsRequired: Type.Integer({ description: "How many approvals the rule comes to" }),
    approvalsGiven: Type.Integer({ description: "Since it was last submitted" }),
    assigneeId: content.assigneeId,
    teamId: content.teamId,
    ciIds: ItemIds,
    requestedBy: UserId,
    submittedAt: When,
    approvedAt: When,
    implementedAt: nullable(Type.String({ format: "date-time", description: "When that began" })),
    completedAt: When,
    rolledBackAt: When,
    rejectionReason: Said,
    cancellationReason: Said,
    implementationNotes: Said,
    completionNotes: Said,
    rollbackNotes: Said,
    outcome: nullable(Type.Enum(["successful", "rolled_back", "cancelled"])),
    createdBy: UserId,
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "Change" },
);
type Shown = Static<typeof Change>;

/** What follows from the rest is not kept. */
type Derived = "approvalsRequired" | "requestedBy";

/** A change as we work with it. */
export interface ChangeRecord extends Omit<Shown, Derived> {
  readonly state: ChangeState;
  readonly no: number;
  /** How often it was submitted. */
  readonly round: number;
  readonly revision: number;
}

/** As events tell it. */
export function changeEventData({
  no: _,
  round: __,
  revision: ___,
  ...change
}: ChangeRecord): Shown {
  const { type, approval, createdBy } = change;
  return {
    ...change,
    approvalsRequired: requiredApprovals(type, approval),
    requestedBy: createdBy,
  };
}

/** As the API answers with it. */
export function toChange(change: ChangeRecord): Shown & { readonly revision: number } {
  return { ...changeEventData(change), revision: change.revision };
}

/** How events name it. */
export function changeRef({ id: own, number, title }: Pick<Shown, "id" | "number" | "title">) {
  return { id: own, number, displayName: title };
}

/** The person behind a caller: whoever asks by a token, or by a workflow, is still themselves. */
export function authorIdOf({ principal, actor }: Caller): string {
  return principal?.id ?? actor.id;
}

export const ChangeRef = Type.Object(
  { id: ticketRef("change", "chg") },
  { additionalProperties: false },
);

export const example = { params: { id: "CHG0000042" } };

export const OwnApproval = failure(
  "change_own_approval",
  403,
  "Who requested a change can't decide on it.",
);
export const NotApprover = failure(
  "change_not_approver",
  403,
  "Only the approvers that this change names decide on it.",
);
export const AlreadyVoted = failure("change_already_voted", 409, "Everyone has one vote.");
export const Blackout = failure(
  "change_blackout",
  409,
  "A blackout window forbids changes of these items now.",
);
export const TemplateUnusable = failure(
  "change_template_unusable",
  409,
  "The template is no longer active, or no longer says what the change does.",
);
