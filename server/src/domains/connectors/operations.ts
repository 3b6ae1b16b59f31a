import Type, { type Static } from "typebox";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, noContent, item, page } from "#kernel/operation/response.ts";
import { newId } from "#kernel/schema/id.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import { AUTH_KINDS, AuthSchema, authSchemaOf } from "./auth.ts";
import { parseConnectorInput, requireWorkspace } from "./connector-input.ts";
import {
  Config,
  Connector,
  ConnectorId,
  Name,
  STATUSES,
  TooManyConnectors,
  TypeName,
} from "./connector.ts";
import * as events from "./events.ts";
import { ActionDescription, described } from "./invocation/list-actions.ts";
import { ConnectorsRead, ConnectorsWrite } from "./permissions.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";
import { CONNECTOR_TYPES } from "./types/registry.ts";

const JsonSchema = Type.Record(Type.String(), Type.Unknown(), { description: "A JSON Schema" });

/** A type of connectors, as a console needs it to draw a form. */
export const ConnectorTypeDescription = Type.Object(
  {
    type: Type.String(),
    summary: Type.String(),
    config: JsonSchema,
    auth: Type.Array(Type.Object({ kind: Type.Enum([...AUTH_KINDS]), schema: JsonSchema })),
    actions: Type.Array(ActionDescription),
    documented: Type.Boolean({ description: "Whether its connectors find actions in a document" }),
  },
  { title: "ConnectorType" },
);

/** What there is to connect to, by name. */
export function catalog(): Static<typeof ConnectorTypeDescription>[] {
  return CONNECTOR_TYPES.map(({ type, summary, config, authKinds, actions, documented }) => ({
    type,
    summary,
    config: { ...config },
    auth: authKinds.map((kind) => ({ kind, schema: { ...authSchemaOf(kind) } })),
    actions: actions.map((action) => described(action, "type")),
    documented: documented !== undefined,
  })).toSorted((one, other) => (one.type < other.type ? -1 : 1));
}

const ById = object({ id: ConnectorId });
const example = { params: { id: "con_01jd0000000000000000000000" } };
const LIST = "connectors, newest first";
const TYPES = "types of connectors";
/** Greater than every id. */
const AFTER_ALL = "~";
/** An OpenAPI document is among what may be sent. */
const BODY_BYTES_MAX = 8 * 1024 * 1024;

export const listConnectors = query({
  id: "connectors.list",
  route: "GET /api/v1/connectors",
  summary: "List the connectors, newest first",
  permission: ConnectorsRead,
  query: object({
    ...pageQuery,
    type: Type.Optional(TypeName),
    status: Type.Optional(Type.Enum([...STATUSES])),
  }),
  response: page(Connector),
  async run({ tx, services }, { query: { limit, after, ...filter } }) {
    const [start = AFTER_ALL] = after === undefined ? [] : services.cursors.decode(LIST, after);
    const rows = await store.list(tx, { before: String(start), limit: limit + 1, ...filter });
    return toPage(
      rows,
      limit,
      (connector) => connector,
      ({ id }) => services.cursors.encode(LIST, [id]),
    );
  },
});

export const listConnectorTypes = query({
  id: "connectors.types",
  route: "GET /api/v1/connectors/types",
  summary: "List what there is to connect to, with the schemas of configurations and actions",
  permission: ConnectorsRead,
  query: object(pageQuery),
  response: page(ConnectorTypeDescription),
  async run({ services }, { query: { limit, after } }) {
    const [start = ""] = after === undefined ? [] : services.cursors.decode(TYPES, after);
    const rows = catalog().filter(({ type }) => type > String(start));
    return toPage(
      rows.slice(0, limit + 1),
      limit,
      (type) => type,
      ({ type }) => services.cursors.encode(TYPES, [type]),
    );
  },
});

export const createConnector = command({
  id: "connectors.create",
  route: "POST /api/v1/connectors",
  summary: "Add a connector",
  description:
    "It belongs to the workspace, to all environments. Credentials are kept sealed and shown as " +
    "`***`; they may refer to secrets as `{{secrets.NAME}}`, which are shown as they are and looked " +
    "up at each use. Nothing is connected to until it is tested or invoked, but an OpenAPI document " +
    "is read. A workspace has at most 1000.",
  permission: ConnectorsWrite,
  body: object({ name: Name, type: TypeName, config: Config, auth: Type.Optional(AuthSchema) }),
  bodyBytesMax: BODY_BYTES_MAX,
  response: created(Connector, { location: ({ id }) => `/api/v1/connectors/${id}` }),
  emits: [events.ConnectorCreated],
  fails: [TooManyConnectors],
  example: {
    body: {
      name: "CRM",
      type: "http",
      config: { baseUrl: "https://crm.example.com/api/v2", timeoutMs: 5_000 },
      auth: { kind: "bearer", token: "{{secrets.CRM_TOKEN}}" },
    },
  },
  prepare: (platform, { body }, caller) =>
    parseConnectorInput(platform, caller, {
      id: newId("con", platform.clock.nowMs()),
      type: body.type,
      config: body.config,
      auth: body.auth ?? { kind: "none" },
      reads: true,
    }),
  run: (ctx, { body }, draft) => service.create(ctx, body, draft),
});

export const getConnector = query({
  id: "connectors.get",
  route: "GET /api/v1/connectors/{id}",
  summary: "Read a connector",
  permission: ConnectorsRead,
  params: ById,
  response: item(Connector),
  example,
  run: ({ tx }, { params }) => store.get(tx, params.id),
});

export const updateConnector = command({
  id: "connectors.update",
  route: "PATCH /api/v1/connectors/{id}",
  summary: "Change a connector",
  description:
    "`config` and `auth` are each replaced as a whole; a credential that is sent back as `***` stays " +
    "as it is. When one of them differs, the status is `unknown` again, and the breaker closed.",
  permission: ConnectorsWrite,
  params: ById,
  body: patch({ name: Name, config: Config, auth: AuthSchema }),
  bodyBytesMax: BODY_BYTES_MAX,
  response: item(Connector),
  emits: [events.ConnectorUpdated, events.ConnectorStatusChanged],
  example: { ...example, body: { config: { baseUrl: "https://crm.example.com/api/v3" } } },
  async prepare(platform, { params, body: { config, auth } }, caller) {
    const partition = { workspace: requireWorkspace(caller), environment: caller.environment };
    const stored = await platform.db.read(partition, (tx) => store.getGuarded(tx, params.id));
    const { connector } = stored;
    const from = connector.revision;
    if (config === undefined && auth === undefined) return { from };
    const given = {
      id: params.id,
      type: connector.type,
      config: config ?? connector.config,
      auth: auth ?? connector.auth,
      reads: config !== undefined,
    };
    return { from, draft: await parseConnectorInput(platform, caller, given, stored) };
  },
  run: (ctx, { params, body: { name } }, prepared) =>
    service.update(ctx, { id: params.id, ...(name !== undefined && { name }), ...prepared }),
});

export const deleteConnector = command({
  id: "connectors.delete",
  route: "DELETE /api/v1/connectors/{id}",
  summary: "Remove a connector",
  permission: ConnectorsWrite,
  params: ById,
  response: noContent(),
  emits: [events.ConnectorDeleted],
  example,
  run: (ctx, { params }) => service.remove(ctx, params.id),
});
