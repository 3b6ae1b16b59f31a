import Type from "typebox";
import { changeEvent, event } from "#kernel/log/event.ts";
import { id, nullable } from "#kernel/schema/schema.ts";
import { Change } from "./change.ts";

const about = { resource: "change", data: Change };

export const ChangeCreated = event("change.created", {
  ...about,
  summary: "A change was drafted.",
});

export const ChangeUpdated = changeEvent("change.updated", {
  ...about,
  summary: "What a change says, or when it is planned, was changed.",
});

export const ChangeSubmitted = event("change.submitted", {
  ...about,
  summary: "A change waits for its approvers.",
});

export const ChangeApproved = event("change.approved", {
  ...about,
  summary: "Enough approved of a change; a standard one is approved by its template.",
});

export const ApprovalGiven = event("change.approval_given", {
  resource: "change",
  summary: "Somebody approved of a change; that need not be enough.",
  data: Type.Object({
    ...Change.properties,
    vote: Type.Object({
      userId: Type.String(),
      approverIds: Type.Array(Type.String(), { description: "For whom: themselves, or others" }),
      comment: Type.String(),
    }),
  }),
});

export const ApproversRemoved = event("change.approvers_removed", {
  resource: "change",
  summary: "Named approvers left, or may no longer approve; the change does not wait for them.",
  data: Type.Object({ ...Change.properties, userIds: Type.Array(Type.String()) }),
});

export const ChangeRejected = event("change.rejected", {
  ...about,
  summary: "An approver rejected a change.",
});

export const ChangeRevised = event("change.revised", {
  ...about,
  summary: "A rejected change is a draft again.",
});

export const ImplementationStarted = event("change.implementation_started", {
  resource: "change",
  summary: "Work on a change began.",
  data: Type.Object({
    ...Change.properties,
    outsideWindow: Type.Boolean({ description: "Not at the time that was planned" }),
    conflicts: Type.Optional(
      Type.Array(Type.Object({ id: id("chg"), number: Type.String() }), {
        description: "Changes in conflict with it at the start",
      }),
    ),
    blackoutWindows: Type.Optional(
      Type.Array(Type.Object({ id: id("bwn"), name: Type.String() }), {
        description: "Change freezes of its planned window, or of the moment of the start",
      }),
    ),
    reason: Type.Optional(
      nullable(Type.String({ description: "Why it was started all the same" })),
    ),
  }),
});

export const ChangeCompleted = event("change.completed", {
  ...about,
  summary: "A change was carried out.",
});

export const ChangeRolledBack = event("change.rolled_back", {
  ...about,
  summary: "A change was undone.",
});

export const ChangeCancelled = event("change.cancelled", {
  ...about,
  summary: "A change will not happen.",
});

export const ChangeDelegated = event("change.delegated", {
  resource: "change",
  summary: "An approver handed their vote on a change to somebody else.",
  data: Type.Object({
    ...Change.properties,
    fromUserId: Type.String(),
    toUserId: Type.String(),
  }),
});
