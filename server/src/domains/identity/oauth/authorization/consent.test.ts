import { describe, expect, test } from "vitest";
import { startWorld, useWorld } from "#kernel/testing/world.ts";
import {
  authorizeRoute,
  browser,
  CALLBACK,
  newPkce,
  queryFor,
  register,
  requestOn,
  tokensFor,
  wayBack,
} from "../testing/authorization-flow.ts";

const world = await useWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });
const owner = await world.member(["owner"]);
const application = await register(owner);

const asked = (more: Record<string, string> = {}) => queryFor(application, newPkce(), more);
const visit = (query: Record<string, string>, token?: string) =>
  browser(world, token)(authorizeRoute(query));

describe("the consent page", () => {
  const questionFor = async (token: string) => requestOn((await visit(asked(), token)).body);
  const decide = (token: string | undefined, request: string, decision = "allow") =>
    browser(world, token)("POST /oauth/authorize", { request, decision });

  test("returns a code, or a denial", async () => {
    const yes = await decide(owner.token, await questionFor(owner.token));
    expect(yes).toMatchObject({ status: 303, events: ["audit.oauth_consent.granted"] });
    expect(wayBack(yes).get("code")).toMatch(/^mrc_/);
    expect(wayBack(yes).get("state")).toBe("a state");
    const no = await decide(owner.token, await questionFor(owner.token), "deny");
    expect(no).toMatchObject({ status: 303, events: ["audit.oauth_consent.denied"] });
    expect(wayBack(no).get("error")).toBe("access_denied");
    expect(wayBack(no).get("state")).toBe("a state");
  });

  test("can be answered once", async () => {
    for (const first of ["allow", "deny"]) {
      const request = await questionFor(owner.token);
      expect(await decide(owner.token, request, first)).toMatchObject({ status: 303 });
      expect(await decide(owner.token, request)).toMatchObject({ status: 409, events: [] });
    }
  });

  test("can be answered only in the session that it was shown to", async () => {
    const other = await world.member(["owner"]);
    const request = await questionFor(owner.token);
    for (const token of [other.token, undefined, "mrs_guess"]) {
      expect(await decide(token, request)).toMatchObject({ status: 400, events: [] });
    }
    const cross = { origin: "https://evil.example" };
    const answer = await browser(world, owner.token)(
      "POST /oauth/authorize",
      { request, decision: "allow" },
      cross,
    );
    expect(answer).toMatchObject({ status: 403, events: [] });
    expect(await decide(owner.token, request)).toMatchObject({ status: 303 });
  });

  test("cannot be forged or altered", async () => {
    const request = await questionFor(owner.token);
    const [text = "", signature = ""] = request.split(".");
    const form = JSON.parse(Buffer.from(text, "base64url").toString());
    const more = { ...form, scopes: ["profile", "audit:read"] };
    const altered = `${Buffer.from(JSON.stringify(more)).toString("base64url")}.${signature}`;
    for (const forged of [altered, text, `${text}.`, "", "x.y"]) {
      expect(await decide(owner.token, forged)).toMatchObject({ status: 400, events: [] });
    }
  });

  test("is valid for ten minutes", async () => {
    await using late = await startWorld();
    const person = await late.member(["owner"]);
    const query = queryFor(await register(person), newPkce());
    const page = await browser(late, person.token)(authorizeRoute(query));
    late.clock.advance(10 * 60_000);
    const body = { request: requestOn(page.body), decision: "allow" };
    const answer = await browser(late, person.token)("POST /oauth/authorize", body);
    expect(answer).toMatchObject({ status: 400, events: [] });
  });

  test("checks again what has changed since it was shown", async () => {
    const app = await register(owner);
    const path = `/api/v1/oauth/applications/${app.clientId}`;
    const ask = async () => requestOn((await visit(queryFor(app, newPkce()), owner.token)).body);
    const moved = await ask();
    await owner(`PATCH ${path}`, { redirectUris: ["https://elsewhere.example.com/"] });
    expect(await decide(owner.token, moved)).toMatchObject({ status: 400, events: [] });
    await owner(`PATCH ${path}`, { redirectUris: [CALLBACK] });
    const removed = await ask();
    await owner(`DELETE ${path}`);
    expect(await decide(owner.token, removed)).toMatchObject({ status: 400, events: [] });
  });

  test("requires a person, not a token", async () => {
    const { access_token } = await tokensFor(world, owner.token, application);
    expect((await visit(asked(), access_token)).body).toContain('name="password"');
  });
});
