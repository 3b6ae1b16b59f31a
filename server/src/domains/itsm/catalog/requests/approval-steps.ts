/** Approval steps of a request, with the names of approvers and deciders. */
import Type, { type Static } from "typebox";
import { Approver, RULES } from "#domains/approvals/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import { findPersonNames } from "../../contacts/index.ts";
import type { RequestApproval } from "./request-approval.ts";

export const FORMER_MEMBER = "Former member";

export const Person = Type.Object({ id: Type.String(), name: Type.String() });

export const NamedStep = Type.Object(
  {
    name: nullable(Type.String()),
    rule: Type.Enum([...RULES]),
    quorum: nullable(Type.Integer()),
    state: Type.Enum(["waiting", "pending", "approved", "rejected", "skipped"]),
    approvers: Type.Array(
      Type.Object({
        kind: Approver.properties.kind,
        name: nullable(Type.String({ description: "Name of the user, role or team" })),
      }),
    ),
    people: Type.Array(Person, {
      description: "People of the approvers, when the step has started",
    }),
    decisions: Type.Array(
      Type.Object({
        by: Person,
        insteadOf: Type.Array(Person),
        approved: Type.Boolean(),
        comment: nullable(Type.String()),
        at: Time,
      }),
    ),
    startedAt: nullable(Time),
  },
  { title: "NamedApprovalStep" },
);
export type NamedStep = Static<typeof NamedStep>;

/** Names the approvers, the people and the deciders of each step. */
export async function nameSteps(
  tx: Tx,
  { steps = [], decisions }: RequestApproval,
): Promise<NamedStep[]> {
  const approvers = steps.flatMap((step) => step.approvers);
  const people = [
    ...steps.flatMap(({ approverIds }) => approverIds),
    ...approvers.flatMap(({ kind, id }) => (kind === "person" && id ? [id] : [])),
    ...decisions.flatMap(({ userId, insteadOf = [] }) => [userId, ...insteadOf]),
  ];
  const [names, groups] = await Promise.all([
    findPersonNames(tx, people),
    findGroupNames(tx, approvers),
  ]);
  const person = (id: string) => ({ id, name: names.get(id) ?? FORMER_MEMBER });
  return steps.map((step, index) => ({
    name: step.name ?? null,
    rule: step.rule,
    quorum: step.quorum ?? null,
    state: step.state,
    approvers: step.approvers.map(({ kind, id }) => ({
      kind,
      name: id ? (names.get(id) ?? groups.get(id) ?? id) : null,
    })),
    people: step.approverIds.map(person),
    decisions: decisions
      .filter((decision) => (decision.step ?? 0) === index)
      .map(({ userId, insteadOf = [], approved, comment, at }) => ({
        by: person(userId),
        insteadOf: insteadOf.map(person),
        approved,
        comment,
        at,
      })),
    startedAt: step.startedAt,
  }));
}

/** The names of teams and custom roles by id. */
async function findGroupNames(
  tx: Tx,
  approvers: readonly Static<typeof Approver>[],
): Promise<ReadonlyMap<string, string>> {
  const idsOf = (of: string) =>
    approvers.flatMap(({ kind, id }) => (kind === of && typeof id === "string" ? [id] : []));
  const [teamIds, roleIds] = [idsOf("team"), idsOf("role")];
  const [teams, roles] = await Promise.all([
    teamIds.length === 0
      ? []
      : tx.selectFrom("teams").select(["id", "name"]).where("id", "in", teamIds).execute(),
    roleIds.length === 0
      ? []
      : tx.selectFrom("roles").select(["id", "name"]).where("id", "in", roleIds).execute(),
  ]);
  return new Map([...teams, ...roles].map(({ id, name }) => [id, name]));
}

/** The decisions of a request as text, one per line: `Ann approved: In the budget`. */
export function sayDecisions(steps: readonly NamedStep[]): string {
  return steps
    .flatMap(({ decisions }) => decisions)
    .map(({ by, approved, comment }) => {
      const what = `${by.name} ${approved ? "approved" : "rejected"}`;
      return comment === null || comment === "" ? what : `${what}: ${comment}`;
    })
    .join("\n");
}
