const PASSWORD = "a password for the proof";
/** The settings of the first owner. */
export const FIRST_OWNER = { MILLRACE_ADMIN_PASSWORD: PASSWORD } as const;

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

export type Ask = (route: string, body?: unknown, key?: string) => Promise<Answer>;

/** A caller with or without a token. */
export function asker(port: number, token?: string): Ask {
  return async (route, body, key) => {
    const [method = "", path = ""] = route.split(" ");
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        "x-workspace": "default",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(key !== undefined && { "idempotency-key": key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    return {
      status: reply.status,
      body: text === "" ? undefined : JSON.parse(text),
      headers: reply.headers,
    };
  };
}

/** Sends a request that must succeed. */
export async function done(answer: Promise<Answer>): Promise<Answer> {
  const { status, body, headers } = await answer;
  if (status >= 300) throw new Error(`It answered ${status} ${JSON.stringify(body)}`);
  return { status, body, headers };
}

/** The `data` of a response. */
export function dataOf<T>({ body }: Pick<Answer, "body">): T {
  return (body as { readonly data: T }).data;
}

/** The common fields of most responses. */
export interface Named {
  readonly id: string;
}

export async function logIn(port: number): Promise<string> {
  const login = { email: "admin@example.com", password: PASSWORD };
  const answer = await done(asker(port)("POST /api/v1/auth/token", login));
  return dataOf<{ readonly token: string }>(answer).token;
}
