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
  summary: "Read how people sign in by single sign-on",
  permission: SsoRead,
  response: item(Configuration),
  fails: [NotConfigured],
  run: (ctx) => service.get(ctx),
});

export const putSso = command({
  id: "sso.put",
  route: "POST /api/v1/settings/sso",
  summary: "Set up single sign-on",
  description:
    "A workspace has one configuration; sending it again replaces it as a whole, the client secret " +
    "included, and answers 200 like the first time. Fields of the other protocol are refused. " +
    "`If-Match` guards against overwriting somebody else's change. Sessions that are open stay open. Whoever " +
    "runs the provider can sign in as any member, so only an owner sets it up, by a session of their own and " +
    "no token.",
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
  summary: "Require single sign-on of everybody, or no longer",
  description:
    "With `enforce` no member logs in by password any more. The configuration must have been tested, as it is now, and a " +
    "login must have been possible: otherwise 409 `sso_untested`. `enforceSSO` of the whole configuration asks for no test.",
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
  summary: "Take single sign-on away",
  description: "Members log in by password again. Sessions that are open stay open.",
  permission: SsoWrite,
  response: noContent(),
  emits: [SsoDeleted],
  fails: [NotConfigured],
  run: (ctx) => service.remove(ctx),
});
