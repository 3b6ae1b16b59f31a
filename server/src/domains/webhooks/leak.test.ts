import { expect, test } from "vitest";
import { type Answer, until, useFixture, useWorld } from "#kernel/testing/world.ts";
import { startReceiver } from "./testing/receiver.ts";

/**
 * Puts a secret in each field of a webhook that accepts one, has an endpoint return all of them, and then searches
 * all data for them: responses, events, stored deliveries, other tables and the log.
 */
const VAULT = "planted-vault-Qv71-value";
const LITERAL = "planted-literal-Jw58-value";
const SIGNING = "planted-signing-Xk29-value";
const HOOKS = "/api/v1/webhooks";

const receiver = await useFixture(startReceiver());
const world = await useWorld({ work: true, env: receiver.env });

test("signing secrets and secret headers do not leak into other rows, responses or log lines", async () => {
  const owner = await world.member(["owner"]);
  const answers: Answer[] = [];
  const ask = async (route: string, body?: unknown): Promise<any> => {
    const answer = await owner(route, body);
    expect(answer.status, `${route} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    answers.push(answer);
    return answer.body?.data;
  };
  await ask("POST /api/v1/secrets", { name: "PLANTED", value: VAULT });
  const { id } = await ask(`POST ${HOOKS}`, {
    name: "Echo",
    url: `${receiver.url}/echo`,
    events: ["note.*"],
    secret: SIGNING,
    headers: { "X-Planted": "{{secrets.PLANTED}}", Authorization: `Bearer ${LITERAL}` },
    retries: 0,
  });
  // The only response that contains the new secret.
  const rotated = await owner(`POST ${HOOKS}/${id}/secret/rotate`);
  const made: string = rotated.body.data.secret;
  const echo = ({ headers }: any): string =>
    [headers["x-planted"], headers.authorization, SIGNING, made].join(" and ");
  let status = 200;
  receiver.answer = (received, response) => response.writeHead(status).end(echo(received));

  await ask(`POST ${HOOKS}/${id}/test`);
  await ask("POST /api/v1/notes", { title: "Delivered", body: "" });
  const settled = (wanted: string) =>
    until(async () => {
      const { body } = await owner(`GET ${HOOKS}/${id}/deliveries?status=${wanted}`);
      return body.data[0];
    });
  const delivered = await settled("succeeded");
  status = 500;
  await ask("POST /api/v1/notes", { title: "Failed", body: "" });
  const failed = await settled("failed");
  await ask(`PATCH ${HOOKS}/${id}`, { name: "Echo again", headers: { Authorization: "***" } });
  for (const path of ["", `/${id}`, `/${id}/deliveries`]) await ask(`GET ${HOOKS}${path}`);
  for (const one of [delivered, failed]) await ask(`GET ${HOOKS}/${id}/deliveries/${one.id}`);
  await ask(`POST ${HOOKS}/preview`, { events: ["*"], limit: 200 });
  await ask("GET /api/v1/audit?limit=200");
  // The receiver returned all secrets, and the responses were stored with their names instead.
  const kept = await ask(`GET ${HOOKS}/${id}/deliveries`);
  const names = ["PLANTED", "of this webhook", "of this webhook"].map((name) => `[secret ${name}]`);
  for (const { lastResponseBody } of kept) {
    expect(lastResponseBody).toBe(
      [names[0], "Bearer [secret Authorization]", names[1], names[2]].join(" and "),
    );
  }

  const places = [
    ...(await everyRow()),
    ...world.lines.map((text) => ["the log", text] as const),
    ...answers.map(({ body, headers }) => ["an answer", JSON.stringify([body, headers])] as const),
  ];
  expect(places.length).toBeGreaterThan(40);
  for (const value of [VAULT, LITERAL, SIGNING, made]) {
    const forms = [
      value,
      Buffer.from(value).toString("base64").slice(0, -4),
      Buffer.from(value).toString("hex"),
    ];
    const found = places.filter(([, text]) => forms.some((form) => text.includes(form)));
    // A literal header value is stored as entered, and nowhere else.
    expect(found.map(([place]) => place)).toEqual(value === LITERAL ? ["webhooks"] : []);
  }
});

/** Includes bytes as hexadecimal text, so that plain text in them is found too. */
async function everyRow(): Promise<(readonly [string, string])[]> {
  const tables = await world.sql(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  const rows: (readonly [string, string])[] = [];
  for (const { name } of tables) {
    const found = await world.sql(`select t::text as text from "${name}" t`);
    rows.push(...found.map(({ text }) => [name as string, text as string] as const));
  }
  return rows;
}
