/** The part of n8n's internal API that its editor would use for this setup. */

interface Call {
  readonly path: string;
  readonly body: object;
  readonly cookie?: string;
}

/** Creates the first owner and returns the session cookie. */
export async function setUpOwner(port: number): Promise<string> {
  const { cookie } = await call(port, {
    path: "/rest/owner/setup",
    body: {
      email: "admin@example.com",
      firstName: "Ada",
      lastName: "Lovelace",
      password: "A-password-4-the-benchmark",
    },
  });
  return cookie;
}

/** Creates a workflow and publishes it. */
export async function publish(port: number, cookie: string, workflow: object): Promise<void> {
  const made = await call(port, { path: "/rest/workflows", body: workflow, cookie });
  const { id, versionId } = made.data;
  await call(port, { path: `/rest/workflows/${id}/activate`, body: { versionId }, cookie });
}

async function call(port: number, { path, body, cookie = "" }: Call) {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${path} of n8n answered ${reply.status}: ${text}`);
  const { data } = JSON.parse(text) as { data: { id: string; versionId: string } };
  const set = reply.headers.getSetCookie().map((one) => one.split(";")[0]);
  return { data, cookie: set.join("; ") };
}
