/** Everything that grows must be pruned: completely, in small batches, and without deleting other data. */
import pg from "pg";
import { describe, expect, inject, test } from "vitest";
import { newId } from "#kernel/schema/id.ts";
import { idempotencyRetentionJob } from "#kernel/operation/idempotency.ts";
import type { JobType } from "#kernel/contract.ts";
import { RETENTION_ROWS_MAX } from "#kernel/work/retention-job.ts";
import { eventRetentionJob, deadLetterRetentionJob } from "#kernel/log/retention.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { domains } from "./app.ts";

interface Kind {
  readonly table: string;
  /** Creates its rows from `rows`: `id`, number `n`, `workspace`, `person`, and time `at`. */
  readonly insert: string;
}

/** Additional common table expressions, after those of `rows`. */
const APPLICATION = `, app as (
  insert into oauth_applications (client_id, workspace_id, name, redirect_uris, allowed_scopes,
    secret_hash, created_at, updated_at)
  select min(id), workspace, 'x', '{}', '{}', '', now(), now() from rows group by workspace
  returning client_id)`;
const GRANT = `
  insert into oauth_grants (id, workspace_id, client_id, user_id, scopes, redirect_uri, code_challenge,
    code_expires_at, created_at)`;

/** The rows that each retention job deletes. */
const KINDS: Readonly<Record<string, readonly Kind[]>> = {
  "kernel.prune_events": [
    {
      table: "events",
      insert: `insert into events (epoch, workspace_id, environment, topic, type, actor_id, actor_type,
          actor_name, resource_type, resource_id, correlation_id, created_at, data)
        select 1, workspace, 'production', 'kept', 'x', person, 'user', 'x', 'x', 'x', 'x', at, '{}'
          from rows`,
    },
  ],
  "kernel.prune_wrecks": [
    {
      table: "jobs",
      insert: `insert into jobs (id, workspace_id, environment, kind, payload, due_at, failed_at,
          correlation_id, created_at)
        select id, workspace, 'production', 'test.given_up', '{}', at, at, 'x', at from rows`,
    },
    {
      table: "parked_events",
      insert: `insert into parked_events
        select id, 1, '1', n, workspace, 'production', 'It failed.', at from rows`,
    },
  ],
  "runs.prune_chain_cuts": [
    {
      table: "chain_cuts",
      insert: `, workflow as (
          insert into workflows (id, workspace_id, name, definition, hook_token, created_by, created_at, updated_at)
          select min(id), workspace, 'x', '{}', min(id), 'x', now(), now() from rows group by workspace
          returning id)
        insert into chain_cuts select workspace, 'production', workflow.id, rows.id, at from rows, workflow`,
    },
  ],
  "runs.prune_texts": [
    {
      table: "live_texts",
      insert: "insert into live_texts select workspace, 'production', id, n, 0, 'x', at from rows",
    },
  ],
  "agents.prune_memories": [
    {
      table: "agent_memories",
      insert: `insert into agent_memories (id, workspace_id, environment, key, messages, message_count,
          created_at, updated_at)
        select id, workspace, 'production', id, '[]', 0, at, at from rows`,
    },
  ],
  "kernel.prune_idempotency_keys": [
    {
      table: "idempotency_keys",
      insert: `insert into idempotency_keys
        select person, id, '', '', at + interval '1 day' from rows`,
    },
  ],
  "bus.prune": [
    {
      table: "message_keys",
      insert: `insert into message_keys
        select workspace, 'production', person, id, 'evt', at + interval '1 day' from rows`,
    },
  ],
  "webhooks.prune_deliveries": [over("null"), over("at")],
  "webhooks.prune_test_endpoints": [
    {
      table: "test_endpoints",
      insert: `insert into test_endpoints (id, workspace_id, name, token, answer_status, answer_body,
                                           created_by, created_at, expires_at)
        select id, workspace, 'old', id, 200, '', person, at, at + interval '1 day' from rows`,
    },
  ],
  "runs.prune": [
    {
      table: "runs",
      insert: `insert into runs (id, workspace_id, environment, workflow_id, version_id, lane, status,
          trigger_type, trigger, actor, run_as, limited, correlation_id, depth, created_at, finished_at)
        select id, workspace, 'production', 'wfl', 'wfv', 0, 'completed', 'manual', '{}', '{}', person,
               false, 'x', 1, at, at from rows`,
    },
  ],
  "sdk.prune_executions": [
    {
      table: "artifact_executions",
      insert: `insert into artifact_executions (id, workspace_id, environment, artifact_id,
          version_number, trigger_type, status, started_at, duration_ms, outcome)
        select id, workspace, 'production', 'art', 1, 'manual', 'succeeded', at, 1, '{}' from rows`,
    },
  ],
  "analytics.prune_snapshots": [
    {
      table: "kpi_snapshots",
      insert: `, kpi as (
          insert into kpis (id, workspace_id, environment, name, description, measure, target, direction,
            cron, timezone, run_as, created_by, created_at, updated_at)
          select min(id), workspace, 'production', min(id), '', '{}', 1, 'up', '0 0 * * *', 'UTC', person,
                 person, now(), now() from rows group by workspace, person
          returning id)
        insert into kpi_snapshots (workspace_id, environment, kpi_id, at, target, backfilled, taken_at)
        select workspace, 'production', kpi.id, at + n * interval '1 millisecond', 1, false, at
          from rows, kpi`,
    },
  ],
  "notifications.prune": [
    {
      table: "notifications",
      insert: `insert into notifications (id, workspace_id, user_id, environment, title, body, created_at)
        select id, workspace, person, 'production', 'x', 'x', at from rows`,
    },
  ],
  "identity.prune_sessions": [
    {
      table: "sessions",
      insert: `insert into sessions (id, user_id, token_hash, created_at, expires_at)
        select id, person, id::bytea, at, at + interval '1 day' from rows`,
    },
  ],
  "identity.prune_known_addresses": [
    {
      table: "known_addresses",
      insert: "insert into known_addresses select person, id::bytea, at from rows",
    },
  ],
  "identity.prune_password_resets": [
    {
      table: "password_resets",
      insert: `, people as (
          insert into users (id, email, name, created_at, updated_at)
          select id, id, id, at, at from rows returning id)
        insert into password_resets (user_id, token_hash, created_at, expires_at)
        select id, id::bytea, at, at + interval '1 day' from rows`,
    },
  ],
  "identity.prune_webauthn_challenges": [
    {
      table: "webauthn_challenges",
      insert: `insert into webauthn_challenges
        select id::bytea, person, 'assert', at + interval '1 day' from rows`,
    },
  ],
  "identity.prune_invitations": [
    {
      table: "invitations",
      insert: `insert into invitations (id, workspace_id, email, name, role_ids, token_hash, invited_by,
          created_at, expires_at)
        select id, workspace, id, id, '{}', id::bytea, person, at, at + interval '1 day' from rows`,
    },
  ],
  "identity.prune_api_tokens": [
    {
      table: "api_tokens",
      insert: `insert into api_tokens (id, workspace_id, user_id, name, token_hash, scopes, expires_at,
          created_at)
        select id, workspace, person, id, id::bytea, '{}', at + interval '1 day', at from rows`,
    },
  ],
  "mcp.prune_agent_calls": [
    {
      table: "agent_calls",
      insert: `insert into agent_calls (id, workspace_id, operation, summary, target, call, call_hash,
          shown_input, preview, credential_kind, credential_id, agent_name, user_id, user_name, status, expires_at,
          created_at)
        select id, workspace, 'x', 'x', 'production', '', '', '{}', '{}', 'api_token', person, 'x', person, 'x',
               'performed', at, at from rows`,
    },
  ],
  "identity.prune_oauth_grants": [
    {
      table: "oauth_applications",
      insert: `insert into oauth_applications (client_id, workspace_id, name, redirect_uris, allowed_scopes,
          created_at, updated_at)
        select id, null, 'x', '{}', '{}', at, at from rows`,
    },
    {
      table: "oauth_grants",
      insert: `${APPLICATION}
        ${GRANT}
        select id, workspace, app.client_id, person, '{}', 'x', 'x', at, at from rows, app`,
    },
    {
      table: "oauth_tokens",
      insert: `${APPLICATION}, lasting as (
          ${GRANT}
          select min(id), workspace, app.client_id, person, '{}', 'x', 'x', 'infinity', now()
            from rows, app group by workspace, app.client_id, person
          returning id)
        insert into oauth_tokens (id, workspace_id, grant_id, kind, token_hash, scopes, expires_at,
          created_at)
        select rows.id, workspace, lasting.id, 'access', rows.id::bytea, '{}', at + interval '1 day', at
          from rows, lasting`,
    },
  ],
};

/** Deliveries that have ended, or whose webhook was deleted while they were running. */
function over(dueAt: string): Kind {
  return {
    table: "deliveries",
    insert: `insert into deliveries (workspace_id, environment, webhook_id, id, event_epoch, event_xid,
        event_seq, event_type, resource_id, url, format, status, due_at, created_at)
      select workspace, 'production', 'whk', id, 1, '1', n, 'x', 'x', 'x', 'x', 'x', ${dueAt}, at
        from rows`,
  };
}

const OLD_ROWS = 2_300;
const FRESH_ROWS = 3;
/** Longer than any retention time. */
const LONG_AGO_MS = 4 * 365 * 86_400_000;

/** Jobs with an event per expired export, which have separate tests. */
const APART = ["analytics.prune_exports"];
const JOBS: readonly JobType[] = [
  idempotencyRetentionJob,
  eventRetentionJob,
  deadLetterRetentionJob,
  ...domains.flatMap(({ jobs = [] }) => jobs).filter(({ kind }) => /prune/.test(kind)),
].filter(({ kind }) => !APART.includes(kind));

const world = await useWorld({ env: { MILLRACE_EVENT_RETENTION_DAYS: "7" } });
const owner = await world.member(["owner"]);
await world.sql("insert into readers values ('bus.count_topics', 2, '0', 0, now())");

const attempt = { id: "job", number: 1, signal: new AbortController().signal };
const effect = async (type: JobType, platform = world.kernel) =>
  Number(await type.effect?.(platform, {} as never, attempt));

async function fill(statement: string, count: number, atMs: number): Promise<void> {
  const ids = Array.from({ length: count }, () => newId("run", atMs));
  await world.sql(
    `with given as (select $1::uuid as workspace, $2 as person),
          made as (select * from unnest($3::text[]) with ordinality as t (id, n)),
          rows as (select made.*, given.*, $4::timestamptz as at from given, made)
     ${statement}`,
    [world.home, owner.userId, ids, new Date(atMs)],
  );
}

async function rowsOf(table: string): Promise<number> {
  const [{ n }] = await world.sql(`select count(*)::int as n from ${table}`);
  return n;
}

test("covers all retention jobs", () => {
  expect(Object.keys(KINDS).toSorted()).toEqual(JOBS.map(({ kind }) => kind).toSorted());
});

describe.for(JOBS.map((type) => ({ type, kind: type.kind })))("$kind", ({ type, kind }) => {
  test("deletes old rows in batches, and no new rows", async () => {
    for (const { table, insert } of KINDS[kind] ?? []) {
      const before = await rowsOf(table);
      await fill(insert, OLD_ROWS, Date.now() - LONG_AGO_MS);
      await fill(insert, FRESH_ROWS, Date.now());
      const batches: number[] = [];
      let next: unknown = "again";
      while (next === "again") {
        const removed = await effect(type);
        batches.push(removed);
        next = await type.run(undefined as never, {} as never, removed as never);
      }
      expect(batches.reduce((sum, n) => sum + n)).toBe(OLD_ROWS);
      expect(Math.max(...batches)).toBeLessThanOrEqual(RETENTION_ROWS_MAX);
      expect(await rowsOf(table)).toBe(before + FRESH_ROWS);
    }
  });
});

test("does not wait for a batch that has not ended", async () => {
  for (const { insert } of Object.values(KINDS).flat()) {
    await fill(insert, 20, Date.now() - LONG_AGO_MS);
  }
  const client = new pg.Client({
    ...inject("database").owner,
    database: world.database.app.database,
  });
  await client.connect();
  try {
    await client.query("begin");
    const system = async (text: string, values: unknown[]) =>
      (await client.query(text, values)).rows;
    const within = Object.create(world.kernel, { db: { value: { system } } });
    for (const type of JOBS) expect(await effect(type, within)).toBeGreaterThan(0);
    const once = { "idempotency-key": "while-it-prunes" };
    expect(await owner("POST /api/v1/notes", { title: "Meanwhile", body: "" }, once)).toMatchObject(
      {
        status: 201,
      },
    );
    const message = { type: "x", payload: {}, deduplicationKey: "while it prunes" };
    const publish = "POST /api/v1/events/topics/kept/publish";
    expect(await owner(publish, message)).toMatchObject({ status: 201 });
    const notice = { userIds: [owner.userId], title: "Meanwhile", body: "" };
    expect(await owner("POST /api/v1/notifications", notice)).toMatchObject({ status: 201 });
    const token = { name: "Meanwhile", expiresIn: "90d", scopes: ["audit:read"] };
    expect(await owner("POST /api/v1/auth/tokens", token)).toMatchObject({ status: 201 });
  } finally {
    await client.end();
  }
});
