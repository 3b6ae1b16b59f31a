/**
 * Connectors in packs. Credentials are names of secrets; a literal credential is not exported, and is shown as
 * `***`.
 */
import Type from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import { packContent } from "#kernel/contributions/pack-content.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { object } from "#kernel/schema/schema.ts";
import { AuthSchema } from "./auth.ts";
import { Config, Name, TypeName } from "./connector.ts";
import { ConnectorsWrite } from "./permissions.ts";
import { connectors } from "./resource.ts";
import { connectorStore, type StoredConnector } from "./store.ts";

const NO_AUTH = { kind: "none" as const };

export const connectorContent = packContent({
  kind: "connectors",
  permission: ConnectorsWrite,
  environmentScoped: false,
  schema: object(
    { name: Name, type: TypeName, config: Config, auth: Type.Optional(AuthSchema) },
    { title: "PackConnector" },
  ),
  keyOf: ({ name }) => name,
  async prepare(platform, { name, type, config, auth = NO_AUTH }, caller) {
    const place = { ...partitionOfCaller(caller), environment: "production" as const };
    const before = await platform.db.read(place, (tx) => findByName(tx, name));
    if (before && before.type !== type) {
      throw invalidField(
        "/type",
        "is different from the type of the existing connector with this name",
      );
    }
    const input = { name, type, config, auth };
    return connectors.declaration.prepare?.(platform, input, caller, before);
  },
  find: async ({ tx }, { name }) => (await findByName(tx, name))?.id,
  async read({ tx }, id) {
    const connector = await connectorStore.find(tx, id);
    return connector && toContent(connector);
  },
  create: async (ctx, { auth = NO_AUTH, ...content }, prepared) =>
    (await connectors.create(ctx, { ...content, auth }, prepared)).id,
  async replace(ctx, id, { name, config, auth = NO_AUTH }, prepared) {
    await connectors.update(ctx, id, { name, config, auth }, prepared ? { prepared } : {});
    return id;
  },
  remove: connectors.remove,
  source: {
    list: async ({ tx }, limit) =>
      (await connectorStore.select(tx, `true order by id limit ${limit}`, [])).map(({ id }) => id),
    async toContent({ tx }, id) {
      const connector = await connectorStore.find(tx, id);
      return connector && toContent(connector);
    },
  },
});

/** Returns undefined if two connectors have the same name, because the reference is ambiguous. */
async function findByName(tx: Tx, name: string): Promise<StoredConnector | undefined> {
  const [first, second] = await connectorStore.select(tx, "name = $1 order by id limit 2", [name]);
  return second ? undefined : first;
}

function toContent({ name, type, config, auth }: StoredConnector): object {
  return { name, type, config, auth };
}
