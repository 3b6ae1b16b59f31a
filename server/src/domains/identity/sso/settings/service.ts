import { isDeepStrictEqual } from "node:util";
import { open, seal } from "#kernel/access/crypto.ts";
import { userIdOf, type WorkspaceRef } from "#kernel/access/caller.ts";
import type { PlatformServices, ReadContext, WriteContext } from "#kernel/contract.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { publicEndpointUrls } from "../endpoint-urls.ts";
import { fingerprintsOf } from "../protocols/certificate.ts";
import {
  type SsoConfiguration,
  type SsoInput,
  NotConfigured,
  SsoUntested,
} from "./configuration.ts";
import { normalizeSsoInput } from "./configuration-input.ts";
import { SsoDeleted, SsoUpdated } from "../events.ts";
import { assertDefaultRole } from "../role.ts";
import * as store from "../store.ts";

type In<C> = C & { readonly workspace: WorkspaceRef };

export async function get(ctx: In<ReadContext>) {
  return toResponse(ctx, await requireConfiguration(store.find(ctx.tx)));
}

/** Replaces the entire configuration: an omitted field is unset. */
export async function save(ctx: In<WriteContext<typeof SsoUpdated>>, input: SsoInput) {
  const { tx, services, caller, workspace } = ctx;
  const configuration = normalizeSsoInput(input);
  await assertDefaultRole(tx, configuration.defaultRole);
  const before = await store.lock(tx);
  ctx.expectRevision(before?.revision ?? 0);
  const key = await services.keys.of(workspace.key);
  const { clientSecret } = input;
  const isSame =
    before !== undefined &&
    isDeepStrictEqual(providerOf(before), providerOf(configuration)) &&
    (before.clientSecret && open(key, before.clientSecret, contextOf(workspace.key)).toString()) ===
      (clientSecret ?? null);
  const sealed =
    clientSecret === undefined
      ? null
      : seal(key, Buffer.from(clientSecret), contextOf(workspace.key));
  const after = await store.upsertConfiguration(
    tx,
    { ...configuration, setUpBy: userIdOf(caller) },
    // A test result is valid only for its provider.
    { clientSecret: sealed, trial: isSame ? keepTrial(before, configuration) : null },
    ctx.now,
  );
  ctx.emit(SsoUpdated, configurationRef(workspace), configurationEventData(after));
  return toResponse(ctx, after);
}

/** Enforces it for all members after a successful test, or stops enforcing it. */
export async function enforce(ctx: In<WriteContext<typeof SsoUpdated>>, isEnforced: boolean) {
  const stored = await requireConfiguration(store.lock(ctx.tx));
  ctx.expectRevision(stored.revision);
  if (isEnforced && stored.trial?.succeeded !== true) throw new Failure(SsoUntested);
  const after = await store.setEnforced(ctx.tx, isEnforced, ctx.now);
  ctx.emit(SsoUpdated, configurationRef(ctx.workspace), configurationEventData(after));
  return toResponse(ctx, after);
}

/** Allows password logins again, without a permission check; false if there was no configuration. */
export async function release(
  { tx, now, emit }: Pick<WriteContext<typeof SsoUpdated>, "tx" | "now" | "emit">,
  workspace: Pick<WorkspaceRef, "id">,
): Promise<boolean> {
  const stored = await store.lock(tx);
  if (!stored?.enforceSSO) return false;
  const after = await store.setEnforced(tx, false, now);
  emit(SsoUpdated, configurationRef(workspace), configurationEventData(after));
  return true;
}

export async function remove(ctx: In<WriteContext<typeof SsoDeleted>>): Promise<void> {
  const stored = await requireConfiguration(store.lock(ctx.tx));
  ctx.expectRevision(stored.revision);
  await store.remove(ctx.tx);
  ctx.emit(SsoDeleted, configurationRef(ctx.workspace), configurationEventData(stored));
}

/** Decrypts the client secret, for the one call that needs it. */
export async function openClientSecret(
  { keys }: PlatformServices,
  { key, clientSecret }: store.WorkspaceSso,
): Promise<string> {
  if (!clientSecret) throw new Error("An OIDC configuration has no client secret.");
  return open(await keys.of(key), clientSecret, contextOf(key)).toString();
}

/** A configuration has no separate id, because a workspace has at most one. */
export function configurationRef({ id }: Pick<WorkspaceRef, "id">) {
  return { id, displayName: "Single sign-on" };
}

function contextOf(workspaceKey: string): string {
  return `SSO client secret of ${workspaceKey}`;
}

async function requireConfiguration(
  lookup: Promise<store.StoredConfiguration | undefined>,
): Promise<store.StoredConfiguration> {
  const stored = await lookup;
  if (!stored) throw new Failure(NotConfigured);
  return stored;
}

function toResponse({ caller, workspace }: In<ReadContext>, stored: store.StoredConfiguration) {
  const { protocol, revision, createdAt, updatedAt } = stored;
  const slug = [...(caller.credential?.memberships.values() ?? [])].find(
    (member) => member.workspace.key === workspace.key,
  )?.workspace.slug;
  return {
    protocol,
    ...rulesOf(stored),
    ...stored.provider,
    ...publicEndpointUrls(caller.origin, slug ?? "", protocol),
    test: stored.trial,
    createdAt,
    updatedAt,
    revision,
  };
}

/**
 * Keeps the test result of a configuration if the change does not affect it: a person admitted by the old
 * provisioning rules may not be admitted by the new ones.
 */
function keepTrial(before: store.StoredConfiguration, after: SsoConfiguration) {
  const { trial, jitProvisioning, defaultRole } = before;
  const isByRules = jitProvisioning === after.jitProvisioning && defaultRole === after.defaultRole;
  return isByRules || trial?.account?.kind !== "new" ? trial : null;
}

function providerOf({ protocol, provider }: SsoConfiguration): unknown {
  return JSON.parse(JSON.stringify({ protocol, provider }));
}

function configurationEventData(stored: store.StoredConfiguration) {
  const rules = { protocol: stored.protocol, ...rulesOf(stored) };
  if (stored.protocol === "oidc") return { ...rules, ...stored.provider };
  const { certificate, ...provider } = stored.provider;
  return { ...rules, ...provider, certificateFingerprints: fingerprintsOf(certificate) };
}

function rulesOf({
  jitProvisioning,
  defaultRole,
  enforceSSO,
  clientSecret,
}: store.StoredConfiguration) {
  return { jitProvisioning, defaultRole, enforceSSO, hasClientSecret: clientSecret !== null };
}
