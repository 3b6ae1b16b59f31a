import { describe, expect, test } from "vitest";
import { somebody, withApp } from "#domains/identity/mfa/testing/people.ts";
import { samlWorkspace } from "#domains/identity/sso/testing/workspace.ts";
import { TEST_PASSWORD } from "#kernel/testing/database.ts";
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
const application = await register(owner, { name: "Desk <companion>" });

const asked = (more: Record<string, string> = {}) => queryFor(application, newPkce(), more);
const visit = (query: Record<string, string>, token?: string) =>
  browser(world, token)(authorizeRoute(query));
const without = (name: string): Record<string, string> => {
  const { [name]: _, ...rest } = asked();
  return rest;
};

describe("a request", () => {
  test.each([
    ["without a client", () => without("client_id")],
    ["of a client that nobody registered", () => asked({ client_id: "oac_unknown" })],
    ["without an address", () => without("redirect_uri")],
    ["with an address that begins like one", () => asked({ redirect_uri: `${CALLBACK}/more` })],
    ["with another query", () => asked({ redirect_uri: `${CALLBACK}?a=b` })],
    ["with another case", () => asked({ redirect_uri: CALLBACK.toUpperCase() })],
    ["with an address of somebody else", () => asked({ redirect_uri: "https://evil.example" })],
  ])("%s ends on a page, and is not redirected", async (_, query) => {
    for (const token of [undefined, owner.token]) {
      const page = await visit(query(), token);
      expect(page).toMatchObject({ status: 400, events: [] });
      expect(page.headers["location"]).toBeUndefined();
      expect(page.headers["content-type"]).toMatch(/^text\/html/);
      expect(page.body).toContain(page.headers["x-request-id"]);
      expect(page.body).not.toContain("evil.example");
    }
  });

  test.each([
    ["without a response type", () => without("response_type"), "invalid_request"],
    ["for a token", () => asked({ response_type: "token" }), "unsupported_response_type"],
    ["without a challenge", () => without("code_challenge"), "invalid_request"],
    ["with a plain challenge", () => asked({ code_challenge_method: "plain" }), "invalid_request"],
    ["without a method", () => without("code_challenge_method"), "invalid_request"],
    ["with half a challenge", () => asked({ code_challenge: "abc" }), "invalid_request"],
    ["for more than allowed", () => asked({ scope: "profile audit:read" }), "invalid_scope"],
    ["for a scope of no name", () => asked({ scope: 'profile "\\é' }), "invalid_scope"],
  ])("%s goes back with an error", async (_, query, error) => {
    const answer = await visit(query());
    expect(answer).toMatchObject({ status: 303, events: [] });
    expect(answer.headers["location"]).toMatch(/^https:\/\/desk\.example\.com\/callback\?/);
    const back = wayBack(answer);
    expect([back.get("error"), back.get("state"), back.get("iss")]).toEqual([
      error,
      "a state",
      "http://millrace.example.com",
    ]);
    expect(back.get("error_description")).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
    expect(back.has("code")).toBe(false);
  });

  test.each([
    ["http://127.0.0.1/callback", "http://127.0.0.1:51004/callback", 200],
    ["http://127.0.0.1:3000/callback?a=b", "http://127.0.0.1/callback?a=b", 200],
    ["http://[::1]:1/", "http://[::1]:65535/", 200],
    ["http://localhost/callback", "http://localhost:8080/callback", 200],
    ["http://127.0.0.1/callback", "http://127.0.0.1:51004/other", 400],
    ["http://127.0.0.1/callback", "http://127.0.0.1:51004/callback?a=b", 400],
    ["http://127.0.0.1/callback", "http://127.0.0.2:51004/callback", 400],
    ["http://127.0.0.1/callback", "https://127.0.0.1:51004/callback", 400],
    ["http://127.0.0.1/callback", "http://127.0.0.1:99999/callback", 400],
    ["http://127.0.0.1/callback", "http://127.0.0.1:1@evil.example/callback", 400],
    ["http://localhost/callback", "http://localhost.evil.example:80/callback", 400],
    ["https://desk.example.com/callback", "https://desk.example.com:8443/callback", 400],
  ])("a program with the redirect URI %s may use %s: %i", async (registered, uri, status) => {
    const app = await register(owner, { redirectUris: [registered] });
    const query = queryFor(app, newPkce(), { redirect_uri: uri });
    const page = await visit(query, owner.token);
    expect(page.status).toBe(status);
    if (status !== 200) return;
    const decision = { request: requestOn(page.body), decision: "allow" };
    const answer = await browser(world, owner.token)("POST /oauth/authorize", decision);
    expect(answer.headers["location"]?.startsWith(uri)).toBe(true);
    expect(wayBack(answer).get("code")).toBeTruthy();
  });

  test("with a duplicate parameter ends on an error page", async () => {
    const query = `${new URLSearchParams(asked()).toString()}&state=other`;
    const page = await browser(world)(`GET /oauth/authorize?${query}`);
    expect(page).toMatchObject({ status: 422 });
    expect(page.headers["content-type"]).toMatch(/^text\/html/);
  });

  test("may separate its scopes with +, omit the state, and contain unknown parameters", async () => {
    const { scope: _, state: __, ...rest } = asked({ nonce: "n", ui_locales: "de" });
    const query = `${new URLSearchParams(rest).toString()}&scope=profile+workspaces:read`;
    const page = await browser(world, owner.token)(`GET /oauth/authorize?${query}`);
    expect(page.body).toContain("workspaces:read");
    const answer = await browser(world, owner.token)("POST /oauth/authorize", {
      request: requestOn(page.body),
      decision: "allow",
    });
    expect([...wayBack(answer).keys()]).toEqual(["code", "iss"]);
  });

  test("keeps the query of the registered redirect URI", async () => {
    const uri = "https://desk.example.com/callback?tenant=a%20b";
    const app = await register(owner, { redirectUris: [uri] });
    const query = queryFor(app, newPkce(), { redirect_uri: uri, response_type: "token" });
    const answer = await visit(query);
    expect(answer.headers["location"]).toMatch(/callback\?tenant=a%20b&error=/);
  });
});

describe("the pages", () => {
  test("have no scripts, cannot be framed, and are not cached", async () => {
    const pages = [
      await visit(asked()),
      await visit(asked(), owner.token),
      await visit(asked({ client_id: "oac_unknown" })),
    ];
    for (const { headers, body } of pages) {
      const policy = headers["content-security-policy"];
      expect(policy).toMatch(/default-src 'none'; style-src 'sha256-[\w+/=]+'/);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("script-src");
      expect(policy).not.toContain("unsafe");
      expect(headers).toMatchObject({
        "cache-control": "no-store",
        "x-frame-options": "DENY",
        "referrer-policy": "same-origin",
      });
      expect(body).not.toMatch(/<script|javascript:| on\w+=/i);
    }
  });

  test("escape foreign text", async () => {
    const page = await visit(asked({ state: '"><script>alert(1)</script>' }), owner.token);
    expect(page.body).toContain("Desk &#60;companion&#62;");
    expect(page.body).not.toContain("<companion>");
    expect(page.body).not.toContain("<script>");
  });

  test("show the application, the workspace and the requested permissions", async () => {
    const { body } = await visit(asked(), owner.token);
    for (const text of [
      "Default",
      "View the workspace",
      "View own name",
      `${owner.userId}@example.com`,
      "desk.example.com",
      ">Allow</button>",
      ">Deny</button>",
    ])
      expect(body).toContain(text);
  });

  test("offer only permissions of the user and report missing permissions", async () => {
    const wide = await register(owner, { allowedScopes: ["profile", "roles:write"] });
    const viewer = await world.member(["viewer"]);
    const query = queryFor(wide, newPkce(), { scope: "profile roles:write" });
    const page = await visit(query, viewer.token);
    expect(page.body).toContain("can't allow: roles:write");
    const tokens = await tokensFor(world, viewer.token, wide, { scope: "profile roles:write" });
    expect(tokens.scope).toBe("profile");
    const nothing = await visit({ ...query, scope: "roles:write" }, viewer.token);
    expect(wayBack(nothing).get("error")).toBe("access_denied");
  });

  test("require membership, and the second factor that the workspace enforces", async () => {
    const stranger = await world.member(["owner"], await world.workspace("far-away"));
    const page = await visit(asked(), stranger.token);
    expect(page).toMatchObject({ status: 403 });
    expect(page.body).toContain("prompt=login");
    const other = await world.workspace("guarded");
    const member = await world.member(["owner"], other);
    const app = await register(member);
    await world.sql("update workspaces set enforce_mfa = true where key = $1", [other.key]);
    const fresh = await world.member(["owner"], other);
    const barred = await visit(queryFor(app, newPkce()), fresh.token);
    expect(barred).toMatchObject({ status: 403 });
    expect(barred.body).toContain("second factor");
  });
});

describe("the login page", () => {
  const send = (fields: Record<string, string>, query = asked()) =>
    browser(world)("POST /oauth/login", {
      request: new URLSearchParams(query).toString(),
      email: "admin@example.com",
      password: TEST_PASSWORD,
      ...fields,
    });

  test("is shown first and then redirects to the consent page", async () => {
    const query = asked();
    const page = await visit(query);
    expect(page).toMatchObject({ status: 200, events: [] });
    expect(new URLSearchParams(requestOn(page.body))).toEqual(new URLSearchParams(query));
    const answer = await send({ request: requestOn(page.body) });
    expect(answer).toMatchObject({ status: 303, events: ["audit.auth.login"] });
    expect(answer.headers["location"]).toBe(`authorize?${new URLSearchParams(query).toString()}`);
    const cookie = answer.headers["set-cookie"] ?? "";
    expect(cookie).toMatch(/HttpOnly; SameSite=Lax/);
    const [, token = ""] = /millrace_session=([^;]+)/.exec(cookie) ?? [];
    expect((await visit(query, token)).body).toContain(">Allow</button>");
  });

  test("is shown again after a wrong password, with the address but not the password", async () => {
    const page = await send({ email: "Admin@example.com", password: "a wrong one" });
    expect(page).toMatchObject({ status: 401, events: ["audit.auth.login_failed"] });
    expect(page.body).toContain('role="alert"');
    expect(page.body).toContain('value="Admin@example.com"');
    expect(page.body).not.toContain("a wrong one");
    expect(requestOn(page.body)).toContain("client_id=");
  });

  test("require the second factor if there is one", async () => {
    const person = await somebody(world);
    const { app } = await withApp(world, person);
    const page = await send({ email: person.email });
    expect(page).toMatchObject({ status: 401, events: ["audit.mfa.challenged"] });
    expect(page.body).toMatch(/id="code"[^>]* required/);
    const answer = await send({ email: person.email, code: app.next() });
    expect(answer).toMatchObject({ status: 303, events: ["audit.auth.login"] });
  });

  test("throttles guesses", async () => {
    await using limited = await startWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "2" } });
    const person = await limited.member(["owner"]);
    const request = new URLSearchParams(queryFor(await register(person), newPkce())).toString();
    const guess = () =>
      browser(limited)("POST /oauth/login", { request, email: "a@b.example", password: "x" });
    expect([(await guess()).status, (await guess()).status]).toEqual([401, 401]);
    const slow = await guess();
    expect(slow).toMatchObject({ status: 429, events: [] });
    expect(Number(slow.headers["retry-after"])).toBeGreaterThan(0);
    expect(slow.body).toContain('role="alert"');
  });

  test("is always shown if requested, and only once", async () => {
    const page = await visit(asked({ prompt: "login" }), owner.token);
    expect(page.body).toContain('name="password"');
    expect(requestOn(page.body)).not.toContain("prompt");
  });

  test("links to single sign-on if the workspace has it, and requires it if enforced", async () => {
    const place = await samlWorkspace(world, { enforceSSO: true });
    const query = queryFor(await register(place.owner), newPkce());
    const page = await visit(query);
    const [, link = ""] = /<a href="([^"]+)">Log in with single sign-on/.exec(page.body) ?? [];
    const url = new URL(
      link.replaceAll("&#38;", "&"),
      "http://millrace.example.com/oauth/authorize",
    );
    expect(url.pathname).toBe(`/sso/${place.slug}/login`);
    expect(url.searchParams.get("returnTo")).toBe(
      `/oauth/authorize?${new URLSearchParams(query).toString()}`,
    );
    expect(await browser(world)(`GET ${url.pathname}${url.search}`)).toMatchObject({ status: 303 });
    const person = await somebody(world, ["viewer"], place);
    const refused = await send({ email: person.email }, query);
    expect(refused).toMatchObject({ status: 403 });
    expect(refused.body).toContain(`/sso/${place.slug}/login?returnTo=`);
  });

  test("reveal no workspace to a client that registered itself", async () => {
    const place = await samlWorkspace(world);
    const other = await world.workspace("without-sso");
    const { body } = await world.stranger("POST /api/v1/oauth/register", {
      client_name: "Agent",
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: "none",
    });
    const base = { ...asked(), client_id: body.client_id, scope: "" };
    const pageOf = async (workspace: string) => {
      const { status, body: page } = await visit({ ...base, workspace });
      return [status, String(page).replaceAll(workspace, "SLUG")];
    };
    const page = await pageOf(place.slug);
    expect(page[1]).toContain("/sso/SLUG/login");
    expect(await pageOf(other.slug)).toEqual(page);
    expect(await pageOf("no-such-one")).toEqual(page);
    expect((await pageOf("../../x"))[1]).not.toContain("/sso/../");
  });

  test("accept only requests from pages of this server", async () => {
    const body = { request: "", email: "admin@example.com", password: TEST_PASSWORD };
    for (const origin of ["https://evil.example", "null"]) {
      const answer = await browser(world)("POST /oauth/login", body, { origin });
      expect(answer).toMatchObject({ status: 403, events: [] });
    }
  });
});
