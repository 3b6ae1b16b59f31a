/** Shared helpers for trigger tests. */
import { NO_WORKSPACE } from "#kernel/db/database.ts";
import { type Ask, until, type World } from "#kernel/testing/world.ts";
import { deployWorkflow } from "./workflows.ts";

/** A computing step without dependencies. */
export const SET = { id: "keep", type: "set", config: { values: { kept: true } } };

/** Resolves when every event is processed, and all started work is done. */
export async function waitUntilIdle({ sql }: World): Promise<void> {
  await until(async () => {
    const [row] = await sql(
      `select exists (select from events e join readers r on r.name = 'runs.triggers'
                       where (e.epoch, e.xid, e.seq) > (r.epoch, r.xid, r.seq)) as behind,
              exists (select from runs where due_at is not null and due_at <= now()
                         and status in ('queued', 'running')) as busy`,
    );
    return !row.behind && !row.busy;
  });
}

/** Deploys a workflow that starts for events on a topic. */
export function deployEventWorkflow(
  ask: Ask,
  trigger: object,
  nodes: readonly object[] = [SET],
  more: object = {},
): Promise<string> {
  return deployWorkflow(ask, nodes, { trigger: { type: "event_bus", ...trigger }, ...more });
}

/** Publishes a message and returns the event id. */
export async function publish(
  ask: Ask,
  topic: string,
  message: { type: string; payload?: object },
  headers: Record<string, string> = {},
): Promise<string> {
  const body = { payload: {}, ...message };
  const answer = await ask(`POST /api/v1/events/topics/${topic}/publish`, body, headers);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data.id;
}

/** The runs of a workflow in start order. */
export function findRuns({ sql }: World, workflowId: string): Promise<any[]> {
  return sql("select * from runs where workflow_id = $1 order by created_at, event_id, id", [
    workflowId,
  ]);
}

/** All log events about some runs, in order. */
export async function readEventTypes({ sql }: World, runIds: readonly string[]): Promise<string[]> {
  const rows = await sql(
    "select type from events where resource_id = any($1) order by epoch, xid, seq",
    [runIds],
  );
  return rows.map(({ type }) => type);
}

/** Pauses the trigger reader, as if its node were slow. The returned function resumes it. */
export async function pauseTriggerReader({ kernel }: World): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const partition = { workspace: NO_WORKSPACE, environment: "production" } as const;
  const done = kernel.db.write(partition, async (session) => {
    await session.send("select from readers where name = 'runs.triggers' for update", []);
    held.resolve();
    await over.promise;
  });
  await Promise.race([held.promise, done]);
  return () => {
    over.resolve();
    return done;
  };
}
