import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { domains } from "../../app.ts";
import { browser, deployedApp } from "#domains/apps/testing/apps.ts";
import { RESERVED } from "#kernel/http/console.ts";
import { startWorld, useWorld } from "#kernel/testing/world.ts";
import { GUIDE_GROUPS } from "./guide.ts";

const HTML = { accept: "text/html,application/xhtml+xml" };
const CONSOLE_ONLY = new Set(["", "notifications", "settings", "tickets"]);
const consoleFolder = mkdtempSync(join(tmpdir(), "console-"));
afterAll(() => rmSync(consoleFolder, { recursive: true }));
writeFileSync(join(consoleFolder, "index.html"), '<base href="/" /><title>Console</title>');
writeFileSync(join(consoleFolder, "mark.svg"), "<svg/>");
const world = await useWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });
const owner = await world.member(["owner"]);

test("without a console, the root explains how to build it and links programs to the reference", async () => {
  const page = await world.stranger("GET /", undefined, HTML);
  expect(page).toMatchObject({ status: 200, events: [] });
  expect(page.headers["content-security-policy"]).toMatch(
    /^default-src 'none'; style-src 'sha256-/,
  );
  expect(page.body).toContain("<code>npm start</code>");
  for (const path of ["/guide/first-steps", "/guide", "/docs"])
    expect(page.body).toContain(`href="${path}"`);
  expect(await world.stranger("GET /")).toMatchObject({
    status: 200,
    body: { data: { name: "Millrace", reference: expect.stringMatching(/\/docs$/) } },
  });
  for (const link of ["tickets/INC0000012", "settings/notifications"]) {
    const led = await world.stranger(`GET /${link}?workspace=default`, undefined, HTML);
    expect(led).toMatchObject({ status: 303, headers: { location: "/" } });
  }
});

test("browsers get the console everywhere except for the API and server pages", async () => {
  await using other = await startWorld({ consoleFolder });
  const titleAt = async (path: string, headers: Record<string, string> = HTML) => {
    const { status, body } = await other.stranger(`GET ${path}`, undefined, headers);
    return typeof body === "string" && body.includes("<title>Console</title>") ? "console" : status;
  };
  const paths = ["/", "/login", "/tickets/INC0000012", "/settings/notifications", "/no/such/place"];
  for (const path of paths) expect([path, await titleAt(path)]).toEqual([path, "console"]);
  expect(await titleAt("/", {})).toBe(200);
  expect(await titleAt("/workflows", {})).toBe(404);
  expect(await titleAt("/mark.svg")).toBe(200);
  // The console would read its own path as another host.
  expect(await titleAt("//evil.example/runs")).toBe(404);
  for (const path of ["/guide", "/docs", "/healthz"])
    expect([path, await titleAt(path)]).toEqual([path, 200]);
  // Every route either belongs to the console or is reserved.
  const operations = domains.flatMap((domain) => domain.operations);
  const segments = operations.map(({ route }) => route.split(" ")[1]?.split("/")[1] ?? "");
  const unkept = [...new Set(segments)].filter((segment) => !RESERVED.has(segment));
  expect(unkept.toSorted()).toEqual([...CONSOLE_ONLY].toSorted());
});

test("lists available apps and logs out from an app form", async () => {
  const { slug } = await deployedApp(owner, { name: "Parcels <b>" });
  const person = await world.member(["viewer"]);
  expect(await person("GET /api/v1/home/apps")).toMatchObject({
    status: 200,
    body: {
      data: [{ slug, name: "Parcels <b>", description: "" }],
    },
  });
  const second = await deployedApp(owner, { name: "Parcels of <i>" });
  const first = await person("GET /api/v1/home/apps?limit=1");
  const { nextCursor } = first.body.pagination;
  expect(await person(`GET /api/v1/home/apps?limit=1&after=${nextCursor}`)).toMatchObject({
    body: { data: [{ slug: second.slug }], pagination: { nextCursor: null } },
  });
  const session = browser(world, person.token);
  const left = await session("POST /logout");
  expect(left).toMatchObject({ status: 303, events: ["audit.auth.logout"] });
  expect(left.headers["set-cookie"]).toMatch(/^millrace_session=; .*1970/);
  // A second time, and from a page of another origin.
  expect(await session("POST /logout")).toMatchObject({ status: 303, events: [] });
  expect(
    await session("POST /logout", undefined, { origin: "https://evil.example" }),
  ).toMatchObject({ status: 403, events: [] });
});

test("accepting an invitation signs a new user in and leads home; existing accounts sign in as usual", async () => {
  const invite = async (email: string) =>
    (await owner("POST /api/v1/settings/users/invite", { email, name: "Ada" })).body.data
      .token as string;
  const fresh = await invite("ada@example.com");
  const shown = await world.stranger(`GET /invitations?token=${fresh}`);
  expect(shown.body).toMatch(/ada@example\.com.*workspace Default/s);
  expect(shown.body).toContain('action="invitations"');
  expect(await world.stranger("GET /invitations?token=mri_wrong")).toMatchObject({ status: 410 });
  const accept = (token: string, password: string) =>
    browser(world)("POST /invitations", { token, name: "Ada", password });
  const accepted = await accept(fresh, "a long password");
  expect(accepted).toMatchObject({ status: 303, events: ["user.activated", "audit.auth.login"] });
  expect(accepted.headers["location"]).toBe("/");
  const [, token = ""] =
    /millrace_session=([^;]+)/.exec(accepted.headers["set-cookie"] ?? "") ?? [];
  expect(await world.asToken(token)("GET /api/v1/auth/me")).toMatchObject({
    body: { data: { user: { name: "Ada" } } },
  });

  const other = await world.workspace("other-place");
  const again = (
    await (
      await world.member(["owner"], other)
    )("POST /api/v1/settings/users/invite", {
      email: "ada@example.com",
    })
  ).body.data.token as string;
  const joined = await accept(again, "a long password");
  expect(joined).toMatchObject({ status: 303, events: ["user.activated"] });
  expect(joined.headers["set-cookie"]).toBeUndefined();
});

test("redirects to the workspace portal after a requester accepts an invitation", async () => {
  const invite = async (roleIds: readonly string[]) => {
    const email = `${roleIds.join("-")}@example.com`;
    const { body } = await owner("POST /api/v1/settings/users/invite", { email, roleIds });
    return body.data.token as string;
  };
  const accept = async (roleIds: readonly string[]) => {
    const form = { token: await invite(roleIds), name: "Noah", password: "a long password" };
    const { status, headers, events } = await browser(world)("POST /invitations", form);
    return [status, headers["location"], ...events];
  };
  const joined = ["user.activated", "audit.auth.login"];
  expect(await accept(["requester"])).toEqual([303, "/portal/default", ...joined]);
  expect(await accept(["requester", "agent"])).toEqual([303, "/", ...joined]);
});

test("every guide has a page and a group, and all links work", async () => {
  const files = readdirSync(join(import.meta.dirname, "../../../../docs/guide"));
  const names = GUIDE_GROUPS.flatMap(({ guides }) => guides.map(({ name }) => name));
  expect(names.toSorted()).toEqual(files.map((file) => file.replace(/\.md$/, "")).toSorted());
  for (const name of names) {
    const { status, body: text } = await world.stranger(`GET /guide/${name}`);
    expect(status).toBe(200);
    const links = [...text.matchAll(/href="\/guide\/([a-z-]+)/g)].map(([, link]) => link);
    expect(links.filter((link) => !names.includes(link ?? ""))).toEqual([]);
  }
  expect(await world.stranger("GET /guide/nothing")).toMatchObject({ status: 404 });
  expect((await world.stranger("GET /guide")).body).toContain('href="/guide/recipes"');
});

test("all guides linked by console screens exist", () => {
  const path = join(import.meta.dirname, "../../../../console/src/shell/help/guide-of.ts");
  const named = [...readFileSync(path, "utf8").matchAll(/^ {2}"\/.*: "([a-z-]+)",$/gm)];
  const known = new Set(GUIDE_GROUPS.flatMap(({ guides }) => guides.map(({ name }) => name)));
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter(([, name = ""]) => !known.has(name))).toEqual([]);
});

test("programs can read and search guides, with heading matches first", async () => {
  const { body } = await world.stranger("GET /api/v1/guides/webhooks");
  expect(body.data).toMatchObject({ name: "webhooks", html: expect.stringContaining("<h2 id=") });
  expect((await world.stranger("GET /api/v1/guides/nothing")).status).toBe(404);
  const found = await world.stranger("GET /api/v1/guides?q=embedded%20database");
  expect(found.body.data.hits[0]).toMatchObject({
    name: "operate",
    anchor: "the-embedded-database",
  });
  expect(found.body.data.groups).toEqual([]);
  const none = await world.stranger("GET /api/v1/guides?q=zyzzyva");
  expect(none.body.data.hits).toEqual([]);
});
