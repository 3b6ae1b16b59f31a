import type { Operation } from "../../contract.ts";
import { JSON_MEDIA_TYPE } from "../../http/request-body.ts";
import {
  CrossOrigin,
  type FailureType,
  Forbidden,
  IdempotencyInProgress,
  IdempotencyKeyReused,
  Invalid,
  MalformedRequest,
  NotFound,
  PreconditionFailed,
  RateLimited,
  TooLarge,
  Unauthenticated,
  Unavailable,
  UnknownCoding,
  WrongMediaType,
} from "../failure.ts";
import { Problem } from "../problem.ts";
import type { Components, DescriptionPart } from "./components.ts";

/** The responses of an operation by status. Failures common to all operations are shared. */
export function describeResponses(op: Operation, components: Components): DescriptionPart {
  // The routes of an operation with aliases reference the same responses.
  const shareAs = (name: string, response: DescriptionPart): DescriptionPart =>
    op.aliases ? components.share("responses", name, response) : response;
  const success = shareAs(op.id, describeSuccess(op, components));
  const byStatus = Map.groupBy(new Set(listFailures(op)), ({ status }) => status);
  return {
    [op.response.status]: success,
    ...(op.response.alternative && { [op.response.alternative.status]: success }),
    ...(op.response.raw &&
      !op.response.mediaType &&
      !op.response.body && {
        303: components.share("responses", "Redirect", {
          description: "Redirect to another page.",
        }),
      }),
    ...(op.response.otherResponses !== undefined && {
      default: shareAs(`${op.id}.default`, { description: op.response.otherResponses }),
    }),
    ...Object.fromEntries(
      [...byStatus].map(([status, types]) => [status, describeFailures(op, types, components)]),
    ),
  };
}

function describeSuccess(op: Operation, components: Components): DescriptionPart {
  return {
    description: "Success.",
    ...(op.response.body && {
      content: { "application/json": { schema: components.resolve(op.response.body) } },
    }),
    ...((op.response.raw ?? op.response.stream) &&
      !op.response.body && {
        content: Object.fromEntries(
          (op.response.mediaType ?? "text/html")
            .split(", ")
            .map((name) => [name, { schema: name === JSON_MEDIA_TYPE ? {} : { type: "string" } }]),
        ),
      }),
  };
}

/** The platform's failures, which need no declaration, and the declared failures of the operation. */
function listFailures(op: Operation): readonly FailureType[] {
  return [
    MalformedRequest,
    // A credential can be limited to another workspace or another address.
    ...(needsCredential(op) ? [Unauthenticated, RateLimited, Forbidden] : []),
    ...(op.params ? [NotFound] : []),
    // Every operation rejects unknown fields.
    Invalid,
    ...(op.access === "visitor" && !op.route.startsWith("GET") ? [CrossOrigin] : []),
    ...(isRepeatable(op) ? [IdempotencyInProgress, IdempotencyKeyReused] : []),
    ...(isGuarded(op) || /^(PATCH|PUT)/.test(op.route) ? [PreconditionFailed] : []),
    ...((op.body ?? (op.readsRequest || op.streamsBody)) ? [TooLarge] : []),
    // An operation that accepts any bytes still rejects a malformed media type.
    ...(op.body || op.readsRequest || op.streamsBody ? [WrongMediaType, UnknownCoding] : []),
    Unavailable,
    ...(op.fails ?? []),
  ];
}

const PLATFORM_FAILURES = new Set<FailureType>([
  CrossOrigin,
  Forbidden,
  IdempotencyInProgress,
  IdempotencyKeyReused,
  Invalid,
  MalformedRequest,
  NotFound,
  PreconditionFailed,
  RateLimited,
  TooLarge,
  Unauthenticated,
  Unavailable,
  UnknownCoding,
  WrongMediaType,
]);

/** The failures of one status. The platform's failures are references; others are described inline. */
function describeFailures(
  op: Operation,
  types: readonly FailureType[],
  components: Components,
): DescriptionPart {
  const { mediaType, body } = op.response.errorRendering ?? PROBLEM;
  const { title = mediaType.split("/")[1] } = body as { readonly title?: string };
  const suffix = op.response.errorRendering ? `.${title}` : "";
  const content = { [mediaType]: { schema: components.ref(body) } };
  const description = types.map((type) => `\`${type.code}\`: ${type.title}`).join("\n\n");
  if (types.every((type) => PLATFORM_FAILURES.has(type))) {
    const name = types.map(({ code }) => toPascalCase(code)).join("Or");
    return components.share("responses", `${name}${suffix}`, { description, content });
  }
  const generic = { description: "The request failed.", content };
  return { ...components.share("responses", `Failure${suffix}`, generic), description };
}

const PROBLEM = { mediaType: "application/problem+json", body: Problem };

function toPascalCase(code: string): string {
  return code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** True if repetitions are detected by `Idempotency-Key`. */
export function isRepeatable(op: Operation): boolean {
  return /^(POST|PATCH)/.test(op.route) && needsCredential(op);
}

/** True if `If-Match` is checked. */
export function isGuarded({ route, kind }: Operation): boolean {
  return kind === "command" && /^(PATCH|PUT|DELETE) .*\{/.test(route);
}

export function needsCredential({ access }: Operation): boolean {
  return access === "workspace" || access === "account";
}
