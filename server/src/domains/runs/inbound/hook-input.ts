/** Converts a request and its files to `trigger.input`. */
import { Readable } from "node:stream";
import { type ReceivedFile, receiveFiles } from "#domains/files/index.ts";
import type { Form } from "#domains/workflows/index.ts";
import type { Caller, RawRequest, Upload } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { parseAnyBody } from "#kernel/http/request-body.ts";
import { Failure, TooLarge } from "#kernel/operation/failure.ts";
import { readUpTo } from "#kernel/outbound/outbound.ts";
import { authenticateHook, credentialHeaders } from "./hook-auth.ts";
import type { AnyFoundTrigger, FoundTrigger } from "./hook-trigger.ts";

/** `trigger.input`, and the contents for its file handles. */
export interface HookInput {
  readonly input: Readonly<Record<string, unknown>>;
  readonly uploads?: readonly ReceivedFile[];
}

/** Authenticates the caller and reads the request. */
export async function readWebhookInput(
  platform: Platform,
  found: FoundTrigger<"webhook">,
  caller: Caller,
): Promise<HookInput> {
  const { request, upload } = caller;
  if (!request) throw new Error("A request came without itself.");
  const { trigger } = found.named;
  // A signature covers the complete body, which must fit in memory, so signed uploads have a small limit.
  const whole = trigger.signature && upload ? await readWhole(upload) : undefined;
  const checked: RawRequest = whole ? { ...request, bytes: whole } : request;
  const claims = await authenticateHook(platform, found, checked);
  // Unauthenticated requests must not use up the rate limit of authenticated callers.
  platform.rateLimit.assert(`hook ${found.target.workflowId}`, platform.settings.rateLimit);
  const hidden = credentialHeaders(trigger);
  const visible = Object.entries(request.headers).filter(([name]) => !hidden.includes(name));
  const { body, uploads } = await readBody(platform, found, {
    request,
    upload: whole && upload ? { ...upload, content: Readable.from([whole]) } : upload,
  });
  const input = {
    body,
    headers: Object.fromEntries(visible),
    query: request.query,
    ...(trigger.methods && { method: request.method }),
    ...(trigger.path !== undefined && { params: found.params }),
    ...(trigger.rawBody === true && { rawBody: checked.bytes.toString() }),
    ...(claims && { claims }),
  };
  return { input, ...(uploads && { uploads }) };
}

/** Reads a body of any type. Files in it become handles; in a form only files of file fields do. */
export async function readBody(
  platform: Platform,
  { target, environment, named: { trigger } }: AnyFoundTrigger,
  { request, upload }: { readonly [name in "request" | "upload"]?: Caller[name] | undefined },
): Promise<{ readonly body: unknown; readonly uploads?: readonly ReceivedFile[] }> {
  const { bytes, mediaType } = request ?? { bytes: Buffer.alloc(0), mediaType: "" };
  if (!upload) return { body: parseAnyBody(bytes, mediaType) };
  const partition = { workspace: target.workspace, environment };
  const fields = trigger.type === "form" ? fileFieldsOf(trigger) : undefined;
  const { body, files } = await receiveFiles(platform, partition, upload, {
    ...(fields && { fields }),
  });
  return { body, uploads: files };
}

export function fileFieldsOf({ pages }: Form): ReadonlySet<string> {
  const fields = pages.flatMap((page) => page.fields);
  return new Set(fields.filter(({ type }) => type === "file").map(({ name }) => name));
}

const SIGNED_BYTES_MAX = 1_048_576;

async function readWhole({ content }: Upload): Promise<Buffer> {
  const { body, truncated } = await readUpTo(SIGNED_BYTES_MAX, content);
  if (truncated) throw new Failure(TooLarge);
  return Buffer.from(body);
}
