import { findRoleIds } from "#domains/identity/roles/index.ts";
import type { NotificationRule } from "#kernel/contributions/notification-rule.ts";
import { type AgentCallSummary, CallRequested } from "./agent-call.ts";
import { readPolicy } from "./policy.ts";

/** Notifies the approvers of a pending call. */
export const approverNotification: NotificationRule = {
  on: CallRequested,
  async to({ tx }, { data }) {
    const { approvers, fourEyes } = await readPolicy(tx);
    const { agent } = data as AgentCallSummary;
    return {
      userIds: approvers.filter((name) => name.startsWith("usr_")),
      roles: [...approvers, ...(await findRoleIds(tx, approvers))],
      except: fourEyes ? [agent.person.id] : [],
    };
  },
  title: ({ data }) => `${(data as AgentCallSummary).agent.name} asks for an approval`,
  body({ data }) {
    const { summary, agent, environment, expiresAt } = data as AgentCallSummary;
    return `${summary}, in ${environment}, for ${agent.person.name}. It waits until ${expiresAt}.`;
  },
  path: "/approvals",
};
