import { domain } from "#kernel/domain.ts";
import { DelegationEnded, DelegationSet } from "./delegation.ts";
import { approvalOperations, ApprovalsDecide, ApprovalsDelegate } from "./operations.ts";

export {
  type ApprovalRecord,
  currentStep,
  findAsked,
  findInvolved,
  type StepState,
} from "./approval.ts";
export { approvalPlanFields, ApprovalStep, Approver, findStepErrors, RULES } from "./approver.ts";
export { type ApprovalSubject, ApprovalSubjectPoint } from "./inbox.ts";
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
export { findAudience, findSubjectAudience, findPrincipals } from "./people.ts";
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
export { ApprovalsDecide } from "./operations.ts";
export { approvalUpkeep } from "./upkeep.ts";
export { awaitsSql, countAwaiting, findAwaiting, listAwaiting } from "./open-decision.ts";

export const approvals = domain({
  name: "approvals",
  summary: "Approvals: steps, approvers, decisions and delegates.",
  permissions: [ApprovalsDecide, ApprovalsDelegate],
  events: [DelegationSet, DelegationEnded],
  operations: approvalOperations,
});
