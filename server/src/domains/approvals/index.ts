import { domain } from "#kernel/domain.ts";
import { DelegationEnded, DelegationSet } from "./delegation.ts";
import { ApprovalsDelegate, delegationOperations } from "./operations.ts";

export {
  type ApprovalRecord,
  currentStep,
  findAsked,
  findInvolved,
  type StepState,
} from "./approval.ts";
export { approvalPlanFields, ApprovalStep, Approver, findStepErrors, RULES } from "./approver.ts";
export {
  Delegation,
  DelegationEnded,
  DelegationInput,
  Delegations,
  DelegationSet,
  endDelegation,
  readDelegations,
  setDelegation,
} from "./delegation.ts";
export { findAudience, findAudienceOf, findPrincipals } from "./people.ts";
export {
  ApprovalExpired,
  type ApprovalPlan,
  closeApproval,
  decideApproval,
  type DecisionFailures,
  noteReminder,
  openApproval,
  recountApproval,
  replanApproval,
  type Settled,
  StepEnded,
} from "./service.ts";
export { approvalSql, involvedSql, involvesSql, readApproval } from "./store.ts";
export { approvalUpkeep } from "./upkeep.ts";
export { awaitsSql, countAwaiting, findAwaiting } from "./open-decision.ts";

export const approvals = domain({
  name: "approvals",
  summary: "Approvals: steps, approvers, decisions and delegates.",
  permissions: [ApprovalsDelegate],
  events: [DelegationSet, DelegationEnded],
  operations: delegationOperations,
});
