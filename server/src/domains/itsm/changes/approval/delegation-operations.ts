import { authorOf } from "#kernel/access/caller.ts";
import Type from "typebox";
import { Failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { noContent, item } from "#kernel/operation/response.ts";
import { id, InputTime, nullable, object } from "#kernel/schema/schema.ts";
import { assertReferencesExist } from "../../tickets/index.ts";
import { ChangesApprove, ChangesRead } from "../permissions.ts";
import { assertMayApprove } from "../service.ts";
import { assertOrder, parseMoment } from "../windows/window.ts";
import * as delegations from "./delegation.ts";
import { delegationEventData, Delegation, DelegationEnded, DelegationSet } from "./delegation.ts";

const PATH = "/api/v1/itsm/changes/delegations";

const listDelegations = query({
  id: "changes.list_delegations",
  route: `GET ${PATH}`,
  summary: "See who votes on changes in your stead, and whom you stand in for",
  permission: ChangesRead,
  environmentScoped: false,
  response: item(
    Type.Object(
      { given: nullable(Delegation), received: Type.Array(Delegation) },
      { title: "ChangeDelegations" },
    ),
  ),
  async run({ tx, caller }) {
    const me = authorOf(caller);
    const [delegation = null, received] = await Promise.all([
      delegations.findGiven(tx, me),
      delegations.listReceived(tx, me),
    ]);
    return {
      given: delegation,
      received,
      ...(delegation && { revision: delegation.revision }),
    };
  },
});

const setDelegation = command({
  id: "changes.set_delegation",
  effect: "drastic",
  route: `PUT ${PATH}`,
  summary: "Let somebody vote on changes in your stead for a time",
  description:
    "On all changes that name you as an approver, or that you were handed a vote on. You may still " +
    "vote yourself: who is first does. It takes the place of what you set before, and is not handed " +
    "on further. It holds in all environments.",
  permission: ChangesApprove,
  environmentScoped: false,
  body: object({ toUserId: id("usr"), from: InputTime, to: InputTime }),
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
    const me = authorOf(ctx.caller);
    const { toUserId } = body;
    const from = parseMoment("/from", body.from);
    const to = parseMoment("/to", body.to);
    assertOrder("/to", from, to);
    if (toUserId === me) throw invalidField("/toUserId", "must be somebody else");
    await assertReferencesExist(ctx, { users: { "/toUserId": toUserId } });
    await assertMayApprove(ctx, [["/toUserId", toUserId]]);
    const before = await delegations.lockGiven(ctx.tx, me);
    ctx.expectRevision(before?.revision ?? 0);
    const now = ctx.now.toISOString();
    const delegation: Delegation = {
      userId: me,
      toUserId,
      from,
      to,
      createdAt: before?.createdAt ?? now,
      updatedAt: now,
      revision: (before?.revision ?? 0) + 1,
    };
    await delegations.upsert(ctx.tx, delegation);
    ctx.emit(DelegationSet, { id: me }, delegationEventData(delegation));
    return delegation;
  },
});

const endDelegation = command({
  id: "changes.end_delegation",
  route: `DELETE ${PATH}`,
  summary: "Let nobody vote on changes in your stead any more",
  permission: ChangesApprove,
  environmentScoped: false,
  response: noContent(),
  emits: [DelegationEnded],
  fails: [NotFound],
  async run(ctx) {
    const me = authorOf(ctx.caller);
    const delegation = await delegations.lockGiven(ctx.tx, me);
    if (!delegation) throw new Failure(NotFound);
    ctx.expectRevision(delegation.revision);
    await delegations.remove(ctx.tx, me);
    ctx.emit(DelegationEnded, { id: me }, delegationEventData(delegation));
  },
});

export const delegationOperations = [listDelegations, setDelegation, endDelegation];
