import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { browser, deployedApp } from "#domains/apps/testing/apps.ts";
import { TEST_PASSWORD } from "#kernel/testing/database.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { GUIDE_GROUPS } from "./guide.ts";

const HTML = { accept: "text/html,application/xhtml+xml" };
const world = await useWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });
const owner = await world.member(["owner"]);

test("the root shows a person where to log in, and a program where the reference is", async () => {
  const page = await world.stranger("GET /", undefined, HTML);
  expect(page).toMatchObject({ status: 200, events: [] });
  expect(page.headers["content-security-policy"]).toMatch(
    /^default-src 'none'; style-src 'sha256-/,
  );
  expect(page.body).toContain('action="/apps/_login"');
  for (const path of ["/guide/first-steps", "/guide/recipes", "/docs"])
    expect(page.body).toContain(`href="${path}"`);
  expect(await world.stranger("GET /")).toMatchObject({
    status: 200,
    body: { data: { name: "Millrace", reference: expect.stringMatching(/\/docs$/) } },
  });
});

test("who logs in there sees the apps of their workspaces, and logs out again", async () => {
  const { slug } = await deployedApp(owner, { name: "Parcels <b>" });
  const person = await world.member(["viewer"]);
  await world.sql(
    `update users set password_hash = (select password_hash from users where email = 'admin@example.com')
      where id = $1`,
    [person.userId],
  );
  const by = browser(world);
  const login = await by("POST /apps/_login", {
    returnTo: "/",
    email: `${person.userId}@example.com`,
    password: TEST_PASSWORD,
  });
  expect(login).toMatchObject({ status: 303, events: ["audit.auth.login"] });
  expect(login.headers["location"]).toBe("/");
  const [, token = ""] = /millrace_session=([^;]+)/.exec(login.headers["set-cookie"] ?? "") ?? [];
  const session = browser(world, token);
  const home = await session("GET /", undefined, HTML);
  expect(home.body).toContain(`href="/apps/default/${slug}"`);
  expect(home.body).toContain("Parcels &#60;b&#62;");
  const left = await session("POST /logout");
  expect(left).toMatchObject({ status: 303, events: ["audit.auth.logout"] });
  expect(left.headers["set-cookie"]).toMatch(/^millrace_session=; .*1970/);
  expect((await session("GET /", undefined, HTML)).body).toContain('action="/apps/_login"');
  // Once more, and by a page of somebody else.
  expect(await session("POST /logout")).toMatchObject({ status: 303, events: [] });
  expect(
    await session("POST /logout", undefined, { origin: "https://evil.example" }),
  ).toMatchObject({ status: 403, events: [] });
});

test("an accepted invitation logs a new person in and leads home; an old account logs in as ever", async () => {
  const invite = async (email: string) =>
    (await owner("POST /api/v1/settings/users/invite", { email, name: "Ada" })).body.data
      .token as string;
  const fresh = await invite("ada@example.com");
  const shown = await world.stranger(`GET /invitations?token=${fresh}`);
  expect(shown.body).toMatch(/ada@example\.com.*workspace Default/s);
  expect(await world.stranger("GET /invitations?token=mri_wrong")).toMatchObject({ status: 410 });
  const accept = (token: string, password: string) =>
    browser(world)("POST /invitations", { token, name: "Ada", password });
  const accepted = await accept(fresh, "a long password");
  expect(accepted).toMatchObject({ status: 303, events: ["user.activated", "audit.auth.login"] });
  expect(accepted.headers["location"]).toBe("/");
  const [, token = ""] =
    /millrace_session=([^;]+)/.exec(accepted.headers["set-cookie"] ?? "") ?? [];
  expect((await browser(world, token)("GET /", undefined, HTML)).body).toContain("Hello, Ada");

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

test("every guide is a page, in one group, with links that lead to pages", async () => {
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
