import Type from "typebox";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, noContent, item, page, withRevision } from "#kernel/operation/response.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import { SecretCreated, SecretDeleted, SecretUpdated } from "./secret.ts";
import { SecretsRead, SecretsWrite } from "./secret.ts";
import {
  Description,
  EnvironmentWithOwn,
  Name,
  OwnValuesOnly,
  Secret,
  SecretEnvironmentRemoved,
  SecretEnvironmentSet,
  SecretExists,
  Value,
} from "./secret.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

const ByName = object({ name: Name });
const ByEnvironment = object({ name: Name, environment: EnvironmentWithOwn });
const example = { params: { name: "BILLING_API_KEY" } };
const exampleThere = { params: { ...example.params, environment: "staging" as const } };
const LIST = "secrets by name";

export const listSecrets = query({
  id: "secrets.list",
  route: "GET /api/v1/secrets",
  summary: "List the secrets by name, without their values",
  permission: SecretsRead,
  query: object(pageQuery),
  response: page(withRevision(Secret)),
  async run({ tx, services }, { query: { limit, after } }) {
    const [name = ""] = after === undefined ? [] : services.cursors.decode(LIST, after);
    const rows = await store.list(tx, { after: String(name), limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (row) => row,
      (row) => services.cursors.encode(LIST, [row.name]),
    );
  },
});

export const createSecret = command({
  id: "secrets.create",
  effect: "drastic",
  route: "POST /api/v1/secrets",
  summary: "Store a secret",
  description:
    "It belongs to the whole workspace. Refer to it as `{{secrets.NAME}}`. The value is production's, and that of " +
    "environments without one of their own, unless `ownValuesOnly` keeps it from them. The default of `ownValuesOnly` " +
    "is the workspace's setting `ownEnvironmentValues`.",
  permission: SecretsWrite,
  body: object({
    name: Name,
    value: Value,
    description: Type.Optional(Description),
    ownValuesOnly: Type.Optional(OwnValuesOnly),
  }),
  response: created(Secret, { location: ({ name }) => `/api/v1/secrets/${name}` }),
  emits: [SecretCreated],
  fails: [SecretExists],
  example: {
    body: {
      name: "BILLING_API_KEY",
      value: "sk_live_9a41c0d2e7",
      description: "For the billing connector",
    },
  },
  prepare: (platform, { body }, caller) => service.sealValue(platform, caller, body),
  run: (ctx, { body }, sealed) => service.create(ctx, body, sealed),
});

export const getSecret = query({
  id: "secrets.get",
  route: "GET /api/v1/secrets/{name}",
  summary: "Read what may be known of a secret, which its value is not",
  permission: SecretsRead,
  params: ByName,
  response: item(Secret),
  example,
  run: ({ tx }, { params }) => store.get(tx, params.name),
});

export const rotateSecret = command({
  id: "secrets.rotate",
  effect: "drastic",
  route: "PUT /api/v1/secrets/{name}",
  summary: "Give a secret a new value",
  description:
    "Effective at once for everything that refers to it, on every node. Without a `description` " +
    "the old one stays.",
  permission: SecretsWrite,
  params: ByName,
  body: object({ value: Value, description: Type.Optional(Description) }),
  response: item(Secret),
  emits: [SecretUpdated],
  example: { ...example, body: { value: "sk_live_1f7b22c9d0" } },
  prepare: (platform, { params, body }, caller) =>
    service.sealValue(platform, caller, { name: params.name, value: body.value }),
  run: (ctx, { params, body: { value: _, ...body } }, sealed) =>
    service.rotate(ctx, params.name, { ...body, sealed }),
});

export const updateSecret = command({
  id: "secrets.update",
  effect: "drastic",
  route: "PATCH /api/v1/secrets/{name}",
  summary: "Change what is known of a secret",
  description: "With `ownValuesOnly` its value stays in production.",
  permission: SecretsWrite,
  params: ByName,
  body: patch({ description: Description, ownValuesOnly: OwnValuesOnly }),
  response: item(Secret),
  emits: [SecretUpdated],
  allowNoop: true,
  example: { ...example, body: { ownValuesOnly: true } },
  run: (ctx, { params, body }) => service.update(ctx, params.name, body),
});

export const setSecretEnvironment = command({
  id: "secrets.set_environment",
  effect: "drastic",
  route: "PUT /api/v1/secrets/{name}/environments/{environment}",
  summary: "Give a secret a value of its own in an environment",
  description:
    "Whatever happens in that environment uses it, in the place of the secret's own, which is that of production. " +
    "Effective at once, on every node.",
  permission: SecretsWrite,
  params: ByEnvironment,
  body: object({ value: Value }),
  response: item(Secret),
  emits: [SecretEnvironmentSet],
  example: { ...exampleThere, body: { value: "sk_test_5d02aa7be1" } },
  prepare: (platform, { params, body }, caller) =>
    service.sealValue(platform, caller, { ...params, ...body }),
  run: (ctx, { params }, sealed) => service.setEnvironment(ctx, params, sealed),
});

export const removeSecretEnvironment = command({
  id: "secrets.remove_environment",
  route: "DELETE /api/v1/secrets/{name}/environments/{environment}",
  summary: "Take from a secret its value in an environment",
  description: "From then on it has that of production there, or none with `ownValuesOnly`.",
  permission: SecretsWrite,
  params: ByEnvironment,
  response: noContent(),
  emits: [SecretEnvironmentRemoved],
  example: exampleThere,
  run: (ctx, { params }) => service.removeEnvironment(ctx, params),
});

export const deleteSecret = command({
  id: "secrets.delete",
  route: "DELETE /api/v1/secrets/{name}",
  summary: "Delete a secret",
  description: "What still refers to it fails with `unknown_secret` from then on.",
  permission: SecretsWrite,
  params: ByName,
  response: noContent(),
  emits: [SecretDeleted],
  example,
  run: (ctx, { params }) => service.remove(ctx, params.name),
});
