import { findMembersWithPermission, listMembers } from "#domains/identity/accounts/index.ts";
import { NotificationSent } from "#domains/notifications/index.ts";
import { CAUSATION_DEPTH_MAX } from "#kernel/log/event.ts";
import { reader } from "#kernel/readers/reader.ts";
import type { ReaderContext } from "#kernel/contract.ts";
import { notifyOfTicket } from "../../tickets/index.ts";
import { RequestsWork } from "../permissions.ts";
import { describeRequest } from "./answers.ts";
import { ApprovalRequested } from "./events.ts";
import { isRequester, type RequestData } from "./request.ts";

/** The number of members among whom those are looked for who work on requests. */
const MEMBERS_MAX = 1_000;

/** Notifies the approvers of a request. */
export const approverNotificationReader = reader({
  name: "catalog.approvers",
  on: [ApprovalRequested.type],
  startsAt: "end",
  emits: [NotificationSent],
  async handle(ctx, events) {
    for (const event of events) {
      if (event.depth >= CAUSATION_DEPTH_MAX) continue;
      // Its schema is that of the event.
      const request = event.data as unknown as RequestData;
      const userIds = await findApprovers(ctx, request);
      await notifyOfTicket(ctx.because(event), event, {
        userIds,
        title: "waits for your approval",
        more: await describeRequest(ctx, request),
      });
    }
  },
});

async function findApprovers(
  ctx: ReaderContext<typeof NotificationSent>,
  request: RequestData,
): Promise<readonly string[]> {
  const { approverIds } = request.approval;
  if (approverIds.length > 0) return approverIds;
  const members = await listMembers(ctx.tx, { after: "", limit: MEMBERS_MAX });
  const others = members.map(({ id }) => id).filter((id) => !isRequester(request, id));
  return [...(await findMembersWithPermission(ctx, RequestsWork, others))];
}
