import { SearchSourcePoint, searchTable } from "#kernel/contributions/search-source.ts";
import { ExecutorPoint } from "#domains/runs/index.ts";
import { NodeTypePoint } from "#domains/workflows/index.ts";
import { domain } from "#kernel/domain.ts";
import { EventVisibilityPoint } from "#kernel/log/event-visibility.ts";
import { SubjectRootPoint } from "#kernel/condition/subject-root.ts";
import { contribute } from "#kernel/extension-point.ts";
import { ResourceNamerPoint } from "#kernel/contributions/causal-tracer.ts";
import { ReportSourcePoint } from "#kernel/contributions/report-source.ts";
import { SqlViewPoint } from "#kernel/contributions/sql-view.ts";
import { FileOwnerPoint } from "#kernel/contributions/file-owner.ts";
import { ticketFileOwners } from "./collaboration/ticket-file.ts";
import { ticketEventVisibility } from "./event-visibility.ts";
import { ticketExecutor } from "./ticket-step.ts";
import { ticketsSource, ticketsSqlView } from "./report-source.ts";
import {
  DeskSettingsUpdated,
  getDeskSettings,
  listStateMachines,
  updateDeskSettings,
} from "./operations.ts";
import { TICKET_KINDS } from "./kind.ts";
import { DeskRead, DeskWrite } from "./settings.ts";
import { getKind, KindUpdated, updateKind } from "./fields/operations.ts";
import { findTicketId } from "./ticket.ts";
import { teams } from "./teams/team.ts";
import { listTasks } from "./tasks/task-list.ts";
import { ticketNotificationReader } from "./notifications/notification-reader.ts";

export { assertTasksEnded, hasOpenTasks, taskEvents, TasksOpen } from "./tasks/task.ts";
export { assertPlan, instantiatePlan, TaskPlan } from "./tasks/task-plan.ts";
export { ticketTasks } from "./tasks/operations.ts";
export { openTasks } from "./tasks/task-list.ts";
export { readableKinds } from "./report-source.ts";
export { findByWords, readTicketNumber, ticketSearch } from "./ticket-search.ts";
export {
  type OwnTickets,
  refColumn,
  TICKET_KINDS,
  type TicketIdentity,
  type TicketKind,
  type TicketKindName,
  TicketKindPoint,
  ticketParams,
  ticketRef,
  TicketSummary,
} from "./kind.ts";
export {
  transitionBetween,
  actionsIn,
  type StateMachine,
  stateMachine,
  nextState,
  type Transition,
  type TransitionContext,
  invalidTransition,
} from "./state-machine.ts";
export { assertMayTalk, isParty, seesOwnOnly, ticketForParty } from "./askers/party.ts";
export {
  applyRating,
  assertMayRate,
  isRater,
  NotYoursToRate,
  RatingFixed,
  RatingInput,
  ratingFields,
  ratingListFields,
  UNRATED,
} from "./askers/satisfaction.ts";
export { checkLabels, type Labels } from "./fields/check-labels.ts";
export { labelFields, OptionalLabels, readFieldDefinitions, Tag } from "./fields/field.ts";
export { talkFields, talkSql } from "./askers/talk.ts";
export { visibilityByTicketKind } from "./event-visibility.ts";
export { ticketCommands } from "./commands/ticket-commands.ts";
export { itemIdsSql, ticketStore } from "./ticket-store.ts";
export { formatTicketNumber, nextTicketNumber, type TicketNumber } from "./ticket-numbers.ts";
export { assertReferencesExist, findTeamMemberIds, findTeamIds } from "./check-references.ts";
export {
  type TicketSettings,
  readTicketSettings,
  Level,
  Priority,
  computePriority,
  DEFAULT_SETTINGS,
  DeskRead,
  DeskWrite,
} from "./settings.ts";
export {
  type TicketMailer,
  TicketMailerPoint,
  type TicketMailPart,
  type TicketMailPartBuilder,
  TicketMailPartPoint,
} from "./notifications/mail-points.ts";
export { toDuplicateEvents } from "./notifications/duplicate-events.ts";
export { notifyOfTicket, ticketMail } from "./notifications/ticket-notification.ts";
export { takeCommand } from "./commands/take.ts";
export { approvalRecount } from "./commands/approval-recount.ts";
export { collaboration } from "./collaboration/attachments.ts";
export {
  addTicketAttachment,
  attachmentAdded,
  TooManyAttachments,
} from "./collaboration/ticket-file.ts";
export { LINK_TYPES, LinkExists, listVisibleLinks } from "./collaboration/links.ts";
export { assignedTickets, countTickets } from "./waiting-tickets.ts";
export { writeComment, COMMENT_CHARACTERS_MAX } from "./collaboration/comments.ts";
export { findDuplicateIds, findSurvivorId } from "./references/merged-tickets.ts";
export { anyTicketRef, toTicketId, toTicketIds } from "./references/ticket-reference.ts";
export {
  findTicketById,
  findTicketByNumber,
  findVisibleTickets,
  type FoundTicket,
  getTicketIdentity,
  pastTickets,
  readPastSummaries,
  readPastTicket,
  ticketKinds,
  ticketRefOf,
  watchedSql,
} from "./ticket.ts";

export const tickets = domain({
  name: "desk",
  summary: "Teams, priorities, states and other common features of all tickets.",
  environmentScoped: false,
  permissions: [DeskRead, DeskWrite],
  events: [...Object.values(teams.events), DeskSettingsUpdated, KindUpdated],
  operations: [
    ...teams.operations,
    getDeskSettings,
    updateDeskSettings,
    listStateMachines,
    getKind,
    updateKind,
    listTasks,
  ],
  readers: [ticketNotificationReader],
  contributions: [
    contribute(SearchSourcePoint, {
      kind: "team",
      permission: DeskRead,
      search: searchTable({ table: "teams", title: "name", detail: "description" }),
    }),
    contribute(ExecutorPoint, ticketExecutor),
    contribute(NodeTypePoint, ticketExecutor.type),
    contribute(ReportSourcePoint, ticketsSource),
    contribute(SqlViewPoint, ticketsSqlView),
    contribute(ResourceNamerPoint, findTicketId),
    contribute(FileOwnerPoint, ...ticketFileOwners),
    contribute(SubjectRootPoint, { name: "ticket", resourceTypes: TICKET_KINDS }),
    ...ticketEventVisibility.map((view) => contribute(EventVisibilityPoint, view)),
  ],
});
