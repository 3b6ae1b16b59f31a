import Type, { type Static } from "typebox";
import type { ReadContext } from "#kernel/contract.ts";
import { connectorStore, listActions } from "../store.ts";
import { connectorTypeOf } from "../types/registry.ts";
import { listContributedActions } from "./contributed-actions.ts";

/** An action in a response. */
export const ActionDescription = Type.Object(
  {
    name: Type.String(),
    summary: Type.String(),
    input: Type.Record(Type.String(), Type.Unknown(), { description: "A JSON Schema" }),
    source: Type.Enum(["type", "document", "added"], {
      description: "Source of the action: the type of the connector, its document, or an addition",
    }),
  },
  { title: "ConnectorAction" },
);
export type ActionDescription = Static<typeof ActionDescription>;

/** Lists the actions of a connector by name, after a given name; of two with the same name, the first is listed. */
export async function listActionsAfter(
  { tx, services }: ReadContext,
  id: string,
  page: { readonly after: string; readonly limit: number },
): Promise<ActionDescription[]> {
  const connector = await connectorStore.get(tx, id);
  const { actions, documented, catalogued } = connectorTypeOf(connector.type);
  const own = actions.filter(
    ({ isOffered: offered }) => offered?.(connector.config as never, connector.auth) ?? true,
  );
  const discovered = documented ? await listActions(tx, id, page) : [];
  const added = await listContributedActions(tx, services, connector);
  const all: ActionDescription[] = [
    ...own.map((one) => describeAction(one, "type")),
    ...discovered.map((one) => describeAction(one, "document")),
    ...[...(catalogued?.actions(connector.config as never).values() ?? [])].map((one) =>
      describeAction(one, "type"),
    ),
    ...added.map(({ action }) => describeAction(action, "added")),
  ];
  const byName = new Map(all.toReversed().map((one) => [one.name, one]));
  return [...byName.values()]
    .filter(({ name }) => name > page.after)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .slice(0, page.limit);
}

/** An action without internal fields. */
export function describeAction(
  {
    name,
    summary,
    input,
  }: { readonly name: string; readonly summary: string; readonly input: object },
  source: ActionDescription["source"],
): ActionDescription {
  return { name, summary, input: { ...input }, source };
}
