import type { Caller, Outside, RawRequest } from "#kernel/access/caller.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { parseAny } from "#kernel/http/request-body.ts";
import { UnknownSecret } from "#kernel/secrets/secrets.ts";
import type { Hook } from "./hook.ts";
import { headerOf, isSigned, type SignatureRule } from "./signature.ts";

export const SignatureInvalid = failure(
  "signature_invalid",
  401,
  "The request has no valid signature.",
);

/** What expressions see as `trigger.input`, of a request that has the signature which the trigger demands. */
export async function readInput(
  outside: Outside,
  { workspace, version }: Hook,
  { request }: Caller,
): Promise<Readonly<Record<string, unknown>>> {
  if (!request) throw new Error("A request came without itself.");
  const { trigger } = version.definition;
  const rule = trigger.type === "webhook" ? trigger.signature : undefined;
  if (rule && !(await isGenuine(outside, workspace, { rule, request }))) {
    throw new Failure(SignatureInvalid);
  }
  const { bytes, mediaType, headers, query } = request;
  const hidden = [...CREDENTIALS, ...(rule ? [headerOf(rule)] : [])];
  const shown = Object.entries(headers).filter(([name]) => !hidden.includes(name));
  return { body: parseAny(bytes, mediaType), headers: Object.fromEntries(shown), query };
}

/** What lets its sender in somewhere is for nobody who may read the run. */
const CREDENTIALS: readonly string[] = ["authorization", "cookie", "proxy-authorization"];

async function isGenuine(
  outside: Outside,
  workspace: string,
  { rule, request }: { readonly rule: SignatureRule; readonly request: RawRequest },
): Promise<boolean> {
  const { bytes, headers } = request;
  try {
    const { value: key } = await outside.secrets.resolve(workspace, rule.secret);
    const signed = { bytes, header: headers[headerOf(rule)], nowMs: outside.clock.nowMs() };
    return isSigned(signed, key, rule);
  } catch (error) {
    // Without its key nothing is genuine, and which key is missing is not for strangers.
    if (error instanceof Failure && error.type === UnknownSecret) return false;
    throw error;
  }
}
