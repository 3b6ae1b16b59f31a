import Type, { type Static } from "typebox";
import { authorityOf } from "#domains/identity/accounts/index.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import { event } from "#kernel/log/event.ts";
import { invalidField, NotFound, Failure } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { item, noContent } from "#kernel/operation/response.ts";
import { line, nullable, object, Time } from "#kernel/schema/schema.ts";
import { AuthSchema } from "../auth.ts";
import { parseConnectorInput } from "../connector-input.ts";
import { ConnectorId, connectorRef } from "../connector.ts";
import { ConnectorsRead, ConnectorsWrite } from "../permissions.ts";
import { connectorStore, type StoredConnector } from "../store.ts";
import {
  type EnvironmentCredentials,
  listEnvironmentCredentials,
  mergeConfig,
  toSealedId,
} from "./environment-credentials.ts";

const Environment = Type.Enum(["staging", "development"]);

const ConnectorEnvironment = Type.Object(
  {
    environment: Environment,
    auth: AuthSchema,
    baseUrl: nullable(Type.String()),
    parameters: nullable(Type.Record(Type.String(), Type.Unknown())),
    savedBy: Type.String(),
    updatedAt: Time,
  },
  { title: "ConnectorEnvironment" },
);

const data = Type.Object({ connectorId: Type.String(), environment: Environment });
export const EnvironmentCredentialsSet = event("connector.environment_set", {
  resource: "connector",
  summary:
    "The credentials of a connector were set in an environment. The event does not contain them.",
  data,
});
export const EnvironmentCredentialsRemoved = event("connector.environment_removed", {
  resource: "connector",
  summary: "The credentials of a connector were deleted in an environment.",
  data,
});

const ById = object({ id: ConnectorId });
const ByEnvironment = object({ id: ConnectorId, environment: Environment });
const example = { params: { id: "con_01jd0000000000000000000000" } };
const exampleThere = { params: { ...example.params, environment: "staging" as const } };

function toItem(row: EnvironmentCredentials): Static<typeof ConnectorEnvironment> {
  const { environment, auth, baseUrl, parameters, savedBy, updatedAt } = row;
  return {
    environment,
    auth,
    baseUrl,
    parameters,
    savedBy,
    updatedAt: new Date(updatedAt).toISOString(),
  };
}

export const listConnectorEnvironments = query({
  id: "connectors.environments",
  route: "GET /api/v1/connectors/{id}/environments",
  summary: "List the environments of a connector",
  permission: ConnectorsRead,
  environmentScoped: false,
  params: ById,
  response: item(
    Type.Object(
      { environments: Type.Array(ConnectorEnvironment, { maxItems: 2 }) },
      { title: "ConnectorEnvironments" },
    ),
  ),
  example,
  async run({ tx }, { params }) {
    await connectorStore.get(tx, params.id);
    return { environments: (await listEnvironmentCredentials(tx, params.id)).map(toItem) };
  },
});

const SET = `
  insert into connector_credentials (connector_id, environment, auth, base_url, parameters, sealed, saved_by, permissions,
                                     updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  on conflict (connector_id, environment) do update
     set auth = excluded.auth, base_url = excluded.base_url, parameters = excluded.parameters, sealed = excluded.sealed,
         saved_by = excluded.saved_by, permissions = excluded.permissions, updated_at = excluded.updated_at,
         revision = connector_credentials.revision + 1`;

export const setConnectorEnvironment = command({
  id: "connectors.set_environment",
  effect: "drastic",
  route: "PUT /api/v1/connectors/{id}/environments/{environment}",
  summary: "Set the credentials of a connector in an environment",
  description:
    "Runs in that environment use these credentials, and the URL if given, instead of the production credentials. With `ownCredentialsOnly` in its configuration, a connector can't be used in an environment without its own credentials.",
  permission: ConnectorsWrite,
  environmentScoped: false,
  params: ByEnvironment,
  body: object({
    auth: AuthSchema,
    baseUrl: Type.Optional(line(2_048, "URL in this environment")),
    parameters: Type.Optional(Type.Record(Type.String(), line(500), { maxProperties: 8 })),
  }),
  response: item(ConnectorEnvironment),
  emits: [EnvironmentCredentialsSet],
  example: {
    ...exampleThere,
    body: {
      auth: { kind: "bearer", token: "{{secrets.CRM_STAGING_TOKEN}}" },
      baseUrl: "https://staging.crm.example.com/api",
    },
  },
  async prepare(platform, { params: { id, environment }, body }, caller) {
    if (body.auth.kind === "oauth2_authorization_code")
      throw invalidField(
        "/auth/kind",
        "requires a separate connector, because a connector can have only one consent",
      );
    const partition = partitionOfCaller(caller);
    const { connector, before } = await platform.db.read(partition, async (tx) => ({
      connector: await connectorStore.get(tx, id),
      before: (await listEnvironmentCredentials(tx, id)).find(
        (one) => one.environment === environment,
      ),
    }));
    const { baseUrl = null, parameters = null } = body;
    const config = mergeConfig(connector, { baseUrl, parameters });
    // Masks refer to values entered for the current address of the environment.
    const stored = before && {
      ...connector,
      ...before,
      config: mergeConfig(connector, before),
    };
    const input = await parseConnectorInput(
      platform,
      caller,
      {
        id: toSealedId(id, environment),
        type: connector.type,
        config,
        auth: body.auth,
        environment,
        readsDocument: false,
      },
      stored as unknown as StoredConnector | undefined,
    );
    return { input, baseUrl, parameters };
  },
  async run(ctx, { params: { id, environment } }, { input, baseUrl, parameters }) {
    const connector = await connectorStore.lock(ctx.tx, id);
    ctx.expectRevision(connector.revision);
    const { runAs: savedBy, permissions } = authorityOf(ctx.caller);
    void ctx.send(SET, [
      id,
      environment,
      JSON.stringify(input.auth),
      baseUrl,
      parameters === null ? null : JSON.stringify(parameters),
      input.sealed,
      savedBy,
      permissions ? [...permissions] : null,
      ctx.now,
    ]);
    ctx.emit(EnvironmentCredentialsSet, connectorRef(connector), { connectorId: id, environment });
    const updatedAt = ctx.now.toISOString();
    return { environment, auth: input.auth, baseUrl, parameters, savedBy, updatedAt };
  },
});

const REMOVE =
  "delete from connector_credentials where connector_id = $1 and environment = $2 returning environment";

export const removeConnectorEnvironment = command({
  id: "connectors.remove_environment",
  route: "DELETE /api/v1/connectors/{id}/environments/{environment}",
  summary: "Delete the credentials of a connector in an environment",
  permission: ConnectorsWrite,
  environmentScoped: false,
  params: ByEnvironment,
  response: noContent(),
  emits: [EnvironmentCredentialsRemoved],
  example: exampleThere,
  async run(ctx, { params: { id, environment } }) {
    const connector = await connectorStore.lock(ctx.tx, id);
    ctx.expectRevision(connector.revision);
    const rows = await ctx.send(REMOVE, [id, environment]);
    if (rows.length === 0) throw new Failure(NotFound);
    const ref = connectorRef(connector);
    ctx.emit(EnvironmentCredentialsRemoved, ref, { connectorId: id, environment });
  },
});
