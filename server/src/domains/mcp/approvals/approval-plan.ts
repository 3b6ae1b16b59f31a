/** The approval of an agent's call: one step of the approvers that the policy names now. */
import { type ApprovalPlan, type Approver, findSubjectAudience } from "#domains/approvals/index.ts";
import { findRoleIds } from "#domains/identity/roles/index.ts";
import { BUILT_IN_ROLES } from "#kernel/access/permission.ts";
import type { NotificationRule } from "#kernel/contributions/notification-rule.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { type AgentCallSummary, CallRequested } from "./agent-call.ts";
import { type AgentPolicy, PolicyWrite } from "./policy.ts";

/** The subject of the approval of a call. */
export const subjectOf = (id: string) => ({ kind: "agent_call", id });

/** The approvers of a call by the policy, which names people by id, and roles by id or name. */
export async function planCall(
  tx: Tx,
  { approvers, fourEyes }: Pick<AgentPolicy, "approvers" | "fourEyes">,
  userId: string,
): Promise<ApprovalPlan> {
  const builtIn: readonly string[] = BUILT_IN_ROLES;
  const isPerson = (name: string) => name.startsWith("usr_");
  const isRole = (name: string) => name.startsWith("rol_") || builtIn.includes(name);
  const names = approvers.filter((name) => !isPerson(name) && !isRole(name));
  const roles = [...approvers.filter(isRole), ...(await findRoleIds(tx, names))];
  const named: Approver[] = [
    ...approvers.filter(isPerson).map((id) => ({ kind: "person" as const, id })),
    ...roles.map((id) => ({ kind: "role" as const, id })),
  ];
  return {
    requesterIds: fourEyes ? [userId] : [],
    managedId: userId,
    fallback: PolicyWrite,
    steps: [{ approvers: named, rule: "any" }],
    isOfWorkspace: true,
  };
}

/** Notifies the approvers of a pending call and their delegates. */
export const approverNotification: NotificationRule = {
  on: CallRequested,
  async to(ctx, { resource }) {
    const userIds = await findSubjectAudience(ctx, subjectOf(resource.id), PolicyWrite);
    return { userIds, roles: [], except: [] };
  },
  title: ({ data }) => `${(data as AgentCallSummary).agent.name} asks for an approval`,
  body({ data }) {
    const { summary, agent, environment, expiresAt } = data as AgentCallSummary;
    return `${summary}, in ${environment}, for ${agent.person.name}. It waits until ${expiresAt}.`;
  },
  path: "/approvals",
};
