import { command, query } from "#kernel/operation/operation.ts";
import { noContent, item } from "#kernel/operation/response.ts";
import Type from "typebox";
import { object } from "#kernel/schema/schema.ts";
import { Configuration, SsoInput, NotConfigured, SsoUntested } from "./configuration.ts";
import { SsoDeleted, SsoUpdated } from "../events.ts";
import { SsoRead, SsoWrite } from "./configuration.ts";
import * as service from "./service.ts";

export const getSso = query({
  id: "sso.get",
  route: "GET /api/v1/settings/sso",
  summary: "Get the single sign-on configuration",
  permission: SsoRead,
  response: item(Configuration),
  fails: [NotConfigured],
  run: (ctx) => service.get(ctx),
});

export const putSso = command({
  id: "sso.put",
  route: "POST /api/v1/settings/sso",
  summary: "Configure single sign-on",
  description:
    "A workspace has one configuration. Sending it again replaces it, including the client secret, and also returns 200. Fields of the other protocol are rejected. `If-Match` prevents overwriting changes of others. Open sessions stay open. An administrator of the provider can sign in as any member, so only an owner can configure it, in a user session and not with a token.",
  permission: SsoWrite,
  ownersInPerson: true,
  body: SsoInput,
  response: item(Configuration),
  emits: [SsoUpdated],
  example: {
    body: {
      protocol: "oidc",
      issuer: "https://login.example.com",
      clientId: "millrace",
      clientSecret: "kept by the identity provider",
      scopes: ["openid", "email", "profile"],
      claimsMapping: { email: "email", name: "name" },
      jitProvisioning: true,
      defaultRole: "member",
    },
  },
  run: (ctx, { body }) => service.save(ctx, body),
});

export const enforceSso = command({
  id: "sso.enforce",
  route: "POST /api/v1/settings/sso/enforce",
  summary: "Set single sign-on enforcement",
  description:
    "With `enforce`, members can't sign in with passwords any longer. The current configuration must have passed a test; otherwise the response is 409 `sso_untested`. `enforceSSO` in the configuration does not require a test.",
  permission: SsoWrite,
  ownersInPerson: true,
  body: object({ enforce: Type.Boolean() }),
  response: item(Configuration),
  emits: [SsoUpdated],
  fails: [NotConfigured, SsoUntested],
  example: { body: { enforce: true } },
  run: (ctx, { body }) => service.enforce(ctx, body.enforce),
});

export const deleteSso = command({
  id: "sso.delete",
  route: "DELETE /api/v1/settings/sso",
  summary: "Delete the single sign-on configuration",
  description: "Members sign in with passwords again. Open sessions stay open.",
  permission: SsoWrite,
  response: noContent(),
  emits: [SsoDeleted],
  fails: [NotConfigured],
  run: (ctx) => service.remove(ctx),
});
