import Type from "typebox";
import { changeEvent, event } from "#kernel/log/event.ts";
import { id, nullable } from "#kernel/schema/schema.ts";
import { Change } from "./change.ts";

const about = { resource: "change", data: Change };

export const ChangeCreated = event("change.created", {
  ...about,
  summary: "A draft change was created.",
});

export const ChangeUpdated = changeEvent("change.updated", {
  ...about,
  summary: "A change was updated.",
});

export const ChangeSubmitted = event("change.submitted", {
  ...about,
  summary: "A change was submitted for approval.",
});

export const ChangeApproved = event("change.approved", {
  ...about,
  summary: "A change was approved. Standard changes are approved by their template.",
});

export const ApprovalGiven = event("change.approval_given", {
  resource: "change",
  summary: "An approver approved a change. More approvals may be required.",
  data: Type.Object({
    ...Change.properties,
    vote: Type.Object({
      userId: Type.String(),
      approverIds: Type.Array(Type.String(), {
        description: "Whether members left the approval themselves, or were removed",
      }),
      comment: Type.String(),
    }),
  }),
});

export const ApproversRemoved = event("change.approvers_removed", {
  resource: "change",
  summary:
    "Approvers were removed from a change because they left or lost the permission to approve.",
  data: Type.Object({ ...Change.properties, userIds: Type.Array(Type.String()) }),
});

export const ChangeRejected = event("change.rejected", {
  ...about,
  summary: "An approver rejected a change.",
});

export const ChangeRevised = event("change.revised", {
  ...about,
  summary: "A rejected change was returned to draft.",
});

export const ImplementationStarted = event("change.implementation_started", {
  resource: "change",
  summary: "The implementation of a change started.",
  data: Type.Object({
    ...Change.properties,
    outsideWindow: Type.Boolean({ description: "True if it started outside the planned window" }),
    conflicts: Type.Optional(
      Type.Array(Type.Object({ id: id("chg"), number: Type.String() }), {
        description: "Conflicting changes at the start",
      }),
    ),
    blackoutWindows: Type.Optional(
      Type.Array(Type.Object({ id: id("bwn"), name: Type.String() }), {
        description: "Change freezes during the planned window or at the start",
      }),
    ),
    reason: Type.Optional(
      nullable(Type.String({ description: "Reason for starting despite the conflict" })),
    ),
  }),
});

export const ChangeCompleted = event("change.completed", {
  ...about,
  summary: "A change was completed.",
});

export const ChangeRolledBack = event("change.rolled_back", {
  ...about,
  summary: "A change was rolled back.",
});

export const ChangeCancelled = event("change.cancelled", {
  ...about,
  summary: "A change was cancelled.",
});

export const ChangeDelegated = event("change.delegated", {
  resource: "change",
  summary: "An approver delegated their vote on a change.",
  data: Type.Object({
    ...Change.properties,
    fromUserId: Type.String(),
    toUserId: Type.String(),
  }),
});
