/** Delegations of approvers at the former paths of changes. */
import {
  Delegation,
  DelegationEnded,
  DelegationInput,
  Delegations,
  DelegationSet,
  endDelegation,
  readDelegations,
  setDelegation,
} from "#domains/approvals/index.ts";
import { NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { noContent, item } from "#kernel/operation/response.ts";
import { ChangesApprove, ChangesRead } from "../permissions.ts";
import { assertMayApprove } from "../service.ts";

const PATH = "/api/v1/itsm/changes/delegations";

const listDelegations = query({
  id: "changes.list_delegations",
  route: `GET ${PATH}`,
  summary: "Get your delegate for changes, and the users who delegate to you",
  permission: ChangesRead,
  environmentScoped: false,
  response: item(Delegations),
  run: readDelegations,
});

const setChangeDelegation = command({
  id: "changes.set_delegation",
  effect: "drastic",
  route: `PUT ${PATH}`,
  summary: "Delegate your approvals of changes for a time",
  description:
    "Same as `approvals.set_delegation`, but the delegate must be able to approve changes.",
  permission: ChangesApprove,
  environmentScoped: false,
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
  async run(ctx, { body }) {
    await assertMayApprove(ctx, [["/toUserId", body.toUserId]]);
    return setDelegation(ctx, body);
  },
});

const endChangeDelegation = command({
  id: "changes.end_delegation",
  route: `DELETE ${PATH}`,
  summary: "End your delegation for changes",
  permission: ChangesApprove,
  environmentScoped: false,
  response: noContent(),
  emits: [DelegationEnded],
  fails: [NotFound],
  run: (ctx) => endDelegation(ctx),
});

export const delegationOperations = [listDelegations, setChangeDelegation, endChangeDelegation];
