import { expect, test } from "vitest";
import { TEST_PASSWORD } from "#kernel/testing/database.ts";
import { useMailbox } from "#kernel/testing/mailbox.ts";
import { startWorld, until, useWorld } from "#kernel/testing/world.ts";

const EMAIL = "admin@example.com";

const { url, mails } = await useMailbox();
const world = await useWorld({
  work: true,
  env: {
    MILLRACE_LOGIN_RATE_LIMIT: "0",
    MILLRACE_SMTP_URL: url,
    MILLRACE_MAIL_FROM: "Millrace <desk@example.com>",
    MILLRACE_BASE_URL: "http://desk.example.com",
  },
});

const logIn = (password: string) =>
  world.stranger("POST /api/v1/auth/token", { email: EMAIL, password });
const forgot = (email: string) => world.stranger("POST /api/v1/auth/password/forgot", { email });
const reset = (token: string, password: string) =>
  world.stranger("POST /api/v1/auth/password/reset", { token, password });

const jobs = () => world.sql("select from jobs where kind = 'kernel.send_mail'");

async function link(): Promise<string> {
  const before = mails.length;
  await forgot(EMAIL);
  // If the clock moves during sending, the mail may be sent again.
  await until(async () => (await jobs()).length === 0);
  const mail = mails[before]?.text ?? "";
  // The body of a mail is quoted-printable: long lines are folded with "=".
  const text = mail.replaceAll("=\r\n", "").replaceAll("=3D", "=");
  return /password\?token=(mrp_[\w-]+)/.exec(text)?.[1] ?? "";
}

test("the link in the e-mail sets a new password once, and ends all sessions", async () => {
  await world.sql("update users set email_verified_at = now() where email = $1", [EMAIL]);
  const session = (await logIn(TEST_PASSWORD)).body.data.token;
  const token = await link();
  expect(mails.at(-1)?.text).toMatch(/^From: Millrace <desk@example.com>/m);
  expect(mails.at(-1)?.text).toMatch(/^To: admin@example.com/m);
  expect(await reset(token, "a better password")).toMatchObject({
    status: 200,
    events: ["audit.auth.password_changed"],
  });
  expect(await world.asToken(session)("GET /api/v1/auth/me")).toMatchObject({ status: 401 });
  expect(await logIn(TEST_PASSWORD)).toMatchObject({ status: 401 });
  expect(await logIn("a better password")).toMatchObject({ status: 200 });
  expect(await reset(token, "a third password")).toMatchObject({
    status: 410,
    body: { code: "bad_reset_link" },
    events: ["audit.auth.password_refused"],
  });
  const [refused] = await world.sql(
    "select workspace_id, data from events where type = 'audit.auth.password_refused'",
  );
  expect(refused).toMatchObject({ workspace_id: world.home, data: { reason: "bad_link" } });
});

test("an unknown address gets the same response, and no mail", async () => {
  const known = await forgot(EMAIL);
  await until(async () => (await jobs()).length === 0);
  const before = mails.length;
  const unknown = await forgot("nobody@example.com");
  expect([unknown.status, unknown.body]).toEqual([known.status, known.body]);
  expect(unknown.events).toEqual(known.events);
  expect([(await jobs()).length, mails.length]).toEqual([0, before]);
});

test("a link expires after an hour, or when a newer one is sent", async () => {
  const older = await link();
  const newer = await link();
  expect(await reset(older, "some password")).toMatchObject({ status: 410 });
  world.clock.advance(3_600_000);
  expect(await reset(newer, "some password")).toMatchObject({ status: 410 });
});

test("the form works like the API", async () => {
  const token = await link();
  const page = await world.stranger(`GET /password?token=${token}`);
  expect(page).toMatchObject({ status: 200 });
  expect(page.body).toContain(`name="token" value="${token}"`);
  // The URL is relative to the page, because a proxy may add a path prefix.
  expect(page.body).toContain('action="password"');
  expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const answer = await world.stranger(
    "POST /password",
    `token=${token}&password=from+a+form`,
    form,
  );
  expect(answer).toMatchObject({ status: 200, events: ["audit.auth.password_changed"] });
  expect(await logIn("from a form")).toMatchObject({ status: 200 });
  const late = await world.stranger("POST /password", `token=${token}&password=from+a+form`, form);
  expect(late).toMatchObject({ status: 410, events: ["audit.auth.password_refused"] });
  expect(late.body).toContain("<!doctype html>");
});

test("no event, job or log line contains the token", async () => {
  const token = await link();
  const rows = await world.sql(
    "select data::text as text from events union all select payload::text from jobs",
  );
  expect(rows.filter(({ text }) => text.includes(token))).toEqual([]);
  expect(world.lines.filter((line) => line.includes(token))).toEqual([]);
});

test("a change requires the current password and a session, and ends the other sessions", async () => {
  const old = "from a form";
  const [here, there] = [(await logIn(old)).body.data.token, (await logIn(old)).body.data.token];
  const me = world.asToken(here, "default");
  const change = (currentPassword: string) =>
    me("POST /api/v1/auth/password", { currentPassword, newPassword: "the newest password" });
  expect(await change("wrong")).toMatchObject({
    status: 403,
    body: { code: "wrong_password" },
    events: ["audit.auth.password_refused"],
  });
  expect(await change(old)).toMatchObject({ status: 204, events: ["audit.auth.password_changed"] });
  expect(await me("GET /api/v1/auth/me")).toMatchObject({ status: 200 });
  expect(await world.asToken(there)("GET /api/v1/auth/me")).toMatchObject({ status: 401 });
  const { body } = await me("POST /api/v1/auth/tokens", {
    name: "t",
    expiresIn: null,
    scopes: ["profile"],
  });
  const robot = world.asToken(body.data.token, "default");
  const passwords = { currentPassword: "the newest password", newPassword: "yet another one" };
  expect(await robot("POST /api/v1/auth/password", passwords)).toMatchObject({
    status: 403,
    events: [],
  });
});

test("reports that there is no mail server", async () => {
  await using apart = await startWorld();
  expect(await apart.stranger("POST /api/v1/auth/password/forgot", { email: EMAIL })).toMatchObject(
    {
      status: 409,
      body: { code: "mail_not_configured" },
      events: [],
    },
  );
});
