import Type from "typebox";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, noContent, item, page, withRevision } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { SecretCreated, SecretDeleted, SecretUpdated } from "./secret.ts";
import { SecretsRead, SecretsWrite } from "./secret.ts";
import { Description, Name, Secret, SecretExists, Value } from "./secret.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

const ByName = object({ name: Name });
const example = { params: { name: "BILLING_API_KEY" } };
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
  route: "POST /api/v1/secrets",
  summary: "Store a secret",
  description:
    "It belongs to the whole workspace, to all environments. Refer to it as `{{secrets.NAME}}`.",
  permission: SecretsWrite,
  body: object({ name: Name, value: Value, description: Type.Optional(Description) }),
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
