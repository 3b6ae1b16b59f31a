import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import { AccountCredentialPoint } from "#kernel/contributions/account-credential.ts";
import { PackContentPoint } from "#kernel/contributions/pack-content.ts";
import { TicketsOnItemsPoint } from "../cmdb/index.ts";
import { approvalRecount, collaboration, TicketKindPoint } from "../tickets/index.ts";
import { DelegationEnded, DelegationSet } from "./approval/delegation.ts";
import { delegationOperations } from "./approval/delegation-operations.ts";
import { approvalOperations } from "./approval/operations.ts";
import { recountApproval } from "./approval/present-approvers.ts";
import { FeedCreated, FeedRevoked, removeFeed } from "./calendar/feed.ts";
import { calendarOperations } from "./calendar/operations.ts";
import * as events from "./events.ts";
import { changeKind, openChangesOn } from "./kind.ts";
import { changeTransitions } from "./transitions.ts";
import { changeOperations } from "./operations.ts";
import { ChangesApprove, ChangesRead, ChangesWrite } from "./permissions.ts";
import { changeStore } from "./store.ts";
import { notificationReader } from "./notifications.ts";
import { templateContent, templates } from "./templates/template.ts";
import { blackouts } from "./windows/blackout.ts";

export { changeKind, openChangesOn } from "./kind.ts";

const shared = collaboration(changeKind);
const { recountJob, departureReader } = approvalRecount({
  kind: changeKind,
  store: changeStore,
  waitingState: "submitted",
  emits: [events.ApproversRemoved, events.ChangeApproved],
  recount: recountApproval,
});

export const changes = domain({
  name: "changes",
  summary: "Changes: planned, approved, carried out, and when none may happen.",
  permissions: [ChangesRead, ChangesWrite, ChangesApprove],
  events: [
    ...Object.values(events),
    DelegationSet,
    DelegationEnded,
    ...Object.values(templates.events),
    ...Object.values(blackouts.events),
    FeedCreated,
    FeedRevoked,
    ...shared.events,
  ],
  operations: [
    ...changeOperations,
    ...changeTransitions,
    ...approvalOperations,
    ...delegationOperations,
    ...calendarOperations,
    ...templates.operations,
    ...blackouts.operations,
    ...shared.operations,
  ],
  readers: [notificationReader, departureReader],
  jobs: [recountJob],
  contributions: [
    contribute(TicketKindPoint, changeKind),
    contribute(TicketsOnItemsPoint, openChangesOn),
    contribute(PackContentPoint, templateContent),
    contribute(AccountCredentialPoint, {
      kind: "calendar_feeds",
      scope: "environment",
      revoke: async ({ tx }, userId) => Number(await removeFeed(tx, userId)),
    }),
  ],
});
