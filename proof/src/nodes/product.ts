import type { Fleet } from "./fleet.ts";

const CREDENTIALS = { email: "admin@example.com", password: "correct horse battery" };

/** The settings of all nodes in a proof. */
export const PRODUCT_ENV: Readonly<Record<string, string>> = {
  MILLRACE_ADMIN_PASSWORD: CREDENTIALS.password,
  MILLRACE_RATE_LIMIT: "0",
  MILLRACE_LOGIN_RATE_LIMIT: "0",
  MILLRACE_CONSOLE: "off",
  // Longer than the balancer needs to detect that a node is not ready.
  MILLRACE_STOP_DELAY_SECONDS: "1",
};

/** The token of a new session of the first owner. */
export async function logIn(fleet: Fleet): Promise<string> {
  const { address } = await fleet.pick();
  const reply = await fetch(`${address}/api/v1/auth/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(CREDENTIALS),
  });
  if (reply.status !== 200) throw new Error(`The login failed: ${await reply.text()}`);
  const { data } = (await reply.json()) as { data: { token: string } };
  return data.token;
}
