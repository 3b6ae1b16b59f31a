import { authorityOf } from "#domains/identity/accounts/index.ts";
import { isDeepStrictEqual } from "node:util";
import Type from "typebox";
import type { WriteContext } from "#kernel/contract.ts";
import { diffResource } from "#kernel/log/event.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { Conflict, Failure, invalidField } from "#kernel/operation/failure.ts";
import { resource } from "#kernel/resource/resource.ts";
import { newId } from "#kernel/schema/id.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import { AuthSchema } from "./auth.ts";
import { findOtherDestination } from "./destination.ts";
import { listEnvironmentCredentials, mergeConfig } from "./environments/environment-credentials.ts";
import { type ConnectorInput, parseConnectorInput } from "./connector-input.ts";
import {
  Config,
  ConnectorData,
  connectorRef,
  type DocumentInfo,
  Name,
  CONNECTOR_STATUSES,
  ServerMoved,
  toConnectorData,
  TooManyConnectors,
  TypeName,
} from "./connector.ts";
import { ConsentWithdrawn } from "./consent/events.ts";
import { ConnectorStatusChanged, emitStatusChange } from "./events.ts";
import type { DiscoveredApi } from "./openapi/discovered-action.ts";
import { ConnectorsRead, ConnectorsWrite } from "./permissions.ts";
import { connectorTypeOf } from "./types/registry.ts";
import { connectorStore, connectorTable, replaceActions, type StoredConnector } from "./store.ts";

const CONNECTORS_MAX = 1_000;
/** The body limit; a request may contain an OpenAPI document. */
const BODY_BYTES_MAX = 8 * 1024 * 1024;
const CHANGED = "The connector was changed.";
const STATUS_FIELDS = new Set(["status", "statusReason", "statusChangedAt"]);

export const connectors = resource({
  ...connectorTable,
  name: "connector",
  plural: "connectors",
  effect: "drastic",
  path: "/api/v1/connectors",
  idPrefix: "con",
  eventSchema: ConnectorData,
  input: object({ name: Name, type: TypeName, config: Config, auth: Type.Optional(AuthSchema) }),
  change: patch({ name: Name, config: Config, auth: AuthSchema }),
  permissions: { read: ConnectorsRead, write: ConnectorsWrite },
  list: {
    order: "-id",
    search: ["name"],
    filters: {
      type: Type.Optional(TypeName),
      status: Type.Optional(Type.Enum([...CONNECTOR_STATUSES])),
    },
  },
  limit: { max: CONNECTORS_MAX, failure: TooManyConnectors },
  emits: { update: [ConnectorStatusChanged, ConsentWithdrawn] },
  async prepare(platform, { type = "", config, auth }, caller, before) {
    // Masks in the input refer to the current values.
    if (before && config === undefined && auth === undefined) return undefined;
    const body = {
      id: before?.id ?? newId("con", platform.clock.nowMs()),
      type: before?.type ?? type,
      config: config ?? before?.config ?? {},
      auth: auth ?? before?.auth ?? ({ kind: "none" } as const),
      readsDocument: config !== undefined,
    };
    return parseConnectorInput(platform, caller, body, before);
  },
  async check({ tx, now, caller }, { name, type }, before, prepared) {
    if (!prepared) return { name };
    if (before) await assertEnvironmentsStay(tx, before, prepared);
    const { id, config, auth, sealed, hasNewCredentials: recredentialed, discovered } = prepared;
    const document = discovered && toDocumentInfo(discovered, now);
    // The secrets in it are resolved with the rights of the member who last changed the destination or the
    // credentials.
    const { runAs: savedBy, permissions } = authorityOf(caller);
    const saver = { savedBy, permissions: permissions && [...permissions] };
    if (!before) return { id, name, type, config, auth, sealed, document, ...saver };
    return {
      name,
      config,
      auth,
      document,
      ...(recredentialed && { sealed }),
      ...(isOther(before, prepared) && { ...resetStatus(before, now), ...saver }),
    };
  },
  async afterWrite(ctx, connector, before, prepared) {
    const { discovered } = prepared ?? {};
    if (discovered) await replaceActions(ctx.tx, connector.id, discovered.actions);
    if (before && (discovered || leadsElsewhere(before, connector)))
      await endConsent(ctx, connector);
    if (before) emitStatusChange(ctx, before, connector, CHANGED);
  },
  changes: (fields, prepared) => [
    ...fields.filter((field) => !STATUS_FIELDS.has(field)),
    ...(prepared?.hasNewCredentials ? ["credentials"] : []),
    ...(prepared?.discovered ? ["actions"] : []),
  ],
  operations: {
    create: {
      summary: "Create a connector",
      description:
        "The connector belongs to the workspace and is available in all environments. Credentials are encrypted and returned as `***`; they can refer to secrets as `{{secrets.NAME}}`, which are returned unchanged and resolved at each use. Creating a connector does not connect to the other system, but it loads an OpenAPI document. A workspace can have at most 1,000 connectors.",
      bodyBytesMax: BODY_BYTES_MAX,
    },
    update: {
      description:
        "Replaces the whole `config` or `auth`; a credential sent as `***` is not changed. If a field changes that determines the recipient of credentials (URL, port, TLS, preset and its parameters), credentials must be sent again, except `{{secrets.NAME}}`. A changed `config` or `auth` resets the status to `unknown` and closes the circuit breaker.",
      bodyBytesMax: BODY_BYTES_MAX,
    },
    delete: { summary: "Delete a connector" },
  },
  docs: {
    noun: "a connector",
    nouns: "connectors, newest first",
    events: {
      created: "A connector was created.",
      updated:
        "A connector was updated, or its document was reloaded. `changes` contains `credentials` if only hidden values changed, and `actions` if the actions were reloaded.",
      deleted: "A connector was deleted.",
    },
    examples: {
      id: "con_01jd0000000000000000000000",
      input: {
        name: "CRM",
        type: "http",
        config: { baseUrl: "https://crm.example.com/api/v2", timeoutMs: 5_000 },
        auth: { kind: "bearer", token: "{{secrets.CRM_TOKEN}}" },
      },
      change: { config: { baseUrl: "https://crm.example.com/api/v3" } },
    },
  },
});

/** Replaces the actions with those of a document that was read again. */
export async function refreshActions(
  ctx: WriteContext<typeof connectors.events.updated>,
  { id, revision }: Pick<StoredConnector, "id" | "revision">,
  discovered: DiscoveredApi,
): Promise<StoredConnector> {
  const before = await connectorStore.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  if (before.revision !== revision) {
    throw new Failure(Conflict, { detail: "Another request changed the connector. Try again." });
  }
  assertSameServer(before, discovered);
  const document = toDocumentInfo(discovered, ctx.now);
  const updatedAt = ctx.now.toISOString();
  const after = await connectorStore.update(ctx.tx, id, { document, updatedAt });
  await replaceActions(ctx.tx, id, discovered.actions);
  const { changes, ...states } = diffResource(toConnectorData(before), toConnectorData(after));
  ctx.emit(connectors.events.updated, connectorRef(after), {
    ...states,
    changes: [...changes, "actions"],
  });
  return after;
}

/** Credentials and consents are bound to one server: rejects a refreshed document with another server. */
function assertSameServer({ config, document }: StoredConnector, next: DiscoveredApi): void {
  if (config["baseUrl"] !== undefined || !document?.serverUrl) return;
  const originOf = (url: string | null) => (url === null ? null : (URL.parse(url)?.origin ?? null));
  if (originOf(document.serverUrl) !== originOf(next.serverUrl)) throw new Failure(ServerMoved);
}

/** Returns whether a configuration may change the destination: by its URL, preset, or preset parameter. */
function leadsElsewhere(before: StoredConnector, { config }: Pick<StoredConnector, "config">) {
  const serverUrl = before.document?.serverUrl ?? null;
  const type = connectorTypeOf(before.type);
  return findOtherDestination(type, { ...before, serverUrl }, { config, serverUrl }) !== undefined;
}

/**
 * Rejects an address change that also applies to credentials of staging or development. They were entered for the
 * old address, perhaps by another member, and this request cannot enter them again.
 */
async function assertEnvironmentsStay(
  tx: Tx,
  before: StoredConnector,
  { config, discovered }: ConnectorInput,
): Promise<void> {
  const type = connectorTypeOf(before.type);
  const serverUrl = before.document?.serverUrl ?? null;
  for (const here of await listEnvironmentCredentials(tx, before.id)) {
    if (here.auth.kind === "none") continue;
    const changed = findOtherDestination(
      type,
      { config: mergeConfig(before, here), serverUrl },
      {
        config: mergeConfig({ type: before.type, config }, here),
        serverUrl: discovered ? discovered.serverUrl : serverUrl,
      },
    );
    if (changed === undefined) continue;
    throw invalidField(
      changed,
      `would also change the recipient of the credentials of ${here.environment}: delete them first, or set a URL for this environment`,
    );
  }
}

const END_CONSENT =
  "delete from connector_grants where connector_id = $1 and granted_by <> $2 returning granted_by";

/** Ends a consent by another member, who did not agree to the new destination. */
async function endConsent(
  ctx: WriteContext<typeof ConsentWithdrawn>,
  connector: StoredConnector,
): Promise<void> {
  const { id: connectorId } = connector;
  const [row] = await ctx.send<{ granted_by: string }>(END_CONSENT, [
    connectorId,
    ctx.caller.actor.id,
  ]);
  if (!row) return;
  const data = { connectorId, grantedBy: row.granted_by };
  ctx.emit(ConsentWithdrawn, connectorRef(connector), data);
}

/** Closes the breaker; the status of the new configuration is unknown. */
function resetStatus({ status }: StoredConnector, now: Date) {
  return {
    failures: 0,
    retryAt: null,
    limitedUntil: null,
    ...(status !== "unknown" && {
      status: "unknown" as const,
      statusReason: CHANGED,
      statusChangedAt: now.toISOString(),
    }),
  };
}

function isOther(before: StoredConnector, input: ConnectorInput): boolean {
  const { config, auth, hasNewCredentials: recredentialed, discovered } = input;
  const isSame = isDeepStrictEqual(before.config, config) && isDeepStrictEqual(before.auth, auth);
  return !isSame || recredentialed || discovered !== undefined;
}

function toDocumentInfo({ actions, ...info }: DiscoveredApi, now: Date): DocumentInfo {
  return { ...info, actions: actions.length, readAt: now.toISOString() };
}
