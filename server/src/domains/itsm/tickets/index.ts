import { executors } from "#domains/runs/index.ts";
import { NodeTypePoint } from "#domains/workflows/index.ts";
import { domain } from "#kernel/domain.ts";
import { EventViewPoint } from "#kernel/log/event-visibility.ts";
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
import { tellWatchers } from "./notify-watchers.ts";

export { itemIdsSql, setItems } from "./configuration-items.ts";
export {
  refColumn,
  TICKET_KINDS,
  type TicketHead,
  type TicketKind,
  type TicketKindName,
  TicketKindPoint,
  ticketRef,
  TicketSummary,
} from "./kind.ts";
export {
  actionBetween,
  actionsIn,
  type Machine,
  machine,
  moved,
  type Move,
  wrongState,
} from "./state-machine.ts";
export { lockRows } from "./lock-rows.ts";
export { numberOf, takeNumber, type TicketNumber } from "./ticket-numbers.ts";
export { assertThere, membersOf, teamsOf } from "./check-references.ts";
export {
  type DeskSettings,
  deskSettings,
  Level,
  Priority,
  priorityOf,
  USUAL as USUAL_SETTINGS,
} from "./settings.ts";
export { conversation } from "./collaboration/attachments.ts";
export { linkedTo } from "./collaboration/links.ts";
export { authorOf, headOf, kindsOf, referTo, summariesOf, ticketParams } from "./ticket.ts";

export const desk = domain({
  name: "desk",
  summary: "What all tickets have in common: teams, priorities, states.",
  environmental: false,
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
  readers: [tellWatchers],
  contributions: [
    contribute(executors, ticketExecutor),
    contribute(NodeTypePoint, ticketExecutor.type),
    contribute(ReportSourcePoint, ticketsSource),
    ...ticketViews.map((view) => contribute(EventViewPoint, view)),
  ],
});
