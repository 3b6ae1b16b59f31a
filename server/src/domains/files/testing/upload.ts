import type { World } from "#kernel/testing/world.ts";

export interface Uploaded {
  readonly status: number;
  readonly body: any;
  readonly events: string[];
}

export interface UploadOptions {
  readonly name?: string;
  readonly workspace?: string;
  readonly headers?: Record<string, string>;
}

/** Uploads a file as the body of a request, and returns the appended events. */
export async function upload(
  world: World,
  { token }: { readonly token: string },
  content: Buffer | string | AsyncIterable<Uint8Array>,
  { name = "a.txt", workspace = "default", headers = {} }: UploadOptions = {},
): Promise<Uploaded> {
  const { Readable } = await import("node:stream");
  const isWhole = typeof content === "string" || Buffer.isBuffer(content);
  const reply = await world.app.inject({
    method: "POST",
    url: `/api/v1/files?name=${encodeURIComponent(name)}`,
    headers: { authorization: `Bearer ${token}`, "x-workspace": workspace, ...headers },
    payload: isWhole ? content : Readable.from(content),
  });
  const events = await world.sql(
    "select type from events where request_id = $1 order by epoch, xid, seq",
    [reply.headers["x-request-id"]],
  );
  return { status: reply.statusCode, body: reply.json(), events: events.map(({ type }) => type) };
}

/** Downloads bytes, which `Ask` would decode as text. */
export async function download(
  world: World,
  { token }: { readonly token: string },
  path: string,
  headers: Record<string, string> = {},
) {
  const reply = await world.app.inject({
    method: "GET",
    url: path,
    headers: { authorization: `Bearer ${token}`, "x-workspace": "default", ...headers },
  });
  return {
    status: reply.statusCode,
    bytes: reply.rawPayload,
    headers: reply.headers as Record<string, string>,
  };
}
