import { sha256 } from "#kernel/access/crypto.ts";
import { diffResource } from "#kernel/log/event.ts";
import { newId } from "#kernel/schema/id.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, noContent, item, page, withRevision } from "#kernel/operation/response.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import {
  Application,
  assertApplicationFields,
  ClientId,
  applicationFields,
  newClientSecret,
  RegisteredApplication,
} from "./application.ts";
import * as store from "./store.ts";
import {
  ApplicationCreated,
  ApplicationDeleted,
  ApplicationSecretRotated,
  ApplicationUpdated,
} from "./application.ts";
import { ApplicationsRead, ApplicationsWrite } from "./store.ts";

const ByClientId = object({ clientId: ClientId });
const example = { params: { clientId: "oac_01jd0000000000000000000000" } };
const LIST = "oauth applications";

export const createApplication = command({
  id: "oauth.create_application",
  effect: "drastic",
  route: "POST /api/v1/oauth/applications",
  summary: "Register an OAuth application",
  description:
    "`clientSecret` is shown only in this response. For an application that can't keep a secret, omit it and use PKCE.",
  permission: ApplicationsWrite,
  body: object(applicationFields),
  response: created(RegisteredApplication, {
    location: ({ clientId }) => `/api/v1/oauth/applications/${clientId}`,
  }),
  emits: [ApplicationCreated],
  example: {
    body: {
      name: "Desk companion",
      redirectUris: ["https://desk.example.com/callback"],
      allowedScopes: ["profile", "workspaces:read"],
    },
  },
  async run({ tx, now, emit, services }, { body }) {
    assertApplicationFields(body, services.permissions);
    const clientSecret = newClientSecret();
    const application = await store.insert(tx, {
      client_id: newId("oac", now.getTime()),
      name: body.name,
      redirect_uris: body.redirectUris,
      allowed_scopes: body.allowedScopes,
      secret_hash: sha256(clientSecret),
      created_at: now,
      updated_at: now,
    });
    emit(ApplicationCreated, applicationRef(application), applicationEventData(application));
    return { ...application, clientSecret };
  },
});

export const listApplications = query({
  id: "oauth.list_applications",
  route: "GET /api/v1/oauth/applications",
  summary: "List OAuth applications of the workspace, oldest first",
  permission: ApplicationsRead,
  query: object(pageQuery),
  response: page(withRevision(Application)),
  async run({ tx, services }, { query: { limit, after } }) {
    const [start = ""] = after === undefined ? [] : services.cursors.decode(LIST, after);
    const rows = await store.list(tx, { after: String(start), limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (application) => ({
        ...applicationEventData(application),
        revision: application.revision,
      }),
      ({ clientId }) => services.cursors.encode(LIST, [clientId]),
    );
  },
});

export const getApplication = query({
  id: "oauth.get_application",
  route: "GET /api/v1/oauth/applications/{clientId}",
  summary: "Get an OAuth application",
  permission: ApplicationsRead,
  params: ByClientId,
  response: item(Application),
  example,
  run: ({ tx }, { params }) => store.get(tx, params.clientId),
});

export const updateApplication = command({
  id: "oauth.update_application",
  effect: "drastic",
  route: "PATCH /api/v1/oauth/applications/{clientId}",
  summary: "Update an OAuth application",
  description: "Removing a scope also removes it from existing tokens.",
  permission: ApplicationsWrite,
  params: ByClientId,
  body: patch(applicationFields),
  response: item(Application),
  emits: [ApplicationUpdated],
  example: { ...example, body: { allowedScopes: ["profile"] } },
  async run(ctx, { params: { clientId }, body }) {
    assertApplicationFields(body, ctx.services.permissions);
    const before = await store.lock(ctx.tx, clientId);
    ctx.expectRevision(before.revision);
    const { name, redirectUris, allowedScopes } = { ...before, ...body };
    const after = await store.update(ctx.tx, clientId, {
      name,
      redirect_uris: redirectUris,
      allowed_scopes: allowedScopes,
      updated_at: ctx.now,
    });
    ctx.emit(
      ApplicationUpdated,
      applicationRef(after),
      diffResource(applicationEventData(before), applicationEventData(after)),
    );
    return after;
  },
});

export const rotateApplicationSecret = command({
  id: "oauth.rotate_application_secret",
  effect: "drastic",
  route: "POST /api/v1/oauth/applications/{clientId}/secret/rotate",
  summary: "Rotate the secret of an OAuth application",
  description:
    "Shows the new secret only in this response. The old one stops working immediately. Tokens are not affected.",
  permission: ApplicationsWrite,
  params: ByClientId,
  response: item(RegisteredApplication),
  emits: [ApplicationSecretRotated],
  example,
  async run(ctx, { params: { clientId } }) {
    await store.lock(ctx.tx, clientId);
    const clientSecret = newClientSecret();
    const application = await store.update(ctx.tx, clientId, {
      secret_hash: sha256(clientSecret),
      updated_at: ctx.now,
    });
    ctx.emit(
      ApplicationSecretRotated,
      applicationRef(application),
      applicationEventData(application),
    );
    return { ...application, clientSecret };
  },
});

export const deleteApplication = command({
  id: "oauth.delete_application",
  route: "DELETE /api/v1/oauth/applications/{clientId}",
  summary: "Delete an OAuth application and all its tokens",
  permission: ApplicationsWrite,
  params: ByClientId,
  response: noContent(),
  emits: [ApplicationDeleted],
  example,
  async run(ctx, { params: { clientId } }) {
    const application = await store.lock(ctx.tx, clientId);
    ctx.expectRevision(application.revision);
    await store.remove(ctx.tx, clientId);
    ctx.emit(ApplicationDeleted, applicationRef(application), applicationEventData(application));
  },
});

function applicationRef({ clientId, name }: Application) {
  return { id: clientId, displayName: name };
}

function applicationEventData({ revision: _, ...application }: Application) {
  return application;
}
