import Type, { type TSchema } from "typebox";
import { isConnectionLoss, isTimeout } from "../db/errors.ts";
import { scrubUsedSecrets } from "../secrets/used-secrets.ts";
import { Failure, type FailureType, Internal, Unauthenticated, Unavailable } from "./failure.ts";

export const Problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: Type.String(),
    code: Type.String({ description: "Stable error code for programs" }),
    requestId: Type.String(),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({
            description:
              "`/field` of the body, `?name` of the query, `:name` of the path, or the name of a header",
          }),
          message: Type.String(),
          title: Type.Optional(
            Type.String({ description: "Display name of the field, if it differs from the path" }),
          ),
          position: Type.Optional(
            Type.Integer({ description: "Position in an expression, in characters" }),
          ),
        }),
      ),
    ),
  },
  { title: "ProblemDocument", description: "Problem document as defined in RFC 9457" },
);

export interface ProblemResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The failed request: its path without the query, and its id. */
export interface ProblemContext {
  readonly instance: string;
  readonly requestId: string;
}

/** How failures are rendered instead of a problem document: as a page, or in a protocol's format. */
export interface ErrorRendering {
  readonly mediaType: string;
  readonly body: TSchema;
  readonly render: (failure: Failure, at: ProblemContext) => ProblemResponse;
}

/** The failure for an error. Server errors reveal only whether a retry may succeed. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (isConnectionLoss(error) || isTimeout(error)) {
    return new Failure(Unavailable, { headers: { "retry-after": "1" } });
  }
  return new Failure(Internal);
}

/** Renders a failure for an operation with this response. */
export function renderFailure(
  response: { readonly errorRendering?: ErrorRendering | undefined } | undefined,
  failure: Failure,
  at: ProblemContext,
): ProblemResponse {
  const scrubbed = scrubUsedSecrets(failure);
  return response?.errorRendering?.render(scrubbed, at) ?? toProblem(scrubbed, at);
}

/** The problem document (RFC 9457) of a failure. */
export function toProblem(
  { type, message, particulars }: Failure,
  at: ProblemContext,
): ProblemResponse {
  return {
    status: type.status,
    headers: {
      "content-type": "application/problem+json",
      // A 401 names the required scheme.
      ...(type === Unauthenticated && { "www-authenticate": "Bearer" }),
      ...particulars.headers,
    },
    body: JSON.stringify({
      type: problemType(type),
      title: type.title,
      status: type.status,
      detail: message,
      instance: at.instance,
      code: type.code,
      requestId: at.requestId,
      ...(particulars.errors && { errors: particulars.errors }),
      ...particulars.extra,
      // The SDK's paths always respond with `success`.
      ...(SDK_PATH.test(at.instance) && { success: false }),
    }),
  };
}

const SDK_PATH = /^\/api\/(v1\/)?flowsdk\//;

export function problemType({ code }: FailureType): string {
  return `urn:millrace:problem:${code}`;
}
