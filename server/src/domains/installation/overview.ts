import { statfs } from "node:fs/promises";
import Type from "typebox";
import type { Platform } from "#kernel/contract.ts";
import type { Database } from "#kernel/db/database.ts";
import { BEHIND_MAX, listQueues, listReaderLags } from "#kernel/monitor/work-status.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import { PLATFORM_VERSION, publicUrl } from "#kernel/settings.ts";
import { operatorAccess } from "./access.ts";
import { MaintenanceSchema } from "./maintenance.ts";

const Check = Type.Object(
  {
    name: Type.Enum(["readers", "dead_letters", "jobs", "backup", "disk", "transport", "mail"]),
    status: Type.Enum(["ok", "warning", "failing"]),
    detail: Type.String(),
  },
  { title: "HealthCheck" },
);
type Check = { name: CheckName; status: "ok" | "warning" | "failing"; detail: string };
type CheckName = "readers" | "dead_letters" | "jobs" | "backup" | "disk" | "transport" | "mail";

const Installation = Type.Object(
  {
    version: Type.String(),
    node: Type.Object(
      {
        startedAt: Time,
        role: Type.Enum(["all", "api", "worker"]),
        nodeVersion: Type.String(),
        residentBytes: Type.Integer(),
      },
      { description: "The responding process" },
    ),
    database: Type.Object({
      isEmbedded: Type.Boolean(),
      version: Type.String(),
      bytes: Type.Integer(),
      connections: Type.Integer(),
      connectionsMax: Type.Integer(),
      epoch: Type.Integer({
        description: "Increases when a standby takes over or a backup is restored",
      }),
    }),
    migrations: Type.Object({
      applied: Type.Integer(),
      last: nullable(Type.Object({ name: Type.String(), appliedAt: Time })),
    }),
    workspaces: Type.Integer(),
    people: Type.Integer(),
    baseUrl: Type.String(),
    retention: Type.Object({
      eventDays: Type.Integer({ description: "0 for unlimited" }),
      runDays: Type.Integer({ description: "0 for unlimited" }),
      deliveryDays: Type.Integer(),
      mailDays: Type.Integer(),
    }),
    lastBackup: nullable(
      Type.Object({ madeAt: Time, bytes: Type.Integer(), verifiedAt: nullable(Time) }),
    ),
    maintenance: nullable(MaintenanceSchema),
    health: Type.Array(Check),
  },
  { title: "Installation" },
);

const DATABASE = `
  select current_setting('server_version') as version,
         pg_database_size(current_database())::float8 as bytes,
         (select count(*) from pg_stat_activity where datname = current_database())::int as connections,
         current_setting('max_connections')::int as "connectionsMax",
         (select count(*) from workspaces)::int as workspaces,
         (select count(*) from users where status = 'active')::int as people`;
const MIGRATIONS = `
  select count(*) over ()::int as applied, name, applied_at as "appliedAt"
    from migrations order by name desc limit 1`;
const LAST_BACKUP = `
  select finished_at as "madeAt", bytes::float8 as bytes,
         case when verification = 'whole' then verified_at end as "verifiedAt"
    from backups where status = 'made' order by created_at desc limit 1`;

interface DatabaseRow {
  readonly version: string;
  readonly bytes: number;
  readonly connections: number;
  readonly connectionsMax: number;
  readonly workspaces: number;
  readonly people: number;
}
interface BackupRow {
  readonly madeAt: string;
  readonly bytes: number;
  readonly verifiedAt: string | null;
}

export const readInstallation = query({
  id: "installation.read",
  route: "GET /api/v1/installation",
  summary: "Get the state of the installation and its problems",
  ...operatorAccess,
  response: item(Installation),
  prepare: (platform) => describeInstallation(platform),
  run: async (_ctx, _input, found) => found,
});

async function describeInstallation(platform: Platform) {
  const { db, settings, monitor, maintenance, commitFeed } = platform;
  const [[database], [migration], lastBackup] = await Promise.all([
    db.system<DatabaseRow>(DATABASE),
    db.system<{ applied: number; name: string; appliedAt: string }>(MIGRATIONS),
    findLastBackup(db),
  ]);
  if (!database) throw new Error("The database told nothing of itself.");
  const { workspaces, people, ...about } = database;
  return {
    version: PLATFORM_VERSION,
    node: {
      startedAt: monitor.startedAt.toISOString(),
      role: settings.role,
      nodeVersion: process.version,
      residentBytes: process.memoryUsage.rss(),
    },
    database: { ...about, isEmbedded: settings.databaseUrl === undefined, epoch: commitFeed.epoch },
    migrations: {
      applied: migration?.applied ?? 0,
      last: migration ? { name: migration.name, appliedAt: migration.appliedAt } : null,
    },
    workspaces,
    people,
    baseUrl: publicUrl(platform),
    retention: {
      eventDays: settings.eventRetentionDays,
      runDays: settings.runRetentionDays,
      deliveryDays: settings.deliveryRetentionDays,
      mailDays: settings.mailRetentionDays,
    },
    lastBackup,
    maintenance: maintenance.state,
    health: await checkHealth(platform, lastBackup),
  };
}

async function findLastBackup(db: Database): Promise<BackupRow | null> {
  return (await db.system<BackupRow>(LAST_BACKUP))[0] ?? null;
}

const BEHIND_WARNING = 1_000;
const BACKUP_WARNING_HOURS = 26;
const DISK_WARNING_SHARE = 0.15;
const DISK_FAILING_SHARE = 0.05;
const HOUR_MS = 3_600_000;

async function checkHealth(platform: Platform, lastBackup: BackupRow | null): Promise<Check[]> {
  const { db, clock, settings } = platform;
  const [readers, queues, disk] = await Promise.all([
    listReaderLags(db),
    listQueues(db, clock.now()),
    checkDisk(settings.dataDir),
  ]);
  const behind = Math.max(0, ...readers.map((reader) => reader.behind));
  const deadLetters = readers.reduce((sum, reader) => sum + reader.deadLetters, 0);
  const failed = queues.reduce((sum, queue) => sum + queue.failed, 0);
  return [
    {
      name: "readers",
      status: behind >= BEHIND_MAX ? "failing" : behind >= BEHIND_WARNING ? "warning" : "ok",
      detail:
        behind === 0
          ? "All readers are up to date."
          : `The slowest reader is ${behind >= BEHIND_MAX ? "at least " : ""}${behind} events behind.`,
    },
    {
      name: "dead_letters",
      status: deadLetters > 0 ? "warning" : "ok",
      detail: deadLetters === 0 ? "No dead letters." : `${deadLetters} events became dead letters.`,
    },
    {
      name: "jobs",
      status: failed > 0 ? "warning" : "ok",
      detail: failed === 0 ? "No failed jobs." : `${failed} jobs failed all attempts.`,
    },
    ...(settings.databaseUrl === undefined ? [checkBackup(lastBackup, clock.nowMs())] : []),
    ...disk,
    checkTransport(publicUrl(platform)),
    {
      name: "mail",
      status: settings.smtpUrl === undefined ? "warning" : "ok",
      detail:
        settings.smtpUrl === undefined
          ? "Without MILLRACE_SMTP_URL, no e-mails are sent: no invitations, password resets or replies."
          : "A mail server is configured.",
    },
  ];
}

function checkBackup(last: BackupRow | null, nowMs: number): Check {
  const hours = last === null ? Infinity : (nowMs - Date.parse(last.madeAt)) / HOUR_MS;
  const isOld = hours > BACKUP_WARNING_HOURS;
  return {
    name: "backup",
    status: isOld ? "warning" : "ok",
    detail:
      last === null
        ? "No backup was created here. Backups from the command line are not listed."
        : `The last backup is ${Math.max(0, Math.round(hours))} hours old${last.verifiedAt === null ? " and was not verified" : ""}.`,
  };
}

/** Empty if the folder is not on a local disk. */
async function checkDisk(folder: string): Promise<Check[]> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    const share = blocks === 0 ? 1 : bavail / blocks;
    const status =
      share < DISK_FAILING_SHARE ? "failing" : share < DISK_WARNING_SHARE ? "warning" : "ok";
    const free = Math.round((bavail * bsize) / 1e9);
    return [
      { name: "disk", status, detail: `${free} GB are free on the disk of the data folder.` },
    ];
  } catch {
    return [];
  }
}

function checkTransport(url: string): Check {
  const { protocol, hostname } = new URL(url);
  const isSafe = protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  return {
    name: "transport",
    status: isSafe ? "ok" : "warning",
    detail: isSafe
      ? `The public URL is ${url}.`
      : `${url} is not encrypted. Use a proxy with TLS, and set MILLRACE_BASE_URL.`,
  };
}
