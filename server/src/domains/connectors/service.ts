import { isDeepStrictEqual } from "node:util";
import { diffResource } from "#kernel/log/event.ts";
import { Conflict, Failure } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import {
  type Connector,
  type DocumentInfo,
  referTo,
  shownOf,
  TooManyConnectors,
} from "./connector.ts";
import type { ConnectorInput } from "./connector-input.ts";
import {
  ConnectorCreated,
  ConnectorDeleted,
  ConnectorStatusChanged,
  ConnectorUpdated,
} from "./events.ts";
import type { DiscoveredApi } from "./openapi/discovered-action.ts";
import * as store from "./store.ts";

const CONNECTORS_MAX = 1_000;

export async function create(
  ctx: WriteContext<typeof ConnectorCreated>,
  { name, type }: { readonly name: string; readonly type: string },
  { id, config, auth, sealed, discovered }: ConnectorInput,
): Promise<Connector> {
  await store.lockCount(ctx.tx);
  if ((await store.count(ctx.tx)) >= CONNECTORS_MAX) throw new Failure(TooManyConnectors);
  const connector = await store.insert(ctx.tx, {
    id,
    name,
    type,
    config: JSON.stringify(config),
    auth: JSON.stringify(auth),
    sealed,
    document: discovered ? JSON.stringify(infoOf(discovered, ctx.now)) : null,
    created_by: ctx.caller.actor.id,
    created_at: ctx.now,
    updated_at: ctx.now,
  });
  if (discovered) await store.replaceActions(ctx.tx, id, discovered.actions);
  ctx.emit(ConnectorCreated, referTo(connector), shownOf(connector));
  return connector;
}

type Updating = WriteContext<typeof ConnectorUpdated | typeof ConnectorStatusChanged>;

export interface Change {
  readonly id: string;
  readonly name?: string;
  readonly draft?: ConnectorInput;
  /** The revision that it was prepared from. */
  readonly from: number;
}

/** Changes a connector. What another configuration is worth nobody knows yet: its status is forgotten. */
export async function update(ctx: Updating, { id, name, draft, from }: Change): Promise<Connector> {
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  // The masks of the draft stand for what there was when it was made.
  if (draft) assertUnchanged(before, from);
  const differs = draft !== undefined && isOther(before, draft);
  const discovered = draft?.discovered;
  const after = await store.update(ctx.tx, id, {
    ...(name !== undefined && { name }),
    ...(draft && {
      config: JSON.stringify(draft.config),
      auth: JSON.stringify(draft.auth),
      sealed: draft.sealed,
    }),
    ...(discovered && { document: JSON.stringify(infoOf(discovered, ctx.now)) }),
    ...(differs && { failures: 0, retry_at: null }),
    ...(differs && before.status !== "unknown" && unknownStatus(ctx.now)),
    updated_at: ctx.now,
  });
  if (discovered) await store.replaceActions(ctx.tx, id, discovered.actions);
  const { changes, ...states } = diffResource(shownOf(before), shownOf(after));
  const unseen = [
    ...(draft?.recredentialed ? ["credentials"] : []),
    ...(discovered ? ["actions"] : []),
  ];
  ctx.emit(ConnectorUpdated, referTo(after), {
    ...states,
    changes: [...changes.filter((field) => !STATUS_FIELDS.has(field)), ...unseen],
  });
  tellStatus(ctx, before, after, CHANGED);
  return after;
}

/** Tells of another status, if it is another. */
export function tellStatus(
  ctx: WriteContext<typeof ConnectorStatusChanged>,
  before: Connector,
  after: Connector,
  reason: string,
): void {
  if (before.status === after.status) return;
  const data = { before: shownOf(before), after: shownOf(after), changes: ["status"], reason };
  ctx.emit(ConnectorStatusChanged, referTo(after), data);
}

/** Puts the actions that were read anew in place of the former ones. */
export async function refresh(
  ctx: WriteContext<typeof ConnectorUpdated>,
  { id, from }: Pick<Change, "id" | "from">,
  discovered: DiscoveredApi,
): Promise<Connector> {
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  assertUnchanged(before, from);
  const document = JSON.stringify(infoOf(discovered, ctx.now));
  const after = await store.update(ctx.tx, id, { document, updated_at: ctx.now });
  await store.replaceActions(ctx.tx, id, discovered.actions);
  const { changes, ...states } = diffResource(shownOf(before), shownOf(after));
  ctx.emit(ConnectorUpdated, referTo(after), { ...states, changes: [...changes, "actions"] });
  return after;
}

export async function remove(
  ctx: WriteContext<typeof ConnectorDeleted>,
  id: string,
): Promise<void> {
  const connector = await store.lock(ctx.tx, id);
  ctx.expectRevision(connector.revision);
  await store.remove(ctx.tx, id);
  ctx.emit(ConnectorDeleted, referTo(connector), shownOf(connector));
}

function assertUnchanged({ revision }: Connector, from: number): void {
  if (revision === from) return;
  throw new Failure(Conflict, { detail: "It was changed meanwhile; try again." });
}

const CHANGED = "It was changed.";
const STATUS_FIELDS = new Set(["status", "statusReason", "statusChangedAt"]);

function unknownStatus(now: Date) {
  return { status: "unknown", status_reason: CHANGED, status_changed_at: now };
}

function isOther(
  before: Connector,
  { config, auth, recredentialed, discovered }: ConnectorInput,
): boolean {
  const same = isDeepStrictEqual(before.config, config) && isDeepStrictEqual(before.auth, auth);
  return !same || recredentialed || discovered !== undefined;
}

function infoOf({ actions, ...about }: DiscoveredApi, now: Date): DocumentInfo {
  return { ...about, actions: actions.length, readAt: now.toISOString() };
}
