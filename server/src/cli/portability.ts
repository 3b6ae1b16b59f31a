import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { WorkspaceExported } from "#domains/workspaces/index.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { workspaceIdOf } from "#kernel/schema/id.ts";
import { StartupError } from "#kernel/startup-error.ts";
import type pg from "pg";
import { readArchiveFile } from "../portability/archive/reader.ts";
import { openFileSink } from "../portability/archive/sink.ts";
import { exportWorkspace } from "../portability/export-workspace.ts";
import { releaseHeldRows } from "../portability/import/activate-workspace.ts";
import { discardImport } from "../portability/import/discard-import.ts";
import { importWorkspace } from "../portability/import/import-workspace.ts";
import { recordActivation, recordImport } from "../portability/import/record-acts.ts";
import { performAct, withKernel } from "./kernel.ts";

const PASSPHRASE = "MILLRACE_PASSPHRASE";

/** `millrace export-workspace <slug> <path> [--with-secrets]`. */
export function runExportWorkspace(
  env: NodeJS.ProcessEnv,
  { slug, path, withSecrets }: { slug: string; path: string; withSecrets: boolean },
): Promise<string[]> {
  const passphrase = withSecrets ? env[PASSPHRASE] : undefined;
  if (withSecrets && !passphrase)
    throw new StartupError(`Set ${PASSPHRASE}: without it, the secrets can't be decrypted.`);
  const target = resolve(path);
  if (existsSync(target)) throw new StartupError(`${target} already exists.`);
  return withKernel(env, async (kernel, owner) => {
    const { masterKey, blobStores, readerNames } = kernel;
    const openSink = () => openFileSink(target);
    const options = { owner, masterKey, blobStores, readerNames, slug, openSink, passphrase };
    const { workspaceKey, rows, files, bytes, open, unread } = await exportWorkspace(options);
    const count = Array.from(rows.values()).reduce((sum, n) => sum + n, 0);
    await act(kernel, workspaceKey, async ({ emit }) => {
      emit(
        WorkspaceExported,
        { id: workspaceIdOf(workspaceKey) },
        { withSecrets, rows: count, files, bytes },
      );
    });
    return [
      `${target} (${(bytes / 1_000_000).toFixed(1)} MB) contains ${count} rows and ${files} files of ${slug}.`,
      withSecrets
        ? "Its secrets are encrypted with the passphrase. All other data is readable: store the file securely."
        : "It is WITHOUT SECRETS: credentials of connectors, signing keys of webhooks and the signatures of the log.",
      ...describeOpen(open, unread),
      "This installation keeps running. Stop it, or deactivate automations that must not run twice, before you activate the other one.",
    ];
  });
}

function describeOpen(open: ReadonlyMap<string, number>, unread: number): string[] {
  const words = ["runs", "deliveries", "jobs"].flatMap((name) => {
    const count = open.get(name) ?? 0;
    return count === 0 ? [] : [`${count} ${name}`];
  });
  return [
    ...(words.length === 0
      ? []
      : [
          `In progress at the time of the export: ${words.join(", ")}. They continue after the activation.`,
        ]),
    ...(unread === 0
      ? []
      : [
          `${unread} of its last events were not handled yet; only this installation will handle them.`,
        ]),
  ];
}

/** `millrace import-workspace <path> [--slug <slug>] [--activate]`. */
export function runImportWorkspace(
  env: NodeJS.ProcessEnv,
  { path, slug, activate }: { path: string; slug: string | undefined; activate: boolean },
): Promise<string[]> {
  const passphrase = env[PASSPHRASE] || undefined;
  return withKernel(env, async (kernel, owner) => {
    const archive = readArchiveFile(resolve(path));
    const imported = await importWorkspace({ owner, kernel, archive, slug, passphrase });
    await act(kernel, imported.key, (ctx) => recordImport(ctx, imported));
    const whole = `${imported.slug} was imported with its data of ${imported.exportedAt}.`;
    if (activate) return [whole, ...(await activateWorkspace(kernel, owner, imported))];
    return [
      whole,
      "The workspace is paused and read-only. Activate it with `millrace activate-workspace`.",
    ];
  });
}

/** `millrace activate-workspace <slug>`. */
export function runActivateWorkspace(env: NodeJS.ProcessEnv, slug: string): Promise<string[]> {
  return withKernel(env, async (kernel, owner) => {
    const [row] = await kernel.db.system<{ key: string }>(
      "select key from workspaces where slug = $1",
      [slug],
    );
    if (!row) throw new StartupError(`The workspace ${slug} does not exist.`);
    return activateWorkspace(kernel, owner, { key: row.key, slug });
  });
}

async function activateWorkspace(
  kernel: Kernel,
  owner: pg.ClientConfig,
  { key, slug }: { readonly key: string; readonly slug: string },
): Promise<string[]> {
  await releaseHeldRows(owner, kernel, key);
  await act(kernel, key, (ctx) => recordActivation(ctx, { key, slug }));
  return [`${slug} is active: its workflows, SLA clocks and deliveries run here.`];
}

/** `millrace discard-import <slug>`. */
export function runDiscardImport(env: NodeJS.ProcessEnv, slug: string): Promise<string[]> {
  return withKernel(env, async (kernel, owner) => {
    await discardImport(owner, kernel.blobStores, slug);
    return [`The import of ${slug} was discarded.`];
  });
}

function act(
  kernel: Kernel,
  workspace: string,
  run: (ctx: WriteContext) => Promise<void>,
): Promise<void> {
  return performAct(kernel, { workspace, environment: "production" }, run);
}
