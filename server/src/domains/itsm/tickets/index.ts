import { executorsByType } from "#domains/runs/index.ts";
import { NodeTypePoint } from "#domains/workflows/index.ts";
import { domain } from "#kernel/domain.ts";
import { EventVisibilityPoint } from "#kernel/log/event-visibility.ts";
import { contribute } from "#kernel/extension-point.ts";
import { ReportSourcePoint } from "#kernel/contributions/report-source.ts";
import { ticketViews } from "./event-visibility.ts";
import { listStateMachines } from "./state-machines-operation.ts";
import { ticketExecutor } from "./ticket-step.ts";
import { DeskRead, DeskWrite } from "./permissions.ts";
import { ticketsSource } from "./report-source.ts";
import { DeskSettingsUpdated, getDeskSettings, updateDeskSettings } from "./settings-operations.ts";
import { TeamCreated, TeamDeleted, TeamUpdated } from "./teams/team.ts";
import * as teams from "./teams/operations.ts";
import { watcherNotificationReader } from "./notify-watchers.ts";

export { itemIdsSql, setItems } from "./configuration-items.ts";
export {
  refColumn,
  TICKET_KINDS,
  type TicketIdentity,
  type TicketKind,
  type TicketKindName,
  TicketKindPoint,
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
  invalidTransition,
} from "./state-machine.ts";
export { lockRows } from "./lock-rows.ts";
export { numberOf, nextTicketNumber, type TicketNumber } from "./ticket-numbers.ts";
export { assertReferencesExist, membersOf, teamsOf } from "./check-references.ts";
export {
  type TicketSettings,
  readTicketSettings,
  Level,
  Priority,
  priorityOf,
  DEFAULT_SETTINGS as USUAL_SETTINGS,
} from "./settings.ts";
export { collaboration } from "./collaboration/attachments.ts";
export { linkedTo } from "./collaboration/links.ts";
export {
  authorOf,
  ticketIdentity,
  ticketKinds,
  ticketRefOf,
  summariesOf,
  ticketParams,
} from "./ticket.ts";

export const desk = domain({
  name: "desk",
  summary: "What all tickets have in common: teams, priorities, states.",
  environmentScoped: false,
  permissions: [DeskRead, DeskWrite],
  events: [TeamCreated, TeamUpdated, TeamDeleted, DeskSettingsUpdated],
  operations: [
    teams.listTeams,
    teams.createTeam,
    teams.getTeam,
    teams.updateTeam,
    teams.deleteTeam,
    getDeskSettings,
    updateDeskSettings,
    listStateMachines,
  ],
  readers: [watcherNotificationReader],
  contributions: [
    contribute(executorsByType, ticketExecutor),
    contribute(NodeTypePoint, ticketExecutor.type),
    contribute(ReportSourcePoint, ticketsSource),
    ...ticketViews.map((view) => contribute(EventVisibilityPoint, view)),
  ],
});
