import { approvalUpkeep } from "#domains/approvals/index.ts";
import {
  ApprovalReminded,
  ApprovalRequested,
  FulfilmentStarted,
  RequestApproved,
  RequestRejected,
  RequestUpdated,
} from "./events.ts";
import { RequestTaskAdded } from "./kind.ts";
import { requestStore } from "./store.ts";
import { expireRequest, recountRequest, remind } from "./transitions.ts";

export const upkeep = approvalUpkeep({
  kind: "request",
  plural: "requests",
  emits: [
    RequestApproved,
    RequestRejected,
    FulfilmentStarted,
    ApprovalRequested,
    ApprovalReminded,
    RequestUpdated,
    RequestTaskAdded,
  ],
  recount: async (ctx, id) => recountRequest(ctx, await requestStore.lock(ctx.tx, id)),
  expire: async (ctx, id) => expireRequest(ctx, await requestStore.lock(ctx.tx, id)),
  remind: async (ctx, id) => (await remind(ctx, await requestStore.lock(ctx.tx, id), 0))?.approval,
});
