import { EVERYONE, permission } from "#kernel/access/permission.ts";
import { NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageOfItems, pageQuery } from "#kernel/operation/pagination.ts";
import { item, noContent, page } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import {
  Delegation,
  DelegationEnded,
  DelegationInput,
  Delegations,
  DelegationSet,
  endDelegation,
  readDelegations,
  setDelegation,
} from "./delegation.ts";

import { listInbox, WaitingApproval } from "./inbox.ts";

/** Each subject also checks that the caller is an approver. */
export const ApprovalsDecide = permission(
  "approvals:decide",
  "View and decide on own approvals",
  EVERYONE,
);

export const ApprovalsDelegate = permission(
  "approvals:delegate",
  "Set a delegate for your approvals",
  EVERYONE,
);

const shared = { permission: ApprovalsDelegate, environmentScoped: false } as const;
const PATH = "/api/v1/approvals/delegations";

const list = query({
  ...shared,
  id: "approvals.list_delegations",
  route: `GET ${PATH}`,
  summary: "List the approval delegations that you gave and received",
  response: item(Delegations),
  run: readDelegations,
});

const set = command({
  ...shared,
  id: "approvals.set_delegation",
  effect: "drastic",
  route: `PUT ${PATH}`,
  summary: "Set a delegate for your approvals",
  description:
    "The delegate can decide on requests for you, and on changes if the delegate can approve changes. You can still decide: the first decision " +
    "counts. A new delegation replaces the former one, applies to all environments and cannot be delegated again. Your manager can also " +
    "decide for you while you are absent.",
  body: DelegationInput,
  response: item(Delegation),
  emits: [DelegationSet],
  example: {
    body: {
      toUserId: "usr_01jzt3n5k8q2x4v6w8y0z2b4d6",
      from: "2026-12-20T00:00:00Z",
      to: "2027-01-04T00:00:00Z",
    },
  },
  run: (ctx, { body }) => setDelegation(ctx, body),
});

const end = command({
  ...shared,
  id: "approvals.end_delegation",
  route: `DELETE ${PATH}`,
  summary: "End the delegation of your approvals",
  response: noContent(),
  emits: [DelegationEnded],
  fails: [NotFound],
  run: (ctx) => endDelegation(ctx),
});

const inbox = query({
  id: "approvals.inbox",
  route: "GET /api/v1/approvals/inbox",
  summary: "List your pending approvals",
  description:
    "Returns workflow steps, requests, changes and agent calls that you can decide, including as a delegate. " +
    "Approvals that expire soonest are first, then the oldest approvals. Each kind is limited to 200 approvals.",
  permission: ApprovalsDecide,
  query: object(pageQuery),
  response: page(WaitingApproval),
  run: async (ctx, { query: asked }) =>
    pageOfItems(ctx.services, "waiting approvals", asked, {
      items: await listInbox(ctx),
      keyOf: ({ kind, id }) => `${kind} ${id}`,
    }),
});

export const approvalOperations = [inbox, list, set, end];
