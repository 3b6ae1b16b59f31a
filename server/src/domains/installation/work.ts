import Type from "typebox";
import type { Database, EnvironmentName, Partition } from "#kernel/db/database.ts";
import { event } from "#kernel/log/event.ts";
import { listQueues, listReaderLags } from "#kernel/monitor/work-status.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { item, noContent } from "#kernel/operation/response.ts";
import { id, nullable, object, Time } from "#kernel/schema/schema.ts";
import { recentSecrets } from "#kernel/secrets/recent-secrets.ts";
import { operatorAccess, recordAtHome } from "./access.ts";

const Work = Type.Object(
  {
    readers: Type.Array(
      Type.Object({
        name: Type.String(),
        behind: Type.Integer({
          description: "Number of events after its cursor, counted up to 10,000",
        }),
        deadLetters: Type.Integer({ description: "Number of dead letters, counted up to 10,000" }),
        updatedAt: Time,
      }),
    ),
    queues: Type.Array(
      Type.Object({
        kind: Type.String(),
        due: Type.Integer({ description: "Number of jobs that are due" }),
        waiting: Type.Integer({ description: "Number of jobs that are due later" }),
        running: Type.Integer(),
        failed: Type.Integer({ description: "Number of jobs that failed all attempts" }),
        oldestDueAt: nullable(Time),
      }),
    ),
    leases: Type.Array(
      Type.Object({
        engine: Type.String(),
        node: Type.String(),
        seenAt: Time,
        shards: Type.Array(Type.Integer(), { description: "Number of shards, of 16" }),
      }),
    ),
  },
  { title: "Work" },
);

const LEASES = `
  select n.name as engine, n.node, n.seen_at as "seenAt",
         array(select l.lane from lanes l
                where l.name = n.name and l.node = n.node and l.held_until > now() order by l.lane)::int[] as shards
    from lane_nodes n order by n.name, n.node limit 1000`;

interface LeaseRow {
  readonly engine: string;
  readonly node: string;
  readonly seenAt: string;
  readonly shards: readonly number[];
}

export const readWork = query({
  id: "installation.read_work",
  route: "GET /api/v1/installation/work",
  summary: "Get the state of readers, jobs and engines by node",
  ...operatorAccess,
  response: item(Work),
  async prepare({ db, clock }) {
    const [readers, queues, leases] = await Promise.all([
      listReaderLags(db),
      listQueues(db, clock.now()),
      db.system<LeaseRow>(LEASES),
    ]);
    return { readers, queues, leases: leases.map((row) => ({ ...row, shards: [...row.shards] })) };
  },
  run: async (_ctx, _input, work) => work,
});

const FailedJob = Type.Object(
  {
    id: id("job"),
    kind: Type.String(),
    workspace: nullable(Type.String({ description: "Slug of the workspace" })),
    environment: Type.String(),
    attempts: Type.Integer(),
    failedAt: Time,
    error: nullable(Type.String()),
  },
  { title: "FailedJob" },
);

const FAILED_MAX = 200;
const FAILED = `
  select j.id, j.kind, w.slug as workspace, j.environment, j.attempts, j.failed_at as "failedAt",
         j.last_error as error
    from jobs j left join workspaces w on w.key = j.workspace_id
   where j.failed_at is not null order by j.failed_at desc, j.id limit ${FAILED_MAX}`;

interface FailedJobRow {
  readonly id: string;
  readonly kind: string;
  readonly workspace: string | null;
  readonly environment: string;
  readonly attempts: number;
  readonly failedAt: string;
  readonly error: string | null;
}

export const readFailedJobs = query({
  id: "installation.read_failed_jobs",
  route: "GET /api/v1/installation/failed-jobs",
  summary: "List failed jobs, newest first",
  description: "Returns the last 200 of all workspaces.",
  ...operatorAccess,
  response: item(Type.Object({ jobs: Type.Array(FailedJob) })),
  async prepare({ db }) {
    const rows = await db.system<FailedJobRow>(FAILED);
    return rows.map((row) => ({
      ...row,
      error: row.error === null ? null : recentSecrets.scrub(row.error),
    }));
  },
  run: async (_ctx, _input, jobs) => ({ jobs }),
});

const JobData = Type.Object({ kind: Type.String() });

export const JobRetried = event("audit.job.retried", {
  resource: "job",
  summary: "A failed job was retried.",
  data: JobData,
});

export const JobDiscarded = event("audit.job.discarded", {
  resource: "job",
  summary: "A failed job was deleted.",
  data: JobData,
});

interface FoundJob {
  readonly kind: string;
  readonly workspace: string;
  readonly environment: EnvironmentName;
}

async function findFailedJob(db: Database, jobId: string): Promise<FoundJob> {
  const [found] = await db.system<FoundJob>(
    "select kind, workspace_id as workspace, environment from jobs where id = $1 and failed_at is not null",
    [jobId],
  );
  if (!found) throw new Failure(NotFound);
  return found;
}

const partitionOf = ({ workspace, environment }: FoundJob): Partition => ({
  workspace,
  environment,
});

const jobExample = { params: { id: "job_01jd0000000000000000000000" } };

export const retryJob = command({
  id: "installation.retry_job",
  route: "POST /api/v1/installation/failed-jobs/{id}/retry",
  summary: "Retry a failed job",
  ...operatorAccess,
  params: object({ id: id("job") }),
  response: noContent(),
  emits: [JobRetried],
  example: jobExample,
  prepare: ({ db }, { params }) => findFailedJob(db, params.id),
  async run(ctx, { params }, found) {
    ctx.switchPartition(partitionOf(found));
    const { numUpdatedRows } = await ctx.tx
      .updateTable("jobs")
      .set({ failed_at: null, attempts: 0, due_at: ctx.now.toISOString() })
      .where("id", "=", params.id)
      .where("failed_at", "is not", null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new Failure(NotFound);
    ctx.onCommit(() => ctx.services.wakeSignal.raise("jobs"));
    recordAtHome(ctx, () => ctx.emit(JobRetried, { id: params.id }, { kind: found.kind }));
  },
});

export const discardJob = command({
  id: "installation.discard_job",
  route: "DELETE /api/v1/installation/failed-jobs/{id}",
  summary: "Delete a failed job",
  ...operatorAccess,
  params: object({ id: id("job") }),
  response: noContent(),
  emits: [JobDiscarded],
  example: jobExample,
  prepare: ({ db }, { params }) => findFailedJob(db, params.id),
  async run(ctx, { params }, found) {
    ctx.expectRevision(1);
    ctx.switchPartition(partitionOf(found));
    const { numDeletedRows } = await ctx.tx
      .deleteFrom("jobs")
      .where("id", "=", params.id)
      .where("failed_at", "is not", null)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw new Failure(NotFound);
    recordAtHome(ctx, () => ctx.emit(JobDiscarded, { id: params.id }, { kind: found.kind }));
  },
});
