import { sql } from "kysely";
import Type from "typebox";
import { Profile } from "#domains/identity/roles/index.ts";
import { assertInPerson, userIdOf } from "#kernel/access/caller.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { Failure, Forbidden, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { item, noContent } from "#kernel/operation/response.ts";
import { object, Time } from "#kernel/schema/schema.ts";
import { ClientId } from "./applications/application.ts";
import { ConsentRevoked } from "./events.ts";

const CONSENTS_MAX = 200;

const Consent = Type.Object(
  {
    clientId: ClientId,
    name: Type.String(),
    scopes: Type.Array(Type.String()),
    grantedAt: Time,
  },
  { title: "OAuthConsent" },
);

interface ConsentRow {
  readonly clientId: string;
  readonly name: string;
  readonly scopes: string[];
  readonly grantedAt: string;
}

export const listConsents = query({
  id: "oauth.list_consents",
  route: "GET /api/v1/oauth/consents",
  summary: "List your application consents in this workspace, newest first",
  permission: Profile,
  response: item(Type.Object({ consents: Type.Array(Consent) }, { title: "OAuthConsents" })),
  fails: [Forbidden],
  async run({ tx, now, caller }) {
    assertInPerson(caller);
    const { rows } = await sql<ConsentRow>`
      select g.client_id as "clientId", a.name, max(g.created_at) as "grantedAt",
             array(select distinct unnest(o.scopes) from oauth_grants o
                    where o.client_id = g.client_id and o.user_id = ${userIdOf(caller)}
                      and o.revoked_at is null order by 1) as scopes
        from oauth_grants g join oauth_applications a on a.client_id = g.client_id
       where g.user_id = ${userIdOf(caller)} and g.revoked_at is null
         and (g.code_expires_at > ${now}
              or exists (select from oauth_tokens t where t.grant_id = g.id and t.expires_at > ${now}))
       group by g.client_id, a.name
       order by max(g.created_at) desc, g.client_id limit ${CONSENTS_MAX}`.execute(tx);
    return { consents: rows };
  },
});

/** Revokes one consent of any member, for callers who may manage them; undefined if it does not exist. */
export async function revokeConsentFor(
  ctx: WriteContext<typeof ConsentRevoked>,
  id: string,
): Promise<{ readonly userId: string } | undefined> {
  const grant = await ctx.tx
    .updateTable("oauth_grants")
    .set({ revoked_at: ctx.now })
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .returning(["client_id", "user_id", "scopes"])
    .executeTakeFirst();
  if (!grant) return undefined;
  const { client_id: clientId, user_id: userId, scopes } = grant;
  ctx.emit(ConsentRevoked, { id }, { grantId: id, clientId, userId, scopes });
  return { userId };
}

export const revokeConsent = command({
  id: "oauth.revoke_consent",
  route: "DELETE /api/v1/oauth/consents/{clientId}",
  summary: "Revoke application consent",
  description:
    "Revokes all your tokens of the application immediately. The application can ask for consent again.",
  permission: Profile,
  params: object({ clientId: ClientId }),
  response: noContent(),
  emits: [ConsentRevoked],
  fails: [Forbidden],
  example: { params: { clientId: "oac_01jd0000000000000000000000" } },
  async run(ctx, { params: { clientId } }) {
    assertInPerson(ctx.caller);
    const userId = userIdOf(ctx.caller);
    // A consent is created and revoked, but never changed.
    ctx.expectRevision(1);
    const grants = await ctx.tx
      .updateTable("oauth_grants")
      .set({ revoked_at: ctx.now })
      .where("client_id", "=", clientId)
      .where("user_id", "=", userId)
      .where("revoked_at", "is", null)
      .returning(["id", "scopes"])
      .execute();
    if (grants.length === 0) throw new Failure(NotFound);
    for (const { id, scopes } of grants) {
      ctx.emit(ConsentRevoked, { id }, { grantId: id, clientId, userId, scopes });
    }
  },
});
