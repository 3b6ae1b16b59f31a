import { domain } from "#kernel/domain.ts";
import { draftReview } from "./room/review.ts";
import { assignRole, RoleAssigned } from "./room/roles.ts";
import { getRoom } from "./room/room.ts";
import { components } from "./status/component.ts";
import { noticeReader } from "./status/notice-reader.ts";
import { getStatusPage, StatusPageUpdated, updateStatusPage } from "./status/page-settings.ts";
import { StatusRead, StatusWrite } from "./status/permissions.ts";
import { publicOperations } from "./status/public-page.ts";

export const majorIncidents = domain({
  name: "major_incidents",
  summary: "Major incident rooms, the public status page, and post-incident reviews.",
  permissions: [StatusRead, StatusWrite],
  events: [RoleAssigned, StatusPageUpdated, ...Object.values(components.events)],
  operations: [
    getRoom,
    assignRole,
    draftReview,
    getStatusPage,
    updateStatusPage,
    ...components.operations,
    ...publicOperations,
  ],
  readers: [noticeReader],
});
