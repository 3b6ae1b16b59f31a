/** The agent policy of a workspace: the calls that require approval, and the approvers. */
import Type, { type Static } from "typebox";
import type { Caller } from "#kernel/access/caller.ts";
import { holdsPermission, permission } from "#kernel/access/permission.ts";
import { compilePattern } from "#kernel/condition/event-pattern.ts";
import type { Operation, PlatformServices } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { changeEvent } from "#kernel/log/event.ts";
import { assertNoErrors, type FieldError } from "#kernel/operation/failure.ts";
import { line, Time, nullable } from "#kernel/schema/schema.ts";

const HOURS_MAX = 168;

export const PolicyWrite = permission(
  "agent_policy:write",
  "Set which calls of agents require approval, and revoke the access of any agent",
  [],
);

export const policyFields = {
  demands: Type.Enum(["nothing", "drastic", "changes"], {
    description:
      "Calls that require approval: only calls in the lists below; calls that delete, end or decide something, change many " +
      "things, reach production, or give access; or every change",
  }),
  operations: Type.Array(line(200), {
    maxItems: 200,
    uniqueItems: true,
    description:
      "Ids of further operations that require approval. `records.*` means all operations of records",
  }),
  permissions: Type.Array(line(100), {
    maxItems: 200,
    uniqueItems: true,
    description: "Commands that need one of these permissions also require approval",
  }),
  approvers: Type.Array(line(100), {
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    description: "Ids of users, or ids or names of roles",
  }),
  fourEyes: Type.Boolean({
    description: "If true, the user of an agent can't approve calls of the agent",
  }),
  expiresInHours: Type.Integer({
    minimum: 1,
    maximum: HOURS_MAX,
    description: "Time limit for the decision about a call",
  }),
};

export const AgentPolicy = Type.Object(
  { ...policyFields, updatedAt: nullable(Time) },
  { title: "AgentPolicy" },
);
export type AgentPolicy = Static<typeof AgentPolicy> & { readonly revision: number };

export const PolicyUpdated = changeEvent("agent_policy.updated", {
  resource: "agent_policy",
  summary: "The approval policy for agents was changed.",
  data: AgentPolicy,
});

const INITIAL: AgentPolicy = {
  demands: "nothing",
  operations: [],
  permissions: [],
  approvers: ["owner", "admin"],
  fourEyes: true,
  expiresInHours: 24,
  updatedAt: null,
  revision: 1,
};

/** The policy of the transaction's workspace. */
export async function readPolicy(tx: Tx): Promise<AgentPolicy> {
  const row = await tx.selectFrom("agent_policies").selectAll().executeTakeFirst();
  if (!row) return INITIAL;
  return {
    demands: row.demands as AgentPolicy["demands"],
    operations: row.operations,
    permissions: row.permissions,
    approvers: row.approvers,
    fourEyes: row.four_eyes,
    expiresInHours: row.expires_in_hours,
    updatedAt: row.updated_at,
    revision: row.revision,
  };
}

/** Commands that perform other operations, depending on their input. */
const PERFORMS_OTHERS = new Set(["macros.run", "tickets.bulk", "undo.perform"]);

/**
 * Permissions to give people and programs access or rights: an agent that could invite a member or assign a role
 * could choose its own approver.
 */
const GIVES_ACCESS = new Set([
  "users:write",
  "roles:write",
  "roles:assign",
  "sso:write",
  "oauth_applications:write",
]);

/** Returns whether a command would bypass any policy: it performs other operations, or gives access. */
function isWayAround({ id, permission: needed }: Operation): boolean {
  return PERFORMS_OTHERS.has(id) || (needed !== undefined && GIVES_ACCESS.has(needed.name));
}

/** Returns whether an agent needs approval for this call. */
export async function demandsApproval(
  policy: AgentPolicy,
  op: Operation,
  isDrastic: () => Promise<boolean>,
): Promise<boolean> {
  if (op.kind === "query" || op.ephemeral) return false;
  if (policy.demands === "changes") return true;
  if (isWayAround(op) && demandsAnything(policy)) return true;
  if (policy.operations.length > 0 && compilePattern(policy.operations)(op.id)) return true;
  if (op.permission !== undefined && policy.permissions.includes(op.permission.name)) return true;
  return policy.demands === "drastic" && (await isDrastic());
}

/** Returns whether any call requires approval. */
export function demandsAnything({ demands, operations, permissions }: AgentPolicy): boolean {
  return demands !== "nothing" || operations.length > 0 || permissions.length > 0;
}

const OPERATION_PATTERN = /^[a-z_]+\.(?:\*|[a-z_]+)$/;

/** Throws a failure that names all unknown permissions and patterns. */
export function assertPolicy(
  { operations, permissions }: Pick<AgentPolicy, "operations" | "permissions">,
  services: Pick<PlatformServices, "permissions">,
): void {
  const known = new Set(services.permissions.map(({ name }) => name));
  const errors: FieldError[] = [
    ...operations.flatMap((pattern, index) =>
      OPERATION_PATTERN.test(pattern)
        ? []
        : [{ path: `/operations/${index}`, message: "is not an operation id or `domain.*`" }],
    ),
    ...permissions.flatMap((name, index) =>
      known.has(name) ? [] : [{ path: `/permissions/${index}`, message: "is not a permission" }],
    ),
  ];
  assertNoErrors(errors);
}

/** Returns whether the caller may set the policy. */
export function mayManage({ permissions }: Pick<Caller, "permissions">): boolean {
  return holdsPermission(permissions, PolicyWrite);
}
