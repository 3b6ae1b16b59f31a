import {
  connector,
  isFound,
  type PaletteEntry,
  type PaletteSource,
} from "#domains/workflows/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { ConnectorsRead } from "../permissions.ts";
import { type ConnectorName, listActionNames, listConnectorNames } from "../store.ts";
import { connectorTypeOf } from "../types/registry.ts";
import { listContributedActions } from "./contributed-actions.ts";

const CONNECTORS_MAX = 500;
/** The most actions of one connector; a search finds the rest. */
const ACTIONS_MAX = 200;

/** The actions of all connectors as steps. */
export const connectorEntries: PaletteSource = {
  permission: ConnectorsRead,
  async list(ctx, search) {
    const all = await listConnectorNames(ctx.tx, CONNECTORS_MAX);
    const entries: PaletteEntry[] = [];
    for (const one of all) {
      if (entries.length >= search.limit) break;
      const actions = await listActions(ctx, one);
      const found = actions.filter(({ name, summary }) =>
        isFound(search, name, summary, one.name, `${one.name} ${name}`),
      );
      entries.push(...found.slice(0, ACTIONS_MAX).map((action) => toEntry(one, action)));
    }
    return entries;
  },
};

interface Action {
  readonly name: string;
  readonly summary: string;
}

/** Sorted by name; on a name conflict, the connector's own action is used. */
async function listActions(
  { tx, services }: ReadContext,
  one: ConnectorName,
): Promise<readonly Action[]> {
  const { actions, documented, catalogued } = connectorTypeOf(one.type);
  const own = actions.filter(
    ({ isOffered }) => isOffered?.(one.config as never, one.auth as never) ?? true,
  );
  const discovered = documented ? await listActionNames(tx, one.id) : [];
  const added = await listContributedActions(tx, services, one);
  const known = catalogued?.actions(one.config as never).values() ?? [];
  const all: readonly Action[] = [
    ...own,
    ...discovered,
    ...known,
    ...added.map(({ action }) => action),
  ];
  const byName = new Map(all.toReversed().map((action) => [action.name, action]));
  return [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function toEntry({ id, name, type }: ConnectorName, action: Action): PaletteEntry {
  return {
    key: `connector:${id}:${action.name}`,
    kind: "connector",
    type: connector.type,
    title: `${name}: ${action.name}`,
    group: "Connectors",
    icon: connector.form.icon,
    summary: action.summary === "" ? `An action of a ${type} connector` : action.summary,
    of: { id, name },
    config: { connectorId: id, action: action.name, input: {} },
  };
}
