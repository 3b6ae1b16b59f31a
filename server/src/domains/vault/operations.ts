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
  summary: "List secrets by name, without their values",
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
  summary: "Create a secret",
  description:
    "The secret belongs to the whole workspace. Use it as `{{secrets.NAME}}`. The value applies to production and to environments without their own value, unless `ownValuesOnly` is set. The default of `ownValuesOnly` is the workspace setting `ownEnvironmentValues`.",
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
  summary: "Get a secret without its value",
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
  summary: "Rotate the value of a secret",
  description:
    "The new value applies immediately on every node. Without a `description`, the description is kept.",
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
  summary: "Update a secret",
  description: "With `ownValuesOnly`, the value is only used in production.",
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
  summary: "Set the value of a secret in an environment",
  description:
    "Replaces the production value in this environment. Applies immediately on every node.",
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
  summary: "Delete the value of a secret in an environment",
  description:
    "Afterwards the secret has the production value in this environment, or no value with `ownValuesOnly`.",
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
  description: "Everything that still refers to it fails with `unknown_secret`.",
  permission: SecretsWrite,
  params: ByName,
  response: noContent(),
  emits: [SecretDeleted],
  example,
  run: (ctx, { params }) => service.remove(ctx, params.name),
});
