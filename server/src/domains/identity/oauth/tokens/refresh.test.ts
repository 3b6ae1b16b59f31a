import { describe, expect, test } from "vitest";
import { startWorld, useWorld } from "#kernel/testing/world.ts";
import {
  FORM,
  newestReason,
  refreshBody,
  REFUSED,
  register,
  REUSED,
  tokensFor,
} from "../testing/authorization-flow.ts";

const world = await useWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });
const owner = await world.member(["owner"]);
const application = await register(owner);

const exchange = (body: unknown, headers: Record<string, string> = {}) =>
  world.stranger("POST /api/v1/oauth/token", body, headers);
const me = async (token: string) =>
  (await world.asToken(token, "default")("GET /api/v1/auth/me")).status;

describe("a refresh token", () => {
  test("is exchanged for a new pair; the previous access token stays valid", async () => {
    const first = await tokensFor(world, owner.token, application);
    const answer = await exchange(refreshBody(first, application));
    expect(answer).toMatchObject({ status: 200, events: ["audit.oauth_token.refreshed"] });
    expect(answer.body.refresh_token).not.toBe(first.refresh_token);
    expect(answer.body.scope).toBe(first.scope);
    expect(await me(answer.body.access_token)).toBe(200);
    expect(await me(first.access_token)).toBe(200);
    const form = new URLSearchParams(refreshBody(answer.body, application)).toString();
    expect(await exchange(form, FORM)).toMatchObject({ status: 200 });
  });

  test("used twice revokes its grant", async () => {
    const first = await tokensFor(world, owner.token, application);
    const second = (await exchange(refreshBody(first, application))).body;
    const third = (await exchange(refreshBody(second, application))).body;
    expect(await exchange(refreshBody(first, application))).toMatchObject(REUSED);
    for (const { access_token } of [first, second, third]) expect(await me(access_token)).toBe(401);
    expect(await exchange(refreshBody(third, application))).toMatchObject(REFUSED);
    // Other grants of the same application are not concerned.
    expect(
      await exchange(refreshBody(await tokensFor(world, owner.token, application), application)),
    ).toMatchObject({ status: 200 });
  });

  test("works once, also under concurrency", async () => {
    const body = refreshBody(await tokensFor(world, owner.token, application), application);
    const answers = await Promise.all(Array.from({ length: 5 }, () => exchange(body)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(await me(won[0]?.body.access_token)).toBe(401);
  });

  test("may request fewer scopes, but not more", async () => {
    const first = await tokensFor(world, owner.token, application);
    const less = await exchange({ ...refreshBody(first, application), scope: "profile" });
    expect(less.body.scope).toBe("profile");
    const holder = world.asToken(less.body.access_token, "default");
    expect(await holder("GET /api/v1/workspaces/me")).toMatchObject({ status: 403 });
    const more = await exchange({
      ...refreshBody(less.body, application),
      scope: "profile audit:read",
    });
    expect(more).toMatchObject({
      status: 400,
      body: { error: "invalid_scope" },
      events: ["audit.oauth_token.refused"],
    });
    const again = await exchange(refreshBody(less.body, application));
    expect(again.body.scope).toBe("profile workspaces:read");
  });

  test("rejects another client", async () => {
    const other = await register(owner);
    const tokens = await tokensFor(world, owner.token, application);
    expect(await exchange(refreshBody(tokens, other))).toMatchObject(REFUSED);
    const swapped = { ...refreshBody(tokens, application), refresh_token: tokens.access_token };
    expect(await exchange(swapped)).toMatchObject(REFUSED);
    expect(await exchange(refreshBody(tokens, application))).toMatchObject({ status: 200 });
  });

  test("is valid for thirty days, an access token for an hour", async () => {
    await using late = await startWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });
    const person = await late.member(["owner"]);
    const app = await register(person);
    const tokens = await tokensFor(late, person.token, app);
    const status = async () =>
      (await late.asToken(tokens.access_token, "default")("GET /api/v1/auth/me")).status;
    expect(await status()).toBe(200);
    late.clock.advance(3_600_000);
    expect(await status()).toBe(401);
    const body = refreshBody(tokens, app);
    late.clock.advance(30 * 24 * 3_600_000 - 3_600_000);
    expect(await late.stranger("POST /api/v1/oauth/token", body)).toMatchObject(REFUSED);
  });

  test("becomes invalid after the user leaves, even if the user returns", async () => {
    const person = await world.member(["viewer"]);
    const tokens = await tokensFor(world, person.token, application);
    expect(await me(tokens.access_token)).toBe(200);
    const gone = await owner(`DELETE /api/v1/settings/users/${person.userId}`);
    expect(gone).toMatchObject({ status: 204, events: ["user.deactivated"] });
    expect(await me(tokens.access_token)).toBe(401);
    await world.sql(
      "insert into memberships (workspace_id, user_id, roles, created_at, updated_at) values ($1, $2, '{viewer}', now(), now())",
      [world.home, person.userId],
    );
    expect(await exchange(refreshBody(tokens, application))).toMatchObject(REFUSED);
    expect(await newestReason(owner, application)).toBe("unknown_token");
  });
});
