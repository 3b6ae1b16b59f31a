import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import { EventVisibilityPoint } from "#kernel/log/event-visibility.ts";
import { visibilityByTicketKind } from "../tickets/index.ts";
import { WaitingWorkPoint } from "#kernel/contributions/waiting-work.ts";
import { brokenScheduleWork, leaverReader, listBrokenSchedules } from "./left-people.ts";
import { onCallOperations } from "./operations.ts";
import { OverrideAdded, OverrideRemoved } from "./override.ts";
import { pageOperations, pageWork } from "./pages/operations.ts";
import { pageReader } from "./pages/page-reader.ts";
import { pageEvents, PageSent } from "./pages/page.ts";
import { escalationPolicies } from "./pages/policy.ts";
import { advancePageJob } from "./pages/send-page.ts";
import { OnCallWrite, PagesWrite } from "./permissions.ts";
import { schedules } from "./schedule.ts";

export { findOnCall } from "./on-call.ts";
export { schedules as onCallSchedules } from "./schedule.ts";

export const onCall = domain({
  name: "on_call",
  summary: "On-call schedules, overrides, escalation policies and pages.",
  permissions: [OnCallWrite, PagesWrite],
  events: [
    ...Object.values(schedules.events),
    OverrideAdded,
    OverrideRemoved,
    ...Object.values(escalationPolicies.events),
    ...pageEvents,
  ],
  operations: [
    ...schedules.operations,
    ...onCallOperations,
    listBrokenSchedules,
    ...escalationPolicies.operations,
    ...pageOperations,
  ],
  readers: [pageReader, leaverReader],
  jobs: [advancePageJob],
  contributions: [
    contribute(EventVisibilityPoint, visibilityByTicketKind(PageSent.resource)),
    contribute(WaitingWorkPoint, pageWork),
    contribute(WaitingWorkPoint, brokenScheduleWork),
  ],
});
