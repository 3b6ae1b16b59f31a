import { expect, test } from "vitest";
import { type Answer, useWorld } from "#kernel/testing/world.ts";

/**
 * Plants one of each kind of secret, uses all of them, and then searches every row of every table, every log line, and
 * every response except the one that may contain it.
 */
const PASSWORD = "planted-password-Xk29";
const SECRET = "planted-secret-Qv71-value";
const CLIENT_SECRET = "planted-client-secret-Jw58";

const world = await useWorld({ work: true, env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });

test("does not leak secrets, tokens, codes or passwords", async () => {
  const answers: Answer[] = [];
  const owner = await world.member(["owner"]);
  const ask = async (route: string, body?: unknown): Promise<any> => {
    const answer = await owner(route, body);
    expect(answer.status, route).toBeLessThan(400);
    answers.push(answer);
    return answer.body?.data;
  };
  /** Responses that show a secret once are excluded from the search. */
  const once = async (route: string, body: unknown): Promise<any> => {
    const answer = await owner(route, body, { "idempotency-key": `leak-${route.length}` });
    expect(answer.status, route).toBeLessThan(400);
    return answer.body.data;
  };

  await ask("POST /api/v1/secrets", { name: "PLANTED", value: SECRET });
  await ask("PUT /api/v1/secrets/PLANTED", { value: `${SECRET}-2` });
  const { token } = await once("POST /api/v1/auth/tokens", {
    name: "Robot",
    expiresIn: null,
    scopes: ["workspaces:read"],
  });
  const email = "leak@example.com";
  const invitation = await once("POST /api/v1/settings/users/invite", { email });
  const accepted = { token: invitation.token, password: PASSWORD };
  answers.push(await world.stranger("POST /api/v1/auth/invitations/accept", accepted));
  const login = await world.stranger("POST /api/v1/auth/token", { email, password: PASSWORD });
  const session: string = login.body.data.token;
  answers.push(
    await world.stranger("POST /api/v1/auth/token", { email, password: `${PASSWORD}!` }),
  );
  const enrolled = await world.asToken(session)("POST /api/v1/auth/mfa/totp/enroll");
  const totp: string = enrolled.body.data.secret;
  const application = await once("POST /api/v1/oauth/applications", {
    name: "App",
    redirectUris: ["https://app.example.com/back"],
    allowedScopes: ["profile"],
  });
  await ask("POST /api/v1/settings/sso", {
    protocol: "oidc",
    issuer: "https://id.example.com",
    clientId: "millrace",
    clientSecret: CLIENT_SECRET,
    scopes: ["openid", "email"],
    claimsMapping: { email: "email", name: "name" },
    jitProvisioning: false,
    defaultRole: "member",
  });
  answers.push(await world.asToken(token, "default")("GET /api/v1/workspaces/me"));
  answers.push(await world.asToken(`${token}x`, "default")("GET /api/v1/workspaces/me"));
  for (const path of [
    "secrets",
    "auth/tokens",
    "oauth/applications",
    "settings/sso",
    "settings/users",
  ]) {
    await ask(`GET /api/v1/${path}`);
  }
  await ask("GET /api/v1/audit?limit=200");

  const planted = {
    password: PASSWORD,
    secret: SECRET,
    token,
    session,
    totp,
    invitation: invitation.token as string,
    oauth: application.clientSecret as string,
    sso: CLIENT_SECRET,
  };
  const places = [
    ...(await everyRow()).map((text) => ["a table", text] as const),
    ...world.lines.map((text) => ["the log", text] as const),
    ...answers.map(({ body, headers }) => ["an answer", JSON.stringify([body, headers])] as const),
  ];
  expect(places.length).toBeGreaterThan(50);
  for (const [name, value] of Object.entries(planted)) {
    expect(value.length, name).toBeGreaterThan(12);
    const forms = [
      value,
      Buffer.from(value).toString("base64").slice(0, -4),
      Buffer.from(value).toString("hex"),
    ];
    const found = places.filter(([, text]) => forms.some((form) => text.includes(form)));
    expect(found, name).toEqual([]);
  }
});

/** Bytes are shown as hexadecimal text, so unencrypted secrets would appear in that form. */
async function everyRow(): Promise<string[]> {
  const tables = await world.sql(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'public'",
  );
  const rows = [];
  for (const { name } of tables)
    rows.push(...(await world.sql(`select t::text as text from ${name} t`)));
  return rows.map(({ text }) => text);
}
