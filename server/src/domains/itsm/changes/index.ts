import { WaitingWorkPoint } from "#kernel/contributions/waiting-work.ts";
import { ticketSearch } from "../tickets/index.ts";
import { SearchSourcePoint } from "#kernel/contributions/search-source.ts";
import { domain } from "#kernel/domain.ts";
import { InversePoint } from "#kernel/undo/inverse.ts";
import { contribute } from "#kernel/extension-point.ts";
import { AccountCredentialPoint } from "#kernel/contributions/account-credential.ts";
import { PackContentPoint } from "#kernel/contributions/pack-content.ts";
import { TicketsOnItemsPoint } from "../cmdb/index.ts";
import {
  approvalRecount,
  collaboration,
  TicketKindPoint,
  assignedTickets,
  openTasks,
  ticketTasks,
} from "../tickets/index.ts";
import { ApprovalSubjectPoint } from "#domains/approvals/index.ts";
import { changeSubject, countAwaitingVotes } from "./approval/change-subject.ts";
import { delegationOperations } from "./approval/delegation-operations.ts";
import { approvalOperations } from "./approval/operations.ts";
import { recountApproval } from "./approval/present-approvers.ts";
import { FeedCreated, FeedRevoked, removeFeed } from "./calendar/feed.ts";
import { calendarOperations } from "./calendar/operations.ts";
import * as events from "./events.ts";
import { changeKind, ChangeRouted, openChangesOn } from "./kind.ts";
import { changeTransitions } from "./transitions.ts";
import { changeOperations } from "./operations.ts";
import { ChangesApprove, ChangesRead, ChangesWrite } from "./permissions.ts";
import { changeStore } from "./store.ts";
import { notificationReader } from "./notifications.ts";
import { templateContent, templates } from "./templates/template.ts";
import { blackouts } from "./windows/blackout.ts";

export { changeKind, openChangesOn } from "./kind.ts";

const shared = collaboration(changeKind);
const tasks = ticketTasks(changeKind);
const { recountJob, departureReader } = approvalRecount({
  kind: changeKind,
  store: changeStore,
  waitingState: "submitted",
  emits: [events.ApproversRemoved, events.ChangeApproved],
  recount: recountApproval,
});

export const changes = domain({
  name: "changes",
  summary: "Changes: planning, approval, implementation and change freezes.",
  permissions: [ChangesRead, ChangesWrite, ChangesApprove],
  events: [
    ...Object.values(events),
    ...Object.values(templates.events),
    ...Object.values(blackouts.events),
    FeedCreated,
    FeedRevoked,
    ChangeRouted,
    ...shared.events,
    ...tasks.events,
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
    ...tasks.operations,
  ],
  readers: [notificationReader, departureReader],
  jobs: [recountJob],
  contributions: [
    contribute(InversePoint, {
      resourceType: "change",
      updated: ["change.updated"],
      get: "changes.get",
      update: "changes.update",
    }),
    contribute(SearchSourcePoint, ticketSearch(changeKind)),
    contribute(TicketKindPoint, changeKind),
    contribute(ApprovalSubjectPoint, changeSubject),
    contribute(
      WaitingWorkPoint,
      assignedTickets(
        changeKind,
        changeKind.read,
        "t.state in ('draft', 'submitted', 'approved', 'implementing')",
      ),
      openTasks(changeKind),
      {
        kind: "changeApprovals",
        permission: ChangesApprove,
        count: countAwaitingVotes,
      },
    ),
    contribute(TicketsOnItemsPoint, openChangesOn),
    contribute(PackContentPoint, templateContent),
    contribute(AccountCredentialPoint, {
      kind: "calendar_feeds",
      scope: "environment",
      revoke: async ({ tx }, userId) => Number(await removeFeed(tx, userId)),
    }),
  ],
});
