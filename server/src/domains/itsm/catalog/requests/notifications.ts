import { findAudience } from "#domains/approvals/index.ts";
import { NotificationSent } from "#domains/notifications/index.ts";
import { CAUSATION_DEPTH_MAX } from "#kernel/log/event.ts";
import { reader } from "#kernel/readers/reader.ts";
import { notifyOfTicket } from "../../tickets/index.ts";
import { RequestsWork } from "../permissions.ts";
import { describeRequest } from "./answers.ts";
import { upkeep } from "./approval-upkeep.ts";
import { ApprovalReminded, ApprovalRequested } from "./events.ts";
import type { RequestData } from "./request.ts";

/** Notifies the approvers of a request and their delegates, and schedules reminders and expiry. */
export const approverNotificationReader = reader({
  name: "catalog.approvers",
  on: [ApprovalRequested.type, ApprovalReminded.type],
  startsAt: "end",
  emits: [NotificationSent],
  async handle(ctx, events) {
    for (const event of events) {
      if (event.depth >= CAUSATION_DEPTH_MAX) continue;
      // The event data has this schema.
      const request = event.data as unknown as RequestData;
      const { id, approval, createdBy, requestedFor } = request;
      const isReminder = event.type === ApprovalReminded.type;
      if (!isReminder) {
        const { expiresAt = null, remindAfterHours = null } = approval;
        const timed = { subjectId: id, expiresAt, remindAfterHours, reminders: 0 };
        upkeep.schedule(ctx.because(event), timed, new Date(event.createdAt));
      }
      const userIds = await findAudience(ctx, {
        asked: approval.askedIds ?? approval.approverIds,
        fallback: RequestsWork,
        requesterIds: [createdBy, requestedFor],
      });
      await notifyOfTicket(ctx.because(event), event, {
        userIds,
        title: isReminder ? "still waits for your approval" : "waits for your approval",
        more: await describeRequest(ctx, request),
      });
    }
  },
});
