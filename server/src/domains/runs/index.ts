import { backfillEvents } from "./backfill/backfill.ts";
import { backfillJob } from "./backfill/backfill-job.ts";
import { backfiller, backfillOperations } from "./backfill/operations.ts";
import { keptRequestsGauge, keptRequestsJob } from "./inbound/kept/kept-request.ts";
import { SearchSourcePoint } from "#kernel/contributions/search-source.ts";
import { checkPeopleAndTopics } from "./check-references.ts";
import { chainCutsJob } from "./start/chain-cut.ts";
import { liveTextsJob } from "./live-text/text-writer.ts";
import { pastEventJob } from "./triggers/past-events.ts";
import { WaitingWorkPoint } from "#kernel/contributions/waiting-work.ts";
import { readWorkflowActivity } from "./summary/workflow-activity.ts";
import { ApprovalsDecide, ApprovalSubjectPoint } from "#domains/approvals/index.ts";
import { countApprovals, runSubject } from "./control/approvals.ts";
import {
  WorkflowActivityPoint,
  BackfillerPoint,
  NodeTypePoint,
  ReferenceCheckPoint,
  RehearserPoint,
  RunCountPoint,
} from "#domains/workflows/index.ts";
import { FileOwnerPoint } from "#kernel/contributions/file-owner.ts";
import { EventFollowerPoint } from "#kernel/contributions/event-follower.ts";
import { CausalTracerPoint } from "#kernel/contributions/causal-tracer.ts";
import { UsageCounterPoint } from "#kernel/contributions/usage-counter.ts";
import { domain } from "#kernel/domain.ts";
import { DomainGaugePoint } from "#kernel/telemetry/domain-gauge.ts";
import { contribute } from "#kernel/extension-point.ts";
import { ReportSourcePoint } from "#kernel/contributions/report-source.ts";
import { SqlViewPoint } from "#kernel/contributions/sql-view.ts";
import { bulkCancelJob } from "./control/bulk-cancel.ts";
import { bulkRetryJob } from "./control/bulk-retry.ts";
import { cancelChildrenJob } from "./control/cancel-run.ts";
import { ExecutorPoint } from "./steps/executor.ts";
import { serverHost } from "./host/server-host.ts";
import { StepHostPoint } from "./host/step-host.ts";
import { runner } from "./engine/runner.ts";
import * as events from "./events.ts";
import { builtInExecutors } from "./steps/built-in-executors.ts";
import { plannedExecutors } from "./steps/pure-executors.ts";
import { listApprovals, listDecidedApprovals, resumeRun } from "./operations/approvals.ts";
import { cancelRun, cancelRuns, retryRun, retryRuns } from "./operations/control.ts";
import { countRuns, getRun, listRuns, listRunsOfWorkflow } from "./operations/read.ts";
import { streamRun } from "./operations/read.ts";
import * as pinned from "./operations/pinned-data.ts";
import { testWorkflow } from "./operations/test.ts";
import { backtestTrigger, rehearseWorkflow } from "./rehearsal/operations.ts";
import { rehearse } from "./rehearsal/rehearse.ts";
import { getRunStep, getRunSummary, listRunSteps } from "./operations/steps.ts";
import { listTriggers, triggerWorkflow } from "./operations/trigger.ts";
import { getExpressionScope, previewExpressions } from "./preview/operations.ts";
import { runRetentionJob } from "./store.ts";
import { runsSource, runsSqlView } from "./report-source.ts";
import { workflowFollowers } from "./triggers/heard-events.ts";
import { runSource } from "./store.ts";
import { count, countUnfinished } from "./store.ts";
import { runFileOwner } from "./start/run-files.ts";
import { runTracer } from "./causal-tracer.ts";
import { eventTriggerReader } from "./triggers/event-reader.ts";
import { askChat, sendMessage, showChat } from "./inbound/chat/chat-operations.ts";
import { openChatFile } from "./inbound/chat/chat-files.ts";
import { followChat } from "./inbound/chat/chat-stream.ts";
import { sendForm, showForm } from "./inbound/form-operations.ts";
import { callRun } from "./calls/call-operation.ts";
import { sendRunForm, showRunForm } from "./calls/form-operations.ts";
import { receiveWebhook } from "./inbound/webhook-operation.ts";
import { releaseJob } from "./triggers/limits/held-events.ts";
import { listHeldEvents } from "./triggers/limits/hold-operation.ts";
import { stateOperations } from "./state/operations.ts";
import { StateChanged } from "./state/workflow-state.ts";
import { scheduleReader, scheduleJob } from "./triggers/schedule.ts";

export { type Executor, executor, ExecutorPoint, type StepTools } from "./steps/executor.ts";
export { StepFailure } from "./steps/step-error.ts";
export { cancelRunTree as endRun } from "./control/cancel-run.ts";
export { queuedStart, writeRunStart } from "./start/start-run.ts";
export { insertQueuedRun } from "./start/queued-start.ts";
export {
  RunCancelled,
  RunCompleted,
  RunFailed,
  RunQueued,
  RunResumed,
  RunRetried,
  RunStarted,
  startEvents,
} from "./events.ts";
export {
  Approval as RunApproval,
  findLastDecision,
  listApprovals as listRunApprovals,
} from "./control/approvals.ts";
export { RunOver } from "./run.ts";
export { find as findRun } from "./store.ts";
export {
  findExpectationErrors,
  Fixture,
  FixtureResult,
  rehearseFixtures,
} from "./rehearsal/fixture.ts";
export { readFixture, readFixtureFacts } from "./rehearsal/record-fixture.ts";
export { type Response, toRawResponse } from "./inbound/webhook-response.ts";

export const runs = domain({
  name: "runs",
  summary: "Workflow runs: start, monitor, approve, cancel and retry.",
  permissions: [],
  events: [
    events.RunQueued,
    events.RunStarted,
    events.RunCompleted,
    events.RunFailed,
    events.RunPaused,
    events.RunCancelled,
    events.RunRetried,
    events.RunResumed,
    events.RunCalled,
    events.RunTested,
    events.BulkRetryRequested,
    events.BulkCancelRequested,
    ...backfillEvents,
    events.PinnedDataSet,
    events.ChainCut,
    StateChanged,
  ],
  operations: [
    triggerWorkflow,
    listTriggers,
    listHeldEvents,
    ...backfillOperations,
    receiveWebhook,
    callRun,
    showRunForm,
    sendRunForm,
    showForm,
    sendForm,
    showChat,
    sendMessage,
    askChat,
    followChat,
    openChatFile,
    listRuns,
    countRuns,
    listRunsOfWorkflow,
    getRun,
    getRunSummary,
    listRunSteps,
    getRunStep,
    streamRun,
    cancelRun,
    retryRun,
    retryRuns,
    cancelRuns,
    resumeRun,
    listApprovals,
    listDecidedApprovals,
    testWorkflow,
    rehearseWorkflow,
    backtestTrigger,
    pinned.getPinnedData,
    pinned.setPinnedData,
    pinned.pinOutput,
    pinned.unpinOutput,
    ...stateOperations,
    previewExpressions,
    getExpressionScope,
  ],
  readers: [eventTriggerReader, scheduleReader],
  jobs: [
    scheduleJob,
    pastEventJob,
    releaseJob,
    backfillJob,
    keptRequestsJob,
    liveTextsJob,
    chainCutsJob,
    bulkRetryJob,
    bulkCancelJob,
    cancelChildrenJob,
    runRetentionJob,
  ],
  engines: [runner],
  contributions: [
    contribute(UsageCounterPoint, { name: "runs", count }),
    contribute(DomainGaugePoint, keptRequestsGauge),
    contribute(BackfillerPoint, backfiller),
    contribute(CausalTracerPoint, runTracer),
    contribute(WorkflowActivityPoint, readWorkflowActivity),
    contribute(ApprovalSubjectPoint, runSubject),
    contribute(WaitingWorkPoint, {
      kind: "approvals",
      permission: ApprovalsDecide,
      count: countApprovals,
    }),
    contribute(ExecutorPoint, ...builtInExecutors, ...plannedExecutors),
    contribute(StepHostPoint, serverHost),
    contribute(ReferenceCheckPoint, checkPeopleAndTopics),
    contribute(NodeTypePoint, ...builtInExecutors.map(({ type }) => type)),
    contribute(ReportSourcePoint, runsSource),
    contribute(SqlViewPoint, runsSqlView),
    contribute(RunCountPoint, countUnfinished),
    contribute(RehearserPoint, (platform, caller, { lastRuns, ...request }) =>
      rehearse(platform, caller, { ...request, runs: { last: lastRuns } }),
    ),
    contribute(SearchSourcePoint, runSource),
    contribute(FileOwnerPoint, runFileOwner),
    contribute(EventFollowerPoint, workflowFollowers),
  ],
});
